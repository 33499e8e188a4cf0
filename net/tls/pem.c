/* SPDX-License-Identifier: MIT */
/*
 * pem -- see pem.h.
 *
 * Files are read by weir, not by OpenSSL: so the error is the system's, and the
 * bytes of a private key are wiped.  OpenSSL would ask the terminal for the
 * password of an encrypted key; every call here has a callback that does not.
 */
#include "tls/pem.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "os/readfile.h"
#include "weir/host/memory.h"

enum { FILE_LIMIT = 16 * 1024 * 1024 };

int weir__tls_pem_open(struct weir__tls_pem *pem, const char *file,
                       weir_bytes bytes, const char *what,
                       struct weir__tls_reason reason)
{
    int err = 0;

    *pem = (struct weir__tls_pem){NULL, what, NULL, 0, 0};
    if (file != NULL) {
        pem->name = file;
        err = weir__readfile(file, FILE_LIMIT, &pem->data, &pem->size,
                             &pem->allocated);
        bytes = (weir_bytes){pem->data, pem->size};
    } else if (bytes.size > FILE_LIMIT) {
        err = -EFBIG;
    }
    if (err != 0)
        return weir__tls_reason_set(reason, err, "%s: %s", pem->name,
                                    weir_error_text(err));
    /* A size of 0 would be the length of a string. */
    pem->bio = bytes.size == 0 ? BIO_new_mem_buf("", 0)
                               : BIO_new_mem_buf(bytes.data, (int)bytes.size);
    if (pem->bio != NULL)
        return 0;
    weir__tls_pem_close(pem);
    return weir__tls_reason_take(reason, -ENOMEM, NULL);
}

void weir__tls_pem_close(struct weir__tls_pem *pem)
{
    BIO_free(pem->bio);
    if (pem->data != NULL)
        OPENSSL_cleanse(pem->data, pem->size);
    weir_memory_free(pem->data, pem->allocated);
}

static int give_password(char *to, int size, int is_writing, void *password)
{
    size_t length;

    if (password == NULL)
        return -1;
    length = strlen(password);
    if (length > (size_t)size)
        return -1;
    memcpy(to, password, length);
    return (int)length;
}

int weir__tls_pem_next(struct weir__tls_pem *pem, X509 **certificate,
                       struct weir__tls_reason reason)
{
    unsigned long code;

    weir__tls_reason_clear();
    *certificate = PEM_read_bio_X509_AUX(pem->bio, NULL, give_password, NULL);
    if (*certificate != NULL) {
        weir__tls_reason_clear();
        return 0;
    }
    code = ERR_peek_last_error();
    if (ERR_GET_LIB(code) == ERR_LIB_PEM &&
        ERR_GET_REASON(code) == PEM_R_NO_START_LINE) {
        ERR_clear_error();
        return 0;
    }
    return weir__tls_reason_take(reason, WEIR_ECERT, pem->name);
}

int weir__tls_pem_key(struct weir__tls_pem *pem, const char *password,
                      EVP_PKEY **key, struct weir__tls_reason reason)
{
    weir__tls_reason_clear();
    *key = PEM_read_bio_PrivateKey(pem->bio, NULL, give_password,
                                   (void *)password);
    if (*key == NULL)
        return weir__tls_reason_take(reason, WEIR_ECERT, pem->name);
    weir__tls_reason_clear();
    return 0;
}
