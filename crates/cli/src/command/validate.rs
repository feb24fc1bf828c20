//! `wayproof validate`: checks whether a witness is correct.

use base::{Budget, Diagnostic, SourceFile, SourceMap, Span};
use certify::Certified;
use cfa::Program;
use engine::{Env, Recorder, Settings, solve_contained};
use passes::Prepared;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use verdict::{Reason, Verdict};
use witness::automaton::validate_automaton;
use witness::format::graphml::{self, Automaton};
use witness::format::{self, Malformed, Witness};
use witness::validate::{Judgement, validate as judge};

use crate::args::ValidateArgs;
use crate::compile_commands;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::export;
use crate::failure::Failure;
use crate::frontend::{self, Refusal};
use crate::input;
use crate::output::Output;
use crate::property::Property;
use crate::resolve::{Defaults, Request};
use crate::session::Session;
use crate::settings;

/// Judges a witness.
pub(crate) fn validate(mut args: ValidateArgs, console: Console) -> Result<ExitStatus, Failure> {
    let lookup = args.lookup();
    settings::find_build(&args.files, &mut args.source, lookup)?;
    let files = files(&args, console)?;
    let settings = settings::apply_to_source(&files, &mut args.source, lookup)?;
    args.timeout = args.timeout.or(settings.and_then(|settings| settings.timeout));
    let session = Session::start(
        args.timeout,
        Box::new(|stop| {
            let _ = Output::new().write(&format!("UNKNOWN: {stop}\n"));
        }),
    );
    let request =
        Request::with_files(&files, &args.source, args.property.as_deref(), Defaults::Assertions, console)?;
    let text = input::read(&args.witness)?;
    let no_witness = |error| malformed(&error, &args.witness.display().to_string(), &text);
    let stated = if graphml::is_graph(&text) {
        Stated::Automaton(graphml::read(&text).map_err(no_witness)?)
    } else {
        Stated::Entries(format::read(&text).map_err(no_witness)?)
    };
    if let Property::Unsupported { name } = &request.property {
        return conclude(&Judgement::Unknown(Property::refusal(name)), &args.witness, &session);
    }
    // Mistakes in the program are reported as such, not as mistakes of the witness.
    let compiled = match frontend::compile(&request, &args.source) {
        Ok(compiled) => compiled,
        Err(Refusal::Failure(failure)) => {
            // A preprocessor that was ended by the clock is no mistake of the program.
            let Err(stop) = session.budget().poll() else { return Err(failure) };
            return conclude(&Judgement::Unknown(stop.to_string()), &args.witness, &session);
        }
        Err(Refusal::Unsupported { message, diagnostics, sources, .. }) => {
            console.print(&diagnostics, &sources);
            return conclude(&Judgement::Unknown(message), &args.witness, &session);
        }
    };
    let sources = &compiled.program.sources;
    let Some(mut question) = export::question(&request, &args.source, compiled.parsed, sources) else {
        let why = "the program is not a file that can be read again: write it to one";
        return conclude(&Judgement::Unknown(why.to_owned()), &args.witness, &session);
    };
    question.hashes = args.hashes();
    let mut decide = |program: &Program, budget: &mut Budget| decide(program, budget);
    let budget = &mut session.budget();
    let judgement = match &stated {
        Stated::Entries(witness) => judge(witness, &mut question, &mut decide, budget),
        Stated::Automaton(automaton) => validate_automaton(automaton, &mut question, &mut decide, budget),
    };
    conclude(&judgement, &args.witness, &session)
}

/// What a file says, by its format.
enum Stated {
    /// YAML, formats 2.0 and 2.1.
    Entries(Witness),
    /// GraphML, format 1.0.
    Automaton(Automaton),
}

/// The files of the program.
fn files(args: &ValidateArgs, console: Console) -> Result<Vec<PathBuf>, Failure> {
    let files = compile_commands::expand(&args.files, &args.source, args.grouping(), console)?;
    if args.files.is_empty() && !args.program && files.len() > 1 {
        let message = "several files of the build are programs, and a witness is about one";
        let help = "name the files of the program, or use --program if all files of the build are one";
        return Err(Failure::usage(message, help));
    }
    Ok(files)
}

/// The cheap engines first.
fn decide(program: &Program, budget: &mut Budget) -> Certified {
    let task = Prepared::of(program);
    let mut last = Certified::unknown(Reason::NotProgressing);
    for name in ["explicit", "cra", "gps"] {
        let Some(spec) = engines::find(name) else { continue };
        if let Err(stop) = budget.poll() {
            return Certified::unknown(Reason::Stopped(stop));
        }
        let recorder = Recorder::default();
        let mut env = Env::new(budget.clone(), &recorder);
        let verdict = solve_contained((spec.configure)(&Settings::default()), &task, &mut env);
        last = certify::certify(&task, verdict, &mut env.logic.budget);
        if !matches!(last.verdict(), Verdict::Unknown(_)) {
            return last;
        }
    }
    last
}

fn conclude(judgement: &Judgement, witness: &Path, session: &Session) -> Result<ExitStatus, Failure> {
    session.claim();
    let (line, status) = match judgement {
        Judgement::Confirmed(how) => (format!("CONFIRMED: {how}\n"), ExitStatus::Success),
        Judgement::Refuted(why) => (format!("REFUTED: {why}\n"), ExitStatus::Violated),
        Judgement::Unknown(why) => (format!("UNKNOWN: {why}\n"), ExitStatus::Unknown),
        Judgement::Malformed(why) => {
            let message = format!("the witness `{}` cannot be used: {why}", witness.display());
            let diagnostic = Diagnostic::global(message).with_help(advice(why));
            return Err(Failure::global(ExitStatus::FrontEnd, diagnostic));
        }
    };
    Output::new().write(&line)?;
    Ok(status)
}

/// What to do about a witness that does not belong to the program, or has what it must not have.
fn advice(why: &str) -> &'static str {
    let has = |word: &str| why.contains(word);
    if has("another program") {
        "a witness is for one source text: give the file that it was made from, make a new one with `wayproof check --witness`, or use --ignore-hashes"
    } else if has("a program of") {
        "give all files of the program, in any order"
    } else if has("another property") || has("data model") {
        "give the property and the data model of the witness: --property FILE.prp, --data-model MODEL, or the task definition"
    } else if has("expression") || has("does not fit") {
        "an expression of a witness computes and compares variables that are visible at its place; it calls and changes nothing"
    } else {
        "docs/guide/validate-a-witness.md shows a witness and explains how it is validated"
    }
}

/// The message about a text that is no witness, at its place.
fn malformed(error: &Malformed, name: &str, text: &[u8]) -> Failure {
    let help = "the format is version 2.0 or 2.1 of the SV-COMP witnesses in YAML, or version 1.0 in GraphML for a violation";
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new(name, text));
    let source = sources.file(file);
    if error.line == 0 || error.line > source.line_count() {
        let diagnostic = Diagnostic::global(format!("{name}: {error}")).with_help(help);
        return Failure::global(ExitStatus::FrontEnd, diagnostic);
    }
    let start = source.line_start(error.line);
    let length = source.line_text(error.line).len() as u32;
    let lo = start + error.column.saturating_sub(1).min(length);
    let span = Span { file, lo, hi: start + length };
    let diagnostic = Diagnostic::error(error.message.clone(), span).with_help(help);
    Failure::Input { status: ExitStatus::FrontEnd, diagnostics: vec![diagnostic], sources: Arc::new(sources) }
}
