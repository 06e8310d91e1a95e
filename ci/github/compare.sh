#!/usr/bin/env bash
# Compares, annotates, writes all reports and the job's summary. It fails only if what it was given makes no sense; what the answer
# means for the job is verdict.sh's.
set -uo pipefail

refuse() {
	echo "::error title=isadiff::$1"
	exit 2
}
case $FAIL_ON in
none | regression | untrustworthy | regression,untrustworthy | untrustworthy,regression) ;;
*) refuse "fail-on must be regression, untrustworthy, both with a comma, or none" ;;
esac
case $COMMENT in
changes | always | never) ;;
*) refuse "comment must be changes, always or never" ;;
esac
[ -n "$COMMAND" ] || [ -n "$AFTER" ] || refuse "give the command that compiles the kernels, or the dumps as after"
command -v "$ISADIFF" >/dev/null || refuse "isadiff is not installed: install it in a step before, or set the input isadiff"

reports=${RUNNER_TEMP:-/tmp}/isadiff
rm -rf "$reports"
mkdir -p "$reports"
flags=()
while IFS= read -r flag; do
	[ -n "$flag" ] && flags+=("$flag")
done <<<"$FLAGS"

if [ -n "$COMMAND" ]; then
	# What the change itself did: against where it began, not against what the branch has become. On a push there is no base,
	# and the revision is compared with itself, which keeps its side for the pull requests to come.
	base=$(git merge-base "${BASE:-HEAD}" HEAD) || refuse "the merge base with ${BASE:-HEAD} is not here: check out with fetch-depth: 0"
	compared=(compare "$base")
	command=(-- bash -c "$COMMAND")
else
	compared=(diff "$BEFORE" "$AFTER" --base "$BASE" --head "$HEAD")
	command=()
fi
"$ISADIFF" "${compared[@]}" \
	--format github --format markdown="$reports/report.md" --format html="$reports/report.html" \
	--format sarif="$reports/report.sarif" --format junit="$reports/report.xml" --format json="$reports/report.json" \
	${flags[@]+"${flags[@]}"} ${command[@]+"${command[@]}"}
code=$?
case $code in
0) verdict=ok ;;
1) verdict=regression ;;
*) verdict=not-trustworthy ;;
esac
if [ ! -s "$reports/report.md" ]; then # it ended before it could report, which is no verdict about the code
	verdict=not-trustworthy
	printf '### ❔ isadiff: NOT TRUSTWORTHY\n\nisadiff ended with %s and without a report; the log of the job says why.\n' "$code" >"$reports/report.md"
fi
changed=false
grep -q '"changed_kernels": 0,' "$reports/report.json" 2>/dev/null || changed=true

[ -n "${GITHUB_STEP_SUMMARY:-}" ] && cat "$reports/report.md" >>"$GITHUB_STEP_SUMMARY"
{
	echo "verdict=$verdict"
	echo "exit-code=$code"
	echo "reports=$reports"
	echo "changed=$changed"
	[ -s "$reports/report.sarif" ] && echo "sarif=$reports/report.sarif"
} >>"$GITHUB_OUTPUT"
exit 0
