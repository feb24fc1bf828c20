//! `wayproof ask`: can a condition be true at a line, and must it be?

use base::{Budget, Diagnostic};
use certify::Certified;
use cfa::Program;
use engine::{EngineSpec, Env, Recorder, Settings, solve_contained};
use passes::Prepared;
use report::{Asked, Format};
use std::path::PathBuf;
use std::sync::Arc;
use verdict::Reason;
use witness::ask::{Answer, region_of};
use witness::claim::Problem;
use witness::format::Location;
use witness::question::Question;

use super::check::find_engine;
use crate::args::{AskArgs, AskFormat};
use crate::basis;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::export;
use crate::failure::Failure;
use crate::frontend::{self, Refusal};
use crate::output::Output;
use crate::resolve::{Defaults, Request};
use crate::session::{Progress, Session};
use crate::settings::{self, Lookup};

/// Answers a question about a condition.
pub(crate) fn ask(mut args: AskArgs, console: Console) -> Result<ExitStatus, Failure> {
    let engine = find_engine(args.engine.as_deref().unwrap_or(engines::ENGINES[0].name))?;
    let lookup = if args.no_settings { Lookup::Off } else { Lookup::On };
    let files: Vec<PathBuf> = std::iter::once(&args.file).chain(&args.others).cloned().collect();
    let settings = settings::apply_to_source(&files, &mut args.source, lookup)?;
    args.timeout = args.timeout.or(settings.and_then(|settings| settings.timeout));
    let session = Session::start(
        args.timeout,
        Box::new(|stop| {
            let _ = Output::new().write(&format!("UNKNOWN: {stop}\n"));
        }),
    );
    if crate::task::is_task(&args.file) {
        let message =
            format!("`{}` is a task definition, and a line is one of a C file", args.file.display());
        return Err(Failure::usage(message, "name the C file that has the line"));
    }
    let request = Request::with_files(&files, &args.source, None, Defaults::Assertions, console)?;
    let compiled = frontend::compile(&request, &args.source).map_err(Refusal::into_failure)?;
    if !compiled.warnings.is_empty() {
        console.print(&compiled.warnings, &compiled.program.sources);
    }
    let sources = compiled.program.sources.clone();
    let Some(mut question) = export::question(&request, &args.source, compiled.parsed, &sources) else {
        let message = format!("`{}` is not a file that can be read again", args.file.display());
        return Err(Failure::usage(message, "write the program to a file"));
    };
    let location = location(&args, &question);
    let recorder = Arc::new(Recorder::default());
    let progress = Progress::start("asking", recorder.clone());
    let mut decide = |program: &Program, budget: &mut Budget| decide(engine, program, &recorder, budget);
    let (condition, budget) = (args.condition.as_str(), &mut session.budget());
    let answered = witness::ask::ask(&mut question, &location, condition, &sources, &mut decide, budget);
    drop(progress);
    session.claim();
    let answer = answered.map_err(|problem| refuse(problem, &args))?;
    let basis = basis::basis(&request, &args.source);
    let place = region_of(&answer.spot, &question, &sources);
    let asked = Asked { condition, place, sources: &sources, basis: &basis, answer: &answer };
    let format = match args.format {
        AskFormat::Human => Format::Human,
        AskFormat::Json => Format::Json,
    };
    Output::new().write(&report::answer(&asked, format, console.color_stdout))?;
    Ok(status(&answer))
}

/// The place that is meant: that of the first file.
fn location(args: &AskArgs, question: &Question) -> Location {
    let file = question.texts.first().map_or_else(String::new, |text| text.shown.clone());
    let (line, column) = args.place;
    Location { file, line, column }
}

/// Lets the engine work, and checks what it says.
fn decide(engine: &EngineSpec, program: &Program, recorder: &Recorder, budget: &mut Budget) -> Certified {
    if let Err(stop) = budget.poll() {
        return Certified::unknown(Reason::Stopped(stop));
    }
    let task = Prepared::of(program);
    let mut env = Env::new(budget.clone(), recorder);
    let verdict = solve_contained((engine.configure)(&Settings::default()), &task, &mut env);
    let (certified, _) = explain::certify_smallest(&task, verdict, &mut env.logic.budget);
    *budget = env.logic.budget;
    certified
}

/// Whether it must be true.
fn status(answer: &Answer) -> ExitStatus {
    if answer.can_be_untrue() {
        ExitStatus::Violated
    } else if answer.is_always_true() {
        ExitStatus::Success
    } else {
        ExitStatus::Unknown
    }
}

/// Why there is no answer.
fn refuse(problem: Problem, args: &AskArgs) -> Failure {
    let (line, _) = args.place;
    match problem {
        Problem::Malformed(why) if why.starts_with("no statement") => {
            Failure::usage(why, "ask at a line where a statement or a loop starts")
        }
        Problem::Malformed(why) | Problem::Refuted(why) => {
            let message = format!("`{}` cannot be evaluated at line {line}: {why}", args.condition);
            let help = "a condition is an expression of C without calls and assignments, over what is visible before that line \
                        is executed; a variable that the line declares is visible at the next one";
            Failure::global(ExitStatus::FrontEnd, Diagnostic::global(message).with_help(help))
        }
        Problem::Unsupported(what) => {
            let message = format!("`{}` cannot be asked about at line {line}: {what}", args.condition);
            let help = "write `assert(CONDITION);` there and use `wayproof check`";
            Failure::global(ExitStatus::FrontEnd, Diagnostic::global(message).with_help(help))
        }
    }
}
