/* SPDX-License-Identifier: MIT */
/*
 * watch -- an inotify instance in a loop.
 *
 * Shape     The tree has a node for each watched directory; a watch that is not
 *           recursive has only the root.  A turn does a bounded number of
 *           steps.  A step handles one entry of a directory that is scanned, or
 *           one event.  Scans come first, so that a directory is reported
 *           before what happens in it.
 * Renames   A directory that was moved away may arrive elsewhere in the tree.
 *           It keeps its node until the queue was empty in two turns; then it
 *           has left the tree, and is no longer watched.
 * Raising   A callback may be left by weir_raise.  The task is posted before
 *           the first step of a turn, and does the rest.
 * Memory    `refs` counts what will still use the watch: its owner (until the
 *           closed callback), and the posted task.
 *
 * Everything here happens on the loop's thread.
 */
#include "process/watch.h"

#include <errno.h>
#include <string.h>

#include "os/socket.h"
#include "weir/fd.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

enum {
    TURN_STEPS = 256,
    ALL_KINDS = WEIR_WATCH_CREATED | WEIR_WATCH_MODIFIED | WEIR_WATCH_WRITTEN |
                WEIR_WATCH_ATTRIBUTES | WEIR_WATCH_REMOVED |
                WEIR_WATCH_MOVED_FROM | WEIR_WATCH_MOVED_TO |
                WEIR_WATCH_OVERFLOW | WEIR_WATCH_ENDED,
    ALWAYS = WEIR_WATCH_OVERFLOW | WEIR_WATCH_ENDED,
    STRUCTURE = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                IN_DELETE_SELF | IN_MOVE_SELF,
};

static void release(weir_watch *watch)
{
    if (--watch->refs == 0)
        weir_memory_free(watch, sizeof(*watch));
}

bool weir__watch_is_gone(const weir_watch *watch)
{
    return watch->is_closing || watch->is_ended;
}

/* Have the task run once more.  A loop that refuses it is being closed. */
static void post(weir_watch *watch)
{
    if (watch->is_posted || weir_loop_post(watch->loop, &watch->task) != 0)
        return;
    watch->is_posted = true;
    watch->refs++;
}

/* ---- reporting ---- */

static void emit(weir_watch *watch, int status, const weir_watch_event *event)
{
    unsigned kinds = watch->options.kinds;

    if (weir__watch_is_gone(watch) || watch->is_opening)
        return;
    if (status == 0 && kinds != 0 && !(event->kind & (kinds | ALWAYS)))
        return;
    watch->fn(watch->arg, watch, status, event);
}

void weir__watch_emit_entry(weir_watch *watch, int status,
                            weir_watch_event event,
                            const struct weir__node *node, const char *name)
{
    int err = weir__tree_path(node, name, watch->name, sizeof(watch->name));

    event.name = err == 0 ? watch->name : name;
    emit(watch, status != 0 ? status : err, &event);
}

void weir__watch_report_error(weir_watch *watch, int err,
                              const struct weir__node *node, const char *name)
{
    weir_watch_event event = {.kind = WEIR_WATCH_CREATED, .is_directory = true};

    if (watch->is_opening && watch->error == 0 && err != -EACCES)
        watch->error = err;
    weir__watch_emit_entry(watch, err, event, node, name);
}

/* ---- the tree ---- */

static void remove_wd(void *arg, int wd)
{
    weir_watch *watch = arg;

    weir__inotify_remove(watch->fd, wd);
}

void weir__watch_remove(weir_watch *watch, struct weir__node *node)
{
    weir__tree_remove(&watch->tree, node, remove_wd, watch);
}

void weir__watch_end(weir_watch *watch)
{
    weir_watch_event event = {.kind = WEIR_WATCH_ENDED, .name = ""};

    watch->is_over = true;
    weir__watch_remove(watch, watch->tree.root);
    emit(watch, 0, &event);
}

/* ---- events ---- */

static weir_watch_kind kind_of(uint32_t mask)
{
    static const struct {
        uint32_t mask;
        weir_watch_kind kind;
    } kinds[] = {
        {IN_CREATE, WEIR_WATCH_CREATED},
        {IN_MODIFY, WEIR_WATCH_MODIFIED},
        {IN_CLOSE_WRITE, WEIR_WATCH_WRITTEN},
        {IN_ATTRIB, WEIR_WATCH_ATTRIBUTES},
        {IN_DELETE, WEIR_WATCH_REMOVED},
        {IN_MOVED_FROM, WEIR_WATCH_MOVED_FROM},
        {IN_MOVED_TO, WEIR_WATCH_MOVED_TO},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (mask & kinds[i].mask)
            return kinds[i].kind;
    return 0;
}

/* Watch the path of the root.  Returns the watch descriptor. */
static int add_root(weir_watch *watch)
{
    bool is_directory =
        watch->options.is_recursive || watch->options.is_by_name;

    return weir__inotify_add(watch->fd, watch->root,
                             watch->mask | (is_directory ? IN_ONLYDIR : 0));
}

/* Whether the event that the root is gone may have been among those that were
 * lost: its path is missing, or names another file. */
static bool has_lost_root(weir_watch *watch)
{
    int wd = add_root(watch);

    if (wd >= 0 && wd != watch->tree.root->wd)
        weir__inotify_remove(watch->fd, wd);
    return wd >= 0 ? wd != watch->tree.root->wd
                   : wd == -ENOENT || wd == -ENOTDIR;
}

/* Events were lost.  Look for directories that are not known. */
static void handle_overflow(weir_watch *watch)
{
    weir_watch_event event = {.kind = WEIR_WATCH_OVERFLOW, .name = ""};

    if (watch->is_over)
        return;
    for (size_t i = 0; i < watch->tree.count; i++)
        if (watch->options.is_recursive)
            weir__tree_want_scan(&watch->tree, watch->tree.nodes[i], true);
    emit(watch, 0, &event);
    if (has_lost_root(watch))
        weir__watch_end(watch);
}

/* Follow what happens to a directory in the tree.  Returns 0 or an error. */
static int follow_directory(weir_watch *watch, struct weir__node *node,
                            const struct inotify_event *event)
{
    struct weir__node *moved;
    int result;

    if (event->mask & IN_CREATE)
        return weir__scan_add(watch, node, event->name, false);
    if (event->mask & IN_MOVED_FROM) {
        moved = weir__tree_child(&watch->tree, node, event->name);
        if (moved != NULL) {
            moved->cookie = event->cookie;
            moved->age = 0;
        }
        return 0;
    }
    if (!(event->mask & IN_MOVED_TO))
        return 0;
    moved = weir__tree_moved(&watch->tree, event->cookie);
    if (moved == NULL)
        return weir__scan_add(watch, node, event->name, false);
    result = weir__tree_put(&watch->tree, moved->wd, node, event->name, &moved);
    if (result < 0)
        weir__watch_remove(watch, moved);
    else
        moved->cookie = 0;
    return result < 0 ? result : 0;
}

/* An entry of a directory. */
static void handle_entry(weir_watch *watch, struct weir__node *node,
                         const struct inotify_event *event)
{
    bool is_directory = (event->mask & IN_ISDIR) != 0;
    weir_watch_event told = {.kind = kind_of(event->mask),
                             .is_directory = is_directory,
                             .cookie = event->cookie};
    int wd = node->wd, err = 0;

    if (watch->options.is_by_name) {
        if (strcmp(event->name, watch->base) == 0)
            weir__watch_emit_entry(watch, 0, told, node, "");
        return;
    }
    if (event->mask & (IN_CREATE | IN_DELETE | IN_MOVED_FROM) &&
        weir__scan_take_announced(watch, node->wd, event->name) &&
        event->mask & IN_CREATE)
        return;
    if (is_directory && watch->options.is_recursive)
        err = follow_directory(watch, node, event);
    node = weir__tree_find(&watch->tree, wd);
    if (node == NULL)
        return;
    weir__watch_emit_entry(watch, 0, told, node, event->name);
    if (err != 0 && !weir__watch_is_gone(watch))
        weir__watch_report_error(watch, err, node, event->name);
}

/* What is watched itself. */
static void handle_self(weir_watch *watch, const struct inotify_event *event)
{
    weir_watch_event told = {.kind = kind_of(event->mask),
                             .name = "",
                             .is_directory = (event->mask & IN_ISDIR) != 0};

    if (event->mask & (IN_IGNORED | IN_MOVE_SELF))
        weir__watch_end(watch);
    else if (told.kind != 0 && !watch->options.is_by_name)
        emit(watch, 0, &told);
}

static void handle_event(weir_watch *watch, const struct inotify_event *event)
{
    struct weir__node *node;

    if (event->mask & IN_Q_OVERFLOW) {
        handle_overflow(watch);
        return;
    }
    node = weir__tree_find(&watch->tree, event->wd);
    if (node == NULL)
        return; /* no longer watched */
    if (event->len > 0 && kind_of(event->mask) != 0)
        handle_entry(watch, node, event);
    else if (node == watch->tree.root)
        handle_self(watch, event);
    else if (event->mask & IN_IGNORED)
        weir__watch_remove(watch, node);
}

/* The kernel's queue is empty. */
static void handle_empty(weir_watch *watch)
{
    size_t i = 0;

    weir__scan_forget(watch);
    while (i < watch->tree.count) {
        struct weir__node *node = watch->tree.nodes[i];

        if (node->cookie == 0 || node->age++ == 0) {
            if (node->cookie != 0)
                post(watch); /* look once more */
            i++;
            continue;
        }
        weir__watch_remove(watch, node);
        i = 0;
    }
}

/* Read events.  Returns false if there are none. */
static bool fill(weir_watch *watch)
{
    int count =
        weir__inotify_read(watch->fd, watch->buffer, sizeof(watch->buffer));

    watch->at = 0;
    watch->count = count > 0 ? (size_t)count : 0;
    return count > 0;
}

static bool has_more(const weir_watch *watch)
{
    return watch->at < watch->count || watch->directory != NULL ||
           watch->tree.scan_first != NULL;
}

/* Do one step.  Returns false if there is nothing to do. */
static bool take_step(weir_watch *watch)
{
    const struct inotify_event *event;

    if (has_more(watch))
        post(watch); /* in case that a callback raises, and for the rest */
    if (weir__scan_step(watch))
        return true;
    if (watch->at == watch->count && !fill(watch)) {
        handle_empty(watch);
        return false;
    }
    event = (const struct inotify_event *)(watch->buffer + watch->at);
    watch->at += sizeof(*event) + event->len;
    if (has_more(watch))
        post(watch);
    handle_event(watch, event);
    return true;
}

static void take_turn(weir_watch *watch)
{
    unsigned steps = 0;

    while (steps++ < TURN_STEPS && !weir__watch_is_gone(watch) &&
           take_step(watch))
        ;
}

static void run_task(weir_task *task, int status)
{
    weir_watch *watch =
        (weir_watch *)((char *)task - offsetof(weir_watch, task));
    bool is_over = weir__watch_is_gone(watch);

    watch->is_posted = false;
    release(watch);
    if (!is_over && status == 0)
        take_turn(watch);
}

/* ---- the end ---- */

static void free_contents(weir_watch *watch)
{
    weir__scan_stop(watch);
    weir__scan_forget(watch);
    weir__tree_fini(&watch->tree);
    watch->tree = (struct weir__tree){0};
}

/* A callback that raises fails alone: the others follow. */
static void call_closed(void *arg, int status)
{
    weir_watch *watch = arg;

    watch->closed(watch->closed_arg, watch);
}

static void call_cancelled(void *arg, int status)
{
    weir_watch *watch = arg;

    watch->fn(watch->arg, watch, WEIR_ECANCELED, NULL);
}

static void call_on_end(void *arg, int status)
{
    weir_watch *watch = arg;

    watch->options.on_end(watch->options.arg, watch);
}

static void tell_closed(weir_watch *watch)
{
    weir__socket_close(watch->fd);
    free_contents(watch);
    if (watch->closed != NULL)
        (void)weir_loop_contain(call_closed, watch, 0);
    release(watch);
}

/* In the close phase: no callback of the descriptor will come. */
static void run_closed(void *arg, int status)
{
    weir_watch *watch = arg;

    (void)weir_loop_contain(call_cancelled, watch, 0);
    tell_closed(watch);
}

/* The loop has ended, and no longer watches the descriptor. */
static void end(weir_watch *watch)
{
    watch->is_ended = watch->is_ending = true;
    (void)weir_loop_contain(call_cancelled, watch, 0);
    if (!watch->is_closing && watch->options.on_end != NULL)
        (void)weir_loop_contain(call_on_end, watch, 0);
    watch->is_ending = false;
    if (watch->is_closing || watch->options.on_end == NULL)
        tell_closed(watch);
}

static void run_events(void *arg, int status, int fd, unsigned events)
{
    if (status != 0)
        end(arg);
    else
        take_turn(arg);
}

void weir_watch_close(weir_watch *watch, weir_watch_fn *closed, void *arg)
{
    watch->closed = closed;
    watch->closed_arg = arg;
    watch->is_closing = true;
    if (!watch->is_ended)
        (void)!weir_fd_remove(watch->loop, watch->fd, run_closed, watch);
    else if (!watch->is_ending) /* on_end did not close it */
        tell_closed(watch);
}

/* ---- making ---- */

static int read_options(weir_watch_options *options,
                        const weir_watch_options *given)
{
    int err = weir_sized_read(options, sizeof(*options), given);

    if (err != 0)
        return err;
    return (options->kinds & ~(unsigned)ALL_KINDS) != 0 ||
                   (options->is_recursive && options->is_by_name)
               ? -EINVAL
               : 0;
}

/* What the kernel is asked for.  The structure is always needed. */
static uint32_t mask_of(unsigned kinds)
{
    uint32_t mask = STRUCTURE;

    if (kinds == 0 || kinds & WEIR_WATCH_MODIFIED)
        mask |= IN_MODIFY;
    if (kinds == 0 || kinds & WEIR_WATCH_WRITTEN)
        mask |= IN_CLOSE_WRITE;
    if (kinds == 0 || kinds & WEIR_WATCH_ATTRIBUTES)
        mask |= IN_ATTRIB;
    return mask | IN_EXCL_UNLINK;
}

/* Split the path of a name into the directory and the name. */
static int split_root(weir_watch *watch)
{
    char *slash = strrchr(watch->root, '/');
    const char *base = slash != NULL ? slash + 1 : watch->root;

    if (base[0] == '\0' || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
        return -EINVAL;
    if (strlen(base) >= sizeof(watch->base))
        return -ENAMETOOLONG;
    strcpy(watch->base, base);
    if (slash == NULL)
        strcpy(watch->root, ".");
    else if (slash == watch->root)
        slash[1] = '\0';
    else
        slash[0] = '\0';
    return 0;
}

static int set_root(weir_watch *watch, const char *path)
{
    if (strlen(path) >= sizeof(watch->root))
        return -ENAMETOOLONG;
    strcpy(watch->root, path);
    return watch->options.is_by_name ? split_root(watch) : 0;
}

/* Watch the root, and what is below it. */
static int watch_root(weir_watch *watch)
{
    struct weir__node *node;
    int wd = add_root(watch);
    int result;

    if (wd < 0)
        return wd;
    result = weir__tree_put(&watch->tree, wd, NULL, "", &node);
    if (result < 0)
        return result;
    if (watch->options.is_recursive)
        weir__tree_want_scan(&watch->tree, node, true);
    while (watch->error == 0 && weir__scan_step(watch))
        ;
    return watch->error;
}

static int start(weir_watch *watch, const char *path)
{
    int err = set_root(watch, path);

    if (err == 0)
        err = watch_root(watch);
    if (err == 0)
        err = weir_fd_add(watch->loop, watch->fd, WEIR_FD_READABLE, run_events,
                          watch);
    if (err != 0)
        free_contents(watch);
    watch->is_opening = false;
    return err;
}

static int make_watch(weir_watch **made, weir_loop *loop,
                      const weir_watch_options *options)
{
    weir_watch *watch = weir_memory_alloc(sizeof(*watch));

    if (watch == NULL)
        return -ENOMEM;
    memset(watch, 0, sizeof(*watch));
    watch->loop = loop;
    watch->refs = 1;
    watch->options = *options;
    watch->task.run = run_task;
    watch->is_opening = true;
    watch->mask = mask_of(options->kinds);
    watch->fd = weir__inotify_open();
    if (watch->fd < 0) {
        int err = watch->fd;

        release(watch);
        return err;
    }
    *made = watch;
    return 0;
}

int weir_watch_open(weir_watch **watch, weir_loop *loop, const char *path,
                    const weir_watch_options *options, weir_watch_event_fn *fn,
                    void *arg)
{
    weir_watch_options read;
    weir_watch *made;
    int err;

    if (watch == NULL || loop == NULL || path == NULL || fn == NULL)
        return -EINVAL;
    err = read_options(&read, options);
    if (err == 0)
        err = make_watch(&made, loop, &read);
    if (err != 0)
        return err;
    made->fn = fn;
    made->arg = arg;
    err = start(made, path);
    if (err != 0) {
        weir__socket_close(made->fd);
        release(made);
        return err;
    }
    weir_watch_set_name(made, read.name != NULL ? read.name : "watch");
    weir_watch_set_ref(made, !read.is_unref);
    *watch = made;
    return 0;
}

void weir_watch_set_name(weir_watch *watch, const char *name)
{
    if (!weir__watch_is_gone(watch))
        (void)weir_fd_set_name(watch->loop, watch->fd, name);
}

void weir_watch_set_ref(weir_watch *watch, bool is_ref)
{
    if (!weir__watch_is_gone(watch))
        (void)!(is_ref ? weir_fd_ref(watch->loop, watch->fd)
                       : weir_fd_unref(watch->loop, watch->fd));
}
