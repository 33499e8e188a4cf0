/* SPDX-License-Identifier: MIT */
/*
 * collect -- a whole response in memory, in one block that grows.
 */
#include <errno.h>
#include <string.h>

#include "http/client.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

void weir__fetch_collect_free(struct weir__fetch_collect *collect)
{
    weir_memory_free(collect->data, collect->capacity);
    collect->data = NULL;
    collect->size = collect->capacity = 0;
}

static int grow(struct weir__fetch_collect *collect, size_t needed)
{
    size_t capacity = collect->capacity * 2;
    char *data;

    if (capacity < needed)
        capacity = needed;
    data = weir_memory_alloc(capacity);
    if (data == NULL)
        return -ENOMEM;
    if (collect->size > 0)
        memcpy(data, collect->data, collect->size);
    weir_memory_free(collect->data, collect->capacity);
    collect->data = data;
    collect->capacity = capacity;
    return 0;
}

static void on_head(void *arg, weir_fetch *fetch, int status)
{
    struct weir__fetch_collect *collect = &fetch->collect;
    int64_t size = weir_fetch_body_size(fetch);

    /* The size of a decoded body is not known, and HEAD has none. */
    if (fetch->inflate != NULL || size <= 0 ||
        !(fetch->message->flags & WEIR__HTTP_BODY))
        return;
    if ((uint64_t)size > collect->limit)
        weir__fetch_stop(fetch, WEIR_ELIMIT);
    else if (grow(collect, (size_t)size) != 0)
        weir__fetch_stop(fetch, -ENOMEM);
}

static void on_body(void *arg, weir_fetch *fetch, weir_bytes bytes)
{
    struct weir__fetch_collect *collect = &fetch->collect;

    if (bytes.size > collect->limit - collect->size) {
        weir__fetch_stop(fetch, WEIR_ELIMIT);
        return;
    }
    if (bytes.size > collect->capacity - collect->size &&
        grow(collect, collect->size + bytes.size) != 0) {
        weir__fetch_stop(fetch, -ENOMEM);
        return;
    }
    memcpy(collect->data + collect->size, bytes.data, bytes.size);
    collect->size += bytes.size;
}

static void on_end(void *arg, weir_fetch *fetch, int status)
{
    struct weir__fetch_collect *collect = &fetch->collect;
    weir_bytes body = {collect->data, status == 0 ? collect->size : 0};

    collect->fn(collect->arg, fetch, status, body);
}

int weir_fetch_collect(weir_http_client *client, weir_fetch **made,
                       size_t limit_bytes, weir_fetch_collected_fn *fn,
                       void *arg, const weir_fetch_options *given)
{
    weir_fetch_options options;
    weir_fetch *fetch;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (fn == NULL || options.on_head != NULL || options.on_body != NULL)
        return -EINVAL;
    options.on_end = on_end;
    options.on_head = on_head;
    options.on_body = on_body;
    if (!options.is_streaming)
        options.on_writable = NULL;
    err = weir_fetch_start(client, &fetch, &options);
    if (err != 0)
        return err;
    fetch->collect.fn = fn;
    fetch->collect.arg = arg;
    fetch->collect.limit = limit_bytes;
    if (made != NULL)
        *made = fetch;
    return 0;
}
