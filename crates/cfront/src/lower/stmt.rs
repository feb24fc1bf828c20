//! Statements.

use cfa::{ApproximationKind, ExprId, Op, Place};

use crate::hir::{self, ExprKind, PlaceKind, StmtId, StmtKind, StorageDuration};
use crate::lower::function::{Body, Passing};
use crate::lower::place::Target;
use crate::lower::record::RecordValue;
use crate::lower::usage::ScopeKey;
use crate::lower::{Lowered, build};
use crate::types::TypeId;

impl Body<'_, '_> {
    /// Lowers statements one after the other.
    pub(super) fn stmts(&mut self, stmts: &[StmtId]) -> Lowered<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(*stmt))
    }

    /// Lowers a statement.
    pub(super) fn stmt(&mut self, id: StmtId) -> Lowered<()> {
        let hir = self.ctx.hir;
        let stmt = &hir.stmts[id];
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Barrier => Ok(()),
            StmtKind::Expr(expr) => {
                self.mark_statement(stmt.span);
                self.effect(*expr)
            }
            StmtKind::Declare { variable, init } => {
                if hir.variables[*variable].duration == StorageDuration::Static {
                    return Ok(());
                }
                self.mark_statement(stmt.span);
                self.declare(*variable, init.as_ref())
            }
            StmtKind::SetBound { bound, value } => {
                self.mark_statement(stmt.span);
                self.set_bound(*bound, *value)
            }
            StmtKind::Block(stmts) => self.block(id, stmts),
            StmtKind::Labeled(label, inner) => {
                self.place_label(*label);
                self.stmt(*inner)
            }
            StmtKind::If { .. } => self.if_chain(id),
            StmtKind::While { condition, body } => self.while_loop(id, Some(*condition), None, *body),
            StmtKind::DoWhile { body, condition, while_keyword } => {
                self.do_loop(id, *body, *condition, *while_keyword)
            }
            StmtKind::For { init, condition, step, body } => {
                self.at(stmt.keyword);
                self.open(ScopeKey::Stmt(id))?;
                self.stmts(init)?;
                self.while_loop(id, *condition, *step, *body)?;
                self.close();
                Ok(())
            }
            StmtKind::Switch { .. } => self.switch(id),
            StmtKind::Case(inner) | StmtKind::Default(inner) => {
                self.place_case(id);
                self.stmt(*inner)
            }
            StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {
                self.jump(id);
                Ok(())
            }
            StmtKind::Return(value) => {
                self.mark_statement(stmt.span);
                self.return_value(*value)?;
                self.leave_function();
                Ok(())
            }
        }
    }

    fn block(&mut self, id: StmtId, stmts: &[StmtId]) -> Lowered<()> {
        self.at(self.ctx.hir.stmts[id].keyword);
        self.open(ScopeKey::Stmt(id))?;
        self.stmts(stmts)?;
        self.close();
        Ok(())
    }

    /// `goto`, `break` and `continue`
    fn jump(&mut self, id: StmtId) {
        let stmt = &self.ctx.hir.stmts[id];
        self.at(stmt.span);
        match stmt.kind {
            StmtKind::Goto(label) => self.goto(label),
            StmtKind::Continue => self.continue_on(),
            _ => self.break_out(),
        }
    }

    fn return_value(&mut self, value: Option<hir::ExprId>) -> Lowered<()> {
        let hir = self.ctx.hir;
        match (value, self.result) {
            (None, _) => {
                // A result that the caller must not use.
                let at = self.origin.region;
                for var in self.results.clone() {
                    let source = cfa::Source::Uninitialised;
                    self.emit(Op::Havoc { place: Place::Var(var), source, at });
                }
                Ok(())
            }
            (Some(value), None) => self.effect(value),
            (Some(value), Some(Passing::Scalar(ty))) => {
                if self.is_address_of_local(value) {
                    let what =
                        "the address of a local variable is returned: some compilers return null instead";
                    self.ctx.approximate(ApproximationKind::Under, what, self.origin.region);
                }
                let target = Target { place: Place::Var(self.results[0]), ty, declared: ty };
                self.assign(&target, value)
            }
            (Some(value), Some(Passing::Leaves(_) | Passing::Address(_))) => {
                let record = self.record(value)?;
                self.return_record(hir.exprs[value].ty, &record);
                Ok(())
            }
        }
    }

    fn is_address_of_local(&self, mut value: hir::ExprId) -> bool {
        let hir = self.ctx.hir;
        while let ExprKind::Convert(inner) = hir.exprs[value].kind {
            value = inner;
        }
        let (ExprKind::AddressOf(mut place) | ExprKind::Decay(mut place)) = hir.exprs[value].kind else {
            return false;
        };
        loop {
            match hir.places[place].kind {
                PlaceKind::Field { base, .. } | PlaceKind::Index { base, .. } => place = base,
                PlaceKind::Variable(variable) => {
                    return hir.variables[variable].duration != StorageDuration::Static;
                }
                _ => return false,
            }
        }
    }

    /// Puts a record where the caller expects the result.
    pub(super) fn return_record(&mut self, ty: TypeId, value: &RecordValue) {
        let Some(record) = self.ctx.hir.types.record(ty) else { return };
        if let Some(address) = self.result_address {
            let from = self.record_address(record, value);
            let to = self.read_var(address);
            self.copy_record(to, from, record);
        } else {
            let values: Vec<ExprId> = self.leaf_values(record, value);
            for (var, value) in self.results.clone().into_iter().zip(values) {
                self.emit(Op::Assign { place: Place::Var(var), value });
            }
        }
    }

    /// `if` with all its `else if`.
    fn if_chain(&mut self, first: StmtId) -> Lowered<()> {
        let hir = self.ctx.hir;
        let mut ends = Vec::new();
        let mut next = Some(first);
        while let Some(id) = next.take() {
            let stmt = &hir.stmts[id];
            let StmtKind::If { condition, then, otherwise } = stmt.kind else {
                self.stmt(id)?;
                break;
            };
            self.mark_statement(stmt.span);
            let (on_true, on_false) = self.branches_at(stmt.keyword);
            let (holds, fails) = self.branch(condition, on_true, on_false)?;
            self.graph.set(holds);
            self.stmt(then)?;
            ends.push(self.graph.take());
            self.graph.set(fails);
            next = otherwise;
        }
        for end in ends {
            self.graph.join(end);
        }
        Ok(())
    }

    /// Whether a condition is a constant, and which.
    pub(super) fn constant_condition(&mut self, condition: hir::ExprId) -> Option<bool> {
        let mut current = condition;
        loop {
            match self.ctx.hir.exprs[current].kind {
                ExprKind::Int(value) => return Some(value != 0),
                ExprKind::Convert(arg) => current = arg,
                _ => break,
            }
        }
        if self.ctx.evaluation(condition).is_simple() {
            let truth = self.truth(condition).ok()?;
            return build::constant(self.exprs(), truth).map(|value| value != 0);
        }
        None
    }
}
