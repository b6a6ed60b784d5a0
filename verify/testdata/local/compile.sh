#!/bin/sh
# The kernels of this folder as PTX, and some of ../loops, by clang at -O0 as it is: variables live in local memory, and functions
# are called. Give the paths of sources; without, all are made.
set -e
cd "$(dirname "$0")"
version=${LLVM:-14}
loops="count-down chunk-filter chunk-filter-off-by-one search-break time-steps time-steps-one-barrier two-buffers two-buffers-stuck tiles
	tiles-one-barrier until-done until-done-late nested-inner-barriers nested-inner-late leapfrog leapfrog-over"
for source in ${*:-*.cu $(printf '../loops/%s.cu ' $loops)}; do
	name=$(basename "$source" .cu)
	clang-$version -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -gline-tables-only -std=c++14 -O0 \
		-Xclang -disable-O0-optnone -S -emit-llvm "$source" -o - | llc-$version -mcpu=sm_70 -O0 |
		sed -e '/^\t\.section/,/^\t}/d' -e 's/[ \t]*\/\/.*$//' -e '/^[L$][Lt]*\(func\|tmp\)/d' -e '/^$/d' -e 's/, debug$//' \
			-e 's/\(\.file[ \t]*[0-9]*\) "[^"]*" "/\1 "/' -e '/\.file/s/"[^"]*\//"/' >"$name.ptx"
done
