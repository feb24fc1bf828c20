//! `wayproof check`: from a file to a certified verdict.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use base::{Budget, SourceMap, Stop, timeline};
use certify::Certified;
use engine::{Engine, EngineSpec, Env, Part, Recorder, SearchTree, Settings, TreeWanted, solve_contained};
use explain::Shrinking;
use passes::Prepared;
use verdict::{Reason, Verdict};

use crate::args::{CheckArgs, Format, TraceArg};
use crate::artifact;
use crate::basis::Basis;
use crate::cache::{self, Cache};
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::export::{self, Extras};
use crate::failure::Failure;
use crate::frontend::{self, Refusal};
use crate::output::Output;
use crate::profile;
use crate::property::Property;
use crate::recognise::Kind;
use crate::report::{self, Detail, Insight, Report, Scope, Selection};
use crate::resolve::Request;
use crate::session::{Progress, Session};
use crate::stale;

/// Decides the property. Standard output carries a result in the wanted format even if the input cannot be used.
pub(crate) fn check(args: &CheckArgs, console: Console) -> Result<ExitStatus, Failure> {
    let format = args.format;
    let (profile, page) = (args.profile.clone(), args.files.report.clone());
    let outputs = args.files.outputs.clone();
    let asked: Arc<OnceLock<Asked>> = Arc::default();
    let known = asked.clone();
    let abandon = Arc::new(move |stop| {
        // The report comes first; whatever cannot be written is not worth another exit code.
        let unfinished = |format| unfinished(format, stop, known.get());
        let _ = Output::new().write(&unfinished(format));
        for (format, path) in &outputs {
            if stale::may_write(Kind::Report(*format), path) {
                let _ = artifact::write(path, &unfinished(*format));
            }
        }
        let free = |path: &Option<PathBuf>, kind| path.clone().filter(|path| stale::may_write(kind, path));
        let _ = free(&profile, Kind::Profile).map(|path| profile::write(&path));
        let _ = free(&page, Kind::Page).map(|path| artifact::write(&path, &report::page_unfinished(stop)));
    });
    if args.profile.is_some() || args.files.report.is_some() {
        timeline::start();
    }
    let watchdog = abandon.clone();
    let session = Session::start(args.timeout, Box::new(move |stop| watchdog(stop)));
    let result = decide(args, console, &session, &asked);
    if let Err(Ended::InTheWay(failure)) = result {
        session.claim();
        return Err(refuse(args.format, &[], failure, console));
    }
    let profile = args.profile.as_deref().filter(|path| stale::may_write(Kind::Profile, path));
    let profiled = profile.map_or(Ok(()), profile::write);
    match result {
        Ok(status) => profiled.map(|()| status),
        Err(Ended::Failed(failure) | Ended::InTheWay(failure)) => {
            session.claim();
            if let (Err(stop), false) = (session.budget().poll(), matches!(failure, Failure::Output(_))) {
                // Whoever works for us was ended and complains: the cause is the end.
                abandon(stop);
                return Ok(ExitStatus::Unknown);
            }
            Err(refuse(args.format, &args.files.outputs, failure, console))
        }
    }
}

/// Why there is no verdict.
enum Ended {
    /// Something is wrong, and the files that the user asked for say so.
    Failed(Failure),
    /// One of these files is a part of the program: none is written.
    InTheWay(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Reports that the input, or what says how to treat it, cannot be used: on standard output and in files. Returns why the command fails.
pub(super) fn refuse(
    format: Format,
    outputs: &[(Format, PathBuf)],
    failure: Failure,
    console: Console,
) -> Failure {
    let Failure::Input { diagnostics, sources, .. } = &failure else { return failure };
    let text = |format: Format, about: &str| match format {
        Format::Human => about.to_owned(),
        Format::Annotate if about.is_empty() => String::new(),
        Format::Annotate => format!("// wayproof: {about}"),
        Format::Svcomp => format!("{about}RESULT: unknown\n"),
        Format::Json => report::json_error(diagnostics, sources),
        Format::Sarif => report::sarif_error(diagnostics, sources),
        Format::Github => report::github_error(diagnostics, sources),
    };
    // People find the messages on standard error; a file has to say by itself that there is no verdict.
    let first = diagnostics.first().map_or("", |diagnostic| &diagnostic.message);
    let about = format!("UNKNOWN: the input cannot be used: {}\n", first.replace('\n', " "));
    for (format, path) in outputs {
        if !stale::may_write(Kind::Report(*format), path) {
            console.warn(kept(path));
        } else if let Err(Failure::Output(error)) = artifact::write(path, &text(*format, &about)) {
            console.warn(format!("cannot write the result: {error}"));
        }
    }
    Output::new().write(&text(format, "")).err().unwrap_or(failure)
}

/// What was asked, once that is known: the report of a run that is cut short has it, too.
struct Asked {
    request: Request,
    engine: String,
    key: String,
}

fn decide(
    args: &CheckArgs,
    console: Console,
    session: &Session,
    asked: &OnceLock<Asked>,
) -> Result<ExitStatus, Ended> {
    let engine = create_engine(args)?;
    args.cache.as_deref().map_or(Ok(()), cache::check_folder)?;
    if let Some(folder) = &args.log_queries {
        super::queries::log_to(folder)?;
    }
    let request = Request::with_files(&args.paths, &args.source, args.property.as_deref(), console)?;
    if let Property::Unsupported { name } = &request.property {
        let feature = format!("the property {name} is not supported yet");
        let reason = Reason::Unsupported { feature, region: base::Region::NOWHERE };
        let answer = Answer::without_program(reason, Arc::default(), session);
        return Ok(conclude(args, &request, answer, console, session)?);
    }
    let start = Instant::now();
    let stage = timeline::stage("front end");
    let compiled = match frontend::compile(&request, &args.source) {
        Ok(compiled) => compiled,
        Err(Refusal::Failure(failure)) => return Err(failure.into()),
        Err(Refusal::Unsupported { message, region, diagnostics, sources }) => {
            console.print(&diagnostics, &sources);
            let reason = Reason::Unsupported { feature: message, region };
            let answer = Answer::without_program(reason, sources, session);
            return Ok(conclude(args, &request, answer, console, session)?);
        }
    };
    let mut basis = Basis::new(&request, &args.source);
    basis.is_idle = !cfa::hazard::hazards(&compiled.program).can_fail;
    if tells(args, |format| format == Format::Json) {
        basis.key = cache::task_key(args, &request, &compiled.program);
        let (engine, key) = (args.engine.clone(), basis.key.clone());
        let _ = asked.set(Asked { request: request.clone(), engine, key });
    }
    if !args.quiet && !compiled.warnings.is_empty() {
        console.print(&compiled.warnings, &compiled.program.sources);
    }
    drop(stage);
    let compiled_at = Instant::now();
    let is_drawn = args.tree.is_some() || args.files.report.is_some();
    let recorder = Arc::new(Recorder::new(if is_drawn { TreeWanted::Yes } else { TreeWanted::No }));
    let mut env = Env::new(session.budget(), &*recorder);
    let progress = if args.quiet { None } else { Some(Progress::start("searching", recorder.clone())) };
    let task = Prepared::of(&compiled.program);
    let cache = Cache::new(args, &compiled.program, console);
    // `--tree`, `--report` and `--log-queries` show a search, so there has to be one.
    let is_watched = is_drawn || args.log_queries.is_some();
    let known = cache.as_ref().filter(|_| !is_watched);
    let known = known.and_then(|cache| cache.find(&task, &mut env.logic.budget));
    let is_cached = known.is_some();
    if !is_cached && args.list.known_key.as_ref().is_some_and(|key| *key == basis.key) {
        session.claim();
        Output::new().write(&report::json_known(&request, &args.engine, &basis.key))?;
        return Ok(ExitStatus::Unknown);
    }
    stale::settle(args, &request.files, &compiled.program.sources).map_err(Ended::InTheWay)?;
    let Outcome { certified, solved_at, shrinking } = match known {
        Some(certified) => Outcome { certified, solved_at: compiled_at, shrinking: Shrinking::default() },
        None => solve(args, engine, &task, &mut env),
    };
    drop(progress);
    let mut statistics = vec![
        ("front end seconds", (compiled_at - start).as_secs_f64()),
        ("search seconds", (solved_at - compiled_at).as_secs_f64()),
        ("certification seconds", solved_at.elapsed().as_secs_f64()),
        ("shrinking runs", f64::from(shrinking.runs)),
        ("shrinking queries", f64::from(shrinking.queries)),
        ("ticks", env.logic.budget.spent() as f64),
    ];
    statistics.extend(recorder.statistics().iter().map(|(name, value)| (*name, *value as f64)));
    let tree = recorder.search_tree();
    let drawn = match (&args.tree, &tree) {
        (Some(path), Some(tree)) => artifact::write(path, &tree.dot()),
        (Some(path), None) => {
            console
                .warn(format!("{} is not written: there was no search, so there is no tree", path.display()));
            Ok(())
        }
        (None, _) => Ok(()),
    };
    // The verdict stands unless the compiled program contradicts it: what follows must not lose it, and ends with the time.
    session.claim();
    let _stage = timeline::stage("report");
    let (certified, mut extras) =
        export::export(args, &request, &task, certified, &mut env.logic.budget, console)?;
    extras.is_cached = is_cached;
    if let Some(cache) = cache.filter(|_| !is_cached) {
        cache.keep(&certified);
    }
    if let Verdict::Unsafe(trace) = certified.verdict()
        && let Some(scope) = scope(args)
    {
        extras.steps = report::steps(&compiled.program, trace, scope, &env.logic.budget);
    }
    extras.failures.extend(drawn.err());
    extras.failures.extend(super::queries::log_failure());
    let sources = compiled.program.sources.clone();
    let answer = Answer {
        task: Some(&task),
        sources,
        certified,
        extras,
        basis,
        statistics,
        budget: env.logic.budget,
        tree,
    };
    Ok(conclude(args, &request, answer, console, session)?)
}

/// What an engine said.
struct Outcome {
    certified: Certified,
    solved_at: Instant,
    shrinking: Shrinking,
}

/// Lets the engine work, and checks what it says.
fn solve(args: &CheckArgs, engine: Box<dyn Engine>, task: &Prepared<'_>, env: &mut Env<'_>) -> Outcome {
    let stage = timeline::stage("engine");
    let verdict = match env.logic.budget.poll() {
        Ok(()) => solve_contained(engine, task, env),
        Err(stop) => Verdict::Unknown(Reason::Stopped(stop)),
    };
    drop(stage);
    let solved_at = Instant::now();
    let _stage = timeline::stage("certification");
    let (certified, shrinking) = if args.no_shrink {
        (certify::certify(task, verdict, &mut env.logic.budget), Shrinking::default())
    } else {
        explain::certify_smallest(task, verdict, &mut env.logic.budget)
    };
    Outcome { certified, solved_at, shrinking }
}

/// Why a file is not written.
fn kept(path: &Path) -> String {
    format!("`{}` is left as it is: it is not known whether the program includes it", path.display())
}

/// What there is to report.
struct Answer<'a> {
    task: Option<&'a Prepared<'a>>,
    /// The texts that it is about.
    sources: Arc<SourceMap>,
    certified: Certified,
    extras: Extras,
    basis: Basis,
    statistics: Vec<(&'static str, f64)>,
    /// What is left of the time.
    budget: Budget,
    tree: Option<SearchTree>,
}

impl Answer<'_> {
    fn without_program(reason: Reason, sources: Arc<SourceMap>, session: &Session) -> Self {
        let certified = Certified::unknown(reason);
        Self {
            task: None,
            sources,
            certified,
            extras: Extras::default(),
            basis: Basis::default(),
            statistics: Vec::new(),
            budget: session.budget(),
            tree: None,
        }
    }
}

fn conclude(
    args: &CheckArgs,
    request: &Request,
    mut answer: Answer<'_>,
    console: Console,
    session: &Session,
) -> Result<ExitStatus, Failure> {
    let mut failures = std::mem::take(&mut answer.extras.failures);
    let report = Report {
        request,
        program: answer.task.map(Prepared::given),
        sources: &answer.sources,
        certified: &answer.certified,
        extras: &answer.extras,
        basis: &answer.basis,
        told: args.trace.map(selection),
        engine: &args.engine,
        statistics: args.stats.then_some(answer.statistics.as_slice()),
    };
    let detail = if args.quiet { Detail::Verdict } else { Detail::Full };
    let text = report::render(&report, args.format, detail, console.color_stdout);
    session.claim();
    // The verdict first; what cannot be written keeps nothing else from being written.
    failures.extend(Output::new().write(&text).err());
    // Without a program it is not known what it consists of, and what is still there may be part of it.
    let is_free = |kind, path: &Path| {
        let is_free = answer.task.is_some() || stale::may_write(kind, path);
        if !is_free {
            console.warn(kept(path));
        }
        is_free
    };
    for (format, path) in &args.files.outputs {
        if is_free(Kind::Report(*format), path) {
            let written = artifact::write(path, &report::render(&report, *format, Detail::Full, false));
            failures.extend(written.err());
        }
    }
    if let Some(path) = args.files.report.as_ref().filter(|path| is_free(Kind::Page, path)) {
        let whole = Report { statistics: Some(&answer.statistics), ..report };
        failures.extend(artifact::write(path, &report::page(&whole, &insight(&answer, request))).err());
    }
    let verdict = answer.certified.verdict();
    match (request.expected, verdict) {
        (Some(false), Verdict::Safe(_)) | (Some(true), Verdict::Unsafe(_)) => {
            console.warn("the task definition expects the opposite verdict");
        }
        _ => {}
    }
    Failure::of_all(failures).map_or(Ok(report::status(verdict)), Err)
}

/// What a page shows beyond the report. Summaries are computed once more: the engine does not keep what people read.
fn insight<'a>(answer: &'a Answer<'_>, request: &Request) -> Insight<'a> {
    // What the page itself takes is no part of the figures.
    let (timeline, _) = timeline::entries();
    let (budget, tree) = (&answer.budget, answer.tree.as_ref());
    let Some(task) = answer.task else {
        return Insight { timeline, ..Insight::default() };
    };
    let steps = match answer.certified.verdict() {
        Verdict::Unsafe(trace) => {
            let scope = Scope { selection: Selection::All, most: 2_000, ticks: 200_000_000 };
            report::steps(task.given(), trace, scope, budget)
        }
        Verdict::Safe(_) | Verdict::Unknown(_) => Vec::new(),
    };
    let summaries = super::summarize::summaries(task, request, budget);
    Insight { tree, summaries, steps, timeline }
}

/// How much of the path to a violation the reports tell; nothing if none of them tells it.
fn scope(args: &CheckArgs) -> Option<Scope> {
    let is_told = tells(args, |format| matches!(format, Format::Json | Format::Sarif));
    match args.trace {
        Some(trace) => Some(Scope { selection: selection(trace), most: 400, ticks: 200_000_000 }),
        // Nobody asked for it by name: a long execution is not worth the time.
        None => is_told.then_some(Scope { selection: Selection::Relevant, most: 400, ticks: 2_000_000 }),
    }
}

/// Whether a report is wanted in one of certain formats.
fn tells(args: &CheckArgs, is_wanted: impl Fn(Format) -> bool) -> bool {
    is_wanted(args.format) || args.files.outputs.iter().any(|(format, _)| is_wanted(*format))
}

fn selection(trace: TraceArg) -> Selection {
    match trace {
        TraceArg::Relevant => Selection::Relevant,
        TraceArg::All => Selection::All,
    }
}

/// The engine that the user wants, without what the user has switched off.
fn create_engine(args: &CheckArgs) -> Result<Box<dyn Engine>, Failure> {
    let off = [
        (args.no_gas, Part::Gas),
        (args.no_summaries, Part::Summaries),
        (args.no_congruences, Part::Congruences),
    ];
    let settings = Settings::leaving_out(off.into_iter().filter(|(is_off, _)| *is_off).map(|(_, part)| part));
    let created = find_engine(&args.engine)?.create(&settings);
    created.map_err(|error| Failure::usage(error.to_string(), error.help()))
}

fn find_engine(name: &str) -> Result<&'static EngineSpec, Failure> {
    engines::find(name).ok_or_else(|| {
        let names: Vec<&str> = engines::ENGINES.iter().map(|spec| spec.name).collect();
        Failure::usage(
            format!("there is no engine `{name}`"),
            format!("the engines are: {}", names.join(", ")),
        )
    })
}

/// The report of a run that does not come back.
fn unfinished(format: Format, stop: Stop, asked: Option<&Asked>) -> String {
    match format {
        Format::Human => format!("UNKNOWN: {stop}\n"),
        Format::Annotate => format!("// wayproof: UNKNOWN: {stop}\n"),
        Format::Svcomp => format!("UNKNOWN: {stop}\nRESULT: unknown\n"),
        Format::Json => {
            let asked = asked.map(|asked| (&asked.request, asked.engine.as_str(), asked.key.as_str()));
            report::json_unfinished(stop, asked)
        }
        Format::Sarif => report::sarif_unfinished(stop),
        Format::Github => report::github_unfinished(stop),
    }
}
