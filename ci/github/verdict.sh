#!/usr/bin/env bash
# Fails the job as configured. "Worse" is exit 1 and "could not tell" is exit 2, each with words of its own.
set -u

case $VERDICT,$FAIL_ON in
ok,*) ;;
regression,*regression*)
	echo "a kernel got worse"
	exit 1
	;;
regression,*) echo "a kernel got worse; that does not fail the job (fail-on: $FAIL_ON)" ;;
not-trustworthy,*untrustworthy*)
	echo "it cannot be told whether a kernel got worse: this is no verdict about the code"
	exit 2
	;;
not-trustworthy,*) echo "it cannot be told whether a kernel got worse; that does not fail the job (fail-on: $FAIL_ON)" ;;
*)
	echo "there is no verdict"
	exit 2
	;;
esac
