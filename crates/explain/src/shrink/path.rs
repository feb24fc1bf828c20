//! The path of an execution as a condition on its inputs.
//!
//! # Method
//! The prepared program is run with the inputs and watched; then those operations of the edges that it took that depend on inputs are
//! executed once more on terms over the inputs. Where the encoding would round, variables that are read keep the values of the run (first one of
//! them, then all), and if that is not enough, so does what the operation writes. So the condition is stronger than need be, and hardly ever too weak.
//!
//! # Invariants
//! * P1: the inputs of the run satisfy all conditions.
//! * P2: other inputs that satisfy them lead along the same edges, unless an edge that is tried earlier becomes possible, or what the passes
//!   left out comes in between. Nothing depends on that: inputs are replayed before they are used.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use base::Budget;
use cfa::{EdgeId, Expr, ExprId, Op, Place, ProcId, Program, Source, Storage, Ty, VarId};
use encode::{Encoder, Site, Transition, Vocabulary};
use interp::{
    Choice, Chosen, Code, CompileOptions, Config, Inputs, Machine, Markers, Observer, Oracle, Outcome,
    Position, Request, Uninitialised, Value, View, Written,
};
use passes::{OpInstance, Prepared};
use rustc_hash::FxHashMap;
use term::{Integer, Node, SymbolId, TermId, Terms};
use values::state::State;
use values::value::Value as Range;

use super::is_large;

/// Ticks that the run may take: longer paths have formulas that nobody wants to solve.
const RUN_TICKS: u64 = 50_000;
/// Ticks that the run of the program as given may take, which shows where its choices belong: hundredths of a second.
const MAX_GIVEN_TICKS: u64 = 1 << 22;
/// Operations of a path that may depend on inputs, for any number of inputs. Where there are more of them, a loop is about its own length.
const MOST_OPERATIONS: usize = 200;
/// And for each input.
const MOST_OPERATIONS_EACH: usize = 50;

/// A path of the prepared program.
pub(super) struct Path {
    /// The arena of the conditions.
    pub(super) terms: Terms,
    /// What the inputs must satisfy.
    pub(super) conditions: Vec<TermId>,
    /// The inputs that the path asks for, as far as they are numbers.
    pub(super) inputs: Vec<Input>,
}

/// An input of a path.
pub(super) struct Input {
    /// It in the conditions.
    pub(super) symbol: SymbolId,
    /// Which of the choices of the trace it is.
    pub(super) index: usize,
    /// What it is there.
    pub(super) value: Integer,
}

/// What happened in a run, in order.
enum Event {
    Edge(ProcId, EdgeId),
    Write(Written, Value),
}

#[derive(Default)]
struct Log(Vec<Event>);

impl Observer for Log {
    fn enter(&mut self, _: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.0.push(Event::Edge(proc, edge));
    }
    fn leave(&mut self, _: &View<'_>, _: ProcId, _: EdgeId) {}
    fn wrote(&mut self, _: &View<'_>, to: Written, value: Value) {
        self.0.push(Event::Write(to, value));
    }
}

/// The path that the inputs of a trace take through the prepared program; nothing if they do not lead to the error there, or the path is too long.
pub(super) fn follow(
    task: &Prepared<'_>,
    choices: &[Chosen],
    uninitialised: Uninitialised,
    budget: &mut Budget,
) -> Option<Path> {
    let program = task.program();
    // Choices inside of calls, and guesses, are not told by the choices of the given program.
    if task.kept_call().is_some() || has_guesses(program) {
        return None;
    }
    let mut asking = instances(task, choices, uninitialised, budget);
    let code = Code::new(program, CompileOptions { uninitialised, markers: Markers::Edges });
    let mut log = Log::default();
    let mut asked = VecDeque::new();
    let mut oracle = |request: &Request<'_>| {
        let at = request.at?;
        let index = asking.get_mut(&task.instance_back(request.calls.positions(), at)?)?.pop_front()?;
        asked.push_back((index, at));
        Some(Choice::Bits(choices[index].value.bits))
    };
    // A tick of the interpreter is hardly anything.
    let mut allowance =
        Budget::ticks(RUN_TICKS).with_deadline(budget.deadline()).with_cancel(budget.cancel_flag().clone());
    let mut machine = Machine::new(program, &code, Config::default());
    let run = machine.run(&mut oracle, &mut log, &mut std::io::sink(), &mut allowance);
    let Outcome::Error { .. } = run.outcome else { return None };
    let large = choices.iter().filter(|chosen| is_large(chosen)).count();
    let mut terms = Terms::new();
    let vocabulary = Vocabulary::of(program, program.entry, &mut terms);
    let walk = Walk {
        program,
        terms,
        vocabulary,
        values: BTreeMap::new(),
        facts: State::new(),
        concrete: FxHashMap::default(),
        read: FxHashMap::default(),
        asked,
        conditions: BTreeSet::new(),
        inputs: Vec::new(),
        left: MOST_OPERATIONS + MOST_OPERATIONS_EACH * large,
    };
    walk.along(log.0, budget)
}

fn has_guesses(program: &Program) -> bool {
    let mut ops = program.procs[program.entry].edges().iter().flat_map(|edge| &edge.ops);
    ops.any(|op| matches!(op, Op::Havoc { source: Source::Guess(_), .. }))
}

/// Where a run of the given program asks for the choices of a trace: the numbers of the choices of each operation in an activation, in order.
fn instances(
    task: &Prepared<'_>,
    choices: &[Chosen],
    uninitialised: Uninitialised,
    budget: &Budget,
) -> FxHashMap<OpInstance, VecDeque<usize>> {
    let mut numbers: FxHashMap<OpInstance, VecDeque<usize>> = FxHashMap::default();
    let (mut inputs, mut index) = (Inputs::replay(choices), 0);
    let mut oracle = |request: &Request<'_>| {
        if let Some(instance) = task.instance_of(request) {
            numbers.entry(instance).or_default().push_back(index);
        }
        index += 1;
        inputs.choose(request)
    };
    let mut allowance = Budget::ticks(MAX_GIVEN_TICKS)
        .with_deadline(budget.deadline())
        .with_cancel(budget.cancel_flag().clone());
    interp::run(task.given(), uninitialised, &mut oracle, &mut std::io::sink(), &mut allowance);
    numbers
}

/// What an operation reads.
#[derive(Default)]
struct Reads {
    scalars: Vec<VarId>,
    arrays: Vec<VarId>,
    /// Memory, addresses or floats: nothing that formulas speak of.
    is_opaque: bool,
}

struct Walk<'a> {
    program: &'a Program,
    terms: Terms,
    vocabulary: Vocabulary,
    values: BTreeMap<VarId, TermId>,
    /// What the path so far implies.
    facts: State,
    /// The values of the run.
    concrete: FxHashMap<VarId, Value>,
    read: FxHashMap<(EdgeId, usize), Reads>,
    /// The choices that the run asked for and the path did not come to yet.
    asked: VecDeque<(usize, Position)>,
    conditions: BTreeSet<TermId>,
    inputs: Vec<Input>,
    /// Operations that may still depend on inputs.
    left: usize,
}

impl Walk<'_> {
    fn along(mut self, events: Vec<Event>, budget: &mut Budget) -> Option<Path> {
        let mut events = events.into_iter().peekable();
        while let Some(event) = events.next() {
            let Event::Edge(proc, edge) = event else { return None };
            let program = self.program;
            for (op, operation) in program.procs[proc].edges()[edge].ops.iter().enumerate() {
                budget.tick().ok()?;
                if matches!(operation, Op::Call { .. }) {
                    return None;
                }
                let written = match operation.places().next() {
                    Some(place) => events.next_if(|event| writes(event, *place)),
                    None => None,
                };
                let written = written.and_then(|event| match event {
                    Event::Write(to, value) => Some((to, value)),
                    Event::Edge(..) => None,
                });
                self.step((edge, op), operation, written)?;
            }
        }
        let conditions = strongest(&mut self.terms, &self.conditions);
        Some(Path { terms: self.terms, conditions, inputs: self.inputs })
    }

    /// One operation of the path, and what the run wrote there.
    fn step(&mut self, site: (EdgeId, usize), op: &Op, written: Option<(Written, Value)>) -> Option<()> {
        let chosen = match (op, written) {
            (Op::Havoc { .. }, Some((_, value))) => {
                let is_here = |at: &Position| (at.edge, at.op as usize) == site;
                let (index, _) = self.asked.pop_front().filter(|(_, at)| is_here(at))?;
                Some((index, value))
            }
            _ => None,
        };
        if !self.read.contains_key(&site) {
            let reads = self.reads(op);
            self.read.insert(site, reads);
        }
        if chosen.is_none() && self.is_settled(site, op) {
            self.repeat(site, op, written);
        } else {
            self.left = self.left.checked_sub(1)?;
            if !self.execute(site, op, chosen) {
                self.repeat(site, op, written);
            }
        }
        if let Some(var) = op.places().next().and_then(|place| match place {
            Place::Var(var) => Some(*var),
            Place::Elem { .. } | Place::Mem { .. } | Place::Bits { .. } => None,
        }) {
            match written {
                Some((_, value)) => self.concrete.insert(var, value),
                None => self.concrete.remove(&var),
            };
        }
        (!self.conditions.contains(&Terms::FALSE)).then_some(())
    }

    /// Whether an operation does the same whatever the inputs are.
    fn is_settled(&self, site: (EdgeId, usize), op: &Op) -> bool {
        let reads = &self.read[&site];
        let is_number =
            |var: &VarId| self.values.get(var).is_some_and(|term| self.terms.as_number(*term).is_some());
        let is_scalar = match op {
            Op::Assume { .. } => true,
            Op::Assign { place, .. } => matches!(place, Place::Var(_)),
            _ => false,
        };
        is_scalar && reads.arrays.is_empty() && reads.scalars.iter().all(is_number)
    }

    /// Executes an operation on terms, with as few variables fixed as will do. Whether that was possible.
    fn execute(&mut self, site: (EdgeId, usize), op: &Op, chosen: Option<(usize, Value)>) -> bool {
        let reads = &self.read[&site];
        if reads.is_opaque {
            return false;
        }
        let is_open =
            |var: &&VarId| self.values.get(var).is_some_and(|term| self.terms.as_number(*term).is_none());
        let open: Vec<VarId> = reads.scalars.iter().filter(is_open).copied().collect();
        let single = open.iter().map(|var| vec![*var]);
        let attempts: Vec<Vec<VarId>> =
            std::iter::once(Vec::new()).chain(single).chain([open.clone()]).collect();
        attempts.iter().any(|fixed| self.attempt(site, op, chosen, fixed))
    }

    /// Executes an operation on terms, where some variables have the values of the run.
    fn attempt(
        &mut self,
        site: (EdgeId, usize),
        op: &Op,
        chosen: Option<(usize, Value)>,
        fixed: &[VarId],
    ) -> bool {
        let symbols = |(var, value): (&VarId, &TermId)| Some((self.vocabulary.symbol(*var)?, *value));
        let mut transition =
            Transition { guard: Terms::TRUE, update: self.values.iter().filter_map(symbols).collect() };
        let (mut facts, mut conditions) = (self.facts.clone(), Vec::new());
        for var in fixed {
            let Some(value) = self.concrete.get(var) else { return false };
            let number = self.terms.number(integer(*value));
            let Some(symbol) = self.vocabulary.symbol(*var) else { return false };
            let before = transition.update.insert(symbol, number);
            conditions.extend(before.map(|before| self.terms.eq(before, number)));
            facts.claim(*var, Range::constant(value.as_int()));
        }
        let mut encoder = Encoder::new(self.program, &mut self.terms, &mut self.vocabulary);
        let (edge, at) = site;
        encoder.execute(&mut transition, &mut facts, Site::Operation { edge, op: at }, op);
        let skolems = encoder.take_skolems();
        if skolems.iter().any(|skolem| skolem.rounding().is_some()) {
            return false;
        }
        if let (Some((index, value)), Some(skolem)) = (chosen, skolems.first()) {
            self.inputs.push(Input { symbol: skolem.symbol, index, value: integer(value) });
        }
        conditions.push(transition.guard);
        let vars = |(symbol, value): (&SymbolId, &TermId)| Some((self.vocabulary.var(*symbol)?, *value));
        self.values = transition.update.iter().filter_map(vars).collect();
        self.facts = facts;
        self.require(&conditions);
        true
    }

    /// Lets an operation do what it did in the run: what it reads is fixed, what it writes is a number.
    fn repeat(&mut self, site: (EdgeId, usize), op: &Op, written: Option<(Written, Value)>) {
        let reads = &self.read[&site];
        let mut conditions = Vec::new();
        for var in &reads.scalars {
            if let (Some(term), Some(value)) = (self.values.get(var), self.concrete.get(var)) {
                let number = self.terms.number(integer(*value));
                conditions.push(self.terms.eq(*term, number));
            }
        }
        // What the run had in an array is not kept: the inputs that are in it stay.
        let arrays: Vec<TermId> =
            reads.arrays.iter().filter_map(|var| self.values.get(var).copied()).collect();
        let symbols = self.terms.symbols_of_all(&arrays);
        for input in self.inputs.iter().filter(|input| symbols.binary_search(&input.symbol).is_ok()) {
            let (term, number) = (self.terms.of_symbol(input.symbol), self.terms.number(input.value.clone()));
            conditions.push(self.terms.eq(term, number));
        }
        self.require(&conditions);
        match written {
            Some((Written::Var(var), value)) => {
                let number = self.terms.number(integer(value));
                self.values.insert(var, number);
            }
            Some((Written::Elem { array, index }, value)) => {
                let (index, value) =
                    (self.terms.number(Integer::from(index)), self.terms.number(integer(value)));
                if let Some(before) = self.values.get(&array) {
                    let after = self.terms.store(*before, index, value);
                    self.values.insert(array, after);
                }
            }
            Some((Written::Mem { .. } | Written::Bits { .. }, _)) | None => {}
        }
        if let Op::CopyElems { to, .. } | Op::FillElems { to, .. } = op {
            self.values.remove(to);
        }
        // What was known of the place is not true any more.
        let changed: Vec<VarId> = op.vars().collect();
        for var in changed {
            match written {
                Some((Written::Var(to), value)) if to == var && is_number(value.ty) => {
                    self.facts.claim(var, Range::constant(value.as_int()));
                }
                _ => self.facts.forget(var),
            }
        }
    }

    fn require(&mut self, conditions: &[TermId]) {
        let all = self.terms.and(conditions.iter().copied());
        self.conditions.extend(self.terms.conjuncts(all));
    }

    fn reads(&self, op: &Op) -> Reads {
        let mut reads = Reads::default();
        let exprs = &self.program.exprs;
        let (mut pending, mut seen): (Vec<ExprId>, BTreeSet<ExprId>) =
            (op.exprs().collect(), BTreeSet::new());
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            reads.is_opaque |= !is_number(exprs.ty(id));
            match *exprs.get(id) {
                Expr::Var { var, .. } => reads.scalars.push(var),
                Expr::Elem { array, .. } => reads.arrays.push(array),
                Expr::Load { .. } | Expr::LoadBits { .. } | Expr::Address { .. } | Expr::Function { .. } => {
                    reads.is_opaque = true;
                }
                _ => {}
            }
            pending.extend(exprs.get(id).operands());
        }
        for place in op.places() {
            reads.is_opaque |= match place {
                Place::Var(var) | Place::Elem { array: var, .. } => match self.program.vars[*var].storage {
                    Storage::Scalar(ty) | Storage::Array { elem: ty, .. } => !is_number(ty),
                    Storage::Object { .. } => true,
                },
                Place::Mem { .. } | Place::Bits { .. } => true,
            };
        }
        reads.scalars.sort_unstable();
        reads
    }
}

/// The conditions without those that others imply that differ in their constant only: a loop bound is compared in every round.
fn strongest(terms: &mut Terms, conditions: &BTreeSet<TermId>) -> Vec<TermId> {
    let mut kept = Vec::new();
    let mut bounds: BTreeMap<TermId, Integer> = BTreeMap::new();
    for condition in conditions {
        let Node::Le(sum) = *terms.node(*condition) else {
            kept.push(*condition);
            continue;
        };
        let form = terms.linear(sum);
        let direction = terms.of_linear(&form.with_constant(Integer::ZERO));
        let bound = bounds.entry(direction).or_insert_with(|| form.constant_part().clone());
        if *bound < *form.constant_part() {
            *bound = form.constant_part().clone();
        }
    }
    for (direction, bound) in bounds {
        let form = terms.linear(direction).with_constant(bound);
        kept.push(terms.le_zero(&form));
    }
    kept
}

/// Whether an event is a write to a place.
fn writes(event: &Event, place: Place) -> bool {
    match (event, place) {
        (Event::Write(Written::Var(to), _), Place::Var(var)) => *to == var,
        (Event::Write(Written::Elem { array: to, .. }, _), Place::Elem { array, .. }) => *to == array,
        (Event::Write(Written::Mem { .. }, _), Place::Mem { .. }) => true,
        (Event::Write(Written::Bits { .. }, _), Place::Bits { .. }) => true,
        _ => false,
    }
}

/// Whether formulas speak of values of a type.
fn is_number(ty: Ty) -> bool {
    matches!(ty, Ty::Int { width, .. } if width <= 64)
}

/// A value as formulas have it; the bits of what is no number.
fn integer(value: Value) -> Integer {
    if is_number(value.ty) { Integer::from(value.as_int()) } else { Integer::from(value.bits) }
}
