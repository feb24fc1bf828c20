//! Walking a round of a loop for all its repetitions at once.
//!
//! # Method
//! A walk goes through the program as an execution does, from a loop head with the machine's present values, but its values are forms ([`super::form`]). All that a
//! step decides (which edge is taken, that nothing overflows) is decided by the values in the first round, and what is needed for it to be decided the same
//! way in the later rounds is kept as *demands*: forms that must not be negative. A loop inside the round is repeated at once too, if it can be.
//!
//! A leap takes two walks. The first one finds by how much each variable changes. The second one starts from `value + change * t` and must end in
//! `value + change * (t + 1)`; then, by induction on t, the round repeats itself for as long as the demands hold.
//!
//! # Invariants
//! * W1: what a walk does for counters within the demands is what the machine does, operation by operation; whatever it does not know ends the walk.
//! * W2: a walk ends: every location costs a step.

use std::collections::BTreeMap;

use base::Idx;

use super::cells::Key;
use super::eval::is_supported;
use super::form::{Form, LEVELS};
use super::heads::Heads;
use crate::code::VarPlace;
use crate::machine::State;
use crate::observe::View;
use crate::{LastCalls, Uninitialised};
use cfa::op::{Callee, Op, Place, Source};
use cfa::program::{EdgeId, Loc, ProcId, Program, VarId};

/// Patterns of so many rounds are looked for; of fewer in loops inside the round.
const PERIODS: u32 = 4;
const INNER_PERIODS: u32 = 2;

/// Values that differ from the machine's; `None` for a variable without value.
pub(super) type Values = BTreeMap<Key, Option<Form>>;

/// A walk and what it needs.
pub(super) struct Walker<'a> {
    pub(super) view: View<'a>,
    pub(super) state: &'a State<'a>,
    pub(super) heads: &'a Heads,
    /// Locations that must not be passed, one bit each.
    pub(super) stops: &'a [u64],
    /// Steps that are left.
    pub(super) steps: u64,
    /// Forms that must not be negative in any round.
    pub(super) demands: Vec<Form>,
    /// Number of loops that are being repeated.
    pub(super) level: usize,
}

/// What a round does to the variables, and how often.
pub(super) struct Repetition {
    /// How much is added in each round.
    pub(super) changes: Vec<(Key, i128)>,
    /// Number of rounds; it may differ from round to round of the outer loops.
    pub(super) rounds: Form,
}

/// The loop that is repeated.
#[derive(Clone, Copy)]
pub(super) struct Home {
    pub(super) proc: ProcId,
    pub(super) head: Loc,
    pub(super) activation: Activation,
}

/// Whose variables a walk sees outside of all calls that it has made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    /// Those of the activation that the machine is in.
    Present,
    /// Those of one that a walk has entered. It has no objects.
    Entered,
}

/// A call that has not returned.
struct Call {
    proc: ProcId,
    edge: EdgeId,
    op: usize,
}

/// Where a walk is.
struct Position {
    proc: ProcId,
    location: Loc,
    calls: Vec<Call>,
    /// That of the procedure outside of `calls`.
    activation: Activation,
}

/// How often a loop head was passed, by call depth.
type Visits = BTreeMap<(usize, ProcId, Loc), Visit>;

#[derive(Default)]
struct Visit {
    count: u32,
    next_attempt: u32,
}

impl<'a> Walker<'a> {
    pub(super) fn program(&self) -> &'a Program {
        self.view.program
    }

    /// How the loop at a head goes on from given values.
    pub(super) fn repetition(&mut self, home: Home, values: &Values) -> Option<Repetition> {
        if self.level == LEVELS {
            return None;
        }
        let kept = self.demands.len();
        let periods = if self.level == 0 { PERIODS } else { INNER_PERIODS };
        (1..=periods).find_map(|period| {
            let found = self.attempt(home, values, period);
            if found.is_none() {
                self.demands.truncate(kept);
            }
            found
        })
    }

    /// How the loop goes on if every so many rounds are the same.
    fn attempt(&mut self, home: Home, values: &Values, period: u32) -> Option<Repetition> {
        let kept = self.demands.len();
        let mut after = values.clone();
        self.rounds(period, home, &mut after)?;
        self.demands.truncate(kept);
        let level = self.level;
        let mut changes = Vec::new();
        let mut start = values.clone();
        for (key, value) in &after {
            if values.get(key) == Some(value) {
                continue;
            }
            let before = self.value(values, *key)?;
            let change = (*value)?.sub(&before)?.as_constant()?;
            if change != 0 {
                // Pointers stay where they are.
                self.ty(*key).filter(|ty| is_supported(*ty))?;
                changes.push((*key, change));
                start.insert(*key, Some(before.growing(level, change)));
            }
        }
        let mut end = start.clone();
        self.level += 1;
        let walked = self.rounds(period, home, &mut end);
        self.level -= 1;
        walked?;
        for (key, value) in &end {
            if value.is_none() && start.get(key) == Some(value) {
                continue;
            }
            let change = changes.iter().find(|(changed, _)| changed == key).map_or(0, |(_, change)| *change);
            if self.value(&start, *key)?.plus(change)? != (*value)? {
                return None;
            }
        }
        let bounds = self.demands[kept..].iter().filter_map(|demand| demand.last_round(level));
        let last = bounds.min_by_key(|bound| bound.base)?;
        for demand in &mut self.demands[kept..] {
            *demand = demand.least(level, &last)?;
        }
        self.demands.push(last);
        Some(Repetition { changes, rounds: last.plus(1)? })
    }

    fn rounds(&mut self, count: u32, home: Home, values: &mut Values) -> Option<()> {
        (0..count).try_for_each(|_| self.round(home, values))
    }

    /// Walks from a head until it is reached again.
    fn round(&mut self, home: Home, values: &mut Values) -> Option<()> {
        let Home { proc, head, activation } = home;
        let mut at = Position { proc, location: head, calls: Vec::new(), activation };
        let mut visits = Visits::new();
        loop {
            self.steps = self.steps.checked_sub(1)?;
            let procedure = &self.program().procs[at.proc];
            if Some(at.location) == procedure.error {
                return None;
            }
            if at.location == procedure.exit {
                self.leave(home, &mut at, values)?;
                visits.retain(|(depth, ..), _| *depth <= at.calls.len());
            } else {
                let (edge, tests) = self.choose(at.proc, at.location, values)?;
                self.operations(home, &mut at, (edge, tests), values)?;
            }
            if self.heads.is_stop(self.stops, at.proc, at.location) {
                return None;
            }
            if at.calls.is_empty() && (at.proc, at.location) == (proc, head) {
                return Some(());
            }
            if self.heads.contains(at.proc, at.location) {
                self.repeat(&at, values, &mut visits);
            }
        }
    }

    /// Repeats an inner loop as often as it goes the same way, from its second round on: in the first one, variables of the loop may have no value yet.
    fn repeat(&mut self, at: &Position, values: &mut Values, visits: &mut Visits) {
        let visit = visits.entry((at.calls.len(), at.proc, at.location)).or_default();
        visit.count += 1;
        if visit.count < visit.next_attempt.max(2) {
            return;
        }
        let activation = if at.calls.is_empty() { at.activation } else { Activation::Entered };
        let home = Home { proc: at.proc, head: at.location, activation };
        let Some(repetition) = self.repetition(home, values) else {
            visit.next_attempt = visit.count.saturating_mul(2);
            return;
        };
        visit.next_attempt = visit.count + 1;
        for (key, change) in &repetition.changes {
            let before = self.value(values, *key);
            let total = repetition.rounds.scale(*change);
            let after = before.zip(total).and_then(|(before, total)| before.add(&total));
            values.insert(*key, after);
        }
    }

    /// The edge that is taken, and how many tests it starts with.
    fn choose(&mut self, proc: ProcId, location: Loc, values: &Values) -> Option<(EdgeId, usize)> {
        let procedure = &self.program().procs[proc];
        for edge in procedure.outgoing(location) {
            let mut tests = 0;
            let mut holds = true;
            for op in &procedure.edges()[*edge].ops {
                let Op::Assume { cond } = op else { break };
                holds = self.decide(*cond, values)?;
                if !holds {
                    break;
                }
                tests += 1;
            }
            if holds {
                return Some((*edge, tests));
            }
        }
        None
    }

    /// Performs the operations of an edge from one on, up to the first call.
    fn operations(
        &mut self,
        home: Home,
        at: &mut Position,
        (edge, first): (EdgeId, usize),
        values: &mut Values,
    ) -> Option<()> {
        let taken = &self.program().procs[at.proc].edges()[edge];
        for (index, op) in taken.ops.iter().enumerate().skip(first) {
            match op {
                Op::Assign { place: Place::Var(var), value } => {
                    let value = self.eval(*value, values)?;
                    values.insert(Key::Var(*var), Some(value));
                }
                Op::Assign { place: Place::Mem { addr, ty }, value } => {
                    let (pointer, value) = (self.eval(*addr, values)?, self.eval(*value, values)?);
                    let cell = self.writable(&pointer, *ty, values)?;
                    values.insert(Key::Cell(cell), Some(value));
                }
                Op::Assume { cond } => {
                    if !self.decide(*cond, values)? {
                        return None;
                    }
                }
                // Elsewhere it is a choice.
                Op::Havoc { place: Place::Var(var), source: Source::Uninitialised, .. }
                    if self.view.code.options.uninitialised == Uninitialised::Report =>
                {
                    values.insert(Key::Var(*var), None);
                }
                Op::Call { callee: Callee::Direct(callee), args, .. } => {
                    let args: Option<Vec<Form>> = args.iter().map(|arg| self.eval(*arg, values)).collect();
                    let is_last = index + 1 == taken.ops.len();
                    if is_last && self.view.code.tail_calls.contains(at.proc, edge) && self.replaces(at) {
                        return self.jump(home, (*callee, &args?), at, values);
                    }
                    self.enter((*callee, &args?), at, values)?;
                    at.calls.push(Call { proc: at.proc, edge, op: index });
                    (at.proc, at.location) = (*callee, self.program().procs[*callee].entry);
                    return Some(());
                }
                _ => return None,
            }
        }
        at.location = taken.target;
        Some(())
    }

    /// Starts an activation. Activations inside each other are left to the machine.
    fn enter(&self, call: (ProcId, &[Form]), at: &Position, values: &mut Values) -> Option<()> {
        let is_active = self.is_active(call.0, at) || at.proc == call.0;
        if is_active { None } else { self.activate(call, values) }
    }

    /// Whether a procedure has an activation apart from the one that a walk is in.
    fn is_active(&self, proc: ProcId, at: &Position) -> bool {
        self.state.active[proc.index()] > 0 || at.calls.iter().any(|call| call.proc == proc)
    }

    /// The variables of an activation at its start.
    fn activate(&self, (callee, args): (ProcId, &[Form]), values: &mut Values) -> Option<()> {
        let procedure = &self.program().procs[callee];
        if procedure.params.len() != args.len() {
            return None;
        }
        for var in self.heads.owned(callee) {
            self.program().vars[*var].scalar()?;
            values.insert(Key::Var(*var), None);
        }
        for (param, arg) in procedure.params.iter().zip(args) {
            values.insert(Key::Var(*param), Some(*arg));
        }
        Some(())
    }

    /// Whether the machine replaces the activation that a walk is in when that one ends with a call.
    fn replaces(&self, at: &Position) -> bool {
        let is_present = at.calls.is_empty() && at.activation == Activation::Present;
        self.state.last_calls == LastCalls::Replaced && (!is_present || self.state.is_replaceable())
    }

    /// Lets an activation take the place of the one that a walk is in. Nobody sees the variables of that one again.
    fn jump(
        &self,
        home: Home,
        call: (ProcId, &[Form]),
        at: &mut Position,
        values: &mut Values,
    ) -> Option<()> {
        let callee = call.0;
        let is_home = at.calls.is_empty() && callee == home.proc;
        if callee != at.proc && !is_home && self.is_active(callee, at) {
            return None;
        }
        if callee != at.proc {
            for var in self.heads.owned(at.proc) {
                values.remove(&Key::Var(*var));
            }
        }
        self.activate(call, values)?;
        if at.calls.is_empty() {
            at.activation = Activation::Entered;
        }
        (at.proc, at.location) = (callee, self.program().procs[callee].entry);
        Some(())
    }

    /// Returns from a call and goes on behind it.
    fn leave(&mut self, home: Home, at: &mut Position, values: &mut Values) -> Option<()> {
        let call = at.calls.pop()?;
        let callee = std::mem::replace(&mut at.proc, call.proc);
        let program = self.program();
        let Op::Call { results, .. } = &program.procs[call.proc].edges()[call.edge].ops[call.op] else {
            return None;
        };
        let returned: Option<Vec<(VarId, Form)>> = results
            .iter()
            .zip(&program.procs[callee].results)
            .filter_map(|(place, result)| Some((place.as_ref()?, result)))
            .map(|(place, result)| match place {
                Place::Var(var) => Some((*var, self.value(values, Key::Var(*result))?)),
                _ => None,
            })
            .collect();
        for var in self.heads.owned(callee) {
            values.remove(&Key::Var(*var));
        }
        for (var, value) in returned? {
            values.insert(Key::Var(var), Some(value));
        }
        self.operations(home, at, (call.edge, call.op + 1), values)
    }

    /// The values that a walk starts with: where a procedure is entered, its own variables have none but those of the parameters. `None` if there are such values all the same:
    /// the machine is here on another way.
    pub(super) fn start(&self, proc: ProcId, head: Loc) -> Option<Values> {
        let procedure = &self.program().procs[proc];
        let mut values = Values::new();
        if head != procedure.entry || !self.view.code.tail_calls.entered.contains(&proc) {
            return Some(values);
        }
        for var in self.heads.owned(proc).iter().filter(|var| !procedure.params.contains(var)) {
            let VarPlace::Scalar(slot) = self.view.code.vars[*var] else { return None };
            if slot.flag.is_some_and(|flag| self.view.regs[flag as usize] != 0) {
                return None;
            }
            values.insert(Key::Var(*var), None);
        }
        Some(values)
    }

    /// The value of a variable or a part of memory.
    pub(super) fn value(&self, values: &Values, key: Key) -> Option<Form> {
        match values.get(&key) {
            Some(value) => *value,
            None => self.present(key),
        }
    }
}
