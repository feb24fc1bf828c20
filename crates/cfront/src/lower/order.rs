//! Where C leaves the order of evaluation open and the result depends on it.
//!
//! Operands of an operator, arguments of a call and values of an initialiser are lowered from left to right. A compiler may choose another
//! order. If one of them may write what another one reads or writes, or may end an execution that another one takes to the error, then
//! the program has executions that are not looked at: `safe` is capped. Memory is told apart by its type first; if that is not enough, by where pointers may lead.
//!
//! # Invariants
//! * O1: two evaluations without conflict give the same in every order and interleaving. Arbitrary values are no conflict: each may be any
//!   in every order. Neither is `errno`, unless one of the two reads it.

use std::collections::BTreeSet;

use base::{Owner, Span};
use cfa::{Op, ProcId};

use crate::hir::{
    Builtin, Callee, ExprId, ExprKind, FunctionId, InitValue, PlaceId, Program, StmtId, StmtKind, VariableId,
};
use crate::library::{self, Known};
use crate::lower::access::{Access, Root, Step, access};
use crate::lower::beyond::State;
use crate::lower::effects::{Node, operands};
use crate::lower::footprint::{ANY_SIZE, Behind, Footprint, Footprints, Member, Part, Sizes, sizes_of};
use crate::lower::targets::Targets;
use crate::lower::{Context, pointer_targets, writes_nothing};
use crate::types::TypeId;

/// Tables that models make when they are first asked for: it does not matter by whom.
const TABLES: [&str; 3] = ["__wayproof_class", "__wayproof_lower", "__wayproof_upper"];

/// The places whose value depends on the order of evaluation.
pub(super) fn conflicts(ctx: &mut Context<'_>) -> Vec<Span> {
    let candidates = candidates(ctx);
    let is_errno = |variable: &VariableId| &*ctx.hir.variables[*variable].name == library::ERRNO;
    let errno = ctx.hir.statics.iter().copied().find(is_errno);
    let footprints = Footprints::new(&ctx.program, &ctx.variable_of, errno);
    let mut order = Order { ctx, errno, footprints, pointers: None };
    let assignments = ctx.usage.exprs.clone();
    let mut suspects = order.suspects(Suspects { operands: candidates, assignments });
    let reached = reached(&ctx.program);
    suspects.operands.retain(|(_, span)| is_executed(ctx, *span, &reached));
    suspects.assignments.retain(|expr| is_executed(ctx, ctx.hir.exprs[*expr].span, &reached));
    // Where pointers lead is asked only if it may help.
    if !suspects.is_empty() {
        order.pointers = State::of_program(&ctx.program, &ctx.indices, &ctx.start_objects);
        suspects = order.suspects(suspects);
    }
    let operands = suspects.operands.into_iter().map(|(_, span)| span);
    operands.chain(suspects.assignments.iter().map(|expr| ctx.hir.exprs[*expr].span)).collect()
}

/// What may depend on the order of evaluation.
struct Suspects {
    /// Operands in an open order.
    operands: Vec<(Vec<Operand>, Span)>,
    /// Assignments whose store may meet one within their operands.
    assignments: Vec<ExprId>,
}

impl Suspects {
    fn is_empty(&self) -> bool {
        self.operands.is_empty() && self.assignments.is_empty()
    }
}

/// The procedures that calls may reach. Those whose address is taken, but that nobody may call, are no part of them.
fn reached(program: &cfa::Program) -> BTreeSet<ProcId> {
    let (mut reached, mut pending) = (BTreeSet::new(), vec![program.entry]);
    while let Some(proc) = pending.pop() {
        if !reached.insert(proc) {
            continue;
        }
        let ops = program.procs[proc].edges().iter().flat_map(|edge| &edge.ops);
        pending.extend(ops.flat_map(Op::call_targets));
    }
    reached
}

/// Whether calls may reach a function around a place. Places outside of all functions count.
fn is_executed(ctx: &Context<'_>, place: Span, reached: &BTreeSet<ProcId>) -> bool {
    let contains = |outer: Span| outer.file == place.file && outer.lo <= place.lo && place.hi <= outer.hi;
    let is_around = |function: &&FunctionId| {
        ctx.hir.functions[**function].body.as_ref().is_some_and(|body| contains(body.span))
    };
    let around: Vec<FunctionId> = ctx.usage.functions.iter().filter(is_around).copied().collect();
    let is_reached = |function| ctx.procs.get(function).is_none_or(|proc| reached.contains(proc));
    around.is_empty() || around.iter().any(is_reached)
}

/// One operand: what is evaluated for it, and the place that is read afterwards.
#[derive(Clone, Debug)]
struct Operand {
    nodes: Vec<Node>,
    read: Option<PlaceId>,
}

impl From<ExprId> for Operand {
    fn from(expr: ExprId) -> Self {
        Self { nodes: vec![Node::Expr(expr)], read: None }
    }
}

/// Operands in an open order of which one has an effect.
fn candidates(ctx: &mut Context<'_>) -> Vec<(Vec<Operand>, Span)> {
    let hir = ctx.hir;
    let mut all: Vec<(Vec<Operand>, Span)> = Vec::new();
    for expr in &ctx.usage.exprs {
        let span = hir.exprs[*expr].span;
        let of_place = |place: PlaceId| Operand { nodes: operands(hir, Node::Place(place)), read: None };
        let group: Vec<Operand> = match &hir.exprs[*expr].kind {
            ExprKind::Arithmetic { left, right, .. }
            | ExprKind::Compare { left, right, .. }
            | ExprKind::PointerDifference { left, right, .. }
            | ExprKind::PointerOffset { pointer: left, index: right, .. } => {
                vec![(*left).into(), (*right).into()]
            }
            ExprKind::Assign { place, value } => vec![of_place(*place), (*value).into()],
            ExprKind::CompoundAssign { place, value, .. }
            | ExprKind::PointerAssign { place, index: value, .. } => {
                vec![Operand { read: Some(*place), ..of_place(*place) }, (*value).into()]
            }
            ExprKind::Call { callee, args, .. } => {
                let pointer = match callee {
                    Callee::Direct(_) => None,
                    Callee::Indirect(pointer) => Some(Operand::from(*pointer)),
                };
                pointer.into_iter().chain(args.iter().map(|arg| Operand::from(*arg))).collect()
            }
            ExprKind::Builtin { args, .. } => args.iter().map(|arg| Operand::from(*arg)).collect(),
            ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                let nodes = operands(hir, Node::Place(*place));
                nodes.into_iter().map(|node| Operand { nodes: vec![node], read: None }).collect()
            }
            _ => continue,
        };
        if group.len() > 1 {
            all.push((group, span));
        }
    }
    for values in &ctx.usage.initialisers {
        let span = hir.exprs[values[0]].span;
        all.push((values.iter().map(|value| Operand::from(*value)).collect(), span));
    }
    all.retain(|(_, span)| ctx.program.sources.file(span.file).owner == Owner::User);
    all.retain(|(group, _)| {
        group.iter().flat_map(|operand| &operand.nodes).any(|node| match node {
            Node::Expr(expr) => ctx.evaluation(*expr).effects.change_state(),
            Node::Place(_) => false,
        })
    });
    all
}

/// All expressions of statements that are not part of others.
fn expressions(hir: &Program, stmts: &[StmtId]) -> Vec<ExprId> {
    let (mut found, mut pending) = (Vec::new(), stmts.to_vec());
    while let Some(stmt) = pending.pop() {
        match &hir.stmts[stmt].kind {
            StmtKind::Empty
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Barrier => {}
            StmtKind::Expr(expr) | StmtKind::Return(Some(expr)) | StmtKind::SetBound { value: expr, .. } => {
                found.push(*expr);
            }
            StmtKind::Declare { init, .. } => {
                for item in init.iter().flat_map(|init| &init.items) {
                    if let InitValue::Expr(expr) = item.value {
                        found.push(expr);
                    }
                }
            }
            StmtKind::Block(inner) => pending.extend(inner),
            StmtKind::Labeled(_, inner) | StmtKind::Case(inner) | StmtKind::Default(inner) => {
                pending.push(*inner);
            }
            StmtKind::If { condition, then, otherwise } => {
                found.push(*condition);
                pending.push(*then);
                pending.extend(otherwise);
            }
            StmtKind::While { condition, body } | StmtKind::DoWhile { condition, body, .. } => {
                found.push(*condition);
                pending.push(*body);
            }
            StmtKind::For { init, condition, step, body } => {
                pending.extend(init);
                found.extend(condition.iter().chain(step));
                pending.push(*body);
            }
            StmtKind::Switch { scrutinee, body, .. } => {
                found.push(*scrutinee);
                pending.push(*body);
            }
        }
    }
    found
}

struct Order<'a, 'c> {
    ctx: &'a Context<'c>,
    errno: Option<VariableId>,
    footprints: Footprints<'a>,
    /// Where pointers lead, once it is known.
    pointers: Option<State<'a>>,
}

impl Order<'_, '_> {
    /// Those that still may depend on the order.
    fn suspects(&mut self, suspects: Suspects) -> Suspects {
        let Suspects { mut operands, mut assignments } = suspects;
        operands.retain(|(operands, _)| {
            let footprints: Vec<Footprint> = operands.iter().map(|operand| self.evaluate(operand)).collect();
            let conflicts = |(number, one): (usize, &Footprint)| {
                footprints[number + 1..].iter().any(|other| self.is_conflict(one, other))
            };
            footprints.iter().enumerate().any(conflicts)
        });
        assignments.retain(|expr| self.stores_conflict(*expr));
        Suspects { operands, assignments }
    }

    fn evaluate(&mut self, operand: &Operand) -> Footprint {
        let hir = self.ctx.hir;
        let mut sum = Footprint::default();
        if let Some(place) = operand.read {
            self.read(place, &mut sum);
        }
        let mut pending = operand.nodes.clone();
        while let Some(node) = pending.pop() {
            if let Node::Expr(expr) = node {
                sum.ends.in_check |= self.may_be_undefined(expr);
                match &hir.exprs[expr].kind {
                    ExprKind::Load(place) => self.read(*place, &mut sum),
                    ExprKind::Assign { place, .. } => self.write(*place, &mut sum),
                    ExprKind::CompoundAssign { place, .. }
                    | ExprKind::PointerAssign { place, .. }
                    | ExprKind::Step { place, .. }
                    | ExprKind::VaArg(place) => {
                        self.read(*place, &mut sum);
                        self.write(*place, &mut sum);
                    }
                    ExprKind::Call { callee: Callee::Direct(function), .. } => {
                        let called = self.call(*function);
                        sum.add(&called);
                    }
                    ExprKind::Call { callee: Callee::Indirect(_), .. } => {
                        let taken: Vec<_> = self.ctx.usage.address_taken.iter().copied().collect();
                        for function in taken {
                            let called = self.call(function);
                            sum.add(&called);
                        }
                    }
                    ExprKind::Builtin {
                        builtin: Builtin::VaStart | Builtin::VaCopy | Builtin::Overflow(_),
                        args,
                    } => {
                        sum.writes_memory = ANY_SIZE;
                        for arg in args {
                            if let ExprKind::AddressOf(place) = hir.exprs[*arg].kind {
                                self.write(place, &mut sum);
                            }
                        }
                    }
                    ExprKind::StatementExpr { body, value } => {
                        (sum.ends.in_check, sum.ends.in_loop) = (true, true);
                        pending.extend(value.map(Node::Expr));
                        pending.extend(expressions(hir, body).into_iter().map(Node::Expr));
                    }
                    _ => {}
                }
            }
            pending.extend(operands(hir, node));
        }
        sum
    }

    /// Whether an expression, its operands and calls apart, may be undefined. A read of a variable may only lack a value, whenever that is looked at.
    fn may_be_undefined(&self, expr: ExprId) -> bool {
        let is_plain = |place: PlaceId| {
            let found = access(self.ctx.hir, place);
            let is_field = |step: &Step| matches!(step, Step::Field { .. });
            matches!(found.root, Root::Variable(_) | Root::Literal(_)) && found.steps.iter().all(is_field)
        };
        match self.ctx.hir.exprs[expr].kind {
            ExprKind::Load(place) | ExprKind::Assign { place, .. } => !is_plain(place),
            ExprKind::Arithmetic { .. }
            | ExprKind::PointerOffset { .. }
            | ExprKind::PointerDifference { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::PointerAssign { .. }
            | ExprKind::Step { .. }
            | ExprKind::VaArg(_)
            | ExprKind::Builtin { .. } => true,
            _ => false,
        }
    }

    /// Whether the store of an assignment and a store within its operands meet, of which no sequence point says which one is the last.
    fn stores_conflict(&self, expr: ExprId) -> bool {
        let hir = self.ctx.hir;
        let ExprKind::Assign { place, value } = hir.exprs[expr].kind else { return false };
        if self.ctx.program.sources.file(hir.exprs[expr].span.file).owner != Owner::User {
            return false;
        }
        let mut own = Footprint::default();
        self.write(place, &mut own);
        let mut inner = Footprint::default();
        let mut pending = operands(hir, Node::Place(place));
        let value = self.after_equal_stores(value, hir.places[place].ty, &mut pending);
        pending.push(Node::Expr(value));
        while let Some(node) = pending.pop() {
            let Node::Expr(expr) = node else {
                pending.extend(operands(hir, node));
                continue;
            };
            match hir.exprs[expr].kind {
                // What a function or the operand of a sequence point stores comes first.
                ExprKind::Call { .. } | ExprKind::Builtin { .. } | ExprKind::StatementExpr { .. } => continue,
                ExprKind::Comma(_, last)
                | ExprKind::LogicalAnd(_, last)
                | ExprKind::LogicalOr(_, last)
                | ExprKind::ConditionalValue { otherwise: last, .. } => {
                    pending.push(Node::Expr(last));
                    continue;
                }
                ExprKind::Conditional { then, otherwise, .. } => {
                    pending.extend([Node::Expr(then), Node::Expr(otherwise)]);
                    continue;
                }
                ExprKind::Assign { place, .. }
                | ExprKind::CompoundAssign { place, .. }
                | ExprKind::PointerAssign { place, .. }
                | ExprKind::Step { place, .. } => self.write(place, &mut inner),
                _ => {}
            }
            pending.extend(operands(hir, node));
        }
        self.changes(&inner, &own)
    }

    /// The value of a chain of assignments to places of one type: they store the same, in whatever order.
    fn after_equal_stores(&self, value: ExprId, ty: TypeId, pending: &mut Vec<Node>) -> ExprId {
        let hir = self.ctx.hir;
        let mut value = value;
        while let ExprKind::Assign { place, value: next } = hir.exprs[value].kind
            && hir.places[place].ty == ty
        {
            pending.extend(operands(hir, Node::Place(place)));
            value = next;
        }
        value
    }

    fn read(&self, place: PlaceId, sum: &mut Footprint) {
        let found = access(self.ctx.hir, place);
        match found.root {
            Root::Variable(variable) | Root::Literal(variable) => match self.member(&found, place) {
                Some(member) => {
                    sum.reads_parts.insert((variable, member));
                }
                None => {
                    sum.reads.insert(variable);
                }
            },
            Root::Pointer(pointer) if self.is_address_of_errno(pointer) => sum.reads.extend(self.errno),
            Root::Pointer(pointer) => {
                sum.reads_behind.insert(self.behind(&found, place, pointer));
            }
            Root::String(_) | Root::Value(_) => {}
        }
    }

    fn behind(&self, found: &Access, place: PlaceId, pointer: ExprId) -> Behind {
        let sizes = self.sizes(self.ctx.hir.places[place].ty);
        Behind { pointer, member: self.member(found, place), sizes }
    }

    /// The structure that an access is to, or the innermost member in which it lies, if no union is on the way.
    fn member(&self, found: &Access, place: PlaceId) -> Option<Member> {
        let types = &self.ctx.hir.types;
        let mut innermost = None;
        for step in &found.steps {
            let Step::Field { record, field } = *step else { continue };
            if types.records[record].is_union {
                return None;
            }
            innermost = Some(Member { record, field: Some(field) });
        }
        match types.record(self.ctx.hir.places[place].ty) {
            Some(record) if types.records[record].is_union => None,
            Some(record) => Some(Member { record, field: None }),
            None => innermost,
        }
    }

    fn write(&self, place: PlaceId, sum: &mut Footprint) {
        let found = access(self.ctx.hir, place);
        match found.root {
            Root::Variable(variable) | Root::Literal(variable) => match self.member(&found, place) {
                Some(member) => {
                    sum.writes_parts.insert((variable, member));
                }
                None => {
                    sum.writes.insert(variable);
                }
            },
            Root::Pointer(pointer) if self.is_address_of_errno(pointer) => sum.writes.extend(self.errno),
            Root::Pointer(pointer) => {
                sum.writes_behind.insert(self.behind(&found, place, pointer));
            }
            Root::String(_) | Root::Value(_) => {}
        }
    }

    fn is_address_of_errno(&self, pointer: ExprId) -> bool {
        let ExprKind::Call { callee: Callee::Direct(function), .. } = self.ctx.hir.exprs[pointer].kind else {
            return false;
        };
        library::plain_name(&self.ctx.hir.functions[function].name) == "__errno_location"
    }

    fn sizes(&self, ty: TypeId) -> Sizes {
        let types = &self.ctx.hir.types;
        types.scalar(ty).map_or(ANY_SIZE, |ty| sizes_of(ty, types.model.pointer_width()))
    }

    /// What a call does.
    fn call(&mut self, function: FunctionId) -> Footprint {
        let resolved = self.ctx.resolved[function];
        if self.ctx.opaque.contains(&resolved) {
            let mut fails = Footprint::default();
            fails.ends.in_error = true;
            return fails;
        }
        if self.ctx.hir.functions[resolved].body.is_some()
            && let Some(proc) = self.ctx.procs.get(&resolved)
        {
            let mut found = self.footprints.of(*proc).clone();
            // Their models pass null for where others report the end of the number.
            if resolved != function && self.ctx.hir.functions[function].name.starts_with("ato") {
                found.writes_memory = 0;
            }
            return found;
        }
        let mut found = Footprint::default();
        match library::classify(&self.ctx.hir.functions[resolved].name) {
            Known::Assume
            | Known::Input
            | Known::Malloc
            | Known::AlignedAlloc
            | Known::Calloc
            | Known::Alloca => {}
            Known::Abort | Known::Exit => found.ends.in_halt = true,
            Known::AssertFail => (found.ends.in_halt, found.ends.in_error) = (true, true),
            _ => {
                found.reads_memory = ANY_SIZE;
                found.ends.in_check = true;
                if !writes_nothing(
                    self.ctx.hir,
                    &self.ctx.resolved,
                    resolved,
                    self.ctx.options.extern_functions,
                ) {
                    found.writes_memory = ANY_SIZE;
                }
            }
        }
        found
    }

    fn is_conflict(&self, one: &Footprint, other: &Footprint) -> bool {
        self.changes(one, other)
            || self.changes(other, one)
            || self.hides(one, other)
            || self.hides(other, one)
    }

    /// Whether `one` may end an execution, or go on for ever, where `other` fails. Which loops end is not known, and few expressions have a call that fails by itself beside one with a
    /// loop; but undefined behaviour is possible in most, so there loops are taken to end.
    fn hides(&self, one: &Footprint, other: &Footprint) -> bool {
        one.ends.in_halt && (other.ends.in_error || self.ctx.is_checked() && other.ends.in_check)
            || one.ends.in_loop && other.ends.in_error
    }

    /// Whether `writer` may write what `user` reads or writes.
    fn changes(&self, writer: &Footprint, user: &Footprint) -> bool {
        let used: Vec<Behind> = user.reads_behind.union(&user.writes_behind).copied().collect();
        let called = user.reads_memory | user.writes_memory;
        let sizes = |all: &mut dyn Iterator<Item = Behind>| all.fold(0, |sizes, one| sizes | one.sizes);
        let memory = called | sizes(&mut used.iter().copied());
        let own = writer.writes_memory | sizes(&mut writer.writes_behind.iter().copied());
        let by_name = |variable: &VariableId| {
            let is_written = user.writes.contains(variable) && !self.is_errno(*variable);
            let mut parts = user.reads_parts.union(&user.writes_parts);
            let is_used = is_written || parts.any(|(part, _)| part == variable);
            (user.reads.contains(variable) || is_used) && !self.is_table(*variable)
        };
        let by_part = |(variable, member): &Part| {
            let mut parts = user.reads_parts.union(&user.writes_parts);
            user.reads.contains(variable)
                || user.writes.contains(variable)
                || parts.any(|(part, other)| part == variable && member.meets(*other, &self.ctx.hir.types))
        };
        let behind = |one: Behind| used.iter().any(|other| self.is_shared(one, *other));
        let variables = |parts: &BTreeSet<Part>| parts.iter().map(|(variable, _)| *variable).collect();
        let mut named: BTreeSet<VariableId> = variables(&user.reads_parts);
        named.extend(user.reads.iter().chain(&user.writes));
        named.extend(user.writes_parts.iter().map(|(variable, _)| variable));
        let mut written: BTreeSet<VariableId> = variables(&writer.writes_parts);
        written.extend(&writer.writes);
        writer.writes.iter().any(by_name)
            || writer.writes_parts.iter().any(by_part)
            || writer.writes_memory & memory != 0
            || own & called != 0
            || writer.writes_behind.iter().copied().any(behind)
            || written.iter().any(|variable| {
                self.is_in(*variable, called) || used.iter().any(|one| self.is_behind(*variable, *one))
            })
            || named.iter().any(|variable| {
                self.is_in(*variable, writer.writes_memory)
                    || writer.writes_behind.iter().any(|one| self.is_behind(*variable, *one))
            })
    }

    /// Whether two accesses through pointers may be to the same memory.
    fn is_shared(&self, one: Behind, other: Behind) -> bool {
        one.meets(other, &self.ctx.hir.types)
            && match (self.targets(one), self.targets(other)) {
                (Some(one), Some(other)) => one.meets(&other),
                _ => true,
            }
    }

    /// Whether an access through a pointer may be to a variable.
    fn is_behind(&self, variable: VariableId, access: Behind) -> bool {
        let is_target = |targets: Targets| {
            let mut objects = targets.variables().filter_map(|var| self.ctx.variable_of.get(&var));
            objects.any(|object| *object == variable)
        };
        self.is_in(variable, access.sizes) && self.targets(access).is_none_or(is_target)
    }

    /// The objects that the pointer of an access may lead to, if they are known.
    fn targets(&self, access: Behind) -> Option<Targets> {
        pointer_targets::targets(self.ctx, self.pointers.as_ref()?, access.pointer)
    }

    /// Whether pointers may lead to a variable.
    fn is_in(&self, variable: VariableId, memory: Sizes) -> bool {
        let declared = &self.ctx.hir.variables[variable];
        memory != 0
            && self.ctx.usage.addressed.contains(&variable)
            && !declared.is_const
            && !self.is_errno(variable)
            && !self.is_table(variable)
            && self.sizes(declared.ty) & memory != 0
    }

    fn is_errno(&self, variable: VariableId) -> bool {
        self.errno == Some(variable)
    }

    fn is_table(&self, variable: VariableId) -> bool {
        TABLES.iter().any(|table| self.ctx.hir.variables[variable].name.starts_with(table))
    }
}
