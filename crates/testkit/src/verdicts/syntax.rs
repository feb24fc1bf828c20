//! The small language of generated programs, and its printing as C.
//!
//! # Invariants
//! * L1: every arbitrary value is asked for in a line of its own, and is restricted there to a range that [`Printed::ranges`] knows; so all
//!   executions can be carried out.
//! * L2: every variable is initialised where it is declared, but for some that have few values.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// An integer type of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Int,
    Unsigned,
    UnsignedChar,
    SignedChar,
    UnsignedShort,
    Long,
    Bool,
}

impl Type {
    pub(crate) const ALL: [Self; 7] = [
        Self::Int,
        Self::Unsigned,
        Self::UnsignedChar,
        Self::SignedChar,
        Self::UnsignedShort,
        Self::Long,
        Self::Bool,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Unsigned => "unsigned int",
            Self::UnsignedChar => "unsigned char",
            Self::SignedChar => "signed char",
            Self::UnsignedShort => "unsigned short",
            Self::Long => "long",
            Self::Bool => "_Bool",
        }
    }

    /// The function that returns any value of the type.
    fn source(self) -> &'static str {
        match self {
            Self::Int => "__VERIFIER_nondet_int",
            Self::Unsigned => "__VERIFIER_nondet_uint",
            Self::UnsignedChar => "__VERIFIER_nondet_uchar",
            Self::SignedChar => "__VERIFIER_nondet_schar",
            Self::UnsignedShort => "__VERIFIER_nondet_ushort",
            Self::Long => "__VERIFIER_nondet_long",
            Self::Bool => "__VERIFIER_nondet_bool",
        }
    }

    /// Whether negative values are values of the type.
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::Int | Self::SignedChar | Self::Long)
    }
}

/// A variable, by its position in [`Unit::variables`].
pub(crate) type Id = usize;

/// A variable, or an array.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// For arrays; a power of two.
    pub(crate) length: Option<usize>,
    /// None: it has any value of its type.
    pub(crate) initial: Option<i64>,
    pub(crate) is_global: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Constant(i64),
    Variable(Id),
    /// An element of an array.
    Element(Id, Box<Expression>),
    Not(Box<Expression>),
    Minus(Box<Expression>),
    Complement(Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Cast(Type, Box<Expression>),
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
    /// A call of a helper.
    Call(usize, Vec<Expression>),
}

impl Expression {
    pub(crate) fn binary(operator: &'static str, left: Self, right: Self) -> Self {
        Self::Binary(operator, Box::new(left), Box::new(right))
    }

    pub(crate) fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// All variables in it.
    pub(crate) fn variables(&self, found: &mut Vec<Id>) {
        match self {
            Self::Constant(_) => {}
            Self::Variable(id) => found.push(*id),
            Self::Element(id, index) => {
                found.push(*id);
                index.variables(found);
            }
            Self::Not(operand)
            | Self::Minus(operand)
            | Self::Complement(operand)
            | Self::Cast(_, operand) => {
                operand.variables(found);
            }
            Self::Binary(_, left, right) => {
                left.variables(found);
                right.variables(found);
            }
            Self::Select(condition, left, right) => {
                condition.variables(found);
                left.variables(found);
                right.variables(found);
            }
            Self::Call(_, arguments) => arguments.iter().for_each(|argument| argument.variables(found)),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Statement {
    Assign(Id, Expression),
    Store(Id, Expression, Expression),
    /// An arbitrary value of a range.
    Input(Id, i64, i64),
    If(Expression, Vec<Statement>, Vec<Statement>),
    While(Expression, Vec<Statement>),
    DoWhile(Vec<Statement>, Expression),
    Break,
    Continue,
    Assume(Expression),
    /// A place where an assertion may stand: nothing, or the assertion.
    Check(usize, Option<Expression>),
    Label(usize),
    /// Assigns to one of two variables of the same type, through a pointer.
    Indirect(Expression, Id, Id, Expression),
    Goto(usize),
    /// Ends a helper.
    Return(Expression),
    /// An error in a helper, unless the condition holds.
    Require(Expression),
}

/// A function that is called by value: parameters, the loop or branch in it, the result.
#[derive(Clone, Debug)]
pub(crate) struct Helper {
    pub(crate) ty: Type,
    /// Parameters, then locals; positions of [`Unit::variables`].
    pub(crate) parameters: Vec<Id>,
    pub(crate) locals: Vec<Id>,
    pub(crate) body: Vec<Statement>,
    pub(crate) result: Expression,
}

/// A program.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) variables: Vec<Variable>,
    pub(crate) helpers: Vec<Helper>,
    pub(crate) body: Vec<Statement>,
}

/// A program as C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The text.
    pub text: String,
    /// The values that the input of a line may have.
    pub ranges: BTreeMap<u32, (i64, i64)>,
}

impl Unit {
    /// The program as C.
    pub(crate) fn print(&self) -> Printed {
        self.print_with(Checks::Assertions)
    }

    /// The program with all variables written out wherever an assertion may stand.
    pub(crate) fn print_probes(&self) -> Printed {
        self.print_with(Checks::Probes)
    }

    fn print_with(&self, checks: Checks) -> Printed {
        let mut printer = Printer { unit: self, text: String::new(), ranges: BTreeMap::new(), checks };
        printer.unit();
        Printed { text: printer.text, ranges: printer.ranges }
    }

    /// The scalar variables of `main` and the globals.
    pub(crate) fn visible(&self) -> Vec<Id> {
        let hidden = |id: Id| {
            self.helpers.iter().any(|helper| helper.parameters.contains(&id) || helper.locals.contains(&id))
        };
        (0..self.variables.len()).filter(|id| self.variables[*id].length.is_none() && !hidden(*id)).collect()
    }
}

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n\
    extern unsigned char __VERIFIER_nondet_uchar(void);\nextern signed char __VERIFIER_nondet_schar(void);\n\
    extern unsigned short __VERIFIER_nondet_ushort(void);\nextern long __VERIFIER_nondet_long(void);\n\
    extern _Bool __VERIFIER_nondet_bool(void);\n\
    extern void __VERIFIER_assume(int);\nextern void reach_error(void);\nextern int printf(const char *, ...);\n";

/// What is printed for a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checks {
    /// Its assertion, if it has one.
    Assertions,
    /// The values of all variables.
    Probes,
}

struct Printer<'a> {
    unit: &'a Unit,
    text: String,
    ranges: BTreeMap<u32, (i64, i64)>,
    checks: Checks,
}

impl Printer<'_> {
    fn unit(&mut self) {
        self.text.push_str(PRELUDE);
        for id in 0..self.unit.variables.len() {
            if self.unit.variables[id].is_global {
                self.declare(0, id);
            }
        }
        // Helpers may call each other.
        for (index, helper) in self.unit.helpers.iter().enumerate().skip(1) {
            let types = helper.parameters.iter().map(|id| self.unit.variables[*id].ty.name());
            let types: Vec<&str> = types.collect();
            self.line(0, &format!("static {} f{index}({});", helper.ty.name(), types.join(", ")));
        }
        for (index, helper) in self.unit.helpers.iter().enumerate() {
            let parameters: Vec<String> = helper
                .parameters
                .iter()
                .map(|id| format!("{} {}", self.unit.variables[*id].ty.name(), self.unit.variables[*id].name))
                .collect();
            self.line(0, &format!("static {} f{index}({}) {{", helper.ty.name(), parameters.join(", ")));
            for id in &helper.locals {
                self.declare(1, *id);
            }
            self.block(1, &helper.body);
            let result = self.expression(&helper.result);
            self.line(1, &format!("return {result};"));
            self.line(0, "}");
        }
        self.line(0, "int main(void) {");
        for id in 0..self.unit.variables.len() {
            let is_helpers = self
                .unit
                .helpers
                .iter()
                .any(|helper| helper.parameters.contains(&id) || helper.locals.contains(&id));
            if !self.unit.variables[id].is_global && !is_helpers {
                self.declare(1, id);
            }
        }
        self.block(1, &self.unit.body);
        self.line(1, "return 0;");
        self.line(0, "}");
    }

    fn line(&mut self, depth: usize, text: &str) {
        for _ in 0..depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn declare(&mut self, depth: usize, id: Id) {
        let Variable { name, ty, length, initial, .. } = &self.unit.variables[id];
        let text = match length {
            None => match initial {
                Some(initial) => format!("{} {name} = {initial};", ty.name()),
                None => format!("{} {name};", ty.name()),
            },
            Some(length) => format!("{} {name}[{length}] = {{ {} }};", ty.name(), initial.unwrap_or(0)),
        };
        self.line(depth, &text);
    }

    fn block(&mut self, depth: usize, statements: &[Statement]) {
        for statement in statements {
            self.statement(depth, statement);
        }
    }

    fn statement(&mut self, depth: usize, statement: &Statement) {
        match statement {
            Statement::Assign(id, value) => {
                let value = self.expression(value);
                self.line(depth, &format!("{} = {value};", self.unit.variables[*id].name));
            }
            Statement::Store(id, index, value) => {
                let (element, value) = (self.element(*id, index), self.expression(value));
                self.line(depth, &format!("{element} = {value};"));
            }
            Statement::Input(id, low, high) => self.input(depth, *id, *low, *high),
            Statement::If(condition, yes, no) => {
                let condition = self.expression(condition);
                self.line(depth, &format!("if ({condition}) {{"));
                self.block(depth + 1, yes);
                if !no.is_empty() {
                    self.line(depth, "} else {");
                    self.block(depth + 1, no);
                }
                self.line(depth, "}");
            }
            Statement::While(condition, body) => {
                let condition = self.expression(condition);
                self.line(depth, &format!("while ({condition}) {{"));
                self.block(depth + 1, body);
                self.line(depth, "}");
            }
            Statement::DoWhile(body, condition) => {
                self.line(depth, "do {");
                self.block(depth + 1, body);
                let condition = self.expression(condition);
                self.line(depth, &format!("}} while ({condition});"));
            }
            Statement::Break => self.line(depth, "break;"),
            Statement::Continue => self.line(depth, "continue;"),
            Statement::Assume(condition) => {
                let condition = self.expression(condition);
                self.line(depth, &format!("__VERIFIER_assume({condition});"));
            }
            Statement::Check(slot, condition) => self.check(depth, *slot, condition.as_ref()),
            Statement::Indirect(condition, yes, no, value) => {
                let (condition, value) = (self.expression(condition), self.expression(value));
                let [yes, no] = [*yes, *no].map(|id| &self.unit.variables[id]);
                let (ty, yes, no) = (yes.ty.name(), &yes.name, &no.name);
                let text = format!("{{ {ty} *q = {condition} ? &{yes} : &{no}; *q = {value}; }}");
                self.line(depth, &text);
            }
            Statement::Label(label) => self.line(depth, &format!("l{label}:;")),
            Statement::Goto(label) => self.line(depth, &format!("goto l{label};")),
            Statement::Return(value) => {
                let value = self.expression(value);
                self.line(depth, &format!("return {value};"));
            }
            Statement::Require(condition) => {
                let condition = self.expression(condition);
                self.line(depth, &format!("if (!({condition})) {{ reach_error(); }}"));
            }
        }
    }

    /// L1: the line that asks is known with its range.
    fn input(&mut self, depth: usize, id: Id, low: i64, high: i64) {
        let Variable { name, ty, .. } = &self.unit.variables[id];
        let line = self.text.matches('\n').count() as u32 + 1;
        self.ranges.insert(line, (low, high));
        let (name, ty) = (name.clone(), *ty);
        self.line(depth, &format!("{name} = {}();", ty.source()));
        match (low, high, ty) {
            (0, 255, Type::UnsignedChar) | (-128, 127, Type::SignedChar) | (0, 1, Type::Bool) => {}
            (0, _, _) if !ty.is_signed() => {
                self.line(depth, &format!("__VERIFIER_assume({name} <= {high});"));
            }
            _ => self.line(depth, &format!("__VERIFIER_assume({name} >= {low} && {name} <= {high});")),
        }
    }

    fn check(&mut self, depth: usize, slot: usize, condition: Option<&Expression>) {
        if self.checks == Checks::Probes {
            let visible = self.unit.visible();
            let mut text = format!("printf(\"{slot}");
            text.push_str(&" %ld".repeat(visible.len()));
            text.push_str("\\n\"");
            for id in visible {
                let _ = write!(text, ", (long){}", self.unit.variables[id].name);
            }
            text.push_str(");");
            self.line(depth, &text);
        } else if let Some(condition) = condition {
            let condition = self.expression(condition);
            self.line(depth, &format!("if (!({condition})) {{ reach_error(); }}"));
        }
    }

    /// An index that is a variable or a constant is used as it is, and may be out of bounds; others are masked.
    fn element(&self, id: Id, index: &Expression) -> String {
        let Variable { name, length, .. } = &self.unit.variables[id];
        let text = self.expression(index);
        match index {
            Expression::Variable(_) | Expression::Constant(_) => format!("{name}[{text}]"),
            _ => format!("{name}[{text} & {}]", length.unwrap_or(1) - 1),
        }
    }

    fn expression(&self, expression: &Expression) -> String {
        match expression {
            Expression::Constant(value) if *value < 0 => format!("({value})"),
            Expression::Constant(value) => value.to_string(),
            Expression::Variable(id) => self.unit.variables[*id].name.clone(),
            Expression::Element(id, index) => self.element(*id, index),
            Expression::Not(operand) => format!("!({})", self.expression(operand)),
            Expression::Complement(operand) => format!("(~{})", self.expression(operand)),
            Expression::Minus(operand) => format!("(-{})", self.expression(operand)),
            Expression::Binary(operator, left, right) => {
                format!("({} {operator} {})", self.expression(left), self.expression(right))
            }
            Expression::Cast(ty, operand) => format!("({})({})", ty.name(), self.expression(operand)),
            Expression::Select(condition, left, right) => format!(
                "({} ? {} : {})",
                self.expression(condition),
                self.expression(left),
                self.expression(right)
            ),
            Expression::Call(helper, arguments) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.expression(argument)).collect();
                format!("f{helper}({})", arguments.join(", "))
            }
        }
    }
}
