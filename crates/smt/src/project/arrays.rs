//! Projection of one model where arrays occur.
//!
//! The literals that the model satisfies are rewritten until no array is left to eliminate and no symbol to eliminate is below an access; linear
//! projection does the rest. Each step implies the literals before it, with new integers that are eliminated in turn, and keeps the model:
//!
//! * a choice of an equation `a = t` for an array, or `i = t` for an index, is substituted;
//! * `store(a, i, v) = t` is solved for `a`: `a = store(t, i, w)` and `t[i] = v` with a new `w`;
//! * arrays that differ do so at an index, which is new;
//! * an element read from a store is the one stored or one below, as the model says of the indices;
//! * the elements of an array to be eliminated become integers; equal and different indices are so by the model's order;
//! * an index of an array that stays is said by symbols that stay: an equal index of the literals, an equal symbol, or the number.
//!
//! # Paper
//! [Recmc14] §5 has no arrays. Komuravelli, Bjørner, Gurfinkel, McMillan: *Compositional verification of procedural programs using Horn clauses over integers and arrays* (FMCAD 2015) has
//! such a projection; the last step, and the order by size instead of disequations, are ours. So the set of results is not finite.

use rustc_hash::FxHashMap;
use term::{
    ArrayValue, Cube, Evaluator, Integer, Model, Node, Sort, Substitution, SymbolId, SymbolKind, TermId,
    Terms, Value,
};

use super::Failure;
use super::cube::{project_literals, project_model};

/// As [`project_model`], for formulas with arrays.
pub fn project_arrays(
    terms: &mut Terms,
    formula: TermId,
    symbols: &[SymbolId],
    model: &Model,
) -> Result<Cube, Failure> {
    let has_arrays = terms.reachable(&[formula]).iter().any(|term| terms.sort(*term) == Sort::Array);
    if !has_arrays {
        return project_model(terms, formula, symbols, model);
    }
    let literals = terms.implicant(formula, model).ok_or(Failure::NotAModel)?;
    let mut work = Work { terms, literals, open: symbols.to_vec(), model: model.clone() };
    work.open.sort_unstable();
    work.open.dedup();
    work.solve_equations();
    work.read_through();
    work.solve_equations();
    work.compare()?;
    work.solve_equations();
    work.read_through();
    work.solve_equations();
    work.name_elements();
    work.fix_indices();
    let Work { literals, open, model, terms } = work;
    project_literals(terms, &literals, &open, &model)
}

/// Literals that hold in the model, and the symbols that are still to be eliminated, ascending.
struct Work<'a> {
    terms: &'a mut Terms,
    literals: Vec<TermId>,
    open: Vec<SymbolId>,
    model: Model,
}

impl Work<'_> {
    fn is_open(&self, symbol: SymbolId) -> bool {
        self.open.binary_search(&symbol).is_ok()
    }

    fn mentions_open(&self, term: TermId) -> bool {
        self.terms.symbols_of(term).iter().any(|symbol| self.is_open(*symbol))
    }

    fn value(&self, term: TermId) -> Integer {
        Evaluator::new(self.terms, &self.model).int(term)
    }

    fn array(&self, term: TermId) -> ArrayValue {
        match Evaluator::new(self.terms, &self.model).value(term) {
            Value::Array(array) => array,
            _ => ArrayValue::new(Integer::ZERO),
        }
    }

    /// A new integer to be eliminated, with its value.
    fn fresh(&mut self, name: &str, value: Integer) -> TermId {
        let symbol = self.terms.fresh(name, Sort::Int, SymbolKind::Auxiliary);
        self.model.set_int(symbol, value);
        self.open.push(symbol);
        self.open.sort_unstable();
        self.terms.of_symbol(symbol)
    }

    /// Puts a term in the place of a symbol, which is eliminated by that.
    fn substitute(&mut self, symbol: SymbolId, value: TermId) {
        let mut substitution = Substitution::new([(symbol, value)]);
        for literal in &mut self.literals {
            *literal = substitution.apply(self.terms, *literal);
        }
        self.open.retain(|other| *other != symbol);
        self.tidy();
    }

    fn tidy(&mut self) {
        self.literals.retain(|literal| *literal != Terms::TRUE);
        self.literals.sort_unstable();
        self.literals.dedup();
    }

    /// Eliminates by equations: arrays, and integers that are below an access.
    fn solve_equations(&mut self) {
        while let Some((symbol, value)) = self.solvable() {
            self.substitute(symbol, value);
        }
    }

    fn solvable(&mut self) -> Option<(SymbolId, TermId)> {
        let below = self.below_accesses();
        for index in 0..self.literals.len() {
            let literal = self.literals[index];
            let found = match *self.terms.node(literal) {
                Node::Same(a, b) if self.terms.sort(a) == Sort::Array => {
                    self.solve_array(literal, a, b).or_else(|| self.solve_array(literal, b, a))
                }
                Node::Zero(sum) => self.solve_sum(sum, &below),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Solves `side = other` for the array below the stores of `side`.
    fn solve_array(&mut self, literal: TermId, side: TermId, other: TermId) -> Option<(SymbolId, TermId)> {
        let base = self.base(side);
        let Node::Symbol(symbol) = *self.terms.node(base) else { return None };
        if !self.is_open(symbol) || self.base(other) == base {
            return None;
        }
        let (side, other) = self.without_reads(symbol, side, other);
        let mut base = side;
        let mut stores = Vec::new();
        while let Node::Store(before, at, element) = *self.terms.node(base) {
            stores.push((before, at, element));
            base = before;
        }
        let parts = stores.iter().flat_map(|(_, at, element)| [*at, *element]).chain([other]);
        let mut parts: Vec<TermId> = parts.collect();
        parts.sort_unstable();
        parts.dedup();
        if self.terms.symbols_of_all(&parts).contains(&symbol) {
            return None;
        }
        let mut value = other;
        let mut added = Vec::new();
        for (before, at, element) in stores {
            let here = self.terms.select(value, at);
            added.push(self.terms.eq(here, element));
            let position = self.value(at);
            let old = self.array(before).get(&position).clone();
            let old = self.fresh("element", old);
            value = self.terms.store(value, at, old);
        }
        self.literals.retain(|item| *item != literal);
        self.literals.extend(added);
        Some((symbol, value))
    }

    /// What is below the stores of an array.
    fn base(&self, array: TermId) -> TermId {
        let mut base = array;
        while let Node::Store(before, ..) = *self.terms.node(base) {
            base = before;
        }
        base
    }

    /// Two terms with new integers for the elements that are read from an array.
    fn without_reads(&mut self, array: SymbolId, a: TermId, b: TermId) -> (TermId, TermId) {
        let (mut a, mut b) = (a, b);
        loop {
            let read = self.terms.reachable(&[a, b]).into_iter().find(|term| {
                matches!(*self.terms.node(*term), Node::Select(of, _)
                    if *self.terms.node(of) == Node::Symbol(array))
            });
            let Some(read) = read else { return (a, b) };
            let value = self.value(read);
            let name = self.fresh("element", value);
            let named = self.terms.eq(name, read);
            self.literals.push(named);
            let mut put = |term| self.terms.rewrite(term, |_, part| if part == read { name } else { part });
            (a, b) = (put(a), put(b));
        }
    }

    /// Solves an equation for an integer that is below an access elsewhere, but not in the equation itself.
    fn solve_sum(&mut self, sum: TermId, below: &[SymbolId]) -> Option<(SymbolId, TermId)> {
        let form = self.terms.linear(sum);
        for (term, coefficient) in form.terms() {
            let Node::Symbol(symbol) = *self.terms.node(*term) else { continue };
            if !coefficient.abs().is_one() || !self.is_open(symbol) || below.binary_search(&symbol).is_err() {
                continue;
            }
            let rest = form.without(*term);
            let value = if coefficient.is_one() { rest.negate() } else { rest };
            let value = self.terms.of_linear(&value);
            if !self.terms.mentions(value, &[symbol]) {
                return Some((symbol, value));
            }
        }
        None
    }

    /// The symbols to be eliminated that are below an access or a comparison of arrays, ascending.
    fn below_accesses(&self) -> Vec<SymbolId> {
        let is_access = |term: &TermId| matches!(self.terms.node(*term), Node::Select(..) | Node::Same(..));
        let accesses: Vec<TermId> =
            self.terms.reachable(&self.literals).into_iter().filter(is_access).collect();
        let mut symbols = self.terms.symbols_of_all(&accesses);
        symbols.retain(|symbol| self.is_open(*symbol));
        symbols
    }

    /// Comparisons of arrays that mention a symbol to be eliminated become statements about elements.
    fn compare(&mut self) -> Result<(), Failure> {
        let mut kept = Vec::new();
        for literal in std::mem::take(&mut self.literals) {
            let (atom, is_equation) = match *self.terms.node(literal) {
                Node::Not(atom) => (atom, false),
                _ => (literal, true),
            };
            let Node::Same(a, b) = *self.terms.node(atom) else {
                kept.push(literal);
                continue;
            };
            if self.terms.sort(a) != Sort::Array || !self.mentions_open(atom) {
                kept.push(literal);
            } else if is_equation {
                self.equal_elements(atom, a, b, &mut kept)?;
            } else {
                let at = difference(&self.array(a), &self.array(b)).ok_or(Failure::NotAModel)?;
                let at = self.fresh("difference", at);
                let (left, right) = (self.terms.select(a, at), self.terms.select(b, at));
                kept.push(self.terms.ne(left, right));
            }
        }
        self.literals = kept;
        self.tidy();
        Ok(())
    }

    /// Two arrays that are the same below their stores are equal where one of them is stored to. Other equations stay if only
    /// integers are to be eliminated from them.
    fn equal_elements(
        &mut self,
        atom: TermId,
        a: TermId,
        b: TermId,
        kept: &mut Vec<TermId>,
    ) -> Result<(), Failure> {
        let (mut indices, mut bases) = (Vec::new(), Vec::new());
        for side in [a, b] {
            let mut base = side;
            while let Node::Store(before, at, _) = *self.terms.node(base) {
                indices.push(at);
                base = before;
            }
            bases.push(base);
        }
        if bases[0] == bases[1] {
            for at in indices {
                let (left, right) = (self.terms.select(a, at), self.terms.select(b, at));
                kept.push(self.terms.eq(left, right));
            }
            return Ok(());
        }
        let is_open_array =
            |symbol: &SymbolId| self.is_open(*symbol) && self.terms.symbol(*symbol).sort == Sort::Array;
        if self.terms.symbols_of_all(&bases).iter().any(is_open_array) {
            return Err(Failure::NotLinear(atom));
        }
        // What is stored is read again from the other side, so that it need not be a number.
        for (side, other) in [(a, b), (b, a)] {
            if let Node::Store(_, at, element) = *self.terms.node(side) {
                let read = self.terms.select(other, at);
                kept.push(self.terms.eq(read, element));
            }
        }
        kept.push(atom);
        Ok(())
    }

    /// Reads elements through stores, as the model decides about the indices.
    fn read_through(&mut self) {
        loop {
            let found = self.terms.reachable(&self.literals).into_iter().find_map(|term| {
                let Node::Select(array, index) = *self.terms.node(term) else { return None };
                let Node::Store(before, at, element) = *self.terms.node(array) else { return None };
                Some((term, before, at, element, index))
            });
            let Some((read, before, at, element, index)) = found else { return };
            let (condition, value) = if self.value(at) == self.value(index) {
                (self.terms.eq(at, index), element)
            } else {
                (self.differ(at, index), self.terms.select(before, index))
            };
            self.replace(read, value);
            // The condition may read elements, too.
            self.literals.push(condition);
            self.tidy();
        }
    }

    /// That two indices differ, in the direction of the model.
    fn differ(&mut self, a: TermId, b: TermId) -> TermId {
        if self.value(a) < self.value(b) { self.terms.lt(a, b) } else { self.terms.lt(b, a) }
    }

    fn replace(&mut self, old: TermId, new: TermId) {
        for index in 0..self.literals.len() {
            let literal = self.literals[index];
            self.literals[index] =
                self.terms.rewrite(literal, |_, term| if term == old { new } else { term });
        }
        self.tidy();
    }

    /// The elements of arrays to be eliminated become integers; inner ones first.
    fn name_elements(&mut self) {
        let mut known: FxHashMap<SymbolId, Vec<(Integer, TermId, TermId)>> = FxHashMap::default();
        loop {
            let found = self.terms.reachable(&self.literals).into_iter().find_map(|term| {
                let Node::Select(array, index) = *self.terms.node(term) else { return None };
                let Node::Symbol(symbol) = *self.terms.node(array) else { return None };
                self.is_open(symbol).then_some((term, symbol, index))
            });
            let Some((read, symbol, index)) = found else { break };
            let position = self.value(index);
            let elements = known.entry(symbol).or_default();
            let place = elements.binary_search_by(|(other, ..)| other.cmp(&position));
            let (condition, name) = match place {
                Ok(place) => (Some(self.terms.eq(elements[place].1, index)), elements[place].2),
                Err(place) => {
                    let value = Evaluator::new(self.terms, &self.model).int(read);
                    let name = self.fresh("element", value);
                    known.entry(symbol).or_default().insert(place, (position, index, name));
                    (None, name)
                }
            };
            self.replace(read, name);
            self.literals.extend(condition);
            self.tidy();
        }
        let mut symbols: Vec<SymbolId> = known.keys().copied().collect();
        symbols.sort_unstable();
        for symbol in symbols {
            let indices: Vec<TermId> = known[&symbol].iter().map(|(_, index, _)| *index).collect();
            for pair in indices.windows(2) {
                let ordered = self.terms.lt(pair[0], pair[1]);
                self.literals.push(ordered);
            }
        }
        self.tidy();
        self.solve_equations();
    }

    /// Symbols to be eliminated that are below accesses of arrays that stay are said by what stays.
    fn fix_indices(&mut self) {
        while let Some(symbol) = self.below_accesses().first().copied() {
            let term = self.terms.of_symbol(symbol);
            let value = self.value(term);
            let stand_in = self.stand_in(&value);
            self.substitute(symbol, stand_in);
        }
    }

    /// A term without symbols to be eliminated that has this value: an index, an integer, or the number.
    fn stand_in(&mut self, value: &Integer) -> TermId {
        let order = self.terms.reachable(&self.literals);
        let indices = order.iter().filter_map(|term| match *self.terms.node(*term) {
            Node::Select(_, index) | Node::Store(_, index, _) => Some(index),
            _ => None,
        });
        let integers = order.iter().copied().filter(|term| {
            matches!(self.terms.node(*term), Node::Symbol(_)) && self.terms.sort(*term) == Sort::Int
        });
        let candidates: Vec<TermId> = indices.chain(integers).collect();
        let fits = |term: &TermId| self.value(*term) == *value && !self.mentions_open(*term);
        match candidates.into_iter().find(fits) {
            Some(term) => term,
            None => self.terms.number(value.clone()),
        }
    }
}

/// An index at which two arrays differ.
fn difference(a: &ArrayValue, b: &ArrayValue) -> Option<Integer> {
    let entries = || a.entries().chain(b.entries()).map(|(index, _)| index);
    let found = entries().find(|index| a.get(index) != b.get(index)).cloned();
    found.or_else(|| {
        let beyond = entries().max().map_or(Integer::ZERO, |greatest| greatest + Integer::ONE);
        (a.get(&beyond) != b.get(&beyond)).then_some(beyond)
    })
}
