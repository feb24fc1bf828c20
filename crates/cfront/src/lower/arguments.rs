//! What `main` is started with, if the program looks at its arguments.
//!
//! The vector holds the name of the program, up to [`MAX_ARGUMENTS`] arguments, and a null pointer. An argument is a string of up to
//! [`MAX_CHARACTERS`] characters, each of which is an input. Programs may be started with more: that is left out, and the ledger says so.
//! Strings of any number and length would be exact; then all bugs that need a particular text are out of reach of the engines (decision 103).
//!
//! # Invariants
//! * V1: all objects have the size that the arguments need, so an access beyond them is found.
//! * V2: a choice that only exists for an argument is made only if there is that argument: counterexamples name nothing else.
//! * V3: the names of choices are C expressions, as in module `entry` (E3): `argc - 1`, `strlen(argv[1])`, `argv[1][0]`.
//! * V4: if each choice is zero, there are no arguments: an execution without inputs is not blocked.

use cfa::{AllocKind, ApproximationKind, BinaryOp, ExprId, InitKind, Op, Place, Source, Ty};

use crate::lower::build;
use crate::lower::function::Body;

/// Arguments beside the name of the program.
const MAX_ARGUMENTS: u64 = 3;
/// Characters of an argument.
const MAX_CHARACTERS: u64 = 7;

/// What `main` is started with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments {
    /// Of the type of its parameter.
    pub count: ExprId,
    /// The address of the pointers to the strings.
    pub vector: ExprId,
}

impl Body<'_, '_> {
    /// The arguments of `main`, whose parameters have these names. The number is of type `ty`.
    pub(super) fn few_arguments(&mut self, ty: Ty, number: &str, strings: &str) -> Arguments {
        let what = format!(
            "the program is started with at most {MAX_ARGUMENTS} arguments of at most {MAX_CHARACTERS} characters"
        );
        self.ctx.approximate(ApproximationKind::Under, what, self.origin.region);
        let others = self.chosen(ty, &format!("{number} - 1"), MAX_ARGUMENTS);
        let one = self.exprs().int(ty, 1);
        let count = self.exprs().binary(BinaryOp::Add, others, one);
        let word = Ty::unsigned(self.exprs().pointer_width());
        let size = Ty::Ptr.size(self.ctx.program.data_model);
        let strings_there = build::cast(self.exprs(), word, count);
        let (one, bytes) = (self.exprs().int(word, 1), self.exprs().int(word, i128::from(size)));
        let pointers = self.exprs().binary(BinaryOp::Add, strings_there, one);
        let total = self.exprs().binary(BinaryOp::Mul, pointers, bytes);
        let vector = self.stack_memory(total);
        let name = self.temporary_object(8, 1);
        self.emit(Op::Write { to: name, bytes: b"program\0".as_slice().into() });
        self.set_element(vector, 0, name);
        let end = build::address(self.exprs(), 0);
        for position in 1..=MAX_ARGUMENTS {
            let place = self.exprs().int(ty, i128::from(position));
            let is_there = build::compare(self.exprs(), BinaryOp::Lt, place, count);
            let (there, beyond) = self.fork(is_there, self.origin, self.origin);
            self.graph.set(there);
            let string = self.any_string(word, &format!("{strings}[{position}]"));
            self.set_element(vector, position, string);
            if position == MAX_ARGUMENTS {
                self.set_element(vector, position + 1, end);
            }
            let full = self.graph.take();
            self.graph.set(beyond);
            // Only the first that is missing has a place for its null pointer.
            let is_end = build::compare(self.exprs(), BinaryOp::Eq, place, count);
            let (last, later) = self.fork(is_end, self.origin, self.origin);
            self.graph.set(last);
            self.set_element(vector, position, end);
            self.graph.join(later);
            self.graph.join(full);
        }
        Arguments { count, vector }
    }

    /// A string of few characters.
    fn any_string(&mut self, word: Ty, name: &str) -> ExprId {
        let length = self.chosen(word, &format!("strlen({name})"), MAX_CHARACTERS);
        let one = self.exprs().int(word, 1);
        let size = self.exprs().binary(BinaryOp::Add, length, one);
        let string = self.stack_memory(size);
        let character = Ty::signed(8);
        let zero = self.exprs().int(character, 0);
        for position in 0..MAX_CHARACTERS {
            let place = self.exprs().int(word, i128::from(position));
            let is_there = build::compare(self.exprs(), BinaryOp::Lt, place, length);
            let (there, beyond) = self.fork(is_there, self.origin, self.origin);
            self.graph.set(there);
            let chosen = self.choice(character, &format!("{name}[{position}]"));
            let cond = build::compare(self.exprs(), BinaryOp::Ne, chosen, zero);
            self.emit(Op::Assume { cond });
            let amount = self.size(position);
            let addr = build::offset(self.exprs(), string, amount);
            self.emit(Op::Assign { place: Place::Mem { addr, ty: character }, value: chosen });
            self.graph.join(beyond);
        }
        let addr = build::offset(self.exprs(), string, length);
        self.emit(Op::Assign { place: Place::Mem { addr, ty: character }, value: zero });
        string
    }

    /// An arbitrary number that is not negative, and not above a bound.
    fn chosen(&mut self, ty: Ty, name: &str, most: u64) -> ExprId {
        let value = self.choice(ty, name);
        let (zero, most) = (self.exprs().int(ty, 0), self.exprs().int(ty, i128::from(most)));
        let is_enough = build::compare(self.exprs(), BinaryOp::Le, zero, value);
        let is_small = build::compare(self.exprs(), BinaryOp::Le, value, most);
        let cond = build::and(self.exprs(), is_enough, is_small);
        self.emit(Op::Assume { cond });
        value
    }

    fn choice(&mut self, ty: Ty, name: &str) -> ExprId {
        let var = self.temporary(ty);
        let (source, at) = (Source::Argument { name: name.into() }, self.origin.region);
        self.emit(Op::Havoc { place: Place::Var(var), source, at });
        self.read_var(var)
    }

    /// Memory of `%start`, which ends after `main`.
    fn stack_memory(&mut self, size: ExprId) -> ExprId {
        let var = self.temporary(Ty::Ptr);
        let contents = InitKind::Uninitialised;
        self.emit(Op::Malloc { place: Place::Var(var), size, kind: AllocKind::Stack, contents });
        self.read_var(var)
    }

    fn set_element(&mut self, vector: ExprId, position: u64, value: ExprId) {
        let amount = self.size(position * Ty::Ptr.size(self.ctx.program.data_model));
        let addr = build::offset(self.exprs(), vector, amount);
        self.emit(Op::Assign { place: Place::Mem { addr, ty: Ty::Ptr }, value });
    }
}
