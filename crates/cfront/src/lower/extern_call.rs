//! Calls of functions without body: inputs, the library functions that are operations, and all others.

use base::{Cause, Diagnostic};
use cfa::{
    AllocKind, ApproximationKind, BinaryOp, Expr, ExprId, Freedom, HaltReason, InitKind, Op, OutputFunction,
    Place, Source, Ty,
};

use crate::hir::{self, FunctionId, VariableId};
use crate::library::effects::{self, Description, Effects, Errno};
use crate::library::{self, Known};
use crate::lower::call::{Argument, Returned, Sink, Site};
use crate::lower::function::Body;
use crate::lower::graph::Graph;
use crate::lower::storage::{Slot, unsupported};
use crate::lower::{ExternFunctions, Lowered, build};

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
            Known::AssertFail | Known::Abort | Known::Exit | Known::Overlap | Known::Misuse => {
                self.end_execution(known, args, site);
                return Ok(Returned::Nothing);
            }
            Known::Input => return Ok(self.input(&name, site, sink)),
            Known::Arbitrary(freedom) => {
                let function = library::arbitrary(&name).map_or(&*name, |(function, _)| function);
                let source = Source::Library { function: function.into(), freedom };
                return Ok(match self.ctx.hir.types.scalar(site.ty) {
                    Some(ty) => self.havoc_into(ty, source, site, sink),
                    None => Returned::Nothing,
                });
            }
            Known::Nothing => return Ok(Returned::Nothing),
            Known::Stdin => return Ok(Returned::Scalar(self.stdin()?)),
            Known::Unsupported => {
                self.leave_open(&name, site);
                return Ok(Returned::Nothing);
            }
            Known::OwnMalloc => {
                let is_defined = self.defines_allocation();
                return Ok(Returned::Scalar(self.exprs().int(Ty::signed(32), is_defined.into())));
            }
            Known::Readable => {
                self.readable(args);
                return Ok(Returned::Nothing);
            }
            Known::Extern => {}
            _ => {
                if known != Known::Assume && !name.starts_with(library::MODEL_PREFIX) {
                    self.note_model(&name);
                }
                // These have no result.
                let is_void = self.ctx.hir.types.is_void(site.ty) || matches!(sink, Sink::Drop);
                if matches!(known, Known::Free | Known::Zero) && !is_void {
                    self.cap(&name, "it is declared in an unusual way", site);
                }
                if let Some(returned) = self.operation(known, args, site, sink)? {
                    return Ok(returned);
                }
            }
        }
        self.call_unmodelled(function, args, site, sink)
    }

    /// That bytes must be readable, if that is checked: where they are not, they are read.
    fn readable(&mut self, args: &[Argument]) {
        let checks = self.ctx.options.checks;
        let is_checked =
            cfa::CheckKind::ALL.into_iter().any(|kind| kind.is_access() && checks.contains(kind));
        let [Argument::Scalar(from), Argument::Scalar(length)] = args else { return };
        if !is_checked {
            return;
        }
        let (from, length) = (*from, *length);
        let to = self.temporary_object(1, 1);
        let cond = self.exprs().add(Expr::Accessible { addr: from, length, access: cfa::Access::Read });
        let (readable, bad) = self.fork(cond, self.origin, self.origin);
        self.graph.set(bad);
        self.emit(Op::Copy { to, from, length });
        self.graph.join(readable);
    }

    /// Functions that do not return.
    fn end_execution(&mut self, known: Known, args: &[Argument], site: &Site) {
        let reason = match known {
            Known::AssertFail if self.ctx.options.assert_is_error => {
                self.graph.fail(site.origin);
                return;
            }
            Known::Exit => {
                let int = Ty::signed(32);
                HaltReason::Exit(match args.first() {
                    Some(Argument::Scalar(status)) => self.convert_scalar(int, *status),
                    _ => self.exprs().int(int, 0),
                })
            }
            Known::Overlap => HaltReason::Overlap,
            Known::Misuse => HaltReason::Misuse,
            _ => HaltReason::Abort,
        };
        self.graph.emit_last(Op::Halt { reason }, site.origin);
    }

    /// Calls a function that is no operation: by its description, or as one of the user's.
    fn call_unmodelled(
        &mut self,
        function: FunctionId,
        args: &[Argument],
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Returned> {
        let declared = &self.ctx.hir.functions[function];
        let name = library::plain_name(&declared.name);
        let any = Effects::any_result(Freedom::Determined);
        match effects::describe(name) {
            Some(Description::Effects(effects)) => self.call_described(function, &effects, args, site, sink),
            Some(Description::Refused(why)) => unsupported(format!("{why} (call of `{name}`)"), site.span),
            Some(Description::Opaque(why)) => {
                self.cap(name, why, site);
                self.call_described(function, &any, args, site, sink)
            }
            Some(Description::Exact | Description::Ranged(_)) => {
                self.cap(name, "it is declared in an unusual way", site);
                self.call_described(function, &any, args, site, sink)
            }
            None if self.ctx.is_of_the_system(declared.declared) => {
                if args.iter().any(|arg| self.may_lead_to_memory(arg)) {
                    self.cap(name, "it may write memory or call back, and nothing describes it", site);
                }
                let effects = Effects { errno: Errno::MayBeSet, ..any };
                self.call_described(function, &effects, args, site, sink)
            }
            None => self.call_users(function, args, site, sink),
        }
    }

    /// Whether the program defines functions that allocate memory.
    fn defines_allocation(&self) -> bool {
        let is_allocation = |function: &hir::Function| {
            let name = matches!(&*function.name, "malloc" | "calloc" | "realloc" | "free");
            name && function.external && function.body.is_some()
        };
        self.ctx.hir.functions.iter().any(is_allocation)
    }

    fn may_lead_to_memory(&mut self, arg: &Argument) -> bool {
        match arg {
            Argument::Scalar(value) => self.exprs().ty(*value) == Ty::Ptr,
            Argument::Record(..) => true,
        }
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

    /// The convention for functions that nobody defines.
    fn arbitrary_result(&mut self, function: FunctionId, site: &Site, sink: Sink<'_>) -> Returned {
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
        let returns = if ty.is_some() || record.is_some() { "returns an arbitrary value and " } else { "" };
        let writes = match self.ctx.options.extern_functions {
            ExternFunctions::Havoc => {
                "may change global variables and what its arguments point to, and nothing else"
            }
            ExternFunctions::Pure | ExternFunctions::Error if returns.is_empty() => "does nothing",
            ExternFunctions::Pure | ExternFunctions::Error => "writes nothing",
        };
        let what = format!("extern function `{name}` {returns}{writes}");
        self.ctx.approximate(ApproximationKind::Assumption, what, region);
        let source = Source::Extern { function: name };
        match (ty, record) {
            (Some(ty), _) => {
                if matches!(sink, Sink::Drop) {
                    return Returned::Nothing;
                }
                self.havoc_into(ty, source, site, sink)
            }
            (None, Some(record)) => Returned::Record(self.arbitrary_record(record, &source)),
            (None, None) => Returned::Nothing,
        }
    }

    /// Calls a function that is neither of the library nor defined, as the user wants it.
    fn call_users(
        &mut self,
        function: FunctionId,
        args: &[Argument],
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Returned> {
        match self.ctx.options.extern_functions {
            ExternFunctions::Pure if self.ctx.options.checks.contains(cfa::CheckKind::Uninitialised) => {
                self.initialise_by_users(function, args, site);
            }
            ExternFunctions::Pure => {}
            ExternFunctions::Havoc => self.havoc_by_users(function, args, site)?,
            ExternFunctions::Error => {
                let name = &self.ctx.hir.functions[function].name;
                let construct = format!("function `{name}` without body (--extern error)");
                let diagnostic = Diagnostic::unsupported(construct, site.span);
                return Err(Box::new(diagnostic.with_cause(Cause::ForbiddenCall)));
            }
        }
        Ok(self.arbitrary_result(function, site, sink))
    }

    /// What the arguments of a function of another file point to counts as initialised: that may be what it is called for.
    fn initialise_by_users(&mut self, function: FunctionId, args: &[Argument], site: &Site) {
        let name = self.ctx.hir.functions[function].name.clone();
        let mut pointers = Vec::new();
        for arg in args {
            if let Argument::Scalar(value) = arg
                && self.exprs().ty(*value) == Ty::Ptr
            {
                pointers.push(*value);
            }
        }
        for to in &pointers {
            let (length, source) = (self.all(), Source::Extern { function: name.clone() });
            let op = Op::Forget { to: *to, length, source, addresses: Vec::new() };
            self.graph.emit(op, site.origin);
        }
        if !pointers.is_empty() {
            let what = format!("what the arguments of extern function `{name}` point to is initialised");
            let region = self.ctx.region(self.ctx.hir.functions[function].declared);
            self.ctx.approximate(ApproximationKind::Assumption, what, region);
        }
    }

    /// Whatever a function of another file may reach at once gets an arbitrary value.
    fn havoc_by_users(&mut self, function: FunctionId, args: &[Argument], site: &Site) -> Lowered<()> {
        let hir = self.ctx.hir;
        let name = hir.functions[function].name.clone();
        // Which of the variables it really knows is not looked at, so an execution must not depend on the choice.
        let source = Source::Library { function: name.clone(), freedom: Freedom::Determined };
        let statics = hir.statics.iter().copied().filter(|variable| {
            let declared = &hir.variables[*variable];
            let is_model = declared.name.starts_with(library::MODEL_PREFIX);
            declared.function.is_none() && !declared.is_const && !is_model
        });
        for variable in statics.collect::<Vec<_>>() {
            if self.ctx.usage.variables[variable].referenced {
                self.forget_static(variable, &source)?;
            }
        }
        for arg in args {
            if let Argument::Scalar(value) = arg
                && self.exprs().ty(*value) == Ty::Ptr
            {
                let length = self.all();
                let op = Op::Forget { to: *value, length, source: source.clone(), addresses: vec![*value] };
                self.graph.emit(op, site.origin);
            }
        }
        let is_callback = |arg: &Argument| match arg {
            Argument::Scalar(value) => {
                matches!(self.ctx.program.exprs.get(*value), Expr::Function { .. })
            }
            Argument::Record(..) => false,
        };
        if args.iter().any(is_callback) {
            let what = format!("extern function `{name}` may call the function that it is given");
            self.ctx.approximate(ApproximationKind::Under, what, site.origin.region);
        }
        Ok(())
    }

    fn forget_static(&mut self, variable: VariableId, source: &Source) -> Lowered<()> {
        let at = self.origin.region;
        match self.ctx.slot(variable)? {
            Slot::Object(var) => {
                let (to, length) = (self.object_address(var), self.all());
                self.emit(Op::Forget { to, length, source: source.clone(), addresses: vec![to] });
            }
            Slot::Pointer(_) => {}
            Slot::Split(parts) => {
                for part in parts.iter() {
                    if part.dimensions.is_empty() {
                        self.emit(Op::Havoc { place: Place::Var(part.var), source: source.clone(), at });
                    } else {
                        // Elements of arrays that are no memory cannot be told from uninitialised ones.
                        self.emit(Op::Init { var: part.var, contents: InitKind::Uninitialised });
                        let what = "arrays that an extern function may change are uninitialised afterwards";
                        self.ctx.approximate(ApproximationKind::Over, what, at);
                    }
                }
            }
        }
        Ok(())
    }

    /// Library functions that are operations of the program; `None` if the arguments are not as expected.
    fn operation(
        &mut self,
        known: Known,
        args: &[Argument],
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Option<Returned>> {
        let scalars: Vec<ExprId> = args
            .iter()
            .filter_map(|arg| match arg {
                Argument::Scalar(value) => Some(*value),
                Argument::Record(..) => None,
            })
            .collect();
        Ok(match (known, scalars.as_slice()) {
            (Known::Assume, [condition, ..]) => {
                let cond = build::truth(self.exprs(), *condition);
                self.graph.emit(Op::Assume { cond }, site.origin);
                Some(Returned::Nothing)
            }
            (Known::Printf, [_, ..]) => Some(self.output(OutputFunction::Printf, scalars, site, sink)?),
            (Known::Puts, [_, ..]) => Some(self.output(OutputFunction::Puts, scalars, site, sink)?),
            (Known::Putchar, [_, ..]) => Some(self.output(OutputFunction::Putchar, scalars, site, sink)?),
            (Known::FloatAbs, [value]) if self.exprs().ty(*value).is_float() => {
                Some(Returned::Scalar(self.float_abs(*value)))
            }
            (Known::Copy | Known::Move | Known::CopyReturningEnd | Known::Fill | Known::Zero, scalars) => {
                self.block_operation(known, scalars, site)
            }
            (_, scalars) => self.allocation(known, scalars, site),
        })
    }

    /// Functions that hand out memory or take it back; `None` if the arguments are not as expected.
    fn allocation(&mut self, known: Known, scalars: &[ExprId], site: &Site) -> Option<Returned> {
        let word = self.word();
        Some(match (known, scalars) {
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
                let bytes = self.size_of_elements(count, size);
                self.allocate(bytes, AllocKind::Heap, InitKind::Zero, site)
            }
            (Known::Realloc, [old, size]) => {
                let (old, size) = (self.convert_scalar(Ty::Ptr, *old), self.convert_scalar(word, *size));
                let (old, size) = (self.stable(old), self.stable(size));
                Returned::Scalar(self.reallocate(old, size, site))
            }
            (Known::Free, [addr, ..]) => {
                let addr = self.convert_scalar(Ty::Ptr, *addr);
                self.graph.emit(Op::Free { addr }, site.origin);
                Returned::Nothing
            }
            _ => return None,
        })
    }

    /// The size of the array that `calloc` hands out.
    fn size_of_elements(&mut self, count: ExprId, size: ExprId) -> ExprId {
        let word = self.word();
        match (build::constant(self.exprs(), count), build::constant(self.exprs(), size)) {
            (Some(count), Some(size)) => {
                // What does not fit is more than any object has.
                let product = count.checked_mul(size);
                let product =
                    product.filter(|product| word.range().is_some_and(|(_, most)| *product <= most));
                match product {
                    Some(product) => self.exprs().int(word, product),
                    None => self.all(),
                }
            }
            (_, Some(1)) => count,
            (Some(1), _) => size,
            _ => self.product(count, size),
        }
    }

    /// Functions that write a block of memory; `None` if the arguments are not as expected.
    fn block_operation(&mut self, known: Known, scalars: &[ExprId], site: &Site) -> Option<Returned> {
        let word = self.word();
        Some(match (known, scalars) {
            (Known::Copy | Known::Move | Known::CopyReturningEnd, [to, from, length, ..]) => {
                let (to, from) = (self.stable_pointer(*to), self.stable_pointer(*from));
                let length = self.convert_scalar(word, *length);
                let length = self.stable(length);
                self.forbid_null([to, from], length, site);
                self.graph.emit(Op::Copy { to, from, length }, site.origin);
                if known != Known::Move {
                    self.forbid_overlap(to, from, length, site.origin);
                }
                Returned::Scalar(match known {
                    Known::CopyReturningEnd => build::offset(self.exprs(), to, length),
                    _ => to,
                })
            }
            (Known::Fill, [to, byte, length, ..]) => {
                let to = self.stable_pointer(*to);
                let byte = self.convert_scalar(Ty::unsigned(8), *byte);
                let length = self.convert_scalar(word, *length);
                self.forbid_null([to], length, site);
                self.graph.emit(Op::Fill { to, byte, length }, site.origin);
                Returned::Scalar(to)
            }
            (Known::Zero, [to, length, ..]) => {
                let to = self.stable_pointer(*to);
                let byte = self.exprs().int(Ty::unsigned(8), 0);
                let length = self.convert_scalar(word, *length);
                self.forbid_null([to], length, site);
                self.graph.emit(Op::Fill { to, byte, length }, site.origin);
                Returned::Nothing
            }
            _ => return None,
        })
    }

    /// A null pointer is no argument, even for no bytes (C11 7.24.1p2). For some bytes the access says so.
    fn forbid_null(&mut self, pointers: impl IntoIterator<Item = ExprId>, length: ExprId, site: &Site) {
        if build::constant(self.exprs(), length).is_some_and(|length| length != 0) {
            return;
        }
        for pointer in pointers {
            let exprs = self.exprs();
            if matches!(exprs.get(pointer), Expr::Address { .. }) {
                continue;
            }
            let zero = build::zero(exprs, exprs.ty(length));
            let null = build::address(exprs, 0);
            let is_null = build::compare(exprs, BinaryOp::Eq, pointer, null);
            let is_empty = build::compare(exprs, BinaryOp::Eq, length, zero);
            let cond = build::and(exprs, is_null, is_empty);
            self.forbid(cond, site.origin);
        }
    }

    /// As glibc does it: no bytes for an old object frees it and returns null; what is refused leaves it as it is.
    fn reallocate(&mut self, old: ExprId, size: ExprId, site: &Site) -> ExprId {
        let var = self.temporary(Ty::Ptr);
        let place = Place::Var(var);
        let word = self.word();
        let (null, zero) = (build::address(self.exprs(), 0), build::zero(self.exprs(), word));
        let is_empty = build::compare(self.exprs(), BinaryOp::Eq, size, zero);
        let is_old = build::compare(self.exprs(), BinaryOp::Ne, old, null);
        let frees = build::and(self.exprs(), is_empty, is_old);
        let refused = self.is_refused(size);
        let op = Op::Realloc { place, old, size };
        if build::constant(&self.ctx.program.exprs, frees) == Some(0) {
            self.unless_refused(refused, place, op, site);
        } else if let Some(here) = self.graph.location() {
            let keeps = build::not(self.exprs(), frees);
            self.graph.set(Graph::step(here, Op::Assume { cond: frees }, site.origin));
            self.graph.emit(Op::Free { addr: old }, site.origin);
            self.graph.emit(Op::Assign { place, value: null }, site.origin);
            let freed = self.graph.take();
            self.graph.set(Graph::step(here, Op::Assume { cond: keeps }, site.origin));
            self.unless_refused(refused, place, op, site);
            self.graph.join(freed);
        }
        self.read_var(var)
    }

    /// Whether memory of a size is refused for certain: no object has more bytes than a difference of pointers can tell.
    fn is_refused(&mut self, size: ExprId) -> ExprId {
        let word = self.word();
        let most = word.range().map_or(i128::MAX, |(_, most)| most / 2);
        if build::greatest(self.exprs(), size).is_some_and(|size| size <= most) {
            return self.exprs().bool(false);
        }
        let most = self.exprs().int(word, most);
        build::compare(self.exprs(), BinaryOp::Lt, most, size)
    }

    /// An allocation, or null where it is refused.
    fn unless_refused(&mut self, refused: ExprId, place: Place, op: Op, site: &Site) {
        if build::constant(self.exprs(), refused) == Some(0) {
            self.graph.emit(op, site.origin);
        } else if let Some(here) = self.graph.location() {
            let granted = build::not(self.exprs(), refused);
            let value = build::address(self.exprs(), 0);
            self.graph.set(Graph::step(here, Op::Assume { cond: refused }, site.origin));
            self.graph.emit(Op::Assign { place, value }, site.origin);
            let refusal = self.graph.take();
            self.graph.set(Graph::step(here, Op::Assume { cond: granted }, site.origin));
            self.graph.emit(op, site.origin);
            self.graph.join(refusal);
        }
    }

    fn stable_pointer(&mut self, value: ExprId) -> ExprId {
        let pointer = self.convert_scalar(Ty::Ptr, value);
        self.stable(pointer)
    }

    fn allocate(&mut self, size: ExprId, kind: AllocKind, contents: InitKind, site: &Site) -> Returned {
        let var = self.temporary(Ty::Ptr);
        let size = if kind == AllocKind::Heap { self.stable(size) } else { size };
        let op = Op::Malloc { place: Place::Var(var), size, kind, contents };
        let refused = match kind {
            AllocKind::Heap => self.is_refused(size),
            AllocKind::Stack => self.exprs().bool(false),
        };
        if build::constant(self.exprs(), refused) == Some(1) {
            return Returned::Scalar(build::address(self.exprs(), 0));
        }
        self.unless_refused(refused, Place::Var(var), op, site);
        let what = "memory allocation never fails";
        self.ctx.approximate(ApproximationKind::Assumption, what, base::Region::NOWHERE);
        let value = self.read_var(var);
        // Without a declaration the result is an `int`.
        match self.ctx.hir.types.scalar(site.ty) {
            Some(ty) if !ty.is_float() => Returned::Scalar(self.convert_scalar(ty, value)),
            _ => Returned::Scalar(value),
        }
    }
}
