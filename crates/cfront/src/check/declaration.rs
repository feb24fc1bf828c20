//! Declarations: variables, functions and typedefs, at file scope and in blocks.

use std::sync::Arc;

use base::Span;

use super::Checked;
use super::attribute::Effects;
use super::context::{Checker, error, unsupported};
use super::scope::{Entity, Linkage, Typed};
use super::specifiers::TagUse;
use crate::ast::{
    self, DeclarationId, DeclarationKind, Ident, InitDeclarator, Specifiers, Storage, TypeSpecifier,
};
use crate::hir::{InitItem, InitValue, Initializer, StmtId, StmtKind, StorageDuration, VariableId};
use crate::types::Type;

impl Checker<'_> {
    /// A declaration outside of functions, or a static assertion in a record.
    pub(super) fn file_declaration(&mut self, id: DeclarationId) -> Checked<()> {
        let mut none = Vec::new();
        self.declaration(id, &mut none)
    }
    /// A declaration; what executing it does is appended to `out`.
    pub(super) fn declaration(&mut self, id: DeclarationId, out: &mut Vec<StmtId>) -> Checked<()> {
        let unit = self.unit;
        let declaration = &unit.declarations[id];
        match &declaration.kind {
            DeclarationKind::StaticAssert { condition, message } => {
                self.static_assert(*condition, *message, declaration.span)
            }
            DeclarationKind::Plain { specifiers, declarators } => {
                self.plain_declaration(*specifiers, declarators, declaration.span, out)
            }
        }
    }
    fn plain_declaration(
        &mut self,
        specifiers_id: ast::SpecifiersId,
        declarators: &[InitDeclarator],
        span: Span,
        out: &mut Vec<StmtId>,
    ) -> Checked<()> {
        let unit = self.unit;
        let specifiers = &unit.specifiers[specifiers_id];
        if declarators.is_empty() {
            self.effects(&[&specifiers.attributes], &specifiers.alignas)?;
            self.specifiers(specifiers_id, TagUse::Declare)?;
            out.append(&mut self.pending_bounds);
            return Ok(());
        }
        if specifiers.kind == TypeSpecifier::AutoType {
            return self.auto_type(specifiers, declarators, span, out);
        }
        let base = self.specifiers(specifiers_id, TagUse::Mention)?;
        for init_declarator in declarators {
            self.init_declarator(specifiers, base, init_declarator, span, out)?;
        }
        Ok(())
    }
    fn init_declarator(
        &mut self,
        specifiers: &Specifiers,
        base: Typed,
        init_declarator: &InitDeclarator,
        span: Span,
        out: &mut Vec<StmtId>,
    ) -> Checked<()> {
        let unit = self.unit;
        let declarator = &unit.declarators[init_declarator.declarator];
        let Some(ident) = declarator.ident else {
            return error("a declarator without a name", declarator.span);
        };
        let mut typed = self.declarator_type(base, init_declarator.declarator)?;
        out.append(&mut self.pending_bounds);
        let effects = self.effects(&[&specifiers.attributes, &declarator.attributes], &specifiers.alignas)?;
        if self.types().function(typed.ty).is_some() {
            effects.check_function()?;
        } else {
            typed.ty = self.with_mode(typed.ty, &effects)?;
        }
        self.weak_symbols.extend(effects.weak.map(|span| (ident.name, span)));
        if let Some(label) = declarator.asm_label {
            if matches!(specifiers.storage, Some((Storage::Register, _))) {
                return unsupported("a variable in a named register", ident.span);
            }
            let symbol = String::from_utf8_lossy(&unit.strings[label].bytes()).into_owned();
            self.asm_labels.push((ident, symbol));
        }
        let storage = specifiers.storage.map(|(storage, _)| storage);
        if storage == Some(Storage::Typedef) {
            if init_declarator.initializer.is_some() {
                return error(format!("the typedef `{}` is initialised", self.text(ident.name)), ident.span);
            }
            return self.declare_typedef(ident, typed, &effects);
        }
        if self.types().function(typed.ty).is_some() {
            if init_declarator.initializer.is_some() {
                let message =
                    format!("the function `{}` is initialised like a variable", self.text(ident.name));
                return error(message, ident.span);
            }
            let function = self.declare_function(ident, typed.ty, storage)?;
            self.program.functions[function].noreturn |= specifiers.noreturn || effects.noreturn;
            self.note_promise(function, &effects);
            return Ok(());
        }
        if self.types().is_void(typed.ty) && storage != Some(Storage::Extern) {
            return error(
                format!("the variable `{}` has the type `void`", self.text(ident.name)),
                ident.span,
            );
        }
        let variable = VariableDeclaration { ident, typed, effects, storage, span };
        if self.scopes.depth() == 0 || storage == Some(Storage::Extern) {
            self.linked_variable(&variable, init_declarator.initializer)
        } else {
            self.local_variable(&variable, init_declarator.initializer, out)
        }
    }
    fn declare_typedef(&mut self, ident: Ident, typed: Typed, effects: &Effects) -> Checked<()> {
        let typed = Typed { align: effects.align.or(typed.align), ..typed };
        if let Some(record) = self.types().record(typed.ty)
            && effects.transparent_union
        {
            self.transparent_unions.insert(record);
        }
        if let Some(binding) = self.scopes.lookup_here(ident.name).copied() {
            return match binding.entity {
                Entity::Typedef(earlier) if self.types().compatible(earlier.ty, typed.ty) => Ok(()),
                _ => Err(Box::new(self.redeclared(ident, binding.span))),
            };
        }
        self.scopes.bind(ident.name, Entity::Typedef(typed), Linkage::None, ident.span);
        self.name_record(ident, typed);
        Ok(())
    }
    /// A record without tag is called by its typedef.
    fn name_record(&mut self, ident: Ident, typed: Typed) {
        let Some(record) = self.types().record(typed.ty) else { return };
        let name: Arc<str> = self.text(ident.name).into();
        let is_file_scope = self.scopes.depth() == 0;
        let record = &mut self.program.types.records[record];
        if is_file_scope && record.name.starts_with('(') {
            record.alias.get_or_insert(name);
        }
    }
    /// A variable at file scope, or an `extern` one in a block.
    fn linked_variable(
        &mut self,
        declared: &VariableDeclaration,
        initializer: Option<ast::InitializerId>,
    ) -> Checked<()> {
        let VariableDeclaration { ident, typed, effects, storage, .. } = *declared;
        if self.types().is_variably_modified(typed.ty) {
            let message = format!("`{}` has linkage, but a type of variable length", self.text(ident.name));
            return error(message, ident.span);
        }
        let variable = self.declare_linked_variable(ident, typed, storage)?;
        if storage != Some(Storage::Extern) || initializer.is_some() {
            self.variable_facts[variable].is_defined = true;
            self.program.variables[variable].is_extern = false;
        }
        self.demand_alignment(variable, effects.align.max(typed.align));
        let Some(initializer) = initializer else { return Ok(()) };
        if self.scopes.depth() > 0 {
            return error(
                format!("`{}` is both `extern` and initialised", self.text(ident.name)),
                ident.span,
            );
        }
        self.check_single_initializer(variable, ident)?;
        let ty = self.program.variables[variable].ty;
        let (init, ty) = self.initializer(initializer, ty, StorageDuration::Static)?;
        self.program.variables[variable].ty = ty;
        self.program.variables[variable].init = Some(init);
        self.program.variables[variable].declared = ident.span;
        self.scopes.rebind(ident.name, Entity::Variable(variable), ident.span);
        self.check_complete(variable)
    }
    /// A variable of a block.
    fn local_variable(
        &mut self,
        declared: &VariableDeclaration,
        initializer: Option<ast::InitializerId>,
        out: &mut Vec<StmtId>,
    ) -> Checked<()> {
        let VariableDeclaration { ident, typed, storage, span, .. } = *declared;
        let is_static = storage == Some(Storage::Static);
        let is_variable_length = self.types().is_variable_length(typed.ty);
        if is_static && self.types().is_variably_modified(typed.ty) {
            let message = format!("`{}` is static, but its size is not constant", self.text(ident.name));
            return error(message, ident.span);
        }
        if is_variable_length && initializer.is_some() {
            let message =
                format!("`{}` has variable length and cannot be initialised", self.text(ident.name));
            return error(message, ident.span);
        }
        let duration = if is_static { StorageDuration::Static } else { StorageDuration::Automatic };
        let variable = self.new_local(declared, duration)?;
        let init = match initializer {
            Some(initializer) => {
                let (init, ty) = self.initializer(initializer, typed.ty, duration)?;
                self.program.variables[variable].ty = ty;
                Some(init)
            }
            None => None,
        };
        self.check_complete(variable)?;
        if is_static {
            self.program.variables[variable].init = init;
        } else {
            out.push(self.statement(StmtKind::Declare { variable, init }, span, ident.span));
        }
        Ok(())
    }
    /// Binds a new variable without linkage.
    fn new_local(
        &mut self,
        declared: &VariableDeclaration,
        duration: StorageDuration,
    ) -> Checked<VariableId> {
        let VariableDeclaration { ident, typed, effects, .. } = *declared;
        if let Some(binding) = self.scopes.lookup_here(ident.name) {
            return Err(Box::new(self.redeclared(ident, binding.span)));
        }
        let variable = self.variable(self.text(ident.name), typed.ty, duration, ident.span);
        self.program.variables[variable].is_volatile = typed.is_volatile;
        self.program.variables[variable].is_const = typed.is_const;
        self.variable_facts[variable].is_const = typed.is_const;
        self.variable_facts[variable].align = typed.align;
        self.demand_alignment(variable, effects.align.max(typed.align));
        self.scopes.bind(ident.name, Entity::Variable(variable), Linkage::None, ident.span);
        Ok(variable)
    }
    fn demand_alignment(&mut self, variable: VariableId, align: Option<u64>) {
        let known = &mut self.program.variables[variable];
        known.align = known.align.max(align);
    }
    /// `__auto_type x = value;`
    fn auto_type(
        &mut self,
        specifiers: &Specifiers,
        declarators: &[InitDeclarator],
        span: Span,
        out: &mut Vec<StmtId>,
    ) -> Checked<()> {
        let unit = self.unit;
        for init_declarator in declarators {
            let declarator = &unit.declarators[init_declarator.declarator];
            let value = init_declarator.initializer.map(|initializer| &unit.initializers[initializer].kind);
            let (Some(ident), true, Some(ast::InitializerKind::Expr(value))) =
                (declarator.ident, declarator.parts.is_empty(), value)
            else {
                return error("`__auto_type` needs a plain variable with an initialiser", declarator.span);
            };
            let effects =
                self.effects(&[&specifiers.attributes, &declarator.attributes], &specifiers.alignas)?;
            if self.function.is_none() || specifiers.storage.is_some() {
                return unsupported("`__auto_type` for variables with static storage", declarator.span);
            }
            let value = self.rvalue(*value)?;
            let ty = self.ty(value);
            if matches!(self.types().get(ty), Type::Void) {
                return error("the value of a `void` expression is used", self.span(value));
            }
            let mut typed = Typed::plain(ty);
            typed.is_const = specifiers.qualifiers.is_const;
            typed.is_volatile = specifiers.qualifiers.is_volatile;
            let declared = VariableDeclaration { ident, typed, effects, storage: None, span };
            let variable = self.new_local(&declared, StorageDuration::Automatic)?;
            let item = InitItem { path: Vec::new(), value: InitValue::Expr(value) };
            let init = Initializer { zero_rest: false, items: vec![item], span: self.span(value) };
            out.push(self.statement(StmtKind::Declare { variable, init: Some(init) }, span, ident.span));
        }
        Ok(())
    }
}

/// What a declaration says about a variable.
#[derive(Clone, Copy)]
struct VariableDeclaration {
    ident: Ident,
    typed: Typed,
    effects: Effects,
    storage: Option<Storage>,
    /// The whole declaration.
    span: Span,
}
