#!/bin/bash
# SPDX-License-Identifier: MIT
# weir's TLS against OpenSSL's programs and curl: test/net/peers/tls/tls.c is
# the server or the client, the other end is another program.
#
#     test/net/peers/tls.sh [BUILD]       BUILD: build
. "$(dirname "$0")/../../api/tap.sh"
cd ..
tls=${1:-build}/peers/tls
pem=$scratch/pem
started=()
servers=0

stop_all() {
    for pid in "${started[@]}"; do
        kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
    done
}
trap 'stop_all; rm -rf "$scratch"' EXIT

# Wait until a file has a line that matches, and print the line.
wait_for() {
    local reader status
    : >>"$1" # the program that writes it may not have begun
    exec 7< <(exec timeout 20 tail -n +1 -f "$1" 2>/dev/null)
    reader=$!
    grep -m 1 -- "$2" <&7
    status=$?
    kill $reader 2>/dev/null
    exec 7<&-
    return $status
}

# Start a server of weir.  Sets $port; $log has what it prints, and what is
# written to descriptor 4 is its input.
serve() {
    log=$scratch/server.$((++servers))
    mkfifo "$log.in"
    "$tls" server "$@" <"$log.in" >"$log" 2>&1 &
    started+=($!)
    exec 4>"$log.in"
    port=$(wait_for "$log" '^[0-9]*$')
}

# Start a server of OpenSSL.  Sets $port and $pid.
serve_openssl() {
    log=$scratch/server.$((++servers))
    openssl s_server -accept 127.0.0.1:0 "$@" \
        </dev/null >"$log" 2>&1 &
    pid=$!
    started+=($pid)
    port=$(wait_for "$log" '^ACCEPT' | sed 's/.*://')
}

# What a command prints has a line that matches each pattern before --.
says() {
    local patterns=() pattern
    while [ "$1" != -- ]; do
        patterns+=("$1")
        shift
    done
    shift
    "$@" </dev/null >"$scratch/said" 2>&1
    cat "$scratch/said"
    for pattern in "${patterns[@]}"; do
        grep -q -- "$pattern" "$scratch/said" || return 1
    done
}

logged() {
    wait_for "$log" "$1"
}

get() {
    local name=$1
    shift
    curl -sS --max-time 20 --cacert "$pem/root.pem" \
        --resolve "$name:$port:127.0.0.1" "$@" "https://$name:$port/"
}

# Make an input that does not end: what is written to descriptor 8.
open_input() {
    rm -f "$scratch/input"
    mkfifo "$scratch/input"
    exec 8<>"$scratch/input"
}

# A request by s_client, which keeps its side open until the answer has come.
s_client() {
    open_input
    printf 'GET / HTTP/1.0\r\n\r\n' >&8
    timeout 20 openssl s_client -connect "127.0.0.1:$port" -ign_eof \
        -CAfile "$pem/root.pem" "$@" <&8 2>&1
}

# s_client in the background; its output is $scratch/session.out.
start_s_client() {
    open_input
    openssl s_client -connect "127.0.0.1:$port" "$@" <&8 \
        >"$scratch/session.out" 2>&1 &
    pid=$!
    started+=($pid)
}

client() {
    (
        printf 'GET / HTTP/1.0\r\n\r\n'
        sleep 20 &
        echo $! >"$scratch/sleeper"
        wait
    ) | timeout 20 openssl s_client -connect "127.0.0.1:$port" -ign_eof \
        -CAfile "$pem/root.pem" "$@" 2>&1
    kill "$(cat "$scratch/sleeper")" 2>/dev/null
}

client() {
    timeout 20 "$tls" client -p "$port" "$@"
}

mkdir "$pem"
"$tls" certificates "$pem" || exit 1
leaf=(-c "$pem/leaf.pem" -k "$pem/leaf.key")
s_leaf=(-cert "$pem/leaf.pem" -key "$pem/leaf.key")

# ---- a server of weir ----

serve "${leaf[@]}" -a http/1.1,h2 -o "$pem/other.pem,$pem/other.key"
expect "curl gets an answer over TLS 1.3" says \
    'TLSv1.3 TLS_AES_256_GCM_SHA384 .*name=localhost' -- get localhost
expect "curl gets an answer over TLS 1.2" says \
    'TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384' -- \
    get localhost --tls-max 1.2
expect "curl negotiates a protocol" says 'alpn=http/1.1' -- get localhost
expect "s_client negotiates a protocol" says 'ALPN protocol: http/1.1' \
    'alpn=http/1.1' -- s_client -alpn h2,http/1.1
expect "s_client without a common protocol is refused" says \
    'alert no application protocol' -- s_client -alpn spdy
expect "the refusal has a reason" logged \
    'failed ETLS: .*no protocol in common (ALPN)'
expect "a name chooses its certificate" says 'name=other.example' -- \
    get other.example
expect "s_client sees the certificate of the name" says \
    'subject=CN = other' 'Verify return code: 0 (ok)' -- \
    s_client -servername other.example
expect "a name that is refused gets an alert" says \
    'unrecognized name' -- s_client -servername refused.example
expect "s_client with TLS 1.1 is refused" says 'alert protocol version' -- \
    s_client -tls1_1 -cipher DEFAULT@SECLEVEL=0
expect "s_client without forward secrecy is refused" says \
    'alert handshake failure' -- s_client -tls1_2 -cipher AES128-SHA
expect "s_client closes after close_notify" says 'closed' 'alpn=none' -- \
    s_client
for version in 1.2 1.3; do
    expect "s_client gets a session of TLS $version" says 'resumed=0' -- \
        s_client -tls${version/./_} -sess_out "$scratch/session"
    expect "s_client resumes the session of TLS $version" says '^Reused' \
        'resumed=1' -- s_client -tls${version/./_} -sess_in "$scratch/session"
done
renegotiate() {
    start_s_client -tls1_2
    wait_for "$scratch/session.out" 'Verify return code' &&
        echo R >&8 && wait_for "$scratch/session.out" 'no renegotiation'
}
expect "s_client of TLS 1.2 cannot renegotiate" renegotiate

# A client that is killed has not announced its end.  With TLS 1.3 it may not have
# read its tickets yet, and the kernel would send a reset.
cut_client() {
    start_s_client -quiet -tls1_2
    printf 'POST / HTTP/1.1\r\n\r\nhalf a bo' >&8
    logged '^post' && kill -9 $pid && logged 'read ETRUNCATED: .*close_notify'
}
expect "a client that is killed is noticed as truncation" cut_client

cp "$pem/leaf.pem" "$scratch/chain.pem"
cp "$pem/leaf.key" "$scratch/key.pem"
exec 4>&-
serve -c "$scratch/chain.pem" -k "$scratch/key.pem"
expect "s_client sees the first certificate" says 'subject=CN = localhost' -- \
    s_client
cp "$pem/next.pem" "$scratch/chain.pem"
echo reload >&4
expect "half a new pair is refused" logged \
    'not reloaded ECERT: .*key values mismatch'
expect "s_client still sees the first certificate" says \
    'subject=CN = localhost' -- s_client
cp "$pem/next.key" "$scratch/key.pem"
echo reload >&4
expect "a new pair is accepted" logged '^reloaded'
expect "s_client sees the new certificate" says 'subject=CN = next' \
    'Verify return code: 0 (ok)' -- s_client
exec 4>&-

serve "${leaf[@]}" -A "$pem/root.pem"
expect "curl without a certificate is refused" says 'alert.*certificate' -- \
    get localhost
expect "the server says why" logged \
    'failed ECERT: peer did not return a certificate'
expect "curl with a certificate is accepted" says 'peer=CN=client' -- \
    get localhost --cert "$pem/client.pem" --key "$pem/client.key"
expect "curl with a self-signed certificate is refused" says 'alert unknown ca' -- \
    get localhost --cert "$pem/self.pem" --key "$pem/self.key"
expect "the server says what is wrong with it" logged \
    'failed ECERT: self-signed certificate: /CN=self'
exec 4>&-

serve "${leaf[@]}" -t 300
exec 5<>"/dev/tcp/127.0.0.1/$port"
exec 6<>"/dev/tcp/127.0.0.1/$port"
printf '\x16\x03\x01' >&6
expect "others are served while handshakes stall" says 'TLSv1.3' -- \
    get localhost
expect "a handshake that stalls times out" logged \
    'failed ETIMEDOUT: the handshake took too long'
# The second one has sent the beginning of a record.
expect "both peers are disconnected" timeout 20 cat <&5
expect "even the one that has sent something" timeout 20 cat <&6
exec 4>&- 5>&- 6>&-

# ---- a client of weir ----

serve_openssl "${s_leaf[@]}" -www -alpn http/1.1
root=(-A "$pem/root.pem")
expect "the client talks to s_server over TLS 1.3" says \
    'ready TLSv1.3.*alpn=none.*resumed=0 peer=CN=localhost' 'end EEOF some' -- \
    client -n localhost "${root[@]}"
expect "the client talks to s_server over TLS 1.2" says 'ready TLSv1.2' \
    'end EEOF some' -- client -n localhost "${root[@]}" -v 1.2
expect "the client negotiates a protocol" says 'alpn=http/1.1' -- \
    client -n localhost "${root[@]}" -a http/1.1
expect "the client without a common protocol is refused" says \
    'failed ETLS: the peer sent the alert: no application protocol' -- \
    client -n localhost "${root[@]}" -a spdy
expect "the client accepts the address" says 'ready' -- \
    client -n 127.0.0.1 "${root[@]}"
expect "the client refuses another name" says \
    'failed ECERT: hostname mismatch: it is not for wrong.example' -- \
    client -n wrong.example "${root[@]}"
expect "the client refuses an authority that it does not know" says \
    'failed ECERT: unable to get local issuer certificate' -- \
    client -n localhost
expect "an insecure client accepts everything" says 'ready' -- client -i
for version in 1.2 1.3; do
    expect "the client resumes a session of TLS $version" says \
        'resumed=0' 'resumed=1' -- \
        client -n localhost "${root[@]}" -v $version -x 2
done

serve_openssl -cert "$pem/expired.pem" -key "$pem/expired.key" -www
expect "the client refuses an expired certificate" says \
    'failed ECERT: certificate has expired: /CN=expired' -- \
    client -n localhost "${root[@]}"

serve_openssl -cert "$pem/self.pem" -key "$pem/self.key" -www
expect "the client refuses a self-signed certificate" says \
    'failed ECERT: self-signed certificate: /CN=self' -- \
    client -n localhost "${root[@]}"
expect "the client accepts it if it is trusted" says 'ready' -- \
    client -n localhost -A "$pem/self.pem"

serve_openssl "${s_leaf[@]}" -www -Verify 1 -CAfile "$pem/root.pem" \
    -verify_return_error
expect "the client without a certificate is refused" says \
    'ETLS.*alert: certificate required' -- client -n localhost "${root[@]}"
expect "the client with a certificate is accepted" says 'end EEOF some' -- \
    client -n localhost "${root[@]}" -c "$pem/client.pem" -k "$pem/client.key"

# -rev waits for lines, so the answer never ends.  A server that is killed before
# it has read everything resets the connection.
cut_server() {
    client -n localhost "${root[@]}" >"$scratch/cut" 2>&1 &
    local last=$!
    wait_for "$scratch/cut" answer >/dev/null
    kill -9 $pid
    wait $last
    cat "$scratch/cut"
    grep -q 'end ETRUNCATED .*without close_notify' "$scratch/cut"
}
serve_openssl "${s_leaf[@]}" -rev
expect "a server that is killed is noticed as truncation" cut_server

finish
