//go:build !js

package models

import (
	"os"

	"github.com/muster-gpu/muster/src"
)

// readDisk reads a user's file.
func readDisk(path string) (string, error) { return src.ReadFile(path, maxModel) }

// onDisk reports whether a file exists.
func onDisk(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
