#!/bin/bash
# SPDX-License-Identifier: MIT
# abi -- programs that were compiled with older and newer headers run with the
# libraries of the release build.
#
# The headers of the other versions are made from today's.  In the older ones
# the last member of each struct that can grow does not exist yet; the newer ones
# have appended one, `future`.
. "$(dirname "$0")/tap.sh"

# make_headers VERSION
make_headers() {
    cp -r include "$scratch/$1" && python3 - "$scratch/$1" "$1" <<'END'
import pathlib
import re
import sys

# Structs that begin with their size, and rows of reports and answers.
STRUCT = re.compile(r"typedef struct (\w+) \{([^{}]*)\} \1;")
# The union that it ends with is cut in no older version.
RECORD = re.compile(r"(typedef struct weir_dns_record \{.*?)(\} weir_dns_record;)",
                    re.S)
ROWS = {"weir_holder", "weir_jobs_info", "weir_jobs_queue", "weir_jobs_plan",
        "weir_jobs_holder", "weir_jobs_reply"}
directory, version = sys.argv[1:]
grown = []


def change(match):
    name, members = match.groups()
    if not re.match(r"\s*size_t size;", members) and name not in ROWS:
        return match[0]
    grown.append(name)
    if version == "older":
        members = re.sub(r"[^;]*;\s*$", "\n", members)
    else:
        members += "    void *future;\n"
    return f"typedef struct {name} {{{members}}} {name};"


for path in pathlib.Path(directory).glob("weir/**/*.h"):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    text = STRUCT.sub(change, text)
    if version == "newer":
        text, count = RECORD.subn(r"\1    void *future;\n\2", text)
        grown += ["weir_dns_record"] * count
    path.write_text(text)
assert ROWS | {"weir_loop_options", "weir_metrics", "weir_js_options",
               "weir_board_counts"} <= set(grown), grown
assert version == "older" or "weir_dns_record" in grown
END
}

# Each struct is surrounded by bytes that the library must leave alone.
cat >"$scratch/program.c" <<'END'
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <weir.h>
#include <weir/host/board.h>

#define MUST(what)                                                             \
    do {                                                                       \
        if (!(what)) {                                                         \
            printf("line %d: %s\n", __LINE__, #what);                          \
            return 1;                                                          \
        }                                                                      \
    } while (0)
#define FENCED(type)                                                           \
    static struct {                                                            \
        char before[64];                                                       \
        type it;                                                               \
        char after[64];                                                        \
    }
#define INIT(fenced)                                                           \
    (memset(&fenced, 0x5a, sizeof(fenced)),                                    \
     *(size_t *)&fenced.it = sizeof(fenced.it))
#define IS_WHOLE(fenced)                                                       \
    (is_untouched(fenced.before) && is_untouched(fenced.after))

static int is_untouched(const char fence[64])
{
    for (int i = 0; i < 64; i++)
        if (fence[i] != 0x5a)
            return 0;
    return 1;
}

static void count_call(void *arg, int status)
{
    *(int *)arg += status == 0;
}

static void wake(void *arg, uint32_t taker)
{
    (void)arg, (void)taker;
}

static void drop(void *arg, weir_notice *notice)
{
    (void)arg, (void)notice;
}

static int use_loop(void)
{
    FENCED(weir_metrics) metrics;
    FENCED(weir_holder) row;
    weir_loop_options options = {
        .size = sizeof(options), .name = "abi", .metrics = true};
    static weir_holder holders[4];
    static const char *const names[] = {"first", "second"};
    weir_timer timers[2];
    weir_loop *loop;
    int calls = 0;

    MUST(weir_loop_new(&loop, &options) == 0);
    weir_loop_ref(loop);
    for (int i = 0; i < 2; i++) {
        MUST(weir_timer_start(loop, &timers[i], WEIR_S(60), WEIR_TIMER_ONCE,
                              count_call, &calls) == 0);
        MUST(weir_timer_set_name(loop, timers[i], names[i]) == 0);
    }

    memset(&row, 0x5a, sizeof(row));
    MUST(weir_loop_report(loop, &row.it, 1, sizeof(weir_holder)) == 3);
    MUST(IS_WHOLE(row) && row.it.kind == WEIR_KIND_REF);
    MUST(weir_loop_report(loop, holders, 4, sizeof(weir_holder)) == 3);
    MUST(holders[0].kind == WEIR_KIND_REF && holders[0].count == 1);
    for (int i = 0; i < 2; i++)
        MUST(holders[1 + i].kind == WEIR_KIND_TIMER &&
             strcmp(holders[1 + i].name, names[i]) == 0);

    for (int i = 0; i < 2; i++)
        MUST(weir_timer_cancel(loop, timers[i]) == 0);
    weir_loop_unref(loop);
    for (int i = 0; i < 3; i++)
        MUST(weir_loop_submit(loop, count_call, &calls) == 0);
    MUST(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0 && calls == 3);
    INIT(metrics);
    MUST(weir_loop_metrics(loop, &metrics.it) == 0);
    MUST(metrics.it.tasks >= 3 && metrics.it.callbacks >= 3);
    MUST(metrics.it.size == sizeof(metrics.it) && IS_WHOLE(metrics));
#ifdef NEWER
    MUST(metrics.it.future == NULL && row.it.future == NULL);
    options.future = &calls;
    MUST(weir_loop_new(&loop, &options) == -E2BIG);
#endif
    MUST(weir_loop_free(loop) == 0);
    return 0;
}

static int use_pool(void)
{
    FENCED(weir_pool_stats) stats;
    weir_pool_options options = {.size = sizeof(options), .workers = 1};
    weir_submit_options submit = {.size = sizeof(submit), .name = "job"};
    weir_pool *pool;
    int calls = 0;

    MUST(weir_pool_new(&pool, &options) == 0);
    MUST(weir_pool_submit(pool, count_call, &calls, &submit) == 0);
#ifdef NEWER
    submit.future = &calls;
    MUST(weir_pool_submit(pool, count_call, &calls, &submit) == -E2BIG);
#endif
    MUST(weir_pool_shutdown(pool, -1) == 0 && calls == 1);
    INIT(stats);
    MUST(weir_pool_look(pool, &stats.it) == 0);
    MUST(stats.it.ran == 1 && IS_WHOLE(stats));
    MUST(weir_pool_free(pool) == 0);
    return 0;
}

static int use_board(void)
{
    FENCED(weir_board_counts) counts;
    weir_board_options options = {.size = sizeof(options),
                                  .takers = 1,
                                  .priorities = 1,
                                  .wake = wake,
                                  .drop = drop};
    weir_notice notice;
    weir_board *board;

    MUST(weir_board_new(&board, &options) == 0);
    MUST(weir_board_add(board, &notice, 0) == 0);
    INIT(counts);
    MUST(weir_board_count(board, &counts.it) == 0);
    MUST(counts.it.added == 1 && counts.it.queued == 1 && IS_WHOLE(counts));
    MUST(weir_board_take(board, 0) == &notice);
    MUST(!weir_notice_release(&notice) && weir_notice_release(&notice));
    weir_board_free(board);
    return 0;
}

static int use_service(void)
{
    weir_service_options options = {.size = sizeof(options),
                                    .no_signals = true};
    weir_gate_options gate_options = {.size = sizeof(gate_options)};
    weir_service *service;
    weir_gate gate;

    MUST(weir_gate_init(&gate, NULL, NULL, &gate_options) == 0);
    MUST(weir_service_new(&service, &options) == 0);
    MUST(weir_service_start(service) == 0);
    MUST(weir_service_stop(service) == 0);
    MUST(weir_service_wait(service, -1) == 0);
    MUST(weir_service_free(service) == 0);
    return 0;
}

int main(void)
{
    return use_loop() || use_pool() || use_board() || use_service();
}
END

cat >"$scratch/program-js.c" <<'END'
#include <errno.h>
#include <weir.h>
#include <weir/js.h>

int main(void)
{
    weir_js_options options = {.size = sizeof(options),
                               .memory_limit_bytes = 64 << 20};
    weir_js_program program = {.size = sizeof(program),
                               .kind = WEIR_JS_PROGRAM_EVAL,
                               .text = "process.exitCode = 42"};
    weir_loop *loop;
    weir_js *js;
    int code;

    if (weir_loop_new(&loop, NULL) != 0)
        return 1;
#ifdef NEWER
    options.future = &code;
    if (weir_js_new(&js, loop, &options) != -E2BIG)
        return 2;
    options.future = NULL;
#endif
    if (weir_js_new(&js, loop, &options) != 0 ||
        weir_js_run(js, &program, &code) != 0 || code != 42)
        return 3;
    return weir_js_free(js) != 0 || weir_loop_free(loop) != 0;
}
END

# The library has as many rows as it made, each of the size that it has there.
cat >"$scratch/program-jobs.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <weir.h>
#include <weir/jobs.h>

static const char *const names[] = {"a", "b", "c"};
static int answers;

static void on_added(void *arg, int status, const weir_jobs_reply *reply)
{
    answers += status == 0 && reply->is_new && arg == NULL;
}

static void on_queues(void *arg, int status, const weir_jobs_reply *reply)
{
    unsigned i = 0;

    if (arg != NULL || status != 0 || reply->count != 3)
        return;
    for (const weir_jobs_queue *queue = reply->queues; queue != NULL;
         queue = queue->next, i++)
        answers += i < 3 && strcmp(queue->name, names[i]) == 0 &&
                   queue->jobs[WEIR_JOBS_READY] == i + 1;
}

static void on_jobs(void *arg, int status, const weir_jobs_reply *reply)
{
    if (arg != NULL || status != 0 || reply->count != 3)
        return;
    for (const weir_jobs_info *job = reply->jobs; job != NULL; job = job->next)
        answers += strcmp(job->queue, "c") == 0;
}

int main(int argc, char **argv)
{
    weir_loop *loop;
    weir_jobs *jobs;

    if (argc != 2 || weir_loop_new(&loop, NULL) != 0 ||
        weir_jobs_open(&jobs, loop, argv[1], NULL) != 0)
        return 1;
    for (int queue = 0; queue < 3; queue++)
        for (int i = 0; i <= queue; i++) {
            weir_jobs_spec spec = {.size = sizeof(spec), .queue = names[queue]};

            if (weir_jobs_add(jobs, &spec, on_added, NULL) != 0)
                return 2;
        }
    if (weir_jobs_look(jobs, on_queues, NULL) != 0 ||
        weir_jobs_list(jobs, "c", WEIR_JOBS_READY, 0, 9, on_jobs, NULL) != 0 ||
        weir_jobs_close(jobs, NULL, NULL) != 0 ||
        weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) != 0)
        return 3;
    weir_jobs_free(jobs);
    printf("%d of 12 are right\n", answers);
    return weir_loop_free(loop) != 0 || answers != 12;
}
END

# A server of names answers with three addresses.
cat >"$scratch/program-net.c" <<'END'
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <weir.h>
#include <weir/net/query.h>

enum { ADDRESSES = 3 };

static int right;

static void serve(void *arg, int status, int fd, unsigned events)
{
    struct sockaddr_storage peer;
    socklen_t peer_size = sizeof(peer);
    unsigned char bytes[512];
    ssize_t size;

    (void)arg, (void)events;
    if (status != 0)
        return;
    size = recvfrom(fd, bytes, sizeof(bytes) - 16 * ADDRESSES, 0,
                    (struct sockaddr *)&peer, &peer_size);
    if (size < 12)
        return;
    memcpy(bytes + 2, "\x81\x80\0\1\0\3\0\0\0\0", 10);
    size = 12 + (ssize_t)strlen((char *)bytes + 12) + 1 + 4; /* one question */
    for (char i = 1; i <= ADDRESSES; i++, size += 16) {
        memcpy(bytes + size, "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0", 15);
        bytes[size + 15] = (unsigned char)i;
    }
    (void)!sendto(fd, bytes, (size_t)size, 0, (struct sockaddr *)&peer,
                  peer_size);
}

static void on_records(void *arg, int status, const weir_query_result *result)
{
    char text[WEIR_ADDRESS_TEXT], wanted[WEIR_ADDRESS_TEXT];
    int i = 0;

    if (arg != NULL || status != 0 || result->count != ADDRESSES)
        return;
    for (const weir_dns_record *record = result->records; record != NULL;
         record = record->next) {
        snprintf(wanted, sizeof(wanted), "127.0.0.%d", ++i);
        weir_address_format_host(&record->as.address, text, sizeof(text));
        right += record->type == WEIR_DNS_A && record->ttl_s == 60 &&
                 strcmp(record->name, "a.test") == 0 &&
                 strcmp(text, wanted) == 0;
    }
}

int main(void)
{
    weir_resolver_options options = {.size = sizeof(options),
                                     .server_count = 1};
    weir_address server;
    weir_resolver *resolver;
    weir_loop *loop;
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(name);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (bind(fd, (struct sockaddr *)&name, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&name, &size) != 0 ||
        weir_address_from(&server, &name, size) != 0)
        return 2;
    options.servers = &server;
    if (weir_loop_new(&loop, NULL) != 0 ||
        weir_fd_add(loop, fd, WEIR_FD_READABLE, serve, NULL) != 0 ||
        weir_fd_unref(loop, fd) != 0 ||
        weir_resolver_new(&resolver, loop, &options) != 0 ||
        weir_query_start(resolver, NULL, "a.test", WEIR_DNS_A, on_records, NULL,
                         NULL) != 0 ||
        weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) != 0)
        return 3;
    weir_resolver_close(resolver);
    printf("%d of %d are right\n", right, ADDRESSES);
    if (weir_fd_remove(loop, fd, NULL, NULL) != 0 ||
        weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) != 0 ||
        weir_loop_free(loop) != 0)
        return 4;
    close(fd);
    return right != ADDRESSES;
}
END

# run_program SOURCE VERSION LIBRARY [ARGUMENT]: compiled with the headers of that version.
run_program() {
    flags=-DOLDER
    [ "$2" = newer ] && flags=-DNEWER
    cc $flags -Wall -Wextra -Werror -pthread -I"$scratch/$2" \
        -o "$scratch/a.out" "$scratch/$1" -L"$build" "-l$3" -lweir \
        -Wl,-rpath,"$PWD/$build" &&
        "$scratch/a.out" ${4:+"$4"}
}

build=${WEIR_BUILD:-build}
for version in older newer; do
    expect "$version headers can be made" make_headers $version
    expect "a program compiled with $version headers runs" \
        run_program program.c $version weir
    [ -e "$build/libweir-js.so" ] &&
        expect "a program compiled with $version headers runs JavaScript" \
            run_program program-js.c $version weir-js
    [ -e "$build/libweir-jobs.so" ] &&
        expect "a program compiled with $version headers reads rows of jobs" \
            run_program program-jobs.c $version weir-jobs "$scratch/$version.db"
    [ -e "$build/libweir-net.so" ] &&
        expect "a program compiled with $version headers reads records of names" \
            run_program program-net.c $version weir-net
done
finish
