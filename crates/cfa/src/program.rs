//! Programs: variables, procedures, locations, edges.
//!
//! # Invariants
//! (checked by `Program::verify`)
//! * P1: ids are in range; edges join locations of their procedure; a variable is used only by its owner, or is global.
//! * P2: nothing leaves the exit and the error location of a procedure.
//! * P3: types agree: places with values, arguments with parameters, conditions are truth values.
//! * P4: the entry procedure has no parameters and is called by nobody.
//! * P5: parameters and results are scalar variables of their procedure.
//!
//! (by construction)
//! * P6: the loops of a procedure are computed once for each form of its control flow: a new location or edge forgets them; a copy shares them, and so does
//!   a new version with the same control flow ([`Procedure::share_loops`]).

use std::sync::{Arc, OnceLock};

use base::{IndexVec, Region, SourceMap, newtype_index};

use crate::check::{CheckKind, CheckKinds, Excused};
use crate::expr::Exprs;
use crate::loops::LoopForest;
use crate::op::Op;
use crate::spelling::Spelling;
use crate::ty::{DataModel, SignedOverflow, Ty};

newtype_index!(
    /// A variable of a program.
    VarId,
    "v"
);
newtype_index!(
    /// A procedure of a program.
    ProcId,
    "p"
);
newtype_index!(
    /// A location of a procedure.
    Loc,
    "l"
);
newtype_index!(
    /// An edge of a procedure.
    EdgeId,
    "t"
);

/// Number of elements of an array variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Known.
    Fixed(u64),
    /// Set by [`Op::Allocate`].
    Dynamic,
    /// Every integer is an index.
    Unbounded,
}

/// How a variable is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// One value. Nobody can point to it.
    Scalar(Ty),
    /// A map from index to value. Nobody can point to it.
    Array {
        /// Type of the elements.
        elem: Ty,
        /// Number of elements.
        length: Length,
    },
    /// Bytes in memory, reached by address.
    Object {
        /// Number of bytes.
        size: u64,
        /// Alignment in bytes, a power of two.
        align: u64,
        /// Whether writing to it is undefined (string literals).
        read_only: bool,
    },
}

/// A variable: of the source program, a part of one (a field of a split struct), or a temporary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Name in the source, with the path to the part, e.g. `s.count`; temporaries start with `%`.
    pub name: Arc<str>,
    /// How it is kept.
    pub storage: Storage,
    /// The procedure whose activations each have their own copy; `None` for globals.
    pub owner: Option<ProcId>,
    /// The C type, for people; empty for temporaries.
    pub c_type: Arc<str>,
    /// Where it is declared.
    pub declared: Region,
    /// The text in which its name is visible; nowhere for temporaries.
    pub scope: Region,
}

impl Var {
    /// The type of a scalar variable.
    pub fn scalar(&self) -> Option<Ty> {
        match self.storage {
            Storage::Scalar(ty) => Some(ty),
            Storage::Array { .. } | Storage::Object { .. } => None,
        }
    }
}

/// What an edge stands for in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A statement, declaration or full expression.
    Statement,
    /// A controlling expression that was evaluated, and how; the region is that of the keyword or of `?`, `&&`, `||`.
    Branch(bool),
    /// A call; the region is that of the call expression.
    Call,
    /// Nothing that the user wrote.
    Implicit,
}

/// The source of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Where.
    pub region: Region,
    /// What.
    pub role: Role,
}

impl Origin {
    /// The origin of what has no source.
    pub const IMPLICIT: Self = Self { region: Region::NOWHERE, role: Role::Implicit };
}

/// A step from one location to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts.
    pub source: Loc,
    /// Where it ends.
    pub target: Loc,
    /// What it does, in order. The front end makes at most one operation an edge, block compression more.
    pub ops: Vec<Op>,
    /// What it stands for.
    pub origin: Origin,
}

/// What a location stands for in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocationRole {
    /// Where the controlling expression of a loop statement is about to be evaluated; the location's region is that
    /// of the whole loop statement, which starts at its keyword (of the controlling expression for nothing).
    LoopHead,
    /// The start of a statement.
    Statement,
    /// Any other.
    Plain,
}

/// What is known about a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocationInfo {
    /// The source text that it stands before.
    pub region: Region,
    /// What it stands for.
    pub role: LocationRole,
}

/// A procedure: one control-flow automaton.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Name in the source.
    pub name: Arc<str>,
    /// Where it is defined.
    pub region: Region,
    /// Scalar variables that take the arguments.
    pub params: Vec<VarId>,
    /// Scalar variables whose values at the exit are the results.
    pub results: Vec<VarId>,
    /// Where it starts. Must not change once the loops were asked for.
    pub entry: Loc,
    /// Where it returns.
    pub exit: Loc,
    /// Where the property is violated, if it can be in this procedure itself.
    pub error: Option<Loc>,
    /// The locations.
    pub locations: IndexVec<Loc, LocationInfo>,
    edges: IndexVec<EdgeId, Edge>,
    outgoing: IndexVec<Loc, Vec<EdgeId>>,
    /// P6.
    loops: OnceLock<Arc<LoopForest>>,
}

impl Procedure {
    /// A procedure that has an entry and an exit, and no edge.
    pub fn new(name: impl Into<Arc<str>>, region: Region) -> Self {
        let mut procedure = Self {
            name: name.into(),
            region,
            params: Vec::new(),
            results: Vec::new(),
            entry: Loc(0),
            exit: Loc(1),
            error: None,
            locations: IndexVec::new(),
            edges: IndexVec::new(),
            outgoing: IndexVec::new(),
            loops: OnceLock::new(),
        };
        for _ in 0..2 {
            procedure.add_location(LocationInfo { region: Region::NOWHERE, role: LocationRole::Plain });
        }
        procedure
    }
    /// Adds a location.
    pub fn add_location(&mut self, info: LocationInfo) -> Loc {
        self.loops.take();
        self.outgoing.push(Vec::new());
        self.locations.push(info)
    }
    /// Adds an edge; edges that leave one location are tried in the order in which they were added.
    pub fn add_edge(&mut self, edge: Edge) -> EdgeId {
        self.loops.take();
        let source = edge.source;
        let id = self.edges.push(edge);
        self.outgoing[source].push(id);
        id
    }
    /// The error location, which is added if there is none yet.
    pub fn error_location(&mut self, region: Region) -> Loc {
        if let Some(error) = self.error {
            return error;
        }
        let error = self.add_location(LocationInfo { region, role: LocationRole::Plain });
        self.error = Some(error);
        error
    }
    /// The edges.
    pub fn edges(&self) -> &IndexVec<EdgeId, Edge> {
        &self.edges
    }
    /// The edges, for changing what they do; source and target must stay.
    pub fn edge_mut(&mut self, edge: EdgeId) -> &mut Edge {
        &mut self.edges[edge]
    }
    /// The edges that leave a location.
    pub fn outgoing(&self, location: Loc) -> &[EdgeId] {
        &self.outgoing[location]
    }
    /// The loops, computed when they are first asked for (P6).
    pub fn loops(&self) -> &LoopForest {
        let forest = self.loops.get_or_init(|| Arc::new(LoopForest::of(self)));
        assert_eq!(forest.entry(), self.entry, "P6: the entry should not change once loops were asked for");
        forest
    }
    /// Takes over the loops of another procedure if they are known and control flows in the same way: what edges do has no part in it.
    pub fn share_loops(&mut self, other: &Self) {
        let flows = |procedure: &Self| (procedure.entry, procedure.locations.len(), procedure.edges.len());
        let mut pairs = self.edges.iter().zip(&other.edges);
        if flows(self) == flows(other)
            && pairs.all(|(mine, theirs)| (mine.source, mine.target) == (theirs.source, theirs.target))
        {
            self.loops.clone_from(&other.loops);
        }
    }
}

/// In which direction the program deviates from the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ApproximationKind {
    /// What the verdict takes for granted by convention (an extern function writes nothing, malloc never fails).
    Assumption,
    /// A library function is replaced by our model of it.
    Model,
    /// The program has more behaviours than the source: unsafe needs a replay.
    Over,
    /// The program has fewer behaviours than the source: safe must not be claimed.
    Under,
}

/// Something that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Approximation {
    /// The direction.
    pub kind: ApproximationKind,
    /// One sentence for people.
    pub what: String,
    /// Where in the source; nowhere if it concerns all of it.
    pub region: Region,
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Sizes of types.
    pub data_model: DataModel,
    /// What signed overflow means.
    pub signed_overflow: SignedOverflow,
    /// What else counts as a violation, besides error locations: undefined behaviour of these kinds, and memory that is not freed. Never signed overflow.
    pub checks: CheckKinds,
    /// Violations that are known, and end an execution without being one.
    pub excused: Arc<Excused>,
    /// The texts that regions refer to.
    pub sources: Arc<SourceMap>,
    /// All expressions.
    pub exprs: Exprs,
    /// All variables.
    pub vars: IndexVec<VarId, Var>,
    /// All procedures.
    pub procs: IndexVec<ProcId, Procedure>,
    /// Where execution starts: initialises globals, then calls the user's entry function.
    pub entry: ProcId,
    /// What verdicts rest on.
    pub approximations: Vec<Approximation>,
    /// Where expressions stand in the source, for people.
    pub spelling: Arc<Spelling>,
}

impl Program {
    /// The same program without any place in a source text: equal for texts that differ in layout and comments only.
    #[must_use]
    pub fn without_positions(&self) -> Self {
        let mut program = Self { sources: Arc::default(), spelling: Arc::default(), ..self.clone() };
        for var in &mut program.vars {
            (var.declared, var.scope) = (Region::NOWHERE, Region::NOWHERE);
        }
        for approximation in &mut program.approximations {
            approximation.region = Region::NOWHERE;
        }
        for procedure in &mut program.procs {
            procedure.region = Region::NOWHERE;
            for location in &mut procedure.locations {
                location.region = Region::NOWHERE;
            }
            for edge in &mut procedure.edges {
                edge.origin.region = Region::NOWHERE;
                for op in &mut edge.ops {
                    if let Op::Havoc { at, .. } = op {
                        *at = Region::NOWHERE;
                    }
                }
            }
        }
        program
    }
    /// A program with an empty entry procedure `%start`.
    pub fn new(data_model: DataModel, signed_overflow: SignedOverflow, sources: Arc<SourceMap>) -> Self {
        let mut procs = IndexVec::new();
        let entry = procs.push(Procedure::new("%start", Region::NOWHERE));
        Self {
            data_model,
            signed_overflow,
            checks: CheckKinds::NONE,
            excused: Arc::default(),
            sources,
            exprs: Exprs::new(data_model.pointer_width()),
            vars: IndexVec::new(),
            procs,
            entry,
            approximations: Vec::new(),
            spelling: Arc::default(),
        }
    }
    /// Whether what is of a kind is a violation.
    pub fn is_violation(&self, kind: CheckKind) -> bool {
        match kind {
            CheckKind::Assertion => true,
            CheckKind::SignedOverflow => self.signed_overflow == SignedOverflow::Error,
            _ => self.checks.contains(kind),
        }
    }
    /// The procedure of a name.
    pub fn find_proc(&self, name: &str) -> Option<ProcId> {
        self.procs.iter_enumerated().find(|(_, procedure)| &*procedure.name == name).map(|(id, _)| id)
    }
    /// Bytes that a value of a type occupies.
    pub fn size_of(&self, ty: Ty) -> u64 {
        ty.size(self.data_model)
    }
}
