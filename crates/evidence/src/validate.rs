//! Is a witness right?
//!
//! What it claims becomes a program ([`crate::claim`]). Of a violation the interpreter executes that program with the values that the
//! witness states; of correctness the checker of annotations tries the invariants as they are. Where that does not decide, an engine does, and
//! its verdict is certified as always.
//!
//! # Invariants
//! * I1: confirmed and refuted rest on an execution or on a proof that passed its check.
//! * I2: the witness is about the very texts that are checked ([`Question::adopt`]).

use std::collections::VecDeque;

use base::{Budget, Region};
use cfa::interp::{
    Choice, Code, CompileOptions, Config, Leaper, Machine, Markers, Outcome, Request, Silent, Uninitialised,
    Value,
};
use cfa::{ApproximationKind, Program, SignedOverflow, Source};
use cfront::FailureKind;
use witness::{Certified, Trace, Verdict, certify, check_choices, checks_as_invariants};

use crate::claim::{self, Problem, Target};
use crate::format::{Content, Invariant, Segment, WaypointKind, Witness};
use crate::question::{Question, Text, text_of};
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
    if let Err(message) = question.adopt(witness) {
        return Judgement::Malformed(message);
    }
    let mut validator = Validator { question, decide, budget };
    let judged = match &witness.content {
        Content::Violation(segments) => validator.violation(segments),
        Content::Correctness(invariants) => validator.correctness(invariants),
    };
    judged.unwrap_or_else(|judgement| judgement)
}

/// Whether invariants are inductive as they stand and exclude the error; nothing if they cannot be evaluated at their places.
pub fn is_inductive(invariants: &[Invariant], question: &Question, budget: &mut Budget) -> Option<bool> {
    let mut validator = Validator { question, decide: &mut nobody, budget };
    validator.claimed(invariants).ok().map(|program| validator.inductive(&program))
}

/// Whether invariants can be evaluated at their places.
pub(crate) fn is_understood(invariants: &[Invariant], question: &Question, budget: &mut Budget) -> bool {
    Validator { question, decide: &mut nobody, budget }.claimed(invariants).is_ok()
}

/// Decides nothing.
fn nobody(_: &Program, _: &mut Budget) -> Certified {
    Certified::unknown(witness::Reason::NotProgressing)
}

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

impl Validator<'_, '_> {
    fn correctness(&mut self, invariants: &[Invariant]) -> Judged<Judgement> {
        let program = self.claimed(invariants)?;
        if self.inductive(&program) {
            let how = "the invariants hold, are inductive and exclude the error";
            return Ok(Judgement::Confirmed(how.to_owned()));
        }
        let certified = (self.decide)(&program, self.budget);
        Ok(match certified.verdict() {
            Verdict::Safe(_) => Judgement::Confirmed(
                "the invariants hold, and with further ones they exclude the error".to_owned(),
            ),
            Verdict::Unsafe(trace) => Judgement::Refuted(broken(&program, trace)),
            Verdict::Unknown(reason) => {
                Judgement::Unknown(format!("the invariants are not inductive by themselves, and: {reason}"))
            }
        })
    }

    /// The program with checks of the invariants.
    fn claimed(&mut self, invariants: &[Invariant]) -> Judged<Program> {
        let woven = claim::correctness(&self.question.texts, invariants)?;
        let lower = &self.question.options.lower;
        let mut error_functions = lower.error_functions.clone();
        error_functions.push(claim::ERROR.to_owned());
        self.compile(&woven, error_functions, lower.assert_is_error)
    }

    fn inductive(&mut self, program: &Program) -> bool {
        match checks_as_invariants(program, claim::CHECK, self.budget) {
            Ok(verdict) => matches!(certify(program, verdict, self.budget).verdict(), Verdict::Safe(_)),
            Err(_) => false,
        }
    }

    fn violation(&mut self, segments: &[Segment]) -> Judged<Judgement> {
        let meaning = claim::Violation {
            error_functions: &self.question.options.lower.error_functions,
            assert_is_error: self.question.options.lower.assert_is_error,
            is_overflow: self.question.is_overflow,
        };
        let (woven, target) = claim::violation(&self.question.texts, segments, &meaning)?;
        let program = self.compile(&woven, vec![claim::ERROR.to_owned()], false)?;
        if let Some(extra) = program.approximations.iter().find(|extra| extra.kind == ApproximationKind::Over)
        {
            let what = format!("behaviour is added to the program: {}", extra.what);
            return Ok(Judgement::Unknown(what));
        }
        let claimed = Claimed { program: &program, texts: &self.question.texts, woven: &woven };
        let mut oracle = Stated::new(segments, &claimed);
        let last = segments.len() - 1;
        match self.execute(&claimed, &mut oracle, target, last) {
            Attempt::Follows => {
                return Ok(Judgement::Confirmed("the stated values lead to the violation".to_owned()));
            }
            Attempt::Stopped(why) => return Ok(Judgement::Unknown(why)),
            Attempt::Differs => {}
        }
        let certified = (self.decide)(&program, self.budget);
        Ok(match certified.verdict() {
            Verdict::Safe(_) => Judgement::Refuted("no execution does what the witness says".to_owned()),
            Verdict::Unsafe(trace) => {
                let mut found = cfa::interp::Inputs::replay(&trace.choices);
                match self.execute(&claimed, &mut found, target, last) {
                    Attempt::Follows => Judgement::Confirmed(
                        "an execution that the witness describes violates the property".to_owned(),
                    ),
                    Attempt::Differs | Attempt::Stopped(_) => {
                        Judgement::Unknown("there is a violation, but not as the witness says".to_owned())
                    }
                }
            }
            Verdict::Unknown(reason) => {
                Judgement::Unknown(format!("the stated values do not lead to the violation, and: {reason}"))
            }
        })
    }

    /// Executes the claim of a violation.
    fn execute(
        &mut self,
        claimed: &Claimed<'_>,
        oracle: &mut dyn cfa::interp::Oracle,
        target: Target,
        last: usize,
    ) -> Attempt {
        let program = claimed.program;
        let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Heads };
        let code = Code::new(program, options);
        let mut machine = Machine::new(program, &code, Config::default());
        let run = Leaper::new().run(&mut machine, oracle, &mut Silent, &mut std::io::sink(), self.budget);
        if let Err(reason) = check_choices(&run.choices) {
            return Attempt::Stopped(reason.to_string());
        }
        match run.outcome {
            Outcome::Error { region, .. } if program.signed_overflow == SignedOverflow::Error => {
                let state = program.vars.iter_enumerated().find(|(_, var)| &*var.name == claim::STATE);
                let state = state.and_then(|(var, _)| machine.view().scalar(var)).map(Value::as_int);
                // A program that never touches the counter has none.
                let passed = state.unwrap_or(0) == last as i128;
                if passed && claimed.inside(region, target) { Attempt::Follows } else { Attempt::Differs }
            }
            Outcome::Error { .. } => Attempt::Follows,
            Outcome::Stopped(stop) => Attempt::Stopped(stop.to_string()),
            _ => Attempt::Differs,
        }
    }

    fn compile(
        &self,
        woven: &[Woven],
        error_functions: Vec<String>,
        assert_is_error: bool,
    ) -> Judged<Program> {
        let mut options = self.question.options.clone();
        options.lower.error_functions = error_functions;
        options.lower.assert_is_error = assert_is_error;
        let parts = self.question.texts.iter().zip(woven);
        let inputs: Vec<_> = parts.map(|(text, woven)| text.input(woven)).collect();
        let units: Vec<cfront::Unit<'_>> = inputs.iter().map(|(input, options)| (input, options)).collect();
        cfront::compile_units(&units, &options).map(|compiled| compiled.program).map_err(|failure| {
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

/// What an execution shows to be wrong about invariants.
fn broken(program: &Program, trace: &Trace) -> String {
    let region = trace.violation.region;
    let file = program.sources.get(region.file).map_or("", |file| &file.name);
    let place = format!("{file}:{}", region.line);
    let is_check =
        |source: &Source| matches!(source, Source::Input { function } if &**function == claim::CHECK);
    let last = trace.choices.last();
    if last.is_some_and(|chosen| is_check(&chosen.source) && chosen.value.bits != 0) {
        format!("an execution makes an invariant false at {place}")
    } else {
        format!("an execution violates the property at {place}")
    }
}

/// How an execution of a claim ends.
enum Attempt {
    Follows,
    Differs,
    Stopped(String),
}

/// The program of a claim, and the texts that it was woven into.
struct Claimed<'a> {
    program: &'a Program,
    texts: &'a [Text],
    woven: &'a [Woven],
}

impl Claimed<'_> {
    /// The number of the text in which a region of the program lies, and its place in the original.
    fn original(&self, region: Region) -> Option<(usize, u32)> {
        let file = self.program.sources.get(region.file)?;
        let number = self.texts.iter().position(|text| *text.name() == *file.name)?;
        Some((number, self.woven[number].original(offset_of(file, region)?)))
    }

    /// Whether a region lies in a statement of the original.
    fn inside(&self, region: Region, target: Target) -> bool {
        let range = target.range;
        self.original(region)
            .is_some_and(|(number, place)| number == target.text && range.lo <= place && place < range.hi)
    }
}

fn offset_of(file: &base::SourceFile, region: Region) -> Option<u32> {
    if region.is_nowhere() || region.line > file.line_count() {
        return None;
    }
    let line = file.line_text(region.line).iter().enumerate().filter(|(_, byte)| **byte & 0xC0 != 0x80);
    let (at, _) = line.map(|(at, byte)| (at, *byte)).nth(region.column.checked_sub(1)? as usize)?;
    Some(file.line_start(region.line) + at as u32)
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
    let plain = constant.trim_end_matches(['u', 'U', 'l', 'L']);
    match plain.parse::<i128>() {
        Ok(number) => Some(Choice::Int(match operator {
            ">" | "!=" => number + 1,
            "<" => number - 1,
            _ => number,
        })),
        Err(_) => constant.trim_end_matches(['f', 'F', 'l', 'L']).parse().ok().map(Choice::Float),
    }
}

impl cfa::interp::Oracle for Stated<'_> {
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
