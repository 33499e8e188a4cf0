/* SPDX-License-Identifier: MIT */
/*
 * redirect -- follows redirects, by the rules of the web's fetch().
 *
 * 303, and 301 and 302 after a POST, become a GET without a body.  The other
 * redirects repeat the request as it was, which is impossible if its body was
 * streamed.  Credentials are not sent to another origin.
 */
#include <errno.h>
#include <string.h>

#include "http/client.h"
#include "http/header.h"

static const weir_bytes get = WEIR_BYTES_OF("GET");

/* Whether the next request is a GET without a body. */
static bool becomes_get(const weir_fetch *fetch)
{
    switch (fetch->message->status) {
    case 301:
    case 302:
        return fetch->method.size == 4 &&
               memcmp(fetch->method.data, "POST", 4) == 0;
    case 303:
        return fetch->kind != WEIR__HTTP_HEAD &&
               !(fetch->method.size == get.size &&
                 memcmp(fetch->method.data, get.data, get.size) == 0);
    default:
        return false;
    }
}

static weir_bytes location_of(const weir_fetch *fetch)
{
    return weir__http_get(fetch->message,
                          (weir_bytes)WEIR_BYTES_OF("location"));
}

int weir__http_redirect_check(const weir_fetch *fetch)
{
    unsigned status = fetch->message->status;

    if (fetch->redirects == 0 ||
        (status != 301 && status != 302 && status != 303 && status != 307 &&
         status != 308) ||
        location_of(fetch).data == NULL)
        return 0;
    if (fetch->redirects == 1)
        return WEIR_ELIMIT; /* one more than were wanted: see weir_fetch_start */
    if (fetch->is_streaming && !becomes_get(fetch))
        return -ENOTSUP;
    return 1;
}

/* Whether a field is one of several names. */
static bool is_one_of(const weir_http_field *field, const char *const *names)
{
    for (; *names != NULL; names++)
        if (weir__http_is_equal(field->name,
                                (weir_bytes){*names, strlen(*names)}))
            return true;
    return false;
}

static void remove_fields(weir_fetch *fetch, const char *const *names)
{
    size_t kept = 0;

    for (size_t i = 0; i < fetch->field_count; i++)
        if (!is_one_of(&fetch->fields[i], names))
            fetch->fields[kept++] = fetch->fields[i];
    fetch->field_count = kept;
}

static void drop_body(weir_fetch *fetch)
{
    static const char *const names[] = {"content-encoding", "content-language",
                                        "content-location", "content-type",
                                        "expect",           NULL};

    remove_fields(fetch, names);
    fetch->method = get;
    fetch->kind = WEIR__HTTP_GET;
    fetch->body = (weir_bytes){NULL, 0};
    fetch->has_body_over = true;
}

int weir__http_redirect_follow(weir_fetch *fetch)
{
    static const char *const secrets[] = {"authorization", "cookie",
                                          "proxy-authorization", "host", NULL};
    struct weir__http_url url;
    int err;

    fetch->is_redirecting = false;
    if (fetch->message == NULL)
        return -ENOMEM; /* its texts could not be kept */
    err = weir__http_url_parse(&url, location_of(fetch), &fetch->url);
    if (err != 0)
        return err == -EINVAL ? WEIR_EHTTP : err;
    if (becomes_get(fetch))
        drop_body(fetch);
    if (!weir__http_url_is_same_origin(&url, &fetch->url))
        remove_fields(fetch, secrets);
    weir__http_url_fini(&fetch->url);
    fetch->url = url;
    fetch->redirects--;
    fetch->client->redirected++;
    fetch->has_retried = false;
    weir__fetch_drop_response(fetch);
    return weir__http_pool_request(fetch, false);
}
