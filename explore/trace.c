/* SPDX-License-Identifier: MIT */
/*
 * trace -- see trace.h.
 */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 64, CELL = 80 };

static struct trace {
    unsigned count;
    struct {
        const void *word;
        const char *name;
        model_format_fn *format;
    } shown[SHOWN];
} * trace;

void trace_prepare(void)
{
    trace = calloc(1, sizeof(*trace));
    if (trace == NULL)
        abort();
}

void trace_reset(void)
{
    trace->count = 0;
}

void model_show(const void *word, const char *name, model_format_fn *format)
{
    unsigned i = 0;

    while (i < trace->count && trace->shown[i].word != word)
        i++;
    if (i == SHOWN)
        return;
    trace->shown[i].word = word;
    trace->shown[i].name = name;
    trace->shown[i].format = format;
    if (i == trace->count)
        trace->count++;
}

bool trace_has(const void *word)
{
    for (unsigned i = 0; i < trace->count; i++)
        if (trace->shown[i].word == word)
            return true;
    return false;
}

static const char *name_of(const struct op *op)
{
    const char *text = op->site->expression;

    for (unsigned i = 0; i < trace->count; i++)
        if (trace->shown[i].word == op->word)
            return trace->shown[i].name;
    return text[0] == '&' ? text + 1 : text;
}

static const char *show(char *text, size_t size, const struct op *op,
                        uint64_t value)
{
    for (unsigned i = 0; i < trace->count; i++) {
        if (trace->shown[i].word == op->word &&
            trace->shown[i].format != NULL) {
            trace->shown[i].format(text, size, value);
            return text;
        }
    }
    snprintf(text, size, value < 100000 ? "%llu" : "%#llx",
             (unsigned long long)value);
    return text;
}

static const char *order_name(int order)
{
    switch (order) {
    case __ATOMIC_RELAXED:
        return "rlx";
    case __ATOMIC_ACQUIRE:
        return "acq";
    case __ATOMIC_RELEASE:
        return "rel";
    case __ATOMIC_ACQ_REL:
        return "a+r";
    default:
        return "sc";
    }
}

static const char *rmw_name(enum model_rmw rmw)
{
    static const char *const names[] = {"swap", "add", "sub", "or",
                                        "and",  "xor", "nand"};

    return names[rmw];
}

static void list_threads(char *text, size_t size, uint8_t set,
                         const struct model_case *test)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < MODEL_THREADS; i++)
        if ((set >> i & 1) != 0)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s",
                                 used == 0 ? "" : ", ", test->threads[i].name);
    if (used == 0)
        snprintf(text, size, "nobody");
}

/* Describe a load, a store, or a read-modify-write. */
static void describe_access(char *text, size_t size, const struct op *op)
{
    char a[CELL], b[CELL];
    const char *name = name_of(op);
    const char *order = order_name(op->order);
    const char *stale = op->is_stale ? " (stale)" : "";

    show(a, sizeof(a), op, op->read);
    show(b, sizeof(b), op, op->wrote);
    switch (op->kind) {
    default:
    case OP_LOAD:
        snprintf(text, size, "load.%s %s = %s%s", order, name, a, stale);
        break;
    case OP_STORE:
        snprintf(text, size, "store.%s %s := %s%s", order, name, b,
                 op->is_stale ? " (behind)" : "");
        break;
    case OP_RMW:
        snprintf(text, size, "%s.%s %s: %s -> %s%s", rmw_name(op->rmw), order,
                 name, a, b, stale);
        break;
    case OP_CAS:
        if (op->is_done)
            snprintf(text, size, "cas.%s %s: %s -> %s%s", order, name, a, b,
                     stale);
        else
            snprintf(text, size, "cas.%s %s = %s, no%s", order, name, a, stale);
        break;
    }
}

void trace_describe(char *text, size_t size, const struct op *op,
                    const struct model_case *test)
{
    static const char *const plain[] = {[OP_LIGHT] = "light fence",
                                        [OP_HEAVY] = "membarrier",
                                        [OP_FREE] = "free",
                                        [OP_LOCAL] = "goes on"};
    char cell[CELL];
    const char *name = name_of(op);

    switch (op->kind) {
    case OP_LOAD:
    case OP_STORE:
    case OP_RMW:
    case OP_CAS:
        describe_access(text, size, op);
        break;
    case OP_FENCE:
        snprintf(text, size, "fence.%s", order_name(op->order));
        break;
    case OP_SYNC:
        snprintf(text, size, op->read == 0 ? "%s %s" : "%s %s: %s",
                 op->verb->name,
                 op->verb->object != NULL ? op->verb->object : name,
                 strerrorname_np((int)op->read));
        break;
    case OP_WAIT:
        snprintf(text, size,
                 op->is_done ? "sleeps on %s = %s" : "does not sleep: %s = %s",
                 name, show(cell, sizeof(cell), op, op->read));
        break;
    case OP_WAKE:
        list_threads(cell, sizeof(cell), op->woken, test);
        snprintf(text, size, "wakes %s", cell);
        break;
    case OP_ALLOC:
        snprintf(text, size, op->pointer != NULL ? "alloc %zu" : "alloc fails",
                 op->size);
        break;
    case OP_EXPIRE:
        snprintf(text, size, op->is_done ? "times out" : "wakes by itself");
        break;
    default:
        snprintf(text, size, "%s", plain[op->kind]);
        break;
    }
}

void trace_print(FILE *out, const char *prefix, const struct model_case *test,
                 const struct step *steps, unsigned count)
{
    int width[MODEL_THREADS];
    unsigned threads = 0;
    char cell[2 * CELL];

    for (; threads < MODEL_THREADS && test->threads[threads].name; threads++)
        width[threads] = (int)strlen(test->threads[threads].name);
    for (unsigned i = 0; i < count; i++) {
        trace_describe(cell, sizeof(cell), &steps[i].op, test);
        if ((int)strlen(cell) > width[steps[i].actor])
            width[steps[i].actor] = (int)strlen(cell);
    }
    fprintf(out, "%s    ", prefix);
    for (unsigned t = 0; t < threads; t++)
        fprintf(out, "  %-*s", width[t], test->threads[t].name);
    fprintf(out, "\n");
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, "%s%3u ", prefix, i + 1);
        for (unsigned t = 0; t < steps[i].actor; t++)
            fprintf(out, "  %*s", width[t], "");
        trace_describe(cell, sizeof(cell), &steps[i].op, test);
        fprintf(out, "  %s\n", cell);
    }
}
