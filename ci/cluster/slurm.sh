#!/bin/sh
# An array job of Slurm: each task is a shard of "isadiff history" or "isadiff bisect".
#
#   sbatch --array=1-8 slurm.sh history DIR v1.0..main -- make kernels
#   sbatch --array=1-8 slurm.sh bisect DIR v1.0 main -- make kernels
#
# Start it in the repository. It and DIR are on a file system that all nodes share; "isadiff history --from DIR" then shows the figures. A
# task that was killed is done again with the same arguments: ISADIFF_SHARDS=8 sbatch --array=3 slurm.sh ...
#SBATCH --job-name=isadiff
#SBATCH --output=isadiff-%A_%a.log
#SBATCH --requeue
set -u
if [ $# -lt 2 ]; then
	echo "usage: sbatch --array=1-N slurm.sh history|bisect DIR [ARGUMENT...]" >&2
	exit 2
fi
command=$1 to=$2
shift 2
exec "${ISADIFF:-isadiff}" "$command" --shard "$SLURM_ARRAY_TASK_ID/${ISADIFF_SHARDS:-$SLURM_ARRAY_TASK_COUNT}" --to "$to" "$@"
