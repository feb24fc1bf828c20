//! Expressions.
//!
//! Binary operators by precedence climbing; left operands are gathered in a loop, so chains may be of any length.

use base::{Diagnostic, Span};

use super::{Failure, MAX_NESTING, Parsed, Parser};
use crate::ast::{BinaryOp, ExprId, ExprKind, Ident, MemberOperator, TypeNameId, UnaryOp};
use crate::lex::literal::{self, Number};
use crate::lex::{Name, TokenKind};

/// The precedence of `||`, the loosest of the operators below; larger numbers bind tighter.
const LOGICAL_OR: u8 = 2;

impl Parser<'_> {
    /// An expression, with commas.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        let start = self.token.span;
        let mut left = self.assignment()?;
        while self.at(TokenKind::Comma) {
            let op_span = self.bump().span;
            let right = self.assignment()?;
            left = self.binary(BinaryOp::Comma, left, right, op_span, start)?;
        }
        Ok(left)
    }

    /// An expression without commas at its top.
    pub(super) fn assignment(&mut self) -> Parsed<ExprId> {
        let start = self.token.span;
        let target = self.conditional()?;
        let Some(op) = assignment_operator(self.token.kind) else { return Ok(target) };
        let op_span = self.bump().span;
        let value = self.nested(Self::assignment)?;
        let depth = self.depth(target).max(self.depth(value));
        self.push_expr(ExprKind::Assign { op, target, value, op_span }, self.span_from(start), depth)
    }

    /// An expression without commas and assignments at its top: also what constants are.
    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
        let start = self.token.span;
        let condition = self.operators(LOGICAL_OR)?;
        if !self.at(TokenKind::Question) {
            return Ok(condition);
        }
        let question = self.bump().span;
        let then = if self.at(TokenKind::Colon) { None } else { Some(self.nested(Self::expression)?) };
        self.expect(TokenKind::Colon, "of a conditional expression")?;
        let otherwise = self.nested(Self::conditional)?;
        let then_depth = then.map_or(0, |then| self.depth(then));
        let depth = self.depth(condition).max(self.depth(otherwise)).max(then_depth);
        let kind = ExprKind::Conditional { condition, then, otherwise, question };
        self.push_expr(kind, self.span_from(start), depth)
    }

    /// Binary operators of at least the given precedence.
    fn operators(&mut self, minimum: u8) -> Parsed<ExprId> {
        let start = self.token.span;
        let mut left = self.cast()?;
        while let Some((op, precedence)) = binary_operator(self.token.kind) {
            if precedence < minimum {
                break;
            }
            let op_span = self.bump().span;
            let right = self.operators(precedence + 1)?;
            left = self.binary(op, left, right, op_span, start)?;
        }
        Ok(left)
    }
    fn binary(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        op_span: Span,
        start: Span,
    ) -> Parsed<ExprId> {
        // The left operand does not count: walks follow it with a loop.
        let depth = self.depth(left).max(self.depth(right) + 1);
        self.push_expr_at(ExprKind::Binary { op, left, right, op_span }, self.span_from(start), depth)
    }

    /// A cast or unary expression. Every recursion of expressions comes through here.
    fn cast(&mut self) -> Parsed<ExprId> {
        match self.token.kind {
            // The most frequent beginnings need no further level.
            TokenKind::Ident | TokenKind::Number => self.postfix(),
            TokenKind::LeftParen if self.starts_type(self.tokens.peek(1)) => {
                self.nested(Self::cast_or_literal)
            }
            _ => self.nested(Self::unary),
        }
    }
    fn cast_or_literal(&mut self) -> Parsed<ExprId> {
        let start = self.token.span;
        let (type_name, depth) = self.parenthesized_type()?;
        if self.at(TokenKind::LeftBrace) {
            let literal = self.compound_literal(type_name, depth, start)?;
            return self.postfix_of(literal, start);
        }
        let operand = self.cast()?;
        let depth = depth.max(self.depth(operand));
        self.push_expr(ExprKind::Cast { type_name, operand }, self.span_from(start), depth)
    }
    /// `(type)`, and the depth of the expressions in it.
    pub(super) fn parenthesized_type(&mut self) -> Parsed<(TypeNameId, u16)> {
        let open = self.expect(TokenKind::LeftParen, "before type name")?.span;
        let (type_name, depth) = self.depth_within(Self::type_name)?;
        self.expect_close(TokenKind::RightParen, open, "after type name")?;
        Ok((type_name, depth))
    }
    fn compound_literal(&mut self, type_name: TypeNameId, depth: u16, start: Span) -> Parsed<ExprId> {
        let (initializer, inner) = self.depth_within(Self::initializer)?;
        let kind = ExprKind::CompoundLiteral { type_name, initializer };
        self.push_expr(kind, self.span_from(start), depth.max(inner))
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let start = self.token.span;
        let op = match self.token.kind {
            TokenKind::PlusPlus => UnaryOp::PreIncrement,
            TokenKind::MinusMinus => UnaryOp::PreDecrement,
            TokenKind::Ampersand => UnaryOp::AddressOf,
            TokenKind::Star => UnaryOp::Dereference,
            TokenKind::Plus => UnaryOp::Plus,
            TokenKind::Minus => UnaryOp::Minus,
            TokenKind::Tilde => UnaryOp::BitNot,
            TokenKind::Bang => UnaryOp::LogicalNot,
            TokenKind::Real => UnaryOp::Real,
            TokenKind::Imag => UnaryOp::Imag,
            TokenKind::Extension => {
                self.bump();
                return self.cast();
            }
            TokenKind::Sizeof | TokenKind::Alignof => return self.size_or_alignment(),
            TokenKind::AmpersandAmpersand => {
                self.bump();
                let label = self.expect_ident("label after `&&`")?;
                return self.push_expr(ExprKind::LabelAddress(label), self.span_from(start), 0);
            }
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.cast()?;
        self.push_expr(ExprKind::Unary { op, operand }, self.span_from(start), self.depth(operand))
    }

    /// `sizeof` and `_Alignof` of a type or an expression.
    fn size_or_alignment(&mut self) -> Parsed<ExprId> {
        let keyword = self.bump();
        let size = keyword.kind == TokenKind::Sizeof;
        let operand = if self.at(TokenKind::LeftParen) && self.starts_type(self.tokens.peek(1)) {
            let start = self.token.span;
            let (type_name, depth) = self.parenthesized_type()?;
            if !self.at(TokenKind::LeftBrace) {
                let kind =
                    if size { ExprKind::SizeofType(type_name) } else { ExprKind::AlignofType(type_name) };
                return self.push_expr(kind, self.span_from(keyword.span), depth);
            }
            let literal = self.compound_literal(type_name, depth, start)?;
            self.postfix_of(literal, start)?
        } else {
            self.nested(Self::unary)?
        };
        let kind = if size { ExprKind::SizeofExpr(operand) } else { ExprKind::AlignofExpr(operand) };
        self.push_expr(kind, self.span_from(keyword.span), self.depth(operand))
    }

    fn postfix(&mut self) -> Parsed<ExprId> {
        let start = self.token.span;
        let base = self.primary()?;
        self.postfix_of(base, start)
    }
    /// What follows a primary expression.
    fn postfix_of(&mut self, base: ExprId, start: Span) -> Parsed<ExprId> {
        let mut base = base;
        loop {
            let depth = self.depth(base);
            base = match self.token.kind {
                TokenKind::LeftParen => self.call(base, start)?,
                TokenKind::LeftBracket => {
                    let open = self.bump().span;
                    let index = self.nested(Self::expression)?;
                    self.expect_close(TokenKind::RightBracket, open, "after index")?;
                    let depth = depth.max(self.depth(index));
                    self.push_expr(ExprKind::Index { base, index }, self.span_from(start), depth)?
                }
                kind @ (TokenKind::Dot | TokenKind::Arrow) => {
                    self.bump();
                    let member = self.expect_ident("name of a member")?;
                    let operator = match kind {
                        TokenKind::Arrow => MemberOperator::Arrow,
                        _ => MemberOperator::Dot,
                    };
                    let kind = ExprKind::Member { base, member, operator };
                    self.push_expr(kind, self.span_from(start), depth)?
                }
                kind @ (TokenKind::PlusPlus | TokenKind::MinusMinus) => {
                    self.bump();
                    let increment = kind == TokenKind::PlusPlus;
                    let op = if increment { UnaryOp::PostIncrement } else { UnaryOp::PostDecrement };
                    self.push_expr(ExprKind::Unary { op, operand: base }, self.span_from(start), depth)?
                }
                _ => return Ok(base),
            };
        }
    }
    fn call(&mut self, callee: ExprId, start: Span) -> Parsed<ExprId> {
        let open = self.bump().span;
        let mut arguments = Vec::new();
        let mut depth = self.depth(callee);
        if !self.at(TokenKind::RightParen) {
            loop {
                let argument = self.nested(Self::assignment)?;
                depth = depth.max(self.depth(argument));
                arguments.push(argument);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        let close = self.expect_close(TokenKind::RightParen, open, "after arguments")?.span;
        let arguments = self.push_expr_list(&arguments);
        self.push_expr(ExprKind::Call { callee, arguments, close }, self.span_from(start), depth)
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let token = self.token;
        match token.kind {
            TokenKind::Ident => {
                self.bump();
                self.push_expr(ExprKind::Ident(Name(token.payload)), token.span, 0)
            }
            TokenKind::Number => {
                self.bump();
                let kind = match literal::number(&self.unit.text, token.payload as usize, token.span)? {
                    Number::Integer(literal) => ExprKind::Integer(literal),
                    Number::Float(literal) => ExprKind::Float(self.unit.floats.push(literal)),
                };
                self.push_expr(kind, token.span, 0)
            }
            TokenKind::Char => {
                self.bump();
                let literal = literal::character(&self.unit.text, token.payload as usize, token.span)?;
                self.push_expr(ExprKind::Char(literal), token.span, 0)
            }
            TokenKind::String => {
                let string = self.string_literal()?;
                self.push_expr(ExprKind::String(string), self.span_from(token.span), 0)
            }
            TokenKind::LeftParen => self.parenthesized(),
            TokenKind::Generic
            | TokenKind::VaArg
            | TokenKind::Offsetof
            | TokenKind::TypesCompatible
            | TokenKind::ChooseExpr => self.builtin(),
            _ => Err(self.unexpected("expression")),
        }
    }
    fn parenthesized(&mut self) -> Parsed<ExprId> {
        let open = self.bump().span;
        if self.at(TokenKind::LeftBrace) {
            let (block, depth) = self.depth_within(Self::block)?;
            self.expect_close(TokenKind::RightParen, open, "after statement expression")?;
            return self.push_expr(ExprKind::StatementExpr(block), self.span_from(open), depth);
        }
        let inner = self.nested(Self::expression)?;
        self.expect_close(TokenKind::RightParen, open, "after expression")?;
        self.push_expr(ExprKind::Parenthesized(inner), self.span_from(open), self.depth(inner))
    }

    /// The name of a label, member or variable as an identifier of the tree.
    pub(super) fn ident(&mut self) -> Option<Ident> {
        let token = self.eat(TokenKind::Ident)?;
        Some(Ident { name: Name(token.payload), span: token.span })
    }

    /// The error for an identifier that is used as a type.
    #[allow(clippy::unnecessary_box_returns)] // errors travel boxed
    pub(super) fn unknown_type(&self, ident: Ident) -> Failure {
        let name = self.interner.text(ident.name);
        let message = format!("unknown type name `{name}`");
        let help = match name {
            "class" | "namespace" | "template" | "using" => "this looks like C++, and only C is read",
            _ => "a `typedef` of this name is missing here; did a header get lost?",
        };
        Box::new(Diagnostic::error(message, ident.span).with_label("not a type").with_help(help))
    }
}

const _: () = assert!(MAX_NESTING < u16::MAX as u32 / 2, "depths should fit into 16 bits");

/// The operator of an assignment; `None` inside if it is the plain one.
#[allow(clippy::option_option)] // no assignment, the plain one, a compound one
fn assignment_operator(kind: TokenKind) -> Option<Option<BinaryOp>> {
    Some(match kind {
        TokenKind::Equal => None,
        TokenKind::PlusEqual => Some(BinaryOp::Add),
        TokenKind::MinusEqual => Some(BinaryOp::Subtract),
        TokenKind::StarEqual => Some(BinaryOp::Multiply),
        TokenKind::SlashEqual => Some(BinaryOp::Divide),
        TokenKind::PercentEqual => Some(BinaryOp::Remainder),
        TokenKind::ShiftLeftEqual => Some(BinaryOp::ShiftLeft),
        TokenKind::ShiftRightEqual => Some(BinaryOp::ShiftRight),
        TokenKind::AmpersandEqual => Some(BinaryOp::BitAnd),
        TokenKind::PipeEqual => Some(BinaryOp::BitOr),
        TokenKind::CaretEqual => Some(BinaryOp::BitXor),
        _ => return None,
    })
}

/// A binary operator and its precedence; the comma is not among them.
fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::PipePipe => (BinaryOp::LogicalOr, LOGICAL_OR),
        TokenKind::AmpersandAmpersand => (BinaryOp::LogicalAnd, 3),
        TokenKind::Pipe => (BinaryOp::BitOr, 4),
        TokenKind::Caret => (BinaryOp::BitXor, 5),
        TokenKind::Ampersand => (BinaryOp::BitAnd, 6),
        TokenKind::EqualEqual => (BinaryOp::Equal, 7),
        TokenKind::BangEqual => (BinaryOp::NotEqual, 7),
        TokenKind::Less => (BinaryOp::Less, 8),
        TokenKind::Greater => (BinaryOp::Greater, 8),
        TokenKind::LessEqual => (BinaryOp::LessEqual, 8),
        TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, 8),
        TokenKind::ShiftLeft => (BinaryOp::ShiftLeft, 9),
        TokenKind::ShiftRight => (BinaryOp::ShiftRight, 9),
        TokenKind::Plus => (BinaryOp::Add, 10),
        TokenKind::Minus => (BinaryOp::Subtract, 10),
        TokenKind::Star => (BinaryOp::Multiply, 11),
        TokenKind::Slash => (BinaryOp::Divide, 11),
        TokenKind::Percent => (BinaryOp::Remainder, 11),
        _ => return None,
    })
}
