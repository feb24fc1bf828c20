//! An asserted formula as clauses.

use term::{Node, SymbolId, TermId};

use super::{ReadError, Reader};
use crate::system::Atom;

/// An assertion becomes at most so many clauses.
pub(super) const CASE_LIMIT: usize = 1_000;

/// A clause in the making: parts that are looked at, and parts that are not yet.
#[derive(Clone, Default)]
struct Case {
    open: Vec<TermId>,
    heads: Vec<Atom>,
    body: Vec<Atom>,
    constraint: Vec<TermId>,
}

impl Reader<'_> {
    /// Adds the clauses that say what `formula` says; the atoms are boolean symbols in it.
    pub(super) fn assert(&mut self, formula: TermId, at: usize) -> Result<(), ReadError> {
        let mut symbols: Vec<SymbolId> = self.atoms.keys().copied().collect();
        symbols.sort_unstable();
        // The clause says that its body and the negation of its head exclude each other.
        let denied = self.terms.not(formula);
        let constraint = std::mem::take(&mut self.sides);
        let mut cases = vec![Case { open: vec![denied], constraint, ..Case::default() }];
        let mut made = 0;
        while let Some(mut case) = cases.pop() {
            let Some(part) = case.open.pop() else {
                made += 1;
                self.finish_case(case, at)?;
                continue;
            };
            self.split(part, &symbols, case, &mut cases, at)?;
            if cases.len() + made > CASE_LIMIT {
                let help = "write the cases as clauses";
                return Err(self.unsupported(at, "an assertion with more than 1000 cases", help));
            }
        }
        self.atoms.clear();
        self.reads.clear();
        Ok(())
    }

    fn finish_case(&mut self, case: Case, at: usize) -> Result<(), ReadError> {
        let Case { mut heads, body, constraint, .. } = case;
        if heads.len() > 1 {
            let help = "a clause has at most one predicate that is not negated";
            return Err(self.error(at, "this is not a Horn clause", help));
        }
        let constraint = self.terms.and(constraint);
        if constraint != term::Terms::FALSE {
            let clause = self.system.add(heads.pop(), body, constraint);
            if !self.reads.is_empty() {
                let named = self.reads.iter().map(|(sort, read)| (self.sorts[*sort].text.clone(), *read));
                self.system.reads.insert(clause, named.collect());
            }
        }
        Ok(())
    }

    /// Sorts one part of a case into it, or splits the case.
    fn split(
        &mut self,
        part: TermId,
        symbols: &[SymbolId],
        mut case: Case,
        cases: &mut Vec<Case>,
        at: usize,
    ) -> Result<(), ReadError> {
        if !self.terms.mentions(part, symbols) {
            case.constraint.push(part);
            cases.push(case);
            return Ok(());
        }
        match self.terms.node(part).clone() {
            Node::Symbol(symbol) => case.body.push(self.atoms[&symbol].clone()),
            Node::And(items) => case.open.extend(items.iter().rev()),
            Node::Or(items) => {
                self.fork(&items, symbols, &case, cases);
                return Ok(());
            }
            Node::Not(inner) => match self.terms.node(inner).clone() {
                Node::Symbol(symbol) => case.heads.push(self.atoms[&symbol].clone()),
                Node::Or(items) => {
                    let denied = items.iter().rev().map(|item| self.terms.not(*item));
                    case.open.extend(denied.collect::<Vec<_>>());
                }
                Node::And(items) => {
                    let denied: Vec<TermId> = items.iter().map(|item| self.terms.not(*item)).collect();
                    self.fork(&denied, symbols, &case, cases);
                    return Ok(());
                }
                _ => self.normalise(part, &mut case, at)?,
            },
            _ => self.normalise(part, &mut case, at)?,
        }
        cases.push(case);
        Ok(())
    }

    /// Predicates under a choice or an equivalence: the negation normal form has neither.
    fn normalise(&mut self, part: TermId, case: &mut Case, at: usize) -> Result<(), ReadError> {
        let normal = self.terms.nnf(part);
        if normal == part {
            let help = "write predicates as conditions of clauses";
            return Err(self.unsupported(at, "a predicate inside of an integer term", help));
        }
        case.open.push(normal);
        Ok(())
    }

    /// One case for each item with atoms, and one for all others together.
    fn fork(&mut self, items: &[TermId], symbols: &[SymbolId], case: &Case, cases: &mut Vec<Case>) {
        let (with, without): (Vec<TermId>, Vec<TermId>) =
            items.iter().partition(|item| self.terms.mentions(**item, symbols));
        for item in with.into_iter().rev() {
            let mut fork = case.clone();
            fork.open.push(item);
            cases.push(fork);
        }
        if !without.is_empty() {
            let mut fork = case.clone();
            fork.constraint.push(self.terms.or(without));
            cases.push(fork);
        }
    }
}
