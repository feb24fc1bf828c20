//! Declarations and initialisers.
//!
//! # Invariants
//! * N1: after an initialiser every part of the variable that is ever read has a value, or is arbitrary as C has it.

use std::sync::Arc;

use cfa::{AllocKind, BinaryOp, InitKind, Op, Place, Ty};

use crate::hir::{self, InitItem, InitValue, Initializer, Projection, StorageDuration, VariableId};
use crate::lower::function::Body;
use crate::lower::place::PlaceRef;
use crate::lower::storage::{Dimension, Slot};
use crate::lower::{Lowered, build};
use crate::types::TypeId;

impl Body<'_, '_> {
    /// Execution reaches the declaration of a local variable.
    pub(super) fn declare(&mut self, variable: VariableId, init: Option<&Initializer>) -> Lowered<()> {
        match self.ctx.slot(variable)? {
            Slot::Pointer(pointer) => {
                let size = self.variable_size(self.ctx.hir.variables[variable].ty);
                let (kind, contents) = (AllocKind::Stack, InitKind::Uninitialised);
                self.emit(Op::Malloc { place: Place::Var(pointer), size, kind, contents });
            }
            Slot::Object(var) => {
                // The object is fresh, unless a jump led back into its scope.
                if self.has_labels && init.is_none() {
                    self.emit(Op::Init { var, contents: InitKind::Uninitialised });
                }
            }
            Slot::Split(parts) => {
                for part in parts.iter().filter(|part| !part.dimensions.is_empty() && !part.is_fixed()) {
                    let length = self.length(&part.dimensions);
                    self.emit(Op::Allocate { var: part.var, length });
                }
                if init.is_none() {
                    self.forget(variable)?;
                }
            }
        }
        if let Some(init) = init {
            self.initialize(variable, init)?;
        }
        self.declared(variable);
        Ok(())
    }

    /// Number of elements of an array of variable length.
    fn length(&mut self, dimensions: &[Dimension]) -> cfa::ExprId {
        let mut product: Option<cfa::ExprId> = None;
        for dimension in dimensions {
            let count = match dimension {
                Dimension::Fixed(count) => self.size(*count),
                Dimension::Bound(bound) => self.bound(*bound),
            };
            product = Some(match product {
                None => count,
                Some(product) => self.exprs().binary(BinaryOp::Mul, product, count),
            });
        }
        match product {
            Some(product) => product,
            None => self.size(1),
        }
    }

    /// Sets the bound of an array type. A bound that was negative, or is too large for any object, is undefined behaviour; 0 is allowed, as GNU C has it.
    pub(super) fn set_bound(&mut self, bound: VariableId, value: hir::ExprId) -> Lowered<()> {
        let Slot::Split(parts) = self.ctx.slot(bound)? else { return self.effect(value) };
        let Some(part) = parts.first() else { return self.effect(value) };
        let target = self.part_target(part, &[]);
        self.assign(&target, value)?;
        let current = self.read_target(&target);
        let ty = self.exprs().ty(current);
        let greatest = Ty::signed(self.exprs().pointer_width()).range().map_or(0, |(_, high)| high);
        let greatest = self.exprs().int(ty, greatest);
        let cond = build::compare(self.exprs(), BinaryOp::Le, current, greatest);
        if self.is_negative_checked(value) {
            self.negative_length(cond, current);
        }
        self.emit(Op::Assume { cond });
        self.declared(bound);
        Ok(())
    }

    /// Whether a bound may be negative, and that is a violation.
    fn is_negative_checked(&self, value: hir::ExprId) -> bool {
        let hir = self.ctx.hir;
        let given = match hir.exprs[value].kind {
            hir::ExprKind::Convert(arg) => arg,
            _ => value,
        };
        let is_signed = hir.types.scalar(hir.exprs[given].ty).is_some_and(Ty::is_signed);
        is_signed && self.ctx.options.checks.contains(cfa::CheckKind::ArrayLength)
    }

    /// Where a bound is no natural number, an array of that length is asked for, which is undefined; the array is of no other use.
    fn negative_length(&mut self, is_natural: cfa::ExprId, bound: cfa::ExprId) {
        let var = self.ctx.program.vars.push(cfa::Var {
            name: "%negative".into(),
            storage: cfa::Storage::Array { elem: Ty::unsigned(8), length: cfa::Length::Dynamic },
            owner: Some(self.proc),
            c_type: "".into(),
            declared: base::Region::NOWHERE,
            scope: base::Region::NOWHERE,
        });
        let word = Ty::signed(self.exprs().pointer_width());
        let length = build::cast(self.exprs(), word, bound);
        let (natural, negative) = self.fork(is_natural, self.origin, self.origin);
        self.graph.set(negative);
        self.emit(Op::Allocate { var, length });
        self.graph.join(natural);
    }

    /// Writes an initialiser to a variable.
    pub(super) fn initialize(&mut self, variable: VariableId, init: &Initializer) -> Lowered<()> {
        let zero = init.zero_rest || init.items.iter().any(|item| matches!(item.value, InitValue::Bytes(_)));
        if zero {
            self.zero(variable, Some(init))?;
        }
        init.items.iter().try_for_each(|item| self.init_item(variable, item))
    }

    /// Sets a variable to zero, except scalars that an initialiser writes.
    pub(super) fn zero(&mut self, variable: VariableId, init: Option<&Initializer>) -> Lowered<()> {
        match self.ctx.slot(variable)? {
            Slot::Object(var) => {
                self.emit(Op::Init { var, contents: InitKind::Zero });
                let declared = &self.ctx.hir.variables[variable];
                if let (Some(init), StorageDuration::Automatic) = (init, declared.duration) {
                    let object = self.object_address(var);
                    self.forget_initialised_padding(object, declared.ty, init);
                }
            }
            Slot::Pointer(_) => {}
            Slot::Split(parts) => {
                for part in parts.iter() {
                    if !part.dimensions.is_empty() {
                        self.emit(Op::Init { var: part.var, contents: InitKind::Zero });
                        continue;
                    }
                    let written =
                        init.is_some_and(|init| init.items.iter().any(|item| covers(&item.path, &part.path)));
                    if !written {
                        let value = build::zero(self.exprs(), part.ty);
                        self.emit(Op::Assign { place: Place::Var(part.var), value });
                    }
                }
            }
        }
        Ok(())
    }

    fn init_item(&mut self, variable: VariableId, item: &InitItem) -> Lowered<()> {
        let hir = self.ctx.hir;
        let root = hir.variables[variable].ty;
        let (_, ty, _) = self.ctx.projected(root, &item.path);
        match &item.value {
            InitValue::Expr(expr) => {
                if !self.is_kept(variable, &item.path)? {
                    return self.effect(*expr);
                }
                let place = self.project(variable, &item.path)?;
                if let Some(record) = hir.types.record(ty) {
                    let value = self.record(*expr)?;
                    self.write_record(place, record, &value).map(drop)
                } else {
                    let target = self.target(&place)?;
                    self.assign(&target, *expr)
                }
            }
            InitValue::Bytes(bytes) => {
                if !self.is_kept(variable, &item.path)? {
                    return Ok(());
                }
                let place = self.project(variable, &item.path)?;
                self.init_bytes(&place, ty, bytes)
            }
        }
    }

    /// Whether some part at or below a path has a variable, or the variable is in memory.
    fn is_kept(&mut self, variable: VariableId, path: &[Projection]) -> Lowered<bool> {
        Ok(match self.ctx.slot(variable)? {
            Slot::Object(_) | Slot::Pointer(_) => true,
            Slot::Split(parts) => parts.iter().any(|part| covers(path, &part.path)),
        })
    }

    /// A part of a variable.
    fn project(&mut self, variable: VariableId, path: &[Projection]) -> Lowered<PlaceRef> {
        let mut ty = self.ctx.hir.variables[variable].ty;
        let mut place = self.variable_place(variable, ty)?;
        for projection in path {
            place = match projection {
                Projection::Field(number) => {
                    let record = self
                        .ctx
                        .hir
                        .types
                        .record(ty)
                        .expect("H4: an initialised field should belong to a record");
                    ty = self.ctx.hir.types.records[record].fields[*number as usize].ty;
                    self.field(place, record, *number, ty)
                }
                Projection::Index(index) => {
                    let array = ty;
                    ty = self.ctx.hir.types.array(ty).map_or(ty, |(elem, _)| elem);
                    let index_ty =
                        if i32::try_from(*index).is_ok() { Ty::signed(32) } else { Ty::signed(64) };
                    let index = self.exprs().int(index_ty, i128::from(*index));
                    self.element(place, array, index, ty)
                }
            };
        }
        Ok(place)
    }

    /// The elements of a character array that is zero so far.
    fn init_bytes(&mut self, place: &PlaceRef, ty: TypeId, bytes: &Arc<[u8]>) -> Lowered<()> {
        if let PlaceRef::Memory { addr, .. } = *place {
            self.emit(Op::Write { to: addr, bytes: bytes.clone() });
            return Ok(());
        }
        let Some((elem, _)) = self.ctx.hir.types.array(ty) else { return Ok(()) };
        let Some(scalar) = self.ctx.hir.types.scalar(elem) else { return Ok(()) };
        let size = scalar.size(self.ctx.program.data_model) as usize;
        for (position, chunk) in bytes.chunks(size.max(1)).enumerate() {
            let bits = chunk.iter().rev().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
            if bits != 0 {
                let index = self.exprs().int(Ty::signed(32), position as i128);
                let place = self.element(place.clone(), ty, index, elem);
                let target = self.target(&place)?;
                let value = self.exprs().int(scalar, bits as i128);
                self.write(&target, value);
            }
        }
        Ok(())
    }
}

/// Whether an initialiser of the part at `path` writes the part at the given field numbers, or a part of it.
fn covers(path: &[Projection], fields: &[u32]) -> bool {
    let mut numbers = path.iter().filter_map(|projection| match projection {
        Projection::Field(number) => Some(number),
        Projection::Index(_) => None,
    });
    fields.iter().all(|field| numbers.next().is_none_or(|number| number == field)) && numbers.next().is_none()
}
