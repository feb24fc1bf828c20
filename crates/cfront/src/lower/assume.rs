//! Conditions that the user assumes when the entry function is called, by options or in a contract comment: `n <= len(a)`, `0 <= i && i < n`.
//!
//! A condition is a chain of comparisons joined by `&&`. Operands are sums, differences and products of integer parameters, numbers and lengths `len(p)` of the arrays
//! that pointers lead to. As in C, operands are promoted and the usual arithmetic conversions apply. Lengths have the type `ptrdiff_t`, so that `n <= len(a)` holds
//! for negative `n`: as `size_t` they would make every negative number a large one, and exclude it without a word.

use cfa::{ApproximationKind, BinaryOp, ExprId, Op, Ty};

use base::{Cause, Diagnostic};

use crate::hir::VariableId;
use crate::lower::call::Argument;
use crate::lower::contract::HELP;
use crate::lower::function::Body;
use crate::lower::{Condition, Lowered, build};

/// A part of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Number(i128),
    Sign(&'static str),
}

/// Longer ones first.
const SIGNS: [&str; 15] = ["&&", "<=", ">=", "==", "!=", "->", "<", ">", "+", "-", "*", "(", ")", ".", "!"];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut rest = text.trim_start();
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let length = if is_word(first) {
            let length = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
            let word = &rest[..length];
            found.push(match word.parse() {
                Ok(_) if word.len() > 1 && first == '0' => {
                    return Err(format!("`{word}` is octal in C: write a decimal number"));
                }
                Ok(number) => Token::Number(number),
                Err(_) if first.is_numeric() => return Err(format!("`{word}` is no number")),
                Err(_) => Token::Word(word.to_owned()),
            });
            length
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
            let sign = sign.ok_or_else(|| format!("`{first}` is not expected"))?;
            found.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

/// Reads a condition.
struct Reader<'t> {
    tokens: &'t [Token],
    /// Values by name.
    values: &'t [(String, ExprId)],
    lengths: &'t [(String, ExprId)],
}

impl Reader<'_> {
    fn take(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        let Some((Token::Sign(sign), rest)) = self.tokens.split_first() else { return None };
        let found = signs.iter().copied().find(|wanted| wanted == sign)?;
        self.tokens = rest;
        Some(found)
    }

    fn condition(&mut self, body: &mut Body<'_, '_>) -> Result<ExprId, String> {
        let mut all = self.comparison(body)?;
        while self.take(&["&&"]).is_some() {
            let next = self.comparison(body)?;
            all = build::and(body.exprs(), all, next);
        }
        match self.tokens.first() {
            None => Ok(all),
            Some(token) => Err(format!("{} is not expected", shown(token))),
        }
    }

    fn comparison(&mut self, body: &mut Body<'_, '_>) -> Result<ExprId, String> {
        let left = self.sum(body)?;
        let Some(sign) = self.take(&["<=", ">=", "==", "!=", "<", ">"]) else {
            return Err("a comparison is expected".to_owned());
        };
        let right = self.sum(body)?;
        let (left, right) = common(body, left, right);
        let exprs = body.exprs();
        Ok(match sign {
            "<=" => build::compare(exprs, BinaryOp::Le, left, right),
            ">=" => build::compare(exprs, BinaryOp::Le, right, left),
            "<" => build::compare(exprs, BinaryOp::Lt, left, right),
            ">" => build::compare(exprs, BinaryOp::Lt, right, left),
            "==" => build::compare(exprs, BinaryOp::Eq, left, right),
            _ => build::compare(exprs, BinaryOp::Ne, left, right),
        })
    }

    fn sum(&mut self, body: &mut Body<'_, '_>) -> Result<ExprId, String> {
        let mut value = self.product(body)?;
        while let Some(sign) = self.take(&["+", "-"]) {
            let other = self.product(body)?;
            let (left, right) = common(body, value, other);
            let op = if sign == "+" { BinaryOp::Add } else { BinaryOp::Sub };
            value = compute(body, op, left, right);
        }
        Ok(value)
    }

    fn product(&mut self, body: &mut Body<'_, '_>) -> Result<ExprId, String> {
        let mut value = self.operand(body)?;
        while self.take(&["*"]).is_some() {
            let other = self.operand(body)?;
            let (left, right) = common(body, value, other);
            value = compute(body, BinaryOp::Mul, left, right);
        }
        Ok(value)
    }

    fn operand(&mut self, body: &mut Body<'_, '_>) -> Result<ExprId, String> {
        let is_negative = self.take(&["-"]).is_some();
        let Some((first, rest)) = self.tokens.split_first() else {
            return Err("it ends too early".to_owned());
        };
        self.tokens = rest;
        match first {
            Token::Number(number) => {
                let number = if is_negative { -number } else { *number };
                let ty = [Ty::signed(32), Ty::signed(64), Ty::unsigned(64)]
                    .into_iter()
                    .find(|ty| ty.range().is_some_and(|(least, most)| (least..=most).contains(&number)));
                let ty = ty.ok_or_else(|| format!("{number} is too large"))?;
                Ok(body.exprs().int(ty, number))
            }
            _ if is_negative => Err("only numbers may be negative".to_owned()),
            Token::Word(word) if word == "len" && self.take(&["("]).is_some() => {
                let name = self.name()?;
                let known = self.lengths.iter().find(|(pointer, _)| *pointer == name);
                let length = known.map(|(_, length)| *length).ok_or_else(|| {
                    format!("`{name}` is no pointer to an array of any length (`--entry-elements any`)")
                })?;
                let difference = Ty::signed(body.ctx.program.data_model.pointer_width());
                Ok(build::cast(body.exprs(), difference, length))
            }
            Token::Word(word) => {
                let known = self.values.iter().find(|(name, _)| name == word);
                known.map(|(_, value)| *value).ok_or_else(|| format!("`{word}` is no integer parameter"))
            }
            Token::Sign(_) => Err(format!("{} is not expected", shown(first))),
        }
    }

    /// The pointer whose length is meant.
    fn name(&mut self) -> Result<String, String> {
        let mut name = String::new();
        while let Some((token, rest)) = self.tokens.split_first() {
            self.tokens = rest;
            match token {
                Token::Sign(")") => return Ok(name),
                Token::Word(word) => name.push_str(word),
                Token::Sign(sign) => name.push_str(sign),
                Token::Number(number) => name.push_str(&number.to_string()),
            }
        }
        Err("`)` is expected".to_owned())
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(word) => format!("`{word}`"),
        Token::Number(number) => format!("`{number}`"),
        Token::Sign(sign) => format!("`{sign}`"),
    }
}

/// A sum, difference or product of two integers of one type. Values for which a signed one overflows are left out: it is the condition that has no meaning then, not the program
/// that is wrong.
fn compute(body: &mut Body<'_, '_>, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
    let ty = body.exprs().ty(left);
    let (Ty::Int { width, signed: true }, Some((least, most))) = (ty, ty.range()) else {
        return body.exprs().binary(op, left, right);
    };
    // Twice as wide nothing overflows, and unsigned operations are never checked for it.
    let (wide, bits) = (Ty::signed(2 * width), Ty::unsigned(2 * width));
    let [left, right] = [left, right].map(|operand| {
        let operand = build::cast(body.exprs(), wide, operand);
        build::cast(body.exprs(), bits, operand)
    });
    let value = body.exprs().binary(op, left, right);
    let value = build::cast(body.exprs(), wide, value);
    let (least, most) = (body.exprs().int(wide, least), body.exprs().int(wide, most));
    let above = build::compare(body.exprs(), BinaryOp::Le, least, value);
    let below = build::compare(body.exprs(), BinaryOp::Le, value, most);
    let cond = build::and(body.exprs(), above, below);
    body.emit(Op::Assume { cond });
    build::cast(body.exprs(), ty, value)
}

/// Converts two integers to their common type.
fn common(body: &mut Body<'_, '_>, left: ExprId, right: ExprId) -> (ExprId, ExprId) {
    let of = |ty: Ty| match ty {
        Ty::Int { width, .. } if width < 32 => (32, true),
        Ty::Int { width, signed } => (width, signed),
        Ty::Float(_) | Ty::Ptr => (64, false),
    };
    let (a, b) = (of(body.exprs().ty(left)), of(body.exprs().ty(right)));
    // The wider one, and of two that are equally wide the unsigned one.
    let (width, is_signed) = if (a.0, !a.1) >= (b.0, !b.1) { a } else { b };
    let ty = if is_signed { Ty::signed(width) } else { Ty::unsigned(width) };
    (build::cast(body.exprs(), ty, left), build::cast(body.exprs(), ty, right))
}

impl Body<'_, '_> {
    /// Whether a condition may speak of a parameter.
    pub(super) fn is_assumed(&self, param: &str) -> bool {
        let conditions = self.ctx.options.start.assumptions.iter();
        conditions
            .filter_map(|condition| tokens(&condition.text).ok())
            .flatten()
            .any(|token| token == Token::Word(param.to_owned()))
    }

    /// Assumes what the options say.
    pub(super) fn assume_conditions(&mut self, params: &[VariableId], args: &[Argument]) -> Lowered<()> {
        let hir = self.ctx.hir;
        let mut values = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            if let Argument::Scalar(value) = arg
                && self.exprs().ty(*value).is_int()
            {
                values.push((hir.variables[*param].name.to_string(), *value));
            }
        }
        for Condition { text, place } in &self.ctx.options.start.assumptions {
            let lengths = self.ctx.start_lengths.clone();
            let refused = |why: String| {
                Box::new(match place {
                    Some(place) => {
                        Diagnostic::error(format!("the condition `{text}`: {why}"), *place).with_help(HELP)
                    }
                    None => Diagnostic::global(format!("the condition `{text}` of --assume: {why}"))
                        .with_cause(Cause::Input)
                        .with_help("a condition compares integer parameters, numbers and lengths, such as `n <= len(a)`"),
                })
            };
            let tokens = tokens(text).map_err(refused)?;
            let mut reader = Reader { tokens: &tokens, values: &values, lengths: &lengths };
            let cond = reader.condition(self).map_err(refused)?;
            self.emit(Op::Assume { cond });
            let region = place.map_or(self.origin.region, |place| self.ctx.region(place));
            self.ctx.approximate(ApproximationKind::Assumption, format!("`{text}` at the start"), region);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_words_numbers_and_signs() {
        let sign = Token::Sign;
        let word = |text: &str| Token::Word(text.to_owned());
        let expected = vec![
            word("n"),
            sign("<="),
            word("len"),
            sign("("),
            word("s"),
            sign("->"),
            word("a"),
            sign(")"),
            sign("-"),
            Token::Number(1),
        ];
        assert_eq!(tokens("n<= len( s->a ) -1"), Ok(expected));
        assert_eq!(tokens("a ? b"), Err("`?` is not expected".to_owned()));
        assert_eq!(tokens("0x10 < n"), Err("`0x10` is no number".to_owned()));
        assert_eq!(tokens("n < 010"), Err("`010` is octal in C: write a decimal number".to_owned()));
        assert_eq!(tokens("0"), Ok(vec![Token::Number(0)]));
    }
}
