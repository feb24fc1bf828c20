//! Checks that a program is well formed.
//!
//! # Invariants checked
//! P1 to P5 of [`crate::program`] and I1, I3, I4 of [`crate::expr`] (I2 holds by construction of the arena).
//! What has been checked may be relied on by everybody who is given a program: passes, interpreter, engines.
//! The parser of the text format uses the same rules on every expression and operation as it reads them.
//!
//! # Cost
//! Linear in the size of the program: whether an expression respects ownership is decided by a summary per
//! arena node, not by walking it again for every use.
//!
//! # Length
//! One rule for each invariant of programs, in one place, so that they can be compared with the list in program.rs.

use std::fmt;

use base::Idx;

use crate::expr::{BinaryOp, Expr, ExprId, Exprs, UnaryOp};
use crate::op::{Callee, HaltReason, Op, Place};
use crate::program::{EdgeId, Length, Loc, ProcId, Procedure, Program, Storage, Var, VarId};
use crate::ty::Ty;

/// Which rule is broken; the names are those of the modules that state them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invariant {
    /// P1: ids in range, edges within their procedure, variables used by their owner only.
    P1,
    /// P2: nothing leaves the exit and the error location.
    P2,
    /// P3: types of operations agree.
    P3,
    /// P4: the entry procedure has no parameters and no caller.
    P4,
    /// P5: parameters and results are scalar variables of their procedure.
    P5,
    /// I1: operands precede their expression.
    I1,
    /// I3: types of expressions agree.
    I3,
    /// I4: constants are reduced to their width.
    I4,
}

/// Where a rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// The program as a whole.
    Program,
    /// A variable's declaration.
    Var(VarId),
    /// An expression, wherever it is used.
    Expr(ExprId),
    /// A procedure's declaration.
    Proc(ProcId),
    /// A location.
    Location(ProcId, Loc),
    /// An edge.
    Edge(ProcId, EdgeId),
    /// The operation at a position of an edge.
    Op(ProcId, EdgeId, usize),
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Which one.
    pub invariant: Invariant,
    /// Where.
    pub site: Site,
    /// One sentence; for sites inside a procedure it starts with the procedure's name.
    pub message: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at ", self.invariant)?;
        match self.site {
            Site::Program => f.write_str("program")?,
            Site::Var(var) => write!(f, "{var}")?,
            Site::Expr(expr) => write!(f, "{expr}")?,
            Site::Proc(proc) => write!(f, "{proc}")?,
            Site::Location(proc, location) => write!(f, "{proc} {location}")?,
            Site::Edge(proc, edge) => write!(f, "{proc} {edge}")?,
            Site::Op(proc, edge, position) => write!(f, "{proc} {edge} operation {position}")?,
        }
        write!(f, ": {}", self.message)
    }
}

/// A broken rule without its place.
pub(crate) type Complaint = (Invariant, String);

fn complain<T>(invariant: Invariant, message: impl Into<String>) -> Result<T, Complaint> {
    Err((invariant, message.into()))
}

/// A complaint of a rule unless a condition holds; the message is formatted only then.
macro_rules! ensure {
    ($holds:expr, $invariant:expr, $($message:tt)+) => {
        if $holds { Ok(()) } else { Err(($invariant, format!($($message)+))) }
    };
}

impl Program {
    /// Checks all invariants.
    pub fn verify(&self) -> Result<(), Vec<Defect>> {
        let mut verifier = Verifier { program: self, owners: Vec::new(), defects: Vec::new() };
        verifier.vars();
        verifier.exprs();
        verifier.entry();
        for proc in self.procs.ids() {
            verifier.procedure(proc);
        }
        if verifier.defects.is_empty() { Ok(()) } else { Err(verifier.defects) }
    }
}

/// Whose local variables an expression mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owners {
    Nobody,
    One(ProcId),
    Several,
}

impl Owners {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nobody, owners) | (owners, Self::Nobody) => owners,
            (Self::One(left), Self::One(right)) if left == right => self,
            _ => Self::Several,
        }
    }
    fn allow(self, proc: ProcId) -> bool {
        self == Self::Nobody || self == Self::One(proc)
    }
}

struct Verifier<'a> {
    program: &'a Program,
    owners: Vec<Owners>,
    defects: Vec<Defect>,
}

impl Verifier<'_> {
    fn record(&mut self, site: Site, result: Result<(), Complaint>) {
        if let Err((invariant, message)) = result {
            let proc = match site {
                Site::Proc(proc) | Site::Location(proc, _) | Site::Edge(proc, _) | Site::Op(proc, _, _) => {
                    Some(proc)
                }
                Site::Program | Site::Var(_) | Site::Expr(_) => None,
            };
            let message = match proc.and_then(|proc| self.program.procs.get(proc)) {
                Some(procedure) => format!("in {}: {message}", procedure.name),
                None => message,
            };
            self.defects.push(Defect { invariant, site, message });
        }
    }

    fn vars(&mut self) {
        for (id, var) in self.program.vars.iter_enumerated() {
            let owned = var.owner.is_none_or(|owner| owner.index() < self.program.procs.len());
            let owner = ensure!(owned, Invariant::P1, "the owner of {} does not exist", var.name);
            self.record(Site::Var(id), owner);
            self.record(Site::Var(id), check_storage(var));
        }
    }

    fn exprs(&mut self) {
        let program = self.program;
        for (id, expr) in program.exprs.iter() {
            let result = check_expr(&program.exprs, &program.vars, program.procs.len(), Some(id), expr);
            self.record(Site::Expr(id), result);
            let mut owners = match *expr {
                Expr::Var { var, .. } | Expr::Elem { array: var, .. } | Expr::Address { var } => {
                    self.owner_of(var)
                }
                _ => Owners::Nobody,
            };
            for operand in expr.operands() {
                owners = owners.join(self.owners.get(operand.index()).copied().unwrap_or(Owners::Several));
            }
            self.owners.push(owners);
        }
    }

    fn owner_of(&self, var: VarId) -> Owners {
        self.program.vars.get(var).and_then(|var| var.owner).map_or(Owners::Nobody, Owners::One)
    }

    fn entry(&mut self) {
        let result = match self.program.procs.get(self.program.entry) {
            None => complain(Invariant::P1, "the entry procedure does not exist"),
            Some(entry) => ensure!(
                entry.params.is_empty(),
                Invariant::P4,
                "the entry procedure {} has parameters",
                entry.name
            ),
        };
        self.record(Site::Program, result);
    }

    fn procedure(&mut self, proc: ProcId) {
        let procedure = &self.program.procs[proc];
        for (what, vars) in [("parameter", &procedure.params), ("result", &procedure.results)] {
            for var in vars {
                let result = check_interface(self.program, proc, *var, what);
                self.record(Site::Proc(proc), result);
            }
        }
        let count = procedure.locations.len();
        for (what, location) in
            [("entry", Some(procedure.entry)), ("exit", Some(procedure.exit)), ("error", procedure.error)]
        {
            let exists = location.is_none_or(|location| location.index() < count);
            let result = ensure!(exists, Invariant::P1, "the {what} location does not exist");
            self.record(Site::Proc(proc), result);
        }
        for (id, edge) in procedure.edges().iter_enumerated() {
            let inside = edge.source.index() < count && edge.target.index() < count;
            let result = ensure!(inside, Invariant::P1, "it leaves the procedure");
            self.record(Site::Edge(proc, id), result);
            let leaves_end = edge.source == procedure.exit || Some(edge.source) == procedure.error;
            let result = ensure!(
                !leaves_end,
                Invariant::P2,
                "it leaves the {} location",
                if edge.source == procedure.exit { "exit" } else { "error" }
            );
            self.record(Site::Edge(proc, id), result);
            for (position, op) in edge.ops.iter().enumerate() {
                let site = Site::Op(proc, id, position);
                let scope = self.check_scope(proc, op);
                self.record(site, scope);
                let types = check_op(self.program, op);
                self.record(site, types);
            }
        }
        self.check_lists(proc, procedure);
    }

    /// The list of edges of each location has exactly the edges that leave it.
    fn check_lists(&mut self, proc: ProcId, procedure: &Procedure) {
        let mut listed = 0;
        for location in procedure.locations.ids() {
            for edge in procedure.outgoing(location) {
                listed += 1;
                let right = procedure.edges().get(*edge).is_some_and(|edge| edge.source == location);
                let result = ensure!(right, Invariant::P1, "{edge} does not leave this location");
                self.record(Site::Location(proc, location), result);
            }
        }
        let complete = listed == procedure.edges().len();
        let result = ensure!(complete, Invariant::P1, "an edge is in no list of its source");
        self.record(Site::Proc(proc), result);
    }

    fn check_scope(&self, proc: ProcId, op: &Op) -> Result<(), Complaint> {
        for expr in op.exprs() {
            let owners = self.owners.get(expr.index()).copied();
            match owners {
                None => return complain(Invariant::P1, format!("{expr} does not exist")),
                Some(owners) => ensure!(
                    owners.allow(proc),
                    Invariant::P1,
                    "{expr} mentions a variable of another procedure"
                )?,
            }
        }
        for var in op.vars() {
            ensure!(
                self.owner_of(var).allow(proc),
                Invariant::P1,
                "{var} is a variable of another procedure"
            )?;
        }
        Ok(())
    }
}

fn check_ty(ty: Ty) -> Result<(), Complaint> {
    match ty {
        Ty::Int { width, .. } => {
            ensure!((1..=128).contains(&width), Invariant::I3, "no integer has {width} bits")
        }
        Ty::Float(_) | Ty::Ptr => Ok(()),
    }
}

fn check_storage(var: &Var) -> Result<(), Complaint> {
    match var.storage {
        Storage::Scalar(ty) | Storage::Array { elem: ty, .. } => check_ty(ty),
        Storage::Object { align, .. } => ensure!(
            align.is_power_of_two(),
            Invariant::P3,
            "the alignment {align} of {} is not a power of two",
            var.name
        ),
    }
}

fn check_interface(program: &Program, proc: ProcId, var: VarId, what: &str) -> Result<(), Complaint> {
    let Some(declared) = program.vars.get(var) else {
        return complain(Invariant::P1, format!("{what} {var} does not exist"));
    };
    ensure!(
        declared.owner == Some(proc),
        Invariant::P5,
        "{what} {} is not a variable of the procedure",
        declared.name
    )?;
    ensure!(declared.scalar().is_some(), Invariant::P5, "{what} {} is not a scalar", declared.name)
}

type Vars = base::IndexVec<VarId, Var>;

fn scalar_of(vars: &Vars, var: VarId, invariant: Invariant) -> Result<Ty, Complaint> {
    match vars.get(var) {
        None => complain(Invariant::P1, format!("{var} does not exist")),
        Some(declared) => match declared.storage {
            Storage::Scalar(ty) => Ok(ty),
            Storage::Array { .. } | Storage::Object { .. } => {
                complain(invariant, format!("{} is not a scalar", declared.name))
            }
        },
    }
}

fn elem_of(vars: &Vars, var: VarId, invariant: Invariant) -> Result<(Ty, Length), Complaint> {
    match vars.get(var) {
        None => complain(Invariant::P1, format!("{var} does not exist")),
        Some(declared) => match declared.storage {
            Storage::Array { elem, length } => Ok((elem, length)),
            Storage::Scalar(_) | Storage::Object { .. } => {
                complain(invariant, format!("{} is not an array", declared.name))
            }
        },
    }
}

fn check_object(vars: &Vars, var: VarId, invariant: Invariant) -> Result<(), Complaint> {
    match vars.get(var) {
        None => complain(Invariant::P1, format!("{var} does not exist")),
        Some(declared) => ensure!(
            matches!(declared.storage, Storage::Object { .. }),
            invariant,
            "{} is not a memory object",
            declared.name
        ),
    }
}

/// Checks one node: I1, I3, I4 and the ids in it. `id` is the node's own, if it has one already.
pub(crate) fn check_expr(
    exprs: &Exprs,
    vars: &Vars,
    procs: usize,
    id: Option<ExprId>,
    expr: &Expr,
) -> Result<(), Complaint> {
    use Invariant::{I1, I3, I4, P1};
    let bound = id.map_or(exprs.len(), Idx::index);
    for operand in expr.operands() {
        ensure!(operand.index() < bound, I1, "operand {operand} does not precede its expression")?;
    }
    let ty = |id: ExprId| exprs.ty(id);
    let want = |id: ExprId, holds: bool, what: &str| {
        ensure!(holds, I3, "operand of type {} where {what} is needed", exprs.ty(id))
    };
    match *expr {
        Expr::Const { ty, bits } => {
            check_ty(ty)?;
            let width = if ty == Ty::Ptr { exprs.pointer_width() } else { const_width(ty) };
            let reduced = width >= 128 || bits >> width == 0;
            ensure!(reduced, I4, "constant {bits:#x} has more than {width} bits")
        }
        Expr::Var { var, ty } => {
            let declared = scalar_of(vars, var, I3)?;
            ensure!(declared == ty, I3, "{var} is used as {ty} but is {declared}")
        }
        Expr::Elem { array, index, ty } => {
            let (elem, _) = elem_of(vars, array, I3)?;
            ensure!(elem == ty, I3, "elements of {array} are used as {ty} but are {elem}")?;
            want(index, exprs.ty(index).is_int(), "an integer")
        }
        Expr::Load { addr, ty } => {
            check_ty(ty)?;
            want(addr, exprs.ty(addr) == Ty::Ptr, "a pointer")
        }
        Expr::LoadBits { addr, bit, ty } => {
            check_ty(ty)?;
            check_bits(bit, ty, I3)?;
            want(addr, exprs.ty(addr) == Ty::Ptr, "a pointer")
        }
        Expr::Address { var } => check_object(vars, var, I3),
        Expr::Function { proc } => {
            ensure!(proc.index() < procs, P1, "procedure {proc} does not exist")
        }
        Expr::Unary { op: UnaryOp::Neg, arg } => want(arg, ty(arg) != Ty::Ptr, "a number"),
        Expr::Unary { op: UnaryOp::Not, arg } => want(arg, ty(arg).is_int(), "an integer"),
        Expr::Binary { op, lhs, rhs } => check_binary(exprs, op, lhs, rhs),
        Expr::Cast { ty: target, arg } => {
            check_ty(target)?;
            let mixes = |a: Ty, b: Ty| a.is_float() && b == Ty::Ptr;
            let legal = !mixes(ty(arg), target) && !mixes(target, ty(arg));
            ensure!(legal, I3, "no conversion from {} to {target}", ty(arg))
        }
        Expr::Ite { cond, then, other } => {
            want(cond, ty(cond) == Ty::BOOL, "a truth value")?;
            ensure!(ty(then) == ty(other), I3, "the branches have types {} and {}", ty(then), ty(other))
        }
    }
}

fn const_width(ty: Ty) -> u8 {
    // Only pointers depend on the data model.
    ty.width(crate::ty::DataModel::Lp64)
}

fn check_bits(bit: u8, ty: Ty, invariant: Invariant) -> Result<(), Complaint> {
    ensure!(bit < 8, invariant, "a bit-field cannot start at bit {bit} of a byte")?;
    ensure!(ty.is_int(), invariant, "a bit-field cannot have type {ty}")
}

fn check_binary(exprs: &Exprs, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Result<(), Complaint> {
    let (left, right) = (exprs.ty(lhs), exprs.ty(rhs));
    let legal = match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => left == right && left != Ty::Ptr,
        BinaryOp::Rem | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => left == right && left.is_int(),
        BinaryOp::Shl | BinaryOp::Shr => left.is_int() && right.is_int(),
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => left == right,
        BinaryOp::PtrAdd => left == Ty::Ptr && right == Ty::signed(exprs.pointer_width()),
        BinaryOp::PtrSub => left == Ty::Ptr && right == Ty::Ptr,
    };
    ensure!(legal, Invariant::I3, "operands of types {left} and {right} for {op:?}")
}

/// Checks a place and gives the type of what it holds.
pub(crate) fn check_place(program: &Program, place: &Place) -> Result<Ty, Complaint> {
    let pointer = |addr: ExprId| check_type(program, addr, Ty::Ptr, "an address");
    match *place {
        Place::Var(var) => scalar_of(&program.vars, var, Invariant::P3),
        Place::Elem { array, index } => {
            check_int(program, index, "an index")?;
            elem_of(&program.vars, array, Invariant::P3).map(|(elem, _)| elem)
        }
        Place::Mem { addr, ty } => {
            pointer(addr)?;
            check_ty(ty)?;
            Ok(ty)
        }
        Place::Bits { addr, bit, ty } => {
            pointer(addr)?;
            check_ty(ty)?;
            check_bits(bit, ty, Invariant::P3)?;
            Ok(ty)
        }
    }
}

fn type_of(program: &Program, expr: ExprId) -> Result<Ty, Complaint> {
    if expr.index() < program.exprs.len() {
        Ok(program.exprs.ty(expr))
    } else {
        complain(Invariant::P1, format!("{expr} does not exist"))
    }
}

fn check_type(program: &Program, expr: ExprId, want: Ty, what: &str) -> Result<(), Complaint> {
    let ty = type_of(program, expr)?;
    ensure!(ty == want, Invariant::P3, "{what} has type {ty} instead of {want}")
}

fn check_int(program: &Program, expr: ExprId, what: &str) -> Result<(), Complaint> {
    let ty = type_of(program, expr)?;
    ensure!(ty.is_int(), Invariant::P3, "{what} has type {ty} instead of an integer type")
}

fn check_size(program: &Program, expr: ExprId, what: &str) -> Result<(), Complaint> {
    let ty = type_of(program, expr)?;
    ensure!(
        ty.is_int() && !ty.is_signed(),
        Invariant::P3,
        "{what} has type {ty} instead of an unsigned integer type"
    )
}

fn check_holds(program: &Program, place: &Place, want: Ty, what: &str) -> Result<(), Complaint> {
    let ty = check_place(program, place)?;
    ensure!(ty == want, Invariant::P3, "{what} of type {want} goes to a place of type {ty}")
}

fn check_local_object(program: &Program, var: VarId) -> Result<(), Complaint> {
    check_object(&program.vars, var, Invariant::P3)?;
    ensure!(
        program.vars[var].owner.is_some(),
        Invariant::P3,
        "{} is global: its lifetime does not start or end",
        program.vars[var].name
    )
}

/// Checks the types of one operation (P3) and that nobody calls the entry procedure (P4).
pub(crate) fn check_op(program: &Program, op: &Op) -> Result<(), Complaint> {
    let pointer = |addr: ExprId| check_type(program, addr, Ty::Ptr, "an address");
    match op {
        Op::Assign { place, value } => {
            let ty = type_of(program, *value)?;
            check_holds(program, place, ty, "a value")
        }
        Op::Assume { cond } => check_type(program, *cond, Ty::BOOL, "a condition"),
        Op::Havoc { place, .. } => check_place(program, place).map(|_| ()),
        Op::Init { var, .. } => match program.vars.get(*var) {
            None => complain(Invariant::P1, format!("{var} does not exist")),
            Some(declared) => {
                ensure!(declared.scalar().is_none(), Invariant::P3, "{} is a scalar", declared.name)
            }
        },
        Op::Allocate { var, length } => {
            let (_, declared) = elem_of(&program.vars, *var, Invariant::P3)?;
            ensure!(declared == Length::Dynamic, Invariant::P3, "{var} has a fixed length")?;
            check_int(program, *length, "a length")
        }
        Op::Begin { var } | Op::End { var } => check_local_object(program, *var),
        Op::Malloc { place, size, .. } => {
            check_holds(program, place, Ty::Ptr, "an address")?;
            check_size(program, *size, "a size")
        }
        Op::Realloc { place, old, size } => {
            check_holds(program, place, Ty::Ptr, "an address")?;
            pointer(*old)?;
            check_size(program, *size, "a size")
        }
        Op::Free { addr } => pointer(*addr),
        Op::Copy { to, from, length } => {
            pointer(*to)?;
            pointer(*from)?;
            check_size(program, *length, "a length")
        }
        Op::Fill { to, byte, length } => {
            pointer(*to)?;
            check_type(program, *byte, Ty::unsigned(8), "a byte")?;
            check_size(program, *length, "a length")
        }
        Op::Forget { to, length, addresses, .. } => {
            pointer(*to)?;
            addresses.iter().try_for_each(|address| pointer(*address))?;
            check_size(program, *length, "a length")
        }
        Op::Write { to, .. } => pointer(*to),
        Op::Call { callee, args, results } => check_call(program, callee, args, results),
        Op::Output { args, result, .. } => {
            for arg in args {
                type_of(program, *arg)?;
            }
            result.as_ref().map_or(Ok(()), |place| check_holds(program, place, Ty::signed(32), "a result"))
        }
        Op::Halt { reason: HaltReason::Exit(status) } => check_int(program, *status, "a status"),
        Op::Halt { reason: HaltReason::Abort } => Ok(()),
    }
}

fn check_call(
    program: &Program,
    callee: &Callee,
    args: &[ExprId],
    results: &[Option<Place>],
) -> Result<(), Complaint> {
    let targets = match callee {
        Callee::Direct(target) => std::slice::from_ref(target),
        Callee::Indirect { pointer, targets } => {
            check_type(program, *pointer, Ty::Ptr, "the pointer of an indirect call")?;
            targets
        }
    };
    for target in targets {
        let Some(procedure) = program.procs.get(*target) else {
            return complain(Invariant::P1, format!("procedure {target} does not exist"));
        };
        ensure!(*target != program.entry, Invariant::P4, "the entry procedure {} is called", procedure.name)?;
        let fits = procedure.params.len() == args.len() && procedure.results.len() == results.len();
        ensure!(
            fits,
            Invariant::P3,
            "a call of {} has the wrong number of arguments or results",
            procedure.name
        )?;
        for (param, arg) in procedure.params.iter().zip(args) {
            let ty = scalar_of(&program.vars, *param, Invariant::P5)?;
            check_type(program, *arg, ty, "an argument")?;
        }
        for (result, place) in procedure.results.iter().zip(results) {
            let ty = scalar_of(&program.vars, *result, Invariant::P5)?;
            if let Some(place) = place {
                check_holds(program, place, ty, "a result")?;
            }
        }
    }
    if targets.is_empty() {
        // A call of nobody is undefined, and yet its parts must make sense.
        for arg in args {
            type_of(program, *arg)?;
        }
        for place in results.iter().flatten() {
            check_place(program, place)?;
        }
    }
    Ok(())
}
