//! Symbolic execution of operations: guards and values as terms over the values at the start.
//!
//! # Meaning
//! Let X be the variables' values at the start and Z the Skolem constants. After some operations a [`Symbolic`] holds a guard
//! G(X,Z) and for each changed variable a term t(X,Z). The operations lead from X to X' without being undefined only if there
//! is Z with G(X,Z) and X' = t(X,Z) (rounding up); conversely, unless a Skolem of source [`SkolemSource::Approximation`]
//! occurs, every such Z is an execution.
//!
//! # Invariants
//! * E1: every value is within its type's range, given that those at the start are and that the guard holds.
//! * E2: every Skolem constant is constrained to its type's range by the guard.
//! * E3: a value of type [`Ty::BOOL`] held by a variable is the integer 0 or 1.

use std::collections::BTreeMap;

use base::Region;
use cfa::{Callee, EdgeId, InitKind, Op, Place, Program, Source, Storage, Ty, VarId};
use rustc_hash::FxHashMap;
use term::{Sort, SymbolId, SymbolKind, TermId, Terms};

use crate::Vocabulary;
use crate::arithmetic::bounds;
use crate::product::Others;
use values::state::{Abstract, State};

/// Where an operation stands: an edge of the procedure at hand and its position on that edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The edge.
    pub edge: EdgeId,
    /// The number of the operation on it.
    pub op: usize,
}

/// Why a value is arbitrary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkolemSource {
    /// The program leaves it open: an execution with any value of the type exists.
    Choice(Source, Region),
    /// It has one value, which linear arithmetic does not express: what was rounded, for people.
    Approximation(String),
    /// Which of several paths was taken, where no condition of the program tells.
    Path,
}

/// A value that is chosen somehow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skolem {
    /// The symbol.
    pub symbol: SymbolId,
    /// Its machine type; `None` for arrays and for choices of paths.
    pub ty: Option<Ty>,
    /// The operation that it belongs to.
    pub site: Site,
    /// Why it is arbitrary.
    pub source: SkolemSource,
}

/// A guard and the values of changed variables, over the values at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbolic {
    /// Must hold at the start for the execution to get this far.
    pub guard: TermId,
    /// Values of the variables that may have changed.
    pub values: BTreeMap<VarId, TermId>,
}

impl Default for Symbolic {
    fn default() -> Self {
        Self::new()
    }
}

impl Symbolic {
    /// Nothing happened yet.
    pub fn new() -> Self {
        Self { guard: Terms::TRUE, values: BTreeMap::new() }
    }
}

/// Executes operations symbolically.
pub struct Encoder<'a> {
    pub(crate) program: &'a Program,
    /// The arena of all formulas.
    pub terms: &'a mut Terms,
    pub(crate) vocabulary: &'a mut Vocabulary,
    pub(crate) site: Site,
    skolems: Vec<Skolem>,
    /// What subexpressions may evaluate to at the operation at hand.
    pub(crate) ranges: FxHashMap<cfa::ExprId, Abstract>,
    /// What holds of the Skolem constants of the expression at hand if it is defined.
    pub(crate) facts: Vec<TermId>,
    /// Products without symbol of their own.
    pub(crate) others: Others,
}

impl<'a> Encoder<'a> {
    /// An encoder for the operations of one program.
    pub fn new(program: &'a Program, terms: &'a mut Terms, vocabulary: &'a mut Vocabulary) -> Self {
        let site = Site { edge: EdgeId(0), op: 0 };
        Self {
            program,
            terms,
            vocabulary,
            site,
            skolems: Vec::new(),
            ranges: FxHashMap::default(),
            facts: Vec::new(),
            others: Others::default(),
        }
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
    pub fn execute(&mut self, symbolic: &mut Symbolic, facts: &mut State, site: Site, op: &Op) {
        self.site = site;
        self.ranges = facts.eval_all(self.program, op);
        self.apply(symbolic, op);
        if !facts.execute(self.program, op) {
            symbolic.guard = Terms::FALSE;
        }
    }

    fn apply(&mut self, symbolic: &mut Symbolic, op: &Op) {
        match op {
            Op::Assign { place, value } => {
                let coded = self.expression(symbolic, *value);
                let value = self.as_int(coded);
                self.write(symbolic, *place, value);
            }
            Op::Assume { cond } => {
                let coded = self.expression(symbolic, *cond);
                let cond = self.as_bool(coded);
                self.require(symbolic, cond);
            }
            Op::Havoc { place, source, at } => {
                let ty = self.place_type(*place);
                let choice = SkolemSource::Choice(source.clone(), *at);
                let value = self.skolem(symbolic, &input_name(source), ty, choice);
                self.write(symbolic, *place, value);
            }
            Op::Init { var, contents } => self.initialize(symbolic, *var, *contents),
            Op::Allocate { var, length } => {
                let coded = self.expression(symbolic, *length);
                let length = self.as_int(coded);
                let zero = self.terms.int(0);
                let possible = self.terms.ge(length, zero);
                self.require(symbolic, possible);
                self.initialize(symbolic, *var, InitKind::Uninitialised);
            }
            Op::Malloc { place, size, .. } => {
                self.evaluate(symbolic, &[*size]);
                self.fresh_address(symbolic, *place, "malloc");
            }
            Op::Realloc { place, old, size } => {
                self.evaluate(symbolic, &[*old, *size]);
                self.fresh_address(symbolic, *place, "realloc");
            }
            Op::Free { addr } => self.evaluate(symbolic, &[*addr]),
            Op::Copy { to, from, length } => self.evaluate(symbolic, &[*to, *from, *length]),
            Op::Forget { to, length, .. } => self.evaluate(symbolic, &[*to, *length]),
            Op::Fill { to, byte, length } => self.evaluate(symbolic, &[*to, *byte, *length]),
            Op::Write { to, .. } => self.evaluate(symbolic, &[*to]),
            Op::Begin { .. } | Op::End { .. } => {}
            Op::Call { callee, args, results } => self.call(symbolic, callee, args, results),
            Op::Output { args, result, .. } => {
                self.evaluate(symbolic, args);
                if let Some(place) = result {
                    let ty = self.place_type(*place);
                    let what = SkolemSource::Approximation("result of an output function".into());
                    let value = self.skolem(symbolic, "printed", ty, what);
                    self.write(symbolic, *place, value);
                }
            }
            Op::Halt { .. } => symbolic.guard = Terms::FALSE,
        }
    }

    /// A call whose effect is not known: results and all globals are arbitrary.
    fn call(
        &mut self,
        symbolic: &mut Symbolic,
        callee: &Callee,
        args: &[cfa::ExprId],
        results: &[Option<Place>],
    ) {
        self.evaluate(symbolic, args);
        if let Callee::Indirect { pointer, .. } = callee {
            self.evaluate(symbolic, &[*pointer]);
        }
        let globals: Vec<VarId> = self
            .program
            .vars
            .iter_enumerated()
            .filter(|(_, var)| var.owner.is_none())
            .map(|(id, _)| id)
            .collect();
        for var in globals {
            match self.program.vars[var].storage {
                Storage::Scalar(ty) => {
                    let what = SkolemSource::Approximation("effect of a call".into());
                    let value = self.skolem(symbolic, "called", ty, what);
                    symbolic.values.insert(var, value);
                }
                Storage::Array { .. } => self.initialize(symbolic, var, InitKind::Uninitialised),
                Storage::Object { .. } => {}
            }
        }
        for place in results.iter().flatten() {
            let ty = self.place_type(*place);
            let what = SkolemSource::Approximation("result of a call".into());
            let value = self.skolem(symbolic, "called", ty, what);
            self.write(symbolic, *place, value);
        }
    }

    fn fresh_address(&mut self, symbolic: &mut Symbolic, place: Place, name: &str) {
        let what = SkolemSource::Approximation("address of allocated memory".into());
        let address = self.skolem(symbolic, name, Ty::Ptr, what);
        let zero = self.terms.int(0);
        let not_null = self.terms.gt(address, zero);
        self.require(symbolic, not_null);
        self.write(symbolic, place, address);
    }

    fn initialize(&mut self, symbolic: &mut Symbolic, var: VarId, contents: InitKind) {
        let Storage::Array { .. } = self.program.vars[var].storage else { return };
        let array = match contents {
            InitKind::Zero => {
                let zero = self.terms.int(0);
                self.terms.const_array(zero)
            }
            InitKind::Uninitialised => {
                let name = self.program.vars[var].name.clone();
                let symbol = self.terms.fresh(&name, Sort::Array, SymbolKind::Skolem);
                let source = SkolemSource::Choice(Source::Uninitialised, self.program.vars[var].declared);
                self.skolems.push(Skolem { symbol, ty: None, site: self.site, source });
                self.terms.of_symbol(symbol)
            }
        };
        symbolic.values.insert(var, array);
    }

    /// Evaluates for the sake of definedness alone.
    fn evaluate(&mut self, symbolic: &mut Symbolic, exprs: &[cfa::ExprId]) {
        for expr in exprs {
            self.expression(symbolic, *expr);
        }
    }

    pub(crate) fn require(&mut self, symbolic: &mut Symbolic, condition: TermId) {
        symbolic.guard = self.terms.and([symbolic.guard, condition]);
    }

    /// Adds to the condition under which the expression at hand is defined: unlike the guard it does not count if the expression is
    /// a branch that is not chosen.
    pub(crate) fn fact(&mut self, fact: TermId) {
        self.facts.push(fact);
    }

    /// A new Skolem constant of a machine type, constrained to its range.
    pub(crate) fn skolem(
        &mut self,
        symbolic: &mut Symbolic,
        name: &str,
        ty: Ty,
        source: SkolemSource,
    ) -> TermId {
        let symbol = self.terms.fresh(name, Sort::Int, SymbolKind::Skolem);
        self.skolems.push(Skolem { symbol, ty: Some(ty), site: self.site, source });
        let term = self.terms.of_symbol(symbol);
        if let Some((low, high)) = bounds(ty, self.program.data_model) {
            let (low, high) = (self.terms.number(low), self.terms.number(high));
            let above = self.terms.le(low, term);
            let below = self.terms.le(term, high);
            let within = self.terms.and([above, below]);
            self.require(symbolic, within);
        }
        term
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

    fn write(&mut self, symbolic: &mut Symbolic, place: Place, value: TermId) {
        match place {
            Place::Var(var) => {
                symbolic.values.insert(var, value);
            }
            Place::Elem { array, index } => {
                let index = self.index(symbolic, array, index);
                let old = self.array(symbolic, array);
                let new = self.terms.store(old, index, value);
                symbolic.values.insert(array, new);
            }
            // Memory is not part of the state here: what is loaded from it is arbitrary.
            Place::Mem { addr, .. } | Place::Bits { addr, .. } => self.evaluate(symbolic, &[addr]),
        }
    }
}

fn input_name(source: &Source) -> String {
    match source {
        Source::Input { function } => function
            .strip_prefix("__VERIFIER_nondet_")
            .map_or_else(|| function.to_string(), |ty| format!("input_{ty}")),
        Source::Uninitialised => "uninitialised".into(),
        Source::Extern { function } | Source::Library { function, .. } => function.to_string(),
        Source::Argument { name } | Source::Global { name } => name.to_string(),
    }
}
