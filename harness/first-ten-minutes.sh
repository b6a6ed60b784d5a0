#!/bin/sh
# The first ten minutes with a GPU (docs/hardware.md). What is worth most comes first, each step has its time, and none that
# fails or hangs keeps the next from running. The same command again goes on where it stopped.
#
#	first-ten-minutes.sh [FOLDER]
#
# MUSTER is the program, MACHINE what runs the kernels, INSTANCES how often each test runs, RECORDED how often if it is recorded, DRAWS with how many settings the
# search begins. CORPUS is the tests that are recorded first, PAPER what muster gen makes of those that come last. BUDGET is how many seconds there
# are for all; TUNE_SECONDS, CORPUS_SECONDS, OPAQUE_SECONDS and PAPER_SECONDS are how long steps may take of it.
#
# PACK is a folder for what is to be kept, in at most eight files of at most 16 MB, as it is after each step of recording; FROM is such a folder of an
# earlier run, with which this one goes on: on a machine that is lent for one command at a time, and is another the next time.
set -u
began=$(date +%s)
folder=${1:-first-ten-minutes}
muster=${MUSTER:-muster}
machine="--machine ${MACHINE:-gpu} --kernel-timeout 5s" # a kernel takes milliseconds, and one that hangs shall not take the day
runs="$machine --test-time ${TEST_TIME:-2s}"            # nor shall a test that is slow
instances=${INSTANCES:+-n $INSTANCES}
recorded=${RECORDED:+-n $RECORDED}
corpus=${CORPUS:-asplos15 ptx cuda cpp async}
first="mp-inter-cta sb-inter-cta lb-inter-cta 2+2W+rlx.gpus IRIW+rlx.gpus" # which the goal is about
# A test that was not tuned gets the settings of its kind, so there are some of each here: L1, acquire and release, fences, one CTA, shared memory.
tuned="$first mp-L1 MP+rel.cta+acq.gpu mp+membar.ctas-inter-cta SB+fence.acq_rel.gpus mp-intra-cta sb-intra-cta mp-volatile sb-shared-global"
records=records.jsonl
budget=${BUDGET:-600}
grace=15      # seconds after which a step is killed that was told to end
reserved=60   # seconds for the report and the last packing
most=16000000 # bytes of a file that is packed
mkdir -p "$folder" ${PACK:+"$PACK"} || exit 2
# The tools of a CUDA toolkit are used where it is, if none is on PATH.
{ command -v ptxas && command -v nvdisasm; } > /dev/null || PATH=$PATH:/usr/local/cuda/bin
case $muster in */*) muster=$(realpath "$muster") ;; esac
pack=${PACK:+$(realpath "$PACK")}
from=${FROM:+$(realpath "$FROM")}
cd "$folder" || exit 2 # where no folder has the name of a collection that muster ships

# left is how many seconds there are, for what is not reserved.
left() { echo $((began + budget - reserved - $(date +%s))); }

# least prints the lesser of two numbers.
least() { if [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi; }

# step NAME SECONDS COMMAND… runs a command for so long at most. What it prints on standard output goes to the file NAME, and
# what it tells on standard error to NAME.err. After an interrupt, verbs write what they have.
step() {
	name=$1 limit=$2
	shift 2
	echo "== $name, $limit s: $*" | cut -c 1-300
	if [ "$limit" -lt 1 ]; then
		echo "   no time is left"
		return 1
	fi
	timeout -s INT -k "$grace" "$limit" "$@" > "$name" 2> "$name.err"
	status=$?
	echo "   status $status"
	tail -n 2 "$name.err" | cut -c 1-160 | sed 's/^/   /'
	return $status
}

# within SECONDS is so long, but no longer than there is time, less what a step takes that must be killed.
within() { least "$1" $(($(left) - grace)); }

# record NAME SECONDS ARGUMENT… records tests with the settings that were found.
record() {
	name=$1 limit=$2
	shift 2
	settings=
	[ -s tuned.json ] && settings="--settings tuned.json"
	# shellcheck disable=SC2086 # these are words
	step "$name" "$limit" "$muster" hw record $runs ${recorded:-$instances} $settings -o "$records" "$@"
	keep
}

# summary is what to know of it all.
summary() {
	cat devices 2>/dev/null
	echo "Weak outcomes a second, of instances a second (the goal: 1e+07 of 3e+08):"
	sed -n 's/: the outcome.*launches: /: /p' rates.log.err 2>/dev/null
	[ -s "$records" ] && echo "$(wc -l < "$records") records, $(grep -c '"fault":"' "$records") of them faults"
	tail -n 3 report.txt 2>/dev/null
}

# keep_records packs the records alone. While a step records, that is done again and again: whatever ends the machine, they are there.
keep_records() {
	[ -s "$records" ] && gzip -c "$records" > "$pack/.$1" && mv "$pack/.$1" "$pack/$records.gz"
}

# keep packs what is to be kept. Each file takes the place of its forerunner at once, so that what is killed leaves one of the two.
keep() {
	[ -n "$pack" ] || return 0
	summary > summary.txt
	for file in tuned.json summary.txt; do
		[ -s "$file" ] && cp "$file" "$pack/.new" && mv "$pack/.new" "$pack/$file"
	done
	keep_records new
	[ -s report.html ] && gzip -c report.html > "$pack/.new" && mv "$pack/.new" "$pack/report.html.gz"
	tar -czf "$pack/.new" ./*.err ./*.log ./*.txt $([ -s devices ] && echo devices) 2>/dev/null && mv "$pack/.new" "$pack/logs.tar.gz"
	[ -d cubins ] || return 0
	rm -f cubins.tar.gz.*
	tar -czf - cubins | split -b "$most" - cubins.tar.gz.
	if [ -e cubins.tar.gz.ad ]; then # there are eight files with three of these
		echo "   the machine code takes too many files, and is not packed"
		rm -f cubins.tar.gz.* "$pack"/cubins.tar.gz.*
	else
		mv cubins.tar.gz.* "$pack"
	fi
}

if [ -n "$from" ] && ! [ -e "$records" ]; then
	echo "== going on with $from"
	[ -s "$from/tuned.json" ] && cp "$from/tuned.json" .
	[ -s "$from/$records.gz" ] && gzip -dc "$from/$records.gz" > "$records"
	[ -s "$from/logs.tar.gz" ] && tar -xzf "$from/logs.tar.gz"
	[ -s "$from/cubins.tar.gz.aa" ] && cat "$from"/cubins.tar.gz.* | tar -xzf -
fi
if [ -n "$pack" ]; then
	# Who waits for the end of what is written here does not wait for the last sleep.
	while sleep "${KEEP_SECONDS:-20}" && kill -0 $$; do keep_records meanwhile; done > /dev/null 2>&1 < /dev/null &
	keeper=$!
	trap 'kill "$keeper" 2> /dev/null; rm -f "$pack/.meanwhile"' EXIT
	trap 'exit 3' INT
fi
[ "${MACHINE:-gpu}" = gpu ] && step devices "$(within 20)" "$muster" hw devices --json
# shellcheck disable=SC2086
[ -s first.log ] || step first.log "$(within 20)" "$muster" hw run $runs $instances $first
if [ ! -s tuned.json ]; then
	limit=$(within "${TUNE_SECONDS:-90}")
	# The search keeps to a time of its own, so that its rounds share it; the tests are compiled in the rest.
	# shellcheck disable=SC2086
	step tuned.json "$limit" "$muster" hw tune $machine $instances --draws "${DRAWS:-256}" --time "$((limit > 0 ? limit * 9 / 10 : 0))s" $tuned
fi
if [ -s tuned.json ] && ! [ -s rates.log ]; then
	# shellcheck disable=SC2086
	step rates.log "$(within 20)" "$muster" hw run $runs --settings tuned.json -n "${INSTANCES:-100000000}" $first
fi
keep
# shellcheck disable=SC2086
record corpus.log "$(within "${CORPUS_SECONDS:-$(($(left) / 3))}")" --keep-cubins cubins $corpus
# Kernels that a compiler cannot break: what is void in the first file is not in this.
# shellcheck disable=SC2086
record opaque.log "$(within "${OPAQUE_SECONDS:-$(($(left) / 2))}")" --opaque $corpus
# Generated tests come in an order that is drawn, but the same each time: as many of each kind as there is time for.
# shellcheck disable=SC2086
[ -s paper.order ] || { step generated.log "$(within 60)" "$muster" gen ${PAPER:---preset asplos15} -o generated-tests &&
	find generated-tests -name '*.litmus' | sort | shuf --random-source="$(command -v "$muster")" > paper.order; }
# The names are in a list, for there are more than a command line has room for.
[ -s paper.order ] && record paper.log "$(within "${PAPER_SECONDS:-$(left)}")" @paper.order
[ -n "$pack" ] && kill "$keeper" # nothing more is recorded
step report.txt "$(least "$reserved" $(($(left) + reserved - 10)))" "$muster" check --observations "$records" -m ptx --report report.html
keep
summary | sed '/^{/d'
echo "Commit $folder/$records as litmus-tests/CHIP.jsonl with tuned.json; report.html is for reading, rates.log and rates.log.err have the rates."
