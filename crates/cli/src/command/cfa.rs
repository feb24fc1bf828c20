//! `wayproof cfa`: the control-flow automata, to read or to draw.

use std::time::Instant;

use crate::args::CfaArgs;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::frontend::{self, Refusal};
use crate::output::Output;
use crate::resolve::Request;

/// Prints the automata of a program.
pub(crate) fn cfa(args: &CfaArgs, console: Console) -> Result<ExitStatus, Failure> {
    let request = Request::new(&args.file, &args.source, args.property.as_deref(), console)?;
    let start = Instant::now();
    let compiled = frontend::compile(&request, &args.source).map_err(Refusal::into_failure)?;
    if args.stats {
        console.line(&format!("wayproof: front end {:.3} ms", start.elapsed().as_secs_f64() * 1e3));
    }
    let program = compiled.program;
    let text = if args.form.dot { cfa::dot::program(&program) } else { cfa::text::print(&program) };
    Output::new().write(&text)?;
    Ok(ExitStatus::Success)
}
