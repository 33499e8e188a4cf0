/* SPDX-License-Identifier: MIT */
/*
 * pulse -- one callback in a few words, and one word for the loop's sleep.
 *
 * Shape     A number that each callback increments as it begins, the words that
 *           describe it, and its kind, which is written last and is 0 between
 *           two callbacks.  A reader takes the number before and after the
 *           words, as with a seqlock.  The text of what a callback works on has
 *           its own number, which is odd while the text is being written.
 *
 *               the loop                     a reader
 *               kind = 0                     n = beat          (P1)
 *               beat = n          (P1)       k = kind          (P2)
 *               name, since       (P3)       copy the words    (P3)
 *               kind = k          (P2)       is beat still n?
 *
 * Roles     begin, end, kind, name, set_subject, prepare_sleep, finish_sleep
 *                                                       the loop's thread
 *           look, subject, ended                        any thread
 *           is_asleep                                   the watcher
 * Progress  Everything is wait-free.  A reader may find that it was too late.
 *
 * Pairs
 *   P1  begin: store of beat, release  -->  look: load of it, acquire
 *       Hands over kind = 0 of the callback before: with beat n, a reader does
 *       not get a kind of n - 1.
 *   P2  begin: store of kind, release  -->  look: load of it, acquire
 *       Hands over the words of the callback.
 *   P3  begin: store of a word, release  -->  look: load of it, acquire
 *       Hands over `beat`: a reader that got a word of callback n + 1 sees that
 *       beat is no longer n.  A name hands over its text, too, which may have
 *       been written for it (weir__pulse_name).
 *   P4  set_subject: store of a word, or of written, release  -->
 *       subject: load of it, acquire
 *       Hands over `written` with each word, so that a reader which got a newer
 *       word discards the text; and the words with `written`.
 *   P5  set_ended: store of ended_beat, release  -->  ended: load, acquire
 *       Hands over ended_ns.
 *
 * Not paired, on purpose
 *   look: second load of beat, relaxed.  P3 orders it.
 *   memory: a number for display.
 *   rest: all operations are relaxed.  One word decides who must act, and hands
 *   over nothing else.
 *
 * Why no loop is overlooked
 *
 *               the loop                     the watcher
 *               rest = ASLEEP                CAS ASLEEP -> UNWATCHED
 *               ...                            succeeds: look away
 *               old = swap(rest, AWAKE)        fails: look again soon
 *               if (old is UNWATCHED)
 *                   wake the watcher
 *
 *           If the swap comes first, the CAS fails, and the watcher keeps
 *           looking.  If the CAS comes first, the swap returns UNWATCHED, and
 *           the loop wakes the watcher.  So a loop that is awake is being
 *           watched, or a wake-up is on its way to the watcher; and while all
 *           loops sleep, the watcher sleeps, too.
 *
 * Tested by  test/model/watchdog/pulse.c, test/stress/watchdog/pulse.c,
 *            test/unit/watchdog/live.c
 */
#include "watchdog/pulse.h"

#include <string.h>

void weir__pulse_init(struct weir__pulse *pulse)
{
    set_unshared(&pulse->beat, 0);
    set_unshared(&pulse->name, NULL);
    set_unshared(&pulse->since_ns, 0);
    set_unshared(&pulse->from, NULL);
    set_unshared(&pulse->kind, 0);
    set_unshared(&pulse->turn, 0);
    set_unshared(&pulse->thread, 0);
    set_unshared(&pulse->written, 0);
    for (unsigned i = 0; i < WEIR__SUBJECT_WORDS; i++)
        set_unshared(&pulse->subject[i], 0);
    set_unshared(&pulse->rest, WEIR__PULSE_ASLEEP);
    set_unshared(&pulse->ended_beat, 0);
    set_unshared(&pulse->ended_ns, 0);
    set_unshared(&pulse->memory, 0);
}

/* ---- what runs ---- */

bool weir__pulse_look(const struct weir__pulse *pulse,
                      struct weir__sight *sight)
{
    uint32_t kind;

    /* pulse/P1 acquire: receives that the callback before has ended */
    sight->beat = load_acquire(&pulse->beat);
    sight->turn = load_relaxed(&pulse->turn); /* relaxed: count */
    /* pulse/P2 acquire: receives the words of this callback */
    kind = load_acquire(&pulse->kind);
    sight->is_running = kind != 0;
    sight->kind = kind != 0 ? (weir_kind)(kind - 1) : WEIR_KIND_OTHER;
    /* pulse/P3 acquire: receives the beat of the callback that wrote it */
    sight->name = load_acquire(&pulse->name);
    /* pulse/P3 acquire: as above */
    sight->since_ns = load_acquire(&pulse->since_ns);
    return load_relaxed(&pulse->beat) == sight->beat; /* relaxed: P3 */
}

void weir__pulse_set_ended(struct weir__pulse *pulse, int64_t now_ns)
{
    store_relaxed(&pulse->ended_ns, now_ns); /* relaxed: P5 */
    /* pulse/P5 release: publishes ended_ns.  relaxed: own */
    store_release(&pulse->ended_beat, load_relaxed(&pulse->beat));
}

int64_t weir__pulse_ended(const struct weir__pulse *pulse, uint64_t beat)
{
    /* pulse/P5 acquire: receives ended_ns */
    if (load_acquire(&pulse->ended_beat) != beat)
        return 0;
    return load_relaxed(&pulse->ended_ns); /* relaxed: ordered by P5 */
}

/* ---- what it works on ---- */

/* Cut a text so that it fits, but not inside a character. */
static size_t fitting(const char *text, size_t size)
{
    if (size <= WEIR__SUBJECT_BYTES)
        return size;
    size = WEIR__SUBJECT_BYTES;
    while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    return size;
}

void weir__pulse_set_subject(struct weir__pulse *pulse, const char *text,
                             size_t size)
{
    uint64_t written = load_relaxed(&pulse->written); /* relaxed: own */
    unsigned count;

    size = fitting(text, size);
    count = (unsigned)(size / 8 + 1); /* and a NUL, unless it is full */
    store_relaxed(&pulse->written, written + 1); /* relaxed: P4 follows */
    for (unsigned i = 0; i < count && i < WEIR__SUBJECT_WORDS; i++) {
        uint64_t word = 0;
        size_t left = size - 8 * (size_t)i;

        if (left > 0)
            memcpy(&word, text + 8 * (size_t)i, left < 8 ? left : 8);
        /* pulse/P4 release: publishes that `written` is odd, or greater */
        store_release(&pulse->subject[i], word);
    }
    /* pulse/P4 release: publishes the words */
    store_release(&pulse->written, written + 2);
}

bool weir__pulse_subject(const struct weir__pulse *pulse,
                         char text[WEIR__SUBJECT_BYTES + 1])
{
    /* pulse/P4 acquire: receives the words before it */
    uint64_t written = load_acquire(&pulse->written);

    for (unsigned i = 0; i < WEIR__SUBJECT_WORDS; i++) {
        /* pulse/P4 acquire: receives `written` as it was before this word */
        uint64_t word = load_acquire(&pulse->subject[i]);

        memcpy(text + 8 * (size_t)i, &word, 8);
    }
    text[WEIR__SUBJECT_BYTES] = '\0';
    /* relaxed: ordered by P4 */
    if (written % 2 == 0 && load_relaxed(&pulse->written) == written)
        return true;
    text[0] = '\0';
    return false;
}

/* ---- whether it sleeps ---- */

bool weir__pulse_is_asleep(struct weir__pulse *pulse)
{
    uint32_t asleep = WEIR__PULSE_ASLEEP;

    /* relaxed: one word decides */
    return cas_relaxed(&pulse->rest, &asleep, WEIR__PULSE_UNWATCHED) ||
           asleep == WEIR__PULSE_UNWATCHED;
}
