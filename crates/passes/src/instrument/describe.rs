//! The identity of checks: their places, and their text for people.

use std::collections::BTreeSet;

use base::{IndexVec, Region};

use cfa::text::Notation;
use cfa::watch::end_of;
use cfa::{CheckKind, CheckSite, Op, Place, ProcId, Program, Spelled};

use super::Instrument;
use super::checks::{Check, CheckId, Owner};

/// The most characters of a text.
const MAX_TEXT: usize = 60;
/// What the names of models of library functions start with.
const MODEL_PREFIX: &str = "__wayproof_";

impl Instrument<'_> {
    /// The check of a kind at an operation.
    pub(super) fn register(&mut self, kind: CheckKind, site: CheckSite, region: Region) -> CheckId {
        let procedure = &self.old.procs[site.proc];
        let is_users = region.is_nowhere() || self.old.sources.is_users(region);
        let check = if is_users {
            let place = self.exact_place(kind, site, region);
            let what = self.source_text(place).unwrap_or_else(|| self.notation(kind, site));
            Check { kind, region, place, what, proc: site.proc, owner: Owner::User }
        } else {
            // A model that one call in the user's text leads to is told apart by that call.
            let (place, called) = self.callers[site.proc].unwrap_or((Region::NOWHERE, site.proc));
            let name = &self.old.procs[called].name;
            let what = format!("{}()", name.strip_prefix(MODEL_PREFIX).unwrap_or(name));
            let region = if place.is_nowhere() { procedure.region } else { place };
            Check { kind, region, place, what, proc: site.proc, owner: Owner::Model }
        };
        let id = self.checks.add(check);
        self.checks.add_site(kind, site, id);
        if self.old.excused.contains(kind, Some(site)) {
            self.excused.insert(id);
        }
        id
    }

    /// The check that memory is freed or held: one for each place where the program ends, and one for all memory that is lost.
    pub(super) fn register_end(
        &mut self,
        kind: CheckKind,
        site: Option<CheckSite>,
        region: Region,
    ) -> CheckId {
        if let (CheckKind::Leak, Some(site)) = (kind, site) {
            return self.register(kind, site, region);
        }
        let region = end_of(self.old);
        let what = match kind {
            CheckKind::Leak => "the end of the program",
            _ => "allocated memory",
        };
        let (place, proc, owner) = (region, self.old.entry, Owner::User);
        let id = self.checks.add(Check { kind, region, place, what: what.to_owned(), proc, owner });
        self.checks.add_end(kind, id);
        if self.old.excused.contains(kind, None) {
            self.excused.insert(id);
        }
        id
    }

    fn op(&self, site: CheckSite) -> Option<&Op> {
        self.old.procs[site.proc].edges()[site.edge].ops.get(site.op as usize)
    }

    fn written(&self, site: CheckSite) -> Option<&Place> {
        self.op(site).and_then(|op| op.places().next())
    }

    /// Where the source has what may go wrong.
    fn exact_place(&self, kind: CheckKind, site: CheckSite, region: Region) -> Region {
        if kind == CheckKind::Assertion {
            return region;
        }
        let what = match site.expr {
            Some(expr) => Some(Spelled::Value(expr)),
            None => self.written(site).map(|place| Spelled::Place(*place)),
        };
        what.and_then(|what| self.old.spelling.find(site.proc, what, region)).unwrap_or(region)
    }

    /// The text of a region on one line; nothing if it is not known.
    fn source_text(&self, region: Region) -> Option<String> {
        let file = self.old.sources.get(region.file).filter(|_| !region.is_nowhere())?;
        if file.text.is_empty() {
            return None;
        }
        let mut text = String::new();
        for line in region.line..=region.end_line {
            let whole = String::from_utf8_lossy(file.line_text(line)).into_owned();
            let end = if line == region.end_line { region.end_column as usize - 1 } else { usize::MAX };
            let start = if line == region.line { region.column as usize - 1 } else { 0 };
            text.extend(whole.chars().take(end).skip(start));
            text.push(' ');
        }
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = words.trim_end_matches(';').to_owned();
        (!words.is_empty()).then(|| shortened(words))
    }

    /// The expression or operation in the notation of programs.
    fn notation(&self, kind: CheckKind, site: CheckSite) -> String {
        let notation = Notation::brief(self.old, &self.names);
        let text = match (site.expr, self.op(site)) {
            _ if kind == CheckKind::Assertion => "error".to_owned(),
            (Some(expr), _) => notation.expr(expr),
            (None, Some(Op::Assign { place, .. })) => notation.place(place),
            (None, Some(op)) => notation.op(op),
            (None, None) => String::new(),
        };
        shortened(text)
    }
}

/// The call in the user's text that leads to each procedure, if there is one: its place, and what is called there.
pub(super) fn callers(program: &Program) -> IndexVec<ProcId, Option<(Region, ProcId)>> {
    let none: BTreeSet<(Region, ProcId)> = BTreeSet::new();
    let mut places = IndexVec::filled(none, program.procs.len());
    let mut changed = true;
    while changed {
        changed = false;
        for (proc, procedure) in program.procs.iter_enumerated() {
            for edge in procedure.edges() {
                let is_users = program.sources.is_users(edge.origin.region);
                for target in edge.ops.iter().flat_map(Op::call_targets) {
                    let own = BTreeSet::from([(edge.origin.region, *target)]);
                    let from = if is_users { own } else { places[proc].clone() };
                    // Two are as many as more.
                    if places[*target].len() < 2 {
                        let before = places[*target].len();
                        places[*target].extend(from);
                        changed |= places[*target].len() > before;
                    }
                }
            }
        }
    }
    let single = |places: &BTreeSet<(Region, ProcId)>| places.first().copied().filter(|_| places.len() == 1);
    places.iter().map(single).collect()
}

/// A text with at most [`MAX_TEXT`] characters.
fn shortened(text: String) -> String {
    if text.chars().count() <= MAX_TEXT {
        return text;
    }
    let kept: String = text.chars().take(MAX_TEXT - 3).collect();
    kept.trim_end().to_owned() + "..."
}
