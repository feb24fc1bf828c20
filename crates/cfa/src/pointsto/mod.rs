//! Which memory a pointer may point to: a partition of all objects into regions.
//!
//! # Paper
//! Steensgaard, Points-to Analysis in Almost Linear Time, POPL 1996: unification, insensitive to flow,
//! context and fields. Objects are variables in memory (string literals among them), allocation sites, and
//! procedures.
//!
//! # Result
//! A region is a set of objects. Every pointer expression has one region: whatever it is used to access lies
//! there, or the access is undefined. So what is written through a pointer of one region is never read
//! through a pointer of another, and each may have a map of its own. For a pointer that is called, the
//! procedures of its region are all that it can enter.
//!
//! # Why it is sound
//! By induction over an execution: if the value of a pointer expression, of a variable, or of a pointer in
//! memory is an address derived from an object, then the object is in the region that the analysis gives to
//! that expression, variable, or to the contents of the region where the pointer is stored. Each way in which
//! pointers come to be or move is a constraint: addresses of objects and allocation put the object into the
//! region; assignments, arguments, results, `Ite` and pointer arithmetic unify; loads and stores unify with
//! the contents of the region of the address; copying memory unifies the contents of both regions.
//! * Numbers: a pointer that is converted to a number of 8 bits or more is *exposed*: all exposed objects are
//!   one region, and a number that is converted to a pointer points there. A pointer that is input or comes
//!   from outside does too.
//! * Bytes: reading a byte of memory exposes what the pointers in that region point to, and a byte that is
//!   stored may be part of an exposed pointer. So are wider integers with [`Punning::Any`]. With
//!   [`Punning::EffectiveTypes`] it is taken for granted, as C's rules for effective types have it, that a
//!   pointer in memory is not read or written as a wider integer; whether that was used at all is
//!   [`PointsTo::assumes_effective_types`].
//! * Constants other than null belong to no object. Memory that was never written holds no pointer that may
//!   be used.
//! * The difference of two pointers carries neither: adding it to a pointer stays in that pointer's object.
//!
//! # Invariants
//! * R1: every object is in exactly one region.
//!
//! # Cost
//! Almost linear; indirect calls are revisited while the sets of procedures grow.

mod solve;

use base::{Idx, IndexVec, newtype_index};

use crate::{EdgeId, ExprId, ProcId, Program, VarId};

newtype_index!(
    /// A region of memory.
    RegionId,
    "r"
);

/// What integers in memory may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Punning {
    /// Only bytes may be parts of pointers.
    #[default]
    EffectiveTypes,
    /// Every integer may be part of a pointer.
    Any,
}

/// An allocation: the operation that makes the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AllocationSite {
    /// The procedure.
    pub proc: ProcId,
    /// The edge.
    pub edge: EdgeId,
    /// The position among its operations.
    pub op: u32,
}

/// A set of objects that no pointer into another region can reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryRegion {
    /// Variables with object storage.
    pub vars: Vec<VarId>,
    /// Allocations, each of which may make many objects.
    pub sites: Vec<AllocationSite>,
    /// Procedures whose address it contains.
    pub procs: Vec<ProcId>,
    /// Whether numbers and pointers from outside may point here.
    pub exposed: bool,
}

impl MemoryRegion {
    /// Whether it consists of one variable: then an address there is that of the variable.
    pub fn single_var(&self) -> Option<VarId> {
        match (self.vars.as_slice(), self.sites.is_empty(), self.procs.is_empty()) {
            ([var], true, true) => Some(*var),
            _ => None,
        }
    }
}

/// The result of the analysis.
#[derive(Clone, Debug)]
pub struct PointsTo {
    regions: IndexVec<RegionId, MemoryRegion>,
    exprs: Vec<Option<RegionId>>,
    vars: IndexVec<VarId, Option<RegionId>>,
    contents: IndexVec<RegionId, Option<RegionId>>,
    assumes_effective_types: bool,
}

impl PointsTo {
    /// Analyses a program.
    pub fn new(program: &Program, punning: Punning) -> Self {
        solve::solve(program, punning)
    }
    /// All regions.
    pub fn regions(&self) -> &IndexVec<RegionId, MemoryRegion> {
        &self.regions
    }
    /// The region of a pointer expression that the program uses: where loads, stores, copies and frees at
    /// that address happen. `None` if the expression is no pointer or is not used.
    pub fn region(&self, pointer: ExprId) -> Option<RegionId> {
        self.exprs.get(pointer.index()).copied().flatten()
    }
    /// The region that a variable with object storage is in.
    pub fn region_of_var(&self, var: VarId) -> Option<RegionId> {
        self.vars[var]
    }
    /// Where the pointers that are stored in a region point to; `None` if none are.
    pub fn contents(&self, region: RegionId) -> Option<RegionId> {
        self.contents[region]
    }
    /// The procedures that a pointer may point to.
    pub fn procs(&self, pointer: ExprId) -> &[ProcId] {
        self.region(pointer).map_or(&[], |region| &self.regions[region].procs)
    }
    /// Whether the result depends on the rules for effective types: some region has both pointers and
    /// integers that are wide enough to hold one.
    pub fn assumes_effective_types(&self) -> bool {
        self.assumes_effective_types
    }
}
