/* SPDX-License-Identifier: MIT */
/*
 * config -- see config.h.
 *
 * Shape     Everything that OpenSSL keeps for a kind of connection is in one
 *           SSL_CTX, which OpenSSL counts.  A connection takes a reference when
 *           it starts, so a reload only has to build another SSL_CTX and to
 *           replace the pointer: connections keep the one they started with.
 * Roles     Any thread.  The lock is held to copy or replace a pointer.
 */
#include "tls/config.h"

#include <stddef.h>

#include "weir/host/memory.h"

void weir_tls_ref(weir_tls *tls)
{
    weir_lock_acquire(&tls->lock);
    tls->refs++;
    weir_lock_release(&tls->lock);
}

void weir_tls_unref(weir_tls *tls)
{
    uint32_t left;

    if (tls == NULL)
        return;
    weir_lock_acquire(&tls->lock);
    left = --tls->refs;
    weir_lock_release(&tls->lock);
    if (left == 0)
        weir__tls_config_free(tls);
}

SSL_CTX *weir__tls_config_context(weir_tls *tls)
{
    SSL_CTX *context;

    weir_lock_acquire(&tls->lock);
    context = tls->context;
    SSL_CTX_up_ref(context);
    weir_lock_release(&tls->lock);
    return context;
}

void weir__tls_config_free(weir_tls *tls)
{
    SSL_CTX_free(tls->context);
    weir__tls_source_free(tls->source);
    weir__tls_alpn_free(tls->alpn);
    weir__tls_trust_fini(&tls->trust);
    weir__sessions_clear(&tls->sessions);
    weir__tickets_fini(&tls->tickets);
    BIO_meth_free(tls->bio);
    weir_memory_free(tls, sizeof(*tls));
}
