/* SPDX-License-Identifier: MIT */
/* Configurations that several threads use, while one of them reloads. */
#include "net/support/tls_fixture.h"
#include "support/crew.h"
#include "support/effort.h"

enum { CONNECTING = 2 };

static weir_tls *server, *client, *fresh; /* fresh: does not resume */
static struct identity next;
static bool is_over; /* any thread */
static uint64_t seen[2], resumed;

static void connect_once(weir_tls *by)
{
    struct ends ends;
    X509 *certificate;
    char byte;

    ends_open(&ends, by, server, "localhost");
    expect_status(ends_shake(&ends), 0);
    expect_int(engine_read(&ends.client, &byte, 1), 0); /* the tickets */
    certificate = SSL_get0_peer_certificate(ends.client.ssl);
    if (X509_cmp(certificate, next.certificate) == 0)
        __atomic_fetch_add(&seen[1], 1, __ATOMIC_RELAXED);
    else if (X509_cmp(certificate, leaf.certificate) == 0)
        __atomic_fetch_add(&seen[0], 1, __ATOMIC_RELAXED);
    else
        expect(!"another certificate");
    if (SSL_session_reused(ends.client.ssl))
        __atomic_fetch_add(&resumed, 1, __ATOMIC_RELAXED);
    ends_close(&ends);
}

static void reload_again(void)
{
    struct effort effort = effort_begin(2);
    weir_tls_certificate pairs[2] = {certificate_of(&leaf),
                                     certificate_of(&next)};
    uint64_t round = 0;

    while (effort_goes_on(&effort))
        expect_status(weir_tls_reload(server, &pairs[++round % 2], NULL, 0), 0);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
}

static void work(struct crew *crew, unsigned id)
{
    if (id == 0)
        reload_again();
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        connect_once(id == 1 ? client : fresh);
}

STRESS_CASE(reload_on_one_thread_leaves_the_handshakes_of_others_whole)
{
    identities_make();
    identity_make(&next, &root,
                  &(struct identity_options){.common_name = "next",
                                             .names = "DNS:localhost"});
    server = server_make(&leaf, TLS_OPTIONS());
    client = client_make(&root, TLS_OPTIONS(.sessions = 2));
    fresh = client_make(&root, TLS_OPTIONS(.has_no_resumption = true));
    crew_run(1 + CONNECTING, work, NULL);
    fprintf(stderr, "# %llu and %llu connections, %llu resumed\n",
            (unsigned long long)seen[0], (unsigned long long)seen[1],
            (unsigned long long)resumed);
    expect(seen[0] + seen[1] > 0);
    weir_tls_unref(server);
    weir_tls_unref(client);
    weir_tls_unref(fresh);
    identity_free(&next);
    identities_free();
}
