//! Functions, their parameters, calls and recursion.
//!
//! # Invariants
//! * I1: a function calls only functions defined before it, or itself with a smaller depth argument.
//! * I2: a pure function touches only its parameters and locals, so its calls never conflict.

use super::effects::Effects;
use super::integer::{Int, Range};
use super::scope::{Qualifier, Storage, Variable};
use super::types::Type;
use super::value::{Expr, level};
use super::{Generator, State, Table};

/// A parameter; array parameters have an array type.
#[derive(Clone)]
pub(super) struct Parameter {
    name: String,
    ty: Type,
    range: Option<Range>,
}

/// What a function returns.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Returned {
    Nothing,
    Integer(Int, Range),
    Struct(usize),
}

/// A function other code can call.
#[derive(Clone)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) returned: Returned,
    pub(super) pure: bool,
    /// Written without a prototype: arguments are not converted.
    old_style: bool,
    /// Storage class and `inline`, the same in every declaration.
    prefix: &'static str,
    /// Upper bound of the steps of one call.
    cost: u64,
}

/// Steps allowed in one call of a function.
const FUNCTION_LIMIT: u64 = 8_000;
const MAIN_LIMIT: u64 = 120_000;

impl Generator {
    pub(super) fn define_functions(&mut self) {
        let several = if self.options.size == super::Size::Small { 4 } else { 12 };
        for _ in 0..self.sized(1, 3, 6) {
            match self.random.weighted(&[45, 15, several, 12, several / 2]) {
                0 => self.define_regular(),
                1 => self.define_pure(),
                2 => self.define_table(),
                3 => self.define_recursive(),
                _ => self.define_mutual(),
            }
        }
    }

    fn define_regular(&mut self) {
        let mut parameters = Vec::new();
        for _ in 0..self.random.below(4) {
            let (ty, range) = self.parameter_type();
            parameters.push(Parameter { name: self.fresh("p"), ty, range });
        }
        let returned = match self.random.below(10) {
            0 => Returned::Nothing,
            1 | 2 if !self.types.structs.is_empty() => {
                Returned::Struct(self.random.below(self.types.structs.len()))
            }
            _ => self.returned_integer(),
        };
        let integers = parameters.iter().all(|parameter| matches!(parameter.ty, Type::Int(_)));
        let function = Function {
            name: self.fresh("f"),
            old_style: integers && !parameters.is_empty() && self.random.chance(8),
            parameters,
            returned,
            pure: false,
            prefix: self.random.pick::<&str>(&["static ", "", "static inline "]),
            cost: 0,
        };
        let statements = self.sized(2, 4, 5) as i32;
        self.define_function(function, 1, |generator| generator.statements(statements));
    }

    fn define_pure(&mut self) {
        let parameters = self.integer_parameters(1, 4);
        let returned = self.returned_integer();
        let name = self.fresh("f");
        let function =
            Function { name, parameters, returned, pure: true, old_style: false, prefix: "static ", cost: 0 };
        let statements = self.sized(1, 2, 4) as i32;
        self.define_function(function, 1, |generator| generator.statements(statements));
    }

    fn integer_parameters(&mut self, least: usize, most: usize) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for _ in 0..least + self.random.below(most - least + 1) {
            let ty = Type::Int(self.integer_type());
            let range = self.maybe_range(&ty);
            parameters.push(Parameter { name: self.fresh("p"), ty, range });
        }
        parameters
    }

    fn parameter_type(&mut self) -> (Type, Option<Range>) {
        let structs = if self.types.structs.is_empty() { 0 } else { 12 };
        let ty = match self.random.weighted(&[50, structs, structs, 12, 10]) {
            1 => Type::Struct(self.random.below(self.types.structs.len())),
            2 => Type::Struct(self.random.below(self.types.structs.len())).pointer(),
            3 => Type::Int(self.integer_type()).pointer(),
            4 => Type::Int(self.integer_type()).array(2 + self.random.below(4)),
            _ => {
                let ty = Type::Int(self.integer_type());
                let range = self.maybe_range(&ty);
                return (ty, range);
            }
        };
        (ty, None)
    }

    fn returned_integer(&mut self) -> Returned {
        let ty = self.integer_type();
        let range = self.maybe_range(&Type::Int(ty)).unwrap_or(ty.range(self.options.model));
        Returned::Integer(ty, range)
    }

    /// Several functions with one signature, and a global table of pointers to them.
    fn define_table(&mut self) {
        let parameters = self.integer_parameters(1, 3);
        let returned = self.returned_integer();
        let first = self.functions.len();
        let count = 2 + self.random.below(2);
        let statements = self.sized(1, 2, 4) as i32;
        for _ in 0..count {
            let name = self.fresh("f");
            let function = Function {
                name,
                parameters: parameters.clone(),
                returned: returned.clone(),
                pure: false,
                old_style: false,
                prefix: "static ",
                cost: 0,
            };
            let prototype = self.signature_of(&function, &function.name);
            self.output.prototypes.push(format!("static {prototype};"));
            self.define_function(function, 1, |generator| generator.statements(statements));
        }
        let length = count + self.random.below(3);
        let name = self.fresh("table");
        let entries: Vec<String> = (0..length)
            .map(|index| {
                let function = &self.functions[first + index % count].name;
                if self.random.chance(30) { format!("&{function}") } else { function.clone() }
            })
            .collect();
        let declaration = self.signature(first, &format!("(*{name}[{length}])"));
        self.output.tables.push(format!("static {declaration} = {{ {} }};", entries.join(", ")));
        let cost = (first..first + count).map(|index| self.functions[index].cost).max().unwrap_or(0);
        self.tables.push(Table { name, length, function: first, cost });
    }

    /// `T f(depth, acc)` that calls itself once or twice with `depth - 1`.
    fn define_recursive(&mut self) {
        let (levels, calls) = if self.random.chance(70) {
            (self.random.between(2, 9), 1)
        } else {
            (self.random.between(2, 5), 2)
        };
        let activations = if calls == 1 { levels as u64 + 1 } else { 1 << (levels + 1) };
        let returned = self.returned_integer();
        let depth_type = *self.random.pick(&[Int::Int, Int::Unsigned, Int::UnsignedChar, Int::Long]);
        let depth = Parameter {
            name: self.fresh("depth"),
            ty: Type::Int(depth_type),
            range: Some(Range::new(0, i128::from(levels))),
        };
        let mut parameters = vec![depth.clone()];
        parameters.extend(self.integer_parameters(1, 2));
        let pure = self.random.chance(40);
        let name = self.fresh("f");
        let function = Function {
            name,
            parameters: parameters.clone(),
            returned,
            pure,
            old_style: false,
            prefix: "static ",
            cost: 0,
        };
        self.define_function(function.clone(), activations, |generator| {
            let base = generator.returned_value(&function.returned);
            generator.output.line(format!("if ({} == 0)", depth.name));
            generator.output.line(format!("    return {base};"));
            generator.statements(2);
            for _ in 0..calls {
                generator.recursive_call(&function, &depth.name);
            }
        });
    }

    /// `T r = f(depth - 1, ...);` inside `f`, where `depth` is at least 1.
    fn recursive_call(&mut self, function: &Function, depth: &str) {
        let mut arguments = vec![format!("{depth} - 1")];
        for parameter in &function.parameters[1..] {
            let value = self.pure_expression(2);
            let value = match parameter.range {
                Some(range) => self.coerce(value, range),
                None => value,
            };
            arguments.push(value.at(level::ASSIGN));
        }
        let Returned::Integer(ty, range) = function.returned else { return };
        let name = self.fresh("r");
        let spelling = self.spell(ty);
        self.output.line(format!("{spelling} {name} = {}({});", function.name, arguments.join(", ")));
        let mut variable = Variable::new(name, Type::Int(ty), Storage::Local);
        variable.range = Some(range);
        self.scope.add(variable);
    }

    /// Two functions that call each other with a decreasing depth.
    fn define_mutual(&mut self) {
        let levels = self.random.between(2, 8);
        let ty = self.integer_type();
        let spelling = self.spell(ty);
        let (first, second, depth) = (self.fresh("f"), self.fresh("f"), self.fresh("depth"));
        let full = ty.range(self.options.model);
        self.output.prototypes.push(format!("static {spelling} {second}(int, {spelling});"));
        let mut pair = Vec::new();
        for (name, other) in [(&first, &second), (&second, &first)] {
            let parameters = vec![
                Parameter {
                    name: depth.clone(),
                    ty: Type::Int(Int::Int),
                    range: Some(Range::new(0, i128::from(levels))),
                },
                Parameter { name: self.fresh("p"), ty: Type::Int(ty), range: None },
            ];
            let returned = Returned::Integer(ty, full);
            let function = Function {
                name: name.clone(),
                parameters,
                returned,
                pure: true,
                old_style: false,
                prefix: "static ",
                cost: 0,
            };
            let depth = depth.clone();
            self.define_function(function.clone(), levels as u64 + 1, |generator| {
                generator.statements(1);
                let base = generator.returned_value(&function.returned);
                generator.output.line(format!("if ({depth} <= 0)"));
                generator.output.line(format!("    return {base};"));
                let called = Function { name: other.clone(), ..function.clone() };
                generator.recursive_call(&called, &depth);
            });
            // The second function should call the first one only with a smaller depth.
            pair.extend(self.functions.pop());
        }
        let cost = pair.iter().map(|function| function.cost).sum();
        self.functions.extend(pair.into_iter().map(|function| Function { cost, ..function }));
    }

    /// The declarator of a function around `name`, such as `static int name(int p1, char p2)`.
    fn signature(&mut self, index: usize, name: &str) -> String {
        let function = self.functions[index].clone();
        self.signature_of(&function, name)
    }

    fn signature_of(&mut self, function: &Function, name: &str) -> String {
        let mut parameters = Vec::new();
        for parameter in &function.parameters {
            let text = match &parameter.ty {
                Type::Array(element, _) if self.random.chance(30) => {
                    self.declare(element, &format!("{}[]", parameter.name))
                }
                Type::Array(element, _) if self.random.chance(30) => {
                    self.declare(element, &format!("*{}", parameter.name))
                }
                ty => self.declare(ty, &parameter.name),
            };
            parameters.push(text);
        }
        let list = match (function.old_style, parameters.is_empty()) {
            (true, _) => {
                let names: Vec<&str> =
                    function.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
                let declarations: Vec<String> =
                    parameters.iter().map(|text| format!("    {text};")).collect();
                format!("{name}({})\n{}", names.join(", "), declarations.join("\n"))
            }
            (false, true) => format!("{name}(void)"),
            (false, false) => format!("{name}({})", parameters.join(", ")),
        };
        match function.returned {
            Returned::Nothing => format!("void {list}"),
            Returned::Integer(ty, _) => format!("{} {list}", self.spell(ty)),
            Returned::Struct(id) => format!("{} {list}", self.types.structs[id].spelling),
        }
    }

    /// Writes a function whose body runs at most `activations` times for one call from outside.
    fn define_function(
        &mut self,
        mut function: Function,
        activations: u64,
        body: impl FnOnce(&mut Generator),
    ) {
        let outer = std::mem::take(&mut self.state);
        self.state = State {
            pure: function.pure,
            effects: true,
            multiplier: activations,
            limit: FUNCTION_LIMIT,
            result: match function.returned {
                Returned::Integer(ty, range) => Some((ty, range)),
                _ => None,
            },
            ..State::default()
        };
        self.output.body.clear();
        self.output.indent = 1;
        self.scope.open();
        for parameter in &function.parameters {
            let storage = match parameter.ty {
                Type::Array(..) => Storage::Alias,
                _ if parameter.range.is_none() && self.random.chance(20) => Storage::Addressable,
                _ => Storage::Local,
            };
            let mut variable = Variable::new(parameter.name.clone(), parameter.ty.clone(), storage);
            variable.range = parameter.range;
            if parameter.name.starts_with("depth") {
                variable.frozen = 1;
            }
            self.scope.add(variable);
        }
        body(self);
        self.return_statement(&function.returned);
        self.scope.close();
        function.cost = self.state.cost + activations;
        self.state = outer;
        let name = function.name.clone();
        let signature = self.signature_of(&function, &name);
        let text = format!("{}{signature}\n{{\n{}\n}}", function.prefix, self.output.body.join("\n"));
        if !function.old_style && self.random.chance(30) {
            self.output.prototypes.push(format!("{}{signature};", function.prefix));
        }
        self.output.functions.push(text);
        self.functions.push(function);
    }

    fn return_statement(&mut self, returned: &Returned) {
        if *returned == Returned::Nothing {
            return;
        }
        let value = self.returned_value(returned);
        self.output.line(format!("return {value};"));
    }

    /// A value for `return`, as text.
    pub(super) fn returned_value(&mut self, returned: &Returned) -> String {
        match returned {
            Returned::Nothing => String::new(),
            Returned::Integer(ty, range) => {
                let value = self.expression(2);
                self.fitted(value, *ty, *range).text.text
            }
            Returned::Struct(id) => self.struct_value(*id).0,
        }
    }

    /// The value coerced unless the interval is all of the type, which the conversion reaches by itself.
    pub(super) fn fitted(&mut self, value: Expr, ty: Int, range: Range) -> Expr {
        if range == ty.range(self.options.model) { value } else { self.coerce(value, range) }
    }

    /// A struct of the type: a variable or a compound literal.
    pub(super) fn struct_value(&mut self, id: usize) -> (String, Effects) {
        let ids = self.visible(|variable| variable.ty == Type::Struct(id));
        if !ids.is_empty() && self.random.chance(75) {
            let chosen = *self.random.pick(&ids);
            return (self.scope.variables[chosen].name.clone(), self.scope.reading(chosen));
        }
        let (list, effects) = self.local_initializer(&Type::Struct(id), None, 0);
        (format!("({}){list}", self.types.structs[id].spelling), effects)
    }

    /// Arguments for a call, or `None` if one cannot be had.
    fn arguments(&mut self, function: &Function, depth: u32) -> Option<(String, Effects)> {
        let mut texts = Vec::new();
        let mut all = Effects::default();
        for parameter in &function.parameters {
            let (mut text, mut effects) = self.argument(function, parameter, depth)?;
            if all.conflicts(&effects) {
                let Type::Int(ty) = parameter.ty else { return None };
                let range = parameter.range.unwrap_or(ty.range(self.options.model));
                let mut literal = self.literal_in(range);
                if function.old_style {
                    literal = self.cast(literal, ty);
                }
                (text, effects) = (literal.text.text, Effects::default());
            }
            all = all.join(&effects);
            texts.push(text);
        }
        Some((texts.join(", "), all))
    }

    fn argument(
        &mut self,
        function: &Function,
        parameter: &Parameter,
        depth: u32,
    ) -> Option<(String, Effects)> {
        match &parameter.ty {
            Type::Int(ty) => {
                let value = self.expression(depth);
                let mut value = match parameter.range {
                    Some(range) => self.coerce(value, range),
                    None => value,
                };
                if function.old_style {
                    value = self.cast(value, *ty);
                }
                Some((value.at(level::ASSIGN), value.effects))
            }
            Type::Struct(id) => Some(self.struct_value(*id)),
            Type::Pointer(to) => {
                let (text, effects) = self.address_of(to, usize::MAX)?;
                Some((text.text, effects))
            }
            Type::Array(element, length) => {
                let ids = self.visible(|variable| {
                    variable.storage != Storage::Local
                        && variable.qualifier == Qualifier::None
                        && variable.range.is_none()
                        && matches!(&variable.ty, Type::Array(of, long) if of == element && long >= length)
                });
                if !ids.is_empty() && self.random.chance(80) {
                    let id = *self.random.pick(&ids);
                    return Some((self.scope.variables[id].name.clone(), Effects::default()));
                }
                let (list, effects) = self.local_initializer(&parameter.ty, None, 0);
                let name = self.type_name(&parameter.ty);
                let list = if list.starts_with('"') { format!("{{{list}}}") } else { list };
                Some((format!("({name}){list}"), effects))
            }
            _ => None,
        }
    }

    /// A call of a function that satisfies `accept`, with the effects of the call.
    pub(super) fn call(
        &mut self,
        depth: u32,
        accept: impl Fn(&Function) -> bool,
    ) -> Option<(String, Function, Effects)> {
        if self.state.constant {
            return None;
        }
        let tables = !self.tables.is_empty() && self.state.effects && !self.state.pure;
        if tables
            && self.random.chance(30)
            && let Some(found) = self.table_call(depth, &accept)
        {
            return Some(found);
        }
        let (room, multiplier) = (self.state.limit.saturating_sub(self.state.cost), self.state.multiplier);
        let candidates: Vec<usize> = (0..self.functions.len())
            .filter(|&index| {
                let function = &self.functions[index];
                let allowed = function.pure || (self.state.effects && !self.state.pure);
                allowed && accept(function) && function.cost.saturating_mul(multiplier) <= room
            })
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let function = self.functions[*self.random.pick(&candidates)].clone();
        self.state.cost += function.cost * multiplier;
        let (arguments, mut effects) = self.arguments(&function, depth)?;
        if !function.pure {
            effects = effects.join(&Effects::call());
        }
        let text = match self.random.below(15) {
            0 if !function.old_style => format!("(*{})({arguments})", function.name),
            1 if !function.old_style => format!("(&{})({arguments})", function.name),
            _ => format!("{}({arguments})", function.name),
        };
        Some((text, function, effects))
    }

    /// A call through a table of function pointers.
    fn table_call(
        &mut self,
        depth: u32,
        accept: impl Fn(&Function) -> bool,
    ) -> Option<(String, Function, Effects)> {
        let table = self.random.below(self.tables.len());
        let Table { name, length, function, cost } = &self.tables[table];
        let (name, length, cost) = (name.clone(), *length, *cost);
        let function = self.functions[*function].clone();
        let total = cost.saturating_mul(self.state.multiplier);
        if !accept(&function) || self.state.cost + total > self.state.limit {
            return None;
        }
        self.state.cost += total;
        let index = self.index(length);
        let (arguments, effects) = self.arguments(&function, depth)?;
        if index.effects.conflicts(&effects) {
            return None;
        }
        let effects = effects.join(&index.effects).join(&Effects::call());
        let text = if self.random.chance(70) {
            format!("{name}[{}]({arguments})", index.text.text)
        } else {
            format!("(*{name}[{}])({arguments})", index.text.text)
        };
        Some((text, function, effects))
    }

    /// A call that returns an integer.
    pub(super) fn call_expression(&mut self, depth: u32) -> Option<Expr> {
        let integer = |function: &Function| matches!(function.returned, Returned::Integer(..));
        let (text, function, effects) = self.call(depth.saturating_sub(1), integer)?;
        let Returned::Integer(ty, range) = function.returned else { return None };
        Some(Expr::new(text, level::POSTFIX, ty, range).with(effects))
    }

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
