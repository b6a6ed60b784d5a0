package observe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/muster-gpu/muster/internal/store/journal"
)

// Recorder appends records to a file, one per line. Other recorders, of this process or others, may
// append at the same time (journal.Journal). A recorder that is killed loses at most the record
// that it was writing.
type Recorder struct{ to *journal.Journal }

// Append opens a file to append records to. It creates the file if it does not exist.
func Append(name string) (*Recorder, error) {
	to, err := journal.Open(name)
	if err != nil {
		return nil, err
	}
	return &Recorder{to}, nil
}

// Write appends a record. When it returns nil, the record is on the disk.
func (r *Recorder) Write(rec *Record) error {
	line, err := rec.line()
	if err != nil {
		return fmt.Errorf("cannot record %s: %w", rec.Test, err)
	}
	err = r.to.Append(line)
	if err == nil {
		err = r.to.Sync()
	}
	return errors.Join(err, r.to.Release())
}

// Close closes the file.
func (r *Recorder) Close() error { return r.to.Close() }

// line returns the line of a record.
func (r *Record) line() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(r)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
