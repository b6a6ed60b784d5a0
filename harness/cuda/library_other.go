//go:build !(linux && (amd64 || arm64)) || nocuda

package cuda

import (
	"fmt"
	"runtime"
)

// openLibrary says that there is no driver to load. Everything else in this package is
// the same on every platform.
func openLibrary(path string) (find, error) {
	if path == "" {
		path = "libcuda.so.1"
	}
	return nil, &NoDriverError{
		Library: path,
		Reason: fmt.Errorf(
			"this program was built for %s/%s without it: GPUs are driven on linux/amd64 and linux/arm64, unless "+
				"built with -tags nocuda", runtime.GOOS, runtime.GOARCH),
	}
}
