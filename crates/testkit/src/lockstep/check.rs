//! Whether both programs are in the same state.

use std::collections::BTreeSet;

use cfa::{ProcId, Storage, Ty, VarId};
use interp::{Machine, Value, View};
use passes::{LeafMeaning, LeafValue, PointerMeaning};

use super::world::{Instance, Numbers, World, element_count, leaf_bits, leaf_value, parts, vars};

/// Gives variables of the new program that have no value the one that memory holds.
pub(super) fn complete(machine: &mut Machine<'_>, world: &World<'_>, old: &Machine<'_>) {
    let view = old.view();
    for instance in world.instances() {
        for leaf in world.leaves(instance.object) {
            for element in 0..element_count(leaf, instance) {
                let index = index(world, leaf, instance, element);
                if vars(leaf).into_iter().all(|var| held(&machine.view(), var, index).is_some()) {
                    continue;
                }
                let (bits, _) = leaf_bits(&view, leaf, instance.base, element);
                for (var, value) in values(world, leaf, bits) {
                    if held(&machine.view(), var, index).is_none() {
                        match index {
                            None => machine.set(var, value),
                            Some(index) => {
                                machine.set_elem(var, index, value);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Gives one of many objects, which begins now, the values that memory will hold: the variables hold a value for each number from the start on, and nobody has written it.
pub(super) fn preset(machine: &mut Machine<'_>, world: &World<'_>, after: &Machine<'_>, instance: &Instance) {
    for leaf in world.leaves(instance.object) {
        for element in 0..element_count(leaf, instance) {
            let Some(index) = index(world, leaf, instance, element) else { continue };
            let (bits, _) = leaf_bits(&after.view(), leaf, instance.base, element);
            for (var, value) in values(world, leaf, bits) {
                machine.set_elem(var, index, value);
            }
        }
    }
}

/// The index of an element, if the variables of a leaf are arrays.
fn index(world: &World<'_>, leaf: &LeafMeaning, instance: &Instance, element: i64) -> Option<i128> {
    if world.is_many(instance.object) {
        return Some(instance.number + i128::from(element));
    }
    leaf.element.map(|_| i128::from(element))
}

fn held(view: &View<'_>, var: VarId, index: Option<i128>) -> Option<Value> {
    match index {
        None => view.scalar(var),
        Some(index) => view.elem(var, index),
    }
}

/// What the variables of a leaf should hold.
fn values(world: &World<'_>, leaf: &LeafMeaning, bits: u128) -> Vec<(VarId, Value)> {
    match &leaf.value {
        LeafValue::Value(var, ty) => vec![(*var, leaf_value(*ty, bits, world.given.data_model))],
        LeafValue::Pointer(pointer) => parts(pointer, world.numbers(pointer, bits as u64)).collect(),
    }
}

/// Whether variables and memory agree.
pub(super) fn compare(
    machine: &Machine<'_>,
    world: &World<'_>,
    old: &Machine<'_>,
    (proc, written): (ProcId, &BTreeSet<VarId>),
) -> Result<(), String> {
    let (new, old) = (machine.view(), old.view());
    for (var, declared) in world.given.vars.iter_enumerated() {
        if declared.owner.is_some_and(|owner| owner != proc) || !written.contains(&var) {
            continue;
        }
        match declared.storage {
            Storage::Scalar(Ty::Ptr) => {
                let (Some(pointer), Some(value)) = (world.meanings.pointers.get(&var), old.scalar(var))
                else {
                    continue;
                };
                compare_pointer(world, &new, pointer, None, value.bits as u64)
                    .map_err(|what| format!("pointer {}: {what}", declared.name))?;
            }
            Storage::Scalar(_) => {
                if let (Some(one), Some(other)) = (old.scalar(var), new.scalar(var))
                    && one != other
                {
                    return Err(format!("{} is {other}, not {one}", declared.name));
                }
            }
            Storage::Array { .. } | Storage::Object { .. } => {}
        }
    }
    for instance in world.instances() {
        for leaf in world.leaves(instance.object) {
            for element in 0..element_count(leaf, instance) {
                compare_leaf(world, (&old, &new), leaf, instance, element)?;
            }
        }
    }
    Ok(())
}

fn compare_leaf(
    world: &World<'_>,
    (old, new): (&View<'_>, &View<'_>),
    leaf: &LeafMeaning,
    instance: &Instance,
    element: i64,
) -> Result<(), String> {
    let (bits, known) = leaf_bits(old, leaf, instance.base, element);
    if known != u128::MAX >> (128 - leaf.width) {
        return Ok(());
    }
    let index = index(world, leaf, instance, element);
    let place = || format!("bit {} of element {element} of {instance:?}", leaf.first_bit);
    match &leaf.value {
        LeafValue::Value(var, ty) => {
            let expected = leaf_value(*ty, bits, world.given.data_model);
            match held(new, *var, index) {
                Some(value) if value != expected => {
                    Err(format!("{} is {value}, not {expected}: {}", new.program().vars[*var].name, place()))
                }
                _ => Ok(()),
            }
        }
        LeafValue::Pointer(pointer) => compare_pointer(world, new, pointer, index, bits as u64)
            .map_err(|what| format!("{what}: {}", place())),
    }
}

fn compare_pointer(
    world: &World<'_>,
    new: &View<'_>,
    pointer: &PointerMeaning,
    index: Option<i128>,
    address: u64,
) -> Result<(), String> {
    let number = |var: Option<VarId>, default: i128| match var {
        None => Some(default),
        Some(var) => held(new, var, index).map(Value::as_int),
    };
    let object = number(pointer.object, i128::from(pointer.only.unwrap_or(0)));
    let (Some(object), Some(instance), Some(offset)) =
        (object, number(pointer.instance, 0), number(pointer.offset, 0))
    else {
        return Ok(());
    };
    let offset = offset * i128::from(pointer.modulus) + i128::from(pointer.residue);
    let numbers = Numbers { object: object as u32, instance, offset };
    match world.address(numbers) {
        Some(meant) if meant == address => Ok(()),
        // What is far away from its object stands for all that is farther away.
        Some(meant) if world.are_far(numbers, [meant, address]) => Ok(()),
        // What no longer exists, and will not be used, may be taken for what exists now.
        _ if world.is_outdated(address) => Ok(()),
        meant => Err(format!("{numbers:?} means {meant:x?}, not {address:#x}: {:?}", world.find(address))),
    }
}
