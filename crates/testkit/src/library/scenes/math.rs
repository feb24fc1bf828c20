//! `<math.h>`.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] = &[
    (3, rounded),
    (3, parts),
    (2, exponents),
    (2, extremes),
    (2, roots),
    (2, remainders),
    (1, classes),
    (1, transcendental),
    (1, waves),
];

/// Sets `@x` to an exactly representable number.
fn half(b: &mut Builder<'_>) {
    b.value("n", -7, 9);
    b.choose("divisor", &["2.0", "4.0", "2.0", "1.0"]);
}

fn rounded(b: &mut Builder<'_>) {
    b.include(&["math.h"]);
    half(b);
    if b.random.chance(25) {
        b.choose("f", &["floorf", "ceilf", "roundf", "truncf"]);
        b.code("float $x = @n / (float)@divisor;\nfloat $y = @f($x);");
    } else {
        b.choose("f", &["floor", "ceil", "round", "trunc", "rint", "nearbyint"]);
        b.code("double $x = @n / @divisor;\ndouble $y = @f($x);");
    }
    b.number("(int)$y");
    b.truth("$y == $x");
    b.truth("$y <= $x");
    b.number("lround($x)");
}

fn parts(b: &mut Builder<'_>) {
    b.include(&["math.h"]);
    half(b);
    if b.random.chance(40) {
        b.code("float $whole = 99.0f;\nfloat $part = modff((float)(@n / @divisor), &$whole);");
    } else {
        b.code("double $whole = 99.0;\ndouble $part = modf(@n / @divisor, &$whole);");
    }
    b.number("(int)$whole");
    b.number("(int)($part * 4)");
    b.truth("$part >= 0");
    b.truth("$whole == 99.0");
}

fn exponents(b: &mut Builder<'_>) {
    b.include(&["math.h"]);
    b.value("n", 1, 12);
    if b.random.chance(60) {
        b.choose("f", &["frexp", "frexpf"]);
        b.code("int $e = -99;\ndouble $m = @f(@n, &$e);");
        b.number("$e");
        b.truth("$e == -99");
        b.truth("$m < 1.0 && $m >= 0.5");
        b.number("(int)($m * 16)");
    } else {
        b.choose("f", &["ldexp", "scalbn"]);
        b.constant("by", -2, 6);
        b.code("double $x = @f(@n, @by);");
        b.truth("$x > 10");
        b.number("(int)$x");
    }
}

fn extremes(b: &mut Builder<'_>) {
    b.include(&["math.h"]);
    half(b);
    b.choose("f", &["fmin", "fmax", "fdim", "copysign"]);
    b.choose("y", &["1.5", "-2.0", "0.0"]);
    b.code("double $x = @n / @divisor;\ndouble $z = @f($x, @y);\ndouble $size = fabs($x);");
    b.number("(int)($z * 4)");
    b.truth("$z == $x");
    b.truth("$size >= $z");
    b.number("(int)($size * 2)");
}

fn roots(b: &mut Builder<'_>) {
    b.include(&["math.h"]);
    b.choose(
        "call",
        &[
            "sqrt(16.0)",
            "sqrt(2.25)",
            "sqrt(@n)",
            "hypot(3.0, 4.0)",
            "pow(2.0, @n)",
            "cbrt(27.0)",
            "sqrtf(9.0f)",
        ],
    );
    b.value("n", 0, 9);
    let call = b.filled("@call");
    // The chosen call has a value in it.
    b.code(&format!("double $r = {call};"));
    b.truth("$r >= 3.0");
    b.truth("$r * $r <= 100");
    b.number("(int)($r + 0.25)");
}

fn remainders(b: &mut Builder<'_>) {
    b.include(&["math.h"]);
    b.value("n", -8, 11);
    b.choose("by", &["3.0", "2.5", "-4.0"]);
    match b.random.below(3) {
        0 => b.code("int $q = 77;\ndouble $r = remquo(@n, @by, &$q);\n$q = $q == 77;"),
        1 => b.code("double $r = remainder(@n, @by);\nint $q = 0;"),
        _ => b.code("double $r = fmod(@n, @by);\nint $q = 0;"),
    }
    b.number("(int)($r * 2)");
    b.truth("$r < 0");
    b.number("$q");
}

fn classes(b: &mut Builder<'_>) {
    b.include(&["math.h"]);
    b.choose("x", &["NAN", "INFINITY", "-INFINITY", "0.0", "-0.0", "1.0", "1e-310"]);
    b.code(
        "double $x = @x;
         int $nan = isnan($x) != 0, $inf = isinf($x) != 0, $finite = isfinite($x) != 0, $minus = signbit($x) != 0;",
    );
    b.number("$nan");
    b.number("$inf + 2 * $finite");
    b.number("$minus");
    b.truth("$x == $x");
}

fn transcendental(b: &mut Builder<'_>) {
    b.include(&["_GNU_SOURCE", "math.h"]);
    match b.random.below(3) {
        0 => b.code("double $s = 9, $c = 9;\nsincos(0.0, &$s, &$c);\nint $a = $s == 0.0, $b = $c == 1.0;"),
        1 => b.code("double $e = exp(0.0), $l = log(1.0);\nint $a = $e == 1.0, $b = $l == 0.0;"),
        _ => b.code("int $sign = 5;\ndouble $g = lgamma_r(3.0, &$sign);\nint $a = $sign == 1, $b = $g > 0.5 && $g < 0.75;"),
    }
    b.number("$a");
    b.number("$a + 2 * $b");
}

/// Values that are not computed: only where they are.
fn waves(b: &mut Builder<'_>) {
    b.include(&["math.h"]);
    half(b);
    b.choose("f", &["sin", "cos", "tanh", "sinf", "cosf", "tanhf"]);
    b.code("double $x = @n / @divisor;\ndouble $y = @f($x), $at_zero = @f($x - $x);");
    b.truth("$y >= -1.0 && $y <= 1.0");
    b.truth("$at_zero == 0.0");
    b.truth("$at_zero == 1.0");
    b.code("double $none = sin(HUGE_VAL);");
    b.truth("$none == $none");
}
