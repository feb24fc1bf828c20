//! A program with all that is derived from it for a query, made once per query and borrowed by all later stages: engines, the check of proofs, explanations of
//! verdicts, and reports.
//!
//! # Invariants
//! * D1: each part is made when it is first asked for, and once. A program that is only executed does not need the passes.
//!
//! # Cost
//! That of the standard passes, which are linear in the size of the program after inlining, up to the points-to analysis.

use std::sync::OnceLock;

use base::timeline;

use super::back::BackTranslation;
use super::inline::{KeptCall, KeptReason};
use super::pipeline::{PipelineConfig, Pipelined, pipeline};
use cfa::loops::LoopForest;
use cfa::{ProcId, Program};

/// A program and its prepared form.
#[derive(Debug)]
pub struct Prepared<'p> {
    given: &'p Program,
    made: OnceLock<Pipelined>,
}

impl<'p> Prepared<'p> {
    /// Of a program as the front end gives it.
    pub fn of(given: &'p Program) -> Self {
        Self { given, made: OnceLock::new() }
    }
    /// The program as given.
    pub fn given(&self) -> &'p Program {
        self.given
    }
    fn made(&self) -> &Pipelined {
        self.made.get_or_init(|| {
            let _stage = timeline::stage("passes");
            pipeline(self.given, &PipelineConfig::default())
        })
    }
    /// The program after the standard passes: what engines work on, and what annotations speak about.
    pub fn program(&self) -> &Program {
        &self.made().program
    }
    /// The way from the prepared program to the one that was given.
    pub fn back(&self) -> &BackTranslation {
        &self.made().back
    }
    /// The loops of a procedure of the prepared program.
    pub fn loops(&self, proc: ProcId) -> &LoopForest {
        self.program().procs[proc].loops()
    }
    /// A call that is left in the procedure where execution starts, if there is one.
    pub fn kept_call(&self) -> Option<&KeptCall> {
        let pipelined = self.made();
        pipelined.kept_calls.iter().find(|call| call.proc == pipelined.program.entry)
    }
    /// What is called there and why the call is left, for people.
    pub fn describe(&self, call: &KeptCall) -> String {
        let program = self.program();
        let names: Vec<String> =
            call.targets.iter().map(|target| format!("`{}`", program.procs[*target].name)).collect();
        let names = names.join(", ");
        match call.reason {
            KeptReason::Recursive => format!("the recursive call of {names} is not supported"),
            KeptReason::Size => {
                format!("the call of {names} is not inlined: the program would become too large")
            }
            KeptReason::Targets if names.is_empty() => {
                "a call through a pointer without known target is not supported".to_owned()
            }
            KeptReason::Targets => {
                format!("a call through a pointer with too many targets is not supported: {names}")
            }
            KeptReason::Off => format!("the call of {names} is not inlined"),
        }
    }
}
