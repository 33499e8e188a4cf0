#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir --otlp`: spans and metrics, as a collector that was written for this
test reads them, by the rules of OTLP's JSON and of W3C's trace context.

    test/api/otlp.py [WEIR]

Prints TAP.
"""
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

WEIR = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/weir")
DEADLINE_S = 60
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
results = []


def check(name, is_true, *details):
    results.append(bool(is_true))
    print(f"{'' if is_true else 'not '}ok {len(results)} - {name}", flush=True)
    if not is_true:
        for detail in details:
            print("\n".join(f"#   {line}" for line in str(detail).split("\n")))


# ---- the collector ----

class Collector(http.server.ThreadingHTTPServer):
    """Keeps what it gets.  `answers` are the next statuses, then 200."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.changed = threading.Condition()
        self.requests, self.answers = [], []
        self.is_silent = False
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def wait(self, condition):
        """Wait until it is true of what was accepted; return that."""
        with self.changed:
            self.changed.wait_for(lambda: condition(self), DEADLINE_S)
            return condition(self)

    def handle_error(self, *_):
        pass  # a client that did not wait for its answer

    def bodies(self, path):
        return [body for where, _, status, body in self.requests
                if where == path and status == 200]

    def spans(self):
        """Each span, with its resource's attributes."""
        return [{**span, "resource": attributes_of(group["resource"])}
                for body in self.bodies("/v1/traces") for group in body["resourceSpans"]
                for scope in group["scopeSpans"] for span in scope["spans"]]

    def metrics(self):
        return {metric["name"]: metric for body in self.bodies("/v1/metrics")
                for group in body["resourceMetrics"] for scope in group["scopeMetrics"]
                for metric in scope["metrics"]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        collector = self.server
        with collector.changed:
            status = collector.answers.pop(0) if collector.answers else 200
            collector.requests.append((self.path, dict(self.headers), status, body))
            collector.changed.notify_all()
            if collector.is_silent:
                collector.changed.wait_for(lambda: not collector.is_silent, DEADLINE_S)
        self.send_response(status)
        if status == 503:
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def value_of(value):
    """The value of an AnyValue, whose kind must be right."""
    (kind, content), = value.items()
    if kind == "intValue":
        assert isinstance(content, str) and re.fullmatch(r"-?\d+", content), value
        return int(content)
    if kind == "arrayValue":
        return [value_of(one) for one in content["values"]]
    kinds = {"stringValue": str, "boolValue": bool, "doubleValue": (int, float)}
    assert isinstance(content, kinds[kind]), value
    return content


def attributes_of(thing):
    pairs = [(pair["key"], value_of(pair["value"])) for pair in thing.get("attributes", [])]
    assert len(dict(pairs)) == len(pairs), f"a key twice: {pairs}"
    assert all(isinstance(key, str) and key for key, _ in pairs)
    return dict(pairs)


SPAN_FIELDS = {"traceId", "spanId", "traceState", "parentSpanId", "flags", "name", "kind",
               "startTimeUnixNano", "endTimeUnixNano", "attributes", "events", "status",
               "resource"}


def faults_of(span, now_ns):
    """What is wrong with a span, by the rules of OTLP."""
    if set(span) - SPAN_FIELDS:
        yield f"unknown fields {set(span) - SPAN_FIELDS}"
    for field, digits in (("traceId", 32), ("spanId", 16), ("parentSpanId", 16)):
        if field == "parentSpanId" and field not in span:
            continue
        if not re.fullmatch(f"[0-9a-f]{{{digits}}}", span.get(field, "")) or \
                not span[field].strip("0"):
            yield f"{field} {span.get(field)!r}"
    if not isinstance(span.get("name"), str) or not span["name"]:
        yield "no name"
    if span.get("kind") not in (1, 2, 3, 4, 5):
        yield f"kind {span.get('kind')}"
    times = [span.get("startTimeUnixNano"), span.get("endTimeUnixNano")]
    if not all(isinstance(one, str) and one.isdigit() for one in times):
        yield f"times {times}"
    elif not now_ns - 600e9 < int(times[0]) <= int(times[1]) < now_ns + 60e9:
        yield f"times {times} at {now_ns}"
    if not isinstance(span.get("flags"), int) or not 0 <= span["flags"] < 2 ** 32:
        yield f"flags {span.get('flags')}"
    if span.get("status", {}).get("code", 0) not in (0, 1, 2):
        yield f"status {span['status']}"
    for event in span.get("events", []):
        if not event["name"] or not int(times[0]) <= int(event["timeUnixNano"]) <= int(times[1]):
            yield f"event {event}"
        attributes_of(event)
    attributes_of(span)


# ---- programs ----

class Program:
    def __init__(self, collector, *options, text, env=()):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [WEIR, *([f"--otlp={collector}"] if collector else []), *options, "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            env={**os.environ, "OTEL_BSP_SCHEDULE_DELAY": "50", **dict(env)})
        self.process.stdin.write(text.encode())
        self.process.stdin.close()

    def line(self):
        return self.process.stdout.readline().decode().strip()

    def end(self, number=signal.SIGTERM):
        if number is not None:
            self.process.send_signal(number)
        code = self.process.wait(DEADLINE_S)
        self.process.stdout.close()
        self.errors.seek(0)
        return code, self.errors.read().decode()


FRONT = """
import { serve } from 'weir:http';
import { span, activeSpan } from 'weir:live';
const back = process.env.BACK;
const server = await serve({ port: 0, hostname: '127.0.0.1', async fetch(request, { signal }) {
    const { pathname } = new URL(request.url);
    if (pathname === '/fails')
        throw new TypeError('it has failed');
    if (pathname === '/leaf')
        return new Response('leaf');
    if (pathname === '/many') {
        for (let i = 0; i < 3000; i++)
            span(`number ${i}`, () => {});
        return new Response('many');
    }
    if (pathname === '/off')
        return new Response(activeSpan()?.isRecording ? 'recorded' : 'not recorded');
    if (pathname.startsWith('/users/'))
        activeSpan()?.setAttribute('http.route', '/users/:id');
    await new Promise((resolve) => setTimeout(resolve, 5));
    const inner = await span('work', { attributes: { size: 3, ratio: 0.5, tags: ['a', 'b'],
        big: 2n ** 40n, isTrue: true } }, async () =>
        (await fetch(`${back}/inner?password=secret`)).text());
    return new Response(inner);
} });
console.log(server.url.href.slice(0, -1));
"""
BACK = """
import http from 'node:http';
const server = http.createServer((req, res) => {
    if (req.url === '/leaf') {
        res.end(JSON.stringify(req.headers));
        return;
    }
    setImmediate(() => http.get({ port: server.address().port, host: '127.0.0.1', path: '/leaf' },
        (inner) => inner.pipe(res)));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => { server.close(); server.closeIdleConnections(); });
"""


def curl(url, *options):
    done = subprocess.run(["curl", "-s", "-m", str(DEADLINE_S), *options, url],
                          capture_output=True, text=True, timeout=2 * DEADLINE_S)
    return done.stdout


def by_id(spans):
    return {span["spanId"]: span for span in spans}


def test_two_services():
    collector = Collector()
    back = Program(collector.url, text=BACK, env=[("OTEL_SERVICE_NAME", "back")])
    back_url = back.line()
    front = Program(collector.url, text=FRONT, env=[
        ("BACK", back_url), ("OTEL_RESOURCE_ATTRIBUTES",
                             "service.name=front,deployment.environment=a%2Cb"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=s%20p,x-other=1")])
    url = front.line()
    got = json.loads(curl(f"{url}/users/7?token=secret", "-H", f"traceparent: 00-{TRACE}-{PARENT}-01",
                          "-H", "tracestate: vendor=1,other=2"))
    spans = collector.wait(lambda one: len(one.spans()) >= 6 and one.spans())
    check("a request through two services makes six spans", len(spans or []) == 6, spans)
    now_ns = time.time_ns()
    faults = [(span["name"], fault) for span in spans for fault in faults_of(span, now_ns)]
    check("each span keeps the rules of OTLP", not faults, faults)
    check("all are of the trace of the request", {span["traceId"] for span in spans} == {TRACE})
    check("... and pass on its tracestate", got["tracestate"] == "vendor=1,other=2" and
          all(span["traceState"] == "vendor=1,other=2" for span in spans), got)
    known, chain = by_id(spans), []
    inner = next(span for span in spans if span["spanId"] not in
                 {one.get("parentSpanId") for one in spans})
    while inner is not None:
        chain.insert(0, inner)
        inner = known.get(inner["parentSpanId"])
    check("each is a child of the one before", [(span["name"], span["kind"]) for span in chain] == [
        ("GET /users/:id", 2), ("work", 1), ("GET", 3), ("GET", 2), ("GET", 3), ("GET", 2)],
        [(span["name"], span["kind"]) for span in chain])
    check("... and the first one of the client's", chain[0]["parentSpanId"] == PARENT)
    check("the last service got the context of its client's span",
          got["traceparent"] == f"00-{TRACE}-{chain[4]['spanId']}-01", got)
    check("a child lies within its parent", all(
        int(outer["startTimeUnixNano"]) <= int(one["startTimeUnixNano"]) and
        int(one["startTimeUnixNano"]) <= int(outer["endTimeUnixNano"])
        for outer, one in zip(chain, chain[1:])), chain)
    check("only the spans of servers have a parent in another process",
          [bool(span["flags"] & 0x200) for span in chain] ==
          [True, False, False, True, False, True] and
          all(span["flags"] & 0x101 == 0x101 for span in chain),
          [span["flags"] for span in chain])
    names = [span["resource"]["service.name"] for span in chain]
    check("the resource names the service", names ==
          ["front", "front", "front", "back", "back", "back"], names)
    check("... with its attributes", chain[0]["resource"]["deployment.environment"] == "a,b" and
          isinstance(chain[0]["resource"]["process.pid"], int), chain[0]["resource"])
    server, client = attributes_of(chain[0]), attributes_of(chain[2])
    port = int(url.split(":")[-1])
    check("the span of a server has the attributes of the conventions", {
        "http.request.method": "GET", "url.path": "/users/7", "url.scheme": "http",
        "http.response.status_code": 200, "http.route": "/users/:id",
        "server.address": "127.0.0.1", "server.port": port, "client.address": "127.0.0.1",
    }.items() <= server.items() and server["user_agent.original"].startswith("curl/"), server)
    check("... and that of a client", client == {
        "http.request.method": "GET", "url.full": f"{back_url}/inner",
        "server.address": "127.0.0.1", "server.port": int(back_url.split(":")[-1]),
        "http.response.status_code": 200}, client)
    check("the program's own attributes have their types", attributes_of(chain[1]) ==
          {"size": 3, "ratio": 0.5, "tags": ["a", "b"], "big": 2 ** 40, "isTrue": True})
    check("no query is sent", "secret" not in json.dumps(collector.requests))
    asked = next(headers for path, headers, _, _ in collector.requests
                 if path == "/v1/traces" and headers.get("api-key"))
    check("requests have the fields that were given", asked["api-key"] == "s p" and
          asked["x-other"] == "1" and asked["Content-Type"] == "application/json", asked)

    before = len(collector.spans())
    curl(f"{url}/fails")
    spans = collector.wait(lambda one: len(one.spans()) > before and one.spans()[before:])
    failed = spans[0]
    event = failed["events"][0]
    check("an error is recorded", failed["status"] == {"code": 2, "message": "it has failed"} and
          attributes_of(failed)["http.response.status_code"] == 500 and
          attributes_of(failed)["error.type"] == "TypeError" and event["name"] == "exception" and
          "[stdin]" in attributes_of(event)["exception.stacktrace"], failed)
    check("... and without a context, it begins a trace", "parentSpanId" not in failed and
          failed["traceId"] != TRACE, failed)
    for text in ("00-" + "0" * 32 + f"-{PARENT}-01", f"00-{TRACE}-{'0' * 16}-01",
                 f"ff-{TRACE}-{PARENT}-01", f"00-{TRACE.upper()}-{PARENT}-01",
                 f"00-{TRACE}-{PARENT}-01-more", "nonsense", ""):
        before = len(collector.spans())
        curl(f"{url}/leaf", "-H", f"traceparent: {text}")
        spans = collector.wait(lambda one: len(one.spans()) > before and one.spans()[before:])
        check(f"the context '{text}' is ignored", len(spans) == 1 and
              "parentSpanId" not in spans[0] and spans[0]["traceId"] != TRACE, spans)
    before = len(collector.spans())
    answer = curl(f"{url}/off", "-H", f"traceparent: 00-{TRACE}-{PARENT}-00")
    curl(f"{url}/leaf")
    spans = collector.wait(lambda one: len(one.spans()) > before and one.spans()[before:])
    check("a trace that its first service does not record is not recorded",
          answer == "not recorded" and len(spans) == 1, answer, spans)
    before = len(collector.spans())
    with collector.changed:
        collector.is_silent = True
    curl(f"{url}/many")
    with collector.changed:
        collector.is_silent = False
        collector.changed.notify_all()
    code, errors = front.end()
    spans = collector.spans()[before:]
    lost = re.search(r"(\d+) of \d+ spans were not sent", errors)
    check("a full queue drops, and the drops are counted", code == 0 and lost and
          len(spans) + int(lost[1]) == 3001 and int(lost[1]) >= 3000 - 2048 - 512,
          len(spans), errors)
    code, errors = back.end()
    check("the other service ends", code == 0 and not errors, code, errors)
    return collector


def test_metrics(collector):
    metrics = collector.metrics()
    check("metrics came at the drain and at the end", {"weir_loop_turns", "weir_http_requests",
                                      "weir_loop_callback_seconds", "weir_loop_queue_depth",
                                      "process_resident_memory_bytes"} <= set(metrics),
          sorted(metrics))
    faults = []
    for name, metric in metrics.items():
        (kind, data), = ((key, metric[key]) for key in ("sum", "gauge", "histogram")
                         if key in metric)
        if kind != "gauge" and data["aggregationTemporality"] != 2:
            faults.append((name, "not cumulative"))
        if kind == "sum" and data["isMonotonic"] is not True:
            faults.append((name, "not monotonic"))
        for point in data["dataPoints"]:
            attributes_of(point)
            if not point["timeUnixNano"].isdigit() or (kind != "gauge" and not
                    0 < int(point["startTimeUnixNano"]) < int(point["timeUnixNano"])):
                faults.append((name, "times", point))
            if kind == "histogram":
                counts, bounds = point["bucketCounts"], point["explicitBounds"]
                if len(counts) != len(bounds) + 1 or bounds != sorted(bounds) or \
                        sum(map(int, counts)) != int(point["count"]) or \
                        not all(isinstance(one, str) for one in [*counts, point["count"]]):
                    faults.append((name, "buckets", point))
            elif not ("asInt" in point and point["asInt"].isdigit() or
                      isinstance(point.get("asDouble"), (int, float))):
                faults.append((name, "value", point))
    check("each metric keeps the rules of OTLP", not faults, faults)
    requests = metrics["weir_http_requests"]["sum"]["dataPoints"][0]
    check("requests are counted, by server", int(requests["asInt"]) >= 1 and
          attributes_of(requests)["server"].startswith("127.0.0.1:"), requests)


SPANS = """
import { span } from 'weir:live';
for (let i = 0; i < 3; i++)
    span('one', () => {});
"""


def test_exit():
    collector = Collector()
    program = Program(collector.url, text=SPANS + "process.exit(3);",
                      env=[("OTEL_BSP_SCHEDULE_DELAY", "60000")])
    code, errors = program.end(None)
    check("spans are sent at process.exit()", code == 3 and len(collector.spans()) == 3 and
          not errors, code, errors, collector.requests)
    collector = Collector()
    program = Program(collector.url, text="""
        import { Worker } from 'node:worker_threads';
        new Worker(`const { span } = require('weir:live');
            span('in a worker', () => {});`, { eval: true });""")
    code, errors = program.end(None)
    check("spans of workers are sent", code == 0 and
          [span["name"] for span in collector.spans()] == ["in a worker"], errors)
    program = Program(collector.url, text="""
        import { span } from 'weir:live';
        try { await span('a', async () => { throw new Error('x'); }); } catch (e) { console.log(e.message); }
        try { span('b', () => { throw 7; }); } catch (e) { console.log(e); }
        console.log(span('c', (it) => it.spanId.length), await span('d', async () => 4));""")
    got = [program.line() for _ in range(3)]
    program.end(None)
    spans = {span["name"]: span for span in collector.spans()}
    check("span() returns and throws what its function does", got == ["x", "7", "16 4"], got)
    check("... and records what was thrown", all(spans[name]["status"].get("code") == 2
                                                 for name in "ab") and
          all(not spans[name]["status"] for name in "cd"), spans)


def test_away():
    with socket.socket() as taken:  # nobody listens here
        taken.bind(("127.0.0.1", 0))
        program = Program(f"http://127.0.0.1:{taken.getsockname()[1]}", text=SPANS)
        code, errors = program.end(None)
    check("without a collector the program ends as usual, and says what was lost", code == 0 and
          "3 of 3 spans were not sent" in errors and errors.count("/v1/traces: ") <= 1, errors)
    collector = Collector()
    collector.answers = [503, 429]
    program = Program(collector.url, text=SPANS + "process.stdin.resume(); "
                      "setInterval(() => {}, 1000);\nprocess.on('SIGTERM', () => process.exit());",
                      env=[("OTEL_METRICS_EXPORTER", "none")])
    spans = collector.wait(lambda one: len(one.spans()) == 3 and one.spans())
    statuses = [status for _, _, status, _ in collector.requests]
    check("a collector that is busy gets the same batch again", spans and
          statuses == [503, 429, 200], statuses)
    code, errors = program.end()
    check("... and nothing is lost", code == 0 and "were not sent" not in errors and
          errors.count("--otlp") == 1, errors)
    collector = Collector()
    collector.answers = [400]
    program = Program(collector.url, text=SPANS, env=[("OTEL_METRICS_EXPORTER", "none")])
    code, errors = program.end(None)
    check("what is refused is not sent again", code == 0 and len(collector.requests) == 1 and
          "answers 400" in errors and "3 of 3 spans" in errors, errors, collector.requests)


def test_silent():
    collector = Collector()
    collector.is_silent = True
    program = Program(collector.url, "--shutdown-deadline=1", text=SPANS + "console.log('on');"
                      "setTimeout(() => console.log('later'), 100);")
    lines = [program.line(), program.line()]
    code, errors = program.end(None)
    check("a collector that does not answer holds nothing up but the end, for its time",
          lines == ["on", "later"] and code == 0 and "3 of 3 spans were not sent" in errors, errors)
    collector.is_silent = False
    collector = Collector()
    collector.is_silent = True
    # Any other deadline comes after the end of this test.
    program = Program(collector.url, "--shutdown-deadline=3600", text=FRONT.replace(
        "port: 0", "drain: { deadline: 700 }, port: 0"), env=[("BACK", "")])
    curl(f"{program.line()}/leaf")
    begin = time.monotonic()
    code, errors = program.end()
    print(f"# a drain with a deadline of 0.7 s took {time.monotonic() - begin:.2f} s")
    check("after a drain, its deadline is that of the export", code == 0 and
          "1 of 1 spans were not sent" in errors, errors)
    with collector.changed:
        collector.is_silent = False
        collector.changed.notify_all()


def test_options():
    program = Program(None, text="import { span, activeSpan } from 'weir:live';"
                      "console.log(span('x', (it) => it.isRecording), activeSpan());",
                      env=[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")])
    line = program.line()
    code, errors = program.end(None)
    check("without the option nothing is sent", line == "false undefined" and code == 0 and
          not errors, line, errors)
    for value, env in (("nowhere", {}), ("ftp://127.0.0.1", {}),
                       ("http://127.0.0.1:1", {"OTEL_RESOURCE_ATTRIBUTES": "nonsense"}),
                       ("http://127.0.0.1:1", {"OTEL_EXPORTER_OTLP_HEADERS": "a b=c"}),
                       ("http://127.0.0.1:1", {"OTEL_BSP_SCHEDULE_DELAY": "-1"})):
        done = subprocess.run([WEIR, f"--otlp={value}", "-e", "1"], capture_output=True, text=True,
                              env={**os.environ, **env})
        check(f"--otlp={value} with {env or 'nothing else'} is refused", done.returncode == 9 and
              done.stderr.startswith("weir: "), done)
    collector = Collector()
    done = subprocess.run([WEIR, "--otlp", "-e", "require('weir:live').span('x', () => {})"],
                          capture_output=True, text=True, timeout=DEADLINE_S, env={
                              **os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": f"{collector.url}/",
                              "OTEL_TRACES_SAMPLER": "traceidratio",
                              "OTEL_TRACES_SAMPLER_ARG": "1"})
    check("the environment names the collector", done.returncode == 0 and
          len(collector.spans()) == 1 and collector.spans()[0]["resource"]["service.name"] ==
          "unknown_service:weir", done)
    done = subprocess.run(
        [WEIR, f"--otlp={collector.url}", "-e",
         "for (let i = 0; i < 1000; i++) require('weir:live').span('y', () => {})"],
        capture_output=True, text=True, timeout=DEADLINE_S, env={
            **os.environ, "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
            "OTEL_TRACES_SAMPLER_ARG": "0.25"})
    count = sum(span["name"] == "y" for span in collector.spans())
    check("a share of the traces is recorded", done.returncode == 0 and 150 < count < 350, count)


test_metrics(test_two_services())
test_exit()
test_away()
test_silent()
test_options()
print(f"1..{len(results)}")
sys.exit(not all(results))
