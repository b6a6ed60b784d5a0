package rig

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/src"
)

// TestSettingsThatAreWrong: settings are one object; errors have a place.
func TestSettingsThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		`{"ctas":4} garbage {"ctas":5`: "s.json:1:12: there is text behind the settings",
		"{\"ctas\":4}\n{\"ctas\":5}":   "s.json:2:1: there is text behind the settings",
		`{"ctas":4`:                    "s.json:1:9: the settings end before their object does",
		``:                             "s.json:1:1: the settings end before their object does",
		`{"ctas":"x"}`:                 "s.json:1:11: ctas is string, and must be a whole number of 64 bits",
		`{"ctas":1e99}`:                "s.json:1:12: ctas is number 1e99, and must be a whole number of 64 bits",
		`[]`:                           "this is array, and must be an object",
		`{"tests":{"x":{"vary":3}}}`:   "vary is number, and must be true or false",
		`{"cta":4}`:                    `unknown field "cta"`,
		`{"ctas":4]`:                   "s.json:1:10: invalid character ']'",
	} {
		err := readTunings(src.NewFile("s.json", text), &harness.Tunings{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	s := harness.Tunings{Settings: harness.Few()}
	if err := readTunings(src.NewFile("s.json", " {\"ctas\": 4}\r\n\t"), &s); err != nil || s.CTAs != 4 ||
		s.Lines != harness.Few().Lines {
		t.Errorf("%v, %d CTAs", err, s.CTAs)
	}
}

// TestEndlessSettings: endless standard input is an error, and settings of a sensible size are
// read.
func TestEndlessSettings(t *testing.T) {
	r := &Rig{Name: "interpreter"}
	if err := r.Settle(nil, "-", blanks{}); err == nil ||
		!strings.Contains(err.Error(), "<standard input>: a text with more than") {
		t.Errorf("%v", err)
	}
}

// blanks is an endless text of spaces.
type blanks struct{}

func (blanks) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// FuzzSettings reads any text as settings, and runs a test with them: it ends with an error, with a
// kernel that takes too long, or with the requested number of instances.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{
		`{"ctas":4,"threads":64}`, `{"lines":1048576,"lineStride":1048576}`,
		`{"kinds":{"inter-CTA":{"oneInstance":true}},"tests":{"test":{"stride":-4}}}`,
		`{"ctas":4} garbage`, `{"preRounds":1048576}`, `{"oneInstance":true,"conflicts":1048576}`,
		`{"ctas":60000,"stride":1048576}`, `{"ctas":60000,"stride":16}`, `{"ctas":6000}`,
		`{"sharedStride":1048576,"threads":1024}`, `{"vary":true,"varyThreads":true,"permute":true,"inTurns":100}`,
	} {
		f.Add(text)
	}
	plan := interCTA(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"interpreter", "weak"} {
			r := &Rig{Name: name, Instances: 10, Limit: 50 * time.Millisecond}
			if r.Settle(nil, "-", strings.NewReader(text)) != nil || r.Open() != nil {
				return
			}
			h, err := r.Run(t.Context(), plan)
			var unfit *harness.Unfit
			var late *harness.LateError
			switch {
			case errors.As(err, &unfit), errors.As(err, &late):
			case err != nil:
				t.Error(err)
			case h.Instances < 10:
				t.Errorf("%d instances", h.Instances)
			}
		}
	})
}
