//! Persistent maps from variables to what is known about them.
//!
//! A trie of fixed height with shared nodes: changing one entry copies one path, and the meet of two maps
//! looks only at nodes that are not shared. Data-flow analysis keeps one map per location; most differ little
//! from their neighbours.

use std::rc::Rc;

use base::Idx;

use cfa::{ExprId, VarId};

const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;

/// Facts about variables; what is absent is not known.
#[derive(Clone, Debug)]
pub(crate) struct PersistentMap {
    root: Option<Rc<Node>>,
    height: u32,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf([Option<ExprId>; WIDTH]),
    Inner([Option<Rc<Node>>; WIDTH]),
}

impl PersistentMap {
    /// A map for variables below `count` that knows nothing.
    pub(crate) fn new(count: usize) -> Self {
        let mut height = 0;
        while count > WIDTH << (BITS * height) && height < 7 {
            height += 1;
        }
        Self { root: None, height }
    }

    /// What is known about a variable.
    pub(crate) fn get(&self, var: VarId) -> Option<ExprId> {
        let mut node = self.root.as_ref()?;
        for level in (0..=self.height).rev() {
            let slot = slot(var, level);
            match &**node {
                Node::Leaf(values) => return values[slot],
                Node::Inner(children) => node = children[slot].as_ref()?,
            }
        }
        None
    }

    /// Changes what is known about a variable.
    pub(crate) fn set(&mut self, var: VarId, value: Option<ExprId>) {
        if self.get(var) == value {
            return;
        }
        let mut level = self.height;
        let mut node = &mut self.root;
        loop {
            let fresh = || {
                Rc::new(if level == 0 { Node::Leaf([None; WIDTH]) } else { Node::Inner(Default::default()) })
            };
            match Rc::make_mut(node.get_or_insert_with(fresh)) {
                Node::Leaf(values) => {
                    values[slot(var, 0)] = value;
                    return;
                }
                Node::Inner(children) => {
                    node = &mut children[slot(var, level)];
                    level -= 1;
                }
            }
        }
    }

    /// Keeps what both maps say; true if that is less than this one said.
    pub(crate) fn meet(&mut self, other: &Self) -> bool {
        let met = meet(self.root.as_ref(), other.root.as_ref());
        let changed = !same(self.root.as_ref(), met.as_ref());
        self.root = met;
        changed
    }
}

fn slot(var: VarId, level: u32) -> usize {
    (var.index() >> (BITS * level)) % WIDTH
}

fn same(left: Option<&Rc<Node>>, right: Option<&Rc<Node>>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => Rc::ptr_eq(left, right),
        _ => false,
    }
}

/// The meet of two nodes; `left` itself if nothing is lost. The depth of the recursion is the height of the
/// trie.
fn meet(left: Option<&Rc<Node>>, right: Option<&Rc<Node>>) -> Option<Rc<Node>> {
    let (left, right) = (left?, right?);
    if Rc::ptr_eq(left, right) {
        return Some(left.clone());
    }
    match (&**left, &**right) {
        (Node::Leaf(a), Node::Leaf(b)) => {
            let met: [Option<ExprId>; WIDTH] =
                std::array::from_fn(|slot| a[slot].filter(|_| a[slot] == b[slot]));
            if met == *a {
                Some(left.clone())
            } else if met == *b {
                Some(right.clone())
            } else {
                met.iter().any(Option::is_some).then(|| Rc::new(Node::Leaf(met)))
            }
        }
        (Node::Inner(a), Node::Inner(b)) => {
            let met: [Option<Rc<Node>>; WIDTH] =
                std::array::from_fn(|slot| meet(a[slot].as_ref(), b[slot].as_ref()));
            let equal = |children: &[Option<Rc<Node>>; WIDTH]| {
                met.iter().zip(children).all(|(met, child)| same(met.as_ref(), child.as_ref()))
            };
            if equal(a) {
                Some(left.clone())
            } else if equal(b) {
                Some(right.clone())
            } else {
                met.iter().any(Option::is_some).then(|| Rc::new(Node::Inner(met)))
            }
        }
        // Maps that are compared have one height.
        (Node::Leaf(_), Node::Inner(_)) | (Node::Inner(_), Node::Leaf(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meet_is_intersection() {
        let mut state = 12345_u64;
        let mut random = |bound: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % bound
        };
        for _ in 0..200 {
            let (mut left, mut expected) = (PersistentMap::new(5000), vec![None; 5000]);
            for _ in 0..random(40) {
                let (var, value) = (random(5000), ExprId(random(3)));
                left.set(VarId(var), Some(value));
                expected[var as usize] = Some(value);
            }
            let mut right = left.clone();
            let before = expected.clone();
            for _ in 0..random(10) {
                let (var, value) = (random(5000), (random(2) == 0).then(|| ExprId(random(3))));
                right.set(VarId(var), value);
            }
            for (var, value) in expected.iter_mut().enumerate() {
                *value = value.filter(|value| right.get(VarId(var as u32)) == Some(*value));
            }
            let changed = left.meet(&right);
            assert_eq!(changed, expected != before);
            for (var, value) in expected.iter().enumerate() {
                assert_eq!(left.get(VarId(var as u32)), *value);
            }
        }
    }
}
