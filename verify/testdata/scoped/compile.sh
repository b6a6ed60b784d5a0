#!/bin/sh
# The kernels of this folder as PTX: see ../kernels/compile.sh, which makes it.
set -e
cd "$(dirname "$0")"
for source in *.cu; do
	../kernels/compile.sh "../scoped/$source"
done
