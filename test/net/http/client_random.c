/* SPDX-License-Identifier: MIT */
/*
 * client_random -- fetches that are started, paused, resumed and aborted at
 * random, with servers that do anything: each ends exactly once.
 */
#include "net/support/fetch_fixture.h"
#include "support/random.h"

enum { ROUNDS = 3000, LIVE = 12 };

static struct random dice;
static uint64_t acts[8], methods_asked[4], answers[12]; /* counts */

static unsigned draw(unsigned limit)
{
    return (unsigned)random_below(&dice, limit);
}

struct guest {
    weir_fetch *fetch; /* NULL: it has ended */
    bool is_streaming, has_finished;
};

static struct guest guests[LIVE];
static unsigned begun, ended, succeeded;

static void act(struct guest *guest)
{
    if (guest->fetch == NULL)
        return;
    switch (random_choose(&dice, acts)) {
    case 0:
        weir_fetch_pause(guest->fetch);
        break;
    case 1:
        weir_fetch_abort(guest->fetch);
        break;
    default:
        weir_fetch_resume(guest->fetch);
    }
}

static void on_guest_head(void *arg, weir_fetch *fetch, int status)
{
    act(arg);
}

static void on_guest_body(void *arg, weir_fetch *fetch, weir_bytes bytes)
{
    act(arg);
}

static void on_guest_end(void *arg, weir_fetch *fetch, int status)
{
    struct guest *guest = arg;

    expect(guest->fetch == fetch);
    guest->fetch = NULL;
    ended++;
    succeeded += status == 0;
}

static void on_guest_writable(void *arg, weir_fetch *fetch, int status)
{
    struct guest *guest = arg;

    (void)!weir_fetch_write(fetch, (weir_bytes){"piece", 5}, NULL, NULL);
    if (draw(4) > 0)
        (void)!weir_fetch_finish(fetch, NULL, 0);
    act(guest);
}

static void begin(struct guest *guest)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "HEAD"};
    weir_fetch_options options = {
        .size = sizeof(options),
        .url = peer_url("/random"),
        .method = methods[random_choose(&dice, methods_asked)],
        .redirects = draw(3),
        .arg = guest,
        .on_head = on_guest_head,
        .on_body = on_guest_body,
        .on_end = on_guest_end,
        .on_writable = on_guest_writable};

    options.is_streaming = draw(4) == 0;
    options.stream_size = -1;
    if (!options.is_streaming && draw(2) == 0)
        options.body = (weir_bytes){"body", 4};
    expect_status(weir_fetch_start(client, &guest->fetch, &options), 0);
    begun++;
}

static void promise_answers(void)
{
    static const struct {
        const char *text;
        unsigned flags;
    } rows[sizeof(answers) / sizeof(*answers)] = {
        {OK_HELLO, 0},
        {OK_HELLO, 0},
        {OK_HELLO, PEER_EARLY},
        {OK_HELLO, PEER_CLOSES},
        {"", PEER_RESETS},
        {"", PEER_CLOSES},
        {OK "Content-Length: 9\r\n\r\nhell", PEER_CLOSES},
        {OK "Content-Length: 9\r\n\r\nhell", PEER_HOLDS},
        {"nonsense\r\n\r\n", 0},
        {"HTTP/1.1 302 F\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 0},
        {OK "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
         0},
        {"HTTP/1.0 200 OK\r\n\r\nuntil the end", PEER_CLOSES},
    };

    peer_will_nothing();
    for (int i = 0; i < 64; i++) {
        uint64_t n = random_choose(&dice, answers);

        peer_will(rows[n].text, rows[n].flags);
    }
}

static void run_rounds(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct guest *guest = &guests[draw(LIVE)];

        if (round % 16 == 0)
            promise_answers();
        if (guest->fetch == NULL)
            begin(guest);
        else
            act(guest);
        for (unsigned i = draw(4); i > 0; i--)
            expect_status(weir_loop_step(loop, WEIR_MS(1)), 0);
        if (draw(20) == 0)
            peer_close_idle();
    }
}

CASE(client_ends_each_fetch_once_whatever_happens)
{
    dice.state = random_seed();
    make_all(
        CLIENT_OPTIONS(.connections_per_origin = 5, .idle_connections = 3));
    run_rounds();
    end_all();
    expect_int(ended, begun);
    expect(succeeded > 0);
    expect_all_taken(acts);
    expect_all_taken(methods_asked);
    expect_all_taken(answers);
    printf("# %u fetches, %u succeeded\n", begun, succeeded);
}
