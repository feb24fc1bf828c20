//! The state of the checker, and what every part of it needs.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Diagnostic, IndexVec, SourceMap, Span};
use cfa::{DataModel, FloatKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Checked;
use super::function::{Definition, FunctionContext};
use super::late::LateCall;
use super::linkage::{Declared, External};
use super::record::Shared;
use super::scope::{Binding, Entity, Scopes};
use crate::ast::{self, Item, TranslationUnit};
use crate::hir::{
    Expr, ExprId, ExprKind, FunctionId, Place, PlaceId, PlaceKind, Program, Stmt, StmtId, StmtKind,
    StorageDuration, StringId, Variable, VariableId,
};
use crate::lex::{Interner, Name};
use crate::types::{IntKind, RecordId, Type, TypeId, Types};

/// Types that are needed all the time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basic {
    pub(super) void: TypeId,
    pub(super) bool: TypeId,
    pub(super) char: TypeId,
    pub(super) int: TypeId,
    pub(super) unsigned: TypeId,
    pub(super) long: TypeId,
    pub(super) double: TypeId,
    pub(super) size: TypeId,
    pub(super) difference: TypeId,
    pub(super) void_pointer: TypeId,
    pub(super) va_list: TypeId,
}

impl Basic {
    fn new(types: &mut Types) -> Self {
        let void = types.intern(Type::Void);
        let (size, difference) = (types.size_type(), types.difference_type());
        Self {
            void,
            bool: types.int(IntKind::Bool),
            char: types.int(IntKind::Char),
            int: types.int(IntKind::Int),
            unsigned: types.int(IntKind::UnsignedInt),
            long: types.int(IntKind::Long),
            double: types.intern(Type::Float(FloatKind::Double)),
            size: types.int(size),
            difference: types.int(difference),
            void_pointer: types.pointer(void),
            va_list: types.intern(Type::VaList),
        }
    }
}

/// What the checker knows of a variable beyond [`Variable`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VariableFacts {
    pub(super) is_const: bool,
    /// Whether it has been declared without `extern`.
    pub(super) is_defined: bool,
    /// Alignment that its type has by an attribute.
    pub(super) align: Option<u64>,
}

/// The checker; one for all units of a program.
///
/// Units are checked one after the other; the program is complete after [`Checker::finish`].
pub(crate) struct Checker<'a> {
    /// The unit at work.
    pub(super) unit: &'a TranslationUnit,
    pub(super) interner: &'a Interner,
    pub(super) sources: &'a SourceMap,
    pub(super) program: Program,
    pub(super) basic: Basic,
    pub(super) scopes: Scopes,
    /// Variables and functions with external linkage, of all units.
    pub(super) externals: FxHashMap<Name, External>,
    /// Where the unit at work first gives external linkage to a name, in any scope.
    pub(super) unit_externals: FxHashMap<Name, (Span, Declared)>,
    pub(super) variable_facts: IndexVec<VariableId, VariableFacts>,
    pub(super) strings: FxHashMap<(Arc<[u8]>, TypeId), StringId>,
    /// Records and enumerations of earlier units that this one may define again.
    pub(super) shared: Shared,
    pub(super) transparent_unions: FxHashSet<RecordId>,
    /// Library functions that were only called as `__builtin_…`: no text of the program interned their names.
    pub(super) builtins: FxHashMap<Box<str>, FunctionId>,
    /// Functions that were called before they were declared.
    pub(super) implicit: FxHashSet<FunctionId>,
    pub(super) late_calls: Vec<LateCall>,
    /// Symbols that declarations name by `asm("symbol")`.
    pub(super) asm_labels: Vec<(ast::Ident, String)>,
    /// Functions with a definition that is no definition of their symbol.
    pub(super) gnu_inline: FxHashSet<FunctionId>,
    /// The first definition of each function.
    pub(super) first_definitions: FxHashMap<FunctionId, Definition>,
    /// Symbols that are weak, with the attribute that says so.
    pub(super) weak_symbols: Vec<(Name, Span)>,
    /// The function at work.
    pub(super) function: Option<FunctionContext>,
    /// [`StmtKind::SetBound`] statements of types that were read but not yet declared with.
    pub(super) pending_bounds: Vec<StmtId>,
    /// Whether parameters of a mere declaration are read: their bounds do not matter.
    pub(super) in_prototype: bool,
    /// Whether parameters of a definition are read: their bounds are set when the function is entered.
    pub(super) in_parameters: bool,
    /// Number of dimensions of array types that declarators have made.
    pub(super) array_depths: FxHashMap<TypeId, u32>,
    /// Values of integer types that C has no name for: arithmetic on bit-fields wider than `int`.
    pub(super) odd_widths: FxHashMap<ExprId, u8>,
    /// The first construct that was understood but is not supported.
    pub(super) unsupported: Option<Box<Diagnostic>>,
}

/// A unit without text, for the time before the first.
static EMPTY: std::sync::LazyLock<TranslationUnit> = std::sync::LazyLock::new(TranslationUnit::default);

impl<'a> Checker<'a> {
    /// A checker that has seen no unit. The units are parsed with the interner.
    pub(crate) fn new(interner: &'a Interner, sources: &'a SourceMap, model: DataModel) -> Self {
        let mut types = Types::new(model);
        let basic = Basic::new(&mut types);
        let program = Program {
            types,
            variables: IndexVec::new(),
            functions: IndexVec::new(),
            exprs: IndexVec::new(),
            places: IndexVec::new(),
            stmts: IndexVec::new(),
            labels: IndexVec::new(),
            strings: IndexVec::new(),
            statics: Vec::new(),
            inline_definitions: FxHashSet::default(),
            misfits: FxHashSet::default(),
            ambiguous_definitions: FxHashSet::default(),
            repeated_definitions: FxHashSet::default(),
            promises: BTreeMap::new(),
            static_overflows: Vec::new(),
        };
        Self {
            unit: &EMPTY,
            interner,
            sources,
            program,
            basic,
            scopes: Scopes::new(interner.len()),
            externals: FxHashMap::default(),
            unit_externals: FxHashMap::default(),
            variable_facts: IndexVec::new(),
            strings: FxHashMap::default(),
            shared: Shared::default(),
            transparent_unions: FxHashSet::default(),
            builtins: FxHashMap::default(),
            implicit: FxHashSet::default(),
            late_calls: Vec::new(),
            asm_labels: Vec::new(),
            gnu_inline: FxHashSet::default(),
            first_definitions: FxHashMap::default(),
            weak_symbols: Vec::new(),
            function: None,
            pending_bounds: Vec::new(),
            in_prototype: false,
            in_parameters: false,
            array_depths: FxHashMap::default(),
            odd_widths: FxHashMap::default(),
            unsupported: None,
        }
    }

    /// Goes on with more names and texts, which extend those before: what they have, has its number here, too.
    pub(crate) fn extend(&mut self, interner: &'a Interner, sources: &'a SourceMap) {
        self.interner = interner;
        self.sources = sources;
        self.scopes.grow(interner.len());
    }
    /// What has been checked so far.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }
    /// Checks one unit.
    pub(crate) fn unit(&mut self, unit: &'a TranslationUnit) -> Checked<()> {
        self.unit = unit;
        // Compilers make one object of equal literals of a file; whether the linker does, C does not say (C11 6.4.5p7).
        self.strings.clear();
        for item in &unit.items {
            match *item {
                Item::Function(function) => self.function_definition(function)?,
                Item::Declaration(declaration) => self.file_declaration(declaration)?,
                Item::Asm(asm) => self.top_level_asm(asm)?,
            }
        }
        self.finish_unit()
    }
    /// The program, once all units have been checked.
    pub(crate) fn finish(mut self) -> Checked<Program> {
        self.settle_late_calls()?;
        self.check_asm_labels()?;
        self.check_weak_symbols()?;
        match self.unsupported {
            Some(diagnostic) => Err(diagnostic),
            None => Ok(self.program),
        }
    }

    fn finish_unit(&mut self) -> Checked<()> {
        let Self { scopes, program, sources, .. } = self;
        scopes.leave(|binding| end_scope(binding, program, None, sources));
        for variable in self.program.variables.ids() {
            if self.variable_facts[variable].is_defined {
                complete_tentative(&mut self.program, variable);
                self.check_complete(variable)?;
            }
        }
        self.unit_externals.clear();
        self.shared.next_unit();
        Ok(())
    }
    /// Leaves a block; its variables are visible up to `close`.
    pub(super) fn leave_scope(&mut self, close: Span) {
        let Self { scopes, program, sources, .. } = self;
        scopes.leave(|binding| end_scope(binding, program, Some(close), sources));
    }

    // -------------------------------------------------------------------------------------------------
    // Nodes

    pub(super) fn types(&self) -> &Types {
        &self.program.types
    }
    pub(super) fn pointer(&mut self, to: TypeId) -> TypeId {
        self.program.types.pointer(to)
    }
    pub(super) fn int_type(&mut self, kind: IntKind) -> TypeId {
        self.program.types.int(kind)
    }
    /// A new expression, as it is (see [`Checker::fold`] for folding).
    pub(super) fn raw(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        self.program.exprs.push(Expr { kind, ty, span })
    }
    pub(super) fn constant(&mut self, value: i128, ty: TypeId, span: Span) -> ExprId {
        self.raw(ExprKind::Int(value), ty, span)
    }
    pub(super) fn place(&mut self, kind: PlaceKind, ty: TypeId, span: Span) -> PlaceId {
        self.program.places.push(Place { kind, ty, span })
    }
    pub(super) fn statement(&mut self, kind: StmtKind, span: Span, keyword: Span) -> StmtId {
        self.program.stmts.push(Stmt { kind, span, keyword })
    }
    pub(super) fn ty(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }
    pub(super) fn span(&self, expr: ExprId) -> Span {
        self.program.exprs[expr].span
    }
    /// The type as a message shows it.
    pub(super) fn show(&self, ty: TypeId) -> String {
        format!("`{}`", self.types().display(ty))
    }
    pub(super) fn text(&self, name: Name) -> &'a str {
        self.interner.text(name)
    }
    /// A new variable; those of static duration join the program's list.
    pub(super) fn variable(
        &mut self,
        name: &str,
        ty: TypeId,
        duration: StorageDuration,
        declared: Span,
    ) -> VariableId {
        let id = self.program.variables.push(Variable {
            name: name.into(),
            ty,
            duration,
            is_extern: false,
            is_volatile: false,
            is_const: false,
            extent: None,
            function: self.function.as_ref().map(|function| function.id),
            init: None,
            align: None,
            declared,
            scope: declared,
        });
        self.variable_facts.push(VariableFacts::default());
        if duration == StorageDuration::Static {
            self.program.statics.push(id);
        }
        id
    }
    /// A variable that the text does not name, and the statement that declares it with a value.
    pub(super) fn hidden_variable(&mut self, name: &str, value: ExprId) -> (VariableId, StmtId) {
        let (ty, span) = (self.ty(value), self.span(value));
        let variable = self.variable(name, ty, StorageDuration::Automatic, span);
        let init = crate::hir::Initializer {
            zero_rest: false,
            items: vec![crate::hir::InitItem { path: Vec::new(), value: crate::hir::InitValue::Expr(value) }],
            span,
        };
        let declare = StmtKind::Declare { variable, init: Some(init) };
        (variable, self.statement(declare, span, span))
    }
    /// The value of a variable.
    pub(super) fn load_variable(&mut self, variable: VariableId, span: Span) -> ExprId {
        let ty = self.program.variables[variable].ty;
        let place = self.place(PlaceKind::Variable(variable), ty, span);
        self.raw(ExprKind::Load(place), ty, span)
    }
}

/// Notes where a variable stops being visible.
fn end_scope(binding: &Binding, program: &mut Program, close: Option<Span>, sources: &SourceMap) {
    let Entity::Variable(variable) = binding.entity else { return };
    let variable = &mut program.variables[variable];
    // A block that declares an `extern` variable again does not end its visibility elsewhere.
    if variable.declared != binding.span {
        return;
    }
    let end_of_file = || {
        let end = sources.get(variable.declared.file).map_or(0, |file| file.text.len() as u32);
        Span { hi: end.max(variable.declared.hi), ..variable.declared }
    };
    variable.scope = close.map_or_else(end_of_file, |close| variable.declared.to(close));
}

/// A tentative definition of an array of unknown length gets one element (C11 6.9.2).
fn complete_tentative(program: &mut Program, variable: VariableId) {
    let ty = program.variables[variable].ty;
    if let Some((elem, crate::types::ArrayLength::Unknown)) = program.types.array(ty) {
        let length = crate::types::ArrayLength::Fixed(1);
        program.variables[variable].ty = program.types.intern(Type::Array { elem, length });
    }
}

/// An error at a place.
pub(super) fn error<T>(message: impl Into<String>, span: Span) -> Checked<T> {
    Err(Box::new(Diagnostic::error(message, span)))
}

/// An error about what is C, but not modelled here.
pub(super) fn unsupported<T>(construct: impl std::fmt::Display, span: Span) -> Checked<T> {
    Err(Box::new(Diagnostic::unsupported(construct, span)))
}
