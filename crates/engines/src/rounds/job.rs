//! Who takes part in the rounds, in which order, and with how many ticks.
//!
//! # Invariants
//! * J1: the order depends on the program and on nothing else. Features of a program move members, and exclude none.

use engine::{Engine, Settings};
use passes::Prepared;

use crate::find;

/// Ticks of the lead in the first round: two or three seconds. Of the tasks that it decides at all, it decides 95 of 100 within a second.
const LEAD: u64 = 1 << 14;
/// Ticks of the others in the first round: what suits an engine, it often decides with a few hundred.
const OTHER: u64 = 1 << 10;

/// An engine that takes part.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    /// Its name in reports.
    pub(crate) name: &'static str,
    /// Its ticks in the first round; each further round has twice as many.
    pub(crate) ticks: u64,
    /// Whether it is good at programs with these features.
    pub(crate) suits: fn(Features) -> bool,
    /// Makes a fresh engine.
    pub(crate) configure: fn(&Settings) -> Box<dyn Engine>,
}

/// The members; the first one is the lead, which starts every round.
pub(crate) static MEMBERS: [Member; 7] = [
    Member { name: "gps", ticks: LEAD, suits: |_| true, configure: |settings| registered("gps", settings) },
    Member {
        name: "recmc",
        ticks: OTHER,
        suits: |features| features.calls == Calls::Kept,
        configure: |settings| registered("recmc", settings),
    },
    Member {
        name: "kind",
        ticks: OTHER,
        suits: |features| features.loops > 0,
        configure: |settings| registered("kind", settings),
    },
    Member {
        name: "bself",
        ticks: OTHER,
        suits: |features| features.loops > 0,
        configure: |settings| registered("bself", settings),
    },
    Member {
        name: "tracer",
        ticks: OTHER,
        suits: |features| features.loops > 0,
        configure: |settings| registered("tracer", settings),
    },
    Member {
        name: "path-invariants",
        ticks: OTHER,
        suits: |features| features.loops > 0,
        configure: |settings| registered("path-invariants", settings),
    },
    Member {
        name: "bmc",
        ticks: OTHER,
        suits: |features| features.loops == 0,
        configure: |settings| registered("bmc", settings),
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
}

/// Whether calls stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// Some do.
    Kept,
    /// All are inlined.
    Inlined,
}

impl Features {
    /// Those of a program.
    pub(crate) fn of(task: &Prepared<'_>) -> Self {
        let loops = task.loops(task.program().entry).loops().len();
        let calls = if task.kept_call().is_some() { Calls::Kept } else { Calls::Inlined };
        Self { loops, calls }
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
