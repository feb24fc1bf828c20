//! Spacer of the linked Z3, as a second opinion on Horn clauses.

use std::time::Duration;

use z3::{Context, Fixedpoint, FuncDecl, Params, SatResult, Sort};

use super::contain::contain;

/// What Spacer says about a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Derivable {
    /// It is derived for some arguments.
    Yes,
    /// It is never derived.
    No,
    /// It is not known.
    Unknown(String),
}

/// Whether a relation without arguments is derived by rules, which are given as text of Z3's fixed-point engines.
pub fn spacer(rules: &str, relation: &str, limit: Option<Duration>) -> Derivable {
    let answer = contain(|| {
        let _context = Context::thread_local();
        let engine = Fixedpoint::new();
        let mut parameters = Params::new();
        parameters.set_symbol("engine", "spacer");
        if let Some(limit) = limit {
            parameters.set_u32("timeout", u32::try_from(limit.as_millis()).unwrap_or(u32::MAX));
        }
        engine.set_params(&parameters);
        engine.from_string(rules)?;
        let goal = FuncDecl::new(relation, &[], &Sort::bool());
        Ok::<_, String>(match engine.query_relations(&[&goal]) {
            SatResult::Sat => Derivable::Yes,
            SatResult::Unsat => Derivable::No,
            SatResult::Unknown => Derivable::Unknown(engine.get_reason_unknown()),
        })
    });
    match answer {
        Ok(Ok(answer)) => answer,
        Ok(Err(message)) | Err(message) => Derivable::Unknown(message),
    }
}
