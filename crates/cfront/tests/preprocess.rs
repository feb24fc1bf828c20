//! Files with directives go through the system's compiler, and positions are those of the user's text.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print
#![allow(clippy::needless_raw_string_hashes, clippy::format_push_string, clippy::format_collect)] // brevity

#[path = "../../testkit/src/require.rs"]
mod require;

use std::path::PathBuf;

use base::{Diagnostic, SourceMap};
use cfa::DataModel;
use cfront::ast::ExprKind;
use cfront::preprocess::Options;
use cfront::{Input, Interner, Loaded, load, with_large_stack};
use expect_test::{Expect, expect};

/// A fresh folder with the given files.
fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("wayproof-{}-{test}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder
}

fn loaded(input: &Input, options: &Options) -> (Result<Loaded, Diagnostic>, SourceMap, Interner) {
    let mut sources = SourceMap::new();
    let mut interner = Interner::new();
    let result = with_large_stack(|| load(input, options, &mut sources, &mut interner));
    (result, sources, interner)
}

/// The name of a file without its folder, then `line:column-end_column` (or with its last line).
fn place(sources: &SourceMap, span: base::Span) -> String {
    let region = sources.region(span);
    let name = sources.file(span.file).name.rsplit('/').next().unwrap_or_default().to_owned();
    if name.ends_with('>') {
        return "preprocessed text".to_owned();
    }
    let end = if region.end_line == region.line { String::new() } else { format!("{}:", region.end_line) };
    format!("{name}:{}:{}-{end}{}", region.line, region.column, region.end_column)
}

/// Loads `a.c` of a folder; lists its identifiers, integers and strings with their places, or the error.
fn check(test: &str, files: &[(&str, &str)], expected: &Expect) {
    let folder = folder(test, files);
    let input = Input::Path(folder.join("a.c"));
    let (result, sources, interner) = loaded(&input, &Options::new(DataModel::Lp64));
    let mut shown = String::new();
    match result {
        Ok(loaded) => {
            for expr in &loaded.unit.exprs {
                let text = match expr.kind {
                    ExprKind::Ident(name) => interner.text(name).to_owned(),
                    ExprKind::Integer(literal) => literal.value().to_string(),
                    ExprKind::String(string) => {
                        String::from_utf8_lossy(&loaded.unit.strings[string].bytes()).into_owned()
                    }
                    ExprKind::Call { close, .. } => format!("call, ) {}", place(&sources, close)),
                    _ => continue,
                };
                shown += &format!("{text} @ {}\n", place(&sources, expr.span));
            }
        }
        Err(diagnostic) => {
            let at = diagnostic.primary.map(|label| place(&sources, label.span)).unwrap_or_default();
            shown = format!("{} @ {at}\nhelp: {}\n", diagnostic.message, diagnostic.help.unwrap_or_default());
        }
    }
    let folder = folder.display().to_string();
    expected.assert_eq(&shown.replace(&folder, "…"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn tokens_keep_the_columns_of_the_user() {
    check(
        "columns",
        &[("a.c", "#define UNUSED\nint\tx =  /* c */ 1;\nint f(void) { return   x\n  +\t2; }\n")],
        &expect![[r#"
            1 @ a.c:2:18-19
            x @ a.c:3:24-25
            2 @ a.c:4:5-6
        "#]],
    );
}

#[test]
fn tokens_of_a_macro_get_its_use() {
    check(
        "macros",
        &[(
            "a.c",
            "#define ADD(a,b) ((a)+(b))\n#define TWO 2\n#define PLUS ADD\n#define NOTHING\n\
             int a = ADD(1, TWO)  +  ADD(3,4) NOTHING + 5;\n\
             int b = 6 + PLUS(7, 8) + 9; int c = TWO;\n\
             int d = ADD(a,\n   b) + 10; int e =\nADD(1,1); int ADD;\n",
        )],
        &expect![[r#"
            1 @ a.c:5:9-20
            2 @ a.c:5:9-20
            3 @ a.c:5:25-33
            4 @ a.c:5:25-33
            5 @ a.c:5:44-45
            6 @ a.c:6:9-10
            7 @ a.c:6:13-23
            8 @ a.c:6:13-23
            9 @ a.c:6:26-27
            2 @ a.c:6:37-40
            a @ a.c:7:9-8:6
            b @ a.c:7:9-8:6
            10 @ a.c:8:9-11
            1 @ a.c:9:1-9
            1 @ a.c:9:1-9
        "#]],
    );
}

#[test]
fn system_headers_and_multi_line_uses() {
    check(
        "assert",
        &[(
            "a.c",
            "#include <stddef.h>\n#define assert(c) ((c) ? 0 : fail(#c, __LINE__))\nint fail(char *, int);\n\
             int f(int x, int *p) {\n  int *q = NULL; assert(x >\n   1 /* c */ && p != NULL); x = __LINE__;\n  return x;\n}\n",
        )],
        &expect![[r#"
            0 @ a.c:5:12-16
            x @ a.c:5:18-6:27
            1 @ a.c:5:18-6:27
            p @ a.c:5:18-6:27
            0 @ a.c:5:18-6:27
            0 @ a.c:5:18-6:27
            fail @ a.c:5:18-6:27
            x > 1 && p != NULL @ a.c:5:18-6:27
            5 @ a.c:5:18-6:27
            call, ) a.c:5:18-6:27 @ a.c:5:18-6:27
            x @ a.c:6:29-30
            6 @ a.c:6:33-41
            x @ a.c:7:10-11
        "#]],
    );
}

#[test]
fn included_files_have_their_own_places() {
    check(
        "include",
        &[
            ("a.c", "#include \"b.h\"\nint a = B;\n#include \"x.def\"\n#include \"x.def\"\nint z = 1;\n"),
            (
                "b.h",
                "#if 0\nthis isn't C\n#endif\n#define B (1 + one)\nstatic int one = 1; static int two = one + 1;\n",
            ),
            ("x.def", "extern int e[3];"),
        ],
        &expect![[r#"
            1 @ b.h:5:18-19
            one @ b.h:5:38-41
            1 @ b.h:5:44-45
            1 @ a.c:2:9-10
            one @ a.c:2:9-10
            3 @ x.def:1:14-15
            3 @ x.def:1:14-15
            1 @ a.c:5:9-10
        "#]],
    );
}

#[test]
fn line_directives_of_other_tools_do_not_confuse() {
    check(
        "line",
        &[("a.c", "#define X 1\n#line 1000 \"grammar.y\"\nint a = X;\n#line 5 \"a.c\"\nint b = 2;\n")],
        &expect![[r#"
            1 @ preprocessed text
            2 @ preprocessed text
        "#]],
    );
}

#[test]
fn errors_of_the_compiler_have_places() {
    check(
        "missing",
        &[("a.c", "int x;\n  #include \"nothere.h\"\n")],
        &expect![[r#"
            include file `nothere.h` not found @ a.c:2:13-22
            help: add the folder that contains it with -I
        "#]],
    );
    check(
        "error",
        &[("a.c", "int x;\n#error stop it\n")],
        &expect![[r#"
            #error stop it @ a.c:2:1-15
            help: 
        "#]],
    );
    check(
        "syntax",
        &[("a.c", "#define EMPTY\nint x = ;\nint y\n")],
        &expect![[r#"
        expected expression, found `;` @ a.c:2:9-10
        help: 
    "#]],
    );
    check(
        "end",
        &[("a.c", "#define EMPTY\nint f(void) {\n")],
        &expect![[r#"
        expected `}` at the end of the block, found end of file @ a.c:3:1-1
        help: 
    "#]],
    );
    check(
        "lexer",
        &[("a.c", "#define AT @\nint x;\n  AT;\n")],
        &expect![[r#"
        stray `@` in the program @ a.c:3:3-6
        help: 
    "#]],
    );
}

#[test]
fn options_reach_the_compiler() {
    let folder = folder(
        "options",
        &[("a.c", "#include <c.h>\n#ifdef NO\n#error no\n#endif\nint x = C + D;"), ("c.h", "#define C 1\n")],
    );
    let input = Input::Path(folder.join("a.c"));
    let mut options = Options::new(DataModel::Lp64);
    options.include_folders.push(folder.clone());
    options.defines.extend(["D=2".to_owned(), "NO".to_owned()]);
    options.undefines.push("NO".to_owned());
    let (result, sources, _) = loaded(&input, &options);
    let unit = result.unwrap().unit;
    assert_eq!(unit.exprs.iter().filter(|expr| matches!(expr.kind, ExprKind::Integer(_))).count(), 2);
    let places: Vec<String> = unit.exprs.iter().map(|expr| place(&sources, expr.span)).collect();
    assert_eq!(places, ["a.c:5:9-10", "a.c:5:13-14", "a.c:5:9-14"]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_text_without_file_is_preprocessed_too() {
    let text: &[u8] = b"#define N 3\nint  a[N];\n";
    let input = Input::Text { name: "memory.c".into(), text: text.into() };
    let (result, sources, _) = loaded(&input, &Options::new(DataModel::Lp64));
    let unit = result.unwrap().unit;
    assert_eq!(place(&sources, unit.exprs.as_slice()[0].span), "memory.c:2:8-9");

    let text: &[u8] = b"int x;\n#include <nothere.h>\n";
    let input = Input::Text { name: "memory.c".into(), text: text.into() };
    let (result, sources, _) = loaded(&input, &Options::new(DataModel::Lp64));
    assert_eq!(place(&sources, result.unwrap_err().primary.unwrap().span), "memory.c:2:11-20");
}

#[test]
fn a_text_without_file_knows_its_name() {
    let text: &[u8] = b"#define HERE __FILE__\nconst char *a = HERE;\n";
    for name in ["memory.c", "in a folder/\"odd\\name\".c"] {
        let input = Input::Text { name: name.into(), text: text.into() };
        let (result, sources, _) = loaded(&input, &Options::new(DataModel::Lp64));
        let unit = result.unwrap().unit;
        let string = unit.strings.iter().next().unwrap().bytes();
        assert_eq!(String::from_utf8_lossy(&string), name);
        assert_eq!(sources.region(unit.exprs.as_slice()[0].span).line, 2);
    }
}

#[test]
fn a_missing_compiler_is_named() {
    let input = Input::Text { name: "memory.c".into(), text: b"#define N 3\n"[..].into() };
    let options = Options { compiler: Some("no-such-compiler -x".into()), ..Options::new(DataModel::Lp64) };
    let diagnostic = loaded(&input, &options).0.unwrap_err();
    assert!(diagnostic.message.contains("`no-such-compiler` was not found"), "{}", diagnostic.message);
    assert!(diagnostic.help.unwrap().contains("install"));
}

#[test]
fn missing_files_and_folders_are_told_apart() {
    let options = Options::new(DataModel::Lp64);
    let message = |path: PathBuf| loaded(&Input::Path(path), &options).0.unwrap_err().message;
    assert!(message("no/such/file.c".into()).starts_with("there is no file"));
    assert!(message(std::env::temp_dir()).ends_with("is a folder, not a C file"));
}

#[test]
fn headers_of_the_system_parse_for_both_data_models() {
    let headers = [
        "assert.h",
        "ctype.h",
        "errno.h",
        "fcntl.h",
        "float.h",
        "inttypes.h",
        "limits.h",
        "locale.h",
        "math.h",
        "pthread.h",
        "setjmp.h",
        "signal.h",
        "stdarg.h",
        "stdatomic.h",
        "stdbool.h",
        "stddef.h",
        "stdint.h",
        "stdio.h",
        "stdlib.h",
        "string.h",
        "sys/socket.h",
        "sys/stat.h",
        "sys/time.h",
        "sys/types.h",
        "sys/wait.h",
        "tgmath.h",
        "time.h",
        "unistd.h",
        "wchar.h",
    ];
    let mut text: String = headers.iter().map(|header| format!("#include <{header}>\n")).collect();
    text += "int main(void) { printf(\"%d\", errno); return  EOF; }\n";
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let input = Input::Text { name: "all.c".into(), text: text.as_bytes().into() };
        let (result, sources, _) = loaded(&input, &Options::new(model));
        let unit = match result {
            Ok(loaded) => loaded.unit,
            Err(diagnostic) if model == DataModel::Ilp32 && diagnostic.message.contains("not found") => {
                let help = diagnostic.help.unwrap_or_default();
                require::Requirement::Gcc32.skip(&format!("{} {help}", diagnostic.message));
                continue;
            }
            Err(diagnostic) => panic!(
                "{}: {:?}",
                diagnostic.message,
                diagnostic.primary.map(|label| place(&sources, label.span))
            ),
        };
        // Every token has a place in a real file.
        let pseudo =
            unit.exprs.iter().filter(|expr| sources.file(expr.span.file).name.starts_with('<')).count();
        assert_eq!(pseudo, 0);
        let last = unit.exprs.as_slice().last().unwrap();
        assert_eq!(place(&sources, last.span), format!("all.c:{}:47-50", headers.len() + 1));
    }
}
