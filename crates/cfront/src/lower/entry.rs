//! The start in a function other than `main`: what its parameters and the global variables may be.
//!
//! * Scalars have any value.
//! * A pointer to objects of a known type leads to objects of its own, [`StartOptions::elements`] of them, or as many as the array has that a
//!   parameter is declared as. If an access may be beyond one element, and nothing else is wanted, the number is an input; if the elements are records with pointers, it leads outside. Their contents are arbitrary in turn. So does an untyped pointer that the program takes for one type of records.
//! * Any other pointer, and one that is further away or that the program does not use, leads *outside*: to memory whose contents are chosen when they are first read, as far as the
//!   program goes (crates/interp). It is null or leads to an object of its own, as large as needed; the ledger says so where it is accessed.
//! * A pointer is not null, unless [`StartPointers::Nullable`] is wanted or it leads to a record of a type that it is a part of: lists end.
//! * A pointer to a record that is on the way to it, and does not hold it, may lead back there.
//! * A pointer to a function leads to one of the program, or to one that stands for any other (module `demand`).
//! * Of a union the only member that is used is arbitrary; if several are, its bytes are chosen when they are read.
//! * Variables with static storage that are not `const` are treated like parameters, unless [`StartGlobals::Initial`] is wanted.
//!
//! # Invariants
//! * E1: no arbitrary address is made: every pointer is null, or leads to an object, a function or outside.
//! * E2: what a start leaves out is an approximation of kind `Under`, or an error.
//! * E3: the name of a choice is the C expression of the part that it sets, so that a C program can set it. `p == f` says whether a pointer is another one, and
//!   `len(p)` how many elements it leads to. What is chosen when it is read is told by the name of its object, `%at` and the pointer to it.

use base::Span;
use cfa::{ApproximationKind, ExprId, InitKind, Op, Place, Ty};

use crate::hir::{FunctionId, StorageDuration, VariableId};
use crate::library;
use crate::lower::call::{Argument, Sink, Site};
use crate::lower::demand::Holder;
use crate::lower::function::Body;
use crate::lower::layout::FlatLeaf;
use crate::lower::place::PlaceRef;
use crate::lower::record::RecordValue;
use crate::lower::storage::unsupported;
use crate::lower::{Lowered, StartAliases, StartElements, StartGlobals, StartPointers, build};
use crate::types::{ArrayLength, RecordId, Type, TypeId};

/// Pointers are followed this many steps to objects of their own.
const MAX_DEPTH: u32 = 3;
/// A record may occur so often on the way to an object of its own.
const MAX_NESTING: usize = 2;
/// Objects that pointers lead to. Pointers beyond that lead outside.
const MAX_OBJECTS: usize = 48;
/// Values of one variable that are chosen at the start. The others are chosen when they are read.
pub(super) const MAX_CHOICES: u32 = 512;
/// Bytes that an array of arbitrary length may have.
pub(super) const MAX_BYTES: u64 = 1 << 30;

/// What is being made arbitrary.
pub(super) struct Filling {
    pub(super) is_global: bool,
    /// The number of elements that the parameter is declared with, until its object is made.
    pub(super) extent: Option<u64>,
    pub(super) span: Span,
    pub(super) choices: u32,
}

/// The way to a part: as C writes it, and what it leads through.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) name: Lvalue,
    /// Where the pointer is kept that the part is.
    pub(super) holder: Option<Holder>,
    /// Steps through pointers.
    depth: u32,
    /// The records that pointers have led to.
    records: Vec<Passed>,
}

/// A record on the way to a part.
#[derive(Clone, Debug)]
struct Passed {
    record: RecordId,
    address: ExprId,
    /// The C expression of the pointer to it.
    pointer: String,
}

impl Way {
    fn new(name: Lvalue, holder: Option<Holder>) -> Self {
        Self { name, holder, depth: 0, records: Vec::new() }
    }

    /// The way to an inner part.
    pub(super) fn part(&self, name: Lvalue, holder: Option<Holder>) -> Self {
        Self { name, holder, ..self.clone() }
    }

    /// The way to what a pointer leads to.
    pub(super) fn behind(&self, record: Option<RecordId>, address: ExprId) -> Self {
        let pointer = self.name.0.clone();
        let new = record.map(|record| Passed { record, address, pointer });
        let records = self.records.iter().cloned().chain(new).collect();
        Self { name: self.name.clone(), holder: None, depth: self.depth + 1, records }
    }

    /// The record that a pointer may lead back to: it is on the way, and not the one that holds the pointer.
    fn earlier(&self, record: RecordId) -> Option<&Passed> {
        let (last, others) = self.records.split_last()?;
        others.iter().rev().find(|passed| passed.record == record && last.record != record)
    }
}

/// The C expression of a part.
#[derive(Clone, Debug)]
pub(super) struct Lvalue(pub(super) String);

impl Lvalue {
    pub(super) fn member(&self, name: &str) -> Self {
        // The members of an anonymous record are those of the record around it.
        if name.is_empty() {
            return self.clone();
        }
        match self.0.strip_prefix('*') {
            Some(pointer) if pointer.starts_with('*') => Self(format!("({pointer})->{name}")),
            Some(pointer) => Self(format!("{pointer}->{name}")),
            None => Self(format!("{}.{name}", self.0)),
        }
    }

    pub(super) fn element(&self, index: u64) -> Self {
        if self.0.starts_with('*') {
            Self(format!("({})[{index}]", self.0))
        } else {
            Self(format!("{}[{index}]", self.0))
        }
    }

    pub(super) fn target(&self) -> Self {
        Self(format!("*{}", self.0))
    }

    /// The same pointer as one to another type.
    fn converted(&self, ty: &str) -> Self {
        Self(format!("(*({ty} **)&{})", self.0))
    }
}

impl Body<'_, '_> {
    /// Calls an entry function with arbitrary arguments.
    pub(super) fn call_any_entry(&mut self, entry: FunctionId) -> Lowered<()> {
        let hir = self.ctx.hir;
        let function = &hir.functions[entry];
        let region = self.at(function.declared);
        self.note_start(&function.name.clone(), region);
        let params = function.body.as_ref().map(|body| body.params.clone()).unwrap_or_default();
        let mut args = Vec::new();
        for (position, param) in params.iter().enumerate() {
            let argument = self.any_argument(*param)?;
            args.push(self.alias(&params[..position], &args, *param, argument));
        }
        self.at(function.declared);
        self.assume_conditions(&params, &args)?;
        let Type::Function(ty) = hir.types.get(function.ty) else { return Ok(()) };
        if ty.variadic {
            return unsupported("entry function with a variable number of parameters", function.declared);
        }
        let origin = cfa::Origin { region, role: cfa::Role::Implicit };
        let site = Site { span: function.declared, ty: ty.result, origin };
        self.call_function(entry, args, &site, Sink::Drop).map(drop)
    }

    /// A pointer may be an earlier one of its type, if that is wanted.
    fn alias(
        &mut self,
        params: &[VariableId],
        args: &[Argument],
        param: VariableId,
        argument: Argument,
    ) -> Argument {
        let hir = self.ctx.hir;
        let Argument::Scalar(mut value) = argument else { return argument };
        let ty = hir.variables[param].ty;
        let is_wanted = self.ctx.options.start.aliases == StartAliases::Allowed;
        if !is_wanted || hir.types.pointee(ty).is_none() {
            return argument;
        }
        let span = hir.variables[param].declared;
        let mut filling = Filling { is_global: false, extent: None, span, choices: 0 };
        for (other, earlier) in params.iter().zip(args) {
            let Argument::Scalar(earlier) = earlier else { continue };
            if hir.types.compatible(hir.variables[*other].ty, ty) {
                let var = self.temporary(Ty::BOOL);
                let name = format!("{} == {}", hir.variables[param].name, hir.variables[*other].name);
                self.choose(Place::Var(var), &name, &mut filling);
                let is_it = self.read_var(var);
                value = build::ite(self.exprs(), is_it, *earlier, value);
                self.alias_length(&hir.variables[*other].name, &hir.variables[param].name, is_it);
                self.assume_of_start("parameters of the same pointer type may be equal");
            }
        }
        Argument::Scalar(self.copy(value))
    }

    /// A pointer that is another one has its length.
    fn alias_length(&mut self, other: &str, own: &str, is_it: ExprId) {
        let lengths = &self.ctx.start_lengths;
        let find = |name: &str| lengths.iter().position(|(pointer, _)| pointer == name);
        if let (Some(other), Some(own)) = (find(other), find(own)) {
            let (theirs, mine) = (lengths[other].1, lengths[own].1);
            self.ctx.start_lengths[own].1 = build::ite(self.exprs(), is_it, theirs, mine);
        }
    }

    fn note_start(&mut self, name: &str, region: base::Region) {
        let options = &self.ctx.options.start;
        let globals = match options.globals {
            StartGlobals::Any => "and with arbitrary values of the global variables",
            StartGlobals::Initial => "before any other function has run",
        };
        let what = format!("execution starts in `{name}` with arbitrary arguments {globals}");
        self.ctx.approximate(ApproximationKind::Assumption, what, region);
    }

    pub(super) fn assume_of_start(&mut self, what: impl Into<String>) {
        let region = self.origin.region;
        self.ctx.approximate(ApproximationKind::Assumption, what, region);
    }

    /// Pointers are assumed to lead somewhere; said once, and for each parameter whose declaration says how far.
    pub(super) fn note_pointers(&mut self, name: &Lvalue, elements: Option<u64>) {
        let options = &self.ctx.options.start;
        let is_usual = match elements {
            Some(count) => count == options.elements.least().max(1),
            None => options.elements == StartElements::Any,
        };
        let which = if is_usual {
            "a pointer that execution starts with".to_owned()
        } else {
            format!("`{}`", name.0)
        };
        let null = match options.pointers {
            StartPointers::Object => "not null",
            StartPointers::Nullable => "null",
        };
        let or = if options.pointers == StartPointers::Object { "and" } else { "or" };
        let count = match elements {
            Some(1) => "one object".to_owned(),
            Some(count) => format!("{count} objects"),
            None => format!("the start of an array of any length, of at most {MAX_BYTES} bytes"),
        };
        self.assume_of_start(format!("{which} is {null} {or} points to {count}; all objects are distinct"));
    }

    fn any_argument(&mut self, param: VariableId) -> Lowered<Argument> {
        let hir = self.ctx.hir;
        let declared = &hir.variables[param];
        self.at(declared.declared);
        let ty = declared.ty;
        let mut filling =
            Filling { is_global: false, extent: declared.extent, span: declared.declared, choices: 0 };
        let name = Lvalue(declared.name.to_string());
        let way = Way::new(name, Some(Holder::Variable(param)));
        if let Some(scalar) = hir.types.scalar(ty) {
            if !self.ctx.usage.variables[param].referenced && !self.is_assumed(&declared.name) {
                return Ok(Argument::Scalar(build::zero(self.exprs(), scalar)));
            }
            if let Type::Pointer(to) = *hir.types.get(ty) {
                return Ok(Argument::Scalar(self.any_pointer(to, &way, &mut filling)?));
            }
            let var = self.temporary(scalar);
            self.choose(Place::Var(var), &way.name.0, &mut filling);
            return Ok(Argument::Scalar(self.read_var(var)));
        }
        let Some(record) = hir.types.record(ty) else {
            return unsupported(
                format!("entry function with a parameter of type {}", hir.types.display(ty)),
                filling.span,
            );
        };
        if let Some(leaves) = self.ctx.moved_leaves(record) {
            let mut values = Vec::new();
            for leaf in leaves.iter() {
                values.push(self.any_leaf(ty, leaf, &way, &mut filling)?);
            }
            return Ok(Argument::Record(record, RecordValue::Leaves(values)));
        }
        let address = self.record_object(record);
        self.make_arbitrary(address);
        self.fill(&PlaceRef::Memory { addr: address, bits: None, ty }, ty, &way, &mut filling)?;
        Ok(Argument::Record(record, RecordValue::Memory(address)))
    }

    /// A scalar of a record that is passed as a list of them.
    fn any_leaf(&mut self, ty: TypeId, leaf: &FlatLeaf, way: &Way, filling: &mut Filling) -> Lowered<ExprId> {
        let types = &self.ctx.hir.types;
        let (mut ty, mut way) = (ty, way.clone());
        for number in &leaf.path {
            let record = types.record(ty).expect("L2: the way to a leaf should lead through records");
            let field = &types.records[record].fields[*number as usize];
            way = way.part(way.name.member(&field.name), Some(Holder::Field(record, *number)));
            ty = field.ty;
        }
        if let Type::Pointer(to) = *types.get(ty) {
            return self.any_pointer(to, &way, filling);
        }
        let var = self.temporary(leaf.ty);
        self.choose(Place::Var(var), &way.name.0, filling);
        Ok(self.read_var(var))
    }

    fn record_object(&mut self, record: RecordId) -> ExprId {
        let record = &self.ctx.hir.types.records[record];
        let (size, align) = (record.size, record.align.max(1).next_power_of_two());
        self.temporary_object(size, align)
    }

    /// What an object holds is chosen when it is read, unless it is written before.
    pub(super) fn make_arbitrary(&mut self, address: ExprId) {
        if let cfa::Expr::Address { var } = *self.exprs().get(address) {
            self.emit(Op::Init { var, contents: InitKind::Arbitrary });
        }
    }

    /// The value of a variable with static storage that was initialised, when the entry function is called.
    pub(super) fn start_global(&mut self, variable: VariableId) -> Lowered<()> {
        let hir = self.ctx.hir;
        let declared = &hir.variables[variable];
        let options = self.ctx.options;
        // What is volatile may have changed before, even if the program may not write it.
        let is_fixed = declared.is_const && !declared.is_volatile;
        let keeps = options.starts_in_main() || options.start.globals == StartGlobals::Initial || is_fixed;
        if keeps || declared.duration != StorageDuration::Static {
            return Ok(());
        }
        // The tables of the models of library functions are not the program's; `errno` is.
        if let Some(name) = declared.name.strip_prefix(library::MODEL_PREFIX) {
            return if name == "errno" { self.fill_global(variable, name) } else { Ok(()) };
        }
        if declared.name.starts_with('%') {
            let what = "compound literals with static storage start with their initial values";
            let region = self.origin.region;
            self.ctx.approximate(ApproximationKind::Under, what, region);
            return Ok(());
        }
        if let Type::Array { length: ArrayLength::Unknown | ArrayLength::Variable(_), .. } | Type::VaList =
            hir.types.get(declared.ty)
        {
            let ty = hir.types.display(declared.ty);
            let what = format!("the variable `{}` of type {ty} starts with its initial value", declared.name);
            let region = self.origin.region;
            self.ctx.approximate(ApproximationKind::Under, what, region);
            return Ok(());
        }
        let name = match declared.function {
            Some(function) => format!("{}::{}", hir.functions[function].name, declared.name),
            None => declared.name.to_string(),
        };
        self.fill_global(variable, &name)
    }

    fn fill_global(&mut self, variable: VariableId, name: &str) -> Lowered<()> {
        let declared = &self.ctx.hir.variables[variable];
        let mut filling = Filling { is_global: true, extent: None, span: declared.declared, choices: 0 };
        let place = self.variable_place(variable, declared.ty)?;
        if let PlaceRef::Memory { addr, .. } = place {
            self.make_arbitrary(addr);
        }
        let way = Way::new(Lvalue(name.to_owned()), Some(Holder::Variable(variable)));
        self.fill(&place, declared.ty, &way, &mut filling)
    }

    /// Whether objects of a type can be made.
    pub(super) fn is_object(&self, ty: TypeId) -> bool {
        let types = &self.ctx.hir.types;
        match types.get(ty) {
            Type::Void | Type::Function(_) | Type::VaList => false,
            Type::Record(record) => types.records[*record].complete,
            Type::Array { elem, length: ArrayLength::Fixed(_) } => self.is_object(*elem),
            Type::Array { .. } => false,
            Type::Int(_) | Type::Float(_) | Type::Enum(_) | Type::Pointer(_) => true,
        }
    }

    /// An arbitrary pointer (E1).
    pub(super) fn any_pointer(&mut self, to: TypeId, way: &Way, filling: &mut Filling) -> Lowered<ExprId> {
        let types = &self.ctx.hir.types;
        if types.function(to).is_some() {
            return Ok(self.any_function(to, way, filling));
        }
        let taken_for = way.holder.and_then(|holder| self.ctx.demand.taken_for(types, holder));
        let (to, way) = match taken_for {
            Some(record) if !self.is_object(to) => {
                let name = way.name.converted(&types.display(record));
                (record, way.part(name, None))
            }
            _ => (to, way.clone()),
        };
        let is_used = match way.holder {
            Some(Holder::Field(record, field)) => self.ctx.demand.uses(record, field),
            _ => true,
        };
        let record = types.record(types.element_of_arrays(to));
        let nested =
            record.map_or(0, |record| way.records.iter().filter(|passed| passed.record == record).count());
        let is_far = way.depth > MAX_DEPTH
            || nested >= MAX_NESTING
            || self.ctx.start_objects.len() >= MAX_OBJECTS
            || filling.choices >= MAX_CHOICES;
        let pointers = match nested {
            0 => self.ctx.options.start.pointers,
            _ => StartPointers::Nullable,
        };
        if nested > 0 {
            self.assume_of_start("a pointer to a record of the type that it is a part of may be null");
        }
        if !self.is_object(to) || is_far || !is_used {
            return Ok(self.outside_pointer(&way, pointers, filling));
        }
        let address = self.any_objects(to, &way, filling)?;
        if pointers == StartPointers::Object {
            return Ok(address);
        }
        let var = self.temporary(Ty::BOOL);
        self.choose(Place::Var(var), &format!("{} != NULL", way.name.0), filling);
        let (cond, null) = (self.read_var(var), build::address(self.exprs(), 0));
        let value = build::ite(self.exprs(), cond, address, null);
        let earlier = record.and_then(|record| way.earlier(record)).cloned();
        let value = match earlier {
            Some(passed) => self.maybe_earlier(value, &way, &passed, filling),
            None => value,
        };
        Ok(self.copy(value))
    }

    /// A pointer may lead back to an object on the way to it, as to the owner of a state.
    fn maybe_earlier(&mut self, value: ExprId, way: &Way, passed: &Passed, filling: &mut Filling) -> ExprId {
        self.assume_of_start(
            "a pointer may lead back to a record that leads to the one that it is a part of",
        );
        let var = self.temporary(Ty::BOOL);
        self.choose(Place::Var(var), &format!("{} == {}", way.name.0, passed.pointer), filling);
        let is_it = self.read_var(var);
        build::ite(self.exprs(), is_it, passed.address, value)
    }
}
