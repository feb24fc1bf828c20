//! The arena of terms and symbols.
//!
//! # Invariants
//! * I1: a node occurs once; equal nodes have equal ids.
//! * I2: if a term and its negation both exist, each is recorded as the other's negation.
//! * I3: the sort of a term is recorded when the term is made.
//! * I4: so is a signature: a term whose signature does not meet that of a symbol does not mention the symbol.

use std::sync::atomic::{AtomicU64, Ordering};

use base::{Idx, IndexVec};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::signature::Signature;
use crate::{Integer, Linear, Node, Sort, Symbol, SymbolId, SymbolKind, TermId};

/// The arena: owner of all terms and symbols.
#[derive(Debug)]
pub struct Terms {
    nodes: IndexSet<Node, FxBuildHasher>,
    sorts: IndexVec<TermId, Sort>,
    /// I4.
    signatures: IndexVec<TermId, Signature>,
    negations: IndexVec<TermId, Option<TermId>>,
    symbols: IndexVec<SymbolId, Symbol>,
    identity: u64,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// The constant true.
    pub const TRUE: TermId = TermId(0);
    /// The constant false.
    pub const FALSE: TermId = TermId(1);

    /// An arena with the two truth values.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut terms = Self {
            nodes: IndexSet::default(),
            sorts: IndexVec::new(),
            signatures: IndexVec::new(),
            negations: IndexVec::new(),
            symbols: IndexVec::new(),
            identity: NEXT.fetch_add(1, Ordering::Relaxed),
        };
        let (yes, no) = (terms.intern(Node::True, Sort::Bool), terms.intern(Node::False, Sort::Bool));
        debug_assert_eq!((yes, no), (Self::TRUE, Self::FALSE));
        terms.link_negation(yes, no);
        terms
    }

    /// A number that no other arena of this process has: what caches by term can remember whose terms they know.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: the truth values are there from the start.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a term is made of.
    pub fn node(&self, term: TermId) -> &Node {
        &self.nodes[term.index()]
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> Sort {
        self.sorts[term]
    }

    /// Makes a new symbol, even if there is one with this name.
    pub fn declare(&mut self, name: impl Into<Box<str>>, sort: Sort, kind: SymbolKind) -> SymbolId {
        self.symbols.push(Symbol { name: name.into(), sort, kind })
    }

    /// Makes a new symbol whose name ends in its number, such as `k!12`.
    pub fn fresh(&mut self, prefix: &str, sort: Sort, kind: SymbolKind) -> SymbolId {
        let name = format!("{prefix}!{}", self.symbols.len());
        self.declare(name, sort, kind)
    }

    /// Name, sort and kind of a symbol.
    pub fn symbol(&self, symbol: SymbolId) -> &Symbol {
        &self.symbols[symbol]
    }

    /// The number of symbols; their ids are below it.
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// A symbol as a term.
    pub fn of_symbol(&mut self, symbol: SymbolId) -> TermId {
        let sort = self.symbols[symbol].sort;
        self.intern(Node::Symbol(symbol), sort)
    }

    /// Declares a symbol and makes it a term.
    pub fn constant(&mut self, name: &str, sort: Sort, kind: SymbolKind) -> TermId {
        let symbol = self.declare(name, sort, kind);
        self.of_symbol(symbol)
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> TermId {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// The number that a term is, if it is one.
    pub fn as_number(&self, term: TermId) -> Option<&Integer> {
        match self.node(term) {
            Node::Number(value) => Some(value),
            _ => None,
        }
    }

    /// An integer term as a sum; a term that is no sum is one with a single term.
    pub fn linear(&self, term: TermId) -> Linear {
        debug_assert_eq!(self.sort(term), Sort::Int);
        match self.node(term) {
            Node::Number(value) => Linear::constant(value.clone()),
            Node::Linear(form) => form.clone(),
            _ => Linear::monomial(term, Integer::ONE),
        }
    }

    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> TermId {
        let (index, is_new) = self.nodes.insert_full(node);
        if is_new {
            let mut signature = Signature::default();
            match &self.nodes[index] {
                Node::Symbol(symbol) => signature = self.signature_of_symbol(*symbol),
                node => node.for_each_child(|child| signature.add(self.signatures[child])),
            }
            self.signatures.push(signature);
            self.sorts.push(sort);
            self.negations.push(None);
        }
        TermId::new(index)
    }

    /// What tells quickly that a term does not mention a symbol (I4).
    pub(crate) fn signature(&self, term: TermId) -> Signature {
        self.signatures[term]
    }

    pub(crate) fn signature_of_symbol(&self, symbol: SymbolId) -> Signature {
        Signature::of(symbol, self.symbols[symbol].kind)
    }

    /// The term of a node, if it exists.
    pub(crate) fn find(&self, node: &Node) -> Option<TermId> {
        self.nodes.get_index_of(node).map(TermId::new)
    }

    /// The negation of a term, if it exists.
    pub(crate) fn negation(&self, term: TermId) -> Option<TermId> {
        self.negations[term]
    }

    pub(crate) fn link_negation(&mut self, a: TermId, b: TermId) {
        self.negations[a] = Some(b);
        self.negations[b] = Some(a);
    }
}
