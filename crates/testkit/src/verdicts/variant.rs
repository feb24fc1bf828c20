//! Variants of a program that have the same verdict.
//!
//! # Invariants
//! * M1: every transformation keeps the set of executions that reach an error, up to statements that change nothing that is read. Undefined behaviour
//!   ends executions: a transformation neither moves it across a check nor adds any.

use crate::Random;

use super::syntax::{Expression, Id, Statement, Type, Unit, Variable};

/// The names of all transformations.
pub(crate) const TRANSFORMATIONS: [&str; 8] =
    ["rename", "unroll", "split", "reorder", "guards", "constants", "dead code", "rotate"];

/// The program, transformed.
pub(crate) fn transform(unit: &Unit, transformation: &str, random: &mut Random) -> Unit {
    let mut changed = unit.clone();
    match transformation {
        "rename" => rename(&mut changed, random),
        "dead code" => {
            let dead = add_variable(&mut changed);
            insert_dead(&mut changed.body, dead, random);
        }
        other => {
            let scalars = changed.visible();
            each_block(&mut changed.body, &mut |block| rewrite(block, other, &scalars, random));
        }
    }
    changed
}

/// Other names, in another order of declaration where nothing depends on it.
fn rename(unit: &mut Unit, random: &mut Random) {
    let mut names: Vec<usize> = (0..unit.variables.len()).collect();
    random.shuffle(&mut names);
    for (variable, name) in unit.variables.iter_mut().zip(names) {
        variable.name = format!("{}{name}", ["zeta", "alpha", "_m", "Q"][name % 4]);
    }
}

fn add_variable(unit: &mut Unit) -> Id {
    unit.variables.push(Variable {
        name: "unused".to_owned(),
        ty: Type::Unsigned,
        length: None,
        initial: Some(3),
        is_global: false,
    });
    unit.variables.len() - 1
}

/// Applies a function to all blocks, inner ones first.
fn each_block(block: &mut Vec<Statement>, change: &mut dyn FnMut(&mut Vec<Statement>)) {
    for statement in block.iter_mut() {
        match statement {
            Statement::If(_, yes, no) => {
                each_block(yes, change);
                each_block(no, change);
            }
            Statement::While(_, body) | Statement::DoWhile(body, _) => each_block(body, change),
            _ => {}
        }
    }
    change(block);
}

fn rewrite(block: &mut Vec<Statement>, transformation: &str, scalars: &[Id], random: &mut Random) {
    match transformation {
        "unroll" => replace_loops(block, random, &mut |condition, body, _| {
            let mut once = body.clone();
            once.push(Statement::While(condition.clone(), body));
            vec![Statement::If(condition, once, Vec::new())]
        }),
        "split" => replace_loops(block, random, &mut |condition, body, random| {
            let variable = Expression::Variable(*random.pick(scalars));
            let part = Expression::binary("<", variable, Expression::Constant(random.between(0, 5)));
            let first = Expression::binary("&&", condition.clone(), part);
            vec![Statement::While(first, body.clone()), Statement::While(condition, body)]
        }),
        "reorder" => {
            for at in 1..block.len() {
                if is_independent(&block[at - 1], &block[at]) && random.chance(70) {
                    block.swap(at - 1, at);
                }
            }
        }
        "guards" => each_expression(block, &mut |expression| {
            if random.chance(60) {
                *expression = other_guard(expression.clone(), random);
            }
        }),
        "constants" => each_expression(block, &mut |expression| {
            if let Expression::Constant(value) = expression
                && random.chance(50)
            {
                let part = random.between(-3, 9);
                let (left, right) = (Expression::Constant(*value - part), Expression::Constant(part));
                *expression = Expression::binary("+", left, right);
            }
        }),
        _ => {
            // Rotation: nothing is duplicated but the condition, so labels, breaks and continues stay right.
            for statement in block {
                if let Statement::While(condition, body) = statement
                    && *condition != Expression::Constant(1)
                {
                    let rotated = Statement::DoWhile(std::mem::take(body), condition.clone());
                    *statement = Statement::If(condition.clone(), vec![rotated], Vec::new());
                }
            }
        }
    }
}

/// A loop from its condition and body, made into other statements.
type Rebuild<'a> = dyn FnMut(Expression, Vec<Statement>, &mut Random) -> Vec<Statement> + 'a;

/// Rebuilds the `while` loops that may be duplicated: those without jumps of their own and without labels.
fn replace_loops(block: &mut Vec<Statement>, random: &mut Random, rebuild: &mut Rebuild<'_>) {
    let mut result = Vec::new();
    for statement in block.drain(..) {
        match statement {
            Statement::While(condition, body) if !has_jump(&body) && random.chance(70) => {
                result.extend(rebuild(condition, body, random));
            }
            other => result.push(other),
        }
    }
    *block = result;
}

/// Whether there is a `break` or `continue`, or a label anywhere.
fn has_jump(block: &[Statement]) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Break | Statement::Continue | Statement::Label(_) => true,
        Statement::If(_, yes, no) => has_jump(yes) || has_jump(no),
        Statement::While(_, body) | Statement::DoWhile(body, _) => has_jump(body),
        _ => false,
    })
}

/// Whether two assignments neither read nor write what the other writes.
fn is_independent(first: &Statement, second: &Statement) -> bool {
    let (Statement::Assign(left, a), Statement::Assign(right, b)) = (first, second) else { return false };
    let (mut read_first, mut read_second) = (Vec::new(), Vec::new());
    a.variables(&mut read_first);
    b.variables(&mut read_second);
    let calls = |expression: &Expression| matches!(expression, Expression::Call(..));
    left != right && !calls(a) && !calls(b) && !read_first.contains(right) && !read_second.contains(left)
}

/// Applies a function to all expressions of a block's own statements, parts first.
fn each_expression(block: &mut [Statement], change: &mut dyn FnMut(&mut Expression)) {
    for statement in block {
        match statement {
            // The index of a store stays as it is, like that of an element.
            Statement::Assign(_, value) | Statement::Store(_, _, value) => each_part(value, change),
            Statement::If(condition, ..)
            | Statement::While(condition, _)
            | Statement::DoWhile(_, condition)
            | Statement::Assume(condition)
            | Statement::Check(_, Some(condition)) => each_part(condition, change),
            _ => {}
        }
    }
}

pub(crate) fn each_part(expression: &mut Expression, change: &mut dyn FnMut(&mut Expression)) {
    match expression {
        Expression::Constant(_) | Expression::Variable(_) => {}
        // An index stays as it is: whether it is masked depends on its form.
        Expression::Element(..) => return,
        Expression::Not(operand)
        | Expression::Minus(operand)
        | Expression::Complement(operand)
        | Expression::Cast(_, operand) => {
            each_part(operand, change);
        }
        Expression::Binary(_, left, right) => {
            each_part(left, change);
            each_part(right, change);
        }
        Expression::Select(condition, left, right) => {
            each_part(condition, change);
            each_part(left, change);
            each_part(right, change);
        }
        Expression::Call(_, arguments) => arguments.iter_mut().for_each(|part| each_part(part, change)),
    }
    change(expression);
}

/// A comparison, said otherwise. Operands have no effects, so they may be written twice.
fn other_guard(expression: Expression, random: &mut Random) -> Expression {
    let Expression::Binary(operator, left, right) = expression else { return expression };
    let binary = |operator, left: &Expression, right: &Expression| {
        Expression::binary(operator, left.clone(), right.clone())
    };
    let is_first = random.chance(50);
    match operator {
        "<" if is_first => binary(">=", &left, &right).negated(),
        "<" => binary(">", &right, &left),
        "<=" if is_first => binary(">", &left, &right).negated(),
        "<=" => Expression::binary("||", binary("<", &left, &right), binary("==", &left, &right)),
        ">" => binary("<=", &left, &right).negated(),
        ">=" => binary("<", &left, &right).negated(),
        "==" if is_first => {
            Expression::binary("&&", binary("<=", &left, &right), binary(">=", &left, &right))
        }
        "==" => binary("!=", &left, &right).negated(),
        "!=" if is_first => Expression::binary("||", binary("<", &left, &right), binary(">", &left, &right)),
        "!=" => binary("==", &left, &right).negated(),
        _ => Expression::Binary(operator, left, right),
    }
}

/// Code that is never executed, and code whose results nobody reads.
fn insert_dead(block: &mut Vec<Statement>, dead: Id, random: &mut Random) {
    for statement in block.iter_mut() {
        match statement {
            Statement::If(_, yes, no) => {
                insert_dead(yes, dead, random);
                if !no.is_empty() {
                    insert_dead(no, dead, random);
                }
            }
            Statement::While(_, body) | Statement::DoWhile(body, _) => insert_dead(body, dead, random),
            _ => {}
        }
    }
    if random.chance(60) {
        let sum =
            Expression::binary("*", Expression::Variable(dead), Expression::Constant(random.between(2, 7)));
        let change = Statement::Assign(dead, sum);
        let at = random.below(block.len() + 1);
        let never = Expression::binary("<", Expression::Variable(dead), Expression::Constant(0));
        block.insert(
            at,
            match random.weighted(&[40, 30, 30]) {
                0 => change,
                1 => Statement::If(
                    never,
                    vec![change, Statement::Check(0, Some(Expression::Constant(0)))],
                    Vec::new(),
                ),
                _ => Statement::While(Expression::Constant(0), vec![change]),
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdicts::{Dialect, sample, verdict};

    #[test]
    fn variants_have_the_verdict_of_their_program() {
        let mut changed = 0;
        for seed in 0..40 {
            let Some(sample) = sample(seed, None) else { continue };
            for transformation in TRANSFORMATIONS {
                let variant = transform(&sample.unit, transformation, &mut Random::new(seed));
                let text = variant.print().text;
                changed += u32::from(text != sample.unit.print().text);
                assert_eq!(
                    verdict(&variant, Dialect::of(seed)),
                    Some(sample.known),
                    "{transformation} of seed {seed}:\n{text}"
                );
            }
        }
        assert!(changed > 100, "only {changed} variants differ");
    }
}
