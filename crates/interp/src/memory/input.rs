//! Objects whose bytes are inputs, chosen when they are first read.

use base::Idx;
use cfa::op::InitKind;
use cfa::program::VarId;

use super::{DataModel, Fault, Memory, NewObject, ObjectKind, Validity};

/// Bytes that may be accessed behind a pointer from outside.
fn outside_size(model: DataModel) -> u64 {
    match model {
        DataModel::Lp64 => 64 << 20,
        DataModel::Ilp32 => 1 << 20,
    }
}

/// Alignment of an object from outside.
const OUTSIDE_ALIGN: u64 = 16;

/// Whether bytes of an object that have no value are inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    No,
    Yes,
    /// They may have been copied from an input.
    Copied,
}

impl Input {
    pub(super) fn of(contents: InitKind) -> Self {
        if contents == InitKind::Arbitrary { Self::Yes } else { Self::No }
    }
}

/// Who has an object that is an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The pointer from outside with a number.
    Outside(u64),
    /// A variable is it.
    Variable(VarId),
    /// It was allocated.
    Allocation,
}

impl Memory {
    /// The pointer from outside with a number: null for 0, else to an object of its own.
    pub(crate) fn outside(&mut self, validity: Validity, number: u64) -> Result<u64, Fault> {
        if number == 0 {
            return Ok(0);
        }
        if let Some(index) = self.outside.get(&(validity, number)) {
            return Ok(self.pointer(*index, 0));
        }
        let size = outside_size(self.model);
        let pointer = self.create(NewObject {
            kind: ObjectKind::Outside,
            size,
            align: OUTSIDE_ALIGN,
            read_only: false,
            contents: InitKind::Arbitrary,
            origin: self.outside.len() as u32 + 1,
        })?;
        self.outside.insert((validity, number), self.locate(pointer).0);
        Ok(pointer)
    }
    /// Whether a pointer leads to an object from outside.
    pub(crate) fn is_outside(&self, pointer: u64) -> bool {
        let (index, _) = self.locate(pointer);
        self.objects.get(index as usize).is_some_and(|object| object.kind == ObjectKind::Outside)
    }
    /// Whether bytes without value behind a pointer are inputs.
    pub(crate) fn is_input(&self, pointer: u64) -> bool {
        let (index, _) = self.locate(pointer);
        self.objects.get(index as usize).is_some_and(|object| object.input != Input::No)
    }
    /// Who has the object of an index, if it is an input as a whole.
    pub(crate) fn owner(&self, index: u32) -> Option<Owner> {
        let object = self.objects.get(index as usize).filter(|object| object.input == Input::Yes)?;
        match object.kind {
            ObjectKind::Outside => {
                let is_it = |((validity, _), own): &(&(Validity, u64), &u32)| {
                    **own == index && *validity == Validity::Assumed
                };
                self.outside.iter().find(is_it).map(|((_, number), _)| Owner::Outside(*number))
            }
            ObjectKind::Global | ObjectKind::Local => {
                Some(Owner::Variable(VarId::new(object.origin as usize)))
            }
            ObjectKind::Heap | ObjectKind::Stack => Some(Owner::Allocation),
            ObjectKind::None | ObjectKind::Procedure => None,
        }
    }
    /// What was copied may be an input that is not chosen yet. Which bytes are is not told apart.
    pub(in super::super) fn share_inputs(&mut self, to: u64, from: u64) {
        if self.is_input(from) && !self.is_input(to) {
            let (index, _) = self.locate(to);
            self.objects[index as usize].input = Input::Copied;
        }
    }
}
