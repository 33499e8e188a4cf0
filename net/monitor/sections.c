/* SPDX-License-Identifier: MIT */
/*
 * sections -- see sections.h.
 *
 * The last text of each name is kept, whether or not the monitor runs.  They are
 * few, and no loop waits for a lock that is held while one is copied, except a
 * loop that replaces a file while it is being downloaded.
 *
 * Shared state
 *   sections, files   any thread, under the lock
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

enum { SECTIONS = 16, FILES = 4, NAME_BYTES = 32 };

struct item {
    char name[NAME_BYTES]; /* "": a free slot */
    char *bytes;
    size_t size;
    int64_t came_ns;
};

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static struct item sections[SECTIONS], files[FILES]; /* under lock */

static bool is_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz-");

    return length > 0 && length < NAME_BYTES && name[length] == '\0';
}

/* Under lock: the slot of a name, or a free one; NULL: none. */
static struct item *find(struct item *items, size_t count, const char *name)
{
    struct item *unused = NULL;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(items[i].name, name) == 0)
            return &items[i];
        if (items[i].name[0] == '\0' && unused == NULL)
            unused = &items[i];
    }
    return unused;
}

static int replace(struct item *items, size_t count, const char *name,
                   const void *bytes, size_t size)
{
    struct item old = {0}, *slot;
    char *copy = NULL;

    if (size > 0) {
        copy = weir_memory_alloc(size);
        if (copy == NULL)
            return -ENOMEM;
        memcpy(copy, bytes, size);
    }
    weir_global_lock_acquire(&lock);
    slot = find(items, count, name);
    if (slot != NULL) {
        old = *slot;
        *slot = (struct item){
            .bytes = copy, .size = size, .came_ns = weir_clock_now()};
        if (size > 0)
            strcpy(slot->name, name);
    }
    weir_global_lock_release(&lock);
    weir_memory_free(old.bytes, old.size);
    if (slot == NULL)
        weir_memory_free(copy, size);
    return slot == NULL ? -ENOSPC : 0;
}

int weir_monitor_show(const char *name, const char *json, size_t size)
{
    if (name == NULL || !is_name(name) || (json == NULL && size > 0))
        return -EINVAL;
    if (size > WEIR_MONITOR_SECTION_BYTES)
        return -EMSGSIZE;
    return replace(sections, SECTIONS, name, json, size);
}

int weir_monitor_offer(const char *name, const void *bytes, size_t size)
{
    if (name == NULL || !is_name(name) || (bytes == NULL && size > 0))
        return -EINVAL;
    if (size > WEIR_MONITOR_FILE_BYTES)
        return -EMSGSIZE;
    return replace(files, FILES, name, bytes, size);
}

void weir__sections_write(struct weir__text *text, int64_t now_ns)
{
    weir__text_add(text, "\"sections\":{");
    weir_global_lock_acquire(&lock);
    for (size_t i = 0; i < SECTIONS; i++) {
        const struct item *section = &sections[i];

        if (section->name[0] == '\0')
            continue;
        weir__text_comma(text);
        weir__text_add(text, "\"%s\":{\"ago\":%.0f,\"data\":", section->name,
                       (double)(now_ns - section->came_ns) / 1e6);
        weir__text_put(text, section->bytes, section->size);
        weir__text_add(text, "}");
    }
    weir_global_lock_release(&lock);
    weir__text_add(text, "}");
}

bool weir__sections_copy_file(struct weir__text *text, const char *name)
{
    const struct item *file;
    bool is_there;

    weir_global_lock_acquire(&lock);
    file = is_name(name) ? find(files, FILES, name) : NULL;
    is_there = file != NULL && file->size > 0;
    if (is_there)
        weir__text_put(text, file->bytes, file->size);
    weir_global_lock_release(&lock);
    return is_there;
}
