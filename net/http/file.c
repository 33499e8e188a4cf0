/* SPDX-License-Identifier: MIT */
/*
 * file -- static files: which one, whether it has changed, and which part.
 *
 * The order of the conditions is that of RFC 9110, 13.2.2: If-Match,
 * If-Unmodified-Since, If-None-Match, If-Modified-Since, and then Range with
 * If-Range.  The entity tag is made of the time of the last change and the size,
 * so that it changes with them.
 *
 * Each shard opens a root once and keeps it open.
 *
 * Thread    The loop's.
 */
#include "os/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "http/conn.h"
#include "http/header.h"
#include "http/media.h"
#include "http/path.h"
#include "http/range.h"
#include "os/socket.h"
#include "weir/host/memory.h"

enum {
    RANGES = 16,
    SMALL = 16 * 1024, /* bytes that are read and sent with the head */
    FIELDS = 6,
    PATH_BYTES = 8192,
};

#define BOUNDARY "weir-part-of-a-file-5f3759df"

/* A file that is about to be sent. */
struct found {
    int fd;
    struct weir__file_about about;
    weir_bytes type;
    char etag[48];
    char modified[WEIR__HTTP_DATE_SIZE];
    weir_http_field fields[FIELDS];
    size_t field_count;
};

/* ---- roots ---- */

static int find_root(struct weir__http_shard *shard, const char *path)
{
    struct weir__http_root *root;
    size_t size = sizeof(*root) + strlen(path) + 1;
    int fd;

    for (root = shard->roots; root != NULL; root = root->next)
        if (strcmp(root->path, path) == 0)
            return root->fd;
    fd = weir__file_open_root(path);
    if (fd < 0)
        return fd;
    root = weir_memory_alloc(size);
    if (root == NULL) {
        weir__socket_close(fd);
        return -ENOMEM;
    }
    root->next = shard->roots;
    root->fd = fd;
    root->size = size;
    strcpy(root->path, path);
    shard->roots = root;
    return fd;
}

void weir__http_roots_free(struct weir__http_shard *shard)
{
    while (shard->roots != NULL) {
        struct weir__http_root *root = shard->roots;

        shard->roots = root->next;
        weir__socket_close(root->fd);
        weir_memory_free(root, root->size);
    }
}

/* ---- which file ---- */

/* Open a file, or the index.html of a directory.  Returns 0 or -errno. */
static int open_file(struct found *found, int root, char *path, size_t length)
{
    static const char index[] = "/index.html";
    int err;

    found->fd = weir__file_open(root, path);
    if (found->fd < 0)
        return found->fd;
    err = weir__file_stat(found->fd, &found->about);
    if (err == 0 && found->about.is_directory) {
        weir__socket_close(found->fd);
        memcpy(path + length, index, sizeof(index));
        found->fd = weir__file_open(root, path);
        if (found->fd < 0)
            return found->fd;
        err = weir__file_stat(found->fd, &found->about);
    }
    if (err == 0 && !found->about.is_regular)
        err = -EACCES;
    if (err != 0)
        weir__socket_close(found->fd);
    return err;
}

static int find_file(weir_http_request *request, const char *root,
                     struct found *found)
{
    char path[PATH_BYTES + sizeof("/index.html")];
    weir_bytes asked = weir_http_path(request);
    int fd = find_root(request->conn->shard, root), err;
    ssize_t length;

    if (fd < 0)
        return fd;
    if (asked.size >= PATH_BYTES)
        return -ENOENT;
    length = weir__http_path_normalize(path, asked);
    if (length < 0)
        return (int)length;
    err = open_file(found, fd, path, (size_t)length);
    if (err == 0)
        found->type = weir__http_media_type((weir_bytes){path, strlen(path)});
    return err;
}

static unsigned status_of(int err)
{
    switch (err) {
    case -EACCES:
    case -EPERM:
    case -EXDEV:
    case -ELOOP:
        return 403;
    case -EINVAL:
        return 400;
    case -EAGAIN:
    case -EMFILE:
    case -ENFILE:
    case -ENOMEM:
        return 503;
    default:
        return 404;
    }
}

/* ---- conditions ---- */

static void add_field(struct found *found, weir_bytes name, weir_bytes value)
{
    found->fields[found->field_count++] = (weir_http_field){name, value};
}

static void describe(struct found *found)
{
    int size = snprintf(found->etag, sizeof(found->etag),
                        "\"%" PRIx64 "-%" PRIx64 "-%" PRIx64 "\"",
                        (uint64_t)found->about.modified_s,
                        (uint64_t)found->about.modified_ns,
                        (uint64_t)found->about.size);

    weir__http_date_write(found->modified, found->about.modified_s);
    add_field(found, (weir_bytes)WEIR_BYTES_OF("ETag"),
              (weir_bytes){found->etag, (size_t)size});
    add_field(found, (weir_bytes)WEIR_BYTES_OF("Last-Modified"),
              (weir_bytes){found->modified, sizeof(found->modified)});
    add_field(found, (weir_bytes)WEIR_BYTES_OF("Accept-Ranges"),
              (weir_bytes)WEIR_BYTES_OF("bytes"));
}

static bool has_etag(const struct found *found, weir_bytes list, bool is_weak)
{
    return weir__http_etag_match(
        list, (weir_bytes){found->etag, strlen(found->etag)}, is_weak);
}

/* Whether the file was changed after a date; -1: it is not a date. */
static int is_newer(const struct found *found, weir_bytes date)
{
    int64_t second;

    if (date.data == NULL ||
        weir__http_date_parse(date, time(NULL), &second) != 0)
        return -1;
    return found->about.modified_s > second;
}

/* Returns 0 (send it), 304 or 412. */
static unsigned check_conditions(const weir_http_request *request,
                                 const struct found *found)
{
    weir_bytes match = weir_http_field_of(request, "If-Match");
    weir_bytes none_match = weir_http_field_of(request, "If-None-Match");

    if (match.data != NULL) {
        if (!has_etag(found, match, false))
            return 412;
    } else if (is_newer(found, weir_http_field_of(
                                   request, "If-Unmodified-Since")) == 1) {
        return 412;
    }
    if (none_match.data != NULL)
        return has_etag(found, none_match, true) ? 304 : 0;
    return is_newer(found, weir_http_field_of(request, "If-Modified-Since")) ==
                   0
               ? 304
               : 0;
}

/* Whether a Range applies: the client has a part of this very file. */
static bool is_range_valid(const weir_http_request *request,
                           const struct found *found)
{
    weir_bytes condition = weir_http_field_of(request, "If-Range");

    if (condition.data == NULL)
        return true;
    if (condition.size > 0 && *(const char *)condition.data == '"')
        return has_etag(found, condition, false);
    return condition.size == sizeof(found->modified) &&
           memcmp(condition.data, found->modified, condition.size) == 0;
}

/* ---- sending ---- */

static void add_type(struct found *found)
{
    add_field(found, (weir_bytes)WEIR_BYTES_OF("Content-Type"), found->type);
}

/* Send a part.  A small one goes with the head. */
static int send_one(weir_http_request *request, unsigned status,
                    struct found *found, uint64_t first, uint64_t size)
{
    char bytes[SMALL];
    int err;

    add_type(found);
    if (size <= sizeof(bytes)) {
        ssize_t count =
            weir__socket_read_file(found->fd, bytes, size, (int64_t)first);

        if (count == (ssize_t)size) {
            weir__socket_close(found->fd);
            return weir_http_respond_with(request, status, found->fields,
                                          found->field_count,
                                          (weir_bytes){bytes, size});
        }
    }
    err = weir_http_respond_file(request, status, found->fields,
                                 found->field_count, found->fd, (int64_t)first,
                                 (int64_t)size);
    if (err != 0)
        weir__socket_close(found->fd);
    return err;
}

/* The lines before a part of several. */
static size_t write_separator(char *to, size_t capacity,
                              const struct found *found,
                              const struct weir__http_range *range)
{
    char text[WEIR__HTTP_RANGE_TEXT];
    int length =
        (int)(weir__http_range_write(text, range, (uint64_t)found->about.size) -
              text);

    return (size_t)snprintf(to, capacity,
                            "\r\n--" BOUNDARY "\r\nContent-Type: %.*s\r\n"
                            "Content-Range: %.*s\r\n\r\n",
                            (int)found->type.size,
                            (const char *)found->type.data, length, text);
}

static int send_several(weir_http_request *request, struct found *found,
                        const struct weir__http_range *ranges, int count)
{
    static const weir_bytes end = WEIR_BYTES_OF("\r\n--" BOUNDARY "--\r\n");
    char separator[512];
    int64_t total = (int64_t)end.size;
    int err;

    for (int i = 0; i < count; i++)
        total += (int64_t)(write_separator(separator, sizeof(separator), found,
                                           &ranges[i]) +
                           ranges[i].size);
    add_field(
        found, (weir_bytes)WEIR_BYTES_OF("Content-Type"),
        (weir_bytes)WEIR_BYTES_OF("multipart/byteranges; boundary=" BOUNDARY));
    err =
        weir_http_begin(request, 206, found->fields, found->field_count, total);
    if (err != 0) {
        weir__socket_close(found->fd);
        return err;
    }
    request->file = found->fd;
    for (int i = 0; i < count && err == 0; i++) {
        size_t size =
            write_separator(separator, sizeof(separator), found, &ranges[i]);

        err =
            weir_http_write(request, (weir_bytes){separator, size}, NULL, NULL);
        if (err == 0)
            err = weir__http_write_file(request, (int64_t)ranges[i].first,
                                        (int64_t)ranges[i].size);
    }
    if (err == 0)
        err = weir_http_write(request, end, NULL, NULL);
    if (err == 0)
        err = weir_http_end(request, NULL, 0);
    if (err != 0) /* the client must not wait for what the head has promised */
        (void)weir_http_abort(request);
    return 0;
}

static int send_ranges(weir_http_request *request, struct found *found,
                       const struct weir__http_range *ranges, int count)
{
    char text[WEIR__HTTP_RANGE_TEXT];
    size_t size;

    if (count > 1)
        return send_several(request, found, ranges, count);
    size = (size_t)(weir__http_range_write(text, count < 0 ? NULL : ranges,
                                           (uint64_t)found->about.size) -
                    text);
    add_field(found, (weir_bytes)WEIR_BYTES_OF("Content-Range"),
              (weir_bytes){text, size});
    if (count > 0)
        return send_one(request, 206, found, ranges[0].first, ranges[0].size);
    weir__socket_close(found->fd);
    return weir_http_respond_with(request, 416, found->fields,
                                  found->field_count, (weir_bytes){NULL, 0});
}

static int send_found(weir_http_request *request, struct found *found)
{
    struct weir__http_range ranges[RANGES];
    weir_bytes range = weir_http_field_of(request, "Range");
    unsigned status;
    int count = 0;

    describe(found);
    status = check_conditions(request, found);
    if (status != 0) {
        weir__socket_close(found->fd);
        return weir_http_respond_with(request, status, found->fields,
                                      found->field_count,
                                      (weir_bytes){NULL, 0});
    }
    if (range.data != NULL && request->message->method == WEIR__HTTP_GET &&
        is_range_valid(request, found))
        count = weir__http_range_parse(range, (uint64_t)found->about.size,
                                       ranges, RANGES);
    if (count != 0)
        return send_ranges(request, found, ranges, count);
    return send_one(request, 200, found, 0, (uint64_t)found->about.size);
}

int weir_http_serve_file(weir_http_request *request, const char *root)
{
    static const weir_http_field allow = WEIR_HTTP_FIELD("Allow", "GET, HEAD");
    struct found found = {.field_count = 0};
    int err;

    if (request == NULL || root == NULL)
        return -EINVAL;
    if (request->reply != WEIR__REPLY_NONE)
        return -EALREADY;
    if (request->conn == NULL)
        return WEIR_ECLOSED;
    if (request->message->method > WEIR__HTTP_HEAD)
        return weir_http_respond_with(request, 405, &allow, 1,
                                      (weir_bytes){NULL, 0});
    err = find_file(request, root, &found);
    if (err == 0)
        return send_found(request, &found);
    return weir_http_respond(request, status_of(err), NULL, NULL, 0);
}
