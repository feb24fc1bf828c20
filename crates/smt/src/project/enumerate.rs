//! All instances of a conjunction, without a solver: what Cooper's theorem says, before any is left out.
//!
//! The cover by models leaves out instances that are not needed, but must prove at its end that nothing is missing,
//! and that proof can be far harder than the elimination itself. Then all instances are taken.
//!
//! # Paper
//! [Recmc14] appendix G, equation (9), with fractions for coefficients other than one.

use term::{Constraint, Fraction, Integer, Linear, Node, SymbolId, TermId, Terms};

use super::choose::{Direction, Occurrences, cheapest, weight};

/// The constraints of literals over linear sums in which the symbols are plain terms; nothing for other literals.
/// Negated equations and divisibilities are not constraints either: [`split_negation`] comes first.
pub(super) fn constraints(terms: &Terms, items: &[TermId], symbols: &[SymbolId]) -> Option<Vec<Constraint>> {
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        let (constraint, sum) = match terms.node(*item) {
            Node::Le(sum) => (Constraint::AtMost(terms.linear(*sum)), *sum),
            Node::Zero(sum) => (Constraint::Zero(terms.linear(*sum)), *sum),
            Node::Divides(divisor, sum) => (Constraint::Divides(divisor.clone(), terms.linear(*sum)), *sum),
            _ if terms.mentions(*item, symbols) => return None,
            _ => continue,
        };
        let form = terms.linear(sum);
        let is_plain = |term: TermId| matches!(terms.node(term), Node::Symbol(_));
        if form.terms().iter().any(|(term, _)| !is_plain(*term) && terms.mentions(*term, symbols)) {
            return None;
        }
        found.push(constraint);
    }
    Some(found)
}

/// The cases of a negated equation or divisibility that mentions one of the symbols, each with all other items.
pub(super) fn split_negation(
    terms: &mut Terms,
    items: &[TermId],
    symbols: &[SymbolId],
) -> Option<Vec<TermId>> {
    let is_negation =
        |item: &&TermId| matches!(terms.node(**item), Node::Not(_)) && terms.mentions(**item, symbols);
    let chosen = *items.iter().find(is_negation)?;
    let Node::Not(atom) = *terms.node(chosen) else { return None };
    let cases: Vec<TermId> = match terms.node(atom).clone() {
        Node::Zero(sum) => {
            let form = terms.linear(sum);
            let (below, above) =
                (form.add_constant(&Integer::ONE), form.negate().add_constant(&Integer::ONE));
            vec![terms.le_zero(&below), terms.le_zero(&above)]
        }
        Node::Divides(divisor, sum) => {
            let (form, most) = (terms.linear(sum), divisor.to_i64()?);
            let residue = |rest: i64| form.add_constant(&-Integer::from(rest));
            (1..most).map(|rest| terms.divides_linear(&divisor, &residue(rest))).collect()
        }
        _ => return None,
    };
    let rest = terms.and(items.iter().copied().filter(|item| *item != chosen));
    Some(cases.into_iter().map(|case| terms.and([case, rest])).collect())
}

/// What can take the place of one symbol.
pub(super) enum Instances {
    /// One of these values.
    Values(Vec<Fraction>),
    /// Something beyond all bounds, with one of these residues.
    Beyond(Direction, Vec<Integer>),
}

/// The symbol with the fewest instances (its position in `variables`), and all its instances if they are at most
/// `limit`.
pub(super) fn all_instances(
    constraints: &[Constraint],
    variables: &[TermId],
    limit: usize,
) -> Option<(usize, Instances)> {
    let index = cheapest(constraints, variables)?;
    let Occurrences { lower, upper, equation, period } = Occurrences::collect(constraints, variables[index]);
    if let Some(equation) = equation {
        let value = Fraction { numerator: equation.form, denominator: equation.coefficient };
        return Some((index, Instances::Values(vec![value])));
    }
    let period = small(&period, limit)?;
    if lower.is_empty() || upper.is_empty() {
        let direction = if lower.is_empty() { Direction::Down } else { Direction::Up };
        return Some((index, Instances::Beyond(direction, (0..period).map(Integer::from).collect())));
    }
    let from_below = weight(&lower) <= weight(&upper);
    let bounds = if from_below { lower } else { upper };
    small(&(weight(&bounds) * Integer::from(period)), limit)?;
    let mut values = Vec::new();
    for bound in bounds {
        // From a lower bound t/a: (t + r)/a + o for all residues r and offsets o; from an upper one (t - r)/a - o.
        let coefficient = small(&bound.coefficient, limit)?;
        for shift in 0..coefficient * period {
            let shift = if from_below { Integer::from(shift) } else { -Integer::from(shift) };
            let numerator: Linear = bound.form.add_constant(&shift);
            values.push(Fraction { numerator, denominator: bound.coefficient.clone() });
        }
    }
    Some((index, Instances::Values(values)))
}

/// The number as a machine word, if it is at most `limit`.
fn small(value: &Integer, limit: usize) -> Option<usize> {
    let word = usize::try_from(value.to_i64()?).ok()?;
    (word <= limit).then_some(word)
}
