//! The variables that memory and pointers become.
//!
//! # Pointers
//! A pointer is three numbers: the object, which one of many, and the offset in it. Object [`super::NONE`] is none: the offset is the number of the address, 0 for null. Object
//! [`super::GARBAGE`] is what a pointer leads to that was never written, [`super::FOREIGN`] other memory that is not followed; which one is told by the number among many. A number that is always
//! the same needs no variable.
//! Many objects are numbered by how many bytes all before them take, so that the elements of two of them never share an index.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Region;
use cfa::{Length, ProcId, Program, Storage, Ty, Var, VarId};

use super::ObjectId;
use super::layout::{Leaf, Segment};
use super::object::{Kind, Objects};
use super::offsets::{Offsets, Progression};
use super::pointee::Pointee;
use super::pointers::Pointers;
use super::tasks::holds_pointer;

/// The type of object numbers.
pub(super) const OBJECT: Ty = Ty::unsigned(32);
/// The type of offsets, indices and numbers among many objects: no sum of a few products of machine integers leaves it.
pub(super) const WORD: Ty = Ty::signed(100);

/// A pointer as variables.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// Holds the number of the object; `None` if it is always the same.
    pub(super) object: Option<VarId>,
    /// Holds which one it is of many; `None` if there are not many.
    pub(super) instance: Option<VarId>,
    /// Holds the offset without the residue, in multiples of the modulus; `None` if it is always the residue.
    pub(super) offset: Option<VarId>,
    pub(super) modulus: i64,
    pub(super) residue: i64,
    pub(super) pointee: Pointee,
}

impl Pair {
    /// All its variables, with their types.
    pub(super) fn vars(&self) -> impl Iterator<Item = (VarId, Ty)> {
        let typed = [(self.object, OBJECT), (self.instance, WORD), (self.offset, WORD)];
        typed.into_iter().filter_map(|(var, ty)| Some((var?, ty)))
    }
}

/// What a leaf becomes.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Value(VarId, Ty),
    Pointer(Pair),
}

impl Slot {
    /// All its variables, with their types.
    pub(super) fn vars(&self) -> Vec<(VarId, Ty)> {
        match self {
            Self::Value(var, ty) => vec![(*var, *ty)],
            Self::Pointer(pair) => pair.vars().collect(),
        }
    }
}

/// Which properties of objects somebody asks for.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Whether they live.
    pub(super) lives: BTreeSet<ObjectId>,
    /// What the number of their address is.
    pub(super) bases: BTreeSet<ObjectId>,
    /// Their size, where it is not constant.
    pub(super) sizes: BTreeSet<ObjectId>,
    /// Whether their parts have values.
    pub(super) flags: BTreeSet<ObjectId>,
}

/// All new variables.
pub(super) struct Slots {
    pub(super) segments: BTreeMap<ObjectId, Vec<Segment>>,
    leaves: BTreeMap<(ObjectId, usize, usize), Slot>,
    /// Whether leaves have values.
    flags: BTreeMap<(ObjectId, usize, usize), VarId>,
    sizes: BTreeMap<ObjectId, VarId>,
    bases: BTreeMap<ObjectId, VarId>,
    lives: BTreeMap<ObjectId, VarId>,
    /// For many objects: the number of the next one.
    nexts: BTreeMap<ObjectId, VarId>,
    /// For many objects that are one variable: the number of the present one.
    currents: BTreeMap<ObjectId, VarId>,
    pointers: BTreeMap<VarId, Pair>,
    lengths: BTreeMap<VarId, VarId>,
}

/// How values are kept that a pointer or a leaf needs.
#[derive(Clone, Copy, Debug)]
struct Shape {
    length: Option<Length>,
    owner: Option<ProcId>,
}

impl Shape {
    fn storage(self, ty: Ty) -> Storage {
        match self.length {
            None => Storage::Scalar(ty),
            Some(length) => Storage::Array { elem: ty, length },
        }
    }
}

impl Slots {
    pub(super) fn new(
        out: &mut Program,
        objects: &Objects<'_>,
        pointers: &Pointers,
        segments: BTreeMap<ObjectId, Vec<Segment>>,
        asked: &Asked,
    ) -> Self {
        let mut slots = Self {
            segments: BTreeMap::new(),
            leaves: BTreeMap::new(),
            flags: BTreeMap::new(),
            sizes: BTreeMap::new(),
            bases: BTreeMap::new(),
            lives: BTreeMap::new(),
            nexts: BTreeMap::new(),
            currents: BTreeMap::new(),
            pointers: BTreeMap::new(),
            lengths: BTreeMap::new(),
        };
        for (object, segments) in &segments {
            slots.add_leaves(out, (objects, pointers), *object, segments, asked);
        }
        slots.segments = segments;
        for object in objects.ids() {
            slots.add_object(out, objects, object, asked);
        }
        for (var, declared) in objects.program.vars.iter_enumerated() {
            let owner = declared.owner;
            match declared.storage {
                Storage::Scalar(Ty::Ptr) | Storage::Array { elem: Ty::Ptr, .. } => {
                    debug_assert!(holds_pointer(objects.program, var));
                    let length = match declared.storage {
                        Storage::Array { length, .. } => Some(length),
                        _ => None,
                    };
                    let shape = Shape { length, owner };
                    let pair = pair(out, objects, declared, pointers.of_var(var), shape);
                    slots.pointers.insert(var, pair);
                }
                _ => {}
            }
            if let Storage::Array { length: Length::Dynamic, .. } = declared.storage {
                let length = add(out, declared, "length of", Storage::Scalar(WORD), owner);
                slots.lengths.insert(var, length);
            }
        }
        slots
    }

    fn add_leaves(
        &mut self,
        out: &mut Program,
        (objects, pointers): (&Objects<'_>, &Pointers),
        object: ObjectId,
        segments: &[Segment],
        asked: &Asked,
    ) {
        let like = declared(objects, object);
        let owner = owner(objects, object);
        let size = objects.get(object).size;
        for (number, segment) in segments.iter().enumerate() {
            for (index, leaf) in segment.leaves.iter().enumerate() {
                let length = match (segment.element, segment.length(index)) {
                    _ if objects.is_many(object) => Some(Length::Unbounded),
                    (None, _) => None,
                    (Some(_), Some(length)) => Some(Length::Fixed(length.unsigned_abs())),
                    (Some(_), None) => Some(Length::Unbounded),
                };
                // Only global variables are unbounded.
                let owner = if length == Some(Length::Unbounded) { None } else { owner };
                let shape = Shape { length, owner };
                let name = title(segment, leaf, (segments.len(), size));
                let slot = if leaf.ty == Ty::Ptr {
                    let part = Var { name: titled(&like, &name), ..like.clone() };
                    Slot::Pointer(pair(out, objects, &part, held(pointers, object, segment, leaf), shape))
                } else {
                    Slot::Value(add(out, &like, &name, shape.storage(leaf.ty), owner), leaf.ty)
                };
                self.leaves.insert((object, number, index), slot);
                if asked.flags.contains(&object) {
                    let part = Var { name: titled(&like, &name), ..like.clone() };
                    let flag = add(out, &part, "value in", shape.storage(Ty::BOOL), owner);
                    self.flags.insert((object, number, index), flag);
                }
            }
        }
    }

    fn add_object(&mut self, out: &mut Program, objects: &Objects<'_>, object: ObjectId, asked: &Asked) {
        let like = declared(objects, object);
        let is_many = objects.is_many(object);
        let length = is_many.then_some(Length::Unbounded);
        let shape = Shape { length, owner: if is_many { None } else { owner(objects, object) } };
        let known = objects.get(object);
        let is_followed = self.segments.contains_key(&object);
        if known.size.is_none() && (is_followed || asked.sizes.contains(&object)) {
            let var = add(out, &like, "size of", shape.storage(WORD), shape.owner);
            self.sizes.insert(object, var);
        }
        if asked.lives.contains(&object) {
            let var = add(out, &like, "lifetime of", shape.storage(Ty::BOOL), shape.owner);
            self.lives.insert(object, var);
        }
        if asked.bases.contains(&object) {
            let address = Ty::unsigned(objects.program.data_model.pointer_width());
            let var = add(out, &like, "address of", shape.storage(address), shape.owner);
            self.bases.insert(object, var);
        }
        if is_many {
            let var = add(out, &like, "next of", Storage::Scalar(WORD), None);
            self.nexts.insert(object, var);
            if let Kind::Var(own) = known.kind {
                let owner = objects.program.vars[own].owner;
                let var = add(out, &like, "number of", Storage::Scalar(WORD), owner);
                self.currents.insert(object, var);
            }
        }
    }

    pub(super) fn leaf(&self, object: ObjectId, segment: usize, leaf: usize) -> &Slot {
        &self.leaves[&(object, segment, leaf)]
    }
    /// Whether a leaf has a value, if anybody asks.
    pub(super) fn flag(&self, object: ObjectId, segment: usize, leaf: usize) -> Option<VarId> {
        self.flags.get(&(object, segment, leaf)).copied()
    }
    /// All flags.
    pub(super) fn flags(&self) -> impl Iterator<Item = VarId> + '_ {
        self.flags.values().copied()
    }
    /// All leaves of an object: segment and leaf.
    pub(super) fn leaves(&self, object: ObjectId) -> Vec<(usize, usize)> {
        let all = (object, 0, 0)..=(object, usize::MAX, usize::MAX);
        self.leaves.range(all).map(|((_, segment, leaf), _)| (*segment, *leaf)).collect()
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
    pub(super) fn next(&self, object: ObjectId) -> Option<VarId> {
        self.nexts.get(&object).copied()
    }
    pub(super) fn current(&self, object: ObjectId) -> Option<VarId> {
        self.currents.get(&object).copied()
    }
    /// The number of elements of an array of variable length.
    pub(super) fn length(&self, array: VarId) -> Option<VarId> {
        self.lengths.get(&array).copied()
    }
    /// The variables that count something from the start of the program on.
    pub(super) fn counters(&self) -> impl Iterator<Item = VarId> + '_ {
        self.nexts.values().copied()
    }
    /// The lifetimes of single objects that do not live from the start on, by object.
    pub(super) fn single_lives(&self) -> impl Iterator<Item = (ObjectId, VarId)> + '_ {
        self.lives.iter().map(|(object, var)| (*object, *var))
    }
}

/// The variables of a pointer that may be what is known.
fn pair(out: &mut Program, objects: &Objects<'_>, like: &Var, pointee: Pointee, shape: Shape) -> Pair {
    let owner = shape.owner;
    let object = pointee.only().is_none().then(|| add(out, like, "object of", shape.storage(OBJECT), owner));
    let is_many = pointee.others.foreign
        || pointee.others.unwritten
        || pointee.objects.keys().any(|object| objects.is_many(*object));
    let instance = is_many.then(|| add(out, like, "number of", shape.storage(WORD), owner));
    let (modulus, residue) = pointee.stride();
    let offset = (modulus != 0).then(|| add(out, like, "offset of", shape.storage(WORD), owner));
    Pair { object, instance, offset, modulus, residue, pointee }
}

/// What the pointers in a leaf may be.
fn held(pointers: &Pointers, object: ObjectId, segment: &Segment, leaf: &Leaf) -> Pointee {
    let start = segment.start + leaf.at / 8;
    let at = match segment.element {
        None => Progression::one(start),
        Some(element) => Progression { start: start.rem_euclid(element), step: element, count: None },
    };
    pointers.held(object, &Offsets::of(at))
}

fn add(out: &mut Program, like: &Var, what: &str, storage: Storage, owner: Option<ProcId>) -> VarId {
    out.vars.push(Var { name: titled(like, what), storage, owner, ..like.clone() })
}

fn titled(var: &Var, what: &str) -> Arc<str> {
    if what.is_empty() { var.name.clone() } else { format!("%{what} {}", var.name).into() }
}

/// What a leaf is called: nothing if it is all of the object.
fn title(segment: &Segment, leaf: &Leaf, (segments, size): (usize, Option<i64>)) -> String {
    let is_whole = segments == 1
        && segment.leaves.len() == 1
        && segment.start == 0
        && leaf.at == 0
        && size.is_none_or(|size| segment.element.is_some() || size == leaf.width / 8);
    let from = segment.start * 8 + leaf.at;
    if is_whole {
        String::new()
    } else if from % 8 == 0 {
        format!("byte {} of", from / 8)
    } else {
        format!("bit {from} of")
    }
}

/// Who owns the variables of a single object: its procedure, if no other one is left.
fn owner(objects: &Objects<'_>, object: ObjectId) -> Option<ProcId> {
    if objects.procs.len() > 1 { None } else { declared(objects, object).owner }
}

/// A variable that is declared like an object.
fn declared(objects: &Objects<'_>, object: ObjectId) -> Var {
    let program = objects.program;
    match objects.get(object).kind {
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
