#!/bin/bash
# SPDX-License-Identifier: MIT
# install -- what `make install` leaves is enough to build a program with.
#
# The release build goes into a scratch prefix.  A program that knows nothing
# of this tree is then built against it in each way that the README names.
. "$(dirname "$0")/tap.sh"
prefix=$scratch/prefix
program=$scratch/program
mkdir "$program"

cat >"$program/program.c" <<'END'
#include <weir.h>

static void on_closed(void *arg)
{
    *(int *)arg += 1;
}

int main(void)
{
    weir_gate gate;
    int closed = 0;

    if (weir_gate_init(&gate, on_closed, &closed, NULL) != 0)
        return 1;
    if (weir_gate_start(&gate) != 0 || weir_gate_enter(&gate) != 0)
        return 2;
    if (weir_gate_drain(&gate) != 0 || closed != 0)
        return 3;
    weir_gate_exit(&gate);
    return weir_gate_wait(&gate, 0) == 0 && closed == 1 ? 0 : 4;
}
END

cat >"$program/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(program LANGUAGES C)
find_package(weir 0.1 REQUIRED)
add_executable(shared program.c)
target_link_libraries(shared PRIVATE weir::weir)
add_executable(static program.c)
target_link_libraries(static PRIVATE weir::weir-static)
add_executable(net-shared server.c)
target_link_libraries(net-shared PRIVATE weir::weir-net)
add_executable(net-static server.c)
target_link_libraries(net-static PRIVATE weir::weir-net-static)
add_executable(explored explored.c)
target_link_libraries(explored PRIVATE weir::weir-explore)
END

# Two threads that update a counter in two steps.
cat >"$program/explored.c" <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *argument)
{
    atomic_store(&counter, atomic_load(&counter) + 1);
    return argument;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, increment, NULL);
    increment(NULL);
    pthread_join(thread, NULL);
    assert(atomic_load(&counter) == 2);
    return 0;
}
END

# A server that has one request, by itself, and drains.
cat >"$program/server.c" <<'END'
#include <stdlib.h>
#include <weir.h>
#include <weir/net/connect.h>
#include <weir/net/http.h>
#include <weir/net/tls.h>
#include <weir/net/websocket.h>
#include <weir/process.h>
#include <weir/watch.h>

static weir_service *service;
static weir_http_server *server;
static weir_loop *loop;

static void on_request(void *arg, weir_http_request *request)
{
    if (weir_http_respond(request, 204, NULL, NULL, 0) != 0)
        exit(2);
}

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    if (status == 0) {
        weir_service_stop(service);
        return;
    }
    weir_stream_close(stream, NULL, NULL);
}

static void on_connect(void *arg, int status, weir_stream *stream)
{
    static const weir_bytes ask =
        WEIR_BYTES_OF("GET / HTTP/1.1\r\nHost: weir\r\n\r\n");

    if (status != 0 || weir_stream_read(stream, on_read, NULL) != 0 ||
        weir_stream_write(stream, &ask, 1, NULL, NULL) != 0)
        exit(3);
}

static void connect_to_it(void *arg, int status)
{
    weir_address address;

    if (weir_http_server_address(server, 0, &address) != 0 ||
        weir_connect_addresses(loop, NULL, &address, 1, on_connect, NULL,
                               NULL) != 0)
        exit(4);
}

int main(void)
{
    static weir_http_server_options options;
    static weir_http_counts counts;

    options.size = sizeof(options);
    options.on_request = on_request;
    counts.size = sizeof(counts);
    if (weir_service_new(&service, NULL) != 0 ||
        weir_service_add_loop(service, &loop, NULL) != 0 ||
        weir_http_server_new(&server, service, &options) != 0 ||
        weir_http_server_listen(server, "127.0.0.1:0", NULL) != 0 ||
        weir_service_start(service) != 0 ||
        weir_loop_submit(loop, connect_to_it, NULL) != 0 ||
        weir_service_wait(service, -1) != 0 ||
        weir_http_server_counts(server, &counts) != 0)
        return 1;
    return counts.responses == 1 && weir_service_free(service) == 0 ? 0 : 5;
}
END

install() {
    cmake --install build --prefix "$prefix"
}

with_pkg_config() {
    with_pkg_config_of weir "$@"
}

with_pkg_config_of() {
    package=$1
    shift
    flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig \
        pkg-config --cflags --libs "$package") &&
        "$@" -o "$scratch/a.out" $flags &&
        LD_LIBRARY_PATH=$prefix/lib "$scratch/a.out"
}

with_cmake() {
    cmake -S "$program" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$scratch/cmake" --target "$1" && "$scratch/cmake/$1"
}

# The libraries that the static one needs are known to pkg-config.
pkg_config_knows_static() {
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --static --libs weir-net |
        grep -e '-lweir-net.* -lssl .*-lcares.* -lweir '
}

is_linked_with_the_network() {
    LD_LIBRARY_PATH=$prefix/lib ldd "$1" |
        grep "libweir-net.so.0.1 => $prefix/"
}

# Where an exported file names a library, it does so without its path.
package_has_no_path() {
    ! grep -r '/libssl' "$prefix/lib/cmake/weir"
}

is_linked_with_the_library() {
    LD_LIBRARY_PATH=$prefix/lib ldd "$1" | grep "libweir.so.0.1 => $prefix/"
}

is_not_linked_with_the_library() {
    ! ldd "$1" | grep libweir
}

manual_pages_are_there() {
    for page in man3/weir_gate_enter.3 man7/weir_gate.7 man7/weir.7 \
        man3/weir_http_respond.3 man7/weir_net_http.7 man7/weir_process.7; do
        grep "^.TH $(basename "${page%.?}") " "$prefix/share/man/$page" ||
            return
    done
}

# Without the engine and OpenSSL there is libweir alone, and nothing that speaks
# of the others.
install_without_javascript() {
    cmake -S . -B "$scratch/plain" -DWEIR_JS=OFF -DWEIR_NET=OFF \
        -DWEIR_JOBS=OFF -DCMAKE_BUILD_TYPE=Release &&
        cmake --build "$scratch/plain" --parallel "$(nproc)" &&
        cmake --install "$scratch/plain" --prefix "$scratch/without"
}

nothing_of_javascript_is_there() {
    test -e "$scratch/without/share/man/man3/weir_gate_enter.3" &&
        ! find "$scratch/without" -name '*js*' -o -name '*net*' | grep . &&
        ! grep -rlE 'weir_(js|http|stream)' "$scratch/without/share/man"
}

# Headers for hosts of languages may change: a program asks for each by name.
main_header_leaves_out_host() {
    ! printf '#include <weir.h>\n' | cc -I"$prefix/include" -M -x c - |
        grep weir/host/
}

# A header that needs another one included before it does not compile here.
alone() {
    header=$1
    shift
    printf '#include <%s>\nint unit;\n' "$header" |
        "$@" -Wall -Wextra -Werror -pedantic-errors -fsyntax-only \
            -I"$prefix/include" -
}

# Two headers that define one name differently do not compile here.
together() {
    for path in include/weir.h include/weir/*.h include/weir/{host,net}/*.h; do
        printf '#include <%s>\n' "${path#include/}"
    done | "$@" -Wall -Wextra -Werror -pedantic-errors -fsyntax-only \
        -I"$prefix/include" -
}

# ---- hardening: cmake/hardening.cmake ----

# All relocations are made at the start, and then read-only.
has_full_relro() {
    readelf -lW "$1" | grep GNU_RELRO && readelf -dW "$1" | grep BIND_NOW
}

has_no_executable_stack() {
    readelf -lW "$1" | grep 'GNU_STACK .* RW '
}

has_no_text_relocations() {
    ! readelf -dW "$1" | grep TEXTREL
}

is_pie() {
    readelf -hW "$1" | grep 'Type: *DYN' && readelf -dW "$1" | grep 'Flags:.* PIE'
}

# imports FILE PATTERN: it calls such a function of the C library.
imports() {
    readelf --dyn-syms -W "$1" | grep "UND $2@"
}

# Every unit was compiled with these, as its debugging information tells; the
# engine's and the generated ones too.  Other compilers than gcc tell nothing.
every_unit_has() {
    file=$1
    shift
    readelf --debug-dump=info --dwarf-depth=1 "$file" 2>/dev/null |
        grep DW_AT_producer >"$scratch/units" || return
    grep -q 'GNU C' "$scratch/units" || return 0
    for flag; do
        ! grep -v -- " $flag" "$scratch/units" || return
    done
}

has_unit() {
    readelf --debug-dump=info --dwarf-depth=1 "$1" 2>/dev/null |
        grep "DW_AT_name.*$2"
}

# ---- the explorer ----

with_the_script() {
    "$prefix/bin/weir-explore" cc "$program/explored.c" -o "$1"
}

# In two steps: the linker must not hear of the sanitizer.
with_the_flags() {
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    cc $(pkg-config --cflags weir-explore) -c "$program/explored.c" \
        -o "$scratch/explored.o" &&
        cc "$scratch/explored.o" -o "$1" $(pkg-config --libs weir-explore) \
            -Wl,-rpath,"$prefix/lib"
}

with_the_target() {
    cmake -S "$program" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$scratch/cmake" --target explored &&
        cp "$scratch/cmake/explored" "$1"
}

finds_a_bug() {
    "$1" "$scratch/explored" || return
    said=$("$scratch/explored")
    [ $? = 1 ] && echo "$said" | grep '^assertion failed: main: explored.c:'
}

# Every command of the guide after the installation, in a folder that has only the
# programs that the guide copies.
follow_the_guide() {
    cp -r examples/explore "$scratch/explore" &&
        awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' \
            docs/guide/explore.md | grep -v '^make \|^cp ' >"$scratch/steps" || return
    (
        cd "$scratch/explore" || exit
        export PATH="$prefix/bin:$PATH" LD_LIBRARY_PATH="$prefix/lib" \
            PKG_CONFIG_PATH="$prefix/lib/pkgconfig" WEIR_EXPLORE=--quiet
        while read -r step; do
            echo "\$ $step"
            eval "$step" </dev/null
            echo "status $?"
        done <"$scratch/steps" >"$scratch/said" 2>&1
    )
}

# What they find, in their order.
guide_finds() {
    cat "$scratch/said"
    [ "$(grep -o '^data race: main reads ring\|^nothing found\|^the counter ends.*\|^lost wake-up: main\|^data race: worker 1' \
        "$scratch/said")" = "data race: main reads ring
data race: main reads ring
nothing found
the counter ends with one of: 1 2
lost wake-up: main
nothing found
data race: worker 1" ] && ! grep '^status [^01]' "$scratch/said"
}

expect_hardened() {
    file=$prefix/$1
    flags="-fstack-protector-strong -fstack-clash-protection"
    case $(uname -m) in x86_64 | i?86) flags="$flags -fcf-protection" ;; esac
    expect "$1 has full RELRO" has_full_relro "$file"
    expect "$1 has no executable stack" has_no_executable_stack "$file"
    expect "$1 has no text relocations" has_no_text_relocations "$file"
    expect "$1 guards its stack" imports "$file" __stack_chk_fail
    expect "$1 calls checked functions" imports "$file" '__[a-z]*_chk'
    expect "$1 was compiled with $flags" every_unit_has "$file" $flags
}

expect "install succeeds" install
for file in lib/libweir.so lib/libweir-net.so lib/libweir-jobs.so \
    lib/libweir-js.so lib/libweir-explore.so bin/weir; do
    expect_hardened $file
done
expect "bin/weir can be anywhere in memory" is_pie "$prefix/bin/weir"
expect "the engine in lib/libweir-js.so was looked at" \
    has_unit "$prefix/lib/libweir-js.so" 'quickjs\.c'
expect "weir-explore: a program is built, and its bug found" \
    finds_a_bug with_the_script
expect "pkg-config: a program is explored" finds_a_bug with_the_flags
expect "find_package: a program is explored" finds_a_bug with_the_target
expect "the guide of the explorer is followed word by word" follow_the_guide
expect "... and its bugs are found" guide_finds
expect "pkg-config: a C program builds and runs" \
    with_pkg_config cc "$program/program.c"
expect "pkg-config: a C++ program builds and runs" \
    with_pkg_config g++ -x c++ -std=c++17 -Wall -Wextra -Werror -pedantic \
    "$program/program.c"
expect "find_package: weir::weir builds and runs" with_cmake shared
expect "find_package: weir::weir is the shared library" \
    is_linked_with_the_library "$scratch/cmake/shared"
expect "find_package: weir::weir-static builds and runs" with_cmake static
expect "find_package: weir::weir-static needs no shared library" \
    is_not_linked_with_the_library "$scratch/cmake/static"
expect "pkg-config: a C program serves with weir-net" \
    with_pkg_config_of weir-net cc "$program/server.c"
expect "pkg-config: a C++ program serves with weir-net" \
    with_pkg_config_of weir-net g++ -x c++ -std=c++17 -Wall -Wextra -Werror \
    -Wno-unused-parameter "$program/server.c"
expect "pkg-config knows what the static libweir-net needs" \
    pkg_config_knows_static
expect "find_package: weir::weir-net builds and runs" with_cmake net-shared
expect "find_package: weir::weir-net is the shared library" \
    is_linked_with_the_network "$scratch/cmake/net-shared"
expect "find_package: weir::weir-net-static builds and runs" \
    with_cmake net-static
expect "find_package: weir::weir-net-static needs no shared library of weir" \
    is_not_linked_with_the_library "$scratch/cmake/net-static"
expect "find_package: the package can be moved to another machine" \
    package_has_no_path
expect "weir.h includes no header for hosts" main_header_leaves_out_host
expect "the manual pages are installed" manual_pages_are_there
expect "install of libweir alone succeeds" install_without_javascript
expect "neither header nor manual pages of weir_js are installed then" \
    nothing_of_javascript_is_there

expect "pkg-config: weir-js embeds JavaScript" \
    with_pkg_config_of weir-js cc -pthread examples/embed.c
for path in include/weir.h include/weir/*.h include/weir/{host,net}/*.h; do
    header=${path#include/}
    expect "$header alone is ISO C11" alone "$header" cc -x c -std=c11
    expect "$header alone is C++" alone "$header" g++ -x c++ -std=c++11
done
expect "all headers together are ISO C11" together cc -x c -std=c11
expect "all headers together are C++" together g++ -x c++ -std=c++11
finish
