/* SPDX-License-Identifier: MIT */
/*
 * profile -- a tree of calls, and which node each sample was at.
 *
 * A node is a function as called from its parent node.  The tree is an array;
 * children are a list.  A sample walks the stack from its innermost frame, so
 * the frames are collected first, and then looked up from the outermost.
 *
 * Few hosts are profiled, so the profiles of the process are a list under a lock,
 * which a host searches when the engine looks for interrupts.  A profile itself
 * is used by its host's thread only.
 *
 * Time between two entries into JavaScript, in which the loop slept or ran C,
 * belongs to the node "(program)".
 *
 * Tested by  test/js/core/profile.c, test/api/profile.py
 */
#include "core/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/clock.h"
#include "weir/host/lock.h"
#include "weir/host/recorder.h"
#include "weir/profile.h"

enum { DEPTH = 256, ROOT = 0, PROGRAM = 1, LINE = 512 };

struct node {
    const char *name, *file; /* interned: equal texts are equal pointers */
    int line, column;
    uint32_t child, sibling; /* 0: none; the root is nobody's child */
    uint32_t hits;
};

struct sample {
    uint32_t node;
    int64_t time_ns;
};

struct profile {
    struct profile *next; /* under lock */
    const weir_js *js;    /* const */
    int64_t interval_ns, started_ns, due_ns;
    size_t entry; /* of the last sample: js->begun */
    struct node *nodes;
    uint32_t node_count, node_capacity;
    struct sample *samples;
    size_t sample_count, sample_capacity;
    unsigned depth;
    struct node stack[DEPTH]; /* of the sample that is taken */
};

static weir_lock lock = WEIR_LOCK_INIT;
static struct profile *profiles; /* under lock */

/* The profile of a host, or NULL. */
static struct profile *find(const weir_js *js)
{
    struct profile *at;

    weir_lock_acquire(&lock);
    for (at = profiles; at != NULL && at->js != js;)
        at = at->next;
    weir_lock_release(&lock);
    return at;
}

/* ---- the tree ---- */

/* Returns the number of the new node, or 0 if there is no memory. */
static uint32_t add_node(struct profile *profile, struct node node)
{
    if (profile->node_count == profile->node_capacity) {
        uint32_t capacity = 2 * profile->node_capacity + 64;
        struct node *nodes = realloc(profile->nodes, capacity * sizeof(*nodes));

        if (nodes == NULL)
            return 0;
        profile->nodes = nodes;
        profile->node_capacity = capacity;
    }
    profile->nodes[profile->node_count] = node;
    return profile->node_count++;
}

static bool is_same(const struct node *a, const struct node *b)
{
    return a->name == b->name && a->file == b->file && a->line == b->line &&
           a->column == b->column;
}

/* The child of a node that is this function, which is added if it is not there;
 * 0 if there is no memory. */
static uint32_t child_of(struct profile *profile, uint32_t parent,
                         struct node function)
{
    uint32_t at = profile->nodes[parent].child;

    while (at != 0 && !is_same(&profile->nodes[at], &function))
        at = profile->nodes[at].sibling;
    if (at != 0)
        return at;
    function.child = function.hits = 0;
    function.sibling = profile->nodes[parent].child;
    at = add_node(profile, function);
    if (at != 0)
        profile->nodes[parent].child = at;
    return at;
}

/* ---- samples ---- */

static void add_sample(struct profile *profile, uint32_t node, int64_t time_ns)
{
    if (profile->sample_count == profile->sample_capacity) {
        size_t capacity = 2 * profile->sample_capacity + 1024;
        struct sample *samples =
            realloc(profile->samples, capacity * sizeof(*samples));

        if (samples == NULL)
            return;
        profile->samples = samples;
        profile->sample_capacity = capacity;
    }
    profile->samples[profile->sample_count++] = (struct sample){node, time_ns};
    profile->nodes[node].hits++;
}

#ifdef JS_HAS_VISIT_FRAMES

static bool collect(void *opaque, const JSFrame *frame)
{
    struct profile *profile = opaque;
    const char *name = frame->name != NULL ? frame->name : "";
    const char *file = frame->file != NULL ? frame->file : "";

    profile->stack[profile->depth++] =
        (struct node){.name = weir_recorder_intern(name, 100),
                      .file = weir_recorder_intern(file, 100),
                      .line = frame->line,
                      .column = frame->column};
    return profile->depth < DEPTH;
}

static void visit(weir_js *js, struct profile *profile)
{
    JS_VisitFrames(js->context, collect, profile);
}

#else

static void visit(weir_js *js, struct profile *profile)
{
}

#endif

/* The gap since the last entry; the new one has begun about now. */
static void add_gap(struct profile *profile, weir_js *js, int64_t now_ns)
{
    const struct sample *last =
        &profile->samples[profile->sample_count - (profile->sample_count > 0)];
    int64_t from_ns =
        profile->sample_count > 0 ? last->time_ns : profile->started_ns;

    if (profile->entry != js->begun &&
        now_ns - from_ns > 2 * profile->interval_ns)
        add_sample(profile, PROGRAM, from_ns + profile->interval_ns);
    profile->entry = js->begun;
}

void weir__js_profile_sample(weir_js *js)
{
    struct profile *profile = find(js);
    int64_t now_ns;
    uint32_t node = ROOT;

    if (profile == NULL)
        return;
    now_ns = weir_clock_now();
    if (now_ns < profile->due_ns)
        return;
    profile->due_ns = now_ns + profile->interval_ns;
    profile->depth = 0;
    visit(js, profile);
    while (profile->depth > 0) {
        node = child_of(profile, node, profile->stack[--profile->depth]);
        if (node == 0)
            return;
    }
    if (node == ROOT) /* the engine is about to enter a function */
        return;
    add_gap(profile, js, now_ns);
    add_sample(profile, node, now_ns);
}

/* ---- start and end ---- */

static struct profile *new_profile(int64_t interval_ns)
{
    struct profile *profile = calloc(1, sizeof(*profile));
    const struct node root = {.name = "(root)", .file = ""};
    const struct node program = {.name = "(program)", .file = ""};

    if (profile == NULL)
        return NULL;
    profile->interval_ns = interval_ns;
    profile->started_ns = weir_clock_now();
    (void)add_node(profile, root); /* 0 */
    if (profile->node_count == 0 || child_of(profile, ROOT, program) == 0) {
        free(profile->nodes);
        free(profile);
        return NULL;
    }
    return profile;
}

int weir_js_profile_start(weir_js *js, int64_t interval_ns)
{
    struct profile *profile;

    if (js == NULL || interval_ns <= 0)
        return -EINVAL;
    if (!weir__js_is_here(js))
        return -EPERM;
    if (find(js) != NULL)
        return -EALREADY;
    profile = new_profile(interval_ns);
    if (profile == NULL)
        return -ENOMEM;
    profile->js = js;
    weir_lock_acquire(&lock);
    profile->next = profiles;
    profiles = profile;
    weir_lock_release(&lock);
    return 0;
}

int weir_js_profile_stop(weir_js *js)
{
    if (js == NULL)
        return -EINVAL;
    if (!weir__js_is_here(js))
        return -EPERM;
    if (find(js) == NULL)
        return -ENOENT;
    weir__js_profile_drop(js);
    return 0;
}

void weir__js_profile_drop(weir_js *js)
{
    struct profile *profile = NULL, **at;

    weir_lock_acquire(&lock);
    for (at = &profiles; *at != NULL && (*at)->js != js;)
        at = &(*at)->next;
    if (*at != NULL) {
        profile = *at;
        *at = profile->next;
    }
    weir_lock_release(&lock);
    if (profile == NULL)
        return;
    free(profile->nodes);
    free(profile->samples);
    free(profile);
}

/* ---- JSON ---- */

struct output {
    weir_js_profile_fn *write;
    void *arg;
    int err;
};

static void put(struct output *out, const char *text, size_t size)
{
    if (out->err == 0)
        out->err = out->write(out->arg, text, size);
}

__attribute__((format(printf, 2, 3))) static void print(struct output *out,
                                                        const char *format, ...)
{
    char line[LINE];
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (size > 0 && (size_t)size < sizeof(line))
        put(out, line, (size_t)size);
}

/* A file is named by its URL, as V8 does. */
static void put_text(struct output *out, const char *prefix, const char *text)
{
    print(out, "\"%s", prefix);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            print(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            print(out, "\\u%04x", (unsigned)*text);
        else
            put(out, text, 1);
    }
    put(out, "\"", 1);
}

/* From 0, as V8 counts; -1 for what has no file.  A wrapper that the host adds to
 * a module begins before its first line. */
static int position(const struct node *node, int from_one)
{
    if (node->file == NULL || *node->file == '\0')
        return -1;
    return from_one > 1 ? from_one - 1 : 0;
}

static void write_node(struct output *out, const struct profile *profile,
                       uint32_t index)
{
    const struct node *node = &profile->nodes[index];

    print(out, "%s{\"id\":%" PRIu32 ",\"callFrame\":{\"functionName\":",
          index == 0 ? "" : ",\n", index + 1);
    put_text(out, "", node->name != NULL ? node->name : "");
    print(out, ",\"scriptId\":\"0\",\"url\":");
    put_text(out, node->file != NULL && *node->file == '/' ? "file://" : "",
             node->file != NULL ? node->file : "");
    print(out,
          ",\"lineNumber\":%d,\"columnNumber\":%d},\"hitCount\":%" PRIu32
          ",\"children\":[",
          position(node, node->line), position(node, node->column), node->hits);
    for (uint32_t at = node->child; at != 0; at = profile->nodes[at].sibling)
        print(out, "%s%" PRIu32, at == node->child ? "" : ",", at + 1);
    print(out, "]}");
}

static void write_profile(struct output *out, const struct profile *profile)
{
    int64_t before_us = profile->started_ns / 1000;

    print(out, "{\"nodes\":[");
    for (uint32_t i = 0; i < profile->node_count; i++)
        write_node(out, profile, i);
    print(out,
          "],\n\"startTime\":%" PRId64 ",\"endTime\":%" PRId64
          ",\n\"samples\":[",
          before_us, weir_clock_now() / 1000);
    for (size_t i = 0; i < profile->sample_count; i++)
        print(out, "%s%" PRIu32, i == 0 ? "" : ",",
              profile->samples[i].node + 1);
    print(out, "],\n\"timeDeltas\":[");
    for (size_t i = 0; i < profile->sample_count; i++) {
        int64_t time_us = profile->samples[i].time_ns / 1000;

        print(out, "%s%" PRId64, i == 0 ? "" : ",", time_us - before_us);
        before_us = time_us;
    }
    print(out, "]}\n");
}

int weir_js_profile_write(weir_js *js, weir_js_profile_fn *write, void *arg)
{
    struct output out = {write, arg, 0};
    const struct profile *profile;

    if (js == NULL || write == NULL)
        return -EINVAL;
    if (!weir__js_is_here(js))
        return -EPERM;
    profile = find(js);
    if (profile == NULL)
        return -ENOENT;
    write_profile(&out, profile);
    return out.err;
}
