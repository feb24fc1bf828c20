/* Pieces of strings. */

static int __wayproof___wp_is_in(char c, const char *set)
{
    while (*set != 0 && *set != c)
        set++;
    return *set != 0;
}

char *__wayproof_strtok_r(char *s, const char *separators, char **rest)
{
    if (s == 0)
        s = *rest;
    while (*s != 0 && __wayproof___wp_is_in(*s, separators))
        s++;
    if (*s == 0) {
        *rest = s;
        return 0;
    }
    char *end = s;
    while (*end != 0 && !__wayproof___wp_is_in(*end, separators))
        end++;
    if (*end != 0) {
        *end = 0;
        end++;
    }
    *rest = end;
    return s;
}

char *__wayproof___strtok_r(char *s, const char *separators, char **rest)
{
    return __wayproof_strtok_r(s, separators, rest);
}

static char *__wayproof_token_rest;

char *__wayproof_strtok(char *s, const char *separators)
{
    return __wayproof_strtok_r(s, separators, &__wayproof_token_rest);
}

char *__wayproof_strsep(char **rest, const char *separators)
{
    char *s = *rest;
    if (s == 0)
        return 0;
    char *end = s;
    while (*end != 0 && !__wayproof___wp_is_in(*end, separators))
        end++;
    if (*end != 0) {
        *end = 0;
        *rest = end + 1;
    } else
        *rest = 0;
    return s;
}
