/* SPDX-License-Identifier: MIT */
/*
 * settle -- how a failed attempt ends.
 */
#ifndef WEIR_JOBS_SQLITE_SETTLE_H
#define WEIR_JOBS_SQLITE_SETTLE_H

#include "sqlite/store.h"

struct weir__failed {
    int64_t id, token;
    const char *queue, *key, *reason;
    uint32_t attempt, attempts;
    int64_t backoff_ms, backoff_max_ms, delay_ms;
    bool is_final;
};

/* Let a job be tried again, or end it as dead.  Returns false if the token is
 * stale. */
bool weir__settle_failed(struct weir__engine *engine,
                         const struct weir__failed *failed);

#endif /* WEIR_JOBS_SQLITE_SETTLE_H */
