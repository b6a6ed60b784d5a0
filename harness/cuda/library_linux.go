//go:build linux && (amd64 || arm64) && !nocuda

package cuda

import (
	"os"

	"github.com/ebitengine/purego"
)

// libraries are the places of the driver library: first the path of the dynamic linker, then places
// that it may not search: WSL, containers on Google's clusters, NixOS.
var libraries = []string{
	"libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
	"/usr/local/nvidia/lib64/libcuda.so.1",
	"/run/opengl-driver/lib/libcuda.so.1",
}

// openLibrary loads the driver library at path, or the first of libraries if path is empty. The
// error is a *NoDriverError. It runs on the thread, because dlerror returns errors of the calling
// thread.
func openLibrary(path string) (find, error) {
	paths := libraries
	if path != "" {
		paths = []string{path}
	}
	// the last one: an error of a library that exists tells more than that of a missing one
	var failed error
	for i, path := range paths {
		if _, err := os.Stat(path); i > 0 && err != nil {
			continue
		}
		library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			return func(symbol string, fn any) error { return findIn(library, symbol, fn) }, nil
		}
		failed = err
	}
	return nil, &NoDriverError{Library: paths[0], Reason: failed}
}

// findIn is find in a library. It looks the symbol up itself, because RegisterLibFunc panics if
// the symbol is missing.
func findIn(library uintptr, symbol string, fn any) error {
	address, err := purego.Dlsym(library, symbol)
	if err != nil {
		return &OldDriverError{Symbol: symbol}
	}
	purego.RegisterFunc(fn, address)
	return nil
}
