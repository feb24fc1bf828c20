//! The second run: the planned events with places, calls and values.

use std::cell::Cell;
use std::sync::Arc;

use base::Region;
use cfa::{EdgeId, ProcId, Program, Role, Source, Storage, Ty, VarId};
use interp::{Observer, Value, View, Written};

use super::fold::{Announced, Mark, Planned, announced, input};
use super::parts::{Wanted, part};
use super::relevance::Relevance;
use super::{Change, Frame, Kind, Selection, Step};
use crate::human::describe_source;

/// Names and values longer than this are cut.
const MAX_TEXT: usize = 120;
/// Activations that a step lists.
const MAX_FRAMES: usize = 64;

/// An edge that is being taken.
struct Pending {
    proc: ProcId,
    edge: EdgeId,
    /// Where its writes start among all that are pending.
    writes: usize,
}

/// Watches the second run.
pub(super) struct Teller<'a> {
    program: &'a Program,
    relevance: &'a Relevance,
    selection: Selection,
    plan: &'a [Planned],
    /// How many inputs were asked for.
    asked: &'a Cell<usize>,
    event: u64,
    pending: Vec<Pending>,
    writes: Vec<(Written, Value)>,
    frames: Vec<Frame>,
    shared: Option<Arc<[Frame]>>,
    /// A call whose arguments are known when the callee takes its first step.
    calling: Option<usize>,
    steps: Vec<Step>,
}

impl<'a> Teller<'a> {
    pub(super) fn new(
        program: &'a Program,
        relevance: &'a Relevance,
        selection: Selection,
        plan: &'a [Planned],
        asked: &'a Cell<usize>,
    ) -> Self {
        Self {
            program,
            relevance,
            selection,
            plan,
            asked,
            event: 0,
            pending: Vec::new(),
            writes: Vec::new(),
            frames: Vec::new(),
            shared: None,
            calling: None,
            steps: Vec::new(),
        }
    }

    /// The innermost activations as people see them: without the start-up procedure.
    fn stack(&mut self) -> Arc<[Frame]> {
        let frames = &self.frames;
        let shared = self.shared.get_or_insert_with(|| {
            let written = frames.get(1..).unwrap_or_default();
            written[written.len().saturating_sub(MAX_FRAMES)..].into()
        });
        shared.clone()
    }

    /// A step that matters, and changes nothing.
    fn step(&mut self, kind: Kind, region: Region, nesting: usize) -> Step {
        let depth = self.frames.len().saturating_sub(2);
        Step { kind, region, stack: self.stack(), depth, nesting, changes: Vec::new(), matters: true }
    }

    /// Adds the marks before the current event; returns whether the event itself is shown, and how many loops are around it.
    fn is_planned(&mut self) -> Option<usize> {
        while let Some(next) = self.plan.first().filter(|next| next.event <= self.event) {
            self.plan = &self.plan[1..];
            match &next.mark {
                Some(mark) => self.mark(mark, next.nesting),
                None if next.event == self.event => return Some(next.nesting),
                None => {}
            }
        }
        None
    }

    fn mark(&mut self, mark: &Mark, nesting: usize) {
        let region = mark.head.map_or(Region::NOWHERE, |(proc, head)| {
            let procedure = &self.program.procs[proc];
            // A loop without statement of its own, as `goto` makes: the first place in it.
            let edge = procedure.outgoing(head).first().map(|edge| procedure.edges()[*edge].origin.region);
            let region = procedure.locations[head].region;
            if region.is_nowhere() { edge.unwrap_or(region) } else { region }
        });
        let mut step = self.step(mark.kind.clone(), region, nesting);
        if mark.head.is_some() {
            let inner = step.depth.saturating_sub(mark.depth.saturating_sub(1));
            step.depth -= inner;
            step.stack = step.stack[..step.stack.len().saturating_sub(inner)].into();
        }
        self.steps.push(step);
    }

    /// Tells the arguments of a call whose procedure takes its first step.
    fn arguments(&mut self, view: &View<'_>, proc: ProcId) {
        let Some(call) = self.calling.take() else { return };
        let params = self.program.procs[proc].params.iter();
        let given = params.filter_map(|var| Some((*var, view.scalar(*var)?)));
        let changes: Vec<Change> = given
            .map(|(var, value)| {
                let matters = self.relevance.var(var);
                Change { matters, ..self.change(view, Written::Var(var), value) }
            })
            .filter(|change| change.matters || self.selection == Selection::All)
            .collect();
        let name = self.program.procs[proc].name.clone();
        if let Some(step) = self.steps.get_mut(call) {
            step.changes = changes;
            // Where a pointer is called, this is the first time that the function is known.
            step.kind = Kind::Call(name);
        }
    }

    /// A change that matters.
    fn change(&self, view: &View<'_>, to: Written, value: Value) -> Change {
        let of = |var: VarId| {
            let var = &self.program.vars[var];
            (var.name.to_string(), var.c_type.clone(), var.owner)
        };
        let (name, c_type, owner) = match to {
            Written::Var(var) if is_result(self.program, var) => {
                let (_, c_type, owner) = of(var);
                ("return value".to_owned(), c_type, owner)
            }
            Written::Var(var) => of(var),
            Written::Elem { array, index } => {
                let (name, c_type, owner) = of(array);
                (format!("{name}[{index}]"), element(&c_type), owner)
            }
            Written::Mem { addr } => self.memory(view, addr, value.ty),
            Written::Bits { addr, bit } => {
                let (name, _, owner) = self.memory(view, addr, value.ty);
                (format!("bits from {bit} of {name}"), "".into(), owner)
            }
        };
        let value = shown(self.program, view, value, &c_type);
        Change { name: cut(&name), c_type, owner, value: cut(&value), matters: true }
    }

    /// What is at an address, as the source would call it, its type, and whose it is.
    fn memory(&self, view: &View<'_>, addr: Value, ty: Ty) -> (String, Arc<str>, Option<ProcId>) {
        let Some((var, offset)) = view.target(addr) else {
            return (format!("*({})", view.describe(addr)), "".into(), None);
        };
        let var = &self.program.vars[var];
        let size = self.program.size_of(ty);
        let whole = match var.storage {
            Storage::Object { size, .. } => size,
            Storage::Scalar(_) | Storage::Array { .. } => 0,
        };
        let found = part(&self.program.spelling, (&var.c_type, whole), offset, Wanted::Scalar(size));
        let (name, c_type) = match found {
            Some((path, c_type)) => (format!("{}{path}", var.name), c_type),
            None if whole == size && offset == 0 => (var.name.to_string(), var.c_type.clone()),
            None if offset == 0 => (format!("*(&{})", var.name), "".into()),
            None => (format!("*((char *)&{} + {offset})", var.name), "".into()),
        };
        (name, c_type, var.owner)
    }

    fn left(&mut self, view: &View<'_>, pending: &Pending, nesting: usize) {
        let program = self.program;
        let taken = &program.procs[pending.proc].edges()[pending.edge];
        let source = input(taken);
        let mut changes = Vec::new();
        for (to, value) in &self.writes[pending.writes..] {
            let matters = self.relevance.write(pending.proc, pending.edge, *to);
            if !matters && self.selection == Selection::Relevant {
                continue;
            }
            if self.relevance.is_named(*to) {
                changes.push(Change { matters, ..self.change(view, *to, *value) });
            } else if let Some(source) = source {
                let value = shown(program, view, *value, "");
                let owner = Some(pending.proc);
                changes.push(Change { name: asker(source), c_type: "".into(), owner, value, matters });
            }
        }
        let kind = source.map_or(Kind::Statement, |source| Kind::Input {
            number: self.asked.get(),
            source: describe_source(source),
        });
        let matters = changes.iter().any(|change| change.matters);
        let mut step = Step { changes, matters, ..self.step(kind, taken.origin.region, nesting) };
        if let Some(last) = self.steps.last_mut()
            && (last.region, last.depth, last.nesting) == (step.region, step.depth, step.nesting)
            && matches!((&last.kind, &step.kind), (Kind::Statement | Kind::Input { .. }, Kind::Statement))
        {
            last.changes.append(&mut step.changes);
            last.matters |= step.matters;
            return;
        }
        self.steps.push(step);
    }

    /// All steps, once the run is over.
    pub(super) fn finish(mut self, region: Region) -> Vec<Step> {
        let nesting = self.plan.iter().rev().find(|next| next.mark.is_none()).map_or(0, |next| next.nesting);
        self.event = u64::MAX;
        while self.is_planned().is_some() {}
        let last = self.step(Kind::Violation, region, nesting);
        self.steps.push(last);
        self.steps
    }
}

impl Observer for Teller<'_> {
    fn enter(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.event += 1;
        let program = self.program;
        let taken = &program.procs[proc].edges()[edge];
        if self.frames.len() == self.pending.len() {
            let caller = self.pending.last();
            let called_at = caller.map_or(Region::NOWHERE, |caller| {
                program.procs[caller.proc].edges()[caller.edge].origin.region
            });
            self.frames.push(Frame { function: program.procs[proc].name.clone(), called_at });
            self.shared = None;
            self.arguments(view, proc);
        }
        if let Some(nesting) = self.is_planned() {
            let region = taken.origin.region;
            let matters = self.relevance.edge(proc, edge);
            let callee = taken.ops.iter().find_map(|op| op.call_targets().first());
            let kind = match (announced(program, proc, taken), taken.origin.role, callee) {
                (Some(Announced::Call), _, Some(callee)) => {
                    self.calling = Some(self.steps.len());
                    Kind::Call(program.procs[*callee].name.clone())
                }
                (_, Role::Branch(holds), _) => Kind::Branch(holds),
                _ => Kind::Statement,
            };
            let step = Step { matters, ..self.step(kind, region, nesting) };
            self.steps.push(step);
        }
        self.pending.push(Pending { proc, edge, writes: self.writes.len() });
    }

    fn leave(&mut self, view: &View<'_>, _: ProcId, _: EdgeId) {
        self.event += 1;
        let Some(pending) = self.pending.pop() else { return };
        if self.frames.len() > self.pending.len() + 1 {
            self.frames.truncate(self.pending.len() + 1);
            self.shared = None;
        }
        if let Some(nesting) = self.is_planned() {
            self.left(view, &pending, nesting);
        }
        self.writes.truncate(pending.writes);
    }

    fn wrote(&mut self, _: &View<'_>, to: Written, value: Value) {
        self.writes.push((to, value));
    }
}

fn is_result(program: &Program, var: VarId) -> bool {
    program.vars[var].owner.is_some_and(|owner| program.procs[owner].results.contains(&var))
}

/// What asks for a value that has no name.
fn asker(source: &Source) -> String {
    match source {
        Source::Library { function, .. } if &**function == cfa::STDIN => "standard input".to_owned(),
        Source::Input { function } | Source::Extern { function } | Source::Library { function, .. } => {
            format!("{function}()")
        }
        Source::Argument { name } | Source::Global { name } => name.to_string(),
        Source::Uninitialised | Source::Rounded | Source::Outside | Source::Guess(_) => "value".to_owned(),
    }
}

/// The type of the elements of an array type.
fn element(c_type: &Arc<str>) -> Arc<str> {
    match (c_type.find('['), c_type.find(']')) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{}", c_type[..start].trim_end(), &c_type[end + 1..]).into()
        }
        _ => c_type.clone(),
    }
}

/// A pointer as C would write it.
fn pointer(program: &Program, view: &View<'_>, value: Value, c_type: &str) -> String {
    let name = || {
        let (var, offset) = view.target(value).filter(|(_, offset)| *offset > 0)?;
        let var = &program.vars[var];
        let Storage::Object { size, .. } = var.storage else { return None };
        let pointee = c_type.strip_suffix('*')?.trim_end();
        let (path, _) = part(&program.spelling, (&var.c_type, size), offset, Wanted::Object(pointee))?;
        Some(format!("&{}{path}", var.name))
    };
    name().unwrap_or_else(|| view.describe(value))
}

fn shown(program: &Program, view: &View<'_>, value: Value, c_type: &str) -> String {
    let is_char = c_type.contains("char") && !c_type.contains('*');
    match value.ty {
        Ty::Ptr if value.bits != 0 => pointer(program, view, value, c_type),
        Ty::Int { .. } if is_char => match u8::try_from(value.as_int()) {
            Ok(byte) if byte == b' ' || byte.is_ascii_graphic() => {
                format!("{value} '{}'", char::from(byte).escape_default())
            }
            _ => value.to_string(),
        },
        Ty::Ptr | Ty::Int { .. } | Ty::Float(_) => value.to_string(),
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_TEXT {
        return text.to_owned();
    }
    text.chars().take(MAX_TEXT).chain("...".chars()).collect()
}
