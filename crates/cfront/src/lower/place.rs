//! Places: where a value is read from or written to.
//!
//! # Invariants
//! * Q1: the expressions inside a [`PlaceRef`] are evaluated when the place is used, not when it was lowered: whoever lowers
//!   something with effects in between protects them.

use base::Idx;
use cfa::{BinaryOp, Expr, ExprId, Op, Place, Ty};

use crate::hir::{self, PlaceId, VariableId};
use crate::lower::access::{Root, Step, access};
use crate::lower::function::Body;
use crate::lower::indices::Elements;
use crate::lower::layout::FlatLeaf;
use crate::lower::record::RecordValue;
use crate::lower::storage::{Dimension, Part, Slot};
use crate::lower::{Lowered, build, layout};
use crate::types::{ArrayLength, BitField, RecordId, TypeId};

/// A place, evaluated.
#[derive(Clone, Debug)]
pub(super) enum PlaceRef {
    /// A part of a split variable: a scalar, or a record of scalars.
    Part {
        /// The variable.
        variable: VariableId,
        /// The field numbers.
        fields: Vec<u32>,
        /// The indices, outermost first, of any integer types.
        indices: Vec<ExprId>,
        /// The type.
        ty: TypeId,
    },
    /// Memory.
    Memory {
        /// Where.
        addr: ExprId,
        /// Set for a bit-field.
        bits: Option<BitField>,
        /// The type.
        ty: TypeId,
    },
    /// A part of a record value that is no lvalue.
    Leaves {
        /// The record.
        record: RecordId,
        /// The values of its leaves.
        values: Vec<ExprId>,
        /// The field numbers of the part.
        fields: Vec<u32>,
        /// The type.
        ty: TypeId,
    },
}

/// A scalar place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// Where.
    pub place: Place,
    /// The type of what it holds.
    pub ty: Ty,
    /// The type of its value in expressions.
    pub declared: Ty,
}

/// What a place is evaluated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It is read or written.
    Access,
    /// Its address is taken: the end of an array has one, too.
    Address,
}

impl Body<'_, '_> {
    /// Evaluates a place that is read or written.
    pub(super) fn place(&mut self, place: PlaceId) -> Lowered<PlaceRef> {
        self.place_for(place, Purpose::Access)
    }

    /// Evaluates a place.
    pub(super) fn place_for(&mut self, place: PlaceId, purpose: Purpose) -> Lowered<PlaceRef> {
        let hir = self.ctx.hir;
        let access = access(hir, place);
        let mut reference = self.root(access.root, access.root_ty, purpose)?;
        for (position, step) in access.steps.iter().enumerate() {
            let ty = access.type_after(hir, position + 1);
            reference = match *step {
                Step::Field { record, field } => self.field(reference, record, field, ty),
                Step::Index { array, index } => {
                    let index = match index {
                        Some(index) => {
                            reference = self.protect_place(reference, index);
                            self.value(index)?
                        }
                        None => self.exprs().int(Ty::signed(32), 0),
                    };
                    let is_last = access.is_at_end(hir, position);
                    let is_whole = position == 0 && !matches!(access.root, Root::Pointer(_));
                    let is_memory = matches!(reference, PlaceRef::Memory { .. });
                    let index = if is_memory && !is_last && !is_whole {
                        let is_end = position + 1 == access.steps.len() && purpose == Purpose::Address;
                        self.bounded(index, array, u64::from(is_end))
                    } else {
                        index
                    };
                    let element = self.element(reference, array, index, ty);
                    if let (PlaceRef::Memory { addr, .. }, false) = (&element, is_last) {
                        self.note_index(*addr, array);
                    }
                    element
                }
            };
        }
        Ok(reference)
    }

    /// A temporary object lives here as long as its function is active, in C up to the end of the full expression.
    fn note_temporary(&mut self, purpose: Purpose) {
        if purpose == Purpose::Address && self.ctx.options.checks.contains(cfa::CheckKind::Dangling) {
            let what = "the address of a part of a temporary object is taken: that it is not used after the full expression is not checked";
            self.ctx.approximate(cfa::ApproximationKind::Under, what, self.origin.region);
        }
    }

    fn root(&mut self, root: Root, ty: TypeId, purpose: Purpose) -> Lowered<PlaceRef> {
        match root {
            Root::Variable(variable) => self.variable_place(variable, ty),
            Root::Literal(variable) => {
                let hir = self.ctx.hir;
                if let Some(init) = &hir.variables[variable].init {
                    self.initialize(variable, init)?;
                }
                self.variable_place(variable, ty)
            }
            Root::Pointer(pointer) => {
                let addr = self.value(pointer)?;
                let addr = self.hide_constant(addr);
                Ok(PlaceRef::Memory { addr, bits: None, ty })
            }
            Root::String(string) => {
                let addr = self.string(string);
                Ok(PlaceRef::Memory { addr, bits: None, ty })
            }
            Root::Value(value) => match self.record(value)? {
                RecordValue::Memory(addr) => {
                    self.note_temporary(purpose);
                    Ok(PlaceRef::Memory { addr, bits: None, ty })
                }
                RecordValue::Leaves(values) => {
                    let record =
                        self.ctx.hir.types.record(ty).expect("H3: a selected value should be a record");
                    Ok(PlaceRef::Leaves { record, values, fields: Vec::new(), ty })
                }
            },
        }
    }

    /// A whole variable.
    pub(super) fn variable_place(&mut self, variable: VariableId, ty: TypeId) -> Lowered<PlaceRef> {
        Ok(match self.ctx.slot(variable)? {
            Slot::Object(object) => {
                let addr = self.object_address(object);
                PlaceRef::Memory { addr, bits: None, ty }
            }
            Slot::Pointer(pointer) => {
                let addr = self.read_var(pointer);
                PlaceRef::Memory { addr, bits: None, ty }
            }
            Slot::Split(_) => PlaceRef::Part { variable, fields: Vec::new(), indices: Vec::new(), ty },
        })
    }

    /// A field of a record place.
    pub(super) fn field(&mut self, base: PlaceRef, record: RecordId, number: u32, ty: TypeId) -> PlaceRef {
        match base {
            PlaceRef::Part { variable, mut fields, indices, .. } => {
                fields.push(number);
                PlaceRef::Part { variable, fields, indices, ty }
            }
            PlaceRef::Leaves { record, values, mut fields, .. } => {
                fields.push(number);
                PlaceRef::Leaves { record, values, fields, ty }
            }
            PlaceRef::Memory { addr, .. } => {
                let field = &self.ctx.hir.types.records[record].fields[number as usize];
                let (bits, offset) = (field.bits, i128::from(field.offset));
                let word = Ty::signed(self.exprs().pointer_width());
                let amount = self.exprs().int(word, offset);
                let addr = build::offset(self.exprs(), addr, amount);
                PlaceRef::Memory { addr, bits, ty }
            }
        }
    }

    /// An element of an array place.
    pub(super) fn element(&mut self, base: PlaceRef, _array: TypeId, index: ExprId, ty: TypeId) -> PlaceRef {
        match base {
            PlaceRef::Part { variable, fields, mut indices, .. } => {
                indices.push(index);
                PlaceRef::Part { variable, fields, indices, ty }
            }
            PlaceRef::Memory { addr, .. } => {
                let amount = match layout::size_of(&self.ctx.hir.types, ty) {
                    Some(size) => self.scale(index, size),
                    None => self.scale_variable(index, ty),
                };
                let addr = build::offset(self.exprs(), addr, amount);
                PlaceRef::Memory { addr, bits: None, ty }
            }
            PlaceRef::Leaves { .. } => unreachable!("L2: a record with an array should have no leaves"),
        }
    }

    /// An index of an array that is a part of an object, or of so many elements beyond its end.
    fn bounded(&mut self, index: ExprId, array: TypeId, beyond: u64) -> ExprId {
        match self.ctx.hir.types.array(array) {
            Some((_, ArrayLength::Fixed(count))) if count > 0 => {
                self.below(index, count.saturating_add(beyond))
            }
            Some((_, ArrayLength::Variable(bound)))
                if self.ctx.options.checks.contains(cfa::CheckKind::ArrayBounds) =>
            {
                let inside = self.within(index, Dimension::Bound(bound));
                let inside = if beyond == 0 { inside } else { self.is_end_or(index, bound, inside) };
                self.only_if(inside, index)
            }
            _ => index,
        }
    }

    /// That an index is the number of elements, or something else holds.
    fn is_end_or(&mut self, index: ExprId, bound: VariableId, other: ExprId) -> ExprId {
        let bound = self.bound(bound);
        let word = Ty::signed(self.exprs().pointer_width());
        let (index, bound) = (build::cast(self.exprs(), word, index), build::cast(self.exprs(), word, bound));
        let is_end = build::compare(self.exprs(), BinaryOp::Eq, index, bound);
        build::or(self.exprs(), is_end, other)
    }

    /// An index that is undefined unless something holds.
    fn only_if(&mut self, inside: ExprId, index: ExprId) -> ExprId {
        // No index is below zero and not negative.
        let undefined = self.exprs().add(Expr::Bounded { index, low: 0, bound: 0 });
        build::ite(self.exprs(), inside, index, undefined)
    }

    /// An index that is undefined unless it is below a bound and not negative.
    fn below(&mut self, index: ExprId, bound: u64) -> ExprId {
        let constant = build::constant(self.exprs(), index).map(|value| (value, value));
        let is_inside = constant
            .or_else(|| build::range(self.exprs(), index))
            .is_some_and(|(low, high)| low >= 0 && high < i128::from(bound));
        if is_inside { index } else { self.exprs().add(Expr::Bounded { index, low: 0, bound }) }
    }

    /// An address is that of an element of an array: it is undefined for other indices than those of the array.
    fn note_index(&mut self, addr: ExprId, array: TypeId) {
        let types = &self.ctx.hir.types;
        let exprs = &self.ctx.program.exprs;
        // With a constant index the same address may be that of something else.
        if let Expr::Binary { op: BinaryOp::PtrAdd, rhs, .. } = *exprs.get(addr)
            && build::constant(exprs, rhs).is_none()
            && let Some((elem, ArrayLength::Fixed(count))) = types.array(array)
            && let Some(size) = layout::size_of(types, elem)
        {
            self.ctx.indices.within(addr, Elements { size, count });
        }
    }

    /// `index` times a number of bytes, as a signed integer of pointer width.
    pub(super) fn scale(&mut self, index: ExprId, size: u64) -> ExprId {
        let index = if size > 1 { self.countable(index, size) } else { index };
        build::scale(self.exprs(), index, size)
    }

    /// A number of elements that a pointer is moved by. The program does not multiply: where the product does not fit, no signed operation overflows, but the
    /// pointer leaves its object. Where neither is checked, both end the execution.
    pub(super) fn countable(&mut self, index: ExprId, size: u64) -> ExprId {
        let word = Ty::signed(self.exprs().pointer_width());
        let Some((_, greatest)) = word.range().filter(|_| self.ctx.is_checked()) else { return index };
        let most = greatest / i128::from(size.max(1));
        let index = build::cast(self.exprs(), word, index);
        let constant = build::constant(self.exprs(), index).map(|value| (value, value));
        let (low, high) = constant.or_else(|| build::range(self.exprs(), index)).unwrap_or((-most - 1, most));
        if -most <= low && high <= most {
            return index;
        }
        let (Ok(low), Ok(bound)) = (i64::try_from(-most), u64::try_from(most + 1)) else { return index };
        self.exprs().add(Expr::Bounded { index, low, bound })
    }

    /// `index` times the size of a type of variable length.
    pub(super) fn scale_variable(&mut self, index: ExprId, ty: TypeId) -> ExprId {
        let size = self.variable_size(ty);
        let word = Ty::signed(self.exprs().pointer_width());
        let (index, size) = (build::cast(self.exprs(), word, index), build::cast(self.exprs(), word, size));
        self.exprs().binary(BinaryOp::Mul, index, size)
    }

    /// The size of a type in bytes, of type `size_t`.
    pub(super) fn variable_size(&mut self, ty: TypeId) -> ExprId {
        if let Some(size) = layout::size_of(&self.ctx.hir.types, ty) {
            return self.size(size);
        }
        let Some((elem, length)) = self.ctx.hir.types.array(ty) else {
            return self.size(0);
        };
        let count = match length {
            ArrayLength::Fixed(count) => self.size(count),
            ArrayLength::Unknown => self.size(0),
            ArrayLength::Variable(bound) => self.bound(bound),
        };
        let size = self.variable_size(elem);
        if build::constant(self.exprs(), size) == Some(1) {
            return count;
        }
        self.exprs().binary(BinaryOp::Mul, count, size)
    }

    /// The value of a hidden bound.
    pub(super) fn bound(&mut self, bound: VariableId) -> ExprId {
        match self.ctx.slot(bound) {
            Ok(Slot::Split(parts)) if !parts.is_empty() => self.read_var(parts[0].var),
            _ => self.size(0),
        }
    }

    /// The same place as it is before `later` is evaluated (Q1).
    pub(super) fn protect_place(&mut self, place: PlaceRef, later: hir::ExprId) -> PlaceRef {
        match place {
            PlaceRef::Part { variable, fields, indices, ty } => {
                let indices = indices.into_iter().map(|index| self.protect(index, later)).collect();
                PlaceRef::Part { variable, fields, indices, ty }
            }
            PlaceRef::Memory { addr, bits, ty } => {
                let addr = self.protect(addr, later);
                PlaceRef::Memory { addr, bits, ty }
            }
            PlaceRef::Leaves { record, values, fields, ty } => {
                let values = values.into_iter().map(|value| self.protect(value, later)).collect();
                PlaceRef::Leaves { record, values, fields, ty }
            }
        }
    }

    /// The same place, no matter what happens before it is used.
    pub(super) fn stable_place(&mut self, place: PlaceRef) -> PlaceRef {
        match place {
            PlaceRef::Part { variable, fields, indices, ty } => {
                let indices = indices.into_iter().map(|index| self.stable(index)).collect();
                PlaceRef::Part { variable, fields, indices, ty }
            }
            PlaceRef::Memory { addr, bits, ty } => {
                let addr = self.stable(addr);
                PlaceRef::Memory { addr, bits, ty }
            }
            PlaceRef::Leaves { record, values, fields, ty } => {
                let values = values.into_iter().map(|value| self.stable(value)).collect();
                PlaceRef::Leaves { record, values, fields, ty }
            }
        }
    }

    /// Where a scalar place writes to.
    pub(super) fn target(&mut self, place: &PlaceRef) -> Lowered<Target> {
        match place {
            PlaceRef::Part { variable, fields, indices, .. } => {
                let Slot::Split(parts) = self.ctx.slot(*variable)? else {
                    unreachable!("Q1: a part should belong to a split variable")
                };
                let part = parts
                    .iter()
                    .find(|part| *part.path == **fields)
                    .expect("V1: a used part of a split variable should exist");
                Ok(self.part_target(part, indices))
            }
            PlaceRef::Memory { addr, bits, ty } => {
                let declared = self
                    .ctx
                    .hir
                    .types
                    .scalar(*ty)
                    .expect("H3: a place that is written as a scalar should be one");
                let ty = layout::held(declared, *bits);
                let place = match bits {
                    None => Place::Mem { addr: *addr, ty },
                    Some(bits) => Place::Bits { addr: *addr, bit: bits.bit, ty },
                };
                Ok(Target { place, ty, declared })
            }
            PlaceRef::Leaves { .. } => unreachable!("H3: a value that is no lvalue should not be written"),
        }
    }

    /// Where a part of a split variable is written, given the indices of all its dimensions.
    pub(super) fn part_target(&mut self, part: &Part, indices: &[ExprId]) -> Target {
        let place = if part.dimensions.is_empty() {
            Place::Var(part.var)
        } else {
            Place::Elem { array: part.var, index: self.flat_index(&part.dimensions, indices) }
        };
        Target { place, ty: part.ty, declared: part.declared }
    }

    /// What a scalar place holds, as its type in expressions.
    pub(super) fn read(&mut self, place: &PlaceRef) -> Lowered<ExprId> {
        if let PlaceRef::Leaves { record, values, fields, .. } = place {
            let leaves = self.ctx.leaves(*record).expect("L2: a record of leaves should have them");
            let position = leaves.iter().position(|leaf| *leaf.path == **fields);
            let position = position.expect("H3: a selected scalar should be a leaf");
            let declared = leaves[position].declared;
            return Ok(build::cast(self.exprs(), declared, values[position]));
        }
        let target = self.target(place)?;
        let held = self.read_target(&target);
        Ok(build::cast(self.exprs(), target.declared, held))
    }

    /// What a scalar place holds, in the type that it holds.
    pub(super) fn read_target(&mut self, target: &Target) -> ExprId {
        let ty = target.ty;
        self.exprs().add(match target.place {
            Place::Var(var) => Expr::Var { var, ty },
            Place::Elem { array, index } => Expr::Elem { array, index, ty },
            Place::Mem { addr, .. } => Expr::Load { addr, ty },
            Place::Bits { addr, bit, .. } => Expr::LoadBits { addr, bit, ty },
        })
    }

    /// Writes a value of the place's declared type.
    pub(super) fn write(&mut self, target: &Target, value: ExprId) {
        let value = build::cast(self.exprs(), target.ty, value);
        self.emit(Op::Assign { place: target.place, value });
    }

    /// A leaf of a record in memory.
    pub(super) fn leaf_place(&mut self, address: ExprId, leaf: &FlatLeaf) -> Place {
        let word = Ty::signed(self.exprs().pointer_width());
        let amount = self.exprs().int(word, i128::from(leaf.offset));
        let addr = build::offset(self.exprs(), address, amount);
        match leaf.bits {
            None => Place::Mem { addr, ty: leaf.ty },
            Some(bits) => Place::Bits { addr, bit: bits.bit, ty: leaf.ty },
        }
    }

    /// The index of a flat array: see the encoding in the module `lower`.
    fn flat_index(&mut self, dimensions: &[Dimension], indices: &[ExprId]) -> ExprId {
        debug_assert_eq!(dimensions.len(), indices.len());
        if let [index] = indices {
            return *index;
        }
        let total = dimensions.iter().try_fold(1_u64, |total, dimension| match dimension {
            Dimension::Fixed(count) => total.checked_mul(*count),
            Dimension::Bound(_) => None,
        });
        let narrow = total.is_some_and(|total| i32::try_from(total).is_ok())
            && indices.iter().all(|index| self.exprs().ty(*index) == Ty::signed(32));
        let ty = if narrow { Ty::signed(32) } else { Ty::signed(64) };
        let mut flat = self.exprs().int(ty, 0);
        for (dimension, index) in dimensions.iter().zip(indices) {
            let index = self.inside(*index, *dimension);
            let count = match dimension {
                Dimension::Fixed(count) => self.exprs().int(ty, i128::from(*count)),
                Dimension::Bound(bound) => {
                    let count = self.bound(*bound);
                    build::cast(self.exprs(), ty, count)
                }
            };
            let index = build::cast(self.exprs(), ty, index);
            flat = fold(self.exprs(), BinaryOp::Mul, flat, count);
            flat = fold(self.exprs(), BinaryOp::Add, flat, index);
        }
        flat
    }

    /// An index, which is undefined outside of a dimension.
    fn inside(&mut self, index: ExprId, dimension: Dimension) -> ExprId {
        match dimension {
            Dimension::Fixed(count) => self.below(index, count),
            Dimension::Bound(_) => {
                let inside = self.within(index, dimension);
                self.only_if(inside, index)
            }
        }
    }

    /// Whether an index lies within a dimension.
    fn within(&mut self, index: ExprId, dimension: Dimension) -> ExprId {
        let ty = self.exprs().ty(index);
        let zero = self.exprs().int(ty, 0);
        let range = build::range(self.exprs(), index);
        let not_negative = if range.is_none_or(|(low, _)| low < 0) && ty.is_signed() {
            build::compare(self.exprs(), BinaryOp::Le, zero, index)
        } else {
            self.exprs().bool(true)
        };
        let below = match dimension {
            Dimension::Fixed(count) => match range {
                Some((_, high)) if high < i128::from(count) => self.exprs().bool(true),
                _ => {
                    let count = self.exprs().int(ty, i128::from(count));
                    build::compare(self.exprs(), BinaryOp::Lt, index, count)
                }
            },
            Dimension::Bound(bound) => {
                let bound = self.bound(bound);
                let wide = Ty::unsigned(ty.width(self.ctx.program.data_model).max(64));
                let (index, bound) =
                    (build::cast(self.exprs(), wide, index), build::cast(self.exprs(), wide, bound));
                build::compare(self.exprs(), BinaryOp::Lt, index, bound)
            }
        };
        build::and(self.exprs(), not_negative, below)
    }

    /// The address of a string literal.
    pub(super) fn string(&mut self, string: hir::StringId) -> ExprId {
        let literal = &self.ctx.hir.strings[string];
        let (size, align) = (literal.bytes.len() as u64, self.ctx.hir.types.preferred_align_of(literal.ty));
        let declared = self.ctx.region(literal.span);
        let ctx = &mut *self.ctx;
        let var = *ctx.strings.entry(string).or_insert_with(|| {
            ctx.program.vars.push(cfa::Var {
                name: format!("%string{}", string.index()).into(),
                storage: cfa::Storage::Object { size, align, read_only: true },
                owner: None,
                c_type: "".into(),
                declared,
                scope: base::Region::NOWHERE,
            })
        });
        self.object_address(var)
    }
}

/// A sum or product; constants are folded, 0 and 1 vanish.
fn fold(exprs: &mut cfa::Exprs, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
    let ty = exprs.ty(lhs);
    match (op, build::constant(exprs, lhs), build::constant(exprs, rhs)) {
        (BinaryOp::Mul, Some(left), Some(right)) => exprs.int(ty, left.wrapping_mul(right)),
        (BinaryOp::Add, Some(left), Some(right)) => exprs.int(ty, left.wrapping_add(right)),
        (BinaryOp::Mul, Some(0), _) => lhs,
        (BinaryOp::Mul, _, Some(1)) => lhs,
        (BinaryOp::Add, Some(0), _) => rhs,
        (BinaryOp::Add, _, Some(0)) => lhs,
        _ => exprs.binary(op, lhs, rhs),
    }
}
