// Package recorded is what GPUs have done with the shipped tests and with generated ones of the paper's kind: records of muster hw
// record (docs/observations.md), and the settings that muster hw tune had found there. docs/hopper.md says how they came to be.
package recorded

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

//go:embed *.jsonl.gz *.json
var files embed.FS

// The ends of the names of files: a chip has records and settings.
const (
	records  = ".jsonl.gz"
	settings = ".json"
)

// Chips returns the names of the chips that have records, sorted.
func Chips() (names []string) {
	all, _ := files.ReadDir(".") // there is one
	for _, f := range all {
		if name, ok := strings.CutSuffix(f.Name(), records); ok {
			names = append(names, name)
		}
	}
	return names
}

// Records opens a file with records. If no file has that name, it opens the records of the chip of
// that name, which are compressed (gzip).
func Records(name string) (io.ReadCloser, error) { return open(name, records) }

// Settings opens a file with settings. If no file has that name, it opens those of the chip of that
// name.
func Settings(name string) (io.ReadCloser, error) { return open(name, settings) }

func open(name, extension string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if shipped, err := files.Open(name + extension); err == nil {
		return shipped, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("no such file or directory, and no chip that muster has records of (%s)", strings.Join(Chips(), ", "))}
}
