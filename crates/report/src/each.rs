//! The report for people about single checks: each violation with its inputs, then the proof, what all of it rests on, a table, and the verdict in the last line.

use certify::{Certified, Check as Evidence};
use cfa::CheckKind;
use checks::Audit;
use passes::Check;
use verdict::{Proof, Reason, Trace, Verdict};

use crate::human::{self, Word, Writer};
use crate::run::Extras;
use crate::table::{self, Table};
use crate::{Color, Detail, Run, printable};

/// The most checks that are listed as open.
const MAX_OPEN: usize = 20;
/// The most places that are never executed.
const MAX_UNREACHED: usize = 5;

/// The whole report, ending in a line break.
pub(super) fn render(run: &Run<'_>, table: Table<'_>, detail: Detail, color: Color) -> String {
    let mut writer = Writer::new(run.sources);
    if detail == Detail::Full {
        for found in table.violations() {
            writer.text += &violation(run, found, color);
        }
        if table.count().total() == 0 {
            for line in &human::idle(run) {
                writer.line(line);
            }
        } else {
            proofs(&mut writer, run, table);
        }
        ledger(&mut writer, run, table);
        unreached(&mut writer, table);
        kinds(&mut writer, table);
        open(&mut writer, table);
        human::statistics(&mut writer, run);
    }
    let count = table.count();
    let word = match (count.fail, count.open) {
        (0, 0) => Word::Safe,
        (0, _) => Word::Unknown,
        _ => Word::Unsafe,
    };
    writer.line(&format!("{}: {}{}", human::word(word, color), table.summary(), limit(table.audit)));
    writer.text
}

/// One violation with its inputs.
pub(super) fn violation(
    run: &Run<'_>,
    (check, trace, extras): (&Check, &Trace, &Extras),
    color: Color,
) -> String {
    let mut writer = Writer::new(run.sources);
    let place = table::place(&trace.violation, Some(check), run.sources);
    let what = table::violation(check.kind);
    writer.line(&format!("{}: {what}{}", human::word(Word::Unsafe, color), writer.at(place)));
    writer.trace_of(trace, place);
    if let Some(selection) = run.told {
        writer.text += &crate::path::render(&extras.steps, selection, run.sources);
    }
    writer.line("checked: replayed from the start");
    extras.opinion.as_ref().and_then(human::opinion).iter().for_each(|line| writer.line(line));
    writer.text
}

/// That executions end in undefined behaviour that is no violation.
fn limit(audit: &Audit) -> &'static str {
    let is_cut = |certified: &Certified| {
        matches!(certified.verdict(), Verdict::Safe(Proof::Execution(verdict::End::Undefined { .. })))
    };
    let is_whole = audit.violations.is_empty();
    if is_whole && audit.proofs.iter().any(|proof| is_cut(&proof.certified)) {
        ", up to undefined behaviour"
    } else {
        ""
    }
}

fn proofs(writer: &mut Writer<'_>, run: &Run<'_>, table: Table<'_>) {
    let audit = table.audit;
    for proved in &audit.proofs {
        let certified = &proved.certified;
        match certified.verdict() {
            Verdict::Safe(Proof::Execution(end)) => writer.end(end),
            Verdict::Safe(Proof::Executions(count)) => writer.line(&format!(
                "the inputs have few relevant values: all {count} executions were explored, and none violates what holds"
            )),
            Verdict::Safe(Proof::UnwoundExecutions(count)) => writer.line(&format!(
                "with loops in the place of recursions, all {count} executions were explored, and none violates what holds"
            )),
            Verdict::Safe(Proof::Annotation(annotation)) => {
                let count = annotation.locations().count();
                let share = match audit.proofs.len() {
                    1 => String::new(),
                    _ => format!(" of {} checks", proved.checks.len()),
                };
                writer.line(&format!("{} the errors{share}", human::invariants_exclude(count)));
            }
            Verdict::Safe(Proof::Bounded(proof)) => {
                writer.line(&format!("{}, and none violates what holds", human::unwound(*proof)));
            }
            Verdict::Unsafe(_) | Verdict::Unknown(_) => {}
        }
        let own = certified.check().map(|check| match check {
            Evidence::Replayed { .. } => "checked: replayed from the start".to_owned(),
            Evidence::Reexecuted { .. } => "checked: executed again, with the same outcome".to_owned(),
            Evidence::Proved { obligations } => human::proved(certified.verdict(), obligations),
        });
        if audit.proofs.len() == 1 {
            writer.invariants(run.extras);
        }
        if let Some(line) = &own {
            writer.line(line);
        }
    }
    if run.extras.is_cached {
        writer.line(human::CACHED);
    }
}

/// What the verdicts rest on, each thing once.
fn ledger(writer: &mut Writer<'_>, run: &Run<'_>, table: Table<'_>) {
    let audit = table.audit;
    let proofs = audit.proofs.iter().map(|proved| &proved.certified);
    let violations = audit.violations.iter().map(|violated| &violated.certified);
    let all: Vec<&Certified> =
        violations.chain(proofs).filter(|certified| certified.ledger().is_some()).collect();
    if all.is_empty() {
        return;
    }
    writer.line("this rests on:");
    let mut told: Vec<String> = Vec::new();
    for certified in all {
        for line in human::ledger_lines(writer, certified, run.basis) {
            if !told.contains(&line) {
                told.push(line);
            }
        }
    }
    for line in &told {
        writer.line(line);
    }
}

fn unreached(writer: &mut Writer<'_>, table: Table<'_>) {
    for region in &table.unreached.assertions {
        writer.line(&format!("cannot fail for lack of executions: the assertion{}", writer.at(*region)));
    }
    let statements = &table.unreached.statements;
    for region in statements.iter().take(MAX_UNREACHED) {
        writer.line(&format!("never executed: the code{}", writer.at(*region)));
    }
    if statements.len() > MAX_UNREACHED {
        writer.line(&format!(
            "  ... {} more places that are never executed ...",
            statements.len() - MAX_UNREACHED
        ));
    }
}

fn kinds(writer: &mut Writer<'_>, table: Table<'_>) {
    let kinds = table.by_kind();
    if kinds.is_empty() {
        return;
    }
    writer.line("checks:");
    for (kind, count) in kinds {
        let mut words = Vec::new();
        for (number, one, many) in [
            (count.fail, "fails", "fail"),
            (count.open, "is open", "are open"),
            (count.hold, "holds", "hold"),
        ] {
            if number > 0 {
                words.push(format!("{number} {}", if number == 1 { one } else { many }));
            }
        }
        writer.line(&format!("  {kind}: {}", words.join(", ")));
    }
    let audit = table.audit;
    let (form, values) = (audit.checks.excluded(), audit.by_values);
    if form > 0 {
        writer.line(&format!("  excluded by their form, not counted: {form}"));
    }
    if values > 0 {
        writer.line(&format!("  excluded by the analysis of values: {values}"));
    }
}

fn open(writer: &mut Writer<'_>, table: Table<'_>) {
    // What is open at one place for one reason is one line.
    let mut lines: Vec<(&Check, &Reason, Vec<CheckKind>)> = Vec::new();
    for (check, reason) in table.open() {
        let same = |(other, because, _): &&mut (&Check, &Reason, Vec<CheckKind>)| {
            (other.place, &other.what, *because) == (check.place, &check.what, reason)
        };
        match lines.iter_mut().find(same) {
            Some((.., kinds)) => kinds.push(check.kind),
            None => lines.push((check, reason, vec![check.kind])),
        }
    }
    if lines.is_empty() {
        return;
    }
    writer.line("open:");
    for (check, reason, kinds) in lines.iter().take(MAX_OPEN) {
        let place = writer.sources.describe(check.place);
        let place = if place.is_empty() { place } else { format!("{}: ", printable(&place)) };
        let kinds = kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let what =
            if check.what.is_empty() { String::new() } else { format!(" in `{}`", printable(&check.what)) };
        writer.line(&format!("  {place}{kinds}{what}: {}", printable(&reason.to_string())));
    }
    if lines.len() > MAX_OPEN {
        writer.line(&format!("  ... {} more, see --format json", lines.len() - MAX_OPEN));
    }
    if let Some(advice) = lines.iter().find_map(|(_, reason, _)| human::advice(reason, None)) {
        writer.line(&format!("what may help: {advice}"));
    }
}
