/* SPDX-License-Identifier: MIT */
/*
 * buffer -- readers against writers that lap them: no event is torn, none comes
 * twice or out of order, and the newest are there at the end.
 */
#include "trace/buffer.h"

#include "support/crew.h"
#include "support/effort.h"
#include "support/suite.h"

enum { WRITERS = 2, READERS = 2, SIZE = 64, EACH = 20000, CHUNK = 7 };

struct round {
    struct weir__buffer *rings[WRITERS];
    uint64_t read[READERS];
};

static void write_events(struct weir__buffer *ring)
{
    for (uint64_t n = 0; n < EACH; n++)
        weir__buffer_write(
            ring, &(struct weir__event_words){{n, ~n, n * 3, n ^ 0x5555}});
}

static bool is_whole(const struct weir__event_words *event)
{
    uint64_t n = event->word[0];

    return event->word[1] == ~n && event->word[2] == n * 3 &&
           event->word[3] == (n ^ 0x5555);
}

/* Returns how many events were read, up to the last one. */
static uint64_t read_events(const struct weir__buffer *ring)
{
    struct weir__event_words events[CHUNK];
    uint64_t from = 0, next = 0, read = 0;

    while (next < EACH) {
        size_t count = weir__buffer_read(ring, &from, events, CHUNK);

        for (size_t i = 0; i < count; i++) {
            expect(is_whole(&events[i]));
            expect(events[i].word[0] >= next);
            next = events[i].word[0] + 1;
        }
        expect(count == 0 || next == from);
        read += count;
    }
    return read;
}

static void work(struct crew *crew, unsigned id)
{
    struct round *round = crew->context;

    crew_line_up(crew);
    if (id < WRITERS)
        write_events(round->rings[id]);
    else
        round->read[id - WRITERS] = read_events(round->rings[id % WRITERS]);
}

STRESS_CASE(buffer_is_read_while_it_is_written)
{
    struct effort effort = effort_begin(2);

    while (effort_goes_on(&effort)) {
        struct round round = {.read = {0}};

        for (unsigned i = 0; i < WRITERS; i++) {
            round.rings[i] = weir__buffer_new(SIZE);
            expect(round.rings[i] != NULL);
        }
        crew_run(WRITERS + READERS, work, &round);
        for (unsigned i = 0; i < READERS; i++)
            expect(round.read[i] >= SIZE - 1);
        for (unsigned i = 0; i < WRITERS; i++) {
            struct weir__event_words events[SIZE];
            uint64_t from = 0;

            expect_int(weir__buffer_read(round.rings[i], &from, events, SIZE),
                       SIZE - 1);
            expect_int(events[SIZE - 2].word[0], EACH - 1);
            weir__buffer_free(round.rings[i]);
        }
    }
}
