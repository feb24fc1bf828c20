//! Which relations depend on each other.
//!
//! # Paper
//! [Recmc14] bounds the height of the call stack. Only recursion makes it unbounded, so heights count only the steps from a relation to one that
//! depends on it in turn. A system without recursion has height zero, however long its chains of calls are.
//!
//! # Cost
//! Tarjan's algorithm for strongly connected components: linear.

use super::rules::Relation;

/// The strongly connected component of each relation, by number.
pub(super) fn components(relations: &[Relation]) -> Vec<usize> {
    let mut search = Search {
        relations,
        numbers: vec![None; relations.len()],
        lows: vec![0; relations.len()],
        components: vec![None; relations.len()],
        open: Vec::new(),
        entered: 0,
        completed: 0,
    };
    for root in 0..relations.len() {
        search.visit(root);
    }
    search.components.into_iter().map(|component| component.unwrap_or(0)).collect()
}

struct Search<'r> {
    relations: &'r [Relation],
    /// In the order of discovery.
    numbers: Vec<Option<usize>>,
    /// The least number that is known to be reached.
    lows: Vec<usize>,
    components: Vec<Option<usize>>,
    /// Relations without component so far.
    open: Vec<usize>,
    /// How many relations have a number.
    entered: usize,
    /// How many components are complete.
    completed: usize,
}

impl Search<'_> {
    fn premises(&self, relation: usize) -> Vec<usize> {
        let rules = self.relations[relation].rules.iter();
        rules.flat_map(|rule| &rule.sites).map(|site| site.relation).collect()
    }

    fn enter(&mut self, relation: usize, stack: &mut Vec<(usize, Vec<usize>)>) {
        let number = self.entered;
        self.entered += 1;
        self.numbers[relation] = Some(number);
        self.lows[relation] = number;
        self.open.push(relation);
        stack.push((relation, self.premises(relation)));
    }

    fn visit(&mut self, root: usize) {
        let mut stack = Vec::new();
        if self.numbers[root].is_none() {
            self.enter(root, &mut stack);
        }
        while let Some((relation, premises)) = stack.last_mut() {
            let relation = *relation;
            match premises.pop() {
                Some(premise) if self.numbers[premise].is_none() => self.enter(premise, &mut stack),
                Some(premise) if self.components[premise].is_none() => {
                    self.lows[relation] = self.lows[relation].min(self.lows[premise]);
                }
                Some(_) => {}
                None => {
                    stack.pop();
                    self.leave(relation);
                    if let Some((caller, _)) = stack.last() {
                        self.lows[*caller] = self.lows[*caller].min(self.lows[relation]);
                    }
                }
            }
        }
    }

    /// All premises of a relation have been visited.
    fn leave(&mut self, relation: usize) {
        if self.numbers[relation] != Some(self.lows[relation]) {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.components[member] = Some(self.completed);
            if member == relation {
                break;
            }
        }
        self.completed += 1;
    }
}
