//! Pointers into arrays, bytes of objects, variable-length arrays, lists on the heap.

use super::Generator;
use super::effects::VarId;
use super::integer::{Int, Range};
use super::scope::{Purpose, Qualifier, Storage};
use super::types::Type;
use super::value::level;

impl Generator {
    /// Visible one-dimensional integer arrays with their element type and length.
    fn flat_arrays(&self, purpose: Purpose) -> Vec<(VarId, Int, usize)> {
        let ids = self.visible(|variable| {
            (purpose == Purpose::Read
                || variable.range.is_none() && variable.qualifier == Qualifier::None && variable.frozen == 0)
                && variable.qualifier != Qualifier::Volatile
        });
        ids.into_iter()
            .filter_map(|id| match &self.scope.variables[id].ty {
                Type::Array(element, length) => match **element {
                    Type::Int(int) => Some((id, int, *length)),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    /// Walks over an array with a pointer: comparison, difference, offsets.
    pub(super) fn array_walk(&mut self) {
        let purpose = if self.random.chance(50) { Purpose::Write } else { Purpose::Read };
        let arrays = self.flat_arrays(purpose);
        if arrays.is_empty() || self.state.multiplier > 60 {
            return self.statement();
        }
        let (id, int, length) = *self.random.pick(&arrays);
        let name = self.scope.variables[id].name.clone();
        let pointer = self.fresh("q");
        let qualifier = if self.scope.variables[id].qualifier == Qualifier::Const { "const " } else { "" };
        let spelling = format!("{qualifier}{}", self.spell(int));
        self.state.cost += 8 * length as u64 * self.state.multiplier;
        let value = self.pure_expression(1).at(level::ASSIGN);
        let body = match (purpose, self.random.below(3)) {
            (Purpose::Write, 0) => format!("*{pointer} = {value}"),
            (Purpose::Write, _) => format!("*{pointer} ^= {value}"),
            (Purpose::Read, 0) => format!("mix(*{pointer} ^ ({pointer} - {name}))"),
            (Purpose::Read, _) => format!("mix(*{pointer})"),
        };
        match self.random.below(4) {
            0 => self.output.line(format!(
                "for ({spelling} *{pointer} = {name}; {pointer} < {name} + {length}; {pointer}++) {body};"
            )),
            1 => {
                self.output.line("{");
                self.output.line(format!("    {spelling} *{pointer} = {name} + {length};"));
                self.output.line(format!("    while ({pointer} != {name}) {{ --{pointer}; {body}; }}"));
                self.output.line("}");
            }
            2 => {
                let (middle, offset) = self.two_positions(length);
                self.output.line("{");
                self.output.line(format!("    {spelling} *{pointer} = &{name}[{middle}];"));
                self.output.line(format!("    {pointer} += {};", offset - middle));
                self.output.line(format!("    {body};"));
                self.output.line(format!("    mix({pointer}[{}]);", middle - offset));
                self.output.line(format!("    mix({pointer} - {name} + ({pointer} >= &{name}[{middle}]));"));
                self.output.line("}");
            }
            _ => {
                let count = format!("sizeof({name}) / sizeof({name}[0])");
                let count = if self.scope.variables[id].storage == Storage::Alias {
                    length.to_string()
                } else {
                    count
                };
                let end = self.fresh("q");
                self.output.line(format!(
                    "for ({spelling} *{pointer} = {name}, *{end} = {name} + {count}; {pointer} < {end}; ++{pointer}) {body};"
                ));
            }
        }
    }

    fn two_positions(&mut self, length: usize) -> (i64, i64) {
        let last = length as i64 - 1;
        (self.random.between(0, last), self.random.between(0, last))
    }

    /// Looks at an object, or changes it, byte by byte (little endian).
    pub(super) fn byte_access(&mut self) {
        let ids = self.visible(|variable| {
            let flat = match &variable.ty {
                Type::Int(int) => *int != Int::Bool,
                Type::Array(element, _) => matches!(**element, Type::Int(int) if int != Int::Bool),
                _ => false,
            };
            flat && variable.range.is_none()
                && variable.qualifier == Qualifier::None
                && variable.frozen == 0
                && matches!(variable.storage, Storage::Addressable | Storage::Static)
        });
        if ids.is_empty() || self.state.multiplier > 60 {
            return self.mix_statement();
        }
        let id = *self.random.pick(&ids);
        let name = self.scope.variables[id].name.clone();
        let ty = self.scope.variables[id].ty.clone();
        let bytes = match &ty {
            Type::Int(int) => int.size(self.options.model),
            _ => 1,
        };
        let (pointer, counter) = (self.fresh("b"), self.fresh("i"));
        let byte = *self.random.pick(&["unsigned char", "signed char", "char"]);
        self.state.cost += 64 * self.state.multiplier;
        self.output.line("{");
        self.output.line(format!("    {byte} *{pointer} = ({byte} *)&{name};"));
        if self.random.chance(50) {
            let position = self.random.below(bytes as usize);
            let value = self.pure_expression(1).at(level::ASSIGN);
            let op = *self.random.pick(&["=", "^=", "|=", "+="]);
            // The sum of a byte and the value is computed in a wider type, the value itself is a byte.
            self.output.line(format!("    {pointer}[{position}] {op} ({byte})({value});"));
        }
        self.output.line(format!(
            "    for (size_t {counter} = 0; {counter} < sizeof({name}); {counter}++) mix({pointer}[{counter}]);"
        ));
        self.output.line("}");
    }

    /// An array whose length is known at run time only.
    pub(super) fn variable_length_array(&mut self) {
        if self.state.multiplier > 60 {
            return self.mix_statement();
        }
        let (length, array, counter) = (self.fresh("n"), self.fresh("w"), self.fresh("i"));
        let value = self.expression(2);
        let size = self.coerce(value, Range::new(1, 8));
        let int = self.integer_type();
        let spelling = self.spell(int);
        self.state.cost += 100 * self.state.multiplier;
        self.output.line("{");
        self.output.indent += 1;
        self.output.line(format!("int {length} = {};", size.at(level::ASSIGN)));
        let row = if self.random.chance(30) { 1 + self.random.below(3) } else { 0 };
        let (dimension, element) = if row > 0 {
            let last = self.random.below(row);
            (format!("[{length}][{row}]"), format!("{array}[{counter}][{last}]"))
        } else {
            (format!("[{length}]"), format!("{array}[{counter}]"))
        };
        self.output.line(format!("{spelling} {array}{dimension};"));
        let first = self.pure_expression(1).at(level::ASSIGN);
        let head = format!("for (int {counter} = 0; {counter} < {length}; {counter}++)");
        self.output.line(format!("{head} {element} = {first};"));
        let factor = self.random.between(1, 9);
        self.output.line(format!("{head} {element} ^= {counter} * {factor};"));
        self.output.line(format!("{head} mix({element});"));
        self.output.line(format!("mix(sizeof({array}) + sizeof {array}[0]);"));
        self.output.indent -= 1;
        self.output.line("}");
    }

    /// A struct on the heap that ends with a flexible array.
    fn flexible_array(&mut self) {
        let int = self.integer_type();
        let (tag, pointer, counter) = (self.fresh("F"), self.fresh("q"), self.fresh("i"));
        let spelling = self.spell(int);
        self.output.types.push(format!("struct {tag} {{ unsigned char count; {spelling} data[]; }};"));
        let length = self.random.between(1, 9);
        let value = self.pure_expression(2).at(level::ASSIGN);
        self.state.cost += 20 * length as u64 * self.state.multiplier;
        let size = format!("sizeof(*{pointer}) + {length} * sizeof({pointer}->data[0])");
        let head = format!("for (int {counter} = 0; {counter} < {pointer}->count; {counter}++)");
        self.output.line("{");
        self.output.line(format!("    struct {tag} *{pointer} = malloc({size});"));
        self.output.line(format!("    {pointer}->count = {length};"));
        self.output.line(format!("    {head} {pointer}->data[{counter}] = {value};"));
        self.output.line(format!("    {head} mix({pointer}->data[{counter}] ^ {counter});"));
        self.output.line(format!("    mix(sizeof(struct {tag}));"));
        self.output.line(format!("    free({pointer});"));
        self.output.line("}");
    }

    /// Builds a list, changes it, adds it up and takes it apart. The lines are those of the generated program, in its order.
    pub(super) fn linked_list(&mut self) {
        if self.state.multiplier > 40 || self.options.size == super::Size::Small {
            return self.mix_statement();
        }
        if self.random.chance(25) {
            return self.flexible_array();
        }
        let int = self.integer_type();
        let (node, head, item, counter) =
            (self.fresh("N"), self.fresh("h"), self.fresh("q"), self.fresh("i"));
        let value = self.spell(int);
        self.output.types.push(format!("struct {node} {{ {value} value; struct {node} *next; }};"));
        let length = self.random.between(1, 6);
        self.state.cost += 20 * length as u64 * self.state.multiplier;
        let before = self.state.multiplier;
        self.state.multiplier *= length as u64;
        let content = self.pure_expression(2).at(level::ASSIGN);
        self.state.multiplier = before;
        let allocation = match self.random.below(3) {
            0 => format!("calloc(1, sizeof(struct {node}))"),
            1 => format!("malloc(sizeof *{item})"),
            _ => format!("(struct {node} *)malloc(sizeof(struct {node}))"),
        };
        let on_heap = self.random.chance(65);
        let loop_head = format!("for (int {counter} = 0; {counter} < {length}; {counter}++) {{");
        let mut lines = if on_heap {
            vec![
                format!("struct {node} *{head} = 0;"),
                loop_head,
                format!("    struct {node} *{item} = {allocation};"),
                format!("    {item}->value = {content};"),
                format!("    {item}->value ^= {counter} & 7;"),
                format!("    {item}->next = {head};"),
                format!("    {head} = {item};"),
                "}".to_owned(),
            ]
        } else {
            let pool = self.fresh("pool");
            self.output.tables.push(format!("static struct {node} {pool}[{length}];"));
            let next = format!("{counter} + 1 < {length} ? &{pool}[{counter} + 1] : (void *)0");
            vec![
                loop_head,
                format!("    {pool}[{counter}].value = {content};"),
                format!("    {pool}[{counter}].next = {next};"),
                "}".to_owned(),
                format!("struct {node} *{head} = {pool};"),
            ]
        };
        if self.random.chance(40) {
            lines.extend(reversal(&node, &head, &item));
        }
        lines.extend([
            format!("while ({head}) {{"),
            format!("    struct {node} *{item} = {head};"),
            format!("    mix({item}->value);"),
            format!("    {head} = (*{item}).next;"),
        ]);
        if on_heap {
            lines.push(format!("    free({item});"));
        }
        lines.push("}".to_owned());
        self.output.line("{");
        for line in lines {
            self.output.line(format!("    {line}"));
        }
        self.output.line("}");
    }
}

/// Lines that reverse the list in place.
fn reversal(node: &str, head: &str, item: &str) -> Vec<String> {
    vec![
        format!("struct {node} *{item}_reversed = (void *)0;"),
        format!("while ({head} != 0) {{"),
        format!("    struct {node} *{item}_rest = {head}->next;"),
        format!("    {head}->next = {item}_reversed;"),
        format!("    {item}_reversed = {head};"),
        format!("    {head} = {item}_rest;"),
        "}".to_owned(),
        format!("{head} = {item}_reversed;"),
    ]
}
