/* SPDX-License-Identifier: MIT */
/*
 * combinator -- one promise from several: all, all_settled, any, race.
 *
 * Each input promise gets an element: an internal promise that waits for it.
 * The combinator counts the outcomes and settles the result.  Except for race,
 * it keeps a table of the outcomes, which becomes the result's value.  The
 * table holds a reference to each promise whose value is in it.
 *
 * A combinator is kept alive by each element that has not reported yet, and by
 * the result's value.
 *
 * Everything here runs on the loop's thread, except that the value may be freed
 * by the last thread to release it after TERMINATED.
 *
 * Tested by  test/unit/promise/promise_combinator.c
 */
#include <errno.h>

#include "base/memory.h"
#include "promise/promise.h"

enum rule { ALL, ALL_SETTLED, ANY, RACE };

/* One allocation: this, then the outcomes, then the holders of their data. */
struct weir__combinator {
    weir_outcomes outcomes; /* first: the value's data points to it */
    weir_promise *result;   /* held; NULL once settled */
    weir_promise **holders;
    size_t size;
    size_t missing; /* outcomes still to come */
    size_t keepers;
    enum rule rule;
    weir_outcome at[];
};

static size_t size_for(size_t count)
{
    return sizeof(struct weir__combinator) +
           count * (sizeof(weir_outcome) + sizeof(weir_promise *));
}

static struct weir__combinator *make(enum rule rule, size_t count)
{
    size_t size = size_for(count);
    struct weir__combinator *combinator =
        weir__memory_alloc(size, _Alignof(struct weir__combinator));

    if (combinator == NULL)
        return NULL;
    combinator->size = size;
    combinator->rule = rule;
    combinator->missing = count;
    combinator->keepers = 1; /* the creator */
    combinator->outcomes.count = count;
    combinator->outcomes.at = combinator->at;
    combinator->holders = (weir_promise **)&combinator->at[count];
    for (size_t i = 0; i < count; i++) {
        combinator->at[i] = (weir_outcome){WEIR_PROMISE_PENDING, 0, NULL};
        combinator->holders[i] = NULL;
    }
    return combinator;
}

static void let_go(struct weir__combinator *combinator)
{
    if (--combinator->keepers > 0)
        return;
    if (combinator->result != NULL) /* never settled: race of none */
        weir_promise_unref(combinator->result);
    for (size_t i = 0; i < combinator->outcomes.count; i++)
        weir_promise_unref(combinator->holders[i]);
    weir__memory_free(combinator, combinator->size);
}

static void free_outcomes(void *data)
{
    let_go(data);
}

/* ---- settle the result ---- */

static weir_promise *take_result(struct weir__combinator *combinator)
{
    weir_promise *result = combinator->result;

    combinator->result = NULL;
    return result;
}

static void give_as(struct weir__combinator *combinator, weir_promise *from,
                    const weir_value *value)
{
    weir_promise *result = take_result(combinator);

    if (weir__promise_value(from) == value)
        weir__promise_finish_as(result, from);
    else /* the loop is closed, and `value` is not that of `from` */
        (void)weir__promise_finish(result, WEIR__BOUND, WEIR__REJECTED, value);
    weir__promise_drop(result);
}

static void give_outcomes(struct weir__combinator *combinator)
{
    weir_promise *result = take_result(combinator);
    bool is_any = combinator->rule == ANY;
    weir_value value = {&combinator->outcomes, free_outcomes,
                        is_any ? WEIR_ENONE : 0};

    combinator->keepers++;
    if (!weir__promise_finish(result, WEIR__BOUND,
                              is_any ? WEIR__REJECTED : WEIR__FULFILLED,
                              &value))
        combinator->keepers--; /* the end of the loop came first */
    weir__promise_drop(result);
}

static void keep_outcome(struct weir__combinator *combinator, size_t index,
                         bool is_rejected, weir_promise *from,
                         const weir_value *value)
{
    weir__promise_hold(from);
    combinator->holders[index] = from;
    combinator->at[index] = (weir_outcome){is_rejected ? WEIR_PROMISE_REJECTED
                                                       : WEIR_PROMISE_FULFILLED,
                                           value->code, value->data};
}

/* Whether this outcome alone decides the result. */
static bool is_decisive(enum rule rule, bool is_rejected)
{
    return rule == RACE || (rule == ALL && is_rejected) ||
           (rule == ANY && !is_rejected);
}

void weir__combinator_tell(weir_promise *element, bool is_rejected,
                           weir_promise *from, const weir_value *value)
{
    struct weir__combinator *combinator = element->on.element.combinator;

    if (combinator->result == NULL)
        ; /* decided already */
    else if (is_decisive(combinator->rule, is_rejected))
        give_as(combinator, from, value);
    else
        keep_outcome(combinator, element->on.element.index, is_rejected, from,
                     value);
    if (--combinator->missing == 0 && combinator->result != NULL)
        give_outcomes(combinator);
    let_go(combinator);
}

/* ---- create ---- */

static int why_not(weir_promise **result, weir_loop *loop,
                   weir_promise *const *promises, size_t count)
{
    if (result == NULL || loop == NULL || (promises == NULL && count > 0) ||
        count > (SIZE_MAX - sizeof(struct weir__combinator)) /
                    (sizeof(weir_outcome) + sizeof(weir_promise *)))
        return -EINVAL;
    if (!weir__promise_is_local(loop))
        return -EPERM;
    for (size_t i = 0; i < count; i++)
        if (promises[i] == NULL)
            return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (promises[i]->loop != loop)
            return -EXDEV;
    return 0;
}

/* Free elements that are not attached yet. */
static void put_elements(weir_promise *list)
{
    while (list != NULL) {
        weir_promise *element = list;

        list = element->next;
        weir__promises_of(element)->unsettled--;
        (void)weir__promise_put(element);
    }
}

/* Create `count` promises, in a list through `next`; all or none. */
static int make_elements(weir_loop *loop, size_t count, weir_promise **list)
{
    *list = NULL;
    while (count-- > 0) {
        weir_promise *element;
        int err = weir__promise_make(loop, WEIR__BOUND, &element);

        if (err != 0) {
            put_elements(*list);
            return err;
        }
        element->next = *list;
        *list = element;
    }
    return 0;
}

static void attach_all(struct weir__combinator *combinator,
                       weir_promise *elements, weir_promise *const *promises)
{
    for (size_t i = 0; i < combinator->outcomes.count; i++) {
        weir_promise *element = elements;

        elements = element->next;
        element->job = WEIR__JOB_ELEMENT;
        element->on.element.combinator = combinator;
        element->on.element.index = i;
        combinator->keepers++;
        weir__promise_attach(element, promises[i]);
    }
}

static int combine(enum rule rule, weir_promise **result, weir_loop *loop,
                   weir_promise *const *promises, size_t count)
{
    int err = why_not(result, loop, promises, count);
    struct weir__combinator *combinator;
    weir_promise *elements;

    if (err != 0)
        return err;
    err = make_elements(loop, count + 1, &elements);
    if (err != 0)
        return err;
    combinator = make(rule, count);
    if (combinator == NULL) {
        put_elements(elements);
        return -ENOMEM;
    }
    *result = combinator->result = elements; /* the first is the result */
    (*result)->job = WEIR__JOB_ADOPT;
    weir__promise_hold(*result);
    attach_all(combinator, elements->next, promises);
    if (count == 0 && rule != RACE)
        give_outcomes(combinator);
    let_go(combinator);
    return 0;
}

int weir_promise_all(weir_promise **result, weir_loop *loop,
                     weir_promise *const *promises, size_t count)
{
    return combine(ALL, result, loop, promises, count);
}

int weir_promise_all_settled(weir_promise **result, weir_loop *loop,
                             weir_promise *const *promises, size_t count)
{
    return combine(ALL_SETTLED, result, loop, promises, count);
}

int weir_promise_any(weir_promise **result, weir_loop *loop,
                     weir_promise *const *promises, size_t count)
{
    return combine(ANY, result, loop, promises, count);
}

int weir_promise_race(weir_promise **result, weir_loop *loop,
                      weir_promise *const *promises, size_t count)
{
    return combine(RACE, result, loop, promises, count);
}
