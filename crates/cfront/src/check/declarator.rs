//! Declarators: from the specified type to the type of what is declared.

use base::Span;

use super::Checked;
use super::context::{Checker, error};
use super::scope::{Entity, Linkage, Typed};
use super::specifiers::TagUse;
use crate::ast::{self, ArraySize, DeclaratorId, DeclaratorPart, Ident, Parameters, TypeSpecifier};
use crate::hir::{StmtKind, StorageDuration};
use crate::types::{ArrayLength, FunctionType, Type, TypeId};

/// How many dimensions an array may have (through typedefs, too): asking for its size takes a step for each.
const MAX_DIMENSIONS: u32 = 500;

impl Checker<'_> {
    /// The type of a declarator applied to a specified type.
    pub(super) fn declarator_type(&mut self, base: Typed, id: DeclaratorId) -> Checked<Typed> {
        let unit = self.unit;
        let declarator = &unit.declarators[id];
        self.apply_parts(base, &declarator.parts, declarator.span)
    }
    /// Parts read from the name outwards, so they are applied from the last to the first.
    pub(super) fn apply_parts(
        &mut self,
        base: Typed,
        parts: &[DeclaratorPart],
        span: Span,
    ) -> Checked<Typed> {
        let mut typed = base;
        for part in parts.iter().rev() {
            typed = match part {
                DeclaratorPart::Pointer { qualifiers } => Typed {
                    ty: self.pointer(typed.ty),
                    align: None,
                    is_const: qualifiers.is_const,
                    is_volatile: qualifiers.is_volatile,
                    extent: None,
                },
                DeclaratorPart::Array { size, span, .. } => {
                    let ty = self.array_of(typed.ty, *size, *span)?;
                    Typed { ty, ..typed }
                }
                DeclaratorPart::Function { parameters, .. } => {
                    self.check_result(typed.ty, span)?;
                    Typed::plain(self.function_type(typed.ty, parameters)?)
                }
            };
        }
        Ok(typed)
    }
    pub(super) fn check_result(&self, result: TypeId, span: Span) -> Checked<()> {
        if self.types().array(result).is_some() {
            return error(format!("a function returns the array type {}", self.show(result)), span);
        }
        if self.types().function(result).is_some() {
            return error(format!("a function returns the function type {}", self.show(result)), span);
        }
        Ok(())
    }

    // -------------------------------------------------------------------------------------------------
    // Arrays

    fn array_of(&mut self, elem: TypeId, size: ArraySize, span: Span) -> Checked<TypeId> {
        if self.types().function(elem).is_some() {
            return error(format!("an array of functions of type {}", self.show(elem)), span);
        }
        if !self.types().is_complete(elem) {
            return error(format!("an array has elements of the incomplete type {}", self.show(elem)), span);
        }
        let depth = self.array_depths.get(&elem).copied().unwrap_or(0) + 1;
        if depth > MAX_DIMENSIONS {
            return error("an array has too many dimensions", span);
        }
        let ty = self.sized_or_open_array(elem, size, span)?;
        self.array_depths.insert(ty, depth);
        Ok(ty)
    }
    fn sized_or_open_array(&mut self, elem: TypeId, size: ArraySize, span: Span) -> Checked<TypeId> {
        let length = match size {
            ArraySize::Unspecified | ArraySize::Star => ArrayLength::Unknown,
            ArraySize::Expr(expr) => return self.sized_array(elem, expr, span),
        };
        Ok(self.program.types.intern(Type::Array { elem, length }))
    }
    fn sized_array(&mut self, elem: TypeId, size: ast::ExprId, span: Span) -> Checked<TypeId> {
        let size = self.rvalue(size)?;
        if !self.types().is_integer(self.ty(size)) {
            let message =
                format!("the size of an array is not an integer, but has type {}", self.show(self.ty(size)));
            return error(message, self.span(size));
        }
        if let Some(value) = self.evaluate_int(size) {
            let is_signed = self.kind_of(size).is_some_and(crate::types::IntKind::is_signed);
            return match u64::try_from(value) {
                Ok(length) => self.array_type(elem, length, span),
                Err(_) if is_signed => error("the size of an array is negative", self.span(size)),
                Err(_) => error("the size of an array is too large", self.span(size)),
            };
        }
        if self.in_prototype {
            return Ok(self.program.types.intern(Type::Array { elem, length: ArrayLength::Unknown }));
        }
        if self.function.is_none() && !self.in_parameters {
            return error("the size of an array outside of a function is not constant", self.span(size));
        }
        let at = self.span(size);
        let value = self.convert(size, self.basic.size);
        let bound = self.variable("%bound", self.basic.size, StorageDuration::Automatic, at);
        let set = self.statement(StmtKind::SetBound { bound, value }, at, at);
        self.pending_bounds.push(set);
        Ok(self.program.types.intern(Type::Array { elem, length: ArrayLength::Variable(bound) }))
    }

    // -------------------------------------------------------------------------------------------------
    // Functions

    /// The type of a function that is only declared.
    fn function_type(&mut self, result: TypeId, parameters: &Parameters) -> Checked<TypeId> {
        let Parameters::Prototype { parameters, variadic } = parameters else {
            return Ok(self.unprototyped(result));
        };
        let names_matter = self.names_matter(parameters);
        let outer = std::mem::replace(&mut self.in_prototype, true);
        self.scopes.enter();
        let mut params = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let (ident, typed) = self.parameter(parameter)?;
            if let (true, Some(ident)) = (names_matter, ident) {
                let variable =
                    self.variable(self.text(ident.name), typed.ty, StorageDuration::Parameter, ident.span);
                self.scopes.bind(ident.name, Entity::Variable(variable), Linkage::None, ident.span);
            }
            params.push(typed.ty);
        }
        self.scopes.leave(|_| {});
        self.in_prototype = outer;
        self.check_void_parameters(&mut params, parameters)?;
        let function = FunctionType { result, params, variadic: *variadic, prototype: true };
        Ok(self.program.types.intern(Type::Function(function)))
    }
    /// `f()`
    pub(super) fn unprototyped(&mut self, result: TypeId) -> TypeId {
        let function = FunctionType { result, params: Vec::new(), variadic: false, prototype: false };
        self.program.types.intern(Type::Function(function))
    }
    /// Whether a parameter may mention another one.
    fn names_matter(&self, parameters: &[ast::Parameter]) -> bool {
        parameters.iter().any(|parameter| {
            let parts = &self.unit.declarators[parameter.declarator].parts;
            let is_sized = |part: &DeclaratorPart| {
                matches!(part, DeclaratorPart::Array { size: ArraySize::Expr(_), .. })
            };
            let specifiers = &self.unit.specifiers[parameter.specifiers];
            parts.iter().any(is_sized) || matches!(specifiers.kind, TypeSpecifier::TypeofExpr(_))
        })
    }
    /// Name and type of a parameter; arrays and functions become pointers.
    pub(super) fn parameter(&mut self, parameter: &ast::Parameter) -> Checked<(Option<Ident>, Typed)> {
        let unit = self.unit;
        let declarator = &unit.declarators[parameter.declarator];
        let base = self.specifiers(parameter.specifiers, TagUse::Mention)?;
        let typed = self.declarator_type(base, parameter.declarator)?;
        let typed = self.with_attributes(typed, parameter.specifiers, parameter.declarator)?;
        Ok((declarator.ident, self.adjusted(typed)))
    }
    pub(super) fn adjusted(&mut self, typed: Typed) -> Typed {
        if let Some((elem, length)) = self.types().array(typed.ty) {
            let extent = match length {
                ArrayLength::Fixed(count) => Some(count),
                ArrayLength::Unknown | ArrayLength::Variable(_) => None,
            };
            return Typed { extent, ..Typed::plain(self.pointer(elem)) };
        }
        if self.types().function(typed.ty).is_some() {
            return Typed::plain(self.pointer(typed.ty));
        }
        typed
    }
    /// A single unnamed parameter `void` (through a typedef) means that there is none; any other is an error.
    pub(super) fn check_void_parameters(
        &self,
        params: &mut Vec<TypeId>,
        parameters: &[ast::Parameter],
    ) -> Checked<()> {
        let is_void = |ty: &TypeId| self.types().is_void(*ty);
        if let ([ty], [parameter]) = (params.as_slice(), parameters)
            && is_void(ty)
            && self.unit.declarators[parameter.declarator].ident.is_none()
        {
            params.clear();
            return Ok(());
        }
        match params.iter().position(|ty| self.types().is_void(*ty)) {
            Some(index) => error("a parameter has the type `void`", parameters[index].span),
            None => Ok(()),
        }
    }
}
