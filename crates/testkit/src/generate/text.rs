//! Character strings.

use super::Generator;
use super::integer::{Int, Range};
use super::scope::{Qualifier, Storage, Variable};
use super::types::Type;
use super::value::{Expr, level};

impl Generator {
    /// The body of a string literal with `length` characters, none of them NUL.
    fn characters(&mut self, length: usize) -> String {
        let mut parts = Vec::new();
        for _ in 0..length {
            parts.push(match self.random.below(12) {
                0 => "\\n".to_owned(),
                1 => "\\t".to_owned(),
                // Three octal digits cannot swallow the next character.
                2 => format!("\\{:03o}", self.random.between(1, 255)),
                // A new literal ends the hexadecimal escape.
                3 => format!("\\x{:x}\" \"", self.random.between(1, 255)),
                4 => "\\\\".to_owned(),
                5 => "\\\"".to_owned(),
                _ => (self.random.between(97, 122) as u8 as char).to_string(),
            });
        }
        parts.concat()
    }

    /// A literal for an array of `length` characters.
    pub(super) fn string_of_at_most(&mut self, length: usize) -> String {
        let count = self.random.below(length + 1);
        format!("\"{}\"", self.characters(count))
    }

    /// A global string, as an array.
    pub(super) fn define_string(&mut self) {
        let name = self.fresh("text");
        let length = 1 + self.random.below(9);
        let text = self.characters(length);
        self.output.globals.push(format!("static const char {name}[] = \"{text}\";"));
        let ty = Type::Int(Int::Char).array(length + 1);
        let mut variable = Variable::new(name, ty, Storage::Static);
        variable.qualifier = Qualifier::Const;
        self.scope.add_global(variable);
    }

    /// An element of a string literal.
    pub(super) fn string_element(&mut self) -> Expr {
        if self.state.constant {
            return self.literal();
        }
        let length = 1 + self.random.below(6);
        let text = self.characters(length);
        let index = self.index(length + 1);
        let text = match self.random.below(3) {
            0 => format!("*(\"{text}\" + {})", index.at(level::PRODUCT)),
            _ => format!("\"{text}\"[{}]", index.text.text),
        };
        let (full, level) = (
            Int::Char.range(self.options.model),
            if text.starts_with('*') { level::UNARY } else { level::POSTFIX },
        );
        Expr::new(text, level, Int::Char, full).with(index.effects)
    }

    /// Uses of the string functions.
    pub(super) fn string_statement(&mut self) {
        if self.state.multiplier > 60 {
            return self.mix_statement();
        }
        self.state.cost += 60 * self.state.multiplier;
        let (buffer, pointer) = (self.fresh("buffer"), self.fresh("q"));
        let first_length = self.random.below(8);
        let first = self.characters(first_length);
        let second_length = self.random.below(5);
        let second = self.characters(second_length);
        let total = first_length + second_length + 1;
        self.output.line("{");
        self.output.indent += 1;
        match self.random.below(4) {
            0 => {
                self.output.line(format!("char {buffer}[{}];", total + self.random.below(4)));
                self.output.line(format!("memcpy({buffer}, \"{first}\", {first_length});"));
                self.output
                    .line(format!("memcpy({buffer} + {first_length}, \"{second}\", sizeof(\"{second}\"));"));
                self.output.line(format!("mix(strlen({buffer}));"));
                let fill = self.random.between(33, 126);
                let position = self.random.below(total);
                self.output.line(format!("memset({buffer}, {fill}, {position});"));
                self.output.line(format!("mix(strcmp({buffer}, \"{first}\") < 0);"));
                self.output.line(format!(
                    "for (char *{pointer} = {buffer}; *{pointer}; {pointer}++) mix(*{pointer});"
                ));
            }
            1 => {
                self.output.line(format!("const char *{pointer} = \"{first}\";"));
                self.output.line(format!("while (*{pointer}) mix(*{pointer}++);"));
            }
            2 => {
                let value = self.expression(1);
                let index = self.coerce(value, Range::new(0, 1));
                self.output
                    .line(format!("static const char *const {buffer}[] = {{ \"{first}\", \"{second}\" }};"));
                self.output.line(format!("const char *{pointer} = {buffer}[{}];", index.text.text));
                self.output.line(format!("mix(strlen({pointer}) + sizeof({buffer}) / sizeof({buffer}[0]));"));
                self.output.line(format!("mix(strcmp({pointer}, \"{second}\") == 0);"));
            }
            _ => {
                let value = self.coerced_character();
                self.output.line(format!("char {buffer}[] = \"{first}\\0{second}\";"));
                self.output.line(format!("{buffer}[{}] = {value};", self.random.below(total)));
                self.output.line(format!("{buffer}[{total}] = 0;"));
                self.output
                    .line(format!("for (size_t {pointer} = 0; {pointer} < sizeof {buffer}; {pointer}++)"));
                self.output.line(format!("    mix({buffer}[{pointer}]);"));
                self.output.line(format!("mix(strlen({buffer}));"));
            }
        }
        self.output.indent -= 1;
        self.output.line("}");
    }

    fn coerced_character(&mut self) -> String {
        let value = self.pure_expression(1);
        self.coerce(value, Range::new(0, 127)).at(level::ASSIGN)
    }
}
