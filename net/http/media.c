/* SPDX-License-Identifier: MIT */
/*
 * media -- see media.h.  The types are those that IANA has registered.
 *
 * Tested by  test/net/http/header.c
 */
#include "http/media.h"

#include <string.h>

#include "http/header.h"

#define TYPES(X)                                                               \
    X("7z", "application/x-7z-compressed")                                     \
    X("aac", "audio/aac")                                                      \
    X("apng", "image/apng")                                                    \
    X("avif", "image/avif")                                                    \
    X("bin", "application/octet-stream")                                       \
    X("bmp", "image/bmp")                                                      \
    X("bz2", "application/x-bzip2")                                            \
    X("cjs", "text/javascript; charset=utf-8")                                 \
    X("css", "text/css; charset=utf-8")                                        \
    X("csv", "text/csv; charset=utf-8")                                        \
    X("epub", "application/epub+zip")                                          \
    X("flac", "audio/flac")                                                    \
    X("gif", "image/gif")                                                      \
    X("gz", "application/gzip")                                                \
    X("htm", "text/html; charset=utf-8")                                       \
    X("html", "text/html; charset=utf-8")                                      \
    X("ico", "image/vnd.microsoft.icon")                                       \
    X("ics", "text/calendar; charset=utf-8")                                   \
    X("jpeg", "image/jpeg")                                                    \
    X("jpg", "image/jpeg")                                                     \
    X("js", "text/javascript; charset=utf-8")                                  \
    X("json", "application/json")                                              \
    X("jsonld", "application/ld+json")                                         \
    X("jxl", "image/jxl")                                                      \
    X("m4a", "audio/mp4")                                                      \
    X("m4v", "video/mp4")                                                      \
    X("map", "application/json")                                               \
    X("md", "text/markdown; charset=utf-8")                                    \
    X("mjs", "text/javascript; charset=utf-8")                                 \
    X("mov", "video/quicktime")                                                \
    X("mp3", "audio/mpeg")                                                     \
    X("mp4", "video/mp4")                                                      \
    X("mpeg", "video/mpeg")                                                    \
    X("oga", "audio/ogg")                                                      \
    X("ogg", "audio/ogg")                                                      \
    X("ogv", "video/ogg")                                                      \
    X("opus", "audio/ogg")                                                     \
    X("otf", "font/otf")                                                       \
    X("pdf", "application/pdf")                                                \
    X("png", "image/png")                                                      \
    X("rtf", "application/rtf")                                                \
    X("svg", "image/svg+xml")                                                  \
    X("tar", "application/x-tar")                                              \
    X("tif", "image/tiff")                                                     \
    X("tiff", "image/tiff")                                                    \
    X("ttf", "font/ttf")                                                       \
    X("txt", "text/plain; charset=utf-8")                                      \
    X("wasm", "application/wasm")                                              \
    X("wav", "audio/wav")                                                      \
    X("weba", "audio/webm")                                                    \
    X("webm", "video/webm")                                                    \
    X("webmanifest", "application/manifest+json")                              \
    X("webp", "image/webp")                                                    \
    X("woff", "font/woff")                                                     \
    X("woff2", "font/woff2")                                                   \
    X("xhtml", "application/xhtml+xml")                                        \
    X("xml", "application/xml")                                                \
    X("yaml", "application/yaml")                                              \
    X("yml", "application/yaml")                                               \
    X("zip", "application/zip")                                                \
    X("zst", "application/zstd")

static const struct {
    weir_bytes extension, type;
} types[] = {
#define X(extension, type) {WEIR_BYTES_OF(extension), WEIR_BYTES_OF(type)},
    TYPES(X)
#undef X
};

weir_bytes weir__http_media_type(weir_bytes path)
{
    static const weir_bytes unknown = WEIR_BYTES_OF("application/octet-stream");
    const char *dot = memrchr(path.data, '.', path.size);
    weir_bytes extension;

    if (dot == NULL)
        return unknown;
    extension.data = dot + 1;
    extension.size = path.size - (size_t)(dot + 1 - (const char *)path.data);
    for (size_t n = 0; n < sizeof(types) / sizeof(*types); n++)
        if (weir__http_is_equal(types[n].extension, extension))
            return types[n].type;
    return unknown;
}
