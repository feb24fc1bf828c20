//! `wayproof cfa`: the control-flow automata, to read or to draw.

use std::time::Instant;

use cfa::Program;
use passes::{KeptReason, pipeline};

use crate::args::{CfaArgs, passes_without};
use crate::console::{Console, note};
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
        note(&format!("wayproof: front end {:.3} ms", start.elapsed().as_secs_f64() * 1e3));
    }
    let program = if args.optimize { optimized(&compiled.program, args) } else { compiled.program };
    let text = if args.form.dot { cfa::dot::program(&program) } else { cfa::text::print(&program) };
    Output::new().write(&text)?;
    Ok(ExitStatus::Success)
}

/// The program after the standard passes; calls that could not be inlined are counted aloud.
fn optimized(program: &Program, args: &CfaArgs) -> Program {
    let result = pipeline(program, &passes_without(&args.without_pass));
    for (reason, words) in [
        (KeptReason::Recursive, "are recursive"),
        (KeptReason::Size, "would make the program too large"),
        (KeptReason::Targets, "have too many targets"),
    ] {
        let count = result.kept_calls.iter().filter(|call| call.reason == reason).count();
        if count > 0 {
            note(&format!("wayproof: {count} calls are not inlined: they {words}"));
        }
    }
    result.program
}
