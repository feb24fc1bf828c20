//! What the parser says about errors.

use expect_test::expect;

use super::check;

#[test]
fn errors_say_what_was_expected() {
    check(
        "int f(void) { x = 1 }",
        &expect![[r#"
        expected `;` after expression, found `}`
          1:21-22 expected `;` after expression
    "#]],
    );
    check(
        "int f(void) { if x; }",
        &expect![[r#"
        expected `(` after `if`, found `x`
          1:18-19 expected `(` after `if`
    "#]],
    );
    check(
        "int f(void) {",
        &expect![[r#"
        expected `}` at the end of the block, found end of file
          1:14-14 expected `}` at the end of the block
          1:13-14 this brace is not closed
    "#]],
    );
    check(
        "int a[3;",
        &expect![[r#"
        expected `]` after array size, found `;`
          1:8-9 expected `]` after array size
          1:6-7 to close this
    "#]],
    );
    check(
        "int f(int x",
        &expect![[r#"
        expected `)` after parameters, found end of file
          1:12-12 expected `)` after parameters
          1:6-7 to close this
    "#]],
    );
    check(
        "int x = (1 + 2;",
        &expect![[r#"
        expected `)` after expression, found `;`
          1:15-16 expected `)` after expression
          1:9-10 to close this
    "#]],
    );
    check(
        "int x = {1, 2;",
        &expect![[r#"
        expected `}` after initialiser, found `;`
          1:14-15 expected `}` after initialiser
          1:9-10 to close this
    "#]],
    );
    check(
        "struct { int a }; struct S { int b;",
        &expect![[r#"
        expected `}` after members, found end of file
          1:36-36 expected `}` after members
          1:28-29 this brace is not closed
    "#]],
    );
    check(
        "struct 3;",
        &expect![[r#"
        expected name or `{` after `struct`, found number
          1:8-9 expected name or `{` after `struct`
    "#]],
    );
    check(
        "size_t x;",
        &expect![[r#"
        unknown type name `size_t`
          1:1-7 not a type
          help: a `typedef` of this name is missing here; did a header get lost?
    "#]],
    );
    check(
        "int f(void) { foo x; }",
        &expect![[r#"
        unknown type name `foo`
          1:15-18 not a type
          help: a `typedef` of this name is missing here; did a header get lost?
    "#]],
    );
    check(
        "int f(foo x);",
        &expect![[r#"
        unknown type name `foo`
          1:7-10 not a type
          help: a `typedef` of this name is missing here; did a header get lost?
    "#]],
    );
    check(
        "int f(int a, foo b);",
        &expect![[r#"
        unknown type name `foo`
          1:14-17 not a type
          help: a `typedef` of this name is missing here; did a header get lost?
    "#]],
    );
    check(
        "static foo * x;",
        &expect![[r#"
        unknown type name `foo`
          1:8-11 not a type
          help: a `typedef` of this name is missing here; did a header get lost?
    "#]],
    );
    check(
        "int x = sizeof(foo *);",
        &expect![[r#"
        expected expression, found `)`
          1:21-22 expected expression
    "#]],
    );
    check(
        "long short x;",
        &expect![[r#"
        these type specifiers cannot be combined
          1:1-11 
    "#]],
    );
    check(
        "int long char x;",
        &expect![[r#"
        `char` cannot be combined with the type before it
          1:10-14 
          1:1-9 this type
    "#]],
    );
    check(
        "struct S { int x; } int y;",
        &expect![[r#"
        `int` cannot be combined with the type before it
          1:21-24 
          1:1-20 this type
    "#]],
    );
    check(
        "static extern int x;",
        &expect![[r#"
        two storage classes in one declaration
          1:8-14 the second one
          1:1-7 the first one
    "#]],
    );
    check(
        "int f(void) { goto 3; }",
        &expect![[r#"
        expected label after `goto`, found number
          1:20-21 expected label after `goto`
    "#]],
    );
    check(
        "int f(void) { do x; }",
        &expect![[r#"
        expected `while` after body of `do`, found `}`
          1:21-22 expected `while` after body of `do`
    "#]],
    );
    check(
        "int f(void) { if (1) int x; }",
        &expect![[r#"
        expected statement, found `int`
          1:22-25 expected statement
          help: a declaration cannot be the body of a statement: put it into braces
    "#]],
    );
    check(
        "int x = 'a;",
        &expect![[r#"
        unterminated character literal
          1:9-10 the literal starts here
    "#]],
    );
    check(
        "int x = 08;",
        &expect![[r#"
        invalid number `08`
          1:9-11 a digit of an octal number is below 8
    "#]],
    );
    check(
        "int x = \"a\" L\"b\" u\"c\";",
        &expect![[r#"
        string literals with different prefixes cannot be concatenated
          1:18-22 
          1:9-12 the first literal
    "#]],
    );
    check(
        "int x @ 3;",
        &expect![[r#"
        stray `@` in the program
          1:7-8 
    "#]],
    );
    check(
        "}",
        &expect![[r#"
        expected declaration, found `}`
          1:1-2 expected declaration
    "#]],
    );
    check(
        "int f(void) { return }",
        &expect![[r#"
        expected expression, found `}`
          1:22-23 expected expression
    "#]],
    );
    check(
        "int f() int x; {}",
        &expect![[r#"
        expected `;` after declaration, found `int`
          1:9-12 expected `;` after declaration
    "#]],
    );
    check(
        "x 3;",
        &expect![[r#"
        expected `;` after declaration, found number
          1:3-4 expected `;` after declaration
    "#]],
    );
    check(
        "#include <a.h>\n",
        &expect![[r#"
        preprocessor directive `#include` in a text that should be preprocessed
          1:1-15 
          help: the file needs preprocessing: pass the original .c file, or the output of `cc -E`
    "#]],
    );
    check(
        "int x = .;",
        &expect![[r#"
        expected expression, found `.`
          1:9-10 expected expression
    "#]],
    );
    check(
        "int f(void) { case }",
        &expect![[r#"
        expected expression, found `}`
          1:20-21 expected expression
    "#]],
    );
    check(
        "_Static_assert(1, 2);",
        &expect![[r#"
        expected string literal with a message, found number
          1:19-20 expected string literal with a message
    "#]],
    );
    check(
        "int f(void) { asm(1); }",
        &expect![[r#"
        expected string literal with the assembler code, found number
          1:19-20 expected string literal with the assembler code
    "#]],
    );
    check(
        "int (x;",
        &expect![[r#"
        expected `)` after declarator, found `;`
          1:7-8 expected `)` after declarator
          1:5-6 to close this
    "#]],
    );
    check(
        "int *;",
        &expect![[r#"
        expected name or declarator, found `;`
          1:6-7 expected name or declarator
    "#]],
    );
    check(
        "void f(void) { for (int i = 0; i < 3) ; }",
        &expect![[r#"
        expected `;` after second clause of `for`, found `)`
          1:37-38 expected `;` after second clause of `for`
    "#]],
    );
}
