//! Exact elimination of existential quantifiers over the integers and the booleans.
//!
//! Cheap exact steps come first: disjunctions are split, conjuncts without the symbols stay outside, equations are
//! solved, bounds with unit coefficients are combined. What is left is covered by instances, one for each model that
//! no earlier instance has; or, of a conjunction, by all instances, if proving that some suffice is too hard.
//!
//! # Paper
//! [Recmc14] appendix G; the instance is substituted into the whole formula, not into a cube, so that one instance
//! covers as much as it can.
//!
//! # Invariants
//! * I1: every step is an equivalence; an incomplete cover is never returned.
//! * I2: the cover ends: by I2 of [`choose`](super::choose) there are finitely many instances, and each model found
//!   makes a new one.
//! * I3: the native stack grows with [`ENUMERATION_DEPTH`] only.

use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use term::{Evaluator, Fraction, Integer, Linear, Model, Node, Sort, Substitution, SymbolId, TermId, Terms};

use super::Failure;
use super::beyond::beyond;
use super::choose::{Choice, cheapest, choose, choose_value};
use super::enumerate::{Instances, all_instances, constraints, split_negation};
use super::names::name_terms;
use crate::{Answer, Solver};

/// How often disjunctions inside of disjunctions are split.
const SPLIT_DEPTH: usize = 12;
/// Larger disjunctions are covered by instances as a whole.
const SPLIT_WIDTH: usize = 32;
/// A disjunction beside other conjuncts with the symbols is multiplied out up to this width.
const DISTRIBUTE_WIDTH: usize = 8;
/// Bounds are combined if that makes at most so many more constraints.
const COMBINE_GROWTH: usize = 4;
/// The usual allowance for a cover; a typical one takes a tenth of it.
const COVER_TICKS: u64 = 500;
/// More instances are never taken at once.
const INSTANCE_LIMIT: usize = 128;
/// Instances of instances are taken only so deep.
const ENUMERATION_DEPTH: usize = SPLIT_DEPTH + 8;

/// A formula without `symbols`, integers or booleans, equivalent to `∃ symbols. formula` wherever the solver's
/// assertions hold.
pub fn eliminate(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    formula: TermId,
    symbols: &[SymbolId],
    budget: &mut Budget,
) -> Result<TermId, Failure> {
    let mut symbols = symbols.to_vec();
    symbols.sort_unstable();
    symbols.dedup();
    let normal = name_terms(terms, formula, &mut symbols);
    let mut elimination = Elimination { solver, terms, budget, cover_ticks: COVER_TICKS };
    let result = elimination.exists(normal, &symbols, 0)?;
    Ok(terms.tidy(result))
}

struct Elimination<'a> {
    solver: &'a mut dyn Solver,
    terms: &'a mut Terms,
    budget: &'a mut Budget,
    /// What the solver may spend on a conjunction before all instances are taken instead.
    cover_ticks: u64,
}

impl Elimination<'_> {
    /// `∃ symbols. formula`, for a formula in negation normal form.
    fn exists(&mut self, formula: TermId, symbols: &[SymbolId], depth: usize) -> Result<TermId, Failure> {
        let mut formula = formula;
        loop {
            self.budget.tick()?;
            let symbols = occurring(self.terms, formula, symbols);
            if symbols.is_empty() {
                return Ok(formula);
            }
            let may_split = depth < SPLIT_DEPTH;
            if let Node::Or(items) = self.terms.node(formula)
                && may_split
                && items.len() <= SPLIT_WIDTH
            {
                let items = items.to_vec();
                return self.exists_each(&items, &symbols, depth);
            }
            let items = self.terms.conjuncts(formula);
            let (bound, free): (Vec<TermId>, Vec<TermId>) =
                items.into_iter().partition(|item| self.terms.mentions(*item, &symbols));
            if may_split {
                let parts = components(self.terms, &bound, &symbols);
                if !free.is_empty() || parts.len() > 1 {
                    return self.exists_parts(&free, &parts, &symbols, depth);
                }
            }
            if let Some(simpler) =
                self.solve_equation(&bound, &symbols).or_else(|| self.combine(&bound, &symbols))
            {
                let free = self.terms.and(free);
                formula = self.terms.and([free, simpler]);
                continue;
            }
            if may_split && let Some(cases) = self.distribute(&bound) {
                return self.exists_each(&cases, &symbols, depth);
            }
            return self.cover_or_enumerate(formula, &symbols, depth);
        }
    }

    fn exists_each(
        &mut self,
        cases: &[TermId],
        symbols: &[SymbolId],
        depth: usize,
    ) -> Result<TermId, Failure> {
        let mut results = Vec::with_capacity(cases.len());
        for case in cases {
            let result = self.exists(*case, symbols, depth + 1)?;
            if result == Terms::TRUE {
                return Ok(Terms::TRUE);
            }
            results.push(result);
        }
        Ok(self.terms.or(results))
    }

    fn exists_parts(
        &mut self,
        free: &[TermId],
        parts: &[Vec<TermId>],
        symbols: &[SymbolId],
        depth: usize,
    ) -> Result<TermId, Failure> {
        let mut results = free.to_vec();
        for part in parts {
            let part = self.terms.and(part.iter().copied());
            results.push(self.exists(part, symbols, depth + 1)?);
        }
        Ok(self.terms.and(results))
    }

    /// Solves the equation among the conjuncts with the smallest coefficient of a symbol, and substitutes.
    fn solve_equation(&mut self, items: &[TermId], symbols: &[SymbolId]) -> Option<TermId> {
        let mut best: Option<(Integer, SymbolId, Fraction, TermId)> = None;
        for item in items {
            if let Some((symbol, value)) = self.literal_value(*item, symbols) {
                let rest = self.terms.and(items.iter().copied().filter(|other| other != item));
                let value = self.terms.bool(value);
                return Some(Substitution::new([(symbol, value)]).apply(self.terms, rest));
            }
            let Node::Zero(sum) = *self.terms.node(*item) else { continue };
            let form = self.terms.linear(sum);
            for symbol in symbols {
                let term = self.terms.of_symbol(*symbol);
                let coefficient = form.coefficient(term);
                let size = coefficient.abs();
                if coefficient.is_zero() || best.as_ref().is_some_and(|(least, ..)| *least <= size) {
                    continue;
                }
                let rest = form.without(term);
                if hides(self.terms, &rest, *symbol) {
                    continue;
                }
                let numerator = if coefficient.is_negative() { rest } else { rest.negate() };
                best = Some((size.clone(), *symbol, Fraction { numerator, denominator: size }, *item));
            }
        }
        let (_, symbol, value, equation) = best?;
        let rest = self.terms.and(items.iter().copied().filter(|item| *item != equation));
        let rest = self.terms.substitute_fraction(rest, symbol, &value)?;
        let is_whole = self.terms.divides_linear(&value.denominator, &value.numerator);
        Some(self.terms.and([is_whole, rest]))
    }

    /// A boolean symbol that a literal fixes.
    fn literal_value(&self, literal: TermId, symbols: &[SymbolId]) -> Option<(SymbolId, bool)> {
        let (atom, value) = match self.terms.node(literal) {
            Node::Not(atom) => (*atom, false),
            _ => (literal, true),
        };
        match self.terms.node(atom) {
            Node::Symbol(symbol) if symbols.binary_search(symbol).is_ok() => Some((*symbol, value)),
            _ => None,
        }
    }

    /// Eliminates a symbol that occurs in inequalities only, by adding each lower to each upper bound. That is exact
    /// if of each pair one has a unit coefficient. Bounds of one kind only say nothing, and then the symbol may also
    /// occur in one divisibility.
    fn combine(&mut self, items: &[TermId], symbols: &[SymbolId]) -> Option<TermId> {
        for symbol in symbols {
            let term = self.terms.of_symbol(*symbol);
            let Some(Bounds { lower, upper, residues }) = self.bounds(items, *symbol, term) else { continue };
            let is_unit = |bounds: &[Linear]| bounds.iter().all(|form| form.coefficient(term).abs().is_one());
            let is_one_sided = lower.is_empty() || upper.is_empty();
            let is_exact = match residues.len() {
                0 => is_one_sided || is_unit(&lower) || is_unit(&upper),
                1 => is_one_sided,
                _ => false,
            };
            if !is_exact || lower.len() * upper.len() > lower.len() + upper.len() + COMBINE_GROWTH {
                continue;
            }
            let mut kept: Vec<TermId> =
                items.iter().copied().filter(|item| !self.terms.mentions(*item, &[*symbol])).collect();
            for (divisor, form) in residues {
                // Some multiple of a and of d together is any multiple of their common divisor.
                let common = divisor.gcd(&form.coefficient(term));
                kept.push(self.terms.divides_linear(&common, &form.without(term)));
            }
            for below in &lower {
                for above in &upper {
                    let (a, b) = (below.coefficient(term).abs(), above.coefficient(term));
                    // -a·x + s ≤ 0 and b·x + t ≤ 0: together b·s + a·t ≤ 0.
                    let sum = below.scale(&b).add_scaled(above, &a);
                    kept.push(self.terms.le_zero(&sum));
                }
            }
            return Some(self.terms.and(kept));
        }
        None
    }

    /// How the items restrict a symbol, if they mention it in inequalities and divisibilities only.
    fn bounds(&self, items: &[TermId], symbol: SymbolId, term: TermId) -> Option<Bounds> {
        let mut bounds = Bounds::default();
        for item in items.iter().filter(|item| self.terms.mentions(**item, &[symbol])) {
            let (Node::Le(sum) | Node::Divides(_, sum)) = self.terms.node(*item) else { return None };
            let form = self.terms.linear(*sum);
            if hides(self.terms, &form.without(term), symbol) {
                return None;
            }
            if let Node::Divides(divisor, _) = self.terms.node(*item) {
                bounds.residues.push((divisor.clone(), form));
            } else if form.coefficient(term).is_negative() {
                bounds.lower.push(form);
            } else {
                bounds.upper.push(form);
            }
        }
        Some(bounds)
    }

    /// The cases of the only disjunction among the conjuncts, each with the other conjuncts.
    fn distribute(&mut self, items: &[TermId]) -> Option<Vec<TermId>> {
        let is_disjunction = |item: &&TermId| matches!(self.terms.node(**item), Node::Or(_));
        let mut disjunctions = items.iter().filter(is_disjunction);
        let (chosen, None) = (*disjunctions.next()?, disjunctions.next()) else { return None };
        let cases = self.terms.disjuncts(chosen);
        if cases.len() > DISTRIBUTE_WIDTH {
            return None;
        }
        let rest = self.terms.and(items.iter().copied().filter(|item| *item != chosen));
        Some(cases.into_iter().map(|case| self.terms.and([case, rest])).collect())
    }

    /// Covers by instances if that is not too hard, else takes all instances if they are not too many.
    fn cover_or_enumerate(
        &mut self,
        formula: TermId,
        symbols: &[SymbolId],
        depth: usize,
    ) -> Result<TermId, Failure> {
        let items = self.terms.conjuncts(formula);
        let is_disjunction = |item: &TermId| matches!(self.terms.node(*item), Node::Or(_));
        if items.iter().any(is_disjunction) || depth > ENUMERATION_DEPTH {
            return self.cover(formula, symbols, u64::MAX);
        }
        match self.cover(formula, symbols, self.cover_ticks) {
            Err(Failure::Stopped(Stop::Ticks)) if self.budget.tick().is_ok() => {}
            result => return result,
        }
        if let Some(cases) = split_negation(self.terms, &items, symbols) {
            return self.exists_each(&cases, symbols, depth);
        }
        match self.all_instances(&items, symbols) {
            Some(instances) => self.exists_each(&instances, symbols, depth),
            None => self.cover(formula, symbols, u64::MAX),
        }
    }

    /// A disjunction equivalent to `∃ symbol. items` for one of the symbols.
    fn all_instances(&mut self, items: &[TermId], symbols: &[SymbolId]) -> Option<Vec<TermId>> {
        let constraints = constraints(self.terms, items, symbols)?;
        let variables: Vec<TermId> = symbols.iter().map(|symbol| self.terms.of_symbol(*symbol)).collect();
        let (at, instances) = all_instances(&constraints, &variables, INSTANCE_LIMIT)?;
        let formula = self.terms.and(items.iter().copied());
        let mut results = Vec::new();
        match instances {
            Instances::Beyond(direction, residues) => {
                for residue in residues {
                    results.push(beyond(self.terms, formula, symbols[at], direction, &residue)?);
                }
            }
            Instances::Values(values) => {
                for value in values {
                    let instance = self.terms.substitute_fraction(formula, symbols[at], &value)?;
                    let is_whole = self.terms.divides_linear(&value.denominator, &value.numerator);
                    results.push(self.terms.and([instance, is_whole]));
                }
            }
        }
        let results: Vec<TermId> = results.into_iter().map(|result| self.terms.tidy(result)).collect();
        Some(results)
    }

    /// Covers `∃ symbols. formula` by instances (I1, I2), with at most `ticks` for the solver.
    fn cover(&mut self, formula: TermId, symbols: &[SymbolId], ticks: u64) -> Result<TermId, Failure> {
        self.solver.push();
        self.solver.assert(self.terms, formula);
        let mut allowance = self.budget.child(ticks);
        let result = self.cover_level(formula, symbols, &mut allowance);
        self.budget.absorb(&allowance);
        self.solver.pop();
        result
    }

    fn cover_level(
        &mut self,
        formula: TermId,
        symbols: &[SymbolId],
        allowance: &mut Budget,
    ) -> Result<TermId, Failure> {
        let mut instances = Vec::new();
        loop {
            match self.solver.check(self.terms, &[], allowance) {
                Answer::Unsat(_) => return Ok(self.terms.or(instances)),
                Answer::Unknown(why) => return Err(why.into()),
                Answer::Sat(model) => {
                    let instance = self.instance(formula, symbols, &model)?;
                    let instance = self.terms.tidy(instance);
                    if instance == Terms::TRUE {
                        return Ok(instance);
                    }
                    instances.push(instance);
                    let other = self.terms.not(instance);
                    self.solver.assert(self.terms, other);
                }
            }
        }
    }

    /// An instance of the formula that the model satisfies.
    fn instance(&mut self, formula: TermId, symbols: &[SymbolId], model: &Model) -> Result<TermId, Failure> {
        let mut formula = self.instantiate_others(formula, symbols, model)?;
        let mut conditions = Vec::new();
        loop {
            self.budget.tick()?;
            let open = occurring(self.terms, formula, symbols);
            if open.is_empty() {
                conditions.push(formula);
                return Ok(self.terms.and(conditions));
            }
            let literals = self.terms.implicant(formula, model).ok_or(Failure::NotAModel)?;
            let cube = self.terms.linear_cube(&literals, model);
            let variables: Vec<TermId> = open.iter().map(|symbol| self.terms.of_symbol(*symbol)).collect();
            let at = cheapest(&cube.constraints, &variables).expect("there should be an open symbol");
            let (symbol, term) = (open[at], variables[at]);
            let choice = choose(&cube.constraints, term, &mut Evaluator::new(self.terms, model));
            if let Choice::Beyond(direction, residue) = &choice
                && let Some(limit) = beyond(self.terms, formula, symbol, *direction, residue)
            {
                formula = limit;
                continue;
            }
            let value = match choice {
                Choice::Value(value) => value,
                Choice::Beyond(..) => {
                    choose_value(&cube.constraints, term, &mut Evaluator::new(self.terms, model))
                }
            };
            formula =
                self.terms.substitute_fraction(formula, symbol, &value).ok_or(Failure::NotLinear(term))?;
            let is_whole = self.terms.divides_linear(&value.denominator, &value.numerator);
            if self.terms.mentions(is_whole, &open) {
                formula = self.terms.and([formula, is_whole]);
            } else {
                conditions.push(is_whole);
            }
        }
    }

    /// The formula with the model's values for symbols that are booleans; other sorts are refused.
    fn instantiate_others(
        &mut self,
        formula: TermId,
        symbols: &[SymbolId],
        model: &Model,
    ) -> Result<TermId, Failure> {
        let mut pairs = Vec::new();
        for symbol in symbols {
            let term = self.terms.of_symbol(*symbol);
            match self.terms.sort(term) {
                Sort::Int => {}
                Sort::Bool => pairs.push((*symbol, Evaluator::new(self.terms, model).holds(term))),
                Sort::Array | Sort::BitVec(_) | Sort::BitArray(_) => return Err(Failure::NotLinear(term)),
            }
        }
        let pairs: Vec<_> =
            pairs.into_iter().map(|(symbol, value)| (symbol, self.terms.bool(value))).collect();
        Ok(Substitution::new(pairs).apply(self.terms, formula))
    }
}

/// How a conjunction restricts one symbol.
#[derive(Default)]
struct Bounds {
    /// Sums of at most zero in which the symbol has a negative coefficient.
    lower: Vec<Linear>,
    /// Sums of at most zero in which the symbol has a positive coefficient.
    upper: Vec<Linear>,
    /// Sums that are divided by a number.
    residues: Vec<(Integer, Linear)>,
}

/// The symbols that occur in the formula, ascending.
fn occurring(terms: &Terms, formula: TermId, symbols: &[SymbolId]) -> Vec<SymbolId> {
    let present = terms.symbols_of(formula);
    present.into_iter().filter(|symbol| symbols.binary_search(symbol).is_ok()).collect()
}

/// Whether the symbol occurs inside of a term of the sum.
fn hides(terms: &Terms, form: &Linear, symbol: SymbolId) -> bool {
    let is_plain = |term: TermId| matches!(terms.node(term), Node::Symbol(_));
    form.terms().iter().any(|(term, _)| !is_plain(*term) && terms.mentions(*term, &[symbol]))
}

/// Groups the items such that items of different groups share none of the symbols.
fn components(terms: &Terms, items: &[TermId], symbols: &[SymbolId]) -> Vec<Vec<TermId>> {
    let mut group_of: FxHashMap<SymbolId, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<TermId>> = Vec::new();
    let mut members: Vec<Vec<SymbolId>> = Vec::new();
    for item in items {
        let present = occurring(terms, *item, symbols);
        let target = groups.len();
        groups.push(vec![*item]);
        members.push(Vec::new());
        for symbol in present {
            match group_of.insert(symbol, target) {
                Some(other) if other != target => {
                    let (moved, named) =
                        (std::mem::take(&mut groups[other]), std::mem::take(&mut members[other]));
                    groups[target].extend(moved);
                    for name in named {
                        group_of.insert(name, target);
                        members[target].push(name);
                    }
                }
                Some(_) => {}
                None => members[target].push(symbol),
            }
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use term::SymbolKind;

    use super::*;
    use crate::{SolverFactory, Z3};

    #[expect(clippy::many_single_char_names, reason = "variables and coefficients as in mathematics")]
    /// `x ≤ a·k ∧ b·k ≤ y ∧ (d | k + x) ∧ k ≠ y`, or with a negated divisibility.
    fn conjunction(
        terms: &mut Terms,
        [k, x, y]: [TermId; 3],
        [a, b, d]: [i64; 3],
        is_negated: bool,
    ) -> TermId {
        let (low, high) = (terms.scale(&a.into(), k), terms.scale(&b.into(), k));
        let sum = terms.add(k, x);
        let mut residue = terms.divides(&d.into(), sum);
        if is_negated {
            residue = terms.not(residue);
        }
        let items = [terms.le(x, low), terms.le(high, y), residue, terms.ne(k, y)];
        terms.and(items)
    }

    #[test]
    fn taking_all_instances_is_exact() {
        for [a, b, d] in [[1, 1, 2], [2, 3, 1], [2, 3, 2], [3, 2, 3], [-2, 1, 3], [1, -3, 2], [-2, -3, 4]] {
            for is_negated in [false, true] {
                let mut terms = Terms::new();
                let symbols =
                    ["k", "x", "y"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
                let variables = symbols.map(|symbol| terms.of_symbol(symbol));
                let formula = conjunction(&mut terms, variables, [a, b, d], is_negated);
                let mut solver = Z3::default().solver();
                let mut budget = Budget::unlimited();
                let mut elimination = Elimination {
                    solver: &mut solver,
                    terms: &mut terms,
                    budget: &mut budget,
                    cover_ticks: 0,
                };
                let result = elimination.exists(formula, &symbols[..1], 0).unwrap();
                let holds = |formula: TermId, values: [i64; 3]| {
                    let mut model = Model::new();
                    for (symbol, value) in symbols.iter().zip(values) {
                        model.set_int(*symbol, value);
                    }
                    Evaluator::new(&terms, &model).holds(formula)
                };
                for (x, y) in (-6..=6).flat_map(|x| (-6..=6).map(move |y| (x, y))) {
                    let expected = (-40..=40).any(|k| holds(formula, [k, x, y]));
                    assert_eq!(holds(result, [0, x, y]), expected, "{a} {b} {d} {is_negated} at {x} {y}");
                }
                assert_eq!(solver.statistics().sat, 0, "the solver should not have been needed");
            }
        }
    }
}
