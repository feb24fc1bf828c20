//! Variables and functions that are declared several times, in one unit or in several (C11 6.2.2, 6.2.7, 6.9.2).

use base::{Diagnostic, Span};

use super::Checked;
use super::context::{Checker, error};
use super::scope::{Binding, Entity, Linkage, Typed};
use crate::ast::{Ident, Storage};
use crate::hir::{Function, FunctionId, StorageDuration, VariableId};
use crate::lex::Name;
use crate::types::TypeId;

/// What a name with external linkage stands for in all units.
#[derive(Clone, Copy, Debug)]
pub(super) enum External {
    Variable(VariableId),
    Function(FunctionId),
}

/// How a name got external linkage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Explicitly,
    /// By a call of a function that was not declared.
    ByCall,
}

/// The linkage that a storage class gives to a name that is not visible yet (C11 6.2.2).
fn declared_linkage(storage: Option<Storage>) -> Linkage {
    match storage {
        Some(Storage::Static) => Linkage::Internal,
        _ => Linkage::External,
    }
}

impl Checker<'_> {
    /// The message about a name that is taken.
    pub(super) fn redeclared(&self, ident: Ident, earlier: Span) -> Diagnostic {
        let message = format!("redeclaration of `{}`", self.text(ident.name));
        Diagnostic::error(message, ident.span).with_secondary(earlier, "first declared here")
    }
    fn conflict(&self, ident: Ident, new: TypeId, old: TypeId, earlier: Span) -> Diagnostic {
        let message = format!("conflicting types for `{}`: {}", self.text(ident.name), self.show(new));
        Diagnostic::error(message, ident.span)
            .with_secondary(earlier, format!("declared here as {}", self.show(old)))
    }
    fn other_kind(&self, ident: Ident, earlier: Span) -> Diagnostic {
        let message = format!("`{}` is declared again as a different kind of symbol", self.text(ident.name));
        Diagnostic::error(message, ident.span).with_secondary(earlier, "first declared here")
    }
    /// What earlier units mean by a name that is declared with a linkage.
    fn known_external(&self, ident: Ident, linkage: Linkage) -> Option<External> {
        self.externals.get(&ident.name).copied().filter(|_| linkage == Linkage::External)
    }
    /// Whether a function of a name has a body.
    pub(super) fn is_defined_external(&self, name: Name) -> bool {
        match self.externals.get(&name) {
            Some(External::Function(function)) => self.program.functions[*function].body.is_some(),
            Some(External::Variable(variable)) => self.variable_facts[*variable].is_defined,
            None => false,
        }
    }

    /// A name of one unit does not have both linkages, also if the first declaration is no longer visible (C11 6.2.2).
    fn check_linkage_again(&mut self, ident: Ident, linkage: Linkage) -> Checked<()> {
        match (linkage, self.unit_externals.get(&ident.name)) {
            (Linkage::External, None) => {
                self.unit_externals.insert(ident.name, (ident.span, Declared::Explicitly));
            }
            (Linkage::Internal, Some((earlier, how))) => {
                let name = self.text(ident.name);
                let (how, label) = match how {
                    Declared::Explicitly => ("declared", "declared here"),
                    Declared::ByCall => ("implicitly declared", "the call declares it"),
                };
                let message = format!("`{name}` is declared static, but was {how} without `static`");
                let diagnostic = Diagnostic::error(message, ident.span);
                return Err(Box::new(diagnostic.with_secondary(*earlier, label)));
            }
            (Linkage::External, Some(_)) | (Linkage::Internal, None) | (Linkage::None, _) => {}
        }
        Ok(())
    }

    // -------------------------------------------------------------------------------------------------
    // Functions

    /// The function with external linkage of a name, as it is known or new. It may be declared otherwise later.
    pub(super) fn external_function(&mut self, ident: Ident, ty: TypeId) -> FunctionId {
        if let Some(External::Function(function)) = self.externals.get(&ident.name) {
            return *function;
        }
        let function = self.new_function(ident, ty, Linkage::External);
        self.implicit.insert(function);
        function
    }
    fn new_function(&mut self, ident: Ident, ty: TypeId, linkage: Linkage) -> FunctionId {
        let external = linkage == Linkage::External;
        let name = self.text(ident.name);
        let function = self.program.functions.push(Function {
            name: name.into(),
            ty,
            noreturn: false,
            external,
            body: None,
            declared: ident.span,
            implicit: None,
            refused: None,
        });
        if external {
            self.externals.insert(ident.name, External::Function(function));
        }
        function
    }
    /// Declares a function in the current scope.
    pub(super) fn declare_function(
        &mut self,
        ident: Ident,
        ty: TypeId,
        storage: Option<Storage>,
    ) -> Checked<FunctionId> {
        let wanted = declared_linkage(storage);
        let depth = self.scopes.depth();
        match self.scopes.lookup(ident.name).copied() {
            Some(binding) if binding.depth == depth || binding.linkage != Linkage::None => {
                match binding.entity {
                    Entity::Function(function) => {
                        let is_external = binding.linkage == Linkage::External;
                        if wanted == Linkage::Internal && is_external && !self.implicit.contains(&function) {
                            let message = format!(
                                "`{}` is declared static, but was declared without `static`",
                                self.text(ident.name)
                            );
                            let diagnostic = Diagnostic::error(message, ident.span);
                            return Err(Box::new(diagnostic.with_secondary(binding.span, "declared here")));
                        }
                        self.merge_function(function, ident, ty)?;
                        if binding.depth != depth {
                            self.scopes.bind(ident.name, binding.entity, binding.linkage, ident.span);
                        }
                        Ok(function)
                    }
                    Entity::Variable(_) | Entity::Enumerator { .. } | Entity::Typedef(_)
                        if binding.depth == depth =>
                    {
                        Err(Box::new(self.other_kind(ident, binding.span)))
                    }
                    Entity::Variable(_) | Entity::Enumerator { .. } | Entity::Typedef(_) => {
                        self.first_function(ident, ty, wanted)
                    }
                }
            }
            _ => self.first_function(ident, ty, wanted),
        }
    }
    /// Declares a function for which no declaration of its unit is visible.
    fn first_function(&mut self, ident: Ident, ty: TypeId, linkage: Linkage) -> Checked<FunctionId> {
        self.check_linkage_again(ident, linkage)?;
        let function = match self.known_external(ident, linkage) {
            Some(External::Function(function)) => {
                self.merge_function(function, ident, ty)?;
                function
            }
            Some(External::Variable(variable)) => {
                return Err(Box::new(self.other_kind(ident, self.program.variables[variable].declared)));
            }
            None => self.new_function(ident, ty, linkage),
        };
        self.scopes.bind(ident.name, Entity::Function(function), linkage, ident.span);
        Ok(function)
    }
    fn merge_function(&mut self, function: FunctionId, ident: Ident, ty: TypeId) -> Checked<()> {
        let old = self.program.functions[function].ty;
        let declared = self.program.functions[function].declared;
        if self.implicit.remove(&function) {
            self.program.functions[function].ty = ty;
            self.program.functions[function].declared = ident.span;
            return Ok(());
        }
        if !self.types().compatible(old, ty) || !self.fits_definition(function, ty) {
            return Err(Box::new(self.conflict(ident, ty, old, declared)));
        }
        self.program.functions[function].ty = self.program.types.composite(old, ty);
        Ok(())
    }

    /// Whether a prototype after a K&R definition has the parameters of the definition, promoted.
    fn fits_definition(&self, function: FunctionId, ty: TypeId) -> bool {
        let (Some(body), Some(prototype)) =
            (&self.program.functions[function].body, self.types().function(ty).filter(|ty| ty.prototype))
        else {
            return true;
        };
        let params = body.params.iter().map(|param| self.program.variables[*param].ty);
        body.params.len() == prototype.params.len()
            && params.zip(&prototype.params).all(|(ours, theirs)| self.types().compatible(ours, *theirs))
    }

    // -------------------------------------------------------------------------------------------------
    // Variables

    /// Declares a variable with linkage: at file scope, or `extern` in a block.
    pub(super) fn declare_linked_variable(
        &mut self,
        ident: Ident,
        typed: Typed,
        storage: Option<Storage>,
    ) -> Checked<VariableId> {
        let depth = self.scopes.depth();
        match self.scopes.lookup(ident.name).copied() {
            Some(binding) if binding.depth == depth || binding.linkage != Linkage::None => {
                match binding.entity {
                    Entity::Variable(variable) if binding.linkage != Linkage::None => {
                        self.check_static_again(&binding, ident, storage)?;
                        self.merge_variable(variable, ident, typed)?;
                        if binding.depth != depth {
                            self.scopes.bind(ident.name, binding.entity, binding.linkage, ident.span);
                        }
                        Ok(variable)
                    }
                    Entity::Variable(_) => Err(Box::new(self.redeclared(ident, binding.span))),
                    Entity::Function(_) | Entity::Enumerator { .. } | Entity::Typedef(_) => {
                        Err(Box::new(self.other_kind(ident, binding.span)))
                    }
                }
            }
            _ => self.first_variable(ident, typed, declared_linkage(storage)),
        }
    }
    /// All declarations of a variable say `static`, or none does; `extern` says nothing about it.
    fn check_static_again(&self, binding: &Binding, ident: Ident, storage: Option<Storage>) -> Checked<()> {
        let words = match (storage, binding.linkage) {
            (Some(Storage::Static), Linkage::External) => ["static", "without `static`"],
            (None, Linkage::Internal) => ["without `static`", "static"],
            _ => return Ok(()),
        };
        let name = self.text(ident.name);
        let message = format!("`{name}` is declared {}, but was declared {}", words[0], words[1]);
        let diagnostic = Diagnostic::error(message, ident.span);
        Err(Box::new(diagnostic.with_secondary(binding.span, "declared here")))
    }
    /// Declares a variable for which no declaration of its unit is visible.
    fn first_variable(&mut self, ident: Ident, typed: Typed, linkage: Linkage) -> Checked<VariableId> {
        self.check_linkage_again(ident, linkage)?;
        let is_external = linkage == Linkage::External;
        let variable = match self.known_external(ident, linkage) {
            Some(External::Variable(variable)) => {
                self.merge_variable(variable, ident, typed)?;
                variable
            }
            Some(External::Function(function)) => {
                return Err(Box::new(self.other_kind(ident, self.program.functions[function].declared)));
            }
            None => {
                let function = self.function.take();
                let variable =
                    self.variable(self.text(ident.name), typed.ty, StorageDuration::Static, ident.span);
                self.function = function;
                self.program.variables[variable].is_extern = is_external;
                self.program.variables[variable].is_volatile = typed.is_volatile;
                self.program.variables[variable].is_const = typed.is_const;
                self.variable_facts[variable].is_const = typed.is_const;
                self.variable_facts[variable].align = typed.align;
                if is_external {
                    self.externals.insert(ident.name, External::Variable(variable));
                }
                variable
            }
        };
        self.scopes.bind(ident.name, Entity::Variable(variable), linkage, ident.span);
        Ok(variable)
    }
    fn merge_variable(&mut self, variable: VariableId, ident: Ident, typed: Typed) -> Checked<()> {
        let old = self.program.variables[variable].ty;
        let declared = self.program.variables[variable].declared;
        if !self.types().compatible(old, typed.ty) {
            return Err(Box::new(self.conflict(ident, typed.ty, old, declared)));
        }
        let ty = self.program.types.composite(old, typed.ty);
        self.program.variables[variable].ty = ty;
        self.program.variables[variable].is_volatile |= typed.is_volatile;
        self.variable_facts[variable].align = self.variable_facts[variable].align.max(typed.align);
        Ok(())
    }
    /// Complains about a second initialiser.
    pub(super) fn check_single_initializer(&self, variable: VariableId, ident: Ident) -> Checked<()> {
        let known = &self.program.variables[variable];
        if known.init.is_none() {
            return Ok(());
        }
        let diagnostic =
            Diagnostic::error(format!("redefinition of `{}`", self.text(ident.name)), ident.span);
        Err(Box::new(diagnostic.with_secondary(known.declared, "first defined here")))
    }
    /// Defined variables whose types were never completed are errors.
    pub(super) fn check_complete(&self, variable: VariableId) -> Checked<()> {
        let known = &self.program.variables[variable];
        if self.types().is_complete(known.ty) && !self.is_undefined_enum(known.ty) {
            return Ok(());
        }
        error(format!("`{}` has the incomplete type {}", known.name, self.show(known.ty)), known.declared)
    }
}
