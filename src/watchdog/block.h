/* SPDX-License-Identifier: MIT */
/*
 * block -- what is known about one block, and how it is reported.
 */
#ifndef WEIR_SRC_BLOCK_H
#define WEIR_SRC_BLOCK_H

#include "watchdog/capture.h"
#include "watchdog/pulse.h"
#include "weir/live.h"

enum { WEIR__STATE_BYTES = 64, WEIR__NATIVE_BYTES = 8192 };

struct weir__block {
    struct weir__block *next; /* to be reported */
    weir_block told;          /* its texts are set when it is reported */
    uint64_t beat;
    int64_t began_ns; /* on the real clock, as far as it is known */
    char loop[64];
    char name[128];
    char subject[WEIR__SUBJECT_BYTES + 1];
    char state[WEIR__STATE_BYTES];
    char script[WEIR__SCRIPT_BYTES];
    int frames;
    void *frame[WEIR__FRAMES];
};

struct weir__block *weir__block_new(void); /* NULL: no memory */
struct weir__block *weir__block_copy(const struct weir__block *block);
void weir__block_free(struct weir__block *block); /* may be NULL */

/* Name the frames in C, and call fn. */
void weir__block_tell(struct weir__block *block, weir_block_fn *fn, void *arg);

#endif /* WEIR_SRC_BLOCK_H */
