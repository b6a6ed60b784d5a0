#!/usr/bin/env bash
# Times muster and, where they are on PATH, herd7 and Dartagnan on the programs of package
# bench, one test at a time, up to the size at which each takes too long. herd7 has no PTX:
# it runs the same programs for x86.
#
#   bench/peers.sh [SECONDS [TOOL…]]   how long a test may take, 10 if not given, and which of
#                                      muster, herd7 and dartagnan to time
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${1:-10}
shift $(($# > 0))
tools=${*:-muster herd7 dartagnan}
tests=$(mktemp -d)
trap 'rm -rf "$tests"' EXIT
go run ./bench/curves -write "$tests"

# grow NAME FOLDER ANSWER COMMAND…: the largest size of each family that the command
# simulates. ANSWER is a line of what it prints when it does; herd7 ends with status 0, too,
# when it has skipped a test that it does not understand.
grow() {
	local name=$1 folder=$2 answer=$3 family n file start end said=$tests/said
	shift 3
	for family in writers write-read reader sb mp iriw locks; do
		for n in $(seq 2 20); do
			file="$tests/$folder/$family-$n.litmus"
			[ -f "$file" ] || continue
			start=$(date +%s%N)
			timeout "$limit" "$@" "$file" >"$said" 2>&1 || break
			end=$(date +%s%N)
			if ! grep -Eq "$answer" "$said"; then
				echo "$name does not answer $family-$n:" >&2
				head -n 3 "$said" >&2
				break
			fi
			printf '%s\t%s\t%d\t%d.%03d\n' "$name" "$family" "$n" $(((end - start) / 1000000000)) $(((end - start) / 1000000 % 1000))
		done
	done
}

# wanted COMMAND: whether to time it. A peer that is not there is skipped with a notice.
wanted() {
	[[ " $tools " == *" $1 "* ]] || return 1
	[ "$1" = muster ] || command -v "$1" >/dev/null || { echo "$1 is not on PATH: skipped" >&2; return 1; }
}

printf 'tool\tfamily\tn\tseconds\n'
if wanted muster; then
	go build -o "$tests/muster" ./cmd/muster
	grow "muster sc" ptx '^Observation ' "$tests/muster" run -m sc
	grow "muster ptx" ptx '^Observation ' "$tests/muster" run -m ptx
	grow "muster ptx, naive" ptx '^Observation ' "$tests/muster" run --engine naive -m ptx
fi
if wanted herd7; then
	grow "herd7 x86" x86 '^Observation ' herd7
	grow "herd7 x86, fast" x86 '^Observation ' herd7 -speedcheck fast
fi
if wanted dartagnan; then
	grow "Dartagnan ptx" ptx '\b(Ok|No|PASS|FAIL|UNKNOWN)\b' dartagnan --target=ptx "${DARTAGNAN_CAT:-cat/ptx-v7.5.cat}"
fi
