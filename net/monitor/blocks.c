/* SPDX-License-Identifier: MIT */
/*
 * blocks -- copies, under a lock.
 *
 * The watchdog's thread writes them, and the monitor's thread reads them; loops
 * never take this lock.  A block has the same number in all its stages, and each
 * stage replaces the one before.
 *
 * Tested by  test/net/monitor/monitor.c
 */
#include "monitor/blocks.h"

#include <inttypes.h>
#include <stdio.h>

#include "weir/clock.h"
#include "weir/host/lock.h"
#include "weir/net/monitor.h"

enum { KEPT = 16, NAME_BYTES = 160, STACK_BYTES = 8192 };

struct kept {
    uint64_t id, version, thread, callbacks; /* id 0: unused */
    weir_block_stage stage;
    weir_block_cause cause;
    weir_kind kind;
    int64_t duration_ns, at_ns; /* at_ns: when this stage was told */
    char loop[NAME_BYTES], name[NAME_BYTES], subject[NAME_BYTES];
    char state[NAME_BYTES];
    char script[STACK_BYTES], native[STACK_BYTES];
};

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static struct kept blocks[KEPT]; /* under lock */
static uint64_t version;         /* under lock */

/* Under lock: that block, or else the oldest. */
static struct kept *place_of(uint64_t id)
{
    struct kept *oldest = &blocks[0];

    for (int i = 0; i < KEPT; i++) {
        if (blocks[i].id == id)
            return &blocks[i];
        if (blocks[i].version < oldest->version)
            oldest = &blocks[i];
    }
    return oldest;
}

void weir_monitor_show_block(const weir_block *block)
{
    struct kept *kept;

    weir_global_lock_acquire(&lock);
    kept = place_of(block->id);
    kept->id = block->id;
    kept->version = ++version;
    kept->thread = block->thread;
    kept->callbacks = block->callbacks;
    kept->stage = block->stage;
    kept->cause = block->cause;
    kept->kind = block->kind;
    kept->duration_ns = block->duration_ns;
    kept->at_ns = weir_clock_now();
    snprintf(kept->loop, NAME_BYTES, "%s", block->loop);
    snprintf(kept->name, NAME_BYTES, "%s", block->name);
    snprintf(kept->subject, NAME_BYTES, "%s", block->subject);
    snprintf(kept->state, NAME_BYTES, "%s", block->state);
    snprintf(kept->script, STACK_BYTES, "%s", block->script);
    snprintf(kept->native, STACK_BYTES, "%s", block->native);
    weir_global_lock_release(&lock);
}

static const char *const stages[] = {"began", "lasts", "ended"};

static void write_block(struct weir__text *text, const struct kept *kept,
                        int64_t now_ns)
{
    weir__text_add(
        text,
        "{\"id\":%" PRIu64 ",\"stage\":\"%s\",\"cause\":\"%s\","
        "\"kind\":\"%s\",\"thread\":%" PRIu64 ",\"callbacks\":%" PRIu64
        ",\"duration\":%.1f,\"ago\":%.1f,\"loop\":",
        kept->id, stages[kept->stage], weir_block_cause_name(kept->cause),
        weir_kind_name(kept->kind), kept->thread, kept->callbacks,
        (double)kept->duration_ns / 1e6, (double)(now_ns - kept->at_ns) / 1e6);
    weir__text_quote(text, kept->loop);
    weir__text_add(text, ",\"name\":");
    weir__text_quote(text, kept->name);
    weir__text_add(text, ",\"subject\":");
    weir__text_quote(text, kept->subject);
    weir__text_add(text, ",\"state\":");
    weir__text_quote(text, kept->state);
    weir__text_add(text, ",\"stack\":");
    weir__text_quote(text, kept->script);
    weir__text_add(text, ",\"nativeStack\":");
    weir__text_quote(text, kept->native);
    weir__text_add(text, "}");
}

/* Under lock: the oldest version after this one. */
static const struct kept *after(uint64_t since)
{
    const struct kept *next = NULL;

    for (int i = 0; i < KEPT; i++)
        if (blocks[i].version > since &&
            (next == NULL || blocks[i].version < next->version))
            next = &blocks[i];
    return next;
}

uint64_t weir__blocks_write(struct weir__text *text, uint64_t since,
                            const char *prefix, const char *suffix)
{
    int64_t now_ns = weir_clock_now();
    const struct kept *next;

    weir_global_lock_acquire(&lock);
    while ((next = after(since)) != NULL) {
        weir__text_add(text, "%s", prefix);
        write_block(text, next, now_ns);
        weir__text_add(text, "%s", suffix);
        since = next->version;
    }
    weir_global_lock_release(&lock);
    return since;
}

bool weir__blocks_find(uint64_t thread, int64_t *for_ns)
{
    int64_t now_ns = weir_clock_now();
    bool is_found = false;

    weir_global_lock_acquire(&lock);
    for (int i = 0; i < KEPT && !is_found; i++)
        if (blocks[i].id != 0 && blocks[i].stage != WEIR_BLOCK_ENDED &&
            (thread == 0 || blocks[i].thread == thread)) {
            *for_ns = blocks[i].duration_ns + (now_ns - blocks[i].at_ns);
            is_found = true;
        }
    weir_global_lock_release(&lock);
    return is_found;
}
