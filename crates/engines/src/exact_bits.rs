//! The second logic where the first one rounds up: an engine over integers, and unwinding and k-induction in bits, in turn.
//!
//! | the program has | who works, with how many ticks |
//! |---|---|
//! | floating point | executions, unwinding 2^12, induction 2^13, engine 2^11, unwinding 2^14, induction 2^15, engine the rest |
//! | bitwise operations on unknown operands, or shifts by them | executions, unwinding 2^12, induction 2^11, engine 2^11, unwinding 2^14, induction 2^12, engine the rest |
//! | products of variables, or divisions by them | engine 2^11, executions, induction over integers 2^11, unwinding 2^11, engine 2^13, unwinding 2^13, induction 2^11, engine the rest |
//! | masks and shifts by constants, or factors that make unsigned numbers wrap around | engine 2^12, unwinding 2^11, engine the rest |
//! | none of these | engine all |
//!
//! Executions are tried where one input of at most 16 bits is all that matters: 65,536 of them, if they are short.
//! The first unwinding has at most one iteration of a loop more than the words have bits on which bitwise operations work: 33, or 65. The second has 65. 2^13 ticks are a second or so of the solver in bits. Bits have these shares and no more: where they do not decide by then, more of them rarely helps, and a run without limits should end.
//! `--logic bits` goes on. Products are more often for the engine, which follows them; masks are exact in integers, and yet some programs of them are trivial in bits. There the engine starts: the size of an array that is allocated is such a factor, and what it proves about arrays takes a few thousand ticks.
//!
//! # Invariants
//! * I1: who works next is counted in ticks, so the verdict does not depend on the clock.

use cfa::{BinaryOp, Expr, ExprId, Procedure, Program, Ty};
use engine::{Engine, Env, Settings};
use passes::Prepared;
use verdict::{Reason, Verdict};

use crate::kind::{Kind, KindInBits};
use crate::run_first::ManyExecutions;
use crate::unwinding::Unwinding;

/// Iterations of a loop over the bits of an `int`, and one more.
const WORD: u32 = 33;
/// Iterations of a loop over the bits of a `long`, and one more.
const LONG_WORD: u32 = 65;

/// An engine over integers, with bits in turn.
pub(crate) struct ExactBits {
    /// Makes a fresh engine for each attempt.
    pub(crate) configure: fn(&Settings) -> Box<dyn Engine>,
    /// Its settings.
    pub(crate) settings: Settings,
}

/// How many iterations are unwound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    /// One more than the words of bitwise operations have bits.
    Word,
    /// One more than those of a `long`.
    LongWord,
}

impl Bound {
    fn iterations(self, program: &Program) -> u32 {
        let is_long = |id: &ExprId| match *program.exprs.get(*id) {
            Expr::Binary {
                op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr,
                lhs,
                ..
            } => {
                matches!(program.exprs.ty(lhs), Ty::Int { width, .. } if u32::from(width) >= WORD)
            }
            _ => false,
        };
        if self == Self::LongWord || used(program).iter().any(is_long) { LONG_WORD } else { WORD }
    }
}

/// Who works next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Unwinding in bits, up to so many iterations, for so many ticks.
    Unwinding(Bound, u64),
    /// K-induction in bits, for so many ticks.
    Induction(u64),
    /// All executions, if they are those of one input of at most 16 bits.
    Executions,
    /// K-induction over integers, for so many ticks.
    Integers(u64),
    /// The engine, for so many ticks.
    Engine(u64),
    /// The engine, as long as it takes.
    Rest,
}

/// How much bits have to say about a program, by the form of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Suits {
    /// Nothing: all operations are simple in integers.
    Not,
    /// Exact in integers, but not simple.
    Masks,
    /// Products of variables.
    Products,
    /// Bitwise operations.
    Bitwise,
    /// Floating point, which is rounded up in integers, and whose circuits are large.
    Floats,
}

impl Suits {
    fn turns(self) -> &'static [Turn] {
        use Turn::{Engine, Executions, Induction, Integers, Rest, Unwinding};
        match self {
            Self::Not => &[Rest],
            Self::Masks => &[Engine(1 << 12), Unwinding(Bound::Word, 1 << 11), Rest],
            Self::Products => &[
                Engine(1 << 11),
                Executions,
                Integers(1 << 11),
                Unwinding(Bound::Word, 1 << 11),
                Engine(1 << 13),
                Unwinding(Bound::LongWord, 1 << 13),
                Induction(1 << 11),
                Rest,
            ],
            Self::Bitwise => &[
                Executions,
                Unwinding(Bound::Word, 1 << 12),
                Induction(1 << 11),
                Engine(1 << 11),
                Unwinding(Bound::LongWord, 1 << 14),
                Induction(1 << 12),
                Rest,
            ],
            Self::Floats => &[
                Executions,
                Unwinding(Bound::Word, 1 << 12),
                Induction(1 << 13),
                Engine(1 << 11),
                Unwinding(Bound::LongWord, 1 << 14),
                Induction(1 << 15),
                Rest,
            ],
        }
    }
}

impl Engine for ExactBits {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        let engine = || (self.configure)(&self.settings);
        let suits = if task.kept_call().is_some() { Suits::Not } else { suits(task.program()) };
        let (mut why, mut has_given_up) = (Reason::NotProgressing, false);
        for turn in suits.turns() {
            let (ticks, job): (u64, Box<dyn Engine>) = match *turn {
                Turn::Unwinding(bound, ticks) => {
                    (ticks, Box::new(Unwinding::in_bits(bound.iterations(task.program()))))
                }
                Turn::Induction(ticks) => (ticks, Box::new(KindInBits)),
                Turn::Executions => (u64::MAX, Box::new(ManyExecutions)),
                Turn::Integers(ticks) => (ticks, Box::new(Kind)),
                // It would give up again.
                Turn::Engine(_) | Turn::Rest if has_given_up => continue,
                Turn::Engine(ticks) => (ticks, engine()),
                Turn::Rest => (u64::MAX, engine()),
            };
            match within(ticks, job, task, env) {
                // A reason that is not the end of a share or of a bound says more, and one of the engine more than that induction has not succeeded.
                stopped @ Verdict::Unknown(Reason::Stopped(_)) if *turn == Turn::Rest => return stopped,
                Verdict::Unknown(Reason::Stopped(_)) => {}
                Verdict::Unknown(Reason::NotProgressing)
                    if matches!(turn, Turn::Unwinding(..) | Turn::Executions) => {}
                Verdict::Unknown(_) if matches!(turn, Turn::Induction(_) | Turn::Integers(_)) => {}
                Verdict::Unknown(reason) => {
                    has_given_up |= matches!(turn, Turn::Engine(_) | Turn::Rest);
                    why = reason;
                }
                decided => return decided,
            }
            if *turn == Turn::Rest && matches!(why, Reason::LongCounterexample { .. }) {
                // This says more than that the time is over.
                break;
            }
            if let Err(stop) = env.logic.budget.poll() {
                return Verdict::Unknown(Reason::Stopped(stop));
            }
            env.events.restart();
        }
        Verdict::Unknown(why)
    }
}

/// Lets an engine work for a number of ticks.
fn within(ticks: u64, engine: Box<dyn Engine>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
    let mut share = env.share(env.logic.budget.child(ticks));
    let verdict = engine.solve(task, &mut share);
    env.logic.budget.absorb(&share.logic.budget);
    verdict
}

/// Whether an operation of the program is rounded up in integers and exact in bits, by its form. An operation that the analysis of values makes exact counts, too.
pub(crate) fn may_round(program: &Program) -> bool {
    suits(program) >= Suits::Products
}

/// All expressions that operations evaluate.
pub(crate) fn used(program: &Program) -> Vec<ExprId> {
    let procedures = program.procs.iter().flat_map(Procedure::edges);
    let roots = procedures.flat_map(|edge| &edge.ops).flat_map(cfa::Op::exprs);
    values::state::operands_first(program, roots)
}

/// How much bits have to say about a program: as much as about any of its operations.
fn suits(program: &Program) -> Suits {
    used(program).into_iter().map(|id| suits_expression(program, id)).max().unwrap_or(Suits::Not)
}

fn suits_expression(program: &Program, id: ExprId) -> Suits {
    let is_constant = |id: ExprId| matches!(program.exprs.get(id), Expr::Const { .. });
    match *program.exprs.get(id) {
        Expr::Binary { op, lhs, rhs } => match op {
            _ if program.exprs.ty(lhs).is_float() => Suits::Floats,
            _ if program.exprs.ty(lhs) == Ty::BOOL => Suits::Not,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if is_constant(lhs) || is_constant(rhs) => {
                Suits::Masks
            }
            BinaryOp::Shr if is_constant(rhs) => Suits::Masks,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Suits::Bitwise,
            BinaryOp::Shl | BinaryOp::Shr if !is_constant(rhs) => Suits::Bitwise,
            BinaryOp::Mul if !is_constant(lhs) && !is_constant(rhs) => Suits::Products,
            BinaryOp::Mul if !program.exprs.ty(lhs).is_signed() => Suits::Masks,
            BinaryOp::Div | BinaryOp::Rem if !is_constant(rhs) => Suits::Products,
            _ => Suits::Not,
        },
        Expr::Cast { arg, ty } if ty.is_float() || program.exprs.ty(arg).is_float() => Suits::Floats,
        _ => Suits::Not,
    }
}
