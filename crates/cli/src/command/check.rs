//! `wayproof check`: from a file to a certified verdict.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use base::{Budget, SourceMap, census, timeline};
use certify::Certified;
use cfa::Program;
use cfront::Parsed;
use engine::{
    ContractStore, Engine, EngineSpec, Env, Part, Recorder, SearchTree, Settings, TreeWanted, Work,
};
use passes::Prepared;
use report::{Basis, Color, Destination, Detail, Extras, Insight, Run, Scope, Selection};
use verdict::{Reason, Verdict};

use super::audit;
use super::solve::{Outcome, keep, solve, statistics, with_invariants};
use crate::args::{CheckArgs, Format, LogicArg, TraceArg, passes_without};
use crate::artifact;
use crate::baseline::Baseline;
use crate::basis;
use crate::bundle::{self, Bundle, Finished};
use crate::cache::{self, Cache, Contracts};
use crate::certificate;
use crate::console::Console;
use crate::events::{Listener, Stream};
use crate::exit::ExitStatus;
use crate::export::{Export, Exported};
use crate::failure::Failure;
use crate::frontend::{self, Compiled, Refusal};
use crate::output::Output;
use crate::profile;
use crate::property::Property;
use crate::recognise::Kind;
use crate::resolve::{self, Defaults, Request};
use crate::session::{Progress, Session};
use crate::stale;

/// Decides the property. Standard output carries a result in the wanted format even if the input cannot be used.
pub(crate) fn check(args: &CheckArgs, console: Console) -> Result<ExitStatus, Failure> {
    bundle::check_free("--bundle", args.files.bundle.as_deref())?;
    bundle::check_free("--certificate", args.files.certificate.as_deref())?;
    let events = Stream::open(args.record.events.as_deref())?;
    // What cannot be used is said on standard error to people.
    let format = if events.takes_output() { Format::Human } else { args.display.format() };
    let (profile, page) = (args.record.profile.clone(), args.files.report.clone());
    let outputs = args.files.outputs.clone();
    let asked: Arc<OnceLock<report::Task>> = Arc::default();
    let (known, told) = (asked.clone(), events.clone());
    let abandon = Arc::new(move |stop| {
        // The report comes first; whatever cannot be written is not worth another exit code.
        let unfinished = |format: Format| report::unfinished(format.into(), stop, known.get());
        told.stopped(stop);
        if !told.takes_output() {
            let _ = Output::new().write(&unfinished(format));
        }
        for (format, path) in &outputs {
            if stale::may_write(Kind::Report(*format), path) {
                let _ = artifact::write(path, &unfinished(*format));
            }
        }
        let free = |path: &Option<PathBuf>, kind| path.clone().filter(|path| stale::may_write(kind, path));
        let _ = free(&profile, Kind::Profile).map(|path| profile::write(&path));
        let _ = free(&page, Kind::Page)
            .map(|path| artifact::write(&path, &report::page_unfinished(stop, &command())));
    });
    if args.record.profile.is_some() || args.files.report.is_some() {
        timeline::start();
    }
    let watchdog = abandon.clone();
    let session = Session::start(args.search.timeout, Box::new(move |stop| watchdog(stop)));
    let result = decide(args, console, (&session, &events), &asked);
    if let Err(Ended::InTheWay(failure)) = result {
        session.claim();
        events.refused(&failure);
        return Err(refuse(format, &[], failure, console));
    }
    let profile = args.record.profile.as_deref().filter(|path| stale::may_write(Kind::Profile, path));
    let profiled = profile.map_or(Ok(()), profile::write);
    match result {
        Ok(status) => profiled.map(|()| status),
        Err(Ended::Failed(failure) | Ended::InTheWay(failure)) => {
            session.claim();
            if let (Err(stop), false) = (session.budget().poll(), matches!(failure, Failure::Output(_))) {
                // A child process that was ended reports an error of its own: the cause is the limit or the interrupt.
                abandon(stop);
                return Ok(ExitStatus::Unknown);
            }
            events.refused(&failure);
            Err(refuse(format, &args.files.outputs, failure, console))
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
    let text =
        |format: Format, destination| report::refused(format.into(), diagnostics, sources, destination);
    for (format, path) in outputs {
        if !stale::may_write(Kind::Report(*format), path) {
            console.warn(kept(path));
        } else if let Err(Failure::Output(error)) = artifact::write(path, &text(*format, Destination::File)) {
            console.warn(format!("cannot write the result: {error}"));
        }
    }
    Output::new().write(&text(format, Destination::Console)).err().unwrap_or(failure)
}

fn decide(
    args: &CheckArgs,
    console: Console,
    (session, events): (&Session, &Stream),
    asked: &OnceLock<report::Task>,
) -> Result<ExitStatus, Ended> {
    let engine = create_engine(args)?;
    args.search.cache.as_deref().map_or(Ok(()), cache::check_folder)?;
    let baseline = Baseline::read(args.files.baseline.as_deref())?;
    if let Some(folder) = &args.record.log_queries {
        super::queries::log_to(folder)?;
    }
    let request =
        Request::with_files(&args.paths, &args.source, args.property.as_deref(), Defaults::Checks, console)?;
    audit::refuse_several(args, &request)?;
    let task = request.task(args.search.engine(), String::new());
    events.start(&task.files, &task.engine);
    let mut query = Query { args, request: &request, task, baseline, console, session, events };
    if let Property::Unsupported { name } = &request.property {
        let feature = Property::refusal(name);
        let reason = Reason::Unsupported { feature, region: base::Region::NOWHERE };
        return Ok(query.conclude(Answer::without_program(reason, Arc::default(), session))?);
    }
    let start = Instant::now();
    let stage = timeline::stage("front end");
    let Compiled { program, warnings, parsed } = match frontend::compile(&request, &args.source) {
        Ok(compiled) => compiled,
        Err(Refusal::Failure(failure)) => return Err(failure.into()),
        Err(Refusal::Unsupported { message, region, diagnostics, sources }) => {
            console.print(&diagnostics, &sources);
            let reason = Reason::Unsupported { feature: message, region };
            return Ok(query.conclude(Answer::without_program(reason, sources, session))?);
        }
    };
    if tells(args, |format| format == Format::Json) {
        query.task.key = cache::task_key(args, &request, &program);
        let _ = asked.set(query.task.clone());
    }
    if !args.display.quiet && !warnings.is_empty() {
        console.print(&warnings, &program.sources);
    }
    drop(stage);
    events.program(&program);
    query.decide(engine, &program, parsed, start.elapsed())
}

/// What is reported beyond the evidence. The compiled program was asked about violations of single checks while the search went on.
fn exported(
    audited: Option<&mut audit::Audited>,
    certified: Certified,
    export: &Export<'_>,
    task: &Prepared<'_>,
    budget: &mut Budget,
) -> (Certified, Exported) {
    match audited.and_then(audit::Audited::first) {
        Some(first) => (certified, first),
        None => export.export(task, certified, budget),
    }
}

/// What an engine works with, and what earlier runs have found out about procedures.
fn environment<'a>(
    session: &Session,
    listener: &'a Listener<'_>,
    contracts: Option<&'a Contracts>,
) -> Env<'a> {
    let mut env = Env::new(session.budget(), listener);
    env.contracts = contracts.map(|contracts| contracts as &dyn ContractStore);
    env
}

/// One query, and where its answer goes.
struct Query<'a> {
    args: &'a CheckArgs,
    request: &'a Request,
    /// What was asked, for reports.
    task: report::Task,
    /// What is known already.
    baseline: Option<Baseline>,
    console: Console,
    session: &'a Session,
    /// Who is told what happens.
    events: &'a Stream,
}

impl Query<'_> {
    /// Decides the query for a program, and reports the answer.
    fn decide(
        &self,
        engine: Box<dyn Engine>,
        program: &Program,
        parsed: Parsed,
        front_end: Duration,
    ) -> Result<ExitStatus, Ended> {
        let Self { args, request, console, session, .. } = *self;
        let compiled_at = Instant::now();
        let recorder = Arc::new(Recorder::new(self.tree_wanted()));
        let (cache, contracts) = (Cache::new(args, program, console), Contracts::new(args, request, console));
        let listener = Listener::new(&recorder, self.events, &program.sources);
        let mut env = environment(session, &listener, contracts.as_ref());
        let progress = (!args.display.quiet).then(|| Progress::start("searching", recorder.clone()));
        let task = Prepared::with(program, passes_without(&args.search.without_pass));
        let is_audited = audit::is_audited(request);
        let known =
            cache.as_ref().filter(|_| !is_audited).and_then(|cache| self.cached(cache, &task, &mut env));
        let is_cached = known.is_some();
        if !is_cached && args.list.known_key.as_ref().is_some_and(|key| *key == self.task.key) {
            return self.leave_to_earlier();
        }
        self.settle(&task, &mut env)?;
        let bundle = self.bundle(program, &parsed);
        let mut export = Export::new(args, request, parsed);
        let (outcome, mut audited) = match known {
            Some(certified) => (Outcome::cached(certified, compiled_at), None),
            None if is_audited => self.audit(&task, cache.as_ref(), &mut export, &mut env)?,
            None => (with_invariants(args, solve(args, engine, &task, &mut env), &task, &mut env)?, None),
        };
        drop(progress);
        let statistics = statistics(front_end, compiled_at, &outcome, &env.logic.budget, &recorder);
        let drawn = self.draw_tree(recorder.search_tree().as_ref());
        // The verdict stands unless the compiled program contradicts it: what follows must not lose it, and ends with the time.
        session.claim();
        let _stage = timeline::stage("report");
        let (certified, mut exported) =
            exported(audited.as_mut(), outcome.certified, &export, &task, &mut env.logic.budget);
        let mut failures = self.write(&task, &certified, &exported, &mut env.logic.budget);
        keep((cache.filter(|_| !is_cached), contracts.as_ref()), audited.as_ref(), &certified, outcome.ticks);
        exported.extras.is_cached = is_cached || audited.as_ref().is_some_and(|found| found.audit.is_earlier);
        let extras = self.with_steps(exported.extras, program, &certified, &env.logic.budget);
        let audited = audited.map(|audited| audited.finish(program, &extras, scope(args), &env.logic.budget));
        failures.extend(drawn.err().into_iter().chain(super::queries::log_failure()));
        let answer = Answer {
            basis: self.basis(program, audited.as_ref()),
            audited: audited.filter(|_| request.answer != resolve::Answer::Property),
            task: Some(&task),
            sources: program.sources.clone(),
            certified,
            extras,
            failures,
            statistics,
            budget: env.logic.budget,
            tree: recorder.search_tree(),
            work: recorder.work(),
            bundle: bundle.map(|bundle| bundle.with(exported.copies)),
        };
        Ok(self.conclude(answer)?)
    }

    /// The texts of the program, if a bundle is wanted.
    fn bundle(&self, program: &Program, parsed: &Parsed) -> Option<Bundle> {
        self.args.files.bundle.as_ref()?;
        if let Some(lacking) = Bundle::lacks(parsed, &program.sources, &self.request.entry) {
            self.console.warn(lacking);
        }
        Some(Bundle::new(parsed, &program.sources))
    }

    /// Writes a bundle about a run.
    fn write_bundle(
        &self,
        bundle: Option<&Bundle>,
        run: &Run<'_>,
        status: ExitStatus,
    ) -> Result<(), Failure> {
        let Some(path) = &self.args.files.bundle else { return Ok(()) };
        let Some(bundle) = bundle else {
            self.console.warn(format!("{} is not written: there is no program", path.display()));
            return Ok(());
        };
        let render = |format| report::render(run, format, Detail::Full, Color::Plain);
        let (human, json) = (render(report::Format::Human), render(report::Format::Json));
        let (args, request) = (self.args, self.request);
        let property = bundle::property(args, request);
        bundle.write(path, &Finished { args, request, property, command: command(), human, json, status })
    }

    /// Writes the files that were made for a verdict.
    fn write(
        &self,
        task: &Prepared<'_>,
        certified: &Certified,
        exported: &Exported,
        budget: &mut Budget,
    ) -> Vec<Failure> {
        let mut failures = exported.write(self.console);
        let evidence = (task, certified, exported.copies.as_slice());
        failures.extend(certificate::export(self.args, evidence, budget, self.console).err());
        failures
    }

    /// Makes place for the files that are wanted, and writes those that need no verdict.
    fn settle(&self, task: &Prepared<'_>, env: &mut Env<'_>) -> Result<(), Ended> {
        let sources = &task.given().sources;
        stale::settle(self.args, &self.request.files, sources).map_err(Ended::InTheWay)?;
        Ok(self.emit_clauses(task, env)?)
    }

    /// Writes the program as Horn clauses, if they are wanted.
    fn emit_clauses(&self, task: &Prepared<'_>, env: &mut Env<'_>) -> Result<(), Failure> {
        let Some(path) = &self.args.record.emit_chc else { return Ok(()) };
        match engines::clauses_text(task, &mut env.logic) {
            Ok(text) => artifact::write(path, &text),
            Err(reason) => {
                self.console.warn(format!("{} is not written: {reason}", path.display()));
                Ok(())
            }
        }
    }

    /// An earlier run of the list has the verdict.
    fn leave_to_earlier(&self) -> Result<ExitStatus, Ended> {
        self.session.claim();
        Output::new().write(&report::json_known(&self.task))?;
        Ok(ExitStatus::Unknown)
    }

    /// Tells the steps of a violation, if they are wanted.
    fn with_steps(
        &self,
        mut extras: Extras,
        program: &Program,
        certified: &Certified,
        budget: &Budget,
    ) -> Extras {
        if let (Verdict::Unsafe(trace), Some(scope)) = (certified.verdict(), scope(self.args)) {
            extras.steps = report::steps(program, trace, scope, budget);
        }
        extras
    }

    /// What the verdict rests on besides the program.
    fn basis(&self, program: &Program, audited: Option<&audit::Finished>) -> Basis {
        let mut basis = basis::basis(self.request, &self.args.source);
        let is_idle = |audited: &audit::Finished| audited.audit.checks.is_empty();
        basis.is_idle = audited.map_or_else(|| !cfa::hazard::hazards(program).can_fail, is_idle);
        basis
    }

    /// Decides each check.
    fn audit(
        &self,
        task: &Prepared<'_>,
        cache: Option<&Cache>,
        export: &mut Export<'_>,
        env: &mut Env<'_>,
    ) -> Result<(Outcome, Option<audit::Audited>), Ended> {
        let parts = cache.filter(|_| !self.needs_search()).map(Cache::parts);
        let work = audit::Work { args: self.args, request: self.request, task };
        let (outcome, found) = work.audit(parts.unwrap_or_default(), export, env)?;
        Ok((outcome, Some(found)))
    }

    /// A verdict of an earlier run, checked again. `--tree`, `--report`, `--log-queries` and `--certificate` need a search, so they bypass the cache.
    fn cached(&self, cache: &Cache, task: &Prepared<'_>, env: &mut Env<'_>) -> Option<Certified> {
        if self.needs_search() { None } else { cache.find(task, &mut env.logic.budget) }
    }

    fn needs_search(&self) -> bool {
        let is_written = self.args.record.log_queries.is_some() || self.args.files.certificate.is_some();
        self.tree_wanted() == TreeWanted::Yes || is_written
    }

    fn tree_wanted(&self) -> TreeWanted {
        let is_wanted = self.args.record.tree.is_some() || self.args.files.report.is_some();
        if is_wanted { TreeWanted::Yes } else { TreeWanted::No }
    }

    fn draw_tree(&self, tree: Option<&SearchTree>) -> Result<(), Failure> {
        match (&self.args.record.tree, tree) {
            (Some(path), Some(tree)) => artifact::write(path, &tree.dot()),
            (Some(path), None) => {
                let path = path.display();
                self.console.warn(format!("{path} is not written: there was no search, so there is no tree"));
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }
}

/// Why a file is not written.
fn kept(path: &Path) -> String {
    format!("`{}` is left as it is: it is not known whether the program includes it", path.display())
}

/// What there is to report.
struct Answer<'a> {
    task: Option<&'a Prepared<'a>>,
    /// What is known about each check, if that was asked.
    audited: Option<audit::Finished>,
    /// The texts that it is about.
    sources: Arc<SourceMap>,
    certified: Certified,
    extras: Extras,
    /// Files that could not be written. The verdict is reported first.
    failures: Vec<Failure>,
    basis: Basis,
    statistics: Vec<(&'static str, f64)>,
    /// What is left of the time.
    budget: Budget,
    tree: Option<SearchTree>,
    /// What each of several engines has done.
    work: Work,
    /// What a bundle is made of, if one is wanted.
    bundle: Option<Bundle>,
}

impl Answer<'_> {
    fn without_program(reason: Reason, sources: Arc<SourceMap>, session: &Session) -> Self {
        let certified = Certified::unknown(reason);
        Self {
            task: None,
            audited: None,
            sources,
            certified,
            extras: Extras::default(),
            failures: Vec::new(),
            basis: Basis::default(),
            statistics: Vec::new(),
            budget: session.budget(),
            tree: None,
            work: Work::default(),
            bundle: None,
        }
    }
}

impl Query<'_> {
    /// Reports an answer, on standard output and in files.
    fn conclude(&self, mut answer: Answer<'_>) -> Result<ExitStatus, Failure> {
        let Self { args, console, session, .. } = *self;
        let mut failures = std::mem::take(&mut answer.failures);
        answer.statistics.extend(census::Step::ALL.map(|step| (step.name(), step.count() as f64)));
        let run = Run {
            task: &self.task,
            program: answer.task.map(Prepared::given),
            sources: &answer.sources,
            certified: &answer.certified,
            extras: &answer.extras,
            basis: &answer.basis,
            table: answer.audited.as_ref().map(audit::Finished::table),
            told: args.display.trace.map(selection),
            statistics: args.record.stats.then_some(answer.statistics.as_slice()),
            work: &answer.work,
        };
        let detail = if args.display.quiet { Detail::Verdict } else { Detail::Full };
        let text = report::render(&run, args.display.format().into(), detail, console.color_stdout);
        session.claim();
        // The verdict first; what cannot be written keeps nothing else from being written.
        if !self.events.takes_output() {
            failures.extend(Output::new().write(&text).err());
        }
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
                let text = report::render(&run, (*format).into(), Detail::Full, Color::Plain);
                failures.extend(artifact::write(path, &text).err());
            }
        }
        if let Some(path) = args.files.report.as_ref().filter(|path| is_free(Kind::Page, path)) {
            let whole = Run { statistics: Some(&answer.statistics), ..run };
            let page = report::page(&whole, &insight(&answer, self.request));
            failures.extend(artifact::write(path, &page).err());
        }
        let verdict = answer.certified.verdict();
        match (self.task.expected, verdict) {
            (Some(false), Verdict::Safe(_)) | (Some(true), Verdict::Unsafe(_)) => {
                console.warn("the task definition expects the opposite verdict");
            }
            _ => {}
        }
        let status = self.baseline.as_ref().map_or(verdict.into(), |known| known.status(&run));
        failures.extend(self.write_bundle(answer.bundle.as_ref(), &run, status).err());
        self.events.verdict(&run, status);
        failures.extend(self.events.failure());
        Failure::of_all(failures).map_or(Ok(status), Err)
    }
}

/// What a page shows beyond the report. Summaries are computed once more: the engine does not keep what people read.
fn insight<'a>(answer: &'a Answer<'_>, request: &Request) -> Insight<'a> {
    // What the page itself takes is no part of the figures.
    let (timeline, _) = timeline::entries();
    let (budget, tree) = (&answer.budget, answer.tree.as_ref());
    let Some(task) = answer.task else {
        return Insight { timeline, command: command(), ..Insight::default() };
    };
    let steps = match answer.certified.verdict() {
        Verdict::Unsafe(trace) => {
            let scope = Scope { selection: Selection::All, most: 2_000, ticks: 200_000_000 };
            report::steps(task.given(), trace, scope, budget)
        }
        Verdict::Safe(_) | Verdict::Unknown(_) => Vec::new(),
    };
    let summaries = super::summarize::summaries(task, request, budget);
    Insight { tree, prepared: Some(task.program()), summaries, steps, timeline, command: command() }
}

/// The command line after the name of the program.
fn command() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// How much of the path to a violation the reports show; nothing if none of them shows it.
fn scope(args: &CheckArgs) -> Option<Scope> {
    let is_told = tells(args, |format| matches!(format, Format::Json | Format::Sarif));
    match args.display.trace {
        Some(trace) => Some(Scope { selection: selection(trace), most: 400, ticks: 200_000_000 }),
        // Nobody asked for it by name: a long execution is not worth the time.
        None => is_told.then_some(Scope { selection: Selection::Relevant, most: 400, ticks: 2_000_000 }),
    }
}

/// Whether a report is wanted in one of certain formats.
fn tells(args: &CheckArgs, is_wanted: impl Fn(Format) -> bool) -> bool {
    is_wanted(args.display.format()) || args.files.outputs.iter().any(|(format, _)| is_wanted(*format))
}

fn selection(trace: TraceArg) -> Selection {
    match trace {
        TraceArg::Relevant => Selection::Relevant,
        TraceArg::All => Selection::All,
    }
}

/// The engine that the user wants, without what the user has switched off.
fn create_engine(args: &CheckArgs) -> Result<Box<dyn Engine>, Failure> {
    let created = find_engine(args.search.engine())?.create(&settings(args));
    created.map_err(|error| Failure::usage(error.to_string(), error.help()))
}

/// What the user has switched off.
pub(super) fn settings(args: &CheckArgs) -> Settings {
    let search = &args.search;
    let off = [
        (search.no_gas, Part::Gas),
        (search.no_summaries, Part::Summaries),
        (search.no_congruences, Part::Congruences),
        (search.no_exchange, Part::Exchange),
    ];
    // Every engine but those that know bits reasons in integers alone.
    let has_bits = engines::find(search.engine()).is_some_and(|spec| spec.parts.contains(&Part::Bits));
    let logic = match search.logic {
        LogicArg::Auto => None,
        LogicArg::Integers => has_bits.then_some(Part::Bits),
        LogicArg::Bits => Some(Part::Integers),
    };
    let off = off.into_iter().filter(|(is_off, _)| *is_off).map(|(_, part)| part);
    let settings = Settings::leaving_out(off.chain(logic));
    settings.with_threads(args.list.jobs.unwrap_or(NonZero::<usize>::MIN))
}

pub(super) fn find_engine(name: &str) -> Result<&'static EngineSpec, Failure> {
    engines::find(name).ok_or_else(|| {
        let names: Vec<&str> = engines::ENGINES.iter().map(|spec| spec.name).collect();
        Failure::usage(
            format!("there is no engine `{name}`"),
            format!("the engines are: {}", names.join(", ")),
        )
    })
}
