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

// Merged says what a merge has joined.
type Merged struct {
	Files, Shards, Records, Duplicates, Hardware int
}

// MergeError says why files cannot be joined although they can be read: something is missing, or
// contradicts.
type MergeError struct{ error }

// Merge joins the files of shards to one file, which it makes when everything is there and agrees: no
// shard is missing or unfinished, each record is in its shard, and what two say of the same is the same but
// for the time. Otherwise the error, a *MergeError, says all that is wrong, and nothing is written. Lines that
// are no records are reported; it is an error if a shard lacks a record for them.
//
// It looks at one shard after the other, so it holds the keys of one.
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
	defer os.Remove(temp.Name()) // unless it has been renamed
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
	wrong  []error
	found  Merged
}

func (m *merger) err() error {
	if len(m.wrong) == 0 {
		return nil
	}
	return &MergeError{errors.Join(m.wrong...)}
}

// part is the files that have the same shards: usually one.
type part struct {
	files []string
	ends  []End // each once
	shard Shard // the only one, or all
}

// look sees what a file is of.
func (m *merger) look(name string) error {
	var ends []End
	simulated := false
	err := eachLine(name, func(error) {}, func(line *Line) error {
		simulated = simulated || line.Record != nil
		if line.End != nil && !slices.ContainsFunc(ends, line.End.same) {
			ends = append(ends, *line.End)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if simulated && len(ends) == 0 {
		m.wrong = append(m.wrong, fmt.Errorf("%s: the run that writes this file has not ended: start it again, and it goes on", name))
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
	p := &m.parts[i]
	p.files = append(p.files, name)
	for _, e := range ends {
		if !slices.ContainsFunc(p.ends, e.same) {
			p.ends = append(p.ends, e)
		}
	}
	return nil
}

// shardOf is the shard of a file whose runs ended so; all if they are of several.
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

// same reports that two ends are of the same run.
func (e *End) same(f End) bool {
	return e.Shard == f.Shard && slices.Equal(e.Models, f.Models)
}

// unite makes one part of all if some file has several shards: then any of them may have the same records.
func (m *merger) unite() {
	if !slices.ContainsFunc(m.parts, func(p part) bool { return p.shard.N == 0 && len(p.ends) > 0 }) {
		return
	}
	var all part
	for _, p := range m.parts {
		all.files, all.ends = append(all.files, p.files...), append(all.ends, p.ends...)
	}
	m.parts = []part{all}
}

// checkShards wants all shards of each run, and the same runs in each.
func (m *merger) checkShards() {
	slices.SortStableFunc(m.parts, func(p, q part) int { return p.shard.I - q.shard.I })
	type run struct {
		models string
		n      int
	}
	have := map[run]map[int]bool{}
	var order []run
	for _, p := range m.parts {
		for _, e := range p.ends {
			s, _ := ParseShard(e.Shard, os.Getenv)
			r := run{describe(e.Models), s.N}
			if have[r] == nil {
				have[r] = map[int]bool{}
				order = append(order, r)
			}
			have[r][s.I] = true
			m.found.Shards++
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

// describe is the models of a run in words.
func describe(models []Subject) string {
	var names []string
	for _, s := range models {
		names = append(names, fmt.Sprintf("%s (%.8s, muster %s)", s.Model, s.ModelHash, s.Muster))
	}
	return strings.Join(names, ", ")
}

// place is where a record was first found, and what it says but for the time.
type place struct {
	digest     [8]byte
	file, line int
	incomplete bool
}

// write writes the records of all parts, then one end for each run.
func (m *merger) write(to io.Writer) error {
	w := bufio.NewWriterSize(to, 1<<20)
	var ends []End
	for _, p := range m.parts {
		kept, err := m.choose(p)
		if err != nil {
			return err
		}
		if err := m.copy(w, p, kept); err != nil {
			return err
		}
		for _, e := range p.ends {
			e.Shard = Shard{}.String()
			if i := slices.IndexFunc(ends, e.same); i >= 0 {
				ends[i].Records += e.Records
				ends[i].Failed += e.Failed
			} else {
				ends = append(ends, e)
			}
		}
	}
	for _, e := range ends {
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

// choose finds the record to keep for each key of a part, and says what contradicts another or is in the wrong
// shard.
func (m *merger) choose(p part) (map[Key]place, error) {
	kept := map[Key]place{}
	counts := make([]int, len(p.ends))
	for i, name := range p.files {
		err := eachLine(name, m.report, func(line *Line) error {
			r := line.Record
			if r == nil {
				return nil
			}
			if !p.shard.Has(r.Hash) {
				m.wrong = append(m.wrong, fmt.Errorf("%s:%d: test %s is not of shard %s", name, line.Number, r.Test, p.shard))
			}
			key, here := r.Key(), place{digestOf(r), i, line.Number, r.Incomplete != ""}
			first, twice := kept[key]
			if twice && !first.incomplete && !here.incomplete && first.digest != here.digest {
				m.wrong = append(m.wrong, fmt.Errorf("%s:%d: test %s under %s: this contradicts %s:%d",
					name, line.Number, r.Test, r.Model, p.files[first.file], first.line))
			}
			if twice {
				m.found.Duplicates++
			} else {
				for i, e := range p.ends {
					if slices.ContainsFunc(e.Models, r.of) {
						counts[i]++
					}
				}
			}
			if !twice || first.incomplete && !here.incomplete {
				kept[key] = here
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for i, e := range p.ends {
		if counts[i] < e.Records {
			m.wrong = append(m.wrong, fmt.Errorf("%s: shard %s has %d of its %d records: start its run again, and it finds the others",
				strings.Join(p.files, ", "), e.Shard, counts[i], e.Records))
		}
	}
	return kept, nil
}

// of reports that a record is of a run's model.
func (r *Record) of(s Subject) bool {
	s.Test, s.Hash = r.Test, r.Hash
	return r.Subject == s
}

// digestOf is what a record says but for the time.
func digestOf(r *Record) [8]byte {
	untimed := *r
	untimed.Time, untimed.Seconds = time.Time{}, 0
	sum := sha256.Sum256(untimed.line())
	return [8]byte(sum[:8])
}

// copy writes the lines of a part that are kept, as they are.
func (m *merger) copy(w io.Writer, p part, kept map[Key]place) error {
	hardware := map[[32]byte]bool{}
	for i, name := range p.files {
		err := eachLine(name, func(error) {}, func(line *Line) error {
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

// eachLine visits the lines of a file. What is wrong with one is reported; any other error ends it.
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
