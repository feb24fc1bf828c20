//! Programs that include the system's headers check, for both data models.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print
#![allow(clippy::format_push_string, clippy::format_collect)] // brevity

#[path = "../../testkit/src/require.rs"]
mod require;

use base::SourceMap;
use cfa::DataModel;
use cfront::preprocess::Options;
use cfront::{Input, Interner, check, load, with_large_stack};

/// Headers that programs include, and something that uses each.
const USES: &[(&str, &str)] = &[
    (
        "stdio.h",
        "printf(\"%d\\n\", 1); fprintf(stderr, \"x\"); putchar('a'); FILE *file = fopen(\"a\", \"r\"); fclose(file);",
    ),
    (
        "stdlib.h",
        "char *p = malloc(3); p = realloc(p, 5); free(p); if (!p) abort(); qsort(p, 1, 1, 0); exit(EXIT_FAILURE);",
    ),
    (
        "string.h",
        "char b[10]; memset(b, 0, sizeof b); memcpy(b, \"abc\", 3); strcpy(b, \"x\"); int n = strlen(b) + strcmp(b, \"y\");",
    ),
    ("assert.h", "int x = 3; assert(x == 3 && \"three\");"),
    (
        "math.h",
        "double d = sqrt(2.0) + fabs(-1.0) + INFINITY + NAN; int k = isnan(d) + isinf(d) + isfinite(d) + signbit(d) + fpclassify(d) + isnormal(d) + isgreater(d, 1.0);",
    ),
    (
        "stdint.h",
        "uint64_t u = UINT64_MAX; int8_t i = INT8_MIN; intptr_t p = (intptr_t)&u; uintmax_t m = UINTMAX_C(3);",
    ),
    ("limits.h", "int a = INT_MAX + LONG_MIN + CHAR_BIT + UCHAR_MAX; unsigned long long b = ULLONG_MAX;"),
    ("float.h", "double d = DBL_MAX + FLT_EPSILON; long double l = LDBL_MIN; int n = FLT_RADIX + DBL_DIG;"),
    ("stdbool.h", "bool b = true; if (b != false) b = 0;"),
    (
        "stddef.h",
        "size_t n = offsetof(struct pair, second); ptrdiff_t d = (char *)NULL - (char *)0; wchar_t w = L'x'; max_align_t m;",
    ),
    ("stdarg.h", "va_list list; (void)sizeof list;"),
    ("ctype.h", "int n = isdigit('1') + toupper('a') + isspace(' ');"),
    ("errno.h", "errno = EINVAL; int n = errno;"),
    ("time.h", "time_t t = time(NULL); struct tm *p = localtime(&t); clock_t c = clock() / CLOCKS_PER_SEC;"),
    ("signal.h", "signal(SIGINT, SIG_IGN); raise(SIGTERM); sigset_t s; sigemptyset(&s);"),
    ("unistd.h", "write(1, \"x\", 1); pid_t p = fork(); sleep(1); _exit(0);"),
    ("inttypes.h", "printf(\"%\" PRIu64 \"\\n\", (uint64_t)1);"),
    (
        "pthread.h",
        "pthread_t t; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_create(&t, 0, 0, 0); pthread_mutex_lock(&m);",
    ),
    ("sys/types.h", "off_t o = 0; ssize_t s = -1; u_int32_t u = 1;"),
    ("sys/stat.h", "struct stat s; stat(\"a\", &s); int n = S_ISDIR(s.st_mode);"),
    ("sys/socket.h", "struct sockaddr a; bind(0, &a, sizeof a); socklen_t n;"),
    (
        "netinet/in.h",
        "struct sockaddr_in a = { .sin_port = htons(80) }; unsigned n = ntohl(a.sin_addr.s_addr);",
    ),
    ("sys/wait.h", "int s; wait(&s); int n = WIFEXITED(s) ? WEXITSTATUS(s) : WTERMSIG(s);"),
    ("fcntl.h", "int f = open(\"a\", O_RDONLY | O_CREAT, 0600);"),
    ("setjmp.h", "jmp_buf b; (void)sizeof b;"),
    ("locale.h", "setlocale(LC_ALL, \"\");"),
    ("wchar.h", "wchar_t w[] = L\"abc\"; size_t n = wcslen(w);"),
    ("fenv.h", "fesetround(FE_TONEAREST); int n = fetestexcept(FE_ALL_EXCEPT);"),
    ("dirent.h", "DIR *d = opendir(\".\"); struct dirent *e = readdir(d);"),
    ("sys/time.h", "struct timeval t; gettimeofday(&t, NULL);"),
    ("semaphore.h", "sem_t s; sem_init(&s, 0, 1); sem_wait(&s);"),
    ("iso646.h", "int x = not 1 and 2 or 3;"),
    ("stdnoreturn.h", "void die(void); die();"),
    ("stdalign.h", "alignas(16) char c; int n = alignof(int);"),
    ("getopt.h", "int c = getopt(0, 0, \"a\"); char *s = optarg;"),
    ("byteswap.h", "unsigned x = bswap_32(1) + bswap_16(2);"),
    ("arpa/inet.h", "unsigned short s = htons(1); char *p = inet_ntoa((struct in_addr){ 0 });"),
    ("regex.h", "regex_t r; regcomp(&r, \"a\", REG_EXTENDED);"),
    ("search.h", "hcreate(10);"),
    ("sys/mman.h", "void *p = mmap(0, 1, PROT_READ, MAP_PRIVATE, -1, 0); if (p == MAP_FAILED) return;"),
    ("sys/select.h", "fd_set s; FD_ZERO(&s); FD_SET(1, &s); int n = FD_ISSET(1, &s);"),
    ("termios.h", "struct termios t; tcgetattr(0, &t);"),
    ("poll.h", "struct pollfd p = { 0, POLLIN, 0 }; poll(&p, 1, 0);"),
];

fn check_text(text: String, model: DataModel) -> Result<usize, String> {
    let mut sources = SourceMap::new();
    let mut interner = Interner::new();
    let input = Input::Text { name: "use.c".to_owned(), text: text.into_bytes().into() };
    let result = load(&input, &Options::new(model), &mut sources, &mut interner)
        .and_then(|loaded| check::check(&[loaded.unit], &interner, &sources, model));
    result.map(|program| program.functions.len()).map_err(|diagnostic| {
        let place = diagnostic.primary.map(|label| sources.describe(sources.region(label.span)));
        format!("{}: {}", place.unwrap_or_default(), diagnostic.message)
    })
}

#[test]
fn system_headers_check() {
    let mut wrong = Vec::new();
    let mut all = String::new();
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        if let Err(message) =
            check_text("#include <stdio.h>\nint main(void) { return 0; }\n".to_owned(), model)
        {
            let requirement = match model {
                DataModel::Lp64 => require::Requirement::Gcc,
                DataModel::Ilp32 => require::Requirement::Gcc32,
            };
            requirement.skip(&format!("{model}: {message}"));
            continue;
        }
        for (header, body) in USES {
            let text = format!(
                "#include <stdio.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <{header}>\nstruct pair {{ int first; char second; }};\nvoid use(void) {{ {body} }}\n"
            );
            all.push_str(&format!("#include <{header}>\n"));
            if let Err(message) = with_large_stack(|| check_text(text, model)) {
                wrong.push(format!("{model} <{header}>: {message}"));
            }
        }
        match with_large_stack(|| check_text(all.clone() + "int main(void) { return 0; }\n", model)) {
            Ok(count) => println!("{model}: {count} functions"),
            Err(message) => wrong.push(format!("{model} all: {message}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
