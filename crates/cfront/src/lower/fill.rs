//! Values and objects that execution starts with, if that is not in `main`; module `entry` has the rules.

use std::sync::Arc;

use cfa::{AllocKind, BinaryOp, CheckKind, ExprId, InitKind, Op, Place, Source, Ty};

use crate::hir::FunctionId;
use crate::library;
use crate::lower::beyond::StartObject;
use crate::lower::demand::Holder;
use crate::lower::entry::{Filling, MAX_BYTES, MAX_CHOICES, Way};
use crate::lower::function::Body;
use crate::lower::place::PlaceRef;
use crate::lower::storage::{Slot, unsupported};
use crate::lower::{Lowered, StartElements, StartPointers, build, layout};
use crate::types::{ArrayLength, RecordId, Type, TypeId};

/// With this the names of objects begin that pointers lead to at the start; the pointer follows.
const START_OBJECT: &str = "%at ";
/// Larger arrays are chosen when they are read: they would be no list of inputs.
const MAX_ELEMENTS: u64 = 64;
/// Elements of an array of arbitrary length that are chosen at the start.
const NAMED_ELEMENTS: u64 = 4;

impl Body<'_, '_> {
    /// A pointer to memory that is chosen when it is read.
    pub(super) fn outside_pointer(
        &mut self,
        way: &Way,
        pointers: StartPointers,
        filling: &mut Filling,
    ) -> ExprId {
        let var = self.temporary(Ty::Ptr);
        self.choose(Place::Var(var), &way.name.0, filling);
        let value = self.read_var(var);
        if pointers == StartPointers::Object {
            let null = build::address(self.exprs(), 0);
            let cond = build::compare(self.exprs(), BinaryOp::Ne, value, null);
            self.emit(Op::Assume { cond });
        }
        value
    }

    /// A pointer to a function: one of the program, or one that stands for any other.
    pub(super) fn any_function(&mut self, ty: TypeId, way: &Way, filling: &mut Filling) -> ExprId {
        let hir = self.ctx.hir;
        let pointers = self.ctx.options.start.pointers;
        let Some(hook) = self.ctx.hooks.of(&hir.types, ty).cloned() else {
            return self.outside_pointer(way, pointers, filling);
        };
        let functions: Vec<FunctionId> = hook.targets.iter().copied().chain([hook.any]).collect();
        let name = |function: &FunctionId| hir.functions[*function].name.clone();
        let known: Vec<String> =
            hook.targets.iter().map(|function| format!("`{}`, ", name(function))).collect();
        let or = if known.is_empty() { "" } else { "or " };
        let what = format!(
            "a pointer to functions of type {} that execution starts with leads to {}{or}an unknown function, `{}`",
            hir.types.display(ty),
            known.concat(),
            name(&hook.any)
        );
        self.assume_of_start(what);
        let mut value = build::address(self.exprs(), 0);
        let mut some = self.exprs().bool(false);
        for function in functions {
            let var = self.temporary(Ty::BOOL);
            self.choose(Place::Var(var), &format!("{} == {}", way.name.0, name(&function)), filling);
            let is_it = self.read_var(var);
            let proc = self.ctx.procs[&self.ctx.resolved[function]];
            let pointer = self.exprs().add(cfa::Expr::Function { proc });
            value = build::ite(self.exprs(), is_it, pointer, value);
            some = build::or(self.exprs(), some, is_it);
        }
        if pointers == StartPointers::Object {
            self.emit(Op::Assume { cond: some });
        }
        self.copy(value)
    }

    /// Objects for a pointer to lead to.
    pub(super) fn any_objects(&mut self, to: TypeId, way: &Way, filling: &mut Filling) -> Lowered<ExprId> {
        let types = &self.ctx.hir.types;
        let (elements, extent) = (self.ctx.options.start.elements, filling.extent.take());
        let is_plain = !types.contains_pointer(to) || types.record(to).is_none();
        let is_long = self.ctx.long_pointers.contains(&way.name.0);
        if is_plain && (is_long || elements == StartElements::Any && extent.is_none()) {
            return Ok(self.any_array((to, extent.unwrap_or(1).max(1)), way, filling));
        }
        if is_long {
            return Ok(self.outside_pointer(way, StartPointers::Object, filling));
        }
        let count = elements.least().max(extent.unwrap_or(1)).max(1);
        self.note_pointers(&way.name, Some(count));
        let size = layout::size_of(types, to).unwrap_or(0);
        let Some(bytes) = count.checked_mul(size) else {
            return unsupported("this many elements behind a pointer", filling.span);
        };
        let align = types.preferred_align_of(to).max(1).next_power_of_two();
        let address = self.start_object(bytes.max(1), align, way, count);
        let record = types.record(types.element_of_arrays(to));
        let behind = way.behind(record, address);
        // As many inputs would help nobody.
        let are_many = count > elements.least().max(MAX_ELEMENTS);
        for number in 0..if are_many { 0 } else { count } {
            let amount = self.size(number * size);
            let addr = build::offset(self.exprs(), address, amount);
            let name = if count == 1 { way.name.target() } else { way.name.element(number) };
            let element = behind.part(name, None);
            self.fill(&PlaceRef::Memory { addr, bits: None, ty: to }, to, &element, filling)?;
        }
        Ok(address)
    }

    /// An object with arbitrary contents. If the program may free it, it is one that `malloc` has made.
    fn start_object(&mut self, bytes: u64, align: u64, way: &Way, elements: u64) -> ExprId {
        let name = format!("{START_OBJECT}{}", way.name.0);
        let pointer = way.name.0.clone();
        if self.may_free() {
            self.assume_of_start(
                "an object that a pointer leads to at the start was allocated by itself, and may be freed",
            );
            let size = self.size(bytes);
            let (address, var) = self.allocated(size, AllocKind::Heap, name);
            self.ctx.start_objects.push(StartObject { var, pointer, elements, bytes });
            return address;
        }
        let address = self.temporary_object(bytes, align);
        if let cfa::Expr::Address { var } = *self.exprs().get(address) {
            self.ctx.program.vars[var].name = name.into();
            self.ctx.start_objects.push(StartObject { var, pointer, elements, bytes });
        }
        self.make_arbitrary(address);
        address
    }

    /// Memory with arbitrary contents, and the variable that holds its address.
    fn allocated(&mut self, size: ExprId, kind: AllocKind, name: String) -> (ExprId, cfa::VarId) {
        let var = self.temporary(Ty::Ptr);
        self.ctx.program.vars[var].name = name.into();
        self.emit(Op::Malloc { place: Place::Var(var), size, kind, contents: InitKind::Arbitrary });
        (self.read_var(var), var)
    }

    /// An array whose length is an input, with at least so many elements.
    fn any_array(&mut self, (to, least): (TypeId, u64), way: &Way, filling: &mut Filling) -> ExprId {
        self.note_pointers(&way.name, None);
        let size = layout::size_of(&self.ctx.hir.types, to).unwrap_or(1).max(1);
        let word = Ty::unsigned(self.exprs().pointer_width());
        let var = self.temporary(word);
        self.choose(Place::Var(var), &format!("len({})", way.name.0), filling);
        let length = self.read_var(var);
        let least = self.exprs().int(word, i128::from(least));
        let most = self.exprs().int(word, i128::from(MAX_BYTES / size));
        let is_some = build::compare(self.exprs(), BinaryOp::Le, least, length);
        let is_small = build::compare(self.exprs(), BinaryOp::Le, length, most);
        let cond = build::and(self.exprs(), is_some, is_small);
        self.emit(Op::Assume { cond });
        self.ctx.start_lengths.push((way.name.0.clone(), length));
        let size = self.exprs().int(word, i128::from(size));
        let bytes = self.exprs().binary(BinaryOp::Mul, length, size);
        let kind = if self.may_free() { AllocKind::Heap } else { AllocKind::Stack };
        let (address, _) = self.allocated(bytes, kind, format!("{START_OBJECT}{}", way.name.0));
        self.choose_first(to, (address, length), way, filling);
        address
    }

    /// The first elements of an array are inputs with names; a counterexample that needs others is found only if their values are.
    fn choose_first(
        &mut self,
        to: TypeId,
        (address, length): (ExprId, ExprId),
        way: &Way,
        filling: &mut Filling,
    ) {
        let types = &self.ctx.hir.types;
        let (Some(ty), None) = (types.scalar(to), types.pointee(to)) else { return };
        let size = layout::size_of(types, to).unwrap_or(1);
        let word = self.exprs().ty(length);
        for number in 0..NAMED_ELEMENTS {
            let index = self.exprs().int(word, i128::from(number));
            let is_there = build::compare(self.exprs(), BinaryOp::Lt, index, length);
            let (there, beyond) = self.fork(is_there, self.origin, self.origin);
            self.graph.set(there);
            let amount = self.size(number * size);
            let addr = build::offset(self.exprs(), address, amount);
            self.choose(Place::Mem { addr, ty }, &way.name.element(number).0, filling);
            self.graph.join(beyond);
        }
    }

    /// Whether the program calls what frees memory. If memory must be freed, nobody knows who has to free what there is at the start.
    fn may_free(&self) -> bool {
        let checks = self.ctx.options.checks;
        if checks.contains(CheckKind::Leak) || checks.contains(CheckKind::LostMemory) {
            return false;
        }
        let mut functions = self.ctx.usage.functions.iter();
        functions.any(|function| {
            let name = library::plain_name(&self.ctx.hir.functions[*function].name);
            matches!(name, "free" | "realloc" | "reallocarray" | "cfree")
        })
    }

    /// Makes a place arbitrary. What is in memory is so already, as it is read.
    pub(super) fn fill(
        &mut self,
        place: &PlaceRef,
        ty: TypeId,
        way: &Way,
        filling: &mut Filling,
    ) -> Lowered<()> {
        let hir = self.ctx.hir;
        let is_memory = matches!(place, PlaceRef::Memory { .. });
        if is_memory && filling.choices >= MAX_CHOICES {
            return Ok(());
        }
        match *hir.types.get(ty) {
            Type::Int(_) | Type::Float(_) | Type::Enum(_) => {
                let target = self.target(place)?;
                self.choose(target.place, &way.name.0, filling);
                Ok(())
            }
            Type::Pointer(to) => {
                let value = self.any_pointer(to, way, filling)?;
                let target = self.target(place)?;
                self.write(&target, value);
                Ok(())
            }
            Type::Array { elem, length: ArrayLength::Fixed(count) } => {
                if count > MAX_ELEMENTS && (is_memory || self.forget_whole(place)?) {
                    return Ok(());
                }
                for index in 0..count {
                    let at = self.exprs().int(Ty::signed(64), i128::from(index));
                    let element = self.element(place.clone(), ty, at, elem);
                    let inner = way.part(way.name.element(index), None);
                    self.fill(&element, elem, &inner, filling)?;
                }
                Ok(())
            }
            Type::Array { length: ArrayLength::Unknown, .. } => Ok(()),
            Type::Record(record) => self.fill_members(place, record, way, filling),
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
        way: &Way,
        filling: &mut Filling,
    ) -> Lowered<()> {
        let hir = self.ctx.hir;
        let definition = &hir.types.records[record];
        let is_memory = matches!(place, PlaceRef::Memory { .. });
        let uses = |number: usize| self.ctx.demand.uses(record, number as u32);
        let members: Vec<usize> = if definition.is_union && is_memory {
            // Of several members nobody knows which one it is before one is read.
            let used: Vec<usize> = (0..definition.fields.len()).filter(|number| uses(*number)).collect();
            if used.len() == 1 { used } else { Vec::new() }
        } else {
            (0..definition.fields.len()).collect()
        };
        for number in members {
            let field = &definition.fields[number];
            let member = self.field(place.clone(), record, number as u32, field.ty);
            if self.is_part(&member)? {
                let holder = Some(Holder::Field(record, number as u32));
                let inner = way.part(way.name.member(&field.name), holder);
                self.fill(&member, field.ty, &inner, filling)?;
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

    /// Leaves a large array that is no memory to be chosen when it is read, if that can be done for all of it.
    fn forget_whole(&mut self, place: &PlaceRef) -> Lowered<bool> {
        let PlaceRef::Part { variable, fields, indices, .. } = place else { return Ok(false) };
        let Slot::Split(parts) = self.ctx.slot(*variable)? else { return Ok(false) };
        if !indices.is_empty() {
            return Ok(false);
        }
        for part in parts.iter().filter(|part| part.path.starts_with(fields)) {
            self.emit(Op::Init { var: part.var, contents: InitKind::Arbitrary });
        }
        Ok(true)
    }

    /// An arbitrary scalar.
    pub(super) fn choose(&mut self, place: Place, name: &str, filling: &mut Filling) {
        filling.choices += 1;
        let name: Arc<str> = name.into();
        let source = if filling.is_global { Source::Global { name } } else { Source::Argument { name } };
        let at = self.origin.region;
        self.emit(Op::Havoc { place, source, at });
    }
}
