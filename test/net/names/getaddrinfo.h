/* SPDX-License-Identifier: MIT */
/*
 * getaddrinfo -- a getaddrinfo that knows the names of these tests only, and
 * that gets stuck on request.  Test programs are linked with --wrap for it.
 *
 *     "two.test"      2001:db8::2 and 192.0.2.1, in this order
 *     "hints.test"    the same, and last_hints is what it was asked
 *     "eai.N"         fails with the code N; EAI_SYSTEM sets errno to EMFILE
 *     "stuck.*"       waits until stuck_release, then like "two.test"
 *     "localhost", and numbers     the real one
 */
#ifndef WEIR_TEST_NET_NAMES_GETADDRINFO_H
#define WEIR_TEST_NET_NAMES_GETADDRINFO_H

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "support/loop_fixture.h"
#include "support/suite.h"

int __real_getaddrinfo(const char *host, const char *service,
                       const struct addrinfo *hints, struct addrinfo **list);
int __wrap_getaddrinfo(const char *host, const char *service,
                       const struct addrinfo *hints, struct addrinfo **list);

static sem_t stuck_entered, stuck_let_go;
static unsigned blocking_calls;    /* atomic: those that may take long */
static struct addrinfo last_hints; /* of "hints.test" */

static inline void stuck_open(void)
{
    sem_init(&stuck_entered, 0, 0);
    sem_init(&stuck_let_go, 0, 0);
}

static inline void stuck_await(unsigned count)
{
    while (count-- > 0)
        await_post(&stuck_entered);
}

static inline void stuck_release(unsigned count)
{
    while (count-- > 0)
        sem_post(&stuck_let_go);
}

static inline unsigned blocking_count(void)
{
    return __atomic_load_n(&blocking_calls, __ATOMIC_RELAXED);
}

static inline int find_two(const struct addrinfo *hints, struct addrinfo **list)
{
    struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST,
                               .ai_socktype = SOCK_STREAM};
    int err = __real_getaddrinfo("2001:db8::2", NULL, &numeric, list);

    if (err == 0)
        err =
            __real_getaddrinfo("192.0.2.1", NULL, &numeric, &(*list)->ai_next);
    if (err == 0 && (hints->ai_flags & AI_CANONNAME))
        (*list)->ai_canonname = strdup("canonical.test");
    return err;
}

int __wrap_getaddrinfo(const char *host, const char *service,
                       const struct addrinfo *hints, struct addrinfo **list)
{
    if (hints->ai_flags & AI_NUMERICHOST)
        return __real_getaddrinfo(host, service, hints, list);
    __atomic_fetch_add(&blocking_calls, 1, __ATOMIC_RELAXED);
    if (strncmp(host, "eai.", 4) == 0) {
        errno = EMFILE;
        return atoi(host + 4);
    }
    if (strncmp(host, "stuck.", 6) == 0) {
        sem_post(&stuck_entered);
        await_post(&stuck_let_go);
        return find_two(hints, list);
    }
    if (strcmp(host, "two.test") == 0)
        return find_two(hints, list);
    if (strcmp(host, "hints.test") == 0) {
        last_hints = *hints;
        return find_two(hints, list);
    }
    expect_string(host, "localhost");
    return __real_getaddrinfo(host, service, hints, list);
}

#endif /* WEIR_TEST_NET_NAMES_GETADDRINFO_H */
