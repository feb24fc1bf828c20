//! Random programs with loops: counters, guards, state machines, wrap-around, flags, small arrays, helpers, jumps into loops.
//!
//! # Invariants
//! * G1: the program depends on the random source alone.
//! * G2: inputs have few values, so that all executions can be carried out.

use crate::Random;

use super::syntax::{Expression, Helper, Id, Statement, Type, Unit, Variable};

/// A random program whose checks are still empty.
pub(crate) fn generate(random: &mut Random) -> Unit {
    let mut generator = Generator::new(random);
    generator.declare_all();
    let mut body = generator.inputs();
    for _ in 0..generator.random.between(1, 2) {
        generator.section(&mut body);
    }
    let slot = generator.check();
    body.push(slot);
    Unit { variables: generator.variables, helpers: generator.helpers, body }
}

pub(super) struct Generator<'a> {
    pub(super) random: &'a mut Random,
    pub(super) variables: Vec<Variable>,
    pub(super) helpers: Vec<Helper>,
    /// Variables that statements read and write.
    pub(super) scalars: Vec<Id>,
    arrays: Vec<Id>,
    /// Counters of loops, which statements read.
    counters: Vec<Id>,
    /// Variables with inputs, which bound loops.
    pub(super) bounds: Vec<Id>,
    slots: usize,
    labels: usize,
    /// How many more inputs may be asked for in loops.
    pub(super) inner_inputs: u32,
}

impl<'a> Generator<'a> {
    pub(super) fn new(random: &'a mut Random) -> Self {
        let inner_inputs = u32::from(random.chance(25));
        Self {
            random,
            variables: Vec::new(),
            helpers: Vec::new(),
            scalars: Vec::new(),
            arrays: Vec::new(),
            counters: Vec::new(),
            bounds: Vec::new(),
            slots: 0,
            labels: 0,
            inner_inputs,
        }
    }

    pub(super) fn declare(&mut self, name: String, ty: Type, initial: i64) -> Id {
        let initial = if ty == Type::Bool { initial.min(1) } else { initial };
        let is_global = self.random.chance(15);
        self.variables.push(Variable { name, ty, length: None, initial: Some(initial), is_global });
        self.variables.len() - 1
    }

    pub(super) fn declare_all(&mut self) {
        for index in 0..self.random.between(1, 3) {
            let ty = self.some_type();
            let initial = if self.random.chance(60) { 0 } else { self.random.between(0, 5) };
            let id = self.declare(format!("x{index}"), ty, initial);
            let has_few_values = matches!(ty, Type::UnsignedChar | Type::SignedChar | Type::Bool);
            if has_few_values && !self.variables[id].is_global && self.random.chance(15) {
                self.variables[id].initial = None;
            }
            self.scalars.push(id);
        }
        if self.random.chance(35) {
            let id = self.declare("flag".to_owned(), Type::Int, 0);
            self.scalars.push(id);
        }
        if self.random.chance(15) {
            let (ty, length) = (self.some_type(), if self.random.chance(50) { 2 } else { 4 });
            let id = self.declare("a".to_owned(), ty, 0);
            self.variables[id].length = Some(length);
            self.arrays.push(id);
        }
        if self.random.chance(20) {
            self.helper();
        }
    }

    pub(super) fn some_type(&mut self) -> Type {
        if self.random.chance(55) { Type::Int } else { *self.random.pick(&Type::ALL) }
    }

    /// Arbitrary values before everything else.
    pub(super) fn inputs(&mut self) -> Vec<Statement> {
        let mut body = Vec::new();
        // Some programs have one execution only.
        let has_inputs = self.random.chance(92) || self.inner_inputs > 0;
        for index in 0..self.random.between(1, 2) {
            let ty = self.some_type();
            let initial = if has_inputs { 0 } else { self.random.between(0, 9) };
            let id = self.declare(format!("n{index}"), ty, initial);
            self.bounds.push(id);
            if !has_inputs {
                continue;
            }
            let (low, high) = match ty {
                Type::UnsignedChar if self.random.chance(20) && index == 0 => (0, 255),
                Type::SignedChar if self.random.chance(20) && index == 0 => (-128, 127),
                Type::Bool => (0, 1),
                _ if ty.is_signed() && self.random.chance(30) => {
                    (-self.random.between(1, 3), self.random.between(0, 5))
                }
                _ => (0, self.random.between(1, 7)),
            };
            body.push(Statement::Input(id, low, high));
        }
        if self.random.chance(15) {
            body.push(Statement::Assume(self.condition()));
        }
        body
    }

    /// A part of the program, mostly a loop with a check behind it.
    fn section(&mut self, body: &mut Vec<Statement>) {
        match self.random.weighted(&[50, 14, 10, 10, 8, 12]) {
            0 => {
                self.counting(body, 2);
            }
            1 => self.machine(body),
            2 => self.irreducible(body),
            3 => self.descending(body),
            4 => body.extend(self.statements(3, 1)),
            _ => self.wrapping(body),
        }
        if self.random.chance(60) {
            let slot = self.check();
            body.push(slot);
        }
    }

    pub(super) fn check(&mut self) -> Statement {
        self.slots += 1;
        Statement::Check(self.slots - 1, None)
    }

    /// A loop that counts up: `while`, `do`, or without condition and with an exit inside.
    fn counting(&mut self, body: &mut Vec<Statement>, depth: u32) {
        let counter = self.counter();
        let bound = self.bound();
        let step = if self.random.chance(70) { 1 } else { self.random.between(2, 3) };
        let operator = *self.random.pick(&["<", "<", "<", "<=", "!="]);
        let guard = Expression::binary(operator, Expression::Variable(counter), bound);
        let increment = add(counter, step);
        let count = self.random.between(1, 3) as usize;
        let mut inner = self.statements(count, depth - 1);
        if depth > 1 && self.random.chance(25) {
            self.counting(&mut inner, depth - 1);
        }
        if self.random.chance(30) {
            let slot = self.check();
            inner.push(slot);
        }
        match self.random.weighted(&[25, 19, 56]) {
            0 => {
                let jump = if self.random.chance(50) { Statement::Break } else { Statement::Continue };
                let at = self.random.below(inner.len() + 1);
                inner.insert(at, Statement::If(self.condition(), vec![jump], Vec::new()));
                inner.insert(0, increment);
            }
            1 => inner.insert(0, increment),
            _ => inner.push(increment),
        }
        body.push(Statement::Assign(counter, Expression::Constant(0)));
        body.push(match self.random.weighted(&[70, 18, 12]) {
            0 => Statement::While(guard, inner),
            1 => Statement::DoWhile(inner, guard),
            _ => {
                inner.insert(0, Statement::If(guard.negated(), vec![Statement::Break], Vec::new()));
                Statement::While(Expression::Constant(1), inner)
            }
        });
    }

    /// A loop that takes an input down to zero.
    fn descending(&mut self, body: &mut Vec<Statement>) {
        let bound = *self.random.pick(&self.bounds);
        let step = self.random.between(1, 2);
        let operator = *self.random.pick(&[">", ">", "!=", ">="]);
        let limit = self.random.between(0, 1);
        let guard = Expression::binary(operator, Expression::Variable(bound), Expression::Constant(limit));
        let mut inner = self.statements(2, 1);
        inner.push(add(bound, -step));
        body.push(Statement::While(guard, inner));
    }

    /// A loop over a narrow variable that wraps around, until it meets a value or passes one.
    fn wrapping(&mut self, body: &mut Vec<Statement>) {
        let ty = *self.random.pick(&[
            Type::UnsignedChar,
            Type::UnsignedChar,
            Type::SignedChar,
            Type::UnsignedShort,
        ]);
        let counter = self.declare(format!("w{}", self.variables.len()), ty, 0);
        self.counters.push(counter);
        let start = if self.random.chance(50) {
            self.bound()
        } else {
            Expression::Constant(self.random.between(0, 250))
        };
        let step = *self.random.pick(&[1, 2, 3, 5, 16, 37, 100, 129, 255, 4096]);
        let operator = *self.random.pick(&["!=", "!=", "<", ">"]);
        let limit = if self.random.chance(40) {
            Expression::Variable(*self.random.pick(&self.bounds))
        } else {
            Expression::Constant(self.random.between(0, 130))
        };
        let guard = Expression::binary(operator, Expression::Variable(counter), limit);
        let mut inner = self.statements(1, 1);
        let at = self.random.below(inner.len() + 1);
        inner.insert(at, add(counter, if self.random.chance(70) { step } else { -step }));
        if self.random.chance(30) {
            let slot = self.check();
            inner.push(slot);
        }
        body.push(Statement::Assign(counter, start));
        body.push(if self.random.chance(75) {
            Statement::While(guard, inner)
        } else {
            Statement::DoWhile(inner, guard)
        });
    }

    /// Rounds of a machine with a state that an input may drive.
    fn machine(&mut self, body: &mut Vec<Statement>) {
        let state = self.declare(format!("state{}", self.variables.len()), Type::Int, 0);
        self.scalars.push(state);
        let states = self.random.between(2, 4);
        let mut inner = Vec::new();
        if self.inner_inputs > 0 {
            inner.extend(self.inner_input());
        }
        let mut chain = Vec::new();
        for number in (0..states).rev() {
            let is_here = Expression::binary("==", Expression::Variable(state), Expression::Constant(number));
            let mut then = self.statements(1, 0);
            let next = Statement::Assign(state, Expression::Constant(self.random.between(0, states - 1)));
            if self.random.chance(50) {
                then.push(Statement::If(self.condition(), vec![next], Vec::new()));
            } else {
                then.push(next);
            }
            chain = vec![Statement::If(is_here, then, chain)];
        }
        inner.append(&mut chain);
        let counter = self.counter();
        inner.push(add(counter, 1));
        if self.random.chance(40) {
            let slot = self.check();
            inner.push(slot);
        }
        let guard = Expression::binary("<", Expression::Variable(counter), self.bound());
        body.push(Statement::Assign(counter, Expression::Constant(0)));
        body.push(Statement::While(guard, inner));
    }

    /// A loop with a second entry.
    fn irreducible(&mut self, body: &mut Vec<Statement>) {
        let label = self.labels;
        self.labels += 1;
        let counter = self.counter();
        let guard = Expression::binary("<", Expression::Variable(counter), self.bound());
        let mut inner = self.statements(1, 0);
        inner.push(Statement::Label(label));
        inner.extend(self.statements(1, 0));
        inner.push(add(counter, 1));
        body.push(Statement::Assign(counter, Expression::Constant(0)));
        body.push(Statement::If(self.condition(), vec![Statement::Goto(label)], Vec::new()));
        body.push(Statement::While(guard, inner));
    }

    fn counter(&mut self) -> Id {
        let ty = if self.random.chance(75) { Type::Int } else { *self.random.pick(&Type::ALL) };
        let id = self.declare(format!("i{}", self.variables.len()), ty, 0);
        // Sometimes the body may change its own counter.
        if self.random.chance(15) {
            self.scalars.push(id);
        }
        self.counters.push(id);
        id
    }

    fn bound(&mut self) -> Expression {
        match self.random.weighted(&[55, 30, 15]) {
            0 => Expression::Variable(*self.random.pick(&self.bounds)),
            1 => Expression::Constant(self.random.between(1, 12)),
            _ => Expression::binary(
                "+",
                Expression::Variable(*self.random.pick(&self.bounds)),
                Expression::Constant(self.random.between(1, 4)),
            ),
        }
    }

    pub(super) fn statements(&mut self, count: usize, depth: u32) -> Vec<Statement> {
        (0..count).flat_map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> Vec<Statement> {
        if !self.arrays.is_empty() && self.random.chance(30) {
            let array = self.arrays[0];
            return vec![Statement::Store(array, self.simple(), self.value(array))];
        }
        if self.inner_inputs > 0 && self.random.chance(20) {
            return self.inner_input();
        }
        if depth > 0 && self.random.chance(30) {
            let yes = self.statements(1, depth - 1);
            let no = if self.random.chance(50) { self.statements(1, depth - 1) } else { Vec::new() };
            return vec![Statement::If(self.condition(), yes, no)];
        }
        let target = *self.random.pick(&self.scalars);
        if self.random.chance(4) {
            let other = *self.random.pick(&self.scalars);
            if self.variables[other].ty == self.variables[target].ty {
                return vec![Statement::Indirect(self.condition(), target, other, self.value(target))];
            }
        }
        vec![Statement::Assign(target, self.value(target))]
    }

    /// An input of two or three values, that something may depend on.
    fn inner_input(&mut self) -> Vec<Statement> {
        self.inner_inputs -= 1;
        let id = self.declare(format!("c{}", self.variables.len()), Type::Int, 0);
        self.scalars.push(id);
        vec![Statement::Input(id, 0, 1)]
    }

    /// A new value for a variable: mostly a step from the old one.
    fn value(&mut self, target: Id) -> Expression {
        let old = if self.variables[target].length.is_some() {
            self.simple()
        } else {
            Expression::Variable(target)
        };
        let constant = Expression::Constant(self.random.between(1, 4));
        match self.random.weighted(&[34, 10, 14, 8, 5, 5, 6, 5, 5, 4, 4, 3, 3, 3, 2]) {
            0 => Expression::binary("+", old, constant),
            1 => Expression::binary("-", old, constant),
            2 => Expression::binary(if self.random.chance(70) { "+" } else { "-" }, old, self.simple()),
            3 => Expression::Constant(self.random.between(-1, 6)),
            4 => Expression::binary("*", old, Expression::Constant(self.random.between(2, 3))),
            5 if self.random.chance(50) => Expression::Minus(Box::new(old)),
            5 => Expression::binary("-", Expression::Constant(self.random.between(0, 3)), old),
            6 => {
                let modulus = self.random.between(2, 5);
                let sum = Expression::binary("+", old, Expression::Constant(self.random.between(0, 2)));
                Expression::binary("%", sum, Expression::Constant(modulus))
            }
            7 => {
                let amount = *self.random.pick(&[1, 100, 120, 250, 65530]);
                let sum = Expression::binary("+", old, Expression::Constant(amount));
                Expression::Cast(*self.random.pick(&Type::ALL), Box::new(sum))
            }
            8 => self.simple(),
            9 if !self.helpers.is_empty() => self.call(),
            9 => Expression::binary("/", old, Expression::Constant(self.random.between(2, 3))),
            11 => {
                let operator = *self.random.pick(&["|", "^", "&"]);
                let other = if self.random.chance(60) { constant } else { self.simple() };
                Expression::binary(operator, old, other)
            }
            12 => {
                let operator = *self.random.pick(&["<<", ">>"]);
                let amount = if self.random.chance(70) { constant } else { self.simple() };
                Expression::binary(operator, old, amount)
            }
            13 => {
                let operator = *self.random.pick(&["*", "/", "%"]);
                Expression::binary(operator, old, self.simple())
            }
            14 => Expression::Complement(Box::new(old)),
            _ => Expression::Select(
                Box::new(self.condition()),
                Box::new(Expression::binary("+", old.clone(), constant)),
                Box::new(old),
            ),
        }
    }

    fn call(&mut self) -> Expression {
        let arguments = (0..self.helpers[0].parameters.len()).map(|_| self.simple()).collect();
        Expression::Call(0, arguments)
    }

    /// A variable, an element, or a constant.
    fn simple(&mut self) -> Expression {
        match self.random.weighted(&[50, 25, 15, 10, 20]) {
            4 if !self.counters.is_empty() => Expression::Variable(*self.random.pick(&self.counters)),
            1 => Expression::Variable(*self.random.pick(&self.bounds)),
            2 => Expression::Constant(self.random.between(0, 3)),
            3 if !self.arrays.is_empty() => {
                let index = if self.random.chance(50) {
                    Expression::Constant(self.random.between(0, 1))
                } else {
                    let id = *self.random.pick(&self.scalars);
                    Expression::binary("+", Expression::Variable(id), Expression::Constant(1))
                };
                Expression::Element(self.arrays[0], Box::new(index))
            }
            _ => Expression::Variable(*self.random.pick(&self.scalars)),
        }
    }

    fn condition(&mut self) -> Expression {
        let left = self.simple();
        match self.random.weighted(&[50, 25, 10, 8, 7]) {
            0 => {
                let operator = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                Expression::binary(operator, left, Expression::Constant(self.random.between(-1, 7)))
            }
            1 => {
                let rest = Expression::binary("%", left, Expression::Constant(self.random.between(2, 4)));
                let operator = *self.random.pick(&["==", "!="]);
                Expression::binary(operator, rest, Expression::Constant(self.random.between(0, 1)))
            }
            2 => {
                let operator = *self.random.pick(&["<", "<=", "==", "!="]);
                Expression::binary(operator, left, self.simple())
            }
            3 => {
                let masked =
                    Expression::binary("&", left, Expression::Constant(*self.random.pick(&[1, 3, 7, 2])));
                Expression::binary("!=", masked, Expression::Constant(0))
            }
            _ => {
                let operator = *self.random.pick(&["&&", "||"]);
                let other = Expression::binary("<", self.simple(), Expression::Constant(3));
                Expression::binary(operator, left, other)
            }
        }
    }

    /// A function with a branch or a loop that is called by value.
    fn helper(&mut self) {
        let ty = self.some_type();
        let parameter = self.declare("p".to_owned(), self.helper_type(), 0);
        let local = self.declare("r".to_owned(), ty, 0);
        for id in [parameter, local] {
            self.variables[id].is_global = false;
        }
        let (input, result) = (Expression::Variable(parameter), Expression::Variable(local));
        let limit = Expression::Constant(self.random.between(1, 6));
        let operator = *self.random.pick(&["<", ">", "!="]);
        let guard = Expression::binary(operator, input.clone(), limit.clone());
        let step = self.random.between(1, 3);
        let body = if self.random.chance(50) {
            let other = Statement::Assign(local, Expression::binary("-", input, Expression::Constant(step)));
            vec![Statement::If(guard, vec![add(local, step)], vec![other])]
        } else {
            let more = Expression::binary("<", result.clone(), limit);
            vec![Statement::Assign(local, input), Statement::While(more, vec![add(local, step)])]
        };
        self.helpers.push(Helper { ty, parameters: vec![parameter], locals: vec![local], body, result });
    }

    fn helper_type(&self) -> Type {
        if self.scalars.len().is_multiple_of(2) { Type::Int } else { Type::UnsignedChar }
    }
}

pub(super) fn add(id: Id, amount: i64) -> Statement {
    let (operator, amount) = if amount < 0 { ("-", -amount) } else { ("+", amount) };
    let sum = Expression::binary(operator, Expression::Variable(id), Expression::Constant(amount));
    Statement::Assign(id, sum)
}
