// Package toolkit finds the programs of CUDA: ptxas, nvdisasm, nvcc.
package toolkit

import (
	"os"
	"os/exec"
	"path/filepath"
)

// BinVariable is the environment variable that names the folder of the CUDA tools. Without it, they
// are looked for on PATH and then in places.
const BinVariable = "MUSTER_CUDA_BIN"

// places are the folders where the CUDA toolkit may be: an environment variable for its root, and
// the folder of programs there.
var places = []struct{ variable, folder string }{
	{"CUDA_HOME", "bin"},
	{"CUDA_PATH", "bin"},
	{"", "/usr/local/cuda/bin"},
}

// Find returns the path of a program, or "": in the folder of $MUSTER_CUDA_BIN, or else on PATH and
// in the usual folders of the CUDA toolkit.
func Find(name string) string {
	files := []string{name}
	if folder := os.Getenv(BinVariable); folder != "" {
		files = []string{filepath.Join(folder, name)}
	} else {
		for _, p := range places {
			if root := os.Getenv(p.variable); root != "" || p.variable == "" {
				files = append(files, filepath.Join(root, p.folder, name))
			}
		}
	}
	for _, file := range files {
		if path, err := exec.LookPath(file); err == nil {
			return path
		}
	}
	return ""
}
