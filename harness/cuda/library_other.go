//go:build !(linux && (amd64 || arm64)) || nocuda

package cuda

import (
	"fmt"
	"runtime"
)

// openLibrary reports that this platform has no driver to load. The rest of this package is the
// same on every platform.
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
