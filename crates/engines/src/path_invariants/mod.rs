//! Path invariants: counterexamples that are programs, and invariants that refute all their executions at once.
//!
//! A spurious counterexample is a path. With the loops that it goes through it is a program, the *path program*. An invariant of that program, which excludes the
//! error there, refutes the path and all its unrollings in one step. Its conjuncts are the predicates that refine the abstraction.
//!
//! # Paper
//! [PathInvariants06].
//!
//! | paper | here |
//! |---|---|
//! | §3, path programs and path invariants; figure 4 | `path_program`; what a path invariant is: [`invariants::is_path_invariant`] |
//! | §4.1, CEGAR with path invariants; theorem 1 | `cegar`; the abstract states are `abstraction` |
//! | §4.2, generation of path invariants | `invariants` |
//! | §4.2, invariant templates | `invariants/templates` |
//! | §4.2, constraints on template parameters; primed variables and array symbols | `invariants/constraints` |
//! | §4.2, universal quantification, equations 3 to 8 | `invariants/arrays` |
//! | §4.2, implication encoding | `invariants/farkas` |
//! | §5, the order of templates | [`invariants::templates::ORDER`] |
//! | §2, the programs FORWARD, INITCHECK, PARTITION | tests/corpus/path_invariants |
//!
//! Not in the paper: path programs are first given to the summaries of loops (`invariants/summaries`), since §4.1 allows any analysis; and paths for which no path invariant is
//! found are refuted one by one, by interpolants.
//!
//! # Invariants
//! * S1: nothing here is trusted. Unsafe is replayed on the program as given, safe is proved again from its annotation.

mod abstraction;
mod cegar;
mod invariants;
mod path_program;

use base::timeline;
use engine::{Engine, Env, TreeWanted};
use passes::Prepared;
use summary::StarOptions;
use verdict::{Reason, Verdict};

use crate::draw;
use crate::facts_of_others::tell;
use crate::guide::Guidance;
use crate::problem::Problem;
use cegar::Cegar;

/// The engine.
pub(crate) struct PathInvariants {
    /// How loops of path programs are summarised; nothing if templates are all there is.
    pub(crate) summaries: Option<StarOptions>,
}

impl Engine for PathInvariants {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        solve(task, self.summaries, env).unwrap_or_else(Verdict::Unknown)
    }
}

fn solve(task: &Prepared<'_>, summaries: Option<StarOptions>, env: &mut Env<'_>) -> Result<Verdict, Reason> {
    // Facts about all elements of arrays are what path invariants are for.
    let problem = Problem::without_element_facts(task, &mut env.logic)?;
    let (outcome, labels, predicates) = {
        let _stage = timeline::stage("search");
        let mut cegar = Cegar::new(task, &problem.graph, summaries, &mut env.logic);
        let outcome = cegar.run(env.events);
        cegar.report(env.events);
        if env.events.tree_wanted() == TreeWanted::Yes {
            env.events.tree(draw::tree(cegar.space, &cegar.tree, &cegar.logic.terms));
        }
        (outcome, cegar.labels(), cegar.predicates().clone())
    };
    if outcome.is_err() {
        tell(&problem.graph, &predicates, env);
    }
    let outcome = outcome?;
    if let Some(verdict) = outcome {
        return Ok(verdict);
    }
    let guide = Guidance::Anything.guide(&problem.graph, env)?;
    Ok(Verdict::Safe(problem.annotation(&*guide, &labels, &mut env.logic)))
}
