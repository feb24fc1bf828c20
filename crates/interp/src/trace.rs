//! Compact traces: the edges of a run with repetitions folded.
//!
//! A loop that runs the same way n times takes the space of one iteration and a counter; so do nested loops whose inner
//! counts agree. A trace is a word over edges; folding never changes the word.
//!
//! # Method
//! Symbols are appended to a sequence. When the last p symbols repeat the p before them, both become the body of an open
//! repetition; from then on incoming edges are matched against the body and only a counter grows. At the first
//! mismatch the repetition is closed into one symbol (so it may itself be repeated) and what was matched of the
//! unfinished iteration is appended.
//!
//! # Invariants
//! * T1: the word so far is `items`, then the open repetition `count` times, then the part of its body that the cursor has passed.
//! * T2: `previous[i]` is the position before `i` of the same symbol, `last` the last position of each: periods are found
//!   without search.
//! * T3: `hashes[i]` is the hash of the first `i` items; equal hashes are confirmed item by item before folding.

use rustc_hash::FxHashMap;

use super::observe::{Observer, View, Written};
use super::value::Value;
use cfa::program::{EdgeId, ProcId};

/// Earlier occurrences of a symbol that are tried as start of a repetition.
const CANDIDATES: usize = 16;
/// Longest body of a repetition, in symbols.
const MAX_PERIOD: usize = 1 << 16;
const NONE: u32 = u32::MAX;
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// An edge of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceStep {
    /// The procedure.
    pub proc: ProcId,
    /// Its edge.
    pub edge: EdgeId,
}

/// What a symbol stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Symbol {
    Step(TraceStep),
    Repeat { body: Box<[u32]>, count: u64 },
}

/// Where matching against a repetition stands: inside which symbol, at which item of its body, in which iteration.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    symbol: u32,
    item: usize,
    iteration: u64,
}

#[derive(Clone, Debug)]
struct Open {
    body: Box<[u32]>,
    count: u64,
    /// Items of the body that the current iteration has passed.
    item: usize,
    /// Position inside the item that is being matched, if it is a repetition; innermost last.
    inner: Vec<Cursor>,
}

/// A folded sequence of edges.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    symbols: Vec<Symbol>,
    numbers: FxHashMap<Symbol, u32>,
    items: Vec<u32>,
    hashes: Vec<u64>,
    powers: Vec<u64>,
    previous: Vec<u32>,
    last: Vec<u32>,
    open: Option<Open>,
    length: u64,
}

impl Trace {
    /// The empty trace.
    pub fn new() -> Self {
        Self::default()
    }
    /// Number of edges.
    pub fn len(&self) -> u64 {
        self.length
    }
    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
    /// Number of symbols that are kept: the size of the trace in memory.
    pub fn folded_len(&self) -> usize {
        let bodies: usize = self
            .symbols
            .iter()
            .map(|symbol| match symbol {
                Symbol::Step(_) => 1,
                Symbol::Repeat { body, .. } => body.len() + 1,
            })
            .sum();
        bodies
            + self.items.len()
            + self.open.as_ref().map_or(0, |open| open.body.len() + open.inner.len() + 1)
    }
    /// Appends an edge.
    pub fn push(&mut self, step: TraceStep) {
        self.length += 1;
        let number = self.number(Symbol::Step(step));
        if let Some(open) = &mut self.open {
            if open.matches(&self.symbols, number) {
                return;
            }
            self.close();
        }
        self.append(number);
    }
    fn number(&mut self, symbol: Symbol) -> u32 {
        if let Some(number) = self.numbers.get(&symbol) {
            return *number;
        }
        let number = self.symbols.len() as u32;
        self.symbols.push(symbol.clone());
        self.last.push(NONE);
        self.numbers.insert(symbol, number);
        number
    }
    /// Ends the open repetition: it becomes a symbol, followed by what was matched of an unfinished iteration.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let mut tail: Vec<u32> = open.body[..open.item].to_vec();
        for cursor in &open.inner {
            let Symbol::Repeat { body, .. } = self.symbols[cursor.symbol as usize].clone() else { continue };
            if cursor.iteration > 0 {
                tail.extend(self.repetition(&body, cursor.iteration));
            }
            tail.extend_from_slice(&body[..cursor.item]);
        }
        for number in self.repetition(&open.body, open.count) {
            self.append(number);
        }
        for number in tail {
            // Appending may open a repetition again, which the rest then has to go through.
            self.append_any(number);
        }
    }
    /// The symbols of a body repeated a number of times: the body itself if that is once.
    fn repetition(&mut self, body: &[u32], count: u64) -> Vec<u32> {
        if count == 1 {
            return body.to_vec();
        }
        vec![self.number(Symbol::Repeat { body: body.into(), count })]
    }
    /// Appends a symbol that may be a repetition, whatever is open.
    fn append_any(&mut self, number: u32) {
        if self.open.is_none() {
            return self.append(number);
        }
        // Rare: feed the steps of the symbol one by one.
        for step in Unfold::of(&self.symbols, vec![number]).collect::<Vec<_>>() {
            self.length -= 1;
            self.push(step);
        }
    }
    /// Appends a symbol to the items and folds if they end in a repetition. Nothing is open.
    fn append(&mut self, number: u32) {
        if self.open.is_some() {
            return self.append_any(number);
        }
        self.push_item(number);
        let mut candidate = self.previous[self.items.len() - 1];
        for _ in 0..CANDIDATES {
            if candidate == NONE {
                break;
            }
            let end = self.items.len();
            let period = end - 1 - candidate as usize;
            if period > MAX_PERIOD || 2 * period > end {
                break;
            }
            if self.hash(end - 2 * period, end - period) == self.hash(end - period, end)
                && self.items[end - 2 * period..end - period] == self.items[end - period..]
            {
                let body: Box<[u32]> = self.items[end - period..].into();
                for _ in 0..2 * period {
                    self.pop_item();
                }
                self.open = Some(Open { body, count: 2, item: 0, inner: Vec::new() });
                return;
            }
            candidate = self.previous[candidate as usize];
        }
    }
    fn push_item(&mut self, number: u32) {
        let at = self.items.len();
        let before = if at == 0 { 0 } else { self.hashes[at - 1] };
        self.hashes.push(before.wrapping_mul(MULTIPLIER).wrapping_add(u64::from(number) + 1));
        if self.powers.len() <= at + 1 {
            let power = self.powers.last().map_or(1, |power: &u64| power.wrapping_mul(MULTIPLIER));
            self.powers.push(power);
        }
        self.previous.push(self.last[number as usize]);
        self.last[number as usize] = at as u32;
        self.items.push(number);
    }
    fn pop_item(&mut self) {
        if let (Some(number), Some(previous)) = (self.items.pop(), self.previous.pop()) {
            self.hashes.pop();
            self.last[number as usize] = previous;
        }
    }
    /// Hash of a range of items (T3).
    fn hash(&self, start: usize, end: usize) -> u64 {
        let prefix = if start == 0 { 0 } else { self.hashes[start - 1] };
        let power = self.powers.get(end - start).copied().unwrap_or(1);
        self.hashes[end - 1].wrapping_sub(prefix.wrapping_mul(power))
    }
    /// All edges in order.
    pub fn unfold(&self) -> impl Iterator<Item = TraceStep> + '_ {
        let mut tail = Vec::new();
        let mut repeats = None;
        if let Some(open) = &self.open {
            repeats = Some((&open.body[..], open.count));
            tail.push((&open.body[..open.item], 1));
            for cursor in &open.inner {
                if let Symbol::Repeat { body, .. } = &self.symbols[cursor.symbol as usize] {
                    tail.push((&body[..], cursor.iteration));
                    tail.push((&body[..cursor.item], 1));
                }
            }
        }
        let stretches = std::iter::once((&self.items[..], 1)).chain(repeats).chain(tail);
        stretches.flat_map(move |(body, count)| Unfold {
            symbols: &self.symbols,
            stack: if count == 0 || body.is_empty() { Vec::new() } else { vec![(body, 0, count)] },
        })
    }
}

impl Open {
    /// Matches the next edge; whether it fits.
    fn matches(&mut self, symbols: &[Symbol], number: u32) -> bool {
        let checkpoint = (self.item, self.inner.len());
        // Go down to the step that is expected next.
        loop {
            let expected = match self.inner.last() {
                Some(cursor) => match &symbols[cursor.symbol as usize] {
                    Symbol::Repeat { body, .. } => body[cursor.item],
                    Symbol::Step(_) => return false,
                },
                None => self.body[self.item],
            };
            match &symbols[expected as usize] {
                Symbol::Step(_) if expected == number => break,
                Symbol::Step(_) => {
                    debug_assert!(checkpoint.0 == self.item, "T1: nothing should be passed by a mismatch");
                    self.inner.truncate(checkpoint.1);
                    return false;
                }
                Symbol::Repeat { .. } => self.inner.push(Cursor { symbol: expected, item: 0, iteration: 0 }),
            }
        }
        self.advance(symbols);
        true
    }
    /// Passes the step that was matched, and all ends of bodies behind it.
    fn advance(&mut self, symbols: &[Symbol]) {
        while let Some(cursor) = self.inner.last_mut() {
            let Symbol::Repeat { body, count } = &symbols[cursor.symbol as usize] else { return };
            cursor.item += 1;
            if cursor.item < body.len() {
                return;
            }
            cursor.item = 0;
            cursor.iteration += 1;
            if cursor.iteration < *count {
                return;
            }
            self.inner.pop();
        }
        self.item += 1;
        if self.item == self.body.len() {
            self.item = 0;
            self.count += 1;
        }
    }
}

/// The steps of a sequence of symbols.
struct Unfold<'a> {
    symbols: &'a [Symbol],
    /// Bodies that are being unfolded: next item, iterations left.
    stack: Vec<(&'a [u32], usize, u64)>,
}

impl<'a> Unfold<'a> {
    fn of(symbols: &'a [Symbol], items: Vec<u32>) -> impl Iterator<Item = TraceStep> + 'a {
        items.into_iter().flat_map(move |item| match &symbols[item as usize] {
            Symbol::Step(step) => {
                Box::new(std::iter::once(*step)) as Box<dyn Iterator<Item = TraceStep> + 'a>
            }
            Symbol::Repeat { body, count } => Box::new(Unfold { symbols, stack: vec![(body, 0, *count)] }),
        })
    }
}

impl Iterator for Unfold<'_> {
    type Item = TraceStep;
    fn next(&mut self) -> Option<TraceStep> {
        loop {
            let (body, next, left) = self.stack.last_mut()?;
            if *next == body.len() {
                *next = 0;
                *left -= 1;
                if *left == 0 {
                    self.stack.pop();
                }
                continue;
            }
            let item = body[*next];
            *next += 1;
            match &self.symbols[item as usize] {
                Symbol::Step(step) => return Some(*step),
                Symbol::Repeat { body, count } => self.stack.push((body, 0, *count)),
            }
        }
    }
}

/// An observer that records the trace of a run.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// What happened so far.
    pub trace: Trace,
}

impl Observer for Recorder {
    fn enter(&mut self, _: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.trace.push(TraceStep { proc, edge });
    }
    fn leave(&mut self, _: &View<'_>, _: ProcId, _: EdgeId) {}
    fn wrote(&mut self, _: &View<'_>, _: Written, _: Value) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: u32) -> TraceStep {
        TraceStep { proc: ProcId(0), edge: EdgeId(number) }
    }
    fn fold(word: impl IntoIterator<Item = u32>) -> Trace {
        let mut trace = Trace::new();
        for number in word {
            trace.push(step(number));
        }
        trace
    }
    fn check(word: &[u32]) -> Trace {
        let trace = fold(word.iter().copied());
        let unfolded: Vec<u32> = trace.unfold().map(|step| step.edge.0).collect();
        assert_eq!(unfolded, word);
        assert_eq!(trace.len(), word.len() as u64);
        trace
    }

    #[test]
    fn a_loop_takes_constant_space() {
        let trace = fold((0..3_000_000).map(|index| index % 3));
        assert!(trace.folded_len() < 20, "{}", trace.folded_len());
        assert_eq!(trace.len(), 3_000_000);
        assert!(trace.unfold().enumerate().all(|(index, step)| step.edge.0 == index as u32 % 3));
    }

    #[test]
    fn nested_loops_take_constant_space() {
        let mut word = Vec::new();
        for _ in 0..200 {
            word.push(0);
            for _ in 0..50 {
                word.extend([1, 2]);
                word.extend([3; 5]);
            }
            word.push(4);
        }
        let trace = check(&word);
        assert!(trace.folded_len() < 60, "{}", trace.folded_len());
    }

    #[test]
    fn unfinished_and_broken_repetitions_are_kept() {
        check(&[]);
        check(&[1]);
        check(&[1, 1]);
        check(&[1, 1, 1, 2]);
        check(&[1, 2, 1, 2, 1]);
        check(&[1, 2, 1, 2, 1, 3, 1, 2, 1, 2, 1, 3]);
        check(&[0, 1, 1, 1, 2, 0, 1, 1, 1, 2, 0, 1, 1, 2, 0, 1, 1, 1, 2, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn random_words_survive_folding() {
        let mut state = 12345_u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        for _ in 0..400 {
            let mut word: Vec<u32> = Vec::new();
            for _ in 0..random(8) {
                let piece: Vec<u32> = if word.is_empty() || random(2) == 0 {
                    (0..=random(4)).map(|_| random(3) as u32).collect()
                } else {
                    let start = random(word.len() as u64) as usize;
                    word[start..].to_vec()
                };
                for _ in 0..=random(4) {
                    word.extend(&piece);
                }
                if word.len() > 5000 {
                    break;
                }
            }
            check(&word);
        }
    }
}
