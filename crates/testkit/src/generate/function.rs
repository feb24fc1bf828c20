//! Functions, their parameters, calls and recursion.
//!
//! # Invariants
//! * I1: a function calls only functions defined before it, or itself with a smaller depth argument.
//! * I2: a pure function touches only its parameters and locals, so its calls never conflict.

use super::integer::{Int, Range};
use super::scope::{Storage, Variable};
use super::types::Type;
use super::value::Expr;
use super::{Generator, State, Table};

/// A parameter; array parameters have an array type.
#[derive(Clone)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) range: Option<Range>,
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
    pub(super) old_style: bool,
    /// Storage class and `inline`, the same in every declaration.
    pub(super) prefix: &'static str,
    /// Upper bound of the steps of one call.
    pub(super) cost: u64,
}

/// Steps allowed in one call of a function.
const FUNCTION_LIMIT: u64 = 8_000;

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

    pub(super) fn integer_parameters(&mut self, least: usize, most: usize) -> Vec<Parameter> {
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
            3 => self.pointer_type(),
            4 => Type::Int(self.integer_type()).array(2 + self.random.below(4)),
            _ => {
                let ty = Type::Int(self.integer_type());
                let range = self.maybe_range(&ty);
                return (ty, range);
            }
        };
        (ty, None)
    }

    pub(super) fn returned_integer(&mut self) -> Returned {
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
        self.define_application(first, &name);
        let cost = (first..first + count).map(|index| self.functions[index].cost).max().unwrap_or(0);
        self.tables.push(Table { name, length, function: first, cost });
    }

    /// A function that calls the function it is given.
    fn define_application(&mut self, first: usize, table: &str) {
        let function = self.functions[first].clone();
        let callback = self.fresh("callback");
        let pointer = self.signature_of(&function, &format!("(*{callback})"));
        let whole = self.signature_of(&function, &format!("apply_{table}"));
        let whole = whole.replacen(&format!("apply_{table}("), &format!("apply_{table}({pointer}, "), 1);
        let names: Vec<&str> = function.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let call = format!("{callback}({})", names.join(", "));
        self.output.functions.push(format!("static {whole}\n{{\n    return {call};\n}}"));
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
    pub(super) fn define_function(
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
}
