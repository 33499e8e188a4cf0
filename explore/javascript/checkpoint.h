/* SPDX-License-Identifier: MIT */
/*
 * checkpoint -- executions that begin where others have been.
 *
 * Starting a program and its workers takes several milliseconds, and most
 * executions begin alike.  So an execution leaves copies of itself behind, at
 * some of its nodes: processes that wait until an execution with the same
 * beginning is wanted.  Then such a copy forks, or goes on itself if it will not be
 * needed again.
 *
 *     the search                      a checkpoint              an execution
 *     checkpoint_run: finds the
 *     deepest one with the same
 *     picks, and wakes it       --->  forks               --->  goes on
 *     waits for the end         <-----------------------------  ends
 *
 * An execution of a group does not end then: its process goes back to the
 * checkpoint (rewind.h) and waits there for the next one, which then needs no
 * fork.
 *
 * All of them are children of the process that searches (CLONE_PARENT), which
 * waits for them, and with which they die.
 *
 * Not after some operations: what a fork does not copy would be shared by
 * several executions, such as the position in an open file.  And what an
 * execution has written to a file would be written once for several executions.
 * So there are no checkpoints while descriptors are open that were not at the
 * beginning, nor after a file was changed.
 */
#ifndef WEIR_EXPLORE_CHECKPOINT_H
#define WEIR_EXPLORE_CHECKPOINT_H

#include "exchange.h"

/* --- the search --- */

/* `begin` runs the program from its beginning, in a new process. */
void checkpoint_begin(struct exchange *exchange, void (*begin)(int output));

/* Which checkpoints executions leave behind. */
enum checkpoints {
    NO_CHECKPOINTS, /* and none is used */
    COMMON_NODES,   /* nodes that several executions came to; and the
                     * makes_at-th, from which a group of them will go on */
    GROUP_NODE,     /* none: goes on from there, with other picks */
    OPEN_NODES /* those with alternatives that an exhaustive search will try */
};

enum { CHECKPOINT_HANG_SECONDS = 20 }; /* of processor time */

/* Runs an execution as the exchange says; one that hangs is ended by SIGALRM.
 * `is_last`: the search will not come back to the last prescribed node
 * (OPEN_NODES), or to that of the group (GROUP_NODE).  Returns the status of the
 * process, as from waitpid(). */
int checkpoint_run(enum checkpoints checkpoints, bool is_last, int output);

/* Whether there is a checkpoint at which a group goes on (COMMON_NODES). */
bool checkpoint_has_group(void);

/* Ends all checkpoints. */
void checkpoint_end(void);

/* --- an execution --- */

/* It begins; it does what later executions must do again. */
void checkpoint_set_begun(void);
void checkpoint_forbid(void);

/* Whether there should be a checkpoint at this node. */
bool checkpoint_is_wanted(void);

/* The execution has ended.  If possible, the process goes back to the checkpoint
 * it comes from, until another execution is wanted there; else this returns. */
void checkpoint_go_back(void);

/* Leaves one behind.  True: the caller is it, in an execution that goes on from
 * here, and its results so far are in the exchange. */
bool checkpoint_make(const struct node *node);

#endif /* WEIR_EXPLORE_CHECKPOINT_H */
