/* SPDX-License-Identifier: MIT */
/*
 * peer -- the command line, and heads of HTTP.
 *
 *     websocket server [OPTION]...
 *     websocket client PORT COUNT [OPTION]...
 *
 * --deflate            permessage-deflate, with the next four
 * --server-bits=N --client-bits=N --server-fresh --client-fresh
 * --limit=BYTES        of a message
 * --streaming          echo fragments as they come
 * --paced              pause after each message
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings settings;

void must(int err, const char *what)
{
    if (err >= 0)
        return;
    fprintf(stderr, "websocket: %s: %s\n", what, weir_error_text(err));
    exit(2);
}

/* ---- heads ---- */

static void split_field(struct head *head, char *line)
{
    char *colon = strchr(line, ':');
    char *value;

    if (colon == NULL || head->count == FIELDS)
        exit(2);
    value = colon + 1;
    while (*value == ' ')
        value++;
    head->fields[head->count++] =
        (weir_http_field){.name = {line, (size_t)(colon - line)},
                          .value = {value, strlen(value)}};
}

bool head_add(struct head *head, weir_bytes bytes)
{
    char *end, *line;

    if (head->size + bytes.size >= HEAD)
        exit(2);
    memcpy(head->text + head->size, bytes.data, bytes.size);
    head->size += bytes.size;
    end = memmem(head->text, head->size, "\r\n\r\n", 4);
    if (end == NULL)
        return false;
    head->end = (size_t)(end - head->text) + 4;
    *end = '\0';
    head->first = head->text;
    line = strstr(head->text, "\r\n");
    while (line != NULL) {
        *line = '\0';
        line += 2;
        end = strstr(line, "\r\n");
        if (end != NULL)
            *end = '\0';
        split_field(head, line);
        line = end;
    }
    return true;
}

size_t head_write(char *to, size_t size, const char *first,
                  const weir_http_field *fields, size_t count)
{
    size_t used = (size_t)snprintf(to, size, "%s\r\n", first);

    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(
            to + used, size - used, "%.*s: %.*s\r\n", (int)fields[i].name.size,
            (const char *)fields[i].name.data, (int)fields[i].value.size,
            (const char *)fields[i].value.data);
    return used + (size_t)snprintf(to + used, size - used, "\r\n");
}

/* ---- the command line ---- */

static bool read_option(const char *option)
{
    unsigned long number;

    if (strcmp(option, "--deflate") == 0)
        settings.deflate.is_on = true;
    else if (strcmp(option, "--server-fresh") == 0)
        settings.deflate.server_no_context_takeover = true;
    else if (strcmp(option, "--client-fresh") == 0)
        settings.deflate.client_no_context_takeover = true;
    else if (strcmp(option, "--streaming") == 0)
        settings.is_streaming = true;
    else if (strcmp(option, "--paced") == 0)
        settings.is_paced = true;
    else if (sscanf(option, "--server-bits=%lu", &number) == 1)
        settings.deflate.server_max_window_bits = (uint8_t)number;
    else if (sscanf(option, "--client-bits=%lu", &number) == 1)
        settings.deflate.client_max_window_bits = (uint8_t)number;
    else if (sscanf(option, "--limit=%lu", &number) == 1)
        settings.max_message_bytes = number;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    bool is_server = argc > 1 && strcmp(argv[1], "server") == 0;
    bool is_client = argc > 3 && strcmp(argv[1], "client") == 0;
    int status = 0;

    for (int i = is_server ? 2 : 4; i < argc; i++)
        if (!read_option(argv[i]))
            is_server = is_client = false;
    if (!is_server && !is_client) {
        fprintf(stderr, "usage: websocket server|client PORT COUNT\n");
        return 2;
    }
    must(weir_loop_new(&settings.loop, NULL), "weir_loop_new");
    if (is_server)
        serve();
    else
        status = converse(atoi(argv[2]), atoi(argv[3]));
    must(weir_loop_shutdown(settings.loop, -1), "weir_loop_shutdown");
    weir_loop_free(settings.loop);
    return status;
}
