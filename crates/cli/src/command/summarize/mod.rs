//! `wayproof summarize`: the path summaries of a program, for people and programs.

mod contracts;
mod dot;
mod human;
mod json;

use std::time::{Duration, Instant};

use base::{Budget, Diagnostic, Region, SourceMap, Stop};
use cfa::Program;
use graph::{Graph, PointId};
use passes::{KeptCall, Prepared};
use report::Summaries;
use smt::{Z3, Z3Settings};
use summary::print::{Directions, Limits, PointKind, PointReading, Reader};
use summary::{StarOptions, StarStatistics, Stars};
use term::Terms;

use crate::args::{SummarizeArgs, SummaryFormat};
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::frontend::{self, Refusal};
use crate::output::Output;
use crate::property::Property;
use crate::resolve::Request;
use crate::session::{Progress, Session};

/// At most so many lines are named where there is no point.
const MAX_NEAREST: usize = 6;

/// Work that the summaries of a page may take.
const MAX_PAGE_TICKS: u64 = 200_000_000;
/// Time that they may take.
const MAX_PAGE_TIME: Duration = Duration::from_secs(5);

/// What is printed.
struct Summarised<'a> {
    request: &'a Request,
    program: &'a Program,
    graph: &'a Graph,
    terms: &'a Terms,
    readings: &'a [PointReading],
    statistics: StarStatistics,
}

/// Prints the summaries of a program.
pub(crate) fn summarize(args: &SummarizeArgs, console: Console) -> Result<ExitStatus, Failure> {
    let format = args.format;
    let session = Session::start(args.timeout, Box::new(move |stop| abandon(format, stop)));
    let request = Request::new(&args.file, &args.source, args.property.as_deref(), console)?;
    if let Property::Unsupported { name } = &request.property {
        let advice =
            "summaries describe paths to calls of an error function, to failing assertions and to overflows";
        return Err(Failure::usage(Property::refusal(name), advice));
    }
    let compiled = frontend::compile(&request, &args.source).map_err(Refusal::into_failure)?;
    if !compiled.warnings.is_empty() {
        console.print(&compiled.warnings, &compiled.program.sources);
    }
    let entry = entry(&compiled.program, &request);
    let task = Prepared::of(&compiled.program);
    if let Some(call) = task.kept_call() {
        let budget = session.budget();
        let found = match format {
            SummaryFormat::Human | SummaryFormat::Json => contracts::contracts(&task, &budget),
            SummaryFormat::Dot => Vec::new(),
        };
        if found.is_empty() {
            return Err(unsupported(&task, call));
        }
        session.claim();
        let why = task.describe(call);
        console.warn(format!("there are no summaries of paths: {why}"));
        let text = match format {
            SummaryFormat::Json => json::of_contracts(&found, why, &request, &task.program().sources),
            SummaryFormat::Human | SummaryFormat::Dot => contracts::render(&found, &task),
        };
        Output::new().write(&text)?;
        return Ok(ExitStatus::Success);
    }
    let limits = if args.full || format == SummaryFormat::Json { Limits::FULL } else { Limits::SCREEN };
    let directions = if args.forward { Directions::Both } else { Directions::Backward };
    let question = Question { entry, at: args.at, directions, limits };
    let progress = Progress::start("summarising", std::sync::Arc::default());
    let render = |summarised: &Summarised<'_>| match format {
        SummaryFormat::Human => human::render(summarised),
        SummaryFormat::Json => json::render(summarised),
        SummaryFormat::Dot => dot::render(summarised),
    };
    let result = read(&question, &task, &request, &mut session.budget(), render);
    drop(progress);
    match result {
        Ok(text) => {
            session.claim();
            Output::new().write(&text)?;
            Ok(ExitStatus::Success)
        }
        Err(End::Failure(failure)) => Err(failure),
        Err(End::Stop(stop)) => {
            session.claim();
            abandon(format, stop);
            Ok(ExitStatus::Unknown)
        }
    }
}

/// Why there are no summaries.
enum End {
    Stop(Stop),
    Failure(Failure),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// What is to be summarised.
struct Question {
    /// The entry function. The graph starts before the initialisation of globals, which has no place.
    entry: Region,
    /// Only points of this line.
    at: Option<u32>,
    /// Whether what is known of the states that arrive is read, too.
    directions: Directions,
    limits: Limits,
}

/// Where the entry function is.
fn entry(program: &Program, request: &Request) -> Region {
    let main = program.procs.iter().find(|procedure| *procedure.name == *request.entry);
    main.map_or(Region::NOWHERE, |procedure| procedure.region)
}

/// The summaries of a program for a page: all points but the error, which has nothing to say.
pub(crate) fn summaries(task: &Prepared<'_>, request: &Request, budget: &Budget) -> Summaries {
    let entry = entry(task.given(), request);
    let limit = Instant::now() + MAX_PAGE_TIME;
    let deadline = budget.deadline().map_or(limit, |deadline| deadline.min(limit));
    let mut budget = budget.child(MAX_PAGE_TICKS).with_deadline(Some(deadline));
    let question = Question { entry, at: None, directions: Directions::Backward, limits: Limits::SCREEN };
    let found = if let Some(call) = task.kept_call() {
        Err(task.describe(call))
    } else {
        read(&question, task, request, &mut budget, points).map_err(|end| match end {
            End::Stop(stop) => stop.to_string(),
            End::Failure(_) => "there is no point".to_owned(),
        })
    };
    let (points, missing) = match found {
        Ok(points) => (points, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    Summaries { points, missing }
}

fn points(summarised: &Summarised<'_>) -> Vec<(Region, String)> {
    let readings = summarised.readings.iter().filter(|reading| reading.kind != PointKind::Error);
    readings.map(|reading| (reading.region, human::point(reading))).collect()
}

fn read<T>(
    question: &Question,
    task: &Prepared<'_>,
    request: &Request,
    budget: &mut Budget,
    render: impl FnOnce(&Summarised<'_>) -> T,
) -> Result<T, End> {
    let program = task.program();
    let mut terms = Terms::new();
    let graph = Graph::of(
        program,
        program.entry,
        task.loops(program.entry),
        graph::cut::Target::Error,
        &mut terms,
        budget,
    )?;
    let points = match question.at {
        None => graph.points.ids().collect(),
        Some(line) => points_at(program, &graph, question.entry, line).map_err(End::Failure)?,
    };
    let solvers = Z3::new(Z3Settings::default());
    let mut stars = Stars::new(solvers.clone(), StarOptions::default());
    let summaries = summary::Summaries::new(&graph, &mut terms, &mut stars, budget)?;
    let mut reader = Reader::new(program, &graph, &summaries, &mut terms, &solvers, question.limits);
    let mut readings = reader.read(&points, question.directions, budget)?;
    for reading in readings.iter_mut().filter(|reading| reading.kind == PointKind::Entry) {
        reading.region = question.entry;
    }
    let statistics = stars.statistics();
    Ok(render(&Summarised {
        request,
        program,
        graph: &graph,
        terms: &terms,
        readings: &readings,
        statistics,
    }))
}

/// The points of a line.
fn points_at(program: &Program, graph: &Graph, entry: Region, line: u32) -> Result<Vec<PointId>, Failure> {
    let region = |point: &PointId| match Reader::kind(graph, *point) {
        PointKind::Entry => entry,
        PointKind::Loop | PointKind::Error => Reader::region(program, graph, *point),
    };
    let exact: Vec<PointId> = graph.points.ids().filter(|point| region(point).line == line).collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    let mut lines: Vec<u32> =
        graph.points.ids().map(|point| region(&point).line).filter(|at| *at > 0).collect();
    lines.sort_unstable_by_key(|at| (at.abs_diff(line), *at));
    lines.dedup();
    lines.truncate(MAX_NEAREST);
    let help = if lines.is_empty() {
        "the error cannot be reached, or there is no loop on the way: leave out --at".to_owned()
    } else {
        let names: Vec<String> = lines.iter().map(u32::to_string).collect();
        format!(
            "summaries exist at the entry, at loops and at the error; the nearest lines are: {}",
            names.join(", ")
        )
    };
    Err(Failure::usage(format!("there is no summary at line {line}"), help))
}

fn unsupported(task: &Prepared<'_>, call: &KeptCall) -> Failure {
    let program = task.program();
    let region = program.procs[call.proc].edges()[call.edge].origin.region;
    let message = format!("{}: {}", place(region, &program.sources), task.describe(call));
    let help =
        "summaries are made of programs whose calls can all be inlined; `wayproof check` may still decide it";
    Failure::global(ExitStatus::Unknown, Diagnostic::global(message).with_help(help))
}

/// A place as compilers write it.
fn place(region: Region, sources: &SourceMap) -> String {
    match sources.get(region.file).filter(|_| !region.is_nowhere()) {
        Some(file) => format!("{}:{}:{}", file.name, region.line, region.column),
        None => "the program".to_owned(),
    }
}

/// Where the computation of stars took something weaker than it wanted: what, and how often.
fn fallbacks(statistics: &StarStatistics) -> Vec<(&'static str, u64)> {
    let mut all = vec![
        ("hulls were too costly and became bounds in template directions", statistics.template_hulls),
        ("template directions were given up", statistics.lost_directions),
        ("hulls were given up", statistics.lost_hulls),
        ("solver queries were not answered", statistics.unanswered),
    ];
    all.retain(|(_, count)| *count > 0);
    all
}

/// What people call a point.
fn title(reading: &PointReading) -> String {
    let line = reading.region.line;
    match reading.kind {
        PointKind::Entry if line == 0 => "entry".to_owned(),
        PointKind::Entry => format!("entry at line {line}"),
        PointKind::Loop if line == 0 => "loop".to_owned(),
        PointKind::Loop => format!("loop at line {line}"),
        PointKind::Error if line == 0 => "error".to_owned(),
        PointKind::Error => format!("error at line {line}"),
    }
}

/// The report of a run that does not come back. Nobody is left to hear of a failure to write.
fn abandon(format: SummaryFormat, stop: Stop) {
    let text = match format {
        SummaryFormat::Human => format!("UNKNOWN: {stop}\n"),
        SummaryFormat::Json => json::unfinished(stop),
        SummaryFormat::Dot => format!("digraph summaries {{\n  label=\"unknown: {stop}\";\n}}\n"),
    };
    let _ = Output::new().write(&text);
}
