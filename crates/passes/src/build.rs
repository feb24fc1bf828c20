//! Building the procedures of a transformed program together with their back-translation.

use base::{IndexVec, Region};

use super::back::{
    BackTranslation, ContextId, Contexts, EdgeOrigin, LocationOrigin, OpOrigin, ProcOrigin, Step,
    identity_vars,
};
use cfa::op::Place;
use cfa::{Edge, EdgeId, ExprId, Loc, LocationInfo, Op, Origin, ProcId, Procedure, Program};

/// Builds one procedure from an old one. The entry and the exit are kept; everything else is up to the
/// caller.
pub(crate) struct Builder {
    pub(crate) procedure: Procedure,
    origin: ProcOrigin,
}

impl Builder {
    /// A procedure with the interface of the old one, its entry and its exit.
    pub(crate) fn new(program: &Program, proc: ProcId) -> Self {
        let old = &program.procs[proc];
        let mut procedure = Procedure::new(old.name.clone(), old.region);
        procedure.params.clone_from(&old.params);
        procedure.results.clone_from(&old.results);
        procedure.locations[Loc(0)] = old.locations[old.entry];
        procedure.locations[Loc(1)] = old.locations[old.exit];
        let root = |location| Some(LocationOrigin { proc, location, context: ContextId::ROOT });
        let locations = [root(old.entry), root(old.exit)].into_iter().collect();
        if old.entry == old.exit {
            procedure.exit = procedure.entry;
        }
        Self { procedure, origin: ProcOrigin { proc, edges: IndexVec::new(), locations } }
    }
    /// The same with the old locations for which `keep` holds, in the old order; and where they are now. Entry and
    /// exit are always kept.
    pub(crate) fn with_locations(
        program: &Program,
        proc: ProcId,
        keep: impl Fn(Loc) -> bool,
    ) -> (Self, IndexVec<Loc, Option<Loc>>) {
        let old = &program.procs[proc];
        let mut builder = Self::new(program, proc);
        let mut new: IndexVec<Loc, Option<Loc>> = IndexVec::filled(None, old.locations.len());
        new[old.exit] = Some(builder.procedure.exit);
        new[old.entry] = Some(builder.procedure.entry);
        for (location, info) in old.locations.iter_enumerated() {
            if new[location].is_none() && keep(location) {
                let origin = LocationOrigin { proc, location, context: ContextId::ROOT };
                new[location] = Some(builder.location(*info, Some(origin)));
            }
        }
        builder.procedure.error = old.error.and_then(|error| new[error]);
        (builder, new)
    }
    /// The error location, which is added if there is none yet.
    pub(crate) fn error_location(&mut self, region: Region) -> Loc {
        if self.procedure.error.is_none() {
            self.origin.locations.push(None);
        }
        self.procedure.error_location(region)
    }
    /// Adds a location.
    pub(crate) fn location(&mut self, info: LocationInfo, origin: Option<LocationOrigin>) -> Loc {
        self.origin.locations.push(origin);
        self.procedure.add_location(info)
    }
    /// Adds an edge.
    pub(crate) fn edge(
        &mut self,
        source: Loc,
        target: Loc,
        ops: Vec<Op>,
        origin: Origin,
        from: EdgeOrigin,
    ) -> EdgeId {
        debug_assert_eq!(ops.len(), from.ops.len(), "B1: one origin per operation");
        self.origin.edges.push(from);
        self.procedure.add_edge(Edge { source, target, ops, origin })
    }
    pub(crate) fn finish(self) -> (Procedure, ProcOrigin) {
        (self.procedure, self.origin)
    }
}

/// A new edge in the making that stands for an old one, or for a part of it.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) source: Loc,
    pub(crate) ops: Vec<Op>,
    pub(crate) origin: Origin,
    pub(crate) from: EdgeOrigin,
}

impl Draft {
    pub(crate) fn new(source: Loc, origin: Origin, step: Step) -> Self {
        Self { source, ops: Vec::new(), origin, from: EdgeOrigin { steps: vec![step], ops: Vec::new() } }
    }
    /// An edge that is no step of the old program, or only passes values of a call: the steps are those of the edges before and after it.
    pub(crate) fn without_step(source: Loc, origin: Origin) -> Self {
        Self { source, ops: Vec::new(), origin, from: EdgeOrigin::default() }
    }
    /// Adds an operation that comes from the one at a position of the old edge, or from none.
    pub(crate) fn push(&mut self, op: Op, position: Option<usize>) {
        self.ops.push(op);
        let step = !self.from.steps.is_empty();
        self.from.ops.push(position.filter(|_| step).map(|op| OpOrigin::new(0, op as u32)));
    }
    pub(crate) fn finish(self, target: Loc, builder: &mut Builder) {
        builder.edge(self.source, target, self.ops, self.origin, self.from);
    }
}

/// A new version of an old edge.
pub(crate) struct NewEdge {
    pub(crate) edge: EdgeId,
    /// Where it leads, as an old location.
    pub(crate) target: Loc,
    pub(crate) ops: Vec<Op>,
    pub(crate) from: EdgeOrigin,
    /// What it stands for in the source, if not what the old edge stands for.
    pub(crate) origin: Option<Origin>,
}

impl NewEdge {
    /// The edge as it is.
    pub(crate) fn same(program: &Program, proc: ProcId, edge: EdgeId) -> Self {
        let old = &program.procs[proc].edges()[edge];
        let from = EdgeOrigin::whole(proc, edge, old.ops.len());
        Self { edge, target: old.target, ops: old.ops.clone(), from, origin: None }
    }
    /// The edge with the operations for which `map` gives one.
    pub(crate) fn mapped(
        program: &Program,
        proc: ProcId,
        edge: EdgeId,
        mut map: impl FnMut(usize, &Op) -> Option<Op>,
    ) -> Self {
        let old = &program.procs[proc].edges()[edge];
        let from = EdgeOrigin::whole(proc, edge, 0);
        let mut new = Self { edge, target: old.target, ops: Vec::new(), from, origin: None };
        for (position, op) in old.ops.iter().enumerate() {
            if let Some(op) = map(position, op) {
                new.ops.push(op);
                new.from.ops.push(Some(OpOrigin::new(0, position as u32)));
            }
        }
        new
    }
}

/// A procedure with the given edges and the locations for which `keep` holds, in the old order. Entry and
/// exit are always kept.
pub(crate) fn procedure(
    program: &Program,
    proc: ProcId,
    keep: impl Fn(Loc) -> bool,
    edges: impl IntoIterator<Item = NewEdge>,
) -> (Procedure, ProcOrigin) {
    let old = &program.procs[proc];
    let (mut builder, new) = Builder::with_locations(program, proc, keep);
    for edge in edges {
        let Edge { source, origin, .. } = old.edges()[edge.edge];
        if let (Some(source), Some(target)) = (new[source], new[edge.target]) {
            builder.edge(source, target, edge.ops, edge.origin.unwrap_or(origin), edge.from);
        }
    }
    builder.procedure.share_loops(old);
    builder.finish()
}

/// An operation with other expressions, and with other places where there is one.
pub(crate) fn with_places(
    op: &Op,
    expr: impl FnMut(ExprId) -> ExprId,
    place: impl FnMut(&Place) -> Option<Place>,
) -> Op {
    let mut new = op.map(expr, |var| var);
    let others: Vec<Option<Place>> = op.places().map(place).collect();
    let written: Vec<&mut Place> = match &mut new {
        Op::Assign { place, .. }
        | Op::Havoc { place, .. }
        | Op::Malloc { place, .. }
        | Op::Realloc { place, .. } => vec![place],
        Op::Output { result, .. } => result.iter_mut().collect(),
        Op::Call { results, .. } => results.iter_mut().flatten().collect(),
        _ => Vec::new(),
    };
    for (place, other) in written.into_iter().zip(others) {
        *place = other.unwrap_or(*place);
    }
    new
}

/// A procedure that does nothing: what is left of one that nobody calls.
pub(crate) fn stub(program: &Program, proc: ProcId) -> (Procedure, ProcOrigin) {
    Builder::new(program, proc).finish()
}

/// Puts new procedures in place of the old ones, which have the same numbers and variables.
pub(crate) fn replace_procedures(
    program: &Program,
    build: impl FnMut(ProcId) -> (Procedure, ProcOrigin),
) -> (Program, BackTranslation) {
    let (procs, origins): (Vec<_>, Vec<_>) = program.procs.ids().map(build).unzip();
    let new = Program {
        data_model: program.data_model,
        signed_overflow: program.signed_overflow,
        checks: program.checks,
        excused: program.excused.clone(),
        sources: program.sources.clone(),
        exprs: program.exprs.clone(),
        vars: program.vars.clone(),
        procs: procs.into_iter().collect(),
        entry: program.entry,
        approximations: program.approximations.clone(),
        spelling: program.spelling.clone(),
    };
    let back =
        BackTranslation::new(origins.into_iter().collect(), identity_vars(program), Contexts::default());
    (new, back)
}
