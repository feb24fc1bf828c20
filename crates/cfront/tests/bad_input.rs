//! Hostile input: an error with a place, or a tree, in bounded time and memory; never a panic or an overflow.
#![allow(clippy::unwrap_used)] // helpers of tests may panic

use std::time::{Duration, Instant};

use base::{Diagnostic, SourceFile, SourceMap};
use cfront::ast::{ExprKind, StmtKind, TranslationUnit};
use cfront::{Interner, with_large_stack};

fn parse(text: &[u8]) -> Result<TranslationUnit, Diagnostic> {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("a.c", text));
    with_large_stack(|| cfront::parse::parse(file, &mut sources, &mut Interner::new()))
}

/// The message and the offset of an error.
fn error(text: &[u8]) -> (String, u32) {
    let diagnostic = parse(text).unwrap_err();
    (diagnostic.message, diagnostic.primary.unwrap().span.lo)
}

const MANY: usize = 100_000;

#[test]
fn deep_nesting_is_an_error_with_a_place() {
    let nested = |before: &str, open: &str, middle: &str, close: &str, after: &str| {
        format!("{before}{}{middle}{}{after}", open.repeat(MANY), close.repeat(MANY))
    };
    let texts = [
        nested("int x = ", "(", "1", ")", ";"),
        nested("int x = ", "(", "1", "", ";"),
        nested("int x = ", "-", "1", "", ";"),
        nested("int x = ", "- - ", "1", "", ";"),
        nested("int x = ", "!", "1", "", ";"),
        nested("int x = ", "*&", "y", "", ";"),
        nested("int x = ", "(int)", "1", "", ";"),
        nested("int x = ", "sizeof ", "1", "", ";"),
        nested("int x = ", "__extension__ ", "1", "", ";"),
        nested("int x = ", "a[", "1", "]", ";"),
        nested("int x = ", "f(", "1", ")", ";"),
        nested("int x = ", "a ? b : ", "1", "", ";"),
        nested("int x = ", "a ? ", "1", " : b", ";"),
        nested("int x = ", "a = ", "1", "", ";"),
        nested("int x = ", "({", "1;", "})", ";"),
        nested("int x = ", "(int[]){", "1", "}", ";"),
        nested("int x = ", "sizeof(int[", "1", "])", ";"),
        nested("int x = ", "_Generic(1, default: ", "1", ")", ";"),
        nested("int x = ", "__builtin_choose_expr(1, 2, ", "1", ")", ";"),
        nested("int x = y", "[1]", "", "", ";"),
        nested("int x = y", "++", "", "", ";"),
        nested("int x = y", "->z", "", "", ";"),
        nested("int x[] = ", "{", "1", "}", ";"),
        nested("int x[] = {", "[", "1", "]", "};"),
        nested("int ", "(", "x", ")", ";"),
        nested("int ", "(*", "x", ")(void)", ";"),
        nested("int ", "*", "x", "", ";"),
        nested("int x", "[1]", "", "", ";"),
        nested("int x", "[", "", "]", ";"),
        nested("void x", "(int y", "", ")", ";"),
        nested("void x", "(", "", ")", ";"),
        nested("void f(void) ", "{", "", "}", ""),
        nested("void f(void) ", "{", "", "", ""),
        nested("void f(void) {", "if (1) ", ";", "", "}"),
        nested("void f(void) {", "while (1) ", ";", "", "}"),
        nested("void f(void) {", "do ", ";", " while (1);", "}"),
        nested("void f(void) {", "for (;;) ", ";", "", "}"),
        nested("void f(void) {", "if (1) ; else { ", ";", "}", "}"),
        nested("void f(void) {", "int g(void) {", "", "}", "}"),
        nested("", "struct {", "int x;", "} y;", ""),
        nested("", "struct S { int a[sizeof(", "int", ")]; }", ";"),
        nested("", "enum { A = sizeof(", "int", ")}", ";"),
        nested("", "typeof(", "1", ")", "x;"),
        nested("", "_Atomic(", "int", ")", "x;"),
        nested("", "_Alignas(", "int", ")", "int x;"),
        nested("int x ", "__attribute__((aligned(", "1", ")))", ";"),
        nested("int x ", "__attribute__((aligned(sizeof(int ", "", "))))", ";"),
    ];
    for text in texts {
        let (message, place) = error(text.as_bytes());
        let shown: String = text.chars().take(60).collect();
        assert!(
            message == "constructs are nested too deeply" || message.starts_with("expected"),
            "{shown}: {message}"
        );
        assert!((place as usize) <= text.len());
    }
}

/// Nested skipped arguments of attributes need no stack.
#[test]
fn skipped_attributes_may_nest_deeply() {
    let text = format!("int x __attribute__((deprecated({}1{})));", "(".repeat(MANY), ")".repeat(MANY));
    assert!(parse(text.as_bytes()).is_ok());
}

#[test]
fn long_chains_are_no_nesting() {
    let texts = [
        format!("int x = a{};", " + a".repeat(MANY)),
        format!("int x = a{};", " && a || b".repeat(MANY)),
        format!("int x = a{};", " * a + b << c".repeat(MANY)),
        format!("void f(void) {{ a{}; }}", ", a".repeat(MANY)),
        format!("void f(void) {{ if (a) ;{} }}", " else if (b) ;".repeat(MANY)),
        format!("void f(int x) {{ switch (x) {{ {} ; }} }}", "case 1:".repeat(MANY)),
        format!("void f(int x) {{ f(1{}); }}", ", 1".repeat(MANY)),
        format!("int x[] = {{ {} }};", "1,".repeat(MANY)),
        format!("char *s = {};", "\"a\" ".repeat(MANY)),
        format!("int x{};", ", x".repeat(MANY)),
        format!("enum {{ A{} }};", ", A".repeat(MANY)),
        format!("void f(int x{});", ", int x".repeat(MANY)),
        format!("struct {{ {} }} s;", "int x;".repeat(MANY)),
        format!("{} int x;", "const ".repeat(MANY)),
        format!("int x {};", "__attribute__((unused)) ".repeat(MANY)),
        "int x;\n".repeat(MANY),
        ";".repeat(MANY),
    ];
    for text in texts {
        let result = parse(text.as_bytes());
        assert!(result.is_ok(), "{}: {:?}", text.chars().take(60).collect::<String>(), result.map(|_| ()));
    }
}

/// The tree's own bound: a walk that follows left operands with a loop needs no more than the limit.
#[test]
fn trees_are_not_deeper_than_the_limit() {
    // Each pair of parentheses adds a chain of indexes: the product must not come through.
    let text = format!("int x = {}y{};", "(".repeat(100), format!("{})", "[1]".repeat(100)).repeat(100));
    assert_eq!(error(text.as_bytes()).0, "constructs are nested too deeply");
    let text = format!("int x = {}y{};", "({".repeat(100), format!(";}}){}", "[1]".repeat(100)).repeat(100));
    assert_eq!(error(text.as_bytes()).0, "constructs are nested too deeply");
    let text = format!("int x = {}y{};", "(".repeat(900), ")[1]".repeat(900));
    assert!(parse(text.as_bytes()).is_ok());
}

#[test]
fn bytes_that_are_no_c() {
    assert_eq!(error(b"int x;\0"), ("the text contains a NUL byte".into(), 6));
    assert_eq!(error(b"int x; /* ... *"), ("unterminated comment".into(), 7));
    assert_eq!(error(b"int x = \"abc\n;"), ("unterminated string literal".into(), 8));
    assert_eq!(error(b"int \xE9;"), ("stray byte 0xe9, not UTF-8, in the program".into(), 4));
    assert!(parse(b"/* caf\xE9 */ char *s = \"\xE9\"; // \xFF\n").is_ok());
    assert!(parse("int caf\u{e9} = 1;".as_bytes()).is_ok());
    assert!(parse(b"").unwrap().items.is_empty());
    assert!(parse(b"\xEF\xBB\xBF \n\t").unwrap().items.is_empty());
    assert!(parse(b"int x;\r\n// c\r\n#pragma once\r\nint y;\r\n").is_ok());
    for byte in 1..=255_u8 {
        // Whatever comes out, it comes out.
        let _ = parse(&[b'i', b'n', b't', b' ', byte, b' ', byte]);
        let _ = parse(&[byte; 1000]);
    }
}

/// Peak memory of parsing, in bytes for each byte of text, must stay below this.
const BYTES_PER_BYTE: u64 = 50;

#[test]
fn fifty_megabytes_take_bounded_memory_and_time() {
    let line =
        "int f(int argument) { if (argument > 0) { argument = argument * 2 + 1; } return g(argument); }\n";
    let text = line.repeat(50_000_000 / line.len());
    let before = resident();
    let start = Instant::now();
    let unit = parse(text.as_bytes()).unwrap();
    let elapsed = start.elapsed();
    assert_eq!(unit.items.len(), text.len() / line.len());
    assert!(elapsed < Duration::from_secs(60), "{elapsed:?}");
    match (before, resident()) {
        (Some(before), Some(after)) => {
            let used = after.saturating_sub(before);
            println!("{} bytes of memory for each byte of text, {elapsed:?}", used / text.len() as u64);
            assert!(used < BYTES_PER_BYTE * text.len() as u64);
        }
        _ => println!("memory not measured: no /proc/self/status"),
    }
}

/// Peak resident memory of this process.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Random deletions, duplications and exchanges in valid text: an error or a tree, quickly.
#[test]
fn mutated_programs_do_no_harm() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let mut files: Vec<_> = std::fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let texts: Vec<Vec<u8>> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for round in 0..2000 {
        let mut text = texts[round % texts.len()].clone();
        for _ in 0..=random(4) {
            if text.is_empty() {
                break;
            }
            let (from, length, to) = (random(text.len()), random(12), random(text.len()));
            let piece: Vec<u8> = text.iter().skip(from).take(length).copied().collect();
            match random(4) {
                0 => drop(text.drain(from..(from + length).min(text.len()))),
                1 => drop(text.splice(to..to, piece)),
                2 => text[from] = (random(255) + 1) as u8,
                _ => text.truncate(from.max(1)),
            }
        }
        if let Ok(unit) = parse(&text) {
            // I3: statements and expressions lie in the text.
            let length = text.len() as u32;
            assert!(unit.exprs.iter().all(|expr| expr.span.lo <= expr.span.hi && expr.span.hi <= length));
            assert!(unit.stmts.iter().all(|stmt| stmt.span.hi <= length));
            assert!(unit.exprs.iter().all(|expr| !matches!(expr.kind, ExprKind::StatementExpr(block)
                if !matches!(unit.stmts[block].kind, StmtKind::Block { .. }))));
        }
    }
}
