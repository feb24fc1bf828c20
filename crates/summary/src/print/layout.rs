//! A formula as lines: one conjunct each, alternatives indented below each other.
//!
//! ```text
//!   i' = i + k
//!   if k ≥ 1:
//!     i' ≤ n
//!   either
//!     x = 1
//!   or
//!     x ≥ 3
//! ```

use term::print::{Names, text_with};
use term::{Node, SymbolKind, TermId, Terms};

/// Deeper structure is written in one line.
const MAX_DEPTH: usize = 12;
/// No more lines are ever made: a formula is a graph, its text may be exponentially longer.
const MAX_LINES: usize = 20_000;

/// One line of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How far it is indented.
    pub depth: usize,
    /// What it says.
    pub text: String,
}

/// The lines of a formula; a line is cut after about `width` bytes.
pub(super) fn layout(terms: &mut Terms, formula: TermId, names: &Names<'_>, width: usize) -> Vec<Line> {
    let mut writer = Writer { terms, names, width, count: 0 };
    writer.block(formula, 0)
}

/// Whether lines are missing because there are too many.
pub(super) fn is_cut(lines: &[Line]) -> bool {
    lines.len() >= MAX_LINES
}

/// How a conjunct is written.
enum Part {
    Line(TermId),
    /// Holds if the condition does.
    If(TermId, TermId),
    Either(Vec<TermId>),
}

struct Writer<'a> {
    terms: &'a mut Terms,
    names: &'a Names<'a>,
    width: usize,
    /// Lines made so far.
    count: usize,
}

impl Writer<'_> {
    /// The lines of a conjunction. Their order is that of the texts, so that it does not depend on how the formula came about.
    fn block(&mut self, formula: TermId, depth: usize) -> Vec<Line> {
        if depth >= MAX_DEPTH {
            return self.line(depth, formula);
        }
        let mut groups: Vec<(u8, Vec<Line>)> = Vec::new();
        for part in self.parts(formula) {
            if self.count >= MAX_LINES {
                break;
            }
            groups.push(match part {
                Part::Line(term) => (self.rank(term), self.line(depth, term)),
                Part::If(condition, body) => {
                    let condition = self.text(condition);
                    let mut lines = vec![Line { depth, text: format!("if {condition}:") }];
                    lines.extend(self.block(body, depth + 1));
                    (4, lines)
                }
                Part::Either(items) => (5, self.alternatives(&items, depth)),
            });
        }
        groups.sort_by(|left, right| (left.0, key(&left.1)).cmp(&(right.0, key(&right.1))));
        groups.into_iter().flat_map(|(_, lines)| lines).collect()
    }

    fn alternatives(&mut self, items: &[TermId], depth: usize) -> Vec<Line> {
        let mut blocks: Vec<Vec<Line>> = items.iter().map(|item| self.block(*item, depth + 1)).collect();
        blocks.sort_by(|left, right| key(left).cmp(&key(right)));
        let mut lines = Vec::new();
        for (at, block) in blocks.into_iter().enumerate() {
            lines.push(Line { depth, text: if at == 0 { "either" } else { "or" }.to_owned() });
            lines.extend(block);
        }
        lines
    }

    /// The conjuncts of a formula, those under one condition together.
    fn parts(&mut self, formula: TermId) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for conjunct in self.terms.conjuncts(formula) {
            let part = self.part(conjunct);
            if let Part::If(condition, body) = part {
                let same = parts.iter_mut().find_map(|part| match part {
                    Part::If(other, body) if *other == condition => Some(body),
                    Part::If(..) | Part::Line(_) | Part::Either(_) => None,
                });
                if let Some(known) = same {
                    *known = self.terms.and([*known, body]);
                    continue;
                }
            }
            parts.push(part);
        }
        parts
    }

    fn part(&mut self, conjunct: TermId) -> Part {
        if let Node::Ite(condition, yes, no) = *self.terms.node(conjunct) {
            let negation = self.terms.not(condition);
            return Part::Either(vec![self.terms.and([condition, yes]), self.terms.and([negation, no])]);
        }
        if !matches!(self.terms.node(conjunct), Node::Or(_)) {
            return Part::Line(conjunct);
        }
        let items = self.terms.disjuncts(conjunct);
        let (compound, literals): (Vec<TermId>, Vec<TermId>) =
            items.iter().partition(|item| matches!(self.terms.node(**item), Node::And(_) | Node::Ite(..)));
        let counting: Vec<TermId> = literals.iter().copied().filter(|item| self.counts(*item)).collect();
        let conditions = if compound.len() == 1 && !literals.is_empty() && counting.is_empty() {
            literals
        } else if !counting.is_empty() && counting.len() < items.len() && compound.len() <= 1 {
            counting
        } else if compound.is_empty() {
            return Part::Line(conjunct);
        } else {
            return Part::Either(items);
        };
        let rest: Vec<TermId> = items.into_iter().filter(|item| !conditions.contains(item)).collect();
        let negations: Vec<TermId> = conditions.iter().map(|item| self.terms.not(*item)).collect();
        Part::If(self.terms.and(negations), self.terms.or(rest))
    }

    /// Whether a literal speaks of numbers of iterations alone.
    fn counts(&self, literal: TermId) -> bool {
        let symbols = self.terms.symbols_of(literal);
        !symbols.is_empty()
            && symbols.iter().all(|symbol| self.terms.symbol(*symbol).kind == SymbolKind::Counter)
    }

    /// Values afterwards first, then equations, bounds, and what takes several lines.
    fn rank(&self, conjunct: TermId) -> u8 {
        let is_primed = |terms: &Terms| {
            terms.symbols_of(conjunct).iter().any(|symbol| terms.symbol(*symbol).kind == SymbolKind::Primed)
        };
        match self.terms.node(conjunct) {
            Node::Zero(_) | Node::Same(..) if is_primed(self.terms) => 0,
            Node::Zero(_) | Node::Same(..) => 1,
            Node::Or(_) | Node::Ite(..) => 3,
            _ => 2,
        }
    }

    fn line(&mut self, depth: usize, term: TermId) -> Vec<Line> {
        self.count += 1;
        vec![Line { depth, text: self.text(term) }]
    }

    fn text(&self, term: TermId) -> String {
        match self.terms.node(term) {
            Node::Or(_) => {
                let items = self.terms.disjuncts(term);
                let texts: Vec<String> =
                    items.iter().map(|item| text_with(self.terms, *item, self.names, self.width)).collect();
                texts.join(" or ")
            }
            _ => text_with(self.terms, term, self.names, self.width),
        }
    }
}

/// Short before long, then by the text.
fn key(lines: &[Line]) -> (usize, usize, Vec<&str>) {
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    (texts.len(), texts.iter().map(|text| text.chars().count()).sum(), texts)
}
