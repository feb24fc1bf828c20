//! Wide characters.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] =
    &[(3, copy), (2, compare), (3, converted), (2, filled), (1, number), (1, classes), (1, back)];

const TEXTS: [&str; 5] = ["L\"wide\"", "L\"\"", "L\"a\\x20ac\"", "L\"ab cd\"", "L\"zz\""];

fn copy(b: &mut Builder<'_>) {
    b.include(&["wchar.h"]);
    b.choose("text", &TEXTS);
    b.code("wchar_t $to[16] = L\"-\";\nwcscpy($to, @text);");
    if b.random.chance(50) {
        b.code("wcscat($to, L\"+\");");
    }
    b.number("wcslen($to)");
    b.number("$to[0]");
    b.truth("$to[0] == L'-'");
    b.truth("wcscmp($to, @text) == 0");
}

fn compare(b: &mut Builder<'_>) {
    b.include(&["wchar.h"]);
    b.choose("first", &TEXTS);
    b.choose("second", &TEXTS);
    b.code("int $order = wcscmp(@first, @second);\nconst wchar_t *$at = wcschr(@first, L'a');");
    b.truth("$order == 0");
    b.truth("$order < 0");
    b.truth("$at == NULL");
}

fn converted(b: &mut Builder<'_>) {
    b.include(&["stdlib.h", "wchar.h"]);
    b.choose("text", &["\"abc\"", "\"\"", "\"longer text\""]);
    b.constant("most", 0, 8);
    b.code("wchar_t $to[16] = { L'#', L'#' };\nsize_t $count = mbstowcs($to, @text, @most);");
    b.number("$count");
    b.number("$to[0]");
    b.truth("$to[0] == L'#'");
    b.number("$to[1]");
}

fn filled(b: &mut Builder<'_>) {
    b.include(&["wchar.h"]);
    b.value("count", 0, 3);
    b.code("wchar_t $a[4] = { 1, 2, 3, 4 };\nwmemset($a, L'x', @count);");
    if b.random.chance(50) {
        b.code("wmemcpy($a + 2, $a, 2);");
    }
    b.number("$a[0]");
    b.truth("$a[0] == 1");
    b.number("$a[2]");
    b.number("$a[3]");
}

fn number(b: &mut Builder<'_>) {
    b.include(&["wchar.h"]);
    b.choose("text", &["L\"12x\"", "L\"-8\"", "L\"z\""]);
    b.code("wchar_t *$end = NULL;\nlong $number = wcstol(@text, &$end, 10);");
    b.number("$number");
    b.number("*$end");
    b.truth("$end == NULL");
}

fn classes(b: &mut Builder<'_>) {
    b.include(&["wctype.h"]);
    b.value("letter", 62, 68);
    b.choose("class", &["iswalpha", "iswupper", "iswdigit"]);
    b.code("int $is = @class(@letter) != 0;\nint $low = (int)towlower(@letter);");
    b.number("$is");
    b.number("$low");
}

fn back(b: &mut Builder<'_>) {
    b.include(&["stdlib.h", "string.h", "wchar.h"]);
    b.choose("text", &["L\"abc\"", "L\"\"", "L\"x y\""]);
    b.code("char $to[16] = \"#####\";\nsize_t $count = wcstombs($to, @text, sizeof $to);");
    b.number("$count");
    b.text("$to");
}
