//go:build !js

package models

import (
	"os"

	"github.com/muster-gpu/muster/src"
)

// readDisk reads a file of the user.
func readDisk(path string) (string, error) { return src.ReadFile(path, maxModel) }

// onDisk reports whether there is such a file.
func onDisk(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
