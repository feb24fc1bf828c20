//! Functions that call themselves or each other with a decreasing depth.

use super::Generator;
use super::function::{Function, Parameter, Returned};
use super::integer::{Int, Range};
use super::scope::{Storage, Variable};
use super::types::Type;
use super::value::level;

impl Generator {
    /// `T f(depth, acc)` that calls itself once or twice with `depth - 1`.
    pub(super) fn define_recursive(&mut self) {
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
    pub(super) fn define_mutual(&mut self) {
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
}
