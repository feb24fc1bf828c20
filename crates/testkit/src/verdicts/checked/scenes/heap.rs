//! Scenes with objects of the heap.

use super::super::question::Question::{
    Bounds, Division, DoubleFree, Leak, Null, Overflow, Shift, Uninitialised, UseAfterFree,
};
use super::Scene;

pub(super) const SCENES: [Scene; 11] = [
    Scene {
        text: "static int s$(int x, int y) {
    int *p = malloc(sizeof(int));
    *p = x;
    int *q = p;
    if ({k}) *q += y;
    int r = *p;
    free(p);
    return r;
}",
        defects: &[
            (UseAfterFree, "free(p);", "free(p); if ({k}) r += *q;"),
            (DoubleFree, "free(p);", "free(p); if ({k}) free(q);"),
            (Leak, "free(p);", "if ({k}) free(p);"),
            (Uninitialised, "*p = x;", "if ({k}) *p = x;"),
            (Bounds, "*q += y", "q[y] = 1"),
            (Null, "int *q = p;", "int *q = {k} ? p : 0;"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    {t} *a = calloc({n}, sizeof({t}));
    for (int i = 0; i < {n}; i++) a[i] += i ^ x;
    {t} r = a[{i}];
    a = realloc(a, ({n} + y) * sizeof({t}));
    {t} *b = a;
    if (y > 0) b[{n} + y - 1] = {c};
    r += a[{i}];
    free(a);
    return r;
}",
        defects: &[
            (UseAfterFree, "a = realloc(a, ({n} + y) * sizeof({t}));\n    {t} *b = a;", "{t} *b = a;\n    a = realloc(a, ({n} + y) * sizeof({t}));"),
            (Bounds, "if (y > 0) b[{n} + y - 1]", "b[{n} + y]"),
            (Leak, "free(a);", ""),
            (DoubleFree, "free(a);", "free(b); free(a);"),
            (Uninitialised, "if (y > 0) b[{n} + y - 1] = {c};", "if (y > 0) r += b[{n}];"),
        ],
    },
    Scene {
        text: "struct l$ { int v; struct l$ *next; };
static int s$(int x, int y) {
    struct l$ *head = 0;
    for (int i = 0; i < x; i++) {
        struct l$ *e = malloc(sizeof(struct l$));
        e->v = i + {c};
        e->next = head;
        head = e;
    }
    int r = 0;
    for (struct l$ *p = head; p; p = p->next) r += p->v;
    if (head && head->next) r -= head->next->v;
    while (head) { struct l$ *next = head->next; free(head); head = next; }
    return r;
}",
        defects: &[
            (Null, "if (head && head->next)", "if (head)"),
            (UseAfterFree, "struct l$ *next = head->next; free(head); head = next;", "free(head); head = head->next;"),
            (Leak, "while (head) {", "if (head) {"),
            (Uninitialised, "e->next = head;", "if (head) e->next = head;"),
            (Overflow, "e->v = i + {c};", "e->v = 2147483646 + i + {c};"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    char *t = malloc({n} + 2);
    int i = 0;
    for (; i < {n}; i++) t[i] = 'a' + (i * x) % 3;
    t[i] = 0;
    int r = strlen(t) + t[{i}];
    if ({k}) r += strcmp(t, \"aaa\") < 0;
    free(t);
    return r;
}",
        defects: &[
            (Bounds, "malloc({n} + 2)", "malloc({n})"),
            (Leak, "free(t);", "if ({k}) return r; free(t);"),
            (Bounds, "t[i] = 0;\n", "memset(t, 'b', {n} + 2);\n"),
            (DoubleFree, "free(t);", "free(t + ({k}));"),
            (UseAfterFree, "free(t);", "free(t); if ({k}) t[0] = 1;"),
        ],
    },
    Scene {
        text: "struct f$ { int n; {t} items[]; };
static int s$(int x, int y) {
    struct f$ *p = malloc(sizeof(struct f$) + (x + 1) * sizeof({t}));
    p->n = x + 1;
    for (int i = 0; i < p->n; i++) p->items[i] = i + y;
    int r = p->items[x] * 2 + p->items[0];
    free(p);
    return r;
}",
        defects: &[
            (Bounds, "+ (x + 1) * sizeof({t})", "+ 1 * sizeof({t})"),
            (Leak, "free(p);", "if (x) free(p);"),
            (Uninitialised, "i < p->n; i++", "i < x; i++"),
        ],
    },
    Scene {
        text: "static int *slots$[{n}];
static int s$(int x, int y) {
    for (int i = 0; i < {n}; i++) { slots$[i] = malloc(sizeof(int)); *slots$[i] = i + x; }
    int *t = slots$[0]; slots$[0] = slots$[{i}]; slots$[{n} - 1] = slots$[{n} - 1];
    int r = *t + *slots$[0];
    slots$[0] = t;
    for (int i = 0; i < {n}; i++) { free(slots$[i]); slots$[i] = 0; }
    return r;
}",
        defects: &[
            (DoubleFree, "slots$[0] = t;\n", "\n"),
            (Leak, "for (int i = 0; i < {n}; i++) { free", "for (int i = 1; i < {n}; i++) { free"),
            (UseAfterFree, "return r;", "return {k} ? r + *t : r;"),
            (Null, "return r;", "return {k} ? r : *slots$[0];"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    int *p = malloc(2 * sizeof(int)), r = -1;
    if ({k}) goto out;
    p[0] = x; p[1] = y;
    if (p[0] > p[1]) { r = 0; goto out; }
    r = p[1] - p[0];
out:
    free(p);
    return r;
}",
        defects: &[
            (Leak, "if ({k}) goto out;", "if ({k}) return r;"),
            (Uninitialised, "p[0] = x; p[1] = y;", "p[0] = x; if ({k}) p[1] = y;"),
            (DoubleFree, "{ r = 0; goto out; }", "{ r = 0; free(p); goto out; }"),
            (UseAfterFree, "{ r = 0; goto out; }", "{ free(p); return p[0]; }"),
        ],
    },
    Scene {
        text: "struct h$ { int id; struct { {t} *data; int len; } buf; };
static void init$(struct h$ *h, int n) { h->id = n; h->buf.len = n; h->buf.data = malloc(n * sizeof({t}) + 1); }
static void done$(struct h$ *h) { free(h->buf.data); h->buf.data = 0; }
static int s$(int x, int y) {
    struct h$ h;
    init$(&h, x + 1);
    for (int i = 0; i < h.buf.len; i++) h.buf.data[i] = y + i;
    int r = h.buf.data[h.id - 1];
    struct h$ copy = h;
    copy.buf.data[0] = {c};
    r += h.buf.data[0];
    done$(&h);
    return r;
}",
        defects: &[
            (DoubleFree, "done$(&h);", "done$(&h); if ({k}) done$(&copy);"),
            (UseAfterFree, "done$(&h);", "done$(&h); if ({k}) r = copy.buf.data[0];"),
            (Null, "done$(&h);", "done$(&h); if ({k}) r = h.buf.data[0];"),
            (Leak, "done$(&h);", "h.buf.data = 0; done$(&h);"),
            (Bounds, "h.buf.data[h.id - 1]", "h.buf.data[h.id + 1]"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    unsigned char a = 250 + x, b;
    signed char c = 120;
    short s = 32767;
    b = a + y * 4;
    c += x;
    s -= y;
    int *p = malloc((unsigned long)b % 4 * sizeof(int) + 4);
    *p = b + c + (s & 3);
    int r = *p;
    free(p);
    return r;
}",
        defects: &[
            (Bounds, "(unsigned long)b % 4 * sizeof(int) + 4", "(unsigned long)b % 4"),
            (Shift, "(s & 3)", "(1 >> (c / 4))"),
            (Division, "(s & 3)", "s / b"),
            (Overflow, "(s & 3)", "s * 65536"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    int **rows = malloc(2 * sizeof(int *));
    for (int i = 0; i < 2; i++) { rows[i] = calloc({n}, sizeof(int)); rows[i][i] = x; }
    rows[y & 1][{i}] += {c};
    int r = rows[0][0] + rows[1][1] * 2;
    for (int i = 0; i < 2; i++) free(rows[i]);
    free(rows);
    return r;
}",
        defects: &[
            (UseAfterFree, "for (int i = 0; i < 2; i++) free(rows[i]);\n    free(rows);", "free(rows);\n    for (int i = 0; i < 2; i++) free(rows[i]);"),
            (Leak, "i < 2; i++) free(rows[i]);", "i < 2 && {k}; i++) free(rows[i]);"),
            (Bounds, "rows[y & 1][{i}]", "rows[y & 1][{i} + {n} - 1]"),
            (Uninitialised, "i < 2; i++) { rows[i] = calloc", "i < 1 + (x < 3); i++) { rows[i] = calloc"),
        ],
    },
    Scene {
        text: "static int s$(int x, int y) {
    int r = 0;
    for (int i = 0; i < 2; i++) {
        int *p = {k} ? malloc(sizeof(int)) : 0;
        if (!p) continue;
        *p = i + x;
        r += *p;
        free(p);
    }
    return r * 2 + y;
}",
        defects: &[
            (Leak, "*p = i + x;", "*p = i + x; if (*p == {c}) break;"),
            (Null, "if (!p) continue;", ""),
            (UseAfterFree, "r += *p;\n        free(p);", "free(p);\n        if ({k}) r += *p;"),
        ],
    },
];
