//! What several engines have done, and what two of them claim that cannot both be true.

use engine::{Decided, Share};
use serde::Serialize;
use verdict::{Claimed, Reason};

/// Which of several engines has decided.
#[derive(Serialize)]
pub(super) struct DecidedBy {
    engine: &'static str,
    round: u32,
    facts_used: Vec<FactsUsed>,
}

#[derive(Serialize)]
struct FactsUsed {
    told_by: &'static str,
    clauses: u64,
}

pub(super) fn decided_by(decided: &Decided) -> DecidedBy {
    let used = decided.used.iter().map(|(told_by, clauses)| FactsUsed { told_by, clauses: *clauses });
    DecidedBy { engine: decided.engine, round: decided.round + 1, facts_used: used.collect() }
}

/// What one of several engines has done.
#[derive(Serialize)]
pub(super) struct JsonShare {
    engine: &'static str,
    attempts: u64,
    decided: u64,
    ticks: u64,
    facts_told: u64,
    facts_used: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

pub(super) fn share(share: &Share) -> JsonShare {
    JsonShare {
        engine: share.engine,
        attempts: share.attempts,
        decided: share.decided,
        ticks: share.ticks,
        facts_told: share.told,
        facts_used: share.used,
        reason: share.last.as_ref().map(Reason::code),
        message: share.last.as_ref().map(Reason::to_string),
    }
}

/// What an engine claims that another one contradicts.
#[derive(Serialize)]
pub(super) struct JsonClaim {
    engine: &'static str,
    verdict: &'static str,
    evidence: String,
}

pub(super) fn claims(reason: &Reason) -> Vec<JsonClaim> {
    let Reason::Contradiction { safe, violated } = reason else { return Vec::new() };
    let claims = [("safe", safe), ("unsafe", violated)].into_iter();
    let claim = |(verdict, Claimed { engine, evidence }): (&'static str, &Claimed)| JsonClaim {
        engine,
        verdict,
        evidence: evidence.clone(),
    };
    claims.map(claim).collect()
}
