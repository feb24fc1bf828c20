//! Calls that end their procedures, and numbers in memory: runs that replace activations and leap against plain ones.

use cfa::{BinaryOp, Callee, DataModel, ExprId, Op, Place, ProcId, Program, Ty, VarId};
use interp::{Leaper, Outcome, Resource, UndefinedKind};

use super::builder::{BOTH, Builder, I32, U8, U32};
use super::leaps::execute;
use super::random::Random;

/// A procedure that counts a number in memory up to a bound by calling itself, and the error if it does not get there.
fn counter(model: DataModel, bound: i128) -> Program {
    let mut b = Builder::new(model);
    let (entry, start) = (b.proc, b.at);
    let count = b.procedure("count");
    let place = b.param("p", Ty::Ptr);
    let (pointer, bound, one) = (b.get(place), b.int(U32, bound), b.int(U32, 1));
    let value = b.load(pointer, U32);
    let (from, inside, exit) = (b.at, b.location(), b.exit());
    let (less, not_less) = (b.binary(BinaryOp::Lt, value, bound), b.binary(BinaryOp::Le, bound, value));
    b.edge(from, inside, vec![Op::Assume { cond: less }]);
    b.edge(from, exit, vec![Op::Assume { cond: not_less }]);
    b.at = inside;
    let next = b.add(value, one);
    b.store(pointer, next);
    last_call(&mut b, count, vec![pointer], Vec::new());
    b.goto_proc(entry, start);
    let number = b.object("number", 4);
    b.op(Op::Begin { var: number });
    let (address, zero) = (b.address(number), b.int(U32, 0));
    b.store(address, zero);
    b.call(count, vec![address], Vec::new());
    let value = b.load(address, U32);
    let (at, error, exit) = (b.at, b.error(), b.exit());
    let (same, other) = (b.binary(BinaryOp::Eq, value, bound), b.binary(BinaryOp::Ne, value, bound));
    b.edge(at, exit, vec![Op::Assume { cond: same }]);
    b.edge(at, error, vec![Op::Assume { cond: other }]);
    b.program
}

/// A call from the present location that ends the procedure.
fn last_call(b: &mut Builder, callee: ProcId, args: Vec<ExprId>, results: Vec<Option<Place>>) {
    let (at, exit) = (b.at, b.exit());
    b.edge(at, exit, vec![Op::Call { callee: Callee::Direct(callee), args, results }]);
}

#[test]
fn a_recursion_of_any_depth_returns() {
    for model in BOTH {
        let program = counter(model, 0xffff_fffe);
        let ended = execute(&program, Some(Leaper::new()), 1_000_000);
        assert_eq!(ended.run.outcome, Outcome::Returned);
        assert!(ended.leaps > 0 && ended.ticks < 100_000, "{} ticks", ended.ticks);
        let plain = execute(&program, None, 1 << 30).run.outcome;
        assert!(matches!(plain, Outcome::Resource { what: Resource::CallDepth, .. }), "{plain}");
    }
}

#[test]
fn a_short_run_lists_all_calls_and_a_long_one_says_that_some_are_missing() {
    let mut short = counter(DataModel::Lp64, 5);
    let mut long = counter(DataModel::Lp64, 1 << 20);
    for program in [&mut short, &mut long] {
        let count = ProcId(1);
        let exit = program.procs[count].exit;
        let error = program.procs[count].error_location(base::Region::NOWHERE);
        let ids: Vec<_> = program.procs[count].edges().ids().collect();
        let leaves = ids.into_iter().find(|id| {
            let edge = &program.procs[count].edges()[*id];
            edge.target == exit && matches!(edge.ops[..], [Op::Assume { .. }])
        });
        program.procs[count].edge_mut(leaves.unwrap()).target = error;
    }
    let stack = |program: &Program| execute(program, Some(Leaper::new()), 1_000_000).run.stack;
    assert_eq!((stack(&short).entries.len(), stack(&short).omitted), (7, 0));
    let long = stack(&long);
    assert_eq!(long.entries.len(), 1);
    assert!(long.omitted > 1_000_000, "{}", long.omitted);
}

/// A loop that calls a tail recursion, one activation of which reads a variable that has a value in the activations before it only.
#[test]
fn a_new_activation_has_no_values() {
    let mut b = Builder::new(DataModel::Lp64);
    let (entry, start) = (b.proc, b.at);
    let proc = b.procedure("g");
    let (number, round) = (b.param("j", I32), b.param("i", I32));
    let (local, copy) = (b.local("t", I32), b.local("x", I32));
    let (value, number_of_round, held) = (b.get(number), b.get(round), b.get(local));
    let (ten, five, one) = (b.int(I32, 10), b.int(I32, 5), b.int(I32, 1));
    let (from, inside, exit) = (b.at, b.location(), b.exit());
    let (less, not_less) = (b.binary(BinaryOp::Lt, value, ten), b.binary(BinaryOp::Le, ten, value));
    b.edge(from, inside, vec![Op::Assume { cond: less }]);
    b.edge(from, exit, vec![Op::Assume { cond: not_less }]);
    let (later, reads, sets, after) = (b.location(), b.location(), b.location(), b.location());
    let (is_first, is_later) =
        (b.binary(BinaryOp::Lt, number_of_round, one), b.binary(BinaryOp::Le, one, number_of_round));
    b.edge(inside, sets, vec![Op::Assume { cond: is_first }]);
    b.edge(inside, later, vec![Op::Assume { cond: is_later }]);
    let (is_there, is_elsewhere) = (b.binary(BinaryOp::Eq, value, five), b.binary(BinaryOp::Ne, value, five));
    b.edge(later, reads, vec![Op::Assume { cond: is_there }]);
    b.edge(later, sets, vec![Op::Assume { cond: is_elsewhere }]);
    let read = b.add(held, one);
    b.edge(reads, after, vec![Op::Assign { place: Place::Var(copy), value: read }]);
    b.edge(sets, after, vec![Op::Assign { place: Place::Var(local), value }]);
    b.at = after;
    let next = b.add(value, one);
    last_call(&mut b, proc, vec![next, number_of_round], Vec::new());
    b.goto_proc(entry, start);
    let counter = b.local("k", I32);
    let (count, zero, bound) = (b.get(counter), b.int(I32, 0), b.int(I32, 1000));
    b.assign(counter, zero);
    let (cond, more) = (b.binary(BinaryOp::Lt, count, bound), b.add(count, one));
    b.while_loop(cond, |b| {
        b.call(proc, vec![zero, count], Vec::new());
        b.assign(counter, more);
    });
    b.finish();
    for leaper in [None, Some(Leaper::eager())] {
        let outcome = execute(&b.program, leaper, 1 << 30).run.outcome;
        let is_found = matches!(outcome, Outcome::Undefined { kind: UndefinedKind::UninitialisedRead, .. });
        assert!(is_found, "{outcome}");
    }
}

/// A procedure of a random program.
#[derive(Clone, Copy)]
struct Member {
    proc: ProcId,
    pointer: VarId,
    number: VarId,
    result: VarId,
    local: VarId,
}

/// Writes random procedures that call each other, most of them at their ends.
struct Writer {
    b: Builder,
    random: Random,
    members: Vec<Member>,
}

/// Numbers in the object that all procedures have the address of. Some overlap.
const CELLS: [(i128, Ty); 6] = [(0, U32), (4, I32), (8, U8), (8, U32), (16, U32), (18, Ty::signed(16))];

impl Writer {
    fn cell(&mut self, pointer: ExprId) -> (ExprId, Ty) {
        // Overlapping cells are rare, so that many programs leap.
        let among = if self.random.below(6) == 0 { CELLS.len() } else { 3 };
        let (offset, ty) = self.random.pick(&CELLS[..among]);
        (self.b.offset(pointer, offset), ty)
    }
    fn cond(&mut self, member: Member) -> ExprId {
        let bound = self.random.pick(&[5, 20, 60, 100, 200]);
        let op = self.random.pick(&[BinaryOp::Lt, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Ne]);
        let (value, ty) = if self.random.below(2) == 0 {
            (self.b.get(member.number), I32)
        } else {
            let pointer = self.b.get(member.pointer);
            let (cell, ty) = self.cell(pointer);
            (self.b.load(cell, ty), ty)
        };
        let bound = self.b.int(ty, bound);
        self.b.binary(op, value, bound)
    }
    fn statement(&mut self, at: usize) {
        let member = self.members[at];
        let pointer = self.b.get(member.pointer);
        match self.random.below(8) {
            0..=4 => {
                let (cell, ty) = self.cell(pointer);
                let step = self.random.pick(&[1, 1, 1, 2, 3]);
                let (old, step) = (self.b.load(cell, ty), self.b.int(ty, step));
                let is_set = self.random.below(4) == 0;
                let new = if is_set { step } else { self.b.add(old, step) };
                self.b.store(cell, new);
            }
            5 => {
                let (number, one) = (self.b.get(member.number), self.b.int(I32, 1));
                let new = self.b.add(number, one);
                self.b.assign(member.local, new);
            }
            6 if self.random.below(2) == 0 => self.read_local(member),
            _ => {
                if let Some(inner) = self.members.get(at + 1).copied() {
                    let zero = self.b.int(I32, 0);
                    self.b.call(inner.proc, vec![pointer, zero], vec![Some(Place::Var(member.local))]);
                }
            }
        }
    }
    /// Sometimes reads the local variable, which may have no value.
    fn read_local(&mut self, member: Member) {
        let cond = self.cond(member);
        let negated = self.b.not(cond);
        let (from, inside, after) = (self.b.at, self.b.location(), self.b.location());
        self.b.edge(from, after, vec![Op::Assume { cond }]);
        self.b.edge(from, inside, vec![Op::Assume { cond: negated }]);
        self.b.at = inside;
        let value = self.b.get(member.local);
        self.b.assign(member.number, value);
        self.b.go(after);
    }
    fn body(&mut self, at: usize) {
        let member = self.members[at];
        self.b.goto_proc(member.proc, self.b.program.procs[member.proc].entry);
        let cond = self.cond(member);
        let negated = self.b.not(cond);
        let (from, inside, base) = (self.b.at, self.b.location(), self.b.location());
        self.b.edge(from, inside, vec![Op::Assume { cond }]);
        self.b.edge(from, base, vec![Op::Assume { cond: negated }]);
        self.b.at = base;
        let number = self.b.get(member.number);
        self.b.assign(member.result, number);
        self.b.finish();
        self.b.at = inside;
        for _ in 0..=self.random.below(3) {
            self.statement(at);
        }
        let callee = if self.random.below(3) > 0 { member } else { self.random.pick(&self.members) };
        let (pointer, number) = (self.b.get(member.pointer), self.b.get(member.number));
        let step = self.random.pick(&[1, 1, 2, -1, 0]);
        let step = self.b.int(I32, step);
        let args = vec![pointer, self.b.add(number, step)];
        if self.random.below(10) == 0 {
            // It returns something else than the call does.
            self.b.assign(member.result, number);
            last_call(&mut self.b, callee.proc, args, vec![Some(Place::Var(member.local))]);
        } else if self.random.below(8) > 0 {
            last_call(&mut self.b, callee.proc, args, vec![Some(Place::Var(member.result))]);
        } else {
            self.b.call(callee.proc, args, vec![Some(Place::Var(member.local))]);
            let value = self.b.get(member.local);
            self.b.assign(member.result, value);
            self.b.finish();
        }
    }
}

fn random_program(seed: u64) -> Program {
    let mut random = Random(seed);
    let mut b = Builder::new(random.pick(&BOTH));
    let (entry, start) = (b.proc, b.at);
    let members = (0..=random.below(3))
        .map(|index| {
            let proc = b.procedure(&format!("f{index}"));
            let (pointer, number) = (b.param("p", Ty::Ptr), b.param("n", I32));
            Member { proc, pointer, number, result: b.result("r", I32), local: b.local("t", I32) }
        })
        .collect();
    let mut writer = Writer { b, random, members };
    for at in 0..writer.members.len() {
        writer.body(at);
    }
    let Writer { mut b, mut random, members } = writer;
    b.goto_proc(entry, start);
    let object = b.object("m", 24);
    b.op(Op::Begin { var: object });
    let address = b.address(object);
    for word in 0..6 {
        let (place, value) = (b.offset(address, 4 * word), random.pick(&[0, 0, 1, 7]));
        let value = b.int(U32, value);
        b.store(place, value);
    }
    let (result, zero) = (b.local("v", I32), b.int(I32, 0));
    for _ in 0..2 {
        b.call(members[0].proc, vec![address, zero], vec![Some(Place::Var(result))]);
    }
    for word in 0..6 {
        let copy = b.local(&format!("w{word}"), U32);
        let place = b.offset(address, 4 * word);
        let value = b.load(place, U32);
        b.assign(copy, value);
    }
    b.finish();
    b.program
}

#[test]
fn random_recursion_ends_as_without_leaps() {
    let (mut ended, mut leapt, mut returned) = (0, 0, 0);
    for seed in 0..6000 {
        let program = random_program(seed * 7919 + 3);
        let plain = execute(&program, None, 20_000);
        if matches!(plain.run.outcome, Outcome::Stopped(_)) {
            continue;
        }
        let leaping = execute(&program, Some(Leaper::eager()), 200_000_000);
        assert_eq!(plain.run.outcome, leaping.run.outcome, "seed {seed}");
        let compared = program.vars.iter_enumerated().zip(plain.values.iter().zip(&leaping.values));
        for ((_, decl), (value, other)) in compared {
            if decl.owner == Some(program.entry) {
                assert_eq!(value, other, "seed {seed}, {}", decl.name);
            }
        }
        ended += 1;
        leapt += u32::from(leaping.leaps > 0);
        returned += u32::from(leaping.run.outcome == Outcome::Returned);
    }
    assert!(
        ended > 2000 && leapt > 500 && returned > 1000,
        "{leapt} of {ended} programs leap, {returned} return"
    );
}
