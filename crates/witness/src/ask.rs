//! Can a condition be true at a place, and must it be?
//!
//! The condition is woven into the text as the check of an invariant ([`crate::claim`]), twice: once such that the error is reached where it is true, once where it is false. An
//! execution that reaches the error is an example, a proof says that there is none. All of the program's own errors end an execution, as undefined behaviour does.
//!
//! # Invariants
//! * I1: what is said to be possible was replayed, what is said to be impossible was proved, each for the program with the check.
//! * I2: evaluating the condition changes nothing and hides nothing: an execution evaluates it once, at its end, or not at all.
//! * I3: a condition without a value is neither true nor false.
//! * I4: places are those of the original text.

use std::sync::Arc;

use base::{Budget, Region, SourceMap};
use certify::Certified;
use cfa::{CheckKinds, Program, SignedOverflow, Source};
use cfront::FailureKind;
use interp::{Inputs, Outcome, Uninitialised};
use verdict::{Reason, Trace, Verdict};

use crate::aim::offset_of;
use crate::checks::{Checked, checked};
use crate::claim::{self, Problem, Spot};
use crate::format::Location;
use crate::fresh::Fresh;
use crate::question::{Question, Text};
use crate::rebuild::{halting, plain, pruned, without_edges};
use crate::validate::Decide;
use crate::weave::Woven;

/// Ticks for each question in the first round (some seconds), and how many times as many in the next one. The last round has no limit.
const FIRST_TICKS: u64 = 1 << 17;
const GROWTH: u64 = 16;

/// What is known about a condition.
pub struct Answer {
    /// Where it is evaluated.
    pub spot: Spot,
    /// Whether it can be true.
    pub holds: Part,
    /// Whether it can be false.
    pub fails: Part,
    /// Whether evaluating it can be undefined; asked only if it is not known to be false.
    pub undefined: Option<Part>,
    /// Whether the place can be reached; asked only if nothing else tells.
    pub reached: Option<Part>,
    /// The texts that ledgers refer to: those with the check.
    pub sources: Arc<SourceMap>,
}

/// An answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// It is true whenever the place is reached.
    Always,
    /// It is never true there.
    Never,
    /// It can be true, and it can be something else.
    Sometimes,
    /// The place cannot be reached.
    Unreached,
    /// It can be true; whether it must be is not known.
    Possible,
    /// It can be something else than true; whether it can be true is not known.
    NotAlways,
    /// Nothing is known.
    Unknown,
}

/// Whether something can happen.
pub enum Part {
    /// It can: an execution shows it.
    Can(Box<Example>),
    /// It cannot: a proof.
    Never(Box<Certified>),
    /// Nobody knows.
    Open(Reason),
}

/// An execution up to the place.
pub struct Example {
    /// Its inputs, as an execution of the original program has them.
    pub trace: Trace,
    /// How often the place was reached, this time included.
    pub visit: usize,
    /// What goes wrong in evaluating the condition, if that is undefined.
    pub detail: String,
    /// The verdict that it is from.
    pub certified: Certified,
}

impl Part {
    fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// Whether it is known to be possible.
    pub fn is_possible(&self) -> bool {
        matches!(self, Self::Can(_))
    }

    /// Whether it is known to be impossible.
    pub fn is_excluded(&self) -> bool {
        matches!(self, Self::Never(_))
    }
}

impl Answer {
    /// Whether it is proved that the place cannot be reached.
    pub fn is_unreached(&self) -> bool {
        let is_never_evaluated = self.holds.is_excluded() && self.is_never_untrue();
        is_never_evaluated || self.reached.as_ref().is_some_and(Part::is_excluded)
    }

    /// Whether it is proved that the condition is neither false nor undefined.
    fn is_never_untrue(&self) -> bool {
        self.fails.is_excluded() && self.undefined.as_ref().is_some_and(Part::is_excluded)
    }

    /// Whether it is proved that the condition is true whenever the place is reached.
    pub fn is_always_true(&self) -> bool {
        self.is_never_untrue() || self.is_unreached()
    }

    /// Whether an execution is known in which it is not true.
    pub fn can_be_untrue(&self) -> bool {
        self.fails.is_possible() || self.undefined.as_ref().is_some_and(Part::is_possible)
    }

    /// The answer in a word.
    pub fn word(&self) -> Word {
        match (self.holds.is_possible(), self.can_be_untrue()) {
            _ if self.is_unreached() => Word::Unreached,
            (true, true) => Word::Sometimes,
            (_, false) if self.is_always_true() => Word::Always,
            (true, false) => Word::Possible,
            (false, _) if self.holds.is_excluded() => Word::Never,
            (false, true) => Word::NotAlways,
            (false, false) => Word::Unknown,
        }
    }

    /// The executions and proofs, in the order of the questions.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        [&self.holds, &self.fails].into_iter().chain(&self.undefined).chain(&self.reached)
    }
}

/// Asks about a condition. `sources` are the texts of the original program, for places.
pub fn ask(
    question: &mut Question,
    location: &Location,
    condition: &str,
    sources: &SourceMap,
    decide: &mut Decide<'_>,
    budget: &mut Budget,
) -> Result<Answer, Problem> {
    let lower = &mut question.options.lower;
    lower.checks = CheckKinds::NONE;
    if lower.signed_overflow == SignedOverflow::Error {
        lower.signed_overflow = SignedOverflow::Undefined;
    }
    let spot = Spot::find(&question.texts, location)?;
    spot.check(condition)?;
    let fresh = Fresh::choose(&question.texts)?;
    let mut inquiry = Inquiry { question, sources, spot: &spot, fresh: &fresh, decide, budget };
    // As it is first: a macro that closes a parenthesis would not be noticed behind one of ours.
    let fails = inquiry.woven(condition)?;
    let holds = inquiry.woven(&format!("!({condition})"))?;
    let not_asked = || Part::Open(Reason::NotProgressing);
    let mut state = State { holds: not_asked(), fails: not_asked(), undefined: None };
    inquiry.rounds(&mut state, &holds, &fails);
    let sources_of_checks = holds.checked.lenient.sources.clone();
    let State { holds, fails, undefined } = state;
    let mut answer = Answer { spot, holds, fails, undefined, reached: None, sources: sources_of_checks };
    let is_seen = answer.holds.is_possible() || answer.can_be_untrue();
    if !is_seen && !answer.is_unreached() {
        reach(&mut answer, question, &fresh, (sources, decide, budget))?;
    }
    Ok(answer)
}

/// Asks whether the place is reached at all. Where the condition is never false or undefined, an execution that reaches it makes it true.
fn reach(
    answer: &mut Answer,
    question: &Question,
    fresh: &Fresh,
    (sources, decide, budget): (&SourceMap, &mut Decide<'_>, &mut Budget),
) -> Result<(), Problem> {
    let mut inquiry = Inquiry { question, sources, spot: &answer.spot, fresh, decide, budget };
    let reached = inquiry.woven("0")?;
    let part = inquiry.part(&reached, &reached.checked.lenient, u64::MAX).0;
    if part.is_possible() && answer.is_never_untrue() {
        answer.holds = part;
    } else {
        answer.reached = Some(part);
    }
    Ok(())
}

/// What is known so far.
struct State {
    holds: Part,
    fails: Part,
    undefined: Option<Part>,
}

/// A program with a check.
struct Asked {
    woven: Vec<Woven>,
    checked: Checked,
}

struct Inquiry<'a, 'b> {
    question: &'a Question,
    sources: &'a SourceMap,
    spot: &'a Spot,
    fresh: &'a Fresh,
    decide: &'a mut Decide<'b>,
    budget: &'a mut Budget,
}

/// Whether more effort may help.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Enough,
    TooLittle,
}

impl Inquiry<'_, '_> {
    /// The program whose error is reached where a value is zero.
    fn woven(&self, value: &str) -> Result<Asked, Problem> {
        let texts = &self.question.texts;
        let woven = self.spot.weave(texts, value, self.fresh)?;
        for (text, woven) in texts.iter().zip(&woven) {
            claim::check_added(text, woven, self.fresh)?;
        }
        let program = self.question.compile(&woven).map_err(|failure| {
            let first = failure.diagnostics.first();
            let message = first.map_or_else(String::new, |diagnostic| diagnostic.message.clone());
            match failure.kind {
                FailureKind::Input => Problem::Malformed(message),
                FailureKind::Unsupported => Problem::Unsupported(message),
            }
        })?;
        Ok(Asked { woven, checked: checked(without_errors(program), self.fresh)? })
    }

    /// Both questions in turn, with more effort in each round: one that is hard does not keep the other one from being answered.
    fn rounds(&mut self, state: &mut State, holds: &Asked, fails: &Asked) {
        let mut efforts = [Effort::TooLittle; 2];
        for ticks in [FIRST_TICKS, FIRST_TICKS * GROWTH, u64::MAX] {
            if efforts[0] == Effort::TooLittle && state.holds.is_open() {
                (state.holds, efforts[0]) = self.part(holds, &holds.checked.lenient, ticks);
            }
            if efforts[1] == Effort::TooLittle && state.fails.is_open() {
                efforts[1] = self.untrue(state, fails, ticks);
            }
            if self.budget.poll().is_err() {
                return;
            }
        }
    }

    /// Whether the condition can be false, or undefined.
    fn untrue(&mut self, state: &mut State, fails: &Asked, ticks: u64) -> Effort {
        let Checked { program, lenient, open } = &fails.checked;
        if !state.undefined.as_ref().is_some_and(Part::is_possible) {
            let (part, effort) = self.part(fails, program, ticks);
            match part {
                Part::Can(example) if example.detail.is_empty() => {
                    (state.fails, state.undefined) = (Part::Can(example), None);
                    return effort;
                }
                // What is undefined is not false.
                Part::Can(example) => state.undefined = Some(Part::Can(example)),
                Part::Never(certified) => {
                    state.undefined = Some(match open {
                        None => Part::Never(certified.clone()),
                        Some((what, _)) => {
                            let feature = format!("whether {what} in the condition is always defined");
                            Part::Open(Reason::Unsupported { feature, region: Region::NOWHERE })
                        }
                    });
                    state.fails = Part::Never(certified);
                    return effort;
                }
                Part::Open(reason) => {
                    state.fails = Part::Open(reason.clone());
                    state.undefined = Some(Part::Open(reason));
                    return effort;
                }
            }
        }
        let (part, effort) = self.part(fails, lenient, ticks);
        state.fails = part;
        effort
    }

    /// Decides a program with a check.
    fn part(&mut self, asked: &Asked, program: &Program, ticks: u64) -> (Part, Effort) {
        let mut budget = self.budget.child(ticks);
        let certified = (self.decide)(program, &mut budget);
        self.budget.absorb(&budget);
        let effort = if budget.spent() > ticks / 2 { Effort::TooLittle } else { Effort::Enough };
        let part = match certified.verdict() {
            Verdict::Safe(_) => Part::Never(Box::new(certified)),
            Verdict::Unknown(reason) => Part::Open(reason.clone()),
            Verdict::Unsafe(trace) => {
                let detail = self.undefined(asked, trace);
                let visits = trace.choices.iter().filter(|chosen| self.is_check(&chosen.source));
                let back = Back { from: &program.sources, to: self.sources, asked, question: self.question };
                let trace = back.trace(trace, self.spot, |source| self.is_check(source));
                let visit = visits.count();
                Part::Can(Box::new(Example { trace, visit, detail, certified }))
            }
        };
        (part, effort)
    }

    fn is_check(&self, source: &Source) -> bool {
        matches!(source, Source::Input { function } if **function == *self.fresh.check)
    }

    /// What is undefined in the evaluation at the end of an execution; empty if nothing is. Where undefined checks end the execution, such an execution ends differently.
    fn undefined(&mut self, asked: &Asked, trace: &Trace) -> String {
        let chooses = trace.choices.iter().any(|chosen| chosen.source == Source::Uninitialised);
        let mode = if chooses { Uninitialised::Choose } else { Uninitialised::Report };
        let mut inputs = Inputs::replay(&trace.choices);
        let lenient = &asked.checked.lenient;
        let run = interp::run(lenient, mode, &mut inputs, &mut std::io::sink(), self.budget);
        match run.outcome {
            Outcome::Undefined { kind, detail, .. } => format!("{kind}: {detail}"),
            _ => String::new(),
        }
    }
}

/// A program whose errors end the execution.
fn without_errors(mut program: Program) -> Program {
    for number in program.procs.ids().collect::<Vec<_>>() {
        let old = program.procs[number].clone();
        if old.error.is_none() {
            continue;
        }
        let mut new = without_edges(&old);
        let mut sink = None;
        for edge in old.edges() {
            if Some(edge.target) == old.error {
                let sink = *sink.get_or_insert_with(|| plain(&mut new));
                new.add_edge(halting(edge, sink));
            } else {
                new.add_edge(edge.clone());
            }
        }
        program.procs[number] = pruned(&new);
    }
    program
}

/// The way from places of the text with a check to those of the original (I4).
struct Back<'a> {
    from: &'a SourceMap,
    to: &'a SourceMap,
    asked: &'a Asked,
    question: &'a Question,
}

impl Back<'_> {
    /// A trace without the choices of the check.
    fn trace(&self, trace: &Trace, spot: &Spot, is_check: impl Fn(&Source) -> bool) -> Trace {
        let mut trace = trace.clone();
        trace.choices.retain(|chosen| !is_check(&chosen.source));
        for chosen in &mut trace.choices {
            (chosen.region, chosen.place) = (self.region(chosen.region), self.region(chosen.place));
        }
        let violation = &mut trace.violation;
        violation.region = self.spot(spot);
        violation.detail.clear();
        for entry in &mut violation.stack.entries {
            entry.called_at = self.region(entry.called_at);
        }
        trace
    }

    fn spot(&self, spot: &Spot) -> Region {
        region_of(spot, self.question, self.to)
    }

    fn region(&self, region: Region) -> Region {
        let Some(file) = self.from.get(region.file).filter(|_| !region.is_nowhere()) else {
            return Region::NOWHERE;
        };
        let Some((id, _)) = self.to.iter().find(|(_, other)| other.name == file.name) else {
            return Region::NOWHERE;
        };
        let moved = Region { file: id, ..region };
        let texts = &self.question.texts;
        let Some(number) = texts.iter().position(|text| *text.name() == *file.name) else { return moved };
        let original = |line, column| {
            let offset = self.asked.woven[number].original(offset_of(file, line, column)?)?;
            Some(texts[number].syntax.position(offset))
        };
        let first = original(region.line, region.column);
        let last = region.end_column.checked_sub(1).and_then(|column| original(region.end_line, column));
        match (first, last) {
            (Some((line, column)), Some((end_line, end_column))) => {
                Region { line, column, end_line, end_column: end_column + 1, ..moved }
            }
            _ => moved,
        }
    }
}

/// The place of a spot among the texts of a program.
pub fn region_of(spot: &Spot, question: &Question, sources: &SourceMap) -> Region {
    let text: &Text = &question.texts[spot.text];
    let Some((file, _)) = sources.iter().find(|(_, file)| *file.name == *text.name()) else {
        return Region::NOWHERE;
    };
    let (line, column) = spot.place;
    Region { file, line, column, end_line: line, end_column: column + 1 }
}
