/* SPDX-License-Identifier: MIT */
/*
 * scan -- how a recursive watch finds the directories below its root.
 *
 * A directory is watched first and scanned then, so that no entry is missed.  An
 * entry that was made in between is found by the scan and also has an event.
 * The scan announces it, and the event is dropped.  Once the kernel's queue was
 * empty, no such event can be left, and the announcements are forgotten.
 *
 * A step handles one entry, so that a large directory does not hold up the loop.
 *
 * Everything here happens on the loop's thread.
 */
#include <errno.h>
#include <string.h>

#include "process/watch.h"
#include "weir/host/memory.h"

/* An entry that a scan has reported. */
struct weir__announced {
    struct weir__announced *next;
    int wd; /* of its directory */
    size_t size;
    char name[];
};

/* ---- announcements ---- */

static struct weir__announced **bucket_of(weir_watch *watch, int wd,
                                          const char *name)
{
    uint32_t hash = 2166136261u ^ (uint32_t)wd; /* FNV-1a */

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return &watch->announced[hash % WEIR__ANNOUNCED_BUCKETS];
}

/* Without memory the entry may be reported twice. */
static void announce(weir_watch *watch, int wd, const char *name)
{
    struct weir__announced **bucket = bucket_of(watch, wd, name);
    size_t length = strlen(name) + 1;
    struct weir__announced *entry = weir_memory_alloc(sizeof(*entry) + length);

    if (entry == NULL)
        return;
    *entry = (struct weir__announced){
        .next = *bucket, .wd = wd, .size = sizeof(*entry) + length};
    memcpy(entry->name, name, length);
    *bucket = entry;
    watch->has_announced = true;
}

bool weir__scan_take_announced(weir_watch *watch, int wd, const char *name)
{
    struct weir__announced **place, *entry;

    if (!watch->has_announced)
        return false;
    place = bucket_of(watch, wd, name);
    while (*place != NULL &&
           ((*place)->wd != wd || strcmp((*place)->name, name) != 0))
        place = &(*place)->next;
    entry = *place;
    if (entry == NULL)
        return false;
    *place = entry->next;
    weir_memory_free(entry, entry->size);
    return true;
}

void weir__scan_forget(weir_watch *watch)
{
    for (int i = 0; i < WEIR__ANNOUNCED_BUCKETS && watch->has_announced; i++) {
        while (watch->announced[i] != NULL) {
            struct weir__announced *entry = watch->announced[i];

            watch->announced[i] = entry->next;
            weir_memory_free(entry, entry->size);
        }
    }
    watch->has_announced = false;
}

/* ---- directories ---- */

/* The path of an entry for system calls: watch->path. */
static int make_path(weir_watch *watch, const struct weir__node *node,
                     const char *name)
{
    size_t length = strlen(watch->root);

    memcpy(watch->path, watch->root, length + 1);
    if (node->parent == NULL && name[0] == '\0')
        return 0;
    if (length + 2 > sizeof(watch->path))
        return -ENAMETOOLONG;
    if (length > 0 && watch->root[length - 1] != '/')
        watch->path[length++] = '/';
    return weir__tree_path(node, name, watch->path + length,
                           sizeof(watch->path) - length);
}

/* Whether a file is not there any more, or is not a directory. */
static bool is_missing(int err)
{
    return err == -ENOENT || err == -ENOTDIR || err == -ELOOP;
}

int weir__scan_add(weir_watch *watch, struct weir__node *parent,
                   const char *name, bool is_silent)
{
    struct weir__node *node;
    int wd, result = make_path(watch, parent, name);

    if (result != 0)
        return result;
    wd = weir__inotify_add(watch->fd, watch->path,
                           watch->mask | IN_ONLYDIR | IN_DONT_FOLLOW);
    if (wd < 0)
        return is_missing(wd) ? 0 : wd;
    result = weir__tree_put(&watch->tree, wd, parent, name, &node);
    if (result < 0) {
        if (weir__tree_find(&watch->tree, wd) == NULL)
            weir__inotify_remove(watch->fd, wd);
        return result;
    }
    if (result > 0)
        weir__tree_want_scan(&watch->tree, node, is_silent);
    return 0;
}

/* ---- scanning ---- */

static void begin_scan(weir_watch *watch, struct weir__node *node)
{
    int err = make_path(watch, node, "");

    if (err == 0)
        err = weir__directory_open(&watch->directory, watch->path);
    if (err == 0)
        watch->scanned = node;
    else if (!is_missing(err))
        weir__watch_report_error(watch, err, node, "");
    else if (node != watch->tree.root)
        weir__watch_remove(watch, node);
    else if (watch->is_opening)
        watch->error = err;
    else
        weir__watch_end(watch);
}

void weir__scan_stop(weir_watch *watch)
{
    if (watch->directory != NULL)
        weir__directory_close(watch->directory);
    watch->directory = NULL;
}

static void scan_entry(weir_watch *watch, const char *name, bool is_directory)
{
    struct weir__node *node = watch->scanned;
    weir_watch_event event = {.kind = WEIR_WATCH_CREATED,
                              .is_directory = is_directory};
    int err = 0;

    if (is_directory)
        err = weir__scan_add(watch, node, name, node->is_silent);
    if (!node->is_silent) {
        announce(watch, node->wd, name);
        weir__watch_emit_entry(watch, 0, event, node, name);
    }
    if (err != 0)
        weir__watch_report_error(watch, err, node, name);
}

bool weir__scan_step(weir_watch *watch)
{
    struct weir__node *node;
    const char *name;
    bool is_directory;
    int result;

    if (watch->directory == NULL) {
        node = weir__tree_take_scan(&watch->tree);
        if (node != NULL)
            begin_scan(watch, node);
        return node != NULL;
    }
    result = weir__directory_next(watch->directory, &name, &is_directory);
    if (result > 0) {
        scan_entry(watch, name, is_directory);
        return true;
    }
    weir__scan_stop(watch);
    if (result < 0)
        weir__watch_report_error(watch, result, watch->scanned, "");
    return true;
}
