#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A new process takes over the listening socket while the old one drains.

    test/net/peers/takeover.py [--server NAME|COMMAND] [--rounds N]

As nginx upgrades itself: the new process inherits the socket (LISTEN_FDS), or
listens at the same port (SO_REUSEPORT), and begins to accept; then the old one
gets SIGTERM.  The client opens connections all the time.  None may be refused
or reset, and every request is answered, by the old process or by the new one,
and executed once.
"""
import argparse
import collections
import subprocess

import rig

MIX = "post=40,chunked=20,pipeline=10,connect=30"


def start_client(rng, port, pid):
    """Load until a while after the signal, which comes soon."""
    command = [rig.LOAD, "--port", port, "--pid", pid, "--mix", MIX,
               "--signal-us", rng.randrange(50000, 150000), "--run-ms", 150,
               "--grace-ms", 5000, "--seed", rng.randrange(1 << 32),
               "--reconnect"]
    return rig.start([str(word) for word in command], stdout=subprocess.PIPE)


def read_counts(output):
    """The counts, and the lines about requests that were not answered."""
    counts, lines = collections.Counter(), []
    for line in output.splitlines():
        first, _, rest = line.partition(" ")
        if first in ("request", "odd"):
            lines.append(line)
        elif first != "connection":
            counts[first] = int(rest)
    return counts, lines


def judge(lines, executed):
    """The requests for which nobody can give an account."""
    lost = []
    for line in lines:
        words = line.split()
        is_behind = "after-close" in words
        if words[0] != "request" or not is_behind or executed[int(words[1])]:
            lost.append(line)
    return lost


def inherit(command, options):
    """Both processes have the same socket; the script keeps it, too."""
    listener = rig.listen(4096)
    old = rig.Target(command, *options, listener=listener)
    return old, lambda: rig.Target(command, *options, listener=listener)


def reuse_port(command, options):
    """Each process has a socket of its own, at the same port."""
    old = rig.Target(command, *options, "--reuse-port")
    return old, lambda: rig.Target(command, *options, "--reuse-port",
                                   "--address", f"127.0.0.1:{old.port}")


def take_over(rng, pair, total):
    """One change of processes; the new one drains at the end as well.

    If a new process that inherits is late, connections wait in the queue.
    """
    old, start_new = pair
    client = start_client(rng, old.port, old.pid)
    new = start_new()
    output = client.communicate(timeout=60)[0].decode("latin-1")
    rig.stop(client)
    status = old.wait(5)
    new.signal()
    statuses = (status, new.wait(5))
    executed = old.executed_ids()
    total["by the old one"] += sum(executed.values())
    executed.update(new.executed_ids())
    total["executed"] += sum(executed.values())
    for target in (old, new):
        target.stop()
    counts, lines = read_counts(output)
    total["slowest_us"] = max(total["slowest_us"], counts.pop("slowest_us"))
    total.update(counts)
    total["twice"] += sum(1 for number in executed.values() if number > 1)
    total["exited with 0"] += statuses.count(0)
    return judge(lines, executed)


def check(name, make_pair, rng, command, options, rounds):
    total, lost = collections.Counter(), []
    for _ in range(rounds):
        lost += take_over(rng, make_pair(command, options), total)
    rig.comment(f"{name}: {dict(total)}")
    rig.expect(f"{name}: no request is lost in {rounds} takeovers", not lost,
               f"{len(lost)}:", *lost[:10])
    rig.expect(f"{name}: no connection is refused or reset",
               not total["refused"] and not total["refused_before"]
               and not total["reset"] and not total["connect_failed"])
    rig.expect(f"{name}: every answer is right", not total["wrong"] and not
               total["failed"] and not total["bad"])
    rig.expect(f"{name}: no request is executed twice", not total["twice"])
    rig.expect(f"{name}: both processes have served",
               0 < total["by the old one"] < total["executed"])
    rig.expect(f"{name}: both processes exit with 0",
               total["exited with 0"] == 2 * rounds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default="weir")
    parser.add_argument("--rounds", type=int)
    given = parser.parse_args()
    rounds = given.rounds or (10 if rig.BRIEF else 100)
    rng = rig.seeded()
    command = rig.command_of(given.server)
    if given.server in rig.NODE:
        check("inherited", inherit, rng, command, [], rounds)
    else:
        options = ["--deadline-ms", 3000, "--idle-ms", 500, "--linger-ms", 500]
        check("inherited", inherit, rng, command, options, rounds)
        check("same port", reuse_port, rng, command, options, rounds)
    rig.finish()


main()
