//! One procedure: its interface, its temporaries, its end.
//!
//! # Invariants
//! * B1: temporaries are assigned before every use; objects among them live as long as the activation.
//! * B2: every way out of the procedure passes the ends of all scopes.

use base::{Region, Span};
use cfa::{LocationRole, Op, Origin, Place, ProcId, Procedure, Role, Source, Storage, Ty, Var, VarId};
use rustc_hash::FxHashMap;

use crate::hir::{self, FunctionId, LabelId};
use crate::lower::control::Frame;
use crate::lower::effects::{Effects, written};
use crate::lower::facts::{Fact, Reads};
use crate::lower::graph::{Graph, Position};
use crate::lower::scope::{Jump, Mark, Scope};
use crate::lower::storage::Slot;
use crate::lower::usage::ScopeKey;
use crate::lower::{Context, Lowered, MAIN, build};
use crate::types::{RecordId, Type, TypeId};

/// The hidden parameter that says where a record belongs that is returned.
pub(super) const RESULT_ADDRESS: &str = "%result";

/// How a value gets into or out of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// As one scalar.
    Scalar(Ty),
    /// As the leaves of a record.
    Leaves(RecordId),
    /// By the address of a record.
    Address(RecordId),
}

/// The interface of a procedure.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    /// The parameters.
    pub params: Vec<Passing>,
    /// The result.
    pub result: Option<Passing>,
    /// Whether a pointer to further arguments comes last.
    pub variadic: bool,
}

/// A procedure that is being built.
pub(super) struct Body<'c, 'a> {
    pub ctx: &'c mut Context<'a>,
    pub graph: Graph,
    pub proc: ProcId,
    /// The source of what is being lowered.
    pub origin: Origin,
    pub scopes: Vec<Scope>,
    pub scope: usize,
    pub jumps: Vec<Jump>,
    pub labels: FxHashMap<LabelId, (cfa::Loc, Mark)>,
    pub frames: Vec<Frame>,
    /// Whether the function has labels that some `goto` names.
    pub has_labels: bool,
    /// How the result leaves, and the variables that it leaves in.
    pub result: Option<Passing>,
    pub results: Vec<VarId>,
    /// The hidden parameters: where to put the result, and where further arguments are.
    pub result_address: Option<VarId>,
    pub further: Option<VarId>,
    pub returns: Position,
    objects: Vec<VarId>,
    count: u32,
}

impl Context<'_> {
    /// How a value of a type is passed; `None` for `void`.
    pub(super) fn passing(&mut self, ty: TypeId) -> Option<Passing> {
        if let Some(scalar) = self.hir.types.scalar(ty) {
            return Some(Passing::Scalar(scalar));
        }
        let record = self.hir.types.record(ty)?;
        Some(if self.moved_leaves(record).is_some() {
            Passing::Leaves(record)
        } else {
            Passing::Address(record)
        })
    }
    /// The interface of the procedure of a function; that of a definition is what its parameters say.
    pub(super) fn signature(&mut self, function: FunctionId) -> Signature {
        let hir = self.hir;
        let declared = &hir.functions[function];
        let Type::Function(ty) = hir.types.get(declared.ty) else {
            unreachable!("H2: the type of a function should be a function type")
        };
        let params: Vec<TypeId> = match &declared.body {
            Some(body) if !self.opaque.contains(&function) => {
                body.params.iter().map(|param| hir.variables[*param].ty).collect()
            }
            _ => ty.params.clone(),
        };
        Signature {
            params: params.into_iter().filter_map(|ty| self.passing(ty)).collect(),
            result: self.passing(ty.result),
            variadic: ty.variadic,
        }
    }
    /// The types of the procedure's parameters and results.
    pub(super) fn interface(&mut self, signature: &Signature) -> (Vec<Ty>, Vec<Ty>) {
        let mut params = Vec::new();
        let mut results = Vec::new();
        match signature.result {
            Some(Passing::Address(_)) => params.push(Ty::Ptr),
            Some(passing) => self.flatten(passing, &mut results),
            None => {}
        }
        for passing in &signature.params {
            self.flatten(*passing, &mut params);
        }
        if signature.variadic {
            params.push(Ty::Ptr);
        }
        (params, results)
    }
    fn flatten(&mut self, passing: Passing, types: &mut Vec<Ty>) {
        match passing {
            Passing::Scalar(ty) => types.push(ty),
            Passing::Leaves(record) => {
                types.extend(self.leaves(record).iter().flat_map(|leaves| leaves.iter().map(|leaf| leaf.ty)));
            }
            Passing::Address(_) => types.push(Ty::Ptr),
        }
    }
    /// Lowers a function, or the stub of one that has no body.
    pub(super) fn lower_function(&mut self, function: FunctionId) -> Lowered<()> {
        let hir = self.hir;
        let proc = self.procs[&function];
        let mut body = Body::new(self, proc);
        let signature = body.ctx.signature(function);
        match &hir.functions[function].body {
            Some(declared) if !body.ctx.opaque.contains(&function) => {
                let jumped_to = &body.ctx.usage.jumped_to;
                body.has_labels = declared.labels.iter().any(|label| jumped_to.contains(label));
                body.open(ScopeKey::Function(function))?;
                body.parameters(&signature, &declared.params)?;
                body.stmt(declared.block)?;
                body.fall_off(function);
            }
            _ => body.stub(function, &signature)?,
        }
        body.finish()
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// Starts a procedure.
    pub(super) fn new(ctx: &'c mut Context<'a>, proc: ProcId) -> Self {
        let empty = &ctx.program.procs[proc];
        let graph = Graph::new(Procedure::new(empty.name.clone(), empty.region));
        Self {
            ctx,
            graph,
            proc,
            origin: Origin::IMPLICIT,
            scopes: vec![Scope::default()],
            scope: 0,
            jumps: Vec::new(),
            labels: FxHashMap::default(),
            frames: Vec::new(),
            has_labels: false,
            result: None,
            results: Vec::new(),
            result_address: None,
            further: None,
            returns: Position::default(),
            objects: Vec::new(),
            count: 0,
        }
    }
    /// Ends the procedure and puts it into the program.
    pub(super) fn finish(mut self) -> Lowered<()> {
        self.resolve_jumps()?;
        let returns = std::mem::take(&mut self.returns);
        self.graph.set(returns);
        for object in self.objects.clone() {
            self.graph.emit(Op::End { var: object }, Origin::IMPLICIT);
        }
        let here = self.graph.take();
        let exit = self.graph.procedure.exit;
        self.graph.attach(here, exit);
        if !self.objects.is_empty() {
            let objects = std::mem::take(&mut self.objects);
            self.graph.prepend(|graph| {
                for var in objects {
                    graph.emit(Op::Begin { var }, Origin::IMPLICIT);
                }
            });
        }
        self.ctx.program.procs[self.proc] = self.graph.procedure;
        Ok(())
    }

    fn parameters(&mut self, signature: &Signature, params: &[hir::VariableId]) -> Lowered<()> {
        self.declare_result(signature.result);
        for (variable, passing) in params.iter().zip(&signature.params) {
            let slot = self.ctx.slot(*variable)?;
            self.parameter(*variable, *passing, &slot);
        }
        if signature.variadic {
            let further = self.hidden("%further", Ty::Ptr);
            self.graph.procedure.params.push(further);
            self.further = Some(further);
        }
        Ok(())
    }

    /// Allots the variables in which the result leaves.
    pub(super) fn declare_result(&mut self, result: Option<Passing>) {
        self.result = result;
        let mut types = Vec::new();
        match result {
            Some(Passing::Address(_)) => {
                let address = self.hidden(RESULT_ADDRESS, Ty::Ptr);
                self.graph.procedure.params.push(address);
                self.result_address = Some(address);
            }
            Some(passing) => self.ctx.flatten(passing, &mut types),
            None => {}
        }
        for ty in types {
            let var = self.hidden("%result", ty);
            self.graph.procedure.results.push(var);
            self.results.push(var);
        }
    }

    fn parameter(&mut self, variable: hir::VariableId, passing: Passing, slot: &Slot) {
        let name = self.ctx.hir.variables[variable].name.clone();
        match (passing, slot) {
            (Passing::Scalar(_), Slot::Split(parts)) => {
                self.graph.procedure.params.extend(parts.iter().map(|part| part.var));
            }
            (Passing::Scalar(ty), Slot::Object(object)) => {
                let param = self.hidden(&format!("%{name}"), ty);
                self.graph.procedure.params.push(param);
                let (addr, value) = (self.object_address(*object), self.read_var(param));
                self.emit(Op::Assign { place: Place::Mem { addr, ty }, value });
            }
            (Passing::Leaves(record), slot) => {
                let leaves = self.ctx.leaves(record);
                for leaf in leaves.iter().flat_map(|leaves| leaves.iter()) {
                    if let Slot::Split(parts) = slot
                        && let Some(part) = parts.iter().find(|part| part.path == leaf.path)
                    {
                        self.graph.procedure.params.push(part.var);
                        continue;
                    }
                    let param = self.hidden(&format!("%{name}"), leaf.ty);
                    self.graph.procedure.params.push(param);
                    if let Slot::Object(object) = slot {
                        let address = self.object_address(*object);
                        let value = self.read_var(param);
                        let place = self.leaf_place(address, leaf);
                        self.emit(Op::Assign { place, value });
                    }
                }
            }
            (Passing::Address(record), Slot::Object(object)) => {
                let param = self.hidden(&format!("%{name}"), Ty::Ptr);
                self.graph.procedure.params.push(param);
                let (to, from) = (self.object_address(*object), self.read_var(param));
                self.copy_record(to, from, record);
            }
            (_, _) => unreachable!("a parameter should be kept as its type demands"),
        }
    }

    /// Control reaches the end of the body.
    fn fall_off(&mut self, function: FunctionId) {
        // Reaching the end of `main` returns 0 (C11 5.1.2.2.3).
        let is_main = *self.ctx.hir.functions[function].name == *MAIN;
        for var in self.results.clone() {
            if is_main {
                let ty = self.var_ty(var);
                let value = build::zero(self.exprs(), ty);
                self.emit(Op::Assign { place: Place::Var(var), value });
            } else {
                let at = self.origin.region;
                self.emit(Op::Havoc { place: Place::Var(var), source: Source::Uninitialised, at });
            }
        }
        self.leave_function();
    }

    /// Ends all scopes and goes to the end of the function.
    pub(super) fn leave_function(&mut self) {
        self.leave(None);
        let here = self.graph.take();
        self.returns.join(here);
    }

    // -----------------------------------------------------------------------------------------------------
    // Small things that everybody needs

    /// The arena of expressions.
    pub(super) fn exprs(&mut self) -> &mut cfa::Exprs {
        &mut self.ctx.program.exprs
    }
    /// Appends an operation of the statement that is being lowered.
    pub(super) fn emit(&mut self, op: Op) {
        self.graph.emit(op, self.origin);
    }
    /// What follows stands for the text `span`.
    pub(super) fn at(&mut self, span: Span) -> Region {
        let region = self.ctx.region(span);
        self.origin = Origin { region, role: Role::Statement };
        region
    }
    /// The current location is the start of a statement.
    pub(super) fn mark_statement(&mut self, span: Span) {
        let region = self.at(span);
        self.graph.mark(region, LocationRole::Statement);
    }
    /// A scalar variable that the source does not have.
    pub(super) fn hidden(&mut self, name: &str, ty: Ty) -> VarId {
        self.ctx.program.vars.push(Var {
            name: name.into(),
            storage: Storage::Scalar(ty),
            owner: Some(self.proc),
            c_type: "".into(),
            declared: Region::NOWHERE,
            scope: Region::NOWHERE,
        })
    }
    /// A temporary (B1).
    pub(super) fn temporary(&mut self, ty: Ty) -> VarId {
        let var = self.hidden(&format!("%t{}", self.count), ty);
        self.count += 1;
        self.ctx.temporaries.insert(var);
        var
    }
    /// A temporary object that lives as long as the activation (B1); its address.
    pub(super) fn temporary_object(&mut self, size: u64, align: u64) -> cfa::ExprId {
        let var = self.ctx.program.vars.push(Var {
            name: format!("%o{}", self.count).into(),
            storage: Storage::Object { size, align, read_only: false },
            owner: Some(self.proc),
            c_type: "".into(),
            declared: Region::NOWHERE,
            scope: Region::NOWHERE,
        });
        self.count += 1;
        self.objects.push(var);
        self.object_address(var)
    }
    pub(super) fn object_address(&mut self, object: VarId) -> cfa::ExprId {
        self.exprs().add(cfa::Expr::Address { var: object })
    }
    pub(super) fn var_ty(&self, var: VarId) -> Ty {
        self.ctx.program.vars[var].scalar().expect("P3: a variable that is read whole should be a scalar")
    }
    pub(super) fn read_var(&mut self, var: VarId) -> cfa::ExprId {
        let ty = self.var_ty(var);
        self.exprs().var(var, ty)
    }
    /// Puts a value into a temporary.
    pub(super) fn copy(&mut self, value: cfa::ExprId) -> cfa::ExprId {
        let ty = self.exprs().ty(value);
        let var = self.temporary(ty);
        self.emit(Op::Assign { place: Place::Var(var), value });
        self.read_var(var)
    }
    /// A value that no later operation changes.
    pub(super) fn stable(&mut self, value: cfa::ExprId) -> cfa::ExprId {
        if self.ctx.fact(value).reads == Reads::NOTHING { value } else { self.copy(value) }
    }
    /// The value as it is before `later` is evaluated.
    pub(super) fn protect(&mut self, value: cfa::ExprId, later: hir::ExprId) -> cfa::ExprId {
        let effects = self.ctx.evaluation(later).effects;
        let fact = self.ctx.fact(value);
        if !effects.change_state() || fact.reads == Reads::NOTHING {
            return value;
        }
        let called = effects.contains(Effects::CALLS) && fact.reads.contains(Reads::SHARED);
        let changed = called || (effects.contains(Effects::WRITES) && self.may_change(value, fact, later));
        if changed { self.copy(value) } else { value }
    }

    fn may_change(&mut self, value: cfa::ExprId, fact: Fact, later: hir::ExprId) -> bool {
        const MAX_WEIGHT: u32 = 64;
        if fact.weight > MAX_WEIGHT {
            return true;
        }
        let Some((variables, mut memory)) = written(self.ctx.hir, later) else { return true };
        memory |= variables.iter().any(|variable| self.ctx.usage.variables[*variable].in_memory);
        self.mentions(value, |ctx, expr| match expr {
            cfa::Expr::Var { var, .. } | cfa::Expr::Elem { array: var, .. } => {
                ctx.variable_of.get(var).is_some_and(|variable| variables.contains(variable))
            }
            cfa::Expr::Load { .. } | cfa::Expr::LoadBits { .. } => memory,
            _ => false,
        })
    }
    /// Whether some node of an expression is as asked for.
    pub(super) fn mentions(
        &self,
        value: cfa::ExprId,
        mut wanted: impl FnMut(&Context<'a>, &cfa::Expr) -> bool,
    ) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![value];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            let expr = self.ctx.program.exprs.get(id);
            if wanted(self.ctx, expr) {
                return true;
            }
            stack.extend(expr.operands());
        }
        false
    }
    /// The scalar type of an expression.
    pub(super) fn scalar_ty(&self, expr: hir::ExprId) -> Ty {
        self.ctx
            .hir
            .types
            .scalar(self.ctx.hir.exprs[expr].ty)
            .expect("H3: an operand should be a scalar where one is needed")
    }
    /// Width of pointers as an unsigned integer type.
    pub(super) fn word(&self) -> Ty {
        Ty::unsigned(self.ctx.program.exprs.pointer_width())
    }
    /// A constant of type `size_t`.
    pub(super) fn size(&mut self, size: u64) -> cfa::ExprId {
        let word = self.word();
        self.exprs().int(word, i128::from(size))
    }
}
