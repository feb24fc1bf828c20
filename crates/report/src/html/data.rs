//! What the page shows, as JSON. Only the scripts beside this file read it.

use std::collections::BTreeMap;

use base::{Region, Stop};
use cfa::Program;
use checks::State;
use engine::{NodeState, SearchTree};
use serde::Serialize;
use verdict::{Proof, Reason, Verdict};

use super::Insight;
use super::automata::{Automata, mentioned};
use super::execution::Execution;
use super::figures::{self, Bar};
use crate::json::Tool;
use crate::table::Table;
use crate::{Color, Detail, Run, human, printable};

/// Longer files are cut.
const MAX_LINES: u32 = 20_000;
/// Longer lines are cut, in bytes.
const MAX_LINE: usize = 2_000;

/// File, line, column, last line, column behind the last.
pub(super) type Spot = Option<[u32; 5]>;

/// A region for the page.
pub(super) fn spot(region: Region) -> Spot {
    let Region { file, line, column, end_line, end_column } = region;
    (!region.is_nowhere()).then_some([file.0, line, column, end_line, end_column])
}

#[derive(Serialize)]
struct Document {
    tool: Tool,
    verdict: &'static str,
    headline: String,
    advice: Option<&'static str>,
    facts: Vec<(&'static str, String)>,
    checks: Vec<String>,
    ledger: Vec<Remark>,
    files: Vec<File>,
    /// What is known about each check, if that was asked.
    verdicts: Vec<CheckRow>,
    unreached: Vec<Remark>,
    /// What holds whenever a function returns.
    contracts: Vec<Remark>,
    invariants: Vec<Remark>,
    invariants_suffice: Option<bool>,
    /// The failing check, or the place that stands in the way of a verdict.
    mark: Option<Remark>,
    inputs: Vec<Remark>,
    #[serde(flatten)]
    execution: Execution,
    automata: Automata,
    summaries: Vec<Remark>,
    summaries_missing: Option<String>,
    tree: Option<Tree>,
    stages: Vec<Bar>,
    queries: Vec<Bar>,
    statistics: Vec<(&'static str, f64)>,
}

/// Something to say about a place.
#[derive(Serialize)]
pub(super) struct Remark {
    at: Spot,
    text: String,
}

/// What is known about a check.
#[derive(Serialize)]
struct CheckRow {
    at: Spot,
    kind: String,
    what: String,
    state: &'static str,
    why: String,
}

#[derive(Serialize)]
struct File {
    id: u32,
    name: String,
    lines: Vec<String>,
    omitted: u32,
}

/// A search tree by columns, which is a fraction of the size.
#[derive(Serialize)]
struct Tree {
    parents: Vec<Option<usize>>,
    covers: Vec<Option<usize>>,
    lines: Vec<Option<u32>>,
    states: Vec<u8>,
    /// Positions in `texts`.
    labels: Vec<usize>,
    /// The same for what is needed at loop heads, and for what widening dropped there.
    kept: Vec<usize>,
    dropped: Vec<usize>,
    texts: Vec<String>,
    more: usize,
}

/// The data of a page.
pub(super) fn json(run: &Run<'_>, insight: &Insight<'_>) -> String {
    let mut document = Document {
        facts: facts(run, &insight.command),
        checks: human::checks(run),
        invariants_suffice: run.extras.inductive,
        summaries_missing: insight.summaries.missing.clone(),
        tree: insight.tree.map(tree),
        stages: figures::stages(&insight.timeline),
        queries: figures::queries(&insight.timeline),
        statistics: run.statistics.unwrap_or_default().to_vec(),
        ..Document::new(
            human::render(run, Detail::Verdict, Color::Plain).trim_end().to_owned(),
            &insight.command,
        )
    };
    if let Some(program) = run.program {
        document.of_program(run, program, insight);
        document.execution = Execution::new(program, &insight.steps);
    }
    document.of_verdict(run);
    if let Some(table) = run.table {
        document.of_checks(table);
    }
    document.text()
}

/// The data of the page of a run that was ended from outside.
pub(super) fn unfinished(stop: Stop, command: &[String]) -> String {
    let mut document = Document::new(format!("UNKNOWN: {stop}"), command);
    document.advice = human::advice(&Reason::Stopped(stop), None);
    document.text()
}

impl Document {
    fn new(headline: String, command: &[String]) -> Self {
        Self {
            tool: Tool::THIS,
            verdict: "unknown",
            headline,
            advice: None,
            facts: vec![("Command", shown(command))],
            checks: Vec::new(),
            ledger: Vec::new(),
            files: Vec::new(),
            verdicts: Vec::new(),
            unreached: Vec::new(),
            contracts: Vec::new(),
            invariants: Vec::new(),
            invariants_suffice: None,
            mark: None,
            inputs: Vec::new(),
            execution: Execution::default(),
            automata: Automata::default(),
            summaries: Vec::new(),
            summaries_missing: None,
            tree: None,
            stages: Vec::new(),
            queries: Vec::new(),
            statistics: Vec::new(),
        }
    }

    fn text(&self) -> String {
        serde_json::to_string(self).expect("a document has string keys only")
    }

    fn of_program(&mut self, run: &Run<'_>, program: &Program, insight: &Insight<'_>) {
        self.files = files(run, program);
        let known = (0..).zip(program.sources.iter()).find_map(|(id, (_, file))| {
            run.task.files.first().is_some_and(|first| **first == *file.name).then_some(id)
        });
        let file = known.unwrap_or(0);
        let invariants = run.extras.invariants.iter().map(|readable| {
            let (line, column) = readable.place;
            Remark { at: Some([file, line, column, line, column]), text: readable.invariant.value.clone() }
        });
        let facts = run.extras.quantified.iter();
        let facts = facts.map(|fact| Remark { at: spot(fact.region), text: fact.text.clone() });
        self.invariants = invariants.chain(facts).collect();
        for contract in &run.extras.contracts {
            let remark = |text: &String| Remark { at: spot(contract.region), text: text.clone() };
            self.contracts.extend(contract.ensures.iter().map(remark));
        }
        self.automata = Automata::new(program, insight.prepared);
        let points = insight.summaries.points.iter();
        self.summaries =
            points.map(|(region, text)| Remark { at: spot(*region), text: text.clone() }).collect();
    }

    fn of_checks(&mut self, table: Table<'_>) {
        let row = |(check, state): (&passes::Check, &State)| {
            let (state, why) = match state {
                State::Holds(_) => ("holds", String::new()),
                State::Fails(_) => ("fails", String::new()),
                State::Open(reason) => ("open", reason.to_string()),
            };
            CheckRow {
                at: spot(check.place),
                kind: check.kind.to_string(),
                what: check.what.clone(),
                state,
                why,
            }
        };
        self.verdicts = table.rows().map(row).collect();
        let assertions =
            table.unreached.assertions.iter().map(|region| (region, "an assertion, which cannot fail"));
        let statements = table.unreached.statements.iter().map(|region| (region, "code"));
        let remark = |(region, what): (&Region, &str)| Remark { at: spot(*region), text: what.to_owned() };
        self.unreached = assertions.chain(statements).map(remark).collect();
    }

    fn of_verdict(&mut self, run: &Run<'_>) {
        match run.certified.verdict() {
            Verdict::Safe(_) => self.verdict = "safe",
            Verdict::Unsafe(trace) => {
                self.verdict = "unsafe";
                let text = human::violation(trace);
                self.mark = Some(Remark { at: spot(trace.violation.region), text });
                let inputs = trace.choices.iter().map(|chosen| Remark {
                    at: spot(chosen.place),
                    text: format!("{} for {}", chosen.value, human::describe_source(&chosen.source)),
                });
                self.inputs = inputs.collect();
            }
            Verdict::Unknown(reason) => {
                self.advice = human::advice(reason, run.extras.opinion.as_ref());
                // Without a program the page has no text to mark.
                let place = run.program.and_then(|_| spot(reason.region()));
                self.mark = place.map(|at| Remark { at: Some(at), text: reason.to_string() });
            }
        }
        if let (Verdict::Safe(_) | Verdict::Unsafe(_), Some(ledger)) =
            (run.certified.verdict(), run.certified.ledger())
        {
            let mut remark = |region, text: String| self.ledger.push(Remark { at: spot(region), text });
            for line in human::basis(run.certified, run.basis) {
                remark(Region::NOWHERE, line);
            }
            for assumption in &ledger.assumptions {
                let known = run.sources.get(assumption.region.file).is_some();
                let region = if known { assumption.region } else { Region::NOWHERE };
                remark(region, human::assumption(assumption));
            }
        }
    }
}

/// What was asked, by name.
fn facts(run: &Run<'_>, command: &[String]) -> Vec<(&'static str, String)> {
    let task = run.task;
    let mut facts = vec![
        ("Program", task.files.join(", ")),
        ("Property", task.property.clone()),
        ("Engine", task.engine.clone()),
        ("Entry", format!("{}()", task.entry)),
        ("Data model", task.data_model.name().to_owned()),
    ];
    if let Verdict::Safe(Proof::Annotation(annotation)) = run.certified.verdict() {
        let count = annotation.locations().count();
        facts.push(("Proof", format!("{} the error", human::invariants_exclude(count))));
    }
    if let Some(decided) = &run.work.decided {
        facts.push(("Decided by", decided.to_string()));
    }
    if run.work.shares.len() > 1 {
        let shares: Vec<String> =
            run.work.shares.iter().map(|share| printable(&share.to_string()).into_owned()).collect();
        facts.push(("Engines", shares.join("; ")));
    }
    if let Some(expected) = task.expected {
        let word = if expected { "safe" } else { "unsafe" };
        facts.push(("Expected", format!("{word} (task definition)")));
    }
    facts.push(("Command", shown(command)));
    facts
}

/// The command line.
fn shown(command: &[String]) -> String {
    let words = command.iter().map(|word| quoted(&printable(word)));
    words.fold("wayproof".to_owned(), |line, word| line + " " + &word)
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@+%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The given files first, then others that the program has code of.
fn files(run: &Run<'_>, program: &Program) -> Vec<File> {
    let mentioned = mentioned(program);
    let is_given = |name: &str| run.task.files.iter().any(|file| file == name);
    let mut shown: Vec<_> = program
        .sources
        .iter()
        .filter(|(id, file)| is_given(&file.name) || mentioned.get(id.0 as usize).is_some_and(|is| *is))
        .collect();
    shown.sort_by_key(|(id, file)| (!is_given(&file.name), *id));
    let files = shown.into_iter().map(|(id, file)| {
        let count = file.line_count();
        let line = |number| {
            let bytes = file.line_text(number);
            printable(&String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_LINE)])).into_owned()
        };
        // The empty line behind the last line break is nobody's.
        let is_ended = count > 1 && file.line_text(count).is_empty();
        let count = if is_ended { count - 1 } else { count };
        File {
            id: id.0,
            name: file.name.to_string(),
            lines: (1..=count.min(MAX_LINES)).map(line).collect(),
            omitted: count.saturating_sub(MAX_LINES),
        }
    });
    files.collect()
}

fn tree(tree: &SearchTree) -> Tree {
    let mut known = BTreeMap::new();
    let mut texts = Vec::new();
    let mut position = |label: &'_ str| {
        *known.entry(label.to_owned()).or_insert_with(|| {
            texts.push(label.to_owned());
            texts.len() - 1
        })
    };
    let labels = tree.nodes.iter().map(|node| position(&node.label)).collect();
    let kept = tree.nodes.iter().map(|node| position(&node.kept)).collect();
    let dropped = tree.nodes.iter().map(|node| position(&node.dropped)).collect();
    let state = |state| match state {
        NodeState::Expanded => 0,
        NodeState::DeadEnd => 1,
        NodeState::Covered => 2,
        NodeState::Frontier => 3,
        NodeState::Subsumed => 4,
        NodeState::Partly => 5,
        NodeState::Widened => 6,
    };
    Tree {
        parents: tree.nodes.iter().map(|node| node.parent).collect(),
        covers: tree.nodes.iter().map(|node| node.cover).collect(),
        lines: tree.nodes.iter().map(|node| node.line).collect(),
        states: tree.nodes.iter().map(|node| state(node.state)).collect(),
        labels,
        kept,
        dropped,
        texts,
        more: tree.more,
    }
}
