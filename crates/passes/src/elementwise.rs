//! Operations on many elements of arrays become loops.
//!
//! # Rule
//! `fill_elems a[at] (value, count)` becomes a loop that stores one element after the other, and so does a copy between two arrays. Operations that follow each other with the
//! same number of elements share one loop. Left as they are, because formulas are exact for them or no loop is needed: constant numbers of elements up to [`MOST_STORES`], whole arrays of fixed length, and
//! what copies within one array.
//!
//! # Meaning
//! The same executions: an operation is undefined if a range leaves its array, and then so is one of the stores of the loop. No expression of the operation reads what the loop writes.
//!
//! # Why
//! Formulas round the array up where the number of elements is not constant. Loops have summaries, and facts about all elements.

use base::IndexVec;
use cfa::op::{Op, Place};
use cfa::{
    BinaryOp, Edge, EdgeId, Expr, ExprId, Length, Loc, LocationInfo, LocationRole, Origin, ProcId, Program,
    Role, Storage, Ty, UnaryOp, VarId,
};

use super::back::{BackTranslation, ContextId, Contexts, ProcOrigin, Step, VarOrigin, identity_vars};
use super::build::{Builder, Draft};
use super::frames::temporary;

/// Elements that are stored one by one by the formulas.
const MOST_STORES: u128 = 64;
/// The type of the counter: every index and every number of elements fits.
const WORD: Ty = Ty::signed(100);

/// Makes loops of the operations on many elements.
pub fn elementwise(program: &Program) -> (Program, BackTranslation) {
    let is_meant = |op: &Op| Many::of(program, op).is_some();
    let mut pass = Pass {
        old: program,
        new: Program { procs: IndexVec::new(), ..program.clone() },
        vars: identity_vars(program),
    };
    let mut origins = IndexVec::new();
    for (proc, procedure) in program.procs.iter_enumerated() {
        if !procedure.edges().iter().flat_map(|edge| &edge.ops).any(is_meant) {
            pass.new.procs.push(procedure.clone());
            origins.push(ProcOrigin::identity(program, proc));
            continue;
        }
        let (mut builder, locations) = Builder::with_locations(program, proc, |_| true);
        for (id, edge) in procedure.edges().iter_enumerated() {
            if let (Some(source), Some(target)) = (locations[edge.source], locations[edge.target]) {
                pass.edge((proc, id, edge), (source, target), &mut builder);
            }
        }
        let (procedure, origin) = builder.finish();
        pass.new.procs.push(procedure);
        origins.push(origin);
    }
    let back = BackTranslation::new(origins, pass.vars, Contexts::default());
    (pass.new, back)
}

/// An operation that becomes a loop.
#[derive(Clone, Copy)]
struct Many {
    to: VarId,
    at: ExprId,
    value: Value,
    count: ExprId,
}

/// What is stored.
#[derive(Clone, Copy)]
enum Value {
    /// The same everywhere.
    Same(ExprId),
    /// The elements of another array from an index on.
    Elements(VarId, ExprId),
}

impl Many {
    fn of(program: &Program, op: &Op) -> Option<Self> {
        let many = match *op {
            Op::FillElems { to, at, value, count } => Self { to, at, value: Value::Same(value), count },
            Op::CopyElems { to, at, from, start, count } if to != from => {
                Self { to, at, value: Value::Elements(from, start), count }
            }
            _ => return None,
        };
        (!many.is_exact(program)).then_some(many)
    }

    fn exprs(&self) -> [ExprId; 3] {
        match self.value {
            Value::Same(value) => [self.at, value, self.count],
            Value::Elements(_, start) => [self.at, start, self.count],
        }
    }

    /// Whether formulas are exact for the operation as it is.
    fn is_exact(&self, program: &Program) -> bool {
        let constant = |id: ExprId| match *program.exprs.get(id) {
            Expr::Const { bits, .. } => Some(bits),
            _ => None,
        };
        let Some(count) = constant(self.count) else { return false };
        let length = match program.vars[self.to].storage {
            Storage::Array { length: Length::Fixed(length), .. } => Some(u128::from(length)),
            _ => None,
        };
        let is_whole = constant(self.at) == Some(0) && length == Some(count);
        count <= MOST_STORES || is_whole && matches!(self.value, Value::Same(_))
    }
}

struct Pass<'p> {
    old: &'p Program,
    /// The new program; its procedures are added one by one.
    new: Program,
    vars: IndexVec<VarId, Option<VarOrigin>>,
}

impl Pass<'_> {
    /// One edge, which is cut at the operations that become loops.
    fn edge(
        &mut self,
        (proc, id, edge): (ProcId, EdgeId, &Edge),
        (source, target): (Loc, Loc),
        builder: &mut Builder,
    ) {
        let step = |from: Option<u32>| Step { from, ..Step::whole(proc, id, ContextId::ROOT) };
        let mut piece = Draft::new(source, edge.origin, step(None));
        let mut position = 0;
        while position < edge.ops.len() {
            let together = self.together(&edge.ops[position..]);
            let Some(first) = together.first() else {
                piece.push(edge.ops[position].clone(), Some(position));
                position += 1;
                continue;
            };
            let counter = temporary(&mut self.new, &mut self.vars, proc, "element", WORD);
            let zero = self.new.exprs.int(WORD, 0);
            piece.push(Op::Assign { place: Place::Var(counter), value: zero }, None);
            piece.from.steps[0].until = Some(position as u32);
            let head = builder
                .location(LocationInfo { region: edge.origin.region, role: LocationRole::Plain }, None);
            piece.finish(head, builder);
            let origin = Origin { role: Role::Implicit, ..edge.origin };
            let goes_on = self.goes_on(counter, first.count);
            let mut round = Draft::without_step(head, origin);
            for op in self.round(counter, goes_on, &together) {
                round.push(op, None);
            }
            round.finish(head, builder);
            position += together.len();
            piece = Draft::new(head, origin, step(Some(position as u32 - 1)));
            let cond = self.new.exprs.unary(UnaryOp::Not, goes_on);
            piece.push(Op::Assume { cond }, None);
        }
        piece.finish(target, builder);
    }

    /// The operations at the start that one loop can do together: none reads or writes what another one writes, and none reads what it writes itself.
    fn together(&self, ops: &[Op]) -> Vec<Many> {
        let mut found: Vec<Many> = Vec::new();
        for op in ops {
            let Some(many) = Many::of(self.old, op) else { break };
            let targets: Vec<VarId> = found.iter().map(|other| other.to).chain([many.to]).collect();
            let is_other = found.iter().any(|other| other.count != many.count || other.to == many.to);
            let is_bound = |many: &Many| {
                let is_read = matches!(many.value, Value::Elements(from, _) if targets.contains(&from));
                is_read || many.exprs().into_iter().any(|expr| self.reads(expr, &targets))
            };
            if is_other || is_bound(&many) || found.iter().any(is_bound) {
                break;
            }
            found.push(many);
        }
        found
    }

    /// Whether an expression reads one of some arrays.
    fn reads(&self, root: ExprId, arrays: &[VarId]) -> bool {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            let expr = self.old.exprs.get(id);
            if matches!(expr, Expr::Elem { array, .. } if arrays.contains(array)) {
                return true;
            }
            pending.extend(expr.operands());
        }
        false
    }

    fn goes_on(&mut self, counter: VarId, count: ExprId) -> ExprId {
        let exprs = &mut self.new.exprs;
        let (counter, count) = (exprs.var(counter, WORD), exprs.cast(WORD, count));
        exprs.binary(BinaryOp::Lt, counter, count)
    }

    /// What the loop does in one iteration.
    fn round(&mut self, counter: VarId, goes_on: ExprId, together: &[Many]) -> Vec<Op> {
        let mut ops = vec![Op::Assume { cond: goes_on }];
        let number = self.new.exprs.var(counter, WORD);
        for many in together {
            let index = self.moved(many.at, number);
            let value = match many.value {
                Value::Same(value) => value,
                Value::Elements(array, start) => {
                    let Storage::Array { elem: ty, .. } = self.old.vars[array].storage else { continue };
                    let index = self.moved(start, number);
                    self.new.exprs.add(Expr::Elem { array, index, ty })
                }
            };
            ops.push(Op::Assign { place: Place::Elem { array: many.to, index }, value });
        }
        let one = self.new.exprs.int(WORD, 1);
        let value = self.new.exprs.binary(BinaryOp::Add, number, one);
        ops.push(Op::Assign { place: Place::Var(counter), value });
        ops
    }

    fn moved(&mut self, start: ExprId, by: ExprId) -> ExprId {
        let start = self.new.exprs.cast(WORD, start);
        self.new.exprs.binary(BinaryOp::Add, start, by)
    }
}
