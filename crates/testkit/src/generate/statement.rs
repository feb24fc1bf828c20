//! Statements: the choice among all kinds, and the simple ones.

use super::Generator;
use super::effects::Root;
use super::function::{Function, Returned};
use super::place::Place;
use super::scope::{Qualifier, Storage, Variable};
use super::types::Type;
use super::value::level;
use super::{LoopState, integer::Int};

impl Generator {
    /// Writes about `count` statements into the current block.
    pub(super) fn statements(&mut self, count: i32) {
        for _ in 0..=self.random.below(3) {
            self.declare_local();
        }
        for _ in 0..count {
            self.statement();
        }
    }

    /// Writes `{`, some statements and `}` after the text of a head.
    pub(super) fn block(&mut self, head: &str, count: usize) {
        let space = if head.is_empty() { "" } else { " " };
        self.output.line(format!("{head}{space}{{"));
        self.enclosed(|generator| {
            if generator.random.chance(25) {
                generator.declare_local();
            }
            for _ in 0..count {
                generator.statement();
            }
        });
        self.output.line("}");
    }

    /// Runs with one more block open and more indentation.
    pub(super) fn enclosed<T>(&mut self, body: impl FnOnce(&mut Generator) -> T) -> T {
        self.output.indent += 1;
        self.state.nesting += 1;
        self.scope.open();
        let result = body(self);
        self.scope.close();
        self.state.nesting -= 1;
        self.output.indent -= 1;
        result
    }

    /// Writes one statement.
    pub(super) fn statement(&mut self) {
        self.state.cost += 4 * self.state.multiplier;
        let deep = self.state.nesting >= 3 || self.state.cost > self.state.limit;
        let nested = |weight: u32| if deep { 0 } else { weight };
        let impure = |weight: u32| if self.state.pure { 0 } else { weight };
        let simple = [18, 12, 6, 6, 10, impure(9), impure(7), 4];
        let control = [nested(10), nested(7), nested(11), nested(6), nested(6), nested(2), 3];
        let rest = [
            impure(4),
            impure(4),
            nested(impure(5)),
            nested(impure(3)),
            nested(impure(3)),
            nested(impure(3)),
            nested(impure(2)),
            if self.options.floats { 9 } else { 0 },
        ];
        let weights: Vec<u32> = simple.into_iter().chain(control).chain(rest).collect();
        match self.random.weighted(&weights) {
            0 => self.assignment_statement(),
            1 => self.compound_statement(),
            2 => self.increment_statement(),
            3 => self.effect_statement(),
            4 => self.declare_local(),
            5 => self.mix_statement(),
            6 => self.call_statement(),
            7 => self.bounded_update(),
            8 => self.if_statement(),
            9 => self.refined_if(),
            10 => self.loop_statement(),
            11 => self.switch_statement(),
            12 => self.jump_statement(),
            13 => self.block("", 2),
            14 => self.leave_statement(),
            15 => self.copy_statement(),
            16 => self.pointer_statement(),
            17 => self.array_walk(),
            18 => self.byte_access(),
            19 => self.string_statement(),
            20 => self.variable_length_array(),
            21 => self.linked_list(),
            _ => self.float_statement(),
        }
    }

    fn assignment_statement(&mut self) {
        let Some(place) = self.writable() else { return self.declare_local() };
        let statement = self.assignment(&place, 3);
        self.output.line(format!("{};", statement.text.text));
    }

    fn compound_statement(&mut self) {
        let Some(place) = self.writable() else { return self.declare_local() };
        let statement = self.compound_assignment(&place, 2);
        self.output.line(format!("{};", statement.text.text));
    }

    fn increment_statement(&mut self) {
        let found = self.writable().and_then(|place| self.increment(&place));
        match found {
            Some(statement) => self.output.line(format!("{};", statement.text.text)),
            None => self.assignment_statement(),
        }
    }

    /// An expression for its side effects alone: `a && b++;`, `c ? f() : g();`.
    fn effect_statement(&mut self) {
        let value = self.condition(3);
        let statement = if self.random.chance(50) {
            let (left, right) = (self.expression(2), self.expression(2));
            self.choice(&value, &left, &right)
        } else {
            value
        };
        let void = if self.random.chance(30) { "(void)" } else { "" };
        let level = if void.is_empty() { level::COMMA } else { level::UNARY };
        self.output.line(format!("{void}{};", statement.at(level)));
    }

    pub(super) fn mix_statement(&mut self) {
        let value = self.expression(3);
        let line = if value.ty == Int::Unsigned128 && value.effects.pure() {
            format!("mix({} >> 64);", value.at(level::SUM))
        } else {
            format!("mix({});", value.at(level::ASSIGN))
        };
        self.output.line(line);
    }

    fn call_statement(&mut self) {
        if self.random.chance(30) {
            return self.struct_call();
        }
        let any = |function: &Function| !matches!(function.returned, Returned::Struct(_));
        match self.call(2, any) {
            Some((text, _, _)) => self.output.line(format!("{text};")),
            None => self.mix_statement(),
        }
    }

    /// A call that returns a struct, stored or used at once.
    fn struct_call(&mut self) {
        let returns_struct = |function: &Function| matches!(function.returned, Returned::Struct(_));
        let Some((text, function, effects)) = self.call(2, returns_struct) else {
            return self.mix_statement();
        };
        let Returned::Struct(id) = function.returned else { return };
        let ids = self.visible(|variable| {
            variable.ty == Type::Struct(id) && variable.qualifier == Qualifier::None && variable.frozen == 0
        });
        if !ids.is_empty() && self.random.chance(60) {
            let target = *self.random.pick(&ids);
            if !effects.races_with_store(self.scope.root(target)) {
                let name = &self.scope.variables[target].name;
                self.output.line(format!("{name} = {text};"));
                return;
            }
        }
        let named: Vec<String> = self.types.structs[id]
            .named()
            .filter_map(|(name, field)| match &field.ty {
                Type::Int(_) => Some(name.to_owned()),
                Type::Array(element, length) if matches!(**element, Type::Int(_)) => {
                    Some(format!("{name}[{}]", length - 1))
                }
                _ => None,
            })
            .collect();
        match named.first() {
            Some(name) if self.random.chance(50) => self.output.line(format!("mix({text}.{name});")),
            _ => {
                let name = self.fresh("v");
                let declaration = self.declare(&Type::Struct(id), &name);
                self.output.line(format!("{declaration} = {text};"));
                self.scope.add(Variable::new(name, Type::Struct(id), Storage::Addressable));
            }
        }
    }

    /// `if (x < bound) x += step;`: signed arithmetic kept in range by a test.
    fn bounded_update(&mut self) {
        let ids = self.visible(|variable| {
            matches!(variable.ty, Type::Int(Int::Int | Int::Long | Int::LongLong))
                && variable.range.is_none()
                && variable.qualifier == Qualifier::None
                && variable.frozen == 0
        });
        if ids.is_empty() {
            return self.compound_statement();
        }
        let id = *self.random.pick(&ids);
        let name = self.scope.variables[id].name.clone();
        let bound = self.random.between(-1000, 1_000_000);
        let step = self.random.between(1, 5000);
        let line = match self.random.below(6) {
            0 => format!("if ({name} < {bound}) {name} += {step};"),
            1 => format!("if ({name} > {bound}) {name} -= {step};"),
            2 => format!("if ({name} <= {bound}) {name}++;"),
            3 => format!("if ({name} >= {bound}) --{name};"),
            4 => format!("{name} = {name} > {bound} ? {name} - {step} : {step};"),
            _ => format!(
                "if ({name} > -{step} && {name} < {step}) {name} *= {};",
                self.random.between(-99, 99)
            ),
        };
        self.output.line(line);
    }

    /// `if (condition) break;` and the like, where it is allowed.
    fn leave_statement(&mut self) {
        let condition = self.condition(2).text.text;
        let mut ways = Vec::new();
        match self.state.loops {
            LoopState::Outside => {}
            LoopState::BreakOnly => ways.push("break".to_owned()),
            LoopState::Both => ways.extend(["break".to_owned(), "continue".to_owned()]),
        }
        ways.extend(self.state.exits.iter().map(|label| format!("goto {label}")));
        if let (Some((ty, range)), true) = (self.state.result, self.random.chance(30) || ways.is_empty()) {
            let value = self.expression(1);
            let value = self.fitted(value, ty, range);
            ways.push(format!("return {}", value.text.text));
        }
        if ways.is_empty() {
            return self.assignment_statement();
        }
        let way = self.random.pick(&ways).clone();
        if self.random.chance(50) {
            self.output.line(format!("if ({condition}) {way};"));
        } else {
            self.output.line(format!("if ({condition}) {{"));
            self.output.line(format!("    {way};"));
            self.output.line("}");
        }
    }

    /// Copies a struct or union, by assignment or with memcpy.
    fn copy_statement(&mut self) {
        let ids = self.visible(|variable| {
            matches!(variable.ty, Type::Struct(_) | Type::Union(_))
                && variable.qualifier == Qualifier::None
                && variable.frozen == 0
        });
        if ids.is_empty() {
            return self.copy_array();
        }
        let target = *self.random.pick(&ids);
        let (name, ty) = (self.scope.variables[target].name.clone(), self.scope.variables[target].ty.clone());
        let sources = self.same_type_places(&ty);
        let source = self.random.pick(&sources).clone();
        match (&ty, self.random.below(6)) {
            (_, 0) if matches!(source.root, Root::Variable { id, .. } if id != target) => {
                let address = source.text.operand();
                self.output.line(format!("memcpy(&{name}, &{address}, sizeof({name}));"));
            }
            (Type::Struct(id), 1 | 2) => {
                let (value, effects) = self.struct_value(*id);
                if effects.pure() {
                    self.output.line(format!("{name} = {value};"));
                }
            }
            _ => self.output.line(format!("{name} = {};", source.text.text)),
        }
    }

    /// Objects of the type: variables, elements of arrays, targets of pointers.
    fn same_type_places(&mut self, ty: &Type) -> Vec<Place> {
        let mut places = Vec::new();
        for id in self.visible(|_| true) {
            let place = self.variable_place(id);
            match place.ty.clone() {
                own if own == *ty => places.push(place),
                Type::Array(element, length) if *element == *ty => {
                    let index = self.literal_in(super::integer::Range::new(0, length as i128 - 1));
                    places.push(self.element(place, &index));
                }
                Type::Pointer(to) if *to == *ty => places.push(self.target(place)),
                _ => {}
            }
        }
        places
    }

    /// memcpy or memset of whole arrays.
    fn copy_array(&mut self) {
        let ids = self.visible(|variable| {
            matches!(&variable.ty, Type::Array(element, _) if matches!(**element, Type::Int(int) if int != Int::Bool))
                && variable.qualifier == Qualifier::None
                && variable.range.is_none()
                && variable.frozen == 0
                && variable.storage != Storage::Alias
        });
        if ids.is_empty() {
            return self.mix_statement();
        }
        let target = *self.random.pick(&ids);
        let name = self.scope.variables[target].name.clone();
        let same: Vec<String> = ids
            .iter()
            .filter(|&&id| id != target && self.scope.variables[id].ty == self.scope.variables[target].ty)
            .map(|&id| self.scope.variables[id].name.clone())
            .collect();
        if same.is_empty() {
            let byte = self.random.between(-1, 300);
            self.output.line(format!("memset({name}, {byte}, sizeof({name}));"));
        } else {
            let source = self.random.pick(&same).clone();
            self.output.line(format!("memcpy({name}, {source}, sizeof {name});"));
        }
    }

    /// Lets a pointer point to another object.
    fn pointer_statement(&mut self) {
        let ids = self.visible(|variable| {
            matches!(&variable.ty, Type::Pointer(_))
                && variable.frozen == 0
                && variable.qualifier == Qualifier::None
        });
        if ids.is_empty() {
            return self.declare_pointer();
        }
        let id = *self.random.pick(&ids);
        let Variable { name, ty, depth, .. } = self.scope.variables[id].clone();
        let Type::Pointer(to) = ty else { return };
        // What is stored through a pointer to a pointer may outlive every local.
        let (lhs, to, depth) = match (*to, self.random.chance(50)) {
            (Type::Pointer(inner), true) => (format!("*{name}"), *inner, 0),
            (to, _) => (name, to, depth),
        };
        if let Some((address, _)) = self.address_of(&to, depth) {
            self.output.line(format!("{lhs} = {};", address.text));
        }
    }

    fn declare_pointer(&mut self) {
        let ty = self.pointer_type();
        let name = self.local_name();
        let storage = if self.random.chance(40) { Storage::Addressable } else { Storage::Local };
        self.declare_variable(Variable::new(name, ty, storage));
    }
}
