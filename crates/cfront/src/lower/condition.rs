//! Conditions: expressions that decide where control goes.
//!
//! A condition that is small and defined in every state stays one truth value; others become branches, so that what
//! C does not evaluate is not evaluated.

use base::Span;
use cfa::{Expr, ExprId, Op, Origin, Role};

use crate::hir::{self, CompareOp, ExprKind, StorageDuration};
use crate::lower::function::Body;
use crate::lower::graph::{Graph, Position};
use crate::lower::{Lowered, build};

/// What joins the operands of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connective {
    /// `&&`
    And,
    /// `||`
    Or,
}

impl Body<'_, '_> {
    /// The origin of an intermediate decision.
    pub(super) fn origin_of(&self, expr: hir::ExprId) -> Origin {
        Origin { region: self.ctx.region(self.ctx.hir.exprs[expr].span), role: Role::Implicit }
    }
    /// The origins of a decision at a keyword or operator: where it holds, and where it does not.
    pub(super) fn branches_at(&self, span: Span) -> (Origin, Origin) {
        let region = self.ctx.region(span);
        (Origin { region, role: Role::Branch(true) }, Origin { region, role: Role::Branch(false) })
    }
    /// Decides a condition of `?:`.
    pub(super) fn question(
        &mut self,
        condition: hir::ExprId,
        question: Span,
    ) -> Lowered<(Position, Position)> {
        let (on_true, on_false) = self.branches_at(question);
        self.branch(condition, on_true, on_false)
    }

    /// The truth value of a scalar expression that is simple.
    pub(super) fn truth(&mut self, expr: hir::ExprId) -> Lowered<ExprId> {
        let hir = self.ctx.hir;
        match hir.exprs[expr].kind {
            ExprKind::LogicalAnd(..) => self.truth_of_chain(expr, Connective::And),
            ExprKind::LogicalOr(..) => self.truth_of_chain(expr, Connective::Or),
            ExprKind::LogicalNot(arg) => {
                let truth = self.truth(arg)?;
                Ok(build::not(self.exprs(), truth))
            }
            _ => {
                let value = self.value(expr)?;
                Ok(build::truth(self.exprs(), value))
            }
        }
    }

    fn truth_of_chain(&mut self, expr: hir::ExprId, connective: Connective) -> Lowered<ExprId> {
        let operands = self.operand_chain(expr, connective);
        let mut result = self.truth(operands[0])?;
        for operand in &operands[1..] {
            let truth = self.truth(*operand)?;
            result = self.joined(connective, result, truth);
        }
        Ok(result)
    }

    /// Conjunction or disjunction. A right operand that may lack a value is not evaluated unless C does.
    fn joined(&mut self, connective: Connective, left: ExprId, right: ExprId) -> ExprId {
        let may_lack_value = self.may_lack_value(right);
        let decides = match connective {
            Connective::And => 0,
            Connective::Or => 1,
        };
        let is_decided = build::constant(self.exprs(), right) == Some(decides);
        if is_decided && build::constant(self.exprs(), left).is_none() && self.is_missed(left) {
            return self.exprs().add(Expr::Ite { cond: left, then: right, other: right });
        }
        let exprs = self.exprs();
        match (connective, may_lack_value) {
            (Connective::And, false) => build::and(exprs, left, right),
            (Connective::Or, false) => build::or(exprs, left, right),
            (Connective::And, true) => {
                let decided = exprs.bool(false);
                build::ite(exprs, left, right, decided)
            }
            (Connective::Or, true) => {
                let decided = exprs.bool(true);
                build::ite(exprs, left, decided, right)
            }
        }
    }

    /// Whether not to evaluate an expression would hide that a variable without value is used.
    pub(super) fn is_missed(&self, value: ExprId) -> bool {
        self.ctx.options.checks.contains(cfa::CheckKind::Uninitialised) && self.may_lack_value(value)
    }

    /// Evaluates an expression whose value decides nothing.
    pub(super) fn evaluate(&mut self, value: ExprId) {
        let cond = self.exprs().binary(cfa::BinaryOp::Eq, value, value);
        self.emit(Op::Assume { cond });
    }

    fn may_lack_value(&self, value: ExprId) -> bool {
        self.mentions(value, |ctx, expr| match expr {
            Expr::Var { var, .. } | Expr::Elem { array: var, .. } | Expr::Address { var } => {
                ctx.variable_of.get(var).is_some_and(|variable| {
                    let is_local = ctx.hir.variables[*variable].duration == StorageDuration::Automatic;
                    is_local && (self.has_labels || ctx.usage.variables[*variable].bare)
                })
            }
            _ => false,
        })
    }

    /// The operands of a left-deep chain of `&&` or of `||`, from left to right.
    fn operand_chain(&self, expr: hir::ExprId, connective: Connective) -> Vec<hir::ExprId> {
        let mut operands = Vec::new();
        let mut current = expr;
        loop {
            match self.ctx.hir.exprs[current].kind {
                ExprKind::LogicalAnd(left, right) if connective == Connective::And => {
                    operands.push(right);
                    current = left;
                }
                ExprKind::LogicalOr(left, right) if connective == Connective::Or => {
                    operands.push(right);
                    current = left;
                }
                _ => break,
            }
        }
        operands.push(current);
        operands.reverse();
        operands
    }

    /// Goes on where a condition holds, and where it does not.
    pub(super) fn branch(
        &mut self,
        expr: hir::ExprId,
        on_true: Origin,
        on_false: Origin,
    ) -> Lowered<(Position, Position)> {
        let hir = self.ctx.hir;
        if self.ctx.evaluation(expr).is_simple() {
            let truth = self.truth(expr)?;
            return Ok(self.fork(truth, on_true, on_false));
        }
        match hir.exprs[expr].kind {
            ExprKind::LogicalNot(arg) => {
                let (holds, fails) = self.branch(arg, on_false, on_true)?;
                Ok((fails, holds))
            }
            ExprKind::LogicalAnd(..) => self.branch_chain(expr, Connective::And, on_true, on_false),
            ExprKind::LogicalOr(..) => self.branch_chain(expr, Connective::Or, on_true, on_false),
            ExprKind::Comma(..) => {
                let last = self.comma(expr)?;
                self.branch(last, on_true, on_false)
            }
            ExprKind::Conditional { condition, then, otherwise, question } => {
                let (first, second) = self.question(condition, question)?;
                self.graph.set(first);
                let (mut holds, mut fails) = self.branch(then, on_true, on_false)?;
                self.graph.set(second);
                let (also_holds, also_fails) = self.branch(otherwise, on_true, on_false)?;
                holds.join(also_holds);
                fails.join(also_fails);
                Ok((holds, fails))
            }
            ExprKind::Convert(arg) if self.is_truth(arg) => self.branch(arg, on_true, on_false),
            ExprKind::Compare { op: op @ (CompareOp::Equal | CompareOp::NotEqual), left, right }
                if self.is_truth(left) && matches!(hir.exprs[right].kind, ExprKind::Int(0)) =>
            {
                if op == CompareOp::NotEqual {
                    return self.branch(left, on_true, on_false);
                }
                let (holds, fails) = self.branch(left, on_false, on_true)?;
                Ok((fails, holds))
            }
            _ => {
                let value = self.value(expr)?;
                let truth = build::truth(self.exprs(), value);
                Ok(self.fork(truth, on_true, on_false))
            }
        }
    }

    /// Whether an expression is 0 or 1 by its form, perhaps converted between integer types.
    fn is_truth(&self, expr: hir::ExprId) -> bool {
        let mut current = expr;
        loop {
            match self.ctx.hir.exprs[current].kind {
                ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) | ExprKind::LogicalNot(_) => return true,
                ExprKind::Convert(arg) if self.scalar_ty(current).is_int() => current = arg,
                _ => return false,
            }
        }
    }

    fn branch_chain(
        &mut self,
        expr: hir::ExprId,
        connective: Connective,
        on_true: Origin,
        on_false: Origin,
    ) -> Lowered<(Position, Position)> {
        let operands = self.operand_chain(expr, connective);
        let mut decided = Position::default();
        let (last, first) = operands.split_last().expect("a chain should have operands");
        for operand in first {
            let between = self.origin_of(*operand);
            let (goes_on, done) = match connective {
                Connective::And => self.branch(*operand, between, on_false)?,
                Connective::Or => {
                    let (holds, fails) = self.branch(*operand, on_true, between)?;
                    (fails, holds)
                }
            };
            decided.join(done);
            self.graph.set(goes_on);
        }
        let (mut holds, mut fails) = self.branch(*last, on_true, on_false)?;
        match connective {
            Connective::And => fails.join(decided),
            Connective::Or => holds.join(decided),
        }
        Ok((holds, fails))
    }

    /// Two ways from here; one if the truth value is constant.
    pub(super) fn fork(&mut self, truth: ExprId, on_true: Origin, on_false: Origin) -> (Position, Position) {
        match build::constant(self.exprs(), truth) {
            Some(0) => (Position::default(), self.graph.take()),
            Some(_) => (self.graph.take(), Position::default()),
            None => {
                let Some(here) = self.graph.location() else {
                    return (Position::default(), Position::default());
                };
                self.graph.take();
                let negated = build::not(self.exprs(), truth);
                (
                    Graph::step(here, Op::Assume { cond: truth }, on_true),
                    Graph::step(here, Op::Assume { cond: negated }, on_false),
                )
            }
        }
    }

    /// `c ? a : b` without value.
    pub(super) fn conditional_effect(&mut self, expr: hir::ExprId) -> Lowered<()> {
        let ExprKind::Conditional { condition, then, otherwise, question } = self.ctx.hir.exprs[expr].kind
        else {
            return Ok(());
        };
        let (holds, fails) = self.question(condition, question)?;
        self.graph.set(holds);
        self.effect(then)?;
        let end = self.graph.take();
        self.graph.set(fails);
        self.effect(otherwise)?;
        self.graph.join(end);
        Ok(())
    }
}
