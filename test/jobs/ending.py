# SPDX-License-Identifier: MIT
"""End a script together with everything that it has started."""
import ctypes
import signal
import sys

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1
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
