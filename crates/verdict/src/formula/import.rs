//! From formulas to the terms of an arena.
//!
//! Nothing that is imported is trusted: a formula may come from a file. What does not fit the program is refused, and nothing panics.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use base::Idx;
use cfa::{Expr, Loc, ProcId, Program};
use encode::Vocabulary;
use rustc_hash::FxHashMap;
use term::{INDEX_WIDTH, Integer, Linear, Sort, SymbolId, SymbolKind, TermId, Terms};

use super::{Claim, Formula, FormulaNode, Free, Operator, Symbol};
use crate::annotation::{Annotation, Invariant};
use crate::vectors::is_small;

/// An annotation in an arena and a vocabulary of the importer's own.
#[derive(Debug)]
pub struct Imported {
    /// The arena.
    pub terms: Terms,
    /// The symbols of the program's variables, products and addresses.
    pub vocabulary: Vocabulary,
    /// What is claimed.
    pub claims: BTreeMap<(ProcId, Loc), Claim>,
    /// The symbols that stand for something else, or for nothing of the program.
    pub symbols: BTreeMap<Symbol, SymbolId>,
}

/// Why an annotation is not about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit(String);

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Imports an annotation of a prepared program.
pub fn import(program: &Program, annotation: &Annotation) -> Result<Imported, Misfit> {
    let mut terms = Terms::new();
    let procs: BTreeSet<ProcId> =
        annotation.locations().map(|(proc, _)| proc).chain([program.entry]).collect();
    if let Some(proc) = procs.iter().find(|proc| proc.index() >= program.procs.len()) {
        return Err(Misfit(format!("there is no procedure {proc}")));
    }
    let procs: Vec<ProcId> = procs.into_iter().collect();
    let mut vocabulary = Vocabulary::in_logic(annotation.logic, program, &procs, &mut terms);
    let (claims, symbols) = import_into(program, &mut terms, &mut vocabulary, annotation)?;
    Ok(Imported { terms, vocabulary, claims, symbols })
}

/// What is claimed, and the symbols that stand for something else than variables, products, sums and addresses.
type Claims = (BTreeMap<(ProcId, Loc), Claim>, BTreeMap<Symbol, SymbolId>);

/// Imports an annotation of a prepared program into an arena that has a vocabulary for it.
pub fn import_into(
    program: &Program,
    terms: &mut Terms,
    vocabulary: &mut Vocabulary,
    annotation: &Annotation,
) -> Result<Claims, Misfit> {
    if vocabulary.logic() != annotation.logic {
        return Err(Misfit("the formulas are of another logic".to_owned()));
    }
    let mut importer =
        Importer { program, terms, vocabulary, symbols: BTreeMap::new(), known: FxHashMap::default() };
    let mut claims = BTreeMap::new();
    for (place, invariant) in &annotation.invariants {
        claims.insert(*place, importer.claim(*place, invariant)?);
    }
    Ok((claims, importer.symbols))
}

/// The nodes of some formulas, and the terms of those that were imported.
type Table = (Arc<[FormulaNode]>, FxHashMap<u32, TermId>);

struct Importer<'a> {
    program: &'a Program,
    terms: &'a mut Terms,
    vocabulary: &'a mut Vocabulary,
    symbols: BTreeMap<Symbol, SymbolId>,
    /// What was imported, by the address of the nodes and the position among them. The nodes are kept, so that no other ones get their address.
    known: FxHashMap<usize, Table>,
}

impl Importer<'_> {
    fn claim(&mut self, (proc, location): (ProcId, Loc), invariant: &Invariant) -> Result<Claim, Misfit> {
        let procedure = (proc.index() < self.program.procs.len()).then(|| &self.program.procs[proc]);
        if procedure.is_none_or(|procedure| location.index() >= procedure.locations.len()) {
            return Err(Misfit(format!("there is no location {location} in a procedure {proc}")));
        }
        let facts = invariant.facts.iter().flat_map(values::state::State::iter);
        if let Some((var, _)) = facts.into_iter().find(|(var, _)| var.index() >= self.program.vars.len()) {
            return Err(Misfit(format!("there is no variable {var}")));
        }
        let never = self.formula(&invariant.never, Sort::Bool)?;
        let mut instances = Vec::with_capacity(invariant.instances.len());
        for instance in &invariant.instances {
            let mut pairs = Vec::with_capacity(instance.len());
            for (symbol, formula) in instance {
                let symbol = self.symbol(symbol)?;
                pairs.push((symbol, self.formula(formula, self.terms.symbol(symbol).sort)?));
            }
            instances.push(pairs);
        }
        Ok(Claim { facts: invariant.facts.clone(), never, instances })
    }

    /// A formula as a term of a sort.
    fn formula(&mut self, formula: &Formula, sort: Sort) -> Result<TermId, Misfit> {
        let key = formula.nodes.as_ptr() as usize;
        let entry = self.known.remove(&key);
        let (nodes, mut known) = entry.unwrap_or_else(|| (Arc::clone(&formula.nodes), FxHashMap::default()));
        let (mut open, mut missing) = (vec![formula.root], BTreeSet::new());
        while let Some(position) = open.pop() {
            if !known.contains_key(&position) && missing.insert(position) {
                open.extend(&nodes[position as usize].operands);
            }
        }
        // In the order of the nodes (F1), which is the order in which the terms were made.
        for position in missing {
            let node = &nodes[position as usize];
            let operands: Vec<TermId> = node.operands.iter().map(|operand| known[operand]).collect();
            known.insert(position, self.node(&node.operator, &operands)?);
        }
        let term = known[&formula.root];
        self.known.insert(key, (nodes, known));
        if self.terms.sort(term) == sort {
            Ok(term)
        } else {
            Err(ill_sorted(&formula.nodes[formula.root as usize].operator))
        }
    }

    fn symbol(&mut self, symbol: &Symbol) -> Result<SymbolId, Misfit> {
        if let Some(known) = self.symbols.get(symbol) {
            return Ok(*known);
        }
        let unknown = || Misfit(format!("the program has no {symbol:?}"));
        match symbol {
            Symbol::Variable(var) if var.index() < self.program.vars.len() => {
                self.vocabulary.symbol(*var).ok_or_else(unknown)
            }
            Symbol::AtEntry(var) if var.index() < self.program.vars.len() => {
                let declared = self.vocabulary.declare_at_entry(self.program, self.terms, *var);
                declared.ok_or_else(unknown)
            }
            Symbol::Product(factors) => self.vocabulary.product(factors).ok_or_else(unknown),
            Symbol::Sum(sum) => self.vocabulary.sum(sum).ok_or_else(unknown),
            Symbol::Code(var, coded) => self.vocabulary.code(*var, *coded).ok_or_else(unknown),
            Symbol::Address(expr) if expr.index() < self.program.exprs.len() => {
                let name = match *self.program.exprs.get(*expr) {
                    Expr::Address { var } => self.program.vars[var].name.to_string(),
                    Expr::Function { proc } => self.program.procs[proc].name.to_string(),
                    _ => return Err(unknown()),
                };
                Ok(self.vocabulary.declare_address(self.program, self.terms, *expr, &name))
            }
            Symbol::Variable(_) | Symbol::AtEntry(_) | Symbol::Address(_) => Err(unknown()),
            Symbol::Chosen(chosen) => self.declare(symbol, "chosen", chosen.sort, SymbolKind::Skolem),
            Symbol::Free(Free { sort, kind, name, .. }) => self.declare(symbol, name, *sort, *kind),
        }
    }

    fn declare(
        &mut self,
        symbol: &Symbol,
        name: &str,
        sort: Sort,
        kind: SymbolKind,
    ) -> Result<SymbolId, Misfit> {
        if !is_small(sort) {
            return Err(Misfit("a bit-vector has too many bits".to_owned()));
        }
        let declared = self.terms.fresh(name, sort, kind);
        self.symbols.insert(symbol.clone(), declared);
        Ok(declared)
    }

    fn node(&mut self, operator: &Operator, operands: &[TermId]) -> Result<TermId, Misfit> {
        if let Operator::Symbol(symbol) = operator {
            let symbol = self.symbol(symbol)?;
            return Ok(self.terms.of_symbol(symbol));
        }
        let sorts: Vec<Sort> = operands.iter().map(|operand| self.terms.sort(*operand)).collect();
        let term = match operator {
            Operator::Not | Operator::And | Operator::Or => self.boolean(operator, operands, &sorts),
            Operator::IfThenElse | Operator::Same => self.mixed(operator, operands, &sorts),
            Operator::Select | Operator::Store | Operator::ConstantArray => {
                self.array(operator, operands, &sorts)
            }
            Operator::Vector(..) | Operator::OnVectors(_) => self.vector(operator, operands, &sorts),
            _ => self.integer(operator, operands, &sorts),
        };
        term.ok_or_else(|| ill_sorted(operator))
    }

    fn boolean(&mut self, operator: &Operator, operands: &[TermId], sorts: &[Sort]) -> Option<TermId> {
        if sorts.iter().any(|sort| *sort != Sort::Bool) {
            return None;
        }
        match (operator, operands) {
            (Operator::Not, [a]) => Some(self.terms.not(*a)),
            (Operator::And, items) => Some(self.terms.and(items.iter().copied())),
            (Operator::Or, items) => Some(self.terms.or(items.iter().copied())),
            _ => None,
        }
    }

    fn mixed(&mut self, operator: &Operator, operands: &[TermId], sorts: &[Sort]) -> Option<TermId> {
        match (operator, operands, sorts) {
            (Operator::IfThenElse, [a, b, c], [Sort::Bool, yes, no]) if yes == no => {
                Some(self.terms.ite(*a, *b, *c))
            }
            (Operator::Same, [a, b], [left @ (Sort::Array | Sort::BitVec(_) | Sort::BitArray(_)), right])
                if left == right =>
            {
                Some(self.terms.eq(*a, *b))
            }
            _ => None,
        }
    }

    fn array(&mut self, operator: &Operator, operands: &[TermId], sorts: &[Sort]) -> Option<TermId> {
        use Sort::{Array, BitArray, BitVec, Int};
        match (operator, operands, sorts) {
            (Operator::Select, [a, b], [Array, Int]) => Some(self.terms.select(*a, *b)),
            (Operator::Store, [a, b, c], [Array, Int, Int]) => Some(self.terms.store(*a, *b, *c)),
            (Operator::Select, [a, b], [BitArray(_), BitVec(INDEX_WIDTH)]) => Some(self.terms.select(*a, *b)),
            (Operator::Store, [a, b, c], [BitArray(elements), BitVec(INDEX_WIDTH), BitVec(width)])
                if elements == width =>
            {
                Some(self.terms.store(*a, *b, *c))
            }
            (Operator::ConstantArray, [a], [Int | BitVec(_)]) => Some(self.terms.const_array(*a)),
            _ => None,
        }
    }

    fn vector(&mut self, operator: &Operator, operands: &[TermId], sorts: &[Sort]) -> Option<TermId> {
        match (operator, operands) {
            (Operator::Vector(width, value), []) if is_small(Sort::BitVec(*width)) => {
                Some(self.terms.bv_number(*width, value.clone()))
            }
            (Operator::OnVectors(op), operands) if op.result(sorts).is_some_and(is_small) => {
                Some(self.terms.bv(*op, operands))
            }
            _ => None,
        }
    }

    fn integer(&mut self, operator: &Operator, operands: &[TermId], sorts: &[Sort]) -> Option<TermId> {
        if sorts.iter().any(|sort| *sort != Sort::Int) {
            return None;
        }
        let is_divisor = |number: &Integer| *number > Integer::ONE;
        match (operator, operands) {
            (Operator::True, []) => Some(Terms::TRUE),
            (Operator::False, []) => Some(Terms::FALSE),
            (Operator::Number(value), []) => Some(self.terms.number(value.clone())),
            (Operator::AtMostZero, [a]) => {
                let form = self.terms.linear(*a);
                Some(self.terms.le_zero(&form))
            }
            (Operator::IsZero, [a]) => {
                let form = self.terms.linear(*a);
                Some(self.terms.eq_zero(&form))
            }
            (Operator::Divides(divisor), [a]) if is_divisor(divisor) => Some(self.terms.divides(divisor, *a)),
            (Operator::Quotient(divisor), [a]) if is_divisor(divisor) => Some(self.terms.div(*a, divisor)),
            (Operator::Remainder(divisor), [a]) if is_divisor(divisor) => {
                Some(self.terms.modulo(*a, divisor))
            }
            (Operator::Sum { constant, coefficients }, items) if items.len() == coefficients.len() => {
                Some(self.sum(constant, coefficients, items))
            }
            (Operator::Product, items) => {
                let one = self.terms.number(Integer::ONE);
                Some(items.iter().fold(one, |product, item| self.terms.mul(product, *item)))
            }
            _ => None,
        }
    }

    /// The operands may be sums themselves.
    fn sum(&mut self, constant: &Integer, coefficients: &[Integer], items: &[TermId]) -> TermId {
        let (mut products, mut constant) = (Vec::new(), constant.clone());
        for (item, coefficient) in items.iter().zip(coefficients) {
            let form = self.terms.linear(*item);
            constant += &(form.constant_part() * coefficient);
            products.extend(form.terms().iter().map(|(term, factor)| (*term, factor * coefficient)));
        }
        self.terms.of_linear(&Linear::collect(products, constant))
    }
}

fn ill_sorted(operator: &Operator) -> Misfit {
    Misfit(format!("{operator:?} is applied to operands that it does not have"))
}
