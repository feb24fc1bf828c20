//! Statements (C11 6.8).

use base::Span;

use super::Checked;
use super::context::{Checker, error, unsupported};
use crate::ast::{self, ForInit, Ident, LabelKind};
use crate::hir::{ExprId, StmtId, StmtKind};

/// What a label turns its statement into.
enum Wrap {
    Named(crate::hir::LabelId),
    /// The number of the case among those of its switch; `None` if the range is empty.
    Case(Option<usize>),
    Default,
}

impl Checker<'_> {
    /// An item of a block; what executing it does is appended to `out`.
    pub(super) fn block_item(&mut self, id: ast::StmtId, out: &mut Vec<StmtId>) -> Checked<()> {
        let unit = self.unit;
        let statement = &unit.stmts[id];
        match &statement.kind {
            ast::StmtKind::Declaration(declaration) => self.declaration(*declaration, out),
            ast::StmtKind::NestedFunction(_) => unsupported("a nested function", statement.keyword),
            ast::StmtKind::LocalLabels(labels) => {
                for label in labels {
                    self.declare_local_label(*label);
                }
                Ok(())
            }
            ast::StmtKind::Labeled { labels, body }
                if matches!(unit.stmts[*body].kind, ast::StmtKind::Declaration(_)) =>
            {
                // The declaration belongs to this block, the labels mark the point before it.
                let wraps = self.labels(labels)?;
                let empty = self.statement(StmtKind::Empty, statement.span, statement.keyword);
                out.push(self.wrap(wraps, labels, empty));
                self.block_item(*body, out)
            }
            _ => {
                out.push(self.stmt(id)?);
                Ok(())
            }
        }
    }
    /// A statement.
    pub(super) fn stmt(&mut self, id: ast::StmtId) -> Checked<StmtId> {
        let unit = self.unit;
        let ast::Stmt { kind, span, keyword } = &unit.stmts[id];
        let (span, keyword) = (*span, *keyword);
        let kind = match kind {
            ast::StmtKind::Empty => StmtKind::Empty,
            ast::StmtKind::Expr(expr) => StmtKind::Expr(self.dropped(*expr)?),
            ast::StmtKind::Declaration(_)
            | ast::StmtKind::LocalLabels(_)
            | ast::StmtKind::NestedFunction(_) => {
                let mut statements = Vec::new();
                self.block_item(id, &mut statements)?;
                StmtKind::Block(statements)
            }
            ast::StmtKind::Block { items, close } => self.block(unit.stmts_of(*items), *close)?,
            ast::StmtKind::Labeled { labels, body } => {
                let wraps = self.labels(labels)?;
                let body = self.stmt(*body)?;
                return Ok(self.wrap(wraps, labels, body));
            }
            ast::StmtKind::If { .. } => return self.if_chain(id),
            ast::StmtKind::While { condition, body } => {
                let condition = self.condition(*condition)?;
                let body = self.loop_body(*body)?;
                StmtKind::While { condition, body }
            }
            ast::StmtKind::DoWhile { body, condition, while_keyword } => {
                let body = self.loop_body(*body)?;
                let condition = self.condition(*condition)?;
                StmtKind::DoWhile { body, condition, while_keyword: *while_keyword }
            }
            ast::StmtKind::For { init, condition, step, body } => {
                self.for_loop(*init, *condition, *step, *body, span)?
            }
            ast::StmtKind::Switch { scrutinee, body } => self.switch(*scrutinee, *body)?,
            ast::StmtKind::Goto(label) => StmtKind::Goto(self.label(*label)?),
            ast::StmtKind::ComputedGoto(_) => return unsupported("a computed `goto`", span),
            ast::StmtKind::Break => {
                if self.function.as_ref().is_none_or(|function| function.breakable == 0) {
                    return error("`break` outside of a loop or switch", keyword);
                }
                StmtKind::Break
            }
            ast::StmtKind::Continue => {
                if self.function.as_ref().is_none_or(|function| function.continuable == 0) {
                    return error("`continue` outside of a loop", keyword);
                }
                StmtKind::Continue
            }
            ast::StmtKind::Return(value) => self.return_statement(*value, span, keyword)?,
            ast::StmtKind::Asm(asm) => self.asm(*asm)?,
        };
        Ok(self.statement(kind, span, keyword))
    }
    fn block(&mut self, items: &[ast::StmtId], close: Span) -> Checked<StmtKind> {
        self.scopes.enter();
        let local_labels = self.local_label_count();
        let mut statements = Vec::with_capacity(items.len());
        for item in items {
            self.block_item(*item, &mut statements)?;
        }
        self.forget_local_labels(local_labels);
        self.leave_scope(close);
        Ok(StmtKind::Block(statements))
    }
    /// An `if` with all its `else if` (K1).
    fn if_chain(&mut self, id: ast::StmtId) -> Checked<StmtId> {
        let unit = self.unit;
        let mut chain: Vec<(ExprId, StmtId, Span, Span)> = Vec::new();
        let mut current = Some(id);
        let mut last = None;
        while let Some(id) = current.take() {
            let ast::Stmt { kind, span, keyword } = &unit.stmts[id];
            let ast::StmtKind::If { condition, then, otherwise } = kind else {
                last = Some(self.stmt(id)?);
                break;
            };
            let condition = self.condition(*condition)?;
            let then = self.stmt(*then)?;
            chain.push((condition, then, *span, *keyword));
            current = *otherwise;
        }
        for (condition, then, span, keyword) in chain.into_iter().rev() {
            last = Some(self.statement(StmtKind::If { condition, then, otherwise: last }, span, keyword));
        }
        match last {
            Some(first) => Ok(first),
            None => error("an `if` without a branch", unit.stmts[id].span),
        }
    }
    fn loop_body(&mut self, body: ast::StmtId) -> Checked<StmtId> {
        if let Some(function) = &mut self.function {
            function.breakable += 1;
            function.continuable += 1;
        }
        let body = self.stmt(body)?;
        if let Some(function) = &mut self.function {
            function.breakable -= 1;
            function.continuable -= 1;
        }
        Ok(body)
    }
    fn for_loop(
        &mut self,
        init: ForInit,
        condition: Option<ast::ExprId>,
        step: Option<ast::ExprId>,
        body: ast::StmtId,
        span: Span,
    ) -> Checked<StmtKind> {
        self.scopes.enter();
        let mut first = Vec::new();
        match init {
            ForInit::None => {}
            ForInit::Expr(expr) => {
                let expr = self.dropped(expr)?;
                let at = self.span(expr);
                first.push(self.statement(StmtKind::Expr(expr), at, at));
            }
            ForInit::Declaration(declaration) => self.declaration(declaration, &mut first)?,
        }
        let condition = match condition {
            Some(condition) => Some(self.condition(condition)?),
            None => None,
        };
        let step = match step {
            Some(step) => Some(self.dropped(step)?),
            None => None,
        };
        let body = self.loop_body(body)?;
        self.leave_scope(Span { lo: span.hi, ..span });
        Ok(StmtKind::For { init: first, condition, step, body })
    }
    fn return_statement(
        &mut self,
        value: Option<ast::ExprId>,
        span: Span,
        keyword: Span,
    ) -> Checked<StmtKind> {
        let Some(result) = self.function.as_ref().map(|function| function.result) else {
            return error("`return` outside of a function", keyword);
        };
        let Some(value) = value else { return Ok(StmtKind::Return(None)) };
        if !self.types().is_void(result) {
            let value = self.rvalue(value)?;
            return Ok(StmtKind::Return(Some(self.returned(value, result)?)));
        }
        // GNU C: a function without result may "return" a value, which is dropped.
        let value = self.dropped(value)?;
        let at = self.span(value);
        let evaluate = self.statement(StmtKind::Expr(value), at, at);
        let leave = self.statement(StmtKind::Return(None), span, keyword);
        Ok(StmtKind::Block(vec![evaluate, leave]))
    }

    // -------------------------------------------------------------------------------------------------
    // Labels

    fn labels(&mut self, labels: &[ast::Label]) -> Checked<Vec<Wrap>> {
        let mut wraps = Vec::with_capacity(labels.len());
        for label in labels {
            wraps.push(match label.kind {
                LabelKind::Named(name) => {
                    Wrap::Named(self.define_label(Ident { name, span: label.keyword })?)
                }
                LabelKind::Case(value) => Wrap::Case(self.case(value, value, label.keyword)?),
                LabelKind::CaseRange(first, last) => Wrap::Case(self.case(first, last, label.keyword)?),
                LabelKind::Default => {
                    self.default(label.keyword)?;
                    Wrap::Default
                }
            });
        }
        Ok(wraps)
    }
    /// Puts labels before a statement, the last one nearest to it.
    fn wrap(&mut self, wraps: Vec<Wrap>, labels: &[ast::Label], body: StmtId) -> StmtId {
        let mut current = body;
        for (wrap, label) in wraps.into_iter().zip(labels).rev() {
            let span = label.span.to(self.program.stmts[current].span);
            let kind = match wrap {
                Wrap::Named(label) => StmtKind::Labeled(label, current),
                Wrap::Case(_) => StmtKind::Case(current),
                Wrap::Default => StmtKind::Default(current),
            };
            current = self.statement(kind, span, label.keyword);
            match wrap {
                Wrap::Case(Some(index)) => self.place_case(index, current),
                Wrap::Default => self.place_default(current),
                Wrap::Case(None) | Wrap::Named(_) => {}
            }
        }
        current
    }

    // -------------------------------------------------------------------------------------------------
    // asm

    fn asm(&mut self, id: ast::AsmId) -> Checked<StmtKind> {
        let asm = &self.unit.asms[id];
        if asm.is_goto || asm.operands.len > 0 || !self.does_nothing(asm) {
            return unsupported("inline assembly", asm.span);
        }
        Ok(StmtKind::Barrier)
    }
    pub(super) fn top_level_asm(&mut self, id: ast::AsmId) -> Checked<()> {
        let asm = &self.unit.asms[id];
        if self.does_nothing(asm) { Ok(()) } else { unsupported("top-level assembly", asm.span) }
    }
    /// Whether the template consists of blanks and comments.
    fn does_nothing(&self, asm: &ast::Asm) -> bool {
        let template = self.unit.strings[asm.template].bytes();
        template.split(|byte| *byte == b'\n').all(|line| {
            let line = line.trim_ascii();
            line.is_empty() || line.starts_with(b"#")
        })
    }
}
