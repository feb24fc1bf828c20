//! Loops and `switch`.

use base::Span;
use cfa::{BinaryOp, ExprId, Loc, Op, Ty};
use rustc_hash::FxHashMap;

use crate::hir::{self, StmtId, StmtKind};
use crate::lower::function::Body;
use crate::lower::graph::{Graph, Position};
use crate::lower::scope::Mark;
use crate::lower::{Lowered, build};

/// What `break`, `continue` and case labels refer to.
#[derive(Debug)]
pub(super) struct Frame {
    outer: Mark,
    breaks: Position,
    /// `None` for a `switch`.
    continues: Option<Position>,
    /// Where the case statements of a `switch` are.
    cases: FxHashMap<StmtId, (Loc, Mark)>,
}

impl Body<'_, '_> {
    fn push_frame(&mut self, continues: Option<Position>) {
        self.frames.push(Frame {
            outer: self.mark(),
            breaks: Position::default(),
            continues,
            cases: FxHashMap::default(),
        });
    }
    fn pop_frame(&mut self) -> Frame {
        self.frames.pop().expect("a loop or switch should end after it starts")
    }

    /// Whether a jump may lead to somewhere within the statement that comes next.
    fn may_be_jumped_into(&self) -> bool {
        self.has_labels || self.frames.iter().any(|frame| frame.continues.is_none())
    }

    /// `break`
    pub(super) fn break_out(&mut self) {
        let Some(outer) = self.frames.last().map(|frame| frame.outer) else { return };
        self.leave(Some(outer));
        let here = self.graph.take();
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks.join(here);
        }
    }
    /// `continue`
    pub(super) fn continue_on(&mut self) {
        let Some(index) = self.frames.iter().rposition(|frame| frame.continues.is_some()) else { return };
        self.leave(Some(self.frames[index].outer));
        let here = self.graph.take();
        if let Some(continues) = &mut self.frames[index].continues {
            continues.join(here);
        }
    }

    /// `while`, and `for` after its first clause.
    pub(super) fn while_loop(
        &mut self,
        id: StmtId,
        condition: Option<hir::ExprId>,
        step: Option<hir::ExprId>,
        body: StmtId,
    ) -> Lowered<()> {
        let hir = self.ctx.hir;
        let stmt = &hir.stmts[id];
        let region = self.at(stmt.span);
        if !self.graph.is_reachable() && self.may_be_jumped_into() {
            // The loop may be entered by a jump into its body only.
            self.graph.landing();
        }
        let head = self.graph.loop_head(region);
        let (holds, fails) = match condition {
            Some(condition) => {
                self.at(hir.exprs[condition].span);
                let (on_true, on_false) = self.branches_at(stmt.keyword);
                self.branch(condition, on_true, on_false)?
            }
            None => (self.graph.take(), Position::default()),
        };
        self.graph.set(holds);
        self.push_frame(Some(Position::default()));
        self.stmt(body)?;
        let frame = self.pop_frame();
        if let Some(continues) = frame.continues {
            self.graph.join(continues);
        }
        if let Some(step) = step {
            if self.graph.is_reachable() {
                self.mark_statement(hir.exprs[step].span);
            }
            self.effect(step)?;
        }
        let here = self.graph.take();
        if let Some(head) = head {
            self.graph.attach(here, head);
        }
        self.graph.join(fails);
        self.graph.join(frame.breaks);
        Ok(())
    }

    /// `do`
    pub(super) fn do_loop(
        &mut self,
        id: StmtId,
        body: StmtId,
        condition: hir::ExprId,
        while_keyword: Span,
    ) -> Lowered<()> {
        let hir = self.ctx.hir;
        let stmt = &hir.stmts[id];
        let once = self.constant_condition(condition) == Some(false);
        let dead = !self.graph.is_reachable() && !self.may_be_jumped_into();
        let start = if once || dead { None } else { Some(self.graph.landing()) };
        self.push_frame(Some(Position::default()));
        self.stmt(body)?;
        let frame = self.pop_frame();
        if let Some(continues) = frame.continues {
            self.graph.join(continues);
        }
        if let Some(start) = start {
            let region = self.ctx.region(stmt.span);
            self.graph.loop_head(region);
            self.at(while_keyword.to(hir.exprs[condition].span));
            let (on_true, on_false) = self.branches_at(stmt.keyword);
            let (holds, fails) = self.branch(condition, on_true, on_false)?;
            self.graph.attach(holds, start);
            self.graph.set(fails);
        }
        self.graph.join(frame.breaks);
        Ok(())
    }

    /// A `case` or `default` statement.
    pub(super) fn place_case(&mut self, id: StmtId) {
        let location = self.graph.landing();
        let mark = self.mark();
        self.may_skip_declarations();
        if let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.continues.is_none()) {
            frame.cases.insert(id, (location, mark));
        }
    }

    /// `switch`
    pub(super) fn switch(&mut self, id: StmtId) -> Lowered<()> {
        let hir = self.ctx.hir;
        let stmt = &hir.stmts[id];
        let StmtKind::Switch { scrutinee, body, cases, default } = &stmt.kind else { return Ok(()) };
        self.mark_statement(stmt.span);
        let value = self.value(*scrutinee)?;
        let plain = matches!(self.exprs().get(value), cfa::Expr::Var { .. } | cfa::Expr::Const { .. });
        let value = if plain { value } else { self.copy(value) };
        if cases.is_empty() && self.is_missed(value) {
            self.evaluate(value);
        }
        let (from, origin) = (self.mark(), self.origin);
        let source = self.graph.location();
        self.graph.take();
        self.push_frame(None);
        self.stmt(*body)?;
        let frame = self.pop_frame();
        let end = self.graph.take();
        let mut after = end;
        if let Some(source) = source {
            let (on_case, on_default) = self.branches_at(stmt.keyword);
            let ranges: Vec<(i128, i128)> = cases.iter().map(|(low, high, _)| (*low, *high)).collect();
            for (low, high, case) in cases {
                let condition = self.in_range(value, *low, *high);
                let position = self.case_edge(source, condition, on_case);
                if let Some(target) = frame.cases.get(case) {
                    self.jump_to_case(position, from, *target)?;
                }
            }
            let condition = self.outside(value, ranges);
            let target = default.and_then(|default| frame.cases.get(&default).copied());
            let position = self.case_edge(source, condition, on_default);
            match target {
                Some(target) => self.jump_to_case(position, from, target)?,
                None => after.join(position),
            }
        }
        self.origin = origin;
        after.join(frame.breaks);
        self.graph.set(after);
        Ok(())
    }

    fn case_edge(&mut self, source: Loc, condition: ExprId, origin: cfa::Origin) -> Position {
        match build::constant(self.exprs(), condition) {
            Some(0) => Position::default(),
            Some(_) => Position::at(source),
            None => Graph::step(source, Op::Assume { cond: condition }, origin),
        }
    }

    /// Goes from the head of a `switch` to one of its case statements.
    fn jump_to_case(&mut self, position: Position, from: Mark, target: (Loc, Mark)) -> Lowered<()> {
        let (location, to) = target;
        self.graph.set(position);
        self.transfer(from, to)?;
        let here = self.graph.take();
        self.graph.attach(here, location);
        Ok(())
    }

    fn in_range(&mut self, value: ExprId, low: i128, high: i128) -> ExprId {
        let ty = self.exprs().ty(value);
        let first = self.exprs().int(ty, low);
        if low == high {
            return build::compare(self.exprs(), BinaryOp::Eq, value, first);
        }
        let last = self.exprs().int(ty, high);
        let above = build::compare(self.exprs(), BinaryOp::Le, first, value);
        let below = build::compare(self.exprs(), BinaryOp::Le, value, last);
        build::and(self.exprs(), above, below)
    }

    /// Whether a value is in none of the ranges; neighbouring ranges are merged.
    fn outside(&mut self, value: ExprId, mut ranges: Vec<(i128, i128)>) -> ExprId {
        let ty = self.exprs().ty(value);
        ranges.sort_unstable();
        let mut merged: Vec<(i128, i128)> = Vec::new();
        for (low, high) in ranges {
            match merged.last_mut() {
                Some((_, last)) if low <= last.saturating_add(1) => *last = high.max(*last),
                _ => merged.push((low, high)),
            }
        }
        let mut result = self.exprs().bool(true);
        for (low, high) in merged {
            let part = if low == high {
                let constant = self.exprs().int(ty, low);
                build::compare(self.exprs(), BinaryOp::Ne, value, constant)
            } else {
                self.outside_range(value, ty, low, high)
            };
            result = build::and(self.exprs(), result, part);
        }
        result
    }

    fn outside_range(&mut self, value: ExprId, ty: Ty, low: i128, high: i128) -> ExprId {
        let (first, last) = (self.exprs().int(ty, low), self.exprs().int(ty, high));
        let below = build::compare(self.exprs(), BinaryOp::Lt, value, first);
        let above = build::compare(self.exprs(), BinaryOp::Lt, last, value);
        match ty.range() {
            Some((least, _)) if least == low => above,
            Some((_, greatest)) if greatest == high => below,
            _ => build::or(self.exprs(), below, above),
        }
    }
}
