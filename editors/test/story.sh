#!/bin/sh
# The story that every editor's test plays, on real dumps of one kernel before and after a change that makes it spill.
# usage: story.sh make PROJECT      a project: the kernel, its dump, a baseline of it, a compile command
#        story.sh worse PROJECT     the compile of the changed kernel lands; the edit of its source is the editor's part
#        story.sh compile PROJECT   the same, by the project's compile command: into $FLYDSL_DUMP_DIR
#        story.sh damage PROJECT    the dump is cut short, as by a compile that was killed
#        story.sh leftover PROJECT  an older compile with debug information left a later stage
#        story.sh make|worse PROJECT triton|hip  the first two turns, on the dumps of another compiler
set -eu
repository=$(cd "$(dirname "$0")/../.." && pwd)
data=$repository/testdata/dumps/tile-up-spills/gfx942
order=$1 project=$2 compiler=${3:-flydsl}
dumps=$project/dumps
[ "$order" != compile ] || dumps=${FLYDSL_DUMP_DIR:-$dumps}
dump=$dumps/window_filter/window_filter_0

# What a compile writes: the module first, the assembly last, each in place.
land() {
	mkdir -p "$dump"
	cat "$data/$1/window_filter/window_filter_0/00_origin.mlir" >"$dump/00_origin.mlir"
	cat "$data/$1/window_filter/window_filter_0/22_final_isa.s" >"$dump/22_final_isa.s"
}

# The compiles of Triton's cache or of a HIP build: those of before are older than the edit of their source, so that what the edit left behind is told apart.
if [ "$compiler" != flydsl ]; then
	data=$repository/testdata/$compiler
	mkdir -p "$project/kernels" "$dumps"
	case $order in
	make)
		cp "$data"/kernels.[ph]* "$project/kernels/"
		chmod u+w "$project"/kernels/*
		touch -d '1 day ago' "$project"/kernels/*
		printf 'dumps = "dumps"\nproducer = "%s"\n' "$compiler" >"$project/isadiff.toml"
		cp -R "$data/before/." "$dumps"
		find "$dumps" -type f -exec touch -d '2 hours ago' {} +
		(cd "$project" && "${ISADIFF:-isadiff}" snapshot >/dev/null)
		;;
	worse) cp -R "$data/after/." "$dumps" ;;
	esac
	exit
fi

case $order in
make)
	mkdir -p "$project/kernels"
	cp "$repository/testdata/kernels/window_filter.py" "$project/kernels/"
	chmod u+w "$project/kernels/window_filter.py"
	touch -d '1 day ago' "$project/kernels/window_filter.py"
	printf 'dumps = "dumps"\ncompile = ["sh", "%s", "compile", "%s"]\n' "$0" "$project" >"$project/isadiff.toml"
	land before
	(cd "$project" && "${ISADIFF:-isadiff}" snapshot >/dev/null)
	;;
worse | compile) land after ;;
damage) sed '/\.end_amdgpu_metadata/,$d' "$data/after/window_filter/window_filter_0/22_final_isa.s" >"$dump/22_final_isa.s" ;;
leftover)
	cat "$data/before/window_filter/window_filter_0/22_final_isa.s" >"$dump/23_final_isa.s"
	touch -d '1 hour ago' "$dump/23_final_isa.s"
	;;
*)
	sed -n '3,8s/^# //p' "$0" >&2
	exit 2
	;;
esac
