/* Formatted text with _FORTIFY_SOURCE; see checked.c. */

void __wayproof_abort(void);
int __wayproof_vsnprintf(char *to, unsigned long size, const char *format, __builtin_va_list list);

int __wayproof___vsnprintf_chk(
    char *to, unsigned long size, int flag, unsigned long object, const char *format, __builtin_va_list list)
{
    (void)flag;
    if (size > object)
        __wayproof_abort();
    return __wayproof_vsnprintf(to, size, format, list);
}

int __wayproof___vsprintf_chk(char *to, int flag, unsigned long object, const char *format, __builtin_va_list list)
{
    (void)flag;
    if (object == 0)
        __wayproof_abort();
    int result = __wayproof_vsnprintf(to, object, format, list);
    if (result >= 0 && (unsigned long)result >= object)
        __wayproof_abort();
    return result;
}

int __wayproof___snprintf_chk(char *to, unsigned long size, int flag, unsigned long object, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = __wayproof___vsnprintf_chk(to, size, flag, object, format, list);
    __builtin_va_end(list);
    return result;
}

int __wayproof___sprintf_chk(char *to, int flag, unsigned long object, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int result = __wayproof___vsprintf_chk(to, flag, object, format, list);
    __builtin_va_end(list);
    return result;
}
