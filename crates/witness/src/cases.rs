//! The cases of a `switch` as expressions of C, for the claim that none of them is taken.
//!
//! # Invariants
//! * I1: a constant means at the controlling expression what it means at its label: it is made of literals and of enumerators that are declared at file level.
//!   Anything else has no form here, and the claim is then not supported.
//! * I2: labels of a `switch` inside a `switch` belong to the inner one.

use std::collections::BTreeSet;
use std::sync::Arc;

use cfront::Interner;
use cfront::ast::{ExprId, ExprKind, LabelKind, Notation, StmtId, StmtKind, TranslationUnit, UnaryOp};

/// First and last value of a label, the same text twice if it has one value.
pub type Case = (String, String);

/// The cases of the body of a `switch`; nothing if one of them has no form.
pub(crate) fn cases(
    unit: &TranslationUnit,
    body: StmtId,
    enumerators: &BTreeSet<Arc<str>>,
    interner: &Interner,
) -> Option<Vec<Case>> {
    let mut found = Vec::new();
    let mut open = vec![body];
    while let Some(statement) = open.pop() {
        match &unit.stmts[statement].kind {
            StmtKind::Labeled { labels, body } => {
                open.push(*body);
                for label in labels {
                    let (first, last) = match label.kind {
                        LabelKind::Case(value) => (value, value),
                        LabelKind::CaseRange(first, last) => (first, last),
                        LabelKind::Named(_) | LabelKind::Default => continue,
                    };
                    let text = |value| constant(unit, value, enumerators, interner);
                    found.push((text(first)?, text(last)?));
                }
            }
            StmtKind::Block { items, .. } => open.extend(unit.stmts_of(*items)),
            StmtKind::If { then, otherwise, .. } => {
                open.push(*then);
                open.extend(otherwise);
            }
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::For { body, .. } => {
                open.push(*body);
            }
            // I2, and statements without a statement in them.
            _ => {}
        }
    }
    Some(found)
}

/// The enumerators that are declared outside all functions, and not again inside one.
pub(crate) fn enumerators(unit: &TranslationUnit, interner: &Interner) -> BTreeSet<Arc<str>> {
    let text = |name| Arc::from(interner.text(name));
    let inside = |at: base::Span| {
        let mut spans = unit.functions.iter().map(|function| function.span);
        spans.any(|span| span.file == at.file && span.lo <= at.lo && at.lo <= span.hi)
    };
    let (mut outside, mut hidden) = (BTreeSet::new(), BTreeSet::new());
    for enumerator in unit.enums.iter().flat_map(|definition| definition.enumerators.iter().flatten()) {
        let ident = enumerator.ident;
        let names = if inside(ident.span) { &mut hidden } else { &mut outside };
        names.insert(text(ident.name));
    }
    let declared = unit.declarators.iter().filter_map(|declarator| declarator.ident);
    hidden.extend(declared.filter(|ident| inside(ident.span)).map(|ident| text(ident.name)));
    &outside - &hidden
}

/// A constant expression (I1).
fn constant(
    unit: &TranslationUnit,
    expression: ExprId,
    enumerators: &BTreeSet<Arc<str>>,
    interner: &Interner,
) -> Option<String> {
    let mut sign = String::new();
    let mut current = expression;
    loop {
        match unit.exprs[current].kind {
            ExprKind::Parenthesized(inner) => current = inner,
            ExprKind::Unary { op: UnaryOp::Minus, operand } => {
                sign = if sign.is_empty() { "-".to_owned() } else { String::new() };
                current = operand;
            }
            ExprKind::Unary { op: UnaryOp::Plus, operand } => current = operand,
            ExprKind::Integer(literal) => {
                let is_signed = literal.notation == Notation::Decimal && !literal.suffix.unsigned;
                // The negative of an unsigned number depends on its width.
                let value = i64::try_from(literal.value()).ok().filter(|_| sign.is_empty() || is_signed)?;
                return Some(format!("{sign}{value}LL"));
            }
            // The sign of other characters depends on the machine.
            ExprKind::Char(literal) if literal.count == 1 && literal.value < 128 => {
                return Some(format!("{sign}{}", literal.value));
            }
            ExprKind::Ident(name) => {
                let name = interner.text(name);
                return enumerators.contains(name).then(|| format!("{sign}{name}"));
            }
            _ => return None,
        }
    }
}
