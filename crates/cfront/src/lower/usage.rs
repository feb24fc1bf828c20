//! Which parts of a program are used, and how: reachable functions, address-taken functions, and for every variable whether it
//! can be kept outside memory.
//!
//! # Invariants
//! * U1: a variable that is not [`VariableUsage::in_memory`] is used by access paths only: whole scalars, fields, elements,
//!   and whole records that are lists of scalars. Its address is never taken.
//! * U2: of a union that is not in memory a single member is used.
//! * U3: the walk needs no native recursion.
//! * U4: a record type of which some whole value is in memory is one whose whole values are all in memory, so that records are never
//!   copied between memory and variables: such a copy would read every field, the uninitialised ones too.

use rustc_hash::{FxHashMap, FxHashSet};

use base::IndexVec;
use indexmap::IndexSet;

use crate::hir::{
    Builtin, Callee, ElementSize, ExprId, ExprKind, FunctionId, InitItem, InitValue, Initializer, LabelId,
    PlaceId, Program, Projection, StmtId, StmtKind, StorageDuration, VariableId,
};
use crate::lower::access::{Access, Root, Step, access};
use crate::lower::layout;
use crate::types::{ArrayLength, RecordId, Type, TypeId};

type FxIndexSet<T> = IndexSet<T, rustc_hash::FxBuildHasher>;

/// A scope of local variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ScopeKey {
    /// The parameters of a function.
    Function(FunctionId),
    /// A block, or a `for` with its first clause.
    Stmt(StmtId),
    /// A statement expression.
    Expr(ExprId),
}

/// How a variable is used.
#[derive(Clone, Debug, Default)]
pub(super) struct VariableUsage {
    /// Whether anything names it.
    pub referenced: bool,
    /// Whether it must live in memory (U1).
    pub in_memory: bool,
    /// Whether its address is taken: pointers may lead to it.
    pub has_address: bool,
    /// Whether it may lack a value after its declaration.
    pub bare: bool,
    /// The parts that are used, by field numbers.
    pub paths: Vec<Box<[u32]>>,
    /// The unions within it, by field numbers, and their used member.
    pub unions: Vec<(Box<[u32]>, u32)>,
}

/// The result of the walk.
#[derive(Debug)]
pub(super) struct Usage {
    /// Reachable functions, defined or not, in the order in which they were found.
    pub functions: FxIndexSet<FunctionId>,
    /// Functions whose address is taken.
    pub address_taken: FxIndexSet<FunctionId>,
    /// All variables.
    pub variables: IndexVec<VariableId, VariableUsage>,
    /// The variables of each scope with automatic storage duration.
    pub scopes: FxHashMap<ScopeKey, Vec<VariableId>>,
    /// Labels that some `goto` names.
    pub jumped_to: FxHashSet<LabelId>,
    /// All reachable expressions, in the order in which they were found.
    pub exprs: Vec<ExprId>,
    /// The values of initialisers that have several.
    pub initialisers: Vec<Vec<ExprId>>,
    /// Record types whose whole values are in memory (U4).
    pub memory_records: FxHashSet<RecordId>,
    /// Unions of which some member is named.
    pub unions: FxHashSet<RecordId>,
}

impl Usage {
    /// Walks everything that is reachable from `roots`. `resolve` says which function a call really enters; `is_opaque` says that the body of
    /// a function is never entered.
    pub(super) fn of(
        hir: &Program,
        roots: &[FunctionId],
        resolve: &dyn Fn(FunctionId) -> FunctionId,
        is_opaque: &dyn Fn(FunctionId) -> bool,
    ) -> Self {
        let usage = Self {
            functions: FxIndexSet::default(),
            address_taken: FxIndexSet::default(),
            variables: IndexVec::filled(VariableUsage::default(), hir.variables.len()),
            scopes: FxHashMap::default(),
            jumped_to: FxHashSet::default(),
            exprs: Vec::new(),
            initialisers: Vec::new(),
            memory_records: FxHashSet::default(),
            unions: FxHashSet::default(),
        };
        let mut walk = Walk {
            hir,
            usage,
            tasks: Vec::new(),
            whole: IndexSet::default(),
            paths: FxHashSet::default(),
            resolve,
            is_opaque,
        };
        for root in roots {
            walk.function(*root);
        }
        while let Some((task, scope)) = walk.tasks.pop() {
            match task {
                Task::Expr(expr) => walk.expr(expr, scope),
                Task::Stmt(stmt) => walk.stmt(stmt, scope),
            }
        }
        walk.settle_records();
        walk.usage
    }
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Expr(ExprId),
    Stmt(StmtId),
}

/// What an access does with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Reads or writes it.
    Value,
    /// Takes its address.
    Address,
}

struct Walk<'a> {
    hir: &'a Program,
    usage: Usage,
    tasks: Vec<(Task, ScopeKey)>,
    /// Whole values of records: of a variable, or without variable in memory that a pointer leads to.
    whole: FxIndexSet<(Option<VariableId>, RecordId)>,
    /// All that is in [`VariableUsage::paths`].
    paths: FxHashSet<(VariableId, Box<[u32]>)>,
    resolve: &'a dyn Fn(FunctionId) -> FunctionId,
    is_opaque: &'a dyn Fn(FunctionId) -> bool,
}

impl Walk<'_> {
    fn function(&mut self, function: FunctionId) {
        let function = (self.resolve)(function);
        if !self.usage.functions.insert(function) || (self.is_opaque)(function) {
            return;
        }
        let Some(body) = &self.hir.functions[function].body else { return };
        let scope = ScopeKey::Function(function);
        for param in &body.params {
            self.usage.scopes.entry(scope).or_default().push(*param);
            // What is passed by address is copied into memory of the callee.
            if let Some(record) = self.hir.types.record(self.hir.variables[*param].ty) {
                self.whole.insert((Some(*param), record));
            }
        }
        self.tasks.push((Task::Stmt(body.block), scope));
    }

    fn push(&mut self, expr: ExprId, scope: ScopeKey) {
        self.tasks.push((Task::Expr(expr), scope));
    }

    fn place(&mut self, place: PlaceId, purpose: Purpose, scope: ScopeKey) {
        let access = access(self.hir, place);
        for step in &access.steps {
            match step {
                Step::Index { array, index } => {
                    if let Some(index) = index {
                        self.push(*index, scope);
                    }
                    self.bounds(*array);
                }
                Step::Field { record, .. } if self.hir.types.records[*record].is_union => {
                    self.usage.unions.insert(*record);
                }
                Step::Field { .. } => {}
            }
        }
        match access.root {
            Root::Variable(variable) => self.variable(variable, &access, purpose, scope),
            Root::Literal(variable) => {
                let is_new = !self.usage.variables[variable].referenced;
                self.variable(variable, &access, purpose, scope);
                if is_new {
                    self.usage.scopes.entry(scope).or_default().push(variable);
                    if let Some(init) = &self.hir.variables[variable].init {
                        self.initializer(variable, init, scope);
                    }
                }
            }
            Root::Pointer(expr) => {
                self.push(expr, scope);
                let last = access.type_after(self.hir, access.steps.len());
                if let (Purpose::Value, Some(record)) = (purpose, self.hir.types.record(last)) {
                    self.whole.insert((None, record));
                }
            }
            Root::Value(expr) => self.push(expr, scope),
            Root::String(_) => {}
        }
    }

    /// The hidden bounds of an array type are used where its elements are.
    fn bounds(&mut self, mut ty: TypeId) {
        while let Some((elem, length)) = self.hir.types.array(ty) {
            if let ArrayLength::Variable(bound) = length {
                let usage = &mut self.usage.variables[bound];
                usage.referenced = true;
                if usage.paths.is_empty() {
                    usage.paths.push(Box::default());
                }
            }
            ty = elem;
        }
    }

    fn variable(&mut self, variable: VariableId, access: &Access, purpose: Purpose, scope: ScopeKey) {
        self.reference(variable, scope);
        self.bounds(access.root_ty);
        let last = access.type_after(self.hir, access.steps.len());
        let splittable = match self.hir.types.get(last) {
            Type::Array { .. } | Type::Function(_) | Type::Void => false,
            Type::Record(record) => {
                self.whole.insert((Some(variable), *record));
                true
            }
            _ => true,
        };
        self.usage.variables[variable].has_address |= purpose == Purpose::Address;
        if purpose == Purpose::Address || !splittable || self.has_unknown_length(access) {
            self.usage.variables[variable].in_memory = true;
            return;
        }
        let mut path = Vec::new();
        for step in &access.steps {
            let Step::Field { record, field } = step else { continue };
            if self.hir.types.records[*record].is_union {
                self.member(variable, &path, *field);
            }
            path.push(*field);
        }
        if self.paths.insert((variable, path.as_slice().into())) {
            self.usage.variables[variable].paths.push(path.into());
        }
    }

    fn has_unknown_length(&self, access: &Access) -> bool {
        let unknown = |ty: TypeId| matches!(self.hir.types.array(ty), Some((_, ArrayLength::Unknown)));
        access.steps.iter().any(|step| matches!(step, Step::Index { array, .. } if unknown(*array)))
    }

    /// A member of a union is used (U2).
    fn member(&mut self, variable: VariableId, union_path: &[u32], member: u32) {
        let usage = &mut self.usage.variables[variable];
        match usage.unions.iter().find(|(path, _)| **path == *union_path) {
            None => usage.unions.push((union_path.into(), member)),
            Some((_, known)) if *known == member => {}
            Some(_) => usage.in_memory = true,
        }
    }

    fn reference(&mut self, variable: VariableId, scope: ScopeKey) {
        let hir = self.hir;
        if std::mem::replace(&mut self.usage.variables[variable].referenced, true) {
            return;
        }
        let declared = &hir.variables[variable];
        if declared.duration == StorageDuration::Static
            && let Some(init) = &declared.init
        {
            self.initializer(variable, init, scope);
        }
    }

    fn initializer(&mut self, variable: VariableId, init: &Initializer, scope: ScopeKey) {
        for item in &init.items {
            self.init_item(variable, item, scope);
        }
        let values = init.items.iter().filter_map(|item| match item.value {
            InitValue::Expr(expr) => Some(expr),
            InitValue::Bytes(_) => None,
        });
        let values: Vec<ExprId> = values.collect();
        if values.len() > 1 {
            self.usage.initialisers.push(values);
        }
    }

    /// Initialising a part is no use of it, but a record value has to fit, and a union takes one member only.
    fn init_item(&mut self, variable: VariableId, item: &InitItem, scope: ScopeKey) {
        let mut path = Vec::new();
        let mut ty = self.hir.variables[variable].ty;
        for projection in &item.path {
            match (projection, self.hir.types.get(ty)) {
                (Projection::Field(field), Type::Record(record)) => {
                    let record = &self.hir.types.records[*record];
                    if record.is_union {
                        self.member(variable, &path, *field);
                    }
                    path.push(*field);
                    ty = record.fields[*field as usize].ty;
                }
                (Projection::Index(_), Type::Array { elem, length }) => {
                    if *length == ArrayLength::Unknown {
                        self.usage.variables[variable].in_memory = true;
                    }
                    ty = *elem;
                }
                _ => {}
            }
        }
        if let InitValue::Expr(expr) = item.value {
            self.push(expr, scope);
            if let Some(record) = self.hir.types.record(ty) {
                self.whole.insert((Some(variable), record));
            }
        }
    }

    /// Decides which records are moved as memory, and which variables have to be in memory for that (U4).
    fn settle_records(&mut self) {
        for (_, record) in &self.whole {
            if layout::leaves(&self.hir.types, *record).is_none() {
                self.usage.memory_records.insert(*record);
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (variable, record) in &self.whole {
                let in_memory = variable.is_none_or(|variable| self.usage.variables[variable].in_memory);
                if in_memory {
                    changed |= self.usage.memory_records.insert(*record);
                } else if let (Some(variable), true) = (*variable, self.usage.memory_records.contains(record))
                {
                    self.usage.variables[variable].in_memory = true;
                    changed = true;
                }
            }
        }
    }

    fn element(&mut self, element: ElementSize) {
        if let ElementSize::Variable(ty) = element {
            self.bounds(ty);
        }
    }

    /// Longer than other functions: one short arm for each kind of expression, which nothing but the kind groups.
    fn expr(&mut self, expr: ExprId, scope: ScopeKey) {
        let hir = self.hir;
        self.usage.exprs.push(expr);
        match &hir.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) => {}
            ExprKind::Load(place) => self.place(*place, Purpose::Value, scope),
            ExprKind::VaArg(place) => {
                self.place(*place, Purpose::Value, scope);
                if let Some(record) = hir.types.record(hir.exprs[expr].ty) {
                    self.whole.insert((None, record));
                }
            }
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                self.place(*place, Purpose::Address, scope);
            }
            ExprKind::FunctionAddress(function) => {
                let function = (self.resolve)(*function);
                self.usage.address_taken.insert(function);
                self.function(function);
            }
            ExprKind::Negate(arg)
            | ExprKind::BitNot(arg)
            | ExprKind::LogicalNot(arg)
            | ExprKind::Convert(arg) => self.push(*arg, scope),
            ExprKind::Arithmetic { left, right, .. }
            | ExprKind::Compare { left, right, .. }
            | ExprKind::LogicalAnd(left, right)
            | ExprKind::LogicalOr(left, right)
            | ExprKind::Comma(left, right) => {
                self.push(*right, scope);
                self.push(*left, scope);
            }
            ExprKind::PointerOffset { pointer: left, index: right, element, .. }
            | ExprKind::PointerDifference { left, right, element } => {
                self.element(*element);
                self.push(*right, scope);
                self.push(*left, scope);
            }
            ExprKind::Conditional { condition, then, otherwise, .. } => {
                self.push(*otherwise, scope);
                self.push(*then, scope);
                self.push(*condition, scope);
            }
            ExprKind::ConditionalValue { condition, otherwise, .. } => {
                self.push(*otherwise, scope);
                self.push(*condition, scope);
            }
            ExprKind::Assign { place, value } | ExprKind::CompoundAssign { place, value, .. } => {
                self.place(*place, Purpose::Value, scope);
                self.push(*value, scope);
            }
            ExprKind::PointerAssign { place, index, element, .. } => {
                self.element(*element);
                self.place(*place, Purpose::Value, scope);
                self.push(*index, scope);
            }
            ExprKind::Step { place, element, .. } => {
                if let Some(element) = element {
                    self.element(*element);
                }
                self.place(*place, Purpose::Value, scope);
            }
            ExprKind::Call { callee, args, .. } => {
                match callee {
                    Callee::Direct(function) => self.function(*function),
                    Callee::Indirect(pointer) => self.push(*pointer, scope),
                }
                for arg in args {
                    self.push(*arg, scope);
                }
            }
            ExprKind::Builtin { builtin, args } => self.builtin(*builtin, args, scope),
            ExprKind::StatementExpr { body, value } => {
                let inner = ScopeKey::Expr(expr);
                if let Some(value) = value {
                    self.push(*value, inner);
                }
                self.tasks.extend(body.iter().rev().map(|stmt| (Task::Stmt(*stmt), inner)));
            }
            ExprKind::SizeofVariable(ty) => self.bounds(*ty),
        }
    }

    /// The list that a variadic builtin names is used as a place, although C writes it as an address.
    fn builtin(&mut self, builtin: Builtin, args: &[ExprId], scope: ScopeKey) {
        let on_lists = matches!(builtin, Builtin::VaStart | Builtin::VaEnd | Builtin::VaCopy);
        for arg in args {
            match self.hir.exprs[*arg].kind {
                ExprKind::AddressOf(place) if on_lists => self.place(place, Purpose::Value, scope),
                _ => self.push(*arg, scope),
            }
        }
    }

    fn stmt(&mut self, stmt: StmtId, scope: ScopeKey) {
        let hir = self.hir;
        match &hir.stmts[stmt].kind {
            StmtKind::Empty | StmtKind::Break | StmtKind::Continue | StmtKind::Barrier => {}
            StmtKind::Return(None) => {}
            StmtKind::Goto(label) => {
                self.usage.jumped_to.insert(*label);
            }
            StmtKind::Expr(expr) | StmtKind::Return(Some(expr)) => self.push(*expr, scope),
            StmtKind::Declare { variable, .. }
                if hir.variables[*variable].duration == StorageDuration::Static => {}
            StmtKind::Declare { variable, init } => {
                self.usage.scopes.entry(scope).or_default().push(*variable);
                let ty = hir.variables[*variable].ty;
                self.bounds(ty);
                // A record may be copied from one that lacks values.
                let is_copy = |init: &Initializer| !init.zero_rest && hir.types.record(ty).is_some();
                self.usage.variables[*variable].bare = init.as_ref().is_none_or(is_copy);
                if let Some(init) = init {
                    self.initializer(*variable, init, scope);
                }
            }
            StmtKind::SetBound { bound, value } => {
                self.usage.scopes.entry(scope).or_default().push(*bound);
                self.push(*value, scope);
            }
            StmtKind::Block(stmts) => {
                let inner = ScopeKey::Stmt(stmt);
                self.tasks.extend(stmts.iter().rev().map(|stmt| (Task::Stmt(*stmt), inner)));
            }
            StmtKind::Labeled(_, inner) | StmtKind::Case(inner) | StmtKind::Default(inner) => {
                self.tasks.push((Task::Stmt(*inner), scope));
            }
            StmtKind::If { condition, then, otherwise } => {
                self.tasks.extend(otherwise.map(|stmt| (Task::Stmt(stmt), scope)));
                self.tasks.push((Task::Stmt(*then), scope));
                self.push(*condition, scope);
            }
            StmtKind::While { condition, body } | StmtKind::DoWhile { body, condition, .. } => {
                self.tasks.push((Task::Stmt(*body), scope));
                self.push(*condition, scope);
            }
            StmtKind::For { init, condition, step, body } => {
                let inner = ScopeKey::Stmt(stmt);
                self.tasks.push((Task::Stmt(*body), inner));
                self.tasks.extend(step.map(|expr| (Task::Expr(expr), inner)));
                self.tasks.extend(condition.map(|expr| (Task::Expr(expr), inner)));
                self.tasks.extend(init.iter().rev().map(|stmt| (Task::Stmt(*stmt), inner)));
            }
            StmtKind::Switch { scrutinee, body, .. } => {
                self.tasks.push((Task::Stmt(*body), scope));
                self.push(*scrutinee, scope);
            }
        }
    }
}
