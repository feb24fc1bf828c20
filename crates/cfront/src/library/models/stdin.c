/* Standard input: one stream of bytes that the outside world decides; reading never fails, and the end is reached once. The bytes of other
   streams are arbitrary. `__wayproof_stdin` is the value of the variable `stdin`; functions `__wayproof_unsupported_...` are called where
   the model ends. Names that start with `__wp_` are no library functions. */

void *__wayproof_stdin(void);
int __wayproof_world_stdin(void);
int __wayproof_some_file(void);
void __wayproof_abort(void);
void __wayproof_assume(int condition);
void __wayproof_unsupported_ungetc(void);
int __wayproof_some_ungetc(void);

static unsigned char __wayproof_pushed[8];
static int __wayproof_pushed_count;
static int __wayproof_stdin_ended;

int __wayproof_getchar(void)
{
    if (__wayproof_pushed_count > 0) {
        __wayproof_pushed_count--;
        return __wayproof_pushed[__wayproof_pushed_count];
    }
    if (__wayproof_stdin_ended)
        return -1;
    int c = __wayproof_world_stdin();
    __wayproof_assume(c >= -1 && c <= 255);
    if (c == -1)
        __wayproof_stdin_ended = 1;
    return c;
}

int __wayproof_getc(void *stream)
{
    if (stream == __wayproof_stdin())
        return __wayproof_getchar();
    int c = __wayproof_some_file();
    __wayproof_assume(c >= -1 && c <= 255);
    return c;
}

int __wayproof_fgetc(void *stream) { return __wayproof_getc(stream); }
int __wayproof__IO_getc(void *stream) { return __wayproof_getc(stream); }
int __wayproof_getc_unlocked(void *stream) { return __wayproof_getc(stream); }
int __wayproof_fgetc_unlocked(void *stream) { return __wayproof_getc(stream); }
int __wayproof_getchar_unlocked(void) { return __wayproof_getchar(); }

/* C promises room for one byte; glibc takes as many as there is memory for. */
void __wayproof___wp_push_back(int c)
{
    if (__wayproof_pushed_count == 8) {
        __wayproof_unsupported_ungetc();
        for (int i = 0; i < 8; i++)
            __wayproof_pushed[i] = (unsigned char)__wayproof_some_ungetc();
    } else {
        __wayproof_pushed[__wayproof_pushed_count] = (unsigned char)c;
        __wayproof_pushed_count++;
        __wayproof_stdin_ended = 0;
    }
}

int __wayproof_ungetc(int c, void *stream)
{
    if (c == -1)
        return -1;
    if (stream == __wayproof_stdin())
        __wayproof___wp_push_back(c);
    return (unsigned char)c;
}

int __wayproof_feof(void *stream)
{
    if (stream == __wayproof_stdin())
        return __wayproof_stdin_ended;
    int result = __wayproof_some_file();
    __wayproof_assume(result == 0 || result == 1);
    return result;
}

int __wayproof_ferror(void *stream)
{
    if (stream == __wayproof_stdin())
        return 0;
    int result = __wayproof_some_file();
    __wayproof_assume(result == 0 || result == 1);
    return result;
}

void __wayproof_clearerr(void *stream)
{
    if (stream == __wayproof_stdin())
        __wayproof_stdin_ended = 0;
}

char *__wayproof_fgets(char *to, int size, void *stream)
{
    int count = 0;
    int c = 0;
    if (size <= 0)
        return 0;
    while (count < size - 1 && c != '\n') {
        c = __wayproof_getc(stream);
        if (c == -1)
            break;
        to[count] = (char)c;
        count++;
    }
    if (c == -1 && count == 0)
        return 0;
    to[count] = 0;
    return to;
}

char *__wayproof_fgets_unlocked(char *to, int size, void *stream) { return __wayproof_fgets(to, size, stream); }

char *__wayproof___fgets_chk(char *to, unsigned long object, int size, void *stream)
{
    if (size > 0 && (unsigned long)size > object)
        __wayproof_abort();
    return __wayproof_fgets(to, size, stream);
}

char *__wayproof_gets(char *to)
{
    unsigned long count = 0;
    int c = __wayproof_getchar();
    if (c == -1)
        return 0;
    while (c != -1 && c != '\n') {
        to[count] = (char)c;
        count++;
        c = __wayproof_getchar();
    }
    to[count] = 0;
    return to;
}

unsigned long __wayproof_fread(void *to, unsigned long size, unsigned long number, void *stream)
{
    unsigned char *bytes = to;
    unsigned long wanted = size * number;
    unsigned long count = 0;
    while (count < wanted) {
        int c = __wayproof_getc(stream);
        if (c == -1)
            return count / size;
        bytes[count] = (unsigned char)c;
        count++;
    }
    return wanted == 0 ? 0 : number;
}

unsigned long __wayproof_fread_unlocked(void *to, unsigned long size, unsigned long number, void *stream)
{
    return __wayproof_fread(to, size, number, stream);
}
