/* SPDX-License-Identifier: MIT */
/*
 * backoff -- how long a job waits for its next attempt.
 */
#ifndef WEIR_JOBS_TIME_BACKOFF_H
#define WEIR_JOBS_TIME_BACKOFF_H

#include <stdint.h>

/* The wait after attempt number `attempt` (1, 2, ...) has failed: first_ms,
 * doubled for each attempt before this one, at most most_ms, minus up to a half
 * of it by `random`.  So jobs that have failed together are not tried together
 * again. */
int64_t weir__backoff_ms(int64_t first_ms, int64_t most_ms, uint32_t attempt,
                         uint64_t random);

#endif /* WEIR_JOBS_TIME_BACKOFF_H */
