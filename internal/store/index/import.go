package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/muster-gpu/muster/internal/store/results"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/src"
)

// Imported counts the records that were imported and the bad lines.
type Imported struct{ Records, Bad int }

// Import imports the records of files of results that the index does not have; of a file that has
// grown, only the new part is read. Among records of the same test and campaign the last one
// counts; runs on hardware are added up. Bad lines are reported. If Import is stopped, or a file
// cannot be read, the records imported so far are kept, and the next import continues.
func (x *Index) Import(ctx context.Context, files []string, report func(error)) (Imported, error) {
	im := &importer{x: x, report: report, campaigns: map[campaign]int64{}, tests: map[string]int64{}}
	if err := im.known(ctx); err != nil {
		return Imported{}, err
	}
	var wrong error
	for _, name := range files {
		if wrong = im.file(ctx, name); wrong != nil {
			break
		}
	}
	if wrong != nil && (im.found.Records == 0 || ctx.Err() != nil) {
		return im.found, wrong
	}
	return im.found, errors.Join(wrong, x.summarize(ctx))
}

// campaign is a row of the table campaign.
type campaign struct{ kind, subject, hash, options, muster string }

// importer is an import under way.
type importer struct {
	x         *Index
	report    func(error)
	campaigns map[campaign]int64
	tests     map[string]int64 // by hash
	options   results.Options  // of the last record
	written   string           // the same, as the index writes them
	found     Imported
	tx        *transaction
}

// known reads the campaigns and tests of the index.
func (im *importer) known(ctx context.Context) error {
	t, err := im.x.Query(ctx, "SELECT id, kind, subject, hash, options, muster FROM campaign")
	if err != nil {
		return err
	}
	for _, r := range t.Rows {
		im.campaigns[campaign{r[1].(string), r[2].(string), r[3].(string), r[4].(string), r[5].(string)}] = r[0].(int64)
	}
	rows, err := im.x.db.QueryContext(ctx, "SELECT id, hash FROM test")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var hash string
		if err := rows.Scan(&id, &hash); err != nil {
			return err
		}
		im.tests[hash] = id
	}
	return rows.Err()
}

// perTransaction is the number of records in a transaction: what an import that is stopped may
// lose.
const perTransaction = 500

// source is the state of the import of a file.
type source struct {
	path         string
	offset       int64
	records, bad int
}

// file imports a file, from where the last import stopped.
func (im *importer) file(ctx context.Context, name string) error {
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	s := source{path: path}
	err = im.x.db.QueryRowContext(ctx, "SELECT offset, records, bad FROM source WHERE path = ?", path).Scan(&s.offset,
		&s.records, &s.bad)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: this is not a regular file", name)
	case info.Size() < s.offset:
		return fmt.Errorf("%s is shorter than when it was imported: delete the index %s, and import again",
			name, im.x.name)
	}
	if _, err := f.Seek(s.offset, 0); err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	return im.lines(ctx, &s, s.offset, ahead(results.Lines(name, f), stop))
}

// lines imports lines, in transactions.
func (im *importer) lines(ctx context.Context, s *source, from int64, batches <-chan []read) (err error) {
	for batch := range batches {
		if im.tx, err = im.x.begin(ctx); err != nil {
			return err
		}
		before := im.found
		for _, r := range batch {
			if err = im.line(s, from, r); err != nil {
				break
			}
		}
		if err == nil {
			err = im.tx.exec(
				"INSERT INTO source VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET offset = "+
					"?2, records = ?3, bad = ?4",
				s.path, s.offset, s.records, s.bad)
		}
		if err := im.tx.end(err); err != nil {
			im.found.Records = before.Records // the records since are rolled back
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// line imports a line.
func (im *importer) line(s *source, from int64, r read) error {
	var d *src.Diagnostic
	switch {
	case errors.As(r.err, &d):
		im.report(r.err)
		s.bad++
		im.found.Bad++
		return nil
	case r.err != nil:
		return r.err
	}
	s.offset = from + r.line.Offset
	var err error
	switch l := r.line; {
	case l.Record != nil:
		err = im.simulation(l.Record)
	case l.Hardware != nil && l.Hardware.Optcheck.Verdict != observe.Failed:
		err = im.hardware(l.Hardware)
	default:
		return nil
	}
	s.records++
	im.found.Records++
	return err
}

// campaign returns the number of a campaign, which it adds if necessary.
func (im *importer) campaign(c campaign) (int64, error) {
	if id, ok := im.campaigns[c]; ok {
		return id, nil
	}
	id := int64(len(im.campaigns) + 1)
	im.campaigns[c] = id
	return id,
		im.tx.exec("INSERT INTO campaign VALUES (?, ?, ?, ?, ?, ?)", id, c.kind, c.subject, c.hash, c.options, c.muster)
}

// test returns the number of a test, which it adds if necessary.
func (im *importer) test(hash, name string) (int64, error) {
	if id, ok := im.tests[hash]; ok {
		return id, nil
	}
	id := int64(len(im.tests) + 1)
	im.tests[strings.Clone(hash)] = id
	return id, im.tx.exec("INSERT INTO test VALUES (?, ?, ?, ?)", id, hash, name, observe.Family(name))
}

const insertResult = "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

func (im *importer) simulation(r *results.Record) error {
	options, err := im.optionsOf(r)
	if err != nil {
		return err
	}
	c, err := im.campaign(campaign{"model", r.Model, r.ModelHash, options, r.Muster})
	if err != nil {
		return err
	}
	t, err := im.test(r.Hash, r.Test)
	if err != nil {
		return err
	}
	all := make([]bar, 0, len(r.Histogram))
	for _, o := range r.Histogram {
		all = append(all, bar{o.String(), o.Count})
	}
	states, digest := statesOf(all)
	day := ""
	if !r.Time.IsZero() {
		day = r.Time.Format(time.DateOnly)
	}
	return im.tx.exec(insertResult, c, t, r.Verdict, r.Outcome, states, digest, r.Positive, r.Negative,
		strings.Join(r.Flags, " "), r.Incomplete, r.Seconds, day)
}

// optionsOf returns the options of a record as the index writes them. Most records have the options
// of the one before.
func (im *importer) optionsOf(r *results.Record) (string, error) {
	if im.written == "" || r.Options != im.options {
		text, err := json.Marshal(r.Options)
		if err != nil {
			return "", err
		}
		im.options, im.written = r.Options, string(text)
	}
	return im.written, nil
}

// hardware adds a run on a chip to the earlier ones.
func (im *importer) hardware(r *observe.Record) error {
	c, err := im.campaign(campaign{"hardware", r.Device.Name, r.Device.UUID, "", ""})
	if err != nil {
		return err
	}
	t, err := im.test(r.Hash, r.Test)
	if err != nil {
		return err
	}
	before := map[string]int64{}
	var text string
	var seconds float64
	switch err := im.tx.QueryRow("SELECT states, seconds FROM result WHERE campaign = ? AND test = ?", c, t).Scan(&text,
		&seconds); {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return err
	default:
		if err := json.Unmarshal([]byte(text), &before); err != nil {
			return err
		}
	}
	for _, b := range r.Histogram {
		o, err := litmus.NewOutcome(b.State)
		if err != nil {
			return err
		}
		before[o.String()] += b.Count
	}
	var all []bar
	var runs int64
	for _, state := range slices.Sorted(maps.Keys(before)) {
		all = append(all, bar{state, before[state]})
		runs += before[state]
	}
	states, digest := statesOf(all)
	return im.tx.exec(insertResult, c, t, "", "observed", states, digest, runs, 0, "", "", seconds+r.Seconds,
		r.Time.Format(time.DateOnly))
}

// bar is a final state, as logs write it, with its count.
type bar struct {
	state string
	count int64
}

// statesOf returns final states with their counts as a JSON object, and a digest that identifies
// the set of states. The digest is text, as hashes are, because JSON readers that use doubles would
// change a number of 64 bits.
func statesOf(all []bar) (text, digest string) {
	h := fnv.New64a()
	b := []byte{'{'}
	for i, one := range all {
		if i > 0 {
			b = append(b, ',')
		}
		_, _ = h.Write(append([]byte(one.state), 0))
		quoted, err := json.Marshal(one.state)
		if err != nil {
			panic(err) // strings can always be marshalled
		}
		b = append(append(b, quoted...), ':')
		b = strconv.AppendInt(b, one.count, 10)
	}
	return string(append(b, '}')), fmt.Sprintf("%016x", h.Sum64())
}
