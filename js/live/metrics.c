/* SPDX-License-Identifier: MIT */
/*
 * metrics -- metrics() of weir:live: all loops of the program that run
 * JavaScript, its pool, and the memory of JavaScript, for Prometheus.
 *
 * The hosts of the process are in a list under a lock, from their beginning to
 * their end.  A text is written under the lock, so no loop ends meanwhile.
 *
 * Tested by  test/js/live/live-metrics.mjs, test/api/metrics.py
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/error.h"
#include "weir/host/lock.h"
#include "weir/metrics.h"

/* A host's part of the list. */
struct member {
    struct member *next, **at;
    weir_loop *loop;
    unsigned number; /* of workers; 0: the first host */
};

static weir_lock lock = WEIR_LOCK_INIT;
static struct member *members;      /* under lock */
static unsigned member_count, last; /* under lock */

static struct member *member_of(const weir_js *js)
{
    return js->states[WEIR__JS_METRICS];
}

static int join(weir_js *js)
{
    struct member *member = member_of(js);

    member->loop = js->loop;
    weir_lock_acquire(&lock);
    member->number = js->is_child ? ++last : 0;
    member->next = members;
    member->at = &members;
    if (members != NULL)
        members->at = &member->next;
    members = member;
    member_count++;
    weir_lock_release(&lock);
    return 0;
}

static void leave(weir_js *js)
{
    struct member *member = member_of(js);

    weir_lock_acquire(&lock);
    *member->at = member->next;
    if (member->next != NULL)
        member->next->at = member->at;
    member_count--;
    weir_lock_release(&lock);
}

/* ---- the text ---- */

struct text {
    char *bytes;
    size_t size, capacity;
};

static int append(void *arg, const char *bytes, size_t size)
{
    struct text *text = arg;

    if (text->size + size > text->capacity) {
        size_t capacity = 2 * (text->size + size);
        char *larger = realloc(text->bytes, capacity);

        if (larger == NULL)
            return -ENOMEM;
        text->bytes = larger;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    return 0;
}

enum { NAME_BYTES = 32 };

/* Under lock: describe the hosts' loops, and return how many there are. */
static size_t list_loops(weir_metrics_source *sources,
                         char (*names)[NAME_BYTES])
{
    size_t count = 0;

    for (const struct member *at = members; at != NULL; at = at->next) {
        if (at->number == 0)
            snprintf(names[count], NAME_BYTES, "main");
        else
            snprintf(names[count], NAME_BYTES, "worker-%u", at->number);
        sources[count] =
            (weir_metrics_source){.name = names[count], .loop = at->loop};
        count++;
    }
    return count;
}

/* Under lock. */
static int write_all(struct text *text, const weir_pool *pool)
{
    size_t most = (size_t)member_count + 1, count;
    weir_metrics_source *sources = calloc(most, sizeof(*sources));
    char(*names)[NAME_BYTES] = calloc(most, NAME_BYTES);
    int err = -ENOMEM;

    if (sources != NULL && names != NULL) {
        count = list_loops(sources, names);
        if (pool != NULL)
            sources[count++] =
                (weir_metrics_source){.name = "pool", .pool = pool};
        err = weir_metrics_text(sources, count, append, text);
    }
    free(sources);
    free(names);
    return err;
}

/* Of this thread. */
static int write_memory(struct text *text, weir_js *js)
{
    JSMemoryUsage usage;
    char lines[256];
    int size;

    JS_ComputeMemoryUsage(js->runtime, &usage);
    size = snprintf(lines, sizeof(lines),
                    "# HELP weir_js_memory_bytes Memory that JavaScript has "
                    "allocated in this thread.\n"
                    "# TYPE weir_js_memory_bytes gauge\n"
                    "weir_js_memory_bytes %" PRId64 "\n",
                    usage.malloc_size);
    return append(text, lines, (size_t)size);
}

static JSValue metrics(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct text text = {0};
    JSValue result;
    int err;

    weir_lock_acquire(&lock);
    err = write_all(&text, js->options.pool); /* NULL: not used yet */
    weir_lock_release(&lock);
    if (err == 0)
        err = write_memory(&text, js);
    result = err == 0 ? JS_NewStringLen(context, text.bytes, text.size)
                      : weir__js_throw_status(context, err);
    free(text.bytes);
    return result;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("metrics", 0, metrics),
};

const struct weir__js_builtin weir__js_metrics_builtin = {
    WEIR__JS_LIBS("live/live"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct member),
    .init = join,
    .drop = leave,
};
