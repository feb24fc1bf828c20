//! Mutated programs: whatever is made of them, the checker answers, and what it accepts keeps its invariants.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print
#![allow(clippy::format_push_string, clippy::format_collect)] // brevity

mod check_common;

use cfa::DataModel;
use check_common::accepted::ACCEPTED;
use check_common::validate::violations;
use check_common::{Random, check_units, gcc_accepts};

/// Programs rich in constructs; their tokens are shuffled among each other.
const SEEDS: &[&str] = &[
    "struct s { int a : 3; unsigned long long b : 40; char c[3]; union { int d; float e; }; } x = { 1, .c = \"ab\", .e = 2 }; int f(struct s *p) { return p->a + (*p).b - x.c[1]; }",
    "typedef int (*F)(int, char *); static int g(int n, char *s) { return n + *s; } F t[] = { g, &g, 0 }; int h(int i) { return t[i](3, \"x\") + (*t[0])(1, 0); }",
    "enum e { A, B = 5, C = B << 2 } v = C; int sw(enum e x) { switch (x) { case A: return 1; case B ... C: break; default: goto out; } out: return sizeof(enum e); }",
    "void vla(int n, int m[n][n + 1]) { int a[n][3], (*p)[n] = &m[0]; typedef int T[n]; T b; a[1][2] = sizeof(T) + sizeof a + b[0]; p++; }",
    "int va(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); double d = __builtin_va_arg(l, double); __builtin_va_end(l); return d ? n : -n; }",
    "int kr(a, b, c) char a; float b; int *c; { return a + b + c[1]; } int use() { return kr(1, 2.5, (int[]){ 1, 2 }) + undeclared(3); }",
    "int gnu(int x) { __label__ l; int y = ({ typeof(x) z = x; z ?: 3; }); __auto_type w = y; l: if (w-- > 0) goto l; return __builtin_expect(w, 0); }",
    "extern int arr[]; int arr[5] = { [1 ... 3] = 2, 9 }; int *q = &arr[2] + 1; _Static_assert(sizeof arr == 20, \"size\"); long k = (long)&arr;",
    "struct list { struct list *next; int v; }; int sum(struct list *l) { int s = 0; for (; l; l = l->next) s += l->v; do s--; while (s > 100); return s; }",
    "unsigned u; long l; double d; _Bool b; int ops(int x) { u += x; l <<= 3; d /= x; b = d; x = u > x ? l : d < 1; x++, --u; return -x ^ ~u & (l | b) && !d; }",
    "struct q { struct { int x, y; } p[2]; int z; } m = { .p[1].y = 1, 2, .p = { { 3 } } }, *mp = &m; struct q ret(void) { return (struct q){ 1, 2, 3 }; } int r(void) { return ret().p[0].x; }",
    "int ov(int a, unsigned b) { long r; return __builtin_mul_overflow(a, b, &r) + __builtin_popcountll(r) + _Generic(a, int: 1, default: 2) + __builtin_offsetof(struct { char c; int i; }, i); }",
    "void *malloc(unsigned long); static const int limit = 3; int stat(void) { static int n = limit; extern int later; return n++ + later; } int later = 1 ? 2 : 1 / 0;",
];

fn tokens(text: &str) -> Vec<&str> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_' || character == '.';
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            _ if is_word(first) => rest.find(|character| !is_word(character)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
    }
    tokens
}

/// Tokens of one kind can stand for each other in most places.
fn kind(token: &str) -> u32 {
    let types = ["int", "char", "float", "double", "long", "unsigned", "_Bool", "void"];
    let keywords = [
        "struct",
        "union",
        "enum",
        "typedef",
        "static",
        "extern",
        "const",
        "return",
        "if",
        "for",
        "while",
        "do",
        "goto",
        "switch",
        "case",
        "default",
        "break",
        "sizeof",
        "typeof",
        "__auto_type",
        "__label__",
        "_Generic",
    ];
    match token.chars().next() {
        _ if types.contains(&token) => 1,
        _ if keywords.contains(&token) => 2,
        Some('"') => 3,
        Some('0'..='9') => 3,
        Some(first) if first.is_alphabetic() || first == '_' => 4,
        Some('+' | '-' | '/' | '%' | '^' | '|' | '<' | '>' | '*' | '&') => 5,
        Some('!' | '~') => 6,
        Some(first) => first as u32,
        None => 0,
    }
}

fn mutate(random: &mut Random, pool: &[&str]) -> String {
    let pick = |random: &mut Random| {
        let seeds = if random.below(2) == 0 { SEEDS } else { ACCEPTED };
        seeds[random.below(seeds.len() as u64) as usize]
    };
    let mut text = tokens(pick(random));
    if random.below(3) == 0 {
        text.extend(tokens(pick(random)));
    }
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() as u64) as usize;
        let other = random.below(text.len() as u64) as usize;
        let donor = pool[random.below(pool.len() as u64) as usize];
        match random.below(14) {
            5.. => {
                // Most mutants should get past the parser: a token becomes another one of its kind.
                let same: Vec<&str> =
                    pool.iter().copied().filter(|token| kind(token) == kind(text[at])).collect();
                if !same.is_empty() {
                    text[at] = same[random.below(same.len() as u64) as usize];
                }
            }
            0 => {
                text.remove(at);
            }
            1 => text.insert(at, donor),
            2 => text[at] = donor,
            3 => text.swap(at, other),
            _ => {
                let copy = text[at..(at + 5).min(text.len())].to_vec();
                for (offset, token) in copy.into_iter().enumerate() {
                    text.insert((other + offset).min(text.len()), token);
                }
            }
        }
        if text.is_empty() {
            break;
        }
    }
    text.concat()
}

#[test]
fn mutants_are_answered() {
    let count = std::env::var("WAYPROOF_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(2000);
    let extra = [
        "0",
        "-1",
        "1.5",
        "\"\"",
        "void",
        "unsigned",
        "char",
        "struct s",
        "[]",
        "()",
        "{}",
        "*",
        "&",
        "(int)",
        "sizeof ",
        "static ",
        "[0]",
        ".a",
        "x",
        "...",
        "0x7fffffffffffffff",
    ];
    let pool: Vec<&str> = SEEDS
        .iter()
        .chain(ACCEPTED)
        .flat_map(|seed| tokens(seed))
        .chain(extra)
        .filter(|token| *token != " ")
        .collect();
    let mut random = Random(3);
    let mut accepted = 0;
    for _ in 0..count {
        let text = mutate(&mut random, &pool);
        let model = if random.below(2) == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let start = std::time::Instant::now();
        let outcome = std::panic::catch_unwind(|| check_units(&[&text], model));
        assert!(outcome.is_ok(), "panic on:\n{text}");
        if let Ok(Ok(program)) = outcome {
            accepted += 1;
            let violations = violations(&program);
            assert!(violations.is_empty(), "{}\n{text}", violations.join("\n"));
        }
        assert!(start.elapsed().as_secs() < 10, "slow on:\n{text}");
    }
    println!("{accepted} of {count} accepted");
    assert!(accepted > count / 10);
}

/// What gcc accepts is accepted here, too, unless it is named as unsupported.
#[test]
fn mutants_that_gcc_accepts_are_accepted() {
    let count = std::env::var("WAYPROOF_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(150);
    let pool: Vec<&str> =
        SEEDS.iter().chain(ACCEPTED).flat_map(|seed| tokens(seed)).filter(|token| *token != " ").collect();
    let mut random =
        Random(std::env::var("WAYPROOF_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(17));
    let mut wrong = Vec::new();
    let mut stricter = Vec::new();
    for _ in 0..count {
        let text = mutate(&mut random, &pool);
        let Some(gcc) = gcc_accepts(&text) else { return };
        match (gcc, check_units(&[&text], DataModel::Lp64)) {
            (Ok(()), Err(message))
                if !message.contains("unsupported") && !message.contains("`__builtin_") =>
            {
                wrong.push(format!("{message}\n{text}"));
            }
            (Err(message), Ok(_)) => stricter.push(format!("{message}{text}\n")),
            _ => {}
        }
    }
    println!("gcc refuses {} that are accepted here:\n{}", stricter.len(), stricter.join("\n"));
    assert!(
        wrong.is_empty(),
        "{} of {count} are refused, but gcc accepts them:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
}
