//! The binary `wayproof`: flags, files, printing, exit codes. The only crate that knows the command line and prints.
//!
//! Start with [`command`], one file per subcommand. Whatever happens, the process ends with one of the codes of
//! [`exit::ExitStatus`] and a message on standard error that says what to do.

mod args;
mod artifact;
mod baseline;
mod basis;
mod batch;
mod bundle;
mod cache;
mod certificate;
mod command;
mod compile_commands;
mod console;
mod events;
mod exit;
mod export;
mod failure;
mod frontend;
mod input;
mod models;
mod output;
mod panic;
mod profile;
mod property;
mod recognise;
mod resolve;
mod session;
mod settings;
mod stale;
mod task;
mod values;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ErrorKind};
use report::Color;
use system::process::supervisor;

use args::Cli;
use console::Console;
use exit::ExitStatus;
use failure::Failure;
use output::Output;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == supervisor::SUBCOMMAND) {
        return ExitCode::from(supervisor::supervise(words) as u8);
    }
    look_after_children();
    panic::install_hook();
    smt::keep_contexts();
    match Cli::try_parse() {
        Ok(cli) => {
            let console = Console::new(cli.color);
            let outcome = panic::contain(move || command::run(cli.command, console));
            let status = match outcome {
                Ok(result) => conclude(result, console),
                Err(crash) => {
                    crash.print(console);
                    ExitStatus::Internal
                }
            };
            status.into()
        }
        Err(error) => usage(&error).into(),
    }
}

/// Every program that is started is started by way of this binary, which limits and ends it.
fn look_after_children() {
    // This name stays right if the file is replaced meanwhile.
    let by_link = PathBuf::from("/proc/self/exe");
    let binary = if by_link.exists() { Some(by_link) } else { std::env::current_exe().ok() };
    if let Some(binary) = binary {
        system::process::use_supervisor(binary);
    }
    let memory = std::env::var(batch::MEMORY_VARIABLE).ok().and_then(|text| text.parse().ok());
    if let Some(memory) = memory {
        system::process::limit_memory(memory);
    }
}

/// Says why there is no result.
fn conclude(result: Result<ExitStatus, Failure>, console: Console) -> ExitStatus {
    match result {
        Ok(status) => status,
        Err(Failure::Input { status, diagnostics, sources }) => {
            console.print(&diagnostics, &sources);
            status
        }
        Err(Failure::Output(error)) => output::explain(&error, console),
    }
}

/// Help and version are wishes, everything else is an error of usage.
fn usage(error: &clap::Error) -> ExitStatus {
    let version = format!("wayproof {}\nZ3 {}\n", env!("CARGO_PKG_VERSION"), smt::z3_version());
    let console = Console::new(args::ColorChoice::Auto);
    let written = match error.kind() {
        ErrorKind::DisplayVersion => Output::new().write(&version),
        ErrorKind::DisplayHelp => Output::new().write(&styled(&error.render(), console.color_stdout)),
        _ => {
            if let Some(file) = file_for_check(error) {
                let message = format!("`{file}` is a file, not a command");
                let help = format!("to check it: wayproof check {file}");
                return conclude(Err(Failure::usage(message, help)), console);
            }
            let _ = error.print();
            return ExitStatus::Usage;
        }
    };
    conclude(written.map(|()| ExitStatus::Success), console)
}

/// The file or folder that stands where a command is expected.
fn file_for_check(error: &clap::Error) -> Option<String> {
    let word =
        error.get(ContextKind::InvalidSubcommand).filter(|_| error.kind() == ErrorKind::InvalidSubcommand)?;
    let word = word.to_string();
    PathBuf::from(&word).exists().then_some(word)
}

/// Text of clap's with or without its colours.
fn styled(text: &clap::builder::StyledStr, color: Color) -> String {
    match color {
        Color::Ansi => text.ansi().to_string(),
        Color::Plain => text.to_string(),
    }
}
