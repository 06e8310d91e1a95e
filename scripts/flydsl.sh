#!/bin/sh
# Runs the tests with the real FlyDSL: all of them with its newest version, and the
# story of one kernel across that and the version before. On a fresh Debian machine
# it installs what they need: torch and a linker from Debian, each FlyDSL from PyPI
# into a virtual environment below .cache, and LLVM's device libraries from the
# triton wheel. No GPU is needed. What cannot be had is said: the tests are skipped on a person's
# machine, and fail where CI is set.
set -eu

cd "$(dirname "$0")/.."
version=0.5.0
earlier=0.4.2
cache=$PWD/.cache/flydsl
rocm=$cache/rocm

lacking() {
	if [ -n "${CI:-}" ]; then
		echo "FAIL: tests with FlyDSL: $1" >&2
		exit 1
	fi
	echo "SKIP: tests with FlyDSL: $1"
	exit 0
}

# as_root COMMAND... runs it if this user may.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
		sudo -n "$@"
	else
		return 1
	fi
}

# apt ARGS... runs apt-get, and waits up to ten minutes where another package manager
# is at work: on a machine that has just started one often is.
apt() {
	tries=120
	until as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" >"$cache/apt.log" 2>&1; do
		tries=$((tries - 1))
		grep -Eq 'Could not get lock|Unable to (acquire|lock)' "$cache/apt.log" && [ "$tries" -gt 0 ] || return 1
		[ "$tries" = 119 ] && echo "waiting for another package manager"
		sleep 5
	done
}

# install PACKAGE... from Debian: only by a machine that nobody sits at, or root.
install() {
	command -v apt-get >/dev/null || return 1
	echo "installing $*"
	apt update -qq && apt install -y -qq --no-install-recommends "$@"
}

# linker prints an LLD that writes the code objects of today: 14 does not.
linker() {
	for number in 22 21 20 19 18 17; do
		command -v ld.lld-$number && return
	done
	if command -v ld.lld >/dev/null; then
		major=$(ld.lld --version | sed -n 's/.*LLD \([0-9]*\).*/\1/p')
		[ "${major:-0}" -ge 17 ] && command -v ld.lld
	fi
}

# python prints an interpreter that has torch.
python() {
	for candidate in "${ISADIFF_TEST_PYTHON:-}" /usr/bin/python3 python3; do
		if [ -n "$candidate" ] && "$candidate" -c 'import torch' 2>/dev/null; then
			command -v "$candidate"
			return
		fi
	done
}

mkdir -p "$cache"
[ -n "$(python)" ] || install python3-torch python3-venv || true
[ -n "$(python)" ] || lacking "no Python with torch; install python3-torch, or set ISADIFF_TEST_PYTHON"
[ -n "$(linker)" ] || install lld-19 || true
[ -n "$(linker)" ] || lacking "no ld.lld of LLVM 17 or newer; install lld-19"

# flydsl VERSION makes the virtual environment of a version.
flydsl() {
	venv=$cache/venv-$1
	"$venv/bin/python" -c "import flydsl, pytest, xdist, torch; assert flydsl.__version__ == '$1'" 2>/dev/null && return
	echo "installing FlyDSL $1"
	rm -rf "$venv"
	"$(python)" -m venv --system-site-packages "$venv" >"$cache/pip.log" 2>&1 ||
		{ install python3-venv && "$(python)" -m venv --system-site-packages "$venv" >"$cache/pip.log" 2>&1; } ||
		lacking "no virtual environment can be made, see $cache/pip.log"
	"$venv/bin/python" -m pip install -q "flydsl==$1" 'pytest>=8' pytest-xdist >>"$cache/pip.log" 2>&1 ||
		lacking "FlyDSL $1 cannot be installed, see $cache/pip.log"
}
flydsl "$earlier"
flydsl "$version"

mkdir -p "$rocm/llvm/bin" "$rocm/amdgcn/bitcode"
ln -sf "$(linker)" "$rocm/llvm/bin/ld.lld"
if ! [ -s "$rocm/amdgcn/bitcode/ocml.bc" ] || ! [ -s "$rocm/amdgcn/bitcode/ockl.bc" ]; then
	echo "fetching device libraries"
	"$venv/bin/python" -m pip download -q --no-deps -d "$cache/wheels" triton >>"$cache/pip.log" 2>&1 ||
		lacking "the triton wheel, which has the device libraries, cannot be had, see $cache/pip.log"
	"$venv/bin/python" - "$cache/wheels" "$rocm/amdgcn/bitcode" <<'EOF'
import pathlib, sys, zipfile
wheels, out = map(pathlib.Path, sys.argv[1:])
with zipfile.ZipFile(sorted(wheels.glob("triton-*.whl"))[-1]) as wheel:
    for name in ("ocml.bc", "ockl.bc"):
        (out / name).write_bytes(wheel.read(f"triton/backends/amd/lib/{name}"))
EOF
	rm -rf "$cache/wheels"
fi

export ISADIFF_FLYDSL_PYTHON="$cache/venv-$version/bin/python" ISADIFF_FLYDSL_EARLIER="$cache/venv-$earlier/bin/python" ISADIFF_FLYDSL_ROCM="$rocm"
[ "${1:-}" = setup ] && exit 0
exec go test -tags flydsl -count=1 -run FlyDSL ./watch/capture ./cmd/isadiff ./lsp "$@"
