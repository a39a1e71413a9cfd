#!/usr/bin/env bash
# Runs rao-beam on worker processes of this machine, and checks that the result has the same bits as
# in one process. Then it kills a worker during a job. The job must fail with an error, or write the
# same bits.
#
#   cluster.sh fetch flink|spark DIR  fetch the job server with mvn, and for Flink also the Python
#                                     package that contains its jars, with pip
#   cluster.sh test prism DIR         test Beam's own job server, with processes as workers
#   cluster.sh test flink DIR [N]     test a Flink cluster of N task managers (default 2)
#   cluster.sh test spark DIR [N]     test Spark in one process, with N tasks at a time
#   cluster.sh start prism|flink|spark DIR [N]
#   cluster.sh stop prism|flink|spark DIR
#
# start prints the options that rao-beam needs to use the cluster. To use existing installations, set
# FLINK_HOME (a folder), FLINK_JOB_SERVER and SPARK_JOB_SERVER (each a jar or a folder of jars). PORT
# is the first of six ports (default 18080).
set -euo pipefail

flink=1.19.3 spark=3.3.4
beam=2.77.0      # version of a job server in one jar
beam_jars=2.62.0 # version of the separate jars, if the repository does not have that jar

verb=${1:?fetch, start, stop or test} kind=${2:?prism, flink or spark} dir=${3:?a folder to work in} count=${4:-2}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
port=${PORT:-18080}
home=${FLINK_HOME:-$dir/flink}
case $kind in
flink) job_server=${FLINK_JOB_SERVER:-$dir/job-server} ;;
spark) job_server=${SPARK_JOB_SERVER:-$dir/spark-job-server} ;;
esac

fetch_prism() { :; }

fetch_flink() {
	if [ ! -d "$home" ]; then
		python3 -m pip download -q --no-deps --no-binary apache-flink-libraries -d "$dir" "apache-flink-libraries==$flink"
		mkdir -p "$dir/unpacked"
		tar -xzf "$dir"/apache*flink*libraries-$flink.tar.gz -C "$dir/unpacked" --strip-components=1
		mv "$dir/unpacked/deps" "$home"
		rm -r "$dir/unpacked" "$dir"/apache*flink*libraries-$flink.tar.gz
	fi
	job_server beam-runners-flink-1.19 org.slf4j:slf4j-simple:1.7.30
}

fetch_spark() {
	job_server beam-runners-spark-3 "org.apache.spark:spark-sql_2.12:$spark" "org.apache.spark:spark-streaming_2.12:$spark"
}

# fetches the job server of a runner as one jar, or as the runner and other artifacts with all dependencies
job_server() {
	local runner=$1 pom="$dir/maven/pom.xml" part group artifact version
	[ ! -e "$job_server" ] || return 0
	mkdir -p "$dir/maven"
	if mvn -q -B dependency:copy -Dartifact="org.apache.beam:$runner-job-server:$beam" -DoutputDirectory="$dir/maven" \
		>"$dir/maven/log" 2>&1; then
		mv "$dir/maven/$runner-job-server-$beam.jar" "$job_server"
		return
	fi
	printf '%s-job-server %s was not found; fetching its parts, version %s\n' "$runner" "$beam" "$beam_jars" >&2
	cat >"$pom" <<-EOF
		<project xmlns="http://maven.apache.org/POM/4.0.0">
		  <modelVersion>4.0.0</modelVersion>
		  <groupId>rao</groupId><artifactId>job-server</artifactId><version>1</version>
		  <dependencies>
	EOF
	for part in "org.apache.beam:$runner:$beam_jars" "${@:2}"; do
		IFS=: read -r group artifact version <<<"$part"
		printf '<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n' \
			"$group" "$artifact" "$version" >>"$pom"
	done
	echo '</dependencies></project>' >>"$pom"
	mvn -q -B -f "$pom" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$dir/maven/jars"
	mv "$dir/maven/jars" "$job_server"
}

# builds rao-beam and boot, and writes the script that a runner starts for each worker. The script uses a
# separate folder for the program of each worker, removes the quotes that some runners put around
# arguments, and kills the worker when the runner stops boot
programs() {
	(
		cd "$here"
		go build -o "$dir/rao-beam" ./cmd/rao-beam
		go build -o "$dir/boot" github.com/apache/beam/sdks/v2/go/container
	)
	mkdir -p "$dir/log" "$dir/pid" "$dir/tmp" "$dir/conf"
	cat >"$dir/conf/log4j.properties" <<-EOF
		rootLogger.level = INFO
		rootLogger.appenderRef.console.ref = console
		appender.console.name = console
		appender.console.type = CONSOLE
		appender.console.layout.type = PatternLayout
		appender.console.layout.pattern = %d %p %c{1} %m%n
	EOF
	cat >"$dir/boot.sh" <<-EOF
		#!/usr/bin/env bash
		own=\$(mktemp -d "$dir/tmp/worker-XXXXXX")
		cd "\$own"
		"$dir/boot" "\${@//\'/}" --semi_persist_dir="\$own" &
		boot=\$! worker=
		trap exit TERM
		trap 'kill \$worker \$boot 2>/dev/null' EXIT
		until worker=\$(pgrep -x worker -P \$boot) || ! kill -0 \$boot 2>/dev/null; do sleep 0.1; done
		[ -z "\$worker" ] || echo "\$worker" >>"$dir/workers" # boot ended before it started a worker
		wait \$boot
	EOF
	chmod +x "$dir/boot.sh"
	: >"$dir/workers"
}

# waits until a server listens on the port for jobs
listening() {
	local turn
	for turn in $(seq 120); do
		if (exec 3<>"/dev/tcp/localhost/$((port + 3))") 2>/dev/null; then return; fi
		sleep 1
	done
	printf 'the job server did not start within %s s; see %s\n' "$turn" "$dir/log/job-server.log" >&2
	return 1
}

start_prism() {
	(cd "$here" && go build -o "$dir/prism" github.com/apache/beam/sdks/v2/go/cmd/prism)
	"$dir/prism" -job_port $((port + 3)) -web_port $((port + 4)) >"$dir/log/job-server.log" 2>&1 &
	echo $! >"$dir/pid/job-server"
}

# runs a Java class in the background, with the internal packages of Java that Flink and Spark need
run_java() {
	local name=$1 class=$2
	shift 2
	java --add-exports=java.base/sun.net.util=ALL-UNNAMED --add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED \
		$(printf -- '--add-opens=java.base/%s=ALL-UNNAMED ' java.{lang,net,io,nio,text,time,util} java.lang.{invoke,reflect} \
			java.util.concurrent{,.atomic,.locks} sun.nio.{ch,cs} sun.security.action sun.util.calendar) \
		-Xmx1g -Dlog4j.configurationFile="$dir/conf/log4j.properties" -Djava.io.tmpdir="$dir/tmp" \
		-cp "$classes" "$class" "$@" >"$dir/log/$name.log" 2>&1 &
	echo $! >"$dir/pid/$name"
}

# starts a Java job server of Beam with the given options
java_job_server() {
	local class=$1 classes=$job_server
	shift
	[ ! -d "$job_server" ] || classes+='/*'
	run_java job-server "$class" --job-host=localhost --job-port=$((port + 3)) --artifact-port=$((port + 4)) \
		--expansion-port=$((port + 5)) --artifacts-dir="$dir/artifacts" "$@"
}

start_spark() { java_job_server org.apache.beam.runners.spark.SparkJobServerDriver --spark-master-url="local[$count,4]"; }

# starts a small Flink cluster. The configuration sets the memory sizes that Flink's scripts would compute
start_flink() {
	local k
	cat >"$dir/conf/config.yaml" <<-EOF
		jobmanager.rpc.address: localhost
		jobmanager.rpc.port: $((port + 1))
		rest.port: $port
		blob.server.port: $((port + 2))
		taskmanager.numberOfTaskSlots: 1
		taskmanager.cpu.cores: 1.0
		taskmanager.memory.framework.heap.size: 128m
		taskmanager.memory.framework.off-heap.size: 128m
		taskmanager.memory.task.heap.size: 512m
		taskmanager.memory.task.off-heap.size: 64m
		taskmanager.memory.network.min: 128m
		taskmanager.memory.network.max: 128m
		taskmanager.memory.managed.size: 256m
		taskmanager.memory.jvm-metaspace.size: 256m
		taskmanager.memory.jvm-overhead.min: 192m
		taskmanager.memory.jvm-overhead.max: 192m
		restart-strategy.type: fixed-delay
		restart-strategy.fixed-delay.attempts: 3
		restart-strategy.fixed-delay.delay: 1 s
		io.tmp.dirs: $dir/tmp
	EOF
	classes="$home/lib/*" run_java manager org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint \
		--configDir "$dir/conf" --executionMode cluster
	for k in $(seq "$count"); do
		classes="$home/lib/*" run_java "tasks-$k" org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir "$dir/conf"
	done
	java_job_server org.apache.beam.runners.flink.FlinkJobServerDriver --flink-master="localhost:$port"
}

stop() {
	local file process
	for file in "$dir"/pid/*; do
		[ -f "$file" ] || continue
		kill "$(cat "$file")" 2>/dev/null || true
		rm "$file"
	done
	# runners leave workers, and the copies of the program that boot writes to /tmp
	for process in /proc/[0-9]*; do
		if [[ $(readlink "$process/cwd") == "$dir"/tmp/worker-* ]]; then kill -9 "${process#/proc/}" 2>/dev/null || true; fi
	done
	for file in /tmp/bin*/worker; do
		if cmp -s "$file" "$dir/rao-beam"; then rm -r "${file%/worker}"; fi
	done
	rm -rf "$dir"/tmp/worker-*
}

options=(--runner=universal "--endpoint=localhost:$((port + 3))" --environment_type=PROCESS
	"--environment_config={\"command\":\"$dir/boot.sh\"}" "--parallelism=$count")

start() {
	programs
	"start_$kind"
	listening
}

# writes eight tables of three classes, each under eight names
tables() {
	local k other
	mkdir -p "$dir/data"
	for k in 0 1 2 3 4 5 6 7; do
		[ -f "$dir/data/part-$k.csv" ] || awk -v seed="$k" 'BEGIN { srand(seed); for (j = 0; j < 40; j++) printf "x%d,", j; print "label"
			for (i = 0; i < 20000; i++) { for (j = 0; j < 40; j++) printf "%.5f,", rand() * (seed + 1) + (i % 3) * (j % 2); print "c" i % 3 } }' \
			>"$dir/data/part-$k.csv"
		for other in 1 2 3 4 5 6 7; do ln -f "$dir/data/part-$k.csv" "$dir/data/part-$k-$other.csv"; done
	done
}

stats() { "$dir/rao-beam" stats --data "$dir/data/part-*.csv" --shard 5MB --out "$@"; }

# kills the first worker that has used half a second of processor time
kill_worker() {
	local worker ticks
	for _ in $(seq 600); do
		while read -r worker; do
			ticks=$(awk '{ print $14 + $15 }' "/proc/$worker/stat" 2>/dev/null || echo 0)
			if [ "${ticks:-0}" -gt 50 ]; then
				kill -9 "$worker"
				printf 'worker %s was killed\n' "$worker"
				return
			fi
		done <"$dir/workers"
		sleep 0.1
	done
	printf 'no worker to kill\n' >&2
	return 1
}

check() {
	trap stop EXIT
	start
	tables
	stats "$dir/one.npz"
	stats "$dir/many.npz" "${options[@]}"
	cmp "$dir/one.npz" "$dir/many.npz"
	printf '%s worker processes gave the same bits as one process\n' "$(wc -l <"$dir/workers")"
	rm -f "$dir/killed.npz"
	: >"$dir/workers"
	stats "$dir/killed.npz" "${options[@]}" 2>"$dir/log/killed.log" &
	local job=$!
	kill_worker
	if wait "$job"; then
		cmp "$dir/one.npz" "$dir/killed.npz"
		printf 'the job continued and gave the same bits, with %s worker processes in total\n' "$(wc -l <"$dir/workers")"
	elif [ -e "$dir/killed.npz" ]; then
		printf 'the job failed but left a file\n' >&2
		return 1
	else
		printf 'the job failed with an error and left no file\n'
	fi
}

case $kind in
prism | flink | spark) ;;
*) printf '%s is not a job server; use prism, flink or spark\n' "$kind" >&2 && exit 2 ;;
esac
case $verb in
fetch) "fetch_$kind" ;;
start) start && printf '%q ' "${options[@]}" && echo ;;
stop) stop ;;
test) check ;;
*) printf '%s is not a command; use fetch, start, stop or test\n' "$verb" >&2 && exit 2 ;;
esac
