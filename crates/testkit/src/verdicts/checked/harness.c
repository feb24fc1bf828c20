/* Runs programs with given inputs, one process each, and prints how each of them ends.
   A line of stdin is the number of a program and its inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ERROR = 77, BLOCKED = 78, NO_INPUT = 79, LEAK = 76, MOST = 64, TEXT = 1 << 15 };

extern int (*const testkit_programs[])(void);

static long long values[MOST];
static int count, next_value;
static long live;

static long long value(void)
{
    if (next_value >= count)
        _exit(NO_INPUT);
    return values[next_value++];
}

int __VERIFIER_nondet_int(void) { return (int)value(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)value(); }
char __VERIFIER_nondet_char(void) { return (char)value(); }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)value(); }
short __VERIFIER_nondet_short(void) { return (short)value(); }
unsigned short __VERIFIER_nondet_ushort(void) { return (unsigned short)value(); }
long __VERIFIER_nondet_long(void) { return (long)value(); }
unsigned long __VERIFIER_nondet_ulong(void) { return (unsigned long)value(); }
void __VERIFIER_assume(int condition)
{
    if (!condition)
        _exit(BLOCKED);
}
void reach_error(void) { _exit(ERROR); }

void *testkit_malloc(unsigned long size) { live++; return malloc(size); }
void *testkit_calloc(unsigned long items, unsigned long size) { live++; return calloc(items, size); }
void *testkit_realloc(void *old, unsigned long size) { live += !old; return realloc(old, size); }
void testkit_free(void *old) { live -= !!old; free(old); }
void testkit_exit(int status) { (void)status; _exit(live > 0 ? LEAK : 0); }

static void run(int program)
{
    static char text[TEXT];
    int ends[2], status;
    if (pipe(ends) != 0)
        exit(1);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        alarm(20);
        testkit_programs[program]();
        testkit_exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    char rest[512];
    for (;;) {
        ssize_t got = length < TEXT - 1 ? read(ends[0], text + length, TEXT - 1 - length) : read(ends[0], rest, sizeof rest);
        if (got <= 0)
            break;
        if (length < TEXT - 1)
            length += (size_t)got;
    }
    text[length] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    const char *report = strstr(text, "runtime error: ");
    if (!report)
        report = strstr(text, "ERROR: AddressSanitizer: ");
    if (!report)
        report = "";
    printf("%d %.*s\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, (int)strcspn(report, "\n"), report);
}

int main(void)
{
    static char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        char *at = line;
        int program = (int)strtol(at, &at, 10);
        count = 0;
        next_value = 0;
        live = 0;
        for (char *end; count < MOST; at = end) {
            long long one = strtoll(at, &end, 10);
            if (end == at)
                break;
            values[count++] = one;
        }
        run(program);
    }
    return 0;
}
