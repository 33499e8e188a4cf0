/* SPDX-License-Identifier: MIT */
/*
 * sections -- see sections.h.
 *
 * The last text of each name is kept, whether or not the monitor runs.  They are
 * few, and no loop waits for a lock that is held while one is copied.
 *
 * Shared state
 *   sections   any thread, under the lock
 *
 * Tested by  test/net/monitor/monitor.c
 */
#include "monitor/sections.h"

#include <errno.h>
#include <string.h>

#include "weir/clock.h"
#include "weir/host/lock.h"
#include "weir/host/memory.h"
#include "weir/net/monitor.h"

enum { MOST = 16, NAME_BYTES = 32 };

struct section {
    char name[NAME_BYTES]; /* "": a free slot */
    char *json;
    size_t size;
    int64_t came_ns;
};

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static struct section sections[MOST]; /* under lock */

static bool is_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz-");

    return length > 0 && length < NAME_BYTES && name[length] == '\0';
}

/* Under lock: the slot of a name, or a free one; NULL: none. */
static struct section *find(const char *name)
{
    struct section *unused = NULL;

    for (size_t i = 0; i < MOST; i++) {
        if (strcmp(sections[i].name, name) == 0)
            return &sections[i];
        if (sections[i].name[0] == '\0' && unused == NULL)
            unused = &sections[i];
    }
    return unused;
}

int weir_monitor_show(const char *name, const char *json, size_t size)
{
    struct section old = {0}, *slot;
    char *copy = NULL;

    if (name == NULL || !is_name(name) || (json == NULL && size > 0))
        return -EINVAL;
    if (size > WEIR_MONITOR_SECTION_BYTES)
        return -EMSGSIZE;
    if (size > 0) {
        copy = weir_memory_alloc(size);
        if (copy == NULL)
            return -ENOMEM;
        memcpy(copy, json, size);
    }
    weir_global_lock_acquire(&lock);
    slot = find(name);
    if (slot != NULL) {
        old = *slot;
        *slot = (struct section){
            .json = copy, .size = size, .came_ns = weir_clock_now()};
        if (size > 0)
            strcpy(slot->name, name);
    }
    weir_global_lock_release(&lock);
    weir_memory_free(old.json, old.size);
    if (slot == NULL)
        weir_memory_free(copy, size);
    return slot == NULL ? -ENOSPC : 0;
}

void weir__sections_write(struct weir__text *text, int64_t now_ns)
{
    weir__text_add(text, "\"sections\":{");
    weir_global_lock_acquire(&lock);
    for (size_t i = 0; i < MOST; i++) {
        const struct section *section = &sections[i];

        if (section->name[0] == '\0')
            continue;
        weir__text_comma(text);
        weir__text_add(text, "\"%s\":{\"ago\":%.0f,\"data\":", section->name,
                       (double)(now_ns - section->came_ns) / 1e6);
        weir__text_put(text, section->json, section->size);
        weir__text_add(text, "}");
    }
    weir_global_lock_release(&lock);
    weir__text_add(text, "}");
}
