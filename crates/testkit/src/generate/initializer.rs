//! Initialisers of globals and locals: full, partial, designated, with ranges and elided braces.

use super::Generator;
use super::effects::Effects;
use super::integer::{Int, Range};
use super::scope::{Qualifier, Storage};
use super::types::Type;
use super::value::{Expr, level};

impl Generator {
    /// A random type for a variable.
    pub(super) fn object_type(&mut self) -> Type {
        let table = &self.types;
        let some = |empty: bool, weight: u32| if empty { 0 } else { weight };
        let weights = [
            45,
            18,
            some(table.structs.is_empty(), 14),
            some(table.unions.is_empty(), 7),
            some(table.enums.is_empty(), 5),
            8,
            some(!self.options.floats, 12),
        ];
        match self.random.weighted(&weights) {
            1 => self.array_type(),
            2 => {
                let ty = Type::Struct(self.random.below(self.types.structs.len()));
                if self.random.chance(20) { ty.array(1 + self.random.below(3)) } else { ty }
            }
            3 => Type::Union(self.random.below(self.types.unions.len())),
            4 => Type::Enum(self.random.below(self.types.enums.len())),
            5 => self.pointer_type(),
            6 => match self.random.below(6) {
                0 => Type::Double.array(1 + self.random.below(4)),
                1 | 2 => Type::Float,
                _ => Type::Double,
            },
            _ => Type::Int(self.integer_type()),
        }
    }

    fn array_type(&mut self) -> Type {
        let mut ty = Type::Int(self.integer_type());
        for _ in 0..*self.random.pick(&[1, 1, 1, 1, 2, 2, 3]) {
            let most = if matches!(ty, Type::Int(_)) { 8 } else { 3 };
            ty = ty.array(1 + self.random.below(most));
        }
        ty
    }

    pub(super) fn pointer_type(&mut self) -> Type {
        match self.random.below(10) {
            0 => Type::Int(self.integer_type()).pointer().pointer(),
            1 => Type::Int(self.integer_type()).array(2 + self.random.below(3)).pointer(),
            2 => Type::Int(self.integer_type()).pointer().array(2 + self.random.below(2)),
            3..=5 if !self.types.structs.is_empty() => {
                Type::Struct(self.random.below(self.types.structs.len())).pointer()
            }
            _ => Type::Int(self.integer_type()).pointer(),
        }
    }

    /// An interval for a variable to stay in, now and then; it contains zero.
    pub(super) fn maybe_range(&mut self, ty: &Type) -> Option<Range> {
        let mut element = ty;
        while let Type::Array(inner, _) = element {
            element = inner;
        }
        let Type::Int(int) = *element else { return None };
        if int == Int::Bool || !self.random.chance(30) {
            return None;
        }
        let high = i128::from(*self.random.pick(&[3, 7, 10, 15, 63, 100, 127, 255, 1000, 30_000]));
        let high = high.min(int.range(self.options.model).high);
        let low = if int.signed() && self.random.chance(40) { -high } else { 0 };
        Some(Range::new(low, high))
    }

    /// A qualifier for a variable of the type, mostly none.
    pub(super) fn maybe_qualifier(&mut self, ty: &Type) -> Qualifier {
        match (ty, self.random.below(100)) {
            (Type::Int(_), 0..=3) => Qualifier::Volatile,
            (Type::Int(_) | Type::Array(..) | Type::Struct(_), 4..=9) if !self.types.has_pointer(ty) => {
                Qualifier::Const
            }
            _ => Qualifier::None,
        }
    }

    /// An initialiser for static storage; `None` leaves the object zero.
    pub(super) fn constant_initializer(&mut self, ty: &Type, range: Option<Range>) -> Option<String> {
        if !self.types.has_pointer(ty) && self.random.chance(15) {
            return None;
        }
        let before = (self.state.constant, self.state.effects, self.state.pure);
        (self.state.constant, self.state.effects, self.state.pure) = (true, false, false);
        let (text, _) = self.initializer(ty, range, 0);
        (self.state.constant, self.state.effects, self.state.pure) = before;
        Some(text)
    }

    /// An initialiser for a local object; `depth` bounds what its pointers may point to.
    pub(super) fn local_initializer(
        &mut self,
        ty: &Type,
        range: Option<Range>,
        depth: usize,
    ) -> (String, Effects) {
        let before = std::mem::replace(&mut self.state.effects, false);
        let result = self.initializer(ty, range, depth);
        self.state.effects = before;
        result
    }

    fn initializer(&mut self, ty: &Type, range: Option<Range>, depth: usize) -> (String, Effects) {
        match ty {
            Type::Int(_) => {
                let value = self.initial_value(range);
                (value.at(level::ASSIGN), value.effects)
            }
            Type::Enum(id) => {
                let (name, _) = self.random.pick(&self.types.enums[*id].constants).clone();
                (name, Effects::default())
            }
            Type::Float | Type::Double => {
                let value = self.float_literal();
                (value.text.text, Effects::default())
            }
            Type::Pointer(to) => match self.address_of(to, depth) {
                Some((text, effects)) => (text.text, effects),
                // Only functions without effects fail to find a target, and they declare no pointers.
                None => ("0".to_owned(), Effects::default()),
            },
            Type::Array(element, length) => self.array_initializer(element, *length, range, depth),
            Type::Struct(id) => self.struct_initializer(*id),
            Type::Union(id) => {
                let first = self.types.unions[*id].fields[0].ty.clone();
                let (text, effects) = self.initializer(&first, None, 0);
                (format!("{{{text}}}"), effects)
            }
        }
    }

    fn array_initializer(
        &mut self,
        element: &Type,
        length: usize,
        range: Option<Range>,
        depth: usize,
    ) -> (String, Effects) {
        if *element == Type::Int(Int::Char) && range.is_none() && self.random.chance(40) {
            return (self.string_of_at_most(length), Effects::default());
        }
        if let Type::Array(inner, inner_length) = element
            && matches!(**inner, Type::Int(_))
            && self.random.chance(15)
        {
            return self.elided_initializer(length * inner_length, range);
        }
        let partial = !self.types.has_pointer(element) && self.random.chance(30);
        let count = if partial { 1 + self.random.below(length) } else { length };
        let designated = partial && self.random.chance(50);
        let mut effects = Effects::default();
        let mut items = Vec::new();
        let mut next = 0;
        for _ in 0..count {
            let (text, more) = self.initializer(element, range, depth);
            effects = effects.join(&more);
            if designated && next + 1 < length && self.random.chance(50) {
                next += self.random.below(length - next);
                let last = next + self.random.below(length - next);
                // gcc wants ranges of arrays and structs to be constant.
                let scalar = matches!(element, Type::Int(_) | Type::Enum(_)) || self.state.constant;
                let repeated = last > next && scalar && self.random.chance(30);
                items.push(if repeated {
                    format!("[{next} ... {last}] = {text}")
                } else {
                    format!("[{next}] = {text}")
                });
                next = if repeated { last + 1 } else { next + 1 };
            } else {
                items.push(text);
                next += 1;
            }
            if next >= length {
                break;
            }
        }
        (format!("{{{}}}", items.join(", ")), effects)
    }

    /// Elided braces: the elements of all rows in one list.
    fn elided_initializer(&mut self, length: usize, range: Option<Range>) -> (String, Effects) {
        let mut effects = Effects::default();
        let mut items = Vec::new();
        for _ in 0..=self.random.below(length) {
            let value = self.initial_value(range);
            items.push(value.at(level::ASSIGN));
            effects = effects.join(&value.effects);
        }
        (format!("{{{}}}", items.join(", ")), effects)
    }

    fn initial_value(&mut self, range: Option<Range>) -> Expr {
        let value = if self.state.constant { self.constant_expression() } else { self.pure_expression(2) };
        match range {
            Some(range) => self.coerce(value, range),
            None => value,
        }
    }

    fn struct_initializer(&mut self, id: usize) -> (String, Effects) {
        let record = &self.types.structs[id];
        let fields: Vec<(String, Type)> =
            record.named().map(|(name, field)| (name.to_owned(), field.ty.clone())).collect();
        let whole = self.types.has_pointer(&Type::Struct(id));
        let designated = self.random.chance(40);
        let kept =
            if whole || self.random.chance(60) { fields.len() } else { 1 + self.random.below(fields.len()) };
        let mut order: Vec<usize> = (0..fields.len()).collect();
        if designated {
            self.random.shuffle(&mut order);
        }
        let mut effects = Effects::default();
        let mut items = Vec::new();
        for &index in &order[..kept] {
            let (name, ty) = &fields[index];
            let (text, more) = self.initializer(ty, None, 0);
            effects = effects.join(&more);
            items.push(if designated { format!(".{name} = {text}") } else { text });
        }
        (format!("{{{}}}", items.join(", ")), effects)
    }

    /// Declares a local variable with an initialiser and makes it visible.
    pub(super) fn declare_local(&mut self) {
        let mut ty = self.object_type();
        if self.state.pure && self.types.has_pointer(&ty) {
            ty = Type::Int(self.integer_type());
        }
        let storage = match self.random.below(20) {
            0 if !self.state.pure => Storage::Static,
            1..=8 => Storage::Addressable,
            _ => Storage::Local,
        };
        let name = self.local_name();
        let mut variable = super::Variable::new(name, ty.clone(), storage);
        variable.range = self.maybe_range(&ty);
        variable.qualifier = self.maybe_qualifier(&ty);
        self.declare_variable(variable);
    }

    /// Writes the declaration of a local variable.
    pub(super) fn declare_variable(&mut self, variable: super::Variable) -> super::effects::VarId {
        let qualifier = variable.qualifier.prefix();
        let declaration = self.declare(&variable.ty, &variable.name);
        let (ty, range, storage) = (variable.ty.clone(), variable.range, variable.storage);
        // The name is in scope in its own initialiser: hide what it shadows first.
        let id = self.scope.add(variable);
        self.scope.conceal(id);
        let depth = self.scope.depth();
        let line = if storage == Storage::Static {
            match self.constant_initializer(&ty, range) {
                Some(value) => format!("static {qualifier}{declaration} = {value};"),
                None => format!("static {qualifier}{declaration};"),
            }
        } else {
            let register = storage == Storage::Local && matches!(ty, Type::Int(_)) && self.random.chance(4);
            let register = if register { "register " } else { "" };
            let (mut value, _) = self.local_initializer(&ty, range, depth);
            if matches!(ty, Type::Int(_)) && self.random.chance(3) {
                value = format!("{{{value}}}");
            }
            format!("{register}{qualifier}{declaration} = {value};")
        };
        self.scope.reveal(id);
        self.output.line(line);
        id
    }

    /// A fresh name, or one that hides an outer variable.
    pub(super) fn local_name(&mut self) -> String {
        let mut names = self.scope.outer_names();
        names.retain(|name| !name.starts_with("anchor"));
        if !names.is_empty() && self.random.chance(10) {
            return self.random.pick(&names).clone();
        }
        self.fresh("v")
    }
}
