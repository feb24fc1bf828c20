//! Why nothing is known: a closed list. Each reason has one sentence (its text), one cause, and one next step.

use std::fmt;

use base::{Region, Stop};
use encode::Rounding;

/// Why nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The budget ended the work.
    Stopped(Stop),
    /// Something that the engine, or the tool, cannot handle.
    Unsupported {
        /// What.
        feature: String,
        /// Where; may be nowhere.
        region: Region,
    },
    /// The solver gave no answer.
    SolverGaveUp {
        /// Its own words.
        why: String,
    },
    /// The engine found no more to do.
    NotProgressing,
    /// The summary of all paths does not exclude the error, and the engine does not search.
    WeakSummary,
    /// A counterexample is feasible in the encoding, but no execution was found that follows it.
    Spurious {
        /// What the encoding rounds up on the way to the error.
        rounded: Vec<Rounded>,
    },
    /// An execution that may reach the error makes too many calls to be carried out, or they are nested too deeply.
    LongCounterexample {
        /// A call that it makes; may be nowhere.
        region: Region,
    },
    /// Interpolation of an infeasible path did not come to an end.
    NoInterpolant {
        /// After so many cubes.
        cubes: usize,
    },
    /// An infeasible path is explained by arithmetic that interpolation does not handle.
    NotInterpolated,
    /// The engine broke one of its invariants.
    Crashed {
        /// What it said, and where.
        message: String,
    },
    /// The evidence did not pass its check: a defect of the engine.
    NotCertified {
        /// What is wrong with it.
        why: String,
    },
    /// Two engines contradict each other: a defect of one of them, or of what both rest on.
    Contradiction {
        /// Who has a proof.
        safe: Claimed,
        /// Who has a violation.
        violated: Claimed,
    },
    /// The program lacks behaviour of its source, so safe cannot be claimed.
    Underapproximated {
        /// What is missing.
        what: String,
        /// Where.
        region: Region,
    },
    /// The program has behaviour that its source has not, so unsafe cannot be claimed.
    Overapproximated {
        /// What is added.
        what: String,
        /// Where.
        region: Region,
    },
}

/// What an engine claims, with its evidence as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The engine.
    pub engine: &'static str,
    /// The invariants, or the inputs.
    pub evidence: String,
}

/// A value that the encoding over-approximates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rounded {
    /// What it is.
    pub what: Rounding,
    /// Where it is computed; may be nowhere.
    pub region: Region,
}

/// Upper bound on the values that a message names.
const MAX_NAMED: usize = 3;

impl Reason {
    /// A stable name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Stopped(Stop::Ticks) => "effort-limit",
            Self::Stopped(Stop::Deadline) => "timeout",
            Self::Stopped(Stop::Memory) => "memory-limit",
            Self::Stopped(Stop::Cancelled) => "interrupted",
            Self::Unsupported { .. } => "unsupported",
            Self::SolverGaveUp { .. } => "solver-gave-up",
            Self::NotProgressing => "not-progressing",
            Self::WeakSummary => "weak-summary",
            Self::Spurious { .. } => "spurious-counterexample",
            Self::LongCounterexample { .. } => "long-counterexample",
            Self::NoInterpolant { .. } | Self::NotInterpolated => "no-interpolant",
            Self::Crashed { .. } => "crashed",
            Self::NotCertified { .. } => "not-certified",
            Self::Contradiction { .. } => "contradiction",
            Self::Underapproximated { .. } => "under-approximated",
            Self::Overapproximated { .. } => "over-approximated",
        }
    }

    /// The place that it is about.
    pub fn region(&self) -> Region {
        match self {
            Self::Unsupported { region, .. }
            | Self::LongCounterexample { region }
            | Self::Underapproximated { region, .. }
            | Self::Overapproximated { region, .. } => *region,
            Self::Spurious { rounded } => match rounded.as_slice() {
                [only] => only.region,
                _ => Region::NOWHERE,
            },
            Self::Stopped(_)
            | Self::SolverGaveUp { .. }
            | Self::NotProgressing
            | Self::WeakSummary
            | Self::NoInterpolant { .. }
            | Self::NotInterpolated
            | Self::Crashed { .. }
            | Self::NotCertified { .. }
            | Self::Contradiction { .. } => Region::NOWHERE,
        }
    }

    /// Why it is so, in one sentence; nothing if the reason itself says it.
    pub fn cause(&self) -> Option<&'static str> {
        match self {
            Self::Stopped(Stop::Cancelled)
            | Self::Unsupported { .. }
            | Self::Underapproximated { .. }
            | Self::Overapproximated { .. } => None,
            Self::Stopped(_) => Some("the search was not finished within the limit"),
            Self::SolverGaveUp { .. } => Some("a query is outside what the solver decides"),
            Self::NotProgressing => Some("the engine has no further rule to apply"),
            Self::WeakSummary => {
                Some("this engine proves by summaries alone, and a loop summary is an over-approximation")
            }
            Self::Spurious { .. } => {
                Some("the encoding over-approximates a value that the path to the error depends on")
            }
            Self::LongCounterexample { .. } => Some(
                "procedures call each other so often, or so deeply, that no such execution ends in reasonable time",
            ),
            Self::NoInterpolant { .. } => {
                Some("the states that an infeasible path excludes have no short description")
            }
            Self::NotInterpolated => Some("an infeasible path depends on nonlinear arithmetic or on arrays"),
            Self::Crashed { .. } => Some("an engine broke one of its invariants"),
            Self::NotCertified { .. } => Some("an engine gave evidence that the independent check rejects"),
            Self::Contradiction { .. } => Some("one of the two is wrong"),
        }
    }

    /// What to try next; nothing if there is nothing to try.
    pub fn next_step(&self) -> Option<&'static str> {
        match self {
            Self::Stopped(Stop::Cancelled)
            | Self::Underapproximated { .. }
            | Self::Overapproximated { .. } => None,
            Self::Stopped(Stop::Memory) => {
                Some("smaller bounds in the program; `--stats` shows where the search was")
            }
            Self::Stopped(_) => Some(
                "a longer `--timeout`; `wayproof summarize` shows which loop summaries are over-approximations; a lemma that is \
                 asserted in such a loop is part of its summary",
            ),
            Self::Unsupported { .. } => Some("a version of the program without that construct"),
            Self::SolverGaveUp { .. } | Self::NotProgressing | Self::WeakSummary => {
                Some("another engine; `wayproof engines` lists them")
            }
            Self::Spurious { .. } => Some(
                "another engine, or an assumption (`if (!(...)) abort();`) about the values that are over-approximated",
            ),
            Self::LongCounterexample { .. } => {
                Some("smaller bounds of loops and of recursion in the program")
            }
            Self::NoInterpolant { .. } | Self::NotInterpolated => {
                Some("another engine, or an assertion in the loop that states what the proof needs")
            }
            Self::Crashed { .. } | Self::NotCertified { .. } | Self::Contradiction { .. } => {
                Some("nothing on your side: this is a defect of Wayproof, please report it with the program")
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(stop) => write!(f, "{stop}"),
            Self::Unsupported { feature, .. } => write!(f, "{feature}"),
            Self::SolverGaveUp { why } => write!(f, "the solver gave up: {why}"),
            Self::NotProgressing => f.write_str("the engine found nothing more to do"),
            Self::WeakSummary => f.write_str("the summary of all paths does not exclude the error"),
            Self::Spurious { rounded } => {
                f.write_str("spurious counterexample: feasible in the encoding, but it does not replay")?;
                named(rounded, f)
            }
            Self::LongCounterexample { .. } => {
                f.write_str("an execution that may reach the error makes more calls than can be carried out")
            }
            Self::NoInterpolant { cubes } => write!(f, "interpolation gave up after {cubes} cubes"),
            Self::NotInterpolated => {
                f.write_str("interpolation does not handle the arithmetic of an infeasible path")
            }
            Self::Crashed { message } => write!(f, "the engine crashed: {message}"),
            Self::NotCertified { why } => write!(f, "the evidence did not pass its check: {why}"),
            Self::Contradiction { safe, violated } => write!(
                f,
                "engine `{}` has a proof, and engine `{}` a violation",
                safe.engine, violated.engine
            ),
            Self::Underapproximated { what, .. } => write!(f, "part of the program is left out: {what}"),
            Self::Overapproximated { what, .. } => {
                write!(f, "the program over-approximates its source: {what}")
            }
        }
    }
}

/// What is rounded up, with lines.
fn named(rounded: &[Rounded], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (at, Rounded { what, region }) in rounded.iter().take(MAX_NAMED).enumerate() {
        f.write_str(if at == 0 { "; rounded up: " } else { ", " })?;
        write!(f, "{what}")?;
        // The place of a single value is the place of the reason.
        if rounded.len() > 1 && *region != Region::NOWHERE {
            write!(f, " in line {}", region.line)?;
        }
    }
    if rounded.len() > MAX_NAMED {
        write!(f, " and {} more", rounded.len() - MAX_NAMED)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spurious_counterexample_names_what_is_rounded_up_and_where() {
        let at = |line| Region { line, ..Region::NOWHERE };
        let one = Reason::Spurious { rounded: vec![Rounded { what: Rounding::Memory, region: at(12) }] };
        assert!(one.to_string().ends_with("it does not replay; rounded up: value in memory"), "{one}");
        assert_eq!(one.region(), at(12));
        let many = (1..=5).map(|line| Rounded { what: Rounding::Remainder, region: at(line) }).collect();
        let text = Reason::Spurious { rounded: many }.to_string();
        assert!(text.ends_with("by a variable in line 3 and 2 more"), "{text}");
    }
}
