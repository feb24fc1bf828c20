//! Star: what any number of iterations of a loop body may do.
//!
//! # Paper
//! [Gps25] §6: the over-approximate reflexive transitive closure of algebraic program analysis. The result is a product of domains, each in a
//! file of its own; the number of iterations `k` is a Skolem constant of the result.
//!
//! ```text
//!   k = 0 and nothing changes, or
//!   k >= 1 and  closed forms and guards of first and last iteration    (recurrence)
//!          and  increments within their hull, times k                  (hull)
//!          and  states before and after within theirs                  (hull)
//!          and  that they approach bounds, or double                   (progress, growth)
//!          and  congruences of increments and of states after          (congruence, modular)
//!          and  what iterations preserve or establish                  (stable)
//!   unless the loop splits into phases                                 (phase)
//!   or does the same in every second iteration                         (period)
//!   or behaves otherwise only once something has wrapped around        (wrap)
//!   or ends after a few iterations                                     (unroll)
//! ```
//!
//! # Invariants
//! * K1: `S(0)` includes the identity; with F the body, `F ∘ S(k)` implies `S(k+1)` and `S(k) ∘ F` implies `S(k+1)`, for states that satisfy
//!   the facts of the loop head. Each domain guarantees it by itself, so the product does.
//! * K2: [`Star::none`] turns the formula into one that the identity satisfies; if F leads from X to Y and the formula holds from Y to Z,
//!   then one of [`Star::more`] turns it into one that holds from X to Z.

mod congruence;
mod growth;
mod hull;
mod modular;
mod period;
mod phase;
mod progress;
mod query;
mod recurrence;
mod simplify;
mod stable;
mod statistics;
mod template;
mod unroll;
mod wrap;

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Stop};
use smt::Z3;
use term::{Integer, Linear, Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use congruence::congruence;
use hull::{Facet, MOST_DIMENSIONS, hull};
use query::{Means, Query, Reply};
use recurrence::ClosedForm;
pub use recurrence::{Increment, Recurrences};
pub use statistics::StarStatistics;

use graph::transition::TransitionFormula;

/// More ways than this to choose Skolem constants for one iteration more are not offered.
const MOST_CHOICES: usize = 8;

/// Only so many variables without closed form are looked at one by one.
const MOST_OPEN: usize = 12;

/// A loop body at its head.
#[derive(Clone, Debug)]
pub struct Body {
    /// One iteration.
    pub formula: TransitionFormula,
    /// What holds at the head whenever it is reached.
    pub facts: TermId,
    /// The variables that matter at the head, ascending.
    pub live: Vec<SymbolId>,
    /// Conditions that matter elsewhere: candidates for what iterations preserve.
    pub hints: Vec<TermId>,
}

/// The summary of any number of iterations.
#[derive(Clone, Debug)]
pub struct Star {
    /// The relation; its own Skolem constants are the number of iterations, and the values afterwards of variables without closed form.
    pub formula: TransitionFormula,
    /// The number of iterations.
    pub count: TermId,
    /// What to choose for the Skolem constants for no iteration.
    pub none: Vec<(SymbolId, TermId)>,
    /// What to choose for one iteration more, in front.
    pub more: Vec<Vec<(SymbolId, TermId)>>,
    /// Whether the relation is exactly the closure.
    pub exact: bool,
}

/// Which domains take part.
#[derive(Clone, Copy, Debug)]
pub struct StarOptions {
    /// Congruences of increments and states.
    pub congruences: bool,
    /// How often a loop is split into phases, phases of phases included.
    pub phase_depth: u32,
    /// How many ticks the questions of one loop may take; beyond that its summary is weaker.
    pub effort: u64,
}

impl Default for StarOptions {
    fn default() -> Self {
        Self { congruences: true, phase_depth: 2, effort: 20_000 }
    }
}

/// Computes stars.
pub struct Starrer {
    solvers: Z3,
    options: StarOptions,
    statistics: StarStatistics,
    /// Ticks that the star at hand may still spend.
    effort: u64,
}

impl Starrer {
    /// Asks solvers made by `solvers`.
    pub fn new(solvers: Z3, options: StarOptions) -> Self {
        Self { solvers, options, statistics: StarStatistics::default(), effort: 0 }
    }

    /// What the stars so far were made of, and where they had to be weaker.
    pub fn statistics(&self) -> StarStatistics {
        self.statistics
    }

    /// The star of a loop body.
    pub fn star(&mut self, terms: &mut Terms, body: &Body, budget: &mut Budget) -> Result<Star, Stop> {
        self.effort = self.options.effort;
        // What an iteration leaves in variables that nobody reads again is not part of the relation.
        let formula = body.formula.clone().restricted_to(|symbol| body.live.binary_search(&symbol).is_ok());
        let body = Body { formula, ..body.clone() };
        let star = self.star_within(terms, &body, self.options.phase_depth, budget)?;
        self.statistics.stars += 1;
        self.statistics.exact += u64::from(star.exact);
        Ok(star)
    }

    fn query<'a>(&'a mut self, terms: &'a mut Terms, budget: &'a mut Budget, body: &Body) -> Query<'a> {
        let solvers = self.solvers.clone();
        let means = Means { terms, budget, statistics: &mut self.statistics, effort: &mut self.effort };
        Query::new(means, solvers, body)
    }

    fn star_within(
        &mut self,
        terms: &mut Terms,
        body: &Body,
        depth: u32,
        budget: &mut Budget,
    ) -> Result<Star, Stop> {
        let quick = Closure::of_recurrences(terms, body);
        if quick.exact {
            return Ok(quick.into_star(terms));
        }
        let options = self.options;
        let mut query = self.query(terms, budget, body);
        match query.ask(Terms::TRUE)? {
            Reply::No => return Ok(Star::identity(terms)),
            Reply::Yes(_) | Reply::Unknown => {}
        }
        let body = simplify::simplify(&mut query, body)?;
        let mut closure = Closure::of_recurrences(query.terms, &body);
        if closure.exact {
            return Ok(closure.into_star(terms));
        }
        if let Some(unrolled) = unroll::unroll(&mut query, &body, &closure.bounds())? {
            return Ok(unrolled);
        }
        let split = if depth > 0 { phase::split(&mut query, &body)? } else { None };
        drop(query);
        let parts = match split {
            Some(split) => {
                self.statistics.phase_splits += 1;
                let first = self.star_within(terms, &split.first, depth - 1, budget)?;
                let second = self.star_within(terms, &split.second, depth - 1, budget)?;
                Some(first.then(terms, &second))
            }
            None if depth > 0 => self.star_of_parts(terms, &body, depth, budget)?,
            None => None,
        };
        if let Some(parts) = parts {
            if parts.exact {
                return Ok(parts);
            }
            closure = Closure::over(parts);
        }
        let mut query = self.query(terms, budget, &body);
        query.ask(Terms::TRUE)?;
        closure.add_domains(&mut query, &body, options)?;
        Ok(closure.into_star(terms))
    }

    /// The star of a body whose iterations come in kinds: those that wrap around and those that do not, or odd and even ones.
    fn star_of_parts(
        &mut self,
        terms: &mut Terms,
        body: &Body,
        depth: u32,
        budget: &mut Budget,
    ) -> Result<Option<Star>, Stop> {
        if let Some(split) = wrap::split(terms, body) {
            let normal = self.star_within(terms, &split.normal, depth, budget)?;
            return Ok(Some(split.star(terms, body, &normal)));
        }
        if let Some(doubled) = period::double(terms, body) {
            let rounds = self.star_within(terms, &doubled.body, depth - 1, budget)?;
            return Ok(Some(doubled.star(terms, &rounds)));
        }
        Ok(None)
    }
}

impl Star {
    /// The star of a loop that never iterates.
    fn identity(terms: &mut Terms) -> Self {
        Self {
            formula: TransitionFormula::identity(),
            count: terms.int(0),
            none: Vec::new(),
            more: vec![Vec::new()],
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

/// A state of one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// At its start.
    Before,
    /// At its end.
    After,
}

/// A star in the making: closed forms and names for the rest, to which domains add what holds after at least one iteration.
struct Closure {
    /// What holds for any number of iterations.
    always: TermId,
    /// What holds for at least one.
    many: Vec<TermId>,
    count: TermId,
    map: BTreeMap<SymbolId, TermId>,
    none: Vec<(SymbolId, TermId)>,
    more: Vec<Vec<(SymbolId, TermId)>>,
    exact: bool,
}

impl Closure {
    fn of_recurrences(terms: &mut Terms, body: &Body) -> Self {
        let recurrences = Recurrences::of(terms, &body.formula, body.facts);
        let counter = terms.fresh("k", Sort::Int, SymbolKind::Counter);
        let count = terms.of_symbol(counter);
        let closed = ClosedForm::new(terms, &recurrences, count);
        let mut map = closed.after(terms);
        let (zero, one) = (terms.int(0), terms.int(1));
        let next = terms.add(count, one);
        let (mut none, mut once_more) = (vec![(counter, zero)], vec![(counter, next)]);
        for (symbol, at_none, at_more) in closed.choices(terms) {
            none.push((symbol, at_none));
            once_more.push((symbol, at_more));
        }
        let mut unchanged = Vec::new();
        for symbol in &recurrences.unknown {
            let info = terms.symbol(*symbol).clone();
            let after = terms.declare(info.name, info.sort, SymbolKind::Primed);
            let (before, after_term) = (terms.of_symbol(*symbol), terms.of_symbol(after));
            map.insert(*symbol, after_term);
            unchanged.push(terms.eq(before, after_term));
            none.push((after, before));
        }
        let (guards, exact) = closed.guards(terms, body.formula.guard);
        let within = closed.within_ranges(terms);
        let is_none = terms.eq(count, zero);
        unchanged.push(is_none);
        let not_none = terms.not(is_none);
        let unchanged = terms.and(unchanged);
        let not_negative = terms.ge(count, zero);
        let either = terms.or([unchanged, not_none]);
        let always = terms.and([not_negative, either, within]);
        Self { always, many: vec![guards], count, map, none, more: vec![once_more], exact }
    }

    /// What is known of a number of iterations that is not zero.
    fn bounds(&self) -> unroll::Bounds {
        unroll::Bounds { count: self.count, always: self.always, many: self.many.clone() }
    }

    /// A closure with the values of a composition of phases.
    fn over(star: Star) -> Self {
        Self {
            always: star.formula.guard,
            many: Vec::new(),
            count: star.count,
            map: star.formula.map,
            none: star.none,
            more: star.more,
            exact: star.exact,
        }
    }

    fn into_star(self, terms: &mut Terms) -> Star {
        let zero = terms.int(0);
        let none = terms.le(self.count, zero);
        let many = terms.and(self.many);
        let either = terms.or([none, many]);
        let guard = terms.and([self.always, either]);
        Star {
            formula: TransitionFormula { guard, map: self.map },
            count: self.count,
            none: self.none,
            more: self.more,
            exact: self.exact,
        }
    }

    /// A term over the state and the state after one iteration, as one over the state before and after all iterations.
    fn lift(&self, query: &mut Query<'_>, condition: TermId) -> TermId {
        let pairs: Vec<_> = query.after.iter().map(|(symbol, primed)| (*primed, self.map[symbol])).collect();
        Substitution::new(pairs).apply(query.terms, condition)
    }

    fn add_domains(&mut self, query: &mut Query<'_>, body: &Body, options: StarOptions) -> Result<(), Stop> {
        let changed: Vec<SymbolId> = query.after.keys().copied().collect();
        let constants = constants_of(query.terms, body, &changed);
        // States satisfy the facts whenever the head is reached.
        let facts_after = query.primed(body.facts);
        let facts_after = self.lift(query, facts_after);
        self.many.push(facts_after);
        self.add_increments(query, body, &changed, options)?;
        let dimensions: Vec<SymbolId> = changed.iter().chain(&constants).copied().collect();
        self.add_states(query, &dimensions, Side::Before)?;
        self.add_states(query, &dimensions, Side::After)?;
        self.add_growth(query, &changed)?;
        if options.congruences {
            for symbol in &changed {
                let value = query.value_after(*symbol);
                if let Some(found) = congruence(query, value)? {
                    let value = self.map[symbol];
                    let residue = query.terms.number(found.residue);
                    let difference = query.terms.sub(value, residue);
                    self.many.push(query.terms.divides(&found.modulus, difference));
                }
            }
        }
        self.add_stable(query, body)
    }

    /// Hull and congruences of what one iteration adds, times the number of iterations.
    fn add_increments(
        &mut self,
        query: &mut Query<'_>,
        body: &Body,
        changed: &[SymbolId],
        options: StarOptions,
    ) -> Result<(), Stop> {
        let mut increments = Vec::new();
        let mut totals = Vec::new();
        for symbol in changed {
            let (before, after) = (query.terms.of_symbol(*symbol), query.value_after(*symbol));
            increments.push(query.terms.sub(after, before));
            totals.push(query.terms.sub(self.map[symbol], before));
        }
        for facet in hull(query, &increments)? {
            if is_steep(&facet) {
                continue;
            }
            let fact = scaled_facet(query.terms, &facet, &totals, self.count);
            self.many.push(fact);
        }
        if options.congruences {
            for (increment, total) in increments.iter().zip(&totals) {
                if let Some(found) = congruence(query, *increment)? {
                    let expected = query.terms.scale(&found.residue, self.count);
                    let difference = query.terms.sub(*total, expected);
                    self.many.push(query.terms.divides(&found.modulus, difference));
                }
            }
            for period in modular::periods(query.terms, &body.formula) {
                for equation in modular::increments(query, &period, &increments)? {
                    self.add_modular(query.terms, &equation, &totals, &period);
                }
            }
        }
        Ok(())
    }

    /// An equation between all increments modulo a period: by how many periods the totals differ is a Skolem constant.
    fn add_modular(
        &mut self,
        terms: &mut Terms,
        equation: &modular::Equation,
        totals: &[TermId],
        period: &Integer,
    ) {
        if self.more.len() * equation.periods.len() > MOST_CHOICES {
            return;
        }
        let mut sum = terms.linear(self.count).scale(&equation.constant);
        for (at, coefficient) in &equation.form {
            sum = sum.add_scaled(&terms.linear(totals[*at]), coefficient);
        }
        let symbol = terms.fresh("wraps", Sort::Int, SymbolKind::Wraps);
        let (wraps, zero) = (terms.of_symbol(symbol), terms.int(0));
        let sum = terms.of_linear(&sum);
        let expected = terms.scale(period, wraps);
        // Without an iteration, too: it determines the constant.
        let equation_holds = terms.eq(sum, expected);
        self.always = terms.and([self.always, equation_holds]);
        self.none.push((symbol, zero));
        let mut more = Vec::new();
        for choice in &self.more {
            for number in &equation.periods {
                let number = terms.number(number.clone());
                let wrapped = terms.add(wraps, number);
                more.push(choice.iter().copied().chain([(symbol, wrapped)]).collect());
            }
        }
        self.more = more;
    }

    /// Hull of the states before, or after, an iteration: those before the first and after the last lie in it; and what that says of the number of
    /// iterations.
    fn add_states(&mut self, query: &mut Query<'_>, symbols: &[SymbolId], side: Side) -> Result<(), Stop> {
        let mut dimensions = Vec::new();
        for symbol in symbols {
            dimensions.push(match side {
                Side::Before => query.terms.of_symbol(*symbol),
                Side::After => query.value_after(*symbol),
            });
        }
        let one = query.terms.int(1);
        for facet in hull(query, &dimensions)? {
            let fact = scaled_facet(query.terms, &facet, &dimensions, one);
            let fact = self.lift(query, fact);
            self.many.push(fact);
            if facet.form.iter().any(|(at, _)| self.is_open(query.terms, symbols[*at])) {
                let found = progress::progress(query, &facet, symbols, side)?;
                if let Some(progress) = found {
                    let facts = progress.facts(query.terms, &facet, symbols, &self.map, self.count);
                    self.many.extend(facts);
                }
            }
        }
        Ok(())
    }

    /// Whether a changed variable has no closed form.
    fn is_open(&self, terms: &Terms, symbol: SymbolId) -> bool {
        self.map.get(&symbol).is_some_and(|value| match terms.node(*value) {
            Node::Symbol(after) => terms.symbol(*after).kind == SymbolKind::Primed,
            _ => true,
        })
    }

    /// Variables that double, at least.
    fn add_growth(&mut self, query: &mut Query<'_>, changed: &[SymbolId]) -> Result<(), Stop> {
        let open: Vec<SymbolId> =
            changed.iter().copied().filter(|symbol| self.is_open(query.terms, *symbol)).collect();
        for symbol in open.iter().take(MOST_OPEN) {
            let before = query.terms.of_symbol(*symbol);
            let after = query.value_after(*symbol);
            for facts in growth::growth(query, before, after, self.map[symbol], self.count)? {
                self.many.push(facts);
            }
        }
        Ok(())
    }

    fn add_stable(&mut self, query: &mut Query<'_>, body: &Body) -> Result<(), Stop> {
        let mut candidates = phase::predicates(query.terms, &body.formula);
        candidates.extend(body.hints.iter().copied());
        let negations: Vec<TermId> = candidates.iter().map(|candidate| query.terms.not(*candidate)).collect();
        candidates.extend(negations);
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|candidate| {
            let symbols = query.terms.symbols_of(*candidate);
            symbols.iter().any(|symbol| query.after.contains_key(symbol))
                && symbols
                    .iter()
                    .all(|symbol| query.after.contains_key(symbol) || !self.map.contains_key(symbol))
        });
        let mut tested: Vec<TermId> =
            body.hints.iter().copied().filter(|hint| candidates.contains(hint)).collect();
        tested.dedup();
        for fact in stable::established(query, &tested, body.facts)? {
            let after = query.primed(fact);
            self.many.push(self.lift(query, after));
        }
        for fact in stable::stable(query, &candidates)? {
            let after = query.primed(fact);
            let after = self.lift(query, after);
            let kept = query.terms.implies(fact, after);
            self.many.push(kept);
        }
        Ok(())
    }
}

/// Whether a facet has coefficients that only come from values that wrap around: it says little and costs the solver much.
fn is_steep(facet: &Facet) -> bool {
    let limit = Integer::power_of_two(24);
    facet.form.iter().any(|(_, coefficient)| coefficient.abs() >= limit)
}

/// Unchanged variables that the guard relates to changed ones, and, as long as there is room in a hull, those by which others change; ascending.
fn constants_of(terms: &Terms, body: &Body, changed: &[SymbolId]) -> Vec<SymbolId> {
    let is_constant = |symbol: &SymbolId| {
        terms.symbol(*symbol).kind == SymbolKind::Variable
            && terms.symbol(*symbol).sort == Sort::Int
            && !body.formula.map.contains_key(symbol)
    };
    let mut found = BTreeSet::new();
    for part in terms.conjuncts(body.formula.guard) {
        let symbols = terms.symbols_of(part);
        if symbols.iter().any(|symbol| changed.contains(symbol)) {
            found.extend(symbols.into_iter().filter(is_constant));
        }
    }
    let values: Vec<TermId> =
        changed.iter().filter_map(|symbol| body.formula.map.get(symbol).copied()).collect();
    for symbol in terms.symbols_of_all(&values).into_iter().filter(is_constant) {
        if changed.len() + found.len() < MOST_DIMENSIONS {
            found.insert(symbol);
        }
    }
    found.into_iter().collect()
}

/// `Σ a·d + constant·times >= 0` (or `= 0`).
fn scaled_facet(terms: &mut Terms, facet: &Facet, dimensions: &[TermId], times: TermId) -> TermId {
    let mut sum = Linear::constant(Integer::ZERO);
    for (at, coefficient) in &facet.form {
        let part = terms.linear(dimensions[*at]);
        sum = sum.add_scaled(&part, coefficient);
    }
    let constant = terms.scale(&facet.constant, times);
    let sum = terms.of_linear(&sum);
    let sum = terms.add(sum, constant);
    let zero = terms.int(0);
    if facet.equality { terms.eq(sum, zero) } else { terms.ge(sum, zero) }
}
