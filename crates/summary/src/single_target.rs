//! Single-target summaries: for every point a formula that every state from which the error can be reached satisfies.
//!
//! # Paper
//! [Gps25] §6.1 computes path expressions to one target for all vertices by running Tarjan's algorithm on the reversed graph. Here the
//! weak topological order takes that place: components are processed backwards, a loop by summarising its body once
//! ([`crate::star`]) as a relation at its head. Loops with several exits or entries need no special case: what matters is that every cycle
//! of the component goes through the head.
//!
//! ```text
//!   component (head h, rest B):    E(p) = leave the component from p without visiting h       Exit = arcs of h into E or outside
//!                                  T(p) = from p to h                                          F    = arcs of h into T
//!                                  R(h) = F* ; Exit                                            R(p) = leave, or T(p) ; R(h)
//! ```
//!
//! # Invariants
//! * T1: if an execution leads from a state X at point p to the error, then there are Skolem constants Z with R(p)(X,Z).
//! * T2: for each arc p → q with guard G and update m: `facts(p)(X) ∧ G(X,Z) ∧ R(q)(m(X,Z), Z)` implies one of the [`Reach::instances`]
//!   of R(p). So the complements of R are an inductive annotation, and proving it needs no quantifier.
//! * T3: on one path through a formula no Skolem constant occurs with two meanings: what a loop's exit repeats of its body has symbols of its own.
//! * T4: every loop body is starred once, whatever the number of paths on which the loop is met.
//! * T5: where R is computed for a range of points, the continuations are the formulas of the points outside of it and of those that are done.
//!
//! # Cost
//! What leads out of a loop without its head is computed for the points where the loops inside are entered, which are their heads unless the
//! program has jumps into loops ([`Wanted`]). So a nest of depth d takes about d² / 2 unions over the arcs of a loop, not 2^d.

use std::collections::BTreeMap;

use base::{Budget, IndexVec, Stop};

use term::{Substitution, SymbolId, SymbolKind, TermId, Terms};

use crate::continuations::Continuations;
use crate::star::{Body, Star, Stars};
use crate::starts::starts;
use encode::Transition;
use graph::cut::{Conditions, ENTRY, Graph, PointId};
use graph::direction::Over;

/// The states of a point from which the error may be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Over the variables and Skolem constants, the latter existential.
    pub formula: TermId,
    /// What to choose for the Skolem constants of the formula, given those of a successor (T2). Symbols not mentioned stay.
    pub instances: Vec<Vec<(SymbolId, TermId)>>,
}

impl Reach {
    /// What is known without a summary: from every state that satisfies the facts of the point the error may be reached.
    pub fn anything(facts: TermId) -> Over<Self> {
        Over::by_construction(Self { formula: facts, instances: vec![Vec::new()] })
    }
}

/// The summaries of all points of a graph.
#[derive(Debug)]
pub struct Summaries {
    reach: IndexVec<PointId, Over<Reach>>,
    stars: BTreeMap<PointId, Over<Star>>,
}

impl Summaries {
    /// Computes them.
    pub fn new(
        graph: &Graph,
        terms: &mut Terms,
        stars: &mut Stars,
        budget: &mut Budget,
    ) -> Result<Self, Stop> {
        let mut builder = Builder::new(graph, terms, stars, budget);
        let outside: BTreeMap<PointId, TermId> = BTreeMap::new();
        let count = graph.points.len() as u32;
        let reach = builder.reach(0, count, &outside, Wanted::All)?;
        let stars = builder.known_stars;
        let mut all = IndexVec::new();
        for point in graph.points.ids() {
            all.push(Over::by_construction(reach[&point].clone()));
        }
        Ok(Self { reach: all, stars })
    }
    /// The states of a point that may reach the error.
    pub fn reach(&self, point: PointId) -> &Over<Reach> {
        &self.reach[point]
    }
    /// Those of the entry.
    pub fn root(&self) -> &Over<Reach> {
        &self.reach[ENTRY]
    }
    /// The summaries of loops, by their heads.
    pub fn stars(&self) -> &BTreeMap<PointId, Over<Star>> {
        &self.stars
    }
}

/// The relation between the values at the entry of a graph and those at its target, over all paths: the summary of a procedure if the target is its
/// exit. Skolem constants are existential.
///
/// # Cost
/// That of the relations of loop bodies: every loop is starred once.
pub fn relation_to_target(
    graph: &Graph,
    terms: &mut Terms,
    stars: &mut Stars,
    budget: &mut Budget,
) -> Result<Over<Transition>, Stop> {
    let Some(target) = graph.target else { return Ok(Over::by_construction(Transition::empty())) };
    let facts = Transition::assume(graph.points[target].facts);
    let mut builder = Builder::new(graph, terms, stars, budget);
    let mut ways = BTreeMap::from([(target, facts)]);
    let count = graph.points.len() as u32;
    builder.relations(0, target.0, &mut ways)?;
    debug_assert_eq!(target.0 + 1, count, "G3: the target should be the last point");
    let entry = ways.get(&ENTRY).cloned().unwrap_or_else(Transition::empty);
    Ok(Over::by_construction(entry))
}

/// One iteration of the loop of a head as one relation: from the head back to it. Loops inside are summarised.
pub fn iteration(
    graph: &Graph,
    head: PointId,
    terms: &mut Terms,
    stars: &mut Stars,
    budget: &mut Budget,
) -> Result<Over<Transition>, Stop> {
    let end = graph.points[head].body.as_ref().map_or(head.0 + 1, |body| body.end);
    let mut builder = Builder::new(graph, terms, stars, budget);
    Ok(Over::by_construction(builder.body(head, end)?))
}

/// Which points of a range are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// All of them.
    All,
    /// Those that arcs from outside of their loops lead to.
    Entries,
}

struct Builder<'a> {
    graph: &'a Graph,
    terms: &'a mut Terms,
    stars: &'a mut Stars,
    budget: &'a mut Budget,
    /// T4
    known_stars: BTreeMap<PointId, Over<Star>>,
    /// The names that the exit of a loop has for what its body chooses: the same wherever the loop is met, so that instances fit (T2). A loop around it may choose by them
    /// what its own body chose.
    copies: BTreeMap<(PointId, SymbolId), SymbolId>,
    /// T5
    continuations: Continuations,
    conditions: Option<Conditions>,
}

impl<'a> Builder<'a> {
    fn new(graph: &'a Graph, terms: &'a mut Terms, stars: &'a mut Stars, budget: &'a mut Budget) -> Self {
        Self {
            graph,
            terms,
            stars,
            budget,
            known_stars: BTreeMap::new(),
            copies: BTreeMap::new(),
            continuations: Continuations::default(),
            conditions: None,
        }
    }

    /// R(p) for the wanted points of `from..to`, which are whole components, given R for the points to which arcs leave that range. A point without
    /// entry does not reach the error, or is not wanted.
    fn reach(
        &mut self,
        from: u32,
        to: u32,
        outside: &BTreeMap<PointId, TermId>,
        wanted: Wanted,
    ) -> Result<BTreeMap<PointId, Reach>, Stop> {
        let mut known = outside.clone();
        let mut result: BTreeMap<PointId, Reach> = BTreeMap::new();
        let mark = self.continuations.mark();
        for (head, end) in self.components(from, to).into_iter().rev() {
            self.budget.tick()?;
            let reach = if self.graph.points[head].body.is_some() {
                let reach = self.reach_of_head(head, end, &known)?;
                known.insert(head, reach.formula);
                self.continuations.add(self.terms, reach.formula);
                if wanted == Wanted::All || self.is_entered_inside(head, end) {
                    for (point, reach) in self.reach(head.0 + 1, end, &known, wanted)? {
                        known.insert(point, reach.formula);
                        self.continuations.add(self.terms, reach.formula);
                        result.insert(point, reach);
                    }
                }
                reach
            } else {
                let formula =
                    if Some(head) == self.graph.target { Terms::TRUE } else { self.arcs_to(head, &known) };
                let formula = self.terms.and([self.graph.points[head].facts, formula]);
                known.insert(head, formula);
                self.continuations.add(self.terms, formula);
                Reach { formula, instances: vec![Vec::new()] }
            };
            result.insert(head, reach);
        }
        self.continuations.return_to(mark);
        Ok(result)
    }

    /// The components of a range of points: a head with the end of its loop, or a single point.
    fn components(&self, from: u32, to: u32) -> Vec<(PointId, u32)> {
        let mut components = Vec::new();
        let mut at = from;
        while at < to {
            let end = self.graph.points[PointId(at)].body.as_ref().map_or(at + 1, |body| body.end);
            components.push((PointId(at), end));
            at = end;
        }
        components
    }

    /// Whether an arc from outside leads into a loop, but not to its head.
    fn is_entered_inside(&self, head: PointId, end: u32) -> bool {
        let inside = head.0 + 1..end;
        let is_outside = |point: PointId| point.0 < head.0 || point.0 >= end;
        self.graph.arcs.iter().any(|arc| inside.contains(&arc.target.0) && is_outside(arc.source))
    }

    /// One arc from `point`, then the formula of where it leads.
    fn arcs_to(&mut self, point: PointId, known: &BTreeMap<PointId, TermId>) -> TermId {
        let mut ways = Vec::new();
        for arc in &self.graph.points[point].outgoing {
            let arc = &self.graph.arcs[*arc];
            if let Some(goal) = known.get(&arc.target) {
                ways.push(arc.formula.before(self.terms, *goal));
            }
        }
        self.terms.or(ways)
    }

    fn reach_of_head(
        &mut self,
        head: PointId,
        end: u32,
        known: &BTreeMap<PointId, TermId>,
    ) -> Result<Reach, Stop> {
        self.make_star(head, end)?;
        // Leaving without coming back to the head: the head itself is no way out.
        let mut away = known.clone();
        away.remove(&head);
        for (point, reach) in self.reach(head.0 + 1, end, &away, Wanted::Entries)? {
            away.insert(point, reach.formula);
        }
        let exit = self.arcs_to(head, &away);
        debug_assert!(known.keys().all(|point| !self.graph.in_loop(head, *point)), "T5");
        let (exit, renaming) = self.rename_own(exit, head);
        let star = self.known_stars[&head].pruning();
        let way = star.formula.before(self.terms, exit);
        let formula = self.terms.and([self.graph.points[head].facts, way]);
        let mut none = star.none.clone();
        none.extend(renaming);
        let mut instances = star.more.clone();
        instances.push(none);
        Ok(Reach { formula, instances })
    }

    /// Gives the Skolem constants that `formula` has beyond those of the continuations new names (T3). Also returns which new symbol stands for which
    /// old one.
    fn rename_own(&mut self, formula: TermId, head: PointId) -> (TermId, Vec<(SymbolId, TermId)>) {
        let mut pairs = Vec::new();
        let mut renaming = Vec::new();
        for symbol in self.continuations.own(self.terms, formula) {
            let copy = self.copy_at(head, symbol);
            let (old_term, new_term) = (self.terms.of_symbol(symbol), self.terms.of_symbol(copy));
            pairs.push((symbol, new_term));
            renaming.push((copy, old_term));
        }
        let Self { terms, continuations, .. } = self;
        let is_theirs = |term| continuations.contains(term);
        (Substitution::new(pairs).apply_beyond(terms, formula, is_theirs), renaming)
    }

    /// Computes the star of a loop, unless it is known.
    fn make_star(&mut self, head: PointId, end: u32) -> Result<(), Stop> {
        if self.known_stars.contains_key(&head) {
            return Ok(());
        }
        let formula = self.body(head, end)?;
        let point = &self.graph.points[head];
        let conditions = self.conditions.get_or_insert_with(|| self.graph.conditions(self.terms));
        let hints = conditions.over(&point.live);
        let cells = &self.graph.cells;
        let body = Body {
            formula,
            facts: point.facts,
            live: point.live.clone(),
            hints,
            starts: starts(self.graph, head, self.terms),
            ghosts: cells.ghosts.clone(),
            cells: cells.cells.iter().map(|cell| cell.symbol).collect(),
        };
        let star = self.stars.star(self.terms, &body, self.budget)?;
        self.known_stars.insert(head, star);
        Ok(())
    }

    /// The relation of one iteration: from the head back to it.
    fn body(&mut self, head: PointId, end: u32) -> Result<Transition, Stop> {
        let mut back: BTreeMap<PointId, Transition> = BTreeMap::new();
        back.insert(head, Transition::identity());
        self.relations(head.0 + 1, end, &mut back)?;
        Ok(self.arcs_into(head, &back))
    }

    /// T(p) for the entries of loops and the other points of `from..to`, given the relations for the points outside.
    fn relations(
        &mut self,
        from: u32,
        to: u32,
        back: &mut BTreeMap<PointId, Transition>,
    ) -> Result<(), Stop> {
        for (head, end) in self.components(from, to).into_iter().rev() {
            self.budget.tick()?;
            let facts = Transition::assume(self.graph.points[head].facts);
            let way = if self.graph.points[head].body.is_some() {
                self.make_star(head, end)?;
                let mut away = back.clone();
                self.relations(head.0 + 1, end, &mut away)?;
                let exit = self.arcs_into(head, &away);
                let exit = self.rename_exit(&exit, back, head);
                let star = self.known_stars[&head].pruning().formula.clone();
                let way = star.then(self.terms, &exit);
                back.insert(head, facts.then(self.terms, &way));
                if self.is_entered_inside(head, end) {
                    self.relations(head.0 + 1, end, back)?;
                }
                continue;
            } else {
                self.arcs_into(head, back)
            };
            back.insert(head, facts.then(self.terms, &way));
        }
        Ok(())
    }

    /// As [`Self::rename_own`], for a relation.
    fn rename_exit(
        &mut self,
        exit: &Transition,
        continuations: &BTreeMap<PointId, Transition>,
        head: PointId,
    ) -> Transition {
        let mut theirs: Vec<SymbolId> = Vec::new();
        for point in self.graph.points.ids() {
            if let Some(relation) = continuations.get(&point) {
                theirs.extend(relation.symbols(self.terms));
            }
        }
        let mut pairs = Vec::new();
        for symbol in exit.symbols(self.terms) {
            if self.terms.symbol(symbol).kind != SymbolKind::Variable && !theirs.contains(&symbol) {
                let copy = self.copy_at(head, symbol);
                pairs.push((symbol, self.terms.of_symbol(copy)));
            }
        }
        let mut substitution = Substitution::new(pairs);
        let guard = substitution.apply(self.terms, exit.guard);
        let update = exit
            .update
            .iter()
            .map(|(symbol, value)| (*symbol, substitution.apply(self.terms, *value)))
            .collect();
        Transition { guard, update }
    }

    /// The symbol that the exit of a loop has in place of one of its own.
    fn copy_at(&mut self, head: PointId, symbol: SymbolId) -> SymbolId {
        if let Some(copy) = self.copies.get(&(head, symbol)) {
            return *copy;
        }
        let info = self.terms.symbol(symbol).clone();
        let copy = self.terms.declare(info.name, info.sort, info.kind);
        self.copies.insert((head, symbol), copy);
        copy
    }

    fn arcs_into(&mut self, point: PointId, back: &BTreeMap<PointId, Transition>) -> Transition {
        let mut union = Transition::empty();
        for arc in self.graph.points[point].outgoing.iter().rev() {
            let arc = &self.graph.arcs[*arc];
            if let Some(rest) = back.get(&arc.target) {
                let way = arc.formula.then(self.terms, rest);
                union = union.or(self.terms, &way);
            }
        }
        union
    }
}
