//! The entry procedure: initialises the variables with static storage, then calls the entry function.

use cfa::{ApproximationKind, BinaryOp, Freedom, Op, Place, SignedOverflow, Source, Ty};

use crate::hir::{ArithmeticOp, ExprKind, FunctionId, StaticOverflow, VariableId};
use crate::library::effects::{self, InitialValue};
use crate::lower::arguments::Arguments;
use crate::lower::call::{Argument, Sink, Site};
use crate::lower::function::Body;
use crate::lower::storage::Slot;
use crate::lower::{Context, Lowered, build};
use crate::types::{ArrayLength, Type};

impl Context<'_> {
    /// Builds `%start`.
    pub(super) fn lower_start(&mut self, entry: FunctionId) -> Lowered<()> {
        let hir = self.hir;
        let proc = self.program.entry;
        let mut body = Body::new(self, proc);
        let statics: Vec<VariableId> = hir
            .statics
            .iter()
            .copied()
            .filter(|variable| body.ctx.usage.variables[*variable].referenced)
            .collect();
        body.static_overflows()?;
        for variable in statics {
            body.initialize_static(variable)?;
        }
        if body.ctx.options.starts_in_main() {
            body.call_entry(entry)?;
        } else {
            body.call_any_entry(entry)?;
        }
        let here = body.graph.take();
        body.returns.join(here);
        // String literals may have been found until now.
        let strings: Vec<_> = body.ctx.strings.iter().map(|(string, var)| (*string, *var)).collect();
        if !strings.is_empty() {
            let writes: Vec<Op> = strings
                .into_iter()
                .map(|(string, var)| {
                    let to = body.object_address(var);
                    Op::Write { to, bytes: hir.strings[string].bytes.clone() }
                })
                .collect();
            body.graph.prepend(|graph| {
                for write in writes {
                    graph.emit(write, cfa::Origin::IMPLICIT);
                }
            });
        }
        body.finish()
    }
}

impl Body<'_, '_> {
    /// An overflow in the initialiser of a static object is a violation if overflows are, whether the object is used or not. Otherwise the
    /// ledger says that the value is that of gcc.
    fn static_overflows(&mut self) -> Lowered<()> {
        let hir = self.ctx.hir;
        let is_object = |overflow: &&StaticOverflow| {
            overflow.literal.is_none_or(|literal| self.ctx.usage.variables[literal].referenced)
        };
        let overflows: Vec<&StaticOverflow> = hir.static_overflows.iter().filter(is_object).collect();
        for overflow in overflows {
            let operation = &hir.exprs[overflow.operation];
            self.at(operation.span);
            if self.ctx.options.signed_overflow == SignedOverflow::Error {
                self.effect(overflow.value)?;
            } else if !matches!(operation.kind, ExprKind::Arithmetic { op: ArithmeticOp::ShiftLeft, .. }) {
                let what = "the initialiser of a static object overflows: its value is computed modulo 2^n, as gcc does";
                let region = self.origin.region;
                self.ctx.approximate(ApproximationKind::Assumption, what, region);
            }
        }
        Ok(())
    }

    fn initialize_static(&mut self, variable: VariableId) -> Lowered<()> {
        let hir = self.ctx.hir;
        let declared = &hir.variables[variable];
        self.at(declared.declared);
        if declared.is_extern {
            if let Some(value) = effects::variable(&declared.name)
                && self.library_variable(variable, value)?
            {
                return Ok(());
            }
            let region = self.origin.region;
            let what = format!("the extern variable `{}` has an arbitrary value", declared.name);
            self.ctx.approximate(ApproximationKind::Assumption, what, region);
            if let Type::Array { length: ArrayLength::Unknown, .. } = hir.types.get(declared.ty) {
                let what = format!("the extern array `{}` is as long as needed", declared.name);
                self.ctx.approximate(ApproximationKind::Assumption, what, region);
            }
            return self.arbitrary_static(variable);
        }
        match &declared.init {
            Some(init) => self.initialize(variable, init)?,
            None => self.zero(variable, None)?,
        }
        self.start_global(variable)
    }

    /// A variable of the C library, whose initial value is known in part; false if it is not declared as usual.
    fn library_variable(&mut self, variable: VariableId, value: InitialValue) -> Lowered<bool> {
        let hir = self.ctx.hir;
        let declared = &hir.variables[variable];
        let Some(ty) = hir.types.scalar(declared.ty) else { return Ok(false) };
        let place = match self.ctx.slot(variable)? {
            Slot::Object(var) => Place::Mem { addr: self.object_address(var), ty },
            Slot::Split(parts) => match parts.first() {
                Some(part) => Place::Var(part.var),
                None => return Ok(false),
            },
            Slot::Pointer(_) => return Ok(false),
        };
        let record = hir.types.pointee(declared.ty).and_then(|pointee| hir.types.record(pointee));
        let initial = match (value, ty, record) {
            (InitialValue::Number(0), Ty::Ptr, _) => build::address(self.exprs(), 0),
            (InitialValue::Number(number), Ty::Int { .. }, _) => self.exprs().int(ty, number),
            // A stream: an object of its own that only the library looks into.
            (InitialValue::NotNull, Ty::Ptr, Some(record)) => {
                let size = hir.types.records[record].size.max(1);
                self.temporary_object(size, 16)
            }
            (InitialValue::NotNull | InitialValue::Any | InitialValue::Number(_), _, _) => {
                if value == InitialValue::Any {
                    let what = format!("functions of the C library change the variable `{}`", declared.name);
                    let region = self.origin.region;
                    self.ctx.approximate(ApproximationKind::Under, what.clone(), region);
                    self.ctx.approximate(ApproximationKind::Over, what, region);
                }
                let var = self.temporary(ty);
                let source =
                    Source::Library { function: declared.name.clone(), freedom: Freedom::Determined };
                let at = self.origin.region;
                self.emit(Op::Havoc { place: Place::Var(var), source, at });
                let chosen = self.read_var(var);
                if value == InitialValue::NotNull && ty == Ty::Ptr {
                    let null = build::address(self.exprs(), 0);
                    let cond = build::compare(self.exprs(), BinaryOp::Ne, chosen, null);
                    self.emit(Op::Assume { cond });
                }
                chosen
            }
        };
        self.emit(Op::Assign { place, value: initial });
        Ok(true)
    }

    fn arbitrary_static(&mut self, variable: VariableId) -> Lowered<()> {
        let name = self.ctx.hir.variables[variable].name.clone();
        let at = self.origin.region;
        match self.ctx.slot(variable)? {
            Slot::Object(var) | Slot::Pointer(var) => {
                self.emit(Op::Init { var, contents: cfa::InitKind::Arbitrary });
            }
            Slot::Split(parts) => {
                for part in parts.iter() {
                    if part.dimensions.is_empty() {
                        let source = Source::Extern { function: name.clone() };
                        self.emit(Op::Havoc { place: Place::Var(part.var), source, at });
                    } else {
                        self.emit(Op::Init { var: part.var, contents: cfa::InitKind::Arbitrary });
                    }
                }
            }
        }
        Ok(())
    }

    fn call_entry(&mut self, entry: FunctionId) -> Lowered<()> {
        let hir = self.ctx.hir;
        let function = &hir.functions[entry];
        self.at(function.declared);
        let params = function.body.as_ref().map(|body| body.params.clone()).unwrap_or_default();
        let arguments = self.looked_at(&params);
        let mut args = Vec::new();
        for (position, param) in params.iter().enumerate() {
            let Some(ty) = hir.types.scalar(hir.variables[*param].ty) else {
                return crate::lower::storage::unsupported(
                    "`main` with a record parameter",
                    hir.variables[*param].declared,
                );
            };
            args.push(self.entry_argument(*param, position, ty, arguments));
        }
        let Type::Function(ty) = hir.types.get(function.ty) else { return Ok(()) };
        let origin = cfa::Origin { region: self.origin.region, role: cfa::Role::Implicit };
        let site = Site { span: function.declared, ty: ty.result, origin };
        self.call_function(entry, args, &site, Sink::Drop).map(drop)
    }

    /// What the program is started with, if it looks at that.
    fn looked_at(&mut self, params: &[VariableId]) -> Option<Arguments> {
        let hir = self.ctx.hir;
        let [number, strings, ..] = *params else { return None };
        let ty = hir.types.scalar(hir.variables[number].ty).filter(|ty| ty.is_int())?;
        let is_vector = hir.types.scalar(hir.variables[strings].ty) == Some(Ty::Ptr);
        let is_used = self.ctx.usage.variables[strings].referenced;
        let names = (&hir.variables[number].name, &hir.variables[strings].name);
        (is_vector && is_used).then(|| self.few_arguments(ty, names.0, names.1))
    }

    /// The number of arguments is arbitrary but at least 1, unless the program looks at them.
    fn entry_argument(
        &mut self,
        param: VariableId,
        position: usize,
        ty: Ty,
        arguments: Option<Arguments>,
    ) -> Argument {
        let name = self.ctx.hir.variables[param].name.clone();
        let region = self.origin.region;
        let referenced = self.ctx.usage.variables[param].referenced;
        match (position, arguments) {
            (0, Some(arguments)) => return Argument::Scalar(arguments.count),
            (1, Some(arguments)) => return Argument::Scalar(arguments.vector),
            _ => {}
        }
        match (position, ty) {
            _ if !referenced => {
                let one = self.exprs().int(Ty::signed(32), 1);
                let value = if ty == Ty::Ptr { build::address(self.exprs(), 0) } else { one };
                Argument::Scalar(build::cast(self.exprs(), ty, value))
            }
            (_, Ty::Ptr) => {
                let what = "the environment of the program is empty";
                self.ctx.approximate(ApproximationKind::Under, what, region);
                let size = ty.size(self.ctx.program.data_model);
                let addr = self.temporary_object(size, 8);
                let null = build::address(self.exprs(), 0);
                self.emit(Op::Assign { place: Place::Mem { addr, ty }, value: null });
                Argument::Scalar(addr)
            }
            _ => {
                let var = self.temporary(ty);
                let source = Source::Argument { name };
                self.emit(Op::Havoc { place: Place::Var(var), source, at: region });
                let value = self.read_var(var);
                if position == 0 && referenced && ty.is_int() {
                    let what = "the number of arguments of the program is at least 1";
                    self.ctx.approximate(ApproximationKind::Assumption, what, region);
                    let one = self.exprs().int(ty, 1);
                    let cond = build::compare(self.exprs(), BinaryOp::Le, one, value);
                    self.emit(Op::Assume { cond });
                }
                Argument::Scalar(value)
            }
        }
    }
}
