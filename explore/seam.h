/* SPDX-License-Identifier: MIT */
/*
 * seam -- where the explorer replaces the machine.
 *
 * src/base/atomic.h, check.h and thread.h include this under -DWEIR_MODEL, and
 * nothing else in src/ knows of it: the files under test are compiled as they
 * are.  Each operation below stops the calling model thread; the scheduler
 * decides when it happens and, where memory is weak, what it reads.
 */
#ifndef WEIR_MODEL_SEAM_H
#define WEIR_MODEL_SEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_rmw {
    MODEL_SWAP,
    MODEL_ADD,
    MODEL_SUB,
    MODEL_OR,
    MODEL_AND,
    MODEL_XOR,
    MODEL_NAND
};

/* Where an operation stands in the source, for the trace. */
struct model_site {
    const char *expression;
    const char *file;
    int line;
};

uint64_t model_load(const void *word, size_t size, int order,
                    const struct model_site *site);
void model_store(void *word, size_t size, uint64_t value, int order,
                 const struct model_site *site);
uint64_t model_rmw(void *word, size_t size, enum model_rmw operation,
                   uint64_t operand, int order, const struct model_site *site);
bool model_cas(void *word, size_t size, uint64_t *seen, uint64_t value,
               bool weak, int success, int failure,
               const struct model_site *site);
void model_unshared(void *word, size_t size, uint64_t value,
                    const struct model_site *site);
void model_fence_light(const struct model_site *site);
void model_plain_read(const void *address, size_t size,
                      const struct model_site *site);
void model_plain_write(void *address, size_t size,
                       const struct model_site *site);

#define MODEL_SITE(text)                                                       \
    ({                                                                         \
        static const struct model_site site_ = {text, __FILE__, __LINE__};     \
        &site_;                                                                \
    })

/* A statement expression, as its value may go unused without a warning. */
#define MODEL_VALUE(p, bits)                                                   \
    ({                                                                         \
        uint64_t bits_ = bits;                                                 \
        (__typeof__((p)->v_))bits_;                                            \
    })

#define ATOMIC_LOAD(p, order)                                                  \
    MODEL_VALUE(p, model_load(&(p)->v_, sizeof((p)->v_), order, MODEL_SITE(#p)))
#define ATOMIC_STORE(p, v, order)                                              \
    model_store(&(p)->v_, sizeof((p)->v_), (uint64_t)(v), order, MODEL_SITE(#p))
#define MODEL_RMW(p, v, order, operation)                                      \
    MODEL_VALUE(p, model_rmw(&(p)->v_, sizeof((p)->v_), operation,             \
                             (uint64_t)(v), order, MODEL_SITE(#p)))
#define ATOMIC_SWAP(p, v, order) MODEL_RMW(p, v, order, MODEL_SWAP)
#define ATOMIC_ADD(p, v, order) MODEL_RMW(p, v, order, MODEL_ADD)
#define ATOMIC_SUB(p, v, order) MODEL_RMW(p, v, order, MODEL_SUB)
#define ATOMIC_OR(p, v, order) MODEL_RMW(p, v, order, MODEL_OR)
#define ATOMIC_CAS(p, seen, v, weak, success, failure)                         \
    ({                                                                         \
        uint64_t seen_ = (uint64_t) * (seen);                                  \
        bool done_ =                                                           \
            model_cas(&(p)->v_, sizeof((p)->v_), &seen_, (uint64_t)(v), weak,  \
                      success, failure, MODEL_SITE(#p));                       \
        *(seen) = MODEL_VALUE(p, seen_);                                       \
        done_;                                                                 \
    })
#define ATOMIC_UNSHARED(p, v)                                                  \
    model_unshared(&(p)->v_, sizeof((p)->v_), (uint64_t)(v), MODEL_SITE(#p))
#define ATOMIC_FENCE_LIGHT() model_fence_light(MODEL_SITE("light fence"))

#define plain_load(p) (model_plain_read(p, sizeof(*(p)), MODEL_SITE(#p)), *(p))
#define plain_store(p, v)                                                      \
    (model_plain_write(p, sizeof(*(p)), MODEL_SITE(#p)), (void)(*(p) = (v)))

/* check.h and thread.h */
_Noreturn void weir__check_failed(const char *file, int line, const char *text);
uint32_t weir__thread_index(void);
struct weir_loop *weir__thread_loop(void);
struct weir__worker *weir__thread_worker(void);
struct weir__duty;
const struct weir__duty *weir__thread_duty(void);
void weir__thread_set_duty(const struct weir__duty *duty);
uintptr_t weir__thread_self(void);

#endif /* WEIR_MODEL_SEAM_H */
