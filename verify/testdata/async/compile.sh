#!/bin/sh
# The kernels of this folder as PTX, as those of ../kernels; the compiler has no name for the newest of the instructions that they have, and copies the
# assembly as it is.
cd "$(dirname "$0")"
DIR=$PWD sh ../kernels/compile.sh "${@:-*.cu}" &&
	sed -i -e 's/^\.version .*/.version 7.8/' -e 's/^\.target .*/.target sm_90/' -e '/begin inline asm/d' -e '/end inline asm/d' *.ptx
