package bench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// peers runs peers.sh with a script in place of herd7, and returns its output.
func peers(t *testing.T, herd7 string) (out, errors string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash: bench/peers.sh is not tried")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "herd7"), []byte("#!/bin/sh\n"+herd7), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "peers.sh", "60", "herd7")
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	var said strings.Builder
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return string(text), said.String()
}

// TestPeersThatComplain: herd7 skips a test that it cannot parse, with exit status 0. Such a time
// must not be recorded.
func TestPeersThatComplain(t *testing.T) {
	out, errors := peers(t, `echo "Warning: File \"$1\": eax is not a register, test skipped" >&2`)
	if strings.Contains(out, "herd7") || !strings.Contains(errors, "herd7 x86 does not answer writers-2:") ||
		!strings.Contains(errors, "eax is not a register") {
		t.Errorf("%s%s", out, errors)
	}
}

// TestPeersThatAnswer: conditions name registers as herd7 does, rax and not eax.
func TestPeersThatAnswer(t *testing.T) {
	out, errors := peers(t, `for test; do :; done
case $test in *-[2-4].litmus) ;; *) exit 1 ;; esac # beyond that it takes too long
grep -Eq '^exists .*:(e[a-z]+|r[0-9]+d)=' "$test" && { echo "not a register"; exit 0; }
echo Observation t Never 0 1`)
	if errors != "" || !strings.Contains(out, "herd7 x86, fast\tlocks\t4\t") ||
		strings.Count(out, "herd7 x86\treader\t") != 2 {
		t.Errorf("%s%s", out, errors)
	}
}
