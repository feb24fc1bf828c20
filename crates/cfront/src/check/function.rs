//! Function definitions, also in K&R style, and labels.

use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use base::{Diagnostic, Idx, Span};
use rustc_hash::FxHashMap;

use super::Checked;
use super::attribute::Effects;
use super::context::{Checker, error, unsupported};
use super::scope::{Entity, Linkage, Typed};
use super::specifiers::TagUse;
use super::switch::SwitchContext;
use crate::ast::{self, DeclarationKind, DeclaratorPart, Ident, Parameters, Storage};
use crate::hir::{
    Body, FunctionId, InitItem, InitValue, Initializer, Label, LabelId, StmtId, StmtKind, StorageDuration,
    VariableId,
};
use crate::lex::Name;
use crate::library;
use crate::types::{FunctionType, Type, TypeId};

/// What is known of the function at work.
pub(super) struct FunctionContext {
    pub(super) id: FunctionId,
    pub(super) result: TypeId,
    variadic: bool,
    /// Labels by name.
    labels: FxHashMap<Name, LabelId>,
    /// Labels that `__label__` declares, innermost last.
    local_labels: Vec<(Name, LabelId)>,
    /// All labels in the order of their first mention.
    all_labels: Vec<LabelId>,
    /// Where labels are defined.
    defined_labels: FxHashMap<LabelId, Span>,
    /// How many loops and switches can be left by `break`.
    pub(super) breakable: u32,
    /// How many loops can be continued.
    pub(super) continuable: u32,
    pub(super) switches: Vec<SwitchContext>,
}

/// The parameters of a definition.
struct Params {
    /// Types for the function's type; `None` for a K&R definition.
    types: Option<Vec<TypeId>>,
    variadic: bool,
    variables: Vec<VariableId>,
    /// What is to be done before the body.
    prologue: Vec<StmtId>,
}

/// A definition of a function, to compare it with another one.
pub(super) struct Definition {
    params: Box<[VariableId]>,
    /// The text of the unit, in which the body stands.
    text: Arc<[u8]>,
    body: Range<u32>,
}

impl Definition {
    /// The words of the body after preprocessing, whatever their white space and line markers are.
    fn words(&self) -> impl Iterator<Item = &[u8]> {
        let body = self.text.get(self.body.start as usize..self.body.end as usize).unwrap_or_default();
        body.split(|byte| *byte == b'\n')
            .map(<[u8]>::trim_ascii_start)
            .filter(|line| !line.starts_with(b"#"))
            .flat_map(|line| line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()))
    }
}

impl Checker<'_> {
    pub(super) fn function_definition(&mut self, id: ast::FunctionId) -> Checked<()> {
        let unit = self.unit;
        let definition = &unit.functions[id];
        let declarator = &unit.declarators[definition.declarator];
        let specifiers = &unit.specifiers[definition.specifiers];
        let (Some(ident), Some((DeclaratorPart::Function { parameters, .. }, rest))) =
            (declarator.ident, declarator.parts.split_first())
        else {
            return error("a function definition needs a function declarator", declarator.span);
        };
        let effects = self.effects(&[&specifiers.attributes, &declarator.attributes], &specifiers.alignas)?;
        let base = self.specifiers(definition.specifiers, TagUse::Mention)?;
        let result = self.apply_parts(base, rest, declarator.span)?.ty;
        self.check_result(result, declarator.span)?;
        if !self.types().is_void(result) && !self.types().is_complete(result) {
            return error(
                format!("the function returns the incomplete type {}", self.show(result)),
                ident.span,
            );
        }

        let first_variable = self.program.variables.len();
        self.scopes.enter();
        let expected = self.known_parameters(ident);
        let params = self.parameters(parameters, &definition.parameter_declarations, &expected)?;
        let scope = self.scopes.suspend();
        let ty = self.program.types.intern(Type::Function(FunctionType {
            result,
            params: params.types.clone().unwrap_or_default(),
            variadic: params.variadic,
            prototype: params.types.is_some(),
        }));
        let storage = specifiers.storage.map(|(storage, _)| storage);
        let function = self.declare_function(ident, ty, storage)?;
        self.program.functions[function].noreturn |= specifiers.noreturn || effects.noreturn;
        self.note_promise(function, &effects);
        self.note_restrict(function, parameters);
        effects.check_function()?;
        if effects.gnu_inline && specifiers.inline && storage == Some(Storage::Extern) {
            self.gnu_inline.insert(function);
            // What the system headers define for speed, or with checks of bounds, is the function of the library where C defines it.
            if effects.system_inline && library::is_known(self.text(ident.name)) {
                return Ok(());
            }
        }
        let is_kept = self.check_redefinition(function, ident, specifiers)?;
        self.compare_definitions(function, &params.variables, &definition.words);
        self.check_parameters(function, &params.variables, ident)?;
        for variable in first_variable..self.program.variables.len() {
            self.program.variables[VariableId::new(variable)].function = Some(function);
        }
        self.scopes.resume(scope);
        let (body, refused) = self.body_or_refusal(function, result, params, (definition, first_variable))?;
        if is_kept {
            self.program.functions[function].declared = ident.span;
            self.program.functions[function].body = Some(body);
            self.program.functions[function].refused = refused;
        }
        Ok(())
    }
    /// The body, or an empty one and why it must not be reached. Variables from a number on are those of the function.
    fn body_or_refusal(
        &mut self,
        function: FunctionId,
        result: TypeId,
        params: Params,
        (definition, first_variable): (&ast::FunctionDefinition, usize),
    ) -> Checked<(Body, Option<Box<Diagnostic>>)> {
        let (variables, late) = (params.variables.clone(), self.late_calls.len());
        match self.function_body(function, result, params, definition) {
            Ok(body) => Ok((body, None)),
            Err(diagnostic) => {
                let reason = self.refusal(diagnostic, result, first_variable)?;
                self.late_calls.truncate(late);
                Ok((self.without_body(variables, definition), Some(reason)))
            }
        }
    }
    /// Why a function must not be called: its body is valid C for the compiler, but not supported. Other errors are errors.
    fn refusal(
        &self,
        diagnostic: Box<Diagnostic>,
        result: TypeId,
        first_variable: usize,
    ) -> Checked<Box<Diagnostic>> {
        if diagnostic.unsupported_construct().is_some() {
            return Ok(diagnostic);
        }
        let mut variables = first_variable..self.program.variables.len();
        let of_variable = |variable| self.stands_for(self.program.variables[VariableId::new(variable)].ty);
        let construct = self.stands_for(result).or_else(|| variables.find_map(of_variable));
        match (&diagnostic.primary, construct) {
            (Some(label), Some(construct)) => Ok(Box::new(Diagnostic::unsupported(construct, label.span))),
            _ => Err(diagnostic),
        }
    }
    /// An empty body in place of one that is refused.
    fn without_body(&mut self, params: Vec<VariableId>, definition: &ast::FunctionDefinition) -> Body {
        while self.scopes.depth() > 0 {
            self.scopes.leave(|_| ());
        }
        self.function = None;
        self.pending_bounds.clear();
        self.in_parameters = false;
        let body = &self.unit.stmts[definition.body];
        let block = self.statement(StmtKind::Block(Vec::new()), body.span, body.keyword);
        Body { params, block, labels: Vec::new(), span: definition.span }
    }
    /// Notes what an attribute of a function says to the optimiser.
    pub(super) fn note_promise(&mut self, function: FunctionId, effects: &Effects) {
        if let Some(name) = effects.promise {
            let promise = format!("the attribute `{}`", self.text(name).trim_matches('_'));
            self.program.promises.entry(function).or_default().insert(promise);
        }
    }
    /// Notes that a parameter of a prototype is a pointer that is declared `restrict`.
    fn note_restrict(&mut self, function: FunctionId, parameters: &Parameters) {
        let Parameters::Prototype { parameters, .. } = parameters else { return };
        let is_restrict = |part: &DeclaratorPart| match part {
            DeclaratorPart::Pointer { qualifiers } | DeclaratorPart::Array { qualifiers, .. } => {
                qualifiers.is_restrict
            }
            DeclaratorPart::Function { .. } => false,
        };
        let mut declarators = parameters.iter().map(|parameter| &self.unit.declarators[parameter.declarator]);
        if declarators.any(|declarator| declarator.parts.iter().any(is_restrict)) {
            let promises = self.program.promises.entry(function).or_default();
            promises.insert("the qualifier `restrict`".to_owned());
        }
    }
    /// Notes that a definition is not the first of the function, and whether its words are others.
    fn compare_definitions(&mut self, function: FunctionId, params: &[VariableId], words: &Range<u32>) {
        let text = self.unit.text.clone();
        let definition = Definition { params: params.into(), text, body: words.clone() };
        let first = match self.first_definitions.entry(function) {
            Entry::Vacant(entry) => {
                entry.insert(definition);
                return;
            }
            Entry::Occupied(entry) => entry.into_mut(),
        };
        let name = |variable: &VariableId| &self.program.variables[*variable].name;
        if first.params.iter().map(name).eq(params.iter().map(name)) && first.words().eq(definition.words()) {
            self.program.repeated_definitions.insert(function);
        } else {
            self.program.ambiguous_definitions.insert(function);
        }
    }
    /// Whether this definition counts: of several inline ones the first does.
    fn check_redefinition(
        &mut self,
        function: FunctionId,
        ident: Ident,
        specifiers: &ast::Specifiers,
    ) -> Checked<bool> {
        let is_inline = specifiers.inline && !matches!(specifiers.storage, Some((Storage::Static, _)));
        let earlier_is_inline = self.program.inline_definitions.contains(&function);
        let known = &self.program.functions[function];
        if known.body.is_some() && !is_inline && !earlier_is_inline {
            let message = format!("redefinition of `{}`", known.name);
            let diagnostic = Diagnostic::error(message, ident.span);
            return Err(Box::new(diagnostic.with_secondary(known.declared, "first defined here")));
        }
        let is_kept = known.body.is_none() || (earlier_is_inline && !is_inline);
        if is_kept && is_inline {
            self.program.inline_definitions.insert(function);
        } else if is_kept {
            self.program.inline_definitions.remove(&function);
        }
        Ok(is_kept)
    }
    fn function_body(
        &mut self,
        id: FunctionId,
        result: TypeId,
        params: Params,
        definition: &ast::FunctionDefinition,
    ) -> Checked<Body> {
        let unit = self.unit;
        self.function = Some(FunctionContext {
            id,
            result,
            variadic: params.variadic,
            labels: FxHashMap::default(),
            local_labels: Vec::new(),
            all_labels: Vec::new(),
            defined_labels: FxHashMap::default(),
            breakable: 0,
            continuable: 0,
            switches: Vec::new(),
        });
        let body = &unit.stmts[definition.body];
        let ast::StmtKind::Block { items, close } = body.kind else {
            return error("the body of a function should be a block", body.span);
        };
        let mut statements = params.prologue;
        // The outermost block is the scope of the parameters (C11 6.2.1).
        for item in unit.stmts_of(items) {
            self.block_item(*item, &mut statements)?;
        }
        self.forget_local_labels(0);
        self.leave_scope(close);
        let block = self.statement(StmtKind::Block(statements), body.span, body.keyword);
        let labels = self.finish_labels()?;
        self.function = None;
        Ok(Body { params: params.variables, block, labels, span: definition.span })
    }
    pub(super) fn is_in_variadic_function(&self) -> bool {
        self.function.as_ref().is_some_and(|function| function.variadic)
    }

    // -------------------------------------------------------------------------------------------------
    // Parameters

    /// The types of the parameters by an earlier prototype.
    fn known_parameters(&self, ident: Ident) -> Vec<TypeId> {
        match self.scopes.lookup(ident.name).map(|binding| binding.entity) {
            Some(Entity::Function(function)) => self
                .types()
                .function(self.program.functions[function].ty)
                .map_or_else(Vec::new, |function| function.params.clone()),
            _ => Vec::new(),
        }
    }
    /// A K&R definition has the parameters that the prototype says.
    fn check_parameters(&self, function: FunctionId, params: &[VariableId], ident: Ident) -> Checked<()> {
        let signature = self.types().function(self.program.functions[function].ty);
        let Some(signature) = signature.filter(|signature| signature.prototype) else { return Ok(()) };
        let (count, expected) = (params.len(), signature.params.len());
        if count != expected {
            return error(format!("{count} parameters, but the prototype has {expected}"), ident.span);
        }
        for (param, expected) in params.iter().zip(&signature.params) {
            let param = &self.program.variables[*param];
            if !self.types().compatible(param.ty, *expected) {
                let message = format!(
                    "a parameter is passed as {}, but the prototype says {}",
                    self.show(param.ty),
                    self.show(*expected)
                );
                return error(message, param.declared);
            }
        }
        Ok(())
    }
    fn parameters(
        &mut self,
        parameters: &Parameters,
        declarations: &[ast::DeclarationId],
        expected: &[TypeId],
    ) -> Checked<Params> {
        self.in_parameters = true;
        let params = match parameters {
            Parameters::Prototype { parameters, variadic } => {
                Params { variadic: *variadic, ..self.prototype_parameters(parameters)? }
            }
            Parameters::Identifiers(names) => self.old_parameters(names, declarations, expected)?,
        };
        self.in_parameters = false;
        Ok(params)
    }
    fn prototype_parameters(&mut self, parameters: &[ast::Parameter]) -> Checked<Params> {
        let mut types = Vec::with_capacity(parameters.len());
        let mut variables = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let (ident, typed) = self.parameter(parameter)?;
            types.push(typed.ty);
            let at = ident.map_or(parameter.span, |ident| ident.span);
            if !self.types().is_void(typed.ty) {
                self.check_parameter_type(typed.ty, at)?;
                variables.push(self.new_parameter(ident, typed, at)?);
            }
        }
        self.check_void_parameters(&mut types, parameters)?;
        let prologue = std::mem::take(&mut self.pending_bounds);
        Ok(Params { types: Some(types), variadic: false, variables, prologue })
    }
    fn check_parameter_type(&self, ty: TypeId, at: Span) -> Checked<()> {
        if self.types().is_complete(ty) && !self.is_undefined_enum(ty) {
            return Ok(());
        }
        error(format!("a parameter has the incomplete type {}", self.show(ty)), at)
    }
    fn new_parameter(&mut self, ident: Option<Ident>, typed: Typed, at: Span) -> Checked<VariableId> {
        let Some(ident) = ident else {
            return Ok(self.variable("%unnamed", typed.ty, StorageDuration::Parameter, at));
        };
        self.bind_parameter(ident, typed, StorageDuration::Parameter)
    }
    fn bind_parameter(
        &mut self,
        ident: Ident,
        typed: Typed,
        duration: StorageDuration,
    ) -> Checked<VariableId> {
        if let Some(binding) = self.scopes.lookup_here(ident.name) {
            return Err(Box::new(self.redeclared(ident, binding.span)));
        }
        let variable = self.variable(self.text(ident.name), typed.ty, duration, ident.span);
        self.program.variables[variable].is_volatile = typed.is_volatile;
        self.program.variables[variable].extent = typed.extent;
        self.variable_facts[variable].is_const = typed.is_const;
        self.scopes.bind(ident.name, Entity::Variable(variable), Linkage::None, ident.span);
        Ok(variable)
    }
    /// K&R style: arguments arrive promoted, so a parameter of a smaller type is converted on entry.
    fn old_parameters(
        &mut self,
        names: &[Ident],
        declarations: &[ast::DeclarationId],
        expected: &[TypeId],
    ) -> Checked<Params> {
        let mut declared: FxHashMap<Name, (Ident, Typed)> = FxHashMap::default();
        for declaration in declarations {
            self.old_declaration(*declaration, names, &mut declared)?;
        }
        let mut variables = Vec::with_capacity(names.len());
        let mut prologue = std::mem::take(&mut self.pending_bounds);
        for (index, name) in names.iter().enumerate() {
            let (ident, typed) =
                declared.get(&name.name).copied().unwrap_or((*name, Typed::plain(self.basic.int)));
            self.check_parameter_type(typed.ty, ident.span)?;
            let promoted = self.promoted_parameter(typed.ty);
            if promoted == typed.ty || expected.get(index) == Some(&typed.ty) {
                variables.push(self.bind_parameter(ident, typed, StorageDuration::Parameter)?);
                continue;
            }
            let hidden = self.variable("%promoted", promoted, StorageDuration::Parameter, ident.span);
            variables.push(hidden);
            let variable = self.bind_parameter(ident, typed, StorageDuration::Automatic)?;
            let value = self.load_variable(hidden, ident.span);
            let value = self.convert(value, typed.ty);
            let item = InitItem { path: Vec::new(), value: InitValue::Expr(value) };
            let init = Some(Initializer { zero_rest: false, items: vec![item], span: ident.span });
            prologue.push(self.statement(StmtKind::Declare { variable, init }, ident.span, ident.span));
        }
        Ok(Params { types: None, variadic: false, variables, prologue })
    }
    fn old_declaration(
        &mut self,
        id: ast::DeclarationId,
        names: &[Ident],
        declared: &mut FxHashMap<Name, (Ident, Typed)>,
    ) -> Checked<()> {
        let unit = self.unit;
        let declaration = &unit.declarations[id];
        let DeclarationKind::Plain { specifiers, declarators } = &declaration.kind else {
            return error("only parameters can be declared here", declaration.span);
        };
        let base = self.specifiers(*specifiers, TagUse::Mention)?;
        for init_declarator in declarators {
            let declarator = &unit.declarators[init_declarator.declarator];
            let Some(ident) = declarator.ident else {
                return error("a parameter without a name", declarator.span);
            };
            if !names.iter().any(|name| name.name == ident.name) {
                let message = format!("`{}` is declared, but is not a parameter", self.text(ident.name));
                return error(message, ident.span);
            }
            let typed = self.declarator_type(base, init_declarator.declarator)?;
            let typed = self.with_attributes(typed, *specifiers, init_declarator.declarator)?;
            let typed = self.adjusted(typed);
            if let Some((earlier, _)) = declared.insert(ident.name, (ident, typed)) {
                return Err(Box::new(self.redeclared(ident, earlier.span)));
            }
        }
        Ok(())
    }
    fn promoted_parameter(&mut self, ty: TypeId) -> TypeId {
        match self.types().get(ty) {
            Type::Float(cfa::FloatKind::Single) => self.basic.double,
            Type::Int(kind) => {
                let promoted = self.types().promoted(*kind);
                self.int_type(promoted)
            }
            _ => ty,
        }
    }

    // -------------------------------------------------------------------------------------------------
    // Labels

    /// The label that a `goto` or a definition means; a new one if it is not known yet.
    pub(super) fn label(&mut self, ident: Ident) -> Checked<LabelId> {
        let name = self.text(ident.name);
        let Some(function) = &mut self.function else {
            return unsupported("a label outside of a function", ident.span);
        };
        let local = function.local_labels.iter().rev().find(|(local, _)| *local == ident.name);
        if let Some((_, label)) = local {
            return Ok(*label);
        }
        let labels = &mut self.program.labels;
        let all = &mut function.all_labels;
        Ok(*function.labels.entry(ident.name).or_insert_with(|| {
            let label = labels.push(Label { name: name.into(), span: ident.span });
            all.push(label);
            label
        }))
    }
    pub(super) fn define_label(&mut self, ident: Ident) -> Checked<LabelId> {
        let label = self.label(ident)?;
        let Some(function) = &mut self.function else { return Ok(label) };
        if let Some(earlier) = function.defined_labels.insert(label, ident.span) {
            return Err(Box::new(self.redeclared(ident, earlier)));
        }
        self.program.labels[label].span = ident.span;
        Ok(label)
    }
    /// `__label__ name;`
    pub(super) fn declare_local_label(&mut self, ident: Ident) {
        let name = self.text(ident.name);
        let label = self.program.labels.push(Label { name: name.into(), span: ident.span });
        if let Some(function) = &mut self.function {
            function.all_labels.push(label);
            function.local_labels.push((ident.name, label));
        }
    }
    pub(super) fn local_label_count(&self) -> usize {
        self.function.as_ref().map_or(0, |function| function.local_labels.len())
    }
    /// Ends the scope of local labels.
    pub(super) fn forget_local_labels(&mut self, count: usize) {
        if let Some(function) = &mut self.function {
            function.local_labels.truncate(count);
        }
    }
    fn finish_labels(&mut self) -> Checked<Vec<LabelId>> {
        let Some(function) = &self.function else { return Ok(Vec::new()) };
        let undefined = function.all_labels.iter().find(|label| !function.defined_labels.contains_key(label));
        if let Some(label) = undefined {
            let label = &self.program.labels[*label];
            return error(format!("the label `{}` is used but not defined", label.name), label.span);
        }
        Ok(function.all_labels.clone())
    }
}
