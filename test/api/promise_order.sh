#!/bin/sh
# SPDX-License-Identifier: MIT
# promise_order -- what test/unit/promise/promise_order.c expects is what a
# JavaScript engine does: each scene of test/aplus/order.js, and no others.
. "$(dirname "$0")/tap.sh"

unit=test/unit/promise/promise_order.c
node test/aplus/order.js >"$scratch/orders" || exit 1

expects_this() {
    grep -qxF "SCENE($1, \"$2\")" "$unit"
}

has_no_other() {
    [ "$(grep -c '^SCENE(' "$unit")" -eq "$(wc -l <"$scratch/orders")" ]
}

while IFS= read -r line; do
    name=${line%%: *}
    expect "$name has ECMAScript's order" expects_this "$name" "${line#*: }"
done <"$scratch/orders"
expect "every scene is there in JavaScript" has_no_other
finish
