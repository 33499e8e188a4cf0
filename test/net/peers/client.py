#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""weir's HTTP client against real servers and a proxy.

    test/net/peers/client.py

The client is examples/net/fetch and examples/net/proxy, the peers are nginx,
Node, examples/net/httpd and a small proxy below.  The programs are in build/net
(WEIR_BUILD: another build directory).  All connections are on 127.0.0.1, at
ports that the kernel chooses.
"""
import contextlib
import hashlib
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build"))
LIMIT = 60  # seconds, for each program
PAGE = b"".join(b"line %d of a page\n" % n for n in range(5000))
LARGE = 32 << 20

cases = failures = 0


def case(name, run, *arguments):
    """Run one case, and print its result."""
    global cases, failures
    cases += 1
    try:
        run(*arguments)
        print(f"ok {cases} - {name}", flush=True)
    except Exception as error:  # whatever went wrong, the case has failed
        failures += 1
        print(f"not ok {cases} - {name}\n# {type(error).__name__}: {error}",
              flush=True)


def check(holds, *details):
    if not holds:
        raise AssertionError(" ".join(map(str, details)))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if "proxy" not in k.lower()}
    return kept | more


def fetch(*arguments, **variables):
    """Run the example.  Returns its exit status, output and messages."""
    done = subprocess.run([BUILD / "net/fetch", *arguments], timeout=LIMIT,
                          capture_output=True, env=environment(**variables))
    return done.returncode, done.stdout, done.stderr.decode()


def expect_page(url, page=PAGE, **variables):
    status, output, text = fetch("-p", url, **variables)
    check(status == 0 and output == page, url, status, len(output), text)


def stop(process):
    if process.poll() is None:
        process.kill()
    process.wait()


@contextlib.contextmanager
def running(*command, **variables):
    """Run a program that prints its URL first."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE,
                               env=environment(**variables))
    try:
        ready = select.select([process.stdout], [], [], LIMIT)[0]
        check(ready, command[0], "prints nothing")
        yield process, process.stdout.readline().decode().strip()
    finally:
        stop(process)


# ---- peers ----

NGINX = """
daemon off; master_process off; pid {dir}/pid; error_log {dir}/error.log;
events {{ worker_connections 512; }}
http {{
    log_format short "$connection $status $uri"; access_log {dir}/log short;
    client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy;
    fastcgi_temp_path {dir}/fastcgi; uwsgi_temp_path {dir}/uwsgi;
    scgi_temp_path {dir}/scgi;
    keepalive_requests {requests};
    server {{
        listen 127.0.0.1:{port};
        listen 127.0.0.1:{secure} ssl;
        ssl_certificate {dir}/chain.pem; ssl_certificate_key {dir}/key.pem;
        root {dir}/root;
        gzip on; gzip_types text/plain; gzip_min_length 1;
        location /moved {{ return 302 /page.txt; }}
        location /loop {{ return 302 /loop; }}
        location /lost {{ return 404; }}
    }}
}}
"""


def make_certificates(folder):
    """A CA in ca.pem, and a certificate for 127.0.0.1 that it has signed."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True,
                       capture_output=True)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
            "ca.key", "-out", "ca.pem", "-subj", "/CN=weir test", "-days", "2")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem",
            "-out", "request.pem", "-subj", "/CN=127.0.0.1")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey",
            "ca.key", "-CAcreateserial", "-out", "chain.pem", "-extfile",
            "names", "-days", "2")


class Nginx:
    def __init__(self, folder, requests):
        self.folder = folder / f"nginx-{requests}"
        self.folder.mkdir()
        (self.folder / "root").mkdir()
        (self.folder / "root/page.txt").write_bytes(PAGE)
        for name in "chain.pem", "key.pem":
            shutil.copy(folder / name, self.folder / name)
        self.port, secure = free_port(), free_port()
        (self.folder / "conf").write_text(NGINX.format(
            dir=self.folder, port=self.port, secure=secure,
            requests=requests))
        self.url = f"http://127.0.0.1:{self.port}"
        self.secure = f"https://127.0.0.1:{secure}"
        self.process = subprocess.Popen(
            ["nginx", "-c", self.folder / "conf", "-p", self.folder],
            stderr=subprocess.DEVNULL)

    def wait(self):
        """Until it listens, or has failed."""
        while self.process.poll() is None:
            with contextlib.suppress(OSError):
                self.ask("/page.txt")
                return
        raise RuntimeError((self.folder / "error.log").read_text())

    def ask(self, path):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        opener.open(self.url + path).close()

    def log(self):
        """The connections of the requests of /page.txt since the last call.

        Its only process writes a line after it has answered, so those of the
        last requests are there when it answers another."""
        with contextlib.suppress(urllib.error.HTTPError):
            self.ask("/lost")
        lines = (self.folder / "log").read_text().splitlines()
        (self.folder / "log").write_text("")
        return [line.split()[0] for line in lines if "/page.txt" in line]


NODE = r"""
const http = require('http'), zlib = require('zlib'), crypto = require('crypto');
const page = Buffer.from(Array.from({length: 5000},
                         (_, n) => `line ${n} of a page\n`).join(''));
const pack = {gzip: zlib.gzipSync, br: zlib.brotliCompressSync,
              deflate: zlib.deflateSync};
const large = Buffer.alloc(65536, 'x');
let slow;
const server = http.createServer((req, res) => {
    const name = req.url.slice(1).split('?')[0];
    if (pack[name]) {
        res.setHeader('Content-Encoding', name);
        res.end(pack[name](page));
    } else if (name === 'chunks') {
        for (let n = 0; n < page.length; n += 1000)
            res.write(page.subarray(n, n + 1000));
        res.end();
    } else if (name === 'hash') {
        const hash = crypto.createHash('sha256');
        req.on('data', (data) => hash.update(data));
        req.on('end', () => res.end(hash.digest('hex')));
    } else if (name === 'large') {
        let left = Number(req.url.split('?')[1]);
        const more = () => {
            while (left > 0) {
                left -= large.length;
                if (!res.write(large)) return res.once('drain', more);
            }
            res.end();
        };
        more();
    } else if (name === 'never') {
        console.log('asked');
    } else if (name === 'hold') {   // until /release
        res.write('begun\n');
        slow = res;
        console.log('held');
    } else if (name === 'release') {
        slow.end('ended\n');
        res.end();
    } else if (name === 'cut') {
        res.write('begun');
        setImmediate(() => res.destroy());
    } else {
        res.end(page);
    }
});
server.listen(0, '127.0.0.1',
              () => console.log(`http://127.0.0.1:${server.address().port}`));
"""


class Proxy(threading.Thread):
    """A proxy with CONNECT and absolute targets, for one request each."""

    def __init__(self, answer=None):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.answer, self.heads = answer, []
        self.start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                one = self.listener.accept()[0]
                threading.Thread(target=self.serve, args=(one,),
                                 daemon=True).start()

    def serve(self, one):
        with contextlib.suppress(OSError), one:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = one.recv(65536)
                if not piece:
                    return
                head += piece
            self.heads.append(head.decode())
            method, target, _ = head.decode().split(" ", 2)
            if self.answer:
                one.sendall(self.answer)
                return
            where = re.match(r"(?:http://)?([^/:]+):(\d+)", target)
            other = socket.create_connection((where[1], int(where[2])))
            with other:
                if method == "CONNECT":
                    one.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
                else:
                    other.sendall(head.replace(b"\r\n", b"\r\nConnection: "
                                               b"close\r\n", 1))
                self.join_ends(one, other)

    @staticmethod
    def join_ends(one, other):
        while True:
            for end in select.select([one, other], [], [])[0]:
                piece = end.recv(65536)
                if not piece:
                    return
                (other if end is one else one).sendall(piece)


# ---- cases ----

def thousand_pages(nginx):
    nginx.log()
    status, _, text = fetch("-n", "1000", nginx.url + "/page.txt?%d")
    check(status == 0, text)
    check("1000/1000, 0 failed" in text, text)
    used = nginx.log()
    check(len(used) == 1000, len(used), "requests")
    check(len(set(used)) <= 10, len(set(used)), "connections")


def closing_server(nginx):
    """It closes each connection after a few requests: none is lost."""
    nginx.log()
    status, _, text = fetch("-n", "1000", nginx.url + "/page.txt?%d")
    check(status == 0, text)
    used = nginx.log()
    check(len(used) == 1000, len(used), "requests")
    check(len(set(used)) >= 1000 // 7, len(set(used)), "connections")


def redirects(nginx):
    expect_page(nginx.url + "/moved")
    status, _, text = fetch(nginx.url + "/loop")
    check(status == 1 and "limit" in text, status, text)


def failures_are_counted(nginx):
    status, _, text = fetch("-n", "3", nginx.url + "/lost")
    check(status == 1 and text.count("status 404") == 3, status, text)
    status, _, text = fetch(f"http://127.0.0.1:{free_port()}/")
    check(status == 1 and "efused" in text, status, text)


def https(nginx, ca):
    expect_page(nginx.secure + "/page.txt", SSL_CERT_FILE=str(ca))
    nginx.log()
    status, _, text = fetch("-n", "50", nginx.secure + "/page.txt",
                            SSL_CERT_FILE=str(ca))
    check(status == 0, text)
    check(len(set(nginx.log())) <= 10)
    status, _, text = fetch(nginx.secure + "/page.txt",
                            SSL_CERT_FILE="/dev/null")
    check(status == 1 and "issuer certificate" in text, status, text)


def encodings(node):
    for name in "gzip", "br", "deflate", "chunks", "plain":
        expect_page(f"{node}/{name}")


def await_port(port):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
    raise AssertionError(f"nobody listens at {port}")


def own_server():
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    process = subprocess.Popen([BUILD / "net/httpd", f"127.0.0.1:{port}"])
    try:
        await_port(port)
        status, _, text = fetch("-n", "1000", "-c", "50", url + "?%d")
        check(status == 0, text)
        expect_page(url, b"hello\n")
    finally:
        stop(process)


def through_proxy(nginx, ca):
    proxy = Proxy()
    where = f"http://user:pass@127.0.0.1:{proxy.port}"
    expect_page(nginx.url + "/page.txt", http_proxy=where)
    check(proxy.heads[0].startswith(f"GET {nginx.url}/page.txt HTTP/1.1"),
          proxy.heads)
    check("Proxy-Authorization: Basic dXNlcjpwYXNz" in proxy.heads[0])
    expect_page(nginx.secure + "/page.txt", HTTPS_PROXY=where,
                SSL_CERT_FILE=str(ca))
    check(proxy.heads[1].startswith("CONNECT 127.0.0.1:"), proxy.heads)
    check("Basic dXNlcjpwYXNz" in proxy.heads[1], proxy.heads)
    expect_page(nginx.url + "/page.txt", http_proxy=where,
                no_proxy="127.0.0.1")
    check(len(proxy.heads) == 2, proxy.heads)


def through_refusing_proxy(nginx):
    proxy = Proxy(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
    status, _, text = fetch(nginx.secure, https_proxy=f"127.0.0.1:{proxy.port}")
    check(status == 1 and "ermission denied" in text, status, text)


def interrupted(process, node):
    """Ctrl-C ends it at once, although the server never answers."""
    client = subprocess.Popen([BUILD / "net/fetch", node + "/never"],
                              stderr=subprocess.PIPE, env=environment())
    try:
        check(process.stdout.readline() == b"asked\n")
        client.send_signal(signal.SIGINT)
        check(client.wait(LIMIT) == 130, client.returncode)
        check(b"interrupted" in client.stderr.read())
    finally:
        stop(client)
        client.stderr.close()


def curl(*arguments):
    done = subprocess.run(["curl", "-sS", "--max-time", str(LIMIT), *arguments],
                          capture_output=True, env=environment())
    return done.returncode, done.stdout


def peak_kb(process):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", text)[1])


def reverse_proxy(node, folder):
    """Large bodies both ways, in little memory."""
    (folder / "upload").write_bytes(os.urandom(1 << 20) * (LARGE >> 20))
    wanted = hashlib.sha256((folder / "upload").read_bytes()).hexdigest()
    with running(BUILD / "net/proxy", node) as (process, url):
        before = peak_kb(process)
        for more in [], ["-H", "Transfer-Encoding: chunked"]:
            status, output = curl("-T", folder / "upload", *more, url + "hash")
            check(status == 0 and output.decode() == wanted, status, output)
        status, output = curl("--limit-rate", "40M", url + f"large?{LARGE}")
        check(status == 0 and len(output) == LARGE, status, len(output))
        status, output = curl("--compressed", url + "gzip")
        check(status == 0 and output == PAGE, status, len(output))
        status, output = curl(url + "cut")
        # The proxy resets what it cannot complete, which may overtake the bytes.
        check(status in (18, 52, 56) and b"begun".startswith(output), status, output)
        grown = peak_kb(process) - before
        check(grown < 8192, grown, "kB more")


def reverse_proxy_failures():
    with running(BUILD / "net/proxy",
                 f"http://127.0.0.1:{free_port()}") as (_, url):
        status, output = curl("-w", "%{http_code}", url)
        check(output.endswith(b"502"), status, output)


def reverse_proxy_stops(process, node):
    """SIGTERM in the middle of a response: it still arrives."""
    with running(BUILD / "net/proxy", node) as (proxy, url):
        client = subprocess.Popen(["curl", "-sSN", url + "hold"],
                                  stdout=subprocess.PIPE, env=environment())
        try:
            check(process.stdout.readline() == b"held\n")
            check(client.stdout.readline() == b"begun\n")
            proxy.send_signal(signal.SIGTERM)
            curl(node + "/release")
            check(client.stdout.read() == b"ended\n")
            check(client.wait(LIMIT) == 0, client.returncode)
            check(proxy.wait(LIMIT) == 0, proxy.returncode)
        finally:
            stop(client)
            client.stdout.close()


def main():
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        make_certificates(folder)
        ca = folder / "ca.pem"
        (folder / "node.js").write_text(NODE)
        servers = []
        for requests in 100000, 7:
            nginx = Nginx(folder, requests)
            stack.callback(stop, nginx.process)
            nginx.wait()
            servers.append(nginx)
        nginx, closing = servers
        process, node = stack.enter_context(
            running("node", folder / "node.js"))
        case("a thousand pages use ten connections", thousand_pages, nginx)
        case("a server that closes loses nothing", closing_server, closing)
        case("redirects are followed, up to a limit", redirects, nginx)
        case("failures are counted", failures_are_counted, nginx)
        case("nginx's gzip is decoded", expect_page, nginx.url + "/page.txt")
        case("https verifies the server", https, nginx, ca)
        case("Node's encodings are decoded", encodings, node)
        case("weir's server gets a thousand requests", own_server)
        case("a proxy is used, and CONNECT for https", through_proxy, nginx, ca)
        case("a proxy may refuse", through_refusing_proxy, nginx)
        case("Ctrl-C ends a fetch", interrupted, process, node)
        case("the reverse proxy passes bodies on", reverse_proxy, node, folder)
        case("the reverse proxy reports failures", reverse_proxy_failures)
        case("the reverse proxy stops gracefully", reverse_proxy_stops, process,
             node)
    print(f"1..{cases}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
