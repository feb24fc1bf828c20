//! Events: an index that walks through an array meets the index of a cell in at most one iteration, which splits a loop in three.
//!
//! # Rule
//! A body tests a distance `d` between an index and that of a cell ([`graph::cells`]): `d = 0`, or, if an inner loop walks through a row, `-n < d <= 0`. The tests leave a window of distances at which
//! something happens. If `d` only grows, all iterations below the window come first, then those in it, then the others: `F* = (F ∧ d<low)* ∘ (F ∧ low<=d<=high)* ∘ (F ∧ high<d)*`, exactly. If it
//! grows by more than the window in every iteration, the one in the middle is executed at most once, and is taken as it is, choices included: so an element that is written in a loop is written exactly. A loop that
//! writes `a[2i]` and `a[2i+1]` meets a cell once.
//!
//! # Invariants
//! * E1: a split is returned only if the solver has shown that the distance never shrinks, and where the middle is executed once, that it always grows.
//!
//! # Cost
//! Two questions for each of [`MAX_GROUPS`] groups of distances.

use std::collections::BTreeSet;

use base::Stop;
use term::{Integer, Linear, Node, SymbolId, SymbolKind, TermId, Terms};

use super::{Decomposition, Split};
use crate::star::loop_body::LoopBody;
use crate::star::partial::PartialStar;
use crate::star::{Body, Event};
use encode::Transition;

/// Groups of distances that are tried.
const MAX_GROUPS: usize = 6;

/// The decomposition.
pub(super) struct Events;

impl Decomposition for Events {
    fn name(&self) -> &'static str {
        "events"
    }

    fn depth_of_parts(&self, depth: u32) -> Option<u32> {
        // The parts have fewer events.
        Some(depth)
    }

    fn split(&self, body: &mut LoopBody<'_>, _star: &PartialStar) -> Result<Option<Split>, Stop> {
        if body.definition.cells.is_empty() {
            return Ok(None);
        }
        for group in groups(body).into_iter().take(MAX_GROUPS) {
            if let Some(split) = split_by(body, group)? {
                body.statistics.phase_splits += 1;
                return Ok(Some(split));
            }
        }
        Ok(None)
    }
}

/// Tests of one distance.
struct Group {
    /// The distance.
    form: Linear,
    /// The tests.
    tests: Vec<Test>,
}

/// A test of a distance `d`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Test {
    atom: TermId,
    kind: TestKind,
    value: Integer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestKind {
    /// `d = value`.
    Equal,
    /// `d <= value`.
    AtMost,
    /// `d >= value`.
    AtLeast,
}

impl Test {
    /// The distances from which on its truth is another one than just below.
    fn breakpoints(&self) -> Vec<Integer> {
        let next = &self.value + &Integer::ONE;
        match self.kind {
            TestKind::Equal => vec![self.value.clone(), next],
            TestKind::AtMost => vec![next],
            TestKind::AtLeast => vec![self.value.clone()],
        }
    }
    /// Its truth for all distances of a range, if it is the same for all; a range without an end goes on for ever.
    fn truth(&self, from: Option<&Integer>, to: Option<&Integer>) -> Option<TermId> {
        let is_above = from.is_some_and(|from| from > &self.value);
        let is_below = to.is_some_and(|to| to < &self.value);
        let is_there = from == Some(&self.value) && to == Some(&self.value);
        let holds = match self.kind {
            TestKind::Equal if is_above || is_below => false,
            TestKind::Equal if is_there => true,
            TestKind::AtMost if is_above => false,
            TestKind::AtMost if to.is_some_and(|to| to <= &self.value) => true,
            TestKind::AtLeast if is_below => false,
            TestKind::AtLeast if from.is_some_and(|from| from >= &self.value) => true,
            _ => return None,
        };
        Some(if holds { Terms::TRUE } else { Terms::FALSE })
    }
    /// The same test of the negated distance.
    fn mirrored(&self) -> Self {
        let kind = match self.kind {
            TestKind::Equal => TestKind::Equal,
            TestKind::AtMost => TestKind::AtLeast,
            TestKind::AtLeast => TestKind::AtMost,
        };
        Self { atom: self.atom, kind, value: -&self.value }
    }
}

impl Group {
    /// The group with a distance that does not shrink, if there is a direction.
    fn growing(self, body: &mut LoopBody<'_>) -> Result<Option<Self>, Stop> {
        let distance = body.terms.of_linear(&self.form);
        let after = body.primed(distance);
        let shrinks = body.terms.lt(after, distance);
        if body.never(shrinks)? {
            return Ok(Some(self));
        }
        let grows = body.terms.gt(after, distance);
        if !body.never(grows)? {
            return Ok(None);
        }
        let tests = self.tests.iter().map(Test::mirrored).collect();
        Ok(Some(Self { form: self.form.negate(), tests }))
    }
}

/// The distances that the body tests, in groups.
fn groups(body: &mut LoopBody<'_>) -> Vec<Group> {
    let definition = body.definition.clone();
    let mut groups: Vec<Group> = Vec::new();
    for atom in tests(body.terms, &definition) {
        let (sum, is_equation) = match *body.terms.node(atom) {
            Node::Zero(sum) => (sum, true),
            Node::Le(sum) => (sum, false),
            _ => continue,
        };
        let form = body.terms.linear(sum);
        // A distance has two signs; the first coefficient decides which one is taken.
        let is_negative = form.terms().first().is_some_and(|(_, factor)| factor.is_negative());
        let constant = form.constant_part().clone();
        let distance = form.with_constant(Integer::ZERO);
        let (distance, kind, value) = match (is_equation, is_negative) {
            (true, false) => (distance, TestKind::Equal, -&constant),
            (true, true) => (distance.negate(), TestKind::Equal, constant),
            (false, false) => (distance, TestKind::AtMost, -&constant),
            (false, true) => (distance.negate(), TestKind::AtLeast, constant),
        };
        let test = Test { atom, kind, value };
        match groups.iter_mut().find(|group| group.form == distance) {
            Some(group) => group.tests.push(test),
            None => groups.push(Group { form: distance, tests: vec![test] }),
        }
    }
    groups
}

/// The tests of the body of distances between indices: those over variables some of which change, that mention a ghost, or decide what a cell becomes or says.
fn tests(terms: &mut Terms, body: &Body) -> Vec<TermId> {
    let mut roots: Vec<TermId> = vec![body.formula.guard];
    roots.extend(body.formula.update.values().copied());
    let mut cells: Vec<TermId> = body
        .formula
        .update
        .iter()
        .filter(|(symbol, _)| body.cells.contains(symbol))
        .map(|(_, value)| *value)
        .collect();
    let conjuncts = terms.conjuncts(body.formula.guard);
    let mut decided: BTreeSet<TermId> = BTreeSet::new();
    for conjunct in conjuncts {
        decided.extend([conjunct, terms.not(conjunct)]);
        if terms.symbols_of(conjunct).iter().any(|symbol| body.cells.contains(symbol)) {
            cells.push(conjunct);
        }
    }
    let deciding = terms.reachable(&cells);
    let is_test = |term: &TermId| {
        let is_equation = match *terms.node(*term) {
            Node::Zero(_) => true,
            Node::Le(_) => false,
            _ => return false,
        };
        let symbols = terms.symbols_of(*term);
        let is_plain = |symbol: &SymbolId| {
            terms.symbol(*symbol).kind == SymbolKind::Variable && !body.cells.contains(symbol)
        };
        // What holds in every iteration tells none from another: such are the conditions of the parts of an earlier split.
        !decided.contains(term)
            && symbols.iter().all(is_plain)
            && symbols.iter().any(|symbol| body.formula.update.contains_key(symbol))
            && (symbols.iter().any(|symbol| body.ghosts.contains(symbol))
                || is_equation && deciding.contains(term))
    };
    terms.reachable(&roots).into_iter().filter(is_test).collect()
}

/// Whether every iteration leaves a range of distances of some width.
fn leaves(body: &mut LoopBody<'_>, distance: TermId, width: &Integer) -> Result<bool, Stop> {
    let after = body.primed(distance);
    let width = body.terms.number(width - &Integer::ONE);
    let far = body.terms.add(distance, width);
    let stays = body.terms.le(after, far);
    body.never(stays)
}

/// The parts before, at and after an event: all tests together if the loop is past them after one iteration, else the first ones.
fn split_by(body: &mut LoopBody<'_>, group: Group) -> Result<Option<Split>, Stop> {
    let Some(group) = group.growing(body)? else { return Ok(None) };
    let breakpoints: BTreeSet<Integer> = group.tests.iter().flat_map(Test::breakpoints).collect();
    let mut ascending = breakpoints.into_iter();
    // A single threshold is a phase.
    let (Some(low), Some(second)) = (ascending.next(), ascending.next()) else { return Ok(None) };
    let last = ascending.next_back().unwrap_or_else(|| second.clone());
    let distance = body.terms.of_linear(&group.form);
    let (end, is_once) = if leaves(body, distance, &(&last - &low))? {
        (last, true)
    } else {
        let is_once = leaves(body, distance, &(&second - &low))?;
        (second, is_once)
    };
    let high = &end - &Integer::ONE;
    let definition = body.definition.clone();
    let terms = &mut *body.terms;
    let below_low = &low - &Integer::ONE;
    let (least, greatest) = (terms.number(low.clone()), terms.number(high.clone()));
    let (is_below, is_above) = (terms.lt(distance, least), terms.gt(distance, greatest));
    let fixed = |from: Option<&Integer>, to: Option<&Integer>| -> Vec<(TermId, TermId)> {
        group.tests.iter().filter_map(|test| Some((test.atom, test.truth(from, to)?))).collect()
    };
    let before = restricted(terms, &definition, is_below, &fixed(None, Some(&below_low)));
    let after = restricted(terms, &definition, is_above, &fixed(Some(&end), None));
    let (not_below, not_above) = (terms.not(is_below), terms.not(is_above));
    let is_between = terms.and([not_below, not_above]);
    let at = restricted(terms, &definition, is_between, &fixed(Some(&low), Some(&high)));
    if !is_once {
        return Ok(Some(Split::Passing(Box::new((before, at, after)))));
    }
    Ok(Some(Split::Once(Box::new(Event { before, at, after, distance, low, high }))))
}

/// The body where a condition holds, and with it the truth of some tests.
fn restricted(terms: &mut Terms, body: &Body, condition: TermId, fixed: &[(TermId, TermId)]) -> Body {
    let mut all = fixed.to_vec();
    for (atom, truth) in fixed {
        let (negation, opposite) = (terms.not(*atom), terms.not(*truth));
        all.push((negation, opposite));
    }
    let mut rule = |_: &mut Terms, part: TermId| {
        all.iter().find(|(atom, _)| *atom == part).map_or(part, |(_, truth)| *truth)
    };
    let guard = terms.rewrite(body.formula.guard, &mut rule);
    let update = body
        .formula
        .update
        .iter()
        .map(|(symbol, value)| (*symbol, terms.rewrite(*value, &mut rule)))
        .collect();
    let guard = terms.and([condition, guard]);
    Body { formula: Transition { guard, update }, ..body.clone() }
}
