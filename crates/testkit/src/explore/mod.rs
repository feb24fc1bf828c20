//! All executions of a program of small integers, procedures included: an explicit state exploration.
//!
//! # Paper
//! Reps, Horwitz and Sagiv, Precise Interprocedural Dataflow Analysis via Graph Reachability, POPL 1995: tabulation. What an activation does depends on the values
//! with which it starts; so it is explored once for each combination of them, and recursion of any depth comes to an end.
//!
//! Laws of passes are judged by it: it knows operations and expressions, and nothing else. That it agrees with the interpreter is a law, too.
//!
//! # Invariants
//! * X1: an [`End`] is found if and only if some execution ends like that, provided that all edges that leave a location exclude each other.
//!
//! # Supported
//! Integers of few bits, arrays of few elements, addresses of procedures. No memory.

mod evaluate;
mod layout;

use std::collections::{BTreeSet, HashMap, VecDeque};

use cfa::{Callee, EdgeId, InitKind, Loc, Op, Place, ProcId, Program, Storage, VarId};

use self::evaluate::evaluate;
use self::layout::{Layout, values};

/// The values of variables, arrays element by element.
type State = Box<[i64]>;

/// Of so many executions to the error the choices are told.
const MOST_CHOICES: usize = 16;

/// How an execution ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The entry procedure returns, with these values of global variables.
    Returned(Vec<i64>),
    /// At the error, with these values of global variables.
    Error(Vec<i64>),
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// The ends of all executions that end.
    pub ends: BTreeSet<End>,
    /// The choices of some executions that end at the error, if no procedure is called.
    pub choices: Vec<Vec<i64>>,
}

/// Explores a program; nothing if it has more than `most` states. Of global variables only the first `globals` count for ends.
pub fn explore(program: &Program, globals: usize, most: usize) -> Option<Ends> {
    let mut explorer = Explorer::new(program, globals, most);
    explorer.run()?;
    Some(explorer.found)
}

/// A combination of a procedure and the values with which it starts.
type EntryId = u32;

/// Where an activation is: at a location, or behind a call on an edge.
type Node = (EntryId, Loc, State);

/// A call that waits for its callee to return.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Waiting {
    caller: EntryId,
    edge: EdgeId,
    op: usize,
    state: State,
}

#[derive(Default)]
struct Entry {
    proc: Option<ProcId>,
    exits: BTreeSet<Vec<i64>>,
    waiting: Vec<Waiting>,
}

struct Explorer<'p> {
    program: &'p Program,
    layout: Layout,
    counted: usize,
    most: usize,
    entries: Vec<Entry>,
    numbers: HashMap<(ProcId, Vec<i64>), EntryId>,
    /// The states that were reached; where each came from, and what was chosen on the way.
    reached: HashMap<Node, Option<(Node, Vec<i64>)>>,
    pending: VecDeque<Node>,
    found: Ends,
    has_calls: bool,
}

/// A step in progress: what comes next on an edge, and what was chosen so far.
struct Progress {
    op: usize,
    state: State,
    choices: Vec<i64>,
}

impl<'p> Explorer<'p> {
    fn new(program: &'p Program, counted: usize, most: usize) -> Self {
        let layout = Layout::new(program);
        let mut ops = program.procs[program.entry].edges().iter().flat_map(|edge| &edge.ops);
        Self {
            program,
            counted: counted.min(layout.globals()),
            layout,
            most,
            entries: Vec::new(),
            numbers: HashMap::new(),
            reached: HashMap::new(),
            pending: VecDeque::new(),
            found: Ends::default(),
            has_calls: ops.any(|op| matches!(op, Op::Call { .. })),
        }
    }

    fn run(&mut self) -> Option<()> {
        let globals = vec![0; self.layout.globals()];
        self.enter(self.program.entry, &globals, &[]);
        while let Some(node) = self.pending.pop_front() {
            if self.reached.len() > self.most {
                return None;
            }
            self.visit(&node);
        }
        Some(())
    }

    /// The entry of a procedure with some values of globals and parameters.
    fn enter(&mut self, proc: ProcId, globals: &[i64], args: &[i64]) -> EntryId {
        let key = (proc, [globals, args].concat());
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        let id = self.entries.len() as EntryId;
        self.numbers.insert(key, id);
        self.entries.push(Entry { proc: Some(proc), ..Entry::default() });
        let procedure = &self.program.procs[proc];
        let mut state = vec![0; self.layout.size(proc)];
        state[..globals.len()].copy_from_slice(globals);
        for (param, arg) in procedure.params.iter().zip(args) {
            state[self.layout.slot(*param)] = *arg;
        }
        // Local variables that may be read before they are written have any value.
        let mut states = vec![state];
        for var in self.layout.live(proc, procedure.entry) {
            if self.program.vars[*var].owner.is_some() && !procedure.params.contains(var) {
                states = self.any(states, *var);
            }
        }
        for state in states {
            self.reach((id, procedure.entry, state.into()), None);
        }
        id
    }

    /// The states in which a variable has any value.
    fn any(&self, states: Vec<Vec<i64>>, var: VarId) -> Vec<Vec<i64>> {
        let (slot, count, ty) = self.layout.place(self.program, var);
        (slot..slot + count).fold(states, |states, slot| {
            let with = |state: Vec<i64>| {
                values(ty).map(move |value| {
                    let mut state = state.clone();
                    state[slot] = value;
                    state
                })
            };
            states.into_iter().flat_map(with).collect()
        })
    }

    fn reach(&mut self, (entry, location, state): Node, from: Option<(Node, Vec<i64>)>) {
        let proc = self.proc(entry);
        // Executions that end at the error with different values are different, even if nobody reads them.
        let is_error = Some(location) == self.program.procs[proc].error;
        let state = if is_error { state } else { self.layout.without_dead(proc, location, state) };
        let node = (entry, location, state);
        if !self.reached.contains_key(&node) {
            self.reached.insert(node.clone(), from);
            self.pending.push_back(node);
        }
    }

    fn proc(&self, entry: EntryId) -> ProcId {
        self.entries[entry as usize].proc.expect("an entry should have a procedure")
    }

    fn visit(&mut self, node: &Node) {
        let (entry, location, state) = node;
        let proc = self.proc(*entry);
        let procedure = &self.program.procs[proc];
        if Some(*location) == procedure.error {
            self.found.ends.insert(End::Error(state[..self.counted].to_vec()));
            if self.found.choices.len() < MOST_CHOICES && !self.has_calls {
                let choices = self.choices_to(node);
                self.found.choices.push(choices);
            }
            return;
        }
        if *location == procedure.exit {
            return self.leave(*entry, state);
        }
        for edge in procedure.outgoing(*location) {
            let progress = Progress { op: 0, state: state.clone(), choices: Vec::new() };
            self.follow(*entry, *edge, progress, Some(node));
        }
    }

    fn choices_to(&self, node: &Node) -> Vec<i64> {
        let mut parts = Vec::new();
        let mut at = node;
        while let Some(Some((before, choices))) = self.reached.get(at) {
            parts.push(choices);
            at = before;
        }
        parts.into_iter().rev().flatten().copied().collect()
    }

    fn leave(&mut self, entry: EntryId, state: &State) {
        let proc = self.proc(entry);
        let globals = self.layout.globals();
        if proc == self.program.entry {
            self.found.ends.insert(End::Returned(state[..self.counted].to_vec()));
        }
        let results = self.program.procs[proc].results.iter().map(|result| state[self.layout.slot(*result)]);
        let exit: Vec<i64> = state[..globals].iter().copied().chain(results).collect();
        if self.entries[entry as usize].exits.insert(exit.clone()) {
            for waiting in self.entries[entry as usize].waiting.clone() {
                self.resume(&waiting, &exit);
            }
        }
    }

    /// Goes on behind a call that has returned.
    fn resume(&mut self, waiting: &Waiting, exit: &[i64]) {
        let globals = self.layout.globals();
        let Waiting { caller, edge, op, state } = waiting;
        let proc = self.proc(*caller);
        let mut state = state.clone();
        // Where results go is evaluated before the call.
        let before = state.clone();
        state[..globals].copy_from_slice(&exit[..globals]);
        let Op::Call { results, .. } = &self.program.procs[proc].edges()[*edge].ops[*op] else { return };
        for (place, value) in results.iter().zip(&exit[globals..]) {
            if let Some(place) = place {
                let Some(slot) = self.slot(*place, &before) else { return };
                state[slot] = *value;
            }
        }
        let progress = Progress { op: op + 1, state, choices: Vec::new() };
        self.follow(*caller, *edge, progress, None);
    }

    /// Carries out the operations of an edge from one on.
    fn follow(&mut self, entry: EntryId, edge: EdgeId, progress: Progress, from: Option<&Node>) {
        let proc = self.proc(entry);
        let content = &self.program.procs[proc].edges()[edge];
        let mut pending = vec![progress];
        while let Some(Progress { op, state, choices }) = pending.pop() {
            let Some(operation) = content.ops.get(op) else {
                let from = from.map(|node| (node.clone(), choices));
                self.reach((entry, content.target, state), from);
                continue;
            };
            if let Op::Call { callee, args, .. } = operation {
                self.call(&Waiting { caller: entry, edge, op, state }, callee, args);
                continue;
            }
            for (state, chosen) in self.step(operation, state) {
                let choices = choices.iter().copied().chain(chosen).collect();
                pending.push(Progress { op: op + 1, state, choices });
            }
        }
    }

    fn call(&mut self, waiting: &Waiting, callee: &Callee, args: &[cfa::ExprId]) {
        let target = match callee {
            Callee::Direct(target) => Some(*target),
            Callee::Indirect { pointer, targets } => {
                let address = evaluate(self.program, &self.layout, &waiting.state, *pointer);
                targets.iter().copied().find(|target| address == Some(layout::address(*target)))
            }
        };
        let args: Option<Vec<i64>> =
            args.iter().map(|arg| evaluate(self.program, &self.layout, &waiting.state, *arg)).collect();
        let (Some(target), Some(args)) = (target, args) else { return };
        let globals = waiting.state[..self.layout.globals()].to_vec();
        let entry = self.enter(target, &globals, &args);
        self.entries[entry as usize].waiting.push(waiting.clone());
        for exit in self.entries[entry as usize].exits.clone() {
            self.resume(waiting, &exit);
        }
    }

    /// Where a place is in a state; nothing if that is undefined.
    fn slot(&self, place: Place, state: &State) -> Option<usize> {
        match place {
            Place::Var(var) => Some(self.layout.slot(var)),
            Place::Elem { array, index } => {
                let index = evaluate(self.program, &self.layout, state, index)?;
                let (slot, count, _) = self.layout.place(self.program, array);
                let index = usize::try_from(index).ok().filter(|index| *index < count)?;
                Some(slot + index)
            }
            Place::Mem { .. } | Place::Bits { .. } => panic!("memory is not explored"),
        }
    }

    /// The states after an operation, with what was chosen.
    fn step(&self, op: &Op, mut state: State) -> Vec<(State, Option<i64>)> {
        let value = |expr| evaluate(self.program, &self.layout, &state, expr);
        match op {
            Op::Assign { place, value: new } => match (value(*new), self.slot(*place, &state)) {
                (Some(value), Some(slot)) => {
                    state[slot] = value;
                    vec![(state, None)]
                }
                _ => Vec::new(),
            },
            Op::Assume { cond } => match value(*cond) {
                Some(1) => vec![(state, None)],
                _ => Vec::new(),
            },
            Op::Havoc { place, .. } => {
                let Some(slot) = self.slot(*place, &state) else { return Vec::new() };
                let ty = place.var().and_then(|var| match self.program.vars[var].storage {
                    Storage::Scalar(ty) | Storage::Array { elem: ty, .. } => Some(ty),
                    Storage::Object { .. } => None,
                });
                let ty = ty.expect("memory should not be explored");
                let chosen = values(ty).map(|value| {
                    let mut state = state.clone();
                    state[slot] = value;
                    (state, Some(value))
                });
                chosen.collect()
            }
            Op::Init { var, contents } => {
                let (slot, count, _) = self.layout.place(self.program, *var);
                state[slot..slot + count].fill(0);
                match contents {
                    InitKind::Zero => vec![(state, None)],
                    InitKind::Uninitialised | InitKind::Arbitrary => {
                        let states = self.any(vec![state.to_vec()], *var);
                        states.into_iter().map(|state| (state.into(), None)).collect()
                    }
                }
            }
            Op::Halt { .. } => Vec::new(),
            other => panic!("{other:?} is not explored"),
        }
    }
}
