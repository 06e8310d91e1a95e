#!/usr/bin/env bash
# Runs the tests with real compilers: Triton and IREE from PyPI, whose AMD backends
# need no GPU, and clang with an AMDGPU backend. It installs what it needs: Triton and
# IREE into .cache/, clang and LLVM's tools by apt where it may. What it lacks skips tests
# with a reason on a person's machine, and fails them where CI is set. The argument
# setup only installs; others are those of go test.
set -euo pipefail
cd "$(dirname "$0")/.."

# The versions that the test data and docs/use/producers.md were measured on.
triton=3.9.0
iree=3.13.0

lacks() {
	echo "test-producers: $1" >&2
	if [ -n "${CI:-}" ]; then exit 1; fi
}

have_llvm() {
	local v tool
	for v in 24 23 22 21 20; do
		for tool in clang llvm-objdump llvm-readobj ld.lld clang-offload-bundler; do
			command -v "$tool-$v" >/dev/null || continue 2
		done
		return 0
	done
	return 1
}

# The newest clang that apt knows.
install_llvm() {
	local v
	for v in 24 23 22 21 20; do
		if apt-cache show "clang-$v" >/dev/null 2>&1; then
			apt-get install -qq -y --no-install-recommends "clang-$v" "clang-tools-$v" "llvm-$v" "lld-$v" >/dev/null
			return
		fi
	done
	return 1
}

if ! have_llvm; then
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		install_llvm || { apt-get update -qq && install_llvm; } || lacks "clang and LLVM 20 or later cannot be installed by apt"
	else
		lacks "there is no clang-N with llvm-objdump-N of LLVM 20 or later, and no root to install it; the tests with clang are skipped"
	fi
fi

# package VENV NAME VERSION: a package of PyPI in .cache/VENV.
package() {
	local venv=.cache/$1
	if [ -e "$venv/.done-$3" ]; then return; fi
	rm -rf "$venv"
	"${PYTHON:-python3}" -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check "$2==$3" && touch "$venv/.done-$3" && return
	rm -rf "$venv"
	lacks "$2 $3 cannot be installed; the tests with it are skipped"
}

if [ -z "${TRITON_PYTHON:-}" ]; then package triton-venv triton $triton & fi
if [ -z "${IREE_COMPILE:-}" ]; then package iree-venv iree-base-compiler $iree & fi
wait
if [ -x .cache/triton-venv/bin/python ]; then export TRITON_PYTHON=${TRITON_PYTHON:-$PWD/.cache/triton-venv/bin/python}; fi
if [ -x .cache/iree-venv/bin/iree-compile ]; then export IREE_COMPILE=${IREE_COMPILE:-$PWD/.cache/iree-venv/bin/iree-compile}; fi

if [ "${1:-}" = setup ]; then exit 0; fi
exec ${GO:-go} test -tags producers -count=1 ./engine/producer/realtest "$@"
