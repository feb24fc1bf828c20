//! Object types of the generated program: enumerations, structs with bit-fields, unions.
//!
//! # Invariants
//! * I1: the first member of a union is as large as the union and has no padding, and unions hold no
//!   `_Bool` and no pointer: whatever was stored last, every member can be read.
//! * I2: pointers inside structs point to objects with static storage, so structs can be copied anywhere.

use super::integer::Int;
use super::{Generator, Model, Size};

/// Type of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Int(Int),
    Enum(usize),
    Float,
    Double,
    Pointer(Box<Type>),
    Array(Box<Type>, usize),
    Struct(usize),
    Union(usize),
}

impl Type {
    pub(super) fn pointer(self) -> Type {
        Type::Pointer(Box::new(self))
    }

    pub(super) fn array(self, length: usize) -> Type {
        Type::Array(Box::new(self), length)
    }
}

/// An enumeration; `ty` is the integer type gcc gives it.
pub(super) struct Enumeration {
    pub(super) tag: String,
    pub(super) constants: Vec<(String, i128)>,
    pub(super) ty: Int,
}

/// A member of a struct or union; without a name it is padding and holds no value.
#[derive(Clone)]
pub(super) struct Field {
    pub(super) name: Option<String>,
    pub(super) ty: Type,
    pub(super) width: Option<u32>,
    /// It is a member of an anonymous struct inside, together with its neighbours.
    anonymous: bool,
}

/// Whether the members of a record are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Padded,
    Packed,
}

/// A struct or union type.
pub(super) struct Record {
    pub(super) spelling: String,
    pub(super) fields: Vec<Field>,
    /// Members may be misaligned: their address must not be taken.
    pub(super) packed: bool,
}

impl Record {
    /// Members that hold a value.
    pub(super) fn named(&self) -> impl Iterator<Item = (&str, &Field)> {
        self.fields.iter().filter_map(|field| Some((field.name.as_deref()?, field)))
    }
}

/// All types the program defines.
#[derive(Default)]
pub(super) struct TypeTable {
    pub(super) enums: Vec<Enumeration>,
    pub(super) structs: Vec<Record>,
    pub(super) unions: Vec<Record>,
    pub(super) typedefs: Vec<(String, Int)>,
    /// The program uses `__int128`.
    pub(super) wide: bool,
}

impl TypeTable {
    /// The type holds a pointer somewhere, so it has to be initialised in full.
    pub(super) fn has_pointer(&self, ty: &Type) -> bool {
        match ty {
            Type::Pointer(_) => true,
            Type::Array(element, _) => self.has_pointer(element),
            Type::Struct(id) => self.structs[*id].named().any(|(_, field)| self.has_pointer(&field.ty)),
            _ => false,
        }
    }
}

impl Generator {
    /// Defines the types the program will use; their text goes to the output.
    pub(super) fn define_types(&mut self) {
        self.types.wide = self.options.model == Model::Lp64 && self.random.chance(15);
        for (name, ty) in [
            ("u8", Int::UnsignedChar),
            ("s16", Int::Short),
            ("u32", Int::Unsigned),
            ("s64", Int::LongLong),
            ("word", Int::UnsignedLong),
        ] {
            if self.random.chance(30) {
                let spelling = self.spell(ty);
                self.output.types.push(format!("typedef {spelling} {name};"));
                self.types.typedefs.push((name.to_owned(), ty));
            }
        }
        let most = if self.options.size == Size::Small { 1 } else { 2 };
        for _ in 0..self.random.below(most + 1) {
            self.define_enum();
        }
        for _ in 0..self.random.below(most + 1) {
            self.define_union();
        }
        for _ in 0..self.random.below(most + 2) {
            self.define_struct();
        }
    }

    /// An integer type for an object; small types and `int` are frequent.
    pub(super) fn integer_type(&mut self) -> Int {
        if self.types.wide && self.random.chance(4) {
            return *self.random.pick(&[Int::Int128, Int::Unsigned128]);
        }
        if self.random.chance(30) { Int::Int } else { *self.random.pick(&Int::COMMON) }
    }

    /// One way to write the type.
    pub(super) fn spell(&mut self, ty: Int) -> String {
        let names: Vec<String> =
            self.types.typedefs.iter().filter(|(_, of)| *of == ty).map(|(name, _)| name.clone()).collect();
        if !names.is_empty() && self.random.chance(40) {
            return self.random.pick(&names).clone();
        }
        (*self.random.pick(ty.spellings())).to_owned()
    }

    /// A declaration of `name` with the type, without the semicolon.
    pub(super) fn declare(&mut self, ty: &Type, name: &str) -> String {
        match ty {
            Type::Int(int) => format!("{} {name}", self.spell(*int)),
            Type::Enum(id) => format!("enum {} {name}", self.types.enums[*id].tag),
            Type::Float => format!("float {name}"),
            Type::Double => format!("double {name}"),
            Type::Pointer(to) if matches!(**to, Type::Array(..)) => self.declare(to, &format!("(*{name})")),
            Type::Pointer(to) => self.declare(to, &format!("*{name}")),
            Type::Array(element, length) => self.declare(element, &format!("{name}[{length}]")),
            Type::Struct(id) => format!("{} {name}", self.types.structs[*id].spelling),
            Type::Union(id) => format!("{} {name}", self.types.unions[*id].spelling),
        }
    }

    /// The type as it is written in a cast or in `sizeof`.
    pub(super) fn type_name(&mut self, ty: &Type) -> String {
        self.declare(ty, "").trim_end().to_owned()
    }

    fn define_enum(&mut self) {
        let tag = self.fresh("E");
        let mut constants = Vec::new();
        let mut next: i128 = 0;
        let mut items = Vec::new();
        for _ in 0..2 + self.random.below(4) {
            let name = self.fresh("K");
            if self.random.chance(40) {
                next = i128::from(self.random.between(-20, 1000));
                items.push(format!("{name} = {next}"));
            } else {
                items.push(name.clone());
            }
            constants.push((name, next));
            next += 1;
        }
        let ty = if constants.iter().any(|(_, value)| *value < 0) { Int::Int } else { Int::Unsigned };
        self.output.types.push(format!("enum {tag} {{ {} }};", items.join(", ")));
        self.types.enums.push(Enumeration { tag, constants, ty });
    }

    fn define_union(&mut self) {
        let size = *self.random.pick(&[8_u32, 8, 16]);
        let largest = match self.random.below(3) {
            0 if size == 8 => Type::Int(Int::UnsignedLongLong),
            1 => Type::Int(Int::Unsigned).array(size as usize / 4),
            _ => Type::Int(Int::UnsignedChar).array(size as usize),
        };
        let mut fields = vec![self.named_field(largest)];
        for _ in 0..=self.random.below(3) {
            let int = *self.random.pick(&Int::COMMON[1..]);
            let bytes = int.size(self.options.model);
            let ty = match self.random.below(3) {
                0 => Type::Int(int).array(1 + self.random.below((size / bytes) as usize)),
                _ => Type::Int(int),
            };
            fields.push(self.named_field(ty));
        }
        if self.random.chance(40) {
            let id = self.define_full_bit_fields();
            fields.push(self.named_field(Type::Struct(id)));
        }
        let record = self.emit_record("union", fields, Packing::Padded);
        self.types.unions.push(record);
    }

    /// A struct whose bit-fields fill 32 bits, so that every bit of it belongs to a member.
    fn define_full_bit_fields(&mut self) -> usize {
        let base = *self.random.pick(&[Int::Unsigned, Int::Int]);
        let mut fields = Vec::new();
        let mut left = 32;
        while left > 0 {
            let width = if left > 4 { 1 + self.random.below(left - 1) } else { left };
            let mut field = self.named_field(Type::Int(base));
            field.width = Some(width as u32);
            fields.push(field);
            left -= width;
        }
        let record = self.emit_record("struct", fields, Packing::Padded);
        self.types.structs.push(record);
        self.types.structs.len() - 1
    }

    fn define_struct(&mut self) {
        let mut fields = Vec::new();
        for _ in 0..2 + self.random.below(4) {
            let mut kinds = vec![40, 25, 10, 6, 7, 5, 5, if self.options.floats { 6 } else { 0 }, 4];
            for (kind, missing) in [
                (3, self.types.structs.is_empty()),
                (5, self.types.unions.is_empty()),
                (6, self.types.enums.is_empty()),
            ] {
                if missing {
                    kinds[kind] = 0;
                }
            }
            let ty = match self.random.weighted(&kinds) {
                1 => {
                    fields.extend(self.bit_fields());
                    continue;
                }
                2 => Type::Int(self.integer_type()).array(1 + self.random.below(4)),
                3 => Type::Struct(self.random.below(self.types.structs.len())),
                4 => {
                    let to = Type::Int(*self.random.pick(&Int::COMMON));
                    self.anchor(&to);
                    to.pointer()
                }
                5 => Type::Union(self.random.below(self.types.unions.len())),
                6 => Type::Enum(self.random.below(self.types.enums.len())),
                7 => Type::Double,
                8 => {
                    for _ in 0..=self.random.below(3) {
                        let ty = Type::Int(self.integer_type());
                        fields.push(Field { anonymous: true, ..self.named_field(ty) });
                    }
                    continue;
                }
                _ => Type::Int(self.integer_type()),
            };
            fields.push(self.named_field(ty));
        }
        let packing = if self.random.chance(5) { Packing::Packed } else { Packing::Padded };
        let record = self.emit_record("struct", fields, packing);
        self.types.structs.push(record);
    }

    fn named_field(&mut self, ty: Type) -> Field {
        Field { name: Some(self.fresh("m")), ty, width: None, anonymous: false }
    }

    /// A run of bit-fields, sometimes with unnamed padding or a zero width between them.
    fn bit_fields(&mut self) -> Vec<Field> {
        let mut fields = Vec::new();
        for _ in 0..=self.random.below(4) {
            let int = match self.random.below(10) {
                0 => Int::Bool,
                1..=4 => Int::Unsigned,
                5..=7 => Int::Int,
                _ => *self.random.pick(&Int::COMMON[1..]),
            };
            let widest = if int == Int::Bool { 1 } else { int.bits(self.options.model) };
            let mut field = self.named_field(Type::Int(int));
            field.width = Some(1 + self.random.below(widest as usize) as u32);
            fields.push(field);
            if self.random.chance(10) {
                let width = if self.random.chance(50) { 0 } else { 1 + self.random.below(7) as u32 };
                fields.push(Field {
                    name: None,
                    ty: Type::Int(Int::Unsigned),
                    width: Some(width),
                    anonymous: false,
                });
            }
        }
        fields
    }

    fn emit_record(&mut self, keyword: &str, fields: Vec<Field>, packing: Packing) -> Record {
        let tag = self.fresh(if keyword == "struct" { "S" } else { "U" });
        let packed = packing == Packing::Packed;
        let attribute = if packed { "__attribute__((packed)) " } else { "" };
        let mut lines = vec![format!("{keyword} {attribute}{tag} {{")];
        let mut inside = false;
        for field in &fields {
            if field.anonymous != inside {
                lines.push(if inside { "    };" } else { "    struct {" }.to_owned());
                inside = field.anonymous;
            }
            let declaration = self.declare(&field.ty, field.name.as_deref().unwrap_or(""));
            let declaration = declaration.trim_end();
            match field.width {
                Some(width) => lines.push(format!("    {declaration} : {width};")),
                None => lines.push(format!("    {declaration};")),
            }
        }
        if inside {
            lines.push("    };".to_owned());
        }
        lines.push("};".to_owned());
        self.output.types.extend(lines);
        let mut spelling = format!("{keyword} {tag}");
        if self.random.chance(30) {
            self.output.types.push(format!("typedef {keyword} {tag} {tag}_t;"));
            spelling = format!("{tag}_t");
        }
        Record { spelling, fields, packed }
    }
}
