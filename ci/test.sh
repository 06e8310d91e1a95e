#!/usr/bin/env bash
# Tests the reports and recipes with the tools that read them: a browser, the JUnit schema, the shell steps of the GitHub action and the
# GitLab job, pre-commit, GNU parallel, Slurm. Installs what is lacking into .cache/ci and ci/test; what cannot be installed skips its tests with the reason, and
# fails them where CI is set. usage: ci/test.sh [setup]; setup only installs.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/test"
cache=$PWD/../../.cache/ci
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
export ISADIFF_CI_CACHE=$cache
export ISADIFF=${ISADIFF:-$(cd ../.. && pwd)/bin/isadiff}

# try WHAT COMMAND...: what fails is said; the tests that need it say it again.
try() {
	local what=$1
	shift
	"$@" || echo "cannot install $what" >&2
}

chromium() {
	[ -x /usr/bin/chromium ] && [ -d /usr/share/fonts/truetype/dejavu ] && return
	apt-get -qq -o DPkg::Lock::Timeout=600 update && DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 -y install --no-install-recommends chromium fonts-dejavu-core >/dev/null
}

cluster() {
	PATH=$PATH:/usr/sbin command -v parallel slurmctld slurmd sbatch munged >/dev/null && return
	apt-get -qq -o DPkg::Lock::Timeout=600 update && DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 -y install --no-install-recommends parallel slurmctld slurmd slurm-client munge >/dev/null
}

npm_packages() {
	[ node_modules/.package-lock.json -nt package-lock.json ] && return
	npm ci --no-audit --no-fund --ignore-scripts --loglevel=error && touch node_modules/.package-lock.json
}

python_packages() {
	[ -e "$cache/venv/.done-1" ] && return
	python3 -m venv "$cache/venv" && "$cache/venv/bin/pip" install -q --disable-pip-version-check pre-commit==4.7.0 xmlschema==4.1.0 && touch "$cache/venv/.done-1"
}

# The schema of Jenkins' xUnit plugin, which the source package of pytest carries.
junit_schema() {
	[ -e "$cache/junit-10.xsd" ] && return
	local dir
	dir=$(mktemp -d) && python3 -m pip download -q --disable-pip-version-check --no-deps --no-binary=:all: -d "$dir" pytest==8.3.4 &&
		tar -xzOf "$dir/pytest-8.3.4.tar.gz" pytest-8.3.4/testing/example_scripts/junit-10.xsd >"$dir/junit-10.xsd" && mv "$dir/junit-10.xsd" "$cache/"
	local failed=$?
	rm -rf "$dir"
	return $failed
}

if ! command -v node >/dev/null; then
	echo "the tests of reports and recipes need node" >&2
	[ -z "${CI:-}" ] && exit 0
	exit 1
fi
try chromium chromium
try "GNU parallel and Slurm" cluster
try "npm packages" npm_packages
try "Python packages" python_packages
try "the JUnit schema" junit_schema
[ "${1:-}" = setup ] && exit 0
exec node --test ./*.test.mjs
