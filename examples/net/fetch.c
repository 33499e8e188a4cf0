/* SPDX-License-Identifier: MIT */
/*
 * fetch -- get many pages, ten at a time, with a progress bar.
 *
 *     build/net/fetch [-p] [-n COUNT] [-c AT_ONCE] URL...
 *
 * -p prints the pages.  With -n, "%d" in a URL becomes 0, 1, ... COUNT - 1:
 *
 *     build/net/fetch -n 1000 'http://127.0.0.1:8080/page?%d'
 *
 * Exits with 1 if a page could not be fetched or its status was not 2xx, and
 * with 130 after Ctrl-C, which aborts what is in progress.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir.h>
#include <weir/net/http_client.h>

enum { URL_SIZE = 2048, BAR = 40 };

static char **urls;
static long url_count, count = 1, at_once = 10;

/* Used on the loop's thread only, until the service has ended. */
static weir_service *service;
static weir_loop *loop;
static weir_http_client *client;
static long started, finished, failed;
static uint64_t received;
static bool is_stopping, is_printing;

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "fetch: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void show_progress(void)
{
    long total = url_count * count;
    int filled = (int)(finished * BAR / total);

    if (!isatty(STDERR_FILENO) && finished < total)
        return;
    fprintf(stderr, "\r[%.*s%*s] %ld/%ld, %ld failed, %.1f MB%s", filled,
            "########################################", BAR - filled, "",
            finished, total, failed, (double)received / 1e6,
            finished == total ? "\n" : "");
}

static void on_closed(void *arg)
{
    client = NULL;
    weir_gate_exit(weir_service_gate(service));
    (void)weir_service_stop(service);
}

/* The n-th URL of all. */
static void make_url(char *to, long n)
{
    const char *url = urls[n / count], *mark = strstr(url, "%d");

    if (mark == NULL)
        snprintf(to, URL_SIZE, "%s", url);
    else
        snprintf(to, URL_SIZE, "%.*s%ld%s", (int)(mark - url), url, n % count,
                 mark + 2);
}

static void start_more(void);

static void fail(const char *url, const char *why)
{
    failed++;
    fprintf(stderr, "%s%s: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", url,
            why);
}

static void on_body(void *arg, weir_fetch *fetch, weir_bytes bytes)
{
    received += bytes.size;
    if (is_printing)
        fwrite(bytes.data, 1, bytes.size, stdout);
}

static void on_end(void *arg, weir_fetch *fetch, int status)
{
    char code[16];

    finished++;
    snprintf(code, sizeof(code), "status %u", weir_fetch_status(fetch));
    if (is_stopping)
        return;
    if (status != 0)
        fail(weir_fetch_url(fetch), *weir_fetch_reason(fetch) != '\0'
                                        ? weir_fetch_reason(fetch)
                                        : weir_error_text(status));
    else if (weir_fetch_status(fetch) / 100 != 2)
        fail(weir_fetch_url(fetch), code);
    show_progress();
    start_more();
}

static void start_more(void)
{
    weir_fetch_options options = {.size = sizeof(options),
                                  .redirects = 10,
                                  .on_body = on_body,
                                  .on_end = on_end};
    long total = url_count * count;
    char url[URL_SIZE];
    int err;

    while (started < total && started - finished < at_once) {
        make_url(url, started++);
        options.url = url;
        err = weir_fetch_start(client, NULL, &options);
        if (err != 0) {
            fail(url, weir_error_text(err));
            finished++;
            show_progress();
        }
    }
    if (finished == total)
        weir_http_client_close(client, on_closed, NULL);
}

static void begin(void *arg, int status)
{
    weir_http_client_options options = {
        .size = sizeof(options), .connections_per_origin = (uint32_t)at_once};

    is_stopping = weir_gate_enter(weir_service_gate(service)) != 0;
    if (is_stopping)
        return; /* Ctrl-C was first */
    must(weir_http_client_new(&client, loop, &options), "client");
    start_more();
}

/* Ctrl-C, or everything is done. */
static void on_drain(void *arg, int status)
{
    if (client == NULL || finished == url_count * count)
        return;
    is_stopping = true;
    weir_http_client_close(client, on_closed, NULL);
}

static void read_options(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "pn:c:")) != -1) {
        if (option == 'n')
            count = atol(optarg);
        else if (option == 'c')
            at_once = atol(optarg);
        else if (option == 'p')
            is_printing = true;
        else
            exit(2);
    }
    urls = argv + optind;
    url_count = argc - optind;
    if (url_count < 1 || count < 1 || at_once < 1 || at_once > 10000) {
        fprintf(stderr, "usage: fetch [-p] [-n COUNT] [-c AT_ONCE] URL...\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    int status;

    read_options(argc, argv);
    must(weir_service_new(&service, NULL), "service");
    must(weir_service_add_loop(service, &loop, NULL), "loop");
    must(weir_service_on_drain(service, loop, on_drain, NULL), "drain");
    must(weir_service_start(service), "start");
    if (weir_loop_submit(loop, begin, NULL) != 0)
        return 130; /* the same */
    status = weir_service_wait(service, -1);
    if (is_stopping || status == WEIR_EFORCED) {
        fprintf(stderr, "\ninterrupted after %ld pages\n", finished);
        return 130;
    }
    must(status, "service");
    must(weir_service_free(service), "free");
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
