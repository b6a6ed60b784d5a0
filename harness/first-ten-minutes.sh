#!/bin/sh
# The first ten minutes with a GPU (docs/hardware.md). What is worth most comes first, each step has its time, and none that
# fails or hangs keeps the next from running. The same command again goes on where it stopped.
#
#	first-ten-minutes.sh [FOLDER]
#
# MUSTER is the program, MACHINE what runs the kernels, INSTANCES how often each test runs, DRAWS with how many settings the search
# begins. CORPUS is the tests that are recorded first, PAPER what muster gen makes of those that come last. TUNE_SECONDS,
# CORPUS_SECONDS, OPAQUE_SECONDS and PAPER_SECONDS are how long the steps take that could take longer.
set -u
folder=${1:-first-ten-minutes}
muster=${MUSTER:-muster}
machine="--machine ${MACHINE:-gpu} --kernel-timeout 5s" # a kernel takes milliseconds, and one that hangs shall not take the day
instances=${INSTANCES:+-n $INSTANCES}
corpus=${CORPUS:-asplos15 ptx cuda cpp async}
tuned="mp-inter-cta sb-inter-cta lb-inter-cta 2+2W+rlx.gpus IRIW+rlx.gpus"
records=records.jsonl
mkdir -p "$folder" || exit 2
case $muster in */*) muster=$(realpath "$muster") ;; esac
cd "$folder" || exit 2 # where no folder has the name of a collection that muster ships

# step NAME SECONDS COMMAND… runs a command for so long at most. What it prints on standard output goes to the file NAME, and
# what it tells on standard error to NAME.err. After an interrupt, verbs write what they have.
step() {
	name=$1 limit=$2
	shift 2
	echo "== $name: $*"
	timeout -s INT -k 20 "$limit" "$@" > "$name" 2> "$name.err"
	echo "   status $?"
	tail -n 2 "$name.err" | cut -c 1-160 | sed 's/^/   /'
}

# record NAME SECONDS ARGUMENT… records tests with the settings that were found.
record() {
	name=$1 limit=$2
	shift 2
	settings=
	[ -s tuned.json ] && settings="--settings tuned.json"
	# shellcheck disable=SC2086 # these are words
	step "$name" "$limit" "$muster" hw record $machine $instances $settings -o "$records" "$@"
}

[ "${MACHINE:-gpu}" = gpu ] && step devices 20 "$muster" hw devices --json
# shellcheck disable=SC2086
step first.log 20 "$muster" hw run $machine $instances $tuned
if [ ! -s tuned.json ]; then
	# shellcheck disable=SC2086
	step tuned.json "${TUNE_SECONDS:-90}" "$muster" hw tune $machine $instances --draws "${DRAWS:-256}" $tuned
fi
if [ -s tuned.json ]; then
	# shellcheck disable=SC2086
	step rates.log 20 "$muster" hw run $machine --settings tuned.json -n "${INSTANCES:-100000000}" $tuned
fi
# shellcheck disable=SC2086
record corpus "${CORPUS_SECONDS:-120}" --keep-cubins cubins $corpus
# Kernels that a compiler cannot break: what is void in the first file is not in this.
# shellcheck disable=SC2086
record opaque "${OPAQUE_SECONDS:-90}" --opaque $corpus
# shellcheck disable=SC2086
step generated 30 "$muster" gen ${PAPER:---preset asplos15} -o generated-tests
record paper "${PAPER_SECONDS:-150}" generated-tests
step report.txt 60 "$muster" check --observations "$records" -m ptx --report report.html
tail -n 3 report.txt
echo "Weak outcomes a second, of instances a second (the goal: 1e+07 of 3e+08):"
sed -n 's/: the outcome.*launches: /: /p' rates.log.err
echo "Commit $folder/$records as litmus-tests/CHIP.jsonl with tuned.json; report.html is for reading, rates.log and rates.log.err have the rates."
