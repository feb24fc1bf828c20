//! A program with all that is derived from it for a query, made once per query and borrowed by all later stages: engines, the check of proofs, explanations of
//! verdicts, and reports.
//!
//! # Invariants
//! * D1: each part is made when it is first asked for, and once. A program that is only executed does not need the passes.
//!
//! # Cost
//! That of the standard passes, which are linear in the size of the program after inlining, up to the points-to analysis.

use std::sync::OnceLock;

use base::{Region, timeline};

use super::back::BackTranslation;
use super::calls::CallGraph;
use super::inline::{KeptCall, KeptReason};
use super::instrument::Selection;
use super::pipeline::{Errors, PipelineConfig, Pipelined, pipeline, select};
use cfa::loops::LoopForest;
use cfa::{ProcId, Procedure, Program};

/// A program and its prepared form.
#[derive(Debug)]
pub struct Prepared<'p> {
    given: &'p Program,
    config: PipelineConfig,
    /// The checks that are errors in the prepared form; all if nothing is said.
    selection: Option<Selection>,
    made: OnceLock<Pipelined>,
    unwound: OnceLock<Option<Program>>,
}

impl<'p> Prepared<'p> {
    /// Of a program as the front end gives it.
    pub fn of(given: &'p Program) -> Self {
        Self::with(given, PipelineConfig::default())
    }
    /// The same, with other passes than the standard ones.
    pub fn with(given: &'p Program, config: PipelineConfig) -> Self {
        Self { given, config, selection: None, made: OnceLock::new(), unwound: OnceLock::new() }
    }
    /// The same with some checks as errors in the prepared form: the others hold, as somebody knows.
    pub fn asking(given: &'p Program, config: PipelineConfig, selection: Selection) -> Self {
        Self { selection: Some(selection), ..Self::with(given, config) }
    }
    /// The program as given.
    pub fn given(&self) -> &'p Program {
        self.given
    }
    fn made(&self) -> &Pipelined {
        self.made.get_or_init(|| {
            let _stage = timeline::stage("passes");
            match &self.selection {
                Some(selection) => select(self.given, selection, &self.config),
                None => pipeline(self.given, &self.config),
            }
        })
    }
    /// The program after the standard passes: what engines work on, and what annotations speak about.
    pub fn program(&self) -> &Program {
        &self.made().program
    }
    /// The prepared program of a recursive one, as it is before its edges are merged: the form in which executions are carried out. Nothing if the given program is not
    /// recursive.
    pub fn unwound(&self) -> Option<&Program> {
        let unwound = self.unwound.get_or_init(|| {
            let is_recursive = !CallGraph::new(self.given).components.is_empty();
            let config = PipelineConfig { compress: None, ..self.config.clone() };
            is_recursive.then(|| pipeline(self.given, &config).program)
        });
        unwound.as_ref()
    }
    /// The way from the prepared program to the one that was given.
    pub fn back(&self) -> &BackTranslation {
        &self.made().back
    }
    /// What the edges to the error of the prepared program stand for, if there are checks.
    pub fn errors(&self) -> Option<&Errors> {
        self.made().instrumented.as_ref()
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
    /// A call that is left in that procedure, if there is another procedure with an error that is not `checked` by itself: the error may be reached before the call returns.
    pub fn failing_call(&self, checked: impl Fn(ProcId) -> bool) -> Option<&KeptCall> {
        let others = self.program().procs.iter_enumerated();
        let mut others = others.filter(|(proc, _)| *proc != self.program().entry && !checked(*proc));
        let fails =
            |procedure: &Procedure| procedure.edges().iter().any(|edge| Some(edge.target) == procedure.error);
        others.any(|(_, procedure)| fails(procedure)).then(|| self.kept_call()).flatten()
    }
    /// Where a call that is left stands in the source.
    pub fn region(&self, call: &KeptCall) -> Region {
        self.program().procs[call.proc].edges()[call.edge].origin.region
    }
    /// What is called there and why the call is left, for people.
    pub fn describe(&self, call: &KeptCall) -> String {
        let program = self.program();
        let names: Vec<String> =
            call.targets.iter().map(|target| format!("`{}`", program.procs[*target].name)).collect();
        let names = names.join(", ");
        match call.reason {
            KeptReason::Recursive => match call.obstacle {
                Some(obstacle) => format!("the call of {names} is recursive and stays a call: {obstacle}"),
                None => format!("the call of {names} is recursive and stays a call"),
            },
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
