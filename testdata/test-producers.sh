#!/usr/bin/env bash
# Runs the tests with real compilers: Triton from PyPI, whose AMD backend needs no
# GPU, and clang with an AMDGPU backend. It installs what it needs: Triton into
# .cache/, clang and LLVM's tools by apt where it may. What it lacks skips tests
# with a reason on a person's machine, and fails them where CI is set.
set -euo pipefail
cd "$(dirname "$0")/.."

# The version that the test data and docs/use/producers.md were measured on.
triton=3.9.0
venv=.cache/triton-venv

lacks() {
	echo "test-producers: $1" >&2
	if [ -n "${CI:-}" ]; then exit 1; fi
}

have_llvm() {
	local v
	for v in 24 23 22 21 20; do
		if command -v "clang-$v" "llvm-objdump-$v" "llvm-readobj-$v" >/dev/null; then return 0; fi
	done
	return 1
}

# The newest clang that apt knows.
install_llvm() {
	local v
	for v in 24 23 22 21 20; do
		if apt-cache show "clang-$v" >/dev/null 2>&1; then
			apt-get install -qq -y --no-install-recommends "clang-$v" "llvm-$v" "lld-$v" >/dev/null
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

python=${PYTHON:-python3}
if [ -z "${TRITON_PYTHON:-}" ]; then
	if [ "$("$venv/bin/python" -c 'import triton; print(triton.__version__)' 2>/dev/null)" != "$triton" ]; then
		rm -rf "$venv"
		if ! { "$python" -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check "triton==$triton"; }; then
			rm -rf "$venv"
			lacks "Triton $triton cannot be installed; the tests with Triton are skipped"
		fi
	fi
	if [ -x "$venv/bin/python" ]; then
		TRITON_PYTHON=$PWD/$venv/bin/python
		export TRITON_PYTHON
	fi
fi

exec ${GO:-go} test -tags producers -count=1 ./engine/producer/realtest "$@"
