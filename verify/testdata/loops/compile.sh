#!/bin/sh
# The kernels of this folder as PTX, as those of ../kernels.
cd "$(dirname "$0")"
DIR=$PWD exec sh ../kernels/compile.sh "${@:-*.cu}"
