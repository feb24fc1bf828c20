//! Facts about all elements of arrays, forwards: found jointly, proved, and used where elements are read.
//!
//! What loops write suggests candidates ([`candidates`]); of these the largest set is kept that every arc preserves. A read `a[u]` of which the facts tell the value is then that value, for example a
//! number, and a loop that adds up elements is a loop over integers.
//!
//! A loop may store what another one adds up, so facts about variables ([`equations`]) are found together with those about elements.
//!
//! # Paper
//! Joint candidates are [Houdini01] ([`crate::joint`]). Instances instead of quantifiers: Bradley, Manna and Sipma, VMCAI 2006.
//!
//! # Invariants
//! * J1: at every point the facts of the sources, at the ghost and at what is read, imply those of the target on every arc. Arcs into the target of the graph do not count: what is known
//!   holds whether or not the error is reached.
//! * J2: no element is read on the way to the target, or no loop writes elements that others read: nothing is asked, and the graph is as it was.
//!
//! # Cost
//! At most a question for each candidate, arc into its point and round; rounds are at most as many as candidates. At most [`EFFORT`] ticks in all: then nothing is known.

mod candidates;
mod equations;
mod forms;
mod nested;
mod pairs;
mod recurrence;

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, IndexVec, Stop};
use cfa::Program;
use encode::polynomial;
use graph::cells::read_through;
use graph::cut::{ArcId, Graph, PointId};
use graph::elements::{ElementFact, Elements, Relation};
use smt::{Answer, Solver, Why, Z3};
use term::{Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use crate::joint::{Asserted, Candidate, settle, survivors};

/// Ticks for the facts of a graph.
const EFFORT: u64 = 4_000;
/// Indices at which facts are used on one arc.
const MAX_INDICES: usize = 12;

/// Finds facts about all elements and about pairs of them, and uses them in the arcs of a graph.
pub fn add_elements(
    graph: &mut Graph,
    program: &Program,
    terms: &mut Terms,
    solvers: &Z3,
    budget: &mut Budget,
) -> Result<(), Stop> {
    add_values(graph, program, terms, solvers, budget)?;
    pairs::add_pairs(graph, program, terms, solvers, budget)
}

/// Facts about single elements.
fn add_values(
    graph: &mut Graph,
    program: &Program,
    terms: &mut Terms,
    solvers: &Z3,
    budget: &mut Budget,
) -> Result<(), Stop> {
    if !is_wanted(graph, terms) {
        return Ok(());
    }
    let ghost = terms.declare("k", Sort::Int, SymbolKind::Variable);
    let candidates = candidates::candidates(graph, terms, ghost);
    let is_about_elements = |fact: &Fact| matches!(fact, Fact::Elements(_));
    if !candidates.iter().flatten().any(is_about_elements) {
        return Ok(());
    }
    let mut child = budget.child(EFFORT);
    let mut search = Search { graph, program, terms, solvers, ghost, budget: &mut child, facts: candidates };
    let found = search.settle().and_then(|()| search.uses());
    let facts = search.facts;
    budget.absorb(&child);
    let uses = match found {
        Ok(uses) => uses,
        Err(Stop::Ticks) => return budget.poll(),
        Err(stop) => return Err(stop),
    };
    use_facts(graph, terms, ghost, &facts, uses);
    Ok(())
}

/// J2: whether a loop writes an array from which an arc reads.
fn is_wanted(graph: &Graph, terms: &mut Terms) -> bool {
    let mut written: BTreeSet<SymbolId> = BTreeSet::new();
    let mut read: BTreeSet<SymbolId> = BTreeSet::new();
    for arc in &graph.arcs {
        if arc.source == arc.target {
            let arrays =
                arc.formula.update.keys().copied().filter(|symbol| terms.symbol(*symbol).sort == Sort::Array);
            written.extend(arrays);
        }
        read.extend(reads(terms, graph, &arc.formula).into_iter().map(|(_, array, _)| array));
    }
    graph.target.is_some() && !written.is_disjoint(&read)
}

/// The elements of arrays of the program that a formula reads: the term, the array and the index.
fn reads(terms: &Terms, graph: &Graph, formula: &encode::Transition) -> Vec<(TermId, SymbolId, TermId)> {
    let mut roots: Vec<TermId> = formula.update.values().copied().collect();
    roots.push(formula.guard);
    reads_of(terms, graph, &roots)
}

fn reads_of(terms: &Terms, graph: &Graph, roots: &[TermId]) -> Vec<(TermId, SymbolId, TermId)> {
    let mut found = Vec::new();
    for term in terms.reachable(roots) {
        let Node::Select(array, index) = *terms.node(term) else { continue };
        let Node::Symbol(symbol) = *terms.node(array) else { continue };
        if graph.vocabulary.var(symbol).is_some() {
            found.push((term, symbol, index));
        }
    }
    found
}

/// What is known at a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fact {
    /// Of all elements of an array.
    Elements(ElementFact),
    /// Of variables, with products as terms.
    Variables(TermId),
}

impl Fact {
    /// What it says of the element at an index; of variables the same for all indices.
    fn at(self, terms: &mut Terms, ghost: SymbolId, index: TermId) -> TermId {
        match self {
            Self::Elements(fact) => fact.at(terms, ghost, index),
            Self::Variables(fact) => fact,
        }
    }

    fn elements(&self) -> Option<&ElementFact> {
        match self {
            Self::Elements(fact) => Some(fact),
            Self::Variables(_) => None,
        }
    }
}

/// What a fact says of a read, and where.
struct Use {
    arc: ArcId,
    /// At which index; `None` where facts about variables are enough.
    index: Option<TermId>,
    gain: Gain,
}

enum Gain {
    /// The read is this value.
    Value { read: TermId, value: TermId },
    /// A condition holds.
    Holds(TermId),
    /// The arc is never taken.
    Never,
    /// Nothing that is linear, but facts of the next point follow from it.
    Later,
}

struct Search<'a> {
    graph: &'a Graph,
    program: &'a Program,
    terms: &'a mut Terms,
    solvers: &'a Z3,
    ghost: SymbolId,
    budget: &'a mut Budget,
    facts: IndexVec<PointId, Vec<Fact>>,
}

impl Search<'_> {
    /// Drops candidates until all arcs preserve the rest (J1).
    fn settle(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        let mut facts = std::mem::take(&mut self.facts);
        let settled = settle(graph, &mut facts, |arc, facts| {
            if Some(graph.arcs[arc].target) == graph.target {
                Ok(Vec::new())
            } else {
                self.preserved(arc, facts)
            }
        });
        self.facts = facts;
        settled
    }

    /// Which facts of its target an arc preserves.
    fn preserved(&mut self, arc: ArcId, facts: &IndexVec<PointId, Vec<Fact>>) -> Result<Vec<usize>, Stop> {
        let target = self.graph.arcs[arc].target;
        let formula = self.graph.arcs[arc].formula.clone();
        let index = self.terms.of_symbol(self.ghost);
        let mut after = formula.substitution();
        let mut goals = Vec::new();
        for fact in &facts[target] {
            let goal = fact.at(self.terms, self.ghost, index);
            let goal = after.apply(self.terms, goal);
            goals.push(read_through(self.terms, goal));
        }
        let start = self.start(arc, facts, &goals);
        let mut solver = self.solvers.z3_solver();
        solver.assert(self.terms, start);
        let mut candidates = Vec::new();
        for goal in goals {
            candidates.push(Candidate { assumed: Terms::TRUE, broken: self.terms.not(goal) });
        }
        let mut step = Asserted { terms: self.terms, solver: &mut solver, budget: self.budget };
        survivors(&mut step, &candidates)
    }

    /// What holds where an arc starts: with the facts at the ghost, and at the indices that the arc and the given terms read.
    fn start(&mut self, arc: ArcId, facts: &IndexVec<PointId, Vec<Fact>>, roots: &[TermId]) -> TermId {
        let graph = self.graph;
        let source = graph.arcs[arc].source;
        let formula = &graph.arcs[arc].formula;
        let mut parts = vec![graph.points[source].facts, formula.guard];
        let mut all = reads(self.terms, graph, formula);
        all.extend(reads_of(self.terms, graph, roots));
        let mut indices: BTreeMap<SymbolId, Vec<TermId>> = BTreeMap::new();
        for (_, array, index) in all {
            let known = indices.entry(array).or_default();
            if !known.contains(&index) && known.len() < MAX_INDICES {
                known.push(index);
            }
        }
        for fact in &facts[source] {
            match fact {
                Fact::Elements(fact) => {
                    for index in indices.get(&fact.array).into_iter().flatten() {
                        parts.push(fact.at(self.terms, self.ghost, *index));
                    }
                }
                Fact::Variables(fact) => parts.push(*fact),
            }
        }
        let start = self.terms.and(parts);
        let typing = encode::typing(self.program, self.terms, &graph.vocabulary, start);
        let mut all = roots.to_vec();
        all.push(start);
        let links = polynomial::product_links(self.terms, &graph.vocabulary, &all);
        self.terms.and([start, typing, links])
    }

    fn is_refuted(&mut self, solver: &mut impl Solver, formula: TermId) -> Result<bool, Stop> {
        match solver.check(self.terms, &[formula], self.budget) {
            Answer::Unsat(_) => Ok(true),
            Answer::Unknown(Why::Stopped(stop)) => Err(stop),
            Answer::Sat(_) | Answer::Unknown(_) => Ok(false),
        }
    }

    /// Whether the facts exclude an arc.
    fn is_excluded(&mut self, arc: ArcId) -> Result<bool, Stop> {
        let facts = std::mem::take(&mut self.facts);
        let start = self.start(arc, &facts, &[]);
        self.facts = facts;
        let mut solver = self.solvers.z3_solver();
        self.is_refuted(&mut solver, start)
    }

    /// The reads of which the facts tell something.
    fn uses(&mut self) -> Result<Vec<Use>, Stop> {
        let mut found = Vec::new();
        for arc in self.graph.arcs.ids() {
            let source = self.graph.arcs[arc].source;
            let all = reads(self.terms, self.graph, &self.graph.arcs[arc].formula);
            let is_told = |(_, array, _): &(TermId, SymbolId, TermId)| {
                self.facts[source].iter().filter_map(Fact::elements).any(|fact| fact.array == *array)
            };
            let told: Vec<_> = all.into_iter().filter(is_told).take(MAX_INDICES).collect();
            let is_last = Some(self.graph.arcs[arc].target) == self.graph.target;
            if is_last && !self.facts[source].is_empty() && self.is_excluded(arc)? {
                found.push(Use { arc, index: None, gain: Gain::Never });
                found.extend(told.iter().map(|(_, _, index)| Use {
                    arc,
                    index: Some(*index),
                    gain: Gain::Never,
                }));
                continue;
            }
            if told.is_empty() {
                continue;
            }
            // Without the facts: where they contradict the guard, every condition would seem to hold, and the reads that show it would be gone.
            let mut solver = self.solvers.z3_solver();
            let start = self.terms.and([self.graph.points[source].facts, self.graph.arcs[arc].formula.guard]);
            let typing = encode::typing(self.program, self.terms, &self.graph.vocabulary, start);
            solver.assert(self.terms, start);
            solver.assert(self.terms, typing);
            for (read, array, index) in told {
                let facts = self.facts[source].iter().filter_map(Fact::elements);
                let facts: Vec<ElementFact> = facts.filter(|fact| fact.array == array).copied().collect();
                let before = found.len();
                for fact in facts {
                    let Some(gain) = self.gain(&mut solver, &fact, read, index)? else { continue };
                    let is_told = matches!(gain, Gain::Value { .. });
                    found.push(Use { arc, index: Some(index), gain });
                    if is_told {
                        break;
                    }
                }
                // Where only a part of the arc is told something, facts of its target may still need it.
                let target = self.graph.arcs[arc].target;
                if found.len() == before && !self.facts[target].is_empty() {
                    found.push(Use { arc, index: Some(index), gain: Gain::Later });
                }
            }
        }
        Ok(found)
    }

    /// What a fact says of a read, if its condition holds there.
    fn gain(
        &mut self,
        solver: &mut impl Solver,
        fact: &ElementFact,
        read: TermId,
        index: TermId,
    ) -> Result<Option<Gain>, Stop> {
        let mut there = Substitution::new([(self.ghost, index)]);
        let condition = there.apply(self.terms, fact.condition);
        let outside = self.terms.not(condition);
        if !self.is_refuted(solver, outside)? {
            return Ok(None);
        }
        let vocabulary = &self.graph.vocabulary;
        let said = match fact.relation {
            Relation::Equal => there.apply(self.terms, fact.value),
            Relation::AtLeast | Relation::AtMost => fact.at(self.terms, self.ghost, index),
        };
        let said = polynomial::with_symbols(self.terms, vocabulary, said);
        Ok(Some(match fact.relation {
            _ if polynomial::has_product(self.terms, said) => Gain::Later,
            Relation::Equal => Gain::Value { read, value: said },
            Relation::AtLeast | Relation::AtMost => Gain::Holds(said),
        }))
    }
}

/// Puts the values in the place of the reads, and bounds into the guards.
fn use_facts(
    graph: &mut Graph,
    terms: &mut Terms,
    ghost: SymbolId,
    facts: &IndexVec<PointId, Vec<Fact>>,
    uses: Vec<Use>,
) {
    if uses.is_empty() {
        return;
    }
    let mut indices: BTreeMap<PointId, Vec<TermId>> = BTreeMap::new();
    let mut values: BTreeMap<ArcId, BTreeMap<TermId, TermId>> = BTreeMap::new();
    for Use { arc, index, gain } in uses {
        let known = indices.entry(graph.arcs[arc].source).or_default();
        if let Some(index) = index
            && !known.contains(&index)
        {
            known.push(index);
        }
        match gain {
            Gain::Value { read, value } => {
                values.entry(arc).or_default().insert(read, value);
            }
            Gain::Holds(condition) => {
                let formula = &mut graph.arcs[arc].formula;
                formula.guard = terms.and([formula.guard, condition]);
            }
            Gain::Later => {}
            Gain::Never => graph.arcs[arc].formula = encode::Transition::empty(),
        }
    }
    for (arc, values) in values {
        let formula = &mut graph.arcs[arc].formula;
        let mut put =
            |term: TermId| terms.rewrite(term, |_, part| values.get(&part).copied().unwrap_or(part));
        formula.guard = put(formula.guard);
        for value in formula.update.values_mut() {
            *value = put(*value);
        }
    }
    let mut of_elements: BTreeMap<PointId, Vec<ElementFact>> = BTreeMap::new();
    for (point, facts) in facts.iter_enumerated() {
        for fact in facts {
            match fact {
                Fact::Elements(fact) => of_elements.entry(point).or_default().push(*fact),
                Fact::Variables(fact) => state(graph, terms, point, *fact),
            }
        }
    }
    let facts = of_elements;
    graph.elements = Elements { ghost: Some(ghost), facts, indices, ..Elements::default() };
}

/// States a fact about variables at a point: what engines work on is linear, proofs need not be.
fn state(graph: &mut Graph, terms: &mut Terms, point: PointId, fact: TermId) {
    let linear = polynomial::with_symbols(terms, &graph.vocabulary, fact);
    let content = &mut graph.points[point];
    content.cases = terms.and([content.cases, linear]);
    if !polynomial::has_product(terms, linear) {
        content.facts = terms.and([content.facts, linear]);
    }
}
