//! The subcommands, one file each.

mod ask;
mod audit;
mod cfa;
mod check;
mod horn;
mod lsp;
mod parse;
mod queries;
mod run;
mod selftest;
mod solve;
mod summarize;
mod validate;

use std::fmt::Write;

use clap::CommandFactory;

use crate::args::{CheckArgs, Cli, Command};
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::output::Output;

/// Carries out a command.
pub(crate) fn run(command: Command, console: Console) -> Result<ExitStatus, Failure> {
    match command {
        Command::Check(args) => check_one_or_many(args, console),
        Command::Ask(args) => ask::ask(*args, console),
        Command::Run(args) => run::run(&args, console),
        Command::Parse(args) => parse::parse(&args, console),
        Command::Cfa(args) => cfa::cfa(&args, console),
        Command::Summarize(args) => summarize::summarize(&args, console),
        Command::Queries(args) => queries::queries(&args),
        Command::Horn(args) => horn::horn(&args),
        Command::Validate(args) => validate::validate(args, console),
        Command::Selftest => selftest::selftest(),
        Command::Lsp { stdio: _ } => lsp::lsp(),
        Command::Engines => engines(),
        Command::Completions { shell } => completions(shell),
        Command::Man => man(),
    }
}

/// `check`, once it is known what its command line stands for.
fn check_one_or_many(mut args: Box<CheckArgs>, console: Console) -> Result<ExitStatus, Failure> {
    if !args.paths.is_empty() && crate::batch::is_wanted(&args) {
        return crate::batch::check_all(&args, console);
    }
    // Who may find that there is nothing to do must not have removed anything.
    let is_known = args.list.known_key.is_some();
    let cleared = if is_known { crate::stale::look(&args) } else { crate::stale::clear(&args) };
    if let Err(failure) = cleared {
        // Files are not written: one of them is an input, or cannot be removed.
        return Err(check::refuse(args.display.format(), &[], failure, console));
    }
    let found = crate::settings::find_build(&args.paths, &mut args.source, args.settings.lookup());
    let expanded = found
        .and_then(|()| crate::compile_commands::expand(&args.paths, &args.source, args.grouping(), console));
    match expanded {
        Ok(paths) => args.paths = paths,
        Err(failure) => {
            return Err(check::refuse(args.display.format(), &args.files.outputs, failure, console));
        }
    }
    // A build may be a list, too.
    if crate::batch::is_wanted(&args) {
        return crate::batch::check_all(&args, console);
    }
    match crate::settings::apply(&mut args) {
        Ok(()) => check::check(&args, console),
        Err(failure) => Err(check::refuse(args.display.format(), &args.files.outputs, failure, console)),
    }
}

fn engines() -> Result<ExitStatus, Failure> {
    let mut text = String::new();
    for spec in engines::ENGINES {
        let _ = writeln!(text, "{:<12} {}", spec.name, spec.purpose);
    }
    Output::new().write(&text)?;
    Ok(ExitStatus::Success)
}

fn completions(shell: clap_complete::Shell) -> Result<ExitStatus, Failure> {
    // Into memory first: the generator panics if it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "wayproof", &mut script);
    Output::new().write(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Success)
}

/// The manual: the page of the tool, then one of each subcommand.
fn man() -> Result<ExitStatus, Failure> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    let subcommands = command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help");
    for subcommand in subcommands {
        let man = clap_mangen::Man::new(subcommand.clone());
        man.render_name_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    Output::new().write(&String::from_utf8_lossy(&page))?;
    Ok(ExitStatus::Success)
}
