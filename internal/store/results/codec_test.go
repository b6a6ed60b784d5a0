package results

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/litmus"
)

// drawRecord draws a record, with texts that must be escaped.
func drawRecord(t *rapid.T) *Record {
	texts := rapid.SampledFrom([]string{"", `exists (0:r1=0 /\ [x]<2)`, `"`, "ptx"})
	if rapid.Bool().Draw(t, "odd") {
		texts = rapid.OneOf(rapid.SampledFrom([]string{"é <&>", "\x00\x7f"}), rapid.String())
	}
	text := func(name string) string { return texts.Draw(t, name) }
	count := rapid.Int64()
	r := &Record{
		Format: rapid.Int().Draw(t, "format"),
		Subject: Subject{
			Test:      text("test"),
			Hash:      text("hash"),
			Model:     text("model"),
			ModelHash: text("modelHash"),
			Muster:    text("muster"),
			Options: Options{
				Unroll:        rapid.Int().Draw(t, "unroll"),
				CASFailWrites: rapid.Bool().Draw(t, "cas"),
				Effort:        text("effort"),
				Engine:        text("engine"),
				MaxCandidates: rapid.IntRange(0, 2).Draw(t, "candidates"), Timeout: text("timeout"),
			},
		},
		Kind:        text("kind"),
		Condition:   text("condition"),
		Verdict:     text("verdict"),
		Outcome:     text("outcome"),
		Observation: text("observation"),
		Positive:    count.Draw(t, "positive"), Negative: count.Draw(t, "negative"), Histogram: Histogram{},
		Loop: rapid.Bool().Draw(t, "loop"), Incomplete: text("incomplete"),
		Seconds: rapid.OneOf(rapid.SampledFrom([]float64{0, 1e-7, 0.25, 1e21}), rapid.Float64Range(0, 1e6)).Draw(t,
			"seconds"),
	}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"0:r1", "0:r10", "1:r2", "[x]", "a[0]"}), 0, 4,
		rapid.ID).Draw(t, "names")
	for range rapid.IntRange(0, 3).Draw(t, "states") {
		values := map[string]string{}
		for _, name := range names {
			values[name] = rapid.SampledFrom([]string{"0", "-1", "x", "x+4", "18446744073709551615"}).Draw(t, name)
		}
		o, err := litmus.NewOutcome(values)
		if err != nil {
			t.Fatal(err)
		}
		o.Count = count.Draw(t, "count")
		r.Histogram = append(r.Histogram, o)
	}
	for range rapid.IntRange(0, 2).Draw(t, "flags") {
		r.Flags = append(r.Flags, text("flag"))
	}
	if rapid.Bool().Draw(t, "timed") {
		r.Time = time.UnixMilli(rapid.Int64Range(0, 1e13).Draw(t, "time")).UTC()
	}
	return r
}

// TestLine: a record is written as encoding/json writes it.
func TestLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecord(t)
		want, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(r.line())); diff != "" {
			t.Error(diff)
		}
	})
}

// TestReadRecord: reading a damaged or other line gives what encoding/json reads, or is left to it.
func TestReadRecord(t *testing.T) {
	usual := 0
	rapid.Check(t, func(t *rapid.T) {
		line := drawRecord(t).line()
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			i := rapid.IntRange(0, len(line)-1).Draw(t, "at")
			line[i] = rapid.SampledFrom([]byte(`0e-."\{}[],: axu`)).Draw(t, "byte")
		}
		got, ok := readRecord(line)
		if !ok {
			return
		}
		usual++
		var want Record
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatalf("%s\nis read, but %v", line, err)
		}
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("%s\n%s", line, cmp.Diff(want, *got))
		}
	})
	if usual == 0 {
		t.Error("no line is as usual")
	}
}

// TestUsualLines: lines of simulations are read without encoding/json.
func TestUsualLines(t *testing.T) {
	const line = `{"results":1,"test":"SB","hash":"9b","model":"ptx","modelHash":"1e","options":{"unroll":2,"timeout":"10s"},"muster":"0.1.0",` +
		`"kind":"Allowed","condition":"exists (1:r0=2 /\\ [x]=2)","verdict":"Ok","outcome":"allowed","observation":"Sometimes","positive":1,` +
		`"negative":3,"histogram":[{"state":{"1:r0":"0","[x]":"y+4"},"count":1},{"state":{"1:r0":"2","[x]":"-2"},"count":3}],"flags":["race"],` +
		`"loop":true,"time":"2026-11-22T14:13:00.123Z","seconds":0.000125}`
	r, usual := readRecord([]byte(line))
	if !usual || string(r.line()) != line {
		t.Errorf("%v, read back as\n%s", usual, r.line())
	}
	// Other lines than fields in their order are not.
	for _, other := range []string{
		`{}`, `{"results":1}`, `{"results": 1}`, line + " ", line[:len(line)-1], `{"test":"SB","results":1}`,
	} {
		if _, usual := readRecord([]byte(other)); usual {
			t.Errorf("%s is as usual", other)
		}
	}
}
