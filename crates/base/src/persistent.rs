//! Persistent maps from dense ids: copies share what they have in common.
//!
//! Analyses keep one map per location, and most differ little from their neighbours. Here a copy takes constant time, a change copies one path, and two maps are compared and combined without a look at what they share.
//!
//! # Paper
//! Okasaki and Gill, "Fast Mergeable Integer Maps", 1998: Patricia tries. Each branch tests the highest bit in which keys below it differ.
//!
//! # Invariants
//! * M1: the shape depends on the set of keys alone.
//! * M2: below the child `n` of a branch, all keys have its prefix and `n` as their next bit; both children have keys.
//!
//! # Cost
//! The height is at most the number of bits of a key, and about the logarithm of the number of keys if these are dense. Recursion is that deep.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::Idx;

/// A map whose copies share their nodes.
pub struct PersistentMap<K, V> {
    root: Option<Arc<Node<V>>>,
    keys: PhantomData<fn(K) -> K>,
}

#[derive(Clone)]
enum Node<V> {
    Leaf { key: u32, value: V },
    Branch(Branch<V>),
}

struct Branch<V> {
    /// The bits of all keys above `bit`, moved to the right.
    prefix: u32,
    /// The number of the bit that is tested.
    bit: u32,
    children: [Arc<Node<V>>; 2],
}

impl<V> Clone for Branch<V> {
    fn clone(&self) -> Self {
        Self { prefix: self.prefix, bit: self.bit, children: self.children.clone() }
    }
}

impl<V> Branch<V> {
    fn matches(&self, key: u32) -> bool {
        above(key, self.bit) == self.prefix
    }

    fn child(&self, key: u32) -> &Arc<Node<V>> {
        &self.children[side(key, self.bit)]
    }

    /// The smallest key that could be below.
    fn first_key(&self) -> u32 {
        (self.prefix << self.bit) << 1
    }
}

/// The bits of a key above one of them.
fn above(key: u32, bit: u32) -> u32 {
    (key >> bit) >> 1
}

/// The child to which a key belongs.
fn side(key: u32, bit: u32) -> usize {
    ((key >> bit) & 1) as usize
}

impl<V> Node<V> {
    /// The highest bit in which a key differs from all that may be below; nothing if it belongs below.
    fn difference(&self, key: u32) -> Option<u32> {
        let other = match self {
            Self::Leaf { key: own, .. } => *own,
            Self::Branch(branch) if branch.matches(key) => return None,
            Self::Branch(branch) => branch.first_key(),
        };
        (other ^ key).checked_ilog2()
    }

    fn get(&self, key: u32) -> Option<&V> {
        let mut node = self;
        loop {
            match node {
                Self::Leaf { key: own, value } => return (*own == key).then_some(value),
                Self::Branch(branch) if branch.matches(key) => node = branch.child(key),
                Self::Branch(_) => return None,
            }
        }
    }
}

fn key_of(key: impl Idx) -> u32 {
    u32::try_from(key.index()).expect("an id should have at most 32 bits")
}

impl<K: Idx, V: Clone + PartialEq> PersistentMap<K, V> {
    /// No entries.
    pub fn new() -> Self {
        Self { root: None, keys: PhantomData }
    }

    /// The value of a key.
    pub fn get(&self, key: K) -> Option<&V> {
        self.root.as_ref()?.get(key_of(key))
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: K, value: V) {
        if self.get(key) == Some(&value) {
            return;
        }
        let key = key_of(key);
        let Some(mut node) = self.root.as_mut() else {
            self.root = Some(Arc::new(Node::Leaf { key, value }));
            return;
        };
        loop {
            if let Some(bit) = node.difference(key) {
                let (old, new) = (node.clone(), Arc::new(Node::Leaf { key, value }));
                let children = if side(key, bit) == 0 { [new, old] } else { [old, new] };
                *node = Arc::new(Node::Branch(Branch { prefix: above(key, bit), bit, children }));
                return;
            }
            match Arc::make_mut(node) {
                Node::Leaf { value: own, .. } => {
                    *own = value;
                    return;
                }
                Node::Branch(branch) => node = &mut branch.children[side(key, branch.bit)],
            }
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, key: K) {
        if self.get(key).is_some()
            && let Some(root) = &self.root
        {
            self.root = without(root, key_of(key));
        }
    }

    /// Keeps the entries whose keys are wanted.
    pub fn retain(&mut self, is_wanted: impl Fn(K) -> bool) {
        self.root = self.root.as_ref().and_then(|root| filtered(root, &|key| is_wanted(id(key))));
    }

    /// The entries whose keys both maps have, as far as their values have a common one. Equal values have to have themselves: what maps share is kept as it is.
    #[must_use]
    pub fn intersection(&self, other: &Self, common: impl Fn(K, &V, &V) -> Option<V>) -> Self {
        let (Some(left), Some(right)) = (&self.root, &other.root) else { return Self::new() };
        Self { root: intersection(left, right, &|key, a, b| common(id(key), a, b)), keys: PhantomData }
    }

    /// Whether each key has a value in the other map, too, that matches its own. Equal values have to match.
    pub fn is_matched_by(&self, other: &Self, matches: impl Fn(&V, &V) -> bool) -> bool {
        match (&self.root, &other.root) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(left), Some(right)) => is_matched_by(left, right, &matches),
        }
    }

    /// Whether two maps are one: then they are equal. This takes constant time.
    pub fn is_shared(&self, other: &Self) -> bool {
        same(self.root.as_ref(), other.root.as_ref())
    }

    /// All entries, by ascending keys.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> + '_ {
        let mut pending: Vec<&Node<V>> = self.root.iter().map(|root| &**root).collect();
        std::iter::from_fn(move || {
            loop {
                match pending.pop()? {
                    Node::Leaf { key, value } => return Some((id(*key), value)),
                    Node::Branch(branch) => {
                        let [first, second] = &branch.children;
                        pending.extend([&**second, &**first]);
                    }
                }
            }
        })
    }
}

fn id<K: Idx>(key: u32) -> K {
    K::new(key as usize)
}

fn same<V>(left: Option<&Arc<Node<V>>>, right: Option<&Arc<Node<V>>>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => Arc::ptr_eq(left, right),
        _ => false,
    }
}

/// The branch with other children, which may be gone; the branch itself if they are its own.
fn rebuilt<V>(
    node: &Arc<Node<V>>,
    branch: &Branch<V>,
    children: [Option<Arc<Node<V>>>; 2],
) -> Option<Arc<Node<V>>> {
    if has_children(branch, &children) {
        return Some(node.clone());
    }
    match children {
        [Some(first), Some(second)] => {
            let children = [first, second];
            Some(Arc::new(Node::Branch(Branch { prefix: branch.prefix, bit: branch.bit, children })))
        }
        [first, second] => first.or(second),
    }
}

fn has_children<V>(branch: &Branch<V>, children: &[Option<Arc<Node<V>>>; 2]) -> bool {
    branch.children.iter().zip(children).all(|(own, child)| same(Some(own), child.as_ref()))
}

fn without<V>(node: &Arc<Node<V>>, key: u32) -> Option<Arc<Node<V>>> {
    match &**node {
        Node::Leaf { key: own, .. } => (*own != key).then(|| node.clone()),
        Node::Branch(branch) => {
            let mut children = branch.children.clone().map(Some);
            children[side(key, branch.bit)] = without(branch.child(key), key);
            rebuilt(node, branch, children)
        }
    }
}

fn filtered<V>(node: &Arc<Node<V>>, is_wanted: &impl Fn(u32) -> bool) -> Option<Arc<Node<V>>> {
    match &**node {
        Node::Leaf { key, .. } => is_wanted(*key).then(|| node.clone()),
        Node::Branch(branch) => {
            let children = [0, 1].map(|at| filtered(&branch.children[at], is_wanted));
            rebuilt(node, branch, children)
        }
    }
}

fn intersection<V: PartialEq>(
    left: &Arc<Node<V>>,
    right: &Arc<Node<V>>,
    common: &impl Fn(u32, &V, &V) -> Option<V>,
) -> Option<Arc<Node<V>>> {
    if Arc::ptr_eq(left, right) {
        return Some(left.clone());
    }
    match (&**left, &**right) {
        (Node::Leaf { key, value }, _) => {
            let other = right.get(*key)?;
            let both = common(*key, value, other)?;
            if both == *value {
                return Some(left.clone());
            }
            match &**right {
                Node::Leaf { value, .. } if both == *value => Some(right.clone()),
                _ => Some(Arc::new(Node::Leaf { key: *key, value: both })),
            }
        }
        (_, Node::Leaf { key, value }) => {
            let both = common(*key, left.get(*key)?, value)?;
            if both == *value {
                return Some(right.clone());
            }
            Some(Arc::new(Node::Leaf { key: *key, value: both }))
        }
        (Node::Branch(a), Node::Branch(b)) => {
            if a.bit == b.bit && a.prefix == b.prefix {
                let children = [0, 1].map(|at| intersection(&a.children[at], &b.children[at], common));
                if has_children(b, &children) && !has_children(a, &children) {
                    return Some(right.clone());
                }
                rebuilt(left, a, children)
            } else if a.bit > b.bit && a.matches(b.first_key()) {
                intersection(a.child(b.first_key()), right, common)
            } else if b.bit > a.bit && b.matches(a.first_key()) {
                intersection(left, b.child(a.first_key()), common)
            } else {
                None
            }
        }
    }
}

fn is_matched_by<V>(left: &Arc<Node<V>>, right: &Arc<Node<V>>, matches: &impl Fn(&V, &V) -> bool) -> bool {
    if Arc::ptr_eq(left, right) {
        return true;
    }
    match (&**left, &**right) {
        (Node::Leaf { key, value }, _) => right.get(*key).is_some_and(|other| matches(value, other)),
        (Node::Branch(_), Node::Leaf { .. }) => false,
        (Node::Branch(a), Node::Branch(b)) => {
            if a.bit == b.bit && a.prefix == b.prefix {
                a.children.iter().zip(&b.children).all(|(left, right)| is_matched_by(left, right, matches))
            } else {
                b.bit > a.bit
                    && b.matches(a.first_key())
                    && is_matched_by(left, b.child(a.first_key()), matches)
            }
        }
    }
}

impl<K, V> Clone for PersistentMap<K, V> {
    fn clone(&self) -> Self {
        Self { root: self.root.clone(), keys: PhantomData }
    }
}

impl<K: Idx, V: Clone + PartialEq> Default for PersistentMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Idx, V: Clone + PartialEq> PartialEq for PersistentMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        // The same keys on both sides, with the same values.
        self.is_matched_by(other, |left, right| left == right)
            && other.is_matched_by(self, |left, right| left == right)
    }
}

impl<K: Idx, V: Clone + Eq> Eq for PersistentMap<K, V> {}

impl<K: Idx + fmt::Debug, V: Clone + PartialEq + fmt::Debug> fmt::Debug for PersistentMap<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Idx, V: Clone + PartialEq> FromIterator<(K, V)> for PersistentMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Numbers below a bound, always the same ones.
    fn numbers(seed: u64) -> impl FnMut(u32) -> u32 {
        let mut state = seed;
        move |bound| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % bound
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Key(u32);

    impl Idx for Key {
        fn new(index: usize) -> Self {
            Self(u32::try_from(index).expect("an index should have 32 bits"))
        }
        fn index(self) -> usize {
            self.0 as usize
        }
    }

    type Map = PersistentMap<Key, u32>;

    fn entries(map: &Map) -> Vec<(u32, u32)> {
        map.iter().map(|(key, value)| (key.0, *value)).collect()
    }

    fn listed(model: &BTreeMap<u32, u32>) -> Vec<(u32, u32)> {
        model.iter().map(|(key, value)| (*key, *value)).collect()
    }

    /// A map, and a changed copy of it, each with what it should have.
    fn related(random: &mut impl FnMut(u32) -> u32) -> [(Map, BTreeMap<u32, u32>); 2] {
        let (mut map, mut model) = (Map::new(), BTreeMap::new());
        let keys = 1 + random(3000);
        let mut change = |map: &mut Map, model: &mut BTreeMap<u32, u32>, count: u32| {
            for _ in 0..count {
                // Some keys use all bits.
                let key = if random(9) == 0 { u32::MAX - random(4) } else { random(keys) };
                if random(3) == 0 {
                    map.remove(Key(key));
                    model.remove(&key);
                } else {
                    let value = random(4);
                    map.insert(Key(key), value);
                    model.insert(key, value);
                }
            }
        };
        change(&mut map, &mut model, 80);
        let (mut other, mut others) = (map.clone(), model.clone());
        change(&mut other, &mut others, 15);
        [(map, model), (other, others)]
    }

    #[test]
    fn what_is_done_to_a_map_does_not_show_in_its_copies() {
        let mut random = numbers(1);
        for _ in 0..300 {
            for (map, model) in related(&mut random) {
                assert_eq!(entries(&map), listed(&model));
                for key in 0..50 {
                    assert_eq!(map.get(Key(key)), model.get(&key));
                }
                let rebuilt: Map = model.iter().rev().map(|(key, value)| (Key(*key), *value)).collect();
                assert_eq!(map, rebuilt);
            }
        }
    }

    #[test]
    fn maps_are_combined_compared_and_filtered_like_maps_without_sharing() {
        let mut random = numbers(2);
        for _ in 0..300 {
            let [(left, a), (right, b)] = related(&mut random);
            let common = |x: &u32, y: &u32| (x + y != 5).then(|| *x.max(y));
            let both: BTreeMap<u32, u32> =
                a.iter().filter_map(|(key, x)| Some((*key, common(x, b.get(key)?)?))).collect();
            assert_eq!(entries(&left.intersection(&right, |_, x, y| common(x, y))), listed(&both));
            let is_matched = a.iter().all(|(key, x)| b.get(key).is_some_and(|y| x <= y));
            assert_eq!(left.is_matched_by(&right, |x, y| x <= y), is_matched);
            assert_eq!(left == right, a == b);
            let mut even = left.clone();
            even.retain(|key| key.0 % 2 == 0);
            let model: BTreeMap<u32, u32> = a.into_iter().filter(|(key, _)| key % 2 == 0).collect();
            assert_eq!(entries(&even), listed(&model));
        }
    }

    #[test]
    fn what_maps_share_is_not_looked_at() {
        let map: Map = (0..10_000).map(|key| (Key(key), 0)).collect();
        let mut other = map.clone();
        other.insert(Key(4321), 1);
        let looked = std::cell::Cell::new(0);
        let joined = map.intersection(&other, |_, x, y| {
            looked.set(looked.get() + 1);
            Some(*x.max(y))
        });
        assert_eq!(looked.get(), 1);
        assert!(joined.is_shared(&other));
        assert!(joined.is_matched_by(&other, |_, _| unreachable!("the maps are shared")));
    }
}
