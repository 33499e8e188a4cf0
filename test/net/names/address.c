/* SPDX-License-Identifier: MIT */
/*
 * Addresses: their texts, the kernel's structs, and everything that is neither.
 */
#include "weir/net/address.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/random.h"
#include "support/suite.h"

enum { PATH_OFFSET = offsetof(struct sockaddr_un, sun_path) };

static weir_address parsed(const char *text, uint16_t port)
{
    weir_address address;

    memset(&address, 0xff, sizeof(address));
    expect_status(weir_address_parse(&address, text, port), 0);
    return address;
}

static const char *text_of(const weir_address *address)
{
    static char text[WEIR_ADDRESS_TEXT];
    size_t length = weir_address_format(address, text, sizeof(text));

    expect(length < sizeof(text));
    expect_int(length, strlen(text));
    return text;
}

static const char *host_of(const weir_address *address)
{
    static char text[WEIR_ADDRESS_TEXT];
    size_t length = weir_address_format_host(address, text, sizeof(text));

    expect_int(length, strlen(text));
    return text;
}

/* Parse a text, and compare the text that is written from it. */
static void expect_text(const char *from, uint16_t port, const char *to)
{
    weir_address address = parsed(from, port), again;

    expect_string(text_of(&address), to);
    again = parsed(text_of(&address), 0);
    expect(weir_address_is_equal(&address, &again));
}

static void expect_refused(const char *text, int err)
{
    weir_address address, before;

    memset(&address, 0x5a, sizeof(address));
    before = address;
    expect_status(weir_address_parse(&address, text, 80), err);
    expect_int(memcmp(&address, &before, sizeof(address)), 0);
}

/* ---- texts ---- */

CASE(address_of_ipv4_has_its_own_port_or_the_given_one)
{
    expect_text("127.0.0.1:80", 443, "127.0.0.1:80");
    expect_text("127.0.0.1", 443, "127.0.0.1:443");
    expect_text("0.0.0.0", 0, "0.0.0.0:0");
    expect_text("255.255.255.255:65535", 0, "255.255.255.255:65535");
}

CASE(address_of_ipv6_has_its_own_port_or_the_given_one)
{
    expect_text("[::1]:80", 443, "[::1]:80");
    expect_text("[::1]", 443, "[::1]:443");
    expect_text("::1", 443, "[::1]:443");
    expect_text("::", 0, "[::]:0");
    expect_text("2001:DB8:0:0:0:0:0:1", 1, "[2001:db8::1]:1");
    expect_text("[::ffff:1.2.3.4]:5", 0, "[::ffff:1.2.3.4]:5");
}

CASE(address_of_ipv6_has_a_scope_by_name_or_number)
{
    char text[WEIR_ADDRESS_TEXT];

    expect_text("fe80::1%lo", 80, "[fe80::1%lo]:80");
    expect_text("[fe80::1%lo]:81", 80, "[fe80::1%lo]:81");
    snprintf(text, sizeof(text), "fe80::1%%%u", if_nametoindex("lo"));
    expect_text(text, 80, "[fe80::1%lo]:80");
    /* No interface has this number: the text keeps it. */
    expect_text("fe80::1%4000000000", 80, "[fe80::1%4000000000]:80");
}

CASE(address_of_a_path_has_no_port)
{
    weir_address address = parsed("/run/a.sock", 80);

    expect_text("/run/a.sock", 80, "/run/a.sock");
    expect_text("./a:80", 80, "./a:80");
    expect_text("../a", 80, "../a");
    expect_text("@name", 80, "@name");
    expect_text("@", 80, "@");
    expect_int(weir_address_port(&address), 0);
    weir_address_set_port(&address, 81);
    expect_int(weir_address_port(&address), 0);
    expect_string(text_of(&address), "/run/a.sock");
}

CASE(address_without_its_port_has_a_text)
{
    weir_address address = parsed("127.0.0.1:80", 0);

    expect_string(host_of(&address), "127.0.0.1");
    address = parsed("[fe80::1%lo]:80", 0);
    expect_string(host_of(&address), "fe80::1%lo");
    address = parsed("/run/a", 0);
    expect_string(host_of(&address), "/run/a");
    address = parsed("@a", 0);
    expect_string(host_of(&address), "@a");
    address = (weir_address){0};
    expect_string(host_of(&address), "");
    expect_string(host_of(NULL), "");
}

CASE(address_that_is_unknown_is_empty)
{
    weir_address address = {0};

    expect_string(text_of(&address), "");
    expect_string(text_of(NULL), "");
    expect_int(weir_address_family_of(&address), WEIR_ADDRESS_NONE);
    expect_int(weir_address_family_of(NULL), WEIR_ADDRESS_NONE);
    expect_int(weir_address_port(&address), 0);
    weir_address_set_port(&address, 80);
    expect_int(weir_address_port(&address), 0);
}

CASE(address_text_is_cut_to_the_size_given)
{
    weir_address address = parsed("127.0.0.1:80", 0);
    char text[8] = "zzzzzzz";

    expect_int(weir_address_format(&address, text, 5), 12);
    expect_string(text, "127.");
    expect_int(text[5], 'z');
    expect_int(weir_address_format(&address, NULL, 0), 12);
    expect_int(weir_address_format_host(&address, text, 2), 9);
    expect_string(text, "1");
}

CASE(address_has_family_and_port)
{
    weir_address address = parsed("127.0.0.1:80", 0);

    expect_int(weir_address_family_of(&address), WEIR_ADDRESS_IPV4);
    expect_int(weir_address_port(&address), 80);
    weir_address_set_port(&address, 65535);
    expect_string(text_of(&address), "127.0.0.1:65535");
    address = parsed("::1", 80);
    expect_int(weir_address_family_of(&address), WEIR_ADDRESS_IPV6);
    expect_int(weir_address_port(&address), 80);
    weir_address_set_port(&address, 1);
    expect_string(text_of(&address), "[::1]:1");
    address = parsed("@x", 80);
    expect_int(weir_address_family_of(&address), WEIR_ADDRESS_UNIX);
}

CASE(address_parse_refuses_what_is_not_an_address)
{
    static const char *const texts[] = {
        "",
        " ",
        "localhost",
        "localhost:80",
        "example.org",
        "80",
        ":80",
        ":",
        "127.0.0",
        "127.0.0.1.2",
        "127.1",
        "0x7f.0.0.1",
        "127.0.0.256",
        "127.0.0.1:",
        "127.0.0.1:65536",
        "127.0.0.1:100000",
        "127.0.0.1:+1",
        "127.0.0.1:-1",
        "127.0.0.1: 80",
        "127.0.0.1:80 ",
        "127.0.0.1:http",
        " 127.0.0.1",
        "127.0.0.1 ",
        "[127.0.0.1]",
        "[127.0.0.1]:80",
        "[",
        "]",
        "[]",
        "[]:80",
        "[:]",
        "[::1",
        "::1]",
        "[::1]80",
        "[::1]:",
        "[::1]:65536",
        "[::1]::80",
        "[[::1]]",
        "[::1]]:80",
        ":::",
        "1::2::3",
        "::12345",
        "1:2:3:4:5:6:7:8:9",
        "::1%",
        "[::1%]:80",
        "%lo",
        "127.0.0.1%lo",
        "[%lo]",
    };

    /* covers: weir_address_parse -EINVAL */
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        expect_refused(texts[i], -EINVAL);
    expect_refused(NULL, -EINVAL);
    expect_status(weir_address_parse(NULL, "127.0.0.1", 80), -EINVAL);
}

CASE(address_parse_refuses_a_text_that_is_too_long)
{
    char text[300];

    memset(text, '1', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    expect_refused(text, -EINVAL);
    text[WEIR_ADDRESS_TEXT] = '\0';
    expect_refused(text, -EINVAL);
    text[WEIR_ADDRESS_TEXT - 1] = '\0';
    expect_refused(text, -EINVAL);
}

CASE(address_parse_refuses_an_interface_that_does_not_exist)
{
    /* covers: weir_address_parse -ENODEV */
    expect_refused("fe80::1%nonesuch0", -ENODEV);
    expect_refused("[fe80::1%nonesuch0]:80", -ENODEV);
    expect_refused("fe80::1%0", -ENODEV);
    expect_refused("fe80::1%4294967296", -ENODEV);
    expect_refused("fe80::1%99999999999999999999", -ENODEV);
    expect_refused("fe80::1%1x", -ENODEV);
    expect_refused("fe80::1%-1", -ENODEV);
    expect_refused("fe80::1%lo%lo", -ENODEV);
}

CASE(address_parse_refuses_a_path_that_does_not_fit)
{
    char text[120];

    memset(text, 'p', sizeof(text));
    text[0] = '/';
    text[107] = '\0';
    expect_text(text, 0, text);
    text[107] = 'p';
    text[108] = '\0';
    expect_refused(
        text, -ENAMETOOLONG); /* covers: weir_address_parse -ENAMETOOLONG */
    text[0] = '@';            /* needs no NUL */
    expect_text(text, 0, text);
    text[108] = 'p';
    text[109] = '\0';
    expect_refused(text, -ENAMETOOLONG);
}

/* ---- the kernel's structs ---- */

CASE(address_from_a_sockaddr_equals_the_parsed_one)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(80)};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6,
                                .sin6_port = htons(80)};
    weir_address address, other = parsed("127.0.0.1:80", 0);

    ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    memset(ipv4.sin_zero, 0x77, sizeof(ipv4.sin_zero)); /* means nothing */
    expect_status(weir_address_from(&address, &ipv4, sizeof(ipv4)), 0);
    expect(weir_address_is_equal(&address, &other));
    ipv6.sin6_addr = in6addr_loopback;
    expect_status(weir_address_from(&address, &ipv6, sizeof(ipv6)), 0);
    expect(!weir_address_is_equal(&address, &other));
    other = parsed("[::1]:80", 0);
    expect(weir_address_is_equal(&address, &other));
    other = parsed("[::1]:81", 0);
    expect(!weir_address_is_equal(&address, &other));
    other = parsed("[::1%lo]:80", 0);
    expect(!weir_address_is_equal(&address, &other));
}

CASE(address_from_a_larger_struct_takes_its_part)
{
    struct sockaddr_storage storage = {0};
    struct sockaddr_un unix_name = {.sun_family = AF_UNIX};
    weir_address address, other = parsed("127.0.0.1:80", 0);
    const void *name;
    size_t size;

    memset(&storage, 0x33, sizeof(storage));
    name = weir_address_sockaddr(&other, &size);
    expect_int(size, sizeof(struct sockaddr_in));
    memcpy(&storage, name, size);
    expect_status(weir_address_from(&address, &storage, sizeof(storage)), 0);
    expect(weir_address_is_equal(&address, &other));

    memset(unix_name.sun_path, 0x33, sizeof(unix_name.sun_path));
    strcpy(unix_name.sun_path, "/run/a");
    expect_status(weir_address_from(&address, &unix_name, sizeof(unix_name)),
                  0);
    other = parsed("/run/a", 0);
    expect(weir_address_is_equal(&address, &other));
}

CASE(address_from_itself_stays)
{
    weir_address address = parsed("[::1]:80", 0), other = address;
    size_t size;
    const void *name = weir_address_sockaddr(&address, &size);

    expect_status(weir_address_from(&address, name, size), 0);
    expect(weir_address_is_equal(&address, &other));
}

CASE(address_from_bytes_needs_no_alignment)
{
    weir_address address = parsed("[::1]:80", 0), other;
    char bytes[sizeof(struct sockaddr_in6) + 1];
    size_t size;
    const void *name = weir_address_sockaddr(&address, &size);

    memcpy(bytes + 1, name, size);
    expect_status(weir_address_from(&other, bytes + 1, size), 0);
    expect(weir_address_is_equal(&address, &other));
}

CASE(address_of_an_abstract_name_may_contain_nuls)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    weir_address address, other;

    memcpy(name.sun_path, "\0a\0b\0", 5);
    expect_status(weir_address_from(&address, &name, PATH_OFFSET + 5), 0);
    expect_int(weir_address_family_of(&address), WEIR_ADDRESS_UNIX);
    expect_string(text_of(&address), "@a@b@");
    expect_status(weir_address_from(&other, &name, PATH_OFFSET + 4), 0);
    expect_string(text_of(&other), "@a@b");
    expect(!weir_address_is_equal(&address, &other));
    expect_status(weir_address_from(&address, &name, sizeof(name)), 0);
    expect_int(strlen(text_of(&address)), sizeof(name.sun_path));
}

CASE(address_of_a_socket_without_a_name_is_empty)
{
    sa_family_t family = AF_UNIX;
    weir_address address;
    size_t size;

    expect_status(weir_address_from(&address, &family, sizeof(family)), 0);
    expect_int(weir_address_family_of(&address), WEIR_ADDRESS_UNIX);
    expect_string(text_of(&address), "");
    (void)weir_address_sockaddr(&address, &size);
    expect_int(size, sizeof(family));
}

/* The kernel counts a NUL that is beyond the end of sun_path. */
CASE(address_of_the_longest_path_comes_from_the_kernel_and_goes_back)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char bytes[128] = {0};
    socklen_t length = sizeof(bytes);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), other;
    weir_address address;
    const void *again;
    size_t size;

    memset(name.sun_path, '/', 60);
    memset(name.sun_path + 60, 'x', 108 - 60);
    memcpy(name.sun_path + 60, "tmp/", 4);
    snprintf(bytes, sizeof(bytes), "weir-address-%d", (int)getpid());
    memcpy(name.sun_path + 64, bytes, strlen(bytes));
    expect_int(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
    expect_int(listen(fd, 1), 0);
    expect_int(getsockname(fd, (struct sockaddr *)bytes, &length), 0);
    expect_status(weir_address_from(&address, bytes, length), 0);
    expect_int(strlen(text_of(&address)), 108);
    again = weir_address_sockaddr(&address, &size);
    expect_int(size, sizeof(name));
    other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect_int(connect(other, again, (socklen_t)size), 0);
    close(other);
    close(fd);
    expect_int(unlink(text_of(&address)), 0);
}

CASE(address_of_a_bound_socket_is_the_one_it_was_bound_to)
{
    static const char *const texts[] = {"127.0.0.1:0", "@weir-address-test"};

    for (size_t i = 0; i < 2; i++) {
        weir_address address = parsed(texts[i], 0), bound;
        struct sockaddr_storage name;
        socklen_t length = sizeof(name);
        size_t size;
        const struct sockaddr *sockaddr =
            weir_address_sockaddr(&address, &size);
        int fd = socket(sockaddr->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

        expect_int(bind(fd, sockaddr, (socklen_t)size), 0);
        expect_int(getsockname(fd, (struct sockaddr *)&name, &length), 0);
        expect_status(weir_address_from(&bound, &name, length), 0);
        expect(i == 1 || weir_address_port(&bound) != 0);
        weir_address_set_port(&address, weir_address_port(&bound));
        expect(weir_address_is_equal(&address, &bound));
        close(fd);
    }
}

static void expect_from_refused(const void *name, size_t size, int err)
{
    weir_address address, before;

    memset(&address, 0x5a, sizeof(address));
    before = address;
    expect_status(weir_address_from(&address, name, size), err);
    expect_int(memcmp(&address, &before, sizeof(address)), 0);
}

CASE(address_from_a_struct_of_the_wrong_size_is_refused)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};
    union {
        struct sockaddr_un name;
        char bytes[200];
    } path = {.name = {.sun_family = AF_UNIX}};
    weir_address address;

    /* covers: weir_address_from -EINVAL */
    expect_from_refused(NULL, sizeof(ipv4), -EINVAL);
    expect_status(weir_address_from(NULL, &ipv4, sizeof(ipv4)), -EINVAL);
    expect_from_refused(&ipv4, 0, -EINVAL);
    expect_from_refused(&ipv4, 1, -EINVAL);
    expect_from_refused(&ipv4, sizeof(ipv4) - 1, -EINVAL);
    expect_from_refused(&ipv6, sizeof(ipv6) - 1, -EINVAL);
    expect_from_refused(&path, sizeof(path), -EINVAL);
    expect_from_refused(&path, sizeof(path.name) + 1, -EINVAL); /* abstract */
    memset(path.bytes + PATH_OFFSET, 'p', sizeof(path) - PATH_OFFSET);
    expect_from_refused(&path, sizeof(path.name) + 1, -EINVAL);
    expect_status(weir_address_from(&address, &path, sizeof(path.name)), 0);
}

CASE(address_from_another_family_is_refused)
{
    struct sockaddr_storage name = {.ss_family = AF_PACKET};

    /* covers: weir_address_from -EAFNOSUPPORT */
    expect_from_refused(&name, sizeof(name), -EAFNOSUPPORT);
    name.ss_family = AF_UNSPEC;
    expect_from_refused(&name, sizeof(name), -EAFNOSUPPORT);
}

/* ---- random texts ---- */

enum { TEXTS = 200000 };

/* Pieces of addresses, so that many of the texts are almost or really ones. */
static size_t make_text(struct random *random, char *text, size_t size)
{
    static const char *const pieces[] = {
        "127.0.0.1", "::1",  "::", "fe80::1", "[",     "]",   ":",  ".",
        "%lo",       "%",    "80", "65535",   "65536", "0",   "/",  "@",
        "a",         "ffff", "1",  "%1",      "]:80",  ":80", "\n", "\xff",
    };
    size_t length = 0, count = random_below(random, 7);

    text[0] = '\0';
    while (count-- > 0) {
        const char *piece =
            pieces[random_below(random, sizeof(pieces) / sizeof(pieces[0]))];

        if (length + strlen(piece) + 1 >= size)
            break;
        strcpy(text + length, piece);
        length += strlen(piece);
    }
    return length;
}

CASE(address_that_a_random_text_parses_to_is_written_and_parsed_again)
{
    struct random random = {random_seed()};
    static uint64_t taken[2];

    for (unsigned i = 0; i < TEXTS; i++) {
        char text[200], again[WEIR_ADDRESS_TEXT];
        size_t length = make_text(&random, text, sizeof(text));
        char *exact = malloc(length + 1); /* so that ASan sees its end */
        weir_address address, other;
        int err;

        memcpy(exact, text, length + 1);
        err = weir_address_parse(&address, exact, 8);
        free(exact);
        expect(err == 0 || err == -EINVAL || err == -ENODEV);
        taken[err == 0]++;
        if (err != 0)
            continue;
        expect(weir_address_format(&address, again, sizeof(again)) <
               sizeof(again));
        expect_status(weir_address_parse(&other, again, 9), 0);
        expect(weir_address_is_equal(&address, &other));
    }
    expect_all_taken(taken);
}

CASE(address_from_random_bytes_is_written_or_refused)
{
    struct random random = {random_seed()};
    static const sa_family_t families[] = {AF_INET, AF_INET6, AF_UNIX, AF_UNIX};
    static uint64_t taken[2];

    for (unsigned i = 0; i < TEXTS; i++) {
        size_t size = 2 + random_below(&random, 130);
        char *bytes = malloc(size), text[WEIR_ADDRESS_TEXT];
        weir_address address, other;
        const void *name;
        int err;

        for (size_t j = 0; j < size; j++)
            bytes[j] = (char)(random_below(&random, 40) == 0
                                  ? 0
                                  : random_below(&random, 256));
        memcpy(bytes, &families[random_below(&random, 4)], 2);
        err = weir_address_from(&address, bytes, size);
        free(bytes);
        expect(err == 0 || err == -EINVAL);
        taken[err == 0]++;
        if (err != 0)
            continue;
        expect(weir_address_format(&address, text, sizeof(text)) <
               sizeof(text));
        name = weir_address_sockaddr(&address, &size);
        expect_status(weir_address_from(&other, name, size), 0);
        expect(weir_address_is_equal(&address, &other));
    }
    expect_all_taken(taken);
}
