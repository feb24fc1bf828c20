/* Lines of any length. The library takes over what its own buffer has, piece by piece. Before each piece that does not fit, the user's buffer grows to
   twice its size, or to what the piece needs if that is more. So it grows once to twice its size if the line fits then. Otherwise its size depends
   on where the pieces end, which is not known. */

int *__wayproof___errno_location(void);
int __wayproof_getc(void *stream);
unsigned long __wayproof_some_size(void);
void __wayproof_assume(int condition);

long __wayproof_getdelim(char **line, unsigned long *size, int end, void *stream)
{
    unsigned long count = 0, room, size_before;
    int c = 0;
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
    room = size_before = *size;
    while (count == 0 || c != end) {
        c = __wayproof_getc(stream);
        if (c == -1)
            break;
        if (count + 2 > room) {
            room = count + 2 < 2 * room ? 2 * room : count + 2;
            char *longer = __builtin_realloc(*line, room);
            if (longer == 0)
                return -1;
            *line = longer;
        }
        (*line)[count] = (char)c;
        count++;
    }
    if (count == 0)
        return -1;
    if (room > size_before) {
        if (count < 2 * size_before)
            room = 2 * size_before;
        else {
            room = __wayproof_some_size();
            __wayproof_assume(room > count && room <= 2 * count);
        }
        *size = room;
        *line = __builtin_realloc(*line, room);
    }
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
