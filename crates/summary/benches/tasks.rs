//! How long the summaries of whole tasks take: `cargo bench -p summary --bench tasks -- [--show] [--steps] TASK.yml|FOLDER...`.
//!
//! For each task: CPU time of the graph and of the summaries, the number of loops, what stars needed, and whether the summary of the entry has
//! a model. `--show` prints the stars; `--steps` checks that the complements of the summaries are inductive (T2 of `summary::single_target`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::Budget;
use cfa::DataModel;
use cfront::{Input, Options, compile};
use graph::Graph;
use smt::{Answer, Z3, Z3Settings, check_formula};
use summary::{Star, StarOptions, Stars, Summaries};
use term::{Substitution, Terms};

/// CPU time of this thread where the system tells, else the clock.
fn now() -> Duration {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedule.as_deref().and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(
        || {
            static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
            START.get_or_init(Instant::now).elapsed()
        },
        Duration::from_nanos,
    )
}

fn seconds(from: Duration, to: Duration) -> f64 {
    to.saturating_sub(from).as_secs_f64()
}

fn definitions(argument: &Path) -> Vec<PathBuf> {
    if !argument.is_dir() {
        return vec![argument.to_owned()];
    }
    let entries = std::fs::read_dir(argument).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "yml"));
    found.sort();
    found
}

fn program(definition: &Path) -> Result<cfa::Program, String> {
    let text = std::fs::read_to_string(definition).map_err(|error| error.to_string())?;
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(key))?;
        Some(line.trim_start_matches(':').trim().trim_matches(['\'', '"']).to_owned())
    };
    let model =
        if value("data_model").as_deref() == Some("LP64") { DataModel::Lp64 } else { DataModel::Ilp32 };
    let mut options = Options::new(model);
    options.lower.assert_is_error = false;
    options.lower.error_functions = vec!["reach_error".to_owned(), "__VERIFIER_error".to_owned()];
    let file =
        value("input_files").map_or_else(|| definition.to_owned(), |name| definition.with_file_name(name));
    let compiled =
        compile(&[Input::Path(file)], &options).map_err(|failure| failure.diagnostics[0].message.clone())?;
    Ok(passes::pipeline(&compiled.program, &passes::PipelineConfig::default()).program)
}

fn show(terms: &Terms, star: &Star) -> String {
    let mut lines = Vec::new();
    for part in terms.conjuncts(star.formula.guard) {
        lines.push(term::print::text(terms, part));
    }
    for (symbol, value) in &star.formula.update {
        let name = term::print::own_name(terms, *symbol);
        lines.push(format!("{name} := {}", term::print::text(terms, *value)));
    }
    lines.join("\n    ")
}

/// Effort of the check of one arc.
const STEP_EFFORT: u64 = 400_000;

/// The arcs whose step the solver refutes or does not decide, or for which it takes long.
fn broken_steps(terms: &mut Terms, solvers: &Z3, graph: &Graph, summaries: &Summaries) -> Vec<String> {
    let mut broken = Vec::new();
    for arc in &graph.arcs {
        let goal = summaries.reach(arc.target).pruning().formula;
        let step = arc.formula.before(terms, goal);
        let reach = summaries.reach(arc.source).pruning().clone();
        let mut parts = vec![graph.points[arc.source].facts, step];
        for instance in &reach.instances {
            let instance = Substitution::new(instance.iter().copied()).apply(terms, reach.formula);
            parts.push(terms.not(instance));
        }
        let question = terms.and(parts);
        let start = now();
        let mut budget = Budget::ticks(STEP_EFFORT);
        let answer = check_formula(&mut solvers.z3_solver(), terms, question, &mut budget);
        let took = seconds(start, now());
        if !answer.is_unsat() || took > 1.0 {
            let word = match answer {
                Answer::Sat(_) => "broken".to_owned(),
                Answer::Unsat(_) => format!("{took:.1} s"),
                Answer::Unknown(_) => format!("open after {took:.1} s"),
            };
            broken.push(format!("{}->{} {word}", arc.source, arc.target));
        }
    }
    broken
}

fn measure(definition: &Path, options: &[String]) -> Result<String, String> {
    let program = program(definition)?;
    let mut terms = Terms::new();
    let mut budget = Budget::unlimited();
    let solvers = Z3::new(Z3Settings::default());
    let start = now();
    let loops = program.procs[program.entry].loops();
    let graph = Graph::of(&program, program.entry, loops, graph::cut::Target::Error, &mut terms, &mut budget)
        .map_err(|stop| stop.to_string())?;
    let with_graph = now();
    let mut stars = Stars::new(solvers.clone(), StarOptions::default());
    let summaries =
        Summaries::new(&graph, &mut terms, &mut stars, &mut budget).map_err(|stop| stop.to_string())?;
    let end = now();
    let root = summaries.root().pruning().formula;
    let answer = match check_formula(&mut solvers.z3_solver(), &terms, root, &mut budget) {
        Answer::Sat(_) => "open",
        Answer::Unsat(_) => "proved",
        Answer::Unknown(_) => "unknown",
    };
    let checked = now();
    let mut line = format!(
        "graph {:7.3}  summary {:7.3}  root {:7.3} {answer:7}  points {:3}  loops {:2}  exact {:2}  terms {:6}",
        seconds(start, with_graph),
        seconds(with_graph, end),
        seconds(end, checked),
        graph.points.len(),
        summaries.stars().len(),
        summaries.stars().values().filter(|star| star.pruning().exact).count(),
        terms.len(),
    );
    let counted = stars.statistics();
    let _ = write!(
        line,
        "  hulls {}+{}-{}  asked {}-{}  ticks {}",
        counted.hulls,
        counted.template_hulls,
        counted.lost_hulls,
        counted.questions,
        counted.unanswered,
        budget.spent()
    );
    if options.iter().any(|option| option == "--show") {
        for (head, star) in summaries.stars() {
            let _ = write!(line, "\n  {head}: {}", show(&terms, star.pruning()));
        }
    }
    if options.iter().any(|option| option == "--steps") {
        let broken = broken_steps(&mut terms, &solvers, &graph, &summaries);
        let _ =
            write!(line, "  steps {}", if broken.is_empty() { "hold".to_owned() } else { broken.join(", ") });
    }
    Ok(line)
}

#[allow(clippy::print_stdout)]
fn main() {
    let (options, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    for path in &paths {
        for definition in definitions(Path::new(path)) {
            let name = definition.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match measure(&definition, &options) {
                Ok(line) => println!("{name:40} {line}"),
                Err(message) => println!("{name:40} no program: {message}"),
            }
        }
    }
}
