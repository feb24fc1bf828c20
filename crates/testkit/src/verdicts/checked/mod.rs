//! Programs as text, with memory or arrays, whose checks have verdicts one by one.
//!
//! ```text
//!   memory, arrays ──▶ draft ──probe──▶ observed values ──assertion──▶ program, with a question
//!                                                                         │
//!        interpreter: all executions, exactly                             │    runner: the audit of all checks, certified
//!        gcc with sanitizers: the same executions                         ▼
//!                     judges that disagree, a wrong verdict of a check, a crash, evidence that fails its check: a finding
//! ```
//!
//! # Invariants
//! * K1: the program and the question of a seed depend on the seed alone.
//! * K2: the interpreter and the compiled program are judges; neither knows an engine or a pass.

mod arrays;
mod compiled;
mod draft;
mod executions;
mod memory;
mod question;
mod runner;
mod scenes;

pub use self::compiled::{Compiled, End};
pub use self::question::Question;
pub(super) use self::runner::run;

use std::sync::Arc;

use cfa::Program;

use crate::Random;

use super::judge::Known;

/// What programs are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Pointers, structs, the heap, strings; with defects of all kinds.
    Memory,
    /// Loops over arrays.
    Arrays,
}

/// A program with all its executions.
struct Sample {
    text: String,
    question: Question,
    program: Arc<Program>,
    runs: Vec<executions::Run>,
    /// Executions that go on where memory is lost.
    beyond: Vec<executions::Run>,
}

/// So many programs are drawn for a seed; some have too many executions, or values that are not known.
const DRAWS: u64 = 12;

/// The program of a seed (K1).
fn sample(topic: Topic, seed: u64) -> Option<Sample> {
    (0..DRAWS).find_map(|draw| {
        let mut random = Random::new(seed.wrapping_mul(DRAWS).wrapping_add(draw) ^ 0x00C4_EC4D);
        let draft = match topic {
            Topic::Memory => memory::generate(&mut random),
            Topic::Arrays => arrays::generate(&mut random),
        };
        let question = match topic {
            Topic::Memory => memory::question(draft.defect, seed, &mut random),
            Topic::Arrays => arrays::question(seed),
        };
        let wanted = if random.chance(50) { Known::Safe } else { Known::Unsafe };
        // What is uninitialised has no values that could be observed.
        let values = executions::observed(&draft.probe()).unwrap_or_default();
        let text = draft.asserting(&draft::relation(&values, wanted, &mut random));
        judged(text, question).ok().flatten()
    })
}

/// The text of the program of a seed, with its question.
pub fn text(topic: Topic, seed: u64) -> Option<(String, Question)> {
    sample(topic, seed).map(|sample| (sample.text, sample.question))
}

/// A text with all its executions. The error says why it does not compile.
fn judged(text: String, question: Question) -> Result<Option<Sample>, String> {
    let program = executions::compile(&text, question)?;
    let Some(runs) = executions::executions(&text, &program) else { return Ok(None) };
    let beyond = executions::beyond_lost_memory(&text, &program, &runs);
    Ok(Some(Sample { text, question, program: Arc::new(program), runs, beyond }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_compile_and_depend_on_the_seed_alone() {
        for topic in [Topic::Memory, Topic::Arrays] {
            let samples = (0..40).filter_map(|seed| sample(topic, seed)).count();
            assert!(samples >= 36, "{topic:?}: {samples}");
            assert_eq!(text(topic, 7), text(topic, 7));
        }
    }

    #[test]
    fn every_scene_compiles_with_each_of_its_defects() {
        let mut random = Random::new(1);
        for draft in memory::all(&mut random) {
            let text = draft.probe();
            if let Err(message) = executions::compile(&text, Question::All) {
                panic!("{message}\n{text}");
            }
        }
    }
}
