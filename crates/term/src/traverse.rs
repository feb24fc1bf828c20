//! Walks over terms without recursion: order, substitution, rewriting, symbols.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::signature::Signature;
use crate::{Integer, Node, SymbolId, TermId, Terms};

/// Replaces symbols by terms, all at once. What was rewritten is remembered, so that applying one substitution to
/// many terms walks shared parts once.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    images: FxHashMap<SymbolId, TermId>,
    /// Of the symbols that are replaced, once it is known.
    signature: Option<Signature>,
    memo: FxHashMap<TermId, TermId>,
}

impl Substitution {
    /// Replaces each symbol of the pairs by the term beside it.
    pub fn new(pairs: impl IntoIterator<Item = (SymbolId, TermId)>) -> Self {
        Self { images: pairs.into_iter().collect(), ..Self::default() }
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.images.is_empty()
    }

    /// The term with the symbols replaced.
    pub fn apply(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        self.apply_beyond(terms, term, |_| false)
    }

    /// The same, where somebody knows of some terms that they mention none of the symbols.
    pub fn apply_beyond(
        &mut self,
        terms: &mut Terms,
        term: TermId,
        is_untouched: impl Fn(TermId) -> bool,
    ) -> TermId {
        if self.images.is_empty() {
            return term;
        }
        let images = &self.images;
        let signature = *self.signature.get_or_insert_with(|| terms.signature_of_symbols(images.keys()));
        terms.transform(term, &mut self.memo, |terms, term| match terms.node(term) {
            _ if !terms.signature(term).meets(signature) || is_untouched(term) => Step::Replace(term),
            Node::Symbol(symbol) => Step::Replace(images.get(symbol).copied().unwrap_or(term)),
            _ => Step::Rebuild,
        })
    }
}

/// What [`Terms::transform`] does with a term.
pub(crate) enum Step {
    /// Takes another term for it, as it is.
    Replace(TermId),
    /// Takes the transformed subterm for it.
    Follow(TermId),
    /// Makes it anew from its transformed subterms.
    Rebuild,
}

impl Terms {
    /// All subterms of the roots and the roots themselves, subterms first.
    pub fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        self.reachable_unless(roots, |_| false)
    }

    /// As [`Terms::reachable`], without the keys of `known` and what is reachable only through them.
    pub(crate) fn reachable_except<V>(&self, roots: &[TermId], known: &FxHashMap<TermId, V>) -> Vec<TermId> {
        self.reachable_unless(roots, |term| known.contains_key(&term))
    }

    /// As [`Terms::reachable`], without some terms and what is reachable only through them.
    pub fn reachable_unless(&self, roots: &[TermId], is_known: impl Fn(TermId) -> bool) -> Vec<TermId> {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let (mut open, mut found): (Vec<TermId>, Vec<TermId>) = (roots.to_vec(), Vec::new());
        while let Some(term) = open.pop() {
            if is_known(term) || !seen.insert(term) {
                continue;
            }
            found.push(term);
            self.node(term).for_each_child(|child| open.push(child));
        }
        // Ids ascend from subterms to terms.
        found.sort_unstable();
        found
    }

    /// The symbols in a term, ascending.
    pub fn symbols_of(&self, term: TermId) -> Vec<SymbolId> {
        self.symbols_of_all(&[term])
    }

    /// Shows the subterms of a root and the root itself, each before those below it, to `enter`, which says whether to go on below it.
    pub fn descend(&self, root: TermId, mut enter: impl FnMut(TermId) -> bool) {
        let mut open = vec![root];
        while let Some(term) = open.pop() {
            if enter(term) {
                self.node(term).for_each_child(|child| open.push(child));
            }
        }
    }

    /// The symbols in any of the terms, ascending.
    pub fn symbols_of_all(&self, roots: &[TermId]) -> Vec<SymbolId> {
        let mut symbols: Vec<SymbolId> = self
            .reachable(roots)
            .into_iter()
            .filter_map(|term| if let Node::Symbol(symbol) = self.node(term) { Some(*symbol) } else { None })
            .collect();
        symbols.sort_unstable();
        symbols
    }

    /// Whether one of the symbols, given in ascending order, occurs in the term.
    pub fn mentions(&self, term: TermId, symbols: &[SymbolId]) -> bool {
        let signature = self.signature_of_symbols(symbols);
        if !self.signature(term).meets(signature) {
            return false;
        }
        self.symbols_of(term).iter().any(|symbol| symbols.binary_search(symbol).is_ok())
    }

    fn signature_of_symbols<'s>(&self, symbols: impl IntoIterator<Item = &'s SymbolId>) -> Signature {
        let mut signature = Signature::default();
        symbols.into_iter().for_each(|symbol| signature.add(self.signature_of_symbol(*symbol)));
        signature
    }

    /// Rewrites a term from the bottom up: `rule` is given each subterm after those below it have been rewritten, and
    /// its result takes the subterm's place.
    pub fn rewrite(&mut self, root: TermId, mut rule: impl FnMut(&mut Self, TermId) -> TermId) -> TermId {
        let mut memo: FxHashMap<TermId, TermId> = FxHashMap::default();
        for term in self.reachable(&[root]) {
            let rebuilt = self.rebuild(term, &memo);
            let rewritten = rule(self, rebuilt);
            memo.insert(term, rewritten);
        }
        memo[&root]
    }

    /// Transforms a term; `step` says what to do with each subterm that `memo` does not know.
    pub(crate) fn transform(
        &mut self,
        root: TermId,
        memo: &mut FxHashMap<TermId, TermId>,
        mut step: impl FnMut(&mut Self, TermId) -> Step,
    ) -> TermId {
        enum Task {
            Visit(TermId),
            Copy(TermId, TermId),
            Rebuild(TermId),
        }
        let mut tasks = vec![Task::Visit(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(term) if memo.contains_key(&term) => {}
                Task::Visit(term) => match step(self, term) {
                    Step::Replace(image) => {
                        memo.insert(term, image);
                    }
                    Step::Follow(child) => tasks.extend([Task::Copy(term, child), Task::Visit(child)]),
                    Step::Rebuild => {
                        tasks.push(Task::Rebuild(term));
                        self.node(term).for_each_child(|child| {
                            if !memo.contains_key(&child) {
                                tasks.push(Task::Visit(child));
                            }
                        });
                    }
                },
                Task::Copy(term, child) => {
                    memo.insert(term, memo[&child]);
                }
                Task::Rebuild(term) => {
                    let image = self.rebuild(term, memo);
                    memo.insert(term, image);
                }
            }
        }
        memo[&root]
    }

    /// The term with its direct subterms replaced by their images, which `images` all knows.
    fn rebuild(&mut self, term: TermId, images: &FxHashMap<TermId, TermId>) -> TermId {
        let mut changed = false;
        self.node(term).for_each_child(|child| changed |= images[&child] != child);
        if !changed {
            return term;
        }
        let of = |child: &TermId| images[child];
        match self.node(term).clone() {
            Node::True | Node::False | Node::Symbol(_) | Node::Number(_) | Node::BvNumber(..) => term,
            Node::Not(a) => self.not(of(&a)),
            Node::And(items) => self.and(items.iter().map(of)),
            Node::Or(items) => self.or(items.iter().map(of)),
            Node::Le(a) => {
                let form = self.linear(of(&a));
                self.le_zero(&form)
            }
            Node::Zero(a) => {
                let form = self.linear(of(&a));
                self.eq_zero(&form)
            }
            Node::Divides(divisor, a) => self.divides(&divisor, of(&a)),
            Node::Same(a, b) => self.eq(of(&a), of(&b)),
            Node::Linear(form) => {
                let (mut products, mut constant) = (Vec::new(), form.constant_part().clone());
                for (child, coefficient) in form.terms() {
                    let image = self.linear(of(child));
                    constant += &(image.constant_part() * coefficient);
                    products.extend(image.terms().iter().map(|(term, factor)| (*term, factor * coefficient)));
                }
                self.of_linear(&crate::Linear::collect(products, constant))
            }
            Node::Product(factors) => {
                let one = self.number(Integer::ONE);
                factors.iter().fold(one, |product, factor| self.mul(product, of(factor)))
            }
            Node::Div(a, divisor) => self.div(of(&a), &divisor),
            Node::Mod(a, divisor) => self.modulo(of(&a), &divisor),
            Node::Ite(a, b, c) => self.ite(of(&a), of(&b), of(&c)),
            Node::Select(a, b) => self.select(of(&a), of(&b)),
            Node::Store(a, b, c) => self.store(of(&a), of(&b), of(&c)),
            Node::ConstArray(a) => self.const_array(of(&a)),
            Node::Bv(op, operands) => {
                let operands: Vec<TermId> = operands.iter().map(of).collect();
                self.bv(op, &operands)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sort, SymbolKind};

    #[test]
    fn what_a_substitution_does_not_replace_is_not_looked_at() {
        let mut terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
        let [of_x, of_y, of_z] = [x, y, z].map(|symbol| terms.of_symbol(symbol));
        let zero = terms.int(0);
        let mut large = terms.le(of_y, zero);
        for number in 1..1_000 {
            let number = terms.int(number);
            let sum = terms.add(of_y, number);
            let (bound, other) = (terms.le(sum, zero), terms.le(number, of_z));
            large = terms.ite(bound, large, other);
        }
        let small = terms.le(of_x, zero);
        let both = terms.and([small, large]);
        let mut substitution = Substitution::new([(x, of_y)]);
        let replaced = terms.le(of_y, zero);
        assert_eq!(substitution.apply(&mut terms, both), terms.and([replaced, large]));
        assert!(substitution.memo.len() < 10, "{}", substitution.memo.len());
        // Of a symbol that occurs, all is looked at.
        let mut substitution = Substitution::new([(z, of_y)]);
        assert_ne!(substitution.apply(&mut terms, both), both);
        assert!(substitution.memo.len() > 1_000);
    }
}
