//! `<time.h>`. The time itself is the world's; what a fixed time means is not.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] =
    &[(3, now), (3, broken_down), (2, normalised), (2, difference), (1, printed), (2, precise)];

fn now(b: &mut Builder<'_>) {
    b.include(&["time.h"]);
    b.code("time_t $t = 7;\ntime_t $r = time(&$t);");
    b.always("$t == $r");
    b.open("$t != -1");
    b.open("$t > 1000000");
    b.may_fail("$t == 7");
    b.may_fail("$r % 2 == 0");
    b.may_fail("$t % 60 != 30");
}

fn broken_down(b: &mut Builder<'_>) {
    b.include(&["time.h"]);
    b.choose("t", &["0", "86399", "951782400", "1700000000", "-1", "1000000000"]);
    b.code("time_t $t = @t;\nstruct tm $tm = { 0 };");
    if b.random.chance(70) {
        b.code("struct tm *$r = gmtime_r(&$t, &$tm);\nif ($r != &$tm) return 0;");
    } else {
        b.code("struct tm *$r = gmtime(&$t);\nif (!$r) return 0;\n$tm = *$r;");
    }
    b.number("$tm.tm_year");
    b.number("$tm.tm_mon");
    b.number("$tm.tm_mday");
    b.truth("$tm.tm_mday == 0");
    b.number("$tm.tm_hour * 60 + $tm.tm_min");
    b.number("$tm.tm_wday");
}

fn normalised(b: &mut Builder<'_>) {
    b.include(&["_GNU_SOURCE", "time.h"]);
    b.constant("month", 0, 11);
    b.value("day", 28, 33);
    b.choose("make", &["mktime", "timegm"]);
    b.code(
        "struct tm $tm = { .tm_year = 120, .tm_mon = @month, .tm_mday = @day, .tm_hour = 12, .tm_isdst = -1 };
         time_t $t = @make(&$tm);
         if ($t == -1) return 0;",
    );
    b.number("$tm.tm_mon");
    b.number("$tm.tm_mday");
    b.number("$tm.tm_yday");
    b.truth("$tm.tm_yday == 0");
}

fn difference(b: &mut Builder<'_>) {
    b.include(&["time.h"]);
    b.value("late", 10, 40);
    b.constant("early", 5, 30);
    b.code("time_t $early = @early, $late = @late;\ndouble $d = difftime($late, $early);");
    b.number("(int)$d");
    b.truth("$d > 0");
}

fn printed(b: &mut Builder<'_>) {
    b.include(&["time.h", "string.h"]);
    b.choose("format", &["\"%Y-%m-%d\"", "\"%H:%M\"", "\"%j\""]);
    b.code(
        "struct tm $tm = { .tm_year = 99, .tm_mon = 4, .tm_mday = 3, .tm_hour = 21, .tm_min = 7, .tm_yday = 122 };
         char $text[16] = \"\";
         size_t $length = strftime($text, sizeof $text, @format, &$tm);",
    );
    b.number("$length");
    b.text("$text");
}

fn precise(b: &mut Builder<'_>) {
    match b.random.below(3) {
        0 => {
            b.include(&["sys/time.h", "stddef.h"]);
            b.code("struct timeval $tv = { -5, -5 };\nif (gettimeofday(&$tv, NULL) != 0) return 0;");
            b.always("$tv.tv_usec >= 0 && $tv.tv_usec < 1000000");
            b.may_fail("$tv.tv_usec < 500000");
            b.may_fail("$tv.tv_sec == -5");
        }
        1 => {
            b.include(&["time.h"]);
            b.code("struct timespec $ts = { -5, -5 };\nif (clock_gettime(CLOCK_REALTIME, &$ts)) return 0;");
            b.always("$ts.tv_nsec >= 0 && $ts.tv_nsec <= 999999999");
            b.may_fail("$ts.tv_nsec == -5");
            b.may_fail("$ts.tv_nsec != 123456789");
        }
        _ => {
            b.include(&["time.h"]);
            b.code("clock_t $c = clock();");
            b.open("$c != (clock_t)-1");
            b.may_fail("$c == 123456");
            b.always("CLOCKS_PER_SEC == 1000000");
        }
    }
}
