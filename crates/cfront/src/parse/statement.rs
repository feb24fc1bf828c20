//! Statements and blocks.
//!
//! `else if` chains and runs of labels are read with loops, so they may be of any length.

use base::Span;

use super::declaration::Declaring;
use super::specifiers::Implicit;
use super::{Parsed, Parser};
use crate::ast::{Attribute, ExprId, ForInit, Ident, Label, LabelKind, StmtId, StmtKind};
use crate::lex::{Name, TokenKind};

/// Where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Directly in a block: declarations are welcome, also after labels.
    Block,
    /// The body of another statement.
    Body,
}

impl Parser<'_> {
    /// `{ … }` with its scope.
    pub(super) fn block(&mut self) -> Parsed<StmtId> {
        let open = self.expect(TokenKind::LeftBrace, "before block")?.span;
        self.scopes.open();
        let mut items = Vec::new();
        while !self.at(TokenKind::RightBrace) {
            if self.at(TokenKind::EndOfFile) {
                let failure = self.unexpected("`}` at the end of the block");
                return Err(Box::new(failure.with_secondary(open, "this brace is not closed")));
            }
            items.push(self.statement(Place::Block)?);
        }
        let close = self.bump().span;
        self.scopes.close();
        let items = self.push_stmt_list(&items);
        Ok(self.push_stmt(StmtKind::Block { items, close }, open, open))
    }

    /// The body of another statement.
    fn body(&mut self) -> Parsed<StmtId> {
        self.nested(|parser| parser.statement(Place::Body))
    }

    fn statement(&mut self, place: Place) -> Parsed<StmtId> {
        if self.at_label() { self.labeled(place) } else { self.unlabeled(place, Vec::new()) }
    }

    fn at_label(&self) -> bool {
        match self.token.kind {
            TokenKind::Case | TokenKind::Default => true,
            TokenKind::Ident => self.peek_kind(1) == TokenKind::Colon,
            _ => false,
        }
    }
    fn labeled(&mut self, place: Place) -> Parsed<StmtId> {
        let start = self.token.span;
        let mut labels = Vec::new();
        let mut attributes = Vec::new();
        while self.at_label() {
            labels.push(self.label()?);
            self.attributes(&mut attributes)?;
        }
        let body = if self.at(TokenKind::RightBrace) {
            let span = self.empty_span();
            self.unit.stmts.push(crate::ast::Stmt { kind: StmtKind::Empty, span, keyword: span })
        } else {
            self.unlabeled(place, attributes)?
        };
        let keyword = labels[0].keyword;
        Ok(self.push_stmt(StmtKind::Labeled { labels, body }, start, keyword))
    }
    fn label(&mut self) -> Parsed<Label> {
        let first = self.bump();
        let kind = match first.kind {
            TokenKind::Default => LabelKind::Default,
            TokenKind::Case => {
                let low = self.conditional()?;
                match self.eat(TokenKind::Ellipsis) {
                    Some(_) => LabelKind::CaseRange(low, self.conditional()?),
                    None => LabelKind::Case(low),
                }
            }
            _ => LabelKind::Named(Name(first.payload)),
        };
        self.expect(TokenKind::Colon, "after label")?;
        Ok(Label { kind, span: self.span_from(first.span), keyword: first.span })
    }

    /// A statement after its labels, to which the attributes may belong as well.
    fn unlabeled(&mut self, place: Place, attributes: Vec<Attribute>) -> Parsed<StmtId> {
        let start = self.token.span;
        let mut attributes = attributes;
        loop {
            match self.token.kind {
                TokenKind::Attribute => self.attributes(&mut attributes)?,
                TokenKind::Extension => {
                    self.bump();
                }
                _ => break,
            }
        }
        if place == Place::Block && self.starts_declaration() {
            return self.declaration_statement(start, attributes);
        }
        let keyword = self.token.span;
        let kind = match self.token.kind {
            TokenKind::LeftBrace => return self.nested(Self::block),
            TokenKind::If => return self.if_chain(),
            TokenKind::Semicolon => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::While => {
                let condition = self.keyword_and_condition()?;
                StmtKind::While { condition, body: self.body()? }
            }
            TokenKind::Do => self.do_while()?,
            TokenKind::For => self.for_loop()?,
            TokenKind::Switch => {
                let scrutinee = self.keyword_and_condition()?;
                StmtKind::Switch { scrutinee, body: self.body()? }
            }
            TokenKind::Goto => self.goto()?,
            TokenKind::Break => self.jump(StmtKind::Break, "after `break`")?,
            TokenKind::Continue => self.jump(StmtKind::Continue, "after `continue`")?,
            TokenKind::Return => {
                self.bump();
                let value = if self.at(TokenKind::Semicolon) { None } else { Some(self.expression()?) };
                self.expect(TokenKind::Semicolon, "after `return`")?;
                StmtKind::Return(value)
            }
            TokenKind::Asm => StmtKind::Asm(self.asm()?),
            TokenKind::LocalLabel => self.local_labels()?,
            _ => self.expression_statement()?,
        };
        Ok(self.push_stmt(kind, start, keyword))
    }

    fn declaration_statement(&mut self, start: Span, attributes: Vec<Attribute>) -> Parsed<StmtId> {
        let kind = match self.declaration(start, Implicit::WithOthers, attributes)? {
            Declaring::Declaration(declaration) => StmtKind::Declaration(declaration),
            Declaring::Function(function) => StmtKind::NestedFunction(function),
        };
        Ok(self.push_stmt(kind, start, start))
    }
    fn expression_statement(&mut self) -> Parsed<StmtKind> {
        let first = self.token;
        if first.kind == TokenKind::Ident && self.peek_kind(1) == TokenKind::Ident {
            return Err(self.unknown_type(Ident { name: Name(first.payload), span: first.span }));
        }
        if self.starts_declaration() {
            let failure = self.unexpected("statement");
            return Err(Box::new(
                failure.with_help("a declaration cannot be the body of a statement: put it into braces"),
            ));
        }
        let expr = self.expression()?;
        self.expect(TokenKind::Semicolon, "after expression")?;
        Ok(StmtKind::Expr(expr))
    }

    /// A keyword and the condition in parentheses after it.
    fn keyword_and_condition(&mut self) -> Parsed<ExprId> {
        let keyword = self.bump();
        let open = self.expect(TokenKind::LeftParen, &format!("after {}", keyword.kind.describe()))?.span;
        let condition = self.expression()?;
        self.expect_close(TokenKind::RightParen, open, "after condition")?;
        Ok(condition)
    }

    /// `if … else if … else …`, built from the last link to the first.
    fn if_chain(&mut self) -> Parsed<StmtId> {
        let mut links = Vec::new();
        let mut otherwise = None;
        loop {
            let keyword = self.token.span;
            let condition = self.keyword_and_condition()?;
            links.push((keyword, condition, self.body()?));
            if self.eat(TokenKind::Else).is_none() {
                break;
            }
            if !self.at(TokenKind::If) {
                otherwise = Some(self.body()?);
                break;
            }
        }
        let mut chain = None;
        for (keyword, condition, then) in links.into_iter().rev() {
            let link = self.push_stmt(StmtKind::If { condition, then, otherwise }, keyword, keyword);
            otherwise = Some(link);
            chain = Some(link);
        }
        Ok(chain.expect("the loop should have made a link"))
    }

    fn do_while(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let body = self.body()?;
        let while_keyword = self.token.span;
        if !self.at(TokenKind::While) {
            return Err(self.unexpected("`while` after body of `do`"));
        }
        let condition = self.keyword_and_condition()?;
        self.expect(TokenKind::Semicolon, "after `do … while (…)`")?;
        Ok(StmtKind::DoWhile { body, condition, while_keyword })
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "after `for`")?.span;
        self.scopes.open();
        let start = self.token.span;
        while self.eat(TokenKind::Extension).is_some() {}
        let init = if self.eat(TokenKind::Semicolon).is_some() {
            ForInit::None
        } else if self.starts_declaration() || self.at(TokenKind::Attribute) {
            match self.declaration(start, Implicit::WithOthers, Vec::new())? {
                Declaring::Declaration(declaration) => ForInit::Declaration(declaration),
                Declaring::Function(function) => {
                    let span = self.unit.functions[function].span;
                    let message = "a function definition cannot be the first clause of a `for`";
                    return Err(Box::new(base::Diagnostic::error(message, span)));
                }
            }
        } else {
            let expr = self.expression()?;
            self.expect(TokenKind::Semicolon, "after first clause of `for`")?;
            ForInit::Expr(expr)
        };
        let condition = if self.at(TokenKind::Semicolon) { None } else { Some(self.expression()?) };
        self.expect(TokenKind::Semicolon, "after second clause of `for`")?;
        let step = if self.at(TokenKind::RightParen) { None } else { Some(self.expression()?) };
        self.expect_close(TokenKind::RightParen, open, "after clauses of `for`")?;
        let body = self.body()?;
        self.scopes.close();
        Ok(StmtKind::For { init, condition, step, body })
    }

    fn goto(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let kind = if self.eat(TokenKind::Star).is_some() {
            StmtKind::ComputedGoto(self.expression()?)
        } else {
            StmtKind::Goto(self.expect_ident("label after `goto`")?)
        };
        self.expect(TokenKind::Semicolon, "after `goto`")?;
        Ok(kind)
    }
    fn jump(&mut self, kind: StmtKind, place: &str) -> Parsed<StmtKind> {
        self.bump();
        self.expect(TokenKind::Semicolon, place)?;
        Ok(kind)
    }
    fn local_labels(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let mut labels = Vec::new();
        loop {
            labels.push(self.expect_ident("name of a label")?);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect(TokenKind::Semicolon, "after `__label__`")?;
        Ok(StmtKind::LocalLabels(labels))
    }
}
