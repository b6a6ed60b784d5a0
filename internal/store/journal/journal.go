// Package journal is files of JSON objects, one a line, to which lines are only ever appended: records of
// runs on hardware (package observe) and of simulations (package results) are kept so.
//
//	Journal  a file to append to, safely beside other writers and when its writer is killed
//	Lines    reads such a file
//	Decode   an object of a line, or what is wrong with it, with a caret
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

// Journal appends lines to a file. Several journals, of this program or others, may append to
// one file at a time: each takes the file's lock for some lines, of which it writes each in one piece. A
// writer that is killed loses at most the line that it was writing; whoever appends next begins a
// new line first, or has Mend take the piece away.
//
// Where there is no flock, as on Windows and in browsers, there is no lock: then a file may
// have one writer at a time.
type Journal struct {
	mu   sync.Mutex // a lock of the file is the journal's, not the goroutine's
	file *os.File
	held bool // the journal has the lock
	cut  bool // while it has it, the file ends within a line
}

// Open opens a file to append to. It makes the file if there is none.
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
			cmp.Or(err, fmt.Errorf("%s is no regular file: what is appended to it could not be read back", name))
	}
	return &Journal{file: f}, nil
}

// Append appends a line, which has no line break. When it returns without an error, a kill of
// this process does not lose the line; a loss of power may, before Sync. Others can append after Release.
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

// Sync waits until all that was appended is on the disk. It holds nobody up who appends meanwhile.
func (j *Journal) Sync() error { return j.file.Sync() }

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// Mend removes what a writer that was killed has left of a line at the end of the file, and returns
// it; "" if the last line is whole. A line that lacks only its line break is given one.
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

// endsWithin reports that a file ends within a line: what wrote it was cut off.
func endsWithin(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return last[0] != '\n', err
}

// lastLine is what stands behind the last line break of a file, and where it begins.
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
