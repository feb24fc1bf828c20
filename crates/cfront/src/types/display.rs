//! Types as C writes them.

use cfa::{Member, Spelling};

use super::{ArrayLength, FunctionType, Record, Type, TypeId, Types};

/// Longest chain of derivations that is printed: longer ones end in `...`.
const MAX_STEPS: u32 = 64;

impl Types {
    /// The type as a C type name: `int (*)[3]`, `struct s *`.
    pub fn display(&self, id: TypeId) -> String {
        let mut steps = MAX_STEPS;
        self.display_within(id, &mut steps)
    }

    /// `steps` bounds recursion and length over all parts.
    fn display_within(&self, id: TypeId, steps: &mut u32) -> String {
        let mut declarator = String::new();
        let mut current = id;
        let base = loop {
            if *steps == 0 {
                break "...".to_owned();
            }
            *steps -= 1;
            match self.get(current) {
                Type::Pointer(to) => {
                    let is_wrapped = matches!(self.get(*to), Type::Array { .. } | Type::Function(_));
                    declarator =
                        if is_wrapped { format!("(*{declarator})") } else { format!("*{declarator}") };
                    current = *to;
                }
                Type::Array { elem, length } => {
                    declarator = match length {
                        ArrayLength::Fixed(length) => format!("{declarator}[{length}]"),
                        ArrayLength::Unknown => declarator + "[]",
                        ArrayLength::Variable(_) => declarator + "[*]",
                    };
                    current = *elem;
                }
                Type::Function(function) => {
                    declarator.push_str(&self.parameters(function, steps));
                    current = function.result;
                }
                Type::Void => break "void".to_owned(),
                Type::Int(kind) => break kind.name().to_owned(),
                Type::Float(kind) => break float_name(*kind).to_owned(),
                Type::VaList => break "va_list".to_owned(),
                Type::Enum(definition) => break format!("enum {}", self.enums[*definition].name),
                Type::Record(record) => break record_name(&self.records[*record]),
            }
        };
        if declarator.is_empty() {
            base
        } else if declarator.starts_with('[') || base == "..." {
            format!("{base}{declarator}")
        } else {
            format!("{base} {declarator}")
        }
    }

    /// The members of all structures and unions, for messages.
    pub fn spell_members(&self, spelling: &mut Spelling) {
        for record in self.records.iter().filter(|record| record.complete) {
            let fields = record.fields.iter().filter(|field| field.bits.is_none());
            let members = fields.filter_map(|field| {
                let (size, c_type) = (self.size_of(field.ty)?, self.display(field.ty).into());
                Some(Member { name: field.name.clone(), offset: field.offset, size, c_type })
            });
            spelling.add_members(record_name(record), members.collect());
        }
    }

    fn parameters(&self, function: &FunctionType, steps: &mut u32) -> String {
        let mut list: Vec<String> = Vec::new();
        for param in &function.params {
            if *steps == 0 {
                break;
            }
            list.push(self.display_within(*param, steps));
        }
        if list.len() < function.params.len() || function.variadic {
            list.push("...".to_owned());
        }
        if list.is_empty() && function.prototype {
            "(void)".to_owned()
        } else {
            format!("({})", list.join(", "))
        }
    }
}

fn record_name(record: &Record) -> String {
    if let Some(alias) = &record.alias {
        return alias.to_string();
    }
    let keyword = if record.is_union { "union" } else { "struct" };
    format!("{keyword} {}", record.name)
}

fn float_name(kind: cfa::FloatKind) -> &'static str {
    match kind {
        cfa::FloatKind::Single => "float",
        cfa::FloatKind::Double => "double",
        cfa::FloatKind::Extended => "long double",
        cfa::FloatKind::Quad => "_Float128",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::IntKind;
    use cfa::DataModel;

    #[test]
    fn derivations_read_like_declarators() {
        let mut types = Types::new(DataModel::Lp64);
        let int = types.int(IntKind::Int);
        let row = types.intern(Type::Array { elem: int, length: ArrayLength::Fixed(3) });
        let to_row = types.pointer(row);
        assert_eq!(types.display(row), "int[3]");
        assert_eq!(types.display(to_row), "int (*)[3]");
        let function = types.intern(Type::Function(FunctionType {
            result: to_row,
            params: vec![int, to_row],
            variadic: true,
            prototype: true,
        }));
        let to_function = types.pointer(function);
        assert_eq!(types.display(to_function), "int (*(*)(int, int (*)[3], ...))[3]");
    }

    #[test]
    fn long_chains_are_cut() {
        let mut types = Types::new(DataModel::Lp64);
        let mut current = types.int(IntKind::Int);
        for _ in 0..100_000 {
            let function = types.intern(Type::Function(FunctionType {
                result: current,
                params: vec![current],
                variadic: false,
                prototype: true,
            }));
            current = types.pointer(function);
        }
        assert!(types.display(current).len() < 1000);
    }
}
