package src

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// ReadFile reads a text of at most most bytes from a file.
func ReadFile(name string, most int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	size := int64(0) // stays 0 for a pipe or a device
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = min(info.Size(), most)
	}
	text, err := read(f, size, most)
	if err != nil {
		return "", &os.PathError{Op: "read", Path: name, Err: err}
	}
	return text, nil
}

// Read reads a text of at most most bytes. Without a bound, an endless text would fill the memory.
func Read(from io.Reader, most int64) (string, error) { return read(from, 0, most) }

// read makes only one copy of a text whose size is known.
func read(from io.Reader, size, most int64) (string, error) {
	var text strings.Builder
	text.Grow(int(size))
	n, err := io.Copy(&text, io.LimitReader(from, most+1))
	switch {
	case err != nil:
		return "", err
	case n > most:
		return "", fmt.Errorf("a text with more than %d bytes", most)
	}
	return text.String(), nil
}
