#!/bin/bash
# SPDX-License-Identifier: MIT
# stdio -- stdin, stdout and stderr of build/weir: pipes, sockets, and ends of
# them that are gone.
. "$(dirname "$0")/tap.sh"
weir=${WEIR:-$PWD/build/weir}

console_outlives_its_reader() {
    "$weir" -e 'for (let i = 0; i < 20000; i++) console.log("x".repeat(100));
        console.error("done")' 2>"$scratch/err" | head -c 5 >/dev/null
    [ "${PIPESTATUS[0]}" -eq 0 ] && [ "$(cat "$scratch/err")" = done ]
}

# The reader leaves when it has the first line.
console_that_goes_on_ends_with_its_reader() {
    "$weir" -e 'setInterval(() => console.log(1), 1)' 2>"$scratch/err" |
        head -n 1 >/dev/null
    [ "${PIPESTATUS[0]}" -eq 1 ] && grep -q "Error: write EPIPE" "$scratch/err"
}

console_tells_who_listens() {
    "$weir" -e 'process.stdout.on("error", (e) => {
            console.error(e.code);
            process.exit(3) });
        setInterval(() => console.log(1), 1)' 2>"$scratch/err" |
        head -n 1 >/dev/null
    [ "${PIPESTATUS[0]}" -eq 3 ] && [ "$(cat "$scratch/err")" = EPIPE ]
}

write_without_a_listener_is_fatal() {
    "$weir" -e 'process.stdout.write("x".repeat(1e6))' 2>"$scratch/err" |
        head -c 5 >/dev/null
    [ "${PIPESTATUS[0]}" -eq 1 ] && grep -q "Error: write EPIPE" "$scratch/err"
}

write_tells_its_listener_once() {
    "$weir" -e 'let errors = 0;
        process.stdout.on("error", (e) => { errors++; console.error(e.code, e.syscall) });
        const all = [1, 2].map(() => new Promise((done) =>
            process.stdout.write("x".repeat(1e6), done)));
        Promise.all(all).then(([a, b]) =>
            setImmediate(() => console.error(a.code, b.code, errors)))' \
        2>"$scratch/err" | head -c 5 >/dev/null
    [ "${PIPESTATUS[0]}" -eq 0 ] &&
        [ "$(cat "$scratch/err")" = "$(printf 'EPIPE write\nEPIPE EPIPE 1')" ]
}

all_of_a_big_file_goes_through() {
    head -c 3000000 /dev/urandom >"$scratch/big"
    local program='process.stdin.pipe(process.stdout)'
    "$weir" -e "$program" <"$scratch/big" | cmp - "$scratch/big" &&
        cat "$scratch/big" | "$weir" -e "$program" | cmp - "$scratch/big" &&
        cat "$scratch/big" | "$weir" -e "$program" >"$scratch/copy" &&
        cmp "$scratch/copy" "$scratch/big"
}

# The reader waits until the program wants to leave: the pipe is full then.
a_full_pipe_that_does_not_block_loses_nothing() {
    python3 - "$weir" <<'END'
import os, subprocess, sys
read, write = os.pipe()
os.set_blocking(write, False)
program = """process.stdout.write('x'.repeat(1e6));
             process.on('exit', () => process.stdout.write('last'));
             process.exit(3)"""
child = subprocess.Popen([sys.argv[1], "-e", program], stdout=write)
os.close(write)
with open(read, "rb") as pipe:
    data = pipe.read()
assert child.wait() == 3
assert data == b"x" * 1000000 + b"last", len(data)
END
}

a_socket_is_read_and_written() {
    python3 - "$weir" <<'END'
import socket, subprocess, sys
ours, theirs = socket.socketpair()
program = """process.stdin.setEncoding('utf8');
    process.stdin.on('data', (text) => process.stdout.write(text.toUpperCase()));
    process.stdin.on('end', () => process.stdout.write('.'))"""
child = subprocess.Popen([sys.argv[1], "-e", program], stdin=theirs, stdout=theirs)
theirs.close()
for word in (b"one", b"two"):  # each comes back before the next is sent
    ours.sendall(word)
    assert ours.recv(10) == word.upper()
ours.shutdown(socket.SHUT_WR)
assert ours.recv(10) == b"."
assert child.wait() == 0
END
}

timers_run_while_stdin_waits() {
    python3 - "$weir" <<'END'
import subprocess, sys
program = """process.stdin.on('data', () => { console.log('data'); process.stdin.unref() });
    setTimeout(() => console.log('timer'), 1)"""
child = subprocess.Popen([sys.argv[1], "-e", program], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
assert child.stdout.readline() == b"timer\n"  # nothing was sent yet
child.stdin.write(b"x")
child.stdin.flush()
assert child.stdout.readline() == b"data\n"
assert child.wait() == 0  # nobody waits for what is not referenced
END
}

# The terminal stays open: the program ends because it reads no more.
a_paused_terminal_lets_the_program_end() {
    python3 - "$weir" <<'END'
import os, pty, subprocess, sys
program = """const tty = require('tty');
    console.log(process.stdin instanceof tty.ReadStream, process.stdout instanceof tty.WriteStream);
    process.stdin.once('data', (bytes) => {
        console.log(`${bytes}`.toUpperCase().trim());
        process.stdin.pause();
    })"""
ours, theirs = pty.openpty()
child = subprocess.Popen([sys.argv[1], "-e", program], stdin=theirs, stdout=theirs,
                         env=dict(os.environ, NO_COLOR="1"))
os.close(theirs)
os.write(ours, b"word\n")
assert child.wait() == 0
printed = os.read(ours, 4096)
assert b"true true" in printed and b"WORD" in printed, printed
END
}

closed_descriptors_are_not_reused() {
    [ "$("$weir" -p 'require("fs").openSync("/dev/null") > 2' <&- 2>&-)" = true ] &&
        "$weir" -e 'process.stdin.on("end", () => process.exit(4)).resume()' <&-
    [ $? -eq 4 ]
}

help_that_cannot_be_written_fails() {
    local option
    for option in --help --version --man-page; do
        "$weir" $option 2>"$scratch/err" >/dev/full
        [ $? -eq 1 ] &&
            grep -qx 'weir: stdout: No space left on device' "$scratch/err" ||
            return 1
    done
}

# The limit is 1024 bytes.  Unless SIGXFSZ is ignored, it ends the program.
a_write_beyond_the_size_limit_fails() {
    local program='let failure;
        try { fs.writeFileSync(process.argv[1], "x".repeat(5000)) }
        catch (error) { failure = error.code }
        process.stdout.on("error", (error) => console.error(failure, error.code));
        process.stdout.write("x".repeat(5000))'
    (ulimit -f 1; exec "$weir" -e "$program" "$scratch/file") \
        2>&1 >"$scratch/limited" | grep -qx 'EFBIG EFBIG'
}

# Its child has the signal's default action: head is killed by SIGXFSZ.
children_heed_the_size_limit() {
    local program='console.error(child_process.spawnSync("head",
        ["-c", "5000", "/dev/zero"], { stdio: ["ignore", 1, 2] }).signal)'
    (ulimit -f 1; exec "$weir" -e "$program") \
        2>&1 >"$scratch/limited" | grep -qx SIGXFSZ
}

expect "console does not mind that its reader has gone" console_outlives_its_reader
expect "a program that goes on printing ends when its reader has gone" \
    console_that_goes_on_ends_with_its_reader
expect "a listener is told of console's errors" console_tells_who_listens
expect "a write that nobody hears of fails the program" \
    write_without_a_listener_is_fatal
expect "'error' comes once, and to each callback" write_tells_its_listener_once
expect "stdin.pipe(stdout) copies what it gets" all_of_a_big_file_goes_through
expect "a full pipe that does not block loses nothing" \
    a_full_pipe_that_does_not_block_loses_nothing
expect "a socket is read and written" a_socket_is_read_and_written
expect "timers run while stdin waits" timers_run_while_stdin_waits
expect "a paused terminal lets the program end" a_paused_terminal_lets_the_program_end
expect "descriptors 0 to 2 are open" closed_descriptors_are_not_reused
expect "help that cannot be written fails" help_that_cannot_be_written_fails
expect "a write beyond the size limit of files fails" \
    a_write_beyond_the_size_limit_fails
expect "children heed the size limit of files" children_heed_the_size_limit
finish
