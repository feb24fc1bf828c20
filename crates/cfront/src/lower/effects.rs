//! What evaluating a typed expression may do, known before it is lowered.
//!
//! # Invariants
//! * S1: an expression without effects is lowered to one expression of the program, without operations.
//! * S2: a total expression has no effects and is defined in every state.
//! * S3: no native recursion; every node is looked at once.

use rustc_hash::{FxHashMap, FxHashSet};

use cfa::{SignedOverflow, Ty};

use crate::hir::{
    ArithmeticOp, Builtin, Callee, CompareOp, ElementSize, ExprId, ExprKind, FunctionId, PlaceId, Program,
    VariableId,
};
use crate::lower::access::{Root, Step, access};
use crate::types::ArrayLength;

/// What evaluating an expression does beyond giving a value: a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effects(u8);

impl Effects {
    /// Nothing.
    pub(super) const NONE: Self = Self(0);
    /// Operations are needed, which write to temporaries only.
    pub(super) const EMITS: Self = Self(1);
    /// Functions are called, which may write to globals and memory.
    pub(super) const CALLS: Self = Self(2);
    /// Variables or memory are written by the expression itself.
    pub(super) const WRITES: Self = Self(4);

    /// What either does.
    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// Whether all effects of `other` are among these.
    pub(super) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
    /// Whether the state of the program may change: variables that are no temporaries, or memory.
    pub(super) fn change_state(self) -> bool {
        self.contains(Self::CALLS) || self.contains(Self::WRITES)
    }
}

/// Conditions with more nodes than this are lowered to branches.
const MAX_WEIGHT: u32 = 64;

/// What is known about the evaluation of an expression or place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evaluation {
    /// Its effects.
    pub effects: Effects,
    /// Whether it is defined in every state (S2).
    pub total: bool,
    /// Number of nodes.
    pub weight: u32,
}

impl Evaluation {
    /// Whether it may be lowered to one expression that is evaluated in any case.
    pub(super) fn is_simple(self) -> bool {
        self.total && self.weight <= MAX_WEIGHT
    }
}

/// A node of the tree of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// An expression.
    Expr(ExprId),
    /// A place.
    Place(PlaceId),
}

/// The evaluations of all expressions that were asked for.
#[derive(Debug)]
pub(super) struct Evaluations {
    known: FxHashMap<Node, Evaluation>,
    signed_overflow: SignedOverflow,
    /// Differences of pointers that are tested first.
    askew: FxHashSet<ExprId>,
}

impl Evaluations {
    /// None yet.
    pub(super) fn new(signed_overflow: SignedOverflow, askew: FxHashSet<ExprId>) -> Self {
        Self { known: FxHashMap::default(), signed_overflow, askew }
    }
    /// The evaluation of an expression. `writes_nothing` says of a function that calling it changes no state.
    pub(super) fn expr(
        &mut self,
        hir: &Program,
        expr: ExprId,
        writes_nothing: &dyn Fn(FunctionId) -> bool,
    ) -> Evaluation {
        self.node(hir, Node::Expr(expr), writes_nothing)
    }
    fn node(&mut self, hir: &Program, root: Node, writes_nothing: &dyn Fn(FunctionId) -> bool) -> Evaluation {
        if let Some(known) = self.known.get(&root) {
            return *known;
        }
        let mut stack = vec![(root, false)];
        while let Some((node, expanded)) = stack.pop() {
            if self.known.contains_key(&node) {
                continue;
            }
            let operands = operands(hir, node);
            if expanded {
                let evaluation = self.combine(hir, node, &operands, writes_nothing);
                self.known.insert(node, evaluation);
            } else {
                stack.push((node, true));
                stack.extend(operands.into_iter().map(|operand| (operand, false)));
            }
        }
        self.known[&root]
    }

    fn combine(
        &self,
        hir: &Program,
        node: Node,
        operands: &[Node],
        writes_nothing: &dyn Fn(FunctionId) -> bool,
    ) -> Evaluation {
        let mut sum = Evaluation { effects: Effects::NONE, total: true, weight: 1 };
        for operand in operands {
            // An operand that is not known yet is the node itself, in a malformed tree.
            let Some(part) = self.known.get(operand) else { continue };
            sum.effects = sum.effects.and(part.effects);
            sum.total &= part.total;
            sum.weight = sum.weight.saturating_add(part.weight);
        }
        let (effects, total) = match node {
            Node::Expr(expr) => self.own(hir, expr, sum, writes_nothing),
            Node::Place(place) => own_place(hir, place),
        };
        sum.effects = sum.effects.and(effects);
        sum.total &= total && sum.effects == Effects::NONE;
        sum
    }

    /// What an expression adds to its operands: effects, and whether it is defined if they are.
    fn own(
        &self,
        hir: &Program,
        expr: ExprId,
        operands: Evaluation,
        writes_nothing: &dyn Fn(FunctionId) -> bool,
    ) -> (Effects, bool) {
        let ty = hir.types.scalar(hir.exprs[expr].ty);
        match &hir.exprs[expr].kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::BitNot(_)
            | ExprKind::LogicalNot(_)
            | ExprKind::SizeofVariable(_)
            | ExprKind::Comma(..) => (Effects::NONE, true),
            ExprKind::Load(_) | ExprKind::AddressOf(_) | ExprKind::Decay(_) => (Effects::NONE, true),
            ExprKind::PointerOffset { element, .. } => {
                (Effects::NONE, matches!(element, ElementSize::Fixed(_)))
            }
            ExprKind::Negate(_) => (
                Effects::NONE,
                self.signed_overflow == SignedOverflow::Wrap || !ty.is_some_and(Ty::is_signed),
            ),
            ExprKind::Arithmetic { op, right, .. } => (Effects::NONE, self.is_total(hir, *op, ty, *right)),
            ExprKind::Compare { op, left, .. } => {
                let pointers = hir.types.scalar(hir.exprs[*left].ty) == Some(Ty::Ptr);
                (Effects::NONE, !pointers || matches!(op, CompareOp::Equal | CompareOp::NotEqual))
            }
            ExprKind::PointerDifference { .. } if self.askew.contains(&expr) => (Effects::EMITS, false),
            ExprKind::PointerDifference { .. } => (Effects::NONE, false),
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) | ExprKind::Conditional { .. } => {
                let simple = operands.effects == Effects::NONE && operands.is_simple() && ty.is_some();
                (if simple { Effects::NONE } else { Effects::EMITS }, simple)
            }
            ExprKind::ConditionalValue { .. } => (Effects::EMITS, false),
            ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::PointerAssign { .. }
            | ExprKind::Step { .. }
            | ExprKind::VaArg(_) => (Effects::EMITS.and(Effects::WRITES), false),
            ExprKind::Convert(arg) => {
                let from = hir.types.scalar(hir.exprs[*arg].ty);
                let truncates =
                    from.is_some_and(Ty::is_float) && ty.is_some_and(|ty| ty.is_int() && ty != Ty::BOOL);
                (Effects::NONE, !truncates && ty.is_some())
            }
            ExprKind::Call { callee: Callee::Direct(function), .. } if writes_nothing(*function) => {
                (Effects::EMITS, false)
            }
            ExprKind::Call { .. } => (Effects::EMITS.and(Effects::CALLS), false),
            ExprKind::Builtin { builtin, .. } => own_builtin(*builtin),
            ExprKind::StatementExpr { .. } => {
                (Effects::EMITS.and(Effects::CALLS).and(Effects::WRITES), false)
            }
        }
    }

    fn is_total(&self, hir: &Program, op: ArithmeticOp, ty: Option<Ty>, right: ExprId) -> bool {
        let constant = match hir.exprs[right].kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        };
        let Some(ty) = ty else { return false };
        match op {
            ArithmeticOp::And | ArithmeticOp::Or | ArithmeticOp::Xor => true,
            ArithmeticOp::Add | ArithmeticOp::Subtract | ArithmeticOp::Multiply => {
                self.signed_overflow == SignedOverflow::Wrap || !ty.is_signed()
            }
            ArithmeticOp::ShiftLeft if self.signed_overflow == SignedOverflow::Error && ty.is_signed() => {
                false
            }
            ArithmeticOp::Divide if ty.is_float() => true,
            ArithmeticOp::Divide | ArithmeticOp::Remainder => {
                constant.is_some_and(|value| value != 0 && value != -1)
            }
            ArithmeticOp::ShiftLeft | ArithmeticOp::ShiftRight => match ty {
                Ty::Int { width, .. } => {
                    constant.is_some_and(|value| (0..i128::from(width)).contains(&value))
                }
                Ty::Float(_) | Ty::Ptr => false,
            },
        }
    }
}

/// As [`Evaluations::own`].
fn own_builtin(builtin: Builtin) -> (Effects, bool) {
    match builtin {
        Builtin::PopCount | Builtin::Parity | Builtin::ByteSwap | Builtin::FindFirstSet => {
            (Effects::NONE, true)
        }
        Builtin::CompilersChoice(_) => (Effects::NONE, true),
        Builtin::IsNan | Builtin::IsInf | Builtin::IsFinite | Builtin::FloatAbs => (Effects::NONE, true),
        Builtin::CountLeadingZeros | Builtin::CountTrailingZeros => (Effects::EMITS, false),
        Builtin::SignBit | Builtin::CopySign | Builtin::Alloca => (Effects::EMITS, false),
        Builtin::Unreachable | Builtin::Trap | Builtin::VaEnd => (Effects::EMITS, false),
        Builtin::VaStart | Builtin::VaCopy | Builtin::Overflow(_) => {
            (Effects::EMITS.and(Effects::WRITES), false)
        }
    }
}

/// Whether reading a place is defined, and the effect of a compound literal.
fn own_place(hir: &Program, place: PlaceId) -> (Effects, bool) {
    let access = access(hir, place);
    let in_range = access.steps.iter().all(|step| match step {
        Step::Field { .. } => true,
        Step::Index { array, index } => match hir.types.array(*array) {
            Some((_, ArrayLength::Fixed(count))) => match index.map(|index| &hir.exprs[index].kind) {
                None => count > 0,
                Some(ExprKind::Int(value)) => (0..i128::from(count)).contains(value),
                Some(_) => false,
            },
            _ => false,
        },
    });
    match access.root {
        Root::Variable(_) | Root::String(_) => (Effects::NONE, in_range),
        Root::Literal(_) => (Effects::EMITS.and(Effects::CALLS).and(Effects::WRITES), false),
        Root::Pointer(_) | Root::Value(_) => (Effects::NONE, false),
    }
}

/// The nodes below.
pub(super) fn operands(hir: &Program, node: Node) -> Vec<Node> {
    match node {
        Node::Expr(expr) => operands_of_expr(hir, expr),
        Node::Place(place) => operands_of_place(hir, place),
    }
}

fn operands_of_place(hir: &Program, place: PlaceId) -> Vec<Node> {
    let access = access(hir, place);
    let mut nodes: Vec<Node> = access
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Index { index, .. } => index.map(Node::Expr),
            Step::Field { .. } => None,
        })
        .collect();
    if let Root::Pointer(expr) | Root::Value(expr) = access.root {
        nodes.push(Node::Expr(expr));
    }
    nodes
}

fn operands_of_expr(hir: &Program, expr: ExprId) -> Vec<Node> {
    match &hir.exprs[expr].kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::FunctionAddress(_)
        | ExprKind::SizeofVariable(_)
        | ExprKind::StatementExpr { .. } => Vec::new(),
        ExprKind::Load(place)
        | ExprKind::AddressOf(place)
        | ExprKind::Decay(place)
        | ExprKind::VaArg(place)
        | ExprKind::Step { place, .. } => vec![Node::Place(*place)],
        ExprKind::Negate(arg)
        | ExprKind::BitNot(arg)
        | ExprKind::LogicalNot(arg)
        | ExprKind::Convert(arg) => {
            vec![Node::Expr(*arg)]
        }
        ExprKind::Arithmetic { left, right, .. }
        | ExprKind::Compare { left, right, .. }
        | ExprKind::PointerDifference { left, right, .. }
        | ExprKind::LogicalAnd(left, right)
        | ExprKind::LogicalOr(left, right)
        | ExprKind::Comma(left, right)
        | ExprKind::PointerOffset { pointer: left, index: right, .. }
        | ExprKind::ConditionalValue { condition: left, otherwise: right, .. } => {
            vec![Node::Expr(*left), Node::Expr(*right)]
        }
        ExprKind::Conditional { condition, then, otherwise, .. } => {
            vec![Node::Expr(*condition), Node::Expr(*then), Node::Expr(*otherwise)]
        }
        ExprKind::Assign { place, value }
        | ExprKind::CompoundAssign { place, value, .. }
        | ExprKind::PointerAssign { place, index: value, .. } => {
            vec![Node::Place(*place), Node::Expr(*value)]
        }
        ExprKind::Call { callee, args, .. } => {
            let pointer = match callee {
                Callee::Direct(_) => None,
                Callee::Indirect(pointer) => Some(Node::Expr(*pointer)),
            };
            pointer.into_iter().chain(args.iter().map(|arg| Node::Expr(*arg))).collect()
        }
        ExprKind::Builtin { args, .. } => args.iter().map(|arg| Node::Expr(*arg)).collect(),
    }
}

/// The variables that an expression writes by itself, and whether it writes memory, too; `None` if that is not known.
pub(super) fn written(hir: &Program, expr: ExprId) -> Option<(Vec<VariableId>, bool)> {
    let (mut variables, mut memory) = (Vec::new(), false);
    let mut stack = vec![Node::Expr(expr)];
    while let Some(node) = stack.pop() {
        let mut places = Vec::new();
        match node {
            Node::Expr(expr) => match &hir.exprs[expr].kind {
                ExprKind::Assign { place, .. }
                | ExprKind::CompoundAssign { place, .. }
                | ExprKind::PointerAssign { place, .. }
                | ExprKind::Step { place, .. }
                | ExprKind::VaArg(place) => places.push(*place),
                ExprKind::Builtin { args, .. } => {
                    memory = true;
                    places.extend(args.iter().filter_map(|arg| match hir.exprs[*arg].kind {
                        ExprKind::AddressOf(place) => Some(place),
                        _ => None,
                    }));
                }
                ExprKind::StatementExpr { .. } => return None,
                _ => {}
            },
            Node::Place(place) => {
                if let Root::Literal(_) = access(hir, place).root {
                    return None;
                }
            }
        }
        for place in places {
            match access(hir, place).root {
                Root::Variable(variable) | Root::Literal(variable) => variables.push(variable),
                Root::Pointer(_) | Root::String(_) | Root::Value(_) => memory = true,
            }
        }
        stack.extend(operands(hir, node));
    }
    Some((variables, memory))
}
