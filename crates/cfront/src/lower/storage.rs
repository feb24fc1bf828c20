//! Where variables are kept.
//!
//! A variable whose address is never taken becomes one variable of the program per scalar leaf, arrays of records one array per leaf
//! (`a[i].f` is element `i` of `a.f`); everything else is an object in memory.
//!
//! # Invariants
//! * V1: the parts of a split variable are exactly its leaves that some reachable access uses (see `usage`).
//! * V2: the dimensions of a leaf are those of all arrays on the way to it, the outermost first.

use std::rc::Rc;
use std::sync::Arc;

use base::{Diagnostic, Region, Span};
use cfa::{Length, ProcId, Storage, Ty, Var, VarId};

use crate::hir::{Projection, StorageDuration, VariableId};
use crate::lower::entry::MAX_BYTES;
use crate::lower::layout;
use crate::lower::{Context, Lowered};
use crate::types::{ArrayLength, Type, TypeId};

/// Number of elements in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    /// Known.
    Fixed(u64),
    /// The value of a hidden variable.
    Bound(VariableId),
}

/// A scalar or array part of a split variable.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The field numbers that lead to it.
    pub path: Box<[u32]>,
    /// The arrays on the way (V2); none for a scalar.
    pub dimensions: Box<[Dimension]>,
    /// The type of what it holds: that of a bit-field has the bit-field's width.
    pub ty: Ty,
    /// The type of its value in expressions.
    pub declared: Ty,
    /// The variable of the program.
    pub var: VarId,
}

/// How a variable of the source is kept.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// In memory.
    Object(VarId),
    /// In memory that is allocated when the declaration is executed; the scalar variable holds its address.
    Pointer(VarId),
    /// As variables of its own.
    Split(Rc<[Part]>),
}

impl Context<'_> {
    /// Where a variable is kept; decided and allotted on first use.
    pub(super) fn slot(&mut self, variable: VariableId) -> Lowered<Slot> {
        if let Some(slot) = &self.slots[variable] {
            return Ok(slot.clone());
        }
        let hir = self.hir;
        let declared = &hir.variables[variable];
        let name = declared.name.to_string();
        let slot = if self.usage.variables[variable].in_memory {
            if is_variable_length(self, declared.ty) {
                Slot::Pointer(self.allot(variable, name, declared.ty, Storage::Scalar(Ty::Ptr)))
            } else {
                let size = self.object_size(variable)?;
                let align = hir.types.preferred_align_of(declared.ty).max(declared.align.unwrap_or(1));
                let storage = Storage::Object { size, align: align.next_power_of_two(), read_only: false };
                Slot::Object(self.allot(variable, name, declared.ty, storage))
            }
        } else {
            let mut split = Split { variable, path: Vec::new(), dimensions: Vec::new(), parts: Vec::new() };
            self.split(&mut split, declared.ty, None, &name)?;
            Slot::Split(split.parts.into())
        };
        self.slots[variable] = Some(slot.clone());
        Ok(slot)
    }

    /// The procedure that a local variable belongs to.
    fn owner(&self, variable: VariableId) -> Option<ProcId> {
        let declared = &self.hir.variables[variable];
        match declared.duration {
            StorageDuration::Static => None,
            StorageDuration::Parameter | StorageDuration::Automatic => {
                declared.function.and_then(|function| self.procs.get(&function).copied())
            }
        }
    }

    fn allot(&mut self, variable: VariableId, name: String, ty: TypeId, storage: Storage) -> VarId {
        let declared = &self.hir.variables[variable];
        let hidden = declared.name.starts_with('%');
        let var = Var {
            name: name.into(),
            storage,
            owner: self.owner(variable),
            c_type: if hidden { Arc::from("") } else { self.hir.types.display(ty).into() },
            declared: self.region(declared.declared),
            scope: if hidden { Region::NOWHERE } else { self.region(declared.scope) },
        };
        let id = self.program.vars.push(var);
        self.variable_of.insert(id, variable);
        id
    }

    /// Bytes of a variable in memory, as many as needed if only the definition tells; an initialised flexible array member adds to the size of its type.
    fn object_size(&self, variable: VariableId) -> Lowered<u64> {
        let declared = &self.hir.variables[variable];
        let types = &self.hir.types;
        if matches!(types.get(declared.ty), Type::Array { length: ArrayLength::Unknown, .. }) {
            return Ok(MAX_BYTES);
        }
        if let Type::Record(record) = types.get(declared.ty)
            && !types.records[*record].complete
        {
            return unsupported("object of incomplete type without definition", declared.declared);
        }
        let Some(mut size) = layout::size_of(types, declared.ty) else {
            return unsupported("object of this size", declared.declared);
        };
        for item in declared.init.iter().flat_map(|init| &init.items) {
            let (offset, ty, _) = self.projected(declared.ty, &item.path);
            let length = match &item.value {
                crate::hir::InitValue::Expr(_) => layout::size_of(types, ty).unwrap_or(0),
                crate::hir::InitValue::Bytes(bytes) => bytes.len() as u64,
            };
            if flexible(self, declared.ty, &item.path) {
                size = size.max(offset.saturating_add(length));
            }
        }
        Ok(size)
    }

    /// Offset, type and bit-field of a part.
    pub(super) fn projected(
        &self,
        ty: TypeId,
        path: &[Projection],
    ) -> (u64, TypeId, Option<crate::types::BitField>) {
        let (mut offset, mut ty, mut bits) = (0_u64, ty, None);
        for projection in path {
            match (projection, self.hir.types.get(ty)) {
                (Projection::Field(field), Type::Record(record)) => {
                    let field = &self.hir.types.records[*record].fields[*field as usize];
                    offset = offset.saturating_add(field.offset);
                    (ty, bits) = (field.ty, field.bits);
                }
                (Projection::Index(index), Type::Array { elem, .. }) => {
                    let size = layout::size_of(&self.hir.types, *elem).unwrap_or(0);
                    offset = offset.saturating_add(index.saturating_mul(size));
                    ty = *elem;
                }
                _ => {}
            }
        }
        (offset, ty, bits)
    }

    fn split(
        &mut self,
        split: &mut Split,
        ty: TypeId,
        bits: Option<crate::types::BitField>,
        name: &str,
    ) -> Lowered<()> {
        let hir = self.hir;
        let types = &hir.types;
        if let Some(declared) = types.scalar(ty) {
            let held = layout::held(declared, bits);
            let storage = self.part_storage(split, held)?;
            let whole = split.path.is_empty();
            let shown = if whole { hir.variables[split.variable].ty } else { ty };
            let var = self.allot(split.variable, name.to_owned(), shown, storage);
            split.parts.push(Part {
                path: split.path.as_slice().into(),
                dimensions: split.dimensions.as_slice().into(),
                ty: held,
                declared,
                var,
            });
            return Ok(());
        }
        match types.get(ty) {
            Type::Array { elem, length } => {
                split.dimensions.push(match length {
                    ArrayLength::Fixed(count) => Dimension::Fixed(*count),
                    ArrayLength::Variable(bound) => Dimension::Bound(*bound),
                    // Nothing of it is used, or it would be in memory.
                    ArrayLength::Unknown => Dimension::Fixed(0),
                });
                self.split(split, *elem, None, name)?;
                split.dimensions.pop();
            }
            Type::Record(record) => {
                for (number, field) in types.records[*record].fields.iter().enumerate() {
                    split.path.push(number as u32);
                    if self.is_used(split) {
                        let name = if field.name.is_empty() {
                            name.to_owned()
                        } else {
                            format!("{name}.{}", field.name)
                        };
                        self.split(split, field.ty, field.bits, &name)?;
                    }
                    split.path.pop();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn is_used(&self, split: &Split) -> bool {
        self.usage.variables[split.variable]
            .paths
            .iter()
            .any(|used| used.iter().zip(&split.path).all(|(used, field)| used == field))
    }

    fn part_storage(&self, split: &Split, elem: Ty) -> Lowered<Storage> {
        if split.dimensions.is_empty() {
            return Ok(Storage::Scalar(elem));
        }
        let mut length = Some(1_u64);
        for dimension in &split.dimensions {
            match dimension {
                Dimension::Fixed(count) => length = length.and_then(|length| length.checked_mul(*count)),
                Dimension::Bound(_) => return Ok(Storage::Array { elem, length: Length::Dynamic }),
            }
        }
        match length {
            Some(length) => Ok(Storage::Array { elem, length: Length::Fixed(length) }),
            None => unsupported("array of this size", self.hir.variables[split.variable].declared),
        }
    }
}

/// A variable on its way to being split.
struct Split {
    variable: VariableId,
    path: Vec<u32>,
    dimensions: Vec<Dimension>,
    parts: Vec<Part>,
}

/// Whether the size of a type is known only when its declaration is executed.
pub(super) fn is_variable_length(ctx: &Context<'_>, ty: TypeId) -> bool {
    layout::size_of(&ctx.hir.types, ty).is_none()
}

/// Whether a path leads through a flexible array member.
fn flexible(ctx: &Context<'_>, ty: TypeId, path: &[Projection]) -> bool {
    (0..=path.len()).any(|count| {
        let (_, part, _) = ctx.projected(ty, &path[..count]);
        matches!(ctx.hir.types.array(part), Some((_, ArrayLength::Unknown)))
    })
}

/// The error for what is not modelled.
pub(super) fn unsupported<T>(construct: impl std::fmt::Display, span: Span) -> Lowered<T> {
    Err(Box::new(Diagnostic::unsupported(construct, span)))
}

impl Part {
    /// Whether it is an array of known length.
    pub(super) fn is_fixed(&self) -> bool {
        !self.dimensions.is_empty()
            && self.dimensions.iter().all(|dimension| matches!(dimension, Dimension::Fixed(_)))
    }
}
