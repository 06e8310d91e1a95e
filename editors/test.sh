#!/usr/bin/env bash
# Tests the editors: installs what they need, builds the server and the extension, plays the story in each, and prints time and size.
# usage: editors/test.sh [PART…], PART one of protocol vscode nvim emacs helix vim agents; all without one. setup only installs.
# ISADIFF_PICTURES=1 writes the pictures of the documentation (docs/images) anew.
# As root on Debian it installs the editors (ISADIFF_INSTALL=0: it does not). What is missing then skips its tests with the reason; with CI set, it fails them.
set -euo pipefail
cd "$(dirname "$0")"
setup=
[ "${1:-}" != setup ] || { setup=1; shift; }
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(protocol vscode nvim emacs helix vim agents)
cache=${ISADIFF_EDITORS_CACHE:-$PWD/../.cache/editors}
mkdir -p "$cache/bin"
export ISADIFF_EDITORS_CACHE
ISADIFF_EDITORS_CACHE=$(cd "$cache" && pwd)
cache=$ISADIFF_EDITORS_CACHE

command -v node >/dev/null || {
	echo 'editors: skipped, node is not installed'
	[ -z "${CI:-}" ]
	exit
}

echo 'editors: installing'
install() { bash test/install.sh "$@" || { [ -z "${CI:-}" ] && echo "  $*: not installed"; }; }
install npm
if [ "${ISADIFF_INSTALL:-1}" = 0 ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo '  only the editors that are there are used: others are installed as root on Debian'
else
	for part in "${parts[@]}"; do [ "$part" = protocol ] || install "$part"; done
fi
[ -z "$setup" ] || exit 0

echo 'editors: building'
if [ -z "${ISADIFF:-}" ]; then
	(cd .. && CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$cache/bin/isadiff" ./cmd/isadiff)
	export ISADIFF=$cache/bin/isadiff
fi
case " ${parts[*]} " in *' agents '*)
	(cd .. && CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$cache/bin/isadiff-mcp" ./cmd/isadiff-mcp)
	;;
esac
case " ${parts[*]} " in *' vscode '*)
	node vscode/node_modules/typescript/bin/tsc -p vscode
	ISADIFF_BINARY=$ISADIFF node vscode/scripts/package.mjs "$cache/vsix" linux-x64
	;;
esac

echo 'editors: testing'
files=()
for part in "${parts[@]}"; do
	for file in test/"$part".test.mjs test/"$part"/*.test.mjs; do [ ! -e "$file" ] || files+=("$file"); done
done
status=0
# The editors' own time is mostly waiting, so a few run side by side.
# An editor that hangs is ended with all that the run has started.
timeout --kill-after=30 20m node --test --test-reporter=spec --test-concurrency="${ISADIFF_JOBS:-3}" "${files[@]}" || status=$?

printf 'editors: %d s, %s in %s\n' $SECONDS "$(du -shc "$cache" vscode/node_modules test/node_modules 2>/dev/null | tail -1 | cut -f1)" "${cache#"$(cd .. && pwd)"/}"
exit $status
