//! Scenes: a few lines each that call library functions as everyday code does.
//!
//! # Invariants
//! * S1: a scene has no undefined behaviour, whatever its inputs, and reads nothing that it has not written.
//! * S2: conditions that depend on the world are claims; what C leaves to the implementation is a claim or is judged by glibc.

mod allocation;
mod character;
mod clock;
mod format;
mod fortified;
mod input;
mod math;
mod memory;
mod number;
mod output;
mod scan;
mod sort;
mod string;
mod system;
mod token;
mod wide;

use super::builder::Builder;

/// A scene and how often it is used.
pub(crate) type Entry = (u32, fn(&mut Builder<'_>));

/// Scenes of one kind, with the name of the kind and how often it is used.
struct Group {
    name: &'static str,
    weight: u32,
    entries: &'static [Entry],
}

const fn group(name: &'static str, weight: u32, entries: &'static [Entry]) -> Group {
    Group { name, weight, entries }
}

/// What everyday code calls.
const COMMON: [Group; 10] = [
    group("string", 22, string::SCENES),
    group("token", 7, token::SCENES),
    group("format", 18, format::SCENES),
    group("scan", 11, scan::SCENES),
    group("number", 13, number::SCENES),
    group("sort", 9, sort::SCENES),
    group("memory", 9, memory::SCENES),
    group("allocation", 6, allocation::SCENES),
    group("character", 9, character::SCENES),
    group("input", 7, input::SCENES),
];

/// What is rarer.
const RARE: [Group; 6] = [
    group("math", 30, math::SCENES),
    group("clock", 12, clock::SCENES),
    group("wide", 13, wide::SCENES),
    group("output", 13, output::SCENES),
    group("fortified", 10, fortified::SCENES),
    group("system", 22, system::SCENES),
];

/// Of 100 scenes, so many are common. Programs have up to three scenes, so that three quarters of them have common ones only.
const COMMON_SHARE: u32 = 84;

/// Which kinds of scenes are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Kinds {
    /// All, as in everyday code.
    #[default]
    All,
    /// One kind alone.
    Only(&'static str),
}

impl Kinds {
    /// The kind of this name.
    pub fn named(name: &str) -> Option<Kinds> {
        let mut names = COMMON.iter().chain(&RARE).map(|group| group.name);
        names.find(|other| *other == name).map(Kinds::Only)
    }
}

/// Adds a random scene.
pub(crate) fn add(builder: &mut Builder<'_>, kinds: &Kinds) {
    let groups: &[Group] = if builder.random.chance(COMMON_SHARE) { &COMMON } else { &RARE };
    let weights: Vec<u32> = groups.iter().map(|group| group.weight).collect();
    let drawn = &groups[builder.random.weighted(&weights)];
    let chosen = match kinds {
        Kinds::All => drawn,
        Kinds::Only(name) => COMMON.iter().chain(&RARE).find(|group| group.name == *name).unwrap_or(drawn),
    };
    let weights: Vec<u32> = chosen.entries.iter().map(|(weight, _)| *weight).collect();
    let (_, write) = chosen.entries[builder.random.weighted(&weights)];
    builder.scene(write);
}

/// All scenes.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = fn(&mut Builder<'_>)> {
    COMMON.iter().chain(&RARE).flat_map(|group| group.entries.iter().map(|(_, write)| *write))
}

/// Words for strings.
const WORDS: [&str; 16] = [
    "alpha",
    "beta",
    "x",
    "hello",
    "key",
    "value",
    "",
    "ab",
    "item-7",
    "1234",
    "a,b,c",
    "foo bar",
    "Error",
    "path/to",
    "zz",
    "Mississippi",
];

/// Sets `@name` to a random word, quoted, and gives it.
fn word(builder: &mut Builder<'_>, name: &'static str) -> &'static str {
    let word = *builder.random.pick(&WORDS);
    builder.set(name, format!("\"{word}\""));
    word
}

/// Like [`word`], but never the empty one.
fn some_word(builder: &mut Builder<'_>, name: &'static str) -> &'static str {
    loop {
        let word = word(builder, name);
        if !word.is_empty() {
            return word;
        }
    }
}

/// Sets `@name` to a letter that occurs in a word, or to another one, quoted.
fn letter_of(builder: &mut Builder<'_>, name: &'static str, word: &str) {
    let letter = if word.is_empty() || builder.random.chance(25) {
        *builder.random.pick(b"aqz0")
    } else {
        word.as_bytes()[builder.random.below(word.len())]
    };
    builder.set(name, format!("'{}'", char::from(letter)));
}
