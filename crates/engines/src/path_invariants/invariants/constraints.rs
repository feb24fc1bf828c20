//! Transitions without branching: the arcs of a path program as conjunctions of linear rows.
//!
//! # Paper
//! [PathInvariants06] §4.2, "Constraints on Template Parameters" and "Primed Program Variables and Array Symbols". The paper's transitions do not branch; an arc here may stand for several paths. It is split
//! into cubes: each is one way to satisfy the arc, with the values afterwards that belong to it. A cell of an array that may be written is a choice between the written value and the old one, so the cases
//! of equations 4a and 4b are cubes of their own, and "different from" is "below" or "above".
//!
//! # Invariants
//! * K1: the cubes of an arc together are the arc, under facts of its source. Divisibility, large bounds and what is not arithmetic are left out, so a cube may allow more.
//!
//! # Cost
//! A query for each cube; at most [`MAX_CUBES`] for an arc.

use std::collections::{BTreeMap, BTreeSet};

use graph::cut::{Arc, Graph, PointId};
use paths::gave_up;
use smt::{Answer, Logic, Solver, Why};
use term::{Constraint, Integer, Linear, Node, Sort, SymbolId, SymbolKind, TermId, Terms};
use verdict::Reason;

use super::farkas::{Form, Kind, Row, Says};

/// An arc with more cubes is too much for templates.
const MAX_CUBES: usize = 12;
/// Rows with larger numbers are bounds of types: they are left out.
const MAX_NUMBER: i64 = 1 << 30;
/// Of what is known at a point anyway rows with larger numbers are left out: they rarely matter, and every row is an unknown more.
const MAX_KNOWN: i64 = 1 << 10;

/// One way to go from a point to another one.
pub(super) struct Cube {
    pub(super) source: PointId,
    pub(super) target: PointId,
    /// The conditions.
    pub(super) rows: Vec<(Linear, Says)>,
    /// The values afterwards of variables that change.
    after: BTreeMap<SymbolId, Linear>,
}

impl Cube {
    /// The value of a variable afterwards.
    pub(super) fn value(&self, terms: &mut Terms, symbol: SymbolId) -> Linear {
        match self.after.get(&symbol) {
            Some(value) => value.clone(),
            None => Linear::monomial(terms.of_symbol(symbol), 1),
        }
    }

    /// Eliminates elements of arrays and other opaque terms that an equation defines: most often an element that is read is a cell.
    fn solve_opaque(&mut self, terms: &Terms) {
        let is_opaque = |term: &TermId| !matches!(terms.node(*term), Node::Symbol(_));
        let defined = |(form, says): &(Linear, Says)| {
            let mut candidates =
                form.terms().iter().filter(|(term, factor)| is_opaque(term) && factor.abs().is_one());
            candidates.next().filter(|_| *says == Says::Zero).cloned()
        };
        let mut at = 0;
        while let Some(row) = self.rows.get(at) {
            let Some((term, factor)) = defined(row) else {
                at += 1;
                continue;
            };
            let (form, _) = self.rows.remove(at);
            let rest = form.without(term);
            let value = if factor.is_one() { rest.negate() } else { rest };
            let rows = self.rows.iter_mut().map(|(form, _)| form);
            for form in rows.chain(self.after.values_mut()) {
                let factor = form.coefficient(term);
                *form = form.without(term).add_scaled(&value, &factor);
            }
            at = 0;
        }
    }

    /// The conditions as hypotheses.
    pub(super) fn hypotheses(&self, terms: &mut Terms) -> Vec<Row> {
        let rows = self.rows.iter();
        rows.map(|(form, says)| Row { form: Form::known(terms, form), says: *says, kind: Kind::Transition })
            .collect()
    }
}

/// All cubes of a graph; nothing if there are too many.
pub(super) fn cubes(graph: &Graph, logic: &mut Logic) -> Result<Option<Vec<Cube>>, Reason> {
    let mut all = Vec::new();
    for arc in &graph.arcs {
        match cubes_of(graph, arc, logic)? {
            Some(cubes) => all.extend(cubes),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

fn cubes_of(graph: &Graph, arc: &Arc, logic: &mut Logic) -> Result<Option<Vec<Cube>>, Reason> {
    let mut primed: BTreeMap<TermId, SymbolId> = BTreeMap::new();
    let terms = &mut logic.terms;
    let mut formula = terms.conjuncts(graph.points[arc.source].facts);
    formula.retain(|fact| match terms.node(*fact) {
        Node::Le(sum) | Node::Zero(sum) => is_within(&terms.linear(*sum), MAX_KNOWN),
        _ => true,
    });
    formula.push(arc.formula.guard);
    for (symbol, value) in &arc.formula.update {
        if terms.sort(*value) != Sort::Int || Some(arc.target) == graph.target {
            continue;
        }
        let info = terms.symbol(*symbol).clone();
        let after = terms.declare(info.name, Sort::Int, SymbolKind::Primed);
        let after = terms.of_symbol(after);
        primed.insert(after, *symbol);
        formula.push(terms.eq(after, *value));
    }
    let formula = terms.and(formula);
    let mut solver = logic.solvers.z3_solver();
    solver.assert(&logic.terms, formula);
    let mut found = Vec::new();
    loop {
        let model = match solver.check(&logic.terms, &[], &mut logic.budget) {
            Answer::Unsat(_) => return Ok(Some(found)),
            Answer::Sat(model) => model,
            Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
            Answer::Unknown(_) => return Ok(None),
        };
        if found.len() == MAX_CUBES {
            return Ok(None);
        }
        let terms = &mut logic.terms;
        let Some(literals) = terms.implicant(formula, &model) else { return Ok(None) };
        let cube = terms.linear_cube(&literals, &model);
        let all = terms.of_cube(&cube);
        let others = terms.not(all);
        solver.assert(terms, others);
        found.push(rows_of(terms, &cube.constraints, &primed, (arc.source, arc.target)));
    }
}

/// The rows of a conjunction, with the primed variables eliminated by their definitions.
fn rows_of(
    terms: &Terms,
    constraints: &[Constraint],
    primed: &BTreeMap<TermId, SymbolId>,
    (source, target): (PointId, PointId),
) -> Cube {
    let mut after: BTreeMap<SymbolId, Linear> =
        primed.iter().map(|(term, symbol)| (*symbol, Linear::monomial(*term, 1))).collect();
    let mut rows = Vec::new();
    for constraint in constraints {
        let (form, says) = match constraint {
            Constraint::AtMost(form) => (form, Says::AtMostZero),
            Constraint::Zero(form) => (form, Says::Zero),
            Constraint::Divides(..) => continue,
        };
        let mut defined = form.terms().iter().filter(|(term, _)| primed.contains_key(term));
        if let (Says::Zero, Some((term, factor)), None) = (says, defined.next(), defined.next())
            && factor.abs().is_one()
        {
            let rest = form.without(*term);
            after.insert(primed[term], if factor.is_one() { rest.negate() } else { rest });
        } else if is_within(form, MAX_NUMBER) {
            rows.push((form.clone(), says));
        }
    }
    let mut cube = Cube { source, target, rows, after };
    cube.solve_opaque(terms);
    cube
}

fn is_within(form: &Linear, bound: i64) -> bool {
    form.constant_part().abs() < Integer::from(bound)
}

/// The variables of the program on which the error may depend: those of the steps to the error and of conditions on ghosts, and those from which their values are computed. Rows about
/// others are removed.
pub(super) fn relevant(terms: &Terms, graph: &Graph, cubes: &mut [Cube]) -> Vec<SymbolId> {
    let variables = |form: &Linear| -> Vec<SymbolId> {
        let symbols = form.terms().iter().filter_map(|(column, _)| match *terms.node(*column) {
            Node::Symbol(symbol) => Some(symbol),
            _ => None,
        });
        symbols.filter(|symbol| terms.symbol(*symbol).kind == SymbolKind::Variable).collect()
    };
    let is_ghost = |symbol: &SymbolId| graph.cells.ghosts.contains(symbol);
    let mut found: BTreeSet<SymbolId> = BTreeSet::new();
    for cube in &*cubes {
        for (form, _) in &cube.rows {
            let symbols = variables(form);
            if Some(cube.target) == graph.target || symbols.iter().any(is_ghost) {
                found.extend(symbols);
            }
        }
    }
    let mut open: Vec<SymbolId> = found.iter().copied().collect();
    while let Some(symbol) = open.pop() {
        for value in cubes.iter().filter_map(|cube| cube.after.get(&symbol)) {
            open.extend(variables(value).into_iter().filter(|symbol| found.insert(*symbol)));
        }
    }
    for cube in &mut *cubes {
        cube.rows.retain(|(form, _)| variables(form).iter().all(|symbol| found.contains(symbol)));
    }
    found.into_iter().collect()
}

/// The largest constant of the rows, at least one.
pub(super) fn largest_constant(cubes: &[Cube]) -> Integer {
    let forms =
        cubes.iter().flat_map(|cube| cube.rows.iter().map(|(form, _)| form).chain(cube.after.values()));
    forms.map(|form| form.constant_part().abs()).max().unwrap_or(Integer::ONE).max(Integer::ONE)
}
