/* SPDX-License-Identifier: MIT */
/*
 * tree -- the watched directories of a watch, by their watch descriptors.
 *
 * A node is a directory with its parent and its name there, so that a rename
 * changes one node, however many are below it.  The root has neither.
 */
#ifndef WEIR_NET_PROCESS_TREE_H
#define WEIR_NET_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir__node {
    int wd;
    struct weir__node *parent;
    struct weir__node *scan_next;
    bool is_waiting; /* in the list of those to be scanned */
    bool is_silent;  /* what the scan finds is not reported */
    uint32_t cookie; /* moved away, and not arrived yet; 0: not so */
    unsigned age;    /* how often the queue was empty since */
    size_t size;     /* of the allocation */
    char name[];
};

struct weir__tree {
    struct weir__node **nodes; /* sorted by wd */
    size_t count, capacity;
    struct weir__node *root;
    struct weir__node *scan_first, *scan_last;
};

/* Free all nodes. */
void weir__tree_fini(struct weir__tree *tree);

/* Find the node of a watch descriptor, or NULL. */
struct weir__node *weir__tree_find(const struct weir__tree *tree, int wd);

/* Find a directory in another one, or NULL. */
struct weir__node *weir__tree_child(const struct weir__tree *tree,
                                    const struct weir__node *parent,
                                    const char *name);

/* Find the directory that was moved away with this cookie, or NULL. */
struct weir__node *weir__tree_moved(const struct weir__tree *tree,
                                    uint32_t cookie);

/* Add the directory of a watch descriptor.  The first one is the root.  A known
 * descriptor is a directory that was moved here.  Returns 1 (it is new), 0 (it
 * is known), or -ENOMEM, without effect. */
int weir__tree_put(struct weir__tree *tree, int wd, struct weir__node *parent,
                   const char *name, struct weir__node **node);

/* Remove a directory with all those below it.  `removed` is called for the
 * watch descriptor of each. */
void weir__tree_remove(struct weir__tree *tree, struct weir__node *node,
                       void (*removed)(void *arg, int wd), void *arg);

/* Write the path of an entry of a directory, relative to the root.  An empty
 * name is the directory itself.  Returns 0 or -ENAMETOOLONG. */
int weir__tree_path(const struct weir__node *node, const char *name, char *to,
                    size_t size);

/* The list of directories that are to be scanned. */
void weir__tree_want_scan(struct weir__tree *tree, struct weir__node *node,
                          bool is_silent);
struct weir__node *weir__tree_take_scan(struct weir__tree *tree);

#endif /* WEIR_NET_PROCESS_TREE_H */
