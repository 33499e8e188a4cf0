/* SPDX-License-Identifier: MIT */
/*
 * url -- random URLs, and references to random bases: what comes out is a URL in
 * its normal form, which a second pass does not change.  For libFuzzer;
 * test/fuzz/run runs it.
 *
 * The first byte says how many bytes are the base; the rest is the reference.
 */
#include "http/url.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/seeds.h"
#include "websocket/url.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* ---- seeds ---- */

static const struct {
    const char *base, *text;
} seeds[] = {
    {"", "http://user.example:8080/a/./b/../c?d=e#f"},
    {"", "HTTPS://[::1]:443/\xc3\xa4 ?\xc3\xa4"},
    {"http://a/b/c/d;p?q", "../../g;x=1/./y?z"},
    {"http://a/b/c/d;p?q", "//g:81"},
    {"https://a:444?q", "?y"},
    {"http://a/b", "#s"},
    {"", "wss://[::1]:8/chat?x"},
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = seeds_folder();

    (void)argc;
    (void)argv;
    if (folder == NULL)
        return 0;
    for (size_t n = 0; n < sizeof(seeds) / sizeof(*seeds); n++) {
        char base[64] = {(char)strlen(seeds[n].base)};

        memcpy(base + 1, seeds[n].base, strlen(seeds[n].base));
        seeds_write(folder, 'u', n,
                    (weir_bytes){base, 1 + strlen(seeds[n].base)},
                    (weir_bytes){seeds[n].text, strlen(seeds[n].text)});
    }
    exit(0);
}

/* ---- running ---- */

static void must(int holds)
{
    if (!holds)
        abort();
}

/* Whether a segment of the path is "." or "..". */
static int has_dots(const char *path)
{
    const char *end = path + strcspn(path, "?");

    while (path < end) {
        size_t size = strcspn(path + 1, "/?");

        if ((size == 1 || size == 2) && memcmp(path + 1, "..", size) == 0)
            return 1;
        path += 1 + size;
    }
    return 0;
}

static void check_parts(const struct weir__http_url *url)
{
    const char *target = url->target.data;

    must(url->port != 0);
    must(strlen(url->host) > 0 && url->host[0] != '.');
    must(url->authority.size >= strlen(url->host));
    must(target[0] == '/');
    must(target + url->target.size == url->text + strlen(url->text));
    for (const char *at = url->text; *at != '\0'; at++)
        must(*at > ' ' && *at < 0x7f && *at != '#' && *at != '\\');
    must(!has_dots(target));
}

static void check_again(const struct weir__http_url *url)
{
    struct weir__http_url again;

    must(weir__http_url_parse(
             &again, (weir_bytes){url->text, strlen(url->text)}, NULL) == 0);
    must(strcmp(again.text, url->text) == 0);
    must(strcmp(again.host, url->host) == 0 && again.port == url->port);
    must(weir__http_url_is_same_origin(url, &again));
    weir__http_url_fini(&again);
}

/* Returns whether it is a URL. */
static int parse(struct weir__http_url *url, weir_bytes text,
                 const struct weir__http_url *base)
{
    int err = weir__http_url_parse(url, text, base);

    must(err == 0 || err == -EINVAL);
    must((err == 0) == (url->text != NULL));
    if (err != 0)
        return 0;
    check_parts(url);
    check_again(url);
    return 1;
}

static void parse_websocket(const char *text)
{
    struct weir__url url;
    const char *end = text + strlen(text);

    if (weir__url_parse(&url, text) != 0)
        return;
    must(url.port != 0 && url.host.size > 0);
    must((const char *)url.authority.data + url.authority.size ==
         (const char *)url.target.data);
    must((const char *)url.target.data + url.target.size == end);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct weir__http_url base, url;
    size_t base_size;
    char *copy; /* with its own bounds */

    if (count == 0 || bytes[0] >= count)
        return 0;
    base_size = bytes[0];
    count -= 1 + base_size;
    copy = malloc(count + 1);
    memcpy(copy, bytes + 1 + base_size, count);
    copy[count] = '\0';
    parse_websocket(copy);
    copy = realloc(copy, count > 0 ? count : 1);
    if (parse(&url, (weir_bytes){copy, count}, NULL))
        weir__http_url_fini(&url);
    if (parse(&base, (weir_bytes){bytes + 1, base_size}, NULL)) {
        if (parse(&url, (weir_bytes){copy, count}, &base))
            weir__http_url_fini(&url);
        weir__http_url_fini(&base);
    }
    free(copy);
    return 0;
}
