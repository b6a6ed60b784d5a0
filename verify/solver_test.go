package verify_test

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/verify"
)

var status = regexp.MustCompile(`\(set-info :status (\w+)\)`)

// TestSolverAgrees compares the answers of z3 with those of the built-in solver for the kernels in
// testdata. Several questions go to one process.
func TestSolverAgrees(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("z3 is not here: the answers are not compared")
	}
	files, err := filepath.Glob("testdata/kernels/*.ptx")
	if err != nil {
		t.Fatal(err)
	}
	var script bytes.Buffer
	var want, names []string
	for i, file := range files {
		if i%sample.Of(1, 3) > 0 {
			continue
		}
		m := readModule(t, file)
		for _, f := range m.Funcs {
			if !f.Entry {
				continue
			}
			asked := 0
			_, err := verify.Verify(t.Context(), m, f, verify.Config{
				Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{32, 1, 1}}, Budget: 1000,
				Dump: func(name string, write func(io.Writer) error) error {
					var text bytes.Buffer
					if err := write(&text); err != nil {
						return err
					}
					answer := status.FindStringSubmatch(text.String())[1]
					if asked++; asked > sample.Of(1000, 6) || answer == "unknown" {
						return nil
					}
					want, names = append(want, answer), append(names, file+" "+name)
					script.Write(text.Bytes())
					script.WriteString("(reset)\n")
					return nil
				},
			})
			if err != nil && !strings.Contains(err.Error(), ".reqntid") {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), z3, "-in")
	cmd.Stdin = &script
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := strings.Fields(string(out))
	if len(got) != len(want) || len(want) < 40 {
		t.Fatalf("%d answers to %d questions\n%s", len(got), len(want), out)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: %s, z3 says %s", names[i], want[i], got[i])
		}
	}
}
