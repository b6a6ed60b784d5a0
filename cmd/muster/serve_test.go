package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
)

// TestServe serves the playground until it is stopped.
func TestServe(t *testing.T) {
	sample.Long(t) // it builds the page's engine, which the tests of web do in every run
	out, to := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		a := &app{out: to, err: io.Discard, seen: map[int]bool{}}
		cmd := a.root()
		cmd.SetArgs([]string{"serve", "--addr", "127.0.0.1:0"})
		ended <- cmd.ExecuteContext(ctx)
	}()
	line := make([]byte, 100)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(string(line[:n]))
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(page), "<title>muster") {
		t.Errorf("%s: %d, %v\n%s", address, response.StatusCode, err, page)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("serve ended with %v", err)
	}
}

func TestSite(t *testing.T) {
	sample.Long(t)
	dir := t.TempDir()
	a := &app{out: io.Discard, err: io.Discard, seen: map[int]bool{}}
	cmd := a.root()
	cmd.SetArgs([]string{"site", dir})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"index.html", "worker.js", "engine/muster.wasm.gz", "lessons/index.json", "corpus.json",
	} {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
