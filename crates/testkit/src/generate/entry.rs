//! The function `main`.

use super::effects::Effects;
use super::function::Returned;
use super::integer::Int;
use super::scope::Qualifier;
use super::types::Type;
use super::value::{Expr, level};
use super::{Generator, State};

/// Steps allowed in the whole program.
const MAIN_LIMIT: u64 = 120_000;

impl Generator {
    /// The function `main`, with the checksum of everything at the end.
    pub(super) fn define_main(&mut self) {
        self.state = State { effects: true, multiplier: 1, limit: MAIN_LIMIT, ..State::default() };
        self.output.body.clear();
        self.output.indent = 1;
        self.scope.open();
        if self.options.nondet {
            self.read_inputs();
        }
        let statements = self.sized(4, 7, 11) as i32;
        self.statements(statements);
        for index in 0..self.functions.len() {
            let name = self.functions[index].name.clone();
            if let Some((text, function, _)) = self.call(1, |function| function.name == name) {
                match function.returned {
                    Returned::Integer(..) => self.output.line(format!("mix({text});")),
                    _ => self.output.line(format!("{text};")),
                }
            }
        }
        self.mix_everything();
        self.output.line("printf(\"%llu\\n\", checksum);");
        let code = *self.random.pick(&["0", "0", "(int)(checksum & 63)", "checksum % 50"]);
        self.output.line(format!("return {code};"));
        self.scope.close();
        let text = format!("int main(void)\n{{\n{}\n}}", self.output.body.join("\n"));
        self.output.functions.push(text);
    }

    /// Starts some globals with nondeterministic values, and chooses values for them.
    fn read_inputs(&mut self) {
        let ids = self.visible(|variable| {
            matches!(variable.ty, Type::Int(ty) if !matches!(ty, Int::Int128 | Int::Unsigned128))
                && variable.qualifier == Qualifier::None
        });
        for id in ids {
            let place = self.variable_place(id);
            let ty = self.place_type(&place);
            let suffix = match ty {
                Int::Bool => "bool",
                Int::Char | Int::SignedChar => "char",
                Int::UnsignedChar => "uchar",
                Int::Short => "short",
                Int::UnsignedShort => "ushort",
                Int::Int => "int",
                Int::Unsigned => "uint",
                Int::Long => "long",
                Int::UnsignedLong => "ulong",
                Int::LongLong => "longlong",
                _ => "ulonglong",
            };
            let returned = if ty == Int::SignedChar { Int::Char } else { ty };
            let declaration = format!("{} __VERIFIER_nondet_{suffix}(void);", returned.spellings()[0]);
            self.output.nondet.insert(suffix, declaration);
            let range = ty.range(self.options.model);
            let input = self.literal_in(range).range.low;
            self.output.inputs.push(input);
            let call = format!("__VERIFIER_nondet_{suffix}()");
            let call = Expr::new(call, level::POSTFIX, returned, range).with(Effects::call());
            let statement = self.assign(&place, call);
            self.output.line(format!("{};", statement.text.text));
        }
    }
}
