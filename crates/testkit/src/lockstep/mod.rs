//! One execution in two programs: as given, and with memory turned into variables.
//!
//! # Law
//! The pass `promote` may add executions, and must not lose any. So an execution of the given program is followed in the new one, step by step: each value that the new program
//! leaves open is answered with what the memory of the given program holds there, or with what the expression has for a value that the new program has forgotten. The new program must be able to go the same way to the same end.
//! On the way the state must be the same: equal variables, and variables that hold what memory holds (that goes beyond the law, and finds defects where they happen).
//!
//! The answers are only one way to choose; that they are the right ones is no part of what is tested.
//!
//! # Invariants
//! * L1: an execution that the interpreter ends (undefined behaviour, an order of addresses, a limit) says nothing about what follows.
//! * L2: bytes that were never written are zero in both programs.
//! * L3: what an expression has for a value that the new program forgets is not known if it reads what was never written. Then the execution is followed as long as that goes well.

mod answer;
mod check;
mod law;
mod prepare;
mod world;

use std::collections::BTreeSet;

use base::Budget;
use cfa::pointsto::AllocationSite;
use cfa::{EdgeId, Loc, Op, ProcId, Program, Source, VarId};
use interp::{
    Choice, Code, CompileOptions, Config, Machine, Markers, Observer, Oracle, Outcome, Request, Seed, Step,
    Uninitialised, Value, View, Written,
};
use passes::Promoted;

pub use law::{Tally, law, program, setting};
pub use prepare::{Form, prepared};

use answer::Answers;
use world::World;

/// How an execution ends that could be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The end in the given program.
    pub outcome: Outcome,
    /// Steps until then.
    pub steps: usize,
    /// Values that the new program left open.
    pub open: usize,
}

/// The inputs of an execution are random; what was never written is zero (L2).
pub struct Inputs {
    random: Seed,
}

impl Inputs {
    /// Those of a seed.
    pub fn new(seed: u64) -> Self {
        Self { random: Seed::new(seed) }
    }
}

impl Oracle for Inputs {
    fn choose(&mut self, request: &Request<'_>) -> Option<Choice> {
        match request.source {
            Source::Uninitialised | Source::Outside | Source::Rounded => Some(Choice::Bits(0)),
            _ => self.random.choose(request),
        }
    }
}

/// Notes the last edge that was taken.
#[derive(Default)]
struct LastEdge(Option<(ProcId, EdgeId)>);

impl Observer for LastEdge {
    fn enter(&mut self, _: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.0 = Some((proc, edge));
    }
    fn leave(&mut self, _: &View<'_>, _: ProcId, _: EdgeId) {}
    fn wrote(&mut self, _: &View<'_>, _: Written, _: Value) {}
}

/// Follows an execution of a program of which every edge has at most one operation. The error says where the new program cannot follow.
pub fn follow(
    given: &Program,
    new: &Promoted,
    inputs: &mut Inputs,
    limit: usize,
) -> Result<Followed, String> {
    let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Locations };
    let (given_code, new_code) = (Code::new(given, options), Code::new(&new.program, options));
    let mut old = machine(given, &given_code);
    let mut pair = Pair {
        new,
        machine: machine(&new.program, &new_code),
        world: World::new(given, &new.meanings, &old.view()),
        edge: None,
        written: vec![BTreeSet::new()],
        globals: BTreeSet::new(),
        open: 0,
        is_unclear: false,
    };
    let start = (given.entry, given.procs[given.entry].entry);
    pair.enter(&old, start)?;
    for steps in 0..limit {
        let before = old.clone();
        let mut edge = LastEdge::default();
        let step = old.step(inputs, &mut edge, &mut std::io::sink(), &mut Budget::ticks(1_000_000));
        let place = || format!("step {steps}, {}", shown(given, edge.0));
        match step {
            Step::Location(proc, location) => {
                pair.note(edge.0, (&before, &old));
                match pair.go((&before, &old), (proc, location)) {
                    Err(_) if pair.is_unclear => break,
                    other => other.map_err(|what| format!("{}: {what}", place()))?,
                }
            }
            Step::Ended(outcome) => {
                let followed = Followed { outcome, steps, open: pair.open };
                return match pair.end((&before, &old), followed) {
                    Err(_) if pair.is_unclear => break,
                    other => other.map_err(|what| format!("{}: {what}", place())),
                };
            }
        }
    }
    Ok(Followed { outcome: Outcome::Stopped(base::Stop::Ticks), steps: limit, open: pair.open })
}

fn machine<'p>(program: &'p Program, code: &'p Code) -> Machine<'p> {
    let mut machine = Machine::new(program, code, Config::default());
    let all = program
        .procs
        .iter_enumerated()
        .flat_map(|(proc, content)| content.locations.ids().map(move |location| (proc, location)));
    machine.stop_at(all);
    machine
}

fn shown(program: &Program, edge: Option<(ProcId, EdgeId)>) -> String {
    match edge {
        None => "no edge".to_owned(),
        Some((proc, edge)) => {
            let content = &program.procs[proc].edges()[edge];
            let line = content.origin.region.line;
            format!("{} {edge:?} line {line}: {:?}", program.procs[proc].name, content.ops)
        }
    }
}

/// The new program, on its way.
struct Pair<'a> {
    new: &'a Promoted,
    machine: Machine<'a>,
    world: World<'a>,
    /// The edge that the given program took last.
    edge: Option<(ProcId, EdgeId)>,
    /// The variables that each activation has written.
    written: Vec<BTreeSet<VarId>>,
    /// The global variables that were written.
    globals: BTreeSet<VarId>,
    open: usize,
    /// Whether the new program was answered by chance (L3).
    is_unclear: bool,
}

impl Pair<'_> {
    /// Notes what the last operation has made.
    fn note(&mut self, edge: Option<(ProcId, EdgeId)>, (before, after): (&Machine<'_>, &Machine<'_>)) {
        self.edge = edge;
        let stack = after.stack();
        let depth = stack.entries.len() + stack.omitted;
        while self.written.len() > depth.max(1) {
            self.written.pop();
        }
        let Some((proc, edge)) = edge else { return };
        for (op, content) in self.world.given.procs[proc].edges()[edge].ops.iter().enumerate() {
            let site = AllocationSite { proc, edge, op: op as u32 };
            let made = self.world.made(site, content, (&before.view(), &after.view()), &self.machine);
            if let Some(instance) = made.filter(|instance| self.world.is_many(instance.object)) {
                check::preset(&mut self.machine, &self.world, after, &instance);
            }
        }
        self.note_written((proc, edge), depth);
    }

    /// Notes which variables have values: others are not compared.
    fn note_written(&mut self, (proc, edge): (ProcId, EdgeId), depth: usize) {
        let given = self.world.given;
        let ops = &given.procs[proc].edges()[edge].ops;
        if self.written.len() < depth {
            let params =
                ops.iter().flat_map(Op::call_targets).flat_map(|target| &given.procs[*target].params);
            self.written.push(params.copied().collect());
        } else if let Some(written) = self.written.last_mut() {
            for op in ops {
                let is_written = !matches!(op, Op::Havoc { source: Source::Uninitialised, .. });
                for var in op.vars() {
                    if is_written && given.vars[var].owner.is_none() {
                        self.globals.insert(var);
                    } else if is_written {
                        written.insert(var);
                    } else {
                        written.remove(&var);
                    }
                }
            }
        }
    }

    /// Where the new program starts.
    fn enter(&mut self, old: &Machine<'_>, start: (ProcId, Loc)) -> Result<(), String> {
        if self.new.program.procs[start.0].entry != self.new.program.procs[start.0].exit {
            let at = (start.0, self.new.program.procs[start.0].entry);
            if self.is_between(at) {
                self.go((old, old), start)?;
            }
        }
        Ok(())
    }

    /// Whether a location is one that the pass has put before another one.
    fn is_between(&self, (proc, location): (ProcId, Loc)) -> bool {
        let procedure = &self.new.program.procs[proc];
        let [edge] = procedure.outgoing(location) else { return false };
        let target = procedure.edges()[*edge].target;
        let origin = |at: Loc| self.new.back.location(proc, at);
        target != location
            && origin(target) == origin(location)
            && self.new.back.edge(proc, *edge).steps.iter().all(|step| step.part == passes::StepPart::Named)
    }

    /// Goes where the given program went.
    fn go(&mut self, (before, after): (&Machine<'_>, &Machine<'_>), to: (ProcId, Loc)) -> Result<(), String> {
        let mut before = before;
        loop {
            match self.step((before, after)) {
                Step::Location(proc, location) => {
                    let origin = self.new.back.location(proc, location);
                    if origin.is_none_or(|origin| (origin.proc, origin.location) != to) {
                        return Err(format!("goes to {proc:?} {location:?}, not to {to:?}"));
                    }
                    check::complete(&mut self.machine, &self.world, after);
                    if self.is_between((proc, location)) {
                        before = after;
                        continue;
                    }
                    let mut written = self.written.last().cloned().unwrap_or_default();
                    written.extend(&self.globals);
                    return check::compare(&self.machine, &self.world, after, (proc, &written));
                }
                Step::Ended(outcome) => return Err(format!("ends: {outcome}")),
            }
        }
    }

    fn step(&mut self, (before, after): (&Machine<'_>, &Machine<'_>)) -> Step {
        let mut answers = Answers::new(&self.new.program, &self.world, (before, after), self.edge);
        let mut budget = Budget::ticks(1_000_000);
        let step =
            self.machine.step(&mut answers, &mut LastEdge::default(), &mut std::io::sink(), &mut budget);
        self.open += answers.open;
        self.is_unclear |= answers.is_unclear;
        step
    }

    /// The new program must end as the given one does, if that is a defined end (L1).
    fn end(
        &mut self,
        machines: (&Machine<'_>, &Machine<'_>),
        followed: Followed,
    ) -> Result<Followed, String> {
        let is_same = |own: &Outcome| match (&followed.outcome, own) {
            (Outcome::Error { .. }, own) => matches!(own, Outcome::Error { .. }),
            (Outcome::Exit { .. }, own) => matches!(own, Outcome::Exit { .. }),
            (Outcome::Halted { .. }, own) => matches!(own, Outcome::Halted { .. }),
            (Outcome::Returned, own) => matches!(own, Outcome::Returned),
            _ => true,
        };
        let is_defined = matches!(
            followed.outcome,
            Outcome::Error { .. } | Outcome::Exit { .. } | Outcome::Halted { .. } | Outcome::Returned
        );
        match self.step(machines) {
            _ if !is_defined => Ok(followed),
            Step::Ended(outcome) if is_same(&outcome) => Ok(followed),
            Step::Ended(outcome) => Err(format!("ends: {outcome}, not {}", followed.outcome)),
            Step::Location(..) => Err(format!("goes on instead of ending: {}", followed.outcome)),
        }
    }
}
