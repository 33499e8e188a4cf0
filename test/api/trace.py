#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Traces of the flight recorder, decoded by Google's protobuf library.

    test/api/trace.py [WEIR] [--pictures DIR]

--pictures only makes the picture of the guide, trace.svg.
Debian's python3-protobuf belongs to Debian's own python3.  Prints TAP.
"""
import collections
import fcntl
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
from xml.etree import ElementTree as tree

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

HERE = pathlib.Path(__file__).resolve().parent
DRAW = HERE.parent.parent / "tools" / "draw-trace"
ARGUMENTS = sys.argv[1:]
PICTURES = None
if "--pictures" in ARGUMENTS:
    PICTURES = pathlib.Path(ARGUMENTS.pop(ARGUMENTS.index("--pictures") + 1))
    ARGUMENTS.remove("--pictures")
WEIR = os.path.abspath(ARGUMENTS[0] if ARGUMENTS else "build/weir")
DEADLINE_S = 120
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
results = []


def load_schema():
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["protoc", f"--proto_path={HERE}", "-o", out.name,
                        "trace.proto"], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(files.file[0])
    return message_factory.MessageFactory(pool).GetPrototype(
        pool.FindMessageTypeByName("perfetto.protos.Trace"))


Trace = load_schema()


class Slice:
    def __init__(self, name, category, begin, event):
        self.name, self.category, self.begin = name, category, begin
        self.end, self.event = None, event
        self.notes = {note.name: note.string_value or note.uint_value
                      for note in event.debug_annotations}


class Decoded:
    """A trace: what is wrong with it, its tracks, and their events."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        trace = Trace.FromString(data)
        self.errors = []
        self.tracks = {}
        self.slices = collections.defaultdict(list)
        self.instants = collections.defaultdict(list)
        self.counters = collections.defaultdict(list)
        self.starts, self.ends = {}, {}
        known = Trace.FromString(data)
        known.DiscardUnknownFields()
        if known.ByteSize() != len(data):
            self.errors.append("unknown fields")
        self.read(trace)

    def read(self, trace):
        open_slices = collections.defaultdict(list)
        latest = {}
        names, categories = {}, {}
        for packet in trace.packet:
            sequence = packet.trusted_packet_sequence_id
            if packet.sequence_flags & 1:
                names[sequence], categories[sequence] = {}, {}
            for entry in packet.interned_data.event_names:
                names[sequence][entry.iid] = entry.name
            for entry in packet.interned_data.event_categories:
                categories[sequence][entry.iid] = entry.name
            if packet.HasField("track_descriptor"):
                self.describe(packet.track_descriptor)
            if not packet.HasField("track_event"):
                continue
            event, track = packet.track_event, packet.track_event.track_uuid
            if track not in self.tracks:
                self.errors.append(f"an event on an unknown track {track}")
            if packet.timestamp < latest.get(track, 0):
                self.errors.append(f"time goes back on track {track}")
            latest[track] = packet.timestamp
            if event.type == END:
                if not open_slices[track]:
                    self.errors.append(f"an end without a begin on {track}")
                else:
                    open_slices[track].pop().end = packet.timestamp
                continue
            if event.type == COUNTER:
                self.counters[track].append(event.counter_value)
                continue
            try:
                made = Slice(names[sequence][event.name_iid],
                             categories[sequence][event.category_iids[0]],
                             packet.timestamp, event)
            except (KeyError, IndexError):
                self.errors.append("a name that was not written")
                continue
            if event.type == BEGIN:
                open_slices[track].append(made)
                self.slices[track].append(made)
            elif event.type == INSTANT:
                self.instants[track].append(made)
            else:
                self.errors.append(f"an event of type {event.type}")
            self.note_flows(event, track, packet.timestamp)
        for track, rest in open_slices.items():
            if rest:
                self.errors.append(f"{len(rest)} slices without an end on {track}")

    def describe(self, track):
        if track.uuid in self.tracks:
            self.errors.append(f"track {track.uuid} twice")
        if track.parent_uuid and track.parent_uuid not in self.tracks:
            self.errors.append(f"track {track.uuid} has no parent")
        self.tracks[track.uuid] = track

    def note_flows(self, event, track, time):
        for ids, table in ((event.flow_ids, self.starts),
                           (event.terminating_flow_ids, self.ends)):
            for flow in ids:
                if flow in table:
                    self.errors.append(f"flow {flow} twice")
                table[flow] = (track, time)

    def flow_errors(self):
        """Each flow has both ends, and does not end before it starts."""
        for flow in self.starts.keys() ^ self.ends.keys():
            yield f"flow {flow} has one end"
        for flow in self.starts.keys() & self.ends.keys():
            if self.starts[flow][1] > self.ends[flow][1]:
                yield f"flow {flow} ends before it starts"

    def all_slices(self):
        return [one for track in self.slices.values() for one in track]

    def all_instants(self):
        return [one for track in self.instants.values() for one in track]

    def named(self, text):
        return [one for one in self.all_slices() + self.all_instants()
                if text in one.name]


def check(name, is_true, *details):
    results.append(bool(is_true))
    print(f"{'' if is_true else 'not '}ok {len(results)} - {name}")
    if not is_true:
        for detail in details:
            print(f"#   {str(detail)[:2000]}")
    sys.stdout.flush()


def run(*args, **options):
    return subprocess.run([WEIR, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          timeout=DEADLINE_S, **options)


def check_sound(what, trace):
    check(f"{what} decodes: known fields, balanced slices, ordered tracks",
          not trace.errors, *trace.errors[:10])
    wrong = list(trace.flow_errors())
    check(f"{what}: flows connect", not wrong and trace.starts, *wrong[:10])


APP = """
const { Worker, isMainThread, parentPort } = require('worker_threads');
const fs = require('fs');
function spin(ms) { const until = Date.now() + ms; while (Date.now() < until); }
if (!isMainThread) {
    parentPort.on('message', (n) => n < 0 ? parentPort.close() : parentPort.postMessage(n));
} else {
    const worker = new Worker(__filename);
    let count = 0;
    worker.on('message', function onMessage(n) { worker.postMessage(++count < 50 ? count : -1); });
    worker.postMessage(0);
    setTimeout(function slowTimer() {
        spin(100);
    }, 1);
    fs.readFile(__filename, function readDone() { spin(1); });
}
"""


def check_everything(scratch):
    app = scratch / "app.js"
    app.write_text(APP)
    file = scratch / "all.pftrace"
    done = run(f"--trace={file}", str(app), cwd=scratch)
    check("--trace runs the program and writes the file",
          done.returncode == 0 and done.stderr == "" and file.exists(),
          done.returncode, done.stderr)
    trace = Decoded(file)
    check_sound("--trace", trace)
    check("only the owner can read it", file.stat().st_mode & 0o777 == 0o600)
    threads = [t for t in trace.tracks.values() if t.HasField("thread")]
    processes = [t for t in trace.tracks.values() if t.HasField("process")]
    check("there is a process, and tracks for main thread, worker and pool",
          len(processes) == 1 and len(threads) >= 3, threads)
    names = {one.name for one in trace.all_slices()}
    slow = trace.named("slowTimer (app.js:12)")
    check("a timer is a slice with function and line",
          len(slow) == 1 and slow[0].category == "timer" and
          slow[0].end - slow[0].begin >= 90_000_000, sorted(names))
    stacks = [one for one in trace.all_instants() if one.name == "stack"]
    # The engine looks every few thousand calls, so a stack comes eventually.
    check("a stack inside it names function, file and line",
          any(frame.function_name == "spin" and frame.line_number == 4 and
              frame.source_file.endswith("/app.js")
              for one in stacks if slow[0].begin <= one.begin <= slow[0].end
              for frame in one.event.callstack.frames) and
          all("    at " in one.notes["stack"] for one in stacks), stacks)
    check("turns, sleeps and jobs are slices", {"turn", "sleep"} <= names and
          any(one.category == "job" for one in trace.all_slices()), names)
    sent, received = trace.named("send"), trace.named("receive")
    across = [flow for flow in trace.starts
              if trace.starts[flow][0] != trace.ends[flow][0]]
    check("each of 100 messages has a flow to its receipt on another thread",
          len(sent) >= 100 and len(received) >= 100 and len(across) >= 100,
          len(sent), len(received), len(across))


def check_posts(scratch):
    app = scratch / "posts.js"
    app.write_text("""
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (!isMainThread) {
    for (let i = 0; i < 1000; i++)
        parentPort.postMessage(i);
} else {
    let next = 0;
    new Worker(__filename).on('message', (i) => { if (i !== next++) throw new Error(`${i}`); });
    process.on('exit', () => { if (next !== 1000) throw new Error(`${next}`); });
}
""")
    file = scratch / "posts.pftrace"
    done = run(f"--trace={file}", str(app), cwd=scratch)
    trace = Decoded(file)
    check("a burst of messages is recorded completely",
          done.returncode == 0 and len(trace.named("receive")) >= 1000,
          done.stderr, len(trace.named("receive")))
    check_sound("a burst", trace)


def check_signal(scratch):
    """SIGUSR2 while JavaScript hangs: the newest events are saved."""
    app = scratch / "hang.js"
    app.write_text("""
let n = 0;
function count() {
    if (++n < 20000)
        return void setImmediate(count);
    console.log('hanging');
    setImmediate(function hang() {
        for (;;)
            Math.sqrt(2);
    });
}
count();
""")
    process = subprocess.Popen([WEIR, str(app)], cwd=scratch, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.stdout.readline()
        # The stack is recorded when the callback has run for 10 ms.
        for _ in range(1000):
            process.send_signal(signal.SIGUSR2)
            line = process.stderr.readline()
            said = re.fullmatch(r"weir: saved (weir-\d+-\d+\.pftrace)\n", line)
            if said is None:
                break
            trace = Decoded(scratch / said[1])
            stacks = [one for one in trace.all_instants()
                      if one.name == "stack"]
            if stacks:
                break
    finally:
        process.kill()
        process.communicate()
    check("SIGUSR2 saves the recorder while JavaScript hangs",
          said is not None, line)
    check("the file decodes: known fields, balanced slices, ordered tracks",
          not trace.errors, *trace.errors[:10])
    frames = [frame for one in stacks for frame in one.event.callstack.frames]
    check("and shows what hangs",
          any(frame.function_name == "hang" and 7 <= frame.line_number <= 9
              for frame in frames), frames)
    recorded = sum(map(len, trace.slices.values()))
    check("a ring keeps 4096 events at most", recorded <= 2 * 4096, recorded)


SLOW = """
import { serve } from 'weir:http';
const server = await serve({ port: 0, hostname: '127.0.0.1',
    async fetch(request) {
        const { pathname, searchParams } = new URL(request.url);
        if (pathname === '/slow')
            await new Promise((resolve) => { setTimeout(resolve, 700); });
        if (pathname === '/spin')
            for (const end = Date.now() + 700; Date.now() < end;)
                ;
        return new Response('done');
    } });
for (const path of process.argv.slice(2))
    await (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
process.exit(7);
"""


def check_slow(scratch):
    """What is slow saves a trace, also if the program ends at once."""
    app = scratch / "slow.mjs"
    app.write_text(SLOW)
    # On a busy machine something else may take as long.
    for path in ("/slow", "/spin"):
        done = run("--trace-slow=600", "--blocked-after=0", app, path, cwd=scratch)
        said = re.search(r"^weir: saved (weir-\d+-1\.pftrace): (.*)$", done.stderr, re.M)
        check(f"--trace-slow saves a trace after {path}, and says why",
              done.returncode == 7 and said and re.fullmatch(r".+ took \d+ ms", said[2]), done)
        if said is None:
            continue
        trace = Decoded(scratch / said[1])
        check(f"the trace of {path} decodes", not trace.errors, *trace.errors[:10])
    done = run("--trace-slow=100000000", app, "/", cwd=scratch)
    check("nothing that is quicker saves one", done.returncode == 7 and
          "saved" not in done.stderr, done)
    done = run("--trace-slow=0", app, cwd=scratch)
    check("--trace-slow=0 is refused", done.returncode not in (0, 7) and
          "--trace-slow" in done.stderr, done)


def check_listener(scratch):
    done = run("-e", """
process.on('SIGUSR2', () => { console.log('mine'); clearInterval(hold); });
const hold = setInterval(() => {}, 1000);
process.kill(process.pid, 'SIGUSR2');
""", cwd=scratch)
    check("a program that listens to SIGUSR2 gets it",
          done.stdout == "mine\n" and done.stderr == "", done)


def check_errors(scratch):
    done = run("--trace=/nonexistent/file", "-e", "1", cwd=scratch)
    check("a file that cannot be written fails the program",
          done.returncode == 1 and "/nonexistent/file" in done.stderr, done)
    file = scratch / "again.pftrace"
    file.write_text("old")
    done = run(f"--trace={file}", "-e", "process.exit(3)", cwd=scratch)
    check("process.exit: the file is replaced, and the exit code kept",
          done.returncode == 3 and not Decoded(file).errors, done)
    pipe, file = scratch / "pipe", scratch / "copied.pftrace"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 1 << 20)
    done = run(f"--trace={pipe}", "-e", "1", cwd=scratch)
    check("a pipe is written to, and not replaced",
          done.returncode == 0 and pipe.is_fifo(), done)
    if pipe.is_fifo():
        file.write_bytes(os.read(end, 1 << 20))
        check("what it gets decodes", not Decoded(file).errors)
    os.close(end)


PICTURE = """
const { Worker, isMainThread, parentPort } = require('worker_threads');
const fs = require('fs');
function spin(ms) { for (const end = performance.now() + ms; performance.now() < end;); }
if (!isMainThread) {
    parentPort.on('message', function square(n) {
        spin(2);
        parentPort.postMessage(n * n);
        if (n === 4)
            parentPort.close();
    });
} else {
    const worker = new Worker(__filename);
    let n = 1;
    worker.on('message', function onAnswer() {
        spin(1);
        if (++n <= 4)
            worker.postMessage(n);
    });
    worker.once('online', function begin() {
        worker.postMessage(1);
        fs.readFile(__filename, function onFile() { spin(1); });
        setTimeout(function slowTimer() { spin(3); }, 3);
    });
}
"""


def make_picture(scratch, path):
    app, trace = scratch / "pictured.js", scratch / "pictured.pftrace"
    app.write_text(PICTURE)
    run(f"--trace={trace}", app)
    return subprocess.run([DRAW, trace, path, "--from", "worker_threads"], text=True,
                          capture_output=True)


def check_picture(scratch):
    """tools/draw-trace has a reader of its own."""
    path = scratch / "trace.svg"
    done = make_picture(scratch, path)
    check("a trace can be drawn", done.returncode == 0, done)
    texts = " ".join(tree.parse(path).getroot().itertext()) if path.exists() else ""
    check("the picture has the slices by name", all(name in texts for name in (
        "square (pictured.js:6)", "slowTimer", "readFile")), texts)
    check("... and arrows between threads", path.read_text().count("marker-end") > 4)


def main():
    if PICTURES:
        with tempfile.TemporaryDirectory() as scratch:
            sys.exit(make_picture(pathlib.Path(scratch), PICTURES / "trace.svg").returncode)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        check_everything(scratch)
        check_posts(scratch)
        check_signal(scratch)
        check_slow(scratch)
        check_listener(scratch)
        check_errors(scratch)
        check_picture(scratch)
    print(f"1..{len(results)}")
    sys.exit(not all(results))


main()
