//! The parser of expressions: precedence climbing with a bound on nesting.

use super::lex::{Kind, type_of_word};
use super::names::{let_number, tests_memory};
use super::parse::Parser;
use super::print_expr::test_of;
use super::{NESTING_LIMIT, ParseError};
use crate::expr::Access;
use crate::verify::check_expr;
use crate::{BinaryOp, Expr, ExprId, FloatKind, Ty, UnaryOp};

impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Result<ExprId, ParseError> {
        self.nested(Self::choice_expr)
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, ParseError>) -> Result<T, ParseError> {
        if self.nesting >= NESTING_LIMIT {
            return self.error(format!("nested more than {NESTING_LIMIT} deep: use `let`"));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    /// `cond ? then : other`, right associative; a loop over the chain of `other`s.
    fn choice_expr(&mut self) -> Result<ExprId, ParseError> {
        let mut chain = Vec::new();
        let mut last = self.binary_expr(2)?;
        while self.at_symbol("?") {
            let token = self.position();
            self.advance();
            let then = self.nested(|parser| parser.binary_expr(2))?;
            self.expect(":")?;
            chain.push((token, last, then));
            last = self.binary_expr(2)?;
        }
        for (token, cond, then) in chain.into_iter().rev() {
            last = self.add(token, Expr::Ite { cond, then, other: last })?;
        }
        Ok(last)
    }

    fn binary_expr(&mut self, least: u8) -> Result<ExprId, ParseError> {
        let mut lhs = self.unary_expr()?;
        while let Some((strength, symbol)) = self.operator() {
            if strength < least {
                break;
            }
            let token = self.position();
            self.advance();
            let rhs = self.nested(|parser| parser.binary_expr(strength + 1))?;
            let pointer = self.program.exprs.ty(lhs) == Ty::Ptr;
            let (op, lhs_operand, rhs_operand) = match symbol {
                "+" if pointer => (BinaryOp::PtrAdd, lhs, rhs),
                "-" if pointer => (BinaryOp::PtrSub, lhs, rhs),
                "+" => (BinaryOp::Add, lhs, rhs),
                "-" => (BinaryOp::Sub, lhs, rhs),
                "*" => (BinaryOp::Mul, lhs, rhs),
                "/" => (BinaryOp::Div, lhs, rhs),
                "%" => (BinaryOp::Rem, lhs, rhs),
                "&" => (BinaryOp::And, lhs, rhs),
                "|" => (BinaryOp::Or, lhs, rhs),
                "^" => (BinaryOp::Xor, lhs, rhs),
                "<<" => (BinaryOp::Shl, lhs, rhs),
                ">>" => (BinaryOp::Shr, lhs, rhs),
                "==" => (BinaryOp::Eq, lhs, rhs),
                "!=" => (BinaryOp::Ne, lhs, rhs),
                "<" => (BinaryOp::Lt, lhs, rhs),
                "<=" => (BinaryOp::Le, lhs, rhs),
                ">" => (BinaryOp::Lt, rhs, lhs),
                _ => (BinaryOp::Le, rhs, lhs),
            };
            lhs = self.add(token, Expr::Binary { op, lhs: lhs_operand, rhs: rhs_operand })?;
        }
        Ok(lhs)
    }

    fn operator(&self) -> Option<(u8, &'static str)> {
        let Kind::Symbol(symbol) = *self.peek() else { return None };
        let strength = match symbol {
            "|" => 2,
            "^" => 3,
            "&" => 4,
            "==" | "!=" => 5,
            "<" | "<=" | ">" | ">=" => 6,
            "<<" | ">>" => 7,
            "+" | "-" => 8,
            "*" | "/" | "%" => 9,
            _ => return None,
        };
        Some((strength, symbol))
    }

    /// Prefix operators are collected in a loop and applied from the inside out.
    fn unary_expr(&mut self) -> Result<ExprId, ParseError> {
        enum Prefix {
            Op(UnaryOp),
            Cast(Ty),
        }
        let mut prefixes = Vec::new();
        let mut arg = loop {
            let token = self.position();
            if self.at_symbol("-") {
                let next = self.peek_after(1);
                if matches!(next.kind, Kind::Number { .. }) && !next.spaced {
                    self.advance();
                    break self.number(Sign::Minus)?;
                }
                prefixes.push((token, Prefix::Op(UnaryOp::Neg)));
                self.advance();
            } else if self.at_symbol("!") || self.at_symbol("~") {
                prefixes.push((token, Prefix::Op(UnaryOp::Not)));
                self.advance();
            } else if let Some(ty) = self.cast_ahead() {
                prefixes.push((token, Prefix::Cast(ty)));
                (0..3).for_each(|_| self.advance());
            } else {
                break self.atom()?;
            }
        };
        for (token, prefix) in prefixes.into_iter().rev() {
            arg = match prefix {
                Prefix::Op(op) => self.add(token, Expr::Unary { op, arg })?,
                Prefix::Cast(ty) => self.add(token, Expr::Cast { ty, arg })?,
            };
        }
        Ok(arg)
    }

    fn cast_ahead(&self) -> Option<Ty> {
        if !self.at_symbol("(") || self.peek_after(2).kind != Kind::Symbol(")") {
            return None;
        }
        match &self.peek_after(1).kind {
            Kind::Name { text, quoted: false, id: None } => type_of_word(text),
            _ => None,
        }
    }

    fn atom(&mut self) -> Result<ExprId, ParseError> {
        let token = self.position();
        match self.peek() {
            Kind::Number { .. } => self.number(Sign::Plus),
            Kind::Symbol("(") => {
                self.advance();
                let inner = self.expr()?;
                self.expect(")")?;
                Ok(inner)
            }
            Kind::Symbol("&") => {
                self.advance();
                let name = self.name("the name of an object")?;
                let var = self.var_of(&name)?;
                self.add(token, Expr::Address { var })
            }
            Kind::Name { quoted: true, .. } | Kind::Name { id: Some(_), .. } => self.variable(),
            Kind::Name { text, .. } => match text.as_str() {
                "true" | "false" => {
                    let value = text == "true";
                    self.advance();
                    Ok(self.program.exprs.bool(value))
                }
                "null" => {
                    self.advance();
                    Ok(self.program.exprs.int(Ty::Ptr, 0))
                }
                "mem" | "bits" => self.load(),
                word if tests_memory(word) => {
                    let word = text.clone();
                    self.memory_test(&word)
                }
                "fn" => {
                    self.advance();
                    self.expect("(")?;
                    let name = self.name("the name of a procedure")?;
                    let proc = self.proc_of(&name)?;
                    self.expect(")")?;
                    self.add(token, Expr::Function { proc })
                }
                word => match let_number(word) {
                    Some(number) => match self.lets.get(number as usize).copied() {
                        Some(value) => {
                            self.advance();
                            Ok(value)
                        }
                        None => self.error(format!("${number} is not defined before")),
                    },
                    None => self.variable(),
                },
            },
            Kind::Text(_) | Kind::Region(_) | Kind::Symbol(_) | Kind::End => {
                self.error("an expression should stand here")
            }
        }
    }

    fn variable(&mut self) -> Result<ExprId, ParseError> {
        let name = self.name("a variable")?;
        let var = self.var_of(&name)?;
        if self.accept("[") {
            let index = self.expr()?;
            self.expect("]")?;
            let crate::Storage::Array { elem: ty, .. } = self.program.vars[var].storage else {
                return self.error_at(name.token, format!("{} is not an array", name.text));
            };
            return self.add(name.token, Expr::Elem { array: var, index, ty });
        }
        let Some(ty) = self.program.vars[var].scalar() else {
            return self.error_at(name.token, format!("{} is not a scalar", name.text));
        };
        self.add(name.token, Expr::Var { var, ty })
    }

    fn load(&mut self) -> Result<ExprId, ParseError> {
        let token = self.position();
        let expr = match self.memory()? {
            (addr, ty, None) => Expr::Load { addr, ty },
            (addr, ty, Some(bit)) => Expr::LoadBits { addr, bit, ty },
        };
        self.add(token, expr)
    }

    /// `readable(addr, length)`, `writable(addr, length)`, `freeable(addr)`, `is_null(addr)` and the like, `initialised(ty, addr)`, `initialised(ty, addr,
    /// bit)`, `lost()`, `same_object(one, other)`, `bounded(index, bound)` or `undefined(ty)`.
    fn memory_test(&mut self, word: &str) -> Result<ExprId, ParseError> {
        let token = self.position();
        self.advance();
        self.expect("(")?;
        let expr = match word {
            "undefined" => Expr::Undefined { ty: self.ty()? },
            "freeable" => Expr::Freeable { addr: self.expr()? },
            "lost" => Expr::Lost,
            "same_object" => {
                let one = self.expr()?;
                self.expect(",")?;
                Expr::SameObject { one, other: self.expr()? }
            }
            "initialised" => {
                let ty = self.ty()?;
                self.expect(",")?;
                let addr = self.expr()?;
                let bit = if self.accept(",") { Some(self.bit()?) } else { None };
                Expr::Initialised { addr, bit, ty }
            }
            "bounded" => {
                let index = self.expr()?;
                self.expect(",")?;
                let bound = self.natural()?;
                let low = if self.accept(",") { self.integer()? } else { 0 };
                Expr::Bounded { index, low, bound }
            }
            _ => {
                let addr = self.expr()?;
                if let Some(test) = test_of(word) {
                    self.expect(")")?;
                    return self.add(token, Expr::Test { test, addr });
                }
                self.expect(",")?;
                let length = self.expr()?;
                let access = if word == "readable" { Access::Read } else { Access::Write };
                Expr::Accessible { addr, length, access }
            }
        };
        self.expect(")")?;
        self.add(token, expr)
    }

    /// `mem(ty, addr)` or `bits(ty, addr, bit)`.
    pub(super) fn memory(&mut self) -> Result<(ExprId, Ty, Option<u8>), ParseError> {
        let bits = self.at_word("bits");
        self.advance();
        self.expect("(")?;
        let ty = self.ty()?;
        self.expect(",")?;
        let addr = self.expr()?;
        let bit = if bits {
            self.expect(",")?;
            Some(self.bit()?)
        } else {
            None
        };
        self.expect(")")?;
        Ok((addr, ty, bit))
    }

    fn integer(&mut self) -> Result<i64, ParseError> {
        let is_negative = self.accept("-");
        let number = i128::from(self.natural()?);
        let number = if is_negative { -number } else { number };
        i64::try_from(number).or_else(|_| self.error("a number of 64 bits should stand here"))
    }

    fn bit(&mut self) -> Result<u8, ParseError> {
        let bit = self.natural()?;
        u8::try_from(bit).or_else(|_| self.error("a bit from 0 to 7 should stand here"))
    }

    fn number(&mut self, sign: Sign) -> Result<ExprId, ParseError> {
        let Kind::Number { text, ty } = self.peek().clone() else {
            return self.error("a number should stand here");
        };
        let Some(ty) = ty else { return self.error("a number needs its type, as in 1:i32") };
        let Some(bits) = constant(&text, ty, sign) else {
            return self.error(format!("this is not a constant of type {ty}"));
        };
        let token = self.position();
        self.advance();
        self.add(token, Expr::Const { ty, bits })
    }

    /// Adds a node that obeys the rules.
    fn add(&mut self, token: usize, expr: Expr) -> Result<ExprId, ParseError> {
        let program = &self.program;
        let result = check_expr(&program.exprs, &program.vars, program.procs.len(), None, &expr);
        self.check(token, result)?;
        Ok(self.program.exprs.add(expr))
    }
}

/// What stands before a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

/// The bits of a constant: hexadecimal digits are the bits themselves, anything else is a value.
fn constant(text: &str, ty: Ty, sign: Sign) -> Option<u128> {
    if let Some(digits) = text.strip_prefix("0x") {
        return if sign == Sign::Minus { None } else { u128::from_str_radix(digits, 16).ok() };
    }
    let signed_text = if sign == Sign::Minus { format!("-{text}") } else { text.to_owned() };
    match ty {
        Ty::Int { width, signed } => {
            let magnitude: u128 = text.parse().ok()?;
            let limit = match (signed, sign) {
                (true, Sign::Minus) => 1_u128 << (width - 1),
                (true, Sign::Plus) => (1_u128 << (width - 1)) - 1,
                (false, Sign::Minus) => 0,
                (false, Sign::Plus) => u128::MAX >> (128 - u32::from(width)),
            };
            if magnitude > limit {
                return None;
            }
            let value = if sign == Sign::Minus { magnitude.wrapping_neg() } else { magnitude };
            Some(ty.bits_of(value as i128))
        }
        Ty::Float(FloatKind::Single) => {
            let value: f32 = signed_text.parse().ok()?;
            value.is_finite().then(|| u128::from(value.to_bits()))
        }
        Ty::Float(FloatKind::Double) => {
            let value: f64 = signed_text.parse().ok()?;
            value.is_finite().then(|| u128::from(value.to_bits()))
        }
        Ty::Float(FloatKind::Extended | FloatKind::Quad) | Ty::Ptr => None,
    }
}
