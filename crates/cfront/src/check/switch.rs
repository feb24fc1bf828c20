//! `switch`: its cases are collected while its body is read.

use base::{Diagnostic, Span};

use super::Checked;
use super::context::{Checker, error};
use crate::ast;
use crate::hir::{StmtId, StmtKind};
use crate::types::TypeId;

/// Stands for the statement of a case until it is known.
const UNKNOWN: StmtId = StmtId(u32::MAX);

/// A switch at work.
pub(super) struct SwitchContext {
    /// The promoted type of what is compared.
    ty: TypeId,
    cases: Vec<(i128, i128, StmtId)>,
    spans: Vec<Span>,
    default: Option<(StmtId, Span)>,
}

impl Checker<'_> {
    pub(super) fn switch(&mut self, scrutinee: ast::ExprId, body: ast::StmtId) -> Checked<StmtKind> {
        let scrutinee = self.rvalue(scrutinee)?;
        if !self.types().is_integer(self.ty(scrutinee)) {
            let message = format!("a `switch` needs an integer, not {}", self.show(self.ty(scrutinee)));
            return error(message, self.span(scrutinee));
        }
        let scrutinee = self.promote(scrutinee);
        let ty = self.ty(scrutinee);
        if let Some(function) = &mut self.function {
            function.breakable += 1;
            function.switches.push(SwitchContext { ty, cases: Vec::new(), spans: Vec::new(), default: None });
        }
        let body = self.stmt(body)?;
        let Some(function) = &mut self.function else {
            return error("`switch` outside of a function", self.span(scrutinee));
        };
        function.breakable -= 1;
        let Some(context) = function.switches.pop() else {
            return error("`switch` outside of a function", self.span(scrutinee));
        };
        check_overlap(&context)?;
        let SwitchContext { cases, default, .. } = context;
        Ok(StmtKind::Switch { scrutinee, body, cases, default: default.map(|(stmt, _)| stmt) })
    }
    /// Notes a case, or a range of them; its number, or `None` if the range is empty.
    pub(super) fn case(
        &mut self,
        first: ast::ExprId,
        last: ast::ExprId,
        keyword: Span,
    ) -> Checked<Option<usize>> {
        let context = self.function.as_ref().and_then(|function| function.switches.last());
        let Some(ty) = context.map(|context| context.ty) else {
            return error("`case` outside of a switch", keyword);
        };
        let low = self.case_value(first, ty)?;
        let high = if first == last { low } else { self.case_value(last, ty)? };
        let Some(context) = self.function.as_mut().and_then(|function| function.switches.last_mut()) else {
            return Ok(None);
        };
        if low > high {
            return Ok(None);
        }
        context.cases.push((low, high, UNKNOWN));
        context.spans.push(self.unit.exprs[first].span);
        Ok(Some(context.cases.len() - 1))
    }
    fn case_value(&mut self, value: ast::ExprId, ty: TypeId) -> Checked<i128> {
        let value = self.rvalue(value)?;
        let value = if self.types().is_integer(self.ty(value)) { self.convert(value, ty) } else { value };
        self.require_int(value, "the value of a case")
    }
    pub(super) fn default(&mut self, keyword: Span) -> Checked<()> {
        let Some(context) = self.function.as_mut().and_then(|function| function.switches.last_mut()) else {
            return error("`default` outside of a switch", keyword);
        };
        if let Some((_, earlier)) = context.default {
            let diagnostic = Diagnostic::error("a second `default` in one switch", keyword);
            return Err(Box::new(diagnostic.with_secondary(earlier, "the first one is here")));
        }
        context.default = Some((UNKNOWN, keyword));
        Ok(())
    }
    /// Tells the statement of a case that was noted before.
    pub(super) fn place_case(&mut self, index: usize, stmt: StmtId) {
        let context = self.function.as_mut().and_then(|function| function.switches.last_mut());
        if let Some(case) = context.and_then(|context| context.cases.get_mut(index)) {
            case.2 = stmt;
        }
    }
    pub(super) fn place_default(&mut self, stmt: StmtId) {
        let context = self.function.as_mut().and_then(|function| function.switches.last_mut());
        if let Some((default, _)) = context.and_then(|context| context.default.as_mut()) {
            *default = stmt;
        }
    }
}

fn check_overlap(context: &SwitchContext) -> Checked<()> {
    let mut order: Vec<usize> = (0..context.cases.len()).collect();
    order.sort_by_key(|index| context.cases[*index].0);
    for pair in order.windows(2) {
        let (left, right) = (pair[0], pair[1]);
        if context.cases[left].1 >= context.cases[right].0 {
            let (first, second) = (left.min(right), left.max(right));
            let value = context.cases[right].0;
            let diagnostic =
                Diagnostic::error(format!("duplicate case value {value}"), context.spans[second]);
            return Err(Box::new(diagnostic.with_secondary(context.spans[first], "previously used here")));
        }
    }
    Ok(())
}
