//! Transition execution of operations: guards and values as terms over the values at the start.
//!
//! # Meaning
//! Let X be the variables' values at the start and Z the Skolem constants. After some operations a [`Transition`] holds a guard
//! G(X,Z) and for each changed variable a term t(X,Z). The operations lead from X to X' without being undefined only if there
//! is Z with G(X,Z) and X' = t(X,Z) (rounding up); conversely, unless a Skolem of origin [`Origin::Rounded`]
//! occurs, every such Z is an execution.
//!
//! # Invariants
//! * E1: every value is within its type's range, given that those at the start are and that the guard holds.
//! * E2: every Skolem constant is constrained to its type's range by the guard.
//! * E3: a value of type [`Ty::BOOL`] held by a variable is the integer 0 or 1.

use std::collections::BTreeMap;

use cfa::{Callee, EdgeId, ExprId, InitKind, Op, Place, ProcId, Program, Source, Storage, Ty, VarId};
use rustc_hash::FxHashMap;
use term::{BvOp, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use crate::arithmetic::bounds;
use crate::bits::Chains;
use crate::division::Divisions;
use crate::fold::Codes;
use crate::footprint::written;
use crate::origin::{Origin, Rounding, Site, Skolem};
use crate::product::Others;
use crate::transition::Transition;
use crate::vectors::sums::FloatSums;
use crate::vocabulary::{LogicName, Vocabulary};
use values::state::{Abstract, State};

/// What holds whenever a procedure returns: a formula over the values of its parameters and of global variables at its entry ([`Vocabulary::at_entry`]), and over those of its results and of
/// global variables at its exit.
pub type Contracts = BTreeMap<ProcId, TermId>;

/// What a call does, as far as terms tell.
#[derive(Clone, Debug)]
pub struct CallEffect {
    /// The operation.
    pub site: Site,
    /// The procedure.
    pub callee: ProcId,
    /// The values at the entry of the procedure: of its parameters, and of global variables.
    pub before: BTreeMap<VarId, TermId>,
    /// The values at its exit: of its results, and of global variables.
    pub after: BTreeMap<VarId, TermId>,
}

/// Executes operations transitionally.
pub struct Encoder<'a> {
    pub(crate) program: &'a Program,
    /// The arena of all formulas.
    pub terms: &'a mut Terms,
    pub(crate) vocabulary: &'a mut Vocabulary,
    pub(crate) site: Site,
    skolems: Vec<Skolem>,
    /// What subexpressions may evaluate to at the operation at hand.
    pub(crate) ranges: FxHashMap<ExprId, Abstract>,
    /// What holds of the Skolem constants of the expression at hand if it is defined.
    pub(crate) facts: Vec<TermId>,
    /// Products without symbol of their own.
    pub(crate) others: Others,
    /// Divisions by variables.
    pub(crate) divisions: Divisions,
    /// Bitwise operations that are rounded up.
    pub(crate) chains: Chains,
    /// Sums of floating-point numbers, in bits.
    pub(crate) float_sums: FloatSums,
    /// Codes of values that are folded.
    pub(crate) codes: Codes,
    /// Numbers that the program stores into arrays.
    pub(crate) stored: FxHashMap<VarId, Vec<i128>>,
    /// What is known of procedures that are called.
    contracts: Option<&'a Contracts>,
    calls: Vec<CallEffect>,
}

impl<'a> Encoder<'a> {
    /// An encoder for the operations of one program.
    pub fn new(program: &'a Program, terms: &'a mut Terms, vocabulary: &'a mut Vocabulary) -> Self {
        let site = Site::Operation { edge: EdgeId(0), op: 0 };
        Self {
            program,
            terms,
            vocabulary,
            site,
            skolems: Vec::new(),
            ranges: FxHashMap::default(),
            facts: Vec::new(),
            others: Others::default(),
            divisions: Divisions::default(),
            chains: Chains::default(),
            float_sums: FloatSums::default(),
            codes: Codes::default(),
            stored: FxHashMap::default(),
            contracts: None,
            calls: Vec::new(),
        }
    }
    /// The same, where calls do what contracts say.
    #[must_use]
    pub fn assuming(self, contracts: &'a Contracts) -> Self {
        Self { contracts: Some(contracts), ..self }
    }
    /// The direct calls that were executed so far, in order; the list is handed over.
    pub fn take_calls(&mut self) -> Vec<CallEffect> {
        std::mem::take(&mut self.calls)
    }
    /// The Skolem constants made so far, in order; the list is handed over.
    pub fn take_skolems(&mut self) -> Vec<Skolem> {
        std::mem::take(&mut self.skolems)
    }

    pub(crate) fn add_skolem(&mut self, skolem: Skolem) {
        self.skolems.push(skolem);
    }

    /// Executes one operation. `facts` are sound at its start and are updated to its end. Afterwards the guard is false if no
    /// execution gets through.
    pub fn execute(&mut self, transition: &mut Transition, facts: &mut State, site: Site, op: &Op) {
        self.site = site;
        self.ranges = facts.eval_all(self.program, op);
        self.apply(transition, op);
        if !facts.execute(self.program, op) {
            transition.guard = Terms::FALSE;
        }
    }

    fn apply(&mut self, transition: &mut Transition, op: &Op) {
        match op {
            Op::Assign { place, value } => {
                let value = self.value(transition, *value);
                self.write(transition, *place, value);
            }
            Op::Assume { cond } => {
                let cond = self.condition(transition, *cond);
                self.require(transition, cond);
            }
            Op::Havoc { place, source, at } => {
                let ty = self.place_type(*place);
                let choice = Origin::Input(source.clone(), *at);
                let value = self.skolem(transition, &input_name(source), ty, choice);
                self.write(transition, *place, value);
            }
            Op::Init { var, contents } => self.initialize(transition, *var, *contents),
            Op::Allocate { var, length } => {
                let value = self.value(transition, *length);
                let possible = self.is_natural(*length, value);
                self.require(transition, possible);
                self.initialize(transition, *var, InitKind::Uninitialised);
            }
            Op::Malloc { place, size, .. } => {
                self.evaluate(transition, &[*size]);
                self.fresh_address(transition, *place, "malloc");
            }
            Op::Realloc { place, old, size } => {
                self.evaluate(transition, &[*old, *size]);
                self.fresh_address(transition, *place, "realloc");
            }
            Op::Free { addr } | Op::Release { addr } => self.evaluate(transition, &[*addr]),
            Op::Copy { to, from, length } => self.evaluate(transition, &[*to, *from, *length]),
            Op::Forget { to, length, .. } => self.evaluate(transition, &[*to, *length]),
            Op::Fill { to, byte, length } => self.evaluate(transition, &[*to, *byte, *length]),
            Op::Write { to, .. } => self.evaluate(transition, &[*to]),
            Op::CopyElems { to, at, from, start, count } => {
                self.evaluate(transition, &[*at, *start, *count]);
                match self.vocabulary.logic() {
                    LogicName::Integers => {
                        self.copy_elements(transition, (*to, *at), (*from, *start), *count);
                    }
                    LogicName::Bits => self.copy_vectors(transition, (*to, *at), (*from, *start), *count),
                }
            }
            Op::FillElems { to, at, value, count } => {
                self.evaluate(transition, &[*at, *value, *count]);
                match self.vocabulary.logic() {
                    LogicName::Integers => self.fill_elements(transition, (*to, *at), *value, *count),
                    LogicName::Bits => self.fill_vectors(transition, (*to, *at), *value, *count),
                }
            }
            Op::Begin { .. } | Op::End { .. } => {}
            Op::Call { callee, args, results } => self.call(transition, callee, args, results),
            Op::Output { args, result, .. } => self.output(transition, args, *result),
            Op::Halt { .. } => transition.guard = Terms::FALSE,
        }
    }

    /// Output: whether it fails is not known.
    fn output(&mut self, transition: &mut Transition, args: &[ExprId], result: Option<Place>) {
        self.evaluate(transition, args);
        let Some(place) = result else { return };
        let ty = self.place_type(place);
        let value = self.skolem(transition, "printed", ty, Origin::Rounded(Rounding::OutputResult));
        self.write(transition, place, value);
    }

    /// A call: results and the globals that it may write are arbitrary, up to what the contract of the procedure says.
    fn call(
        &mut self,
        transition: &mut Transition,
        callee: &Callee,
        args: &[ExprId],
        results: &[Option<Place>],
    ) {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.value(transition, *arg));
        }
        let (target, targets) = match callee {
            Callee::Direct(target) => (Some(*target), std::slice::from_ref(target)),
            Callee::Indirect { pointer, targets } => {
                self.evaluate(transition, &[*pointer]);
                (None, &**targets)
            }
        };
        let before = target.map(|target| self.at_entry(transition, target, values));
        let mut after = self.called_globals(transition, targets);
        let returned = target.map_or(&[][..], |target| &self.program.procs[target].results);
        for (number, place) in results.iter().enumerate() {
            let result = returned.get(number).copied();
            let Some(ty) = place.map(|place| self.place_type(place)).or_else(|| self.scalar(result?)) else {
                continue;
            };
            let value = self.skolem(transition, "called", ty, Origin::Rounded(Rounding::CallResult));
            after.extend(result.map(|result| (result, value)));
            if let Some(place) = place {
                self.write(transition, *place, value);
            }
        }
        if let (Some(callee), Some(before)) = (target, before) {
            let effect = CallEffect { site: self.site, callee, before, after };
            self.assume_contract(transition, &effect);
            self.calls.push(effect);
        }
    }

    fn scalar(&self, var: VarId) -> Option<Ty> {
        self.program.vars[var].scalar()
    }

    /// The values that a procedure starts with: its arguments, and what globals have.
    fn at_entry(
        &mut self,
        transition: &Transition,
        proc: ProcId,
        args: Vec<TermId>,
    ) -> BTreeMap<VarId, TermId> {
        let globals = self.program.vars.iter_enumerated().filter(|(_, var)| var.owner.is_none());
        let globals = globals.filter_map(|(var, _)| Some((var, self.vocabulary.symbol(var)?)));
        let mut values: BTreeMap<VarId, TermId> =
            globals.map(|(var, symbol)| (var, transition.value(self.terms, symbol))).collect();
        values.extend(self.program.procs[proc].params.iter().copied().zip(args));
        values
    }

    /// Makes the globals that a call may write arbitrary; returns the values of all scalars among globals afterwards.
    fn called_globals(&mut self, transition: &mut Transition, targets: &[ProcId]) -> BTreeMap<VarId, TermId> {
        for var in written(self.program, targets) {
            match self.program.vars[var].storage {
                Storage::Scalar(ty) => {
                    let what = Origin::Rounded(Rounding::CallEffect);
                    let value = self.skolem(transition, "called", ty, what);
                    self.set(transition, var, value);
                }
                Storage::Array { .. } => self.initialize(transition, var, InitKind::Uninitialised),
                Storage::Object { .. } => {}
            }
        }
        let mut after = BTreeMap::new();
        for (var, info) in self.program.vars.iter_enumerated() {
            if info.owner.is_none()
                && info.scalar().is_some()
                && let Some(symbol) = self.vocabulary.symbol(var)
            {
                after.insert(var, transition.value(self.terms, symbol));
            }
        }
        after
    }

    /// Uses what is known of a procedure for one of its calls.
    fn assume_contract(&mut self, transition: &mut Transition, effect: &CallEffect) {
        let Some(contract) = self.contracts.and_then(|contracts| contracts.get(&effect.callee)) else {
            return;
        };
        let before = effect
            .before
            .iter()
            .filter_map(|(var, value)| Some((self.vocabulary.entry_symbol(*var)?, *value)));
        let after =
            effect.after.iter().filter_map(|(var, value)| Some((self.vocabulary.symbol(*var)?, *value)));
        let pairs: Vec<_> = before.chain(after).collect();
        let holds = Substitution::new(pairs).apply(self.terms, *contract);
        self.require(transition, holds);
    }

    fn fresh_address(&mut self, transition: &mut Transition, place: Place, name: &str) {
        let what = Origin::Rounded(Rounding::Allocation);
        let address = self.skolem(transition, name, Ty::Ptr, what);
        let not_null = match self.vocabulary.logic() {
            LogicName::Integers => {
                let zero = self.terms.int(0);
                self.terms.gt(address, zero)
            }
            LogicName::Bits => self.is_not_zero(address),
        };
        self.require(transition, not_null);
        self.write(transition, place, address);
    }

    fn initialize(&mut self, transition: &mut Transition, var: VarId, contents: InitKind) {
        let Storage::Array { elem, .. } = self.program.vars[var].storage else { return };
        let array = match contents {
            InitKind::Zero => {
                let zero = match self.vocabulary.logic() {
                    LogicName::Integers => self.terms.int(0),
                    LogicName::Bits => self.terms.bv_number(self.width(elem), 0),
                };
                self.terms.const_array(zero)
            }
            InitKind::Uninitialised | InitKind::Arbitrary => {
                let source = match contents {
                    InitKind::Arbitrary => Source::Outside,
                    _ => Source::Uninitialised,
                };
                let name = self.program.vars[var].name.clone();
                let symbol = self.terms.fresh(&name, self.array_sort(var), SymbolKind::Skolem);
                let origin = Origin::Input(source, self.program.vars[var].declared);
                self.skolems.push(Skolem { symbol, ty: None, site: self.site, origin });
                self.terms.of_symbol(symbol)
            }
        };
        self.set(transition, var, array);
    }

    /// Evaluates for the sake of definedness alone.
    fn evaluate(&mut self, transition: &mut Transition, exprs: &[ExprId]) {
        for expr in exprs {
            self.value(transition, *expr);
        }
    }

    /// The value of an expression; that it is defined is added to the guard.
    fn value(&mut self, transition: &mut Transition, expr: ExprId) -> TermId {
        match self.vocabulary.logic() {
            LogicName::Integers => {
                let coded = self.expression(transition, expr);
                self.as_int(coded)
            }
            LogicName::Bits => {
                let coded = self.vector_expression(transition, expr);
                self.as_vector(coded)
            }
        }
    }

    /// Whether a condition holds; that it is defined is added to the guard.
    fn condition(&mut self, transition: &mut Transition, expr: ExprId) -> TermId {
        match self.vocabulary.logic() {
            LogicName::Integers => {
                let coded = self.expression(transition, expr);
                self.as_bool(coded)
            }
            LogicName::Bits => {
                let coded = self.vector_expression(transition, expr);
                self.as_truth(coded)
            }
        }
    }

    /// That a value of an expression's type is not negative.
    fn is_natural(&mut self, expr: ExprId, value: TermId) -> TermId {
        match self.vocabulary.logic() {
            LogicName::Integers => {
                let zero = self.terms.int(0);
                self.terms.ge(value, zero)
            }
            LogicName::Bits if self.program.exprs.ty(expr).is_signed() => {
                let zero = self.terms.bv_number(self.terms.bit_width(value), 0);
                self.terms.bv(BvOp::Sle, &[zero, value])
            }
            LogicName::Bits => Terms::TRUE,
        }
    }

    /// The sort of an array variable.
    pub(crate) fn array_sort(&self, var: VarId) -> Sort {
        match self.program.vars[var].storage {
            Storage::Array { elem: ty, .. } | Storage::Scalar(ty) => {
                self.vocabulary.logic().array_sort(self.program, ty)
            }
            Storage::Object { .. } => Sort::Array,
        }
    }

    /// Gives a variable a new value. Objects in memory have no symbol and keep none.
    pub(crate) fn set(&self, transition: &mut Transition, var: VarId, value: TermId) {
        if let Some(symbol) = self.vocabulary.symbol(var) {
            transition.update.insert(symbol, value);
        }
    }

    pub(crate) fn require(&mut self, transition: &mut Transition, condition: TermId) {
        transition.guard = self.terms.and([transition.guard, condition]);
    }

    /// Adds to the condition under which the expression at hand is defined: unlike the guard it does not count if the expression is
    /// a branch that is not chosen.
    pub(crate) fn fact(&mut self, fact: TermId) {
        self.facts.push(fact);
    }

    /// A new Skolem constant of a machine type, constrained to its range.
    pub(crate) fn skolem(
        &mut self,
        transition: &mut Transition,
        name: &str,
        ty: Ty,
        origin: Origin,
    ) -> TermId {
        let logic = self.vocabulary.logic();
        let symbol = self.terms.fresh(name, logic.sort(self.program, ty), SymbolKind::Skolem);
        self.skolems.push(Skolem { symbol, ty: Some(ty), site: self.site, origin });
        let term = self.terms.of_symbol(symbol);
        if let Some((low, high)) = bounds(ty, self.program.data_model)
            && logic == LogicName::Integers
        {
            let (low, high) = (self.terms.number(low), self.terms.number(high));
            let above = self.terms.le(low, term);
            let below = self.terms.le(term, high);
            let within = self.terms.and([above, below]);
            self.require(transition, within);
        }
        term
    }

    /// The type of a Skolem constant. Their symbols ascend.
    pub(crate) fn type_of_skolem(&self, symbol: SymbolId) -> Option<Ty> {
        let at = self.skolems.binary_search_by_key(&symbol, |skolem| skolem.symbol).ok()?;
        self.skolems[at].ty
    }

    fn place_type(&self, place: Place) -> Ty {
        match place {
            Place::Var(var) | Place::Elem { array: var, .. } => match self.program.vars[var].storage {
                Storage::Scalar(ty) | Storage::Array { elem: ty, .. } => ty,
                Storage::Object { .. } => Ty::Ptr,
            },
            Place::Mem { ty, .. } | Place::Bits { ty, .. } => ty,
        }
    }

    fn write(&mut self, transition: &mut Transition, place: Place, value: TermId) {
        match place {
            Place::Var(var) => {
                self.set(transition, var, value);
            }
            Place::Elem { array, index } => {
                let index = match self.vocabulary.logic() {
                    LogicName::Integers => self.index(transition, array, index),
                    LogicName::Bits => self.vector_index(transition, array, index),
                };
                let old = self.array(transition, array);
                let new = self.terms.store(old, index, value);
                self.set(transition, array, new);
            }
            // Memory is not part of the state here: what is loaded from it is arbitrary.
            Place::Mem { addr, .. } | Place::Bits { addr, .. } => self.evaluate(transition, &[addr]),
        }
    }
}

fn input_name(source: &Source) -> String {
    match source {
        Source::Input { function } => function
            .strip_prefix("__VERIFIER_nondet_")
            .map_or_else(|| function.to_string(), |ty| format!("input_{ty}")),
        Source::Uninitialised => "uninitialised".into(),
        Source::Rounded => "rounded".into(),
        Source::Outside => "outside".into(),
        Source::Guess(_) => "guess".into(),
        Source::Extern { function } | Source::Library { function, .. } => function.to_string(),
        Source::Argument { name } | Source::Global { name } => name.to_string(),
    }
}
