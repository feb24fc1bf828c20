//! The same files through lang-c: both parsers must see the same functions, statements and identifiers.
//!
//! lang-c knows neither comments nor all of GNU C, so comments, directives and splices are blanked at equal length; where it
//! fails, only ours must succeed. Identifiers are compared with their byte offsets.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::{SourceFile, SourceMap};
use cfront::ast::{
    DeclaratorPart, Designator, ExprKind, ForInit, InitializerKind, Item, LabelKind, Parameters, StmtKind,
    TranslationUnit, TypeSpecifier,
};
use cfront::{Interner, with_large_stack};
use lang_c::ast as other;
use lang_c::driver::{Config, parse_preprocessed};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

/// What both parsers must agree on.
#[derive(Debug, Default, PartialEq, Eq)]
struct Facts {
    /// The names of defined functions.
    functions: Vec<String>,
    /// How many statements there are of each kind.
    statements: BTreeMap<&'static str, usize>,
    /// Offset and text of each identifier, in order.
    identifiers: Vec<(usize, String)>,
}

impl Facts {
    fn count(&mut self, kind: &'static str) {
        *self.statements.entry(kind).or_default() += 1;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Ours

fn ours(unit: &TranslationUnit, names: &Interner) -> Facts {
    let mut facts = Facts::default();
    for item in &unit.items {
        if let Item::Function(function) = item {
            let ident = unit.declarators[unit.functions[*function].declarator].ident;
            facts.functions.extend(ident.map(|ident| names.text(ident.name).to_owned()));
        }
    }
    let mut add = |lo: u32, name| facts.identifiers.push((lo as usize, names.text(name).to_owned()));
    for expr in &unit.exprs {
        match expr.kind {
            ExprKind::Ident(name) => add(expr.span.lo, name),
            ExprKind::Member { member, .. } => add(member.span.lo, member.name),
            ExprKind::LabelAddress(label) => add(label.span.lo, label.name),
            _ => {}
        }
    }
    for declarator in &unit.declarators {
        if let Some(ident) = declarator.ident {
            add(ident.span.lo, ident.name);
        }
        for part in &declarator.parts {
            if let DeclaratorPart::Function { parameters: Parameters::Identifiers(idents), .. } = part {
                for ident in idents {
                    add(ident.span.lo, ident.name);
                }
            }
        }
    }
    for specifiers in &unit.specifiers {
        if let TypeSpecifier::Typedef(name) = specifiers.kind {
            add(specifiers.type_span.lo, name);
        }
    }
    for tag in
        unit.records.iter().filter_map(|record| record.tag).chain(unit.enums.iter().filter_map(|id| id.tag))
    {
        add(tag.span.lo, tag.name);
    }
    for enumerator in unit.enums.iter().filter_map(|specifier| specifier.enumerators.as_ref()).flatten() {
        add(enumerator.ident.span.lo, enumerator.ident.name);
    }
    let mut designator = |designator: &Designator| {
        if let Designator::Member(member) = designator {
            add(member.span.lo, member.name);
        }
    };
    for initializer in &unit.initializers {
        if let InitializerKind::List(items) = &initializer.kind {
            items.iter().flat_map(|item| &item.designators).for_each(&mut designator);
        }
    }
    unit.offsetofs.iter().flat_map(|offset| &offset.place).for_each(&mut designator);
    for stmt in &unit.stmts {
        if let StmtKind::Goto(label) = &stmt.kind {
            add(label.span.lo, label.name);
        }
        if let StmtKind::Labeled { labels, .. } = &stmt.kind {
            for label in labels {
                if let LabelKind::Named(name) = label.kind {
                    add(label.keyword.lo, name);
                }
            }
        }
    }
    facts.identifiers.sort();
    for stmt in unit.stmts.ids() {
        count_statement(&mut facts, &unit.stmts[stmt].kind);
    }
    facts
}

fn count_statement(facts: &mut Facts, kind: &StmtKind) {
    let name = match kind {
        StmtKind::Empty | StmtKind::Expr(_) => "expression",
        StmtKind::Declaration(_) => "declaration",
        StmtKind::NestedFunction(_) => "nested",
        StmtKind::LocalLabels(_) => "local labels",
        StmtKind::Block { .. } => "block",
        StmtKind::Labeled { labels, .. } => {
            for _ in labels {
                facts.count("label");
            }
            return;
        }
        StmtKind::If { .. } => "if",
        StmtKind::While { .. } => "while",
        StmtKind::DoWhile { .. } => "do",
        StmtKind::For { init, .. } => {
            if matches!(init, ForInit::Declaration(_)) {
                facts.count("declaration");
            }
            "for"
        }
        StmtKind::Switch { .. } => "switch",
        StmtKind::Goto(_) | StmtKind::ComputedGoto(_) => "goto",
        StmtKind::Break => "break",
        StmtKind::Continue => "continue",
        StmtKind::Return(_) => "return",
        StmtKind::Asm(_) => "asm",
    };
    facts.count(name);
}

// ---------------------------------------------------------------------------------------------------------
// Theirs

struct Collector(Facts);

impl<'ast> Visit<'ast> for Collector {
    fn visit_identifier(&mut self, identifier: &'ast other::Identifier, span: &'ast Span) {
        // A keyword for us.
        if identifier.name != "__builtin_va_list" {
            self.0.identifiers.push((span.start, identifier.name.clone()));
        }
    }
    fn visit_function_definition(&mut self, definition: &'ast other::FunctionDefinition, span: &'ast Span) {
        self.0.functions.extend(declared(&definition.declarator.node));
        visit::visit_function_definition(self, definition, span);
    }
    fn visit_statement(&mut self, statement: &'ast other::Statement, span: &'ast Span) {
        use other::Statement as S;
        let kind = match statement {
            S::Labeled(_) => "label",
            S::Compound(_) => "block",
            S::Expression(_) => "expression",
            S::If(_) => "if",
            S::Switch(_) => "switch",
            S::While(_) => "while",
            S::DoWhile(_) => "do",
            S::For(_) => "for",
            S::Goto(_) => "goto",
            S::Continue => "continue",
            S::Break => "break",
            S::Return(_) => "return",
            S::Asm(_) => "asm",
        };
        self.0.count(kind);
        visit::visit_statement(self, statement, span);
    }
    fn visit_block_item(&mut self, item: &'ast other::BlockItem, span: &'ast Span) {
        if !matches!(item, other::BlockItem::Statement(_)) {
            self.0.count("declaration");
        }
        visit::visit_block_item(self, item, span);
    }
    fn visit_for_initializer(&mut self, init: &'ast other::ForInitializer, span: &'ast Span) {
        if matches!(init, other::ForInitializer::Declaration(_)) {
            self.0.count("declaration");
        }
        visit::visit_for_initializer(self, init, span);
    }
    // Attributes: their names are no identifiers for us.
    fn visit_extension(&mut self, _: &'ast other::Extension, _: &'ast Span) {}
    // Operands of inline assembly have names that we do not keep.
    fn visit_gnu_asm_operand(&mut self, operand: &'ast other::GnuAsmOperand, _: &'ast Span) {
        visit::visit_expression(self, &operand.variable_name.node, &operand.variable_name.span);
    }
}

fn declared(declarator: &other::Declarator) -> Option<String> {
    match &declarator.kind.node {
        other::DeclaratorKind::Identifier(Node { node, .. }) => Some(node.name.clone()),
        other::DeclaratorKind::Declarator(inner) => declared(&inner.node),
        other::DeclaratorKind::Abstract => None,
    }
}

fn theirs(text: &str) -> Option<Facts> {
    let parsed = parse_preprocessed(&Config::with_gcc(), text.to_owned()).ok()?;
    let mut collector = Collector(Facts::default());
    collector.visit_translation_unit(&parsed.unit);
    let mut facts = collector.0;
    facts.identifiers.sort();
    Some(facts)
}

/// The text with comments, pragmas and bytes beyond ASCII replaced by as many blanks. `None` if offsets could not be kept.
fn blanked(text: &[u8]) -> Option<String> {
    let mut result = Vec::with_capacity(text.len());
    let mut at = 0;
    let blank = |byte: u8| if byte == b'\n' { b'\n' } else { b' ' };
    while at < text.len() {
        let rest = &text[at..];
        let skip = if rest.starts_with(b"/*") {
            rest[2..].windows(2).position(|pair| pair == b"*/")? + 4
        } else if rest.starts_with(b"//") || (rest[0] == b'#' && (at == 0 || text[at - 1] == b'\n')) {
            rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
        } else {
            0
        };
        if skip > 0 {
            result.extend(rest[..skip].iter().map(|byte| blank(*byte)));
            at += skip;
        } else if matches!(rest[0], b'"' | b'\'') {
            let mut end = 1;
            while end < rest.len() && rest[end] != rest[0] {
                end += if rest[end] == b'\\' { 2 } else { 1 };
            }
            let end = (end + 1).min(rest.len());
            result.extend_from_slice(&rest[..end]);
            at += end;
        } else {
            result.push(rest[0]);
            at += 1;
        }
    }
    String::from_utf8(result).ok()
}

/// Whether lang-c could parse the file; panics if the two differ, or if ours fails.
fn compare(path: &Path) -> bool {
    let text = std::fs::read(path).unwrap();
    let mut sources = SourceMap::new();
    let mut names = Interner::new();
    let file = sources.add(SourceFile::new(path.display().to_string(), &text[..]));
    let unit = cfront::parse::parse(file, &mut sources, &mut names)
        .unwrap_or_else(|diagnostic| panic!("{}: {}", path.display(), diagnostic.message));
    let Some(theirs) = blanked(&text).and_then(|text| theirs(&text)) else { return false };
    let ours = ours(&unit, &names);
    assert_eq!(ours.functions, theirs.functions, "functions of {}", path.display());
    assert_eq!(ours.statements, theirs.statements, "statements of {}", path.display());
    let difference = ours.identifiers.iter().zip(&theirs.identifiers).find(|(our, their)| our != their);
    assert_eq!(difference, None, "identifiers of {}", path.display());
    assert_eq!(ours.identifiers.len(), theirs.identifiers.len(), "identifiers of {}", path.display());
    true
}

fn compare_all(files: &[PathBuf]) -> Vec<PathBuf> {
    with_large_stack(|| files.iter().filter(|path| !compare(path)).cloned().collect())
}

#[test]
fn own_files_agree() {
    let mut files = Vec::new();
    common::collect(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")), &mut files);
    files.sort();
    let failed = compare_all(&files);
    let mut names: Vec<String> =
        failed.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    println!("{} files, not parsed by lang-c: {}", files.len(), names.join(" "));
    assert!(files.len() >= 30 && failed.len() <= 15, "{names:?}");
}

#[test]
fn benchmark_files_agree() {
    let Some(files) = common::bench_files() else { return };
    let failed = compare_all(&files);
    println!("{} files, {} not parsed by lang-c", files.len(), failed.len());
    assert!(failed.len() * 20 <= files.len(), "{failed:#?}");
}
