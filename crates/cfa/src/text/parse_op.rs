//! The parser of operations.

use base::Region;

use super::ParseError;
use super::lex::Kind;
use super::parse::Parser;
use crate::op::{AllocKind, Callee, Freedom, Guess, HaltReason, InitKind, Op, OutputFunction, Place, Source};
use crate::verify::check_op;
use crate::{ExprId, VarId};

const GUESSES: [(&str, Guess); 4] = [
    ("fails", Guess::Fails),
    ("innermost", Guess::Innermost),
    ("caller", Guess::Caller),
    ("value", Guess::Value),
];

const CONTENTS: [(&str, InitKind); 3] =
    [("zero", InitKind::Zero), ("uninit", InitKind::Uninitialised), ("arbitrary", InitKind::Arbitrary)];

impl Parser<'_> {
    /// An operation that obeys the rules.
    pub(super) fn op(&mut self) -> Result<Op, ParseError> {
        let token = self.position();
        let op = self.any_op()?;
        self.check(token, check_op(&self.program, &op))?;
        Ok(op)
    }

    fn any_op(&mut self) -> Result<Op, ParseError> {
        let word = match self.peek() {
            Kind::Name { text, quoted: false, id: None } => text.clone(),
            _ => String::new(),
        };
        // `free := 1` assigns to a variable.
        if matches!(self.peek_after(1).kind, Kind::Symbol(":=" | "[")) {
            return self.assignment();
        }
        match word.as_str() {
            "assume" => {
                self.advance();
                Ok(Op::Assume { cond: self.expr()? })
            }
            "havoc" => self.havoc(),
            "init" => {
                self.advance();
                let var = self.whole()?;
                Ok(Op::Init { var, contents: self.choice(&CONTENTS)? })
            }
            "allocate" => self.allocate(),
            "begin" => {
                self.advance();
                Ok(Op::Begin { var: self.whole()? })
            }
            "end" => {
                self.advance();
                Ok(Op::End { var: self.whole()? })
            }
            "call" => self.call(),
            "output" => self.output(),
            "exit" => {
                let [status] = self.arguments()?;
                Ok(Op::Halt { reason: HaltReason::Exit(status) })
            }
            "abort" => {
                self.advance();
                Ok(Op::Halt { reason: HaltReason::Abort })
            }
            "overlap" => {
                self.advance();
                Ok(Op::Halt { reason: HaltReason::Overlap })
            }
            "misuse" => {
                self.advance();
                Ok(Op::Halt { reason: HaltReason::Misuse })
            }
            word => self.memory_op(word),
        }
    }

    /// An operation on memory by its word; anything else is an assignment.
    fn memory_op(&mut self, word: &str) -> Result<Op, ParseError> {
        match word {
            "free" => {
                let [addr] = self.arguments()?;
                Ok(Op::Free { addr })
            }
            "release" => {
                let [addr] = self.arguments()?;
                Ok(Op::Release { addr })
            }
            "copy" => {
                let [to, from, length] = self.arguments()?;
                Ok(Op::Copy { to, from, length })
            }
            "fill" => {
                let [to, byte, length] = self.arguments()?;
                Ok(Op::Fill { to, byte, length })
            }
            "forget" => {
                let [to, length] = self.arguments()?;
                let source = self.source()?;
                let addresses = if self.accept_word("addresses") { self.list()? } else { Vec::new() };
                Ok(Op::Forget { to, length, source, addresses })
            }
            "write" => {
                self.advance();
                self.expect("(")?;
                let to = self.expr()?;
                self.expect(",")?;
                let bytes = self.bytes()?;
                self.expect(")")?;
                Ok(Op::Write { to, bytes: bytes.into() })
            }
            "copy_elems" => {
                self.advance();
                let (to, at) = self.element()?;
                let (from, start) = self.element()?;
                let [count] = self.listed()?;
                Ok(Op::CopyElems { to, at, from, start, count })
            }
            "fill_elems" => {
                self.advance();
                let (to, at) = self.element()?;
                let [value, count] = self.listed()?;
                Ok(Op::FillElems { to, at, value, count })
            }
            _ => self.assignment(),
        }
    }

    /// `array[index]`.
    fn element(&mut self) -> Result<(VarId, ExprId), ParseError> {
        let var = self.whole()?;
        self.expect("[")?;
        let index = self.expr()?;
        self.expect("]")?;
        Ok((var, index))
    }

    fn allocate(&mut self) -> Result<Op, ParseError> {
        self.advance();
        let var = self.whole()?;
        self.expect("[")?;
        let length = self.expr()?;
        self.expect("]")?;
        Ok(Op::Allocate { var, length })
    }

    fn whole(&mut self) -> Result<VarId, ParseError> {
        let name = self.name("a variable")?;
        self.var_of(&name)
    }

    fn list(&mut self) -> Result<Vec<ExprId>, ParseError> {
        self.expect("(")?;
        let mut exprs = Vec::new();
        while !self.at_symbol(")") {
            exprs.push(self.expr()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(exprs)
    }

    /// A word and exactly `N` arguments.
    fn arguments<const N: usize>(&mut self) -> Result<[ExprId; N], ParseError> {
        self.advance();
        self.listed()
    }

    /// Exactly `N` expressions in parentheses.
    fn listed<const N: usize>(&mut self) -> Result<[ExprId; N], ParseError> {
        let token = self.position();
        let exprs = self.list()?;
        exprs.try_into().or_else(|_| self.error_at(token, format!("{N} arguments should stand here")))
    }

    fn place(&mut self) -> Result<Place, ParseError> {
        if self.at_word("mem") || self.at_word("bits") {
            return Ok(match self.memory()? {
                (addr, ty, None) => Place::Mem { addr, ty },
                (addr, ty, Some(bit)) => Place::Bits { addr, bit, ty },
            });
        }
        let var = self.whole()?;
        if self.accept("[") {
            let index = self.expr()?;
            self.expect("]")?;
            return Ok(Place::Elem { array: var, index });
        }
        Ok(Place::Var(var))
    }

    fn assignment(&mut self) -> Result<Op, ParseError> {
        let place = self.place()?;
        self.expect(":=")?;
        let called = self.peek_after(1).kind == Kind::Symbol("(");
        if called && self.at_word("malloc") {
            let [size] = self.arguments()?;
            let kind = self.choice(&[("heap", AllocKind::Heap), ("stack", AllocKind::Stack)])?;
            let contents = self.choice(&CONTENTS)?;
            return Ok(Op::Malloc { place, size, kind, contents });
        }
        if called && self.at_word("realloc") {
            let [old, size] = self.arguments()?;
            return Ok(Op::Realloc { place, old, size });
        }
        Ok(Op::Assign { place, value: self.expr()? })
    }

    /// Where an arbitrary value comes from.
    fn source(&mut self) -> Result<Source, ParseError> {
        Ok(if self.accept_word("uninit") {
            Source::Uninitialised
        } else if self.accept_word("rounded") {
            Source::Rounded
        } else if self.accept_word("outside") {
            Source::Outside
        } else if self.accept_word("guess") {
            Source::Guess(self.choice(&GUESSES)?)
        } else if self.accept_word("input") {
            Source::Input { function: self.text()?.into() }
        } else if self.accept_word("extern") {
            Source::Extern { function: self.text()?.into() }
        } else if self.accept_word("world") {
            Source::Library { function: self.text()?.into(), freedom: Freedom::World }
        } else if self.accept_word("library") {
            Source::Library { function: self.text()?.into(), freedom: Freedom::Determined }
        } else if self.accept_word("global") {
            Source::Global { name: self.text()?.into() }
        } else {
            self.expect_word("argument")?;
            Source::Argument { name: self.text()?.into() }
        })
    }

    fn havoc(&mut self) -> Result<Op, ParseError> {
        self.advance();
        let place = self.place()?;
        let source = self.source()?;
        let at =
            if self.accept_word("at") { self.region()?.unwrap_or(Region::NOWHERE) } else { Region::NOWHERE };
        Ok(Op::Havoc { place, source, at })
    }

    fn call(&mut self) -> Result<Op, ParseError> {
        self.advance();
        let callee = if self.accept("*") {
            // The pointer is an atom, so that the braces of the targets follow it directly.
            let pointer = self.expr()?;
            self.expect("{")?;
            let mut targets = Vec::new();
            while !self.at_symbol("}") {
                let name = self.name("a procedure")?;
                targets.push(self.proc_of(&name)?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("}")?;
            Callee::Indirect { pointer, targets }
        } else {
            let name = self.name("a procedure")?;
            Callee::Direct(self.proc_of(&name)?)
        };
        let args = self.list()?;
        let mut results = Vec::new();
        if self.accept("->") {
            self.expect("(")?;
            while !self.at_symbol(")") {
                let dropped = self.accept_word("_");
                results.push(if dropped { None } else { Some(self.place()?) });
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        Ok(Op::Call { callee, args, results })
    }

    fn output(&mut self) -> Result<Op, ParseError> {
        self.advance();
        let function = self.choice(&[
            ("printf", OutputFunction::Printf),
            ("puts", OutputFunction::Puts),
            ("putchar", OutputFunction::Putchar),
        ])?;
        let args = self.list()?;
        let result = if self.accept("->") { Some(self.place()?) } else { None };
        Ok(Op::Output { function, args, result })
    }
}
