//! A program as constrained Horn clauses.
//!
//! # Paper
//! [Recmc14] §3: a procedure is a relation between the values at its entry and those at its exit, and a call is an atom. Loops are predicates, too: the relation between the values at the
//! entry of the procedure and those at the head of the loop.
//!
//! # Meaning
//! * The predicate of a location l of a procedure: `R_l(g, x)`, an activation that was entered with the values g arrives at l with the values x. The entry procedure has no g.
//! * The predicate of the exit is the contract that callers use: inputs, results and globals that are written.
//! * A clause is a piece of a procedure without calls ([`encode::Pieces`]), or an edge with a call. A clause into the error has the head false.
//!
//! # Invariants
//! * H1: if the system has a solution, no execution reaches the error: every execution satisfies the clauses that it takes. A derivation of false may be spurious, where values are rounded up.
//!
//! # Cost
//! One predicate for each loop head, exit and end of a call; clauses are linear in the code.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, IndexVec, Stop};
use cfa::loops::{LoopForest, reaching};
use cfa::{EdgeId, Expr, Loc, Op, ProcId, Procedure, Program, Storage, VarId};
use encode::facts::stated;
use encode::footprint::written;
use encode::{CallEffect, Encoder, Pieces, Site, Skolem, Transition, Vocabulary};
use horn::{Atom, ClauseId, PredicateId, System};
use passes::Prepared;
use term::{Sort, SymbolId, TermId, Terms};
use values::liveness::live_variables;
use values::state::State;

/// A location with a predicate.
pub(super) struct Point {
    pub(super) predicate: PredicateId,
    /// What the arguments stand for: values at the entry, then variables.
    pub(super) arguments: Vec<SymbolId>,
}

/// What a clause stands for.
pub(super) struct Taken {
    pub(super) proc: ProcId,
    /// The values that are chosen.
    pub(super) skolems: Vec<Skolem>,
}

/// The clauses of a program, and what they stand for.
pub(super) struct Clauses {
    pub(super) system: System,
    pub(super) vocabulary: Vocabulary,
    /// The procedures that matter, the entry first.
    pub(super) procs: Vec<ProcId>,
    /// What procedures that are called know at their entry: parameters and globals.
    inputs: BTreeMap<ProcId, Vec<VarId>>,
    pub(super) points: BTreeMap<(ProcId, Loc), Point>,
    /// What is known at the locations with a predicate, and at entries; nothing of those that are never reached.
    pub(super) known: BTreeMap<(ProcId, Loc), Option<State>>,
    pub(super) taken: IndexVec<ClauseId, Taken>,
}

/// The variables by which a procedure is known to its callers.
struct Interface {
    /// Parameters, and globals that it may use.
    inputs: Vec<VarId>,
    /// Results, and globals that it may write.
    outputs: Vec<VarId>,
}

/// Which variables predicates speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variables {
    /// Scalars; an array has any elements wherever a clause begins.
    Scalars,
    /// And arrays, inside of a procedure. A call makes those that it may write arbitrary.
    All,
}

/// The clauses of a prepared program.
pub(super) fn clauses(
    task: &Prepared<'_>,
    variables: Variables,
    terms: &mut Terms,
    budget: &mut Budget,
) -> Result<Clauses, Stop> {
    let program = task.program();
    let procs = called(program);
    let mut vocabulary = Vocabulary::of_all(program, &procs, terms);
    let mut interfaces = BTreeMap::new();
    for proc in &procs {
        let interface = interface(program, *proc);
        if *proc != program.entry {
            for var in &interface.inputs {
                vocabulary.declare_at_entry(program, terms, *var);
            }
        }
        interfaces.insert(*proc, interface);
    }
    let mut clauses = Clauses {
        system: System::new(),
        vocabulary,
        inputs: called_inputs(program, &interfaces),
        procs,
        points: BTreeMap::new(),
        known: BTreeMap::new(),
        taken: IndexVec::new(),
    };
    let mut bodies = Vec::new();
    for proc in clauses.procs.clone() {
        let body = Body::new(program, proc, task.loops(proc), &interfaces, variables, budget)?;
        clauses.declare(&body, terms);
        bodies.push(body);
    }
    for body in &bodies {
        clauses.add_body(body, terms, budget)?;
    }
    Ok(clauses)
}

fn called_inputs(
    program: &Program,
    interfaces: &BTreeMap<ProcId, Interface>,
) -> BTreeMap<ProcId, Vec<VarId>> {
    let inputs = |(proc, interface): (&ProcId, &Interface)| {
        let is_called = *proc != program.entry;
        (*proc, if is_called { interface.inputs.clone() } else { Vec::new() })
    };
    interfaces.iter().map(inputs).collect()
}

/// The procedures that the entry may call, directly or not, the entry first.
fn called(program: &Program) -> Vec<ProcId> {
    let (mut found, mut at) = (vec![program.entry], 0);
    while at < found.len() {
        let ops = program.procs[found[at]].edges().iter().flat_map(|edge| &edge.ops);
        for target in ops.flat_map(Op::call_targets) {
            if !found.contains(target) {
                found.push(*target);
            }
        }
        at += 1;
    }
    found
}

fn interface(program: &Program, proc: ProcId) -> Interface {
    let is_scalar = |var: &VarId| program.vars[*var].scalar().is_some();
    let is_global = |var: &VarId| program.vars[*var].owner.is_none();
    let mut used = written(program, &[proc]);
    let (mut seen, mut open) = (BTreeSet::from([proc]), vec![proc]);
    while let Some(proc) = open.pop() {
        for op in program.procs[proc].edges().iter().flat_map(|edge| &edge.ops) {
            for expr in values::state::operands_first(program, op.exprs()) {
                if let Expr::Var { var, .. } = program.exprs.get(expr) {
                    used.insert(*var);
                }
            }
            open.extend(op.call_targets().iter().copied().filter(|target| seen.insert(*target)));
        }
    }
    used.retain(|var| is_global(var) && is_scalar(var));
    let procedure = &program.procs[proc];
    let inputs = procedure.params.iter().copied().filter(is_scalar).chain(used).collect();
    let changed = written(program, &[proc]).into_iter().filter(is_scalar);
    let outputs = procedure.results.iter().copied().filter(is_scalar).chain(changed).collect();
    Interface { inputs, outputs }
}

/// One procedure.
struct Body<'a> {
    program: &'a Program,
    proc: ProcId,
    procedure: &'a Procedure,
    forest: &'a LoopForest,
    interfaces: &'a BTreeMap<ProcId, Interface>,
    facts: values::Facts,
    /// Locations from which the exit can be reached, or the error.
    relevant: IndexVec<Loc, bool>,
    cuts: IndexVec<Loc, bool>,
    live: IndexVec<Loc, Vec<VarId>>,
}

impl<'a> Body<'a> {
    fn new(
        program: &'a Program,
        proc: ProcId,
        forest: &'a LoopForest,
        interfaces: &'a BTreeMap<ProcId, Interface>,
        variables: Variables,
        budget: &mut Budget,
    ) -> Result<Self, Stop> {
        let procedure = &program.procs[proc];
        let facts = values::analyze(program, procedure, budget)?;
        let target = if proc == program.entry { procedure.error } else { Some(procedure.exit) };
        let relevant = reaching(procedure, target);
        let mut cuts = IndexVec::filled(false, procedure.locations.len());
        cuts[procedure.entry] = true;
        for location in forest.order().iter().filter(|location| forest.is_header(**location)) {
            cuts[*location] = true;
        }
        if let Some(target) = target {
            cuts[target] = true;
        }
        for edge in procedure.edges().iter().filter(|edge| is_call(edge)) {
            cuts[edge.source] = true;
            cuts[edge.target] = true;
        }
        let read: &[VarId] = if proc == program.entry { &[] } else { &interfaces[&proc].outputs };
        let live = live_variables(program, procedure, forest, &relevant, target.map(|at| (at, read)));
        // A call reads what its procedure may read.
        let passed: BTreeSet<VarId> = procedure
            .edges()
            .iter()
            .flat_map(|edge| &edge.ops)
            .flat_map(Op::call_targets)
            .flat_map(|target| &interfaces[target].inputs)
            .copied()
            .filter(|var| program.vars[*var].owner.is_none())
            .collect();
        let is_argument = |var: &VarId, at: Loc| match program.vars[*var].storage {
            Storage::Scalar(_) => live[at].contains(*var) || passed.contains(var),
            Storage::Array { .. } => variables == Variables::All && live[at].contains(*var),
            Storage::Object { .. } => false,
        };
        let locations = procedure.locations.ids();
        let live =
            locations.map(|at| program.vars.ids().filter(|var| is_argument(var, at)).collect()).collect();
        Ok(Self { program, proc, procedure, forest, interfaces, facts, relevant, cuts, live })
    }

    /// Whether a location has a predicate.
    fn has_predicate(&self, location: Loc) -> bool {
        let is_start = location == self.procedure.entry && !self.has_way_back();
        self.cuts[location]
            && self.relevant[location]
            && self.facts.at(location).is_some()
            && !is_start
            && Some(location) != self.procedure.error
    }

    /// Whether an edge leads to the entry.
    fn has_way_back(&self) -> bool {
        self.procedure.edges().iter().any(|edge| edge.target == self.procedure.entry)
    }
}

pub(super) fn is_call(edge: &cfa::Edge) -> bool {
    edge.ops.iter().any(|op| matches!(op, Op::Call { .. }))
}

impl Clauses {
    fn declare(&mut self, body: &Body<'_>, terms: &mut Terms) {
        let Body { program, proc, procedure, .. } = *body;
        for &location in body.forest.order() {
            let is_needed = body.cuts[location] && body.relevant[location];
            if is_needed {
                self.known.insert((proc, location), body.facts.at(location).cloned());
            }
            if !body.has_predicate(location) {
                continue;
            }
            let interface = &body.interfaces[&proc];
            let mut arguments: Vec<SymbolId> = Vec::new();
            if proc != program.entry {
                arguments
                    .extend(interface.inputs.iter().filter_map(|var| self.vocabulary.entry_symbol(*var)));
            }
            let now = if location == procedure.exit { &interface.outputs } else { &body.live[location] };
            arguments.extend(now.iter().filter_map(|var| self.vocabulary.symbol(*var)));
            let name = format!("{}_{location}", procedure.name);
            let sorts: Vec<Sort> = arguments.iter().map(|symbol| terms.symbol(*symbol).sort).collect();
            let predicate = self.system.declare(terms, &name, &sorts);
            self.points.insert((proc, location), Point { predicate, arguments });
        }
    }

    fn add_body(&mut self, body: &Body<'_>, terms: &mut Terms, budget: &mut Budget) -> Result<(), Stop> {
        let Body { program, proc, procedure, .. } = *body;
        self.add_start(body, terms);
        let pieces = Pieces::new(program, procedure, body.forest, &body.cuts, &body.relevant).without_calls();
        for &location in body.forest.order() {
            budget.tick()?;
            let Some(known) = body.facts.at(location) else { continue };
            if !body.cuts[location] || !body.relevant[location] {
                continue;
            }
            for piece in pieces.from(location, known, terms, &mut self.vocabulary) {
                self.add_clause(
                    body,
                    (location, piece.target),
                    &piece.transition,
                    piece.skolems,
                    None,
                    terms,
                );
            }
            for edge in procedure.outgoing(location).iter().copied() {
                let target = procedure.edges()[edge].target;
                if is_call(&procedure.edges()[edge]) && body.relevant[target] {
                    let (transition, skolems, call) = self.call(body, edge, known, terms);
                    let returns = call.as_ref().is_none_or(|call| {
                        self.points.contains_key(&(call.callee, program.procs[call.callee].exit))
                    });
                    if !transition.is_empty() && returns {
                        self.add_clause(body, (location, target), &transition, skolems, call.as_ref(), terms);
                    }
                }
            }
        }
        debug_assert_eq!(self.taken.len(), self.system.clauses.len(), "each clause of {proc} has its origin");
        Ok(())
    }

    /// What a procedure that is called knows at its entry: parameters and globals.
    pub(super) fn inputs(&self, proc: ProcId) -> &[VarId] {
        self.inputs.get(&proc).map_or(&[], Vec::as_slice)
    }

    /// What an edge with a call does.
    fn call(
        &mut self,
        body: &Body<'_>,
        edge: EdgeId,
        known: &State,
        terms: &mut Terms,
    ) -> (Transition, Vec<Skolem>, Option<CallEffect>) {
        let mut encoder = Encoder::new(body.program, terms, &mut self.vocabulary);
        let (mut transition, mut state) = (Transition::identity(), known.clone());
        for (op, operation) in body.procedure.edges()[edge].ops.iter().enumerate() {
            encoder.execute(&mut transition, &mut state, Site::Operation { edge, op }, operation);
        }
        let call = encoder.take_calls().pop();
        (transition, encoder.take_skolems(), call)
    }

    /// An activation starts with any values; those at the entry are the same.
    fn add_start(&mut self, body: &Body<'_>, terms: &mut Terms) {
        let Some(point) = self.points.get(&(body.proc, body.procedure.entry)) else { return };
        let arguments: Vec<TermId> =
            point.arguments.iter().map(|symbol| self.entered(terms, *symbol)).collect();
        let predicate = point.predicate;
        let typed = self.typed(body.program, terms, Terms::TRUE, &arguments);
        self.system.add(Some(Atom { predicate, arguments }), Vec::new(), typed);
        self.taken.push(Taken { proc: body.proc, skolems: Vec::new() });
    }

    /// That the inputs of a procedure have the values that they had at its entry.
    pub(super) fn entered_at(&self, proc: ProcId, terms: &mut Terms) -> TermId {
        let mut equal = Vec::new();
        for var in &self.inputs[&proc] {
            if let (Some(then), Some(now)) =
                (self.vocabulary.entry_symbol(*var), self.vocabulary.symbol(*var))
            {
                let (then, now) = (terms.of_symbol(then), terms.of_symbol(now));
                equal.push(terms.eq(then, now));
            }
        }
        terms.and(equal)
    }

    /// The variable in the place of its value at the entry.
    fn entered(&self, terms: &mut Terms, symbol: SymbolId) -> TermId {
        let var = self.vocabulary.at_entry(symbol).and_then(|var| self.vocabulary.symbol(var));
        terms.of_symbol(var.unwrap_or(symbol))
    }

    fn add_clause(
        &mut self,
        body: &Body<'_>,
        (from, to): (Loc, Loc),
        transition: &Transition,
        skolems: Vec<Skolem>,
        call: Option<&CallEffect>,
        terms: &mut Terms,
    ) {
        let Body { program, proc, procedure, .. } = *body;
        let is_error = Some(to) == procedure.error;
        if !is_error && !self.points.contains_key(&(proc, to)) {
            return;
        }
        let source = self.points.get(&(proc, from));
        let is_start = source.is_none();
        let mut atoms: Vec<Atom> = source
            .map(|point| Atom {
                predicate: point.predicate,
                arguments: point.arguments.iter().map(|symbol| terms.of_symbol(*symbol)).collect(),
            })
            .into_iter()
            .collect();
        if let Some(call) = call {
            let interface = &body.interfaces[&call.callee];
            let inputs = interface.inputs.iter().map(|var| call.before[var]);
            let outputs = interface.outputs.iter().map(|var| call.after[var]);
            let exit = &self.points[&(call.callee, program.procs[call.callee].exit)];
            atoms.push(Atom { predicate: exit.predicate, arguments: inputs.chain(outputs).collect() });
        }
        let mut update = transition.substitution();
        let head = (!is_error).then(|| {
            let point = &self.points[&(proc, to)];
            let value = |symbol: &SymbolId| match self.vocabulary.at_entry(*symbol) {
                Some(_) if is_start => self.entered(terms, *symbol),
                _ => {
                    let symbol = terms.of_symbol(*symbol);
                    update.apply(terms, symbol)
                }
            };
            Atom { predicate: point.predicate, arguments: point.arguments.iter().map(value).collect() }
        });
        let facts =
            body.facts.at(from).map_or(Terms::TRUE, |known| stated(known, program, &self.vocabulary, terms));
        let constraint = terms.and([facts, transition.guard]);
        let arguments: Vec<TermId> =
            atoms.iter().chain(&head).flat_map(|atom| atom.arguments.iter().copied()).collect();
        let constraint = self.typed(program, terms, constraint, &arguments);
        self.system.add(head, atoms, constraint);
        self.taken.push(Taken { proc, skolems });
    }

    /// A constraint together with the ranges of all variables that a clause mentions.
    fn typed(
        &self,
        program: &Program,
        terms: &mut Terms,
        constraint: TermId,
        arguments: &[TermId],
    ) -> TermId {
        let roots: Vec<TermId> = arguments.iter().copied().chain([constraint]).collect();
        let ranges = encode::typing_of(program, terms, &self.vocabulary, &roots);
        terms.and([constraint, ranges])
    }
}
