//! Makes a program with a finding small: fewer statements, simpler expressions, smaller constants.

use super::syntax::{Expression, Statement, Unit};

/// A smaller program for which `fails` still holds; asks at most `budget` times.
pub(crate) fn reduce(unit: &Unit, budget: usize, fails: &mut dyn FnMut(&Unit) -> bool) -> Unit {
    let mut best = unit.clone();
    let mut left = budget;
    loop {
        let mut has_changed = false;
        let mut number = 0;
        while left > 0 {
            let Some(candidate) = candidate(&best, number) else { break };
            left -= 1;
            if weight(&candidate) < weight(&best) && fails(&candidate) {
                best = candidate;
                has_changed = true;
            } else {
                number += 1;
            }
        }
        if !has_changed || left == 0 {
            return without_unused(best);
        }
    }
}

/// The program after its change number `number`; nothing if there are fewer.
fn candidate(unit: &Unit, number: usize) -> Option<Unit> {
    let mut changed = unit.clone();
    let mut left = number;
    if change_block(&mut changed.body, &mut left) {
        return Some(changed);
    }
    for helper in 0..changed.helpers.len() {
        let helper = &mut changed.helpers[helper];
        if change_block(&mut helper.body, &mut left) || change_expression(&mut helper.result, &mut left) {
            return Some(changed);
        }
    }
    for variable in &mut changed.variables {
        if variable.initial != Some(0) && take(&mut left) {
            variable.initial = Some(0);
            return Some(changed);
        }
    }
    None
}

/// Whether it is this change's turn.
fn take(left: &mut usize) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    false
}

/// Makes one change in a block, if the number is that of one.
fn change_block(block: &mut Vec<Statement>, left: &mut usize) -> bool {
    for at in 0..block.len() {
        if take(left) {
            block.remove(at);
            return true;
        }
    }
    for at in 0..block.len() {
        let inner = match &block[at] {
            Statement::If(_, yes, no) => vec![yes.clone(), no.clone()],
            Statement::While(_, body) | Statement::DoWhile(body, _) => vec![body.clone()],
            _ => Vec::new(),
        };
        for replacement in inner {
            if take(left) {
                block.splice(at..=at, replacement);
                return true;
            }
        }
        if change_statement(&mut block[at], left) {
            return true;
        }
    }
    false
}

fn change_statement(statement: &mut Statement, left: &mut usize) -> bool {
    match statement {
        Statement::Assign(_, value) => change_expression(value, left),
        Statement::Store(_, index, value) => change_expression(index, left) || change_expression(value, left),
        Statement::Input(_, low, high) => {
            if low < high && take(left) {
                *high -= 1;
                return true;
            }
            if low < high && take(left) {
                *low += 1;
                return true;
            }
            false
        }
        Statement::If(condition, yes, no) => {
            if !no.is_empty() && take(left) {
                no.clear();
                return true;
            }
            change_expression(condition, left) || change_block(yes, left) || change_block(no, left)
        }
        Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
            change_expression(condition, left) || change_block(body, left)
        }
        Statement::Indirect(condition, _, _, value) => {
            change_expression(condition, left) || change_expression(value, left)
        }
        Statement::Assume(condition) | Statement::Return(condition) | Statement::Require(condition) => {
            change_expression(condition, left)
        }
        Statement::Check(_, check) => check.as_mut().is_some_and(|check| change_expression(check, left)),
        Statement::Break | Statement::Continue | Statement::Label(_) | Statement::Goto(_) => false,
    }
}

fn change_expression(expression: &mut Expression, left: &mut usize) -> bool {
    let parts: Vec<Expression> = match expression {
        Expression::Constant(0) | Expression::Variable(_) => Vec::new(),
        Expression::Constant(value) => vec![
            Expression::Constant(0),
            Expression::Constant(*value / 2),
            Expression::Constant(*value - value.signum()),
        ],
        Expression::Element(_, index) => vec![(**index).clone(), Expression::Constant(0)],
        Expression::Not(operand)
        | Expression::Minus(operand)
        | Expression::Complement(operand)
        | Expression::Cast(_, operand) => {
            vec![(**operand).clone()]
        }
        Expression::Binary(_, first, second) => vec![(**first).clone(), (**second).clone()],
        Expression::Select(condition, first, second) => {
            vec![(**first).clone(), (**second).clone(), (**condition).clone()]
        }
        Expression::Call(_, arguments) => arguments.clone(),
    };
    for part in parts {
        if take(left) {
            *expression = part;
            return true;
        }
    }
    match expression {
        Expression::Constant(_) | Expression::Variable(_) => false,
        Expression::Element(_, operand)
        | Expression::Not(operand)
        | Expression::Minus(operand)
        | Expression::Complement(operand)
        | Expression::Cast(_, operand) => change_expression(operand, left),
        Expression::Binary(_, first, second) => {
            change_expression(first, left) || change_expression(second, left)
        }
        Expression::Select(condition, first, second) => {
            change_expression(condition, left)
                || change_expression(first, left)
                || change_expression(second, left)
        }
        Expression::Call(_, arguments) => arguments.iter_mut().any(|part| change_expression(part, left)),
    }
}

/// What is to become smaller: length, then the sizes of numbers.
fn weight(unit: &Unit) -> (usize, u64) {
    let printed = unit.print();
    let ranges: u64 = printed.ranges.values().map(|(low, high)| high.abs_diff(*low)).sum();
    let body = printed.text.find("int main").map_or(printed.text.as_str(), |at| &printed.text[at..]);
    let numbers: u64 = body
        .split(|character: char| !character.is_ascii_digit())
        .filter_map(|word| word.parse::<u64>().ok())
        .fold(0, u64::saturating_add);
    (printed.text.len(), ranges.saturating_add(numbers))
}

/// Drops the helpers that nobody calls. Variables stay: they are known by position.
fn without_unused(mut unit: Unit) -> Unit {
    let text = unit.print().text;
    if unit.helpers.len() == 1 && text.matches("f0(").count() == 1 {
        let helper = unit.helpers.remove(0);
        for id in helper.parameters.into_iter().chain(helper.locals) {
            unit.variables[id].is_global = true;
        }
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdicts::sample;

    #[test]
    fn what_does_not_matter_is_dropped() {
        let sample = (0..).find_map(|seed| sample(seed, None)).unwrap();
        let checks = |unit: &Unit| unit.print().text.contains("if (!(");
        let small = reduce(&sample.unit, 2000, &mut |unit| checks(unit));
        assert!(checks(&small));
        let statements = small.print().text;
        assert!(!statements.contains("while"), "{statements}");
    }
}
