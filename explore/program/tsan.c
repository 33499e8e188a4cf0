/* SPDX-License-Identifier: MIT */
/*
 * tsan -- the functions that gcc and clang call with -fsanitize=thread, instead
 * of ThreadSanitizer's.
 *
 * Each atomic operation is an operation of the explorer.  Plain accesses are
 * checked for races, and for use of freed memory, when they are made.
 *
 * clang calls one function for weak and strong compare-and-swap, so a weak one
 * that it compiled never fails spuriously here; one that gcc compiled does.
 */
#include <string.h>

#include "program.h"
#include "shadow.h"
#include "site.h"
#include "weak.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* Orders come as C11's numbers, with bits above for lock elision. */
static int order_of(int order)
{
    order &= 0x7f;
    return order == __ATOMIC_CONSUME ? __ATOMIC_ACQUIRE : order;
}

/* --- atomic operations ------------------------------------------------------ */

static const struct op *ask(struct op *op, uintptr_t pc)
{
    const struct op *result;
    bool writes = op->kind != OP_LOAD;

    op->site = site_get(site_of(pc));
    if ((uintptr_t)op->word < 0x10000)
        (void)*(const volatile char *)op->word; /* a crash of this thread */
    result = program_ask(op);
    if (op->kind == OP_CAS && !result->is_done)
        writes = false;
    shadow_atomic(op->word, op->size, writes, pc);
    program_wipe_stack();
    return result;
}

static u64 ask_load(const volatile void *word, size_t size, int order,
                    uintptr_t pc)
{
    struct op op = {.kind = OP_LOAD,
                    .word = (const void *)word,
                    .size = size,
                    .order = order_of(order)};

    return ask(&op, pc)->read;
}

static void ask_store(volatile void *word, size_t size, u64 value, int order,
                      uintptr_t pc)
{
    struct op op = {.kind = OP_STORE,
                    .word = (const void *)word,
                    .size = size,
                    .operand = value,
                    .order = order_of(order)};

    ask(&op, pc);
}

static u64 ask_rmw(volatile void *word, size_t size, enum model_rmw rmw,
                   u64 value, int order, uintptr_t pc)
{
    struct op op = {.kind = OP_RMW,
                    .rmw = rmw,
                    .word = (const void *)word,
                    .size = size,
                    .operand = value,
                    .order = order_of(order)};

    return ask(&op, pc)->read;
}

static bool ask_cas(volatile void *word, size_t size, u64 *seen, u64 value,
                    bool is_weak, int order, int failure, uintptr_t pc)
{
    struct op op = {.kind = OP_CAS,
                    .word = (const void *)word,
                    .size = size,
                    .operand = value,
                    .expected = *seen,
                    .is_weak = is_weak,
                    .order = order_of(order),
                    .failure = order_of(failure)};
    const struct op *result = ask(&op, pc);

    *seen = result->read;
    return result->is_done;
}

/* A u##bits fits into the 64 bits of an operation without its sign. */
#define RMW(bits, name, rmw, builtin)                                          \
    INTERPOSED u##bits __tsan_atomic##bits##_##name(volatile u##bits *word,    \
                                                    u##bits value, int order)  \
    {                                                                          \
        if (!is_exploring())                                                   \
            return builtin(word, value, __ATOMIC_SEQ_CST);                     \
        return (u##bits)ask_rmw(word, sizeof(*word), rmw, value, order,        \
                                CALLER);                                       \
    }

#define CAS(bits, name, is_weak)                                               \
    INTERPOSED int __tsan_atomic##bits##_##name(volatile u##bits *word,        \
                                                u##bits *seen, u##bits value,  \
                                                int order, int failure)        \
    {                                                                          \
        u64 read = *seen;                                                      \
        bool is_done;                                                          \
                                                                               \
        if (!is_exploring())                                                   \
            return __atomic_compare_exchange_n(                                \
                word, seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        is_done = ask_cas(word, sizeof(*word), &read, value, is_weak, order,   \
                          failure, CALLER);                                    \
        *seen = (u##bits)read;                                                 \
        return is_done;                                                        \
    }

#define ATOMICS(bits)                                                          \
    INTERPOSED u##bits __tsan_atomic##bits##_load(                             \
        const volatile u##bits *word, int order)                               \
    {                                                                          \
        if (!is_exploring())                                                   \
            return __atomic_load_n(word, __ATOMIC_SEQ_CST);                    \
        return (u##bits)ask_load(word, sizeof(*word), order, CALLER);          \
    }                                                                          \
    INTERPOSED void __tsan_atomic##bits##_store(volatile u##bits *word,        \
                                                u##bits value, int order)      \
    {                                                                          \
        if (!is_exploring())                                                   \
            __atomic_store_n(word, value, __ATOMIC_SEQ_CST);                   \
        else                                                                   \
            ask_store(word, sizeof(*word), value, order, CALLER);              \
    }                                                                          \
    RMW(bits, exchange, MODEL_SWAP, __atomic_exchange_n)                       \
    RMW(bits, fetch_add, MODEL_ADD, __atomic_fetch_add)                        \
    RMW(bits, fetch_sub, MODEL_SUB, __atomic_fetch_sub)                        \
    RMW(bits, fetch_and, MODEL_AND, __atomic_fetch_and)                        \
    RMW(bits, fetch_or, MODEL_OR, __atomic_fetch_or)                           \
    RMW(bits, fetch_xor, MODEL_XOR, __atomic_fetch_xor)                        \
    RMW(bits, fetch_nand, MODEL_NAND, __atomic_fetch_nand)                     \
    CAS(bits, compare_exchange_strong, false)                                  \
    CAS(bits, compare_exchange_weak, true)                                     \
    INTERPOSED u##bits __tsan_atomic##bits##_compare_exchange_val(             \
        volatile u##bits *word, u##bits expected, u##bits value, int order,    \
        int failure)                                                           \
    {                                                                          \
        u64 read = expected;                                                   \
                                                                               \
        if (!is_exploring()) {                                                 \
            __atomic_compare_exchange_n(word, &expected, value, false,         \
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
            return expected;                                                   \
        }                                                                      \
        ask_cas(word, sizeof(*word), &read, value, false, order, failure,      \
                CALLER);                                                       \
        return (u##bits)read;                                                  \
    }

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

INTERPOSED void __tsan_atomic_thread_fence(int order)
{
    struct op op = {.kind = OP_FENCE, .order = order_of(order)};

    if (!is_exploring())
        return;
    op.site = site_get(site_of(CALLER));
    program_ask(&op);
}

INTERPOSED void __tsan_atomic_signal_fence(int order)
{
    (void)order; /* for a handler on the same thread */
}

/* 16 bytes at once are more than a message of the explorer holds. */
#define REFUSED(name)                                                          \
    INTERPOSED void __tsan_atomic128_##name(void)                              \
    {                                                                          \
        program_refuse("an atomic operation on 16 bytes", CALLER);             \
    }
REFUSED(load)
REFUSED(store)
REFUSED(exchange)
REFUSED(fetch_add)
REFUSED(fetch_sub)
REFUSED(fetch_and)
REFUSED(fetch_or)
REFUSED(fetch_xor)
REFUSED(fetch_nand)
REFUSED(compare_exchange_strong)
REFUSED(compare_exchange_weak)
REFUSED(compare_exchange_val)

/* --- plain accesses ----------------------------------------------------------
 */

/* A plain write of a word that atomic operations use, too: a new beginning of
 * it.  Its value arrives when the thread has made the access. */
static void note_plain_write(const void *address, size_t size)
{
    struct weak *weak = &execution->weak;
    uintptr_t start = (uintptr_t)address;

    for (unsigned i = 0; i < weak->locations; i++) {
        uintptr_t word = (uintptr_t)weak->location[i].word;

        if (word >= start + size || word + weak->location[i].size <= start)
            continue;
        weak_overwrite(weak, i, &execution->self->view);
    }
}

static void plain(const void *address, size_t size, bool is_write, uintptr_t pc)
{
    if (!is_exploring())
        return;
    if ((uintptr_t)address < 0x10000)
        (void)*(const volatile char *)address; /* a crash of this thread */
    shadow_plain(address, size, is_write, pc);
    if (is_write)
        note_plain_write(address, size);
    program_wipe_stack();
}

#define PLAIN(size)                                                            \
    INTERPOSED void __tsan_read##size(void *p)                                 \
    {                                                                          \
        plain(p, size, false, CALLER);                                         \
    }                                                                          \
    INTERPOSED void __tsan_write##size(void *p)                                \
    {                                                                          \
        plain(p, size, true, CALLER);                                          \
    }                                                                          \
    INTERPOSED void __tsan_read##size##_pc(void *p, void *pc)                  \
    {                                                                          \
        plain(p, size, false, (uintptr_t)pc);                                  \
    }                                                                          \
    INTERPOSED void __tsan_write##size##_pc(void *p, void *pc)                 \
    {                                                                          \
        plain(p, size, true, (uintptr_t)pc);                                   \
    }                                                                          \
    INTERPOSED void __tsan_unaligned_read##size(void *p)                       \
    {                                                                          \
        plain(p, size, false, CALLER);                                         \
    }                                                                          \
    INTERPOSED void __tsan_unaligned_write##size(void *p)                      \
    {                                                                          \
        plain(p, size, true, CALLER);                                          \
    }                                                                          \
    INTERPOSED void __tsan_volatile_read##size(void *p)                        \
    {                                                                          \
        plain(p, size, false, CALLER);                                         \
    }                                                                          \
    INTERPOSED void __tsan_volatile_write##size(void *p)                       \
    {                                                                          \
        plain(p, size, true, CALLER);                                          \
    }                                                                          \
    INTERPOSED void __tsan_unaligned_volatile_read##size(void *p)              \
    {                                                                          \
        plain(p, size, false, CALLER);                                         \
    }                                                                          \
    INTERPOSED void __tsan_unaligned_volatile_write##size(void *p)             \
    {                                                                          \
        plain(p, size, true, CALLER);                                          \
    }                                                                          \
    INTERPOSED void __tsan_read_write##size(void *p)                           \
    {                                                                          \
        plain(p, size, true, CALLER);                                          \
    }                                                                          \
    INTERPOSED void __tsan_unaligned_read_write##size(void *p)                 \
    {                                                                          \
        plain(p, size, true, CALLER);                                          \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

INTERPOSED void __tsan_read_range(void *p, size_t size)
{
    plain(p, size, false, CALLER);
}

INTERPOSED void __tsan_write_range(void *p, size_t size)
{
    plain(p, size, true, CALLER);
}

INTERPOSED void __tsan_read_range_pc(void *p, size_t size, void *pc)
{
    plain(p, size, false, (uintptr_t)pc);
}

INTERPOSED void __tsan_write_range_pc(void *p, size_t size, void *pc)
{
    plain(p, size, true, (uintptr_t)pc);
}

INTERPOSED void __tsan_vptr_read(void **p)
{
    plain(p, sizeof(*p), false, CALLER);
}

/* A destructor that stores what is there already is no write. */
INTERPOSED void __tsan_vptr_update(void **p, void *value)
{
    if (*p != value)
        plain(p, sizeof(*p), true, CALLER);
}

INTERPOSED void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    plain(from, size, false, CALLER);
    plain(to, size, true, CALLER);
    return memcpy(to, from, size);
}

INTERPOSED void *__tsan_memmove(void *to, const void *from, size_t size)
{
    plain(from, size, false, CALLER);
    plain(to, size, true, CALLER);
    return memmove(to, from, size);
}

INTERPOSED void *__tsan_memset(void *to, int byte, size_t size)
{
    plain(to, size, true, CALLER);
    return memset(to, byte, size);
}

/* --- the rest ---------------------------------------------------------------- */

INTERPOSED void __tsan_init(void)
{
}

INTERPOSED void __tsan_func_entry(void *pc)
{
    site_enter((uintptr_t)pc);
}

INTERPOSED void __tsan_func_exit(void)
{
    site_leave();
}

/* Programs tell ThreadSanitizer about fences, which it does not model. */
#define ANNOTATION(name)                                                       \
    INTERPOSED void Annotate##name(const char *file, int line,                 \
                                   const volatile void *address)               \
    {                                                                          \
        (void)file;                                                            \
        (void)line;                                                            \
        (void)address;                                                         \
    }
ANNOTATION(HappensBefore)
ANNOTATION(HappensAfter)

INTERPOSED void __tsan_acquire(void *address)
{
    (void)address;
}

INTERPOSED void __tsan_release(void *address)
{
    (void)address;
}

INTERPOSED void __tsan_ignore_thread_begin(void)
{
}

INTERPOSED void __tsan_ignore_thread_end(void)
{
}

/* --- asking ------------------------------------------------------------------ */

/* Two words that overlap would have two histories.  A futex may be the low half
 * of a word: a wait only compares it. */
static void check_overlap(const struct op *op)
{
    const struct weak *weak = &execution->weak;
    uintptr_t start = (uintptr_t)op->word;

    for (unsigned i = 0; i < weak->locations; i++) {
        uintptr_t word = (uintptr_t)weak->location[i].word;

        if (word == start &&
            (weak->location[i].size == op->size ||
             (op->kind == OP_WAIT && weak->location[i].size > op->size)))
            return;
        if (word < start + op->size && word + weak->location[i].size > start)
            program_refuse("atomic operations of different sizes on one word",
                           0);
    }
}

const struct op *program_ask(const struct op *op)
{
    struct actor *self = execution->self;

    if (op->word != NULL && op->kind != OP_SYNC && op->kind != OP_WAKE)
        check_overlap(op);
    self->op = *op;
    coroutine_leave();
    return &self->op;
}
