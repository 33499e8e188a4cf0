#!/bin/bash
# SPDX-License-Identifier: MIT
# check-pairs -- each mistake that tools/check-pairs looks for is found.
#
# A small tree that is right is broken in one place at a time, by sed.
. "$(dirname "$0")/tap.sh"

# A fresh tree in $tree: one pair of each kind, one relaxed operation.
plant() {
    tree=$scratch/tree
    rm -rf "$tree"
    mkdir -p "$tree/src/part"
    cat >"$tree/src/part/door.c" <<'END'
/* SPDX-License-Identifier: MIT */
/*
 * door -- a flag that hands over a number.
 *
 * Pairs
 *   P1  open: store of flag, release  -->  pass: swap of flag, acquire
 *       Hands over the number.
 *   P2  light: pass, heavy: open.
 *
 * Not paired, on purpose
 *   The first look at the flag.
 */
#include "atomic.h"

void open(void)
{
    /* door/P1 release: publishes the number */
    store_release(&flag, 1);
    /* door/P2 heavy: between the flag and the count */
    weir__membarrier();
}

bool pass(void)
{
    bool first = load_relaxed(&flag); /* relaxed: a guess */

    /* door/P2 light: between the count and the flag */
    fence_light();
    /* door/P1 acquire: receives the number, and the comment that says so
     * goes on for more than one line */
    return swap_acquire(&flag,
                        0) && first;
}
END
}

is_clean() {
    plant && tools/check-pairs --root "$tree"
}

prints_the_pairs() {
    plant
    tools/check-pairs --root "$tree" --print >"$scratch/page" &&
        grep -q '^## door/P1' "$scratch/page" &&
        grep -qF '| release | src/part/door.c: `open` | publishes the number |' \
            "$scratch/page"
}

# finds MESSAGE SED-SCRIPT: the broken tree gives the message, and exit 1.
finds() {
    plant
    sed -i "$2" "$tree/src/part/door.c"
    tools/check-pairs --root "$tree" >"$scratch/findings"
    status=$?
    cat "$scratch/findings"
    [ $status -eq 1 ] && grep -Eq "^[a-z/.]+:[0-9]+: $1" "$scratch/findings"
}

expect "a tree that is right is passed" is_clean
expect "an ordered operation needs a tag" \
    finds 'store_release has no release: comment' '/P1 release/d'
expect "a tag of the other side does not count" \
    finds 'store_release has no release: comment' 's/P1 release/P1 acquire/'
expect "a tag further up does not count" \
    finds 'store_release has no release: comment' 's/.*store_rel/  x = 1;\n&/'
expect "an acq_rel operation needs both tags" \
    finds 'swap_acq_rel has no release: comment' 's/swap_acquire/swap_acq_rel/'
expect "a seq_cst operation needs a tag of its own" \
    finds 'swap_seq_cst has no seq_cst: comment' 's/swap_acquire/swap_seq_cst/'
expect "a light fence needs a tag" \
    finds 'fence_light has no light: comment' '/P2 light/d'
expect "a membarrier needs a tag" \
    finds 'weir__membarrier has no heavy: comment' '/P2 heavy/d'
expect "a relaxed operation needs its reason" \
    finds 'load_relaxed has no relaxed: comment' 's/relaxed: a guess/a guess/'
expect "a tag needs an operation" \
    finds 'door/P1 release: stands at no such' 's/store_release/store_plain/'
expect "a weakened operation leaves its tag behind" \
    finds 'door/P1 acquire: stands at no such' 's/swap_acquire/swap_relaxed/'
expect "a pair needs both ends" \
    finds 'door/P1 has these ends: release$' '/P1 acquire/,/one line/d'
expect "a pair needs both ends of one kind" \
    finds 'door/P2 has these ends: light, acquire' \
    's/P2 heavy/P2 acquire/; s/weir__membarrier()/load_acquire(\&x)/'
expect "a pair needs an entry in the header" \
    finds 'door/P2 is not in the Pairs' '/^ \*   P2/d'
expect "an entry outside the section Pairs does not count" \
    finds 'door/P1 is not in the Pairs' 's/^ \* Pairs/ * Not paired/'
expect "an entry in the header needs tags" \
    finds 'door/P3 has these ends: none' 's/^ \*   P2.*/&\n *   P3  nothing/'
expect "a builtin outside atomic.h is raw" \
    finds 'raw atomic' 's/store_release(/__atomic_store_n(/'
expect "stdatomic.h outside atomic.h is raw" \
    finds 'raw atomic' 's/"atomic.h"/<stdatomic.h>/'
expect "a function of stdatomic.h is raw" \
    finds 'raw atomic' 's/store_release(/atomic_store(/'
expect "--print shows each pair with its ends" prints_the_pairs
finish
