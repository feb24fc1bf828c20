//! Printing of expressions, places and operations, for the text format and for people.

use std::fmt::Write as _;

use base::Region;
use rustc_hash::FxHashMap;

use super::names::{Names, escape};
use crate::expr::{Access, AddressTest};
use crate::op::{AllocKind, Callee, Freedom, Guess, HaltReason, InitKind, Op, OutputFunction, Place, Source};
use crate::{BinaryOp, Expr, ExprId, FloatKind, Program, Ty, UnaryOp};

/// For whom something is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The text format: everything, exactly.
    Exact,
    /// People: constants without types, no source regions, `...` for what is deep.
    Brief,
}

/// Below this depth people see `...`.
const BRIEF_DEPTH: u32 = 12;

const ITE: u8 = 1;
const UNARY: u8 = 10;

/// Prints parts of one program.
#[derive(Clone, Copy, Debug)]
pub struct Notation<'a> {
    program: &'a Program,
    names: &'a Names,
    style: Style,
    /// The expressions that are named by `let`. With [`Style::Exact`] all deeper than the limit are.
    lets: Option<&'a FxHashMap<ExprId, u32>>,
}

impl<'a> Notation<'a> {
    /// Notation for people.
    pub fn brief(program: &'a Program, names: &'a Names) -> Self {
        Self { program, names, style: Style::Brief, lets: None }
    }
    pub(super) fn exact(program: &'a Program, names: &'a Names, lets: &'a FxHashMap<ExprId, u32>) -> Self {
        Self { program, names, style: Style::Exact, lets: Some(lets) }
    }
    /// An expression.
    pub fn expr(&self, id: ExprId) -> String {
        let mut out = String::new();
        self.write(&mut out, id, 0, 0);
        out
    }
    /// The expression that a `let` stands for.
    pub(super) fn definition(&self, id: ExprId) -> String {
        let mut out = String::new();
        self.write_node(&mut out, id, 0, 0);
        out
    }

    fn write(&self, out: &mut String, id: ExprId, binding: u8, depth: u32) {
        if let Some(number) = self.lets.and_then(|lets| lets.get(&id)) {
            let _ = write!(out, "${number}");
        } else if self.style == Style::Brief && depth > BRIEF_DEPTH {
            out.push_str("...");
        } else {
            self.write_node(out, id, binding, depth);
        }
    }

    /// Writes a node, in parentheses if it binds weaker than `binding`.
    fn write_node(&self, out: &mut String, id: ExprId, binding: u8, depth: u32) {
        let expr = self.program.exprs.get(id);
        let own = strength(expr);
        let parenthesised = own < binding;
        if parenthesised {
            out.push('(');
        }
        let depth = depth + 1;
        match *expr {
            Expr::Const { ty, bits } => out.push_str(&self.constant(ty, bits)),
            Expr::Var { var, .. } => out.push_str(self.names.var(var)),
            Expr::Elem { array, index, .. } => {
                out.push_str(self.names.var(array));
                out.push('[');
                self.write(out, index, 0, depth);
                out.push(']');
            }
            Expr::Load { addr, ty } => {
                let _ = write!(out, "mem({ty}, ");
                self.write(out, addr, 0, depth);
                out.push(')');
            }
            Expr::LoadBits { addr, bit, ty } => {
                let _ = write!(out, "bits({ty}, ");
                self.write(out, addr, 0, depth);
                let _ = write!(out, ", {bit})");
            }
            Expr::Address { var } => {
                out.push('&');
                out.push_str(self.names.var(var));
            }
            Expr::Function { proc } => {
                let _ = write!(out, "fn({})", self.names.proc(proc));
            }
            Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
            | Expr::Bounded { .. }
            | Expr::Undefined { .. } => self.write_test(out, expr, depth),
            Expr::Unary { op, arg } => self.write_unary(out, op, arg, depth),
            Expr::Binary { op, lhs, rhs } => {
                self.write(out, lhs, own, depth);
                let _ = write!(out, " {} ", symbol(op));
                self.write(out, rhs, own + 1, depth);
            }
            Expr::Cast { ty, arg } => {
                let _ = write!(out, "({ty}) ");
                self.write(out, arg, UNARY, depth);
            }
            Expr::Ite { cond, then, other } => self.write_choice(out, [cond, then, other], depth),
        }
        if parenthesised {
            out.push(')');
        }
    }

    fn write_choice(&self, out: &mut String, [cond, then, other]: [ExprId; 3], depth: u32) {
        self.write(out, cond, ITE + 1, depth);
        out.push_str(" ? ");
        self.write(out, then, ITE + 1, depth);
        out.push_str(" : ");
        self.write(out, other, ITE, depth);
    }

    /// Tests of memory, and what is not always defined.
    fn write_test(&self, out: &mut String, expr: &Expr, depth: u32) {
        match *expr {
            Expr::Accessible { addr, length, access } => {
                out.push_str(match access {
                    Access::Read => "readable(",
                    Access::Write => "writable(",
                });
                self.write(out, addr, 0, depth);
                out.push_str(", ");
                self.write(out, length, 0, depth);
                out.push(')');
            }
            Expr::SameObject { one, other } => {
                out.push_str("same_object(");
                self.write(out, one, 0, depth);
                out.push_str(", ");
                self.write(out, other, 0, depth);
                out.push(')');
            }
            Expr::Freeable { addr } => {
                out.push_str("freeable(");
                self.write(out, addr, 0, depth);
                out.push(')');
            }
            Expr::Test { test, addr } => {
                let _ = write!(out, "{}(", test_name(test));
                self.write(out, addr, 0, depth);
                out.push(')');
            }
            Expr::Initialised { addr, bit, ty } => {
                let _ = write!(out, "initialised({ty}, ");
                self.write(out, addr, 0, depth);
                if let Some(bit) = bit {
                    let _ = write!(out, ", {bit}");
                }
                out.push(')');
            }
            Expr::Lost => out.push_str("lost()"),
            Expr::Bounded { index, low, bound } => {
                out.push_str("bounded(");
                self.write(out, index, 0, depth);
                let _ = if low == 0 { write!(out, ", {bound})") } else { write!(out, ", {bound}, {low})") };
            }
            Expr::Undefined { ty } => {
                let _ = write!(out, "undefined({ty})");
            }
            _ => unreachable!("it is no test"),
        }
    }

    fn write_unary(&self, out: &mut String, op: UnaryOp, arg: ExprId, depth: u32) {
        out.push(match op {
            UnaryOp::Neg => '-',
            UnaryOp::Not if self.program.exprs.ty(arg) == Ty::BOOL => '!',
            UnaryOp::Not => '~',
        });
        // A minus sign right before a number belongs to the number.
        let is_constant = matches!(self.program.exprs.get(arg), Expr::Const { .. });
        self.write(out, arg, if is_constant { UNARY + 2 } else { UNARY }, depth);
    }

    fn constant(&self, ty: Ty, bits: u128) -> String {
        let width = ty.width(self.program.data_model);
        let oversized = width < 128 && bits >> width != 0;
        let plain = match ty {
            _ if oversized => None,
            Ty::BOOL => return if bits == 1 { "true".to_owned() } else { "false".to_owned() },
            Ty::Ptr if bits == 0 => return "null".to_owned(),
            Ty::Int { signed: true, .. } => Some(ty.value_of(bits).to_string()),
            Ty::Int { signed: false, .. } => Some(bits.to_string()),
            Ty::Float(FloatKind::Single) => {
                let value = f32::from_bits(bits as u32);
                value.is_finite().then(|| format!("{value:?}"))
            }
            Ty::Float(FloatKind::Double) => {
                let value = f64::from_bits(bits as u64);
                value.is_finite().then(|| format!("{value:?}"))
            }
            Ty::Float(FloatKind::Extended | FloatKind::Quad) | Ty::Ptr => None,
        };
        let number = plain.unwrap_or_else(|| format!("{bits:#x}"));
        match self.style {
            Style::Exact => format!("{number}:{ty}"),
            Style::Brief => number,
        }
    }

    /// A place.
    pub fn place(&self, place: &Place) -> String {
        match *place {
            Place::Var(var) => self.names.var(var).to_owned(),
            Place::Elem { array, index } => format!("{}[{}]", self.names.var(array), self.expr(index)),
            Place::Mem { addr, ty } => format!("mem({ty}, {})", self.expr(addr)),
            Place::Bits { addr, bit, ty } => format!("bits({ty}, {}, {bit})", self.expr(addr)),
        }
    }

    fn list(&self, exprs: &[ExprId]) -> String {
        exprs.iter().map(|expr| self.expr(*expr)).collect::<Vec<_>>().join(", ")
    }

    /// An operation.
    pub fn op(&self, op: &Op) -> String {
        match op {
            Op::Assign { place, value } => format!("{} := {}", self.place(place), self.expr(*value)),
            Op::Assume { cond } => format!("assume {}", self.expr(*cond)),
            Op::Havoc { place, source, at } => self.havoc(place, source, *at),
            Op::Init { var, contents } => format!("init {} {}", self.names.var(*var), init_word(*contents)),
            Op::Allocate { var, length } => {
                format!("allocate {}[{}]", self.names.var(*var), self.expr(*length))
            }
            Op::Begin { var } => format!("begin {}", self.names.var(*var)),
            Op::End { var } => format!("end {}", self.names.var(*var)),
            Op::Malloc { place, size, kind, contents } => {
                let kind = match kind {
                    AllocKind::Heap => "heap",
                    AllocKind::Stack => "stack",
                };
                let (place, size) = (self.place(place), self.expr(*size));
                format!("{place} := malloc({size}) {kind} {}", init_word(*contents))
            }
            Op::Realloc { place, old, size } => {
                format!("{} := realloc({}, {})", self.place(place), self.expr(*old), self.expr(*size))
            }
            Op::Free { addr } => format!("free({})", self.expr(*addr)),
            Op::Release { addr } => format!("release({})", self.expr(*addr)),
            Op::Copy { to, from, length } => format!("copy({})", self.list(&[*to, *from, *length])),
            Op::Fill { to, byte, length } => format!("fill({})", self.list(&[*to, *byte, *length])),
            Op::Forget { to, length, source, addresses } => {
                let mut out = format!("forget({}) {}", self.list(&[*to, *length]), origin(source));
                if !addresses.is_empty() {
                    let _ = write!(out, " addresses({})", self.list(addresses));
                }
                out
            }
            Op::Write { to, bytes } => format!("write({}, {})", self.expr(*to), escape(bytes, '"')),
            Op::CopyElems { to, at, from, start, count } => {
                let (to, from) = (self.names.var(*to), self.names.var(*from));
                let (at, start) = (self.expr(*at), self.expr(*start));
                format!("copy_elems {to}[{at}] {from}[{start}] ({})", self.expr(*count))
            }
            Op::FillElems { to, at, value, count } => {
                let (to, at) = (self.names.var(*to), self.expr(*at));
                format!("fill_elems {to}[{at}] ({})", self.list(&[*value, *count]))
            }
            Op::Call { callee, args, results } => self.call(callee, args, results),
            Op::Output { function, args, result } => {
                let mut out = format!("output {}({})", output_word(*function), self.list(args));
                if let Some(place) = result {
                    let _ = write!(out, " -> {}", self.place(place));
                }
                out
            }
            Op::Halt { reason: HaltReason::Exit(status) } => format!("exit({})", self.expr(*status)),
            Op::Halt { reason: HaltReason::Abort } => "abort".to_owned(),
            Op::Halt { reason: HaltReason::Overlap } => "overlap".to_owned(),
            Op::Halt { reason: HaltReason::Misuse } => "misuse".to_owned(),
        }
    }

    fn havoc(&self, place: &Place, source: &Source, at: Region) -> String {
        let mut out = format!("havoc {} {}", self.place(place), origin(source));
        if self.style == Style::Exact && !at.is_nowhere() {
            let _ = write!(out, " at @{at:?}");
        }
        out
    }

    fn call(&self, callee: &Callee, args: &[ExprId], results: &[Option<Place>]) -> String {
        let mut out = String::from("call ");
        match callee {
            Callee::Direct(target) => out.push_str(self.names.proc(*target)),
            Callee::Indirect { pointer, targets } => {
                let targets: Vec<_> = targets.iter().map(|target| self.names.proc(*target)).collect();
                out.push('*');
                self.write(&mut out, *pointer, UNARY + 1, 0);
                let _ = write!(out, " {{{}}}", targets.join(", "));
            }
        }
        let _ = write!(out, "({})", self.list(args));
        if !results.is_empty() {
            let places: Vec<_> = results
                .iter()
                .map(|place| place.as_ref().map_or_else(|| "_".to_owned(), |place| self.place(place)))
                .collect();
            let _ = write!(out, " -> ({})", places.join(", "));
        }
        out
    }
}

/// Where an arbitrary value comes from.
fn origin(source: &Source) -> String {
    let (word, name) = match source {
        Source::Input { function } => ("input", Some(function)),
        Source::Uninitialised => ("uninit", None),
        Source::Rounded => ("rounded", None),
        Source::Outside => ("outside", None),
        Source::Guess(guess) => return format!("guess {}", guess_word(*guess)),
        Source::Extern { function } => ("extern", Some(function)),
        Source::Library { function, freedom: Freedom::World } => ("world", Some(function)),
        Source::Library { function, freedom: Freedom::Determined } => ("library", Some(function)),
        Source::Argument { name } => ("argument", Some(name)),
        Source::Global { name } => ("global", Some(name)),
    };
    match name {
        Some(name) => format!("{word} {}", escape(name.as_bytes(), '"')),
        None => word.to_owned(),
    }
}

fn guess_word(guess: Guess) -> &'static str {
    match guess {
        Guess::Fails => "fails",
        Guess::Innermost => "innermost",
        Guess::Caller => "caller",
        Guess::Value => "value",
    }
}

fn init_word(contents: InitKind) -> &'static str {
    match contents {
        InitKind::Uninitialised => "uninit",
        InitKind::Arbitrary => "arbitrary",
        InitKind::Zero => "zero",
    }
}

pub(super) fn output_word(function: OutputFunction) -> &'static str {
    match function {
        OutputFunction::Printf => "printf",
        OutputFunction::Puts => "puts",
        OutputFunction::Putchar => "putchar",
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add | BinaryOp::PtrAdd => "+",
        BinaryOp::Sub | BinaryOp::PtrSub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
    }
}

/// How tightly a node binds its operands, as in C; the parser has the same table.
fn strength(expr: &Expr) -> u8 {
    match expr {
        Expr::Ite { .. } => ITE,
        Expr::Binary { op, .. } => match op {
            BinaryOp::Or => 2,
            BinaryOp::Xor => 3,
            BinaryOp::And => 4,
            BinaryOp::Eq | BinaryOp::Ne => 5,
            BinaryOp::Lt | BinaryOp::Le => 6,
            BinaryOp::Shl | BinaryOp::Shr => 7,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::PtrAdd | BinaryOp::PtrSub => 8,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 9,
        },
        Expr::Unary { .. } | Expr::Cast { .. } => UNARY,
        Expr::Const { .. }
        | Expr::Var { .. }
        | Expr::Elem { .. }
        | Expr::Load { .. }
        | Expr::LoadBits { .. }
        | Expr::Address { .. }
        | Expr::Function { .. }
        | Expr::Accessible { .. }
        | Expr::SameObject { .. }
        | Expr::Freeable { .. }
        | Expr::Test { .. }
        | Expr::Initialised { .. }
        | Expr::Lost
        | Expr::Bounded { .. }
        | Expr::Undefined { .. } => UNARY + 1,
    }
}

/// The word of a test of an address.
pub(super) fn test_name(test: AddressTest) -> &'static str {
    match test {
        AddressTest::Null => "is_null",
        AddressTest::Wild => "is_wild",
        AddressTest::Dead => "is_dead",
        AddressTest::Freed => "is_freed",
        AddressTest::Text => "is_text",
        AddressTest::VagueText => "is_vague",
        AddressTest::BadBool => "is_bad_bool",
    }
}

/// The test of a word.
pub(super) fn test_of(word: &str) -> Option<AddressTest> {
    use AddressTest::{BadBool, Dead, Freed, Null, Text, VagueText, Wild};
    [Null, Wild, Dead, Freed, Text, VagueText, BadBool].into_iter().find(|test| test_name(*test) == word)
}
