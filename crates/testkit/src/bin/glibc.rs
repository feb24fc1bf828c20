//! Compares the models of the C library with glibc on random calls.
//!
//! ```text
//! glibc [--calls N] [--seed S] [--model LP64|ILP32]
//! ```
//! Exit code 0: no mismatch (or skipped, with the reason), 1: usage, 10: mismatches.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;
use std::time::Instant;

use testkit::{Model, library_calls};

fn parse(mut words: impl Iterator<Item = String>) -> Result<(u64, u64, Model), String> {
    let (mut calls, mut seed, mut model) = (10_000, 1, Model::Lp64);
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("{word} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|error| format!("{value}: {error}"));
        match word.as_str() {
            "--calls" => calls = number()?,
            "--seed" => seed = number()?,
            "--model" => model = Model::parse(&value).ok_or(format!("{value} is not a data model"))?,
            other => return Err(format!("unknown argument {other}")),
        }
    }
    Ok((calls, seed, model))
}

fn main() -> ExitCode {
    let (calls, seed, model) = match parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("glibc: {message}");
            return ExitCode::from(1);
        }
    };
    let start = Instant::now();
    let summary = match library_calls::compare(calls, seed, model) {
        Ok(summary) => summary,
        Err(reason) => {
            println!("{} skipped: {reason}", model.name());
            return ExitCode::SUCCESS;
        }
    };
    for mismatch in summary.mismatches.iter().chain(&summary.refused) {
        println!("seed {}:\n{}", mismatch.seed, mismatch.call);
        println!("  glibc: {}\n  model: {}", mismatch.expected, mismatch.actual);
    }
    println!(
        "{}: {} calls, {} mismatches, {} refused, {:.1} s",
        model.name(),
        summary.calls,
        summary.mismatches.len(),
        summary.refused.len(),
        start.elapsed().as_secs_f64()
    );
    if summary.mismatches.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(10) }
}
