#!/bin/sh
# Runs "isadiff diff" and fails only as configured, telling "worse" from "could not tell".
#
#   gate.sh [--fail-on LIST] BEFORE AFTER [FLAG...]
#
# LIST: regression, untrustworthy, both with a comma (the default), or none. Exit codes: 1 a kernel got worse, 2 that cannot be told,
# each only if LIST has it; 0 otherwise. A command line that is wrong is 2 whatever LIST says. $ISADIFF is the binary, isadiff otherwise.
set -u

fail_on=regression,untrustworthy
case ${1-} in
--fail-on) fail_on=${2-} && shift 2 ;;
--fail-on=*) fail_on=${1#--fail-on=} && shift ;;
esac
case $fail_on in
none | regression | untrustworthy | regression,untrustworthy | untrustworthy,regression) ;;
*)
	echo "isadiff gate: --fail-on is \"$fail_on\", must be regression, untrustworthy, both with a comma, or none" >&2
	exit 2
	;;
esac
isadiff=${ISADIFF:-isadiff}
if ! command -v "$isadiff" >/dev/null 2>&1; then
	echo "isadiff gate: $isadiff is not installed: install isadiff (docs/start/install.md), or set \$ISADIFF" >&2
	exit 2
fi
if [ $# -lt 2 ]; then
	echo "isadiff gate: usage: gate.sh [--fail-on LIST] BEFORE AFTER [FLAG...]" >&2
	exit 2
fi

"$isadiff" diff "$@"
code=$?
case $code,$fail_on in
0,*) exit 0 ;;
1,*regression*) exit 1 ;;
1,*)
	echo "isadiff gate: a kernel got worse; that does not fail here (--fail-on $fail_on)" >&2
	exit 0
	;;
2,*untrustworthy*)
	echo "isadiff gate: this is no verdict about the code; see what mends it above" >&2
	exit 2
	;;
2,*)
	echo "isadiff gate: it cannot be told whether a kernel got worse; that does not fail here (--fail-on $fail_on)" >&2
	exit 0
	;;
*)
	echo "isadiff gate: isadiff ended with $code, which is none of its answers" >&2
	exit 2
	;;
esac
