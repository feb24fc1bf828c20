//! Choices of a run of the prepared program as choices of the program as given.
//!
//! The passes remove choices that do not matter, and copy those of procedures that are called more than once. The back-translation gives for each choosing
//! operation the operation of the given program that it stands for, and its activation. So two choices on one line, in one macro or in two calls of one
//! function are told apart.
//!
//! # Recursion
//! The activations of the given program are the nodes of a tree, whose edges are calls. The tree is built as far as choices need it; the guesses among the
//! choices say which activation is at hand.
//! * [`Guess::Fails`]: a call does not return. What follows belongs to the activation that it starts.
//! * [`Guess::Innermost`]: the activations of a linear recursion begin, with the innermost one.
//! * [`Guess::Caller`]: the activation that called the last one begins. So they come inside out, and only the last one turns out to be the one that was called from
//!   outside of the recursion.
//!
//! Calls that are jumps now start no node of their own. Calls that stay are carried out in the order of the given program: what is chosen in their activations
//! is kept by operation, in order.
//!
//! # Invariants
//! * C1: a choice answers only the operation that it was made for, in the same activation (up to jumps); the answers of one operation in one
//!   activation keep their order.
//! * C2: what memory holds that was never written is chosen when it is first read. The passes choose it where the object is made, and say which bits they are; it answers
//!   the question for these bits of that object.
//!
//! # Cost
//! Linear in the choices, and in the calls of the run that is answered.

use std::collections::{BTreeMap, VecDeque};

use base::{IndexVec, newtype_index};
use cfa::{Guess, Source, Ty};
use interp::{Choice, Chosen, Creator, Oracle, Position, Request};
use rustc_hash::FxHashMap;

use super::back::Link;
use super::prepared::Prepared;

/// An operation in an activation of its procedure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpInstance {
    /// The calls that lead to the activation, outermost first, without those that are jumps in the prepared program.
    pub calls: Vec<Position>,
    /// The operation.
    pub at: Position,
}

/// An operation of the given program in an activation, as far as a position in the prepared program tells.
struct Origin {
    links: Vec<Link>,
    at: Position,
    /// Set if it chooses what the object holds that the given operation makes.
    contents: Option<Bits>,
}

/// A part of an object: first bit and number of bits.
type Bits = (i64, i64);

impl Prepared<'_> {
    /// Where a run of the given program is asked; nothing if no operation asks.
    pub fn instance_of(&self, request: &Request<'_>) -> Option<OpInstance> {
        let calls = request.calls.positions().filter(|call| !self.back().is_jump(*call));
        Some(OpInstance { calls: calls.collect(), at: request.at? })
    }

    /// What an operation of the prepared program that is executed under some calls is in the given one; nothing for
    /// what a pass has added, and for one of the activations of a linear recursion.
    pub fn instance_back(
        &self,
        calls: impl IntoIterator<Item = Position>,
        at: Position,
    ) -> Option<OpInstance> {
        let mut chain = Vec::new();
        for position in calls.into_iter().chain([at]) {
            let Origin { links, at, .. } = self.origin(position)?;
            for link in links {
                match link {
                    Link::Call(call) => chain.push(call),
                    Link::Round => return None,
                }
            }
            chain.push(at);
        }
        let at = chain.pop()?;
        Some(OpInstance { calls: chain, at })
    }

    /// The given operation of a prepared one, and the inlined calls that lead to it.
    fn origin(&self, position: Position) -> Option<Origin> {
        let back = self.back();
        let edge = back.edge(position.proc, position.edge);
        let (step, op) = edge.op(position.op as usize)?;
        let at = Position { proc: step.proc, edge: step.edge, op };
        Some(Origin { links: back.links(step.context), at, contents: edge.contents(position.op as usize) })
    }

    /// An oracle for a run of the given program that answers like a run of the prepared one.
    pub fn choices_back(&self, choices: &[Chosen]) -> Answers<'_> {
        let mut builder = Builder::new();
        let mut origins: FxHashMap<Position, Option<Origin>> = FxHashMap::default();
        let mut called: BTreeMap<Position, VecDeque<u128>> = BTreeMap::new();
        let entry = self.program().entry;
        for chosen in choices {
            let Some(at) = chosen.at else { continue };
            let Some(origin) = origins.entry(at).or_insert_with(|| self.origin(at)) else { continue };
            if at.proc == entry {
                builder.add(chosen, origin);
            } else if !matches!(chosen.source, Source::Guess(_)) && origin.contents.is_none() {
                called.entry(origin.at).or_default().push_back(chosen.value.bits);
            }
        }
        let (tree, path) = (builder.finish(), Vec::new());
        Answers { task: self, tree, called, path, objects: Objects::AsChosen, count: 0 }
    }
}

newtype_index!(
    /// An activation of the given program, up to jumps and to loops around calls.
    NodeId,
    "activation"
);

/// The activations in which something is answered.
#[derive(Clone, Debug, Default)]
struct Tree {
    nodes: IndexVec<NodeId, Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// The activations that calls start. Few, so a list will do.
    called: Vec<(Position, NodeId)>,
    /// Answers to operations.
    answers: Vec<(Position, VecDeque<u128>)>,
    /// What the objects that an operation makes hold before they are written, in the order in which they are made.
    contents: BTreeMap<(Position, Bits), Vec<u128>>,
}

impl Tree {
    const ROOT: NodeId = NodeId(0);

    fn find(&self, node: NodeId, call: Position) -> Option<NodeId> {
        let called = self.nodes[node].called.iter();
        called.into_iter().find(|(at, _)| *at == call).map(|(_, node)| *node)
    }

    /// The activation that a call starts, which is added if there is none.
    fn enter(&mut self, node: NodeId, call: Position) -> NodeId {
        self.find(node, call).unwrap_or_else(|| {
            let new = self.nodes.push(Node::default());
            self.nodes[node].called.push((call, new));
            new
        })
    }

    fn answers(&mut self, node: NodeId, at: Position) -> &mut VecDeque<u128> {
        let answers = &mut self.nodes[node].answers;
        let index = answers.iter().position(|(other, _)| *other == at).unwrap_or_else(|| {
            answers.push((at, VecDeque::new()));
            answers.len() - 1
        });
        &mut answers[index].1
    }

    /// Puts what one activation has behind what another one has.
    fn merge(&mut self, from: NodeId, to: NodeId) {
        let mut pending = vec![(from, to)];
        while let Some((from, to)) = pending.pop() {
            let Node { called, answers, contents } = std::mem::take(&mut self.nodes[from]);
            for (part, mut values) in contents {
                self.nodes[to].contents.entry(part).or_default().append(&mut values);
            }
            for (at, mut values) in answers {
                self.answers(to, at).append(&mut values);
            }
            for (call, node) in called {
                match self.find(to, call) {
                    Some(known) => pending.push((node, known)),
                    None => self.nodes[to].called.push((call, node)),
                }
            }
        }
    }
}

/// A linear recursion whose activations are being told.
struct Recursion {
    /// Where it was called from outside.
    outermost: NodeId,
    /// The activation at hand, the outermost one so far. It has no caller yet.
    current: NodeId,
}

/// Builds the tree from the choices of a run, in order.
struct Builder {
    tree: Tree,
    /// Where chains start: the entry procedure, or the last activation that does not return.
    start: NodeId,
    /// The recursions around the last choice, outer ones first.
    open: Vec<Recursion>,
}

impl Builder {
    fn new() -> Self {
        let mut tree = Tree::default();
        let start = tree.nodes.push(Node::default());
        Self { tree, start, open: Vec::new() }
    }

    fn add(&mut self, chosen: &Chosen, origin: &Origin) {
        let is_taken = chosen.value.bits != 0;
        match &chosen.source {
            Source::Guess(Guess::Innermost) => self.begin(origin),
            Source::Guess(Guess::Caller) if is_taken => self.enclose(origin),
            Source::Guess(Guess::Fails) if is_taken => {
                let (node, _) = self.locate(&origin.links);
                self.close(0);
                self.start = self.tree.enter(node, origin.at);
            }
            Source::Guess(_) => {}
            _ => {
                let (node, depth) = self.locate(&origin.links);
                self.close(depth);
                match origin.contents {
                    Some(bits) => {
                        let contents = &mut self.tree.nodes[node].contents;
                        contents.entry((origin.at, bits)).or_default().push(chosen.value.bits);
                    }
                    None => self.tree.answers(node, origin.at).push_back(chosen.value.bits),
                }
            }
        }
    }

    /// The activation of a chain, and how many of the open recursions it lies in. Recursions that it shows to be over are closed.
    fn locate(&mut self, links: &[Link]) -> (NodeId, usize) {
        let (mut node, mut depth) = (self.start, 0);
        for link in links {
            match link {
                Link::Call(call) => node = self.tree.enter(node, *call),
                Link::Round => {
                    if self.open.get(depth).is_none_or(|open| open.outermost != node) {
                        self.close(depth);
                        let current = self.tree.nodes.push(Node::default());
                        self.open.push(Recursion { outermost: node, current });
                    }
                    node = self.open[depth].current;
                    depth += 1;
                }
            }
        }
        (node, depth)
    }

    /// A linear recursion begins. The chain ends with its link.
    fn begin(&mut self, origin: &Origin) {
        let outer = origin.links.iter().rposition(|link| *link == Link::Round);
        let (outermost, depth) = self.locate(&origin.links[..outer.unwrap_or(0)]);
        self.close(depth);
        let current = self.tree.nodes.push(Node::default());
        self.open.push(Recursion { outermost, current });
    }

    /// The activation at hand was called by another one.
    fn enclose(&mut self, origin: &Origin) {
        let rounds = origin.links.iter().rposition(|link| *link == Link::Round);
        let (outer, inner) = origin.links.split_at(rounds.map_or(0, |at| at + 1));
        let (_, depth) = self.locate(outer);
        self.close(depth);
        let Some(recursion) = self.open.last_mut() else { return };
        let caller = self.tree.nodes.push(Node::default());
        let called = std::mem::replace(&mut recursion.current, caller);
        let mut node = caller;
        for link in inner {
            if let Link::Call(call) = link {
                node = self.tree.enter(node, *call);
            }
        }
        self.tree.nodes[node].called.push((origin.at, called));
    }

    /// Ends all but the first recursions: the activation at hand is the one that was called from outside.
    fn close(&mut self, depth: usize) {
        while self.open.len() > depth {
            if let Some(Recursion { outermost, current }) = self.open.pop() {
                self.tree.merge(current, outermost);
            }
        }
    }

    fn finish(mut self) -> Tree {
        self.close(0);
        self.tree
    }
}

/// Which object a pointer from outside leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// That of its number.
    AsChosen,
    /// One of its own: the prepared program may have read different values behind equal pointers.
    Distinct,
}

/// Answers by operation and activation, zero to questions that nobody has answered.
#[derive(Clone, Debug)]
pub struct Answers<'t> {
    task: &'t Prepared<'t>,
    tree: Tree,
    /// What is chosen in calls that stay, by operation.
    called: BTreeMap<Position, VecDeque<u128>>,
    objects: Objects,
    /// How many objects from outside pointers have led to.
    count: u64,
    /// The activations of the last question with their numbers, outermost first; nothing where nobody has answers.
    path: Vec<(u64, Option<NodeId>)>,
}

impl Answers<'_> {
    /// The same answers with other objects.
    #[must_use]
    pub fn with(self, objects: Objects) -> Self {
        Self { objects, ..self }
    }

    /// How many objects from outside were asked for.
    pub fn objects(&self) -> u64 {
        self.count
    }

    /// The number of an object in place of another one.
    fn object(&mut self, request: &Request<'_>, bits: u128) -> u128 {
        let is_outside = matches!(
            request.source,
            Source::Outside | Source::Argument { .. } | Source::Global { .. } | Source::Extern { .. }
        );
        if request.ty != Ty::Ptr || !is_outside || bits == 0 {
            return bits;
        }
        self.count += 1;
        if self.objects == Objects::Distinct { u128::from(self.count) } else { bits }
    }

    /// The activation in which a question is asked.
    fn locate(&mut self, request: &Request<'_>) -> Option<NodeId> {
        let calls = request.calls;
        // Activations that have the same number are the same, and so are all around them.
        self.path.truncate(calls.depth());
        while let Some((number, _)) = self.path.last() {
            let activation = calls.activation(self.path.len() - 1);
            if activation.is_some_and(|(other, _)| other == *number) {
                break;
            }
            self.path.pop();
        }
        while let Some((number, call)) = calls.activation(self.path.len()) {
            let caller = self.path.last().map_or(Some(Tree::ROOT), |(_, node)| *node);
            let node = match call {
                Some(call) if !self.task.back().is_jump(call) => {
                    caller.and_then(|caller| self.tree.find(caller, call))
                }
                _ => caller,
            };
            self.path.push((number, node));
        }
        self.path.last().and_then(|(_, node)| *node)
    }

    /// The activation in which an object was made, and how many objects its operation made there before. Activations that jumps start are one; each of them is taken
    /// to make one object, which is right for the variables of a procedure.
    fn creation(&self, creator: &Creator) -> Option<(NodeId, usize)> {
        let (mut node, mut occurrence) = (Tree::ROOT, creator.occurrence as usize);
        for call in &creator.calls {
            if self.task.back().is_jump(*call) {
                occurrence += 1;
            } else {
                node = self.tree.find(node, *call)?;
            }
        }
        Some((node, occurrence))
    }

    /// What an object holds at the place that is asked for, as far as it was chosen.
    fn held(&self, request: &Request<'_>) -> Option<u128> {
        let place = request.memory?;
        let (node, occurrence) = self.creation(place.creator)?;
        let start = i64::from(place.offset) * 8;
        let width = match request.ty {
            Ty::Int { width, .. } => (i64::from(width) + 7) / 8 * 8,
            Ty::Float(_) | Ty::Ptr => 64,
        };
        let (mut bits, mut is_known) = (0, false);
        for ((at, (from, count)), values) in &self.tree.nodes[node].contents {
            let is_part = *from >= start && from + count <= start + width && width <= 128;
            if *at == place.creator.at
                && is_part
                && let Some(value) = values.get(occurrence)
            {
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
        let at = request.at?;
        let known = self.locate(request).and_then(|node| self.tree.answers(node, at).pop_front());
        known.or_else(|| self.called.get_mut(&at)?.pop_front())
    }
}

impl Oracle for Answers<'_> {
    fn choose(&mut self, request: &Request<'_>) -> Option<Choice> {
        let bits = self.next(request).map(|bits| self.object(request, bits));
        Some(bits.map_or(Choice::Int(0), Choice::Bits))
    }
}
