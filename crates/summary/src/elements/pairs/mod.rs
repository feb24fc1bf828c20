//! Facts about pairs of elements: sorted parts of arrays, and elements that are extreme.
//!
//! `for all k, l: 0 <= k && k < l && l < i implies a[k] <= a[l]` needs two ghosts. Candidates come from a few shapes ([`shapes`]) over the places that the program mentions ([`places`]); of these the largest
//! set is kept that every arc preserves, and of that set what a comparison of two elements needs.
//!
//! # Paper
//! Joint candidates are [Houdini01] ([`crate::joint`]). Instances instead of quantifiers: Bradley, Manna and Sipma, VMCAI 2006. Two distinguished cells for sorting: Monniaux and Gonnord, SAS 2016.
//!
//! # Invariants
//! * J1: at every point the facts of the sources, at the listed pairs of indices, imply those of the target on every arc that does not lead to the target of the graph.
//! * J2: no arc compares two elements of an array that it does not change: nothing is asked, and the graph is as it was.
//!
//! # Cost
//! A question for each model that breaks candidates, arc and round; then one for each fact that is needed and arc into its point. At most [`EFFORT`] ticks in all: then nothing is known.

mod places;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use base::{Budget, IndexVec, Stop};
use cfa::Program;
use encode::polynomial;
use graph::cells::read_through;
use graph::cut::{ArcId, Graph, PointId};
use graph::elements::Pairs;
use smt::{Answer, Core, Solver, Why, Z3, Z3Solver};
use term::{Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use self::places::Places;
use super::forms::push;
use super::{reads, reads_of};
use crate::joint::{Asserted, Candidate, survivors};

/// Ticks for the facts of a graph.
const EFFORT: u64 = 8_000;
/// Indices at which facts are used on one arc, beside the ghosts.
const MAX_INDICES: usize = 6;
/// Comparisons of elements that are decided on one arc.
const MAX_COMPARISONS: usize = 4;
/// Arrays whose elements are compared with each other.
const MAX_ARRAYS: usize = 2;

/// A fact about pairs of elements of an array, or about the places that such facts mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PairFact {
    array: SymbolId,
    /// Over the ghosts and variables.
    formula: TermId,
    /// How many of the ghosts it mentions, the first ones.
    ghosts: usize,
}

/// Finds facts about pairs of elements, and uses them where two elements are compared.
pub(super) fn add_pairs(
    graph: &mut Graph,
    program: &Program,
    terms: &mut Terms,
    solvers: &Z3,
    budget: &mut Budget,
) -> Result<(), Stop> {
    let comparisons = comparisons(graph, terms);
    let arrays: BTreeSet<SymbolId> = comparisons.iter().map(|comparison| comparison.array).collect();
    if graph.target.is_none() || arrays.is_empty() {
        return Ok(());
    }
    let ghosts = ["k", "l"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
    let mut followed = Vec::new();
    for array in arrays.into_iter().take(MAX_ARRAYS) {
        followed.push((array, places::places(graph, terms, array)));
    }
    let facts = graph.points.iter().map(|_| Vec::new()).collect();
    let mut child = budget.child(EFFORT);
    let mut search = Search { graph, program, terms, solvers, ghosts, budget: &mut child, facts };
    let found = search.settle(&followed).and_then(|()| search.gains(&comparisons));
    budget.absorb(&child);
    match found {
        Ok(found) => {
            use_gains(graph, terms, ghosts, found);
            Ok(())
        }
        Err(Stop::Ticks) => budget.poll(),
        Err(stop) => Err(stop),
    }
}

/// A condition on an arc that compares two elements of an array that the arc does not change.
struct Comparison {
    arc: ArcId,
    array: SymbolId,
    atom: TermId,
}

fn comparisons(graph: &Graph, terms: &Terms) -> Vec<Comparison> {
    let mut found = Vec::new();
    for (arc, content) in graph.arcs.iter_enumerated() {
        let formula = &content.formula;
        let mut roots: Vec<TermId> = formula.update.values().copied().collect();
        roots.push(formula.guard);
        let mut left = MAX_COMPARISONS;
        for atom in terms.reachable(&roots) {
            let Node::Le(sum) = *terms.node(atom) else { continue };
            let form = terms.linear(sum);
            let [(first, _), (second, _)] = form.terms() else { continue };
            let (Node::Select(one, _), Node::Select(other, _)) = (terms.node(*first), terms.node(*second))
            else {
                continue;
            };
            let Node::Symbol(array) = *terms.node(*one) else { continue };
            let is_read = one == other && graph.vocabulary.var(array).is_some();
            if is_read && left > 0 && !formula.update.contains_key(&array) {
                left -= 1;
                found.push(Comparison { arc, array, atom });
            }
        }
    }
    found
}

/// What the facts say of an arc.
enum Gain {
    /// A condition holds.
    Holds(ArcId, TermId),
    /// It is never taken.
    Never(ArcId),
}

/// What is gained, and what of the facts it needs.
#[derive(Default)]
struct Found {
    gains: Vec<Gain>,
    /// Facts by point.
    needed: BTreeMap<PointId, Vec<TermId>>,
    /// The pairs of indices at which they are used.
    indices: BTreeMap<PointId, Vec<[TermId; 2]>>,
}

/// A fact of the source of an arc at two indices.
struct Instance {
    formula: TermId,
    fact: TermId,
    indices: [TermId; 2],
}

struct Search<'a> {
    graph: &'a Graph,
    program: &'a Program,
    terms: &'a mut Terms,
    solvers: &'a Z3,
    ghosts: [SymbolId; 2],
    budget: &'a mut Budget,
    facts: IndexVec<PointId, Vec<PairFact>>,
}

impl Search<'_> {
    /// The facts of every point, loop by loop (J1): those of earlier loops are known where candidates of a later one are made.
    fn settle(&mut self, followed: &[(SymbolId, Places)]) -> Result<(), Stop> {
        let mut next = 0;
        while (next as usize) < self.graph.points.len() {
            let part = self.graph.points[PointId(next)].body.clone().unwrap_or(next..next + 1);
            for point in part.clone().map(PointId) {
                for (array, places) in followed {
                    let own = shapes::candidates(
                        self.graph,
                        self.terms,
                        self.ghosts,
                        (*array, places),
                        point,
                        &self.facts,
                    );
                    self.facts[point].extend(own);
                }
            }
            self.settle_part(&part)?;
            next = part.end;
        }
        Ok(())
    }

    /// Drops candidates of some points until all arcs to them preserve the rest.
    fn settle_part(&mut self, part: &Range<u32>) -> Result<(), Stop> {
        let graph = self.graph;
        let is_inside = |arc: &ArcId| {
            let target = graph.arcs[*arc].target;
            part.contains(&target.0) && Some(target) != graph.target
        };
        let mut pending: BTreeSet<ArcId> = graph.arcs.ids().filter(is_inside).collect();
        while let Some(arc) = pending.pop_first() {
            let target = graph.arcs[arc].target;
            if self.facts[target].is_empty() {
                continue;
            }
            let kept = self.preserved(arc)?;
            if kept.len() < self.facts[target].len() {
                let before = std::mem::take(&mut self.facts[target]);
                self.facts[target] = kept.into_iter().map(|position| before[position]).collect();
                pending.extend(graph.points[target].outgoing.iter().copied().filter(is_inside));
            }
        }
        Ok(())
    }

    /// Which facts of its target an arc preserves.
    fn preserved(&mut self, arc: ArcId) -> Result<Vec<usize>, Stop> {
        let target = self.graph.arcs[arc].target;
        let goals: Vec<TermId> = self.facts[target].iter().map(|fact| fact.formula).collect();
        let goals = self.after(arc, &goals);
        let instances = self.instances(arc, &goals);
        let mut solver = self.start(arc, &goals);
        for instance in &instances {
            solver.assert(self.terms, instance.formula);
        }
        let mut candidates = Vec::new();
        for goal in goals {
            candidates.push(Candidate { assumed: Terms::TRUE, broken: self.terms.not(goal) });
        }
        let mut step = Asserted { terms: self.terms, solver: &mut solver, budget: self.budget };
        survivors(&mut step, &candidates)
    }

    /// Formulas over the values at the end of an arc as formulas over those at its start.
    fn after(&mut self, arc: ArcId, formulas: &[TermId]) -> Vec<TermId> {
        let mut after = self.graph.arcs[arc].formula.substitution();
        let mut goals = Vec::new();
        for formula in formulas {
            let goal = after.apply(self.terms, *formula);
            goals.push(read_through(self.terms, goal));
        }
        goals
    }

    /// A solver that knows what an arc does, and where it starts.
    fn start(&mut self, arc: ArcId, roots: &[TermId]) -> Z3Solver {
        let graph = self.graph;
        let formula = &graph.arcs[arc].formula;
        let known = graph.points[graph.arcs[arc].source].facts;
        let mut all = roots.to_vec();
        all.extend([known, formula.guard]);
        let start = self.terms.and([known, formula.guard]);
        let everything = self.terms.and(all.iter().copied());
        let typing = encode::typing(self.program, self.terms, &graph.vocabulary, everything);
        let links = polynomial::product_links(self.terms, &graph.vocabulary, &all);
        let mut solver = self.solvers.z3_solver();
        for part in [start, typing, links] {
            solver.assert(self.terms, part);
        }
        solver
    }

    /// The facts where an arc starts, at the ghosts and at the indices that the arc and the given terms read.
    fn instances(&mut self, arc: ArcId, roots: &[TermId]) -> Vec<Instance> {
        let mut all = reads(self.terms, self.graph, &self.graph.arcs[arc].formula);
        all.extend(reads_of(self.terms, self.graph, roots));
        let ghosts = self.ghosts.map(|ghost| self.terms.of_symbol(ghost));
        let mut indices: BTreeMap<SymbolId, Vec<TermId>> = BTreeMap::new();
        for (_, array, index) in all {
            let known = indices.entry(array).or_insert_with(|| ghosts.to_vec());
            if known.len() < MAX_INDICES + 2 {
                push(known, index);
            }
        }
        let mut met = BTreeSet::new();
        let mut found = Vec::new();
        for fact in &self.facts[self.graph.arcs[arc].source] {
            let places = indices.get(&fact.array).cloned().unwrap_or_else(|| ghosts.to_vec());
            let (first, second) = match fact.ghosts {
                0 => (&ghosts[..1], &ghosts[1..]),
                1 => (&places[..], &ghosts[1..]),
                _ => (&places[..], &places[..]),
            };
            for one in first {
                for other in second {
                    let pairs = self.ghosts.into_iter().zip([*one, *other]);
                    let formula = Substitution::new(pairs).apply(self.terms, fact.formula);
                    if formula != Terms::TRUE && met.insert(formula) {
                        found.push(Instance { formula, fact: fact.formula, indices: [*one, *other] });
                    }
                }
            }
        }
        found
    }

    /// The comparisons that the facts decide, and the facts and pairs of indices that this needs.
    fn gains(&mut self, comparisons: &[Comparison]) -> Result<Found, Stop> {
        let mut found = Found::default();
        let mut open: Vec<(PointId, TermId)> = Vec::new();
        for (position, comparison) in comparisons.iter().enumerate() {
            let arc = comparison.arc;
            let is_last = Some(self.graph.arcs[arc].target) == self.graph.target;
            if is_last {
                let is_first = comparisons[..position].iter().all(|earlier| earlier.arc != arc);
                if is_first && self.needs(arc, Terms::TRUE, &mut found, &mut open)? {
                    found.gains.push(Gain::Never(arc));
                }
                continue;
            }
            let opposite = self.terms.not(comparison.atom);
            for (condition, against) in [(comparison.atom, opposite), (opposite, comparison.atom)] {
                if self.needs(arc, against, &mut found, &mut open)? {
                    found.gains.push(Gain::Holds(arc, condition));
                    break;
                }
            }
        }
        while let Some((point, fact)) = open.pop() {
            let known = found.needed.entry(point).or_default();
            if known.contains(&fact) {
                continue;
            }
            known.push(fact);
            for arc in self.graph.arcs.ids() {
                if self.graph.arcs[arc].target == point {
                    let goal = self.after(arc, &[fact])[0];
                    let broken = self.terms.not(goal);
                    self.needs(arc, broken, &mut found, &mut open)?;
                }
            }
        }
        Ok(found)
    }

    /// Whether the facts exclude a condition on an arc that is possible without them; those that do so are noted.
    fn needs(
        &mut self,
        arc: ArcId,
        condition: TermId,
        found: &mut Found,
        open: &mut Vec<(PointId, TermId)>,
    ) -> Result<bool, Stop> {
        let source = self.graph.arcs[arc].source;
        let instances = self.instances(arc, &[condition]);
        let mut solver = self.start(arc, &[condition]);
        solver.assert(self.terms, condition);
        let assumed: Vec<TermId> = instances.iter().map(|instance| instance.formula).collect();
        let core = match solver.check(self.terms, &assumed, self.budget) {
            Answer::Unsat(Core(core)) => core,
            Answer::Unknown(Why::Stopped(stop)) => return Err(stop),
            Answer::Sat(_) | Answer::Unknown(_) => return Ok(false),
        };
        let mut is_needed = false;
        for instance in instances.iter().filter(|instance| core.contains(&instance.formula)) {
            open.push((source, instance.fact));
            push(found.indices.entry(source).or_default(), instance.indices);
            is_needed = true;
        }
        Ok(is_needed)
    }
}

/// Puts what is gained into the arcs.
fn use_gains(graph: &mut Graph, terms: &mut Terms, ghosts: [SymbolId; 2], found: Found) {
    if found.gains.is_empty() {
        return;
    }
    for gain in found.gains {
        match gain {
            Gain::Holds(arc, condition) => {
                let formula = &mut graph.arcs[arc].formula;
                formula.guard = terms.and([formula.guard, condition]);
            }
            Gain::Never(arc) => graph.arcs[arc].formula = encode::Transition::empty(),
        }
    }
    graph.elements.pairs = Pairs { ghosts: Some(ghosts), facts: found.needed, indices: found.indices };
}
