/* A list of sessions. Closing all of them frees a session before its successor is read. */
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct session {
    int id;
    struct session *next;
};

static struct session *open_session(int id, struct session *next) {
    struct session *session = malloc(sizeof *session);
    if (!session) exit(1);
    session->id = id;
    session->next = next;
    return session;
}

static void close_all(struct session *session) {
    for (; session; session = session->next) {
        free(session);
    }
}

int main(void) {
    struct session *sessions = NULL;
    int requests = __VERIFIER_nondet_int();
    for (int id = 0; id < requests && id < 3; id++) {
        sessions = open_session(id, sessions);
    }
    close_all(sessions);
    return 0;
}
