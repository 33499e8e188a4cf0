#!/bin/bash
# SPDX-License-Identifier: MIT
# engine -- what is compiled into weir is what the repository names: the sources
# of the engine and of llhttp by tools/sources.sha256, npm's packages by their
# lock files.
#
# The packages are made here, and apt-get is a stand-in that hands them out.
. "$(dirname "$0")/tap.sh"
tree=$scratch/tree
mkdir -p "$tree/tools" "$scratch/bin" "$scratch/mirror"
cp tools/fetch-source "$tree/tools/"

cat >"$scratch/bin/apt-get" <<'END'
#!/bin/sh
echo "$*" >>"$SCRATCH/apt.log"
case "$*" in
indextargets*) echo 'http://mirror.invalid/debian|stable' ;;
*download*) cp "$SCRATCH/mirror/${*##* }"_*.deb . ;;
esac
END
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/cc" # no libqjs-dev
chmod +x "$scratch/bin/apt-get" "$scratch/bin/cc"

# make_any NAME FILE VERSION TEXT: a package whose file holds the text; prints
# its line.
make_any() {
    rm -rf "$scratch/root"
    mkdir -p "$scratch/root/DEBIAN" "$scratch/root/usr/src/$(dirname "$2")"
    echo "$4" >"$scratch/root/usr/src/$2"
    printf '%s\n' "Package: $1" "Version: $3" 'Architecture: all' \
        'Maintainer: nobody <nobody@invalid>' 'Description: a test' \
        >"$scratch/root/DEBIAN/control"
    rm -f "$scratch/mirror/$1"_*.deb
    dpkg-deb --root-owner-group --build "$scratch/root" \
        "$scratch/mirror/$1_$3_all.deb" >"$scratch/dpkg.log" || return
    echo "$1 $3 $(sha256sum "$scratch/mirror/$1"_*.deb | cut -d' ' -f1)"
}

# make_package VERSION TEXT: an engine whose quickjs.c holds the text.
make_package() {
    make_any qjs-src quickjs-ng/quickjs.c "$@"
}

make_llhttp() {
    make_any libllhttp-source llhttp/include/llhttp.h "$@"
}

# begin [LINE...]: nothing is fetched or cached, and these are pinned.
begin() {
    rm -rf "$tree/.engine" "$tree/.llhttp" "$scratch/cache" "$scratch/apt.log"
    printf '%s\n' '# a comment' "$@" >"$tree/tools/sources.sha256"
}

source=quickjs
fetch() {
    env -u WEIR_QUICKJS_DIR -u WEIR_LLHTTP_DIR PATH="$scratch/bin:$PATH" \
        SCRATCH="$scratch" XDG_CACHE_HOME="$scratch/cache" "$@" \
        "$tree/tools/fetch-source" $source >"$scratch/said" 2>&1
    status=$?
    cat "$scratch/said"
    return $status
}

has() {
    grep -qx "$1" "$tree/.engine/quickjs-ng/quickjs.c"
}

pinned_is_unpacked() {
    begin "$(make_package 0.18.0-1 other)" "$(make_package 0.17.0-1 good)"
    fetch && has good && [ -e "$scratch/cache/weir/qjs-src.deb" ] && fetch
}

cached_needs_no_network() {
    begin "$(make_package 0.17.0-1 good)"
    fetch && rm -rf "$tree/.engine" "$scratch/apt.log" && fetch && has good &&
        [ ! -e "$scratch/apt.log" ]
}

# With the checksum beside it that an older version believed.
altered_cache_is_not_used() {
    make_package 0.17.0-1 evil >"$scratch/evil"
    mkdir -p "$scratch/evil.d"
    mv "$scratch"/mirror/qjs-src_*.deb "$scratch/evil.d/qjs-src.deb"
    begin "$(make_package 0.17.0-1 good)"
    mkdir -p "$scratch/cache/weir"
    cp "$scratch/evil.d/qjs-src.deb" "$scratch/cache/weir/"
    (cd "$scratch/cache/weir" && sha256sum qjs-src.deb >sum)
    fetch && has good && grep 'not taken from the cache' "$scratch/said"
}

is_refused() {
    ! fetch "$@" && [ ! -e "$tree/.engine/quickjs-ng" ] &&
        [ ! -e "$scratch/cache/weir/qjs-src.deb" ]
}

other_content_is_refused() {
    begin "$(make_package 0.17.0-1 good)"
    make_package 0.17.0-1 evil >"$scratch/evil"
    is_refused env && is_refused WEIR_UNPINNED=1 &&
        grep 'is not the one of tools/sources.sha256' "$scratch/said"
}

newer_is_refused() {
    begin "$(make_package 0.17.0-1 good)"
    make_package 0.17.0-10 newer >"$scratch/newer"
    is_refused env && grep -F 'WEIR_UNPINNED=1' "$scratch/said" &&
        grep -F "    $(cat "$scratch/newer")" "$scratch/said"
}

newer_is_taken_if_allowed() {
    newer_is_refused && fetch WEIR_UNPINNED=1 && has newer
}

unpacked_is_checked() {
    newer_is_taken_if_allowed && ! fetch env &&
        cat "$scratch/newer" >>"$tree/tools/sources.sha256" && fetch env
}

these_are_pinned() {
    for record in .engine/package .llhttp/package; do
        [ ! -e $record ] || grep -xFf $record tools/sources.sha256 || return
    done
}

# ---- llhttp ----

has_llhttp() {
    grep -qx "$1" "$tree/.llhttp/llhttp/include/llhttp.h"
}

llhttp_is_unpacked() {
    local source=llhttp
    begin "$(make_package 0.17.0-1 other)" "$(make_llhttp 9.4.3-1 good)"
    fetch && has_llhttp good && [ ! -e "$tree/.engine" ] &&
        [ -e "$scratch/cache/weir/libllhttp-source.deb" ] && fetch
}

llhttp_of_other_content_is_refused() {
    local source=llhttp
    begin "$(make_llhttp 9.4.3-1 good)"
    make_llhttp 9.4.3-1 evil >"$scratch/evil"
    ! fetch WEIR_UNPINNED=1 && [ ! -e "$tree/.llhttp/llhttp" ] &&
        grep 'is not the one of tools/sources.sha256' "$scratch/said"
}

llhttp_too_old_is_refused() {
    local source=llhttp
    begin "$(make_llhttp 8.1.0-1 old)"
    ! fetch env && [ ! -e "$tree/.llhttp/llhttp" ] &&
        grep 'libllhttp-source is 8.1.0-1 there' "$scratch/said"
}

folder_is_used_instead() {
    begin
    mkdir -p "$scratch/given/include"
    echo given >"$scratch/given/quickjs.c"
    fetch "WEIR_QUICKJS_DIR=$scratch/given" || return
    local source=llhttp
    ! fetch "WEIR_LLHTTP_DIR=$scratch/given" &&
        grep 'no include/llhttp.h in' "$scratch/said" || return
    echo given >"$scratch/given/include/llhttp.h"
    fetch "WEIR_LLHTTP_DIR=$scratch/given" && [ ! -e "$scratch/apt.log" ] &&
        [ ! -e "$tree/.llhttp" ]
}

unknown_source_is_refused() {
    local source=openssl
    begin
    ! fetch env && grep 'quickjs|llhttp' "$scratch/said"
}

# ---- npm ----

locks_have_checksums() {
    python3 - "$@" <<'END'
import json, sys
for path in sys.argv[1:]:
    packages = json.load(open(path))["packages"]
    bad = [name for name, package in packages.items()
           if name and not package.get("integrity", "").startswith("sha512-")]
    assert len(packages) > 1 and not bad, f"{path}: no sha512 of {bad}"
END
}

# As tools/setup does it, from a package that is a file.
npm_ci() {
    (cd "$scratch/user" && rm -rf node_modules && npm ci --offline \
        --ignore-scripts --no-audit --no-fund --cache "$scratch/npm")
}

npm_compares() {
    mkdir "$scratch/dep" "$scratch/user"
    echo '{"name":"dep","version":"1.0.0"}' >"$scratch/dep/package.json"
    echo 'good' >"$scratch/dep/index.js"
    echo '{"dependencies":{"dep":"file:dep-1.0.0.tgz"}}' \
        >"$scratch/user/package.json"
    npm pack --silent "$scratch/dep" --pack-destination "$scratch/user" &&
        (cd "$scratch/user" && npm install --package-lock-only --offline \
            --no-audit --no-fund --cache "$scratch/npm") &&
        grep sha512 "$scratch/user/package-lock.json" && npm_ci || return
    echo 'evil' >"$scratch/dep/index.js"
    npm pack --silent "$scratch/dep" --pack-destination "$scratch/user"
    rm -rf "$scratch/npm" # which would still have the right one
    ! npm_ci 2>"$scratch/complaint" && grep EINTEGRITY "$scratch/complaint"
}

if ! command -v dpkg-deb >/dev/null; then
    echo "1..0 # skip: no dpkg-deb"
    exit 0
fi
expect "a package that is pinned is unpacked, once" pinned_is_unpacked
expect "a cached package that is pinned needs no network" cached_needs_no_network
expect "a cached package that is not pinned is not used" altered_cache_is_not_used
expect "a pinned version with other content is refused" other_content_is_refused
expect "a version that is not pinned is refused, with the way out" \
    newer_is_refused
expect "and is taken if that is allowed" newer_is_taken_if_allowed
expect "an engine that is unpacked already is checked" unpacked_is_checked
expect "the sources of this build are pinned" these_are_pinned
expect "llhttp that is pinned is unpacked, beside the engine" llhttp_is_unpacked
expect "llhttp with other content is refused" llhttp_of_other_content_is_refused
expect "llhttp that is too old is refused" llhttp_too_old_is_refused
expect "a folder that is given is used instead" folder_is_used_instead
expect "a source that nobody knows is refused" unknown_source_is_refused
expect "each package of the lock files has a SHA-512" \
    locks_have_checksums js/bundle/package-lock.json test/aplus/package-lock.json
expect "npm ci refuses a package with other content" npm_compares
finish
