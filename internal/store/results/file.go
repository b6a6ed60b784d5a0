package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/internal/store/journal"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/sim"
)

// End is the line that a run writes when all of its tests are done. A file without it belongs to an
// unfinished run.
type End struct {
	Format  int    `json:"results"` // Format
	Shard   string `json:"end"`
	Records int    `json:"records"` // that the run has found, of its shard under its models
	// Total is the number of records of these models in the file, if runs of other tests have added
	// some.
	Total  int       `json:"total,omitempty"`
	Failed int       `json:"failed,omitempty"`
	Models []Subject `json:"models"` // without tests
}

// File is a file of results that a run continues. Several runs may write it at the same time.
//
// A record survives a kill of the process once Add has returned. A power failure may lose records
// that are not flushed yet; a background goroutine flushes continuously, and the next run finds
// lost records again.
type File struct {
	name string
	to   *journal.Journal
	ends []string

	mu           sync.Mutex
	done         map[Key]bool    // whether this run wants the record
	of           map[Subject]int // number of the records by model
	found, added int             // of the wanted records: those there before, and those added since
	dirty        chan struct{}   // signals that something was added since the last flush
	ended        chan struct{}   // closed when the flushing goroutine is done
	failed       error           // error of a flush
}

// Open opens a file to continue, and creates it if it does not exist. Bad lines are reported, and
// their tests are run again. A file that does not begin with a record, or has another version, is
// an error and is left as it is.
func Open(name string, report func(error)) (*File, error) {
	f := &File{
		name:  name,
		done:  map[Key]bool{},
		of:    map[Subject]int{},
		dirty: make(chan struct{}, 1),
		ended: make(chan struct{}),
	}
	if err := f.read(report); err != nil {
		return nil, err
	}
	to, err := journal.Open(name)
	if err != nil {
		return nil, err
	}
	if _, err := to.Mend(); err != nil {
		to.Close()
		return nil, err
	}
	f.to = to
	go f.flush()
	return f, nil
}

// read reads the records that the file has.
func (f *File) read(report func(error)) error {
	in, err := os.Open(f.name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if info, err := in.Stat(); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: this is not a regular file", f.name)
	}
	for line, err := range Lines(f.name, in) {
		switch {
		case fatal(err):
			return err
		case err != nil:
			report(err)
		case line.End != nil:
			f.ends = append(f.ends, string(line.Text))
		case line.Record != nil:
			f.note(line.Record, false)
		}
	}
	return nil
}

// Has reports whether the file has a record with a key, and notes that this run wants it.
func (f *File) Has(key Key) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	wanted, has := f.done[key]
	if has && !wanted {
		f.done[key] = true
		f.found++
	}
	return has
}

// Len returns the number of records.
func (f *File) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.done)
}

// Found returns how many of the records that this run wants were there before it.
func (f *File) Found() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.found
}

// Added returns how many records this run has added.
func (f *File) Added() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.added
}

// Add appends a record, unless there is one with the same key.
func (f *File) Add(r *Record) error {
	line := r.line()
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, has := f.done[r.Key()]; has {
		return nil
	}
	if err := f.append(line); err != nil {
		return err
	}
	f.note(r, true)
	f.added++
	return nil
}

const bytesOfKey = 32 // approximate size of an entry of the map

// note records the key of a record, and whether this run wants it. The garbage collector is told to
// ignore the memory of the keys.
func (f *File) note(r *Record, wanted bool) {
	key := r.Key()
	if _, has := f.done[key]; !has {
		f.of[r.ofModel()]++
	}
	f.done[key] = wanted
	batch.CollectBeside(sim.Bytes(bytesOfKey * len(f.done)))
}

// End appends the end of a run, unless it is there already.
func (f *File) End(e End) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.Format, e.Records, e.Total = Format, f.found+f.added, 0
	for _, s := range e.Models {
		e.Total += f.of[s]
	}
	if e.Total == e.Records {
		e.Total = 0
	}
	slices.SortFunc(e.Models, func(a, b Subject) int {
		return strings.Compare(a.Model+a.ModelHash, b.Model+b.ModelHash)
	})
	line, err := encode(e)
	if err != nil || slices.Contains(f.ends, string(line)) {
		return err
	}
	return f.append(line)
}

func (f *File) append(line []byte) error {
	err := f.failed
	if err == nil {
		err = f.to.Append(line)
	}
	if err != nil {
		return fmt.Errorf("%w; what is in %s stays, and the same command goes on with it", err, f.name)
	}
	select {
	case f.dirty <- struct{}{}:
	default: // a flush is due anyway
	}
	return nil
}

// flush flushes repeatedly while records are added.
func (f *File) flush() {
	defer close(f.ended)
	for range f.dirty {
		if err := errors.Join(f.to.Sync(), f.to.Release()); err != nil {
			f.mu.Lock()
			f.failed = err
			f.mu.Unlock()
		}
	}
}

// Close flushes what was added, and closes the file.
func (f *File) Close() error {
	close(f.dirty)
	<-f.ended
	err := f.to.Sync()
	if err == nil {
		err = f.failed
	}
	if e := f.to.Close(); err == nil {
		err = e
	}
	return err
}

// encode returns v as a line of JSON, without the line break.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
