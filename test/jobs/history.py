#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check the history of a store: the log of test/jobs/crash/process.c.

    history.py LOG

Prints each violation, and returns 1 if there is one.  A line is written after
the commit that it tells of, perhaps much later, so the order of the lines proves
little.  The order of the tokens does: they grow with each commit that claims.  A
job is certainly held from the time in its line "claimed" to that in "ending", if
what followed was accepted; and it was claimed after any moment at which the store
had not yet given out its token.

    lost        a job was acknowledged and never completed
    twice       two completions of a job were accepted, or a token was given twice
    stale       a completion was accepted though a later claim of the job exists, or
                a progress that was sent after one had begun
    order       a job was claimed before another of its key was finished, or as
                many as the limit allows were not
    limit       more jobs of the queue were held at once, or began in a period, than
                its limits allow
    miscounted  an attempt was counted that has not failed
    invented    something happened to a job or a token that never was
"""
import bisect
import collections
import itertools
import sys


class History:
    def __init__(self, lines):
        self.keys = {}                               # id -> key
        self.claims = collections.defaultdict(list)  # id -> tokens
        self.done = collections.defaultdict(list)    # id -> accepted tokens
        self.effects = collections.defaultdict(list)
        self.refused = 0
        self.failed = collections.defaultdict(list)
        self.attempts = {}                           # token -> attempt
        self.begun = {}                              # token -> microseconds
        self.ending = {}
        self.beats = []                              # (job, token, sent) accepted
        self.tokens = collections.Counter()
        self.owner = {}                              # token -> id
        for line in lines:
            words = line.split()
            if len(words) > 1:
                getattr(self, "on_" + words[0])(*words[1:])

    def on_added(self, job, key):
        self.keys[int(job)] = int(key)

    def on_claimed(self, job, token, attempt, key, at=0):
        self.begun.setdefault(int(token), int(at))
        self.attempts[int(token)] = int(attempt)
        self.claims[int(job)].append(int(token))
        self.tokens[int(token)] += 1
        self.owner[int(token)] = int(job)
        # Acknowledged, even if the one that has added it was killed then.
        self.keys.setdefault(int(job), int(key))

    def on_beat(self, job, token, sent, status):
        if status == "OK":
            self.beats.append((int(job), int(token), int(sent)))

    def on_ending(self, _job, token, at):
        self.ending[int(token)] = int(at)

    def on_effect(self, job, token):
        self.effects[int(job)].append(int(token))

    def on_done(self, job, token, status):
        if status == "OK":
            self.done[int(job)].append(int(token))
        elif status == "ELEASE":
            self.refused += 1

    def on_failed(self, job, token, status):
        if status == "OK":
            self.failed[int(job)].append(int(token))
        elif status == "ELEASE":
            self.refused += 1

    def on_ready(self, _pid):
        pass

    def on_drained(self, _pid, _status):
        pass

    def violations(self, is_finished=True, key_limit=1):
        for token, count in self.tokens.items():
            if count > 1:
                yield f"twice: token {token} was given {count} times"
        for job in self.keys:
            yield from self.check_job(job, is_finished)
        yield from self.check_beats()
        yield from self.check_keys(key_limit)

    def check_beats(self):
        for job, token, sent in self.beats:
            later = [t for t in self.claims[job]
                     if t > token and self.begun[t] < sent]
            if later:
                yield f"stale: a progress of job {job} by {token} was accepted " \
                      f"though {later[0]} had begun"

    def check_concurrency(self, limit):
        """At no moment are more jobs certainly held."""
        settled = [token for lists in (self.done, self.failed)
                   for tokens in lists.values() for token in tokens]
        steps = [step for token in settled
                 if token in self.ending and token in self.begun
                 for step in ((self.ending[token], -1), (self.begun[token], 1))]
        held = most = 0
        for _, change in sorted(steps):
            held += change
            most = max(most, held)
        if most > limit:
            yield f"limit: {most} jobs were held at once, not {limit}"

    def check_rate(self, samples, rate, period_us, tokens=None):
        """samples: (a moment, the last token that had been given out by then)."""
        moments = [moment for moment, _ in samples]
        values = [value for _, value in samples]
        spans = []  # between which moments each token was given out
        for token, at in self.begun.items():
            if tokens is not None and token not in tokens:
                continue
            index = bisect.bisect_left(values, token)
            if index > 0:
                spans.append((moments[index - 1], at))
        spans.sort()
        for index, (first, _) in enumerate(spans):
            within = sum(at <= first + period_us for _, at in itertools.takewhile(
                lambda span: span[0] <= first + period_us,
                itertools.islice(spans, index, None)))
            if within > rate:
                yield f"limit: {within} jobs began in a period, not {rate}"
                return

    def check_key_rate(self, samples, rate, period_us):
        tokens = collections.defaultdict(set)
        for token, job in self.owner.items():
            tokens[self.keys.get(job, 0)].add(token)
        for key, claims in tokens.items():
            if key != 0:
                for found in self.check_rate(samples, rate, period_us, claims):
                    yield f"key {key}: {found}"

    def check_job(self, job, is_finished):
        claims, done = self.claims[job], self.done[job]
        if len(done) > 1:
            yield f"twice: job {job} was completed by {done}"
        if done and claims and max(claims) > done[0]:
            yield f"stale: job {job} was completed by {done[0]}, " \
                  f"but claimed by {max(claims)}"
        for token in done + self.effects[job]:
            if self.owner.get(token) != job:
                yield f"invented: token {token} of job {job}"
        # The completion may have been committed and its line lost with the
        # process: then nobody claims the job again, and the caller knows that
        # the store is empty.
        if is_finished and not done and not claims:
            yield f"lost: job {job}"

    def miscounts(self):
        """Without kills, an attempt is one more than the failures before it."""
        for job, tokens in self.claims.items():
            for token in tokens:
                failures = sum(1 for t in self.failed[job] if t < token)
                if self.attempts[token] != failures + 1:
                    yield f"miscounted: job {job} after {failures} failures " \
                          f"was at attempt {self.attempts[token]}"

    def check_keys(self, limit):
        """When a job is claimed first, fewer earlier ones are still claimed.

        With a limit of 1, all claims of a job come before all of the next one.
        """
        by_key = collections.defaultdict(list)
        for job, key in self.keys.items():
            if key and self.claims[job]:
                by_key[key].append(job)
        for key, jobs in by_key.items():
            last = []  # of each earlier job
            for job in sorted(jobs):
                first = min(self.claims[job])
                others = len(last) - bisect.bisect(last, first)
                if others >= limit:
                    yield f"order: job {job} of key {key} was claimed " \
                          f"before {others} others were finished"
                bisect.insort(last, max(self.claims[job]))


def main():
    with open(sys.argv[1]) as log:
        found = list(History(log).violations())
    print("\n".join(found) or "no violation")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
