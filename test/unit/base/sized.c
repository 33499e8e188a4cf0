/* SPDX-License-Identifier: MIT */
/*
 * sized -- structs of other versions: shorter, longer, and without a size.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "support/suite.h"
#include "weir/host/sized.h"

/* Three versions of a struct. */
struct older {
    size_t size;
    uint64_t first;
};

struct known {
    size_t size;
    uint64_t first, second;
};

struct newer {
    size_t size;
    uint64_t first, second, third;
};

static struct known own;

CASE(sized_read_of_NULL_gives_zeros)
{
    memset(&own, 0xa5, sizeof(own));
    expect_status(weir_sized_read(&own, sizeof(own), NULL), 0);
    expect_int(own.size, sizeof(own));
    expect_int(own.first, 0);
    expect_int(own.second, 0);
}

CASE(sized_read_copies_a_struct_of_the_same_version)
{
    const struct known given = {sizeof(given), 1, 2};

    expect_status(weir_sized_read(&own, sizeof(own), &given), 0);
    expect_int(memcmp(&own, &given, sizeof(own)), 0);
}

CASE(sized_read_extends_an_older_struct_with_zeros)
{
    const struct older given = {sizeof(given), 1};

    memset(&own, 0xa5, sizeof(own));
    expect_status(weir_sized_read(&own, sizeof(own), &given), 0);
    expect_int(own.size, sizeof(own));
    expect_int(own.first, 1);
    expect_int(own.second, 0);
}

CASE(sized_read_accepts_a_newer_struct_whose_tail_is_zero)
{
    const struct newer given = {sizeof(given), 1, 2, 0};

    expect_status(weir_sized_read(&own, sizeof(own), &given), 0);
    expect_int(own.size, sizeof(own));
    expect_int(own.first, 1);
    expect_int(own.second, 2);
}

/* Every byte of the tail counts.
 *
 * covers: weir_sized_read -E2BIG */
CASE(sized_read_of_a_newer_struct_with_a_tail_is_refused)
{
    struct known before = {.first = 42};

    own = before;
    for (size_t i = 0; i < sizeof(uint64_t); i++) {
        struct newer given = {sizeof(given), 1, 2, UINT64_C(1) << (8 * i)};

        expect_status(weir_sized_read(&own, sizeof(own), &given), -E2BIG);
        expect_int(memcmp(&own, &before, sizeof(own)), 0);
    }
}

CASE(sized_read_of_an_endless_struct_is_refused_without_reading_it)
{
    static const size_t sizes[] = {WEIR_SIZED_LIMIT + 1, SIZE_MAX};

    for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        expect_status(weir_sized_read(&own, sizeof(own),
                                      &(struct known){.size = sizes[i]}),
                      -E2BIG);
}

/* covers: weir_sized_read -EINVAL */
CASE(sized_read_of_a_struct_without_a_size_is_refused)
{
    for (size_t size = 0; size < sizeof(size); size++)
        expect_status(
            weir_sized_read(&own, sizeof(own), &(struct known){.size = size}),
            -EINVAL);
}

CASE(sized_write_to_an_older_struct_leaves_what_follows_it)
{
    const struct known from = {0, 1, 2};
    struct known to = {sizeof(struct older), 42, 43};

    expect_status(weir_sized_write(&to, &from, sizeof(from)), 0);
    expect_int(to.size, sizeof(struct older));
    expect_int(to.first, 1);
    expect_int(to.second, 43);
}

CASE(sized_write_to_a_newer_struct_clears_what_is_unknown)
{
    const struct known from = {0, 1, 2};
    struct {
        struct newer to;
        uint64_t behind;
    } room = {{sizeof(room.to), 42, 43, 44}, 45};

    expect_status(weir_sized_write(&room.to, &from, sizeof(from)), 0);
    expect_int(room.to.size, sizeof(room.to));
    expect_int(room.to.first, 1);
    expect_int(room.to.second, 2);
    expect_int(room.to.third, 0);
    expect_int(room.behind, 45);
}

/* covers: weir_sized_write -EINVAL */
CASE(sized_write_to_a_struct_without_a_size_is_refused)
{
    static const size_t sizes[] = {0, sizeof(size_t) - 1, WEIR_SIZED_LIMIT + 1,
                                   SIZE_MAX};
    const struct known from = {0, 1, 2};

    expect_status(weir_sized_write(NULL, &from, sizeof(from)), -EINVAL);
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct known to = {sizes[i], 42, 43};

        expect_status(weir_sized_write(&to, &from, sizeof(from)), -EINVAL);
        expect_int(to.first, 42);
    }
}
