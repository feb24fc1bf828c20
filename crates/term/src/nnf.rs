//! Negation normal form: negations only in front of symbols, equations, divisibilities and bit-vector comparisons.

use rustc_hash::FxHashMap;

use crate::traverse::Step;
use crate::{Node, Sort, TermId, Terms};

type Signed = (TermId, bool);

impl Terms {
    /// The negation normal form of a boolean term. Choices between booleans become disjunctions; choices between
    /// integers stay where they are.
    pub fn nnf(&mut self, root: TermId) -> TermId {
        let mut memo: FxHashMap<Signed, TermId> = FxHashMap::default();
        let mut tasks: Vec<(Signed, bool)> = vec![((root, true), false)];
        while let Some((signed, is_expanded)) = tasks.pop() {
            if memo.contains_key(&signed) {
                continue;
            }
            if is_expanded {
                let normal = self.nnf_of(signed, &memo);
                memo.insert(signed, normal);
            } else {
                tasks.push((signed, true));
                self.nnf_parts(signed, |part| tasks.push((part, false)));
            }
        }
        memo[&(root, true)]
    }

    /// Replaces the literals of a formula in negation normal form.
    pub fn map_literals(
        &mut self,
        formula: TermId,
        mut image: impl FnMut(&mut Self, TermId) -> TermId,
    ) -> TermId {
        self.transform(formula, &mut FxHashMap::default(), |terms, term| match terms.node(term) {
            Node::And(_) | Node::Or(_) => Step::Rebuild,
            _ => Step::Replace(image(terms, term)),
        })
    }

    /// What must be normalised before `signed`.
    fn nnf_parts(&self, (term, sign): Signed, mut part: impl FnMut(Signed)) {
        match self.node(term) {
            Node::Not(a) => part((*a, !sign)),
            Node::And(items) | Node::Or(items) => items.iter().for_each(|item| part((*item, sign))),
            Node::Ite(condition, yes, no) if self.sort(term) == Sort::Bool => {
                [(*condition, true), (*condition, false), (*yes, sign), (*no, sign)]
                    .into_iter()
                    .for_each(part);
            }
            _ => {}
        }
    }

    fn nnf_of(&mut self, (term, sign): Signed, memo: &FxHashMap<Signed, TermId>) -> TermId {
        match self.node(term).clone() {
            Node::Not(a) => memo[&(a, !sign)],
            Node::And(items) if sign => self.and(items.iter().map(|item| memo[&(*item, true)])),
            Node::And(items) => self.or(items.iter().map(|item| memo[&(*item, false)])),
            Node::Or(items) if sign => self.or(items.iter().map(|item| memo[&(*item, true)])),
            Node::Or(items) => self.and(items.iter().map(|item| memo[&(*item, false)])),
            Node::Ite(condition, yes, no) if self.sort(term) == Sort::Bool => {
                let yes = self.and([memo[&(condition, true)], memo[&(yes, sign)]]);
                let no = self.and([memo[&(condition, false)], memo[&(no, sign)]]);
                self.or([yes, no])
            }
            _ if sign => term,
            _ => self.not(term),
        }
    }
}
