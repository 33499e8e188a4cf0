# SPDX-License-Identifier: MIT
"""End a script together with everything that it has started; and what else a
child does before it becomes another program."""
import ctypes
import os
import signal
import sys

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1
CLONE_NEWNET = 0x40000000
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def end_on_signals():
    """Let a signal end the script as an exception does.

    So every `with` stops what it has started.
    """
    def end(signum, _frame):
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + signum)

    for each in SIGNALS:
        signal.signal(each, end)


def end_with_parent(signum=signal.SIGKILL):
    """In a child: ask for a signal when the script ends, however it ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signum)


def enter_network(name):
    """In a child: enter a network namespace of `ip netns`."""
    fd = os.open(f"/run/netns/{name}", os.O_RDONLY)
    if LIBC.setns(fd, CLONE_NEWNET) != 0:
        raise OSError("setns")
    os.close(fd)
