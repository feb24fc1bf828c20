/* Lines of any length. The buffer doubles in glibc if that is enough for the line; otherwise its size depends on what the stream has read ahead. Memory comes from the program's `malloc` and
   `realloc` if it defines them. */

int *__wayproof___errno_location(void);
int __wayproof_getc(void *stream);
unsigned long __wayproof_some_getline(void);
void __wayproof_assume(int condition);

long __wayproof_getdelim(char **line, unsigned long *size, int end, void *stream)
{
    unsigned long count = 0;
    int c = 0;
    int has_grown = 0;
    if (line == 0 || size == 0) {
        *__wayproof___errno_location() = 22;
        return -1;
    }
    if (*line == 0 || *size == 0) {
        *size = 120;
        *line = __builtin_malloc(120);
        if (*line == 0)
            return -1;
    }
    while (count == 0 || c != end) {
        c = __wayproof_getc(stream);
        if (c == -1)
            break;
        if (count + 2 > *size) {
            unsigned long more = 2 * *size;
            if (has_grown || more < count + 2) {
                more = __wayproof_some_getline();
                __wayproof_assume(more >= count + 2 && more <= 4 * (count + 2) + 8192);
            }
            has_grown = 1;
            char *longer = __builtin_realloc(*line, more);
            if (longer == 0)
                return -1;
            *line = longer;
            *size = more;
        }
        (*line)[count] = (char)c;
        count++;
    }
    if (count == 0)
        return -1;
    (*line)[count] = 0;
    return (long)count;
}

long __wayproof_getline(char **line, unsigned long *size, void *stream)
{
    return __wayproof_getdelim(line, size, '\n', stream);
}

long __wayproof___getdelim(char **line, unsigned long *size, int end, void *stream)
{
    return __wayproof_getdelim(line, size, end, stream);
}
