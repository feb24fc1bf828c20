//! The first run: which events of an execution are shown, and which iterations of loops are alike.
//!
//! Events are numbered: an edge that is entered, an edge that is left. Consecutive iterations of a loop that take the same
//! path are a group, of which the first and the last are shown. Of groups, and of events in a stretch, the first and
//! the last are kept. An edge that leaves a loop of the automaton but lies inside the loop of the text belongs to its last iteration.
//!
//! # Invariants
//! * F1: loops that are open belong to activations that are open, outermost first.
//! * F2: the iterations in one group take the same edges, up to the number of iterations of inner loops: so they write the same
//!   variables.
//! * F3: a plan is in the order of its events; marks stand before the event of their number.

use std::collections::VecDeque;

use base::Region;
use cfa::loops::LoopId;
use cfa::{Edge, EdgeId, Loc, LocationRole, Op, ProcId, Procedure, Program, Role, Source};
use interp::{Observer, Value, View, Written};

use super::relevance::Relevance;
use super::{Kind, Scope, Selection};

/// Upper bound on the loops that may be open; iterations of loops nested deeper are not distinguished.
const MAX_NESTING: usize = 32;

/// Something to show.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    /// The event, or the one that a mark stands before.
    pub(super) event: u64,
    /// Loops around it.
    pub(super) nesting: usize,
    /// What is said of other steps; nothing for an event.
    pub(super) mark: Option<Mark>,
}

/// A mark that stands for other steps.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// What is said.
    pub(super) kind: Kind,
    /// The head of the loop; nothing for what belongs to no loop.
    pub(super) head: Option<(ProcId, Loc)>,
    /// The activation of the loop.
    pub(super) depth: usize,
}

/// A bounded sequence: its first and last items.
#[derive(Debug)]
struct Ends<T> {
    head: Vec<T>,
    tail: VecDeque<T>,
    most: usize,
}

impl<T> Ends<T> {
    fn new(most: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), most: most.max(1) }
    }
    /// Appends an item; the one that is no longer kept.
    fn push(&mut self, item: T) -> Option<T> {
        if self.head.len() < self.most {
            self.head.push(item);
            return None;
        }
        self.tail.push_back(item);
        if self.tail.len() > self.most { self.tail.pop_front() } else { None }
    }
    fn last_mut(&mut self) -> Option<&mut T> {
        self.tail.back_mut().or(self.head.last_mut())
    }
}

#[derive(Debug)]
enum Item {
    Event(u64),
    Loop(Box<Rounds>),
}

impl Item {
    fn events(&self) -> u64 {
        match self {
            Self::Event(_) => 1,
            Self::Loop(rounds) => rounds.events,
        }
    }
}

/// A stretch of the execution.
#[derive(Debug)]
struct Stretch {
    start: u64,
    items: Ends<Item>,
    omitted: u64,
    events: u64,
    /// Whether something happens but branches.
    acts: bool,
    /// Which way it takes.
    way: u64,
}

impl Stretch {
    fn new(start: u64, nesting: usize, most: usize) -> Self {
        let kept = most / [4, 20, 60, 200][nesting.min(3)];
        Self { start, items: Ends::new(kept.max(3)), omitted: 0, events: 0, acts: false, way: 0 }
    }
    fn push(&mut self, item: Item) {
        self.events += item.events();
        self.omitted += self.items.push(item).map_or(0, |gone| gone.events());
    }
}

fn mix(hash: u64, step: u64) -> u64 {
    (hash.rotate_left(5) ^ step).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Rounds that go the same way (F2).
#[derive(Debug)]
struct Group {
    from: u64,
    to: u64,
    way: u64,
    first: Stretch,
    last: Option<Stretch>,
}

/// A loop that is being executed, or was.
#[derive(Debug)]
struct Rounds {
    id: LoopId,
    head: (ProcId, Loc),
    /// The text of the loop statement; nowhere for loops of another kind.
    text: Region,
    /// The activation.
    depth: usize,
    groups: Ends<Group>,
    gone: Option<(u64, u64)>,
    /// The number of the current round.
    number: u64,
    current: Stretch,
    events: u64,
    way: u64,
}

impl Rounds {
    /// Ends the current round; `next` is the next one.
    fn end_round(&mut self, next: Stretch) {
        let done = std::mem::replace(&mut self.current, next);
        let (number, way) = (self.number, done.way);
        self.number += 1;
        self.events += done.events;
        if let Some(group) = self.groups.last_mut().filter(|group| group.way == way) {
            group.to = number;
            group.last = Some(done);
            return;
        }
        self.way = mix(self.way, way);
        let group = Group { from: number, to: number, way, first: done, last: None };
        if let Some(dropped) = self.groups.push(group) {
            let from = self.gone.map_or(dropped.from, |(from, _)| from);
            self.gone = Some((from, dropped.to));
        }
    }
}

/// An edge that is being taken.
struct Pending {
    proc: ProcId,
    edge: EdgeId,
    writes: bool,
}

/// How much of an execution was watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watched {
    /// All of it.
    ToTheEnd,
    /// A limit was reached first.
    InPart,
}

/// Watches the first run.
pub(super) struct Folder<'a> {
    program: &'a Program,
    relevance: &'a Relevance,
    scope: Scope,
    root: Stretch,
    loops: Vec<Rounds>,
    pending: Vec<Pending>,
    event: u64,
}

impl<'a> Folder<'a> {
    pub(super) fn new(program: &'a Program, relevance: &'a Relevance, scope: Scope) -> Self {
        Self {
            program,
            relevance,
            scope,
            root: Stretch::new(0, 0, scope.most),
            loops: Vec::new(),
            pending: Vec::new(),
            event: 0,
        }
    }

    fn current(&mut self) -> &mut Stretch {
        self.loops.last_mut().map_or(&mut self.root, |open| &mut open.current)
    }

    /// Keeps the current event, a branch.
    fn tell_branch(&mut self) {
        let event = self.event;
        self.current().push(Item::Event(event));
    }

    /// Keeps the current event, in which something happens.
    fn tell_act(&mut self) {
        self.tell_branch();
        self.current().acts = true;
    }

    /// Whether an edge is shown.
    fn is_told(&self, proc: ProcId, edge: EdgeId) -> bool {
        self.scope.selection == Selection::All || self.relevance.edge(proc, edge)
    }

    fn close_loop(&mut self) {
        let Some(mut open) = self.loops.pop() else { return };
        let next = Stretch::new(self.event, 0, 0);
        // A round that only finds out that it is none: its conditions belong to what follows.
        let rest = if open.current.acts {
            open.end_round(next);
            None
        } else {
            Some(std::mem::replace(&mut open.current, next))
        };
        let way = mix(open.way, u64::from(open.id.0));
        let stretch = self.current();
        stretch.way = mix(stretch.way, way);
        if open.events > 0 {
            stretch.acts = true;
            stretch.push(Item::Loop(Box::new(open)));
        }
        if let Some(rest) = rest {
            stretch.way = mix(stretch.way, rest.way);
            let Ends { head, tail, .. } = rest.items;
            head.into_iter().chain(tail).for_each(|item| stretch.push(item));
        }
    }

    /// Closes loops that an edge leaves, and begins rounds of the loop that it starts at.
    fn follow_loops(&mut self, proc: ProcId, edge: &Edge, depth: usize) {
        while self.loops.last().is_some_and(|open| open.depth > depth) {
            self.close_loop();
        }
        let program = self.program;
        let forest = program.procs[proc].loops();
        let headed = forest.headed_by(edge.source);
        let text = loop_text(&program.procs[proc], edge.source);
        let stays = headed.is_some_and(|id| forest.contains(id, edge.target)) || is_inside(text, edge);
        let is_left = |open: &Rounds| {
            open.depth == depth && !forest.contains(open.id, edge.source) && !is_inside(open.text, edge)
        };
        let left = self.loops.iter().rev().take_while(|open| is_left(open)).count();
        for _ in 0..left {
            self.close_loop();
        }
        let Some(id) = headed else { return };
        let nesting = self.loops.len();
        let is_open = self.loops.last().is_some_and(|open| open.depth == depth && open.id == id);
        let (event, most) = (self.event, self.scope.most);
        match (is_open, stays) {
            (true, true) => {
                if let Some(open) = self.loops.last_mut() {
                    open.end_round(Stretch::new(event, nesting, most));
                }
            }
            // The condition is evaluated a last time: that is no round. The round before it is one.
            (true, false) => {
                if let Some(open) = self.loops.last_mut() {
                    open.current.acts = true;
                }
                self.close_loop();
            }
            (false, true) if nesting < MAX_NESTING => {
                let groups = Ends::new((most / [100, 200, 200, 400][nesting.min(3)]).clamp(1, 8));
                let current = Stretch::new(event, nesting + 1, most);
                let head = (proc, edge.source);
                let rounds = Rounds {
                    id,
                    head,
                    text,
                    depth,
                    groups,
                    gone: None,
                    number: 1,
                    current,
                    events: 0,
                    way: 0,
                };
                self.loops.push(rounds);
            }
            (false, _) => {}
        }
    }

    /// What is to be shown, once the run is over.
    pub(super) fn plan(mut self, watched: Watched) -> Vec<Planned> {
        // The violation itself is in the innermost loop.
        self.event += 1;
        self.tell_act();
        let event = self.event;
        while !self.loops.is_empty() {
            self.close_loop();
        }
        let mut plan = Vec::new();
        flatten(self.root, 0, None, &mut plan);
        let most = self.scope.most;
        if plan.len() > most {
            let end = plan.len() - most / 2;
            let omitted = (plan.len() - most) as u64;
            let gap = mark(plan[end].event, 0, None, 0, Kind::Omitted(omitted));
            plan.splice(most / 2..end, [gap]);
        }
        if watched == Watched::InPart {
            plan.push(mark(event, 0, None, 0, Kind::Stopped));
        }
        plan
    }
}

fn mark(event: u64, nesting: usize, head: Option<(ProcId, Loc)>, depth: usize, kind: Kind) -> Planned {
    Planned { event, nesting, mark: Some(Mark { kind, head, depth }) }
}

/// What is shown of a stretch, in order. Nesting is at most [`MAX_NESTING`].
fn flatten(
    stretch: Stretch,
    nesting: usize,
    within: Option<(&(ProcId, Loc), usize)>,
    plan: &mut Vec<Planned>,
) {
    let (head, depth) = within.map_or((None, 0), |(head, depth)| (Some(*head), depth));
    let item = |item: Item, plan: &mut Vec<Planned>| match item {
        Item::Event(event) => plan.push(Planned { event, nesting, mark: None }),
        Item::Loop(rounds) => flatten_rounds(*rounds, nesting, plan),
    };
    stretch.items.head.into_iter().for_each(|next| item(next, plan));
    let mut tail = Vec::new();
    stretch.items.tail.into_iter().for_each(|next| item(next, &mut tail));
    if stretch.omitted > 0 {
        let event = tail.first().map_or(stretch.start, |next: &Planned| next.event);
        plan.push(mark(event, nesting, head, depth, Kind::Omitted(stretch.omitted)));
    }
    plan.append(&mut tail);
}

fn flatten_rounds(rounds: Rounds, nesting: usize, plan: &mut Vec<Planned>) {
    let Rounds { head, depth, groups, gone, .. } = rounds;
    let mark = |event: u64, kind: Kind| mark(event, nesting, Some(head), depth, kind);
    let group = |group: Group, plan: &mut Vec<Planned>| {
        plan.push(mark(group.first.start, Kind::Round(group.from)));
        flatten(group.first, nesting + 1, Some((&head, depth)), plan);
        if let Some(last) = group.last {
            if group.to > group.from + 1 {
                plan.push(mark(last.start, Kind::Folded { from: group.from + 1, to: group.to - 1 }));
            }
            plan.push(mark(last.start, Kind::Round(group.to)));
            flatten(last, nesting + 1, Some((&head, depth)), plan);
        }
    };
    groups.head.into_iter().for_each(|next| group(next, plan));
    let mut tail = Vec::new();
    groups.tail.into_iter().for_each(|next| group(next, &mut tail));
    if let (Some((from, to)), Some(next)) = (gone, tail.first()) {
        plan.push(mark(next.event, Kind::Skipped { from, to }));
    }
    plan.append(&mut tail);
}

impl Observer for Folder<'_> {
    fn enter(&mut self, _: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.event += 1;
        let program = self.program;
        let taken = &program.procs[proc].edges()[edge];
        self.follow_loops(proc, taken, self.pending.len());
        if self.is_told(proc, edge) {
            let stretch = self.current();
            stretch.way = mix(stretch.way, u64::from(proc.0) << 32 | u64::from(edge.0));
            match announced(program, proc, taken) {
                Some(Announced::Branch) => self.tell_branch(),
                Some(Announced::Call) => self.tell_act(),
                None => {}
            }
        }
        self.pending.push(Pending { proc, edge, writes: false });
    }

    fn leave(&mut self, _: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.event += 1;
        let Some(Pending { writes, .. }) = self.pending.pop() else { return };
        let depth = self.pending.len();
        while self.loops.last().is_some_and(|open| open.depth > depth) {
            self.close_loop();
        }
        if writes && !self.program.procs[proc].edges()[edge].origin.region.is_nowhere() {
            self.tell_act();
        }
    }

    fn wrote(&mut self, _: &View<'_>, to: Written, _: Value) {
        let Some(pending) = self.pending.last() else { return };
        let matters = || self.relevance.write(pending.proc, pending.edge, to);
        let is_input = || input(&self.program.procs[pending.proc].edges()[pending.edge]).is_some();
        let writes = (self.relevance.is_named(to) || is_input())
            && (self.scope.selection == Selection::All || matters());
        if let Some(pending) = self.pending.last_mut() {
            pending.writes |= writes;
        }
    }
}

/// The text of the loop statement at whose head a location is.
fn loop_text(procedure: &Procedure, location: Loc) -> Region {
    let info = procedure.locations[location];
    if info.role == LocationRole::LoopHead { info.region } else { Region::NOWHERE }
}

/// Whether an edge is in the text of a loop, and not the loop's own condition: a way out of a loop that the user wrote
/// inside of it belongs to the last round.
fn is_inside(text: Region, edge: &Edge) -> bool {
    let here = edge.origin.region;
    let starts = (text.line, text.column) == (here.line, here.column);
    !text.is_nowhere() && !here.is_nowhere() && !starts && text.contains(here)
}

/// What asks for a value from outside on an edge.
pub(super) fn input(edge: &Edge) -> Option<&Source> {
    edge.ops.iter().find_map(|op| match op {
        Op::Havoc { source, .. } => Some(source),
        _ => None,
    })
}

/// What is shown of an edge when it is entered.
pub(super) enum Announced {
    Branch,
    Call,
}

/// What is shown of an edge when it is entered, if anything is.
pub(super) fn announced(program: &Program, proc: ProcId, edge: &Edge) -> Option<Announced> {
    // What happens before the entry function is called is nothing that the user wrote.
    let is_start = proc == program.entry;
    if edge.origin.region.is_nowhere() || is_start {
        return None;
    }
    if edge.ops.iter().any(|op| !op.call_targets().is_empty()) {
        return Some(Announced::Call);
    }
    matches!(edge.origin.role, Role::Branch(_)).then_some(Announced::Branch)
}
