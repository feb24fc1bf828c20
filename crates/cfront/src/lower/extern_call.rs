//! Calls of functions without body: inputs, the library functions that are operations, and all others.

use cfa::{
    AllocKind, ApproximationKind, BinaryOp, ExprId, HaltReason, InitKind, Op, OutputFunction, Place, Source,
    Ty,
};

use crate::hir::FunctionId;
use crate::library::{self, Known};
use crate::lower::call::{Argument, Returned, Sink, Site};
use crate::lower::function::Body;
use crate::lower::storage::unsupported;
use crate::lower::{Lowered, build};

impl Body<'_, '_> {
    /// The ledger names the models that are used.
    pub(super) fn note_model(&mut self, name: &str) {
        let what = format!("library function `{name}` is replaced by a model");
        self.ctx.approximate(ApproximationKind::Model, what, base::Region::NOWHERE);
    }

    /// Calls a function that has no body.
    pub(super) fn call_extern(
        &mut self,
        function: FunctionId,
        args: &[Argument],
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Returned> {
        let name = self.ctx.hir.functions[function].name.clone();
        let known = library::classify(&name);
        if !self.graph.is_reachable() {
            return Ok(Returned::Nothing);
        }
        match known {
            Known::Refused(what) => {
                return unsupported(format_args!("{what} (call of `{name}`)"), site.span);
            }
            Known::AssertFail if self.ctx.options.assert_is_error => {
                self.graph.fail(site.origin);
                return Ok(Returned::Nothing);
            }
            Known::AssertFail | Known::Abort => {
                self.graph.emit_last(Op::Halt { reason: HaltReason::Abort }, site.origin);
                return Ok(Returned::Nothing);
            }
            Known::Exit => {
                let int = Ty::signed(32);
                let status = match args.first() {
                    Some(Argument::Scalar(status)) => self.convert_scalar(int, *status),
                    _ => self.exprs().int(int, 0),
                };
                self.graph.emit_last(Op::Halt { reason: HaltReason::Exit(status) }, site.origin);
                return Ok(Returned::Nothing);
            }
            Known::Input => return Ok(self.input(&name, site, sink)),
            Known::Nothing => return Ok(self.constant_result(0, site)),
            Known::Extern => {}
            Known::WritesMemory => {
                let what = format!("library function `{name}` writes nothing");
                self.ctx.approximate(ApproximationKind::Under, what, site.origin.region);
            }
            _ => {
                if known != Known::Assume {
                    self.note_model(&name);
                }
                if let Some(returned) = self.operation(known, args, site)? {
                    return Ok(returned);
                }
            }
        }
        Ok(self.arbitrary_result(function, known, site, sink))
    }

    /// A call of a nondeterministic input function.
    fn input(&mut self, name: &std::sync::Arc<str>, site: &Site, sink: Sink<'_>) -> Returned {
        let source = Source::Input { function: name.clone() };
        let Some(ty) = self.ctx.hir.types.scalar(site.ty) else {
            return match self.ctx.hir.types.record(site.ty) {
                Some(record) => Returned::Record(self.arbitrary_record(record, &source)),
                None => Returned::Nothing,
            };
        };
        self.havoc_into(ty, source, site, sink)
    }

    fn havoc(&mut self, ty: Ty, source: Source, site: &Site) -> ExprId {
        let var = self.temporary(ty);
        let op = Op::Havoc { place: Place::Var(var), source, at: site.origin.region };
        self.graph.emit(op, site.origin);
        self.read_var(var)
    }

    /// An arbitrary value, straight to its place if that has the right type.
    fn havoc_into(&mut self, ty: Ty, source: Source, site: &Site, sink: Sink<'_>) -> Returned {
        match sink {
            Sink::Into(target) if target.ty == ty && target.declared == ty => {
                let op = Op::Havoc { place: target.place, source, at: site.origin.region };
                self.graph.emit(op, site.origin);
                Returned::Nothing
            }
            Sink::Drop | Sink::Value | Sink::Into(_) => Returned::Scalar(self.havoc(ty, source, site)),
        }
    }

    fn constant_result(&mut self, value: i128, site: &Site) -> Returned {
        match self.ctx.hir.types.scalar(site.ty) {
            Some(Ty::Ptr) => Returned::Scalar(build::address(self.exprs(), value)),
            Some(ty @ Ty::Int { .. }) => Returned::Scalar(self.exprs().int(ty, value)),
            Some(Ty::Float(_)) | None => Returned::Nothing,
        }
    }

    /// The convention for functions that nobody defines.
    fn arbitrary_result(
        &mut self,
        function: FunctionId,
        known: Known,
        site: &Site,
        sink: Sink<'_>,
    ) -> Returned {
        let declared = &self.ctx.hir.functions[function];
        let name = declared.name.clone();
        let region = self.ctx.region(declared.declared);
        if declared.noreturn {
            let what = format!("extern function `{name}` ends the execution");
            self.ctx.approximate(ApproximationKind::Assumption, what, region);
            self.graph.emit_last(Op::Halt { reason: HaltReason::Abort }, site.origin);
            return Returned::Nothing;
        }
        let ty = self.ctx.hir.types.scalar(site.ty);
        let record = self.ctx.hir.types.record(site.ty);
        let what = if ty.is_some() || record.is_some() {
            format!("extern function `{name}` returns an arbitrary value and writes nothing")
        } else {
            format!("extern function `{name}` does nothing")
        };
        self.ctx.approximate(ApproximationKind::Assumption, what, region);
        let source = Source::Extern { function: name };
        match (ty, record) {
            (Some(ty), _) => {
                if known == Known::NotNegative {
                    let value = self.havoc(ty, source, site);
                    let zero = build::zero(self.exprs(), ty);
                    let cond = build::compare(self.exprs(), BinaryOp::Le, zero, value);
                    self.emit(Op::Assume { cond });
                    return Returned::Scalar(value);
                }
                if matches!(sink, Sink::Drop) {
                    return Returned::Nothing;
                }
                self.havoc_into(ty, source, site, sink)
            }
            (None, Some(record)) => Returned::Record(self.arbitrary_record(record, &source)),
            (None, None) => Returned::Nothing,
        }
    }

    /// Library functions that are operations of the program; `None` if the arguments are not as expected.
    fn operation(&mut self, known: Known, args: &[Argument], site: &Site) -> Lowered<Option<Returned>> {
        let scalars: Vec<ExprId> = args
            .iter()
            .filter_map(|arg| match arg {
                Argument::Scalar(value) => Some(*value),
                Argument::Record(..) => None,
            })
            .collect();
        let word = self.word();
        Ok(Some(match (known, scalars.as_slice()) {
            (Known::Assume, [condition, ..]) => {
                let cond = build::truth(self.exprs(), *condition);
                self.graph.emit(Op::Assume { cond }, site.origin);
                Returned::Nothing
            }
            (Known::Malloc, [size, ..]) => {
                let size = self.convert_scalar(word, *size);
                self.allocate(size, AllocKind::Heap, InitKind::Uninitialised, site)
            }
            (Known::AlignedAlloc, [_, size]) => {
                let size = self.convert_scalar(word, *size);
                self.allocate(size, AllocKind::Heap, InitKind::Uninitialised, site)
            }
            (Known::Alloca, [size, ..]) => {
                let size = self.convert_scalar(word, *size);
                self.allocate(size, AllocKind::Stack, InitKind::Uninitialised, site)
            }
            (Known::Calloc, [count, size]) => {
                let (count, size) = (self.convert_scalar(word, *count), self.convert_scalar(word, *size));
                let bytes = match (build::constant(self.exprs(), count), build::constant(self.exprs(), size))
                {
                    (Some(count), Some(size)) => self.exprs().int(word, count.wrapping_mul(size)),
                    (_, Some(1)) => count,
                    (Some(1), _) => size,
                    _ => self.exprs().binary(BinaryOp::Mul, count, size),
                };
                self.allocate(bytes, AllocKind::Heap, InitKind::Zero, site)
            }
            (Known::Realloc, [old, size]) => {
                let (old, size) = (self.convert_scalar(Ty::Ptr, *old), self.convert_scalar(word, *size));
                let var = self.temporary(Ty::Ptr);
                self.graph.emit(Op::Realloc { place: Place::Var(var), old, size }, site.origin);
                Returned::Scalar(self.read_var(var))
            }
            (Known::Free, [addr, ..]) => {
                let addr = self.convert_scalar(Ty::Ptr, *addr);
                self.graph.emit(Op::Free { addr }, site.origin);
                Returned::Nothing
            }
            (Known::Copy | Known::CopyReturningEnd, [to, from, length, ..]) => {
                let (to, from) = (self.stable_pointer(*to), self.stable_pointer(*from));
                let length = self.convert_scalar(word, *length);
                let length = self.stable(length);
                self.graph.emit(Op::Copy { to, from, length }, site.origin);
                Returned::Scalar(match known {
                    Known::Copy => to,
                    _ => build::offset(self.exprs(), to, length),
                })
            }
            (Known::Fill, [to, byte, length, ..]) => {
                let to = self.stable_pointer(*to);
                let byte = self.convert_scalar(Ty::unsigned(8), *byte);
                let length = self.convert_scalar(word, *length);
                self.graph.emit(Op::Fill { to, byte, length }, site.origin);
                Returned::Scalar(to)
            }
            (Known::Zero, [to, length, ..]) => {
                let to = self.stable_pointer(*to);
                let byte = self.exprs().int(Ty::unsigned(8), 0);
                let length = self.convert_scalar(word, *length);
                self.graph.emit(Op::Fill { to, byte, length }, site.origin);
                Returned::Nothing
            }
            (Known::Printf, [_, ..]) => self.output(OutputFunction::Printf, scalars, site),
            (Known::Puts, [_, ..]) => self.output(OutputFunction::Puts, scalars, site),
            (Known::Putchar, [_, ..]) => self.output(OutputFunction::Putchar, scalars, site),
            (Known::FloatAbs, [value]) if self.exprs().ty(*value).is_float() => {
                Returned::Scalar(self.float_abs(*value))
            }
            _ => return Ok(None),
        }))
    }

    fn stable_pointer(&mut self, value: ExprId) -> ExprId {
        let pointer = self.convert_scalar(Ty::Ptr, value);
        self.stable(pointer)
    }

    fn allocate(&mut self, size: ExprId, kind: AllocKind, contents: InitKind, site: &Site) -> Returned {
        let var = self.temporary(Ty::Ptr);
        let op = Op::Malloc { place: Place::Var(var), size, kind, contents };
        self.graph.emit(op, site.origin);
        let what = "memory allocation never fails";
        self.ctx.approximate(ApproximationKind::Assumption, what, base::Region::NOWHERE);
        let value = self.read_var(var);
        // Without a declaration the result is an `int`.
        match self.ctx.hir.types.scalar(site.ty) {
            Some(ty) if !ty.is_float() => Returned::Scalar(self.convert_scalar(ty, value)),
            _ => Returned::Scalar(value),
        }
    }

    fn output(&mut self, function: OutputFunction, args: Vec<ExprId>, site: &Site) -> Returned {
        let int = Ty::signed(32);
        let result = match self.ctx.hir.types.scalar(site.ty) {
            Some(ty) if ty == int => Some(self.temporary(int)),
            _ => None,
        };
        let op = Op::Output { function, args, result: result.map(Place::Var) };
        self.graph.emit(op, site.origin);
        match result {
            Some(var) => Returned::Scalar(self.read_var(var)),
            None => Returned::Nothing,
        }
    }
}
