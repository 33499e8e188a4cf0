/* SPDX-License-Identifier: MIT */
/*
 * weir/net/query.h -- records of DNS servers.
 *
 *     static void on_answer(void *arg, int status,
 *                           const weir_query_result *result)
 *     {
 *         if (status != 0)
 *             fprintf(stderr, "%s\n", result->reason);
 *         for (size_t i = 0; i < result->count; i++)
 *             printf("%u %s\n", result->records[i].as.mx.priority,
 *                    result->records[i].as.mx.host);
 *     }
 *
 *     weir_resolver_new(&resolver, loop, NULL);
 *     weir_query_start(resolver, NULL, "example.org", WEIR_DNS_MX,
 *                      on_answer, NULL, NULL);
 *     ...
 *     weir_resolver_close(resolver);
 *
 * A resolver (c-ares) asks servers over UDP, and over TCP if an answer was
 * truncated.  It asks the next server if one cannot be reached or does not
 * answer, but not if one answers that it has failed.  It does not use
 * /etc/hosts or other sources of the system: to connect to a host, use
 * weir/net/lookup.h.
 *
 * A query that was started calls its function exactly once, on the loop's
 * thread, and never before weir_query_start has returned.  It keeps
 * weir_loop_run running until then.
 */
#ifndef WEIR_NET_QUERY_H
#define WEIR_NET_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/net/address.h"
#include "weir/net/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_resolver weir_resolver;
typedef struct weir_query weir_query;

/* ---- records ---- */

/* Types of records, with the numbers of DNS. */
enum weir_dns_type {
    WEIR_DNS_A = 1,
    WEIR_DNS_NS = 2,
    WEIR_DNS_CNAME = 5,
    WEIR_DNS_SOA = 6,
    WEIR_DNS_PTR = 12,
    WEIR_DNS_MX = 15,
    WEIR_DNS_TXT = 16,
    WEIR_DNS_AAAA = 28,
    WEIR_DNS_SRV = 33,
    WEIR_DNS_NAPTR = 35,
    WEIR_DNS_TLSA = 52,
    WEIR_DNS_ANY = 255,
    WEIR_DNS_CAA = 257,
};

/* One record.  Names have no dot at the end.  In a label, a dot or a backslash
 * is escaped by a backslash, and a byte that is not printable is written as a
 * backslash and three digits. */
typedef struct weir_dns_record {
    unsigned type;    /* of enum weir_dns_type, or another number */
    uint32_t ttl_s;   /* how long it may be cached, in seconds */
    const char *name; /* the owner of the record, after CNAMEs */
    weir_bytes data;  /* as on the wire; names in it may be compressed */
    const struct weir_dns_record *next; /* NULL: the last */
    union {
        weir_address address; /* A, AAAA; the port is 0 */
        const char *host;     /* CNAME, NS, PTR */
        struct {
            uint16_t priority;
            const char *host;
        } mx;
        struct {
            uint16_t priority, weight, port;
            const char *host;
        } srv;
        struct { /* its strings; most records have one */
            const weir_bytes *parts;
            size_t count;
        } txt;
        struct {
            const char *primary, *mailbox;
            uint32_t serial, refresh_s, retry_s, expire_s, minimum_ttl_s;
        } soa;
        struct {
            uint8_t flags; /* 128: critical */
            const char *tag;
            weir_bytes value;
        } caa;
        struct {
            uint16_t order, preference;
            const char *flags, *service, *regexp, *replacement;
        } naptr;
        struct {
            uint8_t usage, selector, matching;
            weir_bytes data;
        } tlsa;
    } as;
} weir_dns_record;

/* What a query has found.  Later versions may append members. */
typedef struct weir_query_result {
    /* Records of the type that was asked for, in the server's order; of every
     * type for WEIR_DNS_ANY.  They are a list of count records, linked by next,
     * since a later version may append members to them. */
    const weir_dns_record *records;
    size_t count;
    /* Why there are no records: the name of the error, such as "ENOTFOUND",
     * "ESERVFAIL" or "ETIMEOUT", and an English sentence.  Both are static, and
     * NULL if there are records. */
    const char *error;
    const char *reason;
} weir_query_result;

/* A query is over.  status is
 *
 *     0                 there is at least one record
 *     WEIR_ENAME        the name does not exist (error "ENOTFOUND"), or has no
 *                       such records ("ENODATA")
 *     -EINVAL           not a name that can be asked for ("EBADNAME")
 *     -ETIMEDOUT        no server has answered in time
 *     -ECONNREFUSED     there is no server
 *     -EIO              a server has failed ("ESERVFAIL"), refuses to answer
 *                       ("EREFUSED"), or does not understand ("EFORMERR",
 *                       "ENOTIMP")
 *     -EBADMSG          the answer is malformed
 *     WEIR_ECANCELED    weir_query_cancel, weir_resolver_cancel,
 *                       weir_resolver_close, or the end of the loop
 *     -ENOMEM, or an error of weir_fd_add
 *
 * The result is valid during the call, unless weir_query_result_take keeps
 * it. */
typedef void weir_query_fn(void *arg, int status,
                           const weir_query_result *result);

/* ---- resolvers ---- */

/* Every member except size may be left 0. */
typedef struct weir_resolver_options {
    size_t size; /* sizeof(weir_resolver_options) */
    /* The servers to ask, in this order; they are copied.  A port of 0 is 53.
     * NULL: those of /etc/resolv.conf, or 127.0.0.1 if it cannot be read. */
    const weir_address *servers;
    size_t server_count;
    int64_t timeout_ns; /* for a server's first answer; doubled with each
                           attempt.  0: five seconds */
    uint32_t attempts;  /* at each server; 0: four */
    bool is_tcp;        /* never use UDP */
    bool is_rotating;   /* begin each query with the next server */
} weir_resolver_options;

/**
 * Make a resolver for a loop.  This reads /etc/resolv.conf.
 *
 * Thread   loop
 * Owns     *resolver is the caller's until weir_resolver_close
 * Returns  0, -EINVAL (NULL, a server that is not an IP address or has a scope,
 *          or a negative timeout), -E2BIG (an option that this library does not
 *          know), -ENOMEM
 */
WEIR_API WEIR_CHECKED int
weir_resolver_new(weir_resolver **resolver, weir_loop *loop,
                  const weir_resolver_options *options);

/**
 * Close a resolver.  Queries that are pending are called with WEIR_ECANCELED,
 * after this call has returned.  Passing NULL has no effect.
 *
 * Thread   loop; once for each resolver, even after the end of the loop
 * Owns     the resolver is no longer the caller's, not even in the functions of
 *          its queries
 */
WEIR_API void weir_resolver_close(weir_resolver *resolver);

/**
 * Cancel all queries of a resolver.  Their functions are called with
 * WEIR_ECANCELED, after this call has returned.
 *
 * Thread   loop
 */
WEIR_API void weir_resolver_cancel(weir_resolver *resolver);

/**
 * Set the servers that a resolver asks from now on.  A port of 0 is 53.
 * Without servers, every query fails.
 *
 * Thread   loop
 * Owns     the servers are copied
 * Returns  0, -EINVAL (NULL, or a server that is not an IP address or has a
 *          scope), -EBUSY (queries are pending), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_resolver_set_servers(weir_resolver *resolver,
                                                    const weir_address *servers,
                                                    size_t count);

/**
 * Get the servers that a resolver asks.
 *
 * Thread   loop
 * Owns     fills servers[0 .. capacity - 1]
 * Returns  the number of servers, which may exceed capacity
 */
WEIR_API size_t weir_resolver_servers(const weir_resolver *resolver,
                                      weir_address *servers, size_t capacity);

/* ---- queries ---- */

/* Every member except size may be left 0. */
typedef struct weir_query_options {
    size_t size;        /* sizeof(weir_query_options) */
    int64_t timeout_ns; /* for all attempts together; 0: no limit */
    bool is_searched;   /* try the domains of /etc/resolv.conf, too */
} weir_query_options;

/**
 * Ask for the records of a name.
 *
 * Thread   loop
 * Owns     name is copied; arg is the caller's; *query (or NULL) is valid until
 *          fn is called
 * Returns  0, -EINVAL (NULL, not a type, or a negative timeout), -E2BIG (an
 *          option that this library does not know), -ENOMEM, WEIR_ECLOSED (the
 *          loop no longer admits work), WEIR_EFORKED, or an error of
 *          weir_timer_start
 */
WEIR_API WEIR_CHECKED int weir_query_start(weir_resolver *resolver,
                                           weir_query **query, const char *name,
                                           unsigned type, weir_query_fn *fn,
                                           void *arg,
                                           const weir_query_options *options);

/**
 * Ask for the names of an IP address: its records of type WEIR_DNS_PTR.
 *
 * Thread   loop
 * Owns     arg is the caller's; *query (or NULL) is valid until fn is called
 * Returns  0, -EINVAL (NULL, or not an IP address), or an error of
 *          weir_query_start
 */
WEIR_API WEIR_CHECKED int weir_query_reverse(weir_resolver *resolver,
                                             weir_query **query,
                                             const weir_address *address,
                                             weir_query_fn *fn, void *arg,
                                             const weir_query_options *options);

/**
 * Cancel a query.  Its function is still called once, after this call has
 * returned.
 *
 * Thread   loop, before fn is called
 * Returns  0 (fn is called as cancelled), -EALREADY (it is over: fn gets its
 *          outcome), -EINVAL (NULL)
 */
WEIR_API int weir_query_cancel(weir_query *query);

/**
 * Keep the result of a query after its function has returned.
 *
 * Thread   loop, inside a weir_query_fn, at most once
 * Owns     the result is the caller's until weir_query_result_free
 * Returns  the result, or NULL if the query has found nothing
 */
WEIR_API const weir_query_result *
weir_query_result_take(const weir_query_result *result);

/**
 * Free a result that weir_query_result_take has returned.  Passing NULL has no
 * effect.
 *
 * Thread   any
 */
WEIR_API void weir_query_result_free(const weir_query_result *result);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_QUERY_H */
