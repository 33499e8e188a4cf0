#!/bin/sh
# SPDX-License-Identifier: MIT
# explorer.sh -- what the explorer prints can be used: a replay string repeats
# the run, the reduction loses no outcome, and a wrong command line says so.
. "$(dirname "$0")/tap.sh"

programs=build/model/test/model

# The run that a search prints, and the one that its replay string gives.
columns() {
    grep -E '^#    +([0-9]+|[a-z_]+) ' | grep -v executions
}

replay_repeats() {
    found=$("$programs/$1" --quiet "$2") || return 1
    picks=$(echo "$found" | sed -n "s/.*--replay '\(.*\)' .*/\1/p")
    again=$("$programs/$1" --replay "$picks" "$2") || return 1
    [ -n "$(echo "$found" | columns)" ] &&
        [ "$(echo "$found" | columns)" = "$(echo "$again" | columns)" ]
}

# Every case of a program that records outcomes, or finds something, comes out
# the same when every single run is made.
reduction_loses_nothing() {
    "$programs/$1" --quiet --no-reduction >/dev/null
}

stuck_in_eight_steps() {
    run=$("$programs/explore/broken" --quiet seed_service_gets_stuck_draining) &&
        echo "$run" | grep -q 'deadlock' &&
        echo "$run" | grep -q 'state: RUNNING -> DRAINING' &&
        [ "$(echo "$run" | grep -cE '^#  +[0-9]+  ')" = 8 ]
}

says_no() {
    "$programs/explore/litmus" "$@" >/dev/null 2>&1
    [ $? = 2 ]
}

random_is_seeded() {
    one=$("$programs/explore/explorer" --quiet --seed 7 --random 3000 bug_is_found_by_search | grep replay)
    two=$("$programs/explore/explorer" --quiet --seed 7 --random 3000 bug_is_found_by_search | grep replay)
    [ -n "$one" ] && [ "$one" = "$two" ]
}

# WEIR_BRIEF replaces the bound of a case, here with 2, but not --bound.
counts() {
    "$programs/gate/gate" --quiet "$@" sharded_three_workers_one_drainer |
        sed -n 's/.* \([0-9]*\) states.*/\1/p'
}

# ... or the search by random runs, here 2000.
executions() {
    "$programs/loop/loop" --quiet "$@" shutdown_against_close_against_submit |
        sed -n 's/^#  *\([0-9]*\) executions.*/\1/p'
}

brief_is_random() {
    [ "$(WEIR_BRIEF=1 executions)" = 2000 ] &&
        [ "$(WEIR_BRIEF=1 executions --random 7)" = 7 ]
}

brief_is_bounded() {
    [ "$(WEIR_BRIEF=1 counts)" = "$(counts --bound 2)" ] &&
        [ "$(WEIR_BRIEF=1 counts --bound 1)" = "$(counts --bound 1)" ]
}

expect "WEIR_BRIEF bounds the largest cases" brief_is_bounded
expect "WEIR_BRIEF makes random runs of others" brief_is_random
expect "replay repeats a deadlock" replay_repeats explore/broken seed_service_gets_stuck_draining
expect "replay repeats a stale read" replay_repeats explore/broken check_then_sleep_with_acq_rel_loses_a_wake
expect "replay repeats a use after free" replay_repeats explore/explorer plain_use_after_free_is_found_by_delay
expect "the seed's service is stuck in eight steps" stuck_in_eight_steps
expect "reduction loses nothing of litmus" reduction_loses_nothing explore/litmus
expect "reduction loses nothing of parker" reduction_loses_nothing base/parker
expect "reduction loses nothing of state" reduction_loses_nothing gate/state
expect "random runs repeat with their seed" random_is_seeded
expect "unknown option is refused" says_no --nonsense
expect "unknown case is refused" says_no no_such_case
expect "replay without a case is refused" says_no --replay 0
expect "a bound that is no number is refused" says_no --bound many
finish
