//! The end of a program: all visible variables are added to the checksum.

use super::Generator;
use super::integer::Int;
use super::types::Type;

impl Generator {
    /// Writes statements that mix all visible variables into the checksum.
    pub(super) fn mix_everything(&mut self) {
        for id in self.visible(|_| true) {
            let variable = &self.scope.variables[id];
            let (name, ty) = (variable.name.clone(), variable.ty.clone());
            self.mix_object(&name, &ty);
        }
    }

    /// Mixes every scalar inside an object; padding is left alone.
    fn mix_object(&mut self, text: &str, ty: &Type) {
        match ty {
            Type::Int(Int::Int128 | Int::Unsigned128) => {
                self.output.line(format!("mix({text});"));
                self.output.line(format!("mix({text} >> 64);"));
            }
            Type::Int(_) | Type::Enum(_) => self.output.line(format!("mix({text});")),
            Type::Float | Type::Double => {
                self.need_mix_double();
                self.output.line(format!("mix_double({text});"));
            }
            Type::Pointer(to) if matches!(**to, Type::Int(_)) => {
                self.mix_object(&format!("*{text}"), to);
            }
            Type::Pointer(_) => {}
            Type::Array(element, length) => {
                let counter = self.fresh("i");
                let head = format!("for (int {counter} = 0; {counter} < {length}; {counter}++)");
                if matches!(**element, Type::Int(int) if !matches!(int, Int::Int128 | Int::Unsigned128)) {
                    self.output.line(format!("{head} mix({text}[{counter}]);"));
                    return;
                }
                self.output.line(format!("{head} {{"));
                self.output.indent += 1;
                self.mix_object(&format!("{text}[{counter}]"), element);
                self.output.indent -= 1;
                self.output.line("}");
            }
            Type::Struct(id) => {
                let fields: Vec<(String, Type)> = self.types.structs[*id]
                    .named()
                    .map(|(name, field)| (name.to_owned(), field.ty.clone()))
                    .collect();
                for (name, ty) in fields {
                    self.mix_object(&format!("{text}.{name}"), &ty);
                }
            }
            Type::Union(id) => {
                // The first member covers all bytes.
                let first = &self.types.unions[*id].fields[0];
                if let (Some(name), ty) = (first.name.clone(), first.ty.clone()) {
                    self.mix_object(&format!("{text}.{name}"), &ty);
                }
            }
        }
    }
}
