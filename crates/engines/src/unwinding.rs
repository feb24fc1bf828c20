//! Bounded model checking by unwinding: the program with its loops unwound as one acyclic formula, in either logic.
//!
//! Loops are unwound 1, 2, 3, 5, 9, 17, ... times: a loop over the bits of a word is finished by the bound that is one more than a power of two. Each bound takes at most two questions: whether
//! some execution goes on beyond the bound, and whether some way leads to the error. If both are answered no, the bound is the proof ([`verdict::Bounded`]).
//!
//! # Invariants
//! * S1: nothing here is trusted. Unsafe is replayed on the program as given, safe is checked again by unwinding the program anew.
//!
//! # Cost
//! The formula of a bound is about twice as large as that of the last one.

use std::collections::{BTreeMap, VecDeque};

use base::{Budget, Stop, timeline};
use cfa::{Op, Program, VarId};
use encode::unwind::{Step, Unwound, unwind};
use encode::{LogicName, Site, Skolem, Vocabulary};
use engine::{Counter, Engine, Env};
use interp::{Choice, Config, Outcome, Position, Request, Uninitialised, run_with};
use passes::Prepared;
use paths::{gave_up, on_original};
use smt::{Answer, Logic, Solver, Z3Solver};
use term::{ArrayValue, Integer, Model, TermId, Terms, Value};
use verdict::{Bounded, Proof, Reason, Rounded, Trace, Verdict};

use crate::exact_bits::may_round;
use crate::heaviest::heaviest;
use crate::problem::refused;
use crate::rounded::place;

/// The largest exponent of a bound.
pub(crate) const LARGEST: u32 = 14;
/// Up to this bound errors are asked for first: most are found by then.
const FEW: u32 = 3;
/// Ticks for carrying out one counterexample.
const RUN_TICKS: u64 = 1 << 28;

/// The engine.
pub(crate) struct Unwinding {
    /// Its logic.
    logic: Chosen,
    /// The most iterations that are tried.
    most: u32,
}

impl Unwinding {
    /// The engine, for as many iterations as it can.
    pub(crate) fn new(logic: Chosen) -> Self {
        Self { logic, most: u32::MAX }
    }

    /// In bits, for at most so many iterations. What the solver does before it starts to search costs no ticks, and may take long for long sums: a number of ticks does not limit it.
    pub(crate) fn in_bits(most: u32) -> Self {
        Self { logic: Chosen::Always(LogicName::Bits), most }
    }
}

/// The logic of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// This one.
    Always(LogicName),
    /// Bits where integers may be rounded up, else integers.
    ByProgram,
}

impl Engine for Unwinding {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        let logic = match self.logic {
            Chosen::Always(logic) => logic,
            Chosen::ByProgram if may_round(task.program()) => LogicName::Bits,
            Chosen::ByProgram => LogicName::Integers,
        };
        solve(task, logic, self.most, env).unwrap_or_else(Verdict::Unknown)
    }
}

/// The bounds that are tried in turn.
fn bounds() -> impl Iterator<Item = u32> {
    [1].into_iter().chain((0..LARGEST).map(|exponent| (1 << exponent) + 1))
}

fn solve(task: &Prepared<'_>, name: LogicName, most: u32, env: &mut Env<'_>) -> Result<Verdict, Reason> {
    if let Some(reason) = refused(task) {
        return Err(reason);
    }
    let mut heavy = None;
    for iterations in bounds().take_while(|bound| *bound <= most) {
        env.events.total(Counter::Depth, u64::from(iterations));
        // Formulas of an earlier bound are of no use.
        let mut share = env.share(env.logic.budget.child(u64::MAX));
        let outcome = Attempt { task, name, iterations }.decide(&mut share.logic);
        env.logic.budget.absorb(&share.logic.budget);
        env.logic.budget.poll().map_err(Reason::Stopped)?;
        let heavy_before = heavy.take();
        match outcome.map_err(|reason| {
            if reason == Reason::Stopped(Stop::Ticks) { heavy_before.unwrap_or(reason) } else { reason }
        })? {
            Ending::Error(trace) => return Ok(Verdict::Unsafe(*trace)),
            Ending::Safe => {
                return Ok(Verdict::Safe(Proof::Bounded(Bounded { logic: name, iterations })));
            }
            Ending::Longer(reason) => heavy = reason,
        }
    }
    Err(Reason::NotProgressing)
}

/// What one bound shows.
enum Ending {
    /// This execution reaches the error.
    Error(Box<Trace>),
    /// No way leads to the error, and none is longer.
    Safe,
    /// Some way is longer, or that took too many ticks: what did.
    Longer(Option<Reason>),
}

/// The question for one bound.
struct Attempt<'a> {
    task: &'a Prepared<'a>,
    name: LogicName,
    iterations: u32,
}

impl Attempt<'_> {
    fn decide(&self, logic: &mut Logic) -> Result<Ending, Reason> {
        let (program, proc) = (self.task.program(), self.task.program().entry);
        let mut vocabulary = Vocabulary::in_logic(self.name, program, &[proc], &mut logic.terms);
        let unwound = {
            let _stage = timeline::stage("encoding");
            let symbols = (&mut logic.terms, &mut vocabulary);
            unwind(program, proc, self.task.loops(proc), self.iterations, symbols, &mut logic.budget)
        }
        .map_err(Reason::Stopped)?;
        let _stage = timeline::stage("search");
        if self.iterations <= FEW {
            self.error_first(&unwound, &vocabulary, logic)
        } else {
            self.end_first(&unwound, &vocabulary, logic)
        }
    }

    /// Asks for errors before anything else.
    fn error_first(
        &self,
        unwound: &Unwound,
        vocabulary: &Vocabulary,
        logic: &mut Logic,
    ) -> Result<Ending, Reason> {
        if let Some(model) = self.model(&unwound.errors, vocabulary, logic)? {
            return self.execution(unwound, &model, logic).map(|trace| Ending::Error(Box::new(trace)));
        }
        let is_longer = self.model(&unwound.cuts, vocabulary, logic)?.is_some();
        Ok(if is_longer { Ending::Longer(None) } else { Ending::Safe })
    }

    /// Asks first whether executions go on. A proof needs all ticks that are left; errors of bounds that are too small may be found with others.
    fn end_first(
        &self,
        unwound: &Unwound,
        vocabulary: &Vocabulary,
        logic: &mut Logic,
    ) -> Result<Ending, Reason> {
        let goes_on = self.within_half(&unwound.cuts, vocabulary, logic)?;
        let is_complete = matches!(goes_on, Ok(None));
        let error = if is_complete {
            Ok(self.model(&unwound.errors, vocabulary, logic)?)
        } else {
            self.within_half(&unwound.errors, vocabulary, logic)?
        };
        match error {
            Ok(Some(model)) => {
                self.execution(unwound, &model, logic).map(|trace| Ending::Error(Box::new(trace)))
            }
            Ok(None) if is_complete => Ok(Ending::Safe),
            Ok(None) => Ok(Ending::Longer(goes_on.err())),
            Err(reason) => Ok(Ending::Longer(Some(reason))),
        }
    }

    /// A model of one of some conditions, if half of the ticks that are left suffice; else what takes more.
    fn within_half(
        &self,
        any: &[TermId],
        vocabulary: &Vocabulary,
        logic: &mut Logic,
    ) -> Result<Result<Option<Model>, Reason>, Reason> {
        let mut share = logic.budget.child(logic.budget.left() / 2);
        std::mem::swap(&mut logic.budget, &mut share);
        let found = self.model(any, vocabulary, logic);
        std::mem::swap(&mut logic.budget, &mut share);
        logic.budget.absorb(&share);
        match found {
            Err(reason) if share.is_spent() => {
                logic.budget.poll().map_err(Reason::Stopped)?;
                Ok(Err(reason))
            }
            found => found.map(Ok),
        }
    }

    /// A model of one of some conditions.
    fn model(
        &self,
        any: &[TermId],
        vocabulary: &Vocabulary,
        logic: &mut Logic,
    ) -> Result<Option<Model>, Reason> {
        let terms = &mut logic.terms;
        let condition = terms.or(any.iter().copied());
        if condition == Terms::FALSE {
            return Ok(None);
        }
        let typed = encode::typing(self.task.program(), terms, vocabulary, condition);
        let query = terms.and([typed, condition]);
        let mut solver: Z3Solver = match self.name {
            LogicName::Integers => logic.solvers.z3_solver(),
            LogicName::Bits => logic.solvers.bit_solver(terms, query),
        };
        solver.assert(terms, query);
        match solver.check(terms, &[], &mut logic.budget) {
            Answer::Sat(model) => Ok(Some(model)),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(why) => Err(self.too_large(gave_up(why))),
        }
    }

    /// The reason, with the operation that makes a question about bits large if it took all ticks.
    fn too_large(&self, reason: Reason) -> Reason {
        match heaviest(self.task) {
            Some(what) if self.name == LogicName::Bits && reason == Reason::Stopped(Stop::Ticks) => {
                Reason::SolverGaveUp { why: format!("the bits are too many, most of all for {what}") }
            }
            _ => reason,
        }
    }

    /// The execution that a model describes.
    fn execution(&self, unwound: &Unwound, model: &Model, logic: &mut Logic) -> Result<Trace, Reason> {
        let steps = unwound.path(&logic.terms, model).unwrap_or_default();
        let mut answers = Answers::of(self.task.program(), &steps, model);
        let mut oracle = |request: &Request<'_>| Some(answers.next(request));
        let mut allowance: Budget = logic.budget.child(RUN_TICKS);
        let (program, config) = (self.task.program(), Config::default());
        let choose = Uninitialised::Choose;
        let run = run_with(program, choose, config, &mut oracle, &mut std::io::sink(), &mut allowance);
        logic.budget.absorb(&allowance);
        let trace = match run.outcome {
            Outcome::Error { .. } => on_original(self.task, &run.choices, &mut logic.budget).ok(),
            _ => None,
        };
        trace.ok_or_else(|| Reason::Spurious { rounded: self.rounded(&steps) })
    }

    /// What is rounded up on a path.
    fn rounded(&self, steps: &[Step<'_>]) -> Vec<Rounded> {
        let mut found: Vec<Rounded> = Vec::new();
        for skolem in steps.iter().flat_map(|step| step.skolems) {
            let Some(what) = skolem.rounding() else { continue };
            let rounded = Rounded { what, region: place(self.task, self.task.program().entry, skolem.site) };
            if !found.contains(&rounded) {
                found.push(rounded);
            }
        }
        found
    }
}

/// What a model answers to the questions of an execution, in order.
struct Answers {
    numbers: VecDeque<(Site, Choice)>,
    arrays: BTreeMap<VarId, ArrayValue>,
}

impl Answers {
    fn of(program: &Program, steps: &[Step<'_>], model: &Model) -> Self {
        let (mut numbers, mut arrays) = (VecDeque::new(), BTreeMap::new());
        for skolem in steps.iter().flat_map(|step| step.skolems).filter(|skolem| skolem.is_input()) {
            match model.get(skolem.symbol) {
                Some(Value::Array(value)) => {
                    arrays.extend(array_at(program, skolem).map(|var| (var, value.clone())));
                }
                value if skolem.ty.is_some() => numbers.push_back((skolem.site, choice(value))),
                _ => {}
            }
        }
        Self { numbers, arrays }
    }

    /// The answer to a question; zero if there is none.
    fn next(&mut self, request: &Request<'_>) -> Choice {
        if let Some((var, index)) = request.element {
            let element = self.arrays.get(&var).map(|array| array.get(&Integer::from(index)));
            return element.map_or(Choice::Int(0), |element| Choice::Bits(bits(element)));
        }
        let asked = request.at.map(|Position { edge, op, .. }| Site::Operation { edge, op: op as usize });
        match self.numbers.front() {
            Some((site, _)) if Some(*site) == asked => {
                self.numbers.pop_front().map_or(Choice::Int(0), |(_, choice)| choice)
            }
            _ => Choice::Int(0),
        }
    }
}

fn choice(value: Option<&Value>) -> Choice {
    match value {
        Some(Value::Int(number)) => Choice::Int(number.to_i128().unwrap_or(0)),
        Some(Value::BitVec(_, number)) => Choice::Bits(bits(number)),
        _ => Choice::Bits(0),
    }
}

/// The low bits of a number.
fn bits(number: &Integer) -> u128 {
    let number = number.modulo(&Integer::power_of_two(128));
    let word = |number: &Integer| number.to_i128().map(|word| word as u128);
    word(&number).or_else(|| word(&(number - Integer::power_of_two(128)))).unwrap_or(0)
}

/// The array whose contents an operation leaves open.
fn array_at(program: &Program, skolem: &Skolem) -> Option<VarId> {
    let Site::Operation { edge, op } = skolem.site else { return None };
    match program.procs[program.entry].edges()[edge].ops.get(op)? {
        Op::Init { var, .. } | Op::Allocate { var, .. } => Some(*var),
        _ => None,
    }
}
