//! Re-checks the invariants that the typed program promises to whoever reads it (`hir`, H1 to H4).

use cfront::hir::{
    ArithmeticOp, Callee, ExprId, ExprKind, InitValue, Initializer, PlaceKind, Program, Projection, StmtId,
    StmtKind,
};
use cfront::types::{Type, TypeId};

/// All violations, at most a few.
pub(crate) fn violations(program: &Program) -> Vec<String> {
    let mut validator = Validator { program, found: Vec::new() };
    for id in program.exprs.ids() {
        validator.expr(id);
    }
    for id in program.places.ids() {
        validator.place(id);
    }
    for (id, stmt) in program.stmts.iter_enumerated() {
        validator.stmt(id, &stmt.kind);
    }
    for variable in &program.variables {
        if let Some(init) = &variable.init {
            validator.init(init, variable.ty);
        }
    }
    for (number, function) in program.functions.iter().enumerate() {
        validator.function(number, function);
    }
    validator.found
}

struct Validator<'a> {
    program: &'a Program,
    found: Vec<String>,
}

impl Validator<'_> {
    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds && self.found.len() < 20 {
            self.found.push(what());
        }
    }
    fn ty(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }
    fn is_int(&self, ty: TypeId) -> bool {
        *self.program.types.get(ty) == Type::Int(cfront::types::IntKind::Int)
    }

    fn expr(&mut self, id: ExprId) {
        let program = self.program;
        let types = &program.types;
        let expr = &program.exprs[id];
        let ty = expr.ty;
        let describe = || format!("{id}: {:?} of type {}", expr.kind, types.display(ty));
        let is_fine_type = types.is_void(ty)
            || (types.is_complete(ty) && types.array(ty).is_none() && types.function(ty).is_none());
        self.require(is_fine_type, || format!("H2 {}", describe()));
        for operand in operands(&expr.kind) {
            self.require(operand < id, || format!("H1 {}", describe()));
        }
        let is_integer = |operand: ExprId| types.is_integer(self.ty(operand));
        let is_scalar = |operand: ExprId| types.is_scalar(self.ty(operand));
        let place_ty = |place: cfront::hir::PlaceId| program.places[place].ty;
        let holds = match &expr.kind {
            ExprKind::Int(value) => {
                let scalar = types.scalar(ty);
                match scalar {
                    Some(cfa::Ty::Int { .. }) => {
                        scalar.is_some_and(|scalar| scalar.value_of(*value as u128) == *value)
                    }
                    Some(cfa::Ty::Ptr) => *value >= 0 && *value >> types.model.pointer_width() == 0,
                    Some(cfa::Ty::Float(_)) | None => false,
                }
            }
            ExprKind::Float(_) => types.float_kind(ty).is_some(),
            ExprKind::Load(place) => place_ty(*place) == ty && !types.is_void(ty),
            ExprKind::AddressOf(place) => types.pointee(ty) == Some(place_ty(*place)),
            ExprKind::Decay(place) => {
                types.array(place_ty(*place)).map(|(elem, _)| elem) == types.pointee(ty)
            }
            ExprKind::FunctionAddress(_) => types.pointee(ty).is_some_and(|to| types.function(to).is_some()),
            ExprKind::Negate(operand) => self.ty(*operand) == ty && types.is_arithmetic(ty),
            ExprKind::BitNot(operand) => self.ty(*operand) == ty && types.is_integer(ty),
            ExprKind::LogicalNot(operand) => is_scalar(*operand) && self.is_int(ty),
            ExprKind::Arithmetic { op, left, right } => {
                let is_shift = matches!(op, ArithmeticOp::ShiftLeft | ArithmeticOp::ShiftRight);
                self.ty(*left) == ty && (self.ty(*right) == ty || (is_shift && is_integer(*right)))
            }
            ExprKind::Compare { left, right, .. } => {
                self.ty(*left) == self.ty(*right) && is_scalar(*left) && self.is_int(ty)
            }
            ExprKind::PointerOffset { pointer, index, .. } => {
                self.ty(*pointer) == ty && types.pointee(ty).is_some() && is_integer(*index)
            }
            ExprKind::PointerDifference { left, right, .. } => {
                self.ty(*left) == self.ty(*right) && types.pointee(self.ty(*left)).is_some()
            }
            ExprKind::LogicalAnd(left, right) | ExprKind::LogicalOr(left, right) => {
                is_scalar(*left) && is_scalar(*right) && self.is_int(ty)
            }
            ExprKind::Conditional { condition, then, otherwise, .. } => {
                is_scalar(*condition) && self.ty(*then) == ty && self.ty(*otherwise) == ty
            }
            ExprKind::ConditionalValue { condition, otherwise, .. } => {
                is_scalar(*condition) && self.ty(*otherwise) == ty
            }
            ExprKind::Comma(_, value) => self.ty(*value) == ty,
            ExprKind::Assign { place, value } => place_ty(*place) == ty && self.ty(*value) == ty,
            ExprKind::CompoundAssign { place, op, value, computation } => {
                let is_shift = matches!(op, ArithmeticOp::ShiftLeft | ArithmeticOp::ShiftRight);
                place_ty(*place) == ty
                    && types.is_arithmetic(ty)
                    && (self.ty(*value) == *computation || (is_shift && is_integer(*value)))
            }
            ExprKind::PointerAssign { place, index, .. } => {
                place_ty(*place) == ty && types.pointee(ty).is_some() && is_integer(*index)
            }
            ExprKind::Step { place, element, .. } => {
                place_ty(*place) == ty && types.pointee(ty).is_some() == element.is_some()
            }
            ExprKind::Convert(operand) => types.is_void(ty) || (types.is_scalar(ty) && is_scalar(*operand)),
            ExprKind::Call { callee, args, .. } => self.call_is_fine(*callee, args, ty),
            ExprKind::Builtin { .. } => true,
            ExprKind::StatementExpr { value, .. } => match value {
                Some(value) => self.ty(*value) == ty,
                None => types.is_void(ty),
            },
            ExprKind::SizeofVariable(of) => types.is_variable_length(*of),
            ExprKind::VaArg(place) => matches!(types.get(place_ty(*place)), Type::VaList),
        };
        self.require(holds, || format!("H3 {}", describe()));
    }
    fn call_is_fine(&self, callee: Callee, args: &[ExprId], ty: TypeId) -> bool {
        let types = &self.program.types;
        let function_ty = match callee {
            Callee::Direct(function) => Some(self.program.functions[function].ty),
            Callee::Indirect(pointer) => types.pointee(self.ty(pointer)),
        };
        let Some(function) = function_ty.and_then(|ty| types.function(ty)) else { return false };
        let mut fits = types.compatible(function.result, ty);
        if function.prototype {
            // Calls before a definition may have too few arguments, which is undefined only when they are executed.
            fits &=
                args.iter().zip(&function.params).all(|(arg, param)| types.compatible(self.ty(*arg), *param));
        }
        if let Callee::Direct(function) = callee
            && let Some(body) = &self.program.functions[function].body
        {
            let params = body.params.iter().map(|param| self.program.variables[*param].ty);
            fits &= args.iter().zip(params).all(|(arg, param)| types.compatible(self.ty(*arg), param));
        }
        fits
    }

    fn place(&mut self, id: cfront::hir::PlaceId) {
        let program = self.program;
        let types = &program.types;
        let place = &program.places[id];
        let holds = match place.kind {
            PlaceKind::Variable(variable) | PlaceKind::CompoundLiteral { variable } => {
                types.compatible(program.variables[variable].ty, place.ty)
            }
            PlaceKind::Deref(pointer) => types.pointee(self.ty(pointer)) == Some(place.ty),
            PlaceKind::Field { base, field } => {
                let record = types.record(program.places[base].ty);
                base < id
                    && record
                        .is_some_and(|record| types.records[record].fields[field as usize].ty == place.ty)
            }
            PlaceKind::Index { base, index } => {
                let elem = types.array(program.places[base].ty).map(|(elem, _)| elem);
                base < id && elem == Some(place.ty) && types.is_integer(self.ty(index))
            }
            PlaceKind::String(string) => program.strings[string].ty == place.ty,
            PlaceKind::Value(value) => self.ty(value) == place.ty,
        };
        self.require(holds, || format!("place {id}: {:?} of type {}", place.kind, types.display(place.ty)));
    }
    fn stmt(&mut self, id: StmtId, kind: &StmtKind) {
        let program = self.program;
        let types = &program.types;
        match kind {
            StmtKind::Declare { variable, init } => {
                let ty = program.variables[*variable].ty;
                self.require(types.is_complete(ty), || format!("{id} declares an incomplete variable"));
                if let Some(init) = init {
                    self.init(init, ty);
                }
            }
            StmtKind::If { condition, .. }
            | StmtKind::While { condition, .. }
            | StmtKind::DoWhile { condition, .. }
            | StmtKind::For { condition: Some(condition), .. } => {
                let holds = types.is_scalar(self.ty(*condition));
                self.require(holds, || format!("{id} has a condition that is no scalar"));
            }
            StmtKind::Switch { scrutinee, cases, default, .. } => {
                let scalar = types.scalar(self.ty(*scrutinee));
                for (low, high, stmt) in cases {
                    let is_case =
                        matches!(program.stmts.get(*stmt).map(|stmt| &stmt.kind), Some(StmtKind::Case(_)));
                    let is_in_range = scalar.is_some_and(|scalar| {
                        [low, high].iter().all(|value| scalar.value_of(**value as u128) == **value)
                    });
                    self.require(is_case && is_in_range && low <= high, || {
                        format!("{id} has a broken case {low}")
                    });
                }
                if let Some(default) = default {
                    let is_default = matches!(
                        program.stmts.get(*default).map(|stmt| &stmt.kind),
                        Some(StmtKind::Default(_))
                    );
                    self.require(is_default, || format!("{id} has a broken default"));
                }
            }
            _ => {}
        }
    }
    fn init(&mut self, init: &Initializer, ty: TypeId) {
        let program = self.program;
        let types = &program.types;
        for item in &init.items {
            let mut part = ty;
            for step in &item.path {
                let next = match step {
                    Projection::Field(field) => types
                        .record(part)
                        .and_then(|record| types.records[record].fields.get(*field as usize))
                        .map(|field| field.ty),
                    Projection::Index(_) => types.array(part).map(|(elem, _)| elem),
                };
                let Some(next) = next else {
                    self.require(false, || format!("H4 the path {:?} leads nowhere", item.path));
                    return;
                };
                part = next;
            }
            let holds = match &item.value {
                InitValue::Expr(value) => self.ty(*value) == part,
                InitValue::Bytes(bytes) => types.size_of(part).is_some_and(|size| bytes.len() as u64 <= size),
            };
            self.require(holds, || format!("H4 {item:?} for {}", types.display(part)));
        }
    }
    fn function(&mut self, number: usize, function: &cfront::hir::Function) {
        let types = &self.program.types;
        let Some(body) = &function.body else { return };
        let Some(signature) = types.function(function.ty) else {
            self.require(false, || format!("function {number} has no function type"));
            return;
        };
        let count = body.params.len();
        let holds = !signature.prototype || count == signature.params.len();
        self.require(holds, || format!("`{}` has {count} parameters", function.name));
    }
}

/// The operands that are expressions.
fn operands(kind: &ExprKind) -> Vec<ExprId> {
    match kind {
        ExprKind::Negate(operand)
        | ExprKind::BitNot(operand)
        | ExprKind::LogicalNot(operand)
        | ExprKind::Convert(operand)
        | ExprKind::Assign { value: operand, .. }
        | ExprKind::CompoundAssign { value: operand, .. }
        | ExprKind::PointerAssign { index: operand, .. } => vec![*operand],
        ExprKind::Arithmetic { left, right, .. }
        | ExprKind::Compare { left, right, .. }
        | ExprKind::PointerDifference { left, right, .. }
        | ExprKind::PointerOffset { pointer: left, index: right, .. }
        | ExprKind::LogicalAnd(left, right)
        | ExprKind::LogicalOr(left, right)
        | ExprKind::Comma(left, right)
        | ExprKind::ConditionalValue { condition: left, otherwise: right, .. } => vec![*left, *right],
        ExprKind::Conditional { condition, then, otherwise, .. } => vec![*condition, *then, *otherwise],
        ExprKind::Call { args, .. } | ExprKind::Builtin { args, .. } => args.clone(),
        ExprKind::StatementExpr { value, .. } => value.iter().copied().collect(),
        _ => Vec::new(),
    }
}
