//! Choices of a run of the prepared program as choices of the program as given.
//!
//! The passes remove choices that do not matter and copy those of procedures that are called more than once. The
//! back-translation gives for each choosing operation the operation of the given program that it stands for, and its
//! activation. So two choices on one line, in one macro or in two calls of one function are told apart.
//!
//! # Invariants
//! * C1: a choice answers only the operation that it was made for, in the same activation; the answers of one
//!   operation keep their order.
//! * C2: what memory holds that was never written is chosen when it is first read. The passes choose it where the object is made, and say which bits they are; it answers
//!   the question for these bits of that object.

use std::collections::{BTreeMap, VecDeque};

use cfa::Ty;
use interp::{Choice, Chosen, Creator, Oracle, Position, Request};
use rustc_hash::FxHashMap;

use super::back::Context;
use super::prepared::Prepared;

/// An operation in an activation of its procedure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpInstance {
    /// The calls that lead to the activation, outermost first.
    pub calls: Vec<Position>,
    /// The operation.
    pub at: Position,
}

impl OpInstance {
    /// Where a question is asked; nothing if no operation asks it.
    pub fn of(request: &Request<'_>) -> Option<Self> {
        Some(Self { calls: request.calls.positions().collect(), at: request.at? })
    }
}

impl Prepared<'_> {
    /// What an operation of the prepared program that is executed under some calls is in the given one; nothing for
    /// what a pass has added.
    pub fn instance_back(
        &self,
        calls: impl IntoIterator<Item = Position>,
        at: Position,
    ) -> Option<OpInstance> {
        let mut chain = Vec::new();
        for call in calls {
            let call = self.translate(&mut chain, call)?;
            chain.push(call);
        }
        let at = self.translate(&mut chain, at)?;
        Some(OpInstance { calls: chain, at })
    }

    /// The given operation of a prepared one; the inlined calls that lead to it are added to a chain.
    fn translate(&self, chain: &mut Vec<Position>, position: Position) -> Option<Position> {
        let back = self.back();
        let (step, op) = back.edge(position.proc, position.edge).op(position.op as usize)?;
        let inlined = |call: Context| Position { proc: call.proc, edge: call.edge, op: call.op };
        chain.extend(back.calls(step.context).into_iter().map(inlined));
        Some(Position { proc: step.proc, edge: step.edge, op })
    }

    /// An oracle for a run of the given program that answers like a run of the prepared one in its entry procedure.
    pub fn choices_back(&self, choices: &[Chosen]) -> Answers {
        let mut answers = Answers::default();
        let mut queues: FxHashMap<Position, Option<usize>> = FxHashMap::default();
        let mut made: FxHashMap<Position, u32> = FxHashMap::default();
        let entry = self.program().entry;
        for chosen in choices {
            let Some(at) = chosen.at.filter(|at| at.proc == entry) else { continue };
            if let Some(bits) = self.back().edge(at.proc, at.edge).contents(at.op as usize) {
                let occurrence = made.entry(at).or_default();
                if let Some(OpInstance { calls, at }) = self.instance_back([], at) {
                    let creator = Creator { calls, at, occurrence: *occurrence };
                    answers.contents.entry(creator).or_default().insert(bits, chosen.value.bits);
                }
                *occurrence += 1;
                continue;
            }
            let queue = queues.entry(at).or_insert_with(|| Some(answers.queue(self.instance_back([], at)?)));
            if let Some(queue) = *queue {
                answers.queues[queue].values.push_back(chosen.value.bits);
            }
        }
        answers
    }
}

/// Answers by operation and activation, zero to questions that nobody has answered.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    queues: Vec<Queue>,
    /// The queues of an operation.
    of_op: FxHashMap<Position, Vec<usize>>,
    /// What objects hold before they are written: first bit and number of bits to the bits.
    contents: FxHashMap<Creator, BTreeMap<(i64, i64), u128>>,
}

/// What is left for an operation in one activation.
#[derive(Clone, Debug)]
struct Queue {
    calls: Vec<Position>,
    values: VecDeque<u128>,
}

impl Answers {
    /// The queue of an operation in an activation, which is added if there is none.
    fn queue(&mut self, instance: OpInstance) -> usize {
        let of_op = self.of_op.entry(instance.at).or_default();
        let known = of_op.iter().find(|queue| self.queues[**queue].calls == instance.calls);
        known.copied().unwrap_or_else(|| {
            self.queues.push(Queue { calls: instance.calls, values: VecDeque::new() });
            of_op.push(self.queues.len() - 1);
            self.queues.len() - 1
        })
    }

    /// What an object holds at the place that is asked for, as far as it was chosen.
    fn held(&self, request: &Request<'_>) -> Option<u128> {
        let place = request.memory?;
        let contents = self.contents.get(place.creator)?;
        let start = i64::from(place.offset) * 8;
        let width = match request.ty {
            Ty::Int { width, .. } => (i64::from(width) + 7) / 8 * 8,
            Ty::Float(_) | Ty::Ptr => 64,
        };
        let (mut bits, mut is_known) = (0, false);
        for ((from, count), value) in contents {
            if *from >= start && from + count <= start + width && width <= 128 {
                bits |= value << (from - start);
                is_known = true;
            }
        }
        is_known.then_some(bits)
    }

    fn next(&mut self, request: &Request<'_>) -> Option<u128> {
        if let Some(held) = self.held(request) {
            return Some(held);
        }
        let of_op = self.of_op.get(&request.at?)?;
        let is_asked = |queue: &&usize| {
            let calls = self.queues[**queue].calls.iter().copied();
            calls.eq(request.calls.positions())
        };
        let queue = *of_op.iter().find(is_asked)?;
        self.queues[queue].values.pop_front()
    }
}

impl Oracle for Answers {
    fn choose(&mut self, request: &Request<'_>) -> Option<Choice> {
        Some(self.next(request).map_or(Choice::Int(0), Choice::Bits))
    }
}
