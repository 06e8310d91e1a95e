#!/bin/sh
# A server that dies within its handshake, each time a little later, and lives from the fifth start on. Put it where an editor looks for isadiff.
# $DYING is a folder that it notes in: `starts` has the process of each start, `together` those that were started while another one ran.
# The file `always` there lets it never live.
[ "$1" = lsp ] || exec "$ISADIFF" "$@"
cd "$DYING" || exit
for other in $(cat starts 2>/dev/null); do
	# A process that is dead and waits to be reaped still has its number, and no command.
	[ -z "$(tr -d '\0' 2>/dev/null <"/proc/$other/cmdline")" ] || echo "$$ while $other ran" >>together
done
echo $$ >>starts
start=$(wc -l <starts)
cd "$OLDPWD"

answer() {
	set -- '{"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}'
	printf 'Content-Length: %d\r\n\r\n%s' ${#1} "$1"
}

case $start in
1) ;;                                            # before it reads anything
2) head -c 40 >/dev/null ;;                      # with a part of the question read
3) head -c 400 >/dev/null && printf 'Content-Length: 90\r\n\r\n{"jsonrpc"' ;; # with a part of the answer written
4) head -c 400 >/dev/null && answer ;;           # right after its answer
*) [ -e "$DYING/always" ] || exec "$ISADIFF" "$@" ;;
esac
kill -9 $$
