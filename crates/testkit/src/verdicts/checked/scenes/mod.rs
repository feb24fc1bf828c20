//! Scenes of programs about memory: functions of two inputs, each right as it is written, with changes that make it wrong.
//!
//! In a text `{n}` is a length, the same everywhere; `{c}`, `{i}`, `{k}` and `{t}` are drawn anew at each place: a small constant, an index below the length, a condition, an integer type
//! that is the same everywhere. `$` stands for the number of the scene.

mod heap;
mod stack;

use super::question::Question;

/// A scene.
pub(super) struct Scene {
    /// Lines of C.
    pub(super) text: &'static str,
    /// What goes wrong if a part of the text is replaced by another one.
    pub(super) defects: &'static [(Question, &'static str, &'static str)],
}

/// All scenes.
pub(super) fn scenes() -> impl Iterator<Item = &'static Scene> {
    stack::SCENES.iter().chain(&heap::SCENES)
}
