//! Building one procedure: a current position that operations are appended to.
//!
//! A position is a location, or a bundle of edges whose common target does not exist yet. Joining two
//! branches joins their bundles, so no location or edge is made that does nothing.
//!
//! # Invariants
//! * G1: a position has a location or pending edges, never both; if neither, it is unreachable.
//! * G2: at most one operation per edge.

use base::Region;
use cfa::{Edge, Loc, LocationInfo, LocationRole, Op, Origin, Procedure};

/// An edge without target.
#[derive(Debug)]
pub(super) struct Pending {
    source: Loc,
    op: Option<Op>,
    origin: Origin,
}

/// A point of the program that is being built.
#[derive(Debug, Default)]
pub(super) struct Position {
    at: Option<Loc>,
    pending: Vec<Pending>,
}

impl Position {
    /// A location.
    pub(super) fn at(location: Loc) -> Self {
        Self { at: Some(location), pending: Vec::new() }
    }
    /// Whether execution can get here.
    pub(super) fn is_reachable(&self) -> bool {
        self.at.is_some() || !self.pending.is_empty()
    }
    fn into_pending(self) -> Vec<Pending> {
        let mut pending = self.pending;
        if let Some(source) = self.at {
            pending.push(Pending { source, op: None, origin: Origin::IMPLICIT });
        }
        pending
    }
    /// Both points become one.
    pub(super) fn join(&mut self, other: Self) {
        if !other.is_reachable() || (other.at.is_some() && other.at == self.at) {
            return;
        }
        if !self.is_reachable() {
            *self = other;
            return;
        }
        let mut pending = std::mem::take(self).into_pending();
        pending.extend(other.into_pending());
        self.pending = pending;
    }
}

/// A procedure with the point where building goes on.
#[derive(Debug)]
pub(super) struct Graph {
    /// What is built so far.
    pub procedure: Procedure,
    here: Position,
    sink: Option<Loc>,
}

impl Graph {
    /// Starts at the procedure's entry.
    pub(super) fn new(procedure: Procedure) -> Self {
        let here = Position::at(procedure.entry);
        Self { procedure, here, sink: None }
    }
    /// Whether execution can get here.
    pub(super) fn is_reachable(&self) -> bool {
        self.here.is_reachable()
    }
    /// Takes the position away: what follows is unreachable until another is set.
    pub(super) fn take(&mut self) -> Position {
        std::mem::take(&mut self.here)
    }
    /// Goes on at `position`; the current one is given up.
    pub(super) fn set(&mut self, position: Position) {
        self.here = position;
    }
    /// What follows is reached from `position`, too.
    pub(super) fn join(&mut self, position: Position) {
        self.here.join(position);
    }
    /// A new location.
    pub(super) fn fresh(&mut self) -> Loc {
        self.procedure.add_location(LocationInfo { region: Region::NOWHERE, role: LocationRole::Plain })
    }
    /// The location of the current position; `None` if unreachable.
    pub(super) fn location(&mut self) -> Option<Loc> {
        if self.here.at.is_none() && !self.here.pending.is_empty() {
            let location = self.fresh();
            let here = self.take();
            self.attach(here, location);
            self.here = Position::at(location);
        }
        self.here.at
    }
    /// Lets a position lead to a location.
    pub(super) fn attach(&mut self, position: Position, target: Loc) {
        for Pending { source, op, origin } in position.into_pending() {
            self.procedure.add_edge(Edge { source, target, ops: op.into_iter().collect(), origin });
        }
    }
    /// Appends an operation.
    pub(super) fn emit(&mut self, op: Op, origin: Origin) {
        if let Some(source) = self.location() {
            self.here = Position { at: None, pending: vec![Pending { source, op: Some(op), origin }] };
        }
    }
    /// A position reached by `op` from a location; the location stays where it is.
    pub(super) fn step(source: Loc, op: Op, origin: Origin) -> Position {
        Position { at: None, pending: vec![Pending { source, op: Some(op), origin }] }
    }
    /// Appends an operation after which nothing happens.
    pub(super) fn emit_last(&mut self, op: Op, origin: Origin) {
        if let Some(source) = self.location() {
            let target = match self.sink {
                Some(sink) => sink,
                None => self.fresh(),
            };
            self.sink = Some(target);
            self.procedure.add_edge(Edge { source, target, ops: vec![op], origin });
            self.take();
        }
    }
    /// Goes to the error location.
    pub(super) fn fail(&mut self, origin: Origin) {
        if let Some(source) = self.location() {
            let target = self.procedure.error_location(origin.region);
            self.procedure.add_edge(Edge { source, target, ops: Vec::new(), origin });
            self.take();
        }
    }
    /// Says what the current location stands for, unless that is said already.
    pub(super) fn mark(&mut self, region: Region, role: LocationRole) {
        if let Some(location) = self.location() {
            let info = &mut self.procedure.locations[location];
            if info.role == LocationRole::Plain {
                *info = LocationInfo { region, role };
            }
        }
    }
    /// Makes the current position a location that a loop may come back to, and that stands for the loop.
    pub(super) fn loop_head(&mut self, region: Region) -> Option<Loc> {
        let location = self.location()?;
        let plain = self.procedure.locations[location].role == LocationRole::Plain;
        let head = if plain && location != self.procedure.entry {
            location
        } else {
            let head = self.fresh();
            let here = self.take();
            self.attach(here, head);
            self.here = Position::at(head);
            head
        };
        self.procedure.locations[head] = LocationInfo { region, role: LocationRole::LoopHead };
        Some(head)
    }
    /// A location to jump to at the current position (which may be unreachable so far).
    pub(super) fn landing(&mut self) -> Loc {
        match self.location() {
            Some(location) if location != self.procedure.entry => location,
            _ => {
                let location = self.fresh();
                let here = self.take();
                self.attach(here, location);
                self.here = Position::at(location);
                location
            }
        }
    }
    /// Runs `build` on a path from a new entry to the old one.
    pub(super) fn prepend(&mut self, build: impl FnOnce(&mut Self)) {
        let (old, here) = (self.procedure.entry, self.take());
        let entry = self.fresh();
        self.here = Position::at(entry);
        build(self);
        if self.here.at == Some(entry) {
            // Nothing was built; the fresh location would stay without use.
            self.attach(Position::at(entry), old);
        } else {
            let built = self.take();
            self.attach(built, old);
        }
        self.procedure.entry = entry;
        self.here = here;
    }
}
