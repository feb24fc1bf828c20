//! Calls on strings, memory, wide strings, arrays and integers.

use super::arguments;
use crate::random::Random;

/// One call of these functions.
pub(super) fn call(random: &mut Random) -> String {
    match random.below(10) {
        0 | 1 => result(random),
        2 | 3 => copy(random),
        4 => tokens(random),
        5 => wide(random),
        6 => multibyte(random),
        7 => character(random),
        8 => array(random),
        _ => division(random),
    }
}

fn string(random: &mut Random, most: usize) -> String {
    let alphabet: &[u8] = if random.chance(70) { b"aAb/" } else { b"a\x01\x7f\x80\xff zZ" };
    arguments::literal(&arguments::bytes(random, alphabet, most))
}

/// Functions that only look at strings.
fn result(random: &mut Random) -> String {
    const CALLS: [&str; 24] = [
        "(int)strlen(a)",
        "(int)strnlen(a, n)",
        "sign(strcmp(a, b))",
        "sign(strncmp(a, b, n))",
        "sign(strcasecmp(a, b))",
        "sign(strncasecmp(a, b, n))",
        "sign(strcoll(a, b))",
        "distance(a, strchr(a, c))",
        "distance(a, strrchr(a, c))",
        "distance(a, strchrnul(a, c))",
        "distance(a, strstr(a, b))",
        "distance(a, strcasestr(a, b))",
        "distance(a, strpbrk(a, b))",
        "(int)strspn(a, b)",
        "(int)strcspn(a, b)",
        "distance(a, basename(a))",
        "sign(memcmp(a, b, strlen(a) < strlen(b) ? strlen(a) : strlen(b)))",
        "distance(a, memchr(a, c, strlen(a)))",
        "distance(a, memrchr(a, c, strlen(a)))",
        "distance(a, rawmemchr(a, 0))",
        "distance(a, memmem(a, strlen(a), b, strlen(b)))",
        "(int)strcspn(b, a)",
        "distance(b, strstr(b, a))",
        "distance(a, strchr(a, 0))",
    ];
    let (a, b) = (string(random, 12), string(random, 4));
    let (n, c) = (random.below(14), *random.pick(b"aAb/\x80\0"));
    let call = random.pick(&CALLS);
    format!(
        "    const char *a = {a}, *b = {b};\n    size_t n = {n};\n    int c = {c};\n    \
         (void)n;\n    (void)c;\n    printf(\"result %d\\n\", {call});\n"
    )
}

/// Functions that write to a buffer.
fn copy(random: &mut Random) -> String {
    const CALLS: [&str; 22] = [
        "strcpy(to, a)",
        "strncpy(to, a, n)",
        "strcat(to, a)",
        "strncat(to, a, n)",
        "stpcpy(to, a)",
        "stpncpy(to, a, n)",
        "to + strxfrm(to, a, n)",
        "memccpy(to, a, c, strlen(a))",
        "mempcpy(to, a, strlen(a))",
        "memmove(to + 2, to, n)",
        "memmove(to, to + 2, n)",
        "(swab(a, to, (long)strlen(a)), to)",
        "(bcopy(to, to + 1, n), to)",
        "(explicit_bzero(to, n), to)",
        "memfrob(to, n)",
        "__memcpy_chk(to, a, strlen(a), 64)",
        "__memset_chk(to, c, n, 64)",
        "__strcpy_chk(to, a, 64)",
        "__strncpy_chk(to, a, n, 64)",
        "__strcat_chk(to, a, 64)",
        "__strncat_chk(to, a, n, 64)",
        "memset(to, c, n)",
    ];
    let (a, b) = (string(random, 20), string(random, 8));
    let (n, c) = (random.below(24), *random.pick(b"aAb/\x80\0"));
    let call = random.pick(&CALLS);
    format!(
        "    char to[64];\n    const char *a = {a};\n    size_t n = {n};\n    int c = {c};\n    (void)n;\n    (void)c;\n    \
         memset(to, '?', sizeof to);\n    strcpy(to, {b});\n    void *result = {call};\n    \
         printf(\"copy %d %016llx\\n\", distance(to, result), hash(to, sizeof to));\n"
    )
}

fn tokens(random: &mut Random) -> String {
    let (a, b) = (string(random, 20), string(random, 3));
    let (first, next) = *random.pick(&[
        ("strtok(to, b)", "strtok(0, b)"),
        ("strtok_r(to, b, &rest)", "strtok_r(0, b, &rest)"),
        ("strsep(&rest, b)", "strsep(&rest, b)"),
    ]);
    format!(
        "    char to[32], *rest = to;\n    const char *b = {b};\n    unsigned long long all = 0;\n    \
         memset(to, 0, sizeof to);\n    strcpy(to, {a});\n    \
         for (char *token = {first}; token != 0; token = {next})\n        \
         all = all * 31 + hash(token, (int)strlen(token)) + (unsigned)(token - to);\n    \
         printf(\"tokens %016llx %016llx %d\\n\", all, hash(to, sizeof to), rest == 0 ? -1 : (int)(rest - to));\n"
    )
}

fn wide_array(random: &mut Random, most: usize) -> String {
    let values: Vec<String> = (0..random.below(most + 1))
        .map(|_| if random.chance(10) { "-5".to_owned() } else { (1 + random.below(3)).to_string() })
        .chain(["0".to_owned()])
        .collect();
    format!("{{{}}}", values.join(", "))
}

fn wide(random: &mut Random) -> String {
    const CALLS: [&str; 18] = [
        "(int)wcslen(a)",
        "sign(wcscmp(a, b))",
        "sign(wcsncmp(a, b, n))",
        "distance(a, wcschr(a, 2))",
        "distance(a, wcsrchr(a, 2))",
        "distance(a, wcsstr(a, b))",
        "(int)wcsspn(a, b)",
        "(int)wcscspn(a, b)",
        "distance(a, wmemchr(a, 3, wcslen(a)))",
        "sign(wmemcmp(a, b, wcslen(a) < wcslen(b) ? wcslen(a) : wcslen(b)))",
        "distance(to, wcscpy(to, a))",
        "distance(to, wcsncpy(to, a, n))",
        "distance(to, wcscat(wcscpy(to, a), b))",
        "distance(to, wcsncat(wcscpy(to, b), a, n))",
        "distance(to, wmemset(to, 9, n))",
        "sign(wcscmp(b, a))",
        "distance(a, wcschr(a, 0))",
        "(int)wcsspn(b, a)",
    ];
    let (a, b, n) = (wide_array(random, 9), wide_array(random, 3), random.below(12));
    let call = random.pick(&CALLS);
    format!(
        "    wchar_t a[] = {a}, b[] = {b}, to[24];\n    size_t n = {n};\n    (void)n;\n    \
         memset(to, '?', sizeof to);\n    int result = {call};\n    \
         printf(\"wide %d %016llx\\n\", result, hash(to, sizeof to));\n"
    )
}

fn multibyte(random: &mut Random) -> String {
    const CALLS: [&str; 6] = [
        "(int)mbstowcs(to, a, n)",
        "(int)mbstowcs(0, a, n)",
        "mbtowc(to, a, n)",
        "(int)wcstombs((char *)to, w, n)",
        "(int)wcstombs(0, w, n)",
        "wctomb((char *)to, w[0])",
    ];
    let a = arguments::literal(&arguments::bytes(random, b"abcdefgh\x01\x7f\x80", 8));
    let (w, n, call) = (wide_array(random, 7), random.below(9), random.pick(&CALLS));
    format!(
        "    const char *a = {a};\n    wchar_t w[] = {w}, to[12];\n    size_t n = {n};\n    (void)a;\n    (void)n;\n    \
         memset(to, '?', sizeof to);\n    errno = 5;\n    int result = {call};\n    \
         printf(\"multibyte %d %d %016llx\\n\", result, errno, hash(to, sizeof to));\n"
    )
}

fn character(random: &mut Random) -> String {
    let call = *random.pick(&[
        "isalpha(c) != 0",
        "isdigit(c) != 0",
        "isspace(c) != 0",
        "ispunct(c) != 0",
        "isprint(c) != 0",
        "iscntrl(c) != 0",
        "isxdigit(c) != 0",
        "toupper(c)",
        "tolower(c)",
        "iswalpha(c) != 0",
        "iswpunct(c) != 0",
        "iswspace(c) != 0",
        "(int)towupper(c)",
        "(int)towlower(c)",
    ]);
    format!("    int c = {};\n    printf(\"character %d\\n\", {call});\n", random.between(-1, 255))
}

/// Sorting keeps the order of elements that compare equal, as glibc's merge sort does.
fn array(random: &mut Random) -> String {
    let most = if random.chance(80) { 20 } else { 90 };
    let bytes: Vec<String> = (0..=random.below(most)).map(|_| random.below(256).to_string()).collect();
    let count = bytes.len();
    if random.chance(50) {
        let size = 1 + random.below(4.min(count));
        return format!(
            "    unsigned char all[] = {{{}}};\n    qsort(all, sizeof all / {size}, {size}, by_byte);\n    \
             printf(\"qsort %016llx\\n\", hash(all, sizeof all));\n",
            bytes.join(", ")
        );
    }
    format!(
        "    int all[{count} + 1] = {{{}}}, key = {};\n    size_t count = {count};\n    \
         qsort(all, count, sizeof all[0], by_int);\n    \
         int found = distance(all, bsearch(&key, all, count, sizeof all[0], by_int));\n    \
         int first = distance(all, lfind(&key, all, &count, sizeof all[0], by_int));\n    \
         int added = distance(all, lsearch(&key, all, &count, sizeof all[0], by_int));\n    \
         printf(\"search %d %d %d %d %016llx\\n\", found, first, added, (int)count, hash(all, sizeof all));\n",
        bytes.join(", "),
        random.below(256)
    )
}

fn division(random: &mut Random) -> String {
    let a = arguments::integer(random);
    let b = match arguments::integer(random) {
        0 | -1 => 3,
        other if i32::try_from(other).is_ok() => other,
        other => other.rem_euclid(1000) + 2,
    };
    // The least `int` and `long long` have no absolute value.
    let size = a.unsigned_abs().min(i64::MAX as u64);
    format!(
        "    long long a = {}, b = {b};\n    div_t x = div((int)a, (int)b);\n    ldiv_t y = ldiv((long)a, (long)b);\n    \
         lldiv_t z = lldiv(a, b), w = imaxdiv(a, b);\n    \
         printf(\"div %d %d %ld %ld %lld %lld %lld %lld %d %d %d %lld\\n\", x.quot, x.rem, y.quot, y.rem, z.quot, z.rem,\n        \
         w.quot, w.rem, ffs((int)a), ffsl((long)a), ffsll(a), imaxabs(-{size}LL));\n",
        arguments::constant(a)
    )
}
