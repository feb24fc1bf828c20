//! Checks of a program one by one: how the question of the command line becomes a plan, and its answer a report.

use std::time::Instant;

use base::{Budget, timeline};
use certify::Certified;
use cfa::Program;
use checks::{Audit, Goal, Inputs, NoEarlier, Plan, Unreached};
use engine::Env;
use passes::Prepared;
use report::{Extras, Scope, Table};
use verdict::{Reason, Verdict};

use super::check::{find_engine, settings};
use super::solve::Outcome;
use crate::args::{CheckArgs, Unreachable, passes_without};
use crate::cache::{Cache, Parts};
use crate::export::{Export, Exported};
use crate::failure::Failure;
use crate::property::Property;
use crate::resolve::{Answer, Request};

/// Whether the answer to a request needs a verdict for each check: it is about each, or the property has many places where it can be violated.
pub(super) fn is_audited(request: &Request) -> bool {
    let has_many = matches!(request.property, Property::NoOverflow | Property::Memory { .. });
    request.answer != Answer::Property || has_many
}

/// Some files are about one property.
pub(super) fn refuse_several(args: &CheckArgs, request: &Request) -> Result<(), Failure> {
    let option = match (&args.record.emit_chc, &args.files.certificate) {
        _ if !is_audited(request) => return Ok(()),
        (Some(_), _) => "--emit-chc",
        (None, Some(_)) => "--certificate",
        (None, None) => return Ok(()),
    };
    let help = "`--check none` asks about assertions alone, `--property` about one property";
    let message = format!("{option} is about one property, and several checks are asked for");
    Err(Failure::usage(message, help))
}

/// What is to be checked.
pub(super) struct Work<'a> {
    pub(super) args: &'a CheckArgs,
    pub(super) request: &'a Request,
    pub(super) task: &'a Prepared<'a>,
}

/// What was found out about each check.
pub(super) struct Audited {
    pub(super) audit: Audit,
    /// What was found out about each violation.
    pub(super) found: Vec<Exported>,
    unreached: Unreached,
}

/// The same with all that reports show.
pub(super) struct Finished {
    pub(super) audit: Audit,
    extras: Vec<Extras>,
    unreached: Unreached,
}

impl Work<'_> {
    /// Checks the program. The evidence of an earlier run is looked at first.
    pub(super) fn audit(
        &self,
        earlier: Vec<String>,
        export: &mut Export<'_>,
        env: &mut Env<'_>,
    ) -> Result<(Outcome, Audited), Failure> {
        let Self { args, request, task } = *self;
        let stage = timeline::stage("engine");
        let settings = settings(args);
        let goal = if request.answer == Answer::Property { Goal::Any } else { Goal::Each };
        let inputs = if args.search.no_shrink { Inputs::AsFound } else { Inputs::Smallest };
        let passes = passes_without(&args.search.without_pass);
        let engine = find_engine(args.search.engine())?;
        let plan = Plan { engine, settings: &settings, passes, goal, inputs };
        let audit = if earlier.is_empty() {
            checks::audit(task.given(), &plan, &mut NoEarlier, export, env)
        } else {
            checks::audit(task.given(), &plan, &mut Parts { texts: earlier }, export, env)
        };
        drop(stage);
        let unreached = match request.answer {
            Answer::Checks(Unreachable::Reported) => self.unreached(&audit, &plan, env),
            Answer::Checks(Unreachable::Ignored) | Answer::Property => Unreached::default(),
        };
        let budget = &mut env.logic.budget;
        let certified = verdict(task, &audit, budget);
        let (ticks, shrinking) = (audit.certification, audit.shrinking);
        let outcome = Outcome { certified, solved_at: Instant::now(), ticks, shrinking };
        let found = export.take_found();
        Ok((outcome, Audited { audit, found, unreached }))
    }

    /// What no execution gets to. Where a check fails or is open, the start has executions, or nobody is misled.
    fn unreached(&self, audit: &Audit, plan: &Plan<'_>, env: &mut Env<'_>) -> Unreached {
        let given = self.task.given();
        let mut unreached =
            checks::unreached(given, &audit.checks, &mut env.logic.budget).unwrap_or_default();
        if audit.violations.is_empty() && audit.first_open().is_none() {
            unreached.statements.extend(checks::never_called(given, plan, env));
        }
        unreached
    }
}

/// One verdict for all checks: the first violation, the first proof if all hold, or why one of them is open.
fn verdict(task: &Prepared<'_>, audit: &Audit, budget: &mut Budget) -> Certified {
    if let Some(violated) = audit.violations.first() {
        return violated.certified.clone();
    }
    match (audit.first_open(), audit.proofs.first()) {
        (None, Some(proved)) => proved.certified.clone(),
        (Some(reason), _) => certify::certify(task, Verdict::Unknown(reason.clone()), budget),
        // There is nothing to check, and the time was over before that was proved.
        (None, None) => {
            Certified::unknown(budget.poll().map_or_else(Reason::Stopped, |()| Reason::NotProgressing))
        }
    }
}

impl Audited {
    /// Takes what was exported for the first violation.
    pub(super) fn first(&mut self) -> Option<Exported> {
        self.found.first_mut().map(std::mem::take)
    }
    /// Keeps the evidence, if it is that of one proof at most, and of violations.
    pub(super) fn keep(&self, cache: &Cache) {
        let Audit { violations, proofs, is_earlier, certification, .. } = &self.audit;
        if *is_earlier || proofs.len() > 1 || self.audit.first_open().is_some() {
            return;
        }
        let violations = violations.iter().map(|violated| &violated.certified);
        let all: Vec<&Certified> = violations.chain(proofs.iter().map(|proved| &proved.certified)).collect();
        cache.keep_parts(&all, *certification);
    }

    /// What reports show; `first` was found out about the first violation.
    pub(super) fn finish(
        self,
        program: &Program,
        first: &Extras,
        scope: Option<Scope>,
        budget: &Budget,
    ) -> Finished {
        let mut extras: Vec<Extras> = self.found.into_iter().map(|exported| exported.extras).collect();
        for (number, (extras, violated)) in extras.iter_mut().zip(&self.audit.violations).enumerate() {
            if number == 0 {
                *extras = Extras {
                    opinion: first.opinion.clone(),
                    steps: first.steps.clone(),
                    ..Extras::default()
                };
            } else if let (Verdict::Unsafe(trace), Some(scope)) = (violated.certified.verdict(), scope) {
                extras.steps = report::steps(program, trace, scope, budget);
            }
        }
        Finished { audit: self.audit, extras, unreached: self.unreached }
    }
}

impl Finished {
    /// For reports.
    pub(super) fn table(&self) -> Table<'_> {
        Table { audit: &self.audit, extras: &self.extras, unreached: &self.unreached }
    }
}
