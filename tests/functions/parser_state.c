// A parser whose state has tagged unions.
// p_fail safe
// p_num unsafe
// p_enter safe
// p_leave unsafe
// p_settok safe
// p_setstr safe
// tok_truth open
// tok_truth_ok safe
// p_newline safe
#include <assert.h>
#include <string.h>
enum { T_NUM, T_STR, T_ARR };

struct tok {
    int kind;
    union {
        long num;
        const char *str;
        struct tok *arr;
    } u;
};

struct parser {
    const char *cur, *end;
    int line, depth;
    enum {
        ST_OK, ST_ERR
    } st;
    struct tok tok;
    union {
        int code;
        const char *msg;
    } err;
};

void p_fail(struct parser *p, const char *msg) {
    p->st = ST_ERR;
    p->err.msg = msg;
    assert(p->st == ST_ERR && p->err.msg == msg);
}

long p_num(struct parser *p) {
    if (p->tok.kind != T_NUM) return 0;
    long v = p->tok.u.num;
    assert(v >= 0);
    return v;
}

int p_enter(struct parser *p) {
    if (p->depth < 0 || p->depth >= 32) {
        p->st = ST_ERR;
        return 0;
    }
    p->depth++;
    assert(p->depth >= 1 && p->depth <= 32);
    return 1;
}

int p_leave(struct parser *p) {
    p->depth--;
    assert(p->depth >= 0);
    return p->depth;
}

void p_settok(struct parser *p, int kind, long v) {
    p->tok.kind = kind;
    p->tok.u.num = v;
    assert(p->tok.u.num == v);
}

void p_setstr(struct tok *t, const char *s) {
    t->kind = T_STR;
    t->u.str = s;
    assert(t->kind == T_STR && t->u.str == s);
}

int tok_truth(struct tok *t) {
    int r = 0;
    switch (t->kind) {
        case T_NUM: r = t->u.num != 0;
        break;
        case T_STR: r = t->u.str[0] != 0;
        break;
        default: r = 2;
    }
    assert(r < 2);
    return r;
}

int tok_truth_ok(struct tok *t) {
    int r = 0;
    switch (t->kind) {
        case T_NUM: r = t->u.num != 0;
        break;
        case T_STR: r = t->u.str && t->u.str[0] != 0;
        break;
        default: r = 0;
    }
    assert(r < 2 && r >= 0);
    return r;
}

int p_newline(struct parser *p) {
    if (p->line < 0 || p->line > 1000000) return -1;
    int l = p->line;
    if (*p->cur == '\n') p->line++;
    assert(p->line - l <= 1);
    return p->line;
}
