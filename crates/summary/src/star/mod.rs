//! Star: what any number of iterations of a loop body may do.
//!
//! # Paper
//! [Gps25] §6: the over-approximate reflexive transitive closure of algebraic program analysis. The result is a product of domains, each in a
//! file of its own; the number of iterations `k` is a Skolem constant of the result.
//!
//! ```text
//!   k = 0 and nothing changes, or
//!   k >= 1 and  closed forms and guards of first and last iteration    (recurrence)
//!          and  what each domain finds                                 (domain)
//!   unless a decomposition finds the star of simpler loops first       (decomposition)
//! ```
//!
//! # Invariants
//! * K1: `S(0)` includes the identity; with F the body, `F ∘ S(k)` implies `S(k+1)` and `S(k) ∘ F` implies `S(k+1)`, for states that satisfy
//!   the facts of the loop head. Each domain guarantees it by itself, so the product does.
//! * K2: [`Star::none`] turns the formula into one that the identity satisfies; if F leads from X to Y and the formula holds from Y to Z,
//!   then one of [`Star::more`] turns it into one that holds from X to Z.
//!
//! # Cost
//! One star asks the solver for at most the effort of [`StarOptions`], parts of the loop included; the size of the result is linear in that of the body
//! and in the number of facts, and grows by a constant factor with each level of splitting.

mod decomposition;
mod domain;
mod hull;
mod loop_body;
mod once;
mod partial;
mod predicates;
mod recurrence;
mod simplify;
mod statistics;
mod template;
mod wrap_around;

use std::collections::BTreeMap;

use base::{Budget, Stop};
use encode::Transition;
use graph::direction::Over;
use smt::Z3;
use term::{Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use crate::starts::Start;
pub use decomposition::{Compose, DECOMPOSITIONS, Decomposition, Split};
pub use domain::{DOMAINS, DOMAINS_WITHOUT_CONGRUENCES, StarDomain};
use loop_body::Effort;
pub use loop_body::LoopBody;
pub use once::Event;
pub use partial::{PartialStar, StarFacts, Witnessed};
pub use recurrence::{Increment, Recurrences};
pub use statistics::StarStatistics;

/// A loop body at its head.
#[derive(Clone, Debug)]
pub struct Body {
    /// One iteration.
    pub formula: Transition,
    /// What holds at the head whenever it is reached.
    pub facts: TermId,
    /// The variables that matter at the head, ascending.
    pub live: Vec<SymbolId>,
    /// Conditions that matter elsewhere: candidates for what iterations preserve.
    pub hints: Vec<TermId>,
    /// Numbers with which the loop is entered.
    pub starts: Vec<Start>,
    /// Indices that never change, and the elements of arrays that are followed ([`graph::cells`]).
    pub ghosts: Vec<SymbolId>,
    /// The symbols of these elements.
    pub cells: Vec<SymbolId>,
}

/// The summary of any number of iterations.
#[derive(Clone, Debug)]
pub struct Star {
    /// The relation; its own Skolem constants are the number of iterations, and the values afterwards of variables without closed form.
    pub formula: Transition,
    /// The number of iterations.
    pub count: TermId,
    /// What to choose for the Skolem constants for no iteration.
    pub none: Vec<(SymbolId, TermId)>,
    /// What to choose for one iteration more, in front.
    pub more: Vec<Vec<(SymbolId, TermId)>>,
    /// Whether the relation is exactly the closure.
    pub exact: bool,
}

/// What stars are made of, and what they may cost.
#[derive(Clone, Copy, Debug)]
pub struct StarOptions {
    /// The domains, in the order in which they are asked.
    pub domains: &'static [&'static dyn StarDomain],
    /// The decompositions, in the order in which they are tried.
    pub decompositions: &'static [&'static dyn Decomposition],
    /// How deep a loop is split, splits of its parts included.
    pub depth: u32,
    /// How many ticks the questions of one loop may take; beyond that its summary is weaker.
    pub effort: u64,
}

impl Default for StarOptions {
    fn default() -> Self {
        Self { domains: DOMAINS, decompositions: DECOMPOSITIONS, depth: 2, effort: 20_000 }
    }
}

impl StarOptions {
    /// All but the domains of congruences, to measure what these contribute.
    pub fn without_congruences() -> Self {
        Self { domains: DOMAINS_WITHOUT_CONGRUENCES, ..Self::default() }
    }
}

/// Computes stars.
pub struct Stars {
    solvers: Z3,
    options: StarOptions,
    statistics: StarStatistics,
    /// Ticks that the star at hand may still spend.
    effort: u64,
}

impl Stars {
    /// Asks solvers made by `solvers`.
    pub fn new(solvers: Z3, options: StarOptions) -> Self {
        Self { solvers, options, statistics: StarStatistics::default(), effort: 0 }
    }

    /// What the stars so far were made of, and where they had to be weaker.
    pub fn statistics(&self) -> StarStatistics {
        self.statistics
    }

    /// The star of a loop body.
    pub fn star(&mut self, terms: &mut Terms, body: &Body, budget: &mut Budget) -> Result<Over<Star>, Stop> {
        self.effort = self.options.effort;
        let body = body.of_live();
        let star = if body.cells.is_empty() {
            self.star_within(terms, &body, self.options.depth, budget)?
        } else {
            // Cells say what matters of arrays; what the loop leaves in the other elements is not followed.
            let (integers, elements) = body.without_arrays(terms);
            let star = self.star_within(terms, &integers, self.options.depth, budget)?;
            star.with_arrays(terms, &body, &elements)
        };
        self.statistics.stars += 1;
        self.statistics.exact += u64::from(star.exact);
        Ok(Over::by_construction(star))
    }

    /// What one domain finds by itself, over names for the values of all variables that change: for its law test.
    pub fn facts(
        &mut self,
        domain: &dyn StarDomain,
        terms: &mut Terms,
        body: &Body,
        budget: &mut Budget,
    ) -> Result<(PartialStar, StarFacts), Stop> {
        self.effort = self.options.effort;
        let body = body.of_live();
        let star = PartialStar::of_names(terms, &body);
        let mut body = self.loop_body(terms, budget, &body);
        let found = if body.is_executed()? { domain.facts(&mut body, &star)? } else { StarFacts::default() };
        Ok((star, found))
    }

    fn loop_body<'a>(
        &'a mut self,
        terms: &'a mut Terms,
        budget: &'a mut Budget,
        body: &Body,
    ) -> LoopBody<'a> {
        let effort = Effort { budget, left: &mut self.effort };
        LoopBody::new(self.solvers.clone(), terms, effort, &mut self.statistics, body)
    }

    fn star_within(
        &mut self,
        terms: &mut Terms,
        body: &Body,
        depth: u32,
        budget: &mut Budget,
    ) -> Result<Star, Stop> {
        let quick = PartialStar::of_recurrences(terms, body);
        if quick.exact {
            return Ok(quick.into_star(terms));
        }
        let options = self.options;
        let mut body = self.loop_body(terms, budget, body);
        if !body.is_executed()? {
            return Ok(Star::identity(terms));
        }
        body.definition = simplify::simplify(&mut body)?;
        let mut partial = PartialStar::of_recurrences(body.terms, &body.definition);
        if partial.exact {
            return Ok(partial.into_star(terms));
        }
        let split = find_split(&mut body, &partial, options, depth)?;
        let definition = body.into_definition();
        if let Some((split, depth)) = split {
            let star = self.star_of_parts(terms, split, depth, budget)?;
            if star.exact {
                return Ok(star);
            }
            partial = PartialStar::over(star);
        }
        // A solver of its own: the first one knows the body as it was before it was simplified.
        let mut body = self.loop_body(terms, budget, &definition);
        body.is_executed()?;
        for domain in options.domains {
            let found = domain.facts(&mut body, &partial)?;
            partial.add(body.terms, found);
        }
        Ok(partial.into_star(terms))
    }

    /// The star of a body by those of its parts.
    fn star_of_parts(
        &mut self,
        terms: &mut Terms,
        split: Split,
        depth: u32,
        budget: &mut Budget,
    ) -> Result<Star, Stop> {
        match split {
            Split::Known(star) => Ok(star),
            Split::One(part, compose) => {
                let star = self.star_within(terms, &part, depth, budget)?;
                Ok(compose(terms, &star))
            }
            Split::Sequence([first, second]) => {
                let first = self.star_within(terms, &first, depth, budget)?;
                let second = self.star_within(terms, &second, depth, budget)?;
                Ok(first.then(terms, &second))
            }
            Split::Passing(parts) => {
                let (before, at, after) = *parts;
                let before = self.star_within(terms, &before, depth, budget)?;
                let at = self.star_within(terms, &at, depth, budget)?;
                let after = self.star_within(terms, &after, depth, budget)?;
                let both = before.then(terms, &at);
                Ok(both.then(terms, &after))
            }
            Split::Once(event) => {
                if let Some(star) = Star::of_event(terms, &event) {
                    return Ok(star);
                }
                let Event { before, at, after, .. } = *event;
                let before = self.star_within(terms, &before, depth, budget)?;
                let at = Star::at_most_once(terms, &at);
                let after = self.star_within(terms, &after, depth, budget)?;
                let both = before.then(terms, &at);
                Ok(both.then(terms, &after))
            }
        }
    }
}

/// The parts of a body by the first decomposition that applies, and how deep they may be split again.
fn find_split(
    body: &mut LoopBody<'_>,
    star: &PartialStar,
    options: StarOptions,
    depth: u32,
) -> Result<Option<(Split, u32)>, Stop> {
    for decomposition in options.decompositions {
        let Some(depth) = decomposition.depth_of_parts(depth) else { continue };
        if let Some(split) = decomposition.split(body, star)? {
            return Ok(Some((split, depth)));
        }
    }
    Ok(None)
}

impl Body {
    /// The body without what an iteration leaves in variables that nobody reads again.
    fn of_live(&self) -> Self {
        let formula = self.formula.clone().restricted_to(|symbol| self.live.binary_search(&symbol).is_ok());
        Self { formula, ..self.clone() }
    }
}

impl Body {
    /// The body without what an iteration does to arrays; elements that it reads are choices, which are returned with what they stand for.
    fn without_arrays(&self, terms: &mut Terms) -> (Self, Vec<(SymbolId, TermId)>) {
        let mut elements: Vec<(SymbolId, TermId)> = Vec::new();
        let mut choose = |terms: &mut Terms, term: TermId| {
            terms.rewrite(term, |terms, part| {
                if !matches!(terms.node(part), Node::Select(..)) {
                    return part;
                }
                let known = elements.iter().find(|(_, element)| *element == part).map(|(symbol, _)| *symbol);
                let symbol = known.unwrap_or_else(|| {
                    let symbol = terms.fresh("element", Sort::Int, SymbolKind::Skolem);
                    elements.push((symbol, part));
                    symbol
                });
                terms.of_symbol(symbol)
            })
        };
        let guard = choose(terms, self.formula.guard);
        let mut update = BTreeMap::new();
        for (symbol, value) in &self.formula.update {
            if terms.symbol(*symbol).sort != Sort::Array {
                update.insert(*symbol, choose(terms, *value));
            }
        }
        (Self { formula: Transition { guard, update }, ..self.clone() }, elements)
    }
}

impl Star {
    /// The same with arbitrary contents of the arrays that the body changes, unless there is no iteration. What is chosen for one iteration more may be an element.
    fn with_arrays(mut self, terms: &mut Terms, body: &Body, elements: &[(SymbolId, TermId)]) -> Self {
        let mut read = Substitution::new(elements.iter().copied());
        for value in self.more.iter_mut().flatten().map(|(_, value)| value) {
            *value = read.apply(terms, *value);
        }
        // Two iterations that read the same element may choose different values.
        self.exact &= elements.is_empty();
        let zero = terms.int(0);
        let is_none = terms.eq(self.count, zero);
        let not_none = terms.not(is_none);
        for symbol in body.formula.update.keys() {
            let info = terms.symbol(*symbol).clone();
            if info.sort != Sort::Array {
                continue;
            }
            let after = terms.declare(info.name, Sort::Array, SymbolKind::Primed);
            let (before, after_term) = (terms.of_symbol(*symbol), terms.of_symbol(after));
            let same = terms.eq(before, after_term);
            let unchanged = terms.or([not_none, same]);
            self.formula.guard = terms.and([self.formula.guard, unchanged]);
            self.formula.update.insert(*symbol, after_term);
            self.none.push((after, before));
            self.exact = false;
        }
        self
    }

    /// The star of a loop that never iterates.
    fn identity(terms: &mut Terms) -> Self {
        Self {
            formula: Transition::identity(),
            count: terms.int(0),
            none: Vec::new(),
            more: vec![Vec::new()],
            exact: true,
        }
    }

    /// The star of a body that is executed at most once in a row. What it chooses has names of its own here, so that another iteration of the loop may choose otherwise.
    fn at_most_once(terms: &mut Terms, body: &Body) -> Self {
        let counter = terms.fresh("k", Sort::Int, SymbolKind::Counter);
        let count = terms.of_symbol(counter);
        let (zero, one) = (terms.int(0), terms.int(1));
        let (mut pairs, mut once) = (Vec::new(), vec![(counter, one)]);
        for symbol in body.formula.symbols(terms) {
            let info = terms.symbol(symbol).clone();
            if info.kind != SymbolKind::Variable {
                let copy = terms.declare(info.name, info.sort, info.kind);
                pairs.push((symbol, terms.of_symbol(copy)));
                once.push((copy, terms.of_symbol(symbol)));
            }
        }
        let mut rename = Substitution::new(pairs);
        let (is_none, is_once) = (terms.eq(count, zero), terms.eq(count, one));
        let guard = rename.apply(terms, body.formula.guard);
        let taken = terms.and([is_once, guard]);
        let guard = terms.or([is_none, taken]);
        let mut update = BTreeMap::new();
        for (symbol, value) in &body.formula.update {
            let (value, before) = (rename.apply(terms, *value), terms.of_symbol(*symbol));
            update.insert(*symbol, terms.ite(is_once, value, before));
        }
        Self {
            formula: Transition { guard, update },
            count,
            none: vec![(counter, zero)],
            more: vec![once],
            exact: true,
        }
    }

    /// First any number of iterations of one phase, then of the other.
    fn then(&self, terms: &mut Terms, second: &Self) -> Self {
        let formula = self.formula.then(terms, &second.formula);
        let count = terms.add(self.count, second.count);
        let none: Vec<_> = self.none.iter().chain(&second.none).copied().collect();
        let mut more = self.more.clone();
        for choice in &second.more {
            more.push(self.none.iter().chain(choice).copied().collect());
        }
        Self { formula, count, none, more, exact: self.exact && second.exact }
    }
}
