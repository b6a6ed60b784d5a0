#!/bin/sh
# The kernels of this folder as PTX: with the header that "muster verify --from" includes, by the commands that it runs, so
# that built-in functions of OpenCL C without a counterpart in PTX stay calls. Give the names of sources; without, all are made.
set -e
cd "$(dirname "$0")"
version=${LLVM:-14}
for source in ${*:-*.cl}; do
	clang-$version -x cl -target nvptx64-nvidia-nvcl -gline-tables-only -Xclang -finclude-default-header -include ../../../internal/kernels/compile/opencl.h \
		-O0 -Xclang -disable-O0-optnone -S -emit-llvm "$source" -o - |
		opt-$version -S '-passes=always-inline,inline,function(sroa,mem2reg,infer-address-spaces)' | llc-$version -mcpu=sm_70 -O1 |
		sed -e '/^\t\.section/,/^\t}/d' -e 's/[ \t]*\/\/.*$//' -e '/^[L$][Lt]*\(func\|tmp\)/d' -e '/^$/d' -e 's/, debug$//' \
			-e 's/\(\.file[ \t]*[0-9]*\) "[^"]*" "/\1 "/' -e '/\.file/s/"[^"]*\//"/' >"${source%.*}.ptx"
done
