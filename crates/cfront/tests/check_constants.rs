//! Types and values of expressions, compared with what gcc makes of them for both data models.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print
#![allow(clippy::format_push_string, clippy::format_collect)] // brevity

mod check_common;

use cfa::DataModel;
use cfront::hir::Program;
use check_common::{Random, check_units, run_with_gcc};

const MODELS: [(DataModel, &str); 2] = [(DataModel::Lp64, "-m64"), (DataModel::Ilp32, "-m32")];

/// Names the type of an arithmetic expression, as our types print it.
const TYPE_NAME: &str = r#"
#define NAME(x) _Generic((x), _Bool: "_Bool", char: "char", signed char: "signed char", unsigned char: "unsigned char", \
  short: "short", unsigned short: "unsigned short", int: "int", unsigned: "unsigned int", long: "long", unsigned long: "unsigned long", \
  long long: "long long", unsigned long long: "unsigned long long", float: "float", double: "double", long double: "long double", \
  int *: "int *", char *: "char *", void *: "void *", struct s *: "struct s *", int (*)[3]: "int (*)[3]", default: "?")
"#;

const DECLARATIONS: &str = r"
_Bool b; char c; signed char sc; unsigned char uc; short sh; unsigned short us; int i; unsigned u; long l; unsigned long ul;
long long ll; unsigned long long ull; float f; double d; long double ld;
enum small { small0, small1 } es; enum negative { negative0 = -1 } en; enum large { large0 = 0x100000000 } el;
enum edge { edge0 = 0x80000000 } ee;
struct s { unsigned u3 : 3; int i3 : 3; unsigned u32 : 32; unsigned long long u40 : 40; long long i40 : 40; unsigned char c8 : 8;
  unsigned long long u32l : 32; _Bool b1 : 1; enum edge e32 : 32; int a[3]; } s, *p;
int *ip; char *cp; void *vp; int a[3]; int m[2][3]; int g(void);
";

const EXPRESSIONS: &[&str] = &[
    "c + c",
    "sc + uc",
    "sh + us",
    "us",
    "us + i",
    "u + i",
    "l + u",
    "ul + i",
    "ll + ul",
    "ull + ll",
    "l + ll",
    "f + i",
    "f + d",
    "ld + ull",
    "f * ld",
    "-c",
    "~uc",
    "!d",
    "+b",
    "+sh",
    "c << ll",
    "ull >> c",
    "us << ull",
    "u < i",
    "d == f",
    "i && d",
    "b ? c : sh",
    "b ? u : i",
    "b ? f : l",
    "b ? ip : 0",
    "b ? ip : vp",
    "b ? 0 : cp",
    "b ?: c",
    "i ?: u",
    "(c, us)",
    "es + 0",
    "en + 0",
    "el + 0",
    "ee + 0",
    "small0",
    "negative0",
    "large0",
    "edge0",
    "edge0 + 0",
    "es ? es : en",
    "s.u3 + 0",
    "s.i3 + 0",
    "s.u32 + 0",
    "s.c8 + 0",
    "s.u32l + 0",
    "s.b1 + 0",
    "s.e32 + 0",
    "(s.u3 = 1) + 0",
    "s.u3++ + 0",
    "(0, s.u3) + 0",
    "-s.u3",
    "+s.u32",
    "s.u3 << 40L",
    "~s.u3",
    "s.u40 + 1LL",
    "s.u40 + 1ULL",
    "(unsigned long long)s.u40 + 1",
    "s.u3 ? s.u3 : s.u32",
    "'a'",
    "'\\377'",
    "L'a'",
    "u'a'",
    "U'a'",
    "1",
    "2147483647",
    "2147483648",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "0x100000000",
    "4294967296",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "1u",
    "1l",
    "1ul",
    "1ll",
    "1ull",
    "4294967295u",
    "4294967296u",
    "2147483648l",
    "0x80000000l",
    "1.0",
    "1.0f",
    "1.0L",
    "0x1p3",
    "1e5f",
    "sizeof i",
    "sizeof(a)",
    "_Alignof(long long)",
    "&a[1] - &a[0]",
    "ip + 1",
    "1 + ip",
    "&a",
    "a + 0",
    "m[1]",
    "&i",
    "*ip",
    "a[1]",
    "1[a]",
    "p->a[1]",
    "&p->a[0]",
    "p",
    "&s",
    "m + 1",
    "&m[1]",
    "ip++",
    "--ip",
    "ip -= 1",
    "i += d",
    "c += 1",
    "c++",
    "f++",
    "i = d",
    "(char)i",
    "(unsigned char)300",
    "(_Bool)d",
    "(void *)0",
    "g()",
    "ip == 0",
    "!ip",
    "cp[0]",
    "\"abc\"[0]",
    "\"abc\" + 1",
    "__builtin_expect(c, 1)",
    "({ c; })",
    "({ us + 1; })",
    "i < 3 ? 1 : 2u",
    "sizeof(char) - 2",
    "us * us",
    "-2147483648",
    "~0u",
    "1 << 31u",
    "1ll << 31",
    "(c)",
    "i % u",
    "u % ll",
    "l & u",
    "c | uc",
    "us ^ sh",
    "i == u",
    "b + b",
    "b & b",
    "b == b",
    "d ? i : c",
    "__builtin_popcount(u)",
    "__builtin_clzll(ull)",
    "__builtin_bswap64(1)",
    "__builtin_bswap16(1)",
    "(long)p",
    "ip < &i",
];

/// The type of a global variable, as text.
fn type_of(program: &Program, name: &str) -> String {
    let variable = program.variables.iter().find(|variable| &*variable.name == name).unwrap();
    program.types.display(variable.ty)
}

#[test]
fn expressions_have_gcc_types() {
    for (model, flag) in MODELS {
        let mut ours = format!("{DECLARATIONS}\nint main(void) {{\n");
        let mut code = format!(
            "#include <stdio.h>\n{DECLARATIONS}{TYPE_NAME}\nint g(void) {{ return 0; }}\nint main(void) {{\n"
        );
        for (number, expression) in EXPRESSIONS.iter().enumerate() {
            // A comma expression decays as `_Generic` does.
            ours += &format!("__typeof__(0, ({expression})) t{number};\n");
            code += &format!("puts(NAME({expression}));\n");
        }
        ours += "return 0; }\n";
        code += "return 0; }\n";
        let program = check_units(&[&ours], model).unwrap();
        let Some(lines) = run_with_gcc(&format!("types{flag}"), &code, flag) else { continue };
        assert_eq!(lines.len(), EXPRESSIONS.len());
        let mut wrong = Vec::new();
        for (number, gcc) in lines.iter().enumerate() {
            let our = type_of(&program, &format!("t{number}"));
            // gcc has types for bit-fields that C does not name; `_Generic` answers `default` for them.
            if *gcc != our {
                wrong.push(format!("{flag} {}: gcc {gcc}, ours {our}", EXPRESSIONS[number]));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

fn random_constant(random: &mut Random, depth: u32) -> String {
    let literals = [
        "0",
        "1",
        "2",
        "7",
        "-1",
        "255",
        "128",
        "0x7f",
        "2147483647",
        "0x80000000",
        "0xffffffff",
        "1u",
        "3u",
        "4294967295u",
        "1l",
        "-5l",
        "0x7fffffffl",
        "1ul",
        "1ll",
        "-9ll",
        "0x7fffffffffffffffll",
        "0xffffffffffffffffull",
        "'a'",
        "'\\377'",
        "L'x'",
        "sizeof(long)",
        "sizeof(int *)",
        "(char)200",
        "(unsigned char)-1",
        "(short)40000",
        "(_Bool)5",
        "K",
        "(int)2.9",
        "(unsigned)(1.5f * 3)",
        "(2.5 > 2)",
    ];
    if depth == 0 {
        return random.pick(&literals).to_owned();
    }
    let types = [
        "char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "_Bool",
    ];
    let inner = |random: &mut Random| {
        let depth = random.below(u64::from(depth)) as u32;
        random_constant(random, depth)
    };
    let left = inner(random);
    match random.below(12) {
        0 => format!("({})({left})", random.pick(&types)),
        1 => format!("({}({left}))", random.pick(&["-", "~", "!", "+"])),
        2 => format!("(({left}) {} (({}) & 7))", random.pick(&["<<", ">>"]), inner(random)),
        3 => format!("(({left}) {} (({}) | 1))", random.pick(&["/", "%"]), inner(random)),
        4 => format!("(({left}) ? ({}) : ({}))", inner(random), inner(random)),
        5 => format!(
            "(({left}) {} ({}))",
            random.pick(&["<", ">", "<=", ">=", "==", "!=", "&&", "||"]),
            inner(random)
        ),
        _ => format!("(({left}) {} ({}))", random.pick(&["+", "-", "*", "&", "|", "^"]), inner(random)),
    }
}

#[test]
fn constants_have_gcc_values() {
    let mut random = Random(11);
    let count = 600;
    let expressions: Vec<String> = (0..count).map(|_| random_constant(&mut random, 5)).collect();
    for (model, flag) in MODELS {
        let mut ours = "enum { K = 12345 };\n".to_owned();
        let mut code = format!("#include <stdio.h>\nstruct s;\n{TYPE_NAME}\n{ours}int main(void) {{\n");
        for (number, expression) in expressions.iter().enumerate() {
            ours += &format!(
                "enum {{ k{number} = (long long)({expression}) }}; __typeof__({expression}) t{number};\n"
            );
            code += &format!(
                "{{ enum {{ k = (long long)({expression}) }}; printf(\"%lld %s\\n\", (long long)k, NAME({expression})); }}\n"
            );
        }
        code += "return 0; }\n";
        let program = check_units(&[&ours], model).unwrap();
        let values: std::collections::BTreeMap<&str, i128> = program
            .types
            .enums
            .iter()
            .flat_map(|definition| definition.enumerators.iter().map(|(name, value)| (&**name, *value)))
            .collect();
        let Some(lines) = run_with_gcc(&format!("constants{flag}"), &code, flag) else { continue };
        assert_eq!(lines.len(), count);
        let mut wrong = Vec::new();
        for (number, gcc) in lines.iter().enumerate() {
            let our = format!(
                "{} {}",
                values[format!("k{number}").as_str()],
                type_of(&program, &format!("t{number}"))
            );
            if *gcc != our {
                wrong.push(format!("{flag} {}: gcc {gcc}, ours {our}", expressions[number]));
            }
        }
        assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    }
}
