/* SPDX-License-Identifier: MIT */
/*
 * slow -- with --trace-slow=MS, the recorder is saved when a callback or a request
 * has taken so long.
 */
#ifndef WEIR_CLI_SLOW_H
#define WEIR_CLI_SLOW_H

#include <stdbool.h>
#include <stdint.h>

/* Watch for what takes as long, from now on, and call save for it.  The text says
 * what it was.  Returns false if there is no thread or no memory. */
bool slow_start(int64_t limit_ns, void (*save)(const char *why));

/* Look once more, and end.  Has no effect if nobody watches. */
void slow_end(void);

#endif /* WEIR_CLI_SLOW_H */
