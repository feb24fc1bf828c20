//! The places of a C text that witnesses speak about: statements, loops, branches, calls.
//!
//! # Invariants
//! * I1: all offsets are of the physical text, and lie in it.
//! * I2: what comes from a macro or from an included file is not listed, unless the whole of it stands in this text.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{FileId, SourceFile, SourceMap, Span};
use cfront::ast::{
    DeclarationId, DeclarationKind, DeclaratorPart, Expr, ExprKind, ForInit, Item, StmtId, StmtKind,
    TranslationUnit,
};
use cfront::lex::{Lexer, TokenKind};
use cfront::{Input, Interner, Loaded, Name, preprocess, with_large_stack};

use crate::cases::{self, Case};
use crate::names::{self, Function, Names, StaticLocal};

/// A stretch of the text, the end exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Range {
    /// Whether another one lies in it.
    pub fn contains(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }
}

/// What a controlling expression controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlKind {
    /// `if`
    If,
    /// `while`
    While,
    /// `do`
    Do,
    /// `for`
    For,
    /// `switch`
    Switch,
    /// `?`
    Conditional,
}

impl ControlKind {
    /// Whether it is a loop.
    pub fn is_loop(self) -> bool {
        matches!(self, Self::While | Self::Do | Self::For)
    }
}

/// A controlling expression.
#[derive(Clone, Debug)]
pub struct Control {
    /// Where the keyword or the `?` stands.
    pub at: u32,
    /// What it is.
    pub kind: ControlKind,
    /// The expression; empty, at the place where it would be, for a `for` without one.
    pub condition: Range,
    /// The first statement in the braces of a `do`.
    pub first_of_body: Option<u32>,
    /// The names that the first clause of a `for` declares: they are visible in the condition, and not at the keyword.
    pub declared: Vec<Arc<str>>,
    /// The cases of a `switch`; nothing if one of them cannot be written elsewhere.
    pub cases: Option<Vec<Case>>,
}

/// A statement or a declaration in a block.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// The whole of it.
    pub range: Range,
    /// Whether another statement may be put before it: it stands in a block.
    pub in_block: bool,
    /// What labels mark; all of it if there are none. Jumps to the labels get here, and not before the labels.
    pub body: Range,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The whole of it.
    pub range: Range,
    /// The closing parenthesis.
    pub close: u32,
    /// The function, if it is named.
    pub callee: Option<Arc<str>>,
}

/// The text that the parser got.
#[derive(Clone, Debug)]
pub enum Parsed {
    /// The text itself.
    Itself,
    /// What the preprocessor made of it, with the definitions of macros.
    Preprocessed(Arc<[u8]>),
}

/// What is known of a text.
pub struct Syntax {
    /// The text with its lines.
    pub source: SourceFile,
    /// Statements in no particular order.
    pub statements: Vec<Statement>,
    /// Controlling expressions.
    pub controls: Vec<Control>,
    /// Calls.
    pub calls: Vec<Call>,
    /// Where the first declaration starts.
    pub first_item: u32,
    /// The functions that the program defines, in whatever file.
    pub defined: Vec<Arc<str>>,
    /// The names that are declared at file level, functions with bodies apart.
    pub declared: Vec<Arc<str>>,
    /// Assignments, increments and others that change the state, and statement expressions.
    pub effects: Vec<Range>,
    /// Compound literals: they live as long as the block around them.
    pub literals: Vec<Range>,
    /// How many effects there are, those that come from macros and included files too.
    pub effect_count: usize,
    /// How many types of arrays are written out in it, those from macros and included files too.
    pub array_count: usize,
    /// What was parsed.
    pub parsed: Parsed,
    /// What the file declares at file level.
    pub names: Names,
    /// The functions that the text itself defines.
    pub functions: Vec<Function>,
    /// Their static variables.
    pub statics: Vec<StaticLocal>,
}

impl Syntax {
    /// Reads a text; nothing if it cannot be parsed.
    pub fn new(name: &str, text: Arc<[u8]>, options: &preprocess::Options) -> Option<Self> {
        let input = Input::Text { name: name.to_owned(), text };
        with_large_stack(|| {
            let mut sources = SourceMap::new();
            let mut interner = Interner::new();
            let loaded = cfront::load(&input, options, &mut sources, &mut interner).ok()?;
            Some(Self::of_parsed(&loaded, &sources, &mut interner))
        })
    }

    /// What is in a text that the front end has parsed.
    pub fn of_parsed(loaded: &Loaded, sources: &SourceMap, interner: &mut Interner) -> Self {
        let Loaded { unit, file, preprocessed } = loaded;
        let file = *file;
        let parsed = match preprocessed {
            Some(output) => Parsed::Preprocessed(sources.file(*output).text.clone()),
            None => Parsed::Itself,
        };
        let mut syntax = Self {
            source: sources.file(file).clone(),
            statements: Vec::new(),
            controls: Vec::new(),
            calls: Vec::new(),
            first_item: 0,
            defined: Vec::new(),
            declared: Vec::new(),
            effects: Vec::new(),
            literals: Vec::new(),
            array_count: array_count(unit),
            effect_count: unit.exprs.iter().filter(|expr| !is_pure(&expr.kind)).count(),
            parsed,
            names: names::names(unit, file, interner),
            functions: names::functions(unit, file, interner),
            statics: names::static_locals(unit, file, interner),
        };
        syntax.first_item = first_item(unit, file);
        let names = unit.functions.iter().filter_map(|function| unit.declarators[function.declarator].ident);
        syntax.defined = names.map(|name| Arc::from(interner.text(name.name))).collect();
        syntax.declared = declared(unit).map(|name| Arc::from(interner.text(name))).collect();
        syntax.add_statements(unit, file, interner);
        for expr in &unit.exprs {
            syntax.add_expression(unit, file, expr, interner);
        }
        syntax
    }

    fn add_statements(&mut self, unit: &TranslationUnit, file: FileId, interner: &mut Interner) {
        let here = |span: Span| range_in(file, span);
        let in_block = in_blocks(unit);
        let enumerators = cases::enumerators(unit, interner);
        for (id, statement) in unit.stmts.iter_enumerated() {
            let (Some(range), Some(keyword)) = (here(statement.span), here(statement.keyword)) else {
                continue;
            };
            let body = match &statement.kind {
                StmtKind::Labeled { body, .. } => here(unit.stmts[*body].span),
                _ => Some(range),
            };
            if let (true, Some(body)) = (range.hi > range.lo, body) {
                self.statements.push(Statement { range, in_block: in_block[id.0 as usize], body });
            }
            self.add_control(unit, id, keyword.lo, &here, &enumerators, interner);
        }
    }

    fn add_expression(&mut self, unit: &TranslationUnit, file: FileId, expr: &Expr, interner: &Interner) {
        let here = |span: Span| range_in(file, span);
        let Some(range) = here(expr.span) else { return };
        match expr.kind {
            ExprKind::Call { callee, close, .. } => {
                let named = match unit.exprs[unit.without_parentheses(callee)].kind {
                    ExprKind::Ident(name) => Some(Arc::from(interner.text(name))),
                    _ => None,
                };
                let Some(close) = here(close) else { return };
                self.calls.push(Call { range, close: close.lo, callee: named });
            }
            ExprKind::Conditional { condition, then: Some(_), question, .. } => {
                let (Some(at), Some(condition)) = (here(question), here(unit.exprs[condition].span)) else {
                    return;
                };
                let kind = ControlKind::Conditional;
                let (first_of_body, declared, cases) = (None, Vec::new(), None);
                self.controls.push(Control { at: at.lo, kind, condition, first_of_body, declared, cases });
            }
            _ => {}
        }
        if !is_pure(&expr.kind) {
            self.effects.push(range);
        }
        if matches!(expr.kind, ExprKind::CompoundLiteral { .. }) {
            self.literals.push(range);
        }
    }

    fn add_control(
        &mut self,
        unit: &TranslationUnit,
        id: StmtId,
        at: u32,
        here: &impl Fn(Span) -> Option<Range>,
        enumerators: &BTreeSet<Arc<str>>,
        interner: &mut Interner,
    ) {
        let (mut first_of_body, mut declared, mut cases) = (None, Vec::new(), None);
        let (kind, condition) = match &unit.stmts[id].kind {
            StmtKind::If { condition, .. } => (ControlKind::If, Some(*condition)),
            StmtKind::While { condition, .. } => (ControlKind::While, Some(*condition)),
            StmtKind::DoWhile { condition, body, .. } => {
                if let StmtKind::Block { items, .. } = &unit.stmts[*body].kind {
                    let first = unit.stmts_of(*items).first();
                    first_of_body =
                        first.and_then(|first| here(unit.stmts[*first].span)).map(|first| first.lo);
                }
                (ControlKind::Do, Some(*condition))
            }
            StmtKind::For { condition, init, .. } => {
                if let ForInit::Declaration(declaration) = init {
                    declared = declared_in(unit, *declaration, interner);
                }
                (ControlKind::For, *condition)
            }
            StmtKind::Switch { scrutinee, body } => {
                cases = cases::cases(unit, *body, enumerators, interner);
                (ControlKind::Switch, Some(*scrutinee))
            }
            _ => return,
        };
        let condition = match condition {
            Some(condition) => here(unit.exprs[condition].span),
            None => self.missing_condition(at, interner),
        };
        if let Some(condition) = condition {
            self.controls.push(Control { at, kind, condition, first_of_body, declared, cases });
        }
    }

    /// Where the condition of a `for` without one would stand: after the first semicolon in its parentheses.
    fn missing_condition(&self, keyword: u32, interner: &mut Interner) -> Option<Range> {
        let rest: Arc<[u8]> = self.source.text.get(keyword as usize..)?.into();
        let mut lexer = Lexer::new(FileId(0), rest);
        let mut depth = 0_u32;
        loop {
            let token = lexer.next_token(interner).ok()?;
            match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBrace => depth += 1,
                TokenKind::RightParen | TokenKind::RightBrace => depth = depth.checked_sub(1)?,
                TokenKind::Semicolon if depth == 1 => {
                    let at = keyword + token.span.hi;
                    return Some(Range { lo: at, hi: at });
                }
                TokenKind::EndOfFile => return None,
                _ => {}
            }
        }
    }

    /// Line and column of an offset.
    pub fn position(&self, offset: u32) -> (u32, u32) {
        self.source.line_column(offset)
    }

    /// The offset of a line and column; nothing outside the text.
    pub fn offset(&self, line: u32, column: u32) -> Option<u32> {
        if line == 0 || column == 0 || line > self.source.line_count() {
            return None;
        }
        // Bytes 10xxxxxx continue a character.
        let starts = self.source.line_text(line).iter().enumerate().filter(|(_, byte)| **byte & 0xC0 != 0x80);
        let (before, _) = starts.skip(column as usize - 1).map(|(at, byte)| (at, *byte)).next()?;
        let offset = self.source.line_start(line) + before as u32;
        ((offset as usize) < self.source.text.len()).then_some(offset)
    }

    /// The innermost statement around a range.
    pub fn statement_around(&self, range: Range) -> Option<Statement> {
        let around = self.statements.iter().filter(|statement| statement.range.contains(range));
        around.min_by_key(|statement| statement.range.hi - statement.range.lo).copied()
    }

    /// The text of a range.
    pub fn text(&self, range: Range) -> String {
        let bytes = self.source.text.get(range.lo as usize..range.hi as usize).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// The range of a span, if it is in the file.
fn range_in(file: FileId, span: Span) -> Option<Range> {
    (span.file == file).then_some(Range { lo: span.lo, hi: span.hi })
}

/// Which statements stand in a block, by number.
fn in_blocks(unit: &TranslationUnit) -> Vec<bool> {
    let mut in_block = vec![false; unit.stmts.len()];
    for statement in &unit.stmts {
        if let StmtKind::Block { items, .. } = &statement.kind {
            for item in unit.stmts_of(*items) {
                in_block[item.0 as usize] = true;
            }
        }
    }
    // What a label in a block marks follows the label in that block.
    for (id, statement) in unit.stmts.iter_enumerated() {
        if let StmtKind::Labeled { body, .. } = &statement.kind {
            in_block[body.0 as usize] = in_block[id.0 as usize];
        }
    }
    in_block
}

fn array_count(unit: &TranslationUnit) -> usize {
    let parts = unit.declarators.iter().flat_map(|declarator| &declarator.parts);
    parts.filter(|part| matches!(part, DeclaratorPart::Array { .. })).count()
}

/// What a declaration adds to its scope: what it declares, enumerators and tags.
fn declared_in(unit: &TranslationUnit, declaration: DeclarationId, interner: &Interner) -> Vec<Arc<str>> {
    let span = unit.declarations[declaration].span;
    let inside =
        |other: Span| other.file == span.file && span.lo <= other.lo && other.hi <= span.hi.max(other.lo);
    let declarators = match &unit.declarations[declaration].kind {
        DeclarationKind::Plain { declarators, .. } => declarators.as_slice(),
        DeclarationKind::StaticAssert { .. } => &[],
    };
    let named = declarators.iter().filter_map(|one| unit.declarators[one.declarator].ident);
    let records = unit.records.iter().filter(|record| inside(record.span)).filter_map(|record| record.tag);
    let enums = unit.enums.iter().filter(|definition| inside(definition.span));
    let enumerators = enums.flat_map(|definition| {
        let inner = definition.enumerators.iter().flatten().map(|enumerator| enumerator.ident);
        inner.chain(definition.tag)
    });
    let idents = named.chain(records).chain(enumerators);
    idents.map(|ident| Arc::from(interner.text(ident.name))).collect()
}

/// The names that declarations at file level declare.
fn declared(unit: &TranslationUnit) -> impl Iterator<Item = Name> + '_ {
    let declarations = unit.items.iter().filter_map(|item| match item {
        Item::Declaration(declaration) => Some(&unit.declarations[*declaration].kind),
        Item::Function(_) | Item::Asm(_) => None,
    });
    let declarators = declarations.flat_map(|kind| match kind {
        DeclarationKind::Plain { declarators, .. } => declarators.as_slice(),
        DeclarationKind::StaticAssert { .. } => &[],
    });
    declarators.filter_map(|declarator| unit.declarators[declarator.declarator].ident.map(|ident| ident.name))
}

/// Where the first declaration of a file starts.
fn first_item(unit: &TranslationUnit, file: FileId) -> u32 {
    let mut first: Option<u32> = None;
    let mut see = |span: Span| {
        if span.file == file && first.is_none_or(|least| span.lo < least) {
            first = Some(span.lo);
        }
    };
    for item in &unit.items {
        match item {
            Item::Function(function) => see(unit.functions[*function].span),
            Item::Declaration(declaration) => see(unit.declarations[*declaration].span),
            Item::Asm(asm) => see(unit.asms[*asm].span),
        }
    }
    first.unwrap_or(0)
}

/// Whether evaluating an expression, its operands apart, changes nothing and calls nobody.
fn is_pure(kind: &ExprKind) -> bool {
    use cfront::ast::UnaryOp;
    match kind {
        ExprKind::Unary { op, .. } => !matches!(
            op,
            UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement
        ),
        ExprKind::Assign { .. }
        | ExprKind::Call { .. }
        | ExprKind::StatementExpr(_)
        | ExprKind::CompoundLiteral { .. }
        | ExprKind::VaArg { .. }
        | ExprKind::LabelAddress(_) => false,
        _ => true,
    }
}
