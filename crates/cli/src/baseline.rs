//! Findings that are known: `--baseline` names a report of an earlier run (`--output gitlab=FILE`), and only findings that it does not have fail the run.

use std::collections::BTreeSet;
use std::path::Path;

use report::{Finding, Run};
use serde_json::Value;

use crate::console;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::input;

/// The fingerprints of an earlier report.
#[derive(Debug)]
pub(crate) struct Baseline(BTreeSet<String>);

impl Baseline {
    /// Reads it, if one is named.
    pub(crate) fn read(path: Option<&Path>) -> Result<Option<Self>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let text = input::read(path)?;
        let known = serde_json::from_slice::<Value>(&text).ok().and_then(|report| fingerprints(&report));
        known.map(|known| Some(Self(known))).ok_or_else(|| {
            Failure::usage(
                format!("`{}` is no report that --baseline can use", path.display()),
                "write one with `check ... --output gitlab=FILE`",
            )
        })
    }

    /// How a run ends: well if it found something and all of that is known.
    pub(crate) fn status(&self, run: &Run<'_>) -> ExitStatus {
        let found = report::findings(run);
        let is_known = |finding: &Finding| self.0.contains(&finding.fingerprint);
        if !found.is_empty() && found.iter().all(is_known) {
            console::note(&format!("nothing new: the baseline has all findings ({})", found.len()));
            return ExitStatus::Success;
        }
        run.certified.verdict().into()
    }
}

fn fingerprints(report: &Value) -> Option<BTreeSet<String>> {
    let fingerprint = |entry: &Value| Some(entry.get("fingerprint")?.as_str()?.to_owned());
    report.as_array()?.iter().map(fingerprint).collect()
}
