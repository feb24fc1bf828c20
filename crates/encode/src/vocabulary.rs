//! The symbols that stand for a program's variables.

use std::collections::{BTreeMap, BTreeSet};

use base::IndexVec;
use cfa::{ExprId, ProcId, Program, Storage, Ty, VarId};

use rustc_hash::{FxHashMap, FxHashSet};
use term::{Node, Sort, SymbolId, SymbolKind, TermId, Terms};

use crate::arithmetic::bounds;
use crate::polynomial::product_links;
use crate::product::product_facts;
use values::folds::{Coded, Folds, folds};
use values::monomials::{Monomial, Products};
use values::sums::{Bound, Sum, Summand, sums};

/// How formulas model machine values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogicName {
    /// As mathematical integers within the ranges of their types.
    #[default]
    Integers,
    /// As bit-vectors.
    Bits,
}

impl LogicName {
    /// The sort of the values of a type.
    pub fn sort(self, program: &Program, ty: Ty) -> Sort {
        match self {
            Self::Integers => Sort::Int,
            Self::Bits => Sort::BitVec(u32::from(ty.width(program.data_model))),
        }
    }
    /// The sort of arrays of values of a type.
    pub fn array_sort(self, program: &Program, elem: Ty) -> Sort {
        match self {
            Self::Integers => Sort::Array,
            Self::Bits => Sort::BitArray(u32::from(elem.width(program.data_model))),
        }
    }
}

/// The symbols of one procedure: one for every scalar and array variable that it may use, an integer, or a map from integers to integers. Memory
/// objects and variables of other procedures have none. And one for every product of variables that is followed ([`Products`]),
/// for every sum of elements ([`sums`]), and for the codes of what is folded ([`folds`]). In the logic of bits, values are bit-vectors, and neither products nor sums nor codes have symbols.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    logic: LogicName,
    symbols: IndexVec<VarId, Option<SymbolId>>,
    vars: FxHashMap<SymbolId, VarId>,
    products: BTreeMap<Monomial, SymbolId>,
    factors: BTreeMap<SymbolId, Monomial>,
    compared: BTreeSet<VarId>,
    sums: BTreeMap<Sum, SymbolId>,
    codes: BTreeMap<(VarId, Coded), SymbolId>,
    addresses: FxHashMap<ExprId, SymbolId>,
    at_entry: BTreeMap<VarId, SymbolId>,
    facts: FxHashSet<TermId>,
}

impl Vocabulary {
    /// Declares the symbols of one procedure: its own variables and the globals. Names that occur twice get a number.
    pub fn of(program: &Program, proc: ProcId, terms: &mut Terms) -> Self {
        Self::of_all(program, &[proc], terms)
    }
    /// Declares the symbols of several procedures.
    pub fn of_all(program: &Program, procs: &[ProcId], terms: &mut Terms) -> Self {
        Self::in_logic(LogicName::Integers, program, procs, terms)
    }
    /// Declares the symbols of several procedures in a logic.
    pub fn in_logic(logic: LogicName, program: &Program, procs: &[ProcId], terms: &mut Terms) -> Self {
        let mut uses: FxHashMap<&str, u32> = FxHashMap::default();
        let mut symbols = IndexVec::new();
        let mut vars = FxHashMap::default();
        for (var, info) in program.vars.iter_enumerated() {
            if info.owner.is_some_and(|owner| !procs.contains(&owner)) {
                symbols.push(None);
                continue;
            }
            let sort = match info.storage {
                Storage::Scalar(ty) => logic.sort(program, ty),
                Storage::Array { elem, .. } => logic.array_sort(program, elem),
                Storage::Object { .. } => {
                    symbols.push(None);
                    continue;
                }
            };
            let count = uses.entry(&*info.name).or_insert(0);
            *count += 1;
            let name = if *count == 1 { info.name.to_string() } else { format!("{}#{count}", info.name) };
            let symbol = terms.declare(name, sort, SymbolKind::Variable);
            symbols.push(Some(symbol));
            vars.insert(symbol, var);
        }
        let (mut products, mut compared) = (BTreeMap::new(), BTreeSet::new());
        let mut followed = BTreeSet::new();
        let with_products = if logic == LogicName::Integers { procs } else { &[] };
        for proc in with_products {
            let chosen = Products::of(program, &program.procs[*proc]);
            followed.extend(chosen.followed);
            compared.extend(chosen.compared);
        }
        for monomial in followed {
            let names: Vec<&str> = monomial.iter().map(|var| &*program.vars[*var].name).collect();
            let symbol = terms.declare(names.join("*"), Sort::Int, SymbolKind::Variable);
            products.insert(monomial, symbol);
        }
        let factors = products.iter().map(|(monomial, symbol)| (*symbol, monomial.clone())).collect();
        let (followed_sums, codes) = followed_sums(program, with_products, terms);
        let (addresses, at_entry) = (FxHashMap::default(), BTreeMap::new());
        Self {
            logic,
            symbols,
            vars,
            products,
            factors,
            compared,
            sums: followed_sums,
            codes,
            addresses,
            at_entry,
            facts: FxHashSet::default(),
        }
    }
    /// How values are modelled.
    pub fn logic(&self) -> LogicName {
        self.logic
    }
    /// The symbol of a sum of elements; `None` if it is not followed.
    pub fn sum(&self, sum: &Sum) -> Option<SymbolId> {
        self.sums.get(sum).copied()
    }
    /// The sum of elements that a symbol stands for.
    pub fn sum_of(&self, symbol: SymbolId) -> Option<Sum> {
        self.sums().find(|(known, _)| *known == symbol).map(|(_, sum)| sum)
    }
    /// The sums of elements that are followed.
    pub fn sums(&self) -> impl Iterator<Item = (SymbolId, Sum)> {
        self.sums.iter().map(|(sum, symbol)| (*symbol, *sum))
    }
    /// The array whose elements a sum adds up.
    pub fn summed(&self, sum: &Sum) -> Option<SymbolId> {
        match sum.of {
            Summand::Elements => self.symbol(sum.array),
            Summand::Codes => self.code(sum.array, Coded::Elements),
            Summand::Counts(count) => self.code(sum.array, Coded::Counts(count)),
        }
    }
    /// The symbol of a code of a variable; `None` if it is not followed in that way.
    pub fn code(&self, var: VarId, coded: Coded) -> Option<SymbolId> {
        self.codes.get(&(var, coded)).copied()
    }
    /// The variable whose code a symbol stands for, and what the code is of.
    pub fn code_of(&self, symbol: SymbolId) -> Option<(VarId, Coded)> {
        self.codes().find(|(known, ..)| *known == symbol).map(|(_, var, coded)| (var, coded))
    }
    /// The codes that are followed.
    pub fn codes(&self) -> impl Iterator<Item = (SymbolId, VarId, Coded)> {
        self.codes.iter().map(|((var, coded), symbol)| (*symbol, *var, *coded))
    }
    /// The symbol of the value that a variable has where its procedure, or that at hand, is entered, made if there is none yet. Only integers have one.
    pub fn declare_at_entry(&mut self, program: &Program, terms: &mut Terms, var: VarId) -> Option<SymbolId> {
        let sort = self.logic.sort(program, program.vars[var].scalar()?);
        let declare =
            || terms.declare(format!("{}@entry", program.vars[var].name), sort, SymbolKind::Variable);
        Some(*self.at_entry.entry(var).or_insert_with(declare))
    }
    /// The symbol of the value that a variable has at the entry, if it is declared.
    pub fn entry_symbol(&self, var: VarId) -> Option<SymbolId> {
        self.at_entry.get(&var).copied()
    }
    /// The variable whose value at the entry a symbol stands for.
    pub fn at_entry(&self, symbol: SymbolId) -> Option<VarId> {
        self.entries().find(|(_, known)| *known == symbol).map(|(var, _)| var)
    }
    /// The variables with a symbol for the value at the entry.
    pub fn entries(&self) -> impl Iterator<Item = (VarId, SymbolId)> {
        self.at_entry.iter().map(|(var, symbol)| (*var, *symbol))
    }
    /// The symbol of a product of these variables, which should ascend; `None` if it is not followed.
    pub fn product(&self, factors: &[VarId]) -> Option<SymbolId> {
        self.products.get(factors).copied()
    }
    /// The variables of whose product a symbol stands for the value.
    pub fn factors(&self, symbol: SymbolId) -> Option<&[VarId]> {
        self.factors.get(&symbol).map(Vec::as_slice)
    }
    /// The products that are compared with each other where the error is reached.
    pub(crate) fn compared(&self) -> impl Iterator<Item = (SymbolId, &[VarId])> {
        self.products().filter(|(_, factors)| factors.iter().all(|factor| self.compared.contains(factor)))
    }
    /// The factors of products that are compared with each other where the error is reached.
    pub fn compared_factors(&self) -> Vec<VarId> {
        self.compared().flat_map(|(_, factors)| factors.iter().copied()).collect()
    }
    /// The products that are followed.
    pub fn products(&self) -> impl Iterator<Item = (SymbolId, &[VarId])> {
        self.factors.iter().map(|(symbol, factors)| (*symbol, factors.as_slice()))
    }
    /// Notes a formula that the encoding states although the program has no such condition.
    pub(crate) fn note_fact(&mut self, fact: TermId) {
        self.facts.insert(fact);
    }
    /// Whether the encoding states a formula of its own accord: its parts are no conditions of the program.
    pub fn is_fact(&self, formula: TermId) -> bool {
        self.facts.contains(&formula)
    }
    /// The symbol of a variable; `None` for memory objects.
    pub fn symbol(&self, var: VarId) -> Option<SymbolId> {
        self.symbols[var]
    }
    /// The variable of a symbol; `None` for symbols that stand for something else.
    pub fn var(&self, symbol: SymbolId) -> Option<VarId> {
        self.vars.get(&symbol).copied()
    }
    /// Whether a symbol stands for nothing of the program: not for a variable, now or at the entry, an address, a product, a sum or a code, which have the values that they have.
    pub fn is_free(&self, symbol: SymbolId) -> bool {
        self.var(symbol).is_none()
            && self.factors(symbol).is_none()
            && self.sum_of(symbol).is_none()
            && self.code_of(symbol).is_none()
            && self.address_of(symbol).is_none()
            && self.at_entry(symbol).is_none()
    }
    /// The expression of the address that a symbol stands for.
    pub fn address_of(&self, symbol: SymbolId) -> Option<ExprId> {
        self.addresses.iter().find(|(_, known)| **known == symbol).map(|(expr, _)| *expr)
    }
    /// The symbol of an address, made if there is none yet.
    pub fn declare_address(
        &mut self,
        program: &Program,
        terms: &mut Terms,
        expr: ExprId,
        name: &str,
    ) -> SymbolId {
        let sort = self.logic.sort(program, Ty::Ptr);
        *self
            .addresses
            .entry(expr)
            .or_insert_with(|| terms.declare(format!("&{name}"), sort, SymbolKind::Address))
    }
    /// The symbol that stands for an address that never changes: that of an object or procedure.
    pub(crate) fn address(
        &mut self,
        program: &Program,
        terms: &mut Terms,
        expr: ExprId,
        name: &str,
    ) -> TermId {
        let symbol = self.declare_address(program, terms, expr, name);
        terms.of_symbol(symbol)
    }
}

/// The symbols of sums of elements, and of the codes of what is folded.
type Followed = (BTreeMap<Sum, SymbolId>, BTreeMap<(VarId, Coded), SymbolId>);

fn followed_sums(program: &Program, procs: &[ProcId], terms: &mut Terms) -> Followed {
    let (mut followed_sums, mut codes) = (BTreeMap::new(), BTreeMap::new());
    for proc in procs {
        let Folds { vars, sums: sums_of_codes } = folds(program, &program.procs[*proc]);
        for (var, coded) in vars {
            let (word, sort) = match coded {
                Coded::Elements => ("code", Sort::Array),
                Coded::Counts(_) => ("count", Sort::Array),
                Coded::Element | Coded::Fold(_) => ("code", Sort::Int),
            };
            let name = format!("{word}({})", program.vars[var].name);
            codes.entry((var, coded)).or_insert_with(|| terms.declare(name, sort, SymbolKind::Variable));
        }
        for sum in sums(program, &program.procs[*proc]).into_iter().chain(sums_of_codes) {
            let name = sum_name(program, &sum);
            let declare = || terms.declare(name, Sort::Int, SymbolKind::Variable);
            followed_sums.entry(sum).or_insert_with(declare);
        }
    }
    (followed_sums, codes)
}

/// What a sum is called in formulas.
fn sum_name(program: &Program, sum: &Sum) -> String {
    let name = &program.vars[sum.array].name;
    let array = match sum.of {
        Summand::Elements => name.to_string(),
        Summand::Codes => format!("code({name})"),
        Summand::Counts(_) => format!("count({name})"),
    };
    match sum.bound {
        Bound::Variable(var) => format!("sum({array}, {})", program.vars[var].name),
        Bound::Number(number) => format!("sum({array}, {number})"),
    }
}

/// That all variables that a formula mentions have values of their types, and products the signs of products and the values of equal ones. Bit-vectors have by their sorts.
pub fn typing(program: &Program, terms: &mut Terms, vocabulary: &Vocabulary, formula: TermId) -> TermId {
    if vocabulary.logic == LogicName::Bits {
        return Terms::TRUE;
    }
    let ranges = typing_of(program, terms, vocabulary, &[formula]);
    let products = product_typing(terms, vocabulary, formula);
    let elements = element_typing(program, terms, vocabulary, formula);
    let links = product_links(terms, vocabulary, &[formula]);
    terms.and([ranges, products, links].into_iter().chain(elements))
}

/// That all variables that some terms mention, now or at the entry, have values of their types.
pub fn typing_of(
    program: &Program,
    terms: &mut Terms,
    vocabulary: &Vocabulary,
    mentioned: &[TermId],
) -> TermId {
    let mut conjuncts = Vec::new();
    if vocabulary.logic == LogicName::Bits {
        return Terms::TRUE;
    }
    for symbol in terms.symbols_of_all(mentioned) {
        let var = vocabulary.var(symbol).or_else(|| vocabulary.at_entry(symbol));
        let Some(ty) = var.and_then(|var| program.vars[var].scalar()) else { continue };
        if let Some((low, high)) = bounds(ty, program.data_model) {
            let (value, low, high) = (terms.of_symbol(symbol), terms.number(low), terms.number(high));
            conjuncts.push(terms.le(low, value));
            conjuncts.push(terms.le(value, high));
        }
    }
    terms.and(conjuncts)
}

/// That elements of arrays that a formula mentions have values of their types: what is stored has, and so has what arrays hold before.
fn element_typing(
    program: &Program,
    terms: &mut Terms,
    vocabulary: &Vocabulary,
    formula: TermId,
) -> Vec<TermId> {
    let mut conjuncts = Vec::new();
    for term in terms.reachable(&[formula]) {
        let Node::Select(array, _) = *terms.node(term) else { continue };
        let Node::Symbol(symbol) = *terms.node(array) else { continue };
        let Some(var) = vocabulary.var(symbol) else { continue };
        let Storage::Array { elem, .. } = program.vars[var].storage else { continue };
        if let Some((low, high)) = bounds(elem, program.data_model) {
            let (low, high) = (terms.number(low), terms.number(high));
            conjuncts.push(terms.le(low, term));
            conjuncts.push(terms.le(term, high));
        }
    }
    conjuncts
}

/// That all products that a formula mentions have the signs and magnitudes of products.
pub fn product_typing(terms: &mut Terms, vocabulary: &Vocabulary, formula: TermId) -> TermId {
    let mut conjuncts = Vec::new();
    for symbol in terms.symbols_of(formula) {
        let Some(&[left, right]) = vocabulary.factors(symbol) else { continue };
        let (Some(left), Some(right)) = (vocabulary.symbol(left), vocabulary.symbol(right)) else { continue };
        let value = terms.of_symbol(symbol);
        let (left, right) = (terms.of_symbol(left), terms.of_symbol(right));
        conjuncts.extend(product_facts(terms, left, right, value));
    }
    terms.and(conjuncts)
}
