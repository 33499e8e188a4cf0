/* SPDX-License-Identifier: MIT */
/*
 * download -- see download.h.
 *
 * What arrives before the program reads the body is kept, up to AHEAD bytes;
 * then the server has to wait.  So a small body that nobody reads holds no
 * connection.  A larger one is aborted when its Response is collected.
 *
 * Tested by  test/js/http/fetch-requests.mjs
 */
#include "http/download.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 64 * 1024 };

static struct weir__js_fetch *of_source(struct weir__js_source *source)
{
    return (struct weir__js_fetch *)source;
}

void weir__js_download_forget(struct weir__js_fetch *fetch)
{
    free(fetch->data);
    fetch->data = NULL;
    fetch->size = fetch->capacity = 0;
}

static void hold_back(struct weir__js_fetch *fetch, bool is_held_back)
{
    if (fetch->has_ended || fetch->is_held_back == is_held_back)
        return;
    fetch->is_held_back = is_held_back;
    (is_held_back ? weir_fetch_pause : weir_fetch_resume)(fetch->handle);
}

/* Give the reader what has arrived. */
static void give_data(struct weir__js_fetch *fetch)
{
    char *data = fetch->data;
    size_t size = fetch->size;

    fetch->data = NULL;
    fetch->size = fetch->capacity = 0;
    weir__js_source_piece(&fetch->source, 0, (weir_bytes){data, size});
    free(data);
}

/* Go on as far as the reader wants. */
void weir__js_download_flow(struct weir__js_fetch *fetch)
{
    if (fetch->mode == WEIR__JS_DOWNLOAD_READ && !fetch->is_paused &&
        fetch->size > 0)
        give_data(fetch);
    if (fetch->mode != WEIR__JS_DOWNLOAD_READ || fetch->is_paused)
        return;
    if (fetch->has_ended) {
        fetch->mode = WEIR__JS_DOWNLOAD_DONE;
        weir__js_source_piece(&fetch->source,
                              fetch->status == 0 ? WEIR_EEOF : fetch->status,
                              (weir_bytes){NULL, 0});
    } else {
        hold_back(fetch, false);
    }
}

void weir__js_download_finish(struct weir__js_fetch *fetch)
{
    fetch->mode = WEIR__JS_DOWNLOAD_DONE;
    weir__js_source_collected(&fetch->source, fetch->status,
                              (weir_bytes){fetch->data, fetch->size});
    weir__js_download_forget(fetch);
}

int weir__js_download_collect(struct weir__js_source *source)
{
    struct weir__js_fetch *fetch = of_source(source);

    fetch->mode = WEIR__JS_DOWNLOAD_COLLECT;
    if (fetch->has_ended)
        weir__js_download_finish(fetch);
    else
        hold_back(fetch, false);
    return 0;
}

int weir__js_download_read(struct weir__js_source *source)
{
    of_source(source)->mode = WEIR__JS_DOWNLOAD_READ;
    weir__js_download_flow(of_source(source));
    return 0;
}

void weir__js_download_pause(struct weir__js_source *source, bool is_paused)
{
    struct weir__js_fetch *fetch = of_source(source);

    fetch->is_paused = is_paused;
    if (is_paused)
        hold_back(fetch, true);
    else
        weir__js_download_flow(fetch);
}

void weir__js_download_cancel(struct weir__js_source *source)
{
    struct weir__js_fetch *fetch = of_source(source);

    JS_FreeValue(source->js->context, source->on_body);
    source->on_body = JS_UNDEFINED;
    fetch->is_paused = false;
    weir__js_download_forget(fetch);
    if (fetch->has_ended)
        weir__js_download_flow(fetch);
    else
        weir_fetch_abort(fetch->handle);
}

/* Only the loop refers to it: nobody will read the body. */
void weir__js_download_abandon(struct weir__js_source *source)
{
    struct weir__js_fetch *fetch = of_source(source);

    if (fetch->has_head && !source->has_begun && !fetch->has_ended)
        weir_fetch_abort(fetch->handle);
}

static bool keep_data(struct weir__js_fetch *fetch, weir_bytes bytes)
{
    size_t needed = fetch->size + bytes.size, capacity;
    char *data;

    if (needed > fetch->capacity) {
        capacity = needed < 4096 ? needed : 2 * needed;
        data = realloc(fetch->data, capacity);
        if (data == NULL)
            return false;
        fetch->data = data;
        fetch->capacity = capacity;
    }
    memcpy(fetch->data + fetch->size, bytes.data, bytes.size);
    fetch->size = needed;
    return true;
}

void weir__js_download_piece(void *arg, weir_fetch *handle, weir_bytes bytes)
{
    struct weir__js_fetch *fetch = arg;

    if (bytes.size == 0 || fetch->source.js == NULL)
        return;
    if (fetch->mode == WEIR__JS_DOWNLOAD_READ && !fetch->is_paused &&
        fetch->size == 0) {
        weir__js_source_piece(&fetch->source, 0, bytes);
        return;
    }
    if (!keep_data(fetch, bytes))
        weir_fetch_abort(handle);
    else if (fetch->mode != WEIR__JS_DOWNLOAD_COLLECT && fetch->size >= AHEAD)
        hold_back(fetch, true);
}
