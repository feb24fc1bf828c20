//! Variables whose values after k iterations have a closed form: translations, and what is computed from them anew in every iteration.
//!
//! # Paper
//! [Gps25] §6 leaves acceleration to the summary engine; the closure of a guarded translation is the classical one: if the body adds a constant
//! vector c, the guard G is convex and k >= 1, then k iterations are possible iff G holds in the first and in the last one.
//! Extended here to resets (`y := e(x)`, where x is translated), to disequations and to divisibility, to sums that wrap around, to increments
//! that are variables with few values, and to values that alternate (`x := c - x`).
//!
//! # Invariants
//! * R1: with `k` iterations, every translated variable is `v + c·k`; every derived one is, for `k >= 1`, its right-hand side at
//!   the start of the last iteration.
//! * R2: [`ClosedForm::guards`] is implied by any `k >= 1` iterations, and is inductive in both directions: a further iteration in front or at
//!   the end of a run that satisfies it for k gives one that satisfies it for k + 1.
//!
//! # Cost
//! No question. Linear in the number of changed variables times that of the guard's conjuncts; a value is taken apart into at most
//! [`MAX_LEAVES`] cases, a symbolic increment into at most [`MAX_CASES`].

use std::collections::BTreeMap;

use term::{Integer, Linear, Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use encode::Transition;

/// A symbolic increment may have so many values.
const MAX_CASES: i64 = 16;
/// A value is taken apart into at most so many cases.
const MAX_LEAVES: usize = 32;

/// What one iteration adds to a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Increment {
    /// A number.
    Constant(Integer),
    /// A number, and what exceeds the range of the variable's type is wrapped around: values are `low..low + period`.
    Wrapped {
        /// The number.
        step: Integer,
        /// The least value.
        low: Integer,
        /// How many values there are.
        period: Integer,
    },
    /// `constant + factor · value` of a variable that no iteration changes and that has few values.
    Symbolic {
        /// The constant.
        constant: Integer,
        /// The factor.
        factor: Integer,
        /// The variable.
        variable: SymbolId,
        /// Its least value.
        least: i64,
        /// Its greatest value.
        greatest: i64,
    },
    /// The value becomes this term, over variables that no iteration changes, minus the value.
    Alternating(TermId),
}

/// The closed forms of a loop body.
#[derive(Clone, Debug, Default)]
pub struct Recurrences {
    /// What one iteration adds.
    pub translations: BTreeMap<SymbolId, Increment>,
    /// The value at the end of an iteration over the values at its start of translated and unchanged variables.
    pub derived: BTreeMap<SymbolId, TermId>,
    /// Changed variables of which nothing is known here.
    pub unknown: Vec<SymbolId>,
}

impl Recurrences {
    /// Sorts the changed variables of a body. States at its start and end satisfy `facts`.
    pub fn of(terms: &mut Terms, body: &Transition, facts: TermId) -> Self {
        let mut recurrences = Self::default();
        let ranges = ranges(terms, facts);
        let mut rest = Vec::new();
        for (symbol, value) in &body.update {
            match increment(terms, body, &ranges, *symbol, *value) {
                Some(increment) => {
                    recurrences.translations.insert(*symbol, increment);
                }
                None => rest.push((*symbol, *value)),
            }
        }
        for (symbol, value) in rest {
            let known = |used: &SymbolId| {
                terms.symbol(*used).kind == SymbolKind::Variable
                    && (!body.update.contains_key(used) || recurrences.translations.contains_key(used))
            };
            if terms.symbols_of(value).iter().all(known) {
                recurrences.derived.insert(symbol, value);
            } else {
                recurrences.unknown.push(symbol);
            }
        }
        recurrences
    }

    /// For atoms that are not convex: that they hold now and after each of `last` further iterations. `None` for other atoms.
    fn closed_form(&self, terms: &mut Terms, atom: TermId, last: TermId) -> Option<TermId> {
        let zero = terms.int(0);
        match terms.node(atom).clone() {
            Node::Divides(divisor, form) => {
                let step = self.step(terms, form)?;
                Some(if divisor.divides(&step) { Terms::TRUE } else { terms.eq(last, zero) })
            }
            Node::Not(inner) => match terms.node(inner).clone() {
                Node::Zero(form) => {
                    let step = self.step(terms, form)?;
                    if step.is_zero() {
                        return Some(Terms::TRUE);
                    }
                    let (form, step) =
                        if step.is_negative() { (terms.neg(form), -step) } else { (form, step) };
                    // form + j·step is zero for no j in 0..=last.
                    let divides = terms.divides(&step, form);
                    let missed = terms.not(divides);
                    let past = terms.gt(form, zero);
                    let distance = terms.scale(&step, last);
                    let sum = terms.add(form, distance);
                    let before = terms.lt(sum, zero);
                    Some(terms.or([missed, past, before]))
                }
                Node::Divides(divisor, form) => {
                    let step = self.step(terms, form)?;
                    divisor.divides(&step).then_some(Terms::TRUE)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// By how much one iteration changes a linear term of translated and unchanged variables.
    fn step(&self, terms: &Terms, term: TermId) -> Option<Integer> {
        let form: Linear = terms.linear(term);
        let mut step = Integer::ZERO;
        for (part, coefficient) in form.terms() {
            let Node::Symbol(symbol) = terms.node(*part) else { return None };
            match self.translations.get(symbol) {
                Some(Increment::Constant(change)) => step += &(coefficient * change),
                Some(_) => return None,
                None if self.derived.contains_key(symbol) || self.unknown.contains(symbol) => return None,
                None => {}
            }
        }
        Some(step)
    }

    /// Whether an atom that holds in two iterations holds in those between them, derived variables aside.
    fn is_convex(&self, terms: &Terms, atom: TermId) -> bool {
        let monotone = |part: TermId| match terms.node(part) {
            Node::Symbol(symbol) => !matches!(self.translations.get(symbol), Some(Increment::Wrapped { .. })),
            _ => false,
        };
        match terms.node(atom) {
            Node::True => true,
            Node::Le(form) | Node::Zero(form) => {
                terms.linear(*form).terms().iter().all(|(part, _)| monotone(*part))
            }
            _ => false,
        }
    }
}

/// A state of a run of k iterations.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// After so many iterations.
    FromStart(u32),
    /// So many iterations before the end.
    FromEnd(u32),
}

/// What a number of iterations does, in terms of that number.
pub(super) struct ClosedForm<'a> {
    recurrences: &'a Recurrences,
    count: TermId,
    /// How often variables have wrapped around in the end.
    wraps: BTreeMap<SymbolId, SymbolId>,
}

impl<'a> ClosedForm<'a> {
    /// After `count` iterations.
    pub(super) fn new(terms: &mut Terms, recurrences: &'a Recurrences, count: TermId) -> Self {
        let mut wraps = BTreeMap::new();
        for (symbol, increment) in &recurrences.translations {
            if matches!(increment, Increment::Wrapped { .. }) {
                wraps.insert(*symbol, terms.fresh("wraps", Sort::Int, SymbolKind::Wraps));
            }
        }
        Self { recurrences, count, wraps }
    }

    /// The values in the end of translated and derived variables.
    pub(super) fn after(&self, terms: &mut Terms) -> BTreeMap<SymbolId, TermId> {
        let mut values: BTreeMap<SymbolId, TermId> =
            self.translated(terms, Moment::FromEnd(0)).into_iter().collect();
        let zero = terms.int(0);
        let none = terms.eq(self.count, zero);
        let mut at_last = Substitution::new(self.translated(terms, Moment::FromEnd(1)));
        for (symbol, value) in &self.recurrences.derived {
            let old = terms.of_symbol(*symbol);
            let new = at_last.apply(terms, *value);
            values.insert(*symbol, terms.ite(none, old, new));
        }
        values
    }

    /// What determines how often variables wrap around.
    pub(super) fn within_ranges(&self, terms: &mut Terms) -> TermId {
        let mut conjuncts = Vec::new();
        for (symbol, value) in self.translated(terms, Moment::FromEnd(0)) {
            if let Some(Increment::Wrapped { low, period, .. }) = self.recurrences.translations.get(&symbol) {
                let (least, greatest) =
                    (terms.number(low.clone()), terms.number(low + period - Integer::ONE));
                conjuncts.push(terms.le(least, value));
                conjuncts.push(terms.le(value, greatest));
            }
        }
        terms.and(conjuncts)
    }

    /// How often variables have wrapped around after no iteration, and after one more in front.
    pub(super) fn choices(&self, terms: &mut Terms) -> Vec<(SymbolId, TermId, TermId)> {
        let mut choices = Vec::new();
        for (symbol, wraps) in &self.wraps {
            let Some(Increment::Wrapped { step, low, period }) = self.recurrences.translations.get(symbol)
            else {
                continue;
            };
            let (zero, one) = (terms.int(0), terms.int(1));
            let (start, later) = (terms.of_symbol(*symbol), terms.of_symbol(*wraps));
            let step_term = terms.number(step.clone());
            let moved = terms.add(start, step_term);
            let low_term = terms.number(low.clone());
            let high = terms.number(low + period);
            let (leaves, other) = if step.is_negative() {
                (terms.lt(moved, low_term), terms.sub(later, one))
            } else {
                (terms.ge(moved, high), terms.add(later, one))
            };
            choices.push((*wraps, zero, terms.ite(leaves, other, later)));
        }
        choices
    }

    /// The values of translated variables at a moment.
    fn translated(&self, terms: &mut Terms, moment: Moment) -> Vec<(SymbolId, TermId)> {
        let mut values = Vec::new();
        for (symbol, increment) in &self.recurrences.translations {
            values.push((*symbol, self.moved(terms, *symbol, increment, moment)));
        }
        values
    }

    fn moved(&self, terms: &mut Terms, symbol: SymbolId, increment: &Increment, moment: Moment) -> TermId {
        let iterations = match moment {
            Moment::FromStart(number) => terms.int(i64::from(number)),
            Moment::FromEnd(number) => {
                let number = terms.int(i64::from(number));
                terms.sub(self.count, number)
            }
        };
        let start = terms.of_symbol(symbol);
        match increment {
            Increment::Constant(step) => {
                let distance = terms.scale(step, iterations);
                terms.add(start, distance)
            }
            Increment::Wrapped { step, low, period } => match moment {
                Moment::FromStart(number) => {
                    around(terms, start, &(step * &Integer::from(i64::from(number))), low, period)
                }
                Moment::FromEnd(number) => {
                    let wraps = terms.of_symbol(self.wraps[&symbol]);
                    let distance = terms.scale(step, self.count);
                    let periods = terms.scale(period, wraps);
                    let unwrapped = terms.add(start, distance);
                    let end = terms.sub(unwrapped, periods);
                    around(terms, end, &-(step * &Integer::from(i64::from(number))), low, period)
                }
            },
            Increment::Alternating(sum) => {
                let other = terms.sub(*sum, start);
                let is_even = terms.divides(&Integer::from(2), iterations);
                terms.ite(is_even, start, other)
            }
            Increment::Symbolic { constant, factor, variable, least, greatest } => {
                let variable = terms.of_symbol(*variable);
                let times = |terms: &mut Terms, value: i64| {
                    let step = constant + &(factor * &Integer::from(value));
                    terms.scale(&step, iterations)
                };
                let mut distance = times(terms, *greatest);
                for value in (*least..*greatest).rev() {
                    let number = terms.int(value);
                    let is_value = terms.eq(variable, number);
                    let this = times(terms, value);
                    distance = terms.ite(is_value, this, distance);
                }
                terms.add(start, distance)
            }
        }
    }

    /// The state at the start of an iteration that is not the first: derived variables have been set by the one before.
    fn inside(&self, terms: &mut Terms, before: Moment, now: Moment) -> Substitution {
        let mut pairs = self.translated(terms, now);
        let mut then = Substitution::new(self.translated(terms, before));
        for (symbol, value) in &self.recurrences.derived {
            pairs.push((*symbol, then.apply(terms, *value)));
        }
        Substitution::new(pairs)
    }

    /// What the guard of the body implies for at least one iteration. The flag tells whether it is all that it implies.
    pub(super) fn guards(&self, terms: &mut Terms, guard: TermId) -> (TermId, bool) {
        let Recurrences { translations, derived, unknown } = self.recurrences;
        let mut exact = unknown.is_empty();
        let mut result = Vec::new();
        let (two, one) = (terms.int(2), terms.int(1));
        let several = terms.ge(self.count, two);
        let last = terms.sub(self.count, one);
        let mut at_last = self.inside(terms, Moment::FromEnd(2), Moment::FromEnd(1));
        let mut at_second = self.inside(terms, Moment::FromStart(0), Moment::FromStart(1));
        let mut by_derived = Substitution::new(derived.iter().map(|(symbol, value)| (*symbol, *value)));
        for atom in terms.conjuncts(guard) {
            let symbols = terms.symbols_of(atom);
            if symbols.iter().any(|symbol| terms.symbol(*symbol).kind != SymbolKind::Variable) {
                exact = false;
                continue;
            }
            result.push(atom);
            if symbols.iter().any(|symbol| unknown.contains(symbol)) {
                exact = false;
                continue;
            }
            let uses_derived = symbols.iter().any(|symbol| derived.contains_key(symbol));
            if !uses_derived && !symbols.iter().any(|symbol| translations.contains_key(symbol)) {
                continue;
            }
            let changed =
                |symbol: &SymbolId| translations.contains_key(symbol) || derived.contains_key(symbol);
            let alternates =
                |symbol: &SymbolId| matches!(translations.get(symbol), Some(Increment::Alternating(_)));
            if uses_derived || symbols.iter().any(alternates) {
                let second = at_second.apply(terms, atom);
                result.push(terms.implies(several, second));
            }
            match self.recurrences.closed_form(terms, atom, last) {
                Some(all) if !uses_derived => result.push(all),
                Some(_) | None => {
                    let unfolded = by_derived.apply(terms, atom);
                    // What alternates is the same in every second iteration.
                    exact &= symbols.iter().all(|symbol| !changed(symbol) || alternates(symbol))
                        || self.recurrences.is_convex(terms, atom)
                            && self.recurrences.is_convex(terms, unfolded);
                    let at_end = at_last.apply(terms, atom);
                    result.push(terms.implies(several, at_end));
                }
            }
        }
        (terms.and(result), exact)
    }
}

/// A value of a range of one period plus a distance below two periods, wrapped around.
fn around(terms: &mut Terms, value: TermId, distance: &Integer, low: &Integer, period: &Integer) -> TermId {
    let distance = distance.modulo(period);
    if distance.is_zero() {
        return value;
    }
    let up = terms.number(distance.clone());
    let down = terms.number(distance - period);
    let high = terms.number(low + period);
    let (above, below) = (terms.add(value, up), terms.add(value, down));
    let fits = terms.lt(above, high);
    terms.ite(fits, above, below)
}

/// The least and greatest values of single variables that a conjunction states.
fn ranges(terms: &Terms, facts: TermId) -> BTreeMap<SymbolId, (Option<Integer>, Option<Integer>)> {
    let mut ranges: BTreeMap<SymbolId, (Option<Integer>, Option<Integer>)> = BTreeMap::new();
    for atom in terms.conjuncts(facts) {
        let (form, is_equation) = match terms.node(atom) {
            Node::Le(form) => (terms.linear(*form), false),
            Node::Zero(form) => (terms.linear(*form), true),
            _ => continue,
        };
        let [(part, coefficient)] = form.terms() else { continue };
        let Node::Symbol(symbol) = terms.node(*part) else { continue };
        let opposite = -form.constant_part();
        let range = ranges.entry(*symbol).or_default();
        // coefficient · symbol <= opposite, and the coefficient is 1 or -1.
        if coefficient.is_one() {
            range.1 = Some(opposite.clone());
        }
        if *coefficient == Integer::MINUS_ONE {
            range.0 = Some(-&opposite);
        }
        if is_equation && coefficient.is_one() {
            range.0 = Some(opposite);
        }
    }
    ranges
}

/// What `value` adds to `symbol`, if it does just that.
fn increment(
    terms: &mut Terms,
    body: &Transition,
    ranges: &BTreeMap<SymbolId, (Option<Integer>, Option<Integer>)>,
    symbol: SymbolId,
    value: TermId,
) -> Option<Increment> {
    if terms.sort(value) != Sort::Int {
        return None;
    }
    let leaves = leaves(terms, value)?;
    if let [leaf] = leaves[..]
        && let Some(sum) = mirrored(terms, body, symbol, leaf)
    {
        return Some(Increment::Alternating(sum));
    }
    let added = |leaf: TermId| -> Option<Linear> {
        let form = terms.linear(leaf);
        let own = form.terms().iter().find(|(part, _)| *terms.node(*part) == Node::Symbol(symbol))?;
        own.1.is_one().then(|| form.without(own.0))
    };
    if let [leaf] = leaves[..] {
        let step = added(leaf)?;
        if let Some(constant) = step.as_constant() {
            return Some(Increment::Constant(constant.clone()));
        }
        let [(part, factor)] = step.terms() else { return None };
        let Node::Symbol(variable) = terms.node(*part) else { return None };
        if terms.symbol(*variable).kind != SymbolKind::Variable || body.update.contains_key(variable) {
            return None;
        }
        let (Some(least), Some(greatest)) = ranges.get(variable)? else { return None };
        let (least, greatest) = (least.to_i64()?, greatest.to_i64()?);
        let (constant, factor, variable) = (step.constant_part().clone(), factor.clone(), *variable);
        let few = greatest.checked_sub(least)? < MAX_CASES;
        return few.then_some(Increment::Symbolic { constant, factor, variable, least, greatest });
    }
    let (Some(low), Some(high)) = ranges.get(&symbol)? else { return None };
    let period = high - low + Integer::ONE;
    let mut step: Option<Integer> = None;
    for leaf in leaves {
        let added = added(leaf)?.as_constant()?.clone();
        let step = step.get_or_insert(added.modulo(&period));
        if *step != added.modulo(&period) {
            return None;
        }
    }
    let mut step = step?;
    if &step + &step > period {
        step = step - period.clone();
    }
    Some(Increment::Wrapped { step, low: low.clone(), period })
}

/// The term from which `value` subtracts `symbol`, if it does just that and the term does not change.
fn mirrored(terms: &mut Terms, body: &Transition, symbol: SymbolId, value: TermId) -> Option<TermId> {
    let form = terms.linear(value);
    let own = terms.of_symbol(symbol);
    if form.coefficient(own) != Integer::MINUS_ONE {
        return None;
    }
    let sum = form.without(own);
    let is_constant = |part: TermId| match terms.node(part) {
        Node::Symbol(symbol) => {
            terms.symbol(*symbol).kind == SymbolKind::Variable && !body.update.contains_key(symbol)
        }
        _ => false,
    };
    if !sum.terms().iter().all(|(part, _)| is_constant(*part)) {
        return None;
    }
    Some(terms.of_linear(&sum))
}

/// The values between which choices select, each once; `None` if there are too many.
fn leaves(terms: &Terms, value: TermId) -> Option<Vec<TermId>> {
    let mut leaves = Vec::new();
    let mut open = vec![value];
    let mut steps = 0;
    while let Some(term) = open.pop() {
        steps += 1;
        if steps > MAX_LEAVES {
            return None;
        }
        if let Node::Ite(_, yes, no) = terms.node(term) {
            open.extend([*yes, *no]);
        } else if !leaves.contains(&term) {
            leaves.push(term);
        }
    }
    Some(leaves)
}
