/* SPDX-License-Identifier: MIT */
/*
 * lookup -- getaddrinfo on other threads, with exactly one outcome.
 *
 * Data      struct weir_lookup   the loop's side.  Only the loop's thread
 *                                touches it.  Freed when fn is called.
 *           struct job           the thread's side: what to look up, and what
 *                                was found.  The worker frees it, unless it
 *                                becomes the value of the promise.
 *           struct result        the addresses.  Freed with the job, unless the
 *                                caller takes it out.
 *
 * Handover  The two sides share nothing but a promise, of which each holds a
 *           reference.  The worker fulfils it, or the loop's thread rejects it
 *           because of a cancel, a timeout or the loop's end; the first one
 *           decides.  So each lookup has one outcome, and a worker that comes
 *           too late frees what it has found.  The promise keeps the loop's
 *           memory, so a worker that is stuck in getaddrinfo needs neither the
 *           lookup nor a loop that still exists.
 *
 * Life      A lookup ends only in finish (request.h).  A call that fails after
 *           its request was opened takes the function out of the lookup, and
 *           lets finish free it.
 */
#include "weir/net/lookup.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#include "names/request.h"
#include "names/threads.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

enum { HOST_LIMIT = 1024, SPARE_WORKERS = 2 };

struct weir_lookup {
    struct weir__request request; /* first */
    weir_lookup_fn *fn;           /* NULL: weir_lookup_start has failed */
    void *arg;
};

struct job {
    weir_job job;
    weir_promise *promise;
    size_t size; /* of this struct */
    int family;  /* for getaddrinfo: AF_UNSPEC, ... */
    int flags;   /* AI_... */
    uint16_t port;
    struct result *result; /* NULL: nothing found, or taken */
    char host[];
};

struct result {
    weir_lookup_result public; /* first: users have a pointer to it */
    size_t size;               /* of this struct, with all addresses */
    struct job *job;           /* that it belongs to, until it is taken */
    weir_address addresses[];  /* followed by the canonical name */
};

/* ---- results ---- */

static void free_result(struct result *result)
{
    if (result != NULL)
        weir_memory_free(result, result->size);
}

const weir_lookup_result *
weir_lookup_result_take(const weir_lookup_result *public)
{
    struct result *result = (struct result *)public;

    if (public == NULL || public->count == 0)
        return NULL;
    result->job->result = NULL;
    result->job = NULL;
    return public;
}

void weir_lookup_result_free(const weir_lookup_result *public)
{
    free_result((struct result *)public);
}

static size_t count_addresses(const struct addrinfo *list)
{
    size_t count = 0;

    for (; list != NULL; list = list->ai_next)
        count += list->ai_family == AF_INET || list->ai_family == AF_INET6;
    return count;
}

static void fill_result(struct result *result, const struct addrinfo *list,
                        uint16_t port)
{
    size_t count = 0;

    for (; list != NULL; list = list->ai_next) {
        weir_address *address = &result->addresses[count];

        if ((list->ai_family == AF_INET || list->ai_family == AF_INET6) &&
            weir_address_from(address, list->ai_addr, list->ai_addrlen) == 0) {
            weir_address_set_port(address, port);
            count++;
        }
    }
    result->public.addresses = result->addresses;
    result->public.count = count;
}

/* Copy what getaddrinfo has found into one block; NULL: no memory. */
static struct result *make_result(const struct addrinfo *list, uint16_t port)
{
    size_t count = count_addresses(list);
    size_t end = sizeof(struct result) + count * sizeof(weir_address);
    const char *name = list == NULL ? NULL : list->ai_canonname;
    size_t size = end + (name == NULL ? 0 : strlen(name) + 1);
    struct result *result = weir_memory_alloc(size);

    if (result == NULL)
        return NULL;
    memset(result, 0, sizeof(*result));
    result->size = size;
    fill_result(result, list, port);
    if (name != NULL)
        result->public.canonical_name =
            memcpy((char *)result + end, name, size - end);
    return result;
}

/* ---- errors of getaddrinfo ---- */

/* clang-format off */
#define EAI_ERRORS(X)                                                          \
    X(EAI_NONAME, WEIR_ENAME) X(EAI_NODATA, WEIR_ENAME)                        \
    X(EAI_ADDRFAMILY, WEIR_ENAME) X(EAI_AGAIN, -EAGAIN) X(EAI_FAIL, -EIO)      \
    X(EAI_MEMORY, -ENOMEM) X(EAI_FAMILY, -EAFNOSUPPORT)                        \
    X(EAI_SOCKTYPE, -ENOTSUP) X(EAI_SERVICE, -ENOTSUP)                         \
    X(EAI_BADFLAGS, -EINVAL) X(EAI_OVERFLOW, -EOVERFLOW)
/* clang-format on */

static int status_of(int code)
{
    switch (code) {
#define X(name, status)                                                        \
    case name:                                                                 \
        return status;
        EAI_ERRORS(X)
#undef X
    case EAI_SYSTEM:
        return errno != 0 ? -errno : -EIO;
    default:
        return -EIO;
    }
}

static const char *name_of(int code, int status)
{
    switch (code) {
#define X(name, status)                                                        \
    case name:                                                                 \
        return #name;
        EAI_ERRORS(X)
#undef X
    default:
        return weir_error_name(status);
    }
}

/* The reason of a rejection: the status, and getaddrinfo's code if it has more
 * to say. */
static weir_value make_reason(int status, int code)
{
    if (code == EAI_SYSTEM)
        code = 0;
    return weir__request_reason(status, code);
}

/* ---- looking up: a worker, or the loop's thread for a number ---- */

/* Fill job->result.  Returns the reason why not, whose code is 0 if there is
 * one. */
static weir_value look_up(struct job *job, int flags)
{
    struct addrinfo hints = {.ai_flags = flags,
                             .ai_family = job->family,
                             .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int code;

    errno = 0;
    code = getaddrinfo(job->host, NULL, &hints, &list);
    if (code != 0)
        return make_reason(status_of(code), code);
    job->result = make_result(list, job->port);
    freeaddrinfo(list);
    if (job->result == NULL)
        return make_reason(-ENOMEM, 0);
    job->result->job = job;
    return job->result->public.count > 0 ? make_reason(0, 0)
                                         : make_reason(WEIR_ENAME, EAI_NONAME);
}

static void free_job(void *data)
{
    struct job *job = data;

    free_result(job->result);
    weir_memory_free(job, job->size);
}

/* Settle the promise, unless a cancel was faster.  The job becomes its value,
 * or is freed. */
static void settle(struct job *job, weir_value reason)
{
    weir_promise *promise = job->promise;

    if (reason.code != 0) {
        (void)!weir_promise_reject(promise, reason);
        free_job(job);
    } else if (weir_promise_resolve(promise, weir_value_of(job, free_job)) !=
               0) {
        free_job(job);
    }
    weir_promise_unref(promise);
}

/* Announce that this worker is about to block, if hardly any worker is left for
 * other jobs.  Announcing it always would start a thread for each lookup. */
static bool begin_to_block(weir_pool *pool)
{
    weir_pool_stats stats = {.size = sizeof(stats)};

    return weir_pool_look(pool, &stats) == 0 && stats.asleep < SPARE_WORKERS &&
           weir_pool_blocking_begin(pool) == 0;
}

static weir_value look_up_blocking(struct job *job)
{
    weir_pool *pool = weir_pool_current();
    bool is_announced = begin_to_block(pool);
    weir_value reason = look_up(job, job->flags);

    if (is_announced)
        (void)!weir_pool_blocking_end(pool);
    return reason;
}

static void run_job(weir_job *base, int status)
{
    struct job *job = (struct job *)base;

    if (status == 0 && weir_promise_state(job->promise) != WEIR_PROMISE_PENDING)
        status = WEIR_ECANCELED;
    settle(job, status == 0 ? look_up_blocking(job) : make_reason(status, 0));
}

/* ---- the end of a lookup: the loop's thread ---- */

static weir_lookup_result describe_failure(const weir_value *reason)
{
    int code = (int)(intptr_t)reason->data;

    return (weir_lookup_result){
        .error = name_of(code, reason->code),
        .reason =
            code != 0 ? gai_strerror(code) : weir_error_text(reason->code),
    };
}

/* Free the lookup first: fn may leave by weir_raise. */
static void finish(struct weir__request *request, int status,
                   const weir_value *value)
{
    weir_lookup *lookup = (weir_lookup *)request;
    weir_lookup_fn *fn = lookup->fn;
    void *arg = lookup->arg;
    weir_lookup_result failure;

    weir_memory_free(lookup, sizeof(*lookup));
    if (fn == NULL)
        return;
    if (status != 0)
        failure = describe_failure(value);
    fn(arg, status,
       status != 0 ? &failure
                   : &((const struct job *)value->data)->result->public);
}

int weir_lookup_cancel(weir_lookup *lookup)
{
    if (lookup == NULL)
        return -EINVAL;
    return weir__request_fail(&lookup->request, WEIR_ECANCELED, 0);
}

/* ---- the start of a lookup: the loop's thread ---- */

static int read_options(weir_lookup_options *options,
                        const weir_lookup_options *given)
{
    const unsigned flags = WEIR_LOOKUP_CONFIGURED | WEIR_LOOKUP_V4MAPPED |
                           WEIR_LOOKUP_ALL | WEIR_LOOKUP_CANONICAL |
                           WEIR_LOOKUP_NUMERIC;
    int err = weir_sized_read(options, sizeof(*options), given);

    if (err != 0)
        return err;
    if ((unsigned)options->family > WEIR_ADDRESS_IPV6 ||
        (options->flags & ~flags) != 0 || options->timeout_ns < 0 ||
        (options->lane != NULL && options->pool == NULL))
        return -EINVAL;
    return 0;
}

static int translate_flags(unsigned flags)
{
    static const int translated[] = {AI_ADDRCONFIG, AI_V4MAPPED, AI_ALL,
                                     AI_CANONNAME, AI_NUMERICHOST};
    int result = 0;

    for (size_t i = 0; i < sizeof(translated) / sizeof(translated[0]); i++)
        if (flags & (1U << i))
            result |= translated[i];
    return result;
}

static struct job *make_job(weir_promise *promise, const char *host,
                            uint16_t port, const weir_lookup_options *options)
{
    static const int families[] = {AF_UNSPEC, AF_INET, AF_INET6};
    size_t length = strlen(host) + 1;
    size_t size = sizeof(struct job) + length;
    struct job *job = weir_memory_alloc(size);

    if (job == NULL)
        return NULL;
    *job = (struct job){
        .job = {.run = run_job, .name = "lookup", .lane = options->lane},
        .promise = weir_promise_ref(promise),
        .size = size,
        .family = families[options->family],
        .flags = translate_flags(options->flags),
        .port = port,
    };
    memcpy(job->host, host, length);
    return job;
}

/* Settle the promise immediately if the host is a number. */
static bool look_up_number(struct job *job)
{
    int flags = (job->flags | AI_NUMERICHOST) & ~AI_ADDRCONFIG;
    weir_value reason = look_up(job, flags);
    bool is_name = reason.data == (void *)(intptr_t)EAI_NONAME;

    if (is_name && !(job->flags & AI_NUMERICHOST))
        return false;
    settle(job, reason);
    return true;
}

static int begin(weir_promise *promise, const char *host, uint16_t port,
                 const weir_lookup_options *options)
{
    struct job *job = make_job(promise, host, port, options);
    int err;

    if (job == NULL)
        return -ENOMEM;
    if (look_up_number(job))
        return 0;
    err = options->pool != NULL ? weir_pool_post(options->pool, &job->job)
                                : weir__threads_post(&job->job);
    if (err != 0) {
        weir_promise_unref(promise);
        free_job(job);
    }
    return err;
}

static int make_lookup(weir_loop *loop, weir_lookup **made)
{
    weir_lookup *lookup = weir_memory_alloc(sizeof(*lookup));
    int err;

    if (lookup == NULL)
        return -ENOMEM;
    lookup->fn = NULL;
    err = weir__request_open(&lookup->request, loop, finish);
    if (err != 0)
        weir_memory_free(lookup, sizeof(*lookup));
    else
        *made = lookup;
    return err;
}

int weir_lookup_start(weir_loop *loop, weir_lookup **lookup, const char *host,
                      uint16_t port, weir_lookup_fn *fn, void *arg,
                      const weir_lookup_options *options)
{
    weir_lookup_options own;
    weir_lookup *made;
    int err;

    if (loop == NULL || host == NULL || host[0] == '\0' || fn == NULL)
        return -EINVAL;
    err = read_options(&own, options);
    if (err != 0)
        return err;
    if (strnlen(host, HOST_LIMIT + 1) > HOST_LIMIT)
        return -ENAMETOOLONG;
    err = make_lookup(loop, &made);
    if (err != 0)
        return err;
    err = weir__request_set_timeout(&made->request, own.timeout_ns);
    if (err == 0)
        err = begin(made->request.promise, host, port, &own);
    if (err != 0) {
        weir_lookup_cancel(made);
        return err;
    }
    made->fn = fn;
    made->arg = arg;
    if (lookup != NULL)
        *lookup = made;
    return 0;
}
