//! The second logic where the first one rounds up: an engine over integers and bounded model checking in bits, in turn.
//!
//! ```text
//!   bits     FIRST ticks
//!   engine   SEARCH ticks
//!   bits     SECOND ticks
//!   engine   what is left
//! ```
//!
//! Bits have two shares and no more: where they do not decide by then, more of them rarely helps, and a run without limits should end. `--logic bits` goes on.
//!
//! Programs all of whose operations are exact in integers are for the engine alone: they lose nothing.
//!
//! # Invariants
//! * I1: who works next is counted in ticks, so the verdict does not depend on the clock.

use cfa::{BinaryOp, Expr, ExprId, Procedure, Program, Ty};
use encode::LogicName;
use engine::{Engine, Env, Settings};
use passes::Prepared;
use verdict::{Reason, Verdict};

use crate::unwinding::{Chosen, Unwinding};

/// Ticks of the first attempt in bits: tenths of a second.
const FIRST: u64 = 1 << 11;
/// Ticks of the engine's first attempt: a few seconds.
const SEARCH: u64 = 1 << 13;
/// Ticks of the second attempt in bits.
const SECOND: u64 = 1 << 14;

/// An engine over integers, with bits in turn.
pub(crate) struct ExactBits {
    /// Makes a fresh engine for each attempt.
    pub(crate) configure: fn(&Settings) -> Box<dyn Engine>,
    /// Its settings.
    pub(crate) settings: Settings,
}

impl Engine for ExactBits {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        let engine = || (self.configure)(&self.settings);
        if task.kept_call().is_some() || !may_round(task.program()) {
            return engine().solve(task, env);
        }
        let bits = || Box::new(Unwinding(Chosen::Always(LogicName::Bits)));
        let turns: [(Option<u64>, Box<dyn Engine>); 4] =
            [(Some(FIRST), bits()), (Some(SEARCH), engine()), (Some(SECOND), bits()), (None, engine())];
        let mut why = Reason::NotProgressing;
        for (ticks, job) in turns {
            match within(ticks, job, task, env) {
                // A reason that is not the end of a share says more.
                Verdict::Unknown(Reason::Stopped(_)) => {}
                Verdict::Unknown(reason) => why = reason,
                decided => return decided,
            }
            if let Err(stop) = env.logic.budget.poll() {
                return Verdict::Unknown(Reason::Stopped(stop));
            }
            env.events.restart();
        }
        Verdict::Unknown(why)
    }
}

/// Lets an engine work for a number of ticks, or as long as it takes.
fn within(ticks: Option<u64>, engine: Box<dyn Engine>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
    let mut share = env.share(env.logic.budget.child(ticks.unwrap_or(u64::MAX)));
    let verdict = engine.solve(task, &mut share);
    env.logic.budget.absorb(&share.logic.budget);
    verdict
}

/// Whether an operation of the program is rounded up in integers and exact in bits, by its form. An operation that the analysis of values makes exact counts, too.
pub(crate) fn may_round(program: &Program) -> bool {
    let procedures = program.procs.iter().flat_map(Procedure::edges);
    let roots = procedures.flat_map(|edge| &edge.ops).flat_map(cfa::Op::exprs);
    let used = values::state::operands_first(program, roots);
    let is_constant = |id: ExprId| matches!(program.exprs.get(id), Expr::Const { .. });
    used.into_iter().any(|id| match *program.exprs.get(id) {
        Expr::Binary { op, lhs, rhs } => match op {
            _ if program.exprs.ty(lhs).is_float() => true,
            _ if program.exprs.ty(lhs) == Ty::BOOL => false,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Mul => {
                !is_constant(lhs) && !is_constant(rhs)
            }
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Div | BinaryOp::Rem => !is_constant(rhs),
            _ => false,
        },
        Expr::Cast { arg, ty } => ty.is_float() || program.exprs.ty(arg).is_float(),
        _ => false,
    })
}
