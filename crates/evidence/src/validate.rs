//! Is a witness right?
//!
//! What it claims becomes a program ([`crate::claim`]). Of a violation the interpreter executes that program with the values that the
//! witness states; of correctness the checker of annotations tries the invariants as they are. Where that does not decide, an engine does, and
//! its verdict is certified as always.
//!
//! # Invariants
//! * I1: confirmed and refuted rest on an execution or on a proof that passed its check.
//! * I2: the witness is about the very text that is checked: the hashes agree.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use base::{Budget, Region};
use cfa::interp::{
    Choice, Code, CompileOptions, Config, Leaper, Machine, Markers, Outcome, Request, Silent, Uninitialised,
    Value,
};
use cfa::{ApproximationKind, Program, SignedOverflow, Source};
use cfront::{FailureKind, Input};
use witness::{Certified, Trace, Verdict, certify, check_choices, checks_as_invariants};

use crate::claim::{self, Problem};
use crate::format::{self, Content, Invariant, Segment, WaypointKind, Witness};
use crate::syntax::{Range, Syntax};
use crate::weave::Woven;

/// What a witness is checked against.
pub struct Question {
    /// The name of the C file.
    pub name: String,
    /// Its text.
    pub text: Arc<[u8]>,
    /// How it is compiled, and what the error is.
    pub options: cfront::Options,
    /// The other files of the program, and how they are preprocessed.
    pub others: Vec<(Input, cfront::preprocess::Options)>,
    /// Whether the property is that nothing overflows.
    pub is_overflow: bool,
}

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
    question: &Question,
    decide: &mut Decide<'_>,
    budget: &mut Budget,
) -> Judgement {
    if let Err(judgement) = same_task(witness, question) {
        return judgement;
    }
    let mut validator = match Validator::new(question, decide, budget) {
        Ok(validator) => validator,
        Err(judgement) => return judgement,
    };
    let judged = match &witness.content {
        Content::Violation(segments) => validator.violation(segments),
        Content::Correctness(invariants) => validator.correctness(invariants),
    };
    judged.unwrap_or_else(|judgement| judgement)
}

/// Whether invariants are inductive as they stand and exclude the error.
pub fn is_inductive(invariants: &[Invariant], question: &Question, budget: &mut Budget) -> bool {
    let mut nobody = |_: &Program, _: &mut Budget| Certified::unknown(witness::Reason::NotProgressing);
    let Ok(mut validator) = Validator::new(question, &mut nobody, budget) else { return false };
    validator.claimed(invariants).is_ok_and(|program| validator.inductive(&program))
}

/// Whether invariants can be evaluated at their places.
pub(crate) fn is_understood(invariants: &[Invariant], question: &Question, budget: &mut Budget) -> bool {
    let mut nobody = |_: &Program, _: &mut Budget| Certified::unknown(witness::Reason::NotProgressing);
    let Ok(mut validator) = Validator::new(question, &mut nobody, budget) else { return false };
    validator.claimed(invariants).is_ok()
}

/// I2.
fn same_task(witness: &Witness, question: &Question) -> Result<(), Judgement> {
    let malformed = |message: String| Err(Judgement::Malformed(message));
    let (stated, count) = (&witness.task.files, 1 + question.others.len());
    if stated.len() != count {
        return malformed(format!("the witness is for a program of {} files, not of {count}", stated.len()));
    }
    let mine = format::hash(&question.text);
    let is_mine = |hash: &str| hash.eq_ignore_ascii_case(&mine);
    if let (Some((file, hash)), false) = (stated.first(), stated.iter().any(|(_, hash)| is_mine(hash))) {
        return malformed(format!(
            "the witness is for another program: it states the hash {hash} of `{file}`, but that of `{}` is {mine}",
            question.name
        ));
    }
    if witness.task.specification.contains("overflow") != question.is_overflow {
        let stated = &witness.task.specification;
        return malformed(format!("the witness is for another property: `{stated}`"));
    }
    let model = question.options.preprocess.data_model.name();
    if witness.task.data_model != model {
        return malformed(format!(
            "the witness is for the data model {}, but the program is checked under {model}",
            witness.task.data_model
        ));
    }
    Ok(())
}

struct Validator<'a, 'b> {
    question: &'a Question,
    syntax: Syntax,
    decide: &'a mut Decide<'b>,
    budget: &'a mut Budget,
    options: cfront::Options,
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

impl<'a, 'b> Validator<'a, 'b> {
    fn new(question: &'a Question, decide: &'a mut Decide<'b>, budget: &'a mut Budget) -> Judged<Self> {
        let mut options = question.options.clone();
        // The text loses its place on disk, so files beside it must be found in another way.
        if let Some(folder) = Path::new(&question.name).parent() {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            options.preprocess.include_folders.insert(0, folder.to_owned());
        }
        let syntax = Syntax::new(&question.name, question.text.clone(), &options.preprocess);
        let syntax = syntax.ok_or_else(|| Judgement::Unknown("the program cannot be parsed".to_owned()))?;
        Ok(Self { question, syntax, decide, budget, options })
    }

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
            Verdict::Unsafe(trace) => Judgement::Refuted(broken(trace)),
            Verdict::Unknown(reason) => {
                Judgement::Unknown(format!("the invariants are not inductive by themselves, and: {reason}"))
            }
        })
    }

    /// The program with checks of the invariants.
    fn claimed(&mut self, invariants: &[Invariant]) -> Judged<Program> {
        let woven = claim::correctness(&self.syntax, invariants, &self.options.preprocess)?;
        let mut error_functions = self.options.lower.error_functions.clone();
        error_functions.push(claim::ERROR.to_owned());
        let assert_is_error = self.options.lower.assert_is_error;
        self.compile(&woven, error_functions, assert_is_error)
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
        let (woven, target) = claim::violation(&self.syntax, segments, &meaning, &self.options.preprocess)?;
        let program = self.compile(&woven, vec![claim::ERROR.to_owned()], false)?;
        if let Some(extra) = program.approximations.iter().find(|extra| extra.kind == ApproximationKind::Over)
        {
            let what = format!("behaviour is added to the program: {}", extra.what);
            return Ok(Judgement::Unknown(what));
        }
        let mut oracle = Stated::new(&self.syntax, segments, &woven);
        match self.execute(&program, &mut oracle, &woven, target, segments.len() - 1) {
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
                match self.execute(&program, &mut found, &woven, target, segments.len() - 1) {
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
        program: &Program,
        oracle: &mut dyn cfa::interp::Oracle,
        woven: &Woven,
        target: Range,
        last: usize,
    ) -> Attempt {
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
                if passed && inside(program, region, woven, target) {
                    Attempt::Follows
                } else {
                    Attempt::Differs
                }
            }
            Outcome::Error { .. } => Attempt::Follows,
            Outcome::Stopped(stop) => Attempt::Stopped(stop.to_string()),
            _ => Attempt::Differs,
        }
    }

    fn compile(&self, woven: &Woven, error_functions: Vec<String>, assert_is_error: bool) -> Judged<Program> {
        let mut options = self.options.clone();
        options.lower.error_functions = error_functions;
        options.lower.assert_is_error = assert_is_error;
        let input = Input::Text { name: self.question.name.clone(), text: woven.text.clone() };
        let mut units = vec![(&input, &options.preprocess)];
        units.extend(self.question.others.iter().map(|(input, preprocess)| (input, preprocess)));
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
fn broken(trace: &Trace) -> String {
    let line = trace.violation.region.line;
    let is_check =
        |source: &Source| matches!(source, Source::Input { function } if &**function == claim::CHECK);
    let last = trace.choices.last();
    if last.is_some_and(|chosen| is_check(&chosen.source) && chosen.value.bits != 0) {
        format!("an execution makes an invariant false at line {line}")
    } else {
        format!("an execution violates the property at line {line}")
    }
}

/// How an execution of a claim ends.
enum Attempt {
    Follows,
    Differs,
    Stopped(String),
}

/// Whether a region of the woven program lies in a range of the original text.
fn inside(program: &Program, region: Region, woven: &Woven, range: Range) -> bool {
    let Some(file) = program.sources.get(region.file) else { return false };
    let Some(offset) = offset_of(file, region) else { return false };
    let original = woven.original(offset);
    range.lo <= original && original < range.hi
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
    /// Place of the call and value.
    values: VecDeque<(u32, Choice)>,
    woven: &'a Woven,
    text: base::SourceFile,
}

impl<'a> Stated<'a> {
    fn new(syntax: &Syntax, segments: &[Segment], woven: &'a Woven) -> Self {
        let mut values = VecDeque::new();
        for segment in segments {
            let WaypointKind::FunctionReturn(Some((operator, constant))) = &segment.follow.kind else {
                continue;
            };
            let call = claim::find_call(syntax, &segment.follow.location);
            if let (Some(call), Some(choice)) = (call, solution(operator, constant)) {
                values.push_back((call.range.lo, choice));
            }
        }
        Self { values, woven, text: base::SourceFile::new("", woven.text.clone()) }
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
        let place = offset_of(&self.text, request.region).map(|offset| self.woven.original(offset));
        if let (Some((call, choice)), Some(place)) = (self.values.front().copied(), place)
            && call == place
        {
            self.values.pop_front();
            return Some(choice);
        }
        Some(Choice::Int(0))
    }
}
