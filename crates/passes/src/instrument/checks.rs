//! The checks of a program: what may go wrong, where, and what is to be done about it.
//!
//! # Invariants
//! * K1: the numbers of checks depend on the program alone, not on the selection.
//! * K2: what goes wrong in an execution of the program as given is at a site of a check, if its kind is a violation.

use std::collections::BTreeMap;

use base::{IndexVec, Region, newtype_index};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use cfa::{CheckKind, CheckSite, EdgeId, Excused, ProcId};

newtype_index!(
    /// A check of a program.
    CheckId,
    "check"
);

/// Something that must not go wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What.
    pub kind: CheckKind,
    /// Where: the statement or expression that the interpreter names. Of a model of a library function the whole function.
    pub region: Region,
    /// Where exactly, for people.
    pub place: Region,
    /// The expression, as the source writes it where that is known.
    pub what: String,
    /// The procedure.
    pub proc: ProcId,
    /// Whose text it is in.
    pub owner: Owner,
}

/// Whose text a check is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The user's.
    User,
    /// A model of a library function: what goes wrong there is wrong at its calls.
    Model,
}

/// What happens where a check fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The error location is reached.
    Error,
    /// The execution ends: it is taken for granted that the check holds.
    Assumed,
    /// Nothing: it is not asked for, and the execution has no meaning any more, or goes on.
    Omitted,
}

/// Which checks are errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    chosen: Option<IndexVec<CheckId, Wanted>>,
}

impl Selection {
    /// All of them.
    pub fn all() -> Self {
        Self::default()
    }
    /// As listed, for all checks of a program.
    pub fn of(wanted: impl IntoIterator<Item = Wanted>) -> Self {
        Self { chosen: Some(wanted.into_iter().collect()) }
    }
    /// What happens where a check fails.
    pub fn wanted(&self, check: CheckId) -> Wanted {
        let chosen = self.chosen.as_ref().map(|chosen| chosen.get(check).copied().unwrap_or(Wanted::Omitted));
        chosen.unwrap_or(Wanted::Error)
    }
}

/// What identifies a check: checks of one kind at one place of one text are one. The branches of a condition may belong to
/// different statements (`if (a + b > c && d)`), but what they evaluate stands at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Identity {
    kind: CheckKind,
    place: Region,
    what: String,
}

/// All checks of a program.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    list: IndexMap<Identity, Check, FxBuildHasher>,
    sites: IndexMap<(CheckKind, CheckSite), CheckId, FxBuildHasher>,
    /// Those of the end of the program, and of memory that is lost, which happen at no operation.
    ends: BTreeMap<CheckKind, CheckId>,
    /// What an edge to the error of the new program stands for.
    edges: BTreeMap<(ProcId, EdgeId), Vec<CheckId>>,
    /// What the form of operations excludes.
    excluded: usize,
}

impl Checks {
    /// Number of checks.
    pub fn len(&self) -> usize {
        self.list.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
    /// All checks, in order.
    pub fn iter(&self) -> impl Iterator<Item = (CheckId, &Check)> {
        self.list.values().enumerate().map(|(index, check)| (CheckId(index as u32), check))
    }
    /// The numbers of all checks.
    pub fn ids(&self) -> impl Iterator<Item = CheckId> + use<> {
        (0..self.list.len() as u32).map(CheckId)
    }
    /// A check.
    pub fn get(&self, id: CheckId) -> Option<&Check> {
        self.list.get_index(id.0 as usize).map(|(_, check)| check)
    }
    /// Number of checks that the form of their operation excludes: a division by a constant, an index that fits its array.
    pub fn excluded(&self) -> usize {
        self.excluded
    }
    /// What an edge to the error of the new program stands for.
    pub fn of_edge(&self, proc: ProcId, edge: EdgeId) -> &[CheckId] {
        self.edges.get(&(proc, edge)).map_or(&[], Vec::as_slice)
    }
    /// The check that fails where an execution of the program as given ends (K2).
    pub fn at(&self, kind: CheckKind, site: Option<CheckSite>) -> Option<CheckId> {
        if let Some(end) = self.ends.get(&kind).filter(|_| kind == CheckKind::LostMemory) {
            return Some(*end);
        }
        let exact = site.and_then(|site| {
            // A wild index may lead anywhere, so an access may fail for a reason that its form excludes.
            let outside = Some(CheckKind::OutOfBounds).filter(|_| kind.is_access());
            let mut kinds = [Some(kind), outside].into_iter().flatten();
            kinds.find_map(|kind| self.sites.get(&(kind, site)).copied())
        });
        exact.or_else(|| self.ends.get(&kind).filter(|_| site.is_none()).copied())
    }
    /// Adds all violations of a check to those that are known.
    pub fn excuse(&self, check: CheckId, excused: &mut Excused) {
        for ((kind, site), _) in self.sites.iter().filter(|(_, other)| **other == check) {
            excused.add(*kind, *site);
            if *kind == CheckKind::OutOfBounds {
                let others = CheckKind::ALL.into_iter().filter(|kind| kind.is_access());
                for other in others.filter(|other| !self.sites.contains_key(&(*other, *site))) {
                    excused.add(other, *site);
                }
            }
        }
        for (kind, _) in self.ends.iter().filter(|(_, other)| **other == check) {
            excused.add_end(*kind);
        }
    }

    pub(super) fn exclude(&mut self, count: usize) {
        self.excluded += count;
    }
    /// The number of a check, which is added if it is new.
    pub(super) fn add(&mut self, check: Check) -> CheckId {
        let place = match check.owner {
            Owner::User => check.place,
            Owner::Model => check.region,
        };
        let identity = Identity { kind: check.kind, place, what: check.what.clone() };
        let entry = self.list.entry(identity);
        let id = CheckId(entry.index() as u32);
        entry.or_insert(check);
        id
    }
    pub(super) fn add_site(&mut self, kind: CheckKind, site: CheckSite, check: CheckId) {
        self.sites.insert((kind, site), check);
    }
    pub(super) fn add_end(&mut self, kind: CheckKind, check: CheckId) {
        self.ends.insert(kind, check);
    }
    pub(super) fn add_edge(&mut self, proc: ProcId, edge: EdgeId, checks: Vec<CheckId>) {
        self.edges.insert((proc, edge), checks);
    }
}
