# shellcheck shell=bash
# Shared by the scripts beside it: where things are, how to speak, and how to do a step once.
# Sourced, after `set -euo pipefail`.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
TOOLS="$ROOT/.tools"
# The system's Python, never one of a version manager: sandboxes run it, and what lies in somebody's
# home cannot be read from inside.
export PYTHON=/usr/bin/python3
export PATH="$TOOLS/uv/bin:$PATH"

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# retry <command…>: three tries, because mirrors and registries fail now and then.
retry() {
    local try
    for try in 1 2 3; do
        if "$@"; then return 0; fi
        [[ $try != 3 ]] || break
        say "that failed; trying again ($((try + 1)) of 3)"
        sleep $((try * 2))
    done
    return 1
}

# as_root <command…>: as it is for root, through sudo otherwise.
can_be_root() { [[ $EUID == 0 ]] || command -v sudo >/dev/null; }
as_root() { if [[ $EUID == 0 ]]; then "$@"; else sudo "$@"; fi; }

# A step is done when its stamp holds the hash of all that it was made from.
#   done_before <step> <text or file…>   true when nothing changed since
#   mark_done   <step> <text or file…>
stamp_of() {
    local part
    for part in "$@"; do
        if [[ -f $part ]]; then cat "$part"; else printf '%s\n' "$part"; fi
    done | sha256sum | cut -d' ' -f1
}
done_before() {
    local file="$TOOLS/stamps/$1"
    shift
    [[ -f $file && $(<"$file") == "$(stamp_of "$@")" ]]
}
mark_done() {
    local file="$TOOLS/stamps/$1"
    shift
    mkdir -p "$TOOLS/stamps"
    stamp_of "$@" >"$file"
}

# web_packages: what the web interface is built and tested with, in web/node_modules. The lock file
# names the packages by hash; no script of theirs runs here.
web_packages() {
    local lock="$ROOT/web/package-lock.json"
    if done_before web-packages "$lock" && [[ -d $ROOT/web/node_modules ]]; then return; fi
    say "installing what the web interface is built with"
    (cd "$ROOT/web" && retry npm ci --ignore-scripts --loglevel=error) >"$(log_of npm)" 2>&1 ||
        die "npm could not install it; is the npm registry reachable? See $(log_of npm)"
    mark_done web-packages "$lock"
}
# build_web: web/dist, what the program carries at / and /ui, when something in web/ changed. CMake
# looks for it when it configures, so this comes first.
build_web() {
    local sources
    mapfile -t sources < <(find "$ROOT/web" \( -name node_modules -o -name dist \) -prune \
        -o -type f -print | LC_ALL=C sort)
    if done_before web "${sources[@]}" && [[ -f $ROOT/web/dist/index.html ]]; then return; fi
    web_packages
    say "building the web interface"
    (cd "$ROOT/web" && npm run build) >"$(log_of web)" 2>&1 || {
        tail -n 40 "$(log_of web)" >&2
        die "the web interface could not be built"
    }
    mark_done web "${sources[@]}"
}

# configure_preset <preset>; build_preset <preset> [target…], beside all that it always builds
configure_preset() {
    local log
    log="$(log_of "configure-$1")"
    if ! (cd "$ROOT" && cmake --preset "$1" >"$log" 2>&1); then
        cat "$log" >&2
        die "CMake could not configure the preset $1"
    fi
}
build_preset() {
    say "building ($1)"
    configure_preset "$1"
    (cd "$ROOT" && cmake --build --preset "$1" --target all "${@:2}") ||
        die "the $1 build failed; the first error is above"
}
log_of() {
    mkdir -p "$ROOT/build/logs"
    printf '%s\n' "$ROOT/build/logs/$1.log"
}
