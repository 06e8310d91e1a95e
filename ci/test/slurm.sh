#!/usr/bin/env bash
# A real Slurm of one node for tests of array jobs: no root, no systemd, nothing outside of DIR.
# usage: slurm.sh start DIR   prints the path of its slurm.conf, for SLURM_CONF
#        slurm.sh stop DIR
set -eu
dir=$(mkdir -p "$2" && cd "$2" && pwd)

stop() {
	local name pid
	for name in slurmd slurmctld munged; do
		[ -s "$dir/$name.pid" ] || continue
		pid=$(cat "$dir/$name.pid")
		kill "$pid" 2>/dev/null || continue
		for _ in $(seq 100); do # they write their state when they end
			kill -0 "$pid" 2>/dev/null || break
			sleep 0.1
		done
	done
}

start() {
	local host port
	host=$(hostname -s)
	port=$((20000 + $$ % 20000))
	mkdir -p "$dir/state" "$dir/spool"
	chmod 755 "$dir"
	(umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
	munged --force --key-file="$dir/munge.key" --socket="$dir/munge.sock" --pid-file="$dir/munged.pid" --log-file="$dir/munged.log" --seed-file="$dir/munged.seed"
	cat >"$dir/slurm.conf" <<-END
		ClusterName=test
		SlurmctldHost=$host
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthType=auth/munge
		AuthInfo=socket=$dir/munge.sock
		CredType=cred/munge
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		ReturnToService=2
		StateSaveLocation=$dir/state
		SlurmdSpoolDir=$dir/spool
		SlurmctldPidFile=$dir/slurmctld.pid
		SlurmdPidFile=$dir/slurmd.pid
		SlurmctldLogFile=$dir/slurmctld.log
		SlurmdLogFile=$dir/slurmd.log
		SlurmctldPort=$port
		SlurmdPort=$((port + 1))
		NodeName=$host CPUs=$(nproc) State=UNKNOWN
		PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
	END
	export SLURM_CONF=$dir/slurm.conf
	slurmctld -f "$SLURM_CONF" >&2
	slurmd -f "$SLURM_CONF" >&2
	for _ in $(seq 100); do
		[ "$(sinfo -h -o %T 2>/dev/null)" != idle ] || {
			echo "$SLURM_CONF"
			return
		}
		sleep 0.1
	done
	echo "no node became idle; see $dir/slurmctld.log" >&2
	stop
	exit 1
}

"$1"
