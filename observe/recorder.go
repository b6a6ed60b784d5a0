package observe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// Recorder appends records to a file. Several recorders, of this program or others, may
// append to one file at a time: each takes the file's lock for one record, which it writes in
// one piece and flushes to the disk. A recorder that is killed loses at most the record that
// it was writing; whoever appends next begins a new line first.
//
// Where there is no flock, as on Windows and in browsers, there is no lock: then a file may
// have one recorder at a time.
type Recorder struct {
	mu   sync.Mutex // a lock of the file is the recorder's, not the goroutine's
	file *os.File
}

// Append opens a file to append records to. It makes the file if there is none.
func Append(name string) (*Recorder, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return &Recorder{file: f}, nil
}

// Write appends a record. When it returns without an error, the record is on the disk.
func (r *Recorder) Write(rec *Record) (err error) {
	if err := rec.check(); err != nil {
		return fmt.Errorf("cannot record %s: %w", rec.Test, err)
	}
	line, err := encode(rec)
	if err != nil {
		return fmt.Errorf("cannot record %s: %w", rec.Test, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := lock(r.file); err != nil {
		return fmt.Errorf("cannot lock %s: %w", r.file.Name(), err)
	}
	defer func() {
		if e := unlock(r.file); err == nil {
			err = e
		}
	}()
	cut, err := endsWithin(r.file)
	if err != nil {
		return err
	}
	if !cut {
		line = line[1:]
	}
	if _, err := r.file.Write(line); err != nil {
		return err
	}
	return r.file.Sync()
}

// Close closes the file.
func (r *Recorder) Close() error { return r.file.Close() }

// encode is the line of a record, with a line break before it and after it.
func encode(rec *Record) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('\n')
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(rec)
	return b.Bytes(), err
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
