//! Lifetimes: what begins and ends where control enters and leaves scopes, by jumps too.
//!
//! # Invariants
//! * C1: the objects of a scope begin when it is entered, in whatever way, and end when it is left. An array of variable length in memory begins at its
//!   declaration, and ends where control leaves the scope of the declaration: also by a jump back before it.
//! * C2: a jump past declarations leaves their variables arbitrary.
//! * C3: where lost memory is looked for, variables of a scope that was left hold no pointers.

use cfa::{CheckKind, InitKind, Op, Origin, Place, Source, Storage, Ty, VarId};

use crate::hir::{LabelId, VariableId};
use crate::lower::function::Body;
use crate::lower::graph::Position;
use crate::lower::storage::{Part, Slot};
use crate::lower::usage::ScopeKey;
use crate::lower::{Lowered, build};

/// A scope that was entered.
#[derive(Debug, Default)]
pub(super) struct Scope {
    parent: Option<Mark>,
    objects: Vec<VarId>,
    declared: Vec<VariableId>,
}

/// A point within the scopes: how many declarations of a scope were passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    scope: usize,
    declared: usize,
}

/// A `goto` whose label may not be placed yet.
#[derive(Debug)]
pub(super) struct Jump {
    position: Position,
    from: Mark,
    label: LabelId,
    origin: Origin,
}

impl Body<'_, '_> {
    /// Enters a scope.
    pub(super) fn open(&mut self, key: ScopeKey) -> Lowered<()> {
        let mut objects = Vec::new();
        for variable in self.ctx.usage.scopes.get(&key).cloned().unwrap_or_default() {
            if self.ctx.usage.variables[variable].in_memory
                && let Slot::Object(object) = self.ctx.slot(variable)?
            {
                objects.push(object);
            }
        }
        for object in &objects {
            self.emit(Op::Begin { var: *object });
        }
        let parent = Some(self.mark());
        self.scopes.push(Scope { parent, objects, declared: Vec::new() });
        self.scope = self.scopes.len() - 1;
        Ok(())
    }
    /// Leaves the innermost scope.
    pub(super) fn close(&mut self) {
        self.end_holders(self.scope, 0, usize::MAX);
        self.end_arrays(self.scope, 0, usize::MAX);
        self.end_objects(self.scope);
        if let Some(parent) = self.scopes[self.scope].parent {
            self.scope = parent.scope;
        }
    }
    /// The present point.
    pub(super) fn mark(&self) -> Mark {
        Mark { scope: self.scope, declared: self.scopes[self.scope].declared.len() }
    }
    /// A declaration is passed.
    pub(super) fn declared(&mut self, variable: VariableId) {
        let scope = self.scope;
        self.scopes[scope].declared.push(variable);
    }
    /// Control may get here past the declarations of the innermost scope.
    pub(super) fn may_skip_declarations(&mut self) {
        for variable in &self.scopes[self.scope].declared {
            self.ctx.usage.variables[*variable].bare = true;
        }
    }
    /// Whether the innermost scope has objects.
    pub(super) fn has_objects(&self) -> bool {
        let scope = &self.scopes[self.scope];
        !scope.objects.is_empty()
            || scope.declared.iter().any(|declared| self.array(*declared).is_some())
            || !self.holders(self.scope, 0, usize::MAX).is_empty()
    }
    /// The variables among some declarations of a scope that may keep memory from being lost.
    fn holders(&self, scope: usize, from: usize, to: usize) -> Vec<(VarId, Storage)> {
        if !self.ctx.options.checks.contains(CheckKind::LostMemory) {
            return Vec::new();
        }
        let word = self.ctx.program.data_model.pointer_width();
        let declared = &self.scopes[scope].declared;
        let declared = declared[..to.min(declared.len())].get(from..).unwrap_or_default();
        let slots = declared.iter().filter_map(|variable| self.ctx.slots[*variable].as_ref());
        let parts = slots.flat_map(|slot| match slot {
            Slot::Split(parts) => &**parts,
            Slot::Object(_) | Slot::Pointer(_) => &[],
        });
        let may_hold = |part: &&Part| match part.ty {
            Ty::Ptr => true,
            Ty::Int { width, .. } => width >= word,
            Ty::Float(_) => false,
        };
        let is_fixed = |part: &&Part| part.dimensions.is_empty() || part.is_fixed();
        let held = parts
            .filter(may_hold)
            .filter(is_fixed)
            .map(|part| (part.var, self.ctx.program.vars[part.var].storage));
        held.collect()
    }
    /// C3.
    fn end_holders(&mut self, scope: usize, from: usize, to: usize) {
        for (var, storage) in self.holders(scope, from, to) {
            match storage {
                Storage::Scalar(ty) => {
                    let value = build::zero(self.exprs(), ty);
                    self.emit(Op::Assign { place: Place::Var(var), value });
                }
                Storage::Array { .. } => self.emit(Op::Init { var, contents: InitKind::Zero }),
                Storage::Object { .. } => {}
            }
        }
    }
    /// The pointer to an array of variable length in memory.
    fn array(&self, variable: VariableId) -> Option<VarId> {
        match self.ctx.slots[variable] {
            Some(Slot::Pointer(pointer)) => Some(pointer),
            _ => None,
        }
    }
    /// Ends the arrays of variable length whose declarations are these of a scope.
    fn end_arrays(&mut self, scope: usize, from: usize, to: usize) {
        let declared = &self.scopes[scope].declared;
        let declared = declared[..to.min(declared.len())].get(from..).unwrap_or_default();
        let ended: Vec<VarId> = declared.iter().rev().filter_map(|variable| self.array(*variable)).collect();
        for pointer in ended {
            let addr = self.read_var(pointer);
            self.emit(Op::Release { addr });
        }
    }
    fn end_objects(&mut self, scope: usize) {
        for var in self.scopes[scope].objects.clone().into_iter().rev() {
            self.emit(Op::End { var });
        }
    }
    /// Ends what lives in the scopes within `outer` (all scopes without it); the scope stays what it is.
    pub(super) fn leave(&mut self, outer: Option<Mark>) {
        let mut scope = self.scope;
        while outer.is_none_or(|outer| outer.scope != scope) {
            // The variables of a function that returns hold nothing anyway.
            if outer.is_some() {
                self.end_holders(scope, 0, usize::MAX);
            }
            self.end_arrays(scope, 0, usize::MAX);
            self.end_objects(scope);
            match self.scopes[scope].parent {
                Some(parent) => scope = parent.scope,
                None => break,
            }
        }
    }

    fn chain(&self, mark: Mark) -> Vec<Mark> {
        let mut chain = vec![mark];
        let mut current = mark;
        while let Some(parent) = self.scopes[current.scope].parent {
            chain.push(parent);
            current = parent;
        }
        chain.reverse();
        chain
    }
    /// A jump from one point to another, appended at the current position.
    pub(super) fn transfer(&mut self, from: Mark, to: Mark) -> Lowered<()> {
        let (left, entered) = (self.chain(from), self.chain(to));
        let common = left.iter().zip(&entered).take_while(|(a, b)| a.scope == b.scope).count();
        for mark in left[common..].iter().rev() {
            self.end_holders(mark.scope, 0, mark.declared);
            self.end_arrays(mark.scope, 0, mark.declared);
            self.end_objects(mark.scope);
        }
        if let (Some(left), Some(entered)) = (left[..common].last(), entered[..common].last()) {
            self.end_holders(entered.scope, entered.declared, left.declared);
            self.end_arrays(entered.scope, entered.declared, left.declared);
            self.skip_declarations(entered.scope, left.declared, entered.declared)?;
        }
        for mark in &entered[common..] {
            for var in self.scopes[mark.scope].objects.clone() {
                self.emit(Op::Begin { var });
            }
            self.skip_declarations(mark.scope, 0, mark.declared)?;
        }
        Ok(())
    }
    /// C2: declarations that a jump passes without executing them.
    fn skip_declarations(&mut self, scope: usize, from: usize, to: usize) -> Lowered<()> {
        let skipped: Vec<VariableId> =
            self.scopes[scope].declared.get(from..to).map(<[VariableId]>::to_vec).unwrap_or_default();
        for variable in skipped {
            self.forget(variable)?;
        }
        Ok(())
    }
    /// The variable's value is arbitrary from here on.
    pub(super) fn forget(&mut self, variable: VariableId) -> Lowered<()> {
        let at = self.ctx.region(self.ctx.hir.variables[variable].declared);
        if let Slot::Split(parts) = self.ctx.slot(variable)? {
            for part in parts.iter() {
                if part.dimensions.is_empty() {
                    let place = Place::Var(part.var);
                    self.emit(Op::Havoc { place, source: Source::Uninitialised, at });
                } else if part.is_fixed() {
                    self.emit(Op::Init { var: part.var, contents: InitKind::Uninitialised });
                }
            }
        }
        Ok(())
    }

    /// `goto`
    pub(super) fn goto(&mut self, label: LabelId) {
        let (from, origin) = (self.mark(), self.origin);
        let position = self.graph.take();
        if position.is_reachable() {
            self.jumps.push(Jump { position, from, label, origin });
        }
    }
    /// A label that some `goto` names.
    pub(super) fn place_label(&mut self, label: LabelId) {
        if self.ctx.usage.jumped_to.contains(&label) {
            let location = self.graph.landing();
            self.labels.insert(label, (location, self.mark()));
        }
    }
    /// Connects all jumps with their labels.
    pub(super) fn resolve_jumps(&mut self) -> Lowered<()> {
        for jump in std::mem::take(&mut self.jumps) {
            let Some((target, to)) = self.labels.get(&jump.label).copied() else { continue };
            self.graph.set(jump.position);
            self.origin = jump.origin;
            self.transfer(jump.from, to)?;
            let here = self.graph.take();
            self.graph.attach(here, target);
        }
        Ok(())
    }
}
