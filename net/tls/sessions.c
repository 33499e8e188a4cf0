/* SPDX-License-Identifier: MIT */
/*
 * sessions -- see sessions.h.
 *
 * A list, the newest first, shared by all loops of a configuration under a
 * lock.  The oldest session leaves when there are too many.  It is searched
 * linearly: a few hundred hashes are compared in less time than a handshake's
 * smallest step takes.
 *
 * A ticket of TLS 1.3 is used once, so that an observer cannot link two
 * connections of one client by it (RFC 8446, appendix C.4).  A server sends
 * several, so some are kept for each server.  A session of TLS 1.2 is used
 * repeatedly.
 */
#include "tls/sessions.h"

#include <stddef.h>
#include <string.h>

#include "weir/host/memory.h"

enum { KEPT_FOR_EACH = 4 };

struct weir__session {
    struct weir__session *next;
    SSL_SESSION *session;
    uint64_t hash;
    uint16_t port;
    bool is_once; /* TLS 1.3 */
    char name[];
};

/* FNV-1a */
static uint64_t hash_of(const char *name, uint16_t port)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ port;

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash;
}

static bool is_of(const struct weir__session *entry, uint64_t hash,
                  const char *name, uint16_t port)
{
    return entry->hash == hash && entry->port == port &&
           strcmp(entry->name, name) == 0;
}

static size_t entry_size(const char *name)
{
    return sizeof(struct weir__session) + strlen(name) + 1;
}

static void free_entry(struct weir__session *entry)
{
    if (entry->session != NULL)
        SSL_SESSION_free(entry->session);
    weir_memory_free(entry, entry_size(entry->name));
}

/* Free what was taken out, after the lock was released. */
static void free_list(struct weir__session *list)
{
    while (list != NULL) {
        struct weir__session *next = list->next;

        free_entry(list);
        list = next;
    }
}

/* ---- under the lock ---- */

/* Move *link from its list to *gone, which leaves *link at its successor. */
static void take_out(struct weir__sessions *sessions,
                     struct weir__session **link, struct weir__session **gone)
{
    struct weir__session *entry = *link;

    *link = entry->next;
    entry->next = *gone;
    *gone = entry;
    sessions->count--;
}

/* Keep at most `limit` sessions of a server, the newest. */
static void limit_server(struct weir__sessions *sessions, uint64_t hash,
                         const char *name, uint16_t port, unsigned limit,
                         struct weir__session **gone)
{
    struct weir__session **link = &sessions->first;

    while (*link != NULL) {
        if (!is_of(*link, hash, name, port))
            link = &(*link)->next;
        else if (limit > 0) {
            limit--;
            link = &(*link)->next;
        } else
            take_out(sessions, link, gone);
    }
}

static void drop_oldest(struct weir__sessions *sessions,
                        struct weir__session **gone)
{
    struct weir__session **link = &sessions->first;

    while ((*link)->next != NULL)
        link = &(*link)->next;
    take_out(sessions, link, gone);
}

/* ---- any thread ---- */

static struct weir__session *new_entry(const char *name, uint16_t port,
                                       SSL_SESSION *session)
{
    struct weir__session *entry = weir_memory_alloc(entry_size(name));

    if (entry == NULL)
        return NULL;
    entry->session = session;
    entry->hash = hash_of(name, port);
    entry->port = port;
    entry->is_once =
        SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION;
    memcpy(entry->name, name, strlen(name) + 1);
    return entry;
}

bool weir__sessions_put(struct weir__sessions *sessions, const char *name,
                        uint16_t port, SSL_SESSION *session)
{
    struct weir__session *entry, *gone = NULL;

    if (sessions->capacity == 0 || !SSL_SESSION_is_resumable(session))
        return false;
    entry = new_entry(name, port, session);
    if (entry == NULL)
        return false;
    weir_lock_acquire(&sessions->lock);
    limit_server(sessions, entry->hash, name, port,
                 entry->is_once ? KEPT_FOR_EACH - 1 : 0, &gone);
    if (sessions->count == sessions->capacity)
        drop_oldest(sessions, &gone);
    entry->next = sessions->first;
    sessions->first = entry;
    sessions->count++;
    weir_lock_release(&sessions->lock);
    free_list(gone);
    return true;
}

SSL_SESSION *weir__sessions_take(struct weir__sessions *sessions,
                                 const char *name, uint16_t port)
{
    uint64_t hash = hash_of(name, port);
    struct weir__session **link, *gone = NULL;
    SSL_SESSION *session = NULL;

    weir_lock_acquire(&sessions->lock);
    link = &sessions->first;
    while (*link != NULL && !is_of(*link, hash, name, port))
        link = &(*link)->next;
    if (*link != NULL) {
        session = (*link)->session;
        if ((*link)->is_once) {
            (*link)->session = NULL; /* its reference is the caller's */
            take_out(sessions, link, &gone);
        } else
            SSL_SESSION_up_ref(session);
    }
    weir_lock_release(&sessions->lock);
    free_list(gone);
    return session;
}

void weir__sessions_forget(struct weir__sessions *sessions, const char *name,
                           uint16_t port)
{
    struct weir__session *gone = NULL;

    weir_lock_acquire(&sessions->lock);
    limit_server(sessions, hash_of(name, port), name, port, 0, &gone);
    weir_lock_release(&sessions->lock);
    free_list(gone);
}

void weir__sessions_clear(struct weir__sessions *sessions)
{
    struct weir__session *gone;

    weir_lock_acquire(&sessions->lock);
    gone = sessions->first;
    sessions->first = NULL;
    sessions->count = 0;
    weir_lock_release(&sessions->lock);
    free_list(gone);
}
