#!/bin/sh
# The kernels of this folder as PTX.
#   X.ptx       by clang at -O0, then only what makes its code readable and leaves the accesses alone
#               (docs/verify-reference.md, "How to compile")
#   X.o0.ptx    by clang at -O0, as it is: variables live in local memory
#   X.nvcc.ptx  by NVRTC, which is nvcc without its driver: optimised
# Give the names of sources; without, all are made. DIR is another folder.
set -e
cd "${DIR:-$(dirname "$0")}"
version=${LLVM:-14}
o0="add-neighbour histogram reduction-float pointers local-array scan-one-buffer int4-copy divergence-if-else"
nvcc="add-neighbour add-neighbour-barrier reduction reduction-late-barrier reduction-float histogram histogram-no-barrier
	transpose transpose-no-barrier scan-two-buffers scan-one-buffer stencil stencil-in-place stencil-halo matmul rows-width
	int4-copy int4-overlap bytes bytes-in-words saxpy grid-stride grid-stride-short divergence-if-else early-exit loop-barrier
	bitonic-sort calls-barrier last-block dynamic-shared fields"
faithful() { opt -enable-new-pm=0 -always-inline -sroa -mem2reg -infer-address-spaces -S | llc -mcpu=sm_70 -O1; }
plain() { llc -mcpu=sm_70 -O0; }
trim() { # comments, and what is only for debuggers; .loc and .file stay
	sed -e '/^\t\.section/,/^\t}/d' -e 's/[ \t]*\/\/.*$//' -e '/^[L$][Lt]*\(func\|tmp\)/d' -e '/^$/d' -e 's/, debug$//' \
		-e 's/\(\.file[ \t]*[0-9]*\) "[^"]*" "/\1 "/' -e '/\.file/s/"[^"]*\//"/'
}
for source in ${*:-*.cu *.cl}; do
	name=${source%.*}
	case $source in
	*.cu) how="-x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -gline-tables-only" ;;
	*.cl) how="-x cl -cl-std=CL1.2 -target nvptx64-nvidia-nvcl -gline-tables-only" ;;
	esac
	clang() { clang-$version $how -I. -O0 -Xclang -disable-O0-optnone -S -emit-llvm "$source" -o -; }
	clang | faithful | trim >"$name.ptx"
	case " $o0 " in *" $name "*) clang | plain | trim >"$name.o0.ptx" ;; esac
	if [ -n "$NVRTC" ]; then
		case " $(echo $nvcc) " in *" $name "*) python3 nvrtc.py "$source" | trim >"$name.nvcc.ptx" ;; esac
	fi
done
