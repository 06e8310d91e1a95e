#!/bin/sh
# Tests the plugin of pytest with each major version that it supports, and pytest-xdist,
# in virtual environments below .cache that it makes. What cannot be had is said: the
# tests are skipped on a person's machine, and fail where CI is set.
set -eu

cd "$(dirname "$0")/.."
cache=$PWD/.cache/pytest-versions
mkdir -p "$cache"

lacking() {
	if [ -n "${CI:-}" ]; then
		echo "FAIL: tests with versions of pytest: $1" >&2
		exit 1
	fi
	echo "SKIP: tests with versions of pytest: $1"
	exit 0
}

pythons=
for version in 7.4 8 9; do
	venv=$cache/$version
	if ! "$venv/bin/python3" -c 'import pytest, xdist' 2>/dev/null; then
		echo "installing pytest $version"
		rm -rf "$venv"
		python3 -m venv "$venv" >"$cache/pip.log" 2>&1 && "$venv/bin/python3" -m pip install -q "pytest==$version.*" pytest-xdist >>"$cache/pip.log" 2>&1 ||
			lacking "pytest $version cannot be installed, see $cache/pip.log"
	fi
	pythons=$pythons${pythons:+:}$venv/bin/python3
done
[ "${1:-}" = setup ] && exit 0
# What does not depend on the version, the other tests of the plugin look at in `make test-go`.
ISADIFF_TEST_PYTESTS=$pythons exec go test -count=1 -run 'TestPytest($|Workers|OutsideOfTests|WithinCapture)' ./cmd/isadiff
