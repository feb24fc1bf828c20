/* The clock: it shows a time after 2001 and may be set at any time. */

long __wayproof_world_time(void);
void __wayproof_assume(int condition);

long __wayproof_time(long *when)
{
    long now = __wayproof_world_time();
    __wayproof_assume(now >= 1000000000);
    if (when != 0)
        *when = now;
    return now;
}
