//! Relations that an extension implies: the first step of [Bself21] §4.3.
//!
//! | type | relation |
//! |---|---|
//! | 1 | x = c |
//! | 2 | x ± y = a, x ± y = a·z |
//! | 3 | a ≤ x ≤ b and x ≡ a (mod b - a), where the extension says x = a and the one before x = b, or the other way round |
//! | 4 | a clause with x in the place of y, where x = y is implied |
//!
//! The paper asks for each relation by itself. Here all of types 1 and 2 that hold in one state are candidates, and each further state drops those that it breaks
//! ([`summary::joint`]). In type 3 the paper has x ≡ 0, which is implied only if b - a divides a.
//!
//! # Invariants
//! * L1: every relation of types 1, 2 and 4 is implied by the extension; of type 3, by the extension or by the one before it.

use smt::{Answer, Logic, Solver, Z3Solver};
use summary::joint::{Asserted, Candidate, survivors};
use term::{Evaluator, Integer, Model, Sort, Substitution, SymbolId, TermId, Terms};
use verdict::Reason;

/// Relations between more variables than this are not looked for.
const MAX_VARIABLES: usize = 8;
/// Up to so many variables x ± y = a·z is looked for, too.
const MAX_TRIPLES: usize = 5;

/// What an extension implies.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// Type 1, with the variable and its value.
    pub(super) constants: Vec<(SymbolId, Integer, TermId)>,
    /// Types 2 to 4.
    pub(super) others: Vec<TermId>,
}

/// A relation under test: sum = value.
struct Equation {
    term: TermId,
    kind: Kind,
}

enum Kind {
    Constant(SymbolId, Integer),
    /// Two variables with a constant difference.
    Difference(SymbolId, SymbolId, Integer),
    Other(Vec<SymbolId>),
}

/// The variables that formulas are about, as far as they are looked at.
pub(super) fn variables(terms: &Terms, live: &[SymbolId], first: &[TermId]) -> Vec<SymbolId> {
    let mentioned = terms.symbols_of_all(first);
    let is_integer = |symbol: &SymbolId| terms.symbol(*symbol).sort == Sort::Int;
    let mut found: Vec<SymbolId> =
        mentioned.into_iter().filter(|symbol| live.contains(symbol)).filter(is_integer).collect();
    found.extend(live.iter().copied().filter(is_integer));
    let mut seen = Vec::new();
    found.retain(|symbol| {
        !seen.contains(symbol) && {
            seen.push(*symbol);
            true
        }
    });
    found.truncate(MAX_VARIABLES);
    found
}

/// The relations that clauses imply, given a solver that knows what holds at the point, and what was constant before.
pub(super) fn relations(
    clauses: &[TermId],
    before: &[(SymbolId, Integer, TermId)],
    variables: &[SymbolId],
    solver: &mut Z3Solver,
    logic: &mut Logic,
) -> Result<Relations, Reason> {
    solver.push();
    for clause in clauses {
        solver.assert(&logic.terms, *clause);
    }
    let found = match solver.check(&logic.terms, &[], &mut logic.budget) {
        Answer::Sat(model) => implied(&model, variables, solver, logic),
        Answer::Unknown(smt::Why::Stopped(stop)) => Err(Reason::Stopped(stop)),
        Answer::Unsat(_) | Answer::Unknown(_) => Ok(Vec::new()),
    };
    solver.pop();
    let mut result = Relations::default();
    let terms = &mut logic.terms;
    let found = found?;
    for equation in &found {
        if let Kind::Constant(symbol, value) = &equation.kind {
            result.constants.push((*symbol, value.clone(), equation.term));
        }
    }
    let is_constant = |symbol: &SymbolId| result.constants.iter().any(|(constant, _, _)| constant == symbol);
    for equation in &found {
        match &equation.kind {
            Kind::Constant(..) => {}
            // What follows from type 1 says nothing new.
            Kind::Difference(x, y, _) if is_constant(x) || is_constant(y) => {}
            Kind::Other(symbols) if symbols.iter().any(is_constant) => {}
            Kind::Difference(..) | Kind::Other(_) => result.others.push(equation.term),
        }
    }
    let mut strides = Vec::new();
    for (symbol, now, _) in &result.constants {
        let earlier = before.iter().find(|(other, _, _)| other == symbol).map(|(_, value, _)| value);
        strides.extend(earlier.and_then(|earlier| stride(terms, *symbol, now, earlier)));
    }
    result.others.extend(strides);
    for equation in &found {
        if let Kind::Difference(x, y, value) = &equation.kind
            && value.is_zero()
        {
            renamed(terms, clauses, [*x, *y], &mut result.others);
        }
    }
    result.others.dedup();
    Ok(result)
}

/// Types 1 and 2 that hold in all models of a solver, of which one is given.
fn implied(
    model: &Model,
    variables: &[SymbolId],
    solver: &mut Z3Solver,
    logic: &mut Logic,
) -> Result<Vec<Equation>, Reason> {
    let equations = equations(&mut logic.terms, model, variables);
    let mut candidates = Vec::new();
    for equation in &equations {
        let broken = logic.terms.not(equation.term);
        candidates.push(Candidate { assumed: Terms::TRUE, broken });
    }
    let Logic { terms, budget, .. } = logic;
    let mut states = Asserted { terms, solver, budget };
    let kept = survivors(&mut states, &candidates).map_err(Reason::Stopped)?;
    let mut equations: Vec<Option<Equation>> = equations.into_iter().map(Some).collect();
    Ok(kept.into_iter().filter_map(|at| equations[at].take()).collect())
}

fn equations(terms: &mut Terms, model: &Model, variables: &[SymbolId]) -> Vec<Equation> {
    let mut found = Vec::new();
    let values: Vec<(SymbolId, TermId, Integer)> = variables
        .iter()
        .map(|symbol| {
            let term = terms.of_symbol(*symbol);
            (*symbol, term, Evaluator::new(terms, model).int(term))
        })
        .collect();
    for (symbol, term, value) in &values {
        let number = terms.number(value.clone());
        let equation = terms.eq(*term, number);
        found.push(Equation { term: equation, kind: Kind::Constant(*symbol, value.clone()) });
    }
    for (at, (x, x_term, x_value)) in values.iter().enumerate() {
        for (y, y_term, y_value) in &values[at + 1..] {
            let (difference, sum) = (terms.sub(*x_term, *y_term), terms.add(*x_term, *y_term));
            let parts = [(difference, x_value - y_value), (sum, x_value + y_value)];
            for (position, (form, value)) in parts.into_iter().enumerate() {
                let number = terms.number(value.clone());
                let term = terms.eq(form, number);
                let kind = if position == 0 {
                    Kind::Difference(*x, *y, value.clone())
                } else {
                    Kind::Other(vec![*x, *y])
                };
                found.push(Equation { term, kind });
                for (z, z_term, z_value) in &values {
                    let is_third = z != x && z != y && values.len() <= MAX_TRIPLES;
                    if !is_third || z_value.is_zero() || value.is_zero() || !z_value.divides(&value) {
                        continue;
                    }
                    let scaled = terms.scale(&value.div_floor(z_value), *z_term);
                    let term = terms.eq(form, scaled);
                    found.push(Equation { term, kind: Kind::Other(vec![*x, *y, *z]) });
                }
            }
        }
    }
    found
}

/// Type 3.
fn stride(terms: &mut Terms, symbol: SymbolId, a: &Integer, b: &Integer) -> Option<TermId> {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let width = high - low;
    if width.is_zero() || width.is_one() {
        return None;
    }
    let x = terms.of_symbol(symbol);
    let (least, most) = (terms.number(low.clone()), terms.number(high.clone()));
    let distance = terms.sub(x, least);
    let parts = [terms.le(least, x), terms.le(x, most), terms.divides(&width, distance)];
    Some(terms.and(parts))
}

/// Type 4: clauses with one of two equal variables in the place of the other.
fn renamed(terms: &mut Terms, clauses: &[TermId], [x, y]: [SymbolId; 2], found: &mut Vec<TermId>) {
    for (old, new) in [(x, y), (y, x)] {
        let new = terms.of_symbol(new);
        let mut substitution = Substitution::new([(old, new)]);
        for clause in clauses {
            let image = substitution.apply(terms, *clause);
            if image != *clause
                && image != Terms::TRUE
                && !clauses.contains(&image)
                && !found.contains(&image)
            {
                found.push(image);
            }
        }
    }
}
