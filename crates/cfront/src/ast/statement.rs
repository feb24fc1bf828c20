//! Statements and labels.

use base::Span;

use super::{AsmId, DeclarationId, ExprId, ExprList, FunctionId, Ident, StmtId, StmtList, StringId};
use crate::lex::Name;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// The whole statement, with its semicolon.
    pub span: Span,
    /// Its keyword; its first token if it has none (the opening brace of a block).
    pub keyword: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// An expression and a semicolon.
    Expr(ExprId),
    /// A declaration in a block. It is in the scope of that block even if it follows a label.
    Declaration(DeclarationId),
    /// A function defined inside a function.
    NestedFunction(FunctionId),
    /// `__label__ a, b;`
    LocalLabels(Vec<Ident>),
    /// `{ … }`
    Block {
        /// The statements.
        items: StmtList,
        /// The closing brace.
        close: Span,
    },
    /// Labels and the statement that they mark; an empty statement if the block ends.
    Labeled {
        /// At least one label.
        labels: Vec<Label>,
        /// The marked statement, not itself labeled.
        body: StmtId,
    },
    /// `if`
    If {
        /// The condition.
        condition: ExprId,
        /// The first branch.
        then: StmtId,
        /// The second branch.
        otherwise: Option<StmtId>,
    },
    /// `while`
    While {
        /// The condition.
        condition: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do … while (…);`
    DoWhile {
        /// The body.
        body: StmtId,
        /// The condition.
        condition: ExprId,
        /// The word `while`.
        while_keyword: Span,
    },
    /// `for`
    For {
        /// The first clause.
        init: ForInit,
        /// The second clause.
        condition: Option<ExprId>,
        /// The third clause.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `switch`
    Switch {
        /// What is compared.
        scrutinee: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `goto label;`
    Goto(Ident),
    /// `goto *expression;`
    ComputedGoto(ExprId),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;`, `return expression;`
    Return(Option<ExprId>),
    /// An `asm` statement.
    Asm(AsmId),
}

/// The first clause of a `for`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForInit {
    /// Nothing.
    None,
    /// An expression.
    Expr(ExprId),
    /// A declaration, which ends with the clause's semicolon.
    Declaration(DeclarationId),
}

/// A label.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// Which kind.
    pub kind: LabelKind,
    /// From the first token to the colon.
    pub span: Span,
    /// `case`, `default`, or the name.
    pub keyword: Span,
}

/// Which kind of label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// `name:`
    Named(Name),
    /// `case value:`
    Case(ExprId),
    /// `case first ... last:`
    CaseRange(ExprId, ExprId),
    /// `default:`
    Default,
}

/// An `asm`, recognised so that it can be reported.
#[derive(Clone, Debug)]
pub struct Asm {
    /// The template.
    pub template: StringId,
    /// Whether there are operands or clobbers (a colon after the template).
    pub has_operands: bool,
    /// Whether it is `asm goto`.
    pub is_goto: bool,
    /// The expressions among the operands, outputs first.
    pub operands: ExprList,
    /// From the keyword to the semicolon.
    pub span: Span,
}
