//! Certificates: the evidence of a verdict as files, with a script that checks them and knows nothing of this tool.
//!
//! docs/certificates.md describes the files. The script (`check.py`) makes the obligations of a proof itself, from the automata and the annotation; the SMT-LIB files are those that
//! crate certify has proved, for readers with another solver.
//!
//! # Invariants
//! * I1: there is a certificate of verdicts only whose evidence has passed its check.
//! * I2: the manifest names every other file with its hash and comes last.

mod program;

use base::{Budget, Region, SourceMap};
use certify::{Certified, check_annotation, check_bounded};
use cfa::{ApproximationKind, SignedOverflow};
use passes::Prepared;
use serde_json::{Value, json};
use term::print::smtlib;
use term::{TermId, Terms};
use verdict::{Ledger, Proof, Trace, Verdict};

use crate::format::{base_name, hash};
use crate::harness::{EXIT_CODE, MESSAGE};

/// The version of the manifest.
pub const VERSION: u32 = 1;
/// The script that checks a certificate.
pub const SCRIPT: &str = include_str!("check.py");

/// A file of a certificate.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path in the folder.
    pub name: String,
    /// Its contents.
    pub text: String,
}

/// The files of a certificate; why there is none otherwise. `harness` is the program that runs into a violation, `tool` the version of this tool.
pub fn files(
    task: &Prepared<'_>,
    certified: &Certified,
    harness: Option<&str>,
    tool: &str,
    budget: &mut Budget,
) -> Result<Vec<File>, String> {
    let mut files = Vec::new();
    let (verdict, evidence, more) = match certified.verdict() {
        Verdict::Safe(proof) => {
            files.push(File { name: "automata.json".to_owned(), text: program::text(task.program()) });
            let (evidence, annotation) = proof_text(proof);
            files.extend(annotation.map(|text| File { name: "annotation.txt".to_owned(), text }));
            files.extend(obligations(task, proof, budget)?);
            ("safe", evidence, executions(proof))
        }
        Verdict::Unsafe(trace) => {
            let text = harness.ok_or("there is no harness, so nothing can be checked without this tool")?;
            files.push(File { name: "harness.c".to_owned(), text: text.to_owned() });
            ("unsafe", "inputs", violation(trace, &task.given().sources))
        }
        Verdict::Unknown(reason) => {
            return Err(format!("a verdict that is unknown has no certificate ({reason})"));
        }
    };
    files.push(File { name: "check.py".to_owned(), text: SCRIPT.to_owned() });
    // Output of a preprocessor is no file.
    let read = task.given().sources.iter().filter(|(_, file)| !file.name.starts_with('<'));
    let sources = read.map(|(_, file)| json!({ "name": base_name(&file.name), "sha256": hash(&file.text) }));
    let hashes: serde_json::Map<String, Value> =
        files.iter().map(|file| (file.name.clone(), json!(hash(file.text.as_bytes())))).collect();
    let manifest = json!({
        "format": "wayproof-certificate",
        "version": VERSION,
        "tool": format!("wayproof {tool}"),
        "verdict": verdict,
        "evidence": evidence,
        "details": more,
        "sources": sources.collect::<Vec<_>>(),
        "rests_on": certified.ledger().map(|ledger| rests_on(ledger, &task.given().sources)),
        "files": hashes,
    });
    files.push(File { name: "manifest.json".to_owned(), text: format!("{manifest:#}\n") });
    Ok(files)
}

/// What kind of evidence a proof is, and its text if it has one.
fn proof_text(proof: &Proof) -> (&'static str, Option<String>) {
    match proof {
        Proof::Annotation(annotation) => ("invariants", Some(annotation.to_string())),
        Proof::Bounded(bounded) => ("unwinding", Some(format!("{bounded}\n"))),
        Proof::Execution(_) => ("execution", None),
        Proof::Executions(_) | Proof::UnwoundExecutions(_) => ("executions", None),
    }
}

fn executions(proof: &Proof) -> Value {
    match proof {
        Proof::Executions(count) | Proof::UnwoundExecutions(count) => json!({ "executions": count }),
        Proof::Execution(_) | Proof::Annotation(_) | Proof::Bounded(_) => json!({}),
    }
}

/// The obligations that the checker proves, as scripts for solvers.
fn obligations(task: &Prepared<'_>, proof: &Proof, budget: &mut Budget) -> Result<Vec<File>, String> {
    let mut files = Vec::new();
    let mut observer = |what: String, terms: &Terms, query: TermId| {
        let text = format!("; unsatisfiable, or {what}\n{}", smtlib::script(terms, &[query], "unsat"));
        files.push(File { name: format!("obligations/{:04}.smt2", files.len() + 1), text });
    };
    let checked = match proof {
        Proof::Annotation(annotation) => check_annotation(task, annotation, budget, &mut observer),
        Proof::Bounded(bounded) => check_bounded(task, *bounded, budget, &mut observer),
        Proof::Execution(_) | Proof::Executions(_) | Proof::UnwoundExecutions(_) => Ok(0),
    };
    checked.map(|_| files).map_err(|reason| format!("the obligations cannot be made: {reason}"))
}

fn violation(trace: &Trace, sources: &SourceMap) -> Value {
    let inputs = trace
        .choices
        .iter()
        .map(|chosen| json!({ "value": chosen.value.to_string(), "place": place(chosen.place, sources) }));
    json!({
        "violation": trace.violation.kind.code(),
        "place": place(trace.violation.region, sources),
        "inputs": inputs.collect::<Vec<_>>(),
        "exit_code": EXIT_CODE,
        "message": MESSAGE,
    })
}

/// A place in a source, as people write it.
fn place(region: Region, sources: &SourceMap) -> Value {
    if region.is_nowhere() {
        return Value::Null;
    }
    let file = sources.get(region.file).map_or("", |file| base_name(&file.name));
    json!(format!("{file}:{}:{}", region.line, region.column))
}

fn rests_on(ledger: &Ledger, sources: &SourceMap) -> Value {
    let overflow = match ledger.signed_overflow {
        SignedOverflow::Undefined => "undefined",
        SignedOverflow::Wrap => "wrap",
        SignedOverflow::Error => "error",
    };
    let assumptions = ledger.assumptions.iter().map(|assumption| {
        let kind = match assumption.kind {
            ApproximationKind::Assumption => "assumption",
            ApproximationKind::Model => "model",
            ApproximationKind::Over => "over-approximation",
            ApproximationKind::Under => "under-approximation",
        };
        json!({ "what": assumption.what, "kind": kind, "place": place(assumption.region, sources) })
    });
    json!({
        "data_model": ledger.data_model.name(),
        "signed_overflow": overflow,
        "undefined_behaviour": ledger.undefined.iter().map(|hazard| hazard.name()).collect::<Vec<_>>(),
        "assumptions": assumptions.collect::<Vec<_>>(),
    })
}
