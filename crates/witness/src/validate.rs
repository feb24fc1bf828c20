//! Is a witness right?
//!
//! What it claims becomes a program ([`crate::claim`]). Of a violation the interpreter executes that program with the values that the
//! witness states; of correctness the checker of annotations tries the invariants as they are. Where that does not decide, an engine does, and
//! its verdict is certified as always.
//!
//! # Invariants
//! * I1: confirmed and refuted rest on an execution or on a proof that passed its check.
//! * I2: the witness is about the very texts that are checked ([`Question::adopt`]), or the judgement names those that differ.
//! * I3: a violation is confirmed under the strict reading of the format and refuted under the loose one ([`Reading`]): neither depends on what the format leaves open.
//! * I4: invariants are confirmed only if evaluating them is known to be defined.

use std::collections::VecDeque;

use crate::inductive::checks_as_invariants;
use base::{Budget, Region};
use certify::{Certified, certify, check_choices};
use cfa::{ApproximationKind, CheckKind, Program, SignedOverflow, Source};
use cfront::FailureKind;
use interp::{
    self, Choice, Code, CompileOptions, Config, Inputs, Leaper, Machine, Markers, Oracle, Outcome, Request,
    Silent, Uninitialised, Value,
};
use passes::Prepared;
use verdict::{Trace, Verdict};

use crate::aim::Claimed;
use crate::checks::{Checked, checked};
use crate::claim::{self, Problem, Reading};
use crate::format::{Claims, Content, Segment, WaypointKind, Witness};
use crate::fresh::Fresh;
use crate::question::{Question, text_of};
use crate::weave::Woven;

/// Whether a witness is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It is: how that was found.
    Confirmed(String),
    /// It is not: why.
    Refuted(String),
    /// Nobody knows: why.
    Unknown(String),
    /// It is no witness for this program.
    Malformed(String),
}

/// Decides a program with an engine, and certifies.
pub type Decide<'a> = dyn FnMut(&Program, &mut Budget) -> Certified + 'a;

/// Judges a witness.
pub fn validate(
    witness: &Witness,
    question: &mut Question,
    decide: &mut Decide<'_>,
    budget: &mut Budget,
) -> Judgement {
    let differing = match question.adopt(witness) {
        Ok(differing) => differing,
        Err(message) => return Judgement::Malformed(message),
    };
    let mut validator = Validator { question, decide, budget };
    let judged = match &witness.content {
        Content::Violation(segments) => validator.violation(segments),
        Content::Correctness(claims) => validator.correctness(claims),
    };
    judged.unwrap_or_else(|judgement| judgement).about(&differing)
}

impl Judgement {
    /// Says which texts are not those of the witness.
    fn about(self, differing: &[String]) -> Self {
        if differing.is_empty() {
            return self;
        }
        let names: Vec<String> = differing.iter().map(|name| format!("`{name}`")).collect();
        let note = |why: String| format!("{why}; the witness states another hash of {}", names.join(", "));
        match self {
            Self::Confirmed(how) => Self::Confirmed(note(how)),
            Self::Refuted(why) => Self::Refuted(note(why)),
            Self::Unknown(why) => Self::Unknown(note(why)),
            Self::Malformed(why) => Self::Malformed(note(why)),
        }
    }
}

/// How a violation is confirmed that the stated values alone do not show.
const FOUND: &str = "an execution that the witness describes violates the property";
const NOT_AS_IT_SAYS: &str = "there is a violation, but not the one that the witness describes";
/// What separates the readings of a violation.
const BEFORE: &str = "an execution follows the witness only if it reaches the location of a waypoint earlier, with another outcome";

struct Validator<'a, 'b> {
    question: &'a Question,
    decide: &'a mut Decide<'b>,
    budget: &'a mut Budget,
}

type Judged<T> = Result<T, Judgement>;

impl From<Problem> for Judgement {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Malformed(why) => Self::Malformed(why),
            Problem::Refuted(why) => Self::Refuted(why),
            Problem::Unsupported(what) => Self::Unknown(format!("not supported: {what}")),
        }
    }
}

impl<'a> Validator<'a, '_> {
    fn correctness(&mut self, claims: &Claims) -> Judged<Judgement> {
        let (checked, fresh) = self.claimed(claims)?;
        let Wording { all, one } = wording(claims);
        if self.inductive(&checked, &fresh) {
            let how = format!("the {all} hold, are inductive and exclude the error");
            return Ok(Judgement::Confirmed(how));
        }
        let certified = (self.decide)(&checked.program, self.budget);
        Ok(match certified.verdict() {
            Verdict::Safe(_) => match &checked.open {
                None => Judgement::Confirmed(format!(
                    "the {all} hold; together with further invariants they exclude the error"
                )),
                Some((what, region)) => Judgement::Unknown(format!(
                    "whether {what} in {one} at {} is always defined is not known",
                    position(&checked.program, *region)
                )),
            },
            Verdict::Unsafe(trace) => Judgement::Refuted(self.broken(&checked, &fresh, trace, one)),
            Verdict::Unknown(reason) => {
                Judgement::Unknown(format!("the {all} are not inductive by themselves, and: {reason}"))
            }
        })
    }

    /// The program with checks of the invariants.
    fn claimed(&mut self, claims: &Claims) -> Judged<(Checked, Fresh)> {
        let fresh = Fresh::choose(&self.question.texts)?;
        let woven = claim::correctness(&self.question.texts, claims, &fresh)?;
        for (text, woven) in self.question.texts.iter().zip(&woven).filter(|_| !claims.is_empty()) {
            claim::check_added(text, woven, &fresh)?;
        }
        let program = self.compile(&woven)?;
        Ok((checked(program, &fresh)?, fresh))
    }

    fn inductive(&mut self, checked: &Checked, fresh: &Fresh) -> bool {
        if checked.open.is_some() {
            return false;
        }
        let task = Prepared::of(&checked.program);
        match checks_as_invariants(&task, &fresh.check, self.budget) {
            Ok(verdict) => matches!(certify(&task, verdict, self.budget).verdict(), Verdict::Safe(_)),
            Err(_) => false,
        }
    }

    /// What an execution shows to be wrong about invariants.
    fn broken(&mut self, checked: &Checked, fresh: &Fresh, trace: &Trace, one: &str) -> String {
        let place = position(&checked.program, trace.violation.region);
        let is_check =
            |source: &Source| matches!(source, Source::Input { function } if **function == *fresh.check);
        let last = trace.choices.last();
        if !last.is_some_and(|chosen| is_check(&chosen.source) && chosen.value.bits != 0) {
            return format!("an execution violates the property at {place}");
        }
        // Where undefined checks end the execution, it ends differently if the last one is undefined.
        let mode = mode_of(trace);
        let mut inputs = Inputs::replay(&trace.choices);
        let (config, sink) = (Config::unobserved(), &mut std::io::sink());
        let run = interp::run_with(&checked.lenient, mode, config, &mut inputs, sink, self.budget);
        match run.outcome {
            Outcome::Undefined { kind, detail, .. } => {
                format!("an execution makes {one} undefined at {place}: {kind}: {detail}")
            }
            _ => format!("an execution makes {one} false at {place}"),
        }
    }

    fn violation(&mut self, segments: &[Segment]) -> Judged<Judgement> {
        let fresh = Fresh::choose(&self.question.texts)?;
        let strict = self.aimed(segments, &fresh, Reading::Strict)?;
        let added = strict.program.approximations.iter().find(|extra| extra.kind == ApproximationKind::Over);
        if let Some(extra) = added {
            let what = format!("the program over-approximates its source: {}", extra.what);
            return Ok(Judgement::Unknown(what));
        }
        let counts_more =
            strict.program.signed_overflow == SignedOverflow::Error || !strict.program.checks.is_empty();
        if !strict.is_possible && !counts_more {
            let place = claim::describe_target(segments);
            let why = format!("the statement at {place} does not violate the property itself");
            return Ok(Judgement::Refuted(why));
        }
        let mut oracle = Stated::new(segments, &strict);
        match self.execute(&strict, Uninitialised::Choose, &mut oracle) {
            Attempt::Follows => {
                return Ok(Judgement::Confirmed("the stated values lead to the violation".to_owned()));
            }
            Attempt::Stopped(why) => return Ok(Judgement::Unknown(why)),
            Attempt::Differs => {}
        }
        let loose = self.aimed(segments, &fresh, Reading::Loose)?;
        let differs = segments.len() > 1 || !segments[0].avoid.is_empty();
        Ok(self.search(&strict, &loose, differs.then_some(BEFORE)))
    }

    /// Looks for an execution that follows a witness, or for a proof that there is none. `before` says what an execution of the loose program means that the strict one
    /// does not have; nothing if they are the same.
    fn search(&mut self, strict: &Claimed<'_>, loose: &Claimed<'_>, before: Option<&str>) -> Judgement {
        let mut why = NOT_AS_IT_SAYS.to_owned();
        let mut is_loose = false;
        match (self.decide)(&loose.program, self.budget).verdict() {
            Verdict::Safe(_) => {
                return Judgement::Refuted("no execution follows the witness".to_owned());
            }
            Verdict::Unsafe(trace) if self.follows(strict, trace) => {
                return Judgement::Confirmed(FOUND.to_owned());
            }
            // Answers to questions that the strict program does not ask lead elsewhere, and then to nothing.
            Verdict::Unsafe(trace) => is_loose = self.follows(loose, trace),
            Verdict::Unknown(reason) => why = reason.to_string(),
        }
        if let Some(before) = before {
            match (self.decide)(&strict.program, self.budget).verdict() {
                Verdict::Unsafe(trace) if self.follows(strict, trace) => {
                    return Judgement::Confirmed(FOUND.to_owned());
                }
                Verdict::Safe(_) if is_loose => before.clone_into(&mut why),
                Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => {}
            }
        }
        Judgement::Unknown(format!("the stated values do not lead to the violation, and: {why}"))
    }

    /// Whether a trace does what a witness says.
    fn follows(&mut self, claimed: &Claimed<'_>, trace: &Trace) -> bool {
        let mut inputs = Inputs::replay(&trace.choices);
        matches!(self.execute(claimed, mode_of(trace), &mut inputs), Attempt::Follows)
    }

    /// The program with the claim of a violation.
    fn aimed(&self, segments: &[Segment], fresh: &Fresh, reading: Reading) -> Judged<Claimed<'a>> {
        let question: &'a Question = self.question;
        let texts = &question.texts;
        let woven = claim::violation(texts, segments, fresh, reading)?;
        for (text, woven) in texts.iter().zip(&woven.0) {
            claim::check_added(text, woven, fresh)?;
        }
        let program = self.compile(&woven.0)?;
        let error_functions = &question.options.lower.error_functions;
        Ok(Claimed::new(program, texts, woven, error_functions, fresh, segments.len() - 1))
    }

    /// Executes the claim of a violation.
    fn execute(
        &mut self,
        claimed: &Claimed<'_>,
        uninitialised: Uninitialised,
        oracle: &mut dyn Oracle,
    ) -> Attempt {
        let program = &claimed.program;
        let options = CompileOptions { uninitialised, markers: Markers::Heads };
        let code = Code::new(program, options);
        let mut machine = Machine::new(program, &code, Config::default());
        let run = Leaper::new().run(&mut machine, oracle, &mut Silent, &mut std::io::sink(), self.budget);
        if let Err(reason) = check_choices(&run.choices) {
            return Attempt::Stopped(reason.to_string());
        }
        let follows = match run.outcome {
            Outcome::Error { region, kind: CheckKind::Assertion, .. } => {
                claimed.ended_at_target(region, &run)
            }
            Outcome::Error { region, .. } => {
                let state = claimed.counter().and_then(|var| machine.view().scalar(var)).map(Value::as_int);
                // A program that never touches the counter has none.
                let place = run.stack.users_place(region, &program.sources);
                state.unwrap_or(0) == claimed.last() as i128 && claimed.ended_inside_target(place)
            }
            Outcome::Stopped(stop) => return Attempt::Stopped(stop.to_string()),
            _ => false,
        };
        if follows { Attempt::Follows } else { Attempt::Differs }
    }

    fn compile(&self, woven: &[Woven]) -> Judged<Program> {
        self.question.compile(woven).map_err(|failure| {
            let first = failure.diagnostics.first();
            let message = first.map_or_else(String::new, |diagnostic| diagnostic.message.clone());
            match failure.kind {
                FailureKind::Input => {
                    Judgement::Malformed(format!("the witness does not fit the program: {message}"))
                }
                FailureKind::Unsupported => Judgement::Unknown(message),
            }
        })
    }
}

/// How a trace was recorded: one without values of uninitialised variables reads none, and must not be asked for any.
fn mode_of(trace: &Trace) -> Uninitialised {
    let chooses = trace.choices.iter().any(|chosen| chosen.source == Source::Uninitialised);
    if chooses { Uninitialised::Choose } else { Uninitialised::Report }
}

/// What a witness of correctness consists of, for people.
struct Wording {
    all: &'static str,
    one: &'static str,
}

fn wording(claims: &Claims) -> Wording {
    match (claims.invariants.is_empty(), claims.contracts.is_empty()) {
        (_, true) => Wording { all: "invariants", one: "an invariant" },
        (true, false) => Wording { all: "contracts", one: "a contract" },
        (false, false) => Wording { all: "invariants and contracts", one: "an invariant or a contract" },
    }
}

/// A place of a program, for people.
fn position(program: &Program, region: Region) -> String {
    let file = program.sources.get(region.file).map_or("", |file| &file.name);
    format!("{file}:{}", region.line)
}

/// How an execution of a claim ends.
enum Attempt {
    Follows,
    Differs,
    Stopped(String),
}

/// Answers with the values that the witness states for calls, in order; zero where it states none.
struct Stated<'a> {
    /// Text and place of the call, and value.
    values: VecDeque<((usize, u32), Choice)>,
    claimed: &'a Claimed<'a>,
}

impl<'a> Stated<'a> {
    fn new(segments: &[Segment], claimed: &'a Claimed<'a>) -> Self {
        let mut values = VecDeque::new();
        for segment in segments {
            let WaypointKind::FunctionReturn(Some((operator, constant))) = &segment.follow.kind else {
                continue;
            };
            let location = &segment.follow.location;
            let found = text_of(claimed.texts, location);
            let call =
                found.and_then(|(text, found)| Some((text, claim::find_call(&found.syntax, location)?)));
            if let (Some((text, call)), Some(choice)) = (call, solution(operator, constant)) {
                values.push_back(((text, call.range.lo), choice));
            }
        }
        Self { values, claimed }
    }
}

/// A value that satisfies a constraint.
fn solution(operator: &str, constant: &str) -> Option<Choice> {
    match claim::integer(constant) {
        Some(number) => Some(Choice::Int(match operator {
            ">" | "!=" => number.saturating_add(1),
            "<" => number.saturating_sub(1),
            _ => number,
        })),
        None => constant.trim_end_matches(['f', 'F', 'l', 'L']).parse().ok().map(Choice::Float),
    }
}

impl Oracle for Stated<'_> {
    fn choose(&mut self, request: &Request<'_>) -> Option<Choice> {
        if let (Some((call, choice)), Some(place)) =
            (self.values.front().copied(), self.claimed.original(request.region))
            && call == place
        {
            self.values.pop_front();
            return Some(choice);
        }
        Some(Choice::Int(0))
    }
}
