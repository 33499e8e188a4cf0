/* SPDX-License-Identifier: MIT */
/*
 * tree -- see tree.h.
 *
 * The kernel numbers watch descriptors upwards, so a new node is almost always
 * the last of the sorted array.  Finding a directory by its name or cookie looks
 * at all nodes; that is needed only when a directory is renamed or removed.
 */
#include "process/tree.h"

#include <errno.h>
#include <string.h>

#include "weir/host/memory.h"

static void free_node(struct weir__node *node)
{
    weir_memory_free(node, node->size);
}

void weir__tree_fini(struct weir__tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        free_node(tree->nodes[i]);
    weir_memory_free(tree->nodes, tree->capacity * sizeof(struct weir__node *));
}

/* The index of the first node whose descriptor is not less. */
static size_t find_index(const struct weir__tree *tree, int wd)
{
    size_t low = 0, high = tree->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (tree->nodes[middle]->wd < wd)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct weir__node *weir__tree_find(const struct weir__tree *tree, int wd)
{
    size_t index = find_index(tree, wd);

    return index < tree->count && tree->nodes[index]->wd == wd
               ? tree->nodes[index]
               : NULL;
}

struct weir__node *weir__tree_child(const struct weir__tree *tree,
                                    const struct weir__node *parent,
                                    const char *name)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct weir__node *node = tree->nodes[i];

        if (node->parent == parent && node->cookie == 0 &&
            strcmp(node->name, name) == 0)
            return node;
    }
    return NULL;
}

struct weir__node *weir__tree_moved(const struct weir__tree *tree,
                                    uint32_t cookie)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree->nodes[i]->cookie == cookie)
            return tree->nodes[i];
    return NULL;
}

/* ---- adding ---- */

static int make_room(struct weir__tree *tree)
{
    size_t capacity = tree->capacity == 0 ? 4 : tree->capacity * 2;
    struct weir__node **nodes;

    if (tree->count < tree->capacity)
        return 0;
    nodes = weir_memory_alloc(capacity * sizeof(*nodes));
    if (nodes == NULL)
        return -ENOMEM;
    if (tree->count > 0)
        memcpy(nodes, tree->nodes, tree->count * sizeof(*nodes));
    weir_memory_free(tree->nodes, tree->capacity * sizeof(*nodes));
    tree->nodes = nodes;
    tree->capacity = capacity;
    return 0;
}

static struct weir__node *make_node(int wd, struct weir__node *parent,
                                    const char *name)
{
    size_t length = strlen(name) + 1;
    size_t size = sizeof(struct weir__node) + length;
    struct weir__node *node = weir_memory_alloc(size);

    if (node == NULL)
        return NULL;
    *node = (struct weir__node){.wd = wd, .parent = parent, .size = size};
    memcpy(node->name, name, length);
    return node;
}

static void unlink_scan(struct weir__tree *tree, struct weir__node *node)
{
    struct weir__node *before = NULL, *at = tree->scan_first;

    if (!node->is_waiting)
        return;
    while (at != node) {
        before = at;
        at = at->scan_next;
    }
    if (before == NULL)
        tree->scan_first = node->scan_next;
    else
        before->scan_next = node->scan_next;
    if (tree->scan_last == node)
        tree->scan_last = before;
    node->is_waiting = false;
}

/* Whether a directory is another one or below it. */
static bool is_below(const struct weir__node *node,
                     const struct weir__node *other)
{
    while (node != NULL && node != other)
        node = node->parent;
    return node != NULL;
}

/* Give a known directory another place.  Its name may be longer, so that it
 * becomes another node. */
static int move_node(struct weir__tree *tree, size_t index,
                     struct weir__node *parent, const char *name,
                     struct weir__node **moved)
{
    struct weir__node *old = tree->nodes[index];
    struct weir__node *node;

    *moved = old;
    if (old == tree->root || is_below(parent, old))
        return 0; /* mounted inside itself */
    node = make_node(old->wd, parent, name);
    if (node == NULL)
        return -ENOMEM;
    if (old->is_waiting)
        weir__tree_want_scan(tree, node, old->is_silent);
    unlink_scan(tree, old);
    for (size_t i = 0; i < tree->count; i++)
        if (tree->nodes[i]->parent == old)
            tree->nodes[i]->parent = node;
    tree->nodes[index] = node;
    free_node(old);
    *moved = node;
    return 0;
}

int weir__tree_put(struct weir__tree *tree, int wd, struct weir__node *parent,
                   const char *name, struct weir__node **node)
{
    size_t index = find_index(tree, wd);

    if (index < tree->count && tree->nodes[index]->wd == wd)
        return move_node(tree, index, parent, name, node);
    if (make_room(tree) != 0)
        return -ENOMEM;
    *node = make_node(wd, parent, name);
    if (*node == NULL)
        return -ENOMEM;
    memmove(tree->nodes + index + 1, tree->nodes + index,
            (tree->count - index) * sizeof(*tree->nodes));
    tree->nodes[index] = *node;
    tree->count++;
    if (tree->root == NULL)
        tree->root = *node;
    return 1;
}

/* ---- removing ---- */

void weir__tree_remove(struct weir__tree *tree, struct weir__node *node,
                       void (*removed)(void *arg, int wd), void *arg)
{
    struct weir__node *gone = NULL;
    size_t kept = 0;

    for (size_t i = 0; i < tree->count; i++) {
        struct weir__node *at = tree->nodes[i];

        if (!is_below(at, node)) {
            tree->nodes[kept++] = at;
            continue;
        }
        unlink_scan(tree, at);
        at->scan_next = gone; /* freed when nobody looks for parents */
        gone = at;
    }
    tree->count = kept;
    if (node == tree->root)
        tree->root = NULL;
    while (gone != NULL) {
        struct weir__node *next = gone->scan_next;

        removed(arg, gone->wd);
        free_node(gone);
        gone = next;
    }
}

/* ---- paths and scans ---- */

int weir__tree_path(const struct weir__node *node, const char *name, char *to,
                    size_t size)
{
    size_t at = size - 1; /* written from its end */

    to[at] = '\0';
    for (;;) {
        size_t length = strlen(name);

        if (length > at)
            return -ENAMETOOLONG;
        at -= length;
        memcpy(to + at, name, length);
        if (node->parent == NULL)
            break;
        if (at == 0)
            return -ENAMETOOLONG;
        if (to[at] != '\0')
            to[--at] = '/';
        name = node->name;
        node = node->parent;
    }
    memmove(to, to + at, size - at);
    return 0;
}

void weir__tree_want_scan(struct weir__tree *tree, struct weir__node *node,
                          bool is_silent)
{
    node->is_silent = is_silent;
    if (node->is_waiting)
        return;
    node->is_waiting = true;
    node->scan_next = NULL;
    if (tree->scan_first == NULL)
        tree->scan_first = node;
    else
        tree->scan_last->scan_next = node;
    tree->scan_last = node;
}

struct weir__node *weir__tree_take_scan(struct weir__tree *tree)
{
    struct weir__node *node = tree->scan_first;

    if (node != NULL)
        unlink_scan(tree, node);
    return node;
}
