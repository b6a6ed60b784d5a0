package results_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/store/results"
)

// keepIn, in the environment of this program, makes it a run that keeps results instead of a test.
const keepIn = "MUSTER_TEST_KEEP_IN"

func TestMain(m *testing.M) {
	if name := os.Getenv(keepIn); name != "" {
		if err := keepMany(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// keepMany is a run of many tests that continues its file.
func keepMany(name string) error {
	f, err := results.Open(name, func(error) {})
	if err != nil {
		return err
	}
	for i := range 3000 {
		r := sample(fmt.Sprint("test", i))
		if f.Has(r.Key()) {
			continue
		}
		if err := f.Add(r); err != nil {
			return err
		}
	}
	s := sample("").Subject
	s.Hash = ""
	if err := f.End(results.End{Shard: "1/1", Models: []results.Subject{s}}); err != nil {
		return err
	}
	return f.Close()
}

// TestKilled kills a run ten times at random moments and then lets it end: its records equal those
// of a run that was not killed.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	whole, killed := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
	if err := keepMany(whole); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), keepIn+"="+killed)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if err := keepMany(killed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sorted(t, whole), sorted(t, killed)); diff != "" {
		t.Errorf("(-whole +killed)\n%.2000s", diff)
	}
}
