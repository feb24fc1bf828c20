//! What the new program is answered where it leaves a value open.

use cfa::op::{Op, Place, Source};
use cfa::{BinaryOp, EdgeId, Expr, ProcId, Program, Ty, VarId};
use interp::{Choice, Machine, Oracle, Position, Request, View};
use passes::{LeafMeaning, LeafValue, Stands};

use super::world::{World, bits_at, leaf_bits, parts, place_value, vars};

/// The answers for one step.
pub(super) struct Answers<'a> {
    program: &'a Program,
    world: &'a World<'a>,
    before: &'a Machine<'a>,
    after: &'a Machine<'a>,
    /// The edge that the given program took.
    edge: Option<(ProcId, EdgeId)>,
    /// Choices of the given program in this step that were passed on.
    taken: usize,
    pub(super) open: usize,
    /// Whether some value is not known, because the given program reads there what was never written.
    pub(super) is_unclear: bool,
}

impl<'a> Answers<'a> {
    pub(super) fn new(
        program: &'a Program,
        world: &'a World<'a>,
        (before, after): (&'a Machine<'a>, &'a Machine<'a>),
        edge: Option<(ProcId, EdgeId)>,
    ) -> Self {
        Self { program, world, before, after, edge, taken: 0, open: 0, is_unclear: false }
    }

    fn op(&self, at: Option<Position>) -> Option<&'a Op> {
        let at = at?;
        self.program.procs[at.proc].edges()[at.edge].ops.get(at.op as usize)
    }

    /// The bits for a variable that is made arbitrary.
    fn chosen(&mut self, var: VarId, request: &Request<'_>) -> u128 {
        let (before, after) = (self.before.view(), self.after.view());
        if let Some(stands) = self.world.meanings.rounded.get(&var) {
            self.open += 1;
            let value = self.standing(*stands, request.ty, &before, &after);
            self.is_unclear |= value.is_none();
            return value.unwrap_or(0);
        }
        if let Some(leaf) = self.world.meanings.leaves.iter().find(|leaf| vars(leaf).contains(&var)) {
            self.open += 1;
            return self.held(leaf, var, &after).unwrap_or(0);
        }
        if let Some(address) = self.address(request) {
            return address;
        }
        self.passed_on(request).unwrap_or(0)
    }

    /// The value that something stands for which the new program does not know.
    fn standing(&self, stands: Stands, ty: Ty, before: &View<'_>, after: &View<'_>) -> Option<u128> {
        let given = self.world.given;
        match stands {
            Stands::Expr(id) => {
                let value = before.value(id).ok()?;
                Some(match *given.exprs.get(id) {
                    Expr::Binary { op: BinaryOp::Ne | BinaryOp::Le, lhs, .. }
                        if given.exprs.ty(lhs) == Ty::Ptr =>
                    {
                        value.bits ^ 1
                    }
                    _ if value.ty == ty || value.ty == Ty::Ptr => value.bits,
                    // A size that nobody knows: large enough.
                    _ => 1 << 60,
                })
            }
            Stands::Bits { address, bit, width } => {
                let address = before.value(address).ok()?;
                Some(bits_at(before, address.bits as u64, bit, width).0)
            }
            Stands::Callee { pointer, proc } => {
                let is_function = |expr: &Expr| matches!(expr, Expr::Function { proc: own } if *own == proc);
                let (function, _) = given.exprs.iter().find(|(_, expr)| is_function(expr))?;
                Some(u128::from(before.value(pointer).ok()? == before.value(function).ok()?))
            }
            Stands::Result => {
                let (proc, edge) = self.edge?;
                let ops = &given.procs[proc].edges()[edge].ops;
                let place = ops.iter().find_map(|op| match op {
                    Op::Output { result, .. } => result.as_ref(),
                    _ => None,
                })?;
                place_value(before, after, place).map(|value| value.bits)
            }
        }
    }

    /// What memory holds where a variable stands for it.
    fn held(&self, leaf: &LeafMeaning, var: VarId, after: &View<'_>) -> Option<u128> {
        let instance = self.world.last(leaf.object)?;
        let (bits, _) = leaf_bits(after, leaf, instance.base, 0);
        match &leaf.value {
            LeafValue::Value(..) => Some(bits),
            LeafValue::Pointer(pointer) => {
                let numbers = self.world.numbers(pointer, bits as u64);
                parts(pointer, numbers).find(|(part, _)| *part == var).map(|(_, value)| value.bits)
            }
        }
    }

    /// A number from which the address of an object is made, if the next operation does that.
    fn address(&self, request: &Request<'_>) -> Option<u128> {
        let at = request.at?;
        let next = self.program.procs[at.proc].edges()[at.edge].ops.get(at.op as usize + 1)?;
        let Op::Assign { place, .. } = next else { return None };
        let base = place.var()?;
        let object = self.world.meanings.objects.iter().find(|object| object.base == Some(base))?;
        let instance = self.world.last(object.number)?;
        let width = u32::from(self.program.data_model.pointer_width());
        let used = u32::from(request.ty.width(self.program.data_model));
        Some(u128::from(instance.base >> (width - u32::from(width == 64) - used)))
    }

    /// What the given program has chosen; a pointer is what became of it.
    fn passed_on(&mut self, request: &Request<'_>) -> Option<u128> {
        let new = &self.after.choices()[self.before.choices().len()..];
        let same: Vec<_> = new.iter().filter(|chosen| chosen.source == *request.source).collect();
        let chosen = same.get(self.taken)?;
        self.taken += 1;
        if chosen.value.ty != Ty::Ptr {
            return Some(chosen.value.bits);
        }
        let place = chosen.at.and_then(|at| {
            let ops = &self.world.given.procs[at.proc].edges()[at.edge].ops;
            match ops.get(at.op as usize) {
                Some(Op::Havoc { place, .. }) => Some(place),
                _ => None,
            }
        });
        let value = place.and_then(|place| place_value(&self.before.view(), &self.after.view(), place));
        Some(value.map_or(chosen.value.bits, |value| value.bits))
    }
}

impl Oracle for Answers<'_> {
    fn choose(&mut self, request: &Request<'_>) -> Option<Choice> {
        let bits = match (self.op(request.at), request.source) {
            (Some(Op::Havoc { place: Place::Var(var), .. }), _) => self.chosen(*var, request),
            (_, Source::Uninitialised | Source::Rounded | Source::Outside) => 0,
            _ => self.passed_on(request).unwrap_or(0),
        };
        Some(Choice::Bits(bits))
    }
}
