//! Fills the checks of a program with assertions that are barely true, or false by one.
//!
//! The values of all variables at a check are observed in all executions. A safe program asserts what they have in common (bounds, sums, differences,
//! remainders, values that never occur, what follows from a flag); an unsafe one asserts that and is off by one.
//!
//! # Invariants
//! * A1: what is observed only guides the choice; the verdict is decided by the judge alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::Random;

use super::judge::{Dialect, Known, compile, outputs};
use super::syntax::{Expression, Id, Statement, Type, Unit};

/// The values of the visible variables at each check.
pub(crate) type Observed = BTreeMap<usize, Vec<Vec<i64>>>;

/// Observes all executions; nothing if they are too many or too long, or no check is reached.
pub(crate) fn observe(unit: &Unit, dialect: Dialect) -> Option<Observed> {
    let printed = unit.print_probes();
    let program = compile(&printed.text, dialect).ok()?;
    let lines: BTreeSet<String> = outputs(&printed, &program)?;
    let mut observed = Observed::new();
    for line in &lines {
        let mut numbers = line.split(' ').map_while(|word| word.parse::<i64>().ok());
        let slot = numbers.next()?;
        observed.entry(slot as usize).or_default().push(numbers.collect());
    }
    (!observed.is_empty()).then_some(observed)
}

/// The program with an assertion at one or two of its checks; the first should make the verdict the wanted one.
pub(crate) fn fill(unit: &Unit, observed: &Observed, wanted: Known, random: &mut Random) -> Unit {
    let mut filled = unit.clone();
    let slots: Vec<usize> = observed.keys().copied().collect();
    for round in 0..random.between(1, 2) {
        let slot = *random.pick(&slots);
        let wanted = if round > 0 { Known::Safe } else { wanted };
        let condition = condition(unit, &observed[&slot], wanted, random);
        place(&mut filled.body, slot, &condition);
    }
    filled
}

/// Puts the assertion in its place.
fn place(body: &mut [Statement], slot: usize, condition: &Expression) {
    for statement in body {
        match statement {
            Statement::Check(number, check) if *number == slot => *check = Some(condition.clone()),
            Statement::If(_, yes, no) => {
                place(yes, slot, condition);
                place(no, slot, condition);
            }
            Statement::While(_, inner) | Statement::DoWhile(inner, _) => place(inner, slot, condition),
            _ => {}
        }
    }
}

/// A combination of a few variables: `x`, `x + y`, `x - k*y`, `x + k*y*z`.
struct Combination {
    first: Id,
    second: Option<(i64, Id)>,
    /// What the second is multiplied by, too.
    third: Option<Id>,
}

impl Combination {
    fn random(visible: &[Id], random: &mut Random) -> Self {
        let first = *random.pick(visible);
        let second = random.chance(65).then(|| (random.between(-3, 3), *random.pick(visible)));
        let third = random.chance(25).then(|| *random.pick(visible));
        Self { first, second: second.filter(|(factor, id)| *factor != 0 && *id != first), third }
    }

    fn value(&self, visible: &[Id], row: &[i64]) -> i64 {
        let of = |id: Id| {
            visible.iter().position(|other| *other == id).and_then(|at| row.get(at)).copied().unwrap_or(0)
        };
        let times = self.third.map_or(1, of);
        self.second.map_or(of(self.first), |(factor, id)| {
            of(self.first).wrapping_add(factor.wrapping_mul(of(id)).wrapping_mul(times))
        })
    }

    /// Exact: 64 bits are enough for the types of variables, and almost always for `long`.
    fn expression(&self) -> Expression {
        let long = |id| Expression::Cast(Type::Long, Box::new(Expression::Variable(id)));
        match self.second {
            None => Expression::Variable(self.first),
            Some((factor, id)) => {
                let product = if factor.abs() == 1 {
                    long(id)
                } else {
                    Expression::binary("*", Expression::Constant(factor.abs()), long(id))
                };
                let product = match self.third {
                    None => product,
                    Some(third) => Expression::binary("*", product, long(third)),
                };
                Expression::binary(if factor < 0 { "-" } else { "+" }, long(self.first), product)
            }
        }
    }
}

fn condition(unit: &Unit, rows: &[Vec<i64>], wanted: Known, random: &mut Random) -> Expression {
    let visible = unit.visible();
    // What is constant is often trivial: a few other combinations are looked at first.
    let mut combination = Combination::random(&visible, random);
    for _ in 0..3 {
        let first = combination.value(&visible, &rows[0]);
        let is_constant = rows.iter().all(|row| combination.value(&visible, row) == first);
        if is_constant && (combination.second.is_some() || random.chance(30)) {
            break;
        }
        combination = Combination::random(&visible, random);
    }
    let values: BTreeSet<i64> = rows.iter().map(|row| combination.value(&visible, row)).collect();
    let sum = combination.expression();
    let simple = relation(&sum, &values, wanted, random);
    if random.chance(25) {
        implication(&visible, rows, &combination, wanted, random).unwrap_or(simple)
    } else {
        simple
    }
}

/// A relation between an expression that has these values and constants.
fn relation(sum: &Expression, values: &BTreeSet<i64>, wanted: Known, random: &mut Random) -> Expression {
    let compare = |operator, value| Expression::binary(operator, sum.clone(), Expression::Constant(value));
    let (Some(low), Some(high)) = (values.first().copied(), values.last().copied()) else {
        return Expression::Constant(1);
    };
    let holds = wanted == Known::Safe;
    let error = i64::from(!holds);
    if low == high && random.chance(70) {
        return compare(if holds { "==" } else { "!=" }, low);
    }
    match random.weighted(&[30, 25, 25, 20]) {
        0 => compare("<=", high - error),
        1 => compare(">=", low + error),
        2 => {
            let is_wanted = |value: &i64| values.contains(value) != holds;
            let wanted: Vec<i64> = (low..=high.min(low + 300)).filter(is_wanted).collect();
            let value = if wanted.is_empty() { high + 1 } else { *random.pick(&wanted) };
            compare("!=", value)
        }
        _ => {
            let modulus = random.between(2, 4);
            let rests: BTreeSet<i64> = values.iter().map(|value| value % modulus).collect();
            let rest = Expression::binary("%", sum.clone(), Expression::Constant(modulus));
            let free = (1 - modulus..modulus).find(|rest| rests.contains(rest) != holds);
            let (operator, value) = match (rests.len(), free) {
                (1, _) if holds => ("==", rests.first().copied().unwrap_or(0)),
                (_, Some(free)) => ("!=", free),
                (_, None) => ("<", modulus),
            };
            Expression::binary(operator, rest, Expression::Constant(value))
        }
    }
}

/// What holds of a combination whenever another variable has a certain value.
fn implication(
    visible: &[Id],
    rows: &[Vec<i64>],
    combination: &Combination,
    wanted: Known,
    random: &mut Random,
) -> Option<Expression> {
    let at = random.below(visible.len());
    let value = *random.pick(rows).get(at)?;
    let values: BTreeSet<i64> = rows
        .iter()
        .filter(|row| row.get(at) == Some(&value))
        .map(|row| combination.value(visible, row))
        .collect();
    let elsewhere = Expression::binary("!=", Expression::Variable(visible[at]), Expression::Constant(value));
    let here = relation(&combination.expression(), &values, wanted, random);
    Some(Expression::binary("||", elsewhere, here))
}
