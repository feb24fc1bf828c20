//! Who takes part in the rounds, in which order, and with how many ticks.
//!
//! # Invariants
//! * J1: the order depends on the program and on nothing else. Features of a program move members, and exclude none.

use cfa::{Length, Program, Storage};
use engine::{Engine, Part, Settings};
use passes::Prepared;

use crate::find;

/// Ticks of the lead in the first round: three or four seconds. Of the tasks that it decides at all, it decides 95 of 100 within a second.
const LEAD: u64 = 3 << 13;
/// Ticks of the others in the first round: what suits an engine, it often decides with a few hundred.
const OTHER: u64 = 1 << 10;

/// Ticks of the lead before the first round, where unwinding is worth an attempt: proofs by invariants are more readable, if they are quick.
const GLANCE: u64 = 3 << 10;
/// Ticks of such attempts. Loops over a few elements are unwound within them, and summaries know less about these.
const ATTEMPT: u64 = 1 << 12;
/// Arrays with more elements are no reason to unwind.
const MOST_ELEMENTS: u64 = 64;
/// The same for objects in memory.
const MOST_BYTES: u64 = 512;

/// An engine that takes part.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    /// Its name in reports.
    pub(crate) name: &'static str,
    /// Its ticks in the first round; each further round has twice as many.
    pub(crate) ticks: u64,
    /// Its ticks before that, if it works there.
    pub(crate) early: fn(Features) -> Option<u64>,
    /// Whether it is good at programs with these features.
    pub(crate) suits: fn(Features) -> bool,
    /// Makes a fresh engine.
    pub(crate) configure: fn(&Settings) -> Box<dyn Engine>,
}

/// The members; the first one is the lead, which starts every round.
pub(crate) static MEMBERS: [Member; 7] = [
    Member {
        name: "gps",
        ticks: LEAD,
        early: |features| (features.is_unwound_early() || features.is_fitted_early()).then_some(GLANCE),
        suits: |_| true,
        configure: |settings| registered("gps", settings),
    },
    Member {
        name: "recmc",
        ticks: OTHER,
        early: |features| features.is_fitted_early().then_some(ATTEMPT),
        suits: |features| features.calls != Calls::Inlined,
        configure: |settings| registered("recmc", settings),
    },
    Member {
        name: "kind",
        ticks: OTHER,
        early: |_| None,
        suits: |features| features.loops > 0,
        configure: |settings| registered("kind", settings),
    },
    Member {
        name: "bself",
        ticks: OTHER,
        early: |_| None,
        suits: |features| features.loops > 0,
        configure: |settings| registered("bself", settings),
    },
    Member {
        name: "tracer",
        ticks: OTHER,
        early: |_| None,
        suits: |features| features.loops > 0,
        configure: |settings| registered("tracer", settings),
    },
    Member {
        name: "path-invariants",
        ticks: OTHER,
        early: |_| None,
        suits: |features| features.loops > 0,
        configure: |settings| registered("path-invariants", settings),
    },
    Member {
        name: "bmc",
        ticks: OTHER,
        early: |features| features.is_unwound_early().then_some(ATTEMPT),
        suits: |features| features.loops == 0,
        configure: |settings| registered("bmc", settings),
    },
];

/// The members of `SE+BSELF`: unwinding over integers is symbolic execution that merges paths.
pub(crate) static FORWARDS_AND_BACKWARDS: [Member; 2] = [
    Member {
        name: "bmc",
        ticks: OTHER,
        early: |_| None,
        suits: |_| true,
        configure: |settings| registered("bmc", &settings.also_without(Part::Bits)),
    },
    Member {
        name: "bself",
        ticks: OTHER,
        early: |_| None,
        suits: |_| true,
        configure: |settings| registered("bself", settings),
    },
];

/// An engine of the registry with those settings that it has, without executions: these were tried before.
fn registered(name: &'static str, settings: &Settings) -> Box<dyn Engine> {
    let spec = find(name).expect("a member should be in the registry");
    (spec.configure)(&settings.limited_to(spec.parts).without_executions())
}

/// What the order of members depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Features {
    /// The number of loops where execution starts.
    pub(crate) loops: usize,
    /// Whether calls stay.
    pub(crate) calls: Calls,
    /// Whether there are arrays.
    pub(crate) arrays: Arrays,
}

/// Whether a program has arrays, or objects in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrays {
    /// It has none.
    None,
    /// All have few elements, or as many as there are objects of a kind on the heap.
    Small,
    /// One has many elements, or as many as is computed.
    Large,
}

impl Arrays {
    fn of(program: &Program) -> Self {
        let sizes = program.vars.iter().filter_map(|var| match var.storage {
            Storage::Array { length: Length::Fixed(elements), .. } => Some(elements <= MOST_ELEMENTS),
            Storage::Array { length: Length::Dynamic, .. } => Some(false),
            Storage::Array { length: Length::Unbounded, .. } => Some(true),
            Storage::Object { size, read_only: false, .. } => Some(size <= MOST_BYTES),
            Storage::Scalar(_) | Storage::Object { read_only: true, .. } => None,
        });
        sizes.fold(Self::None, |known, is_small| match known {
            Self::None | Self::Small if is_small => Self::Small,
            _ => Self::Large,
        })
    }
}

/// Whether calls stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// Some do.
    Kept,
    /// None, for a recursion became loops.
    Unwound,
    /// All are inlined.
    Inlined,
}

impl Features {
    /// Those of a program.
    pub(crate) fn of(task: &Prepared<'_>) -> Self {
        let loops = task.loops(task.program().entry).loops().len();
        let calls = match task.kept_call() {
            Some(_) => Calls::Kept,
            None if task.unwound().is_some() => Calls::Unwound,
            None => Calls::Inlined,
        };
        Self { loops, calls, arrays: Arrays::of(task.program()) }
    }

    /// Whether unwinding is worth an attempt before the lead has all its ticks: without loops it always ends.
    fn is_unwound_early(self) -> bool {
        self.calls != Calls::Kept && (self.loops == 0 || self.arrays == Arrays::Small)
    }

    /// Whether RecMC is worth an attempt before the lead has all its ticks. A loop from the innermost activation outwards starts at a state that is guessed, of which summaries know
    /// little; facts in cases, fitted to executions, are the contract of the recursion.
    fn is_fitted_early(self) -> bool {
        self.calls == Calls::Unwound && self.loops > 0
    }
}

/// The members in the order of a program: the lead, those that suit it, the others.
pub(crate) fn ordered(members: &'static [Member], features: Features) -> Vec<&'static Member> {
    let mut ordered: Vec<&'static Member> = members.iter().collect();
    if let Some(others) = ordered.get_mut(1..) {
        others.sort_by_key(|member| !(member.suits)(features));
    }
    ordered
}
