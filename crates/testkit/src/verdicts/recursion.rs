//! Random programs with recursion: direct and mutual, tail calls, linear and other; results by value and by a global variable, inputs and errors in activations, loops
//! around calls and inside of activations, parameters that are overwritten.
//!
//! # Invariants
//! * R1: a parameter counts down, and the recursion ends where it is small; so executions are short.
//! * R2: a call is the whole right side of an assignment: what it does cannot depend on an order of evaluation that C leaves open.

use crate::Random;

use super::generator::{Generator, add};
use super::syntax::{Expression, Helper, Id, Statement, Type, Unit};

/// How an activation calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Tail,
    Linear,
    Twice,
    InLoop,
}

/// A random recursive program whose checks are still empty.
pub(crate) fn generate(random: &mut Random) -> Unit {
    let mut generator = Generator::new(random);
    generator.declare_all();
    let global = generator.declare("s".to_owned(), Type::Int, 0);
    generator.variables[global].is_global = true;
    generator.scalars.push(global);
    let mut body = generator.inputs();
    let first = generator.helpers.len();
    let members = if generator.random.chance(70) { 1 } else { 2 };
    for member in 0..members {
        generator.recursive(first, members, member, global);
    }
    for _ in 0..generator.random.between(1, 2) {
        let call = generator.outer_call(first);
        if generator.random.chance(15) {
            generator.counting_calls(&mut body, call);
        } else {
            body.push(call);
        }
        if generator.random.chance(40) {
            body.extend(generator.statements(1, 1));
        }
        let slot = generator.check();
        body.push(slot);
    }
    Unit { variables: generator.variables, helpers: generator.helpers, body }
}

impl Generator<'_> {
    /// A call from outside of the recursion.
    fn outer_call(&mut self, helper: usize) -> Statement {
        let target = *self.random.pick(&self.scalars);
        let depth = if self.random.chance(75) {
            Expression::Variable(*self.random.pick(&self.bounds))
        } else {
            Expression::Constant(self.random.between(0, 6))
        };
        let second = if self.random.chance(50) {
            Expression::Constant(self.random.between(0, 3))
        } else {
            Expression::Variable(*self.random.pick(&self.scalars))
        };
        Statement::Assign(target, Expression::Call(helper, vec![depth, second]))
    }

    /// A loop that calls two or three times.
    fn counting_calls(&mut self, body: &mut Vec<Statement>, call: Statement) {
        let counter = self.declare(format!("i{}", self.variables.len()), Type::Int, 0);
        let bound = Expression::Constant(self.random.between(2, 3));
        let guard = Expression::binary("<", Expression::Variable(counter), bound);
        body.push(Statement::While(guard, vec![call, add(counter, 1)]));
    }

    fn local(&mut self, name: &str, member: usize, ty: Type, initial: i64) -> Id {
        let id = self.declare(format!("{name}{member}"), ty, initial);
        self.variables[id].is_global = false;
        id
    }

    /// A member of a recursion.
    fn recursive(&mut self, first: usize, members: usize, member: usize, global: Id) {
        let depth_type = *self.random.pick(&[Type::Int, Type::Int, Type::UnsignedChar, Type::SignedChar]);
        let ty = self.some_type();
        let depth = self.local("d", member, depth_type, 0);
        let second = self.local("q", member, Type::Int, 0);
        let result = self.local("r", member, ty, 0);
        let other = self.local("t", member, Type::Int, 0);
        let callee = first + (member + 1) % members;
        let names = Names { depth, second, result, other, global, callee };
        let form = [Form::Tail, Form::Linear, Form::Linear, Form::Twice, Form::InLoop]
            [self.random.weighted(&[30, 25, 25, 14, 6])];
        let mut body = self.activation(&names, 1);
        let limit = self.random.between(0, 2);
        let small = Expression::binary("<=", Expression::Variable(depth), Expression::Constant(limit));
        let base = self.operand(&names);
        body.push(Statement::If(small, vec![Statement::Return(base)], Vec::new()));
        body.extend(self.activation(&names, 2));
        if form == Form::Tail {
            let returned = Statement::Return(self.inner_call(&names));
            body.push(returned);
        } else {
            self.calls(&names, form, &mut body);
            body.extend(self.activation(&names, 2));
        }
        let value = self.combined(&names);
        let parameters = vec![depth, second];
        let locals = vec![result, other];
        self.helpers.push(Helper { ty, parameters, locals, body, result: value });
    }

    fn calls(&mut self, names: &Names, form: Form, body: &mut Vec<Statement>) {
        let call = Statement::Assign(names.result, self.inner_call(names));
        match form {
            Form::Tail | Form::Linear if self.random.chance(25) => {
                let other = Statement::Assign(names.result, self.inner_call(names));
                let condition = self.test(names);
                body.push(Statement::If(condition, vec![call], vec![other]));
            }
            Form::Tail | Form::Linear => body.push(call),
            Form::Twice => {
                body.push(call);
                body.push(Statement::Assign(names.other, self.inner_call(names)));
            }
            Form::InLoop => {
                let bound =
                    Expression::binary("<", Expression::Variable(names.other), Expression::Constant(2));
                body.push(Statement::Assign(names.other, Expression::Constant(0)));
                body.push(Statement::While(bound, vec![call, add(names.other, 1)]));
            }
        }
    }

    /// R1.
    fn inner_call(&mut self, names: &Names) -> Expression {
        let step = if self.random.chance(80) { 1 } else { 2 };
        let depth = Expression::binary("-", Expression::Variable(names.depth), Expression::Constant(step));
        let second = match self.random.weighted(&[35, 25, 15, 25]) {
            0 => Expression::Variable(names.second),
            1 => Expression::binary("+", Expression::Variable(names.second), Expression::Constant(1)),
            2 => Expression::Variable(names.depth),
            _ => self.combined(names),
        };
        Expression::Call(names.callee, vec![depth, second])
    }

    /// Statements of an activation.
    fn activation(&mut self, names: &Names, most: i64) -> Vec<Statement> {
        let mut statements = Vec::new();
        for _ in 0..self.random.between(0, most) {
            statements.push(match self.random.weighted(&[25, 25, 12, 10, 10, 10, 8]) {
                0 => Statement::Assign(names.global, self.change(names, names.global)),
                1 => Statement::Assign(names.result, self.combined(names)),
                2 if self.inner_inputs > 0 => Statement::Input(names.other, 0, 1),
                3 => Statement::Assign(names.second, self.change(names, names.second)),
                4 => Statement::If(self.test(names), vec![add(names.global, 1)], Vec::new()),
                5 if self.random.chance(40) => {
                    let rare = Expression::binary(
                        "!=",
                        self.combined(names),
                        Expression::Constant(self.random.between(3, 12)),
                    );
                    Statement::Require(rare)
                }
                6 => {
                    let small =
                        Expression::binary("<", Expression::Variable(names.result), Expression::Constant(5));
                    let more = vec![Statement::Assign(
                        names.result,
                        Expression::binary("+", Expression::Variable(names.result), Expression::Constant(3)),
                    )];
                    Statement::While(small, more)
                }
                _ => Statement::Assume(Expression::binary(
                    "!=",
                    self.combined(names),
                    Expression::Constant(self.random.between(3, 12)),
                )),
            });
        }
        statements
    }

    fn change(&mut self, names: &Names, id: Id) -> Expression {
        let by = if self.random.chance(60) {
            Expression::Constant(self.random.between(1, 2))
        } else {
            self.operand(names)
        };
        let sign: &str = self.random.pick::<&str>(&["+", "+", "-"]);
        Expression::binary(sign, Expression::Variable(id), by)
    }

    fn operand(&mut self, names: &Names) -> Expression {
        let all = [names.depth, names.second, names.result, names.global];
        match self.random.weighted(&[75, 25]) {
            0 => Expression::Variable(*self.random.pick(&all)),
            _ => Expression::Constant(self.random.between(0, 3)),
        }
    }

    fn combined(&mut self, names: &Names) -> Expression {
        let all = [names.result, names.result, names.other, names.second, names.depth, names.global];
        let first = Expression::Variable(*self.random.pick(&all));
        match self.random.weighted(&[25, 45, 15, 15]) {
            0 => first,
            1 => Expression::binary("+", first, self.operand(names)),
            2 => Expression::binary("-", first, self.operand(names)),
            _ => Expression::binary("*", first, Expression::Constant(2)),
        }
    }

    fn test(&mut self, names: &Names) -> Expression {
        let operator = *self.random.pick(&["<", ">", "==", "!="]);
        Expression::binary(operator, self.operand(names), Expression::Constant(self.random.between(0, 4)))
    }
}

/// What an activation works with.
struct Names {
    depth: Id,
    second: Id,
    result: Id,
    other: Id,
    global: Id,
    callee: usize,
}
