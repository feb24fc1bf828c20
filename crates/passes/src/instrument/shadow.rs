//! State that programs do not have and checks need: whether variables and elements have values, and lengths of arrays.
//!
//! Where reading a value that was never given is a violation, a variable that may be read without one gets a flag, and an array a second array of
//! flags. A copy of a variable copies the flag; flags of parameters and results are parameters and results themselves. An array of dynamic length gets a variable with
//! its length.
//!
//! # Invariants
//! * S1: in every state a flag is set if and only if the interpreter says that the variable or element has a value.
//! * S2: variables that certainly have a value wherever they are read ([`interp::assigned`]) get no flag.

use base::{IndexVec, Region};
use rustc_hash::{FxHashMap, FxHashSet};

use cfa::op::{InitKind, Op};
use cfa::{
    CheckKind, Expr, ExprId, Exprs, Length as ArrayLength, Place, ProcId, Program, Storage, Ty, Var, VarId,
};
use interp::Uninitialised;
use interp::assigned::{Facts, Known, ProcFacts, copied_var};

use super::super::totality::Totality;
use super::fault::{Fault, Length};
use super::forms::{Forms, Sure};

/// What certainly has a value at some point of a procedure.
pub(super) struct Assigned {
    pub(super) proc: ProcId,
    pub(super) known: Known,
}

/// The state that is added.
pub(super) struct Shadow {
    facts: Option<Facts>,
    flags: FxHashMap<VarId, VarId>,
    arrays: FxHashMap<VarId, VarId>,
    lengths: FxHashMap<VarId, VarId>,
    /// Which parameters and results have flags, and these.
    params: IndexVec<ProcId, Vec<bool>>,
    results: IndexVec<ProcId, Vec<bool>>,
    param_flags: IndexVec<ProcId, Vec<VarId>>,
    result_flags: IndexVec<ProcId, Vec<VarId>>,
    /// Flags of results that always have a value.
    set: Vec<(ProcId, VarId)>,
    /// Expressions that read a variable or an array with flags.
    reads: Vec<bool>,
}

impl Shadow {
    /// Finds out which variables need flags, and adds them to a program.
    pub(super) fn new(old: &Program, forms: &Forms<'_>, new: &mut Program) -> Self {
        let none = |_| Vec::new();
        let mut shadow = Self {
            facts: None,
            flags: FxHashMap::default(),
            arrays: FxHashMap::default(),
            lengths: FxHashMap::default(),
            params: old.procs.ids().map(none).collect(),
            results: old.procs.ids().map(none).collect(),
            param_flags: old.procs.ids().map(|_| Vec::new()).collect(),
            result_flags: old.procs.ids().map(|_| Vec::new()).collect(),
            set: Vec::new(),
            reads: Vec::new(),
        };
        if old.checks.contains(CheckKind::ArrayBounds) {
            for (var, decl) in old.vars.iter_enumerated() {
                if let Storage::Array { length: ArrayLength::Dynamic, .. } = decl.storage {
                    let length = add(new, decl, "length", Storage::Scalar(Ty::unsigned(64)));
                    shadow.lengths.insert(var, length);
                }
            }
        }
        if old.checks.contains(CheckKind::Uninitialised) {
            shadow.add_flags(old, forms, new);
        }
        shadow
    }

    fn add_flags(&mut self, old: &Program, forms: &Forms<'_>, new: &mut Program) {
        let facts = Facts::new(old, Uninitialised::Report);
        for (var, decl) in old.vars.iter_enumerated() {
            if decl.scalar().is_some() && facts.uncertain[var] {
                let flag = add(new, decl, "given", Storage::Scalar(Ty::BOOL));
                self.flags.insert(var, flag);
            }
        }
        for var in uncertain_arrays(old, forms) {
            let decl = &old.vars[var];
            if let Storage::Array { length, .. } = decl.storage {
                let storage = Storage::Array { elem: Ty::BOOL, length };
                let flags = add(new, decl, "given", storage);
                self.arrays.insert(var, flags);
            }
        }
        self.facts = Some(facts);
        for (id, expr) in old.exprs.iter() {
            let own = match *expr {
                Expr::Var { var, .. } => self.flags.contains_key(&var),
                Expr::Elem { array, .. } => self.arrays.contains_key(&array),
                _ => false,
            };
            let below = expr.operands().any(|operand| self.reads[operand.0 as usize]);
            debug_assert_eq!(id.0 as usize, self.reads.len());
            self.reads.push(own || below);
        }
        self.extend_interfaces(old);
        self.add_interfaces(old, new);
    }

    /// Parameters and results have flags if their variables do, and if those of another procedure do that the same call may enter.
    fn extend_interfaces(&mut self, old: &Program) {
        for (proc, procedure) in old.procs.iter_enumerated() {
            let has_flag = |var: &VarId| self.flags.contains_key(var);
            self.params[proc] = procedure.params.iter().map(has_flag).collect();
            self.results[proc] = procedure.results.iter().map(has_flag).collect();
        }
        let calls: Vec<&[ProcId]> = old
            .procs
            .iter()
            .flat_map(cfa::Procedure::edges)
            .flat_map(|edge| edge.ops.iter().map(Op::call_targets))
            .filter(|targets| targets.len() > 1)
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for targets in &calls {
                for table in [&mut self.params, &mut self.results] {
                    changed |= unify(table, targets);
                }
            }
        }
    }

    /// The flags of parameters and results.
    fn add_interfaces(&mut self, old: &Program, new: &mut Program) {
        for (proc, procedure) in old.procs.iter_enumerated() {
            let flagged = |vars: &[VarId], table: &[bool]| -> Vec<VarId> {
                vars.iter().zip(table).filter(|(_, has_flag)| **has_flag).map(|(var, _)| *var).collect()
            };
            let mut flag = |var: VarId| {
                let own = self.flags.get(&var).copied();
                own.unwrap_or_else(|| add(new, &old.vars[var], "given", Storage::Scalar(Ty::BOOL)))
            };
            let params = flagged(&procedure.params, &self.params[proc]).into_iter().map(&mut flag).collect();
            self.param_flags[proc] = params;
            for result in flagged(&procedure.results, &self.results[proc]) {
                let has_own = self.flags.contains_key(&result);
                let flag = flag(result);
                self.result_flags[proc].push(flag);
                if !has_own {
                    self.set.push((proc, flag));
                }
            }
        }
    }

    /// Whether reading a value that was never given is a violation.
    pub(super) fn is_asked(&self) -> bool {
        self.facts.is_some()
    }

    /// Whether nothing can go wrong in an expression.
    pub(super) fn is_harmless(&self, totality: &Totality, expr: ExprId) -> bool {
        totality.is_total(expr) && !self.reads.get(expr.0 as usize).is_some_and(|reads| *reads)
    }

    /// What is known in a procedure, if anybody wants to know.
    pub(super) fn solve(&self, program: &Program, proc: ProcId) -> Option<ProcFacts> {
        self.facts.as_ref().map(|facts| facts.solve(program, proc))
    }

    /// What an operation changes of what is known.
    pub(super) fn transfer(&self, program: &Program, op: &Op, assigned: &mut Assigned) {
        if let Some(facts) = &self.facts {
            facts.transfer(program, assigned.proc, op, &mut assigned.known);
        }
    }

    fn is_known(&self, program: &Program, assigned: &Assigned, var: VarId) -> bool {
        let facts = self.facts.as_ref();
        facts.is_none_or(|facts| facts.is_known(program, assigned.proc, &assigned.known, var))
    }

    /// That a variable that is read has no value.
    pub(super) fn missing_value(
        &self,
        exprs: &mut Exprs,
        program: &Program,
        assigned: &Assigned,
        var: VarId,
    ) -> Option<Fault> {
        let flag = *self.flags.get(&var)?;
        if self.is_known(program, assigned, var) {
            return None;
        }
        let flag = exprs.var(flag, Ty::BOOL);
        let cond = exprs.not(flag);
        Some(Fault::Single { kind: CheckKind::Uninitialised, cond })
    }

    /// That an element that is read has no value.
    pub(super) fn missing_element(
        &self,
        exprs: &mut Exprs,
        array: VarId,
        index: ExprId,
        sure: &Sure,
    ) -> Option<Fault> {
        let flags = *self.arrays.get(&array)?;
        if sure.contains(array) {
            return None;
        }
        let flag = exprs.add(Expr::Elem { array: flags, index, ty: Ty::BOOL });
        let cond = exprs.not(flag);
        Some(Fault::Single { kind: CheckKind::Uninitialised, cond })
    }

    /// The length of an array; nothing if every integer is an index, or nobody asks.
    pub(super) fn length(&self, exprs: &mut Exprs, program: &Program, array: VarId) -> Option<Length> {
        let Storage::Array { length, .. } = program.vars[array].storage else { return None };
        match length {
            ArrayLength::Fixed(length) => Some(Length::Number(length)),
            ArrayLength::Dynamic => {
                let length = *self.lengths.get(&array)?;
                Some(Length::Value(exprs.var(length, Ty::unsigned(64))))
            }
            ArrayLength::Unbounded => None,
        }
    }

    /// The variable that an expression merely copies and that may have no value.
    pub(super) fn copied(&self, program: &Program, assigned: &Assigned, value: ExprId) -> Option<VarId> {
        let var = copied_var(program, value)?;
        let lacks = self.flags.contains_key(&var) && !self.is_known(program, assigned, var);
        lacks.then_some(var)
    }

    /// Whether a value that is assigned or passed has one.
    fn has_value(&self, exprs: &mut Exprs, program: &Program, assigned: &Assigned, value: ExprId) -> ExprId {
        match self.copied(program, assigned, value).and_then(|var| self.flags.get(&var)) {
            Some(flag) => exprs.var(*flag, Ty::BOOL),
            None => exprs.bool(true),
        }
    }

    /// The flag of a variable.
    pub(super) fn flag(&self, var: VarId) -> Option<VarId> {
        self.flags.get(&var).copied()
    }

    /// The place of the flag of a place, if it has one.
    pub(super) fn flag_place(&self, place: &Place) -> Option<Place> {
        match *place {
            Place::Var(var) => self.flags.get(&var).map(|flag| Place::Var(*flag)),
            Place::Elem { array, index } => {
                self.arrays.get(&array).map(|flags| Place::Elem { array: *flags, index })
            }
            Place::Mem { .. } | Place::Bits { .. } => None,
        }
    }

    /// What happens to flags and lengths right before an operation.
    pub(super) fn before(
        &self,
        exprs: &mut Exprs,
        program: &Program,
        assigned: Option<&Assigned>,
        op: &Op,
    ) -> Vec<Op> {
        let set = |place: &Place, value: ExprId| {
            self.flag_place(place).map(|place| Op::Assign { place, value }).into_iter().collect()
        };
        match op {
            Op::Assign { place, value } => {
                let value = match assigned {
                    Some(assigned) => self.has_value(exprs, program, assigned, *value),
                    None => exprs.bool(true),
                };
                set(place, value)
            }
            Op::Havoc { place, source, .. } => {
                let value = exprs.bool(*source != cfa::Source::Uninitialised);
                set(place, value)
            }
            Op::Malloc { place, .. } | Op::Realloc { place, .. } | Op::Output { result: Some(place), .. } => {
                let value = exprs.bool(true);
                set(place, value)
            }
            Op::Init { var, contents } => self.init(exprs, program, *var, *contents),
            Op::Allocate { var, length } => self.allocate(exprs, *var, *length),
            _ => Vec::new(),
        }
    }

    fn init(&self, exprs: &mut Exprs, program: &Program, var: VarId, contents: InitKind) -> Vec<Op> {
        let Some(flags) = self.arrays.get(&var).copied() else { return Vec::new() };
        match contents {
            InitKind::Uninitialised => vec![Op::Init { var: flags, contents: InitKind::Zero }],
            InitKind::Zero | InitKind::Arbitrary => {
                let length = self.length(exprs, program, var);
                let count = match length {
                    Some(Length::Number(length)) => exprs.int(Ty::unsigned(64), i128::from(length)),
                    Some(Length::Value(length)) => length,
                    None => return Vec::new(),
                };
                {
                    let yes = exprs.bool(true);
                    vec![fill(exprs, flags, yes, count)]
                }
            }
        }
    }

    fn allocate(&self, exprs: &mut Exprs, var: VarId, length: ExprId) -> Vec<Op> {
        let count = exprs.cast(Ty::unsigned(64), length);
        let mut ops = Vec::new();
        if let Some(noted) = self.lengths.get(&var) {
            ops.push(Op::Assign { place: Place::Var(*noted), value: count });
        }
        if let Some(flags) = self.arrays.get(&var).copied() {
            ops.push(Op::Allocate { var: flags, length });
            let no = exprs.bool(false);
            ops.push(fill(exprs, flags, no, count));
        }
        ops
    }

    /// What an activation of a procedure starts with; the entry procedure also with what is global.
    pub(super) fn prologue(&self, exprs: &mut Exprs, old: &Program, proc: ProcId) -> Vec<Op> {
        let (no, zero) = (exprs.bool(false), exprs.int(Ty::unsigned(64), 0));
        let mut ops = Vec::new();
        for (var, decl) in old.vars.iter_enumerated() {
            let is_mine = decl.owner == Some(proc) || decl.owner.is_none() && proc == old.entry;
            if !is_mine {
                continue;
            }
            if let Some(flag) = self.flags.get(&var)
                && !old.procs[proc].params.contains(&var)
            {
                ops.push(Op::Assign { place: Place::Var(*flag), value: no });
            }
            if let Some(flags) = self.arrays.get(&var) {
                ops.push(Op::Init { var: *flags, contents: InitKind::Zero });
            }
            if let Some(length) = self.lengths.get(&var) {
                ops.push(Op::Assign { place: Place::Var(*length), value: zero });
            }
        }
        let yes = exprs.bool(true);
        let set = self.set.iter().filter(|(owner, _)| *owner == proc);
        ops.extend(set.map(|(_, flag)| Op::Assign { place: Place::Var(*flag), value: yes }));
        ops
    }

    /// The flags among the parameters and results of a procedure.
    pub(super) fn interface(&self, proc: ProcId) -> (&[VarId], &[VarId]) {
        (&self.param_flags[proc], &self.result_flags[proc])
    }

    /// What is passed for the flags of parameters.
    pub(super) fn arguments(
        &self,
        exprs: &mut Exprs,
        program: &Program,
        assigned: &Assigned,
        (targets, args): (&[ProcId], &[ExprId]),
    ) -> Vec<ExprId> {
        let Some(table) = targets.first().map(|target| &self.params[*target]) else { return Vec::new() };
        let flagged = args.iter().zip(table).filter(|(_, has_flag)| **has_flag);
        flagged.map(|(arg, _)| self.has_value(exprs, program, assigned, *arg)).collect()
    }

    /// Whether a result of a call may have no value.
    pub(super) fn may_return_nothing(&self, targets: &[ProcId], number: usize) -> bool {
        targets.first().is_some_and(|target| self.results[*target].get(number) == Some(&true))
    }
}

/// Makes entries of several procedures that one has all have; whether that changed anything.
fn unify(table: &mut IndexVec<ProcId, Vec<bool>>, procs: &[ProcId]) -> bool {
    let longest = procs.iter().map(|proc| table[*proc].len()).max().unwrap_or(0);
    let any: Vec<bool> = (0..longest)
        .map(|position| procs.iter().any(|proc| table[*proc].get(position) == Some(&true)))
        .collect();
    let mut changed = false;
    for proc in procs {
        for (position, entry) in table[*proc].iter_mut().enumerate() {
            changed |= any[position] && !*entry;
            *entry |= any[position];
        }
    }
    changed
}

fn fill(exprs: &mut Exprs, array: VarId, value: ExprId, count: ExprId) -> Op {
    let at = exprs.int(Ty::unsigned(64), 0);
    Op::FillElems { to: array, at, value, count }
}

/// Adds a variable that goes with another one.
fn add(program: &mut Program, decl: &Var, what: &str, storage: Storage) -> VarId {
    program.vars.push(Var {
        name: format!("%{what}.{}", decl.name).into(),
        storage,
        owner: decl.owner,
        c_type: "".into(),
        declared: Region::NOWHERE,
        scope: Region::NOWHERE,
    })
}

/// The arrays of which an element is read where it is not sure that all have values.
fn uncertain_arrays(program: &Program, forms: &Forms<'_>) -> Vec<VarId> {
    let mut found: IndexVec<VarId, bool> = IndexVec::filled(false, program.vars.len());
    for (proc, procedure) in program.procs.iter_enumerated() {
        let sure = forms.solve(proc);
        for edge in procedure.edges() {
            let Some(mut here) = sure[edge.source].clone() else { continue };
            for op in &edge.ops {
                let mut pending: Vec<ExprId> = op.exprs().collect();
                let mut seen = FxHashSet::default();
                while let Some(expr) = pending.pop() {
                    if !seen.insert(expr) {
                        continue;
                    }
                    let node = program.exprs.get(expr);
                    if let Expr::Elem { array, .. } = *node
                        && !here.contains(array)
                    {
                        found[array] = true;
                    }
                    pending.extend(node.operands());
                }
                forms.transfer(op, &mut here);
            }
        }
    }
    found.iter_enumerated().filter(|(_, found)| **found).map(|(var, _)| var).collect()
}
