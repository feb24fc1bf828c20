//! The start in a function other than `main`: what its parameters and the global variables may be.
//!
//! * Scalars have any value.
//! * A parameter that points to functions or to what has no known type is refused; such a pointer further away is null, which is recorded.
//! * A pointer to objects of a known type leads to objects of its own, [`StartOptions::elements`] of them, or as many as the array has that a
//!   parameter is declared as, whose contents are arbitrary in turn, up to [`MAX_DEPTH`] steps away; beyond that pointers are null, which is recorded. With
//!   [`StartPointers::Nullable`] every such pointer may also be null.
//! * A union in memory has any bytes.
//! * Variables with static storage that are not `const` are treated like parameters, unless [`StartGlobals::Initial`] is wanted; those with
//!   a part that cannot be made arbitrary keep their initial value, which is recorded.
//!
//! # Invariants
//! * E1: no arbitrary pointer is made: every pointer is null or leads to an object.
//! * E2: what a start leaves out is an approximation of kind `Under`, or an error.
//! * E3: the name of a choice is the C expression of the part that it sets, so that a C program can set it.

use std::sync::Arc;

use base::Span;
use cfa::{ApproximationKind, InitKind, Op, Place, Source, Ty};

use crate::hir::{FunctionId, StorageDuration, VariableId};
use crate::library;
use crate::lower::beyond::StartObject;
use crate::lower::call::{Argument, Sink, Site};
use crate::lower::function::Body;
use crate::lower::layout::FlatLeaf;
use crate::lower::place::PlaceRef;
use crate::lower::record::RecordValue;
use crate::lower::storage::{Slot, unsupported};
use crate::lower::{Lowered, StartGlobals, StartPointers, build, layout};
use crate::types::{ArrayLength, RecordId, Type, TypeId};

/// Pointers are followed this many steps.
const MAX_DEPTH: u32 = 2;
/// Larger arrays are left uninitialised as a whole: that is arbitrary, too, but no list of inputs.
const MAX_ELEMENTS: u64 = 64;
/// More scalars than this are not set one by one.
const MAX_CHOICES: u32 = 4096;

/// What is being made arbitrary.
struct Filling {
    is_global: bool,
    /// The number of elements that the parameter is declared with, until its object is made.
    extent: Option<u64>,
    span: Span,
    choices: u32,
}

/// The C expression of a part.
#[derive(Clone, Debug)]
struct Lvalue(String);

impl Lvalue {
    fn member(&self, name: &str) -> Self {
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

    fn element(&self, index: u64) -> Self {
        if self.0.starts_with('*') {
            Self(format!("({})[{index}]", self.0))
        } else {
            Self(format!("{}[{index}]", self.0))
        }
    }

    fn target(&self) -> Self {
        Self(format!("*{}", self.0))
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
        for param in params {
            args.push(self.any_argument(param)?);
        }
        self.at(function.declared);
        let Type::Function(ty) = hir.types.get(function.ty) else { return Ok(()) };
        if ty.variadic {
            return unsupported("entry function with a variable number of parameters", function.declared);
        }
        let origin = cfa::Origin { region, role: cfa::Role::Implicit };
        let site = Site { span: function.declared, ty: ty.result, origin };
        self.call_function(entry, args, &site, Sink::Drop).map(drop)
    }

    fn note_start(&mut self, name: &str, region: base::Region) {
        let options = self.ctx.options.start;
        let globals = match options.globals {
            StartGlobals::Any => "and with arbitrary values of the global variables",
            StartGlobals::Initial => "before any other function has run",
        };
        let what = format!("execution starts in `{name}` with arbitrary arguments {globals}");
        self.ctx.approximate(ApproximationKind::Assumption, what, region);
    }

    /// Pointers are assumed to lead somewhere; said once, and for each parameter whose declaration says how far.
    fn note_pointers(&mut self, name: &Lvalue, elements: u64) {
        let options = self.ctx.options.start;
        let which = if elements == options.elements.max(1) {
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
            1 => "one object".to_owned(),
            count => format!("{count} objects"),
        };
        let what = format!("{which} is {null} {or} points to {count}; all objects are distinct");
        let region = self.origin.region;
        self.ctx.approximate(ApproximationKind::Assumption, what, region);
    }

    fn any_argument(&mut self, param: VariableId) -> Lowered<Argument> {
        let hir = self.ctx.hir;
        let declared = &hir.variables[param];
        self.at(declared.declared);
        let ty = declared.ty;
        let mut filling =
            Filling { is_global: false, extent: declared.extent, span: declared.declared, choices: 0 };
        let name = Lvalue(declared.name.to_string());
        if let Some(scalar) = hir.types.scalar(ty) {
            if !self.ctx.usage.variables[param].referenced {
                return Ok(Argument::Scalar(build::zero(self.exprs(), scalar)));
            }
            if let Type::Pointer(to) = *hir.types.get(ty) {
                return Ok(Argument::Scalar(self.any_pointer(to, &name, 0, &mut filling)?));
            }
            let var = self.temporary(scalar);
            self.choose(Place::Var(var), &name.0, &mut filling)?;
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
                values.push(self.any_leaf(ty, leaf, &name, &mut filling)?);
            }
            return Ok(Argument::Record(record, RecordValue::Leaves(values)));
        }
        let address = self.record_object(record);
        self.fill(&PlaceRef::Memory { addr: address, bits: None, ty }, ty, &name, 0, &mut filling)?;
        Ok(Argument::Record(record, RecordValue::Memory(address)))
    }

    /// A scalar of a record that is passed as a list of them.
    fn any_leaf(
        &mut self,
        ty: TypeId,
        leaf: &FlatLeaf,
        name: &Lvalue,
        filling: &mut Filling,
    ) -> Lowered<cfa::ExprId> {
        let types = &self.ctx.hir.types;
        let (mut ty, mut name) = (ty, name.clone());
        for number in &leaf.path {
            let record = types.record(ty).expect("L2: the way to a leaf should lead through records");
            let field = &types.records[record].fields[*number as usize];
            (ty, name) = (field.ty, name.member(&field.name));
        }
        if let Type::Pointer(to) = *types.get(ty) {
            return self.any_member_pointer(to, &name, 0, filling);
        }
        let var = self.temporary(leaf.ty);
        self.choose(Place::Var(var), &name.0, filling)?;
        Ok(self.read_var(var))
    }

    fn record_object(&mut self, record: RecordId) -> cfa::ExprId {
        let record = &self.ctx.hir.types.records[record];
        let (size, align) = (record.size, record.align.max(1).next_power_of_two());
        self.temporary_object(size, align)
    }

    /// The value of a variable with static storage that was initialised, when the entry function is called.
    pub(super) fn start_global(&mut self, variable: VariableId) -> Lowered<()> {
        let hir = self.ctx.hir;
        let declared = &hir.variables[variable];
        let options = self.ctx.options;
        let keeps =
            options.starts_in_main() || options.start.globals == StartGlobals::Initial || declared.is_const;
        if keeps || declared.duration != StorageDuration::Static {
            return Ok(());
        }
        // The tables of the models of library functions are not the program's; `errno` is.
        if let Some(name) = declared.name.strip_prefix(library::MODEL_PREFIX) {
            if name == "errno" {
                let region = self.origin.region;
                self.ctx.approximate(ApproximationKind::Under, "`errno` is 0 at the start", region);
            }
            return Ok(());
        }
        if declared.name.starts_with('%') {
            let what = "compound literals with static storage start with their initial values";
            let region = self.origin.region;
            self.ctx.approximate(ApproximationKind::Under, what, region);
            return Ok(());
        }
        if let Some(what) = self.obstacle(declared.ty, 1) {
            let what = format!("the variable `{}` starts with its initial value: {what}", declared.name);
            let region = self.origin.region;
            self.ctx.approximate(ApproximationKind::Under, what, region);
            return Ok(());
        }
        let name = match declared.function {
            Some(function) => format!("{}::{}", hir.functions[function].name, declared.name),
            None => declared.name.to_string(),
        };
        let mut filling = Filling { is_global: true, extent: None, span: declared.declared, choices: 0 };
        let place = self.variable_place(variable, declared.ty)?;
        self.fill(&place, declared.ty, &Lvalue(name), 0, &mut filling)
    }

    /// Why a value of a type cannot be made arbitrary.
    fn obstacle(&self, ty: TypeId, depth: u32) -> Option<String> {
        let types = &self.ctx.hir.types;
        match types.get(ty) {
            Type::Int(_) | Type::Float(_) | Type::Enum(_) => None,
            Type::Pointer(_) if depth > MAX_DEPTH => None,
            Type::Pointer(to) => match types.get(*to) {
                Type::Function(_) => Some("it has a pointer to a function".to_owned()),
                _ if !self.is_object(*to) => Some(format!("it has a pointer to {}", types.display(*to))),
                _ => self.obstacle(*to, depth + 1),
            },
            Type::Array { length: ArrayLength::Fixed(count), .. }
                if *count > MAX_ELEMENTS && types.contains_pointer(ty) =>
            {
                Some(format!("it has an array of {count} pointers"))
            }
            Type::Array { elem, length: ArrayLength::Fixed(_) } => self.obstacle(*elem, depth),
            // A flexible member has no elements.
            Type::Array { length: ArrayLength::Unknown, .. } => None,
            Type::Record(record) if types.records[*record].is_union && types.contains_pointer(ty) => {
                Some("it has a union with a pointer".to_owned())
            }
            Type::Record(record) => {
                types.records[*record].fields.iter().find_map(|field| self.obstacle(field.ty, depth))
            }
            Type::Array { .. } | Type::Void | Type::Function(_) | Type::VaList => {
                Some(format!("it has a part of type {}", types.display(ty)))
            }
        }
    }

    /// Whether objects of a type can be made.
    fn is_object(&self, ty: TypeId) -> bool {
        let types = &self.ctx.hir.types;
        match types.get(ty) {
            Type::Void | Type::Function(_) | Type::VaList => false,
            Type::Record(record) => types.records[*record].complete,
            Type::Array { elem, length: ArrayLength::Fixed(_) } => self.is_object(*elem),
            Type::Array { .. } => false,
            Type::Int(_) | Type::Float(_) | Type::Enum(_) | Type::Pointer(_) => true,
        }
    }

    /// A pointer to objects of its own.
    fn any_pointer(
        &mut self,
        to: TypeId,
        name: &Lvalue,
        depth: u32,
        filling: &mut Filling,
    ) -> Lowered<cfa::ExprId> {
        let types = &self.ctx.hir.types;
        if depth > MAX_DEPTH {
            let region = self.origin.region;
            let what =
                format!("pointers more than {MAX_DEPTH} steps away from what execution starts with are null");
            self.ctx.approximate(ApproximationKind::Under, what, region);
            return Ok(build::address(self.exprs(), 0));
        }
        if !self.is_object(to) {
            let what = format!(
                "`{}`, with which execution would start, is a pointer to {}",
                name.0,
                types.display(to)
            );
            return unsupported(what, filling.span);
        }
        let count = self.ctx.options.start.elements.max(filling.extent.take().unwrap_or(1)).max(1);
        self.note_pointers(name, count);
        let size = layout::size_of(types, to).unwrap_or(0);
        let Some(bytes) = count.checked_mul(size) else {
            return unsupported("this many elements behind a pointer", filling.span);
        };
        let align = types.preferred_align_of(to).max(1).next_power_of_two();
        let address = self.temporary_object(bytes.max(1), align);
        if let cfa::Expr::Address { var } = *self.exprs().get(address) {
            self.ctx.start_objects.push(StartObject { var, pointer: name.0.clone(), elements: count });
        }
        // As many inputs would help nobody; what is uninitialised is arbitrary, too.
        let is_long = count > self.ctx.options.start.elements.max(MAX_ELEMENTS);
        let filled = if is_long && !types.contains_pointer(to) { 0 } else { count };
        for number in 0..filled {
            let amount = self.size(number * size);
            let addr = build::offset(self.exprs(), address, amount);
            let element = if count == 1 { name.target() } else { name.element(number) };
            self.fill(&PlaceRef::Memory { addr, bits: None, ty: to }, to, &element, depth, filling)?;
        }
        if self.ctx.options.start.pointers == StartPointers::Object {
            return Ok(address);
        }
        let var = self.temporary(Ty::BOOL);
        self.choose(Place::Var(var), &format!("{} != NULL", name.0), filling)?;
        let (cond, null) = (self.read_var(var), build::address(self.exprs(), 0));
        let value = build::ite(self.exprs(), cond, address, null);
        Ok(self.copy(value))
    }

    /// A pointer that is a part of something else.
    fn any_member_pointer(
        &mut self,
        to: TypeId,
        name: &Lvalue,
        depth: u32,
        filling: &mut Filling,
    ) -> Lowered<cfa::ExprId> {
        if self.is_object(to) {
            return self.any_pointer(to, name, depth + 1, filling);
        }
        let what = format!("`{}`, a pointer to {}, is null", name.0, self.ctx.hir.types.display(to));
        let region = self.origin.region;
        self.ctx.approximate(ApproximationKind::Under, what, region);
        Ok(build::address(self.exprs(), 0))
    }

    /// Makes a place arbitrary.
    fn fill(
        &mut self,
        place: &PlaceRef,
        ty: TypeId,
        name: &Lvalue,
        depth: u32,
        filling: &mut Filling,
    ) -> Lowered<()> {
        let hir = self.ctx.hir;
        match *hir.types.get(ty) {
            Type::Int(_) | Type::Float(_) | Type::Enum(_) => {
                let target = self.target(place)?;
                self.choose(target.place, &name.0, filling)
            }
            Type::Pointer(to) => {
                let value = self.any_member_pointer(to, name, depth, filling)?;
                let target = self.target(place)?;
                self.write(&target, value);
                Ok(())
            }
            Type::Array { elem, length: ArrayLength::Fixed(count) } => {
                if count > MAX_ELEMENTS
                    && !hir.types.contains_pointer(elem)
                    && self.forget_whole(place, ty)?
                {
                    return Ok(());
                }
                for index in 0..count {
                    let at = self.exprs().int(Ty::signed(64), i128::from(index));
                    let element = self.element(place.clone(), ty, at, elem);
                    self.fill(&element, elem, &name.element(index), depth, filling)?;
                }
                Ok(())
            }
            Type::Array { length: ArrayLength::Unknown, .. } => Ok(()),
            Type::Record(record) => self.fill_members(place, record, name, depth, filling),
            Type::Array { .. } | Type::Void | Type::Function(_) | Type::VaList => unsupported(
                format!("entry function that starts with a {}", hir.types.display(ty)),
                filling.span,
            ),
        }
    }

    fn fill_members(
        &mut self,
        place: &PlaceRef,
        record: RecordId,
        name: &Lvalue,
        depth: u32,
        filling: &mut Filling,
    ) -> Lowered<()> {
        let hir = self.ctx.hir;
        let definition = &hir.types.records[record];
        if let (true, PlaceRef::Memory { addr, ty, .. }) = (definition.is_union, place) {
            if hir.types.contains_pointer(*ty) {
                return unsupported("entry function that starts with a union with a pointer", filling.span);
            }
            for offset in 0..definition.size {
                let amount = self.size(offset);
                let addr = build::offset(self.exprs(), *addr, amount);
                let byte = format!("((unsigned char *)&{})[{offset}]", name.0);
                self.choose(Place::Mem { addr, ty: Ty::unsigned(8) }, &byte, filling)?;
            }
            return Ok(());
        }
        for (number, field) in definition.fields.iter().enumerate() {
            let member = self.field(place.clone(), record, number as u32, field.ty);
            if self.is_part(&member)? {
                self.fill(&member, field.ty, &name.member(&field.name), depth, filling)?;
            }
        }
        Ok(())
    }

    /// Whether some part of a place exists: of a split variable only those that are used do.
    fn is_part(&mut self, place: &PlaceRef) -> Lowered<bool> {
        let PlaceRef::Part { variable, fields, .. } = place else { return Ok(true) };
        let Slot::Split(parts) = self.ctx.slot(*variable)? else { return Ok(true) };
        Ok(parts.iter().any(|part| part.path.starts_with(fields)))
    }

    /// Leaves a large array uninitialised if it can be done for all of it.
    fn forget_whole(&mut self, place: &PlaceRef, ty: TypeId) -> Lowered<bool> {
        match place {
            PlaceRef::Part { variable, fields, indices, .. } if indices.is_empty() => {
                let Slot::Split(parts) = self.ctx.slot(*variable)? else { return Ok(false) };
                for part in parts.iter().filter(|part| part.path.starts_with(fields)) {
                    self.emit(Op::Init { var: part.var, contents: InitKind::Uninitialised });
                }
                Ok(true)
            }
            PlaceRef::Memory { addr, .. } => {
                let object = *self.exprs().get(*addr);
                // All of an object; within a larger one the elements are set one by one.
                let cfa::Expr::Address { var } = object else { return Ok(false) };
                let is_whole = self.is_whole(var, ty);
                if is_whole {
                    self.emit(Op::Init { var, contents: InitKind::Uninitialised });
                }
                Ok(is_whole)
            }
            _ => Ok(false),
        }
    }

    fn is_whole(&self, var: cfa::VarId, ty: TypeId) -> bool {
        let size = layout::size_of(&self.ctx.hir.types, ty);
        matches!(self.ctx.program.vars[var].storage, cfa::Storage::Object { size: all, .. } if Some(all) == size)
    }

    /// An arbitrary scalar.
    fn choose(&mut self, place: Place, name: &str, filling: &mut Filling) -> Lowered<()> {
        filling.choices += 1;
        if filling.choices > MAX_CHOICES {
            return unsupported(
                format!(
                    "entry function that starts with more than {MAX_CHOICES} arbitrary values in one variable"
                ),
                filling.span,
            );
        }
        let name: Arc<str> = name.into();
        let source = if filling.is_global { Source::Global { name } } else { Source::Argument { name } };
        let at = self.origin.region;
        self.emit(Op::Havoc { place, source, at });
        Ok(())
    }
}
