//! What output functions return. Writing may fail in any world where stdout is full or closed.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] =
    &[(3, printed), (2, character), (2, line), (3, stored_count), (1, flushed), (1, errors)];

/// Whether what is written leaves the process at once, so that its failure is seen.
#[derive(PartialEq, Eq)]
enum Buffer {
    No,
    Yes,
}

fn writes(b: &mut Builder<'_>) -> Buffer {
    b.include(&["stdio.h"]);
    b.world.writes_stdout = true;
    if b.random.chance(50) {
        b.code("int $mode = setvbuf(stdout, NULL, _IONBF, 0);\nif ($mode != 0) return 0;");
        Buffer::No
    } else {
        Buffer::Yes
    }
}

fn printed(b: &mut Builder<'_>) {
    let buffer = writes(b);
    b.value("number", 5, 14);
    b.choose("print", &["printf(", "printf(", "fprintf(stdout, "]);
    b.code("int $length = @print\"n=%d\\n\", @number);");
    b.always("$length <= 5");
    b.always("$length < 0 || $length == 4 || $length == 5");
    if buffer == Buffer::No {
        b.may_fail("$length >= 0");
    } else {
        b.open("$length >= 0");
    }
    b.may_fail("$length < 0");
}

fn character(b: &mut Builder<'_>) {
    let buffer = writes(b);
    b.choose("put", &["putchar('x')", "putc('x', stdout)", "fputc('x', stdout)"]);
    b.code("int $c = @put;");
    b.always("$c == 'x' || $c == EOF");
    if buffer == Buffer::No {
        b.may_fail("$c == 'x'");
    } else {
        b.open("$c == 'x'");
    }
    b.may_fail("$c == EOF");
}

fn line(b: &mut Builder<'_>) {
    let buffer = writes(b);
    b.choose("put", &["puts(\"line\")", "fputs(\"line\\n\", stdout)"]);
    b.code("int $r = @put;");
    b.always("$r >= -1");
    if buffer == Buffer::No {
        b.may_fail("$r >= 0");
    } else {
        b.open("$r != EOF");
    }
}

fn stored_count(b: &mut Builder<'_>) {
    writes(b);
    b.choose("print", &["printf(", "fprintf(stdout, ", "fprintf(stderr, ", "dprintf(1, "]);
    b.code("int $at = -1;\n@print\"ab%n\\n\", &$at);");
    b.always("$at == 2 || $at == -1");
    b.may_fail("$at == -1");
}

fn flushed(b: &mut Builder<'_>) {
    let buffer = writes(b);
    b.code("int $length = printf(\"%d\\n\", 1);\nint $r = fflush(stdout);");
    b.always("$r == 0 || $r == EOF");
    b.always("$length <= 2");
    // Without a buffer there is nothing left that could fail.
    if buffer == Buffer::Yes {
        b.may_fail("$r == 0");
    } else {
        b.open("$r == 0");
    }
    b.may_fail("$r == EOF");
}

fn errors(b: &mut Builder<'_>) {
    b.include(&["stdio.h"]);
    b.code("int $length = fprintf(stderr, \"%s\\n\", \"failed\");");
    b.always("$length == 7 || $length < 0");
    b.may_fail("$length < 0");
    b.may_fail("$length == 7");
}
