package litmus

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/src"
)

// noisy is how many bytes of noise there are: were a part of a parser quadratic, its test
// would run for a quarter of an hour.
const noisy = 1 << 18

func repeated(s string) string { return strings.Repeat(s, noisy/len(s)) }

func noise() map[string]string {
	random := rand.NewChaCha8([32]byte{1})
	binary := make([]byte, noisy)
	if _, err := random.Read(binary); err != nil {
		panic(err)
	}
	all := map[string]string{"random bytes": string(binary), "nothing": ""}
	for _, s := range []string{
		"(", "(*", "(* *)", ")", "|", ";", "/\\", "\\/", "~", "not ", "=>", "\"", "{", "}", "[", "\n", "\n|", " ;\n",
		"x", "x ", "x:", "x: ", "x:;", "x: shared, ", "0:", "0:r1=", "x=1 /\\ ", "x=1 => ", "x=1;", "//", "// \n",
		"exists ", "\nexists (", "\n(cta ", "cta ", "(cta P0", "P0 ", "P0@", "P0|", "\nP0 ;", "locations [", "filter ", "filter x=1\n",
		"Test a Alowed\n", "Test a Allowed\n", "Test a Allowed\nStates 99999999\n", "0:r1=1;\n", "\x00", "\xff", "é",
	} {
		all[s] = repeated(s)
	}
	return all
}

// Much noise, wherever it begins, gives errors and nothing worse.
func TestNoise(t *testing.T) {
	prefixes := []string{
		"",
		"PTX x\n",
		"PTX x\n{",
		"PTX x\n{}\n",
		"PTX x\n{}\nP0 | P1 ;\n",
		"PTX x\n{}\nP0 | P1 ;\n(cta ",
		"PTX x\n{}\nP0 | P1 ;\n(cta P0 P1)\nexists ",
	}
	for what, text := range noise() {
		for _, prefix := range prefixes {
			_, err := Parse(src.NewFile("noise", prefix+text), formats)
			if ds, _ := err.(src.Diagnostics); len(ds) == 0 || len(ds) > maxErrors+1 {
				t.Errorf("%q after %q: %d errors", what, prefix, len(ds))
			}
		}
	}
}

func TestNoisyLog(t *testing.T) {
	for what, text := range noise() {
		for _, prefix := range []string{"", herdLog, "Test a Allowed\nStates 1000000\n"} {
			records, _ := ReadLog(src.NewFile("noise", prefix+text))
			for _, r := range records {
				if r.Test != "SB+fences" {
					t.Errorf("%q after %q has a record of %s", what, prefix, r.Test)
				}
			}
		}
	}
}

// seeds are the texts that fuzzing starts from.
func seeds(f *testing.F) {
	f.Add(fig12)
	names, _ := filepath.Glob("testdata/errors/*.litmus")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("PTX x\n{ x[2]={1,&y}; s @ surface aliases x; P1:%r=0x1 }\nP0@cta 0,gpu 1 | P1@cta 0,cluster 2,gpu 1 ;\nlocations [x; 1:r;] filter x[1]=2 => y<&x+4\nfinal: true")
}

// Whatever Parse accepts, it accepts again as printed, and takes for the same.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		test, err := Parse(src.NewFile("fuzz", text), formats)
		if err != nil {
			if len(err.Error()) == 0 {
				t.Error("an error without a message")
			}
			return
		}
		if len(test.Places()) != len(test.Threads) {
			t.Errorf("%d places for %d threads", len(test.Places()), len(test.Threads))
		}
		printed := test.String()
		again, err := Parse(src.NewFile("printed", printed), formats)
		if err != nil {
			t.Fatalf("%v\n---\n%s", err, printed)
		}
		if diff := cmp.Diff(test, again, sameTest); diff != "" {
			t.Errorf("%s\n(-parsed +printed and parsed)\n%s", printed, diff)
		}
		if again.String() != printed || again.Hash() != test.Hash() {
			t.Errorf("printing %q is not idempotent", printed)
		}
	})
}

// Whatever ReadLog accepts, it reads again as written.
func FuzzReadLog(f *testing.F) {
	f.Add(herdLog + litmus7Log)
	f.Fuzz(func(t *testing.T, text string) {
		records, _ := ReadLog(src.NewFile("fuzz", text))
		var b strings.Builder
		for _, r := range records {
			r.States = r.sorted()
			r.Time = r.Time.Round(1e7)
			if _, err := r.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
		}
		again, err := ReadLog(src.NewFile("written", b.String()))
		if err != nil {
			t.Fatalf("%v\n---\n%s", err, b.String())
		}
		if diff := cmp.Diff(records, again, sameTest); diff != "" {
			t.Errorf("%s\n(-read +written and read)\n%s", b.String(), diff)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(fig12)))
	for b.Loop() {
		if _, err := Parse(src.NewFile("fig12.litmus", fig12), formats); err != nil {
			b.Fatal(err)
		}
	}
}
