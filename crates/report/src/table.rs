//! The verdicts about single checks, as reports show them.

use base::{Region, SourceMap};
use cfa::CheckKind;
use checks::{Audit, State, Unreached};
use passes::{Check, Owner};
use verdict::{Reason, Trace, Verdict, Violation};

use crate::run::Extras;

/// What is known about each check of a program.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    /// The checks and their verdicts.
    pub audit: &'a Audit,
    /// What was found out about each violation beyond its trace, in their order.
    pub extras: &'a [Extras],
    /// Code that is never executed.
    pub unreached: &'a Unreached,
}

/// How many checks hold, fail and are open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Those that hold.
    pub hold: usize,
    /// Those that fail.
    pub fail: usize,
    /// The others.
    pub open: usize,
}

impl Count {
    /// All of them.
    pub fn total(self) -> usize {
        self.hold + self.fail + self.open
    }

    fn add(&mut self, state: &State) {
        match state {
            State::Holds(_) => self.hold += 1,
            State::Fails(_) => self.fail += 1,
            State::Open(_) => self.open += 1,
        }
    }
}

impl<'a> Table<'a> {
    /// The checks that count, with what is known about them. What a model of the library leaves open counts only if it is reached.
    pub fn rows(&self) -> impl Iterator<Item = (&'a Check, &'a State)> + use<'a> {
        let is_limit = |check: &Check| check.owner == Owner::Model && check.kind == CheckKind::Assertion;
        self.audit.iter().filter(move |(check, state)| !(is_limit(check) && matches!(state, State::Holds(_))))
    }

    /// How many there are.
    pub fn count(&self) -> Count {
        let mut count = Count::default();
        self.rows().for_each(|(_, state)| count.add(state));
        count
    }

    /// How many there are of each kind.
    pub fn by_kind(&self) -> Vec<(CheckKind, Count)> {
        let mut kinds: Vec<(CheckKind, Count)> = Vec::new();
        for kind in CheckKind::ALL {
            let mut count = Count::default();
            self.rows().filter(|(check, _)| check.kind == kind).for_each(|(_, state)| count.add(state));
            if count.total() > 0 {
                kinds.push((kind, count));
            }
        }
        kinds
    }

    /// The checks that are open, with the reasons.
    pub fn open(&self) -> impl Iterator<Item = (&'a Check, &'a Reason)> + use<'a> {
        self.rows().filter_map(|(check, state)| match state {
            State::Open(reason) => Some((check, reason)),
            _ => None,
        })
    }

    /// The violations in the order of the source: the check, the trace, and what else was found out.
    pub fn violations(&self) -> Vec<(&'a Check, &'a Trace, &'a Extras)> {
        let rows = self.rows().filter_map(|(check, state)| match state {
            State::Fails(number) => Some((check, *number)),
            _ => None,
        });
        let found = rows.filter_map(|(check, number)| {
            let Verdict::Unsafe(trace) = self.audit.violations.get(number)?.certified.verdict() else {
                return None;
            };
            Some((check, trace, self.extras.get(number)?))
        });
        found.collect()
    }

    /// The verdict in one line, without its word.
    pub fn summary(&self) -> String {
        let count = self.count();
        let total = count.total();
        let are = |count: usize| if count == 1 { "is" } else { "are" };
        let checks = if total == 1 { "check" } else { "checks" };
        if total == 0 {
            return "nothing to check".to_owned();
        }
        if count.fail > 0 {
            let fails = if count.fail == 1 { "fails" } else { "fail" };
            let open = match count.open {
                0 => String::new(),
                open => format!(", {open} {} open", are(open)),
            };
            return format!("{} of {total} {checks} {fails}{open}", count.fail);
        }
        if count.open > 0 {
            let hold = if count.hold == 1 { "holds" } else { "hold" };
            return format!("{} {hold}, {} {} open", count.hold, count.open, are(count.open));
        }
        format!("{total} {checks} {}", if total == 1 { "holds" } else { "hold" })
    }
}

/// Where a check or a violation is, for people: in the user's text if anything on the stack is.
pub(crate) fn place(violation: &Violation, check: Option<&Check>, sources: &SourceMap) -> Region {
    let own = check.filter(|check| check.owner == Owner::User).map_or(violation.region, |check| check.place);
    violation.stack.users_place(own, sources)
}

/// What is wrong, in words.
pub(crate) fn violation(kind: CheckKind) -> String {
    match kind {
        CheckKind::Assertion => "the error is reached".to_owned(),
        CheckKind::SignedOverflow => "a signed operation overflows".to_owned(),
        CheckKind::Leak => "memory is not freed at the end of the program".to_owned(),
        CheckKind::LostMemory => "nothing leads to allocated memory any more".to_owned(),
        kind => kind.to_string(),
    }
}

/// A check in one line: its kind and its text.
pub(crate) fn describe(check: &Check) -> String {
    match (check.kind, check.what.as_str()) {
        (kind, "") => kind.to_string(),
        (kind, what) => format!("{kind}: `{what}`"),
    }
}
