/* SPDX-License-Identifier: MIT */
/*
 * atomic -- every atomic operation weir uses, named by its memory order.
 *
 * The list below is the whole concurrency vocabulary of the library; adding to
 * it is a design decision.  No other file includes <stdatomic.h> or calls a
 * compiler builtin for atomics.
 *
 * An atomic word is a struct around its value: `atomic(uint64_t) word`.  C's
 * _Atomic would silently turn a plain read into a seq_cst load; with the struct
 * a plain read does not compile.  Public headers can hold such a word and still
 * be valid C++.  The compiler's __atomic builtins work on plain objects,
 * whereas <stdatomic.h> would need a cast that the language does not define.
 *
 * A failed CAS is relaxed, because its value is only a guess for the next
 * attempt.  The exception is cas_acquire, whose failure is itself an answer: it
 * acquires even if it fails.  There are no free-standing fences, because
 * ThreadSanitizer does not model them and code that depends on one cannot be
 * checked.  The exception is fence_light, the cheap half of an asymmetric fence
 * whose other half is weir__membarrier() (membarrier.h).  Where it is used,
 * data is still handed over by release and acquire; the fence only decides
 * which side sees the other's announcement.
 *
 * plain_load and plain_store access memory that threads hand over to each
 * other.  They are plain accesses in a normal build; the explorer checks them
 * for races.
 *
 * -DWEIR_MODEL replaces all of these with scheduling points of the explorer
 * (explore/).
 */
#ifndef WEIR_SRC_ATOMIC_H
#define WEIR_SRC_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define atomic(type)                                                           \
    struct {                                                                   \
        type v_;                                                               \
    }

#define CACHE_LINE 64
/* Two lines: the adjacent-line prefetcher of x86 fetches them in pairs. */
#define CACHE_APART 128

#ifdef WEIR_MODEL
#include "seam.h"
#else
#define ATOMIC_LOAD(p, order) __atomic_load_n(&(p)->v_, order)
#define ATOMIC_STORE(p, v, order) __atomic_store_n(&(p)->v_, v, order)
#define ATOMIC_SWAP(p, v, order) __atomic_exchange_n(&(p)->v_, v, order)
#define ATOMIC_ADD(p, v, order) __atomic_fetch_add(&(p)->v_, v, order)
#define ATOMIC_SUB(p, v, order) __atomic_fetch_sub(&(p)->v_, v, order)
#define ATOMIC_OR(p, v, order) __atomic_fetch_or(&(p)->v_, v, order)
#define ATOMIC_CAS(p, seen, v, weak, success, failure)                         \
    __atomic_compare_exchange_n(&(p)->v_, seen, v, weak, success, failure)
#define ATOMIC_UNSHARED(p, v) ((void)((p)->v_ = (v)))
#define ATOMIC_FENCE_LIGHT() atomic_signal_fence(memory_order_seq_cst)
#define plain_load(p) (*(p))
#define plain_store(p, v) ((void)(*(p) = (v)))
#endif

/* Initialise or reset a word that no other thread can reach. */
#define set_unshared(p, v) ATOMIC_UNSHARED(p, v)

#define load_relaxed(p) ATOMIC_LOAD(p, __ATOMIC_RELAXED)
#define load_acquire(p) ATOMIC_LOAD(p, __ATOMIC_ACQUIRE)
#define store_relaxed(p, v) ATOMIC_STORE(p, v, __ATOMIC_RELAXED)
#define store_release(p, v) ATOMIC_STORE(p, v, __ATOMIC_RELEASE)
#define load_seq_cst(p) ATOMIC_LOAD(p, __ATOMIC_SEQ_CST)
#define store_seq_cst(p, v) ATOMIC_STORE(p, v, __ATOMIC_SEQ_CST)

#define swap_relaxed(p, v) ATOMIC_SWAP(p, v, __ATOMIC_RELAXED)
#define swap_acquire(p, v) ATOMIC_SWAP(p, v, __ATOMIC_ACQUIRE)
#define swap_release(p, v) ATOMIC_SWAP(p, v, __ATOMIC_RELEASE)
#define swap_acq_rel(p, v) ATOMIC_SWAP(p, v, __ATOMIC_ACQ_REL)

#define fetch_add_relaxed(p, v) ATOMIC_ADD(p, v, __ATOMIC_RELAXED)
#define fetch_add_acquire(p, v) ATOMIC_ADD(p, v, __ATOMIC_ACQUIRE)
#define fetch_add_release(p, v) ATOMIC_ADD(p, v, __ATOMIC_RELEASE)
#define fetch_add_acq_rel(p, v) ATOMIC_ADD(p, v, __ATOMIC_ACQ_REL)
#define fetch_sub_relaxed(p, v) ATOMIC_SUB(p, v, __ATOMIC_RELAXED)
#define fetch_sub_acquire(p, v) ATOMIC_SUB(p, v, __ATOMIC_ACQUIRE)
#define fetch_sub_release(p, v) ATOMIC_SUB(p, v, __ATOMIC_RELEASE)
#define fetch_sub_acq_rel(p, v) ATOMIC_SUB(p, v, __ATOMIC_ACQ_REL)
#define fetch_or_relaxed(p, v) ATOMIC_OR(p, v, __ATOMIC_RELAXED)
#define fetch_or_acquire(p, v) ATOMIC_OR(p, v, __ATOMIC_ACQUIRE)
#define fetch_or_release(p, v) ATOMIC_OR(p, v, __ATOMIC_RELEASE)

#define cas_relaxed(p, seen, v)                                                \
    ATOMIC_CAS(p, seen, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define cas_acquire(p, seen, v)                                                \
    ATOMIC_CAS(p, seen, v, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)
#define cas_release(p, seen, v)                                                \
    ATOMIC_CAS(p, seen, v, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define cas_acq_rel(p, seen, v)                                                \
    ATOMIC_CAS(p, seen, v, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)

#define cas_seq_cst(p, seen, v)                                                \
    ATOMIC_CAS(p, seen, v, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)

#define cas_weak_relaxed(p, seen, v)                                           \
    ATOMIC_CAS(p, seen, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define cas_weak_acquire(p, seen, v)                                           \
    ATOMIC_CAS(p, seen, v, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#define cas_weak_release(p, seen, v)                                           \
    ATOMIC_CAS(p, seen, v, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define cas_weak_acq_rel(p, seen, v)                                           \
    ATOMIC_CAS(p, seen, v, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)

#define fence_light() ATOMIC_FENCE_LIGHT()

/* Spin-wait hint, for use between two reads of a word that another core is
 * about to change. */
#if defined(__x86_64__)
#define cpu_relax() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define cpu_relax() __asm__ volatile("yield")
#else
#define cpu_relax() ((void)0)
#endif

#endif /* WEIR_SRC_ATOMIC_H */
