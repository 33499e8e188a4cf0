/* SPDX-License-Identifier: MIT */
/*
 * resp -- a key-value server that speaks RESP, the protocol of Redis.
 *
 *     build/net/resp [ADDRESS]
 *     redis-benchmark -p PORT -t get,set -P 16
 *
 * All commands that have arrived together are answered with one write.  Input
 * that ends in the middle of a command waits in the client's `rest`, and so
 * does input that would be answered faster than the client reads.  At SIGTERM
 * each client gets the answers to the commands that were executed, then the end
 * of the stream.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <weir.h>
#include <weir/net/serve.h>

enum {
    ARGUMENTS = 16,        /* of a command, at most */
    LARGEST = 1024 * 1024, /* bytes of an argument */
    ENOUGH = 64 * 1024,    /* bytes of answers for one write */
    BUCKETS = 1024 * 1024,
};

struct client {
    weir_stream *stream;
    char *rest;
    size_t size; /* of rest */
};

struct entry {
    struct entry *next; /* in its bucket */
    size_t hash, key_size, value_size;
    char bytes[]; /* the key, then the value */
};

/* Used on the loop's thread only. */
static struct entry *buckets[BUCKETS];
static char output[ENOUGH + LARGEST + 64]; /* answers that are not written */
static size_t output_size;

static void *allocate(void *old, size_t size)
{
    void *memory = realloc(old, size);

    if (memory == NULL)
        abort();
    return memory;
}

/* ---- the table ---- */

static size_t hash_of(weir_bytes key)
{
    size_t hash = 14695981039346656037u;

    for (size_t i = 0; i < key.size; i++)
        hash = (hash ^ ((const unsigned char *)key.data)[i]) * 1099511628211u;
    return hash;
}

/* Where the entry is linked from, or would be. */
static struct entry **find(weir_bytes key, size_t hash)
{
    struct entry **link = &buckets[hash % BUCKETS];

    for (; *link != NULL; link = &(*link)->next)
        if ((*link)->hash == hash && (*link)->key_size == key.size &&
            memcmp((*link)->bytes, key.data, key.size) == 0)
            break;
    return link;
}

static void set(weir_bytes key, weir_bytes value)
{
    size_t hash = hash_of(key);
    struct entry **link = find(key, hash), *entry = *link;

    if (entry == NULL || entry->value_size != value.size) {
        struct entry *next = entry != NULL ? entry->next : NULL;

        entry = allocate(entry, sizeof(*entry) + key.size + value.size);
        *entry = (struct entry){next, hash, key.size, value.size};
        memcpy(entry->bytes, key.data, key.size);
        *link = entry;
    }
    memcpy(entry->bytes + key.size, value.data, value.size);
}

static bool erase(weir_bytes key)
{
    struct entry **link = find(key, hash_of(key)), *entry = *link;

    if (entry == NULL)
        return false;
    *link = entry->next;
    free(entry);
    return true;
}

/* ---- answers ---- */

static void answer(const void *data, size_t size)
{
    memcpy(output + output_size, data, size);
    output_size += size;
}

static void answer_text(const char *text)
{
    answer(text, strlen(text));
}

static void answer_number(char kind, size_t number)
{
    char text[32], *at = text + sizeof(text);

    *--at = '\n';
    *--at = '\r';
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    *--at = kind;
    answer(at, (size_t)(text + sizeof(text) - at));
}

static bool is(weir_bytes word, const char *name)
{
    return word.size == strlen(name) &&
           strncasecmp(word.data, name, word.size) == 0;
}

static void answer_value(weir_bytes key)
{
    struct entry *entry = *find(key, hash_of(key));

    if (entry == NULL) {
        answer_text("$-1\r\n");
        return;
    }
    answer_number('$', entry->value_size);
    answer(entry->bytes + entry->key_size, entry->value_size);
    answer_text("\r\n");
}

static void execute(const weir_bytes *word, size_t count)
{
    if (count == 2 && is(word[0], "GET")) {
        answer_value(word[1]);
    } else if (count == 3 && is(word[0], "SET")) {
        set(word[1], word[2]);
        answer_text("+OK\r\n");
    } else if (count == 2 && is(word[0], "DEL")) {
        answer_number(':', erase(word[1]));
    } else if (count == 1 && is(word[0], "PING")) {
        answer_text("+PONG\r\n");
    } else if (is(word[0], "CONFIG")) { /* redis-benchmark asks */
        answer_text("*0\r\n");
    } else {
        answer_text("-ERR unknown command, or a wrong number of arguments\r\n");
    }
}

/* ---- the protocol ---- */

/* Take a line "<kind><number>\r\n" at *at.  Returns 1, 0 (the line is not
 * complete), or -1 (it is something else). */
static int take_number(const char **at, const char *end, char kind,
                       size_t *number)
{
    const char *here = *at;

    if (here < end && *here++ != kind)
        return -1;
    for (*number = 0; here < end && *here != '\r'; here++) {
        if (*here < '0' || *here > '9' || *number > LARGEST)
            return -1;
        *number = 10 * *number + (size_t)(*here - '0');
    }
    if (end - here < 2)
        return 0;
    *at = here + 2;
    return here[1] == '\n' && *number <= LARGEST ? 1 : -1;
}

/* Take a command at *at, as take_number does. */
static int take_command(const char **at, const char *end, weir_bytes *argument,
                        size_t *count)
{
    const char *here = *at;
    int result = take_number(&here, end, '*', count);

    if (result == 1 && (*count == 0 || *count > ARGUMENTS))
        return -1;
    for (size_t i = 0; result == 1 && i < *count; i++) {
        result = take_number(&here, end, '$', &argument[i].size);
        if (result != 1)
            break;
        if ((size_t)(end - here) < argument[i].size + 2)
            return 0;
        argument[i].data = here;
        here += argument[i].size + 2;
    }
    if (result == 1)
        *at = here;
    return result;
}

/* Answer the commands in data, while the client reads the answers.  Returns how
 * many bytes were used, or -1: this is not RESP, or the client is gone. */
static ptrdiff_t serve(struct client *client, const char *data, size_t size)
{
    weir_bytes argument[ARGUMENTS];
    const char *at = data, *end = data + size;
    size_t count;
    int result = 1;

    while (result == 1 && at < end && !weir_stream_is_full(client->stream)) {
        output_size = 0;
        while (output_size < ENOUGH && at < end &&
               (result = take_command(&at, end, argument, &count)) == 1)
            execute(argument, count);
        if (output_size > 0 &&
            weir_stream_write(client->stream,
                              &(weir_bytes){output, output_size}, 1, NULL,
                              NULL) != 0)
            return -1;
    }
    return result >= 0 ? at - data : -1;
}

/* ---- clients ---- */

static void on_closed(void *arg, weir_stream *stream, int status)
{
    struct client *client = arg;

    free(client->rest);
    free(client);
}

/* The service drains, or the client has left, or sends something else. */
static void finish(void *arg, weir_stream *stream)
{
    weir_stream_finish(stream, WEIR_S(2), on_closed, arg);
}

/* Serve input, which is client->rest or was just read. */
static void serve_input(struct client *client, const char *data, size_t size)
{
    ptrdiff_t used = serve(client, data, size);

    if (used < 0) {
        finish(client, client->stream);
        return;
    }
    client->size = size - (size_t)used;
    if (client->size == 0) {
        free(client->rest);
        client->rest = NULL;
    } else {
        if (client->rest == NULL)
            client->rest = allocate(NULL, client->size);
        memmove(client->rest, data + used, client->size);
    }
    if (weir_stream_is_full(client->stream))
        weir_stream_pause(client->stream);
}

static void on_room(void *arg, weir_stream *stream)
{
    struct client *client = arg;

    weir_stream_resume(stream);
    if (client->size > 0)
        serve_input(client, client->rest, client->size);
}

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    struct client *client = arg;

    if (status != 0 || client->size > 2 * LARGEST) {
        finish(client, client->stream);
    } else if (client->rest == NULL) {
        serve_input(client, bytes.data, bytes.size);
    } else {
        client->rest = allocate(client->rest, client->size + bytes.size);
        memcpy(client->rest + client->size, bytes.data, bytes.size);
        serve_input(client, client->rest, client->size + bytes.size);
    }
}

static void on_stream(void *arg, weir_stream *stream)
{
    struct client *client = allocate(NULL, sizeof(*client));

    *client = (struct client){stream, NULL, 0};
    weir_stream_set_arg(stream, client);
    if (weir_stream_read(stream, on_read, client) != 0)
        weir_stream_close(stream, on_closed, client);
}

int main(int argc, char **argv)
{
    weir_stream_options stream = {.size = sizeof(stream), .on_drain = on_room};
    weir_listener_options listener = {.size = sizeof(listener),
                                      .stream = &stream};
    /* With many clients the next request is rarely far.  To look for it for a
     * moment is cheaper than to sleep, also for the client, whose send would
     * have to wake us. */
    weir_loop_options loop = {.size = sizeof(loop), .spin_ns = WEIR_US(50)};
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream,
                                  .on_drain = finish,
                                  .listener = &listener};
    char text[WEIR_ADDRESS_TEXT];
    weir_service *service;
    weir_address address;

    if (weir_service_new(&service, NULL) != 0 ||
        weir_service_add_loop(service, &options.loop, &loop) != 0 ||
        weir_serve(service, argc > 1 ? argv[1] : "127.0.0.1:6379", &options,
                   &address) != 0 ||
        weir_service_start(service) != 0)
        return EXIT_FAILURE;
    weir_address_format(&address, text, sizeof(text));
    printf("listening on %s\n", text);
    fflush(stdout);
    return weir_service_wait(service, -1) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
