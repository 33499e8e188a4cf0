# SPDX-License-Identifier: MIT
# tap.sh -- what a test in shell needs: cases, a plan, a scratch directory.
#
#     . "$(dirname "$0")/tap.sh"
#     expect "a sentence that says what holds" COMMAND...
#     finish
#
# seed_random makes $RANDOM repeatable: it prints the seed, which WEIR_SEED sets.
# Runs in the root of the repository; $scratch goes when the test ends.
set -u
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

cases=0
failures=0

# One case: ok if the command succeeds, else its output as a comment.
expect() {
    name=$1
    shift
    cases=$((cases + 1))
    if "$@" >"$scratch/output" 2>&1; then
        echo "ok $cases - $name"
    else
        failures=$((failures + 1))
        echo "not ok $cases - $name"
        sed 's/^/# /' "$scratch/output"
    fi
}

seed_random() {
    RANDOM=${WEIR_SEED:=$RANDOM}
    echo "# WEIR_SEED=$WEIR_SEED"
}

finish() {
    echo "1..$cases"
    [ $failures -eq 0 ]
}
