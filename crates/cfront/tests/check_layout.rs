//! Layout of records, compared with what gcc does for both data models.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print
#![allow(clippy::format_push_string, clippy::format_collect)] // brevity

mod check_common;

use cfa::DataModel;
use cfront::hir::Program;
use cfront::types::{RecordId, Types};
use check_common::{Random, check_units, run_with_gcc};

/// Records that show one rule each.
const BY_HAND: &str = r"
struct h0 { char a; double b; };
struct h1 { char a; long long b; char c; };
struct h2 { long double a; char b; };
struct h3 { char a; long double b; };
struct h4 { int a : 3; int b : 30; };
struct h5 { char a; int b : 9; int : 0; int c : 4; char d; };
struct h6 { char a; int : 5; char b; };
struct h7 { unsigned long long a : 40; unsigned long long b : 40; };
struct h8 { char c; long long a : 33; };
struct __attribute__((packed)) h9 { char a; int b; short c; };
struct __attribute__((packed)) h10 { unsigned a : 3; unsigned b : 30; unsigned long long c : 40; };
struct h11 { char a; int b __attribute__((packed)); };
struct h12 { char a; char b __attribute__((aligned(8))); };
struct __attribute__((aligned(16))) h13 { int a; };
struct h14 { char a; struct h13 b; };
struct __attribute__((packed)) h15 { char a; struct h13 b; };
union h16 { char a; int b; double c; };
union h17 { int a : 3; long long b : 40; };
union h18 { char a[5]; short b; };
struct h19 { char n; int a[]; };
struct h20 { };
struct h21 { char a; struct h20 b; int c; };
struct h22 { _Bool a : 1; _Bool b : 1; char c : 7; };
struct h23 { char a; union { int b; char c; }; struct { char d; short e; }; };
struct h24 { int a : 7; char b : 7; short c : 9; };
typedef int less __attribute__((aligned(2)));
typedef long long more __attribute__((aligned(8)));
typedef char wide __attribute__((aligned(4)));
struct h25 { char a; less b; };
struct h26 { char a; more b; };
struct h27 { char a; less b[3]; };
struct h28 { char a; wide b : 3; char c; };
struct h29 { char a; struct h26 b; };
#pragma pack(push, 2)
struct h30 { char a; int b; double c; };
struct h31 { char a; int b : 20; int c : 20; };
struct h32 { char a; int : 0; char b; };
#pragma pack(pop)
struct h33 { char a; int b; };
struct h34 { char a; long long : 0; char b; };
struct __attribute__((packed)) h35 { char a; int : 0; char b; };
struct __attribute__((packed, aligned(4))) h36 { char a; double b; };
struct h37 { char a; double b __attribute__((aligned(8))); };
struct h38 { char a; double b __attribute__((aligned(2))); };
struct __attribute__((packed)) h39 { char a; double b __attribute__((aligned(2))); };
struct h40 { char a; struct { long long b; } c; };
struct h41 { unsigned char a : 5; unsigned char b : 5; };
struct __attribute__((packed)) h42 { unsigned char a : 5; unsigned char b : 5; };
struct h43 { char a; __float128 b; };
struct h44 { int a : 32; char b; };
struct h45 { long long a : 64; int b : 1; };
struct h46 { char a; int b : 3 __attribute__((aligned(8))); };
struct h47 { char a; _Alignas(16) char b; };
enum __attribute__((packed)) small { s0, s1 };
struct h48 { char a; enum small b; enum small c : 3; };
struct h49 { short a; int b : 17 __attribute__((packed)); };
struct h50 { char a[3]; double b[2]; struct h1 c[2]; };
";

fn random_records(count: usize, random: &mut Random) -> String {
    let plain = [
        "char",
        "short",
        "int",
        "long",
        "long long",
        "float",
        "double",
        "long double",
        "char *",
        "_Bool",
        "unsigned char",
        "unsigned long long",
        "less",
        "more",
        "wide",
        "enum small",
        "__float128",
    ];
    let integers = [
        "char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long",
        "unsigned long long",
        "long long",
        "_Bool",
        "less",
        "more",
        "wide",
    ];
    let widest = |ty: &str| match ty {
        "_Bool" => 1,
        "char" | "unsigned char" | "wide" => 8,
        "short" | "unsigned short" => 16,
        "long long" | "unsigned long long" | "more" => 64,
        _ => 32,
    };
    let member_attributes = [
        "",
        "",
        "",
        "",
        "",
        " __attribute__((packed))",
        " __attribute__((aligned(2)))",
        " __attribute__((aligned(8)))",
    ];
    let record_attributes = [
        "",
        "",
        "",
        "",
        "__attribute__((packed)) ",
        "__attribute__((aligned(8))) ",
        "__attribute__((aligned(2))) ",
        "__attribute__((packed, aligned(2))) ",
    ];
    let mut text = String::new();
    let mut keywords = Vec::new();
    for number in 0..count {
        let pack = random.below(12);
        if pack < 3 {
            text += &format!("#pragma pack(push, {})\n", 1 << pack);
        }
        let keyword = if random.below(5) == 0 { "union" } else { "struct" };
        keywords.push(keyword);
        text += &format!("{keyword} {}r{number} {{", random.pick(&record_attributes));
        for member in 0..=random.below(7) {
            let attribute = random.pick(&member_attributes);
            match random.below(10) {
                0..4 => {
                    let ty = random.pick(&integers);
                    let width = 1 + random.below(widest(ty));
                    match random.below(6) {
                        0 => text += &format!(" {ty} : {width};"),
                        1 => text += &format!(" {ty} : 0;"),
                        _ => text += &format!(" {ty} m{member} : {width}{attribute};"),
                    }
                }
                4 if number > 0 => {
                    let other = random.below(number as u64);
                    let keyword = keywords[other as usize];
                    text += &format!(" {keyword} r{other} m{member}{attribute};");
                }
                // gcc refuses arrays of `wide`, whose elements would not be aligned.
                5 => match random.pick(&plain) {
                    "wide" => {}
                    ty => text += &format!(" {ty} m{member}[{}]{attribute};", random.below(4)),
                },
                6 => {
                    let (first, second) = (random.pick(&plain), random.pick(&plain));
                    let keyword = random.pick(&["struct", "union"]);
                    text += &format!(" {keyword} {{ {first} a{member}; {second} b{member}; }};");
                }
                _ => text += &format!(" {} m{member}{attribute};", random.pick(&plain)),
            }
        }
        text += " };\n";
        if pack < 3 {
            text += "#pragma pack(pop)\n";
        }
    }
    text
}

/// Name, first bit, and width (0 if no bit-field) of the named members, through anonymous records.
fn members(types: &Types, record: RecordId, base: u64, out: &mut Vec<(String, u64, u8)>) {
    for field in &types.records[record].fields {
        let first = base + field.offset * 8 + u64::from(field.bits.map_or(0, |bits| bits.bit));
        match types.record(field.ty) {
            Some(inner) if field.name.is_empty() => members(types, inner, base + field.offset * 8, out),
            _ => out.push((field.name.to_string(), first, field.bits.map_or(0, |bits| bits.width))),
        }
    }
}

/// What gcc's program is to print: one line per fact; and the program.
fn facts(program: &Program, text: &str) -> (Vec<String>, String) {
    let types = &program.types;
    let mut expected = Vec::new();
    let mut code = format!(
        "#include <stdio.h>\n#include <string.h>\n#include <stddef.h>\n{text}\nstatic void show(const char *n, void *p, size_t s)\
         {{ printf(\"%s \", n); for (size_t i = 0; i < s; i++) printf(\"%02x\", ((unsigned char *)p)[i]); puts(\"\"); }}\n\
         int main(void) {{\n"
    );
    for (id, record) in types.records.iter_enumerated() {
        if record.name.starts_with('(') {
            continue;
        }
        let keyword = if record.is_union { "union" } else { "struct" };
        let name = format!("{keyword} {}", record.name);
        code += &format!(
            "printf(\"{name} %zu %zu\\n\", sizeof({name}), _Alignof({name}));\n{{ {name} s; (void)s;\n"
        );
        expected.push(format!("{name} {} {}", record.size, record.align));
        let mut list = Vec::new();
        members(types, id, 0, &mut list);
        for (member, first, width) in list {
            if width == 0 {
                code += &format!("printf(\"{name}.{member} %zu\\n\", offsetof({name}, {member}));\n");
                expected.push(format!("{name}.{member} {}", first / 8));
                continue;
            }
            code += &format!(
                "memset(&s, 0, sizeof s); s.{member} = -1; show(\"{name}.{member}\", &s, sizeof s);\n"
            );
            let mut bytes = vec![0_u8; record.size as usize];
            for bit in first..first + u64::from(width) {
                bytes[bit as usize / 8] |= 1 << (bit % 8);
            }
            let bytes: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            expected.push(format!("{name}.{member} {bytes}"));
        }
        code += "}\n";
    }
    code += "return 0; }\n";
    (expected, code)
}

fn compare(name: &str, text: &str) {
    for (model, flag) in [(DataModel::Lp64, "-m64"), (DataModel::Ilp32, "-m32")] {
        let program = check_units(&[text], model).unwrap();
        let (expected, code) = facts(&program, text);
        let Some(lines) = run_with_gcc(&format!("{name}{flag}"), &code, flag) else { continue };
        assert_eq!(lines.len(), expected.len());
        let wrong: Vec<String> = lines
            .iter()
            .zip(&expected)
            .filter(|(gcc, ours)| gcc != ours)
            .map(|(gcc, ours)| format!("{flag} gcc: {gcc}, ours: {ours}"))
            .collect();
        println!("{flag}: {} facts", lines.len());
        assert!(wrong.is_empty(), "{} of {} facts differ:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
    }
}

#[test]
fn records_by_hand_are_laid_out_as_by_gcc() {
    compare("by_hand", BY_HAND);
}

#[test]
fn random_records_are_laid_out_as_by_gcc() {
    let text = format!(
        "typedef int less __attribute__((aligned(2)));\ntypedef long long more __attribute__((aligned(8)));\n\
         typedef char wide __attribute__((aligned(4)));\nenum __attribute__((packed)) small {{ s0, s1 }};\n{}",
        random_records(400, &mut Random(7))
    );
    compare("random", &text);
}
