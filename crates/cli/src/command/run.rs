//! `wayproof run`: the program as the language defines it, with the user's inputs.

use std::collections::VecDeque;
use std::io::Write;
use std::time::Instant;

use base::SourceMap;
use cfa::{CheckKind, Ty};
use interp::{
    Choice, Code, CompileOptions, Config, Leaper, Machine, Markers, Narrator, Oracle, Outcome, Request,
    Resource, Run, Seed, Silent, Uninitialised,
};

use report::printable;

use crate::args::RunArgs;
use crate::console::{Console, note};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::frontend::{self, Refusal};
use crate::output::Output;
use crate::resolve;
use crate::session::Session;
use crate::values;

/// More calls than this are not listed.
const MAX_CALLS: usize = 8;

/// Executes a program.
pub(crate) fn run(args: &RunArgs, console: Console) -> Result<ExitStatus, Failure> {
    let mut inputs = values::from_options(&args.input)?;
    if let Some(file) = &args.inputs {
        inputs.extend(values::from_file(file)?);
    }
    let mut oracle = UserOracle { values: inputs.into(), seed: args.seed.map(Seed::new), console };
    let session =
        Session::start(args.timeout, Box::new(move |stop| note(&format!("wayproof: stopped: {stop}"))));
    let request = resolve::Request::new(&args.file, &args.source, args.property.as_deref(), console)?;
    let compiled = frontend::compile(&request, &args.source).map_err(Refusal::into_failure)?;
    if !args.quiet && !compiled.warnings.is_empty() {
        console.print(&compiled.warnings, &compiled.program.sources);
    }
    let start = Instant::now();
    let mut output = Output::new();
    let mut budget = session.budget();
    let markers = if args.trace { Markers::Edges } else { Markers::Heads };
    let options = CompileOptions { uninitialised: Uninitialised::Report, markers };
    let code = Code::new(&compiled.program, options);
    let mut machine = Machine::new(&compiled.program, &code, Config::default());
    let run = if args.trace {
        let mut narrator = Narrator::new(std::io::stderr());
        machine.run(&mut oracle, &mut narrator, &mut output, &mut budget)
    } else {
        Leaper::new().run(&mut machine, &mut oracle, &mut Silent, &mut output, &mut budget)
    };
    let ended = End { status: program_status(&run.outcome, &machine, &request.entry), run };
    session.claim();
    output.flush()?;
    if args.stats {
        let seconds = start.elapsed().as_secs_f64();
        note(&format!("wayproof: {} ticks in {seconds:.3} s", budget.spent()));
    }
    if !args.quiet {
        for line in describe(&ended, &compiled.program.sources) {
            note(&line);
        }
    }
    Ok(if args.verdict { verdict(&ended) } else { status(&ended) })
}

/// How the program ended.
struct End {
    run: Run,
    /// Its exit status, if it ended by itself.
    status: Option<u8>,
}

/// The exit status of a program that ended by itself: what the entry function returned, or the argument of `exit`.
fn program_status(outcome: &Outcome, machine: &Machine<'_>, entry: &str) -> Option<u8> {
    match outcome {
        Outcome::Exit { status } => Some(*status as u8),
        Outcome::Returned => {
            let view = machine.view();
            let procedure = view.program().find_proc(entry)?;
            let result = view.program().procs[procedure].results.first().copied();
            let returned = result.and_then(|variable| view.scalar(variable));
            Some(returned.map_or(0, |value| value.as_int() as u8))
        }
        _ => None,
    }
}

/// The user's values first, then random ones.
struct UserOracle {
    values: VecDeque<Choice>,
    seed: Option<Seed>,
    console: Console,
}

impl Oracle for UserOracle {
    fn choose(&mut self, request: &Request<'_>) -> Option<Choice> {
        let Some(choice) = self.values.pop_front() else { return self.seed.as_mut()?.choose(request) };
        if let (Choice::Int(number), Ty::Int { width, .. }) = (choice, request.ty)
            && !fits(number, u32::from(width))
        {
            let taken = choice.value(request.ty);
            self.console.warn(format!("the input {number} has more than {width} bits: {taken} is taken"));
        }
        Some(choice)
    }
}

/// Whether a number is a value of a type of this width, signed or not.
fn fits(number: i128, width: u32) -> bool {
    if number < 0 { number >> width.saturating_sub(1).min(127) == -1 } else { number >> width.min(127) == 0 }
}

/// How the program ended: one line, and before it the calls that led there if it went wrong.
fn describe(end: &End, sources: &SourceMap) -> Vec<String> {
    let run = &end.run;
    let place = sources.describe(run.outcome.region());
    let at = if place.is_empty() { String::new() } else { format!(" at {}", printable(&place)) };
    let (what, shows_stack) = match &run.outcome {
        Outcome::Returned | Outcome::Exit { .. } => {
            (format!("exited with status {}", end.status.unwrap_or(0)), false)
        }
        Outcome::Halted { .. } => (format!("aborted{at}"), false),
        Outcome::Error { kind: CheckKind::Assertion, .. } => (format!("error reached{at}"), true),
        Outcome::Error { kind, detail, .. } => (format!("{kind}{at}: {detail}"), true),
        Outcome::Undefined { kind, detail, .. } => {
            (format!("undefined behaviour{at}: {kind}: {}", printable(detail)), true)
        }
        Outcome::Blocked { .. } => (format!("blocked{at}: an assumption does not hold"), false),
        Outcome::OutOfInputs { .. } => {
            (format!("out of inputs{at}: add --input VALUE, --inputs FILE or --seed NUMBER"), false)
        }
        Outcome::Resource { what, .. } => (format!("stopped{at}: {what}"), false),
        Outcome::Unsupported { what, .. } => (format!("stopped{at}: {what} is not supported"), false),
        Outcome::Stopped(stop) => (format!("stopped: {stop}"), false),
    };
    let mut lines = Vec::new();
    if shows_stack {
        // The last two are the start-up procedure and its call of the entry function.
        for entry in run.stack.entries.iter().rev().skip(2).rev().take(MAX_CALLS) {
            let place = sources.describe(entry.called_at);
            lines.push(format!(
                "wayproof: in {}, called at {}",
                printable(&entry.procedure),
                printable(&place)
            ));
        }
    }
    lines.push(format!("wayproof: {what}"));
    lines
}

/// The exit code that says whether the error was reached.
fn verdict(end: &End) -> ExitStatus {
    match status(end) {
        ExitStatus::Program(_) => ExitStatus::Success,
        other => other,
    }
}

/// The exit code of the program, or why there is none.
fn status(end: &End) -> ExitStatus {
    match &end.run.outcome {
        Outcome::Returned | Outcome::Exit { .. } => ExitStatus::Program(end.status.unwrap_or(0)),
        Outcome::Halted { .. } => ExitStatus::Program(134),
        Outcome::Error { .. } => ExitStatus::Violated,
        Outcome::Resource { what: Resource::Output, .. } => ExitStatus::Internal,
        Outcome::Undefined { .. }
        | Outcome::Blocked { .. }
        | Outcome::OutOfInputs { .. }
        | Outcome::Resource { .. }
        | Outcome::Unsupported { .. }
        | Outcome::Stopped(_) => ExitStatus::Unknown,
    }
}
