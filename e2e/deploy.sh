#!/usr/bin/env bash
# Checks the files in docs/deploy. It runs the static binary in an empty root file system, and checks the systemd unit
# with systemd-analyze, the alerts with promtool, and the manifests with kubernetes-validate. It prints which checks it
# skips because a program is not installed.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { printf 'skipped: %s\n' "$*"; }

scratch=$(mktemp -d)
server=
clean() {
	if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
	rm -rf "$scratch"
}
trap clean EXIT

# the command of the Dockerfile
build=$(sed -n 's/^RUN cd \/src\/serve\/grpc && //p' docs/deploy/Dockerfile | sed "s,-o /rao-serve,-o $scratch/root/rao-serve,")
mkdir -p "$scratch/root/models" "$scratch/root/run/secrets"
(cd serve/grpc && eval "$build")
go build -o "$scratch/rao" ./cmd/rao
if command -v readelf >/dev/null && readelf -l "$scratch/root/rao-serve" | grep -q INTERP; then
	printf 'the binary needs a dynamic linker, which an empty container does not have\n'
	exit 1
fi
(cd "$scratch" && ./rao fit pca --data digits:train --filters 3 --out root/models/digits.rao --quiet >/dev/null)
printf 'secret\n' >"$scratch/root/run/secrets/token"
if [ "$(id -u)" = 0 ] && command -v chroot >/dev/null; then
	entry=$(sed -n '/^ENTRYPOINT/,$p' docs/deploy/Dockerfile | sed 's/^ENTRYPOINT //; s/0.0.0.0:[0-9]*/127.0.0.1:0/g' | tr -d '[]",\\\n')
	# shellcheck disable=SC2086
	chroot --userspec=65532:65532 "$scratch/root" $entry 2>"$scratch/said" &
	server=$!
	for _ in $(seq 100); do
		url=$(sed -n 's/.* on \(http:[^ ]*\)$/\1/p' "$scratch/said")
		[ -z "$url" ] || break
		sleep 0.2
	done
	body=$(seq -s, 64)
	answer=$(curl -sf "$url/v1/models/digits/predict" -H 'Authorization: Bearer secret' -H 'Content-Type: text/csv' --data "$body") || { cat "$scratch/said"; exit 1; }
	case $answer in
	*'"label"'*) printf 'the binary runs in an empty root file system as an unprivileged user\n' ;;
	*) printf 'unexpected answer: %s\n' "$answer"; exit 1 ;;
	esac
	kill "$server"
	wait "$server" || true
	server=
else
	skip 'the empty root file system needs chroot and root privileges'
fi

if command -v systemd-analyze >/dev/null; then
	# use the path of the program on this machine
	sed "s,/usr/local/bin/rao,$scratch/rao," docs/deploy/rao.service >"$scratch/rao.service"
	said=$(systemd-analyze verify "$scratch/rao.service" 2>&1) || { printf '%s\n' "$said"; exit 1; }
	if printf '%s' "$said" | grep -q rao.service; then
		printf '%s\n' "$said"
		exit 1
	fi
	printf 'rao.service: systemd-analyze reports no problems\n'
else
	skip 'systemd-analyze is not installed'
fi

if command -v promtool >/dev/null; then
	promtool check rules docs/deploy/alerts.yaml
else
	skip 'promtool is not installed'
fi
if command -v kubernetes-validate >/dev/null; then
	kubernetes-validate --strict docs/deploy/kubernetes.yaml
else
	skip 'kubernetes-validate is not installed'
fi
