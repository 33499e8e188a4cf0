/* SPDX-License-Identifier: MIT */
/*
 * tickets -- see tickets.h.
 *
 * A ticket holds the whole state of a session, so an attacker who gets the key
 * can decrypt recorded connections of TLS 1.2 that used it.  Therefore no key
 * is used for long: it encrypts for one rotation, decrypts for another one, and
 * is then overwritten.  A ticket is valid for one rotation, so its key exists
 * as long as the ticket is valid.
 *
 * There is no timer: the keys are replaced when a ticket is needed and they are
 * too old.  The loops of a server share them, under a lock that is held to copy
 * 80 bytes.
 */
#include "tls/tickets.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "weir/clock.h"

enum { NONE = 0, READY = 1, OUTDATED = 2, FAILED = -1 };

bool weir__tickets_init(struct weir__tickets *tickets, int64_t rotation_ns)
{
    memset(tickets, 0, sizeof(*tickets));
    tickets->rotation_ns = rotation_ns;
    tickets->cipher = EVP_CIPHER_fetch(NULL, "AES-256-CBC", NULL);
    return tickets->cipher != NULL;
}

void weir__tickets_fini(struct weir__tickets *tickets)
{
    EVP_CIPHER_free(tickets->cipher);
    OPENSSL_cleanse(tickets, sizeof(*tickets));
}

/* ---- under the lock ---- */

static bool make_key(struct weir__ticket_key *key, int64_t now_ns)
{
    key->since_ns = now_ns;
    key->is_set = RAND_bytes(key->name, sizeof(key->name)) == 1 &&
                  RAND_bytes(key->cipher, sizeof(key->cipher)) == 1 &&
                  RAND_bytes(key->mac, sizeof(key->mac)) == 1;
    return key->is_set;
}

static void forget_outdated(const struct weir__tickets *tickets,
                            struct weir__ticket_key *key, int64_t now_ns)
{
    /* Made one rotation after it, the last key ends one rotation later. */
    if (key->is_set && now_ns - key->since_ns >= 2 * tickets->rotation_ns)
        OPENSSL_cleanse(key, sizeof(*key));
}

static void rotate(struct weir__tickets *tickets, int64_t now_ns)
{
    forget_outdated(tickets, &tickets->last, now_ns);
    forget_outdated(tickets, &tickets->current, now_ns);
    if (tickets->current.is_set &&
        now_ns - tickets->current.since_ns >= tickets->rotation_ns) {
        tickets->last = tickets->current;
        OPENSSL_cleanse(&tickets->current, sizeof(tickets->current));
    }
}

/* ---- any thread ---- */

static int get_newest(struct weir__tickets *tickets,
                      struct weir__ticket_key *key)
{
    int64_t now_ns = weir_clock_now();
    bool is_made = true;

    weir_lock_acquire(&tickets->lock);
    rotate(tickets, now_ns);
    if (!tickets->current.is_set)
        is_made = make_key(&tickets->current, now_ns);
    *key = tickets->current;
    weir_lock_release(&tickets->lock);
    return is_made ? READY : NONE;
}

static int get_named(struct weir__tickets *tickets, const unsigned char *name,
                     struct weir__ticket_key *key)
{
    int64_t now_ns = weir_clock_now();
    int found = NONE;

    weir_lock_acquire(&tickets->lock);
    rotate(tickets, now_ns);
    if (tickets->current.is_set &&
        memcmp(name, tickets->current.name, WEIR__TICKET_NAME) == 0) {
        *key = tickets->current;
        found = READY;
    } else if (tickets->last.is_set &&
               memcmp(name, tickets->last.name, WEIR__TICKET_NAME) == 0) {
        *key = tickets->last;
        found = OUTDATED;
    }
    weir_lock_release(&tickets->lock);
    return found;
}

static bool set_mac(EVP_MAC_CTX *mac, const struct weir__ticket_key *key)
{
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key->mac,
                                          sizeof(key->mac)),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
                                         (char *)"SHA256", 0),
        OSSL_PARAM_construct_end()};

    return EVP_MAC_CTX_set_params(mac, params) == 1;
}

int weir__tickets_prepare(struct weir__tickets *tickets, unsigned char *name,
                          unsigned char *iv, EVP_CIPHER_CTX *cipher,
                          EVP_MAC_CTX *mac, bool is_encrypting)
{
    struct weir__ticket_key key;
    int result = is_encrypting ? get_newest(tickets, &key)
                               : get_named(tickets, name, &key);

    if (result == NONE)
        return NONE;
    if (is_encrypting) {
        memcpy(name, key.name, sizeof(key.name));
        if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(tickets->cipher)) != 1)
            result = FAILED;
    }
    if (result != FAILED &&
        (EVP_CipherInit_ex(cipher, tickets->cipher, NULL, key.cipher, iv,
                           is_encrypting) != 1 ||
         !set_mac(mac, &key)))
        result = FAILED;
    OPENSSL_cleanse(&key, sizeof(key));
    return result;
}
