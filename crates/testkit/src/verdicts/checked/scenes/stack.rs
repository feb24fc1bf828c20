//! Scenes with variables.

use super::super::question::Question::{
    Bounds, Division, Null, Overflow, Shift, Uninitialised, UseAfterFree,
};
use super::Scene;

pub(super) const SCENES: [Scene; 29] = [
    Scene {
        text: "static void swap$(int *p, int *q) { int t = *p; *p = *q; *q = t; }
static int s$(int x, int y) {
    int u = x + {c}, v = y;
    swap$(&u, &v);
    if ({k}) swap$(&u, {k} ? &u : &v);
    return u - v;
}",
        defects: &[(Null, "swap$(&u, {k} ? &u : &v)", "swap$(&u, {k} ? &u : 0)")],
    },
    Scene {
        text: "static int s$(int x, int y) {
    {t} a[{n}];
    for (int i = 0; i < {n}; i++) a[i] = i + y;
    {t} *p = &a[{i}];
    *p += {c};
    return a[{i}] + (p - a);
}",
        defects: &[
            (Bounds, "*p += {c};", "p[x] += {c};"),
            (Bounds, "i < {n}", "i <= {n}"),
            (Uninitialised, "for (int i = 0;", "for (int i = 1;"),
        ],
    },
    Scene {
        text: "struct in$ { {t} lo; int hi[2]; };
struct out$ { int tag; struct in$ in; struct in$ *link; };
static int s$(int x, int y) {
    struct out$ a = { x, { {c}, { y, {c} } }, 0 }, b;
    b = a;
    b.in.hi[x & 1] = {c};
    b.link = &a.in;
    if ({k}) a.link = &b.in;
    b.link->lo = {c};
    if (a.link) a.link->hi[y & 1]++;
    return a.in.lo + b.in.hi[0] - b.in.hi[1] + b.tag;
}",
        defects: &[
            (Null, "if (a.link) a", "a"),
            (Bounds, "b.in.hi[x & 1]", "b.in.hi[x]"),
            (Uninitialised, "b = a;", "b.tag = 1; b.in.lo = {c};"),
        ],
    },
    Scene {
        text: "struct e$ { int key; {t} val; };
static int s$(int x, int y) {
    struct e$ t[{n}];
    for (int i = 0; i < {n}; i++) { t[i].key = i * {c}; t[i].val = y; }
    struct e$ *p = t, *end = t + {n};
    int found = -1;
    while (p != end) { if (p->key == x) { found = p - t; break; } p++; }
    if (found >= 0) t[found].val = {c};
    return found + t[{i}].val;
}",
        defects: &[
            (Bounds, "if (found >= 0) ", ""),
            (Bounds, "t + {n};", "t + {n} + 1;"),
            (Uninitialised, "t[i].key = i * {c};", "if ({k}) t[i].key = {c};"),
        ],
    },
    Scene {
        text: "struct d$ { struct d$ *prev, *next; char v; };
static int s$(int x, int y) {
    struct d$ ring = { &ring, &ring, 0 }, other;
    other.v = {c};
    other.prev = ring.prev; other.next = &ring;
    ring.prev->next = &other; ring.prev = &other;
    if ({k}) { other.prev->next = other.next; other.next->prev = other.prev; }
    int n = 0;
    for (struct d$ *p = ring.next; p != &ring; p = p->next) n += p->v + x;
    return n;
}",
        defects: &[
            (Uninitialised, "other.v = {c};", ""),
            (Null, "&ring, &ring, 0 }", "{k} ? &ring : 0, &ring, 0 }"),
        ],
    },
    Scene {
        text: "struct n$ { int key; struct n$ *l, *r; };
static int s$(int x, int y) {
    struct n$ pool[3], *root = 0;
    int keys[3] = { x, y, {c} }, used = 0;
    for (int i = 0; i < 3; i++) {
        struct n$ **at = &root;
        while (*at && (*at)->key != keys[i]) at = keys[i] < (*at)->key ? &(*at)->l : &(*at)->r;
        if (!*at) { struct n$ *e = &pool[used++]; e->key = keys[i]; e->l = e->r = 0; *at = e; }
    }
    int depth = 0;
    for (struct n$ *p = root; p; p = p->l) depth++;
    return depth * 8 + used;
}",
        defects: &[
            (Null, "while (*at && (*at)->key", "while ((*at)->key"),
            (Bounds, "pool[3]", "pool[2]"),
            (Uninitialised, "e->l = e->r = 0;", "e->r = 0;"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    char buf[8];
    strcpy(buf, {k} ? \"abc\" : \"hello\");
    buf[x] = 'a' + y;
    char *p = strchr(buf, 'l');
    int r = strlen(buf);
    if (p) *p = 0;
    return r * 8 + (int)strlen(buf);
}",
        defects: &[
            (Null, "if (p) *p", "*p"),
            (Bounds, "char buf[8];", "char buf[5];"),
            (Bounds, "\"hello\"", "\"hello, world\""),
            (Bounds, "buf[x] = 'a' + y;", "buf[x - 1] = 'a' + y;"),
        ],
    },
    Scene {
        text: "struct w$ { unsigned char b[4]; short s; int i; };
static int s$(int x, int y) {
    struct w$ a = { { 1, 2, 3, 4 }, {c}, y }, b;
    memcpy(&b, &a, sizeof(a));
    unsigned char *p = (unsigned char *)&b.i;
    p[x & 3] = {c};
    memmove(b.b, b.b + 1, 2);
    if ({k}) memset(&b.s, 0, sizeof(b.s));
    return b.b[0] + b.b[1] * 2 + b.s + (b.i & 255);
}",
        defects: &[
            (Uninitialised, "memcpy(&b, &a, sizeof(a));", "memcpy(&b, &a, sizeof(b.b));"),
            (Bounds, "p[x & 3] = {c};", "p[(x & 3) + 2] = {c};"),
            (Bounds, "memset(&b.s, 0, sizeof(b.s))", "memset(&b.s, 0, sizeof(b))"),
        ],
    },
    Scene {
        text: "static int add$(int a, int b) { return a + b; }
static int sub$(int a, int b) { return a - b; }
static int div$(int a, int b) { return b ? a / b : 0; }
static int s$(int x, int y) {
    int (*f[3])(int, int) = { add$, sub$, div$ };
    int (*g)(int, int) = f[{i} % 3];
    if (!{k}) g = {k} ? add$ : div$;
    return g(x + 6, y) + f[1](x, y);
}",
        defects: &[
            (Division, "return b ? a / b : 0;", "return a / b;"),
            (Null, "{k} ? add$ : div$", "{k} ? add$ : 0"),
            (Overflow, "return a + b;", "return a + b * 1073741824;"),
        ],
    },
    Scene {
        text: "struct ctx$ { int total; int *out; };
static void each$(int *a, int n, void (*f)(void *, int), void *c) { for (int i = 0; i < n; i++) f(c, a[i]); }
static void sum$(void *c, int v) { struct ctx$ *k = c; k->total += v; if (k->out) *k->out = v; }
static int s$(int x, int y) {
    int a[3] = { x, y, {c} }, last = 0;
    struct ctx$ c = { 0, {k} ? &last : 0 };
    each$(a, 3, sum$, &c);
    return c.total * 4 + last;
}",
        defects: &[
            (Null, "if (k->out) *k->out", "*k->out"),
            (Bounds, "each$(a, 3, sum$, &c)", "each$(a, 2 + x, sum$, &c)"),
            (Uninitialised, "last = 0;", "last;"),
        ],
    },
    Scene {
        text: "static int *cell$(int i) { static int cells[{n}]; return &cells[i % {n}]; }
static int s$(int x, int y) {
    *cell$(x) += 1;
    *cell$(y) += 2;
    static int calls;
    calls++;
    int *p = cell$(x);
    return *p * 4 + *cell$({n} - 1) + calls;
}",
        defects: &[(Bounds, "&cells[i % {n}]", "&cells[i]"), (Null, "int *p = cell$(x);", "int *p = {k} ? cell$(x) : 0;")],
    },
    Scene {
        text: "static int s$(int x, int y) {
    int *p = 0, keep = {c};
    for (int i = 0; i < 2; i++) {
        int local = x + i;
        p = {k} ? &local : &keep;
        *p += 1;
        if (i == 1) keep += local;
    }
    p = &keep;
    return *p;
}",
        defects: &[(UseAfterFree, "p = &keep;\n", "\n"), (Null, "p = &keep;\n", "p = {k} ? &keep : 0;\n")],
    },
    Scene {
        text: "static int *pick$(int *p, int *q, int c) { int own = c; int *r = c ? p : q; own += *r; *r = own; return r; }
static int s$(int x, int y) {
    int u = {c}, v = {c};
    int *r = pick$(&u, &v, {k});
    *r += x;
    return u * 4 + v;
}",
        defects: &[(UseAfterFree, "int *r = c ? p : q; own", "int *r = c ? p : &own; own")],
    },
    Scene {
        text: "static int s$(int x, int y) {
    {t} m[2][{n}];
    for (int i = 0; i < 2; i++) for (int j = 0; j < {n}; j++) m[i][j] = i * 2 + j + x;
    {t} (*row)[{n}] = &m[y & 1];
    (*row)[{i}] = {c};
    int r = 0;
    for (int j = 0; j < {n}; j++) r += m[0][j] - m[1][j];
    return r;
}",
        defects: &[
            (Bounds, "&m[y & 1]", "&m[y]"),
            (Bounds, "(*row)[{i}]", "(*row)[{i} + x]"),
            (Uninitialised, "i < 2; i++) for", "i < x; i++) for"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    int n = x + 1;
    {t} v[n];
    for (int i = 0; i < n; i++) v[i] = i * {c};
    {t} *p = v + n;
    int r = 0;
    while (p > v) r += *--p;
    return r + (int)sizeof(v) / (int)sizeof({t});
}",
        defects: &[
            (Bounds, "int n = x + 1;", "int n = x + 1; if ({k}) n = -{c} - 4;"),
            (Bounds, "while (p > v) r += *--p;", "do { r += *--p; } while (p > v - 1);"),
            (Uninitialised, "i < n; i++", "i < n - 1; i++"),
        ],
    },
    Scene {
        text: "struct q$ { int data[{n}]; int head, len; };
static void put$(struct q$ *q, int v) { if (q->len < {n}) { q->data[(q->head + q->len) % {n}] = v; q->len++; } }
static int get$(struct q$ *q) { if (!q->len) return -1; int v = q->data[q->head]; q->head = (q->head + 1) % {n}; q->len--; return v; }
static int s$(int x, int y) {
    struct q$ q;
    q.head = q.len = 0;
    for (int i = 0; i < x + 1; i++) put$(&q, i + y);
    int r = get$(&q);
    put$(&q, {c});
    return r * 4 + get$(&q) + q.len;
}",
        defects: &[
            (Bounds, "(q->head + q->len) % {n}", "q->head + q->len"),
            (Uninitialised, "if (!q->len) return -1; ", ""),
            (Division, "q->head = (q->head + 1) % {n}", "q->head = (q->head + 1) % q->len"),
        ],
    },
    Scene {
        text: "struct b$ { unsigned f : 3; signed g : 4; unsigned char k; };
static int s$(int x, int y) {
    struct b$ a = { 1, -2, {c} }, *p = &a;
    p->f += x + y;
    p->g = p->g - y;
    struct b$ c = *p;
    c.k = {k} ? p->f : p->k;
    return c.f * 2 + c.g + c.k;
}",
        defects: &[
            (Shift, "c.k = {k} ? p->f : p->k;", "c.k = 1 << (p->g * 12);"),
            (Division, "c.k = {k} ? p->f : p->k;", "c.k = 10 / p->f;"),
            (Null, "c = *p;", "c = *({k} ? p : 0);"),
        ],
    },
    Scene {
        text: "union u$ { int i; unsigned char b[4]; struct { short lo, hi; } h; };
static int s$(int x, int y) {
    union u$ u, *p = &u;
    p->i = x * 256 + y;
    u.b[2] = {c};
    if ({k}) p->h.lo = {c};
    return u.b[x & 3] + p->h.hi + (p->h.lo & 7);
}",
        defects: &[
            (Bounds, "u.b[x & 3]", "u.b[x + y]"),
            (Uninitialised, "p->i = x * 256 + y;", "p->h.lo = x;"),
            (Division, "u.b[x & 3]", "7 / u.b[x & 3]"),
        ],
    },
    Scene {
        text: "struct p$ { int x, y; };
static int norm$(struct p$ *p) { return p->x * p->x + p->y * p->y; }
static struct p$ make$(int x, int y) { struct p$ p; p.x = x; p.y = y; return p; }
static int s$(int x, int y) {
    struct p$ *q = &(struct p$){ x, {c} };
    q->y += y;
    struct p$ r = make$(q->x, y);
    return norm$(q) + norm$(&r);
}",
        defects: &[
            (Null, "q->y += y;", "q->y += y; if ({k}) q = 0;"),
            (Overflow, "q->y += y;", "q->y += y * 46000; q->x += {c};"),
            (Uninitialised, "p.x = x; p.y = y; return p;", "p.x = x; if ({k}) p.y = y; return p;"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    int v = x - y, w = {c};
    int *p = &v, **pp = &p;
    if ({k}) *pp = &w;
    **pp += 1;
    int z = *p;
    return z ? 12 / z + (1 << (z & 7)) : w;
}",
        defects: &[
            (Division, "return z ?", "return 1 ?"),
            (Shift, "(z & 7)", "(z * 16)"),
            (Null, "*pp = &w;", "*pp = 0;"),
            (Overflow, "**pp += 1;", "**pp += 2147483646 - {c};"),
            (Uninitialised, "w = {c};", "w;"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    int a[{n}], b[{n}];
    for (int i = 0; i < {n}; i++) { a[i] = x + i; b[i] = y - i; }
    int *p = {k} ? a : b, *q = {k} ? a : b;
    p[{i}] = {c};
    q[{i}] += 1;
    int same = p == q;
    return same * 8 + a[{i}] - b[{i}];
}",
        defects: &[
            (Bounds, "p[{i}] = {c};", "p[{i} + x] = {c};"),
            (Bounds, "q[{i}] += 1;", "q[-y] += 1;"),
            (Null, "*q = {k} ? a : b", "*q = {k} ? a : 0"),
            (Overflow, "q[{i}] += 1;", "q[{i}] *= 1000000000;"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    const char *words[3] = { \"no\", \"maybe\", \"yes\" };
    const char *w = words[{i} % 3];
    int r = 0;
    while (*w) r += *w++ == 'a' + x;
    return r * 4 + (int)strlen(words[x % 3]);
}",
        defects: &[
            (Bounds, "words[{i} % 3]", "words[{i} % 3] + y * 3"),
            (Bounds, "words[x % 3]", "words[x]"),
        ],
    },
    Scene {
        text: "static int g$[{n}] = { {c}, {c} }, *gp$ = g$;
static void step$(int by) { gp$ += by; }
static int s$(int x, int y) {
    gp$ = g$;
    step$(x % {n});
    *gp$ = {c};
    step$(-(x % {n}));
    return gp$[{i}] + (gp$ == &g$[0]);
}",
        defects: &[
            (Bounds, "step$(-(x % {n}));", "step$(y % {n});"),
            (Null, "gp$ = g$;\n    step", "gp$ = {k} ? g$ : 0;\n    if (!x) step"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    int v = x * 3 - y;
    char *bytes = (char *)&v;
    int r = 0;
    for (unsigned i = 0; i < sizeof(v); i++) r += bytes[i] != 0;
    short *half = (short *)&v;
    half[1] = {c};
    return r + v / 65536;
}",
        defects: &[
            (Bounds, "i < sizeof(v); i++", "i <= sizeof(v); i++"),
            (Bounds, "half[1] = {c};", "half[y] = {c};"),
            (Division, "v / 65536", "7 / v"),
        ],
    },
    Scene {
        text: "struct m$ { int a; char b; int c; };
static int s$(int x, int y) {
    struct m$ v = { x, 'b', y };
    int *pc = &v.c;
    struct m$ *back = (struct m$ *)((char *)pc - __builtin_offsetof(struct m$, c));
    back->b = {c};
    back->a += *pc;
    return v.a * 4 + v.b;
}",
        defects: &[
            (Bounds, "(char *)pc - ", "(char *)pc + y * 4 - "),
            (Overflow, "back->a += *pc;", "back->a -= *pc * -1000000000;"),
        ],
    },
    Scene {
        text: "static int fact$(int n, int *out) { int t; if (n <= 1) { *out = 1; return 1; } fact$(n - 1, &t); *out = n * t; return n; }
static int s$(int x, int y) {
    int r = {c};
    fact$(x + 1, {k} ? &r : &y);
    return r * 4 + y;
}",
        defects: &[
            (Null, "{k} ? &r : &y", "{k} ? &r : 0"),
            (Uninitialised, "if (n <= 1) { *out = 1; return 1; }", "if (n <= 1) { if (n) *out = 1; return 1; }"),
            (Overflow, "*out = n * t;", "*out = n * t * 400000000;"),
        ],
    },
    Scene {
        text: "struct s$ { int *top; int cells[{n}]; };
static void push$(struct s$ *s, int v) { if (s->top < s->cells + {n}) *s->top++ = v; }
static int pop$(struct s$ *s) { return s->top > s->cells ? *--s->top : -1; }
static int s$(int x, int y) {
    struct s$ s;
    s.top = s.cells;
    for (int i = 0; i <= x; i++) push$(&s, i * {c});
    int r = pop$(&s);
    if ({k}) r += pop$(&s);
    return r + (int)(s.top - s.cells);
}",
        defects: &[
            (Bounds, "if (s->top < s->cells + {n}) *s", "*s"),
            (Uninitialised, "s.top = s.cells;", "s.top = s.cells + (x > 2);"),
        ],
    },
    Scene {
        text: "enum k$ { NUM$, PTR$ };
struct v$ { enum k$ kind; union { int num; int *ptr; } u; };
static int eval$(struct v$ *v) { switch (v->kind) { case NUM$: return v->u.num; case PTR$: return *v->u.ptr; } return 0; }
static int s$(int x, int y) {
    int target = y;
    struct v$ v;
    v.kind = {k} ? NUM$ : PTR$;
    if (v.kind == NUM$) v.u.num = {c}; else v.u.ptr = &target;
    target += x;
    return eval$(&v);
}",
        defects: &[
            (Null, "else v.u.ptr = &target;", "else v.u.ptr = {k} ? &target : 0;"),
            (Uninitialised, "v.u.num = {c}; else", "{ } else"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    char from[{n} + 1], to[{n} + 1];
    memset(from, 'x', {n});
    from[{n}] = 0;
    char *d = to;
    const char *s = from + x % {n};
    while ((*d++ = *s++)) ;
    return (int)(d - to) + (memcmp(from, to, 1) == 0);
}",
        defects: &[
            (Bounds, "from[{n}] = 0;", "from[{n}] = {k} ? 'y' : 0;"),
            (Bounds, "char *d = to;", "char *d = to + (y & 1);"),
            (Uninitialised, "memset(from, 'x', {n});", "memset(from, 'x', {n} - 1);"),
        ],
    },
];
