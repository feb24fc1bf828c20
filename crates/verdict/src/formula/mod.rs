//! Formulas that belong to no arena: what proofs are written in.
//!
//! A [`Formula`] is a directed acyclic graph. Symbols are named by what they stand for in the prepared program, never by the number that an arena
//! gave them, so a formula can be sent to another thread, stored as text, and imported by any code that has the same program. Formulas that were exported together
//! share their nodes.
//!
//! # Invariants
//! * F1: the operands of a node come before it. So no formula is cyclic, and one pass in order visits subformulas first.
//! * F2: formulas are about truth values, and about integers and arrays of them or about bit-vectors and arrays of them, by the logic of the proof.
//!
//! Equality is that of the structure: same operators and symbols in the same order, wherever the nodes are stored.

mod export;
mod import;

use std::fmt;
use std::sync::Arc;

use cfa::{ExprId, Loc, ProcId, VarId};
use encode::{Origin, Rounding, Site, Skolem};
use rustc_hash::FxHashSet;
use term::{BvOp, Integer, Sort, SymbolId, SymbolKind, Terms};
use values::folds::Coded;
use values::sums::Sum;

pub use export::Claim;
pub use import::{Imported, Misfit, import, import_into};

/// A formula or another term, as a graph of its own.
#[derive(Clone)]
pub struct Formula {
    nodes: Arc<[FormulaNode]>,
    root: u32,
}

/// An operator and its operands, by their positions among the nodes of the formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FormulaNode {
    /// The operator.
    pub operator: Operator,
    /// Its operands (F1).
    pub operands: Box<[u32]>,
}

/// What a node of a formula means, given the meaning of its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// The constant true.
    True,
    /// The constant false.
    False,
    /// A symbol.
    Symbol(Symbol),
    /// An integer.
    Number(Integer),
    /// Negation of one operand.
    Not,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// The integer operand is at most zero.
    AtMostZero,
    /// The integer operand is zero.
    IsZero,
    /// The number divides the integer operand.
    Divides(Integer),
    /// Two arrays are equal, or two bit-vectors.
    Same,
    /// The sum of a constant and of the operands, each multiplied by its coefficient.
    Sum {
        /// The constant.
        constant: Integer,
        /// One number for each operand.
        coefficients: Box<[Integer]>,
    },
    /// The product of the operands.
    Product,
    /// The operand divided by a number, rounded down.
    Quotient(Integer),
    /// The operand modulo a number, never negative.
    Remainder(Integer),
    /// If the first operand holds then the second, else the third.
    IfThenElse,
    /// The element of an array at an index.
    Select,
    /// An array, changed at an index to a value.
    Store,
    /// The array that has one value everywhere.
    ConstantArray,
    /// A bit-vector: its width and its unsigned value.
    Vector(u32, Integer),
    /// An operation on bit-vectors.
    OnVectors(BvOp),
}

/// What a symbol stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// The value of a variable.
    Variable(VarId),
    /// The value that a variable had when the activation at hand was entered.
    AtEntry(VarId),
    /// The value of a product of variables, which ascend.
    Product(Box<[VarId]>),
    /// The sum of the elements of an array up to a bound.
    Sum(Sum),
    /// The code of what is folded into a variable, or of its elements.
    Code(VarId, Coded),
    /// The address that an expression has, of an object or a function.
    Address(ExprId),
    /// A value that an execution chooses on the way from one annotated location to the next.
    Chosen(Chosen),
    /// Nothing of the program: a number of iterations, or what a summary leaves open.
    Free(Free),
}

/// A value that is chosen in the pieces of the program that start at a location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chosen {
    /// Where the pieces start.
    pub start: (ProcId, Loc),
    /// The operation.
    pub site: Site,
    /// Why the value is not determined.
    pub kind: ChoiceKind,
    /// Which one it is of those with the same site and kind.
    pub number: u32,
    /// Its values.
    pub sort: Sort,
}

/// Why a value is chosen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChoiceKind {
    /// The program leaves it open.
    Open,
    /// The encoding rounds up: what, for people.
    Rounded(Rounding),
    /// Which of several paths is taken.
    Path,
}

/// A symbol that a proof has introduced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Free {
    /// Tells the free symbols of a proof apart.
    pub number: u32,
    /// Its values.
    pub sort: Sort,
    /// What it is used for.
    pub kind: SymbolKind,
    /// A readable name.
    pub name: Box<str>,
}

impl Formula {
    /// The formula of some nodes and one of them as root; nothing if an operand does not come before its node (F1).
    pub fn new(nodes: impl Into<Arc<[FormulaNode]>>, root: u32) -> Option<Self> {
        let nodes = nodes.into();
        let is_ordered = |(position, node): (usize, &FormulaNode)| {
            node.operands.iter().all(|operand| (*operand as usize) < position)
        };
        let is_valid = (root as usize) < nodes.len() && nodes.iter().enumerate().all(is_ordered);
        is_valid.then_some(Self { nodes, root })
    }

    /// A formula without operands.
    pub fn leaf(operator: Operator) -> Self {
        Self { nodes: Arc::new([FormulaNode { operator, operands: Box::default() }]), root: 0 }
    }

    /// Another formula among the same nodes; nothing if there is no such node.
    pub fn at(&self, root: u32) -> Option<Self> {
        ((root as usize) < self.nodes.len()).then(|| Self { nodes: Arc::clone(&self.nodes), root })
    }

    /// All nodes, of which only some may belong to this formula.
    pub fn nodes(&self) -> &Arc<[FormulaNode]> {
        &self.nodes
    }

    /// The position of its root among the nodes.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// The positions of the nodes that belong to it, operands first.
    pub fn reachable(&self) -> Vec<u32> {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let (mut open, mut found) = (vec![self.root], Vec::new());
        while let Some(position) = open.pop() {
            if seen.insert(position) {
                found.push(position);
                open.extend(&self.nodes[position as usize].operands);
            }
        }
        found.sort_unstable();
        found
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        let mut compared: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut open = vec![(self.root, other.root)];
        let is_shared = Arc::ptr_eq(&self.nodes, &other.nodes);
        while let Some(pair) = open.pop() {
            if is_shared && pair.0 == pair.1 || !compared.insert(pair) {
                continue;
            }
            let (mine, theirs) = (&self.nodes[pair.0 as usize], &other.nodes[pair.1 as usize]);
            if mine.operator != theirs.operator || mine.operands.len() != theirs.operands.len() {
                return false;
            }
            open.extend(mine.operands.iter().copied().zip(theirs.operands.iter().copied()));
        }
        true
    }
}

impl Eq for Formula {}

impl fmt::Debug for Formula {
    /// Formulas may be large, and share their nodes: only the root is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = &self.nodes[self.root as usize].operator;
        write!(f, "Formula({root:?}, {} nodes)", self.reachable().len())
    }
}

/// The names of the values that are chosen in the pieces from a location. The order in which their symbols were made tells apart those of one operation.
pub fn name_choices(
    terms: &Terms,
    start: (ProcId, Loc),
    choices: impl IntoIterator<Item = Skolem>,
) -> Vec<(SymbolId, Chosen)> {
    let mut choices: Vec<Skolem> = choices.into_iter().collect();
    choices.sort_by_key(|choice| choice.symbol);
    choices.dedup_by_key(|choice| choice.symbol);
    let mut named: Vec<(SymbolId, Chosen)> = Vec::with_capacity(choices.len());
    let mut used: std::collections::BTreeMap<(Site, ChoiceKind), u32> = std::collections::BTreeMap::new();
    for Skolem { symbol, site, origin, .. } in choices {
        let kind = match origin {
            Origin::Input(..) => ChoiceKind::Open,
            Origin::Rounded(what) => ChoiceKind::Rounded(what),
            Origin::Path => ChoiceKind::Path,
        };
        let count = used.entry((site, kind.clone())).or_default();
        let number = *count;
        *count += 1;
        named.push((symbol, Chosen { start, site, kind, number, sort: terms.symbol(symbol).sort }));
    }
    named
}

/// A text that fits on a line of the stored form, and is read back as it is.
fn one_line(text: &str) -> Box<str> {
    text.split_whitespace().collect::<Vec<_>>().join(" ").into()
}
