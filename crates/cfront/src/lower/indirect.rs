//! Calls through pointers, and procedures that stand for functions without body so that pointers can point to them.
//!
//! The targets of a call are all functions whose address is taken and whose interface fits. One that fits only by what the
//! calling conventions make of it (`int` for `unsigned`, an argument too many) is called directly after a comparison of the
//! pointer. Calling any other is undefined.

use cfa::{ApproximationKind, BinaryOp, ExprId, Op, Place, ProcId, Ty};

use crate::hir::FunctionId;
use crate::lower::call::{Argument, Returned, Sink, Site};
use crate::lower::function::{Body, Passing, Signature};
use crate::lower::graph::Position;
use crate::lower::place::Target;
use crate::lower::record::RecordValue;
use crate::lower::{Lowered, build};
use crate::types::{Type, TypeId};

/// How a function is called.
pub(super) struct Through {
    /// The type of the pointer.
    pub(super) ty: TypeId,
    /// The types of the arguments, which are promoted if the pointer's type has no prototype.
    pub(super) given: Vec<TypeId>,
}

impl Body<'_, '_> {
    /// Calls what a pointer points to.
    pub(super) fn call_pointer(
        &mut self,
        pointer: ExprId,
        through: &Through,
        args: Vec<Argument>,
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Returned> {
        let expected = self.expected(through.ty, &args, site);
        if let cfa::Expr::Function { proc } = *self.exprs().get(pointer) {
            let known = self.ctx.usage.address_taken.iter().copied();
            if let Some(function) = { known }.find(|function| self.ctx.procs.get(function) == Some(&proc))
                && self.may_call(function, through)
            {
                let signature = self.ctx.signature(function);
                if self.other_signs(&expected, &signature).is_empty() {
                    return self.call_function(function, args, site, sink);
                }
            }
        }
        let (exact, adapted) = self.targets(through, &expected, &args, sink);
        if exact.is_empty() && adapted.is_empty() && !self.is_type_checked() {
            let what =
                "a call through a pointer that points to no function of the program ends the execution";
            self.ctx.approximate(ApproximationKind::Under, what, site.origin.region);
        }
        if adapted.is_empty() {
            return self.call_targets(pointer, exact, &expected, args, site, sink);
        }
        self.dispatch(pointer, exact, adapted, &expected, args, site, sink)
    }

    /// Whether a call through a pointer of another type than that of the function is a violation.
    fn is_type_checked(&self) -> bool {
        self.ctx.options.checks.contains(cfa::CheckKind::BadFunctionPointer)
    }

    /// Whether a pointer of a type may be used to call a function. C allows it if the types are compatible; calling conventions allow more, which
    /// counts unless it is a violation.
    fn may_call(&self, function: FunctionId, through: &Through) -> bool {
        let hir = self.ctx.hir;
        match hir.types.get(through.ty) {
            Type::Pointer(to) if self.is_type_checked() => {
                hir.types.compatible(hir.functions[function].ty, *to)
                    && self.takes(function, *to, &through.given)
            }
            _ => true,
        }
    }

    /// Whether a function takes arguments where its type, or the one by which it is called, has no prototype (C11 6.5.2.2p6, 6.7.6.3p15).
    fn takes(&self, function: FunctionId, called_as: TypeId, given: &[TypeId]) -> bool {
        let hir = self.ctx.hir;
        let (Type::Function(own), Type::Function(called_as)) =
            (hir.types.get(hir.functions[function].ty), hir.types.get(called_as))
        else {
            return true;
        };
        if own.prototype && called_as.prototype {
            return true;
        }
        let params: Vec<TypeId> = match &hir.functions[function].body {
            Some(body) => body.params.iter().map(|param| hir.variables[*param].ty).collect(),
            None if own.prototype => own.params.clone(),
            None => return true,
        };
        let fits = |(given, param): (&TypeId, &TypeId)| {
            if called_as.prototype {
                hir.types.compatible(*given, *param)
            } else {
                hir.types.may_pass(*given, *param)
            }
        };
        let given = if called_as.prototype { &called_as.params } else { given };
        let is_variadic = own.variadic || called_as.variadic;
        !is_variadic && given.len() == params.len() && given.iter().zip(&params).all(fits)
    }

    /// The positions of integers that are passed for those of the other signedness, if that is a violation for values that do not fit both types.
    fn other_signs(&self, expected: &Signature, signature: &Signature) -> Vec<usize> {
        let differs = |(from, to): (&Passing, &Passing)| match (*from, *to) {
            (Passing::Scalar(from @ Ty::Int { .. }), Passing::Scalar(to @ Ty::Int { .. })) => {
                from.is_signed() != to.is_signed()
            }
            _ => false,
        };
        let pairs = expected.params.iter().zip(&signature.params).enumerate();
        let found = pairs.filter(|(_, pair)| self.is_type_checked() && differs(*pair));
        found.map(|(position, _)| position).collect()
    }

    /// The interface that a call expects.
    fn expected(&mut self, pointer_ty: TypeId, args: &[Argument], site: &Site) -> Signature {
        let hir = self.ctx.hir;
        let function = match hir.types.get(pointer_ty) {
            Type::Pointer(to) => match hir.types.get(*to) {
                Type::Function(function) => Some(function),
                _ => None,
            },
            _ => None,
        };
        let params: Vec<Passing> = match function {
            Some(function) if function.prototype => {
                function.params.iter().filter_map(|ty| self.ctx.passing(*ty)).collect()
            }
            _ => args
                .iter()
                .map(|arg| match arg {
                    Argument::Scalar(value) => Passing::Scalar(self.ctx.program.exprs.ty(*value)),
                    Argument::Record(record, _) if self.ctx.moved_leaves(*record).is_some() => {
                        Passing::Leaves(*record)
                    }
                    Argument::Record(record, _) => Passing::Address(*record),
                })
                .collect(),
        };
        let result = self.ctx.passing(site.ty);
        Signature { params, result, variadic: function.is_some_and(|function| function.variadic) }
    }

    /// Functions that a call may enter: those that fit exactly, and those whose arguments need a conversion.
    fn targets(
        &mut self,
        through: &Through,
        expected: &Signature,
        args: &[Argument],
        sink: Sink<'_>,
    ) -> (Vec<ProcId>, Vec<(ProcId, Signature)>) {
        let (mut exact, mut adapted) = (Vec::new(), Vec::new());
        let interface = self.ctx.interface(expected);
        let candidates: Vec<FunctionId> = self.ctx.usage.address_taken.iter().copied().collect();
        for function in candidates {
            if !self.may_call(function, through) {
                continue;
            }
            let proc = self.ctx.procs[&function];
            let signature = self.ctx.signature(function);
            let same_kind = matches!(expected.result, Some(Passing::Address(_)))
                == matches!(signature.result, Some(Passing::Address(_)))
                && expected.variadic == signature.variadic;
            if same_kind && self.ctx.interface(&signature) == interface {
                exact.push(proc);
            } else if same_kind && self.fits(expected, &signature, args, sink) {
                adapted.push((proc, signature));
            } else if signature.params.len() == expected.params.len() {
                let name = &self.ctx.hir.functions[function].name;
                let what = format!("calling `{name}` through a pointer of another type is undefined");
                let region = base::Region::NOWHERE;
                self.ctx.approximate(ApproximationKind::Assumption, what, region);
            }
        }
        (exact, adapted)
    }

    /// Whether the calling conventions of x86 let a call with these arguments work.
    fn fits(
        &mut self,
        expected: &Signature,
        signature: &Signature,
        args: &[Argument],
        sink: Sink<'_>,
    ) -> bool {
        let width = self.exprs().pointer_width();
        let bits = |ty: Ty| match ty {
            Ty::Ptr => Some(width),
            Ty::Int { width, .. } => Some(width),
            Ty::Float(_) => None,
        };
        let scalars_fit = |from: Ty, to: Ty| match (bits(from), bits(to)) {
            (Some(from), Some(to)) => to <= from && from <= 64,
            (None, None) => from == to,
            _ => false,
        };
        let result_fits = match (expected.result, signature.result) {
            (None, result) => !matches!(result, Some(Passing::Address(_))),
            (Some(_), _) if matches!(sink, Sink::Drop) => true,
            (Some(Passing::Scalar(wanted)), Some(Passing::Scalar(given))) => scalars_fit(given, wanted),
            (Some(_), _) => false,
        };
        let params_fit = signature.params.len() <= args.len()
            && !signature.variadic
            && !expected.variadic
            && expected.params.iter().zip(&signature.params).all(|(from, to)| match (*from, *to) {
                (Passing::Scalar(from), Passing::Scalar(to)) => scalars_fit(from, to),
                (from, to) => from == to,
            });
        result_fits && params_fit
    }

    fn call_targets(
        &mut self,
        pointer: ExprId,
        targets: Vec<ProcId>,
        expected: &Signature,
        args: Vec<Argument>,
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Returned> {
        let (results, returned, hidden) = self.results(expected.result, site, sink)?;
        let mut values: Vec<ExprId> = hidden.into_iter().collect();
        values.extend(self.pass(expected, args, site)?);
        let callee = cfa::Callee::Indirect { pointer, targets };
        self.graph.emit(Op::Call { callee, args: values, results }, site.origin);
        Ok(returned)
    }

    /// Compares the pointer with each target whose arguments need a conversion.
    #[allow(clippy::too_many_arguments)]
    fn dispatch(
        &mut self,
        pointer: ExprId,
        exact: Vec<ProcId>,
        adapted: Vec<(ProcId, Signature)>,
        expected: &Signature,
        args: Vec<Argument>,
        site: &Site,
        sink: Sink<'_>,
    ) -> Lowered<Returned> {
        let pointer = self.stable(pointer);
        let args: Vec<Argument> = args
            .into_iter()
            .map(|arg| match arg {
                Argument::Scalar(value) => Argument::Scalar(self.stable(value)),
                Argument::Record(record, value) => {
                    Argument::Record(record, self.stable_record(record, value))
                }
            })
            .collect();
        let wanted = match sink {
            Sink::Drop => None,
            Sink::Value | Sink::Into(_) => self.ctx.hir.types.scalar(site.ty),
        };
        let target = wanted.map(|ty| {
            let var = self.temporary(ty);
            Target { place: Place::Var(var), ty, declared: ty }
        });
        let inner = target.as_ref().map_or(Sink::Drop, Sink::Into);
        let mut ends = Vec::new();
        for (proc, signature) in adapted {
            let function = self.exprs().add(cfa::Expr::Function { proc });
            let is_it = self.exprs().binary(BinaryOp::Eq, pointer, function);
            let (holds, mut fails) = self.fork(is_it, self.origin, self.origin);
            self.graph.set(holds);
            // Among the other functions there is none that fits.
            fails.join(self.unfit(expected, &signature, &args));
            let returned = self.call_procedure(proc, &signature, args.clone(), site, inner)?;
            self.settle(target.as_ref(), returned);
            ends.push(self.graph.take());
            self.graph.set(fails);
        }
        let returned = self.call_targets(pointer, exact, expected, args, site, inner)?;
        self.settle(target.as_ref(), returned);
        for end in ends {
            self.graph.join(end);
        }
        Ok(match target {
            Some(target) => Returned::Scalar(self.read_target(&target)),
            None => Returned::Nothing,
        })
    }

    /// Goes on where all integers fit the signedness of their parameters; the position where one does not.
    fn unfit(&mut self, expected: &Signature, signature: &Signature, args: &[Argument]) -> Position {
        let mut unfit = Position::default();
        for position in self.other_signs(expected, signature) {
            let Some(Argument::Scalar(value)) = args.get(position) else { continue };
            let signed = Ty::signed(self.exprs().ty(*value).width(self.ctx.program.data_model));
            let value = build::cast(self.exprs(), signed, *value);
            let zero = build::zero(self.exprs(), signed);
            let fits = build::compare(self.exprs(), BinaryOp::Le, zero, value);
            let (good, bad) = self.fork(fits, self.origin, self.origin);
            self.graph.set(good);
            unfit.join(bad);
        }
        unfit
    }

    fn settle(&mut self, target: Option<&Target>, returned: Returned) {
        if let (Some(target), Returned::Scalar(value)) = (target, returned) {
            let value = build::cast(self.exprs(), target.ty, value);
            self.write(target, value);
        }
    }

    /// The body of a procedure for a function without body whose address is taken.
    pub(super) fn stub(&mut self, function: FunctionId, signature: &Signature) -> Lowered<()> {
        let hir = self.ctx.hir;
        let declared = &hir.functions[function];
        let region = self.at(declared.declared);
        let Type::Function(ty) = hir.types.get(declared.ty) else { return Ok(()) };
        self.declare_result(signature.result);
        let mut args = Vec::new();
        for passing in &signature.params {
            args.push(match *passing {
                Passing::Scalar(ty) => Argument::Scalar(self.stub_parameter(ty)),
                Passing::Address(record) => {
                    let address = self.stub_parameter(Ty::Ptr);
                    Argument::Record(record, RecordValue::Memory(address))
                }
                Passing::Leaves(record) => {
                    let leaves = self.ctx.leaves(record).expect("L2: leaves should exist");
                    let values = leaves.iter().map(|leaf| self.stub_parameter(leaf.ty)).collect();
                    Argument::Record(record, RecordValue::Leaves(values))
                }
            });
        }
        if signature.variadic {
            self.stub_parameter(Ty::Ptr);
        }
        let origin = cfa::Origin { region, role: cfa::Role::Call };
        let site = Site { span: declared.declared, ty: ty.result, origin };
        let returned = self.call_function(function, args, &site, Sink::Value)?;
        match returned {
            Returned::Nothing => {}
            Returned::Scalar(value) => {
                let result = self.results.first().copied();
                if let Some(var) = result {
                    self.emit(Op::Assign { place: Place::Var(var), value });
                }
            }
            Returned::Record(value) => self.return_record(ty.result, &value),
        }
        self.leave(None);
        let here = self.graph.take();
        self.returns.join(here);
        Ok(())
    }

    fn stub_parameter(&mut self, ty: Ty) -> ExprId {
        let var = self.hidden("%argument", ty);
        self.graph.procedure.params.push(var);
        self.read_var(var)
    }
}
