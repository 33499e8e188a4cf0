/* SPDX-License-Identifier: MIT */
/*
 * capture -- ask a thread for its stacks, which only it can take.
 *
 *     the watcher                            the thread that was asked
 *     weir__capture_ask(capture, pulse)
 *     send it a signal                       in its signal handler:
 *     weir__capture_wait(capture, limit)     if (weir__capture_begin(capture, pulse))
 *     read the result                            fill it in, weir__capture_end
 *
 * There is one question at a time.  A thread that answers too late finds that
 * the question was withdrawn.
 */
#ifndef WEIR_SRC_CAPTURE_H
#define WEIR_SRC_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

#ifdef WEIR_SMALL
enum { WEIR__FRAMES = 2, WEIR__SCRIPT_BYTES = 8 };
#else
enum { WEIR__FRAMES = 64, WEIR__SCRIPT_BYTES = 4096 };
#endif

struct weir__capture {
    atomic(uint32_t) word;       /* question << 2 | state: P1, P2 */
    atomic(const void *) target; /* the thread that is asked: P1 */
    /* The answer: the answering thread's, until P2. */
    int frames;
    void *frame[WEIR__FRAMES];
    bool is_exact;      /* the innermost line of the script is right */
    bool is_collecting; /* the script's memory is being collected */
    char script[WEIR__SCRIPT_BYTES];
};

void weir__capture_init(struct weir__capture *capture);

/* Ask the owner of `target`.  Thread: the watcher. */
void weir__capture_ask(struct weir__capture *capture, const void *target);

/* Wait for the answer, at most until the real clock reaches deadline_ns, and
 * withdraw the question otherwise.  Returns whether there is an answer, which is
 * valid until the next question.  Thread: the watcher. */
bool weir__capture_wait(struct weir__capture *capture, int64_t deadline_ns);

/* Whether a question may be waiting for this target.  Thread: any. */
bool weir__capture_is_asked(const struct weir__capture *capture);

/* Take the question, if it is for this target.  If true is returned, fill in the
 * answer and call weir__capture_end.  Both may be called in a signal handler. */
bool weir__capture_begin(struct weir__capture *capture, const void *target);
void weir__capture_end(struct weir__capture *capture);

#endif /* WEIR_SRC_CAPTURE_H */
