package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/internal/tests/campaign"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

// recordOf puts the machine code of two tests for sm_80 into a folder, that of the second with its
// opaque kernel only, and writes a record of each kernel to a file.
func recordOf(t *testing.T, names ...string) (folder, file string) {
	t.Helper()
	c := optcheck.Checker{Tools: optcheck.FindTools(), Target: harness.SM80, Optimize: 3}
	if err := c.Missing(); err != nil {
		t.Skip(err, "; nothing is assembled that could be checked later")
	}
	folder, file = t.TempDir(), filepath.Join(t.TempDir(), "in.jsonl")
	to, err := observe.Append(file)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	tests := campaign.Tests{
		Found:  corpus.Finder{}.Tests(names...),
		Config: sim.Defaults(),
		Target: c.Target,
		GPUs:   1,
		Report: func(err error) { t.Error(err) },
	}
	err = tests.Each(t.Context(), func(test *sim.Test, p *harness.Plan) error {
		for opaque, settings := range map[bool]string{false: `{"opaque":false}`, true: `{"opaque":true}`} {
			p := p.As(harness.Settings{Opaque: opaque})
			if opaque || test.Name.Text != names[1] {
				cubin, err := c.Tools.Assemble(t.Context(), p.Kernels(), c.Target, c.Optimize)
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(folder, p.CodeFile()), cubin, 0o600); err != nil {
					return err
				}
			}
			r := &observe.Record{
				Test:     test.Name.Text,
				Hash:     test.Hash(),
				Text:     test.Test.String(),
				Device:   observe.Device{Name: "A"},
				Settings: []byte(settings),
			}
			if err := to.Write(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return folder, file
}

// TestVerdictsLater checks records from a machine without a disassembler: a copy has their
// verdicts, and the target is that of the machine code.
func TestVerdictsLater(t *testing.T) {
	folder, in := recordOf(t, "coRR-inter-cta", "cpp-ticket-lock")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	_, said, errs := command("hw", "optcheck", "--cubin", folder, "--records", in, "-o", out)
	if !strings.Contains(said, ": 2 passed, 1 failed, 1 not checked") ||
		!strings.Contains(errs, "has no machine code of it, only of its opaque kernel (--opaque)") {
		t.Errorf("%s\n%s", said, errs)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []string
	for r, err := range observe.Records(out, f) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Test+" "+string(r.Settings)+" "+r.Optcheck.Verdict.String())
	}
	slices.Sort(got)
	want := `coRR-inter-cta {"opaque":false} failed
coRR-inter-cta {"opaque":true} passed
cpp-ticket-lock {"opaque":false} not checked
cpp-ticket-lock {"opaque":true} passed`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	for _, args := range [][]string{
		{"--cubin", folder, "--records", in, "-o", out}, // which is there
		{"--records", in, "-o", out + "2"},
		{"--cubin", folder, "--records", in},
		{"--cubin", t.TempDir(), "coRR-inter-cta"},
	} {
		if status, _, errs := command(append([]string{"hw", "optcheck"}, args...)...); status != exitBadInput ||
			errs == "" {
			t.Errorf("%v: status %d: %s", args, status, errs)
		}
	}
}

// TestUnknownTarget: the error for a target that the assembler does not know names the targets that
// it knows.
func TestUnknownTarget(t *testing.T) {
	if err := (optcheck.Checker{Tools: optcheck.FindTools()}).Missing(); err != nil {
		t.Skip(err)
	}
	if status, _, errs := command("hw", "optcheck", "--target", "sm_999", "coRR-inter-cta"); status != exitBadInput ||
		strings.Count(errs, "makes no machine code for sm_999, only for sm_70") != 1 {
		t.Errorf("status %d: %s", status, errs)
	}
}
