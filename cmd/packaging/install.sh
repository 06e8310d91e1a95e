#!/usr/bin/env bash
# Installs what the tests of the packages need, as root on Debian: qemu's user mode, which runs the binaries of another processor, and the node
# packages of the extension. What cannot be installed skips its tests with the reason; with CI set, it fails them.
set -u
cd "$(dirname "$0")/../.."
case $(uname -m) in aarch64) qemu=qemu-x86_64-static ;; *) qemu=qemu-aarch64-static ;; esac
if ! command -v $qemu >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	{ apt-get -o DPkg::Lock::Timeout=600 update && apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends qemu-user-static; } >/dev/null || echo "packages: $qemu was not installed"
fi
if [ ! -d editors/vscode/node_modules ] && command -v npm >/dev/null; then
	(cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund) >/dev/null || echo 'packages: the node packages were not installed'
fi
