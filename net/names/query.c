/* SPDX-License-Identifier: MIT */
/*
 * query -- a question to DNS servers, with exactly one outcome.
 *
 * A query ends in two steps, in either order: c-ares answers it (on_answer),
 * and its function is called (finish).  c-ares cannot cancel a single query, so
 * a cancelled query remains until c-ares has answered.  Conversely, an answer
 * waits for the reaction of its promise.  The later step frees the query.
 *
 * Everything happens on the loop's thread.
 */
#include "weir/net/query.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "names/records.h"
#include "names/resolver.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

enum { CLASS_IN = 1, REVERSE_TEXT = 80 };

struct weir_query {
    struct weir__request request; /* first */
    weir_resolver *resolver;
    weir_query *next, *prev; /* in the resolver's list, until finish */
    unsigned type;
    bool is_unanswered; /* c-ares has it */
    bool is_told;
    weir_query_fn *fn; /* NULL: weir_query_start has failed */
    void *arg;
};

/* The value of a query's promise.  The user may take the records out. */
struct box {
    struct weir__records *records;
};

struct weir__request *weir__query_request(weir_query *query)
{
    return &query->request;
}

weir_query *weir__query_next(const weir_query *query)
{
    return query->next;
}

/* ---- errors of c-ares ---- */

/* clang-format off */
#define ARES_ERRORS(X)                                                         \
    X(ENODATA, WEIR_ENAME) X(ENOTFOUND, WEIR_ENAME) X(EFORMERR, -EIO)          \
    X(ESERVFAIL, -EIO) X(ENOTIMP, -EIO) X(EREFUSED, -EIO)                      \
    X(EBADQUERY, -EINVAL) X(EBADNAME, -EINVAL) X(EBADRESP, -EBADMSG)           \
    X(ECONNREFUSED, -ECONNREFUSED) X(ETIMEOUT, -ETIMEDOUT) X(EOF, -EIO)        \
    X(EFILE, -EIO) X(ENOMEM, -ENOMEM)
/* clang-format on */

static int status_of(int code)
{
    switch (code) {
#define X(name, status)                                                        \
    case ARES_##name:                                                          \
        return status;
        ARES_ERRORS(X)
#undef X
    case ARES_ECANCELLED:
    case ARES_EDESTRUCTION:
        return WEIR_ECANCELED;
    default:
        return -EIO;
    }
}

static const char *name_of(int code, int status)
{
    switch (code) {
#define X(name, status)                                                        \
    case ARES_##name:                                                          \
        return #name;
        ARES_ERRORS(X)
#undef X
    default:
        return weir_error_name(status);
    }
}

static weir_query_result describe_failure(const weir_value *reason)
{
    int code = (int)(intptr_t)reason->data;

    return (weir_query_result){
        .error = name_of(code, reason->code),
        .reason =
            code != 0 ? ares_strerror(code) : weir_error_text(reason->code),
    };
}

/* ---- the end of a query ---- */

static void free_query(weir_query *query)
{
    weir_memory_free(query, sizeof(*query));
}

static void link_query(weir_query *query)
{
    query->next = query->resolver->queries;
    query->prev = NULL;
    if (query->next != NULL)
        query->next->prev = query;
    query->resolver->queries = query;
}

static void unlink_query(weir_query *query)
{
    if (query->prev != NULL)
        query->prev->next = query->next;
    else
        query->resolver->queries = query->next;
    if (query->next != NULL)
        query->next->prev = query->prev;
}

/* Clean up first: fn may leave by weir_raise. */
static void finish(struct weir__request *request, int status,
                   const weir_value *value)
{
    weir_query *query = (weir_query *)request;
    weir_resolver *resolver = query->resolver;
    weir_query_fn *fn = query->fn;
    void *arg = query->arg;
    weir_query_result failure;

    unlink_query(query);
    query->is_told = true;
    if (!query->is_unanswered)
        free_query(query);
    weir__resolver_leave(resolver);
    if (fn == NULL)
        return;
    if (status != 0)
        failure = describe_failure(value);
    fn(arg, status,
       status != 0 ? &failure
                   : &((const struct box *)value->data)->records->public);
}

int weir_query_cancel(weir_query *query)
{
    if (query == NULL)
        return -EINVAL;
    return weir__request_fail(&query->request, WEIR_ECANCELED, 0);
}

/* ---- answers ---- */

static void free_box(void *data)
{
    struct box *box = data;

    weir__records_free(box->records);
    weir_memory_free(box, sizeof(*box));
}

static int read_answer(struct box **made, unsigned type,
                       const unsigned char *message, int size)
{
    struct box *box = weir_memory_alloc(sizeof(*box));
    int err;

    if (box == NULL)
        return -ENOMEM;
    err = weir__records_read(&box->records, message, (size_t)size, type);
    if (err != 0) {
        weir_memory_free(box, sizeof(*box));
        return err;
    }
    box->records->owner = &box->records;
    *made = box;
    return 0;
}

static void settle(weir_query *query, const unsigned char *message, int size)
{
    struct box *box;
    int err = read_answer(&box, query->type, message, size);

    if (err != 0)
        weir__request_fail(&query->request, err,
                           err == WEIR_ENAME ? ARES_ENODATA
                           : err == -EBADMSG ? ARES_EBADRESP
                                             : 0);
    else if (weir_promise_resolve(query->request.promise,
                                  weir_value_of(box, free_box)) != 0)
        free_box(box);
}

static void on_answer(void *arg, int code, int timeouts, unsigned char *message,
                      int size)
{
    weir_query *query = arg;

    query->is_unanswered = false;
    query->resolver->unanswered--;
    if (query->is_told)
        free_query(query);
    else if (code == ARES_SUCCESS)
        settle(query, message, size);
    else
        weir__request_fail(&query->request, status_of(code), code);
}

/* ---- the beginning ---- */

static int read_options(weir_query_options *options,
                        const weir_query_options *given)
{
    int err = weir_sized_read(options, sizeof(*options), given);

    if (err != 0)
        return err;
    return options->timeout_ns < 0 ? -EINVAL : 0;
}

static int make_query(weir_query **made, weir_resolver *resolver)
{
    weir_query *query = weir_memory_alloc(sizeof(*query));
    int err;

    if (query == NULL)
        return -ENOMEM;
    *query = (weir_query){.resolver = resolver};
    err = weir__request_open(&query->request, resolver->loop, finish);
    if (err != 0) {
        free_query(query);
        return err;
    }
    link_query(query);
    *made = query;
    return 0;
}

int weir_query_start(weir_resolver *resolver, weir_query **query,
                     const char *name, unsigned type, weir_query_fn *fn,
                     void *arg, const weir_query_options *options)
{
    weir_query_options own;
    weir_query *made;
    int err;

    if (resolver == NULL || name == NULL || fn == NULL || type == 0 ||
        type > UINT16_MAX)
        return -EINVAL;
    err = read_options(&own, options);
    if (err == 0)
        err = make_query(&made, resolver);
    if (err != 0)
        return err;
    made->type = type;
    err = weir__request_set_timeout(&made->request, own.timeout_ns);
    if (err != 0) {
        weir_query_cancel(made);
        return err;
    }
    made->fn = fn;
    made->arg = arg;
    made->is_unanswered = true;
    resolver->unanswered++;
    (own.is_searched ? ares_search : ares_query)(
        resolver->channel, name, CLASS_IN, (int)type, on_answer, made);
    weir__resolver_update(resolver);
    if (query != NULL)
        *query = made;
    return 0;
}

/* ---- addresses ---- */

/* "1.2.0.192.in-addr.arpa", or 32 digits and "ip6.arpa". */
static int write_reverse(char *text, const weir_address *address)
{
    size_t size;
    const void *sockaddr = weir_address_sockaddr(address, &size);
    const struct sockaddr_in *ipv4 = sockaddr;
    const struct sockaddr_in6 *ipv6 = sockaddr;
    const unsigned char *bytes;

    switch (weir_address_family_of(address)) {
    case WEIR_ADDRESS_IPV4:
        bytes = (const unsigned char *)&ipv4->sin_addr;
        sprintf(text, "%u.%u.%u.%u.in-addr.arpa", bytes[3], bytes[2], bytes[1],
                bytes[0]);
        return 0;
    case WEIR_ADDRESS_IPV6:
        bytes = ipv6->sin6_addr.s6_addr;
        for (int i = 15; i >= 0; i--)
            text += sprintf(text, "%x.%x.", bytes[i] & 15, bytes[i] >> 4);
        strcpy(text, "ip6.arpa");
        return 0;
    default:
        return -EINVAL;
    }
}

int weir_query_reverse(weir_resolver *resolver, weir_query **query,
                       const weir_address *address, weir_query_fn *fn,
                       void *arg, const weir_query_options *options)
{
    char name[REVERSE_TEXT];

    if (address == NULL || write_reverse(name, address) != 0)
        return -EINVAL;
    return weir_query_start(resolver, query, name, WEIR_DNS_PTR, fn, arg,
                            options);
}
