//! Checks as error locations: every property becomes a reachability property.
//!
//! # Method
//! Before each operation that may go wrong in a way that counts as a violation ([`cfa::Program::checks`]), there is an edge to the error location under
//! the exact condition. The interpreter decides what goes wrong when; the conditions say the same ([`fault`]). What may go wrong at one access in several ways, of which one at
//! most happens, has one edge. In the result nothing but error locations is a violation, so what follows an operation takes for granted that it went well.
//!
//! A [`Selection`] says which checks are errors. One that is assumed ends the execution instead.
//!
//! | kind | condition | state that is added |
//! |---|---|---|
//! | signed overflow | comparison of operands, in a wider type where there is one ([`overflow`]) | |
//! | division, shift, conversion of floats, array bounds | comparison of operands | lengths of dynamic arrays |
//! | access to memory, free, texts | [`cfa::Expr::Accessible`], [`cfa::Expr::Freeable`], [`cfa::Expr::Test`] | |
//! | uninitialised values | flags, [`cfa::Expr::Initialised`] | flags of variables and elements ([`shadow`]) |
//! | leaks | the counter is not zero; [`cfa::Expr::Lost`] | a counter of live objects ([`ends`]) |
//!
//! # Invariants
//! * N1: on the same choices the given program violates a property (its own error locations count) if and only if
//!   the new one reaches an error location, by an edge that stands for the check. What is undefined in the given program before is undefined
//!   in the new one before it gets to the error. Where an expression is too large ([`walk`]), a text has bytes without value, or a format is no literal, the new program
//!   may reach the error where the given one does not; so it may where a check is omitted. No proof is lost, and counterexamples are replayed.
//! * N2: the edges to the error stand right before the edge of their operation: edges that leave a location are
//!   tried in order.
//! * N3: what cannot go wrong, whatever the values of variables, gets no edge.

mod checks;
mod describe;
mod edges;
mod ends;
mod fault;
mod forms;
mod operation;
mod overflow;
mod shadow;
mod walk;

use std::sync::Arc;

use base::{IndexVec, Region};
use rustc_hash::FxHashSet;

use cfa::text::Names;
use cfa::{
    CheckKind, CheckKinds, Edge, EdgeId, ExprId, Loc, LocationInfo, LocationRole, Op, Origin, ProcId,
    Procedure, Program, Role, SignedOverflow, VarId,
};

use super::back::{BackTranslation, Contexts, ProcOrigin, VarOrigin, identity_vars};
use super::build::Builder;
use super::totality::Totality;
use edges::Piece;
use ends::Heap;
use forms::{Forms, Sure};
use shadow::{Assigned, Shadow};

pub use checks::{Check, CheckId, Checks, Owner, Selection, Wanted};
pub(crate) use ends::Losses;

/// A program with its checks as error locations.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The new program.
    pub program: Program,
    /// The way back to the program that was given.
    pub back: BackTranslation,
    /// The checks, and the edges that stand for them.
    pub checks: Checks,
}

/// Makes checks error locations, as a selection says.
pub fn instrument(program: &Program, selection: &Selection) -> Instrumented {
    transform(program, selection, Losses::Exact)
}

/// The same, where what the state has of lost memory may be known or not.
pub(crate) fn transform(program: &Program, selection: &Selection, losses: Losses) -> Instrumented {
    let forms = Forms::new(program);
    let mut new = program.clone();
    new.checks = CheckKinds::NONE;
    new.excused = Arc::default();
    if program.signed_overflow == SignedOverflow::Error {
        new.signed_overflow = SignedOverflow::Undefined;
    }
    let shadow = Shadow::new(program, &forms, &mut new);
    let heap = Heap::new(program, &mut new, losses);
    let mut pass = Instrument {
        old: program,
        totality: Totality::new(program),
        names: Names::new(program),
        callers: describe::callers(program),
        new,
        selection,
        checks: Checks::default(),
        excused: FxHashSet::default(),
        emitted: FxHashSet::default(),
        risky: FxHashSet::default(),
        checked: FxHashSet::default(),
    };
    let mut origins = IndexVec::new();
    for proc in program.procs.ids() {
        let frame = Frame { proc, forms: &forms, shadow: &shadow, heap: heap.as_ref() };
        let (procedure, origin) = pass.procedure(&frame);
        pass.new.procs[proc] = procedure;
        origins.push(origin);
    }
    pass.checks.exclude(pass.risky.difference(&pass.checked).count());
    let mut vars: IndexVec<VarId, Option<VarOrigin>> = identity_vars(program);
    while vars.len() < pass.new.vars.len() {
        vars.push(None);
    }
    let back = BackTranslation::new(origins, vars, Contexts::default());
    Instrumented { program: pass.new, back, checks: pass.checks }
}

/// A node of an operation at a place, for counting.
type Node = (Region, Option<ExprId>);

struct Instrument<'p> {
    old: &'p Program,
    totality: Totality,
    names: Names,
    /// The call in the user's text that leads to each model.
    callers: IndexVec<ProcId, Option<(Region, ProcId)>>,
    new: Program,
    selection: &'p Selection,
    checks: Checks,
    /// The checks whose violations are known.
    excused: FxHashSet<CheckId>,
    /// The edges to the error so far, by where they start and what they test.
    emitted: FxHashSet<(Loc, Vec<Op>)>,
    /// What could go wrong by its operator.
    risky: FxHashSet<Node>,
    /// What has a check.
    checked: FxHashSet<Node>,
}

/// What is known of the procedure at hand.
struct Frame<'a> {
    proc: ProcId,
    forms: &'a Forms<'a>,
    shadow: &'a Shadow,
    heap: Option<&'a Heap>,
}

/// What is known at the operation at hand.
struct State {
    sure: Sure,
    assigned: Option<Assigned>,
}

impl Instrument<'_> {
    fn procedure(&mut self, frame: &Frame<'_>) -> (Procedure, ProcOrigin) {
        let proc = frame.proc;
        let old = &self.old.procs[proc];
        let (mut builder, locations) = Builder::with_locations(self.old, proc, |_| true);
        let mut sources = locations.clone();
        let (params, results) = frame.shadow.interface(proc);
        builder.procedure.params.extend(params);
        builder.procedure.results.extend(results);
        self.emitted.clear();
        self.prologue(&mut builder, frame);
        if let Some(heap) = frame.heap {
            for point in heap.points(proc) {
                if let Some(source) = locations[*point] {
                    let region = old.locations[*point].region;
                    sources[*point] = Some(self.lost(&mut builder, frame, source, region));
                }
            }
        }
        let sure = frame.forms.solve(proc);
        let assigned = frame.shadow.solve(self.old, proc);
        for (id, edge) in old.edges().iter_enumerated() {
            // Nothing comes by where nothing is known.
            let Some(sure) = sure[edge.source].clone() else { continue };
            let known = assigned.as_ref().map(|assigned| assigned.at(edge.source));
            let mut state = State { sure, assigned: known.map(|known| Assigned { proc, known }) };
            if let (Some(source), Some(target)) = (sources[edge.source], locations[edge.target]) {
                self.edge(&mut builder, frame, &mut state, (id, edge), (source, target));
            }
        }
        builder.finish()
    }

    /// What an activation does first. The old entry may be the head of a loop.
    fn prologue(&mut self, builder: &mut Builder, frame: &Frame<'_>) {
        let proc = frame.proc;
        let mut ops = frame.shadow.prologue(&mut self.new.exprs, self.old, proc);
        if let Some(heap) = frame.heap
            && proc == self.old.entry
        {
            ops.push(heap.start(&mut self.new.exprs));
        }
        if ops.is_empty() {
            return;
        }
        let info = LocationInfo { region: Region::NOWHERE, role: LocationRole::Plain };
        let start = builder.location(info, None);
        let from = super::back::EdgeOrigin { steps: Vec::new(), ops: vec![None; ops.len()] };
        builder.edge(start, builder.procedure.entry, ops, Origin::IMPLICIT, from);
        builder.procedure.entry = start;
    }

    fn edge(
        &mut self,
        builder: &mut Builder,
        frame: &Frame<'_>,
        state: &mut State,
        (id, edge): (EdgeId, &Edge),
        (source, target): (Loc, Loc),
    ) {
        let mut piece = Piece::new(frame.proc, id, edge, source, self.place(frame.proc, edge));
        for (position, op) in edge.ops.iter().enumerate() {
            // The tests that an edge starts with are evaluated together, and the next edge is tried if one fails.
            piece.is_tested &= matches!(op, Op::Assume { .. });
            self.operation(builder, frame, state, &mut piece, (position, op));
            frame.forms.transfer(op, &mut state.sure);
            if let Some(assigned) = &mut state.assigned {
                frame.shadow.transfer(self.old, op, assigned);
            }
        }
        let role = if piece.from.is_none() { edge.origin.role } else { Role::Implicit };
        let origin = Origin { role, ..edge.origin };
        if Some(edge.target) == self.old.procs[frame.proc].error {
            self.assertion(builder, piece, target, origin);
            return;
        }
        let ends = frame.proc == self.old.entry && edge.target == self.old.procs[frame.proc].exit;
        match frame.heap {
            Some(_) if ends => self.end(builder, frame, piece, target, origin),
            _ => {
                let from = piece.origin(&piece.positions, None);
                builder.edge(piece.source, target, piece.ops, origin, from);
            }
        }
    }

    /// Where the interpreter says that something at an edge goes wrong.
    fn place(&self, proc: ProcId, edge: &Edge) -> Region {
        let own = edge.origin.region;
        if own.is_nowhere() { self.old.procs[proc].locations[edge.source].region } else { own }
    }

    /// Whether a kind is a violation.
    fn is_asked(&self, kind: CheckKind) -> bool {
        self.old.is_violation(kind)
    }

    /// What happens where a check fails.
    fn wanted(&self, check: CheckId) -> Wanted {
        if self.excused.contains(&check) { Wanted::Assumed } else { self.selection.wanted(check) }
    }

    /// Those of some kinds that are violations.
    fn asked(&self, kinds: CheckKinds) -> Vec<CheckKind> {
        kinds.iter().filter(|kind| self.is_asked(*kind)).collect()
    }
}
