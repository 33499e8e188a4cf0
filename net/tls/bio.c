/* SPDX-License-Identifier: MIT */
/*
 * bio -- see bio.h.
 *
 * A BIO of OpenSSL with our queues behind it.  Reading from an empty queue asks
 * for a retry, so OpenSSL never sees an end of file: the filter reports that.
 * Writing fails only if there is no memory.
 */
#include "tls/bio.h"

#include <string.h>

static int read_in(BIO *bio, char *to, size_t size, size_t *count)
{
    struct weir__tls_pipe *pipe = BIO_get_data(bio);
    weir_bytes bytes = weir__tls_queue_bytes(&pipe->in);

    BIO_clear_retry_flags(bio);
    *count = 0;
    if (bytes.size == 0) {
        BIO_set_retry_read(bio);
        return 0;
    }
    *count = bytes.size < size ? bytes.size : size;
    memcpy(to, bytes.data, *count);
    weir__tls_queue_drop(&pipe->in, *count);
    return 1;
}

static int write_out(BIO *bio, const char *from, size_t size, size_t *count)
{
    struct weir__tls_pipe *pipe = BIO_get_data(bio);
    int err = weir__tls_queue_append(&pipe->out, from, size);

    BIO_clear_retry_flags(bio);
    *count = 0;
    if (err != 0) {
        pipe->err = err;
        return 0;
    }
    *count = size;
    return 1;
}

static long control(BIO *bio, int command, long number, void *pointer)
{
    struct weir__tls_pipe *pipe = BIO_get_data(bio);

    switch (command) {
    case BIO_CTRL_FLUSH:
        return 1;
    case BIO_CTRL_PENDING:
        return (long)weir__tls_queue_bytes(&pipe->in).size;
    case BIO_CTRL_WPENDING:
        return (long)weir__tls_queue_bytes(&pipe->out).size;
    default:
        return 0;
    }
}

BIO_METHOD *weir__tls_bio_methods(void)
{
    /* No separate index: OpenSSL has few, and never frees them. */
    BIO_METHOD *methods = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "weir");

    if (methods != NULL && BIO_meth_set_read_ex(methods, read_in) &&
        BIO_meth_set_write_ex(methods, write_out) &&
        BIO_meth_set_ctrl(methods, control))
        return methods;
    BIO_meth_free(methods);
    return NULL;
}

BIO *weir__tls_bio_new(const BIO_METHOD *methods, struct weir__tls_pipe *pipe)
{
    BIO *bio = BIO_new(methods);

    if (bio == NULL)
        return NULL;
    BIO_set_data(bio, pipe);
    BIO_set_init(bio, 1);
    return bio;
}
