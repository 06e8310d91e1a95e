#!/bin/sh
# Runs a command with a python3 that has pytest: the machine's own, or one of a virtual
# environment below .cache, which it makes. What cannot be had is said, and the command
# runs all the same: its tests skip, and fail where CI is set.
set -eu

cache=$(cd "$(dirname "$0")/.." && pwd)/.cache/pytest
has() { "$1" -c 'import pytest' 2>/dev/null; }
make() {
	python3 -m venv "$cache" && "$cache/bin/python3" -m pip install -q 'pytest>=8'
}
if ! has python3; then
	if ! has "$cache/bin/python3"; then
		mkdir -p "$cache"
		make >"$cache.log" 2>&1 ||
			{ [ "$(id -u)" = 0 ] && { apt-get update -qq; apt-get -o DPkg::Lock::Timeout=600 install -y python3-venv; } >"$cache.log" 2>&1 && make >"$cache.log" 2>&1; } ||
			echo "python3 has no pytest, and it cannot be installed: see $cache.log" >&2
	fi
	PATH=$cache/bin:$PATH
fi
exec "$@"
