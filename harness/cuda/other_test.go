//go:build !(linux && (amd64 || arm64)) || nocuda

package cuda_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness/cuda"
)

func TestNoDriverHere(t *testing.T) {
	_, err := cuda.Open("")
	var missing *cuda.NoDriverError
	if !errors.As(err, &missing) ||
		!strings.Contains(err.Error(), "built for "+runtime.GOOS+"/"+runtime.GOARCH+" without it") {
		t.Errorf("the error is %v", err)
	}
}
