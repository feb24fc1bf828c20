//! Identifiers, compound literals, statement expressions, `_Generic` and other expressions that are no operators.

use base::{Diagnostic, Span};

use super::Checked;
use super::context::{Checker, error, unsupported};
use super::conversion::Operand;
use super::linkage::Declared;
use super::scope::{Entity, Linkage};
use super::suggest;
use crate::ast::{self, Ident};
use crate::hir::{
    ExprId, ExprKind, InitItem, InitValue, Initializer, PlaceKind, Projection, StmtKind, StorageDuration,
};
use crate::lex::Name;
use crate::types::TypeId;

impl Checker<'_> {
    pub(super) fn identifier(&mut self, name: Name, span: Span) -> Checked<Operand> {
        match self.scopes.lookup(name).map(|binding| binding.entity) {
            Some(Entity::Variable(variable)) => {
                let ty = self.program.variables[variable].ty;
                Ok(Operand::Place(self.place(PlaceKind::Variable(variable), ty, span)))
            }
            Some(Entity::Function(function)) => Ok(Operand::Function(function, span)),
            Some(Entity::Enumerator { value, ty }) => Ok(Operand::Value(self.constant(value, ty, span))),
            Some(Entity::Typedef(_)) => error(format!("`{}` is a type, not a value", self.text(name)), span),
            None => self.undeclared(name, span),
        }
    }
    fn undeclared(&mut self, name: Name, span: Span) -> Checked<Operand> {
        let text = self.text(name);
        if matches!(text, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            return Ok(self.function_name(span));
        }
        if let Some(function) = self.library_builtin(text, span) {
            return Ok(Operand::Function(function, span));
        }
        let diagnostic = Diagnostic::error(format!("use of the undeclared identifier `{text}`"), span)
            .with_label("not declared in this scope");
        let interner = self.interner;
        let names = self.scopes.visible().map(|name| interner.text(name));
        Err(Box::new(suggest::with_suggestion(diagnostic, text, names)))
    }
    /// A function that is called without having been declared.
    pub(super) fn implicit_function(&mut self, ident: Ident) -> Operand {
        let text = self.text(ident.name);
        let ty = self.library_type(text).unwrap_or_else(|| self.unprototyped(self.basic.int));
        let function = self.external_function(ident, ty);
        self.program.functions[function].noreturn |= matches!(text, "abort" | "exit" | "_exit" | "_Exit");
        self.program.functions[function].implicit.get_or_insert(ident.span);
        self.unit_externals.entry(ident.name).or_insert((ident.span, Declared::ByCall));
        self.scopes.bind(ident.name, Entity::Function(function), Linkage::External, ident.span);
        Operand::Function(function, ident.span)
    }

    pub(super) fn compound_literal(
        &mut self,
        type_name: ast::TypeNameId,
        initializer: ast::InitializerId,
        span: Span,
    ) -> Checked<Operand> {
        let typed = self.type_name(type_name)?;
        if self.types().is_variable_length(typed.ty) {
            return error("a compound literal cannot have a type of variable length", span);
        }
        let duration =
            if self.function.is_some() { StorageDuration::Automatic } else { StorageDuration::Static };
        let known = self.program.static_overflows.len();
        let (init, ty) = self.initializer(initializer, typed.ty, duration)?;
        if !self.types().is_complete(ty) {
            return error(format!("a compound literal has the incomplete type {}", self.show(ty)), span);
        }
        let variable = self.variable("%literal", ty, duration, span);
        self.program.variables[variable].init = Some(init);
        self.program.variables[variable].align = typed.align;
        for overflow in &mut self.program.static_overflows[known..] {
            overflow.literal.get_or_insert(variable);
        }
        Ok(Operand::Place(self.place(PlaceKind::CompoundLiteral { variable }, ty, span)))
    }
    /// A union of which one member has a value, and nothing else is set.
    pub(super) fn union_value(&mut self, ty: TypeId, field: u32, value: ExprId) -> ExprId {
        let span = self.span(value);
        let variable = self.variable("%union", ty, StorageDuration::Automatic, span);
        let item = InitItem { path: vec![Projection::Field(field)], value: InitValue::Expr(value) };
        self.program.variables[variable].init =
            Some(Initializer { zero_rest: true, items: vec![item], span });
        let place = self.place(PlaceKind::CompoundLiteral { variable }, ty, span);
        self.raw(ExprKind::Load(place), ty, span)
    }

    pub(super) fn statement_expr(&mut self, block: ast::StmtId, span: Span) -> Checked<ExprId> {
        if self.function.is_none() {
            return error("a statement expression outside of a function", span);
        }
        let unit = self.unit;
        let ast::StmtKind::Block { items, close } = unit.stmts[block].kind else {
            return error("a statement expression should contain a block", span);
        };
        // As in gcc, empty statements at the end do not count.
        let items = unit.stmts_of(items);
        let is_empty = |stmt: &&ast::StmtId| matches!(unit.stmts[**stmt].kind, ast::StmtKind::Empty);
        let items = &items[..items.len() - items.iter().rev().take_while(is_empty).count()];
        let (last, rest) = match items.split_last() {
            Some((last, rest)) => match unit.stmts[*last].kind {
                ast::StmtKind::Expr(expr) => (Some(expr), rest),
                _ => (None, items),
            },
            None => (None, items),
        };
        self.scopes.enter();
        let local_labels = self.local_label_count();
        let mut body = Vec::new();
        for item in rest {
            self.block_item(*item, &mut body)?;
        }
        let value = match last {
            Some(expr) => Some(self.rvalue(expr)?),
            None => None,
        };
        self.forget_local_labels(local_labels);
        self.leave_scope(close);
        let ty = value.map_or(self.basic.void, |value| self.ty(value));
        let kind = ExprKind::StatementExpr { body, value };
        Ok(self.raw(kind, ty, span))
    }

    pub(super) fn generic(&mut self, id: ast::GenericId, span: Span) -> Checked<Operand> {
        let unit = self.unit;
        let generic = &unit.generics[id];
        let control = self.rvalue(generic.control)?;
        let control = self.ty(control);
        let mut chosen = None;
        let mut default = None;
        for (type_name, value) in &generic.associations {
            let Some(type_name) = type_name else {
                default = Some(*value);
                continue;
            };
            let typed = self.type_name(*type_name)?;
            // A value has no qualifiers, so a qualified association never matches.
            let is_qualified = typed.is_const || typed.is_volatile;
            if chosen.is_none() && !is_qualified && self.generic_match(control, typed.ty) {
                if self.types().pointee(typed.ty).is_some() {
                    // Types here do not tell `char *` from `const char *`, which would decide.
                    return unsupported("a `_Generic` selection by pointer types", span);
                }
                chosen = Some(*value);
            }
        }
        match chosen.or(default) {
            Some(value) => self.operand(value),
            None => error(format!("no association of `_Generic` fits the type {}", self.show(control)), span),
        }
    }
    /// Whether an association is meant: an enumeration is its integer type, but distinct integer types are distinct.
    fn generic_match(&self, control: TypeId, association: TypeId) -> bool {
        self.types().compatible(control, association)
    }
    pub(super) fn choose_expr(
        &mut self,
        condition: ast::ExprId,
        then: ast::ExprId,
        otherwise: ast::ExprId,
    ) -> Checked<Operand> {
        let condition = self.rvalue(condition)?;
        let value = self.require_int(condition, "the condition of `__builtin_choose_expr`")?;
        self.operand(if value == 0 { otherwise } else { then })
    }
    pub(super) fn types_compatible(
        &mut self,
        left: ast::TypeNameId,
        right: ast::TypeNameId,
        span: Span,
    ) -> Checked<ExprId> {
        let left = self.type_name(left)?.ty;
        let right = self.type_name(right)?.ty;
        let is_enum = |ty| matches!(self.types().get(ty), crate::types::Type::Enum(_));
        // gcc takes distinct enumerations for different here.
        let value = if is_enum(left) && is_enum(right) {
            left == right
        } else {
            self.types().compatible(left, right)
        };
        if value && self.types().pointee(left).is_some() {
            return unsupported("a comparison of pointer types by `__builtin_types_compatible_p`", span);
        }
        Ok(self.constant(i128::from(value), self.basic.int, span))
    }
    pub(super) fn va_arg(
        &mut self,
        list: ast::ExprId,
        type_name: ast::TypeNameId,
        span: Span,
    ) -> Checked<ExprId> {
        let operand = self.operand(list)?;
        let list = self.va_list_place(operand)?;
        let ty = self.type_name(type_name)?.ty;
        if !self.types().is_complete(ty) || self.types().array(ty).is_some() {
            return error(format!("`va_arg` cannot fetch an argument of type {}", self.show(ty)), span);
        }
        Ok(self.raw(ExprKind::VaArg(list), ty, span))
    }
    /// The place of a list of variable arguments.
    pub(super) fn va_list_place(&mut self, operand: Operand) -> Checked<crate::hir::PlaceId> {
        match operand {
            Operand::Place(place) if self.program.places[place].ty == self.basic.va_list => Ok(place),
            _ => {
                error("a list of variable arguments (`va_list`) is required here", self.operand_span(operand))
            }
        }
    }
    /// An expression that runs statements and then is a value.
    pub(super) fn after(&mut self, body: Vec<crate::hir::StmtId>, value: ExprId) -> ExprId {
        let (ty, span) = (self.ty(value), self.span(value));
        self.raw(ExprKind::StatementExpr { body, value: Some(value) }, ty, span)
    }
    /// A statement that evaluates an expression.
    pub(super) fn run(&mut self, expr: ExprId) -> crate::hir::StmtId {
        let span = self.span(expr);
        self.statement(StmtKind::Expr(expr), span, span)
    }
}
