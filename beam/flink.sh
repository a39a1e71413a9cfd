#!/usr/bin/env bash
# rao-beam on a Flink cluster of this machine: the same bits as one process, also when a worker
# is killed in the middle.
#
#   flink.sh fetch DIR       Flink, from the Python package that carries its jars, and Beam's job
#                            server, by the clients pip and mvn as they are set up here
#   flink.sh start DIR [N]   a cluster of N workers (2) and the job server; prints its options
#   flink.sh stop DIR
#   flink.sh test DIR        start, statistics of one machine and of the cluster, a worker killed,
#                            stop
#
# FLINK_HOME and FLINK_JOB_SERVER (a jar) name what is there already. PORT is the first of six
# ports (18080).
set -euo pipefail

flink=1.20.1
server=beam-runners-flink-1.20-job-server
beam=2.77.0

verb=${1:?fetch, start, stop or test} dir=${2:?a folder to work in}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
port=${PORT:-18080}
home=${FLINK_HOME:-$dir/flink}
jar=${FLINK_JOB_SERVER:-$dir/job-server.jar}
export FLINK_CONF_DIR=$dir/conf FLINK_LOG_DIR=$dir/log FLINK_PID_DIR=$dir/pid

fetch() {
	if [ ! -d "$home" ]; then
		python3 -m pip download -q --no-deps --no-binary apache-flink-libraries -d "$dir" "apache-flink-libraries==$flink"
		mkdir "$dir/unpacked"
		tar -xzf "$dir"/apache*flink*libraries-$flink.tar.gz -C "$dir/unpacked" --strip-components=1
		mv "$dir/unpacked/deps" "$home"
	fi
	if [ ! -f "$jar" ]; then
		mvn -q dependency:copy -Dartifact="org.apache.beam:$server:$beam" -DoutputDirectory="$dir"
		mv "$dir/$server-$beam.jar" "$jar"
	fi
}

# settings of a small cluster; Flink on Java 17 must open some packages
configure() {
	mkdir -p "$FLINK_CONF_DIR" "$FLINK_LOG_DIR" "$FLINK_PID_DIR"
	cp "$home"/conf/* "$FLINK_CONF_DIR"/
	cat >>"$FLINK_CONF_DIR/config.yaml" <<-EOF

		rest.port: $port
		rest.bind-port: $port
		jobmanager.rpc.port: $((port + 1))
		blob.server.port: $((port + 2))
		jobmanager.memory.process.size: 1g
		taskmanager.memory.process.size: 2g
		taskmanager.numberOfTaskSlots: 1
		restart-strategy.type: fixed-delay
		restart-strategy.fixed-delay.attempts: 3
		restart-strategy.fixed-delay.delay: 1 s
		io.tmp.dirs: $dir/tmp
	EOF
	mkdir -p "$dir/tmp"
}

# what Flink runs for a worker: the number of the process is kept, to kill it
boot() {
	(cd "$here" && go build -o "$dir/rao-beam" ./cmd/rao-beam &&
		go build -o "$dir/boot" github.com/apache/beam/sdks/v2/go/container)
	cat >"$dir/boot.sh" <<-EOF
		#!/usr/bin/env bash
		echo \$\$ >>"$dir/workers"
		exec "$dir/boot" "\${@//\\'/}"
	EOF
	chmod +x "$dir/boot.sh"
}

options() {
	printf '%s\n' --runner=universal "--endpoint=localhost:$((port + 3))" --environment_type=PROCESS \
		"--environment_config={\"command\":\"$dir/boot.sh\"}" "--parallelism=$1"
}

start() {
	local workers=${1:-2}
	configure
	boot
	: >"$dir/workers"
	"$home/bin/jobmanager.sh" start
	for _ in $(seq "$workers"); do "$home/bin/taskmanager.sh" start; done
	java -cp "$jar" org.apache.beam.runners.flink.FlinkJobServerDriver --flink-master="localhost:$port" --job-host=localhost \
		--job-port=$((port + 3)) --artifact-port=$((port + 4)) --expansion-port=$((port + 5)) \
		--artifacts-dir="$dir/artifacts" >"$dir/log/job-server.log" 2>&1 &
	echo $! >"$dir/pid/job-server"
	for _ in $(seq 60); do
		if (exec 3<>"/dev/tcp/localhost/$((port + 3))") 2>/dev/null; then return; fi
		sleep 1
	done
	printf 'the job server did not start; see %s\n' "$dir/log/job-server.log" >&2
	return 1
}

stop() {
	if [ -f "$dir/pid/job-server" ]; then
		kill "$(cat "$dir/pid/job-server")" 2>/dev/null || true
		rm "$dir/pid/job-server"
	fi
	"$home/bin/taskmanager.sh" stop-all || true
	"$home/bin/jobmanager.sh" stop-all || true
}

case $verb in
fetch) fetch ;;
start) start "${3:-2}" && options "${3:-2}" ;;
stop) stop ;;
test) . "$here/flink-test.sh" ;;
*)
	printf 'no verb %s\n' "$verb" >&2
	exit 2
	;;
esac
