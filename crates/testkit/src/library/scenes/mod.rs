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

/// What everyday code calls.
const COMMON: [&[Entry]; 10] = [
    string::SCENES,
    token::SCENES,
    format::SCENES,
    scan::SCENES,
    number::SCENES,
    sort::SCENES,
    memory::SCENES,
    allocation::SCENES,
    character::SCENES,
    input::SCENES,
];
/// How often each of them is used.
const COMMON_WEIGHTS: [u32; 10] = [22, 7, 18, 11, 13, 9, 9, 6, 9, 7];

/// What is rarer.
const RARE: [&[Entry]; 6] =
    [math::SCENES, clock::SCENES, wide::SCENES, output::SCENES, fortified::SCENES, system::SCENES];
const RARE_WEIGHTS: [u32; 6] = [30, 12, 13, 13, 10, 22];

/// Of 100 scenes, so many are common. Programs have up to three scenes, so that three quarters of them have common ones only.
const COMMON_SHARE: u32 = 84;

/// Adds a random scene.
pub(crate) fn add(builder: &mut Builder<'_>) {
    let entries = if builder.random.chance(COMMON_SHARE) {
        COMMON[builder.random.weighted(&COMMON_WEIGHTS)]
    } else {
        RARE[builder.random.weighted(&RARE_WEIGHTS)]
    };
    let weights: Vec<u32> = entries.iter().map(|(weight, _)| *weight).collect();
    let (_, write) = entries[builder.random.weighted(&weights)];
    builder.scene(write);
}

/// Words for strings; none contains another one's first letter twice.
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
