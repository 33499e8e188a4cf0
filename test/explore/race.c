/* SPDX-License-Identifier: MIT */
/*
 * race.c -- explore/javascript/race.c against the definition.
 *
 * Random executions of a few threads are noted, and each event is compared with
 * all events before it: happens-before is the transitive closure of program
 * order and of the edges in race.h.  The first event that races must be the same.
 * WEIR_SEED=N repeats a run.
 *
 * Compiled with a sanitizer and run by compiled.sh; prints TAP.
 */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "support/random.h"

enum { EVENTS = 64, RUNS = 30000, USED = 4, OBJECTS = 2, BYTES = 24 };
enum kind { ACCESS, SEND, RECEIVE, SYNCHRONIZE, START, JOIN, KINDS };

struct event {
    enum kind kind;
    unsigned thread, object;
    struct race_access access;
    uint64_t before; /* the events that happen before it, as bits */
};

static struct event events[EVENTS];
static char *memory; /* fresh in each run, so that nothing is known of it */

static struct random dice;
static uint64_t kinds_taken[KINDS], ways_taken[3], atomic_taken[2];

static unsigned draw(unsigned count)
{
    return (unsigned)random_below(&dice, count);
}

/* --- the definition -------------------------------------------------------------- */

static bool is_conflict(const struct race_access *a,
                        const struct race_access *b)
{
    const char *one = a->address, *two = b->address;

    return one < two + b->size && two < one + a->size &&
           (a->writes || b->writes) && !(a->is_atomic && b->is_atomic);
}

/* Whether the earlier event is the one that the later one synchronizes with. */
static bool is_edge(const struct event *from, const struct event *to)
{
    switch (to->kind) {
    case ACCESS:
        return to->access.is_atomic && to->access.reads &&
               from->kind == ACCESS && from->access.is_atomic &&
               from->access.writes &&
               from->access.address == to->access.address;
    case RECEIVE:
    case SYNCHRONIZE:
        return (from->kind == SEND || from->kind == SYNCHRONIZE) &&
               from->object == to->object;
    default:
        return false;
    }
}

static void find_before(unsigned i)
{
    struct event *event = &events[i];
    bool is_found = false;

    event->before = 0;
    for (unsigned j = i; j-- > 0;) {
        const struct event *other = &events[j];
        bool is_ordered =
            other->thread == event->thread ||
            (other->kind == START && other->object == event->thread) ||
            (event->kind == JOIN &&
             (other->thread == event->object ||
              (other->kind == START && other->object == event->object)));

        if (!is_found && is_edge(other, event))
            is_found = is_ordered = true; /* the last one only */
        if (is_ordered)
            event->before |= other->before | UINT64_C(1) << j;
    }
}

static bool races(unsigned i)
{
    if (events[i].kind != ACCESS)
        return false;
    for (unsigned j = 0; j < i; j++)
        if (events[j].kind == ACCESS && events[j].thread != events[i].thread &&
            (events[i].before >> j & 1) == 0 &&
            is_conflict(&events[j].access, &events[i].access))
            return true;
    return false;
}

/* --- random executions ------------------------------------------------------------ */

static void draw_access(struct event *event)
{
    bool is_atomic = random_choose(&dice, atomic_taken) == 0;
    size_t size = is_atomic ? 4 : (size_t)1 << draw(4);
    uint64_t way = random_choose(&dice, ways_taken); /* read, write, both */

    if (!is_atomic && way == 2)
        size = 1 + draw(BYTES);
    event->access = (struct race_access){
        .address = memory + (is_atomic ? 4 * draw(2)
                                       : draw((unsigned)(BYTES - size + 1))),
        .size = size,
        .reads = way != 1,
        .writes = is_atomic ? way != 0 : way == 1,
        .is_atomic = is_atomic,
        .type = MORE_TYPES};
}

/* False: the thread has not begun, or has ended. */
static bool draw_event(unsigned i, bool *lives)
{
    struct event *event = &events[i];

    memset(event, 0, sizeof(*event));
    event->thread = draw(USED);
    event->kind =
        draw(2) == 0 ? ACCESS : (enum kind)random_choose(&dice, kinds_taken);
    event->object = draw(event->kind >= START ? USED : OBJECTS);
    if (!lives[event->thread])
        return false;
    if (event->kind == START || event->kind == JOIN) {
        if (event->object == 0 || event->object == event->thread ||
            lives[event->object] != (event->kind == JOIN))
            return false;
        lives[event->object] = event->kind == START;
    }
    draw_access(event);
    return true;
}

static bool note(const struct event *event)
{
    const void *object = memory + BYTES + event->object;
    struct race_other other;

    switch (event->kind) {
    case ACCESS:
        return race_note(event->thread, &event->access, &other);
    case SEND:
        race_send(event->thread, object);
        break;
    case RECEIVE:
        race_receive(event->thread, object);
        break;
    case SYNCHRONIZE:
        race_synchronize(event->thread, object);
        break;
    case START:
        race_start(event->thread, event->object);
        break;
    default:
        race_join(event->thread, event->object);
    }
    return false;
}

/* Threads that were never started are not used again in the same run. */
static unsigned run(unsigned *found)
{
    bool lives[USED] = {true};

    for (unsigned i = 0; i < EVENTS;) {
        bool is_race;

        if (!draw_event(i, lives))
            continue;
        find_before(i);
        is_race = races(i);
        if (note(&events[i]) != is_race) {
            printf("# event %u of thread %u: %s\n", i, events[i].thread,
                   is_race ? "a race is not found" : "there is no race");
            return 1;
        }
        *found += is_race;
        if (is_race)
            break;
        i++;
    }
    return 0;
}

int main(void)
{
    unsigned failures = 0, found = 0, clean;
    bool are_taken;

    dice.state = random_seed();
    for (unsigned i = 0; i < RUNS && failures == 0; i++) {
        memory = malloc(BYTES + OBJECTS);
        failures += run(&found);
        race_reset();
        free(memory);
    }
    clean = RUNS - found;
    printf("%s 1 - races are found where the definition has them\n",
           failures == 0 ? "ok" : "not ok");
    printf("# %u executions with a race, %u without\n", found, clean);
    printf("%s 2 - both kinds occur\n",
           found > RUNS / 10 && clean > RUNS / 100 ? "ok" : "not ok");
    are_taken = random_all_taken("kinds", kinds_taken, KINDS) &
                random_all_taken("ways", ways_taken, 3) &
                random_all_taken("atomic", atomic_taken, 2);
    printf("%s 3 - every choice was made\n", are_taken ? "ok" : "not ok");
    printf("1..3\n");
    return failures == 0 && are_taken ? 0 : 1;
}
