//! The report for people: the verdict first, then the evidence, then what it rests on.

use std::fmt::Write;

use base::{Region, SourceMap};
use certify::{Certified, Check};
use cfa::{ApproximationKind, SignedOverflow, Source};
use interp::{CallStack, Chosen, Held, HeldObject};
use verdict::{Assumption, Bounded, End, Ledger, LogicName, Proof, Reason, Trace, Verdict};

use witness::judge::Opinion;

use crate::run::{Basis, ErrorKind, Extras};
use crate::{Color, Detail, Run, each, printable, table};

/// How messages end that `--extern error` causes.
pub const EXTERN_ERROR: &str = "(--extern error)";
/// What to do about them.
pub const EXTERN_ADVICE: &str = "give the function a body, or use `--extern pure` or `--extern havoc`";

/// More inputs than this are shown as the first and the last ones.
const MAX_INPUTS: usize = 40;
/// Longer source lines are cut.
const MAX_LINE: usize = 100;
/// More entries than this are counted.
const MAX_ASSUMPTIONS: usize = 20;

/// The whole report, ending in a line break.
pub(super) fn render(run: &Run<'_>, detail: Detail, color: Color) -> String {
    if let Some(table) = run.table {
        return each::render(run, table, detail, color);
    }
    let mut writer = Writer::new(run.sources);
    writer.headline(run, color);
    if detail == Detail::Verdict {
        return writer.text;
    }
    if run.is_idle() {
        for line in idle(run) {
            writer.line(&line);
        }
    }
    match run.certified.verdict() {
        Verdict::Safe(Proof::Execution(end)) => writer.end(end),
        Verdict::Safe(Proof::Executions(count)) => {
            writer.line(&format!(
                "the inputs have few relevant values: all {count} executions were explored, and none reaches the error"
            ));
        }
        Verdict::Safe(Proof::UnwoundExecutions(count)) => {
            writer.line(&format!(
                "with loops in the place of recursions, all {count} executions were explored, and none reaches the error"
            ));
        }
        Verdict::Safe(Proof::Annotation(annotation)) => {
            let count = annotation.locations().count();
            writer.line(&format!("{} the error", invariants_exclude(count)));
            writer.invariants(run.extras);
        }
        Verdict::Safe(Proof::Bounded(proof)) => {
            writer.line(&format!("{}, and none reaches the error", unwound(*proof)));
        }
        Verdict::Unsafe(trace) => {
            writer.trace(trace);
            if let Some(selection) = run.told {
                writer.text += &crate::path::render(&run.extras.steps, selection, run.sources);
            }
        }
        Verdict::Unknown(reason) => {
            writer.source_line(reason.region(), "  ");
            for line in contradiction(reason) {
                writer.line(&line);
            }
            if let Some(tried) = run.work.in_vain() {
                writer.line(&printable(&tried));
            }
            if let Some(advice) = advice(reason, run.extras.opinion.as_ref()) {
                writer.line(&format!("what may help: {advice}"));
            }
        }
    }
    for check in checks(run) {
        writer.line(&check);
    }
    resting(&mut writer, run);
    statistics(&mut writer, run);
    writer.text
}

/// What a verdict rests on.
fn resting(writer: &mut Writer<'_>, run: &Run<'_>) {
    match (run.certified.verdict(), run.certified.ledger()) {
        (Verdict::Safe(_) | Verdict::Unsafe(_), Some(_)) => {
            writer.line("this rests on:");
            for line in ledger_lines(writer, run.certified, run.basis) {
                writer.line(&line);
            }
        }
        // Nothing is claimed, so nothing rests on anything.
        (Verdict::Unknown(_), _) | (_, None) => {}
    }
}

/// The evidence of two engines that contradict each other.
fn contradiction(reason: &Reason) -> Vec<String> {
    let Reason::Contradiction { safe, violated } = reason else { return Vec::new() };
    let claims = [("the proof", safe), ("the inputs", violated)];
    let lines = claims.into_iter().flat_map(|(what, claimed)| {
        let head = format!("{what} of engine `{}`:", claimed.engine);
        [head].into_iter().chain(claimed.evidence.lines().map(|line| format!("  {}", printable(line))))
    });
    lines.collect()
}

/// How much work was done, if somebody wants to know.
pub(super) fn statistics(writer: &mut Writer<'_>, run: &Run<'_>) {
    let Some(statistics) = run.statistics else { return };
    if let Some(decided) = &run.work.decided {
        writer.line(&format!("decided by {decided}"));
    }
    if !run.work.shares.is_empty() {
        writer.line("engines:");
        for share in &run.work.shares {
            writer.line(&format!("  {}", printable(&share.to_string())));
        }
    }
    writer.line("statistics:");
    for (name, value) in statistics {
        let digits = if value.fract() == 0.0 { 0 } else { 6 };
        writer.line(&format!("  {name}: {value:.digits$}"));
    }
}

/// The word of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Safe,
    Unsafe,
    Unknown,
}

/// The word of a verdict, in its colour.
pub(super) fn word(word: Word, color: Color) -> String {
    let (name, style) = match word {
        Word::Safe => ("SAFE", "\x1b[1;32m"),
        Word::Unsafe => ("UNSAFE", "\x1b[1;31m"),
        Word::Unknown => ("UNKNOWN", "\x1b[1;33m"),
    };
    match color {
        Color::Ansi => format!("{style}{name}\x1b[0m"),
        Color::Plain => name.to_owned(),
    }
}

/// That evidence is from the cache.
pub(super) const CACHED: &str = "from the cache: found by an earlier run, checked again by this one";

/// How far a program was unwound, and in which logic.
pub(super) fn unwound(proof: Bounded) -> String {
    let logic = match proof.logic {
        LogicName::Integers => "integers",
        LogicName::Bits => "bit-vectors",
    };
    format!("all executions end when loops are unwound {} times (in {logic})", proof.iterations)
}

/// That a proof by the solver was repeated.
/// What a proof consists of.
pub(super) fn invariants_exclude(locations: usize) -> String {
    match locations {
        1 => "an invariant at 1 location excludes".to_owned(),
        _ => format!("invariants at {locations} locations exclude"),
    }
}

pub(super) fn proved(verdict: &Verdict, obligations: u64) -> String {
    match verdict {
        Verdict::Safe(Proof::Bounded(_)) => {
            format!(
                "checked: unwound and refuted again ({obligations} ways to the error or beyond the bound)"
            )
        }
        _ if obligations == 1 => "checked: the invariants were proved again (1 obligation)".to_owned(),
        _ => format!("checked: the invariants were proved again ({obligations} obligations)"),
    }
}

/// Who has checked the evidence, and with what result.
pub(super) fn checks(run: &Run<'_>) -> Vec<String> {
    let own = run.certified.check().map(|check| match check {
        Check::Replayed { .. } => "checked: replayed from the start".to_owned(),
        Check::Reexecuted { .. } => match run.certified.verdict() {
            Verdict::Safe(Proof::Executions(_) | Proof::UnwoundExecutions(_)) => {
                "checked: all executions were explored again, with the same result".to_owned()
            }
            _ => "checked: executed a second time, with the same outcome".to_owned(),
        },
        Check::Proved { obligations } => proved(run.certified.verdict(), obligations),
    });
    let cached = run.extras.is_cached.then(|| CACHED.to_owned());
    own.into_iter().chain(cached).chain(run.extras.opinion.as_ref().and_then(opinion)).collect()
}

pub(super) fn opinion(opinion: &Opinion) -> Option<String> {
    match opinion {
        Opinion::Confirmed => {
            Some("checked: compiled and executed, the program ends in the violation".to_owned())
        }
        // It is the reason of the verdict.
        Opinion::Differs(_) => None,
        Opinion::NotJudged(why) => Some(format!("not confirmed by the compiled program: {}", printable(why))),
    }
}

/// What to try when nothing is known.
pub(super) fn advice(reason: &Reason, opinion: Option<&Opinion>) -> Option<&'static str> {
    match reason {
        Reason::Unsupported { feature, .. } if feature.ends_with(EXTERN_ERROR) => Some(EXTERN_ADVICE),
        // What is not supported is no part of the program, and the reason has the alternatives.
        Reason::Unsupported { region, .. } if region.is_nowhere() => None,
        Reason::NotCertified { .. } if matches!(opinion, Some(Opinion::Differs(_))) => Some(
            "the program may depend on addresses or on an order of evaluation that C leaves open: remove the dependency; \
             if there is none, a model of Wayproof differs from the compiled program, please report it (`--no-exec` shows the inputs)",
        ),
        _ => reason.next_step(),
    }
}

/// A text that grows line by line.
pub(super) struct Writer<'a> {
    pub(super) text: String,
    pub(super) sources: &'a SourceMap,
}

impl<'a> Writer<'a> {
    pub(super) fn new(sources: &'a SourceMap) -> Self {
        Self { text: String::new(), sources }
    }
}

impl Writer<'_> {
    pub(super) fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// ` at FILE:LINE:COLUMN`, or nothing for nowhere.
    pub(super) fn at(&self, region: Region) -> String {
        let place = self.sources.describe(region);
        if place.is_empty() { place } else { format!(" at {}", printable(&place)) }
    }

    fn headline(&mut self, run: &Run<'_>, color: Color) {
        let (name, rest) = match run.certified.verdict() {
            Verdict::Safe(_) if run.is_idle() => (Word::Safe, "nothing to check".to_owned()),
            Verdict::Safe(proof) => {
                let is_cut = matches!(proof, Proof::Execution(End::Undefined { .. }));
                let limit = if is_cut { ", up to undefined behaviour" } else { "" };
                (Word::Safe, format!("{} holds{limit}", run.task.property))
            }
            Verdict::Unsafe(trace) => {
                let place = table::place(&trace.violation, None, self.sources);
                (Word::Unsafe, format!("{}{}", violation(trace), self.at(place)))
            }
            Verdict::Unknown(reason) => (Word::Unknown, format!("{reason}{}", self.at(reason.region()))),
        };
        self.line(&format!("{}: {rest}", word(name, color)));
    }

    pub(super) fn end(&mut self, end: &End) {
        let how = match end {
            End::Returned => "returns".to_owned(),
            End::Exited { status } => format!("exits with status {status}"),
            End::Aborted { region } => format!("aborts{}", self.at(*region)),
            End::Blocked { region } => format!("is blocked by a false assumption{}", self.at(*region)),
            End::Undefined { kind, region, .. } => {
                format!("is considered up to undefined behaviour ({kind}){}", self.at(*region))
            }
        };
        self.line(&format!("no step depends on an input; the execution {how}"));
        if let End::Undefined { region, detail, .. } = end {
            self.source_line(*region, "  ");
            self.line(&format!("  {detail}"));
        }
    }

    fn trace(&mut self, trace: &Trace) {
        self.trace_of(trace, table::place(&trace.violation, None, self.sources));
    }

    /// The inputs of a violation, and where it is.
    pub(super) fn trace_of(&mut self, trace: &Trace, place: Region) {
        self.source_line(place, "  ");
        if !trace.violation.detail.is_empty() {
            self.line(&format!("  {}", printable(&trace.violation.detail)));
        }
        self.inputs(trace);
    }

    /// The calls around the end of an execution, and its inputs.
    pub(super) fn inputs(&mut self, trace: &Trace) {
        self.stack(&trace.violation.stack);
        if trace.choices.is_empty() {
            self.line("inputs: none");
            return;
        }
        self.line("inputs, in order:");
        let runs: Vec<&[Chosen]> = trace.choices.chunk_by(|one, next| one == next).collect();
        let mut number = 1;
        for (position, run) in runs.iter().enumerate() {
            let is_last = position >= runs.len().saturating_sub(MAX_INPUTS / 2);
            if position < MAX_INPUTS / 2 || is_last {
                self.choices(number, run);
            } else if position == MAX_INPUTS / 2 {
                let omitted = &runs[position..runs.len() - MAX_INPUTS / 2];
                let count: usize = omitted.iter().map(|run| run.len()).sum();
                self.line(&format!("  ... {count} more ..."));
            }
            number += run.len();
        }
    }

    /// Equal choices in a row: more than two of them are said once.
    fn choices(&mut self, number: usize, run: &[Chosen]) {
        let shown = if run.len() > 2 { 1 } else { run.len() };
        for (index, chosen) in run[..shown].iter().enumerate() {
            self.choice(number + index, chosen);
        }
        if run.len() > 2 {
            self.line(&format!("  {} to {}: the same", number + 1, number + run.len() - 1));
        }
    }

    pub(super) fn contracts(&mut self, extras: &Extras) {
        if extras.contracts.is_empty() {
            return;
        }
        self.line("contracts, whenever the function returns:");
        for contract in &extras.contracts {
            let place = self.at(contract.region);
            self.line(&format!("  {}{place}:", printable(&contract.function)));
            for ensures in &contract.ensures {
                self.line(&format!("    {}", printable(ensures)));
            }
        }
    }

    fn quantified(&mut self, extras: &Extras) {
        if extras.quantified.is_empty() {
            return;
        }
        self.line("facts about all elements of arrays, at each evaluation of the condition:");
        for fact in &extras.quantified {
            let (line, column) = (fact.region.line, fact.region.column);
            self.line(&format!("  {line}:{column}: {}", printable(&fact.text)));
        }
    }

    pub(super) fn invariants(&mut self, extras: &Extras) {
        self.contracts(extras);
        self.quantified(extras);
        if extras.invariants.is_empty() {
            return;
        }
        self.line("loop invariants, at each evaluation of the condition:");
        let is_several = extras.invariants.iter().any(|other| other.file != extras.invariants[0].file);
        for readable in &extras.invariants {
            let (line, column) = readable.place;
            let file = if is_several { format!("{}:", printable(&readable.file)) } else { String::new() };
            self.line(&format!("  {file}{line}:{column}: {}", printable(&readable.invariant.value)));
        }
        if extras.inductive == Some(false) {
            self.line("  (not inductive by themselves: the proof that was checked is longer)");
        }
    }

    fn choice(&mut self, number: usize, chosen: &Chosen) {
        let source = chosen.held.as_ref().map_or_else(|| describe_source(&chosen.source), describe_held);
        self.line(&format!("  {number}. {} for {source}{}", chosen.value, self.at(chosen.place)));
        self.source_line(chosen.place, "       ");
    }

    fn stack(&mut self, stack: &CallStack) {
        for (function, place) in crate::calls(stack) {
            if let Some(place) = place {
                self.line(&format!("  in {}, called{}", printable(function), self.at(place)));
            }
        }
        if stack.omitted > 0 {
            self.line(&format!("  ... {} more calls ...", stack.omitted));
        }
    }

    /// The source line of a place.
    pub(super) fn source_line(&mut self, region: Region, indent: &str) {
        let Some(file) = self.sources.get(region.file).filter(|_| !region.is_nowhere()) else { return };
        let bytes = file.line_text(region.line);
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MAX_LINE)]);
        let text = text.trim();
        let cut: String = text.chars().take(MAX_LINE).collect();
        let dots = if cut.len() < text.len() { " ..." } else { "" };
        let _ = writeln!(self.text, "{indent}{} | {}{dots}", region.line, printable(&cut));
    }
}

/// What a verdict rests on, one line each.
pub(super) fn ledger_lines(writer: &Writer<'_>, certified: &Certified, shaped: &Basis) -> Vec<String> {
    let Some(ledger) = certified.ledger() else { return Vec::new() };
    let mut lines: Vec<String> =
        basis(certified, shaped).iter().map(|line| format!("  {}", printable(line))).collect();
    for assumption in ledger.assumptions.iter().take(MAX_ASSUMPTIONS) {
        let place = writer.at(assumption.region);
        lines.push(format!("  {}{place}", self::assumption(assumption)));
    }
    if ledger.assumptions.len() > MAX_ASSUMPTIONS {
        lines.push(format!("  ... {} more, see --format json", ledger.assumptions.len() - MAX_ASSUMPTIONS));
    }
    lines
}

/// What a verdict rests on apart from single assumptions: the machine, the meaning of what C leaves open, the user's options.
pub(super) fn basis(certified: &Certified, shaped: &Basis) -> Vec<String> {
    let Some(ledger) = certified.ledger() else { return Vec::new() };
    let mut lines = vec![format!("data model {}{}", ledger.data_model, shaped.data_model)];
    let is_safe = matches!(certified.verdict(), Verdict::Safe(_));
    if !(is_safe && ledger.signed_overflow == SignedOverflow::Undefined) {
        lines.push(format!("{}{}", overflow_policy(ledger.signed_overflow), shaped.signed_overflow));
    }
    lines.extend(undefined(ledger));
    lines.extend(shaped.options.iter().cloned());
    lines
}

/// The undefined behaviour beyond which nothing is claimed, in one line.
pub(super) fn undefined(ledger: &Ledger) -> Option<String> {
    let kinds: Vec<&str> = ledger.undefined.iter().map(|hazard| hazard.name()).collect();
    (!kinds.is_empty()).then(|| format!("undefined behaviour ends an execution: {}", kinds.join(", ")))
}

/// What would be checked, if there were anything.
pub(super) fn idle(run: &Run<'_>) -> [String; 2] {
    let (what, help) = match &run.task.error {
        ErrorKind::Overflow => (
            "the reachable code has no signed operation that can overflow".to_owned(),
            "call the code that is to be checked",
        ),
        ErrorKind::Memory => (
            "the reachable code uses no memory in a way that could go wrong".to_owned(),
            "call the code that is to be checked",
        ),
        ErrorKind::Checks(functions) => (
            format!(
                "the reachable code has no call of {}, no assertion, and nothing that is checked",
                functions.join(" or ")
            ),
            "call the code that is to be checked, or write `assert(CONDITION);`; `--check` says what is checked",
        ),
        ErrorKind::CallsAndAssertions(functions) => (
            format!("the reachable code has no call of {} and no assertion", functions.join(" or ")),
            "write `assert(CONDITION);`, with assert.h and without NDEBUG, or call reach_error() at a place that must not be reached",
        ),
        ErrorKind::Calls(functions) => (
            format!("the reachable code has no call of {}", functions.join(" or ")),
            "call the function at a place that must not be reached; with a property file, assertions are not checked",
        ),
    };
    [what, help.to_owned()]
}

/// What is wrong, in words.
pub(super) fn violation(trace: &Trace) -> String {
    table::violation(trace.violation.kind)
}

/// Something that a verdict rests on, in words.
pub(super) fn assumption(assumption: &Assumption) -> String {
    let kind = match assumption.kind {
        ApproximationKind::Assumption | ApproximationKind::Model => "",
        ApproximationKind::Over => " (over-approximation)",
        ApproximationKind::Under => " (under-approximation)",
    };
    format!("{}{kind}", printable(&assumption.what))
}

/// What the policy on signed overflow means for a verdict.
pub(super) fn overflow_policy(policy: SignedOverflow) -> &'static str {
    match policy {
        SignedOverflow::Undefined => "signed overflow is undefined: executions are considered up to it",
        SignedOverflow::Wrap => "signed overflow wraps around",
        SignedOverflow::Error => "signed overflow is a violation",
    }
}

/// Where a value was held that was chosen when it was read.
fn describe_held(held: &Held) -> String {
    let object = match &held.object {
        HeldObject::Outside(number) => format!("object {number} from outside"),
        HeldObject::Variable(name) => match name.strip_prefix("%at ") {
            Some(pointer) => format!("what {} points to", printable(pointer)),
            None if name.starts_with('%') => "a parameter".to_owned(),
            None => format!("the global variable {}", printable(name)),
        },
    };
    format!("byte {} of {object}", held.offset)
}

/// What asked for a value, in words.
pub(crate) fn describe_source(source: &Source) -> String {
    match source {
        Source::Input { function } => format!("{}()", printable(function)),
        Source::Uninitialised => "an uninitialised variable".to_owned(),
        Source::Rounded => "a value in memory".to_owned(),
        Source::Outside => "memory behind a pointer from outside".to_owned(),
        Source::Guess(_) => "the course of a recursion".to_owned(),
        Source::Extern { function } => format!("the function {} without body", printable(function)),
        Source::Library { function, .. } if &**function == cfa::STDIN => "standard input".to_owned(),
        Source::Library { function, .. } => format!("{}() of the C library", printable(function)),
        Source::Argument { name } => format!("the parameter {}", printable(name)),
        Source::Global { name } => format!("the global variable {}", printable(name)),
    }
}
