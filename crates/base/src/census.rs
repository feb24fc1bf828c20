//! How often the costly steps of a run were done: files parsed, programs checked and lowered, passes run, loop forests built.
//!
//! One for the whole process, as the [timeline](crate::timeline) is. What is counted happens in crates that share no value (front end, passes, loops), so
//! the alternative is one more parameter in all of their signatures, for a line of statistics. No computation depends on a count: the counts are reported
//! at the end of a run, and tests pin them.
//!
//! # Cost
//! One relaxed addition for each step, all of which are at least linear in the size of a file or of a procedure.

use std::sync::atomic::{AtomicU64, Ordering};

/// A step that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A file was parsed; library models are files, too.
    FileParsed,
    /// A whole program was type-checked.
    ProgramChecked,
    /// A whole program was lowered.
    ProgramLowered,
    /// The standard sequence of passes was applied.
    PipelineRun,
    /// The loops of a graph were computed.
    LoopForestBuilt,
}

impl Step {
    /// All steps, in the order of the pipeline.
    pub const ALL: [Self; 5] = [
        Self::FileParsed,
        Self::ProgramChecked,
        Self::ProgramLowered,
        Self::PipelineRun,
        Self::LoopForestBuilt,
    ];

    /// What statistics call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::FileParsed => "files parsed",
            Self::ProgramChecked => "programs checked",
            Self::ProgramLowered => "programs lowered",
            Self::PipelineRun => "pass pipelines",
            Self::LoopForestBuilt => "loop forests",
        }
    }

    /// How often this process has done it so far.
    pub fn count(self) -> u64 {
        COUNTS[self as usize].load(Ordering::Relaxed)
    }
}

static COUNTS: [AtomicU64; Step::ALL.len()] = [const { AtomicU64::new(0) }; Step::ALL.len()];

/// Counts a step.
pub fn count(step: Step) {
    COUNTS[step as usize].fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_a_count_of_its_own() {
        // Nothing else in this crate counts.
        for (done, step) in Step::ALL.into_iter().enumerate() {
            (0..=done).for_each(|_| count(step));
        }
        let counts = Step::ALL.map(Step::count);
        assert_eq!(counts, [1, 2, 3, 4, 5]);
    }
}
