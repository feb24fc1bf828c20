//! From the terms of an arena to formulas of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use cfa::{Loc, ProcId};
use encode::{Skolem, Vocabulary};
use rustc_hash::FxHashMap;
use term::{Node, SymbolId, TermId, Terms};
use values::state::State;

use super::{Formula, FormulaNode, Free, Operator, Symbol, name_choices, one_line};
use crate::annotation::{Annotation, Instance, Invariant};

/// An invariant in the terms of an arena: what engines compute and what checks import. See [`Invariant`].
#[derive(Clone, Debug)]
pub struct Claim {
    /// What is known of variables.
    pub facts: Option<State>,
    /// What never holds.
    pub never: TermId,
    /// Choices for the symbols of `never` that stand for nothing of the program.
    pub instances: Vec<Vec<(SymbolId, TermId)>>,
}

impl Claim {
    fn terms(&self) -> impl Iterator<Item = TermId> + '_ {
        [self.never].into_iter().chain(self.instances.iter().flatten().map(|(_, term)| *term))
    }
}

impl Formula {
    /// A term of an arena.
    pub fn of(terms: &Terms, vocabulary: &Vocabulary, term: TermId) -> Self {
        let symbols = name_symbols(terms, vocabulary, terms.symbols_of(term), BTreeMap::new());
        let (nodes, positions) = export(terms, &[term], &symbols);
        Self { nodes, root: positions[&term] }
    }
}

impl Annotation {
    /// What is claimed of locations of a procedure in the terms of an arena. `choices` are the values that are chosen in pieces from a location; the
    /// check finds its own for them.
    pub fn of(
        terms: &Terms,
        vocabulary: &Vocabulary,
        proc: ProcId,
        claims: &BTreeMap<Loc, Claim>,
        choices: &BTreeMap<Loc, Vec<Skolem>>,
    ) -> Self {
        let of_proc = |(location, claim): (&Loc, &Claim)| ((proc, *location), claim.clone());
        let claims = claims.iter().map(of_proc).collect();
        let choices = choices.iter().map(|(location, chosen)| ((proc, *location), chosen.clone())).collect();
        Self::of_all(terms, vocabulary, &claims, &choices)
    }

    /// The same for locations of several procedures, whose symbols the vocabulary has.
    pub fn of_all(
        terms: &Terms,
        vocabulary: &Vocabulary,
        claims: &BTreeMap<(ProcId, Loc), Claim>,
        choices: &BTreeMap<(ProcId, Loc), Vec<Skolem>>,
    ) -> Self {
        let roots: Vec<TermId> = claims.values().flat_map(Claim::terms).collect();
        let mut symbols = terms.symbols_of_all(&roots);
        let chosen_for = claims.values().flat_map(|claim| &claim.instances).flatten();
        symbols.extend(chosen_for.map(|(symbol, _)| *symbol));
        let chosen = choices
            .iter()
            .flat_map(|(start, skolems)| name_choices(terms, *start, skolems.iter().cloned()))
            .map(|(symbol, chosen)| (symbol, Symbol::Chosen(chosen)));
        let symbols = name_symbols(terms, vocabulary, symbols, chosen.collect());
        let (nodes, positions) = export(terms, &roots, &symbols);
        let formula = |term: &TermId| Formula { nodes: Arc::clone(&nodes), root: positions[term] };
        let invariants = claims.iter().map(|(place, claim)| {
            let pairs = |instance: &Vec<(SymbolId, TermId)>| -> Instance {
                instance.iter().map(|(symbol, term)| (symbols[symbol].clone(), formula(term))).collect()
            };
            let never = formula(&claim.never);
            let instances = claim.instances.iter().map(pairs).collect();
            (*place, Invariant { facts: claim.facts.clone(), never, instances })
        });
        Self { logic: vocabulary.logic(), invariants: invariants.collect() }
    }
}

/// Names symbols by what they stand for; those that stand for nothing are numbered in order.
fn name_symbols(
    terms: &Terms,
    vocabulary: &Vocabulary,
    mut symbols: Vec<SymbolId>,
    mut named: BTreeMap<SymbolId, Symbol>,
) -> BTreeMap<SymbolId, Symbol> {
    symbols.sort_unstable();
    let mut free = 0;
    for symbol in symbols {
        if named.contains_key(&symbol) {
            continue;
        }
        let name = if let Some(var) = vocabulary.var(symbol) {
            Symbol::Variable(var)
        } else if let Some(factors) = vocabulary.factors(symbol) {
            Symbol::Product(factors.into())
        } else if let Some(sum) = vocabulary.sum_of(symbol) {
            Symbol::Sum(sum)
        } else if let Some((var, coded)) = vocabulary.code_of(symbol) {
            Symbol::Code(var, coded)
        } else if let Some(expr) = vocabulary.address_of(symbol) {
            Symbol::Address(expr)
        } else if let Some(var) = vocabulary.at_entry(symbol) {
            Symbol::AtEntry(var)
        } else {
            let known = terms.symbol(symbol);
            let prefix = known.name.split('!').next().unwrap_or_default();
            let number = free;
            free += 1;
            Symbol::Free(Free { number, sort: known.sort, kind: known.kind, name: one_line(prefix) })
        };
        named.insert(symbol, name);
    }
    named
}

/// The nodes of all terms below some roots, and the positions of the roots among others.
fn export(
    terms: &Terms,
    roots: &[TermId],
    symbols: &BTreeMap<SymbolId, Symbol>,
) -> (Arc<[FormulaNode]>, FxHashMap<TermId, u32>) {
    let mut positions: FxHashMap<TermId, u32> = FxHashMap::default();
    let mut nodes = Vec::new();
    for term in terms.reachable(roots) {
        let node = terms.node(term);
        let mut operands = Vec::new();
        node.for_each_child(|child| operands.push(positions[&child]));
        positions.insert(term, nodes.len() as u32);
        nodes.push(FormulaNode { operator: operator(node, symbols), operands: operands.into() });
    }
    (nodes.into(), positions)
}

fn operator(node: &Node, symbols: &BTreeMap<SymbolId, Symbol>) -> Operator {
    match node {
        Node::True => Operator::True,
        Node::False => Operator::False,
        Node::Symbol(symbol) => Operator::Symbol(symbols[symbol].clone()),
        Node::Not(_) => Operator::Not,
        Node::And(_) => Operator::And,
        Node::Or(_) => Operator::Or,
        Node::Le(_) => Operator::AtMostZero,
        Node::Zero(_) => Operator::IsZero,
        Node::Divides(divisor, _) => Operator::Divides(divisor.clone()),
        Node::Same(..) => Operator::Same,
        Node::Number(value) => Operator::Number(value.clone()),
        Node::Linear(form) => Operator::Sum {
            constant: form.constant_part().clone(),
            coefficients: form.terms().iter().map(|(_, coefficient)| coefficient.clone()).collect(),
        },
        Node::Product(_) => Operator::Product,
        Node::Div(_, divisor) => Operator::Quotient(divisor.clone()),
        Node::Mod(_, divisor) => Operator::Remainder(divisor.clone()),
        Node::Ite(..) => Operator::IfThenElse,
        Node::Select(..) => Operator::Select,
        Node::Store(..) => Operator::Store,
        Node::ConstArray(_) => Operator::ConstantArray,
        Node::BvNumber(width, value) => Operator::Vector(*width, value.clone()),
        Node::Bv(op, _) => Operator::OnVectors(*op),
    }
}
