#!/usr/bin/env bash
# Times muster and, where they are on PATH, herd7 and Dartagnan on the programs of package
# bench, one test at a time, up to the size at which each takes too long. herd7 has no PTX:
# it runs the same programs for x86.
#
#   bench/peers.sh [SECONDS]       how long a test may take; 10 if not given
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${1:-10}
tests=$(mktemp -d)
trap 'rm -rf "$tests"' EXIT
go build -o "$tests/muster" ./cmd/muster
go run ./bench/curves -write "$tests"

# grow NAME FOLDER COMMAND…: the largest size of each family that the command simulates.
grow() {
	local name=$1 folder=$2 family n file start end
	shift 2
	for family in writers write-read reader sb mp iriw locks; do
		for n in $(seq 2 20); do
			file="$tests/$folder/$family-$n.litmus"
			[ -f "$file" ] || continue
			start=$(date +%s.%N)
			timeout "$limit" "$@" "$file" >/dev/null 2>&1 || break
			end=$(date +%s.%N)
			printf '%s\t%s\t%d\t%.3f\n' "$name" "$family" "$n" "$(echo "$end - $start" | bc)"
		done
	done
}

# peer NAME COMMAND: whether it is there.
peer() {
	command -v "$2" >/dev/null || { echo "$1 is not on PATH: skipped" >&2; return 1; }
}

printf 'tool\tfamily\tn\tseconds\n'
grow "muster sc" ptx "$tests/muster" run -m sc
grow "muster ptx" ptx "$tests/muster" run -m ptx
grow "muster ptx, naive" ptx "$tests/muster" run --engine naive -m ptx
if peer herd7 herd7; then
	grow "herd7 x86" x86 herd7
	grow "herd7 x86, fast" x86 herd7 -speedcheck fast
fi
if peer Dartagnan dartagnan; then
	grow "Dartagnan ptx" ptx dartagnan --target=ptx "${DARTAGNAN_CAT:-cat/ptx-v7.5.cat}"
fi
