//! Fuzzing of verdicts: random programs with loops or recursion whose verdict is known by exhaustive execution, variants of them that must have the same verdict, and
//! every engine on all of them.
//!
//! ```text
//!   generator ──▶ program with empty checks ──assertion──▶ program ──variant──▶ same verdict, other text
//!                                                             │
//!                        judge: all executions, exactly       │       runner: every engine, certified
//!                                                             ▼
//!                           a wrong verdict, a crash or evidence that fails its check is a finding; reduce makes it small
//! ```
//!
//! # Invariants
//! * V1: the program of a seed depends on the seed alone.
//! * V2: the judge is the interpreter alone. It knows no engine, no pass and no formula.

mod assertion;
pub mod checked;
mod generator;
pub mod judge;
mod recursion;
mod reduce;
pub mod runner;
mod syntax;
mod variant;

pub use self::judge::{Dialect, Known};
pub use self::runner::{Answer, Finding, Limit, Settings, Summary, run};
pub use self::syntax::Printed;

use crate::Random;

use self::syntax::Unit;

/// A program with its verdict.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) unit: Unit,
    pub(crate) known: Known,
}

/// So many programs are drawn for a seed; most are used, some have too many executions, or an endless one.
const DRAWS: u64 = 40;
/// So many assertions are tried to get the verdict that the seed wants.
const ASSERTIONS: usize = 4;

/// What programs are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Integers and control; of every four one is recursive if no kind is chosen.
    Control(Option<Control>),
    /// Pointers, structs and the heap, with checks of all kinds ([`checked`]).
    Memory,
    /// Loops over arrays ([`checked`]).
    Arrays,
}

/// What the control of a program is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Loops.
    Loops,
    /// Recursion.
    Recursion,
}

impl Control {
    fn of(seed: u64) -> Self {
        if seed / 2 % 4 == 3 { Self::Recursion } else { Self::Loops }
    }
}

/// The text of a random program with loops, without assertions.
pub fn random_loops(seed: u64) -> String {
    generator::generate(&mut Random::new(seed)).print().text
}

/// The program of a seed (V1).
pub(crate) fn sample(seed: u64, control: Option<Control>) -> Option<Sample> {
    let dialect = Dialect::of(seed);
    let wanted = if seed.is_multiple_of(2) { Known::Safe } else { Known::Unsafe };
    (0..DRAWS).find_map(|draw| {
        let mut random = Random::new(seed.wrapping_mul(DRAWS).wrapping_add(draw));
        let unit = match control.unwrap_or_else(|| Control::of(seed)) {
            Control::Loops => generator::generate(&mut random),
            Control::Recursion => recursion::generate(&mut random),
        };
        let observed = assertion::observe(&unit, dialect)?;
        let mut last = None;
        for _ in 0..ASSERTIONS {
            let filled = assertion::fill(&unit, &observed, wanted, &mut random);
            let Some(known) = verdict(&filled, dialect) else { continue };
            if known == wanted {
                return Some(Sample { unit: filled, known });
            }
            last = Some(Sample { unit: filled, known });
        }
        last
    })
}

/// The verdict of a program, if it compiles and ends.
pub(crate) fn verdict(unit: &Unit, dialect: Dialect) -> Option<Known> {
    let printed = unit.print();
    let program = judge::compile(&printed.text, dialect).ok()?;
    judge::judge(&printed, &program)
}
