//! The checks of one operation, and what becomes of it.

use cfa::{
    Access, BinaryOp, Callee, CheckKind, Expr, ExprId, HaltReason, Op, OutputFunction, Place, Source,
    Storage, Ty, UnaryOp, Var, VarId,
};
use rustc_hash::FxHashSet;

use super::super::build::Builder;
use super::edges::Piece;
use super::fault::{self, Fault, Vague};
use super::walk::{self, Bytes, Evaluation, Found, Here};
use super::{Frame, Instrument, State};

impl Instrument<'_> {
    /// The edges for all that an operation may run into, then the operation.
    pub(super) fn operation(
        &mut self,
        builder: &mut Builder,
        frame: &Frame<'_>,
        state: &State,
        piece: &mut Piece<'_>,
        (position, op): (usize, &Op),
    ) {
        self.note_risks(piece, op);
        let roots = evaluated(op);
        let read = self.without_copies(frame, state, op, &roots);
        let (found, before) = self.found(frame, state, &read);
        let own = self.own_faults(frame, state, op, &before);
        let ends = frame.heap.is_some()
            && matches!(op, Op::Halt { reason: HaltReason::Exit(_) | HaltReason::Abort });
        let is_checked = match &found {
            Ok(found) => !found.is_empty(),
            Err(_) => true,
        };
        if (is_checked || !own.is_empty() || ends) && !piece.is_tested && !piece.ops.is_empty() {
            piece.cut(builder, position);
        }
        match found {
            Ok(found) => found.iter().for_each(|found| self.fail(builder, piece, position, found)),
            Err(found) => self.fail_anyhow(builder, piece, position, &found),
        }
        for found in &own {
            self.fail(builder, piece, position, found);
        }
        if ends {
            piece.guess(builder, frame, position);
            self.leaks(builder, frame, piece, position, Some(position as u32));
        }
        self.rewrite(builder, frame, state, piece, (position, op));
    }

    fn here<'a>(&'a self, frame: &'a Frame<'a>, state: &'a State) -> Here<'a> {
        Here {
            program: self.old,
            totality: &self.totality,
            forms: frame.forms,
            shadow: frame.shadow,
            sure: &state.sure,
            assigned: state.assigned.as_ref(),
        }
    }

    /// What evaluating expressions runs into, or all that it may if that is too much; and what is evaluated before.
    fn found(
        &mut self,
        frame: &Frame<'_>,
        state: &State,
        roots: &[ExprId],
    ) -> (Result<Vec<Found>, Vec<Found>>, Vec<ExprId>) {
        if roots.iter().all(|root| frame.shadow.is_harmless(&self.totality, *root)) {
            return (Ok(Vec::new()), Vec::new());
        }
        let mut exprs = std::mem::take(&mut self.new.exprs);
        let evaluation = walk::evaluate(&self.here(frame, state), &mut exprs, roots);
        self.new.exprs = exprs;
        match evaluation {
            Evaluation::Found(found, before) => (Ok(found), before),
            Evaluation::TooLarge(found) => (Err(found), Vec::new()),
        }
    }

    /// What an operation evaluates, without variables that it merely copies.
    fn without_copies(&self, frame: &Frame<'_>, state: &State, op: &Op, roots: &[ExprId]) -> Vec<ExprId> {
        let Some(assigned) = &state.assigned else { return roots.to_vec() };
        let copied = |value: ExprId| frame.shadow.copied(self.old, assigned, value).is_some();
        match op {
            Op::Assign { place, value } if copied(*value) => place.expr().into_iter().collect(),
            Op::Call { callee, args, .. } => {
                let read = args.iter().copied().filter(|arg| !copied(*arg));
                read.chain(called_pointer(callee)).collect()
            }
            _ => roots.to_vec(),
        }
    }

    /// What the operation itself may run into when its expressions are evaluated.
    fn own_faults(&mut self, frame: &Frame<'_>, state: &State, op: &Op, before: &[ExprId]) -> Vec<Found> {
        let mut exprs = std::mem::take(&mut self.new.exprs);
        let here = self.here(frame, state);
        let mut faults = Vec::new();
        match op {
            Op::Free { addr } | Op::Realloc { old: addr, .. } => faults.push(Fault::Free { addr: *addr }),
            Op::Halt { reason: HaltReason::Overlap } => {
                let cond = exprs.bool(true);
                faults.push(Fault::Single { kind: CheckKind::Overlap, cond });
            }
            Op::Halt { reason: HaltReason::Misuse } => {
                let cond = exprs.bool(true);
                faults.push(Fault::Single { kind: CheckKind::Misuse, cond });
            }
            Op::Copy { to, from, length } => {
                faults.extend(walk::access(&here, &mut exprs, *from, Bytes::Value(*length), Access::Read));
                faults.extend(walk::access(&here, &mut exprs, *to, Bytes::Value(*length), Access::Write));
            }
            Op::Fill { to, length, .. } => {
                faults.extend(walk::access(&here, &mut exprs, *to, Bytes::Value(*length), Access::Write));
            }
            Op::Allocate { length, .. } if exprs.ty(*length).is_signed() && !self.is_natural(*length) => {
                let cond = fault::is_negative(&mut exprs, *length);
                faults.push(Fault::Single { kind: CheckKind::ArrayLength, cond });
            }
            Op::Call { callee: Callee::Indirect { pointer, targets }, .. } => {
                let is_known =
                    matches!(self.old.exprs.get(*pointer), Expr::Function { proc } if targets.contains(proc));
                if !is_known {
                    let cond = fault::leads_to_none(&mut exprs, *pointer, targets);
                    faults.push(Fault::Single { kind: CheckKind::BadFunctionPointer, cond });
                }
            }
            Op::Output { function, args, .. } => self.output(&here, &mut exprs, *function, args, &mut faults),
            _ => {}
        }
        // What a call, or the end of an object, changes comes before its results are stored.
        if !matches!(op, Op::Call { .. } | Op::Realloc { .. }) {
            for place in op.places() {
                faults.extend(self.stored(&here, &mut exprs, place));
            }
        }
        self.new.exprs = exprs;
        let mut before = before.to_vec();
        let mut found = Vec::new();
        for fault in faults {
            let is_checked = fault.kinds().iter().all(|kind| self.is_asked(kind));
            found.push(Found { fault: fault.clone(), expr: None, before: before.clone() });
            // What comes next happens only if this went well.
            if !is_checked {
                let fails = fault.any(&mut self.new.exprs);
                before.push(self.new.exprs.not(fails));
            }
        }
        found
    }

    fn is_natural(&self, expr: ExprId) -> bool {
        self.totality.range(expr).is_some_and(|(low, _)| low >= 0)
    }

    /// What may go wrong when a place is written.
    fn stored(&self, here: &Here<'_>, exprs: &mut cfa::Exprs, place: &Place) -> Option<Fault> {
        let model = self.old.data_model;
        match *place {
            Place::Var(_) => None,
            Place::Elem { array, index } => walk::written_element(here, exprs, array, index),
            Place::Mem { addr, ty } => {
                walk::access(here, exprs, addr, Bytes::Number(ty.size(model)), Access::Write)
            }
            Place::Bits { addr, bit, ty } => {
                let bytes = (u64::from(bit) + u64::from(ty.width(model))).div_ceil(8);
                walk::access(here, exprs, addr, Bytes::Number(bytes), Access::Write)
            }
        }
    }

    /// Output: texts are read, and the format must fit.
    fn output(
        &self,
        here: &Here<'_>,
        exprs: &mut cfa::Exprs,
        function: OutputFunction,
        args: &[ExprId],
        faults: &mut Vec<Fault>,
    ) {
        let vague = if here.shadow.is_asked() { Vague::Violation } else { Vague::Arbitrary };
        let Some((first, rest)) = args.split_first() else { return };
        if function == OutputFunction::Putchar {
            return;
        }
        let format = here.forms.literal(*first);
        if format.is_none() {
            faults.push(Fault::Text { addr: *first, limit: None, vague });
        }
        if function == OutputFunction::Puts {
            return;
        }
        let types: Vec<Ty> = rest.iter().map(|arg| self.old.exprs.ty(*arg)).collect();
        let Some(format) = format else {
            // What it asks for is not known.
            let cond = exprs.bool(true);
            faults.push(Fault::Single { kind: CheckKind::BadFormat, cond });
            return;
        };
        let examined = interp::examine(format, &types, self.old.data_model);
        for text in examined.texts {
            let addr = rest[text.index];
            if here.forms.literal(addr).is_none() {
                let word = Ty::unsigned(exprs.pointer_width());
                let limit = text.limit.map(|limit| exprs.int(word, i128::from(limit)));
                faults.push(Fault::Text { addr, limit, vague });
            }
        }
        // What comes after a conversion that is not known may not match.
        if examined.rest != interp::Rest::Matches {
            let cond = exprs.bool(true);
            faults.push(Fault::Single { kind: CheckKind::BadFormat, cond });
        }
    }

    /// Puts the new version of an operation into the part that is being built.
    fn rewrite(
        &mut self,
        builder: &mut Builder,
        frame: &Frame<'_>,
        state: &State,
        piece: &mut Piece<'_>,
        (position, op): (usize, &Op),
    ) {
        let counted = frame.heap.and_then(|heap| heap.count(&mut self.new.exprs, op));
        if let Some(op) = counted {
            piece.push(op, position);
        }
        match op {
            Op::Call { callee, args, results } => {
                self.call(builder, frame, state, piece, position, (callee, args, results));
                return;
            }
            Op::Realloc { place, old, size } if !matches!(place, Place::Var(_)) => {
                self.realloc(builder, frame, state, piece, position, (place, *old, *size));
                return;
            }
            _ => {}
        }
        let assigned = state.assigned.as_ref();
        for flag in frame.shadow.before(&mut self.new.exprs, self.old, assigned, op) {
            piece.push(flag, position);
        }
        match op {
            _ if assigned.is_none() => piece.push(op.clone(), position),
            Op::Havoc {
                place: Place::Var(_) | Place::Elem { .. }, source: Source::Uninitialised, ..
            } => {}
            Op::Havoc { place, source: Source::Uninitialised, at } => {
                let forget = self.forget(*place, *at);
                piece.push(forget, position);
            }
            Op::Assign { place, value } => {
                let copied = assigned.and_then(|assigned| frame.shadow.copied(self.old, assigned, *value));
                let flag = copied.and_then(|var| frame.shadow.flag(var));
                self.assign(builder, piece, position, (*place, *value), flag);
            }
            _ => piece.push(op.clone(), position),
        }
    }

    /// An assignment; memory that takes what has no value, as a flag says, has none afterwards.
    fn assign(
        &mut self,
        builder: &mut Builder,
        piece: &mut Piece<'_>,
        position: usize,
        (place, value): (Place, ExprId),
        flag: Option<VarId>,
    ) {
        let op = Op::Assign { place, value };
        let (Some(flag), Place::Mem { .. } | Place::Bits { .. }) = (flag, place) else {
            piece.push(op, position);
            return;
        };
        let holds = self.new.exprs.var(flag, Ty::BOOL);
        let fails = self.new.exprs.not(holds);
        let forget = self.forget(place, piece.region);
        let ways = [vec![Op::Assume { cond: holds }, op], vec![Op::Assume { cond: fails }, forget]];
        piece.choose(builder, position, ways);
    }

    /// A place loses its value. Memory does so without a choice if what may be wrong with its address is checked.
    fn forget(&mut self, place: Place, at: base::Region) -> Op {
        let is_checked =
            CheckKind::ALL.into_iter().filter(|kind| kind.is_access()).all(|kind| self.is_asked(kind));
        let Place::Mem { addr: to, ty } = place else {
            return Op::Havoc { place, source: Source::Uninitialised, at };
        };
        if !is_checked {
            return Op::Havoc { place, source: Source::Uninitialised, at };
        }
        let word = Ty::unsigned(self.new.exprs.pointer_width());
        let length = self.new.exprs.int(word, i128::from(ty.size(self.old.data_model)));
        Op::Forget { to, length, source: Source::Uninitialised, addresses: Vec::new() }
    }

    /// A call. The places of its results are evaluated when it has returned: if that may go wrong, or a flag goes with the place, the results go to
    /// temporaries first.
    fn call(
        &mut self,
        builder: &mut Builder,
        frame: &Frame<'_>,
        state: &State,
        piece: &mut Piece<'_>,
        position: usize,
        (callee, args, results): (&Callee, &[ExprId], &[Option<Place>]),
    ) {
        let is_plain = |pass: &mut Self, place: &Option<Place>| match place {
            None | Some(Place::Var(_)) => true,
            Some(place) => !frame.shadow.is_asked() && pass.store_faults(frame, state, place).is_empty(),
        };
        let direct = results.iter().take_while(|place| is_plain(self, place)).count();
        let targets = match callee {
            Callee::Direct(target) => std::slice::from_ref(target),
            Callee::Indirect { targets, .. } => targets,
        };
        let mut places = results[..direct].to_vec();
        let (mut flags, mut certain, mut stores) = (Vec::new(), Vec::new(), Vec::new());
        for (number, place) in results.iter().enumerate() {
            let has_flag = frame.shadow.may_return_nothing(targets, number);
            let mut flag = place.and_then(|place| place.var()).and_then(|var| frame.shadow.flag(var));
            if let Some(place) = place.filter(|_| number >= direct) {
                let temporary = self.temporary(piece, &place);
                flag = has_flag.then(|| self.temporary_of(piece, Ty::BOOL));
                stores.push((place, temporary, flag));
                places.push(Some(Place::Var(temporary)));
            } else if number >= direct {
                places.push(None);
            }
            if has_flag {
                flags.push(flag.map(Place::Var));
            } else if number < direct {
                certain.extend(flag);
            }
        }
        places.extend(flags);
        let mut passed = args.to_vec();
        if let Some(assigned) = &state.assigned {
            passed.extend(frame.shadow.arguments(&mut self.new.exprs, self.old, assigned, (targets, args)));
        }
        piece.push(Op::Call { callee: callee.clone(), args: passed, results: places }, position);
        let yes = self.new.exprs.bool(true);
        for flag in certain {
            piece.push(Op::Assign { place: Place::Var(flag), value: yes }, position);
        }
        for (place, temporary, flag) in stores {
            self.store(builder, frame, state, piece, position, (place, temporary, flag));
        }
    }

    /// `realloc` to a place that is evaluated before the old object ends, and written after.
    fn realloc(
        &mut self,
        builder: &mut Builder,
        frame: &Frame<'_>,
        state: &State,
        piece: &mut Piece<'_>,
        position: usize,
        (place, old, size): (&Place, ExprId, ExprId),
    ) {
        let temporary = self.temporary(piece, place);
        // What says where may be in the memory that ends.
        let mut hold = |value: ExprId| {
            let ty = self.new.exprs.ty(value);
            let held = self.temporary_of(piece, ty);
            piece.push(Op::Assign { place: Place::Var(held), value }, position);
            self.new.exprs.var(held, ty)
        };
        let place = place.map(&mut hold, &mut |var| var);
        piece.push(Op::Realloc { place: Place::Var(temporary), old, size }, position);
        self.store(builder, frame, state, piece, position, (place, temporary, None));
    }

    /// Stores a temporary to a place, with the checks of the place.
    fn store(
        &mut self,
        builder: &mut Builder,
        frame: &Frame<'_>,
        state: &State,
        piece: &mut Piece<'_>,
        position: usize,
        (place, temporary, given): (Place, VarId, Option<VarId>),
    ) {
        let faults = self.store_faults(frame, state, &place);
        if !faults.is_empty() {
            piece.cut(builder, position);
        }
        for found in &faults {
            self.fail(builder, piece, position, found);
        }
        let ty = self.new.vars[temporary].scalar().unwrap_or(Ty::BOOL);
        let value = self.new.exprs.var(temporary, ty);
        let has_value = match given {
            Some(flag) => self.new.exprs.var(flag, Ty::BOOL),
            None => self.new.exprs.bool(true),
        };
        if let Some(place) = frame.shadow.flag_place(&place) {
            piece.push(Op::Assign { place, value: has_value }, position);
        }
        self.assign(builder, piece, position, (place, value), given);
    }

    /// What evaluating and writing a place may run into.
    fn store_faults(&mut self, frame: &Frame<'_>, state: &State, place: &Place) -> Vec<Found> {
        let known = place.expr().filter(|expr| (expr.0 as usize) < self.old.exprs.len());
        let (found, before) = self.found(frame, state, known.as_slice());
        let mut found = found.unwrap_or_else(|found| found);
        let mut exprs = std::mem::take(&mut self.new.exprs);
        let here = self.here(frame, state);
        let stored = match known {
            Some(_) => self.stored(&here, &mut exprs, place),
            None => self.stored_anywhere(&here, &mut exprs, place),
        };
        self.new.exprs = exprs;
        found.extend(stored.map(|fault| Found { fault, expr: None, before }));
        found
    }

    /// What may go wrong when a place is written that a temporary tells.
    fn stored_anywhere(&self, here: &Here<'_>, exprs: &mut cfa::Exprs, place: &Place) -> Option<Fault> {
        match *place {
            Place::Mem { addr, ty } | Place::Bits { addr, ty, .. } => {
                let word = Ty::unsigned(exprs.pointer_width());
                let length = exprs.int(word, i128::from(ty.size(self.old.data_model)));
                let kinds = [
                    CheckKind::NullDereference,
                    CheckKind::WildPointer,
                    CheckKind::Dangling,
                    CheckKind::OutOfBounds,
                    CheckKind::ReadOnly,
                ];
                Some(Fault::Access {
                    addr,
                    length,
                    access: Access::Write,
                    kinds: kinds.into_iter().collect(),
                })
            }
            Place::Elem { array, index } => {
                let length = here.shadow.length(exprs, self.old, array)?;
                let cond = fault::outside(exprs, index, length);
                Some(Fault::Single { kind: CheckKind::ArrayBounds, cond })
            }
            Place::Var(_) => None,
        }
    }

    fn temporary(&mut self, piece: &Piece<'_>, place: &Place) -> VarId {
        let ty = match *place {
            Place::Var(var) => self.old.vars[var].scalar(),
            Place::Elem { array, .. } => match self.old.vars[array].storage {
                Storage::Array { elem, .. } => Some(elem),
                Storage::Scalar(_) | Storage::Object { .. } => None,
            },
            Place::Mem { ty, .. } | Place::Bits { ty, .. } => Some(ty),
        };
        self.temporary_of(piece, ty.unwrap_or(Ty::BOOL))
    }

    fn temporary_of(&mut self, piece: &Piece<'_>, ty: Ty) -> VarId {
        self.new.vars.push(Var {
            name: "%result".into(),
            storage: Storage::Scalar(ty),
            owner: Some(piece.proc),
            c_type: "".into(),
            declared: base::Region::NOWHERE,
            scope: base::Region::NOWHERE,
        })
    }

    /// Counts what could go wrong by its operator.
    fn note_risks(&mut self, piece: &Piece<'_>, op: &Op) {
        let (mut pending, mut seen): (Vec<ExprId>, _) = (op.exprs().collect(), FxHashSet::default());
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = self.old.exprs.get(id);
            if self.is_risky(id, node) {
                self.risky.insert((piece.region, Some(id)));
            }
            pending.extend(node.operands());
        }
        let is_access = |place: &Place| !matches!(place, Place::Var(_));
        if op.places().any(is_access) || matches!(op, Op::Copy { .. } | Op::Fill { .. }) {
            self.risky.insert((piece.region, None));
        }
    }

    fn is_risky(&self, id: ExprId, node: &Expr) -> bool {
        let asked = |kinds: &[CheckKind]| kinds.iter().any(|kind| self.is_asked(*kind));
        let is_signed = self.old.exprs.ty(id).is_int() && self.old.exprs.ty(id).is_signed();
        let overflows = is_signed && asked(&[CheckKind::SignedOverflow]);
        match *node {
            Expr::Elem { .. } => asked(&[CheckKind::ArrayBounds]),
            Expr::Load { .. } | Expr::LoadBits { .. } => asked(&[CheckKind::OutOfBounds]),
            Expr::Unary { op: UnaryOp::Neg, .. } => overflows,
            Expr::Binary { op, .. } => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => overflows,
                BinaryOp::Div | BinaryOp::Rem => asked(&[CheckKind::DivisionByZero]),
                BinaryOp::Shl | BinaryOp::Shr => asked(&[CheckKind::ShiftAmount]),
                _ => false,
            },
            _ => false,
        }
    }
}

/// The expressions that an operation evaluates before it does anything, in the interpreter's order.
fn evaluated(op: &Op) -> Vec<ExprId> {
    match op {
        Op::Call { callee, args, .. } => args.iter().copied().chain(called_pointer(callee)).collect(),
        // What may be among the bytes is not evaluated.
        Op::Forget { to, length, .. } => vec![*to, *length],
        Op::Halt { reason: HaltReason::Exit(status) } => vec![*status],
        _ => op.exprs().collect(),
    }
}

fn called_pointer(callee: &Callee) -> Option<ExprId> {
    match callee {
        Callee::Indirect { pointer, .. } => Some(*pointer),
        Callee::Direct(_) => None,
    }
}
