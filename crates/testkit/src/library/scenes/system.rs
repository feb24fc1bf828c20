//! Functions about which little is known: the process, the environment, random numbers, errors.

use super::super::builder::Builder;
use super::Entry;

pub(super) const SCENES: &[Entry] = &[
    (4, random),
    (2, process),
    (3, environment),
    (2, machine),
    (2, terminal),
    (2, polled),
    (2, messages),
    (2, locale),
    (2, signals),
    (2, read),
    (1, folder),
    (2, codes),
    (1, file),
    (1, once),
    (1, written),
];

fn random(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    b.constant("seed", 0, 99);
    match b.random.below(4) {
        0 => {
            b.code("srand(@seed);\nint $a = rand();\nsrand(@seed);\nint $b = rand();");
            b.always("$a == $b");
            b.may_fail("$a != $b");
        }
        1 => {
            b.code("unsigned $state = @seed;\nint $r = rand_r(&$state);\nint $roll = $r % 6 + 1;");
            b.always("$roll >= 1 && $roll <= 6");
            b.open("$state != @seed");
            b.open("$roll != 3");
        }
        _ => {
            b.choose("draw", &["rand()", "rand()", "(int)random()"]);
            b.code("int $r = @draw;\nint $roll = $r % 6 + 1;");
            b.always("$r >= 0");
            b.always("$roll >= 1 && $roll <= 6");
            b.always("$r <= RAND_MAX");
            b.open("$roll != 3");
        }
    }
}

fn process(b: &mut Builder<'_>) {
    b.include(&["unistd.h"]);
    b.code("int $p = getpid();");
    b.always("$p == getpid()");
    b.always("$p > 0");
    b.may_fail("$p != 1234");
    b.may_fail("$p % 2 == 1");
}

fn environment(b: &mut Builder<'_>) {
    b.include(&["stdlib.h"]);
    if b.random.chance(40) {
        b.include(&["string.h"]);
        b.code(
            "int $set = setenv(\"TESTKIT_KEY\", \"some\", 1);
             if ($set != 0) return 0;
             const char *$v = getenv(\"TESTKIT_KEY\");",
        );
        b.truth("$v == NULL");
        b.text("$v ? $v : \"\"");
        return;
    }
    b.choose("name", &["\"HOME\"", "\"PATH\"", "\"TESTKIT_UNSET\""]);
    b.code("const char *$v = getenv(@name);\nint $length = 0;\nwhile ($v && $v[$length] && $length < 4) $length++;");
    b.always("$length >= 0 && $length <= 4");
    b.always("$v != NULL || $length == 0");
    b.may_fail("$v != NULL");
    b.may_fail("$v == NULL");
    b.may_fail("$length < 4");
}

fn machine(b: &mut Builder<'_>) {
    b.include(&["sys/utsname.h", "string.h"]);
    b.code("struct utsname $u;\nmemset(&$u, 0, sizeof $u);\nint $r = uname(&$u);");
    b.always("$r == 0 || $r == -1");
    b.always("strlen($u.sysname) < sizeof $u.sysname");
    b.may_fail("$u.sysname[0] == '\\0'");
    b.may_fail("strlen($u.nodename) < 3");
}

fn terminal(b: &mut Builder<'_>) {
    b.include(&["unistd.h"]);
    b.code("int $t = isatty(0);");
    b.always("$t == 0 || $t == 1");
    b.may_fail("$t == 0");
    b.may_fail("$t == 1");
}

fn polled(b: &mut Builder<'_>) {
    b.include(&["poll.h"]);
    b.code("struct pollfd $fd = { -1, POLLIN, 77 };\nint $r = poll(&$fd, 1, 0);");
    b.number("$r");
    b.number("$fd.revents");
    b.truth("$fd.revents == 77");
    b.number("$fd.fd");
}

fn messages(b: &mut Builder<'_>) {
    b.include(&["string.h", "errno.h"]);
    b.choose("code", &["ENOENT", "EINVAL", "0", "ENOMEM"]);
    b.code("const char *$m = strerror(@code);");
    b.truth("$m == NULL");
    b.truth("$m[0] == '\\0'");
    b.number("strlen($m)");
}

fn locale(b: &mut Builder<'_>) {
    b.include(&["locale.h", "string.h"]);
    b.choose("name", &["\"C\"", "\"POSIX\"", "NULL"]);
    b.code("const char *$l = setlocale(LC_ALL, @name);");
    b.truth("$l != NULL");
    b.text("$l ? $l : \"none\"");
    b.number("localeconv()->decimal_point[0]");
}

fn signals(b: &mut Builder<'_>) {
    b.include(&["signal.h"]);
    b.choose("start", &["sigemptyset", "sigfillset"]);
    b.choose("change", &["sigaddset", "sigdelset"]);
    b.code("sigset_t $s;\nif (@start(&$s) || @change(&$s, SIGTERM)) return 0;");
    b.number("sigismember(&$s, SIGTERM)");
    b.number("sigismember(&$s, SIGHUP)");
}

fn read(b: &mut Builder<'_>) {
    b.include(&["unistd.h"]);
    b.world.reads_stdin = true;
    b.code("char $b[4] = { 'q', 'q', 'q', 'q' };\nlong $n = read(0, $b, 3);");
    b.always("$n >= -1 && $n <= 3");
    b.always("$b[3] == 'q'");
    b.may_fail("$n == 3");
    b.may_fail("$b[0] == 'q'");
    b.may_fail("$n <= 0");
}

fn folder(b: &mut Builder<'_>) {
    b.include(&["unistd.h", "string.h"]);
    b.code(
        "char $path[256] = \"?\";\nchar *$r = getcwd($path, sizeof $path);\nif (!$r) strcpy($path, \"/\");",
    );
    b.always("$r == NULL || $r == $path");
    b.may_fail("strcmp($path, \"?\") == 0");
    b.may_fail("strlen($path) < 2");
}

fn codes(b: &mut Builder<'_>) {
    b.include(&["errno.h", "unistd.h"]);
    b.choose("call", &["close(-1)", "dup(-1)", "fsync(-1)", "(int)lseek(-1, 0, SEEK_SET)"]);
    b.code("errno = 0;\nint $r = @call;\nint $code = errno;");
    b.number("$r");
    b.number("$code");
    b.truth("$code == EBADF");
}

fn file(b: &mut Builder<'_>) {
    b.include(&["stdio.h", "errno.h"]);
    b.code(
        "errno = 0;
         FILE *$f = fopen(\"/no-such-folder/file\", \"r\");
         int $code = errno;
         if ($f) fclose($f);",
    );
    b.always("$f != NULL || $code != 0");
    b.open("$f == NULL");
    b.may_fail("$code == 0");
}

fn once(b: &mut Builder<'_>) {
    b.include(&["pthread.h"]);
    b.helper("static int $calls;\nstatic pthread_once_t $control = PTHREAD_ONCE_INIT;");
    b.helper("static void $start(void)\n{\n    $calls++;\n}");
    b.code("pthread_once(&$control, $start);");
    if b.random.chance(50) {
        b.code("pthread_once(&$control, $start);");
    }
    b.number("$calls");
}

fn written(b: &mut Builder<'_>) {
    b.include(&["unistd.h"]);
    b.world.writes_stdout = true;
    b.code("long $n = write(1, \"abc\", 3);");
    b.always("$n >= -1 && $n <= 3");
    b.may_fail("$n == 3");
    b.may_fail("$n < 0");
}
