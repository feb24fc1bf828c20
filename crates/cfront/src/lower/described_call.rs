//! Calls of library functions that are known by their effects: what they write becomes arbitrary, what they return lies in its range.
//!
//! # Invariants
//! * L1: everything that the library may do to the state of the program is allowed by the operations; so `safe` stays sound.
//! * L2: a value may be chosen freely ([`Freedom::World`]) only if nothing else that the call yields is tied to it: a call that yields several
//!   values, as `time(&t)` does, yields determined ones.
//! * L3: a call whose effects are unknown caps both verdicts.

use std::sync::Arc;

use base::Region;
use cfa::{ApproximationKind, BinaryOp, Expr, ExprId, Freedom, HaltReason, Op, Place, Source, Ty};

use crate::hir::{FunctionId, VariableId};
use crate::library::effects::{Bound, Effects, End, Errno, Extent, Outcome, Write};
use crate::library::{self};
use crate::lower::call::{Argument, Returned, Sink, Site};
use crate::lower::function::Body;
use crate::lower::graph::Graph;
use crate::lower::storage::Slot;
use crate::lower::{Lowered, build};
use crate::types::TypeId;

/// The largest number of an error on Linux.
const LAST_ERROR: i128 = 133;

/// Where the arguments that a format speaks of are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// After those that have parameters.
    Arguments,
    /// In a `va_list`, the last argument.
    List,
}

/// A call of a described function.
struct Call<'a> {
    name: Arc<str>,
    effects: &'a Effects,
    freedom: Freedom,
    /// The arguments, by position; records have none.
    args: Vec<Option<ExprId>>,
    /// The types of the parameters.
    params: Vec<TypeId>,
    /// Where the arguments that a format speaks of are.
    rest: Rest,
    site: &'a Site,
}

impl Call<'_> {
    fn source(&self) -> Source {
        Source::Library { function: self.name.clone(), freedom: self.freedom }
    }
    /// The value of an argument, counted from 1.
    fn arg(&self, number: usize) -> Option<ExprId> {
        self.args.get(number - 1).copied().flatten()
    }
}

/// A call that may fail whatever its arguments are.
pub(super) struct Fallible<'a> {
    pub(super) name: &'a Arc<str>,
    pub(super) ty: Ty,
    /// What it returns if it fails.
    pub(super) failure: i128,
    pub(super) site: &'a Site,
}

impl Body<'_, '_> {
    /// Caps both verdicts, because of a function whose effects are unknown (L3).
    pub(super) fn cap(&mut self, name: &str, why: &str, site: &Site) {
        let what = format!("library function `{name}` is not modelled: {why}");
        self.ctx.approximate(ApproximationKind::Under, what.clone(), site.origin.region);
        self.ctx.approximate(ApproximationKind::Over, what, site.origin.region);
    }

    /// Calls a function by its effects.
    pub(super) fn call_described(
        &mut self,
        function: FunctionId,
        effects: &Effects,
        args: &[Argument],
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Returned> {
        let hir = self.ctx.hir;
        let declared = &hir.functions[function];
        let name: Arc<str> = library::plain_name(&declared.name).into();
        self.may_change_input(&name, args, site)?;
        let what = format!("library function `{name}` is described by its effects");
        self.ctx.approximate(ApproximationKind::Model, what, Region::NOWHERE);
        self.note_arguments((function, &*name), effects, args, site);
        if effects.end == End::Never {
            self.graph.emit_last(Op::Halt { reason: HaltReason::Abort }, site.origin);
            return Ok(Returned::Nothing);
        }
        let ty = hir.types.function(declared.ty);
        let params = ty.map(|ty| ty.params.clone()).unwrap_or_default();
        let rest =
            if ty.is_some_and(|ty| ty.prototype && !ty.variadic) { Rest::List } else { Rest::Arguments };
        let values = self.stable_scalars(args);
        let errno = match effects.errno {
            Errno::MayBeSet => self.errno()?,
            Errno::Kept => None,
        };
        let is_used = !matches!(sink, Sink::Drop) && !hir.types.is_void(site.ty);
        let yields = effects.writes.len() + usize::from(errno.is_some()) + usize::from(is_used);
        let freedom = if yields > 1 { Freedom::Determined } else { effects.freedom };
        let call = Call { name, effects, freedom, args: values, params, rest, site };
        for write in &effects.writes {
            self.apply_write(&call, *write);
        }
        if let Some(place) = errno {
            self.set_errno(&call, place);
        }
        if !is_used {
            return Ok(Returned::Nothing);
        }
        let Some(ty) = hir.types.scalar(site.ty) else {
            return Ok(match hir.types.record(site.ty) {
                Some(record) => Returned::Record(self.arbitrary_record(record, &call.source())),
                None => Returned::Nothing,
            });
        };
        // Who writes nothing does not fail.
        let is_empty = call.args.iter().flatten().any(|arg| self.is_empty_literal(*arg));
        Ok(Returned::Scalar(match effects.failure {
            Some(failure) if !ty.is_float() && !is_empty => {
                let calls = Fallible { name: &call.name, ty, failure, site };
                self.unless_it_fails(&calls, |body| body.result(&call, ty), |_| ())
            }
            _ => self.result(&call, ty),
        }))
    }

    fn stable_scalars(&mut self, args: &[Argument]) -> Vec<Option<ExprId>> {
        let scalar = |arg: &Argument| match arg {
            Argument::Scalar(value) => Some(self.stable(*value)),
            Argument::Record(..) => None,
        };
        args.iter().map(scalar).collect()
    }

    fn result(&mut self, call: &Call<'_>, ty: Ty) -> ExprId {
        match ty {
            Ty::Ptr => self.pointer_result(call),
            Ty::Int { .. } => self.integer_result(call, ty),
            Ty::Float(_) => self.library_value(call, ty),
        }
    }

    fn library_value(&mut self, call: &Call<'_>, ty: Ty) -> ExprId {
        let var = self.temporary(ty);
        let op = Op::Havoc { place: Place::Var(var), source: call.source(), at: call.site.origin.region };
        self.graph.emit(op, call.site.origin);
        self.read_var(var)
    }

    fn apply_write(&mut self, call: &Call<'_>, write: Write) {
        match write {
            Write::Argument(number, extent) => self.write_argument(call, number, extent),
            Write::RestByFormat if !self.format_has(call, b'n') => {}
            Write::Rest if self.format_has(call, b'm') => {
                self.cap(&call.name, "its format may ask for memory", call.site);
            }
            Write::Rest | Write::RestByFormat if call.rest == Rest::List => {
                self.cap(&call.name, "it writes through a `va_list`", call.site);
            }
            Write::Rest | Write::RestByFormat => {
                for number in call.params.len() + 1..=call.args.len() {
                    if call.arg(number).is_some_and(|arg| self.exprs().ty(arg) == Ty::Ptr) {
                        self.write_argument(call, number, Extent::All);
                    }
                }
            }
        }
    }

    fn write_argument(&mut self, call: &Call<'_>, number: usize, extent: Extent) {
        let Some(to) = call.arg(number).filter(|arg| self.exprs().ty(*arg) == Ty::Ptr) else {
            self.cap(&call.name, "it is declared in an unusual way", call.site);
            return;
        };
        let types = &self.ctx.hir.types;
        let pointee = call.params.get(number - 1).and_then(|param| types.pointee(*param));
        let pointee = pointee.filter(|pointee| !types.is_void(*pointee));
        let size = pointee.and_then(|pointee| types.size_of(pointee));
        let holds_pointers = pointee.is_some_and(|pointee| types.contains_pointer(pointee));
        let length = match (extent, size) {
            (Extent::Object, Some(size)) => self.size(size),
            (Extent::Count(count), Some(size)) => {
                let size = self.size(size);
                match call.arg(count) {
                    Some(count) => self.product(count, size),
                    None => self.all(),
                }
            }
            (Extent::Bytes(Bound::Number(bytes)), _) => self.size(u64::try_from(bytes).unwrap_or(u64::MAX)),
            (Extent::Bytes(Bound::Argument(bytes)), _) => match call.arg(bytes) {
                Some(bytes) => self.as_size(bytes),
                None => self.all(),
            },
            (Extent::Bytes(Bound::Product(one, other)), _) => match (call.arg(one), call.arg(other)) {
                (Some(one), Some(other)) => self.product(one, other),
                _ => self.all(),
            },
            (Extent::Object | Extent::Count(_) | Extent::Bytes(_) | Extent::All, _) => self.all(),
        };
        let addresses = if holds_pointers { self.pointers(call) } else { Vec::new() };
        let op = Op::Forget { to, length, source: call.source(), addresses };
        self.graph.emit(op, call.site.origin);
    }

    /// The pointers among the arguments.
    fn pointers(&mut self, call: &Call<'_>) -> Vec<ExprId> {
        call.args.iter().flatten().copied().filter(|arg| self.exprs().ty(*arg) == Ty::Ptr).collect()
    }

    /// More bytes than any object has.
    pub(super) fn all(&mut self) -> ExprId {
        let word = self.word();
        let most = word.range().map_or(i128::from(u32::MAX), |(_, most)| most);
        self.exprs().int(word, most)
    }

    /// A size that an argument states; what is no number, because the function is declared in an unusual way, states nothing.
    fn as_size(&mut self, value: ExprId) -> ExprId {
        if !self.exprs().ty(value).is_int() {
            return self.all();
        }
        let word = self.word();
        self.convert_scalar(word, value)
    }

    /// A product of sizes; more than any object has if it does not fit.
    pub(super) fn product(&mut self, one: ExprId, other: ExprId) -> ExprId {
        let (one, other) = (self.as_size(one), self.as_size(other));
        let (most, zero) = (self.all(), self.size(0));
        let product = self.exprs().binary(BinaryOp::Mul, one, other);
        let is_zero = build::compare(self.exprs(), BinaryOp::Eq, other, zero);
        let unit = self.size(1);
        let divisor = build::ite(self.exprs(), is_zero, unit, other);
        let limit = self.exprs().binary(BinaryOp::Div, most, divisor);
        let fits = build::compare(self.exprs(), BinaryOp::Le, one, limit);
        let fits = build::or(self.exprs(), is_zero, fits);
        build::ite(self.exprs(), fits, product, most)
    }

    /// Whether the format, the last parameter before the arguments that it speaks of, may have a conversion or modifier; only literals are looked at.
    fn format_has(&mut self, call: &Call<'_>, letter: u8) -> bool {
        let number = match call.rest {
            Rest::Arguments => call.params.len(),
            Rest::List => call.params.len().saturating_sub(1),
        };
        let Some(format) = call.arg(number.max(1)) else { return true };
        self.literal(format).is_none_or(|format| has_conversion(format, letter))
    }

    /// Whether the program itself, not only a model, may look at `errno`.
    pub(super) fn names_errno(&self) -> bool {
        self.ctx.hir.functions.iter().any(|function| &*function.name == "__errno_location")
    }

    /// Where `errno` is, if the program looks at it.
    pub(super) fn errno(&mut self) -> Lowered<Option<Place>> {
        let hir = self.ctx.hir;
        let is_errno = |variable: &VariableId| &*hir.variables[*variable].name == library::ERRNO;
        let Some(variable) = hir.statics.iter().copied().find(is_errno) else { return Ok(None) };
        if !self.ctx.usage.variables[variable].referenced {
            return Ok(None);
        }
        Ok(match self.ctx.slot(variable)? {
            Slot::Object(var) => {
                let addr = self.object_address(var);
                Some(Place::Mem { addr, ty: Ty::signed(32) })
            }
            Slot::Split(parts) => parts.first().map(|part| Place::Var(part.var)),
            Slot::Pointer(_) => None,
        })
    }

    /// It keeps its value, or gets the number of some error.
    fn set_errno(&mut self, call: &Call<'_>, place: Place) {
        let int = Ty::signed(32);
        let source = Source::Library { function: call.name.clone(), freedom: Freedom::Determined };
        let var = self.temporary(int);
        self.graph.emit(
            Op::Havoc { place: Place::Var(var), source, at: call.site.origin.region },
            call.site.origin,
        );
        let value = self.read_var(var);
        let old = match place {
            Place::Mem { addr, ty } => self.exprs().add(Expr::Load { addr, ty }),
            Place::Var(var) => self.read_var(var),
            Place::Elem { .. } | Place::Bits { .. } => return,
        };
        let (least, most) = (self.exprs().int(int, 1), self.exprs().int(int, LAST_ERROR));
        let above = build::compare(self.exprs(), BinaryOp::Le, least, value);
        let below = build::compare(self.exprs(), BinaryOp::Le, value, most);
        let is_error = build::and(self.exprs(), above, below);
        let is_kept = build::compare(self.exprs(), BinaryOp::Eq, value, old);
        let cond = build::or(self.exprs(), is_error, is_kept);
        self.graph.emit(Op::Assume { cond }, call.site.origin);
        self.graph.emit(Op::Assign { place, value }, call.site.origin);
    }

    fn integer_result(&mut self, call: &Call<'_>, ty: Ty) -> ExprId {
        if let Outcome::Argument(number) = call.effects.result
            && let Some(arg) = call.arg(number)
        {
            return self.convert_scalar(ty, arg);
        }
        let value = self.library_value(call, ty);
        let Outcome::Ranges(ranges) = &call.effects.result else { return value };
        let mut allowed = self.exprs().bool(false);
        for (low, high) in ranges {
            let (low, high) = (self.at_least(value, *low), self.at_most(call, value, *high));
            let inside = build::and(self.exprs(), low, high);
            allowed = build::or(self.exprs(), allowed, inside);
        }
        self.graph.emit(Op::Assume { cond: allowed }, call.site.origin);
        value
    }

    fn at_least(&mut self, value: ExprId, low: Bound) -> ExprId {
        let ty = self.exprs().ty(value);
        match low {
            Bound::Number(number)
                if ty.range().is_some_and(|(least, most)| least < number && number <= most) =>
            {
                let low = self.exprs().int(ty, number);
                build::compare(self.exprs(), BinaryOp::Le, low, value)
            }
            _ => self.exprs().bool(true),
        }
    }

    fn at_most(&mut self, call: &Call<'_>, value: ExprId, high: Bound) -> ExprId {
        let ty = self.exprs().ty(value);
        let high = match high {
            Bound::Number(number)
                if ty.range().is_some_and(|(least, most)| least <= number && number < most) =>
            {
                let high = self.exprs().int(ty, number);
                return build::compare(self.exprs(), BinaryOp::Le, value, high);
            }
            Bound::Argument(number) => call.arg(number).map(|arg| self.as_size(arg)),
            Bound::Product(one, other) => match (call.arg(one), call.arg(other)) {
                (Some(one), Some(other)) => Some(self.product(one, other)),
                _ => None,
            },
            Bound::Number(_) | Bound::Min | Bound::Max => None,
        };
        let Some(high) = high else { return self.exprs().bool(true) };
        // Sizes are compared as such; below zero is below any.
        let size = self.as_size(value);
        let below = build::compare(self.exprs(), BinaryOp::Le, size, high);
        let zero = build::zero(self.exprs(), ty);
        let negative = build::compare(self.exprs(), BinaryOp::Lt, value, zero);
        build::or(self.exprs(), negative, below)
    }

    fn pointer_result(&mut self, call: &Call<'_>) -> ExprId {
        let null = build::address(self.exprs(), 0);
        match call.effects.result {
            Outcome::Null => null,
            Outcome::Argument(number) if call.arg(number).is_some() => call.arg(number).unwrap_or(null),
            Outcome::NullOrArgument(number) => {
                let arg = call.arg(number).unwrap_or(null);
                let is_null = self.library_value(call, Ty::BOOL);
                build::ite(self.exprs(), is_null, null, arg)
            }
            Outcome::Into(number) => {
                let arg = call.arg(number).unwrap_or(null);
                let is_null = self.library_value(call, Ty::BOOL);
                let word = self.word();
                let offset = self.library_value(call, word);
                let inside = build::offset(self.exprs(), arg, offset);
                build::ite(self.exprs(), is_null, null, inside)
            }
            _ => self.unknown_pointer(call),
        }
    }

    /// Memory of the library, or something in an object that the call was given.
    fn unknown_pointer(&mut self, call: &Call<'_>) -> ExprId {
        let mut result = self.library_value(call, Ty::Ptr);
        let pointers = self.pointers(call);
        if !pointers.is_empty() {
            let word = self.word();
            let (which, offset) = (self.library_value(call, word), self.library_value(call, word));
            for (number, pointer) in pointers.into_iter().enumerate() {
                let number = self.size(number as u64);
                let chosen = build::compare(self.exprs(), BinaryOp::Eq, which, number);
                let inside = build::offset(self.exprs(), pointer, offset);
                result = build::ite(self.exprs(), chosen, inside, result);
            }
        }
        if call.effects.result == Outcome::NotNull {
            let null = build::address(self.exprs(), 0);
            let cond = build::compare(self.exprs(), BinaryOp::Ne, result, null);
            self.graph.emit(Op::Assume { cond }, call.site.origin);
        }
        result
    }

    fn is_empty_literal(&self, value: ExprId) -> bool {
        let Expr::Address { var } = *self.ctx.program.exprs.get(value) else { return false };
        let literal = self.ctx.strings.iter().find(|(_, known)| **known == var);
        literal.is_some_and(|(string, _)| self.ctx.hir.strings[*string].bytes.first() == Some(&0))
    }

    /// The outside world decides whether a call fails; what it returns otherwise is chosen only then.
    pub(super) fn unless_it_fails(
        &mut self,
        call: &Fallible<'_>,
        result: impl FnOnce(&mut Self) -> ExprId,
        fail: impl FnOnce(&mut Self),
    ) -> ExprId {
        let Fallible { name, ty, failure, site } = *call;
        let (failed, returned) = (self.temporary(Ty::BOOL), self.temporary(ty));
        let source = Source::Library { function: name.clone(), freedom: Freedom::World };
        let op = Op::Havoc { place: Place::Var(failed), source, at: site.origin.region };
        self.graph.emit(op, site.origin);
        let failure = match ty {
            Ty::Ptr => build::address(self.exprs(), failure),
            _ => self.exprs().int(ty, failure),
        };
        let fails = self.read_var(failed);
        let succeeds = build::not(self.exprs(), fails);
        if let Some(here) = self.graph.location() {
            self.graph.set(Graph::step(here, Op::Assume { cond: fails }, site.origin));
            fail(self);
            self.graph.emit(Op::Assign { place: Place::Var(returned), value: failure }, site.origin);
            let after_failure = self.graph.take();
            self.graph.set(Graph::step(here, Op::Assume { cond: succeeds }, site.origin));
            let value = result(self);
            let cond = build::compare(self.exprs(), BinaryOp::Ne, value, failure);
            self.graph.emit(Op::Assume { cond }, site.origin);
            self.graph.emit(Op::Assign { place: Place::Var(returned), value }, site.origin);
            self.graph.join(after_failure);
        }
        self.read_var(returned)
    }
}

/// Whether a format may have a conversion, or a modifier of one.
fn has_conversion(format: &[u8], letter: u8) -> bool {
    let mut rest = format;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        rest = &rest[at + 1..];
        let is_end =
            |byte: &u8| byte.is_ascii_alphabetic() && !b"hlLqjztm".contains(byte) || b"%[".contains(byte);
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        if rest[..rest.len().min(end + 1)].contains(&letter) {
            return true;
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_of_formats_are_found() {
        for format in ["%n", "a%hhn", "%d%ln", "%%%n", "%5n"] {
            assert!(has_conversion(format.as_bytes(), b'n'), "{format}");
        }
        for format in ["", "n", "%%n", "%d n", "100%", "%-5sn"] {
            assert!(!has_conversion(format.as_bytes(), b'n'), "{format}");
        }
        assert!(
            has_conversion(b"%d %ms", b'm')
                && has_conversion(b"%m[a-z]", b'm')
                && !has_conversion(b"%d m", b'm')
        );
    }
}
