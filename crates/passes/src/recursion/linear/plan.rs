//! What the loop of a linear recursion consists of.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use base::IndexVec;

use crate::calls::{CallGraph, CallSite, Component, Footprint, Memory, is_linear};
use crate::recursion::{is_function, is_read};
use crate::relevance::Relevance;
use cfa::loops::Digraph;
use cfa::op::{Callee, Op};
use cfa::{EdgeId, Expr, ExprId, Loc, ProcId, Program, Ty, VarId};

/// The most edges that the copies may have.
const MAX_EDGES: usize = 20_000;
/// The most members: they are told apart by a number of eight bits.
const MAX_MEMBERS: usize = 255;

/// Why a recursion is no loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// An activation may make several inner calls.
    Nonlinear,
    /// The property may be violated in it.
    Fails,
    /// Memory is written in it.
    Memory,
    /// A global variable is written in it that is no integer.
    Global,
    /// Something is printed in it.
    Prints,
    /// A parameter that is no integer changes from call to call.
    Parameter,
    /// The loop would be too large.
    Size,
    /// The pass that makes it one was left out.
    LeftOut,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nonlinear => "one activation may make several recursive calls",
            Self::Fails => {
                "the error may be reached inside of the recursion, where a variable in memory is live"
            }
            Self::Memory => "memory is written in the recursion",
            Self::Global => "a global array, pointer or floating-point variable is written in the recursion",
            Self::Prints => "the recursion writes to standard output",
            Self::Parameter => "a pointer or floating-point parameter changes from call to call",
            Self::Size => "the procedures of the recursion are too large",
            Self::LeftOut => "the pass that makes such recursions loops is left out",
        })
    }
}

/// An inner call, with one member that it may enter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) at: CallSite,
    pub(super) target: ProcId,
}

/// A part of a body: the locations on the way from one to another without inner calls.
pub(super) type Part = IndexVec<Loc, bool>;

/// The recursion of a component, as it is entered by one member.
pub(super) struct Plan<'a> {
    pub(super) program: &'a Program,
    pub(super) component: &'a Component,
    pub(super) root: ProcId,
    pub(super) sites: Vec<Site>,
    /// Parameters that have the same value in all activations, with the number of the root's parameter that it is.
    pub(super) constants: BTreeMap<(ProcId, usize), usize>,
    /// Global variables that may be written.
    pub(super) globals: Vec<VarId>,
    /// Whether what an activation returns depends on what it is called with alone.
    pub(super) is_function: bool,
    footprints: &'a IndexVec<ProcId, Footprint>,
}

/// What is passed to a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passed {
    /// A parameter of the root, as it was given.
    On(usize),
    /// Something else.
    Other,
}

impl<'a> Plan<'a> {
    /// The plan, or why the recursion is no loop.
    pub(super) fn new(
        program: &'a Program,
        calls: &CallGraph,
        relevance: &Relevance,
        footprints: &'a IndexVec<ProcId, Footprint>,
        component: &'a Component,
        root: ProcId,
    ) -> Result<Self, Obstacle> {
        let Footprint { writes, memory, prints, .. } = &footprints[root];
        let is_integer = |var: VarId| matches!(program.vars[var].scalar(), Some(Ty::Int { .. }));
        let obstacles = [
            (!is_linear(program, calls, component), Obstacle::Nonlinear),
            (relevance.may_fail(root), Obstacle::Fails),
            (*memory == Memory::Written, Obstacle::Memory),
            (!writes.iter().all(|var| is_integer(*var)), Obstacle::Global),
            (*prints, Obstacle::Prints),
        ];
        if let Some((_, obstacle)) = obstacles.into_iter().find(|(is_met, _)| *is_met) {
            return Err(obstacle);
        }
        let mut sites = Vec::new();
        for at in calls.inner_sites(program, component) {
            let targets = at.op(program).call_targets().iter().copied();
            sites.extend(
                targets.filter(|target| component.contains(*target)).map(|target| Site { at, target }),
            );
        }
        let globals = writes.iter().copied().collect();
        let mut plan = Self {
            program,
            component,
            root,
            sites,
            constants: BTreeMap::new(),
            globals,
            is_function: is_function(program, calls, footprints, root),
            footprints,
        };
        plan.constants = plan.find_constants();
        let is_guessable = |member: &ProcId| {
            let mut params = program.procs[*member].params.iter().enumerate();
            params.all(|(index, var)| !plan.is_state(*member, index) || is_integer(*var))
        };
        if !component.members.iter().all(is_guessable) {
            Err(Obstacle::Parameter)
        } else if plan.size() > MAX_EDGES || component.members.len() > MAX_MEMBERS {
            Err(Obstacle::Size)
        } else {
            Ok(plan)
        }
    }

    /// Whether a parameter of a member is a part of the state: it is read, and differs from call to call.
    pub(super) fn is_state(&self, member: ProcId, index: usize) -> bool {
        let param = self.program.procs[member].params[index];
        !self.constants.contains_key(&(member, index)) && is_read(self.program, member, param)
    }

    fn size(&self) -> usize {
        let edges = |proc: ProcId| self.program.procs[proc].edges().len();
        let innermost: usize = self.component.members.iter().map(|member| edges(*member)).sum();
        innermost + self.sites.iter().map(|site| edges(site.at.proc)).sum::<usize>()
    }

    /// Arguments of a call.
    pub(super) fn args(&self, site: &Site) -> &'a [ExprId] {
        match site.at.op(self.program) {
            Op::Call { args, .. } => args,
            _ => &[],
        }
    }

    /// Greatest fixed point: every parameter of the root is constant until a call shows that it is not.
    fn find_constants(&self) -> BTreeMap<(ProcId, usize), usize> {
        // Nothing is known of a parameter that is not listed.
        let mut known: BTreeMap<(ProcId, usize), Passed> = BTreeMap::new();
        for index in 0..self.program.procs[self.root].params.len() {
            known.insert((self.root, index), Passed::On(index));
        }
        for member in &self.component.members {
            for (index, param) in self.program.procs[*member].params.iter().enumerate() {
                if self.is_assigned(*member, *param) {
                    known.insert((*member, index), Passed::Other);
                }
            }
        }
        loop {
            let before = known.clone();
            for site in &self.sites {
                for (index, arg) in self.args(site).iter().enumerate() {
                    let Some(passed) = self.passed(site.at.proc, *arg, &known) else { continue };
                    let value = known.entry((site.target, index)).or_insert(passed);
                    if *value != passed {
                        *value = Passed::Other;
                    }
                }
            }
            if known == before {
                let constant = known.into_iter().filter_map(|(param, passed)| match passed {
                    Passed::On(root) => Some((param, root)),
                    Passed::Other => None,
                });
                return constant.collect();
            }
        }
    }

    /// What an argument is; nothing if that is not known yet.
    fn passed(
        &self,
        caller: ProcId,
        arg: ExprId,
        known: &BTreeMap<(ProcId, usize), Passed>,
    ) -> Option<Passed> {
        let Expr::Var { var, .. } = *self.program.exprs.get(arg) else {
            return Some(Passed::Other);
        };
        match self.program.procs[caller].params.iter().position(|param| *param == var) {
            Some(index) => known.get(&(caller, index)).copied(),
            None => Some(Passed::Other),
        }
    }

    /// Whether a procedure writes one of its variables.
    pub(super) fn is_assigned(&self, proc: ProcId, var: VarId) -> bool {
        let mut ops = self.program.procs[proc].edges().iter().flat_map(|edge| &edge.ops);
        ops.any(|op| op.vars().any(|written| written == var))
    }

    /// The control flow of a member without inner calls. A call through a pointer that may enter other procedures, too, is not left out.
    fn flow(&self, proc: ProcId) -> Digraph {
        let procedure = &self.program.procs[proc];
        let is_free = |(_, edge): &(EdgeId, &cfa::Edge)| edge.ops.iter().all(|op| !self.is_inner(op));
        let edges = procedure.edges().iter_enumerated().filter(is_free);
        let edges: Vec<_> = edges.map(|(id, edge)| (edge.source, edge.target, id)).collect();
        Digraph::new(procedure.locations.len(), edges.into_iter())
    }

    /// Whether an operation can do nothing but enter a member.
    pub(super) fn is_inner(&self, op: &Op) -> bool {
        let targets = op.call_targets();
        !targets.is_empty() && targets.iter().all(|target| self.component.contains(*target))
    }

    /// A call through a pointer without the members among its targets.
    pub(super) fn outer_call(&self, op: Op) -> Op {
        match op {
            Op::Call { callee: Callee::Indirect { pointer, mut targets }, args, results } => {
                targets.retain(|target| !self.component.contains(*target));
                Op::Call { callee: Callee::Indirect { pointer, targets }, args, results }
            }
            other => other,
        }
    }

    fn part(&self, proc: ProcId, from: Loc, to: Loc) -> Part {
        let flow = self.flow(proc);
        let (reached, leading) = (flow.reachable([from]), flow.reversed().reachable([to]));
        reached.iter().zip(&leading).map(|(is_reached, leads)| *is_reached && *leads).collect()
    }

    /// The paths through a member without inner calls; nothing if there are none.
    pub(super) fn innermost(&self, proc: ProcId) -> Option<Part> {
        let procedure = &self.program.procs[proc];
        Some(self.part(proc, procedure.entry, procedure.exit)).filter(|part| part[procedure.entry])
    }

    /// The paths to a call.
    pub(super) fn before(&self, site: &Site) -> Part {
        let procedure = &self.program.procs[site.at.proc];
        self.part(site.at.proc, procedure.entry, procedure.edges()[site.at.edge].source)
    }

    /// The paths from behind a call to the exit.
    pub(super) fn after(&self, site: &Site) -> Part {
        let procedure = &self.program.procs[site.at.proc];
        self.part(site.at.proc, procedure.edges()[site.at.edge].target, procedure.exit)
    }

    /// What is written on the way to a call.
    pub(super) fn written_before(&self, site: &Site) -> BTreeSet<VarId> {
        let procedure = &self.program.procs[site.at.proc];
        let before = self.before(site);
        let mut written = BTreeSet::new();
        for edge in procedure.edges().iter().filter(|edge| before[edge.source] && before[edge.target]) {
            for op in &edge.ops {
                self.add_written(op, &mut written);
            }
        }
        for op in &procedure.edges()[site.at.edge].ops[..site.at.op] {
            self.add_written(op, &mut written);
        }
        written
    }

    fn add_written(&self, op: &Op, written: &mut BTreeSet<VarId>) {
        written.extend(op.vars());
        for target in op.call_targets() {
            written.extend(&self.footprints[*target].writes);
        }
    }
}
