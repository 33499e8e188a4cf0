/* SPDX-License-Identifier: MIT */
/*
 * monitor -- it answers while a loop hangs, and only those who may ask.
 *
 * The case is the client, with a socket that blocks; another thread runs the
 * loop that hangs.
 */
#include "weir/net/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "net/support/client_fixture.h"
#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "weir.h"
#include "weir/host/http.h"

static char url[128], token[64], host[64];
static unsigned drains;

static void on_drain(void *arg)
{
    drains++;
}

static char question[300];

static void on_ask(void *arg, const char *what)
{
    strcpy(question, what);
    if (strcmp(what, "heap") == 0)
        expect_status(weir_monitor_show("heap", "[7]", 3), 0);
}

static const weir_pool *pool_shown;

static const weir_pool *get_pool(void *arg)
{
    return pool_shown;
}

static size_t get_pools(void *arg, weir_monitor_pool *rows, size_t capacity)
{
    expect(capacity >= 1);
    rows[0] = (weir_monitor_pool){.workers = 3,
                                  .queued = 4,
                                  .taken = 5,
                                  .stolen = 6,
                                  .waited_ns = 10000000,
                                  .longest_ns = 7000000};
    memset(rows[0].name, 'n', sizeof(rows[0].name)); /* without an end */
    return 1;
}

static void start(void)
{
    const weir_monitor_options options = {.size = sizeof(options),
                                          .address = "127.0.0.1:0",
                                          .title = "a \"title\"",
                                          .on_drain = on_drain,
                                          .on_ask = on_ask,
                                          .get_pool = get_pool,
                                          .get_pools = get_pools};

    expect_status(weir_monitor_start(&options), 0);
    expect(weir_monitor_url(url, sizeof(url)) < sizeof(url));
    expect_int(sscanf(url, "http://%63[^/]/#%63s", host, token), 2);
    expect_int(strlen(token), 32);
    expect_status(weir_address_parse(&where, host, 0), 0);
}

/* The whole answer to a request with these fields. */
static const char *ask_with(const char *line, const char *fields)
{
    char head[512];
    int fd = join_server();

    snprintf(head, sizeof(head), "%s HTTP/1.1\r\n%sConnection: close\r\n\r\n",
             line, fields);
    send_text(fd, head);
    return read_rest(fd);
}

static const char *ask(const char *line)
{
    char fields[256];

    snprintf(fields, sizeof(fields),
             "Host: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 0\r\n",
             host, token);
    return ask_with(line, fields);
}

static bool has(const char *all, const char *part)
{
    return strstr(all, part) != NULL;
}

static bool is_status(const char *all, const char *status)
{
    return strncmp(all, "HTTP/1.1 ", 9) == 0 &&
           strncmp(all + 9, status, 3) == 0;
}

CASE(monitor_refuses_bad_options)
{
    weir_monitor_options options = {.size = sizeof(options)};
    char long_path[256];
    struct {
        weir_monitor_options known;
        int more;
    } larger = {.known = {.size = sizeof(larger), .address = "127.0.0.1:0"},
                .more = 1};

    /* covers: weir_monitor_start -EINVAL */
    expect_status(weir_monitor_start(&options), -EINVAL);
    options.address = "nowhere";
    expect_status(weir_monitor_start(&options), -EINVAL);
    memset(long_path, 'p', sizeof(long_path));
    long_path[sizeof(long_path) - 1] = '\0';
    options.path = long_path;
    expect_status(weir_monitor_start(&options), -EINVAL);
    /* covers: weir_monitor_start -E2BIG */
    expect_status(weir_monitor_start(&larger.known), -E2BIG);
    expect_int(weir_monitor_url(url, sizeof(url)), 0);
    weir_monitor_stop(); /* without effect */
    start();
    options = (weir_monitor_options){.size = sizeof(options),
                                     .address = "127.0.0.1:0"};
    /* covers: weir_monitor_start -EALREADY */
    expect_status(weir_monitor_start(&options), -EALREADY);
    weir_monitor_stop();
    start(); /* again */
    weir_monitor_stop();
}

/* Other threads allocate, too. */
static void fail_allocation(struct failing_allocator *memory, uint64_t number)
{
    __atomic_store_n(&memory->fail_at, number, __ATOMIC_RELEASE);
}

static uint64_t allocations(const struct failing_allocator *memory)
{
    return __atomic_load_n(&memory->calls, __ATOMIC_RELAXED);
}

CASE(monitor_start_that_fails_leaves_nothing_behind)
{
    const weir_monitor_options options = {.size = sizeof(options),
                                          .address = "127.0.0.1:0"};
    static struct failing_allocator memory;
    int err;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    for (uint64_t at = 1;; at++) {
        fail_allocation(&memory, allocations(&memory) + at);
        err = weir_monitor_start(&options);
        if (err == 0)
            break;
        /* covers: weir_monitor_start -ENOMEM */
        expect_status(err, -ENOMEM);
    }
    fail_allocation(&memory, 0);
    weir_monitor_stop();
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 1, EAGAIN);
    /* covers: weir_monitor_start -EAGAIN */
    expect_status(weir_monitor_start(&options), -EAGAIN);
}

CASE(monitor_shows_sections_of_the_program)
{
    static char large[WEIR_MONITOR_SECTION_BYTES + 1];
    static struct failing_allocator memory;
    char line[400], name[8] = "name-";

    /* covers: weir_monitor_show -EINVAL */
    expect_status(weir_monitor_show(NULL, "1", 1), -EINVAL);
    expect_status(weir_monitor_show("", "1", 1), -EINVAL);
    expect_status(weir_monitor_show("a\"b", "1", 1), -EINVAL);
    expect_status(weir_monitor_show("abcdefghijklmnopqrstuvwxyzabcdef", "1", 1),
                  -EINVAL);
    expect_status(weir_monitor_show("heap", NULL, 1), -EINVAL);
    /* covers: weir_monitor_show -EMSGSIZE */
    expect_status(weir_monitor_show("heap", large, sizeof(large)), -EMSGSIZE);
    start();
    expect(has(ask("GET /sample.json"), "\"sections\":{}"));
    expect(is_status(ask("POST /ask?what=heap"), "202"));
    while (!has(ask("GET /sample.json"), "\"sections\":{\"heap\":{\"ago\":"))
        ;
    expect(has(answer, ",\"data\":[7]}}"));
    expect_status(weir_monitor_show("heap", "8", 1), 0);
    expect(has(ask("GET /sample.json"), ",\"data\":8}}"));
    for (int i = 0; i < 15; i++) {
        name[5] = (char)('a' + i);
        expect_status(weir_monitor_show(name, "1", 1), 0);
    }
    /* covers: weir_monitor_show -ENOSPC */
    expect_status(weir_monitor_show("more", "1", 1), -ENOSPC);
    for (int i = 0; i < 15; i++) {
        name[5] = (char)('a' + i);
        expect_status(weir_monitor_show(name, "", 0), 0);
    }
    expect_status(weir_monitor_show("heap", "", 0), 0);
    expect(has(ask("GET /sample.json"), "\"sections\":{}"));
    expect(is_status(ask("POST /ask"), "400"));
    expect(is_status(ask("POST /ask?what="), "400"));
    expect(is_status(ask("POST /ask?other=1"), "400"));
    snprintf(line, sizeof(line), "POST /ask?what=%0255d", 1);
    expect(is_status(ask(line), "202"));
    snprintf(line, sizeof(line), "POST /ask?what=%0256d", 1);
    expect(is_status(ask(line), "400"));
    weir_monitor_stop();
    expect_int(strlen(question), 255);
    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    /* covers: weir_monitor_show -ENOMEM */
    expect_status(weir_monitor_show("heap", "1", 1), -ENOMEM);
}

CASE(monitor_offers_files_of_the_program)
{
    static struct failing_allocator memory;
    char name[8] = "name-";

    /* covers: weir_monitor_offer -EINVAL */
    expect_status(weir_monitor_offer(NULL, "1", 1), -EINVAL);
    expect_status(weir_monitor_offer("../a", "1", 1), -EINVAL);
    expect_status(weir_monitor_offer("a", NULL, 1), -EINVAL);
    /* covers: weir_monitor_offer -EMSGSIZE */
    expect_status(weir_monitor_offer("a", "1", WEIR_MONITOR_FILE_BYTES + 1),
                  -EMSGSIZE);
    start();
    expect(is_status(ask("GET /file?name=name-a"), "404"));
    for (int i = 0; i < 4; i++) {
        name[5] = (char)('a' + i);
        expect_status(weir_monitor_offer(name, "old", 3), 0);
    }
    /* covers: weir_monitor_offer -ENOSPC */
    expect_status(weir_monitor_offer("more", "1", 1), -ENOSPC);
    expect_status(weir_monitor_offer("name-a", "a\0\"b", 4), 0);
    expect(is_status(ask("GET /file?name=name-a"), "200"));
    expect(has(answer, "\r\nContent-Length: 4\r\n"));
    expect(has(answer, "attachment; filename=\"name-a\"\r\n"));
    expect(has(ask("GET /sample.json"), "\"sections\":{}"));
    expect(is_status(ask("GET /file?name=name-e"), "404"));
    expect(is_status(ask("GET /file?name="), "404"));
    expect(is_status(ask("GET /file"), "404"));
    expect(is_status(ask("POST /file?name=name-a"), "405"));
    for (int i = 0; i < 4; i++) {
        name[5] = (char)('a' + i);
        expect_status(weir_monitor_offer(name, NULL, 0), 0);
    }
    expect(is_status(ask("GET /file?name=name-a"), "404"));
    weir_monitor_stop();
    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    /* covers: weir_monitor_offer -ENOMEM */
    expect_status(weir_monitor_offer("a", "1", 1), -ENOMEM);
}

static sem_t has_begun, may_end;

static void stay(void *arg, int status)
{
    sem_post(&has_begun);
    sem_wait(&may_end);
}

CASE(monitor_shows_lanes_and_pools)
{
    const weir_pool_options options = {.size = sizeof(options), .workers = 2};
    weir_submit_options submit = {.size = sizeof(submit)};
    weir_pool *pool;

    sem_init(&has_begun, 0, 0);
    sem_init(&may_end, 0, 0);
    start();
    expect(has(ask("GET /sample.json"), "\"lanes\":[],"));
    expect(has(answer, "nnn\",\"workers\":3,\"queued\":4,\"taken\":5,"
                       "\"stolen\":6,\"waited\":2.000,\"longest\":7.000}]"));
    weir_monitor_stop();
    expect_status(weir_pool_new(&pool, &options), 0);
    expect_status(weir_lane_new(&submit.lane, pool, NULL, 9), 0);
    expect_status(weir_lane_new(&submit.lane, pool, "look-ups", 1), 0);
    for (int i = 0; i < 3; i++)
        expect_status(weir_pool_submit(pool, stay, NULL, &submit), 0);
    sem_wait(&has_begun);
    pool_shown = pool;
    start();
    while (!has(ask("GET /sample.json"),
                "\"lanes\":[{\"name\":\"look-ups\",\"limit\":1,"
                "\"running\":1,\"waiting\":2},{\"name\":\"\",\"limit\":9,"
                "\"running\":0,\"waiting\":0}]"))
        ; /* the other worker takes both, and puts them back */
    weir_monitor_stop();
    for (int i = 0; i < 3; i++)
        sem_post(&may_end);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
}

CASE(monitor_answers_only_with_the_token)
{
    char fields[256];

    start();
    expect(is_status(ask("GET /sample.json"), "200"));
    snprintf(fields, sizeof(fields), "Host: %s\r\n", host);
    expect(is_status(ask_with("GET /sample.json", fields), "401"));
    expect(is_status(ask_with("GET /events", fields), "401"));
    expect(is_status(ask_with("GET /metrics", fields), "401"));
    expect(is_status(ask_with("POST /drain", fields), "401"));
    expect(is_status(ask_with("POST /ask?what=heap", fields), "401"));
    expect(is_status(ask_with("POST /trace", fields), "401"));
    /* The page holds no data, and probes have no token. */
    expect(is_status(ask_with("GET /", fields), "200"));
    expect(has(answer, "\r\nContent-Security-Policy: default-src 'none'"));
    expect(is_status(ask_with("GET /livez", fields), "200"));
    expect(is_status(ask_with("GET /readyz", fields), "200"));
    token[31] ^= 1;
    expect(is_status(ask("GET /sample.json"), "401"));
    token[31] ^= 1;
    token[31] = '\0'; /* shorter */
    expect(is_status(ask("GET /sample.json"), "401"));
    expect_int(drains, 0);
    weir_monitor_stop();
}

CASE(monitor_refuses_other_hosts_and_origins)
{
    static const char *const good[] = {"127.0.0.1:1234", "localhost",
                                       "localhost:99", "[::1]:8080",
                                       "LocalHost:1"};
    static const char *const bad[] = {"evil.example", "localhost.evil.example",
                                      "127.0.0.1.evil.example:80", "@abstract",
                                      "/tmp/path"};
    char fields[256];

    start();
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        snprintf(fields, sizeof(fields), "Host: %s\r\n", good[i]);
        expect(is_status(ask_with("GET /", fields), "200"));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        snprintf(fields, sizeof(fields),
                 "Host: %s\r\nAuthorization: Bearer %s\r\n", bad[i], token);
        ask_with("GET /sample.json", fields);
        expect(is_status(answer, "403") || is_status(answer, "400"));
        ask_with("GET /", fields);
        expect(is_status(answer, "403") || is_status(answer, "400"));
    }
    snprintf(fields, sizeof(fields),
             "Host: %s\r\nOrigin: http://evil.example\r\n"
             "Authorization: Bearer %s\r\n",
             host, token);
    expect(is_status(ask_with("GET /sample.json", fields), "403"));
    snprintf(fields, sizeof(fields),
             "Host: %s\r\nOrigin: http://%s\r\nAuthorization: Bearer %s\r\n",
             host, host, token);
    expect(is_status(ask_with("GET /sample.json", fields), "200"));
    weir_monitor_stop();
}

CASE(monitor_knows_its_paths_and_methods)
{
    start();
    expect(is_status(ask("GET /nothing"), "404"));
    expect(is_status(ask("POST /sample.json"), "405"));
    expect(is_status(ask("GET /drain"), "405"));
    expect(is_status(ask("GET /live.js"), "200"));
    expect(is_status(ask("GET /live.css"), "200"));
    expect(is_status(ask("POST /trace?seconds=10"), "404")); /* off */
    expect_status(weir_recorder_start(NULL), 0);
    weir_recorder_mark("a mark", 7);
    expect(is_status(ask("POST /trace?seconds=10"), "200"));
    expect(has(answer, "filename=\"weir.pftrace\""));
    expect(is_status(ask("POST /trace"), "200"));
    expect(is_status(ask("POST /trace?seconds=x"), "200")); /* all of it */
    expect(is_status(ask("POST /drain"), "202"));
    weir_monitor_stop(); /* waits for its thread */
    expect_int(drains, 1);
}

/* ---- a loop that hangs ---- */

static sem_t inside, may_leave;

static void hang(void *arg, int status)
{
    weir_live_set_subject("GET /slow", 9);
    sem_post(&inside);
    sem_wait(&may_leave);
    weir_live_set_subject("", 0);
}

static void *run(void *loop)
{
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
    return NULL;
}

static void show_block(void *arg, const weir_block *block)
{
    weir_monitor_show_block(block);
    if (block->stage == WEIR_BLOCK_BEGAN)
        sem_post(arg);
}

CASE(monitor_shows_a_loop_that_hangs_while_it_hangs)
{
    const weir_loop_options named = {
        .size = sizeof(named), .name = "the loop", .metrics = true};
    sem_t blocked;
    const weir_live_options live = {.size = sizeof(live),
                                    .blocked_after_ns = 10000000,
                                    .on_block = show_block,
                                    .arg = &blocked};
    weir_loop *loop;
    pthread_t thread;

    sem_init(&inside, 0, 0);
    sem_init(&may_leave, 0, 0);
    sem_init(&blocked, 0, 0);
    expect_status(weir_loop_new(&loop, &named), 0);
    expect_status(weir_live_start(&live), 0);
    start();
    expect_int(pthread_create(&thread, NULL, run, loop), 0);
    expect_status(weir_loop_submit(loop, hang, NULL), 0);
    sem_wait(&inside);
    sem_wait(&blocked);
    expect(is_status(ask("GET /sample.json"), "200"));
    expect(has(answer, "\"title\":\"a \\\"title\\\"\""));
    expect(has(answer, "\"name\":\"the loop\""));
    expect(has(answer, "\"state\":\"blocked\""));
    expect(has(answer, "\"subject\":\"GET /slow\""));
    expect(has(answer, "\"cause\":\"hang\""));
    expect(!has(answer, "\"stage\":\"ended\""));
    expect(!has(answer, "\"name\":\"monitor\"")); /* itself */
    expect(is_status(ask("GET /readyz"), "503"));
    expect(is_status(ask("GET /livez"), "200"));
    sem_post(&may_leave);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_int(pthread_join(thread, NULL), 0);
    weir_live_stop();
    expect(is_status(ask("GET /sample.json"), "200"));
    expect(has(answer, "\"stage\":\"ended\""));
    expect(is_status(ask("GET /readyz"), "200"));
    expect_status(weir_loop_free(loop), 0);
    weir_monitor_stop();
}

CASE(monitor_streams_samples_and_each_block)
{
    weir_block block = {.id = 1,
                        .loop = "elsewhere",
                        .name = "",
                        .subject = "",
                        .state = "running",
                        .script = "    at f (a.js:1:2)\n",
                        .native = ""};
    char head[256];
    int one, two;

    start();
    snprintf(head, sizeof(head),
             "GET /events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer "
             "%s\r\n\r\n",
             host, token);
    one = join_server();
    two = join_server();
    send_text(one, head);
    send_text(two, head);
    (void)read_until(one, "event: sample\ndata: {");
    expect(has(answer, "text/event-stream"));
    (void)read_until(two, "event: sample\ndata: {");
    weir_monitor_show_block(&block);
    (void)read_until(one, "event: block\ndata: {\"id\":1,");
    close(one); /* the other one goes on */
    block.stage = WEIR_BLOCK_ENDED;
    weir_monitor_show_block(&block);
    (void)read_until(two, "\"stage\":\"ended\"");
    expect(has(answer, "at f (a.js:1:2)"));
    (void)read_until(two, "event: sample");
    weir_monitor_stop(); /* cuts it off */
    (void)read_rest(two);
}

/* ---- memory ---- */

enum { LARGE = 8192 };

static atomic_bool refuses_large;
static sem_t refused;

static void *alloc_small(void *context, size_t size, size_t align)
{
    if (size < LARGE || !atomic_load(&refuses_large))
        return aligned_alloc(align, (size + align - 1) / align * align);
    sem_post(&refused);
    return NULL;
}

static void free_any(void *context, void *pointer, size_t size)
{
    free(pointer);
}

/* Whether anything comes back, before the connection ends. */
static void expect_end(const char *line)
{
    char head[512], byte;
    int fd = join_server();

    snprintf(head, sizeof(head),
             "%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n",
             line, host, token);
    send_text(fd, head);
    (void)!recv(fd, &byte, 1, 0); /* or the case exceeds its deadline */
    close(fd);
}

CASE(monitor_without_memory_leaves_nobody_waiting)
{
    static const char *const lines[] = {"GET /livez", "GET /events"};
    static struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    for (int i = 0; i < 2; i++)
        for (uint64_t at = 1; at < 16; at++) {
            start();
            fail_allocation(&memory, allocations(&memory) + at);
            expect_end(lines[i]);
            weir_monitor_stop();
            fail_allocation(&memory, 0);
        }
}

CASE(monitor_without_memory_streams_a_block_later)
{
    static const weir_allocator hooks = {alloc_small, free_any, NULL};
    static char script[8000];
    weir_block block = {.id = 1,
                        .loop = "elsewhere",
                        .name = "",
                        .subject = "",
                        .state = "running",
                        .script = script,
                        .native = script};
    char head[256];
    int fd;

    memset(script, 'x', sizeof(script) - 1);
    expect_int(sem_init(&refused, 0, 0), 0);
    expect_status(weir_set_allocator(&hooks), 0);
    start();
    snprintf(head, sizeof(head),
             "GET /events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer "
             "%s\r\n\r\n",
             host, token);
    fd = join_server();
    send_text(fd, head);
    (void)read_until(fd, "event: sample\ndata: {");
    atomic_store(&refuses_large, true);
    weir_monitor_show_block(&block);
    expect_int(sem_wait(&refused), 0);
    atomic_store(&refuses_large, false);
    (void)read_until(fd, "event: block\ndata: {\"id\":1,");
    close(fd);
    weir_monitor_stop();
}

CASE(monitor_on_a_unix_socket_is_for_its_owner_and_needs_no_token)
{
    char path[] = "/tmp/weir-monitor-test-XXXXXX", name[64];
    weir_monitor_options options = {.size = sizeof(options)};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat about;
    int fd;

    expect(mkdtemp(path) != NULL);
    snprintf(name, sizeof(name), "%s/socket", path);
    options.path = name;
    expect_status(weir_monitor_start(&options), 0);
    expect_int(weir_monitor_url(url, sizeof(url)), 0);
    expect_int(stat(name, &about), 0);
    expect_int(about.st_mode & 0777, 0600);
    strcpy(address.sun_path, name);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect_int(connect(fd, (const struct sockaddr *)&address, sizeof(address)),
               0);
    send_text(fd, "GET /sample.json HTTP/1.1\r\nHost: localhost\r\n"
                  "Connection: close\r\n\r\n");
    expect(is_status(read_rest(fd), "200"));
    weir_monitor_stop();
    expect_int(stat(name, &about), -1);
    expect_int(rmdir(path), 0);
}

/* ---- servers ---- */

static void hello(void *arg, weir_http_request *request)
{
    expect_status(weir_http_respond(request, 200, "text/plain", "hello\n", 6),
                  0);
}

CASE(monitor_metrics_have_the_servers_and_their_times)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = hello};
    weir_service_options quiet = {.size = sizeof(quiet), .no_signals = true};
    weir_http_times times = {.size = sizeof(times)};
    weir_service *service;
    weir_http_server *server;
    weir_address monitors;
    uint64_t sum = 0;

    start();
    monitors = where;
    expect_status(weir_service_new(&service, &quiet), 0);
    expect_status(weir_http_server_new(&server, service, &options), 0);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_http_server_address(server, 0, &where), 0);
    for (int i = 0; i < 3; i++)
        expect(is_status(ask_with("GET /a?secret=1", "Host: a\r\n"), "200"));
    where = monitors;
    expect(is_status(ask("GET /sample.json"), "200"));
    expect(has(answer, "\"requests\":3"));
    expect(!has(answer, "secret"));
    expect(is_status(ask("GET /metrics"), "200"));
    expect(has(answer, "weir_http_requests_total{server=\"127.0.0.1:"));
    expect(has(answer, "code=\"2xx\"} 3\n"));
    expect(has(answer, ",le=\"+Inf\"} 3\n"));
    expect(has(answer, "weir_loop_turns_total") ||
           has(answer, "process_cpu_seconds_total"));
    /* covers: weir_http_server_times -EINVAL */
    expect_status(weir_http_server_times(NULL, &times), -EINVAL);
    expect_status(weir_http_server_times(server, NULL), -EINVAL);
    expect_status(weir_http_server_times(server, &times), 0);
    for (size_t i = 0; i <= WEIR_HTTP_TIMES; i++) {
        expect(i == 0 || weir_http_time_bound(i) > weir_http_time_bound(i - 1));
        sum += times.counts[i];
    }
    expect_int(sum, 3);
    expect(times.statuses[1] == 3 && times.sum_ns > 0);
    /* covers: weir_http_server_each -EINVAL */
    expect_status(weir_http_server_each(NULL, NULL), -EINVAL);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), 0);
    expect_status(weir_service_free(service), 0);
    weir_http_server_free(server);
    do /* a sample may be 0.2 s old */
        expect(is_status(ask("GET /sample.json"), "200"));
    while (!has(answer, "\"servers\":[]"));
    weir_monitor_stop();
}

static void answer_late(void *arg, weir_http_request *request)
{
    sem_post(&inside);
    sem_wait(&may_leave);
    hello(arg, request);
}

/* Whether the metrics have so many. */
static bool are_in_flight(const char *place, int count)
{
    char line[256];

    expect(is_status(ask("GET /metrics"), "200"));
    snprintf(line, sizeof(line),
             "\nweir_http_requests_in_flight{server=\"%s\"} %d\n", place,
             count);
    return has(answer, line);
}

CASE(monitor_metrics_count_the_requests_in_flight)
{
    static struct failing_allocator memory;
    const weir_http_server_options options = {.size = sizeof(options),
                                              .on_request = answer_late};
    weir_service_options quiet = {.size = sizeof(quiet), .no_signals = true};
    char place[WEIR_ADDRESS_TEXT];
    weir_service *service;
    weir_http_server *server;
    weir_address monitors;
    int fd, idle;

    sem_init(&inside, 0, 0);
    sem_init(&may_leave, 0, 0);
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    start();
    monitors = where;
    expect_status(weir_service_new(&service, &quiet), 0);
    expect_status(weir_http_server_new(&server, service, &options), 0);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_http_server_address(server, 0, &where), 0);
    weir_address_format(&where, place, sizeof(place));
    idle = join_server();
    fd = join_server();
    send_text(fd, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect_int(sem_wait(&inside), 0);
    where = monitors;
    expect(are_in_flight(place, 1));
    for (uint64_t at = 1; at < 24; at++) { /* no answer, or all of it */
        fail_allocation(&memory, allocations(&memory) + at);
        expect_end("GET /metrics");
        fail_allocation(&memory, 0);
    }
    expect(are_in_flight(place, 1));
    sem_post(&may_leave);
    (void)read_until(fd, "hello");
    while (!are_in_flight(place, 0))
        ; /* the server has not yet seen that all of it has left */
    close(fd);
    close(idle);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), 0);
    expect_status(weir_service_free(service), 0);
    weir_http_server_free(server);
    weir_monitor_stop();
}

/* As of a program that serves with several threads. */
CASE(monitor_metrics_add_up_the_servers_at_an_address)
{
    enum { REQUESTS = 20 };
    const weir_http_server_options options = {.size = sizeof(options),
                                              .on_request = hello};
    const weir_listener_options shared = {.size = sizeof(shared),
                                          .reuse_port = true};
    weir_service_options quiet = {.size = sizeof(quiet), .no_signals = true};
    weir_service *service;
    weir_http_server *servers[2];
    weir_address monitors;
    char place[WEIR_ADDRESS_TEXT] = "127.0.0.1:0", line[256];

    start();
    monitors = where;
    expect_status(weir_service_new(&service, &quiet), 0);
    for (int i = 0; i < 2; i++) {
        expect_status(weir_http_server_new(&servers[i], service, &options), 0);
        expect_status(weir_http_server_listen(servers[i], place, &shared), 0);
        expect_status(weir_http_server_address(servers[i], 0, &where), 0);
        weir_address_format(&where, place, sizeof(place));
    }
    expect_status(weir_service_start(service), 0);
    for (int i = 0; i < REQUESTS; i++)
        expect(is_status(ask_with("GET /", "Host: a\r\n"), "200"));
    where = monitors;
    expect(is_status(ask("GET /metrics"), "200"));
    snprintf(line, sizeof(line), "weir_http_requests_total{server=\"%s\"} %d\n",
             place, REQUESTS);
    expect(has(answer, line));
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), 0);
    expect_status(weir_service_free(service), 0);
    for (int i = 0; i < 2; i++)
        weir_http_server_free(servers[i]);
    weir_monitor_stop();
}

static void free_server(void *arg, weir_http_server *server, int status)
{
    weir_http_server_free(server);
}

/* There are more servers than the page shows. */
CASE(monitor_is_not_ready_while_any_server_drains)
{
    enum { SERVERS = 20 };
    const weir_http_server_options options = {.size = sizeof(options),
                                              .on_request = hello};
    weir_http_guest_options guest = {.size = sizeof(guest),
                                     .on_end = free_server};
    weir_http_server *servers[SERVERS];
    weir_loop *loop;

    start();
    expect_status(weir_loop_new(&loop, NULL), 0);
    guest.control = loop;
    for (int i = 0; i < SERVERS; i++)
        expect_status(
            weir_http_server_open(&servers[i], loop, &options, &guest), 0);
    expect_status(weir_http_server_drain(servers[0], 0), 0);
    expect(is_status(ask("GET /readyz"), "503"));
    expect(has(answer, "draining"));
    for (int i = 1; i < SERVERS; i++)
        expect_status(weir_http_server_drain(servers[i], 0), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    weir_monitor_stop();
    expect_status(weir_loop_free(loop), 0);
}
