//! The variables that promoted memory and promoted pointers become.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Region;
use cfa::{BinaryOp, Expr, ExprId, Length, Program, Storage, Ty, Var, VarId};
use rustc_hash::FxHashMap;

use super::ObjectId;
use super::analysis::{Holder, Pointees};
use super::candidates::{Candidates, Kind, Lifetime};
use super::layout::{Layout, Leaf};
use super::offsets::{Offsets, Other, Pointee};

/// The type of object numbers; 0 is no object.
pub(super) const OBJECT: Ty = Ty::unsigned(32);
/// The type of offsets.
pub(super) const OFFSET: Ty = Ty::signed(64);

/// A pointer as an object and an offset.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// Holds the number of the object; `None` if it is always the only one of the pointee.
    pub(super) object: Option<VarId>,
    /// Holds the offset in units; `None` if it is always the same.
    pub(super) offset: Option<VarId>,
    /// Bytes of a unit.
    pub(super) unit: i64,
    pub(super) pointee: Pointee,
}

/// What a leaf becomes.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Value(VarId),
    Pointer(Pair),
}

/// All new variables.
pub(super) struct Slots {
    pub(super) layouts: BTreeMap<ObjectId, Layout>,
    leaves: BTreeMap<ObjectId, Vec<Slot>>,
    /// The size in bytes of an object whose size is not constant.
    sizes: FxHashMap<ObjectId, VarId>,
    /// The address of an object, where the order of objects matters.
    bases: FxHashMap<ObjectId, VarId>,
    /// Whether an object lives, where that matters.
    lives: FxHashMap<ObjectId, VarId>,
    pointers: FxHashMap<VarId, Pair>,
    invalid: FxHashMap<Ty, VarId>,
}

/// One value or one for each index.
#[derive(Clone, Copy)]
enum Shape {
    One,
    Many(Length),
}

impl Shape {
    fn storage(self, ty: Ty) -> Storage {
        match self {
            Self::One => Storage::Scalar(ty),
            Self::Many(length) => Storage::Array { elem: ty, length },
        }
    }
}

impl Slots {
    pub(super) fn new(
        out: &mut Program,
        candidates: &Candidates<'_>,
        pointees: &Pointees,
        layouts: BTreeMap<ObjectId, Layout>,
    ) -> Self {
        let mut slots = Self {
            layouts,
            leaves: BTreeMap::new(),
            sizes: FxHashMap::default(),
            bases: FxHashMap::default(),
            lives: FxHashMap::default(),
            pointers: FxHashMap::default(),
            invalid: FxHashMap::default(),
        };
        for object in candidates.promoted() {
            slots.add_object(out, candidates, pointees, object);
        }
        for object in compared(candidates, pointees) {
            let var = declared(candidates, object);
            let base = slots.add(out, &var, "address of", Storage::Scalar(OFFSET));
            slots.bases.insert(object, base);
            if candidates.object(object).lifetime == Lifetime::Some {
                let lives = slots.add(out, &var, "lifetime of", Storage::Scalar(Ty::BOOL));
                slots.lives.insert(object, lives);
            }
        }
        for (id, var) in candidates.program.vars.iter_enumerated() {
            let shape = match var.storage {
                Storage::Scalar(Ty::Ptr) => Shape::One,
                Storage::Array { elem: Ty::Ptr, length } => Shape::Many(length),
                Storage::Scalar(_) | Storage::Array { .. } | Storage::Object { .. } => continue,
            };
            let pointee = pointees.held(Holder::Var(id));
            if !pointee.objects.is_empty() {
                let pair = slots.pair(out, var, pointee, shape);
                slots.pointers.insert(id, pair);
            }
        }
        slots
    }

    fn add_object(
        &mut self,
        out: &mut Program,
        candidates: &Candidates<'_>,
        pointees: &Pointees,
        object: ObjectId,
    ) {
        let var = declared(candidates, object);
        let size = candidates.object(object).size;
        if size.is_none() {
            let size = self.add(out, &var, "size of", Storage::Scalar(Ty::unsigned(64)));
            self.sizes.insert(object, size);
        }
        let layout = self.layouts.get(&object).cloned().unwrap_or_default();
        let mut leaves = Vec::new();
        for (index, leaf) in layout.leaves.iter().enumerate() {
            let shape = match (layout.element, size) {
                (None, _) => Shape::One,
                (Some(_), Some(size)) => Shape::Many(Length::Fixed(layout.length(index, size) as u64)),
                (Some(_), None) => Shape::Many(Length::Dynamic),
            };
            let is_whole = layout.leaves.len() == 1 && leaf.at == 0 && size == Some(leaf.width / 8);
            let name = if is_whole || layout.element.is_some() && layout.leaves.len() == 1 {
                String::new()
            } else if leaf.at % 8 == 0 {
                format!("byte {} of", leaf.at / 8)
            } else {
                format!("bit {} of", leaf.at)
            };
            let pointee = held(pointees, object, &layout, leaf);
            leaves.push(if pointee.objects.is_empty() {
                Slot::Value(self.add(out, &var, &name, shape.storage(leaf.ty)))
            } else {
                let part = Var { name: titled(&var, &name), ..var.clone() };
                Slot::Pointer(self.pair(out, &part, pointee, shape))
            });
        }
        self.leaves.insert(object, leaves);
    }

    fn pair(&mut self, out: &mut Program, var: &Var, pointee: Pointee, shape: Shape) -> Pair {
        let object = pointee.only().is_none().then(|| self.add(out, var, "object of", shape.storage(OBJECT)));
        let offset =
            pointee.offset().is_none().then(|| self.add(out, var, "offset of", shape.storage(OFFSET)));
        Pair { object, offset, unit: pointee.unit(), pointee }
    }

    #[allow(clippy::unused_self)]
    fn add(&self, out: &mut Program, like: &Var, what: &str, storage: Storage) -> VarId {
        out.vars.push(Var { name: titled(like, what), storage, ..like.clone() })
    }

    pub(super) fn leaf(&self, object: ObjectId, index: usize) -> &Slot {
        &self.leaves[&object][index]
    }
    pub(super) fn leaves(&self, object: ObjectId) -> &[Slot] {
        &self.leaves[&object]
    }
    pub(super) fn pointer(&self, var: VarId) -> Option<&Pair> {
        self.pointers.get(&var)
    }
    pub(super) fn size(&self, object: ObjectId) -> Option<VarId> {
        self.sizes.get(&object).copied()
    }
    pub(super) fn base(&self, object: ObjectId) -> Option<VarId> {
        self.bases.get(&object).copied()
    }
    pub(super) fn lives(&self, object: ObjectId) -> Option<VarId> {
        self.lives.get(&object).copied()
    }
    /// An expression that is undefined in every state: an element of an array that has none.
    pub(super) fn invalid(&mut self, out: &mut Program, ty: Ty) -> ExprId {
        let entry = out.entry;
        let array = *self.invalid.entry(ty).or_insert_with(|| {
            out.vars.push(Var {
                name: "%invalid".into(),
                storage: Storage::Array { elem: ty, length: Length::Fixed(0) },
                owner: Some(entry),
                c_type: "".into(),
                declared: Region::NOWHERE,
                scope: Region::NOWHERE,
            })
        });
        let index = out.exprs.int(Ty::signed(32), 0);
        out.exprs.add(Expr::Elem { array, index, ty })
    }
}

/// What the pointers in a leaf may be.
fn held(pointees: &Pointees, object: ObjectId, layout: &Layout, leaf: &Leaf) -> Pointee {
    if leaf.ty != Ty::Ptr {
        return Pointee::default();
    }
    let at = match layout.element {
        None => Offsets::one(leaf.at / 8),
        Some(element) => Offsets::Stride { modulus: element, residue: leaf.at / 8 },
    };
    pointees.loaded(&Pointee { objects: BTreeMap::from([(object, at)]), other: Other::Nothing })
}

fn titled(var: &Var, what: &str) -> Arc<str> {
    if what.is_empty() { var.name.clone() } else { format!("%{what} {}", var.name).into() }
}

/// A variable that is declared like an object.
fn declared(candidates: &Candidates<'_>, object: ObjectId) -> Var {
    let program = candidates.program;
    match candidates.object(object).kind {
        Kind::Var(var) => program.vars[var].clone(),
        Kind::Site(_) | Kind::Proc(_) => Var {
            name: format!("%object{}", object.0).into(),
            storage: Storage::Scalar(OBJECT),
            owner: Some(program.entry),
            c_type: "".into(),
            declared: Region::NOWHERE,
            scope: Region::NOWHERE,
        },
    }
}

/// The objects whose addresses are compared with those of others, where C does not say how.
fn compared(candidates: &Candidates<'_>, pointees: &Pointees) -> BTreeSet<ObjectId> {
    let exprs = &candidates.program.exprs;
    let mut found = BTreeSet::new();
    for id in &candidates.used {
        let Expr::Binary { op, lhs, rhs } = *exprs.get(*id) else { continue };
        if exprs.ty(lhs) != Ty::Ptr || op == BinaryOp::PtrAdd {
            continue;
        }
        if !pointees.is_followed(lhs) && !pointees.is_followed(rhs) {
            continue;
        }
        let (left, right) = (pointees.of(lhs), pointees.of(rhs));
        if is_open(candidates, op, left, right) {
            found.extend(left.objects.keys().chain(right.objects.keys()));
        }
    }
    found
}

/// Whether a comparison may depend on where objects lie.
pub(super) fn is_open(candidates: &Candidates<'_>, op: BinaryOp, left: &Pointee, right: &Pointee) -> bool {
    let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
    let mut pairs = left.objects.iter().flat_map(|one| right.objects.iter().map(move |other| (one, other)));
    let with_none = |one: &Pointee, other: &Pointee| one.other != Other::Nothing && !other.objects.is_empty();
    let with_number =
        |one: &Pointee, other: &Pointee| one.other >= Other::Number && !other.objects.is_empty();
    if !equality && (with_none(left, right) || with_none(right, left)) {
        return true;
    }
    if with_number(left, right) || with_number(right, left) {
        return true;
    }
    pairs.any(|((one, one_offsets), (other, other_offsets))| {
        let told_apart = equality
            && is_inside(candidates, *one, one_offsets)
            && is_inside(candidates, *other, other_offsets);
        one != other && !told_apart
    })
}

/// Whether an address always lies in an object that shares its memory with no other one at any time.
fn is_inside(candidates: &Candidates<'_>, object: ObjectId, offsets: &Offsets) -> bool {
    let object = candidates.object(object);
    match (offsets, object.size, object.kind) {
        (_, _, Kind::Proc(_)) => offsets.single() == Some(0),
        (Offsets::Few(offsets), Some(size), _) => {
            object.lifetime == Lifetime::Program && offsets.iter().all(|offset| (0..size).contains(offset))
        }
        _ => false,
    }
}
