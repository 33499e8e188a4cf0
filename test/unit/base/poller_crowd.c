/* SPDX-License-Identifier: MIT */
/*
 * poller -- more ready descriptors than a batch has room for.
 */
#include "base/poller.h"

#include "support/poller_fixture.h"
#include "support/suite.h"

/* Not a multiple of the batch; and the limit of open files is 1,024 on many
 * machines. */
enum { CROWD = 2 * WEIR__POLLER_BATCH + 3 };

struct crowd {
    int fds[CROWD];
    unsigned served[CROWD];
};

/* Tokens are 1 .. CROWD. */
static void open_crowd(struct crowd *crowd, unsigned mask)
{
    for (int i = 0; i < CROWD; i++) {
        crowd->fds[i] = open_event(1);
        crowd->served[i] = 0;
        add(crowd->fds[i], mask, (uint64_t)i + 1);
    }
}

/* Returns how many of the crowd were served by one wait. */
static int serve(struct crowd *crowd)
{
    int count = weir__poller_wait(poller, events, AT_ONCE), served = 0;

    expect(count >= 0);
    for (int i = 0; i < count; i++) {
        if (events[i].token == WEIR__POLLER_WAKE)
            continue;
        expect_int(events[i].events, WEIR_FD_READABLE);
        crowd->served[events[i].token - 1]++;
        served++;
    }
    return served;
}

static void expect_all_served(const struct crowd *crowd)
{
    for (int i = 0; i < CROWD; i++)
        expect(crowd->served[i] > 0);
}

CASE(poller_crowd_that_stays_ready_is_served_in_turn)
{
    struct crowd crowd;

    begin();
    open_crowd(&crowd, WEIR_FD_READABLE);
    for (int i = 0; i <= CROWD / WEIR__POLLER_BATCH; i++)
        expect_int(serve(&crowd), WEIR__POLLER_BATCH);
    expect_all_served(&crowd);
    end();
}

CASE(poller_crowd_is_served_beside_a_pending_wake)
{
    struct crowd crowd;

    begin();
    open_crowd(&crowd, WEIR_FD_READABLE);
    weir__poller_wake(poller);
    for (int i = 0; i <= CROWD / (WEIR__POLLER_BATCH - 1) + 1; i++)
        expect(serve(&crowd) > 0);
    expect_all_served(&crowd);
    expect_int(weir__poller_take_wakes(poller, false), 1);
    end();
}

/* Each wait is followed by a change of the table, which must not send the scan
 * back to its beginning. */
CASE(poller_crowd_is_served_while_the_table_changes)
{
    struct crowd crowd;
    int fd;

    begin();
    open_crowd(&crowd, WEIR_FD_READABLE);
    fd = open_event(0);
    for (int i = 0; i <= CROWD / WEIR__POLLER_BATCH; i++) {
        expect_int(serve(&crowd), WEIR__POLLER_BATCH);
        if (i % 2 == 0)
            add(fd, WEIR_FD_READABLE, CROWD + 1);
        else
            weir__poller_remove(poller, fd);
    }
    expect_all_served(&crowd);
    end();
}

CASE(poller_crowd_of_oneshots_is_served_once_each)
{
    struct crowd crowd;
    int served = 0, now;

    begin();
    open_crowd(&crowd, WEIR_FD_READABLE | WEIR_FD_ONESHOT);
    while ((now = serve(&crowd)) > 0)
        served += now;
    expect_int(served, CROWD);
    expect_all_served(&crowd);
    end();
}

CASE(poller_crowd_shrinks_to_those_who_stay)
{
    struct crowd crowd;

    begin();
    open_crowd(&crowd, WEIR_FD_READABLE);
    for (int i = 0; i < CROWD; i++)
        if (i % 3 != 0)
            weir__poller_remove(poller, crowd.fds[i]);
    for (int i = 0; i <= CROWD / WEIR__POLLER_BATCH; i++)
        expect(serve(&crowd) > 0);
    for (int i = 0; i < CROWD; i++)
        expect_int(crowd.served[i] > 0, i % 3 == 0);
    end();
}
