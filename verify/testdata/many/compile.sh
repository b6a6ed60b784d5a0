#!/bin/sh
# The kernels of this folder as PTX, as muster verify --from makes it (docs/verify-reference.md, "How to compile").
set -e
cd "$(dirname "$0")"
version=${LLVM:-14} cuda=../../../internal/kernels/compile/cuda
for source in ${*:-*.cu}; do
	clang-$version -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -gline-tables-only -nocudainc -nocudalib -isystem $cuda \
		-include $cuda/cuda_runtime.h -O0 -Xclang -disable-O0-optnone -Wno-empty-body -emit-llvm -c "$source" -o - |
		opt-$version -passes='always-inline,inline,function(sroa,mem2reg,infer-address-spaces)' | llc-$version -O1 -mcpu=sm_70 |
		sed -e '/^\t\.section/,/^\t}/d' -e 's/[ \t]*\/\/.*$//' -e '/^[L$][Lt]*\(func\|tmp\)/d' -e '/^$/d' -e 's/, debug$//' \
			-e 's/\(\.file[ \t]*[0-9]*\) "[^"]*" "/\1 "/' -e '/\.file/s/"[^"]*\//"/' >"${source%.cu}.ptx"
done
