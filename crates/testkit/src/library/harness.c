/* Runs a program for all values of its inputs, each run in a process of its own.
 *
 *     program LOW HIGH ... -- STDIN STDOUT ...
 *
 * prints for each run what it observed and `end CODE`: 77 the error, -1 a signal, anything else but 0 a failure.
 * The program's own main is called testkit_program. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int testkit_program(void);

enum { MOST_INPUTS = 16, ERROR = 77, NO_INPUT_LEFT = 90, NO_WORLD = 91 };

static long long low[MOST_INPUTS], high[MOST_INPUTS], value[MOST_INPUTS];
static int inputs, next_input, report;

static long long input(void)
{
    if (next_input >= inputs)
        _exit(NO_INPUT_LEFT);
    return value[next_input++];
}

int __VERIFIER_nondet_int(void) { return (int)input(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)input(); }
long __VERIFIER_nondet_long(void) { return (long)input(); }
char __VERIFIER_nondet_char(void) { return (char)input(); }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)input(); }

void __VERIFIER_assume(int condition)
{
    if (!condition)
        _exit(0);
}

void reach_error(void) { _exit(ERROR); }

void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    (void)text, (void)file, (void)line, (void)function;
    _exit(ERROR);
}

void testkit_number(int check, long long number)
{
    int saved = errno;
    dprintf(report, "number %d %lld\n", check, number);
    errno = saved;
}

void testkit_text(int check, const char *text)
{
    int saved = errno;
    dprintf(report, "text %d ", check);
    for (; *text; text++)
        dprintf(report, "%02x", (unsigned char)*text);
    dprintf(report, "\n");
    errno = saved;
}

static void redirect(const char *path, int flags, int descriptor)
{
    int opened = open(path, flags);
    if (opened < 0 || dup2(opened, descriptor) < 0)
        _exit(NO_WORLD);
}

static void run(const char *in, const char *out)
{
    pid_t child = fork();
    if (child < 0)
        exit(1);
    if (child == 0) {
        redirect(in, O_RDONLY, 0);
        redirect(out, O_WRONLY, 1);
        alarm(10);
        next_input = 0;
        exit(testkit_program());
    }
    int status = 0;
    if (waitpid(child, &status, 0) < 0)
        exit(1);
    dprintf(report, "end %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* The next values of the inputs; 0 after the last. */
static int advance(void)
{
    for (int i = 0; i < inputs; i++) {
        if (value[i]++ < high[i])
            return 1;
        value[i] = low[i];
    }
    return 0;
}

int main(int argc, char **argv)
{
    int at = 1;
    for (; at + 1 < argc && strcmp(argv[at], "--") != 0 && inputs < MOST_INPUTS; at += 2, inputs++) {
        low[inputs] = value[inputs] = atoll(argv[at]);
        high[inputs] = atoll(argv[at + 1]);
    }
    report = fcntl(1, F_DUPFD, 100);
    for (at++; at + 1 < argc; at += 2)
        do
            run(argv[at], argv[at + 1]);
        while (advance());
    return 0;
}
