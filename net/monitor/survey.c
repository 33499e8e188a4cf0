/* SPDX-License-Identifier: MIT */
/*
 * survey -- copies what other threads show, and writes it afterwards.
 *
 * Who shows what, and what protects it:
 *
 *   loops       weir_live_each: the watchdog's list, whose lock keeps loops from
 *               being freed.  A running loop never takes that lock.  Its pulse
 *               and counters are atomics that it writes without waiting
 *   servers     weir_http_server_each: the list of servers, whose lock keeps
 *               them from being freed.  A report takes the lock of a loop's
 *               connections, for as long as it copies one set of them
 *   the pool    atomics; it exists as long as the monitor
 *   recorder    rings that their threads write without waiting
 *   blocks      copies under a lock that no loop takes
 *
 * Nothing is written or allocated under these locks, except for the rows of
 * loops.  What is copied from a name is copied under the lock; an address that
 * is kept serves to recognise a loop, and nothing is read through it.
 *
 * Tested by  test/net/monitor/monitor.c
 */
#include "monitor/survey.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/blocks.h"
#include "os/usage.h"
#include "weir/clock.h"
#include "weir/host/memory.h"

enum { FIRST_LOOPS = 16, MOST_LOOPS = 4096, HOLDERS_EACH = 12 };

int weir__survey_init(struct weir__survey *survey, const weir_loop *own_loop,
                      const weir_http_server *own_server)
{
    memset(survey, 0, sizeof(*survey));
    survey->own_loop = own_loop;
    survey->own_server = own_server;
    return weir__recent_init(&survey->recent);
}

void weir__survey_fini(struct weir__survey *survey)
{
    weir__recent_fini(&survey->recent);
    weir_memory_free(survey->loops,
                     survey->loop_capacity * sizeof(*survey->loops));
}

static void copy_name(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from != NULL ? from : "");
}

/* ---- holders ---- */

static void add_holders(struct weir__survey *survey, const char *loop,
                        const weir_holder *holders, size_t count)
{
    for (size_t i = 0; i < count && i < HOLDERS_EACH &&
                       survey->holder_count < WEIR__SURVEY_HOLDERS;
         i++) {
        struct weir__survey_holder *to =
            &survey->holders[survey->holder_count++];

        copy_name(to->loop, sizeof(to->loop), loop);
        copy_name(to->name, sizeof(to->name), holders[i].name);
        to->kind = holders[i].kind;
        to->is_running = holders[i].is_running;
        to->count = holders[i].count;
        to->age_ns = holders[i].age_ns;
    }
}

/* ---- loops ---- */

static bool grow(struct weir__survey *survey)
{
    size_t old = survey->loop_capacity;
    size_t capacity = old == 0 ? FIRST_LOOPS : 2 * old;
    struct weir__survey_loop *loops;

    if (capacity > MOST_LOOPS)
        return false;
    loops = weir_memory_alloc(capacity * sizeof(*loops));
    if (loops == NULL)
        return false;
    if (old > 0)
        memcpy(loops, survey->loops, old * sizeof(*loops));
    weir_memory_free(survey->loops, old * sizeof(*loops));
    survey->loops = loops;
    survey->loop_capacity = capacity;
    return true;
}

/* The row of a loop, or a new one; NULL: there is no room.  Loops come in the
 * same order each time, so the row is usually the next one. */
static struct weir__survey_loop *row_of(struct weir__survey *survey,
                                        const weir_live_loop *live)
{
    struct weir__survey_loop *row;

    for (size_t i = 0; i < survey->loop_count; i++) {
        row = &survey->loops[survey->loop_at++ % survey->loop_count];
        if (row->loop == live->loop && !row->is_seen &&
            row->callbacks <= live->callbacks)
            return row;
    }
    if (survey->loop_count == survey->loop_capacity && !grow(survey))
        return NULL;
    row = &survey->loops[survey->loop_count++];
    memset(row, 0, sizeof(*row));
    row->loop = live->loop;
    row->callbacks = live->callbacks;
    row->turns = live->turns;
    row->since_ns = survey->looked_ns;
    return row;
}

static double per_second(uint64_t now, uint64_t before, int64_t passed_ns)
{
    return passed_ns <= 0 || now < before
               ? 0
               : (double)(now - before) * 1e9 / (double)passed_ns;
}

/* Between two looks.  Without metrics all that is known is whether the loop
 * sleeps now. */
static double busy_of(const struct weir__survey_loop *row, int64_t passed_ns,
                      uint64_t asleep_ns)
{
    double share;

    if (!row->has_metrics || passed_ns <= 0 || asleep_ns < row->asleep_ns)
        return row->is_asleep ? 0 : 1;
    share = 1 - (double)(asleep_ns - row->asleep_ns) / (double)passed_ns;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

static void copy_loop(struct weir__survey *survey,
                      struct weir__survey_loop *row, const weir_live_loop *live)
{
    bool is_new = row->name[0] == '\0';

    row->is_seen = true;
    row->is_asleep = live->is_asleep;
    row->is_calling = live->is_calling;
    row->kind = live->kind;
    row->thread = live->thread;
    row->callbacks_per_s =
        per_second(live->callbacks, row->callbacks, survey->passed_ns);
    row->turns_per_s = per_second(live->turns, row->turns, survey->passed_ns);
    if (live->callbacks != row->callbacks || !live->is_calling)
        row->since_ns = survey->looked_ns;
    row->callbacks = live->callbacks;
    row->turns = live->turns;
    row->memory_bytes = live->memory_bytes;
    copy_name(row->name, sizeof(row->name), live->name);
    copy_name(row->callback, sizeof(row->callback), live->callback);
    copy_name(row->subject, sizeof(row->subject), live->subject);
    row->metrics.size = sizeof(row->metrics);
    row->has_metrics = weir_loop_metrics(live->loop, &row->metrics) == 0;
    row->busy =
        busy_of(row, is_new ? 0 : survey->passed_ns, row->metrics.asleep_ns);
    row->asleep_ns = row->metrics.asleep_ns;
    copy_name(row->longest, sizeof(row->longest),
              row->has_metrics ? row->metrics.longest_name : NULL);
    row->metrics.longest_name = NULL;
}

static void look_at_loop(void *arg, const weir_live_loop *live)
{
    struct weir__survey *survey = arg;
    struct weir__survey_loop *row;
    weir_holder holders[HOLDERS_EACH];
    size_t count;

    if (live->loop == survey->own_loop)
        return;
    row = row_of(survey, live);
    if (row == NULL) {
        survey->is_short = true;
        return;
    }
    copy_loop(survey, row, live);
    if (weir_loop_state(live->loop) == WEIR_LOOP_TERMINATING)
        survey->is_ending = true;
    if (survey->holder_count == WEIR__SURVEY_HOLDERS)
        return;
    count =
        weir_loop_report(live->loop, holders, HOLDERS_EACH, sizeof(*holders));
    add_holders(survey, live->name, holders, count);
}

static void look_at_loops(struct weir__survey *survey)
{
    size_t kept = 0;

    for (size_t i = 0; i < survey->loop_count; i++)
        survey->loops[i].is_seen = false;
    survey->loop_at = 0;
    survey->is_short = false;
    (void)!weir_live_each(look_at_loop, survey);
    for (size_t i = 0; i < survey->loop_count; i++)
        if (survey->loops[i].is_seen)
            survey->loops[kept++] = survey->loops[i];
    survey->loop_count = kept;
}

/* ---- HTTP ---- */

static struct weir__survey_server *server_row(struct weir__survey *survey,
                                              const weir_http_server *server)
{
    for (size_t i = 0; i < survey->server_count; i++)
        if (survey->servers[i].server == server)
            return &survey->servers[i];
    if (survey->server_count == WEIR__SURVEY_SERVERS)
        return NULL;
    survey->servers[survey->server_count] =
        (struct weir__survey_server){.server = server};
    return &survey->servers[survey->server_count++];
}

static void look_at_server(void *arg, weir_http_server *server,
                           const char *name)
{
    struct weir__survey *survey = arg;
    weir_http_holder *rows = survey->connections + survey->connection_count;
    size_t room = WEIR__SURVEY_CONNECTIONS - survey->connection_count;
    struct weir__survey_server *row;
    weir_address address;
    bool is_draining;

    if (server == survey->own_server)
        return;
    is_draining = weir_http_server_is_draining(server);
    survey->is_ending |= is_draining;
    row = server_row(survey, server);
    if (row == NULL)
        return;
    row->is_seen = true;
    copy_name(row->name, sizeof(row->name), name);
    row->address[0] = '\0';
    if (weir_http_server_address(server, 0, &address) == 0)
        weir_address_format(&address, row->address, sizeof(row->address));
    row->is_draining = is_draining;
    row->counts.size = sizeof(row->counts);
    (void)!weir_http_server_counts(server, &row->counts);
    row->requests_per_s = per_second(row->counts.requests, row->requests_before,
                                     survey->passed_ns);
    row->requests_before = row->counts.requests;
    row->connections =
        weir_http_server_report(server, rows, room, sizeof(*rows));
    survey->connection_total += row->connections;
    survey->connection_count +=
        row->connections < room ? row->connections : room;
}

/* A query may hold what nobody else should see. */
static void hide_queries(struct weir__survey *survey)
{
    for (size_t i = 0; i < survey->connection_count; i++) {
        char *target = survey->connections[i].target;

        target[strcspn(target, "?")] = '\0';
    }
}

static void look_at_servers(struct weir__survey *survey)
{
    size_t kept = 0;

    for (size_t i = 0; i < survey->server_count; i++)
        survey->servers[i].is_seen = false;
    survey->connection_count = survey->connection_total = 0;
    (void)!weir_http_server_each(look_at_server, survey);
    for (size_t i = 0; i < survey->server_count; i++)
        if (survey->servers[i].is_seen)
            survey->servers[kept++] = survey->servers[i];
    survey->server_count = kept;
    hide_queries(survey);
}

/* ---- the pool, and the process ---- */

static size_t at_most(size_t count, size_t limit)
{
    return count < limit ? count : limit;
}

static void look_at_pool(struct weir__survey *survey, const weir_pool *pool)
{
    weir_holder holders[HOLDERS_EACH];
    size_t count;

    survey->pool.size = sizeof(survey->pool);
    survey->has_pool = pool != NULL && weir_pool_look(pool, &survey->pool) == 0;
    survey->lane_count = 0;
    if (!survey->has_pool)
        return;
    count = weir_pool_report(pool, holders, HOLDERS_EACH, sizeof(*holders));
    add_holders(survey, "pool", holders, count);
    count = weir_pool_lanes(pool, survey->lanes, WEIR__SURVEY_LANES,
                            sizeof(*survey->lanes));
    survey->lane_count = at_most(count, WEIR__SURVEY_LANES);
}

static void look_at_pools(struct weir__survey *survey,
                          const weir_monitor_options *options)
{
    size_t count = 0;

    if (options->get_pools != NULL)
        count =
            options->get_pools(options->arg, survey->pools, WEIR__SURVEY_POOLS);
    survey->pool_count = at_most(count, WEIR__SURVEY_POOLS);
    for (size_t i = 0; i < survey->pool_count; i++)
        survey->pools[i].name[sizeof(survey->pools[i].name) - 1] = '\0';
}

static void look_at_process(struct weir__survey *survey)
{
    struct weir__usage_of_process usage = weir__usage_read();

    survey->cpu = survey->passed_ns <= 0 || survey->cpu_ns == 0
                      ? 0
                      : (double)(usage.cpu_ns - survey->cpu_ns) /
                            (double)survey->passed_ns;
    survey->cpu_ns = usage.cpu_ns;
    survey->age_ns = usage.age_ns;
    survey->resident_bytes = usage.resident_bytes;
}

void weir__survey_look(struct weir__survey *survey,
                       const weir_monitor_options *options)
{
    int64_t now_ns = weir_clock_now();

    survey->passed_ns = survey->looked_ns == 0 ? 0 : now_ns - survey->looked_ns;
    survey->looked_ns = now_ns;
    survey->holder_count = 0;
    survey->is_ending = false;
    look_at_process(survey);
    look_at_pool(survey, options->get_pool != NULL
                             ? options->get_pool(options->arg)
                             : NULL);
    look_at_pools(survey, options);
    look_at_loops(survey);
    look_at_servers(survey);
    weir__recent_look(&survey->recent, now_ns);
}

/* ---- writing ---- */

static void write_times(struct weir__text *text, const char *name,
                        const weir_times *times)
{
    weir__text_add(text, ",\"%s\":{\"p50\":%.4f,\"p99\":%.4f,\"max\":%.4f}",
                   name, (double)times->p50_ns / 1e6,
                   (double)times->p99_ns / 1e6, (double)times->max_ns / 1e6);
}

static void write_loop(const struct weir__survey *survey,
                       const struct weir__survey_loop *row,
                       struct weir__text *text)
{
    int64_t blocked_ns = 0;
    bool is_blocked =
        row->thread != 0 && weir__blocks_find(row->thread, &blocked_ns);

    weir__text_comma(text);
    weir__text_add(text, "{\"name\":");
    weir__text_quote(text, row->name);
    weir__text_add(text,
                   ",\"thread\":%" PRIu64 ",\"state\":\"%s\",\"busy\":%.3f,"
                   "\"turns\":%.1f,\"rate\":%.1f",
                   row->thread,
                   is_blocked       ? "blocked"
                   : row->is_asleep ? "idle"
                                    : "busy",
                   row->busy, row->turns_per_s, row->callbacks_per_s);
    if (row->memory_bytes > 0)
        weir__text_add(text, ",\"memory\":%" PRIu64, row->memory_bytes);
    if (is_blocked)
        weir__text_add(text, ",\"blocked\":%.0f", (double)blocked_ns / 1e6);
    if (row->is_calling && !row->is_asleep) {
        weir__text_add(text, ",\"kind\":\"%s\",\"for\":%.0f,\"callback\":",
                       weir_kind_name(row->kind),
                       (double)(survey->looked_ns - row->since_ns) / 1e6);
        weir__text_quote(text, row->callback);
        weir__text_add(text, ",\"subject\":");
        weir__text_quote(text, row->subject);
    }
    if (row->has_metrics) {
        write_times(text, "queue", &row->metrics.in_queue);
        write_times(text, "call", &row->metrics.in_callback);
        weir__text_add(text,
                       ",\"depth\":%" PRIu64 ",\"longest\":%.3f,"
                       "\"longestKind\":\"%s\",\"longestName\":",
                       row->metrics.queue_depth,
                       (double)row->metrics.longest_ns / 1e6,
                       weir_kind_name(row->metrics.longest_kind));
        weir__text_quote(text, row->longest);
    }
    weir__text_add(text, "}");
}

static void write_holder(const struct weir__survey_holder *holder,
                         struct weir__text *text)
{
    weir__text_comma(text);
    weir__text_add(text, "{\"loop\":");
    weir__text_quote(text, holder->loop);
    weir__text_add(text, ",\"kind\":\"%s\",\"running\":%s,\"count\":%" PRIu64,
                   weir_kind_name(holder->kind),
                   holder->is_running ? "true" : "false", holder->count);
    if (holder->age_ns >= 0)
        weir__text_add(text, ",\"age\":%.0f", (double)holder->age_ns / 1e6);
    weir__text_add(text, ",\"name\":");
    weir__text_quote(text, holder->name);
    weir__text_add(text, "}");
}

static void write_server(const struct weir__survey_server *row,
                         struct weir__text *text)
{
    weir__text_comma(text);
    weir__text_add(text, "{\"name\":");
    weir__text_quote(text, row->name);
    weir__text_add(text, ",\"address\":");
    weir__text_quote(text, row->address);
    weir__text_add(
        text,
        ",\"draining\":%s,\"connections\":%zu,\"accepted\":%" PRIu64
        ",\"requests\":%" PRIu64 ",\"rate\":%.1f,\"responses\":%" PRIu64
        ",\"refused\":%" PRIu64 ",\"cut\":%" PRIu64 "}",
        row->is_draining ? "true" : "false", row->connections,
        row->counts.connections, row->counts.requests, row->requests_per_s,
        row->counts.responses, row->counts.refused, row->counts.cut);
}

static void write_connection(const weir_http_holder *row,
                             struct weir__text *text)
{
    weir__text_comma(text);
    weir__text_add(text,
                   "{\"phase\":\"%s\",\"age\":%.0f,\"in\":%" PRIu64
                   ",\"out\":%" PRIu64 ",\"peer\":",
                   row->phase, (double)row->age_ns / 1e6, row->received_bytes,
                   row->sent_bytes);
    weir__text_quote(text, row->peer);
    weir__text_add(text, ",\"method\":");
    weir__text_quote(text, row->method);
    weir__text_add(text, ",\"target\":");
    weir__text_quote(text, row->target);
    weir__text_add(text, "}");
}

static void write_pool(const weir_pool_stats *pool, struct weir__text *text)
{
    weir__text_add(text,
                   ",\"pool\":{\"workers\":%" PRIu32 ",\"asleep\":%" PRIu32
                   ",\"blocked\":%" PRIu32 ",\"ran\":%" PRIu64
                   ",\"cancelled\":%" PRIu64 ",\"stolen\":%" PRIu64
                   ",\"queued\":%" PRIu64 "}",
                   pool->workers, pool->asleep, pool->blocked, pool->ran,
                   pool->cancelled, pool->stolen, pool->queued);
}

static void write_lane(const weir_lane_stats *lane, struct weir__text *text)
{
    weir__text_comma(text);
    weir__text_add(text, "{\"name\":");
    weir__text_quote(text, lane->name != NULL ? lane->name : "");
    weir__text_add(text,
                   ",\"limit\":%" PRIu32 ",\"running\":%" PRIu32
                   ",\"waiting\":%" PRIu64 "}",
                   lane->limit, lane->running, lane->waiting);
}

static void write_workers(const weir_monitor_pool *pool,
                          struct weir__text *text)
{
    double taken = pool->taken > 0 ? (double)pool->taken : 1;

    weir__text_comma(text);
    weir__text_add(text, "{\"name\":");
    weir__text_quote(text, pool->name);
    weir__text_add(
        text,
        ",\"workers\":%" PRIu32 ",\"queued\":%" PRIu64 ",\"taken\":%" PRIu64
        ",\"stolen\":%" PRIu64 ",\"waited\":%.3f,\"longest\":%.3f}",
        pool->workers, pool->queued, pool->taken, pool->stolen,
        (double)pool->waited_ns / taken / 1e6, (double)pool->longest_ns / 1e6);
}

void weir__survey_write(const struct weir__survey *survey,
                        struct weir__text *text)
{
    weir__text_add(text,
                   "\"phase\":\"%s\",\"cpu\":%.3f,\"memory\":%" PRIu64
                   ",\"loops\":[",
                   survey->is_ending ? "draining" : "running", survey->cpu,
                   survey->resident_bytes);
    for (size_t i = 0; i < survey->loop_count; i++)
        write_loop(survey, &survey->loops[survey->loop_count - 1 - i], text);
    weir__text_add(text, "],\"holders\":[");
    for (size_t i = 0; i < survey->holder_count; i++)
        write_holder(&survey->holders[i], text);
    weir__text_add(text, "],\"servers\":[");
    for (size_t i = 0; i < survey->server_count; i++)
        write_server(&survey->servers[i], text);
    weir__text_add(text, "],\"connectionCount\":%zu,\"connections\":[",
                   survey->connection_total);
    for (size_t i = 0; i < survey->connection_count; i++)
        write_connection(&survey->connections[i], text);
    weir__text_add(text, "]");
    if (survey->has_pool)
        write_pool(&survey->pool, text);
    weir__text_add(text, ",\"lanes\":[");
    for (size_t i = 0; i < survey->lane_count; i++)
        write_lane(&survey->lanes[i], text);
    weir__text_add(text, "],\"pools\":[");
    for (size_t i = 0; i < survey->pool_count; i++)
        write_workers(&survey->pools[i], text);
    weir__text_add(text, "],");
    weir__recent_write(&survey->recent, text, survey->looked_ns);
}
