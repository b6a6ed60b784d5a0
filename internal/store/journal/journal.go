// Package journal has files of JSON objects, one per line, that only grow. Records of runs on
// hardware (package observe) and of simulations (package results) are stored in them.
//
//	Journal  a file to append to; it tolerates other writers and a killed writer
//	Lines    reads such a file
//	Decode   decodes the object of a line; errors point at their place
package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Journal appends lines to a file. Several journals, of this process or others, may append to one
// file at the same time: each holds the file's lock for some lines, and writes each line in one
// piece. A writer that is killed loses at most the line that it was writing. The next writer then
// begins a new line, or removes the incomplete one (Mend).
//
// Where there is no flock, as on Windows and in browsers, there is no lock, and a file may have
// only one writer at a time.
type Journal struct {
	mu   sync.Mutex // a file lock belongs to the journal, not to a goroutine
	file *os.File
	held bool // the journal has the lock
	cut  bool // valid while held: the file ends within a line
}

// Open opens a file to append to. It creates the file if it does not exist.
func Open(name string) (*Journal, error) {
	if name == "-" {
		return nil, errors.New("what is appended has to be read back: it goes to a file, not to standard output (-)")
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil,
			cmp.Or(err, fmt.Errorf("%s is not a regular file: what is appended to it could not be read back", name))
	}
	return &Journal{file: f}, nil
}

// Append appends a line, which must have no line break. When it returns nil, a kill of this process
// does not lose the line; a power failure may, before Sync. Other journals can append after
// Release.
func (j *Journal) Append(line []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.hold(); err != nil {
		return err
	}
	whole := make([]byte, 0, len(line)+2)
	if j.cut {
		whole = append(whole, '\n')
	}
	n, err := j.file.Write(append(append(whole, line...), '\n'))
	j.cut = err != nil && (j.cut || n > 0)
	return err
}

// hold takes the lock, unless the journal has it.
func (j *Journal) hold() (err error) {
	if j.held {
		return nil
	}
	if err := lock(j.file); err != nil {
		return fmt.Errorf("cannot lock %s: %w: write to a file system that has locks, as a disk of this machine does",
			j.file.Name(), err)
	}
	j.held = true
	j.cut, err = endsWithin(j.file)
	return err
}

// Release lets other journals append.
func (j *Journal) Release() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.held {
		return nil
	}
	j.held = false
	return unlock(j.file)
}

// Sync flushes everything that was appended to the disk. Other goroutines can append meanwhile.
func (j *Journal) Sync() error { return j.file.Sync() }

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// Mend removes an incomplete line that a killed writer left at the end of the file, and returns it,
// or "" if the last line is complete. If only the line break is missing, Mend adds it.
func (j *Journal) Mend() (piece string, err error) {
	j.mu.Lock()
	err = j.hold()
	if err == nil && j.cut {
		piece, err = j.mend()
	}
	j.mu.Unlock()
	return piece, errors.Join(err, j.Release())
}

func (j *Journal) mend() (piece string, err error) {
	begin, tail, err := lastLine(j.file)
	if err != nil {
		return "", err
	}
	if json.Valid(tail) {
		_, err := j.file.Write([]byte{'\n'})
		return "", err
	}
	return string(tail), j.file.Truncate(begin)
}

// endsWithin reports whether a file ends within a line, because its writer was interrupted.
func endsWithin(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return last[0] != '\n', err
}

// lastLine returns the text after the last line break of a file, and its offset.
func lastLine(f *os.File) (begin int64, text []byte, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, nil, err
	}
	for begin = info.Size(); begin > 0; begin -= int64(len(text)) {
		text = make([]byte, min(begin, 1<<16))
		if _, err := f.ReadAt(text, begin-int64(len(text))); err != nil {
			return 0, nil, err
		}
		if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
			begin -= int64(len(text) - i - 1)
			break
		}
	}
	text, err = io.ReadAll(io.NewSectionReader(f, begin, info.Size()-begin))
	return begin, text, err
}
