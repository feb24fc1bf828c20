//! Path invariants from the summaries of a path program.
//!
//! R(p) describes all states of a point from which the error may be reached. If no state of the entry is one of them, then the complements of R are inductive (T2 of
//! `summary::single_target`): they are a path invariant, once the Skolem constants of R are eliminated.
//!
//! # Paper
//! [PathInvariants06] §4.1: any analysis of path programs may be used. This one is that of [Gps25] §6.
//!
//! # Cost
//! One star for each loop of the path program, and one elimination for each of its points.

use std::collections::BTreeMap;

use base::IndexVec;
use graph::cells::read_through;
use graph::cut::ENTRY;
use paths::gave_up;
use smt::{Answer, Logic, Why, check_formula, project};
use summary::{StarOptions, Stars, Summaries};
use term::{Node, SymbolId, SymbolKind, TermId, Terms};
use verdict::Reason;

use super::Invariant;
use crate::path_invariants::path_program::PathProgram;

/// An invariant with more conjuncts at a point would slow down the abstraction.
const MAX_CONJUNCTS: usize = 40;

/// The complements of the summaries, if these exclude the error.
pub(super) fn invariant(
    path: &PathProgram,
    star: StarOptions,
    logic: &mut Logic,
) -> Result<Option<Invariant>, Reason> {
    let graph = &path.graph;
    let Logic { terms, solvers, budget } = &mut *logic;
    let mut stars = Stars::new(solvers.clone(), star);
    let summaries = Summaries::new(graph, terms, &mut stars, budget).map_err(Reason::Stopped)?;
    let root = summaries.reach(ENTRY).pruning().formula;
    match check_formula(&mut solvers.z3_solver(), terms, root, budget) {
        Answer::Unsat(_) => {}
        Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
        Answer::Sat(_) | Answer::Unknown(_) => return Ok(None),
    }
    let mut invariant: Invariant = IndexVec::filled(Vec::new(), graph.points.len());
    for point in graph.points.ids() {
        if point == ENTRY || Some(point) == graph.target {
            continue;
        }
        let reach = summaries.reach(point).pruning().formula;
        let Some(conjuncts) = complement(reach, graph.points[point].facts, logic)? else { return Ok(None) };
        invariant[point] = conjuncts;
    }
    Ok(Some(invariant))
}

/// That no choice of the Skolem constants satisfies a formula, in conjuncts; what the point knows anyway is left out.
fn complement(formula: TermId, facts: TermId, logic: &mut Logic) -> Result<Option<Vec<TermId>>, Reason> {
    let Logic { terms, solvers, budget } = logic;
    let known = terms.conjuncts(facts);
    let parts: Vec<TermId> =
        terms.conjuncts(formula).into_iter().filter(|part| !known.contains(part)).collect();
    let formula = terms.and(parts);
    let formula = without_chosen_elements(terms, formula);
    let chosen = chosen_of(terms, formula);
    let mut solver = solvers.z3_solver();
    smt::Solver::assert(&mut solver, terms, facts);
    let states = match project::eliminate(&mut solver, terms, formula, &chosen, budget) {
        Ok(states) => states,
        Err(project::Failure::Stopped(stop)) => return Err(Reason::Stopped(stop)),
        Err(_) => return Ok(None),
    };
    let excluded = terms.not(states);
    let excluded = terms.nnf(excluded);
    let conjuncts: Vec<TermId> =
        terms.conjuncts(excluded).into_iter().filter(|part| *part != Terms::TRUE).collect();
    Ok((conjuncts.len() <= MAX_CONJUNCTS).then_some(conjuncts))
}

/// The Skolem constants of a formula.
fn chosen_of(terms: &Terms, formula: TermId) -> Vec<SymbolId> {
    let is_chosen =
        |symbol: &SymbolId| !matches!(terms.symbol(*symbol).kind, SymbolKind::Variable | SymbolKind::Address);
    terms.symbols_of(formula).into_iter().filter(is_chosen).collect()
}

/// The formula with a Skolem constant for every element, product and equation between arrays that depends on one: elimination knows linear arithmetic only. The result
/// allows more.
fn without_chosen_elements(terms: &mut Terms, formula: TermId) -> TermId {
    let formula = read_through(terms, formula);
    let chosen = chosen_of(terms, formula);
    let mut names: BTreeMap<TermId, TermId> = BTreeMap::new();
    terms.rewrite(formula, |terms, part| {
        let is_opaque = matches!(terms.node(part), Node::Select(..) | Node::Product(_) | Node::Same(..));
        if !is_opaque || !terms.mentions(part, &chosen) {
            return part;
        }
        *names.entry(part).or_insert_with(|| {
            let sort = terms.sort(part);
            let symbol = terms.fresh("element", sort, SymbolKind::Skolem);
            terms.of_symbol(symbol)
        })
    })
}
