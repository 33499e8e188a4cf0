/* SPDX-License-Identifier: MIT */
/*
 * pulse -- readers against a loop that shows thousands of callbacks: no sight
 * mixes two of them, and no text is torn.
 */
#include "watchdog/pulse.h"

#include <string.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/suite.h"

enum { CALLBACKS = 20000, READERS = 2 };

static const char *const names[] = {"even", "odd"};

static void run_callbacks(struct weir__pulse *pulse)
{
    char text[WEIR__SUBJECT_BYTES];

    for (uint64_t n = 1; n <= CALLBACKS; n++) {
        weir__pulse_begin(pulse, (weir_kind)(n % 3), names[n % 2], (int64_t)n);
        memset(text, 'a' + (int)(n % 26), sizeof(text));
        weir__pulse_set_subject(pulse, text, 1 + n % sizeof(text));
        weir__pulse_end(pulse);
    }
    weir__pulse_begin(pulse, (weir_kind)((CALLBACKS + 1) % 3),
                      names[(CALLBACKS + 1) % 2], CALLBACKS + 1);
}

static void check_sight(const struct weir__sight *sight)
{
    if (!sight->is_running)
        return;
    expect(sight->name == names[sight->beat % 2]);
    expect(sight->since_ns == (int64_t)sight->beat);
    expect(sight->kind == (weir_kind)(sight->beat % 3));
}

static void look_until_the_last(struct weir__pulse *pulse)
{
    struct weir__sight sight = {0};
    uint64_t last = 0;

    while (sight.beat <= CALLBACKS) {
        char text[WEIR__SUBJECT_BYTES + 1];

        if (weir__pulse_look(pulse, &sight)) {
            expect(sight.beat >= last);
            last = sight.beat;
            check_sight(&sight);
        }
        if (weir__pulse_subject(pulse, text))
            for (const char *at = text; *at != '\0'; at++)
                expect(*at == text[0]);
    }
}

static void work(struct crew *crew, unsigned id)
{
    crew_line_up(crew);
    if (id == 0)
        run_callbacks(crew->context);
    else
        look_until_the_last(crew->context);
}

STRESS_CASE(pulse_is_read_while_callbacks_run)
{
    struct effort effort = effort_begin(2);

    while (effort_goes_on(&effort)) {
        struct weir__pulse pulse;

        weir__pulse_init(&pulse);
        crew_run(1 + READERS, work, &pulse);
    }
}
