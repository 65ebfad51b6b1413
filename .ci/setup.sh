# shellcheck shell=bash disable=SC2034,SC2154
# What must be installed to build (and to test), and how: sourced by ./cml and ./test, which set `root`.
# Everything here reports on stderr, as stdout belongs to the program.

build_packages="antlr4 ccache cmake g++ libantlr4-runtime-dev libcli11-dev libfmt-dev libutf8proc-dev
  libxxhash-dev libzstd-dev llvm-19-dev ninja-build nlohmann-json3-dev zlib1g-dev"
test_packages="chromium clang clang-format clang-tidy doctest-dev git libclang-rt-14-dev libtree-sitter-dev spin valgrind"

# need_packages <name of the set> <packages>...: installs what is missing. What was found once is noted in a
# stamp that is valid for this very list.
need_packages() {
  local stamp="$root/build/packages-$1" missing
  shift
  if [[ -f $stamp && $(<"$stamp") == "$*" ]]; then return 0; fi
  missing=$(missing_packages "$@")
  if [[ -n $missing ]]; then
    # shellcheck disable=SC2086  # one word per package
    install_packages $missing || return 1
    missing=$(missing_packages "$@")
    if [[ -n $missing ]]; then
      echo "cml: still missing after the installation: $missing" >&2
      return 1
    fi
  fi
  mkdir -p "$root/build"
  echo "$*" > "$stamp"
}

missing_packages() {
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2> /dev/null | grep -qx installed ||
      missing+=("$package")
  done
  echo "${missing[*]}"
}

install_packages() {
  local as_root=() log="$root/build/apt.log"
  if ! command -v apt-get > /dev/null; then
    echo "cml: apt-get is not here; please install the equivalents of these Debian packages: $*" >&2
    return 1
  fi
  if [[ $(id -u) != 0 ]]; then
    if ! command -v sudo > /dev/null; then
      echo "cml: these packages are missing, and neither root nor sudo is there to install them:" >&2
      echo "  apt-get install --no-install-recommends $*" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  mkdir -p "$root/build"
  echo "cml: installing $*" >&2
  # The package lists may be missing (a fresh container) or stale: then they are fetched and it is tried again.
  apt_install "$@" > "$log" 2>&1 && return 0
  { "${as_root[@]}" apt-get update && apt_install "$@"; } < /dev/null >> "$log" 2>&1 && return 0
  tail -n 20 "$log" >&2
  echo "cml: the packages could not be installed (whole log: $log)" >&2
  return 1
}

apt_install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 "$@" < /dev/null
}

# build_preset <preset> <targets>...: configures where needed and builds.
build_preset() {
  local preset=$1
  shift
  # Ninja configures again by itself when a CMake file changes; only a first time or another preset needs it here.
  if [[ ! -f $root/build/$preset/build.ninja || $root/CMakePresets.json -nt $root/build/$preset/build.ninja ]]; then
    (cd "$root" && cmake --preset "$preset") || return 1
  fi
  cmake --build "$root/build/$preset" --target "$@"
}
