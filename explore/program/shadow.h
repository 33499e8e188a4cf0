/* SPDX-License-Identifier: MIT */
/*
 * shadow -- data races: which accesses each byte has seen.
 *
 * Shape     A cell for each eight bytes that were accessed, with a record for
 *           each kind of access that a later one could race with: its thread,
 *           when it was in the time of that thread, and which of the bytes.
 *           Two accesses race if they overlap, one writes, one is plain, and
 *           the earlier one does not happen before the later one (FastTrack,
 *           Flanagan and Freund 2009, on bytes).
 *
 * Time      A thread's time is the number of operations that it has made
 *           (view.clock).  An access between two of them belongs to the next:
 *           what the thread has released by then does not include it.
 *
 * State     The rest of a run depends on the order of the times, not on the
 *           times themselves.  A fingerprint therefore has the rank of each
 *           time among those that records still hold, so that a thread that
 *           spins reaches a known state.
 */
#ifndef WEIR_EXPLORE_SHADOW_H
#define WEIR_EXPLORE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the running thread.  Fail the run if there is a race, or if the bytes are
 * in the heap and must not be touched. */
void shadow_plain(const void *address, size_t size, bool is_write,
                  uintptr_t pc);
void shadow_atomic(const void *address, size_t size, bool is_write,
                   uintptr_t pc);

void shadow_free(const void *address, size_t size, uintptr_t pc);

/* The memory has gone back to libc: what comes there later is another object. */
void shadow_forget(const void *address, size_t size);

void shadow_reset(void);

/* Fingerprints; shadow_hash() first. */
uint64_t shadow_hash(uint64_t seed);
uint64_t shadow_hash_clock(const uint16_t *clock, uint64_t seed);

#endif /* WEIR_EXPLORE_SHADOW_H */
