#!/bin/sh
# make.sh DIR: fetches the packages that list.csv names, as their registries have them, into DIR, and compiles the files of the list
# to PTX (docs/verify-reference.md, "How to compile"): DIR/ptx/PACKAGE__FILE.ptx. Then MUSTER_BLIND=DIR/ptx go test ./verify -run Blind -v
# verifies the kernels. What is there already is not made again. It takes pip, apt-get, clang, opt and llc.
set -e
dir=${1:?where to}
here=$(cd "$(dirname "$0")" && pwd)
version=${LLVM:-14}
mkdir -p "$dir/src" "$dir/include" "$dir/ptx" "$dir/lists/partial" "$dir/cache/archives/partial"
dir=$(cd "$dir" && pwd)
: >"$dir/include/for_eclipse.h" # of a package, for editors
echo "deb-src http://deb.debian.org/debian bookworm main" >"$dir/sources.list"
debian() {
	apt-get -qq -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$dir/lists" \
		-o Dir::Cache="$dir/cache" "$@"
}

fetch() { # registry package version
	src="$dir/src/$2"
	[ -d "$src" ] && return
	mkdir -p "$src.new"
	case $1 in
	pypi)
		(cd "$src.new" && pip download -q --no-deps --only-binary :all: "$2==$3" && unzip -qo ./*.whl)
		;;
	debian)
		[ -f "$dir/updated" ] || { debian update && touch "$dir/updated"; }
		(cd "$src.new" && debian source --download-only --tar-only "$2=$3" && tar xf ./*.orig.tar.* --strip-components 1)
		;;
	esac
	mv "$src.new" "$src"
}

path() { # package [package:]file
	case $2 in
	*:*) echo "$dir/src/${2%%:*}/${2#*:}" ;;
	*) echo "$dir/src/$1/$2" ;;
	esac
}

compile() { # package file before defines; a function that is only inline would have no body in C99
	file=$(path "$1" "$2")
	ptx="$dir/ptx/$1__$(echo "$2" | tr / _).ptx"
	[ -f "$ptx" ] && return
	{
		for before in $3; do cat "$(path "$1" "$before")" && echo; done
		echo "#line 1 \"$(basename "$file")\""
		cat "$file"
	} | clang-$version -x cl -cl-std=CL1.2 "-Dinline=static inline" -target nvptx64-nvidia-nvcl -w -Xclang -finclude-default-header -include "$here/opencl.h" \
		-I "$dir/include" -I "$(dirname "$file")" -I "$(dirname "$(dirname "$file")")" $4 -O0 -Xclang -disable-O0-optnone \
		-gline-tables-only -emit-llvm -c - -o "$ptx.bc"
	opt-$version '-passes=always-inline,inline,function(sroa,mem2reg,infer-address-spaces)' "$ptx.bc" -o "$ptx.bc"
	llc-$version -O1 -mcpu=sm_70 "$ptx.bc" -o "$ptx.new" 2>/dev/null || { # it breaks down on the lines of some
		opt-$version -strip-debug "$ptx.bc" -o "$ptx.bc"
		llc-$version -O1 -mcpu=sm_70 "$ptx.bc" -o "$ptx.new"
	}
	mv "$ptx.new" "$ptx"
	rm "$ptx.bc"
}

tail -n +2 "$here/list.csv" | while IFS=, read -r registry package release file before defines kernel grid block parameters sum; do
	fetch "$registry" "$package" "$release"
	echo "$sum  $(path "$package" "$file")" | sha256sum -c --quiet
	for other in $before; do
		case $other in *:*) fetch pypi "${other%%:*}" "$(awk -F, -v p="${other%%:*}" '$2 == p { print $3; exit }' "$here/list.csv")" ;; esac
	done
	compile "$package" "$file" "$before" "$defines"
done
