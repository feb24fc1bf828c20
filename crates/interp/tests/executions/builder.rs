//! Small programs made by hand.
#![allow(dead_code, missing_docs, reason = "shared by tests and benchmarks, each of which uses a part")]

use std::sync::Arc;

use base::{Budget, FileId, Region, SourceFile, SourceMap};
use cfa::{
    BinaryOp, Callee, DataModel, Edge, Expr, ExprId, HaltReason, Length, Loc, LocationInfo, LocationRole, Op,
    Origin, Place, ProcId, Procedure, Program, Role, SignedOverflow, Source, Storage, Ty, UnaryOp, Var,
    VarId,
};
use interp::{
    Code, CompileOptions, Config, Inputs, Machine, Markers, Oracle, Outcome, Run, Silent, UndefinedKind,
    Uninitialised, Value,
};

pub(crate) const I32: Ty = Ty::signed(32);
pub(crate) const U32: Ty = Ty::unsigned(32);
pub(crate) const I64: Ty = Ty::signed(64);
pub(crate) const U64: Ty = Ty::unsigned(64);
pub(crate) const U8: Ty = Ty::unsigned(8);
pub(crate) const BOTH: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];

/// A program under construction; operations are appended to the current location.
pub(crate) struct Builder {
    pub(crate) program: Program,
    pub(crate) proc: ProcId,
    pub(crate) at: Loc,
    line: u32,
}

pub(crate) fn line(line: u32) -> Region {
    Region { file: FileId(0), line, column: 1, end_line: line, end_column: 2 }
}

impl Builder {
    pub(crate) fn new(model: DataModel) -> Self {
        Self::with_overflow(model, SignedOverflow::Undefined)
    }
    pub(crate) fn with_overflow(model: DataModel, overflow: SignedOverflow) -> Self {
        let mut sources = SourceMap::new();
        sources.add(SourceFile::new("t.c", vec![b'\n'; 100]));
        let program = Program::new(model, overflow, Arc::new(sources));
        let proc = program.entry;
        let at = program.procs[proc].entry;
        Self { program, proc, at, line: 0 }
    }
    pub(crate) fn pointer_width(&self) -> u8 {
        self.program.data_model.pointer_width()
    }
    /// The type of sizes.
    pub(crate) fn size_ty(&self) -> Ty {
        Ty::unsigned(self.pointer_width())
    }
    fn var(&mut self, name: &str, storage: Storage, owner: Option<ProcId>) -> VarId {
        self.program.vars.push(Var {
            name: name.into(),
            storage,
            owner,
            c_type: "".into(),
            declared: Region::NOWHERE,
            scope: Region::NOWHERE,
        })
    }
    pub(crate) fn local(&mut self, name: &str, ty: Ty) -> VarId {
        self.var(name, Storage::Scalar(ty), Some(self.proc))
    }
    pub(crate) fn global(&mut self, name: &str, ty: Ty) -> VarId {
        self.var(name, Storage::Scalar(ty), None)
    }
    pub(crate) fn array(&mut self, name: &str, elem: Ty, length: Length) -> VarId {
        self.var(name, Storage::Array { elem, length }, Some(self.proc))
    }
    pub(crate) fn unbounded(&mut self, name: &str, elem: Ty) -> VarId {
        self.var(name, Storage::Array { elem, length: Length::Unbounded }, None)
    }
    pub(crate) fn object(&mut self, name: &str, size: u64) -> VarId {
        self.var(name, Storage::Object { size, align: 8, read_only: false }, Some(self.proc))
    }
    pub(crate) fn global_object(&mut self, name: &str, size: u64, read_only: bool) -> VarId {
        self.var(name, Storage::Object { size, align: 8, read_only }, None)
    }
    /// Starts a procedure; operations go there from now on.
    pub(crate) fn procedure(&mut self, name: &str) -> ProcId {
        self.proc = self.program.procs.push(Procedure::new(name, Region::NOWHERE));
        self.at = self.program.procs[self.proc].entry;
        self.proc
    }
    pub(crate) fn param(&mut self, name: &str, ty: Ty) -> VarId {
        let var = self.local(name, ty);
        self.program.procs[self.proc].params.push(var);
        var
    }
    pub(crate) fn result(&mut self, name: &str, ty: Ty) -> VarId {
        let var = self.local(name, ty);
        self.program.procs[self.proc].results.push(var);
        var
    }
    pub(crate) fn goto_proc(&mut self, proc: ProcId, at: Loc) {
        self.proc = proc;
        self.at = at;
    }
    pub(crate) fn location(&mut self) -> Loc {
        let info = LocationInfo { region: line(self.line), role: LocationRole::Plain };
        self.program.procs[self.proc].add_location(info)
    }
    pub(crate) fn exit(&self) -> Loc {
        self.program.procs[self.proc].exit
    }
    pub(crate) fn error(&mut self) -> Loc {
        self.program.procs[self.proc].error_location(Region::NOWHERE)
    }
    pub(crate) fn edge(&mut self, source: Loc, target: Loc, ops: Vec<Op>) {
        self.line += 1;
        let origin = Origin { region: line(self.line), role: Role::Statement };
        self.program.procs[self.proc].add_edge(Edge { source, target, ops, origin });
    }
    /// Appends an operation.
    pub(crate) fn op(&mut self, op: Op) {
        let (from, to) = (self.at, self.location());
        self.edge(from, to, vec![op]);
        self.at = to;
    }
    /// Continues at a location.
    pub(crate) fn go(&mut self, to: Loc) {
        let from = self.at;
        self.edge(from, to, Vec::new());
        self.at = to;
    }
    pub(crate) fn finish(&mut self) {
        let exit = self.exit();
        self.go(exit);
    }
    pub(crate) fn assign(&mut self, var: VarId, value: ExprId) {
        self.op(Op::Assign { place: Place::Var(var), value });
    }
    pub(crate) fn havoc(&mut self, var: VarId) {
        self.op(Op::Havoc { place: Place::Var(var), source: input(), at: line(99) });
    }
    /// Ends the program with a value as status.
    pub(crate) fn exit_with(&mut self, status: ExprId) {
        self.op(Op::Halt { reason: HaltReason::Exit(status) });
    }
    pub(crate) fn int(&mut self, ty: Ty, value: i128) -> ExprId {
        self.program.exprs.int(ty, value)
    }
    pub(crate) fn double(&mut self, value: f64) -> ExprId {
        let Value { ty, bits } = Value::double(value);
        self.program.exprs.add(Expr::Const { ty, bits })
    }
    pub(crate) fn get(&mut self, var: VarId) -> ExprId {
        let ty = self.program.vars[var].scalar().expect("the variable should be scalar");
        self.program.exprs.var(var, ty)
    }
    pub(crate) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.program.exprs.binary(op, a, b)
    }
    pub(crate) fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Add, a, b)
    }
    pub(crate) fn not(&mut self, a: ExprId) -> ExprId {
        self.program.exprs.not(a)
    }
    pub(crate) fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        self.program.exprs.unary(op, a)
    }
    pub(crate) fn cast(&mut self, ty: Ty, a: ExprId) -> ExprId {
        self.program.exprs.cast(ty, a)
    }
    pub(crate) fn ite(&mut self, cond: ExprId, then: ExprId, other: ExprId) -> ExprId {
        self.program.exprs.add(Expr::Ite { cond, then, other })
    }
    pub(crate) fn address(&mut self, var: VarId) -> ExprId {
        self.program.exprs.add(Expr::Address { var })
    }
    pub(crate) fn function(&mut self, proc: ProcId) -> ExprId {
        self.program.exprs.add(Expr::Function { proc })
    }
    pub(crate) fn load(&mut self, addr: ExprId, ty: Ty) -> ExprId {
        self.program.exprs.add(Expr::Load { addr, ty })
    }
    pub(crate) fn load_bits(&mut self, addr: ExprId, bit: u8, ty: Ty) -> ExprId {
        self.program.exprs.add(Expr::LoadBits { addr, bit, ty })
    }
    pub(crate) fn elem(&mut self, array: VarId, index: ExprId) -> ExprId {
        let Storage::Array { elem, .. } = self.program.vars[array].storage else { unreachable!() };
        self.program.exprs.add(Expr::Elem { array, index, ty: elem })
    }
    /// A pointer plus a number of bytes.
    pub(crate) fn offset(&mut self, pointer: ExprId, bytes: i128) -> ExprId {
        let bytes = self.int(Ty::signed(self.pointer_width()), bytes);
        self.binary(BinaryOp::PtrAdd, pointer, bytes)
    }
    pub(crate) fn store(&mut self, addr: ExprId, value: ExprId) {
        let ty = self.program.exprs.ty(value);
        self.op(Op::Assign { place: Place::Mem { addr, ty }, value });
    }
    pub(crate) fn call(&mut self, callee: ProcId, args: Vec<ExprId>, results: Vec<Option<Place>>) {
        self.op(Op::Call { callee: Callee::Direct(callee), args, results });
    }
    /// `while (cond) body`; the body is appended to the loop.
    pub(crate) fn while_loop(&mut self, cond: ExprId, body: impl FnOnce(&mut Self)) {
        let head = self.location();
        self.go(head);
        let (inside, after) = (self.location(), self.location());
        let not = self.not(cond);
        self.edge(head, inside, vec![Op::Assume { cond }]);
        self.edge(head, after, vec![Op::Assume { cond: not }]);
        self.at = inside;
        body(self);
        self.go(head);
        self.at = after;
    }
}

pub(crate) fn input() -> Source {
    Source::Input { function: "__VERIFIER_nondet_int".into() }
}

/// Runs a program with whole-number inputs.
pub(crate) fn run_with(program: &Program, policy: Uninitialised, inputs: &[i128]) -> Run {
    let mut oracle = Inputs::ints(inputs.iter().copied());
    run_oracle(program, policy, &mut oracle)
}

pub(crate) fn run_oracle(program: &Program, policy: Uninitialised, oracle: &mut dyn Oracle) -> Run {
    let code = Code::new(program, CompileOptions { uninitialised: policy, markers: Markers::None });
    let mut machine = Machine::new(program, &code, Config::default());
    machine.run(oracle, &mut Silent, &mut std::io::sink(), &mut Budget::unlimited())
}

/// The outcome of a program without inputs that reports uninitialised reads.
pub(crate) fn outcome(program: &Program) -> Outcome {
    run_with(program, Uninitialised::Report, &[]).outcome
}

/// The status that a program exits with.
pub(crate) fn status(program: &Program) -> i128 {
    match outcome(program) {
        Outcome::Exit { status } => status,
        other => panic!("{other}"),
    }
}

/// The undefined behaviour that a program has.
pub(crate) fn undefined(program: &Program) -> UndefinedKind {
    match outcome(program) {
        Outcome::Undefined { kind, .. } => kind,
        other => panic!("{other}"),
    }
}
