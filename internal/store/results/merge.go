package results

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/muster-gpu/muster/src"
)

// Merged counts what a merge has joined.
type Merged struct {
	Files, Shards, Records, Duplicates, Hardware int
	Failed                                       int // tests without a record, according to the runs
}

// MergeError reports that files cannot be joined although they can be read: something is missing or
// contradictory.
type MergeError struct{ error }

// Merge joins the files of shards to one file. It writes the file only if everything is there and
// consistent: no shard is missing or unfinished, each file has the records that its runs found,
// each record is in its shard, and two records of the same key are equal except for times.
// Otherwise it returns a *MergeError with all problems. Invalid lines are reported; it is an error
// if their file lacks a record for them.
//
// Merge reads one shard after the other, so that it holds the keys of one shard only.
func Merge(to string, files []string, report func(error)) (*Merged, error) {
	m := &merger{report: report, found: Merged{Files: len(files)}}
	for _, name := range files {
		if err := m.look(name); err != nil {
			return nil, err
		}
	}
	m.checkShards()
	m.unite()
	if err := m.err(); err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".*.part")
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp.Name()) // fails if it has been renamed
	if err = m.write(temp); err == nil {
		err = temp.Sync()
	}
	if e := temp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = m.err()
	}
	if err == nil {
		err = os.Rename(temp.Name(), to)
	}
	return &m.found, err
}

// merger is a merge under way.
type merger struct {
	report func(error)
	parts  []part // by shard
	ends   []End  // of all that is written
	wrong  []error
	found  Merged
}

func (m *merger) err() error {
	if len(m.wrong) == 0 {
		return nil
	}
	return &MergeError{errors.Join(m.wrong...)}
}

// part is a set of files of the same shard, usually one file.
type part struct {
	files []source
	shard Shard // the single shard, or all
}

// source is a file with the ends of its runs. Runs of the same shard and models have one end.
type source struct {
	name string
	ends []End
}

// ends returns the ends of the runs of all files, each once. Copies of a file count once.
func (p *part) ends() (all []End) {
	for _, f := range p.files {
		for _, e := range f.ends {
			switch i := slices.IndexFunc(all, e.same); {
			case i < 0:
				all = append(all, e)
			case all[i].Records != e.Records || all[i].Total != e.Total || all[i].Failed != e.Failed:
				all[i].Failed += e.Failed
			}
		}
	}
	return all
}

// look reads the ends of a file.
func (m *merger) look(name string) error {
	var ends []End
	simulated := false
	err := eachLine(name, func(error) {}, func(line *Line) error {
		simulated = simulated || line.Record != nil
		if line.End != nil {
			ends = together(ends, *line.End)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if simulated && len(ends) == 0 {
		m.wrong = append(m.wrong,
			fmt.Errorf("%s: the run that writes this file has not ended: start it again, and it goes on", name))
	}
	shard, err := shardOf(ends)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	i := slices.IndexFunc(m.parts, func(p part) bool { return p.shard == shard })
	if i < 0 {
		i = len(m.parts)
		m.parts = append(m.parts, part{shard: shard})
	}
	m.parts[i].files = append(m.parts[i].files, source{name, ends})
	return nil
}

// together adds an end to the earlier ones of a file. A run that found all records of the file has
// retried the tests that failed before.
func together(ends []End, e End) []End {
	i := slices.IndexFunc(ends, e.same)
	if i < 0 {
		return append(ends, e)
	}
	if e.Total > e.Records {
		e.Failed += ends[i].Failed
	}
	e.Total = max(e.Total, e.Records, ends[i].Total, ends[i].Records)
	e.Records = max(e.Records, ends[i].Records)
	ends[i] = e
	return ends
}

// shardOf returns the shard of a file with these ends; all if the runs are of several shards.
func shardOf(ends []End) (Shard, error) {
	var shard Shard
	for i, e := range ends {
		s, err := ParseShard(e.Shard, os.Getenv)
		if err != nil {
			return Shard{}, err
		}
		if i > 0 && s != shard {
			return Shard{}, nil
		}
		shard = s
	}
	return shard, nil
}

// same reports whether two ends belong to the same run.
func (e *End) same(f End) bool {
	return e.Shard == f.Shard && slices.Equal(e.Models, f.Models)
}

// unite makes a single part of all files if some file has several shards, because any of them may
// then have the same records.
func (m *merger) unite() {
	if !slices.ContainsFunc(m.parts, func(p part) bool { return p.shard.N == 0 && len(p.ends()) > 0 }) {
		return
	}
	var all part
	for _, p := range m.parts {
		all.files = append(all.files, p.files...)
	}
	m.parts = []part{all}
}

// checkShards checks that each run has all its shards, and each shard the same runs.
func (m *merger) checkShards() {
	slices.SortStableFunc(m.parts, func(p, q part) int { return p.shard.I - q.shard.I })
	type run struct {
		models string
		n      int
	}
	have := map[run]map[int]bool{}
	var order []run
	for _, p := range m.parts {
		for _, e := range p.ends() {
			s, _ := ParseShard(e.Shard, os.Getenv)
			r := run{describe(e.Models), s.N}
			if have[r] == nil {
				have[r] = map[int]bool{}
				order = append(order, r)
			}
			have[r][s.I] = true
			m.found.Shards++
			m.found.Failed += e.Failed
		}
	}
	for _, r := range order {
		var missing []string
		for i := 1; i <= r.n; i++ {
			if !have[r][i] {
				missing = append(missing, Shard{i, r.n}.String())
			}
		}
		if len(missing) > 0 {
			m.wrong = append(m.wrong, fmt.Errorf("missing of %s: shard %s", r.models, strings.Join(missing, ", ")))
		}
	}
}

// describe formats the models of a run.
func describe(models []Subject) string {
	var names []string
	for _, s := range models {
		names = append(names, fmt.Sprintf("%s (%.8s, muster %s)", s.Model, s.ModelHash, s.Muster))
	}
	return strings.Join(names, ", ")
}

// recordPlace is where a record was first found, with a digest of it without times.
type recordPlace struct {
	digest     [8]byte
	file, line int
	last       int // the last file that has it
	incomplete bool
}

// write writes the records of all parts, then one end for each run.
func (m *merger) write(to io.Writer) error {
	w := bufio.NewWriterSize(to, 1<<20)
	for _, p := range m.parts {
		for _, e := range p.ends() {
			e.Shard, e.Records, e.Total = Shard{}.String(), 0, 0
			if i := slices.IndexFunc(m.ends, e.same); i >= 0 {
				m.ends[i].Failed += e.Failed
			} else {
				m.ends = append(m.ends, e)
			}
		}
		kept, err := m.choose(p)
		if err != nil {
			return err
		}
		if err := m.copy(w, p, kept); err != nil {
			return err
		}
	}
	for _, e := range m.ends {
		line, err := encode(e)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}

// choose determines which record to keep for each key of a part. It reports records that are
// missing, contradict another one or are in the wrong shard.
func (m *merger) choose(p part) (map[Key]recordPlace, error) {
	kept := map[Key]recordPlace{}
	for i, f := range p.files {
		counts := make([]counted, len(f.ends))
		err := eachLine(f.name, m.report, func(line *Line) error {
			r := line.Record
			if r == nil {
				return nil
			}
			if !p.shard.Has(r.Hash) {
				m.wrong = append(m.wrong,
					fmt.Errorf("%s:%d: test %s is not of shard %s", f.name, line.Number, r.Test, p.shard))
			}
			key, here := r.Key(), recordPlace{digestOf(r), i, line.Number, i, r.Incomplete != ""}
			first, twice := kept[key]
			if twice && !first.incomplete && !here.incomplete && first.digest != here.digest {
				m.wrong = append(m.wrong, fmt.Errorf("%s:%d: test %s under %s: this contradicts %s:%d",
					f.name, line.Number, r.Test, r.Model, p.files[first.file].name, first.line))
			}
			if !twice || first.last != i {
				r.count(f.ends, func(n int, inShard bool) { counts[n].add(inShard) })
			}
			if twice {
				m.found.Duplicates++
			} else {
				r.count(m.ends, func(n int, _ bool) { m.ends[n].Records++ })
			}
			if twice && (!first.incomplete || here.incomplete) {
				here = first
				here.last = i
			}
			kept[key] = here
			return nil
		})
		if err != nil {
			return nil, err
		}
		for n, e := range f.ends {
			m.missing(f.name, e, counts[n])
		}
	}
	return kept, nil
}

// counted is the number of a file's records of the models of a run: in the run's shard, and in all.
type counted struct{ shard, all int }

func (c *counted) add(inShard bool) {
	c.all++
	if inShard {
		c.shard++
	}
}

// missing reports the records that a run found and its file does not have.
func (m *merger) missing(name string, e End, has counted) {
	switch {
	case has.shard < e.Records:
		m.wrong = append(m.wrong,
			fmt.Errorf("%s: shard %s has %d of its %d records: start its run again, and it finds the others",
				name, e.Shard, has.shard, e.Records))
	case has.all < e.Total:
		m.wrong = append(m.wrong,
			fmt.Errorf(
				"%s: it has %d of the %d records that its runs have found: start them again, and they find the others",
				name, has.all, e.Total))
	}
}

// count calls do for each run that has the model of the record, and tells whether the record is in
// the run's shard.
func (r *Record) count(runs []End, do func(run int, inShard bool)) {
	for i, e := range runs {
		if slices.Contains(e.Models, r.ofModel()) {
			s, _ := ParseShard(e.Shard, os.Getenv)
			do(i, s.Has(r.Hash))
		}
	}
}

// ofModel returns the subject without the test: what the record has in common with others of its
// model.
func (r *Record) ofModel() Subject {
	s := r.Subject
	s.Test, s.Hash = "", ""
	return s
}

// digestOf returns a digest of a record without its times.
func digestOf(r *Record) [8]byte {
	untimed := *r
	untimed.Time, untimed.Seconds = time.Time{}, 0
	sum := sha256.Sum256(untimed.line())
	return [8]byte(sum[:8])
}

// copy copies the lines of a part that are kept.
func (m *merger) copy(w io.Writer, p part, kept map[Key]recordPlace) error {
	hardware := map[[32]byte]bool{}
	for i, f := range p.files {
		err := eachLine(f.name, func(error) {}, func(line *Line) error {
			switch r := line.Record; {
			case r != nil:
				if at := kept[r.Key()]; at.file != i || at.line != line.Number {
					return nil
				}
				m.found.Records++
			case line.Hardware != nil:
				sum := sha256.Sum256(line.Text)
				if hardware[sum] {
					m.found.Duplicates++
					return nil
				}
				hardware[sum] = true
				m.found.Hardware++
			default:
				return nil
			}
			_, err := w.Write(append(slices.Clone(line.Text), '\n'))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachLine visits the lines of a file. Errors of single lines are reported; any other error ends
// it.
func eachLine(name string, report func(error), visit func(*Line) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for line, err := range Lines(name, f) {
		var d *src.Diagnostic
		if errors.As(err, &d) {
			report(err)
			continue
		}
		if err == nil {
			err = visit(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
