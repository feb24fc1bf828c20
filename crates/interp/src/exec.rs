//! The instruction loop.
//!
//! One long function on purpose: the instruction counter, the registers and the fuel stay in machine registers only as long as
//! no call takes their address. What is not hot is behind calls that are marked cold or in [`super::rare_instruction`].
//!
//! # Invariants
//! * X1: every cycle of instructions contains a jump that is taken, a call or a return, and each of those spends fuel: no
//!   loop escapes the budget.
//! * X2: when the loop pauses, `pc` is the instruction that faulted or, for what can be resumed, the one to run next.

use std::io::Write;

use base::{Budget, Stop};

use super::code::WrittenTo;
use super::eval::fault;
use super::eval::whole_index;
use super::insn::{Access, Class, Insn};
use super::machine::{Machine, Pause, State};
use super::observe::{Observer, Written};
use super::oracle::Oracle;
use super::outcome::{Fault, UndefinedKind};
use super::rare_instruction::{Asker, Context};
use super::value::{Value, from_register};
use super::{float, ops};
use cfa::expr::BinaryOp;
use cfa::program::ProcId;
use cfa::ty::{FloatKind, Ty};

/// Ticks that are taken from the budget at once.
const CHUNK: u64 = 4096;

/// Takes chunks from a budget until the fuel is not negative.
#[cold]
#[inline(never)]
fn refill(budget: &mut Budget, mut fuel: i64) -> Result<i64, Stop> {
    gather(budget, &mut fuel, 0)?;
    Ok(fuel)
}

/// Takes from a budget until the fuel is enough for an instruction. What was taken is kept when the budget ends, so an instruction that costs more than each of several
/// budgets is still performed.
fn gather(budget: &mut Budget, fuel: &mut i64, price: i64) -> Result<(), Stop> {
    let mut amount = CHUNK;
    while *fuel < price {
        match budget.charge(amount) {
            Ok(()) => *fuel += amount as i64,
            Err(Stop::Ticks) if amount > 1 => amount /= 2,
            Err(stop) => return Err(stop),
        }
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn overflow(op: BinaryOp, width: u8, a: u64, b: u64) -> Pause {
    let ty = Ty::signed(width);
    let (a, b) = (from_register(ty, a), from_register(ty, b));
    Pause::Fault(fault(UndefinedKind::SignedOverflow, op, (ty, ty), a, b))
}

#[cold]
#[inline(never)]
fn undefined(kind: UndefinedKind, op: BinaryOp, a: u64, b: u64) -> Pause {
    Pause::Fault(fault(kind, op, (Ty::signed(64), Ty::signed(64)), u128::from(a), u128::from(b)))
}

#[inline]
fn sign_extend(value: u64, shift: u8) -> u64 {
    ((value << shift) as i64 >> shift) as u64
}

fn divide(op: BinaryOp, width: u8, a: u64, b: u64) -> Result<u64, Pause> {
    let (dividend, divisor) = (a as i64, b as i64);
    if divisor == 0 {
        return Err(undefined(UndefinedKind::DivisionByZero, op, a, b));
    }
    if divisor == -1 && dividend == i64::MIN >> (64 - width) {
        return Err(overflow(op, width, a, b));
    }
    let result =
        if op == BinaryOp::Div { dividend.wrapping_div(divisor) } else { dividend.wrapping_rem(divisor) };
    Ok(result as u64)
}

fn single(op: BinaryOp, a: u64, b: u64) -> Result<u64, Fault> {
    let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    let result = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div => x / y,
        _ => return Ok(compare(op, x.partial_cmp(&y))),
    };
    if result.is_nan() {
        return nan_result(FloatKind::Single, a, b);
    }
    Ok(u64::from(result.to_bits()))
}

fn double(op: BinaryOp, a: u64, b: u64) -> Result<u64, Fault> {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let result = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div => x / y,
        _ => return Ok(compare(op, x.partial_cmp(&y))),
    };
    if result.is_nan() {
        return nan_result(FloatKind::Double, a, b);
    }
    Ok(result.to_bits())
}

#[cold]
#[inline(never)]
fn nan_result(kind: FloatKind, a: u64, b: u64) -> Result<u64, Fault> {
    let (a, b) = (u128::from(a), u128::from(b));
    float::check_operands(kind, a, b)?;
    Ok(float::nan_result(kind, a, b) as u64)
}

fn compare(op: BinaryOp, order: Option<std::cmp::Ordering>) -> u64 {
    use std::cmp::Ordering::{Equal, Less};
    u64::from(match op {
        BinaryOp::Eq => order == Some(Equal),
        BinaryOp::Ne => order != Some(Equal),
        BinaryOp::Lt => order == Some(Less),
        _ => matches!(order, Some(Less | Equal)),
    })
}

#[inline]
fn extend(kind: Access, raw: u64) -> u64 {
    if kind.class == Class::Signed { sign_extend(raw, 64 - kind.size * 8) } else { raw }
}

/// Runs until something happens. The dispatch over all instructions is one function; the head of this file says why.
pub(super) fn execute<O: Observer>(
    machine: &mut Machine<'_>,
    stops: &[u64],
    oracle: &mut dyn Oracle,
    observer: &mut O,
    output: &mut dyn Write,
    budget: &mut Budget,
) -> Pause {
    let Machine { regs, state, pc: final_pc, fuel: final_fuel, .. } = machine;
    let code = state.code;
    let insns = &code.insns[..];
    let regs = &mut regs[..];
    let mut pc = *final_pc;
    let mut fuel = *final_fuel;

    macro_rules! reg {
        ($reg:expr) => {
            regs[$reg as usize]
        };
    }
    macro_rules! pause {
        ($at:expr, $pause:expr) => {{
            *final_pc = $at;
            *final_fuel = fuel;
            return $pause;
        }};
    }
    // The value of a step that may fault at the current instruction.
    macro_rules! check {
        ($result:expr) => {
            match $result {
                Ok(value) => value,
                Err(fault) => pause!(pc - 1, Pause::Fault(fault)),
            }
        };
    }
    macro_rules! jump {
        ($to:expr) => {{
            pc = $to as usize;
            fuel -= 1;
            if fuel < 0 {
                match refill(budget, fuel) {
                    Ok(amount) => fuel = amount,
                    Err(stop) => {
                        fuel = 0;
                        pause!(pc, Pause::Budget(stop))
                    }
                }
            }
        }};
    }
    macro_rules! checked {
        ($dst:expr, $a:expr, $b:expr, $op:expr, $int:ty, $method:ident) => {{
            let (a, b) = (reg!($a), reg!($b));
            match (a as $int).$method(b as $int) {
                Some(result) => reg!($dst) = result as i64 as u64,
                None => pause!(pc - 1, overflow($op, <$int>::BITS as u8, a, b)),
            }
        }};
    }
    macro_rules! context {
        () => {{
            let spot = &code.spots[code.insn_spots[pc - 1] as usize];
            let asker = Asker { region: spot.region, at: spot.at, element: None };
            Context { oracle: &mut *oracle, output: &mut *output, asker }
        }};
    }

    loop {
        let insn = insns[pc];
        pc += 1;
        match insn {
            Insn::Mov { dst, src } => reg!(dst) = reg!(src),
            Insn::MovWide { dst, src } => state.wide[dst as usize] = state.wide[src as usize],
            Insn::Add64 { dst, a, b } => reg!(dst) = reg!(a).wrapping_add(reg!(b)),
            Insn::Sub64 { dst, a, b } => reg!(dst) = reg!(a).wrapping_sub(reg!(b)),
            Insn::Mul64 { dst, a, b } => reg!(dst) = reg!(a).wrapping_mul(reg!(b)),
            Insn::AddU32 { dst, a, b } => {
                reg!(dst) = u64::from((reg!(a) as u32).wrapping_add(reg!(b) as u32));
            }
            Insn::SubU32 { dst, a, b } => {
                reg!(dst) = u64::from((reg!(a) as u32).wrapping_sub(reg!(b) as u32));
            }
            Insn::MulU32 { dst, a, b } => {
                reg!(dst) = u64::from((reg!(a) as u32).wrapping_mul(reg!(b) as u32));
            }
            Insn::AddI32 { dst, a, b } => checked!(dst, a, b, BinaryOp::Add, i32, checked_add),
            Insn::SubI32 { dst, a, b } => checked!(dst, a, b, BinaryOp::Sub, i32, checked_sub),
            Insn::MulI32 { dst, a, b } => checked!(dst, a, b, BinaryOp::Mul, i32, checked_mul),
            Insn::AddI64 { dst, a, b } => checked!(dst, a, b, BinaryOp::Add, i64, checked_add),
            Insn::SubI64 { dst, a, b } => checked!(dst, a, b, BinaryOp::Sub, i64, checked_sub),
            Insn::MulI64 { dst, a, b } => checked!(dst, a, b, BinaryOp::Mul, i64, checked_mul),
            Insn::Fit { dst, src, shift } => {
                let value = reg!(src);
                if sign_extend(value, shift) != value {
                    let detail = format!("{} does not fit i{}", value as i64, 64 - shift);
                    check!(Err(Fault::undefined(UndefinedKind::SignedOverflow, detail)));
                }
                reg!(dst) = value;
            }
            Insn::And { dst, a, b } => reg!(dst) = reg!(a) & reg!(b),
            Insn::Or { dst, a, b } => reg!(dst) = reg!(a) | reg!(b),
            Insn::Xor { dst, a, b } => reg!(dst) = reg!(a) ^ reg!(b),
            Insn::Shl { dst, a, b, width } => {
                let (value, amount) = (reg!(a), reg!(b));
                if amount >= u64::from(width) {
                    pause!(pc - 1, undefined(UndefinedKind::ShiftAmount, BinaryOp::Shl, value, amount));
                }
                reg!(dst) = value << amount;
            }
            Insn::ShrS { dst, a, b, width } => {
                let (value, amount) = (reg!(a), reg!(b));
                if amount >= u64::from(width) {
                    pause!(pc - 1, undefined(UndefinedKind::ShiftAmount, BinaryOp::Shr, value, amount));
                }
                reg!(dst) = ((value as i64) >> amount) as u64;
            }
            Insn::ShrU { dst, a, b, width } => {
                let (value, amount) = (reg!(a), reg!(b));
                if amount >= u64::from(width) {
                    pause!(pc - 1, undefined(UndefinedKind::ShiftAmount, BinaryOp::Shr, value, amount));
                }
                reg!(dst) = value >> amount;
            }
            Insn::DivS { dst, a, b, width } => match divide(BinaryOp::Div, width, reg!(a), reg!(b)) {
                Ok(result) => reg!(dst) = result,
                Err(pause) => pause!(pc - 1, pause),
            },
            Insn::RemS { dst, a, b, width } => match divide(BinaryOp::Rem, width, reg!(a), reg!(b)) {
                Ok(result) => reg!(dst) = result,
                Err(pause) => pause!(pc - 1, pause),
            },
            Insn::DivU { dst, a, b } => {
                let Some(result) = reg!(a).checked_div(reg!(b)) else {
                    pause!(pc - 1, undefined(UndefinedKind::DivisionByZero, BinaryOp::Div, reg!(a), 0));
                };
                reg!(dst) = result;
            }
            Insn::RemU { dst, a, b } => {
                let Some(result) = reg!(a).checked_rem(reg!(b)) else {
                    pause!(pc - 1, undefined(UndefinedKind::DivisionByZero, BinaryOp::Rem, reg!(a), 0));
                };
                reg!(dst) = result;
            }
            Insn::Sext { dst, src, shift } => reg!(dst) = sign_extend(reg!(src), shift),
            Insn::Zext { dst, src, shift } => reg!(dst) = reg!(src) << shift >> shift,
            Insn::Eq { dst, a, b } => reg!(dst) = u64::from(reg!(a) == reg!(b)),
            Insn::Ne { dst, a, b } => reg!(dst) = u64::from(reg!(a) != reg!(b)),
            Insn::LtS { dst, a, b } => reg!(dst) = u64::from((reg!(a) as i64) < reg!(b) as i64),
            Insn::LeS { dst, a, b } => reg!(dst) = u64::from(reg!(a) as i64 <= reg!(b) as i64),
            Insn::LtU { dst, a, b } => reg!(dst) = u64::from(reg!(a) < reg!(b)),
            Insn::LeU { dst, a, b } => reg!(dst) = u64::from(reg!(a) <= reg!(b)),
            Insn::Float32 { op, dst, a, b } => reg!(dst) = check!(single(op, reg!(a), reg!(b))),
            Insn::Float64 { op, dst, a, b } => reg!(dst) = check!(double(op, reg!(a), reg!(b))),
            Insn::PtrAdd64 { dst, a, b } => {
                let (pointer, amount) = (reg!(a), reg!(b));
                let sum = pointer.wrapping_add(amount);
                // The object and the quarter of its offsets are the same.
                let is_near = (pointer ^ sum) >> 30 == 0;
                reg!(dst) = if is_near { sum } else { check!(state.memory.add(pointer, amount)) };
            }
            Insn::PtrAdd32 { dst, a, b } => reg!(dst) = ops::pointer_add32(reg!(a), reg!(b)),
            Insn::IntToPtr32 { dst, src } => reg!(dst) = state.memory.pointer_to(reg!(src)),

            Insn::Load { dst, addr, kind } => {
                if let Some(raw) = state.memory.load_plain(reg!(addr), kind.size) {
                    reg!(dst) = extend(kind, raw);
                } else {
                    let raw = check!(state.load(reg!(addr), kind.ty(), &mut context!()));
                    reg!(dst) = extend(kind, raw as u64);
                }
            }
            Insn::Store { addr, src, kind } => {
                if !state.memory.store_plain(reg!(addr), kind.size, reg!(src)) {
                    let bytes = reg!(src).to_le_bytes();
                    check!(state.memory.write(reg!(addr), &bytes[..usize::from(kind.size)]));
                }
            }
            Insn::LoadElem { dst, array, index } => match state.arrays[array as usize].plain(reg!(index)) {
                Some(value) => reg!(dst) = value,
                None => reg!(dst) = check!(state.load_elem(array, reg!(index), &mut context!())),
            },
            Insn::StoreElem { array, index, src } => {
                let value = reg!(src);
                match state.arrays[array as usize].plain_mut(reg!(index)) {
                    Some(cell) => *cell = value,
                    None => check!(state.store_elem(array, reg!(index), value)),
                }
            }

            Insn::Jump { to } => jump!(to),
            Insn::JumpIf { cond, to } => {
                if reg!(cond) != 0 {
                    jump!(to);
                }
            }
            Insn::JumpUnless { cond, to } => {
                if reg!(cond) == 0 {
                    jump!(to);
                }
            }
            Insn::JumpEq { a, b, to } => {
                if reg!(a) == reg!(b) {
                    jump!(to);
                }
            }
            Insn::JumpNe { a, b, to } => {
                if reg!(a) != reg!(b) {
                    jump!(to);
                }
            }
            Insn::JumpLtS { a, b, to } => {
                if (reg!(a) as i64) < reg!(b) as i64 {
                    jump!(to);
                }
            }
            Insn::JumpLeS { a, b, to } => {
                if reg!(a) as i64 <= reg!(b) as i64 {
                    jump!(to);
                }
            }
            Insn::JumpLtU { a, b, to } => {
                if reg!(a) < reg!(b) {
                    jump!(to);
                }
            }
            Insn::JumpLeU { a, b, to } => {
                if reg!(a) <= reg!(b) {
                    jump!(to);
                }
            }

            Insn::Call { site } => {
                let to = check!(state.call(regs, site));
                jump!(to);
            }
            Insn::Return { proc } => {
                let region = code.spots[code.insn_spots[pc - 1] as usize].region;
                let Some(to) = check!(state.leave(regs, ProcId(proc), oracle, region)) else {
                    pause!(pc - 1, Pause::Returned);
                };
                jump!(to);
            }
            Insn::Error => pause!(pc - 1, Pause::Error),
            Insn::Blocked => pause!(pc - 1, Pause::Blocked),
            Insn::CheckInit { flag, var } => {
                if reg!(flag) == 0 {
                    check!(state.uninitialised(regs, var, &mut context!()));
                }
            }
            Insn::CheckBegun { reg, var } => {
                if reg!(reg) == 0 {
                    check!(state.not_begun(var));
                }
            }
            Insn::Guard { guard, operands, a, b } => {
                check!(state.memory.guard(guard, operands, reg!(a), reg!(b)));
            }
            Insn::Cut { addr, size } => state.memory.cut(reg!(addr), u64::from(size)),
            Insn::Rare { index } => {
                let price = state.price(regs, index);
                if let Err(stop) = gather(budget, &mut fuel, price) {
                    pause!(pc - 1, Pause::Budget(stop));
                }
                fuel -= price;
                let cost = check!(state.rare(regs, index, &mut context!()));
                fuel -= i64::from(cost);
            }

            Insn::Enter { edge } => {
                let proc = code.spots[code.insn_spots[pc - 1] as usize].proc;
                observer.enter(&state.view(regs), proc, edge);
            }
            Insn::Leave { edge } => {
                let proc = code.spots[code.insn_spots[pc - 1] as usize].proc;
                observer.leave(&state.view(regs), proc, edge);
            }
            Insn::Wrote { index } => wrote(state, regs, index, observer),
            Insn::At { location } => {
                if stops[location as usize / 64] >> (location % 64) & 1 != 0 {
                    pause!(pc, Pause::Location(location));
                }
            }
        }
    }
}

fn wrote<O: Observer>(state: &State<'_>, regs: &[u64], index: u32, observer: &mut O) {
    let (to, ty, reg) = state.code.written[index as usize];
    let view = state.view(regs);
    let address =
        |reg: u32| Value { ty: Ty::Ptr, bits: u128::from(state.memory.address(regs[reg as usize])) };
    let to = match to {
        WrittenTo::Var(var) => Written::Var(var),
        WrittenTo::Elem { array, index } => Written::Elem { array, index: i128::from(regs[index as usize]) },
        WrittenTo::Map { array, index, index_ty } => {
            Written::Elem { array, index: whole_index(index_ty, state.bits(regs, index_ty, index)) }
        }
        WrittenTo::Mem { addr } => Written::Mem { addr: address(addr) },
        WrittenTo::Bits { addr, bit } => Written::Bits { addr: address(addr), bit },
    };
    observer.wrote(&view, to, view.register(ty, reg));
}
