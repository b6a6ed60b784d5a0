package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"testing"

	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
)

// paperTests is the number of tests that the study of the ASPLOS 2015 paper ran (Sec. 5.4).
const paperTests = 10_930

// BenchmarkThroughput simulates as many tests as the paper's study, from files to log: the tests of
// the paper and those of scoped PTX, repeated. To compare one core with two, run go test -bench
// Throughput -cpu 1,2.
func BenchmarkThroughput(b *testing.B) {
	for _, bm := range []struct{ folder, model string }{{"asplos15", "ptx-asplos15"}, {"ptx", "ptx"}} {
		dir := copies(b, bm.folder, paperTests)
		for _, engine := range []string{"fast", "naive"} {
			b.Run(bm.model+"/"+engine, func(b *testing.B) {
				batch.CollectSeldom()
				for b.Loop() {
					a := &app{out: io.Discard, err: io.Discard, seen: map[int]bool{}}
					cmd := a.root()
					cmd.SetArgs([]string{"run", "-m", bm.model, "--engine", engine, dir})
					if err := cmd.Execute(); err != nil || a.exit() != exitOK {
						b.Fatal(err, a.seen)
					}
				}
				b.ReportMetric(float64(b.N*paperTests)/b.Elapsed().Seconds(), "tests/s")
			})
		}
	}
}

// copies writes n tests to a folder: copies of the tests of a shipped folder.
func copies(b *testing.B, folder string, n int) string {
	b.Helper()
	dir := b.TempDir()
	for done := 0; done < n; {
		for _, file := range corpus.Shipped().Files {
			if path.Dir(file) != folder || done == n {
				continue
			}
			f, err := corpus.Shipped().Open(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%06d.litmus", done)), []byte(f.Text), 0o600)
			}
			if err != nil {
				b.Fatal(err)
			}
			done++
		}
	}
	return dir
}

// BenchmarkStart measures the command on one test, from its start to the verdict.
func BenchmarkStart(b *testing.B) {
	muster := filepath.Join(b.TempDir(), "muster")
	if out, err := exec.Command("go", "build", "-o", muster, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, args := range [][]string{{"run", "sb-inter-cta"}, {"run", "-m", "ptx", "MP+rel.gpu+acq.gpu"}} {
		b.Run(args[len(args)-1], func(b *testing.B) {
			for b.Loop() {
				if out, err := exec.Command(muster, args...).CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		})
	}
}
