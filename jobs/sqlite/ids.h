/* SPDX-License-Identifier: MIT */
/*
 * ids -- a list of jobs that grows.  One of zeros is empty.
 */
#ifndef WEIR_JOBS_SQLITE_IDS_H
#define WEIR_JOBS_SQLITE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir__ids {
    int64_t *ids;
    size_t count, room;
};

/* Returns false if there is no memory; the list is as before. */
bool weir__ids_push(struct weir__ids *ids, int64_t id);

void weir__ids_drop(struct weir__ids *ids);

#endif /* WEIR_JOBS_SQLITE_IDS_H */
