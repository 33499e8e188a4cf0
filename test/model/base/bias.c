/* SPDX-License-Identifier: MIT */
/*
 * bias -- never two inside, and nobody waits forever.
 */
#include "base/bias.h"

#include "model.h"

static struct weir__bias bias;
static int protected;          /* who is inside */
static atomic(int) is_revoked; /* a revocation has returned */

static void init(void)
{
    weir__bias_init(&bias, 0); /* the first thread's */
    model_show(&bias.state, "state", NULL);
    model_show(&weir__bias_slots[0].inside, "inside", NULL);
    model_show(&weir__bias_slots[0].revokers, "revokers", NULL);
}

static bool add_inside(void)
{
    if (!weir__bias_enter(&bias))
        return false;
    plain_store(&protected, plain_load(&protected) + 1);
    weir__bias_leave(&bias);
    return true;
}

static void hold(void)
{
    (void)add_inside();
}

static void hold_twice(void)
{
    bool first = add_inside();

    model_assert(!add_inside() || first); /* revoked once is forever */
}

static void revoke(void)
{
    weir__bias_revoke(&bias);
    plain_store(&protected, plain_load(&protected) + 100);
}

/* The bias is another's: no way in. */
static void enter_as_a_stranger(void)
{
    model_assert(!weir__bias_enter(&bias));
}

static void count(void)
{
    int inside = plain_load(&protected);

    model_assert(inside >= 100 && inside <= 102);
    model_assert(!weir__bias_enter(&bias));
}

/* What others revoke is handed on, also to who finds it done. */
static void revoke_and_tell(void)
{
    weir__bias_revoke(&bias);
    store_relaxed(&is_revoked, 1); /* hands nothing over */
}

static void revoke_and_read(void)
{
    if (!load_relaxed(&is_revoked))
        return;
    weir__bias_revoke(&bias);
    model_assert(plain_load(&protected) <= 2);
}

/* The holder runs the loop itself: nothing to revoke. */
static void revoke_own(void)
{
    weir__bias_revoke(&bias);
    model_assert(add_inside());
}

static void was_inside(void)
{
    model_assert(plain_load(&protected) == 1);
}

/* The holder uses two of them in turn: what it did in the first is received by
 * a revoker that finds it inside the second. */
static struct weir__bias second;

static void init_two(void)
{
    init();
    weir__bias_init(&second, 0);
}

static void hold_both(void)
{
    (void)add_inside();
    if (weir__bias_enter(&second))
        weir__bias_leave(&second);
}

/* The bias may be freed as soon as it is revoked and its holder has left. */
static struct weir__bias *short_lived;

static void init_short_lived(void)
{
    short_lived = model_alloc(sizeof(*short_lived));
    weir__bias_init(short_lived, 0);
}

static void hold_short_lived(void)
{
    if (weir__bias_enter(short_lived)) {
        store_relaxed(&is_revoked, 1); /* the other thread may begin */
        weir__bias_leave(short_lived);
    }
}

static void revoke_and_free(void)
{
    if (!load_relaxed(&is_revoked))
        return;
    weir__bias_revoke(short_lived);
    model_free(short_lived);
    short_lived = NULL;
}

static void free_short_lived(void)
{
    if (short_lived != NULL)
        model_free(short_lived);
}

static const struct model_case cases[] = {
    {"holder_of_two_against_a_revocation_of_the_first", .setup = init_two,
     .finish = count, .spurious = 1, .threads = {T(hold_both), T(revoke)}},
    {"bias_is_freed_once_revoked_while_its_holder_leaves",
     .setup = init_short_lived, .finish = free_short_lived,
     .threads = {T(hold_short_lived), T(revoke_and_free)}},
    {"holder_against_a_revocation", .setup = init, .finish = count,
     .spurious = 1, .threads = {T(hold_twice), T(revoke)}},
    {"holder_against_a_revocation_and_a_stranger", .setup = init,
     .finish = count, .threads = {T(hold), T(revoke), T(enter_as_a_stranger)}},
    {"two_revocations_both_see_what_the_holder_did", .setup = init,
     .threads = {T(hold_twice), T(revoke_and_tell), T(revoke_and_read)}},
    {"revocation_by_the_holder_has_no_effect", .setup = init,
     .finish = was_inside, .threads = {T(revoke_own)}},
};

MODEL_CASES(cases)
