package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
)

// TestBuildAnywhere builds the engine with settings of the Go command that are for other work, all at once: each of
// them alone would make the build fail if it were heeded.
func TestBuildAnywhere(t *testing.T) {
	sample.Long(t)
	dir := t.TempDir()
	file := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	settings := map[string]string{
		"GOWORK":      file("go.work", "go 1.26\n"),
		"GOENV":       file("env", "GOFLAGS=-mod=vendor\n"), // as go env -w writes it
		"GOFLAGS":     "-mod=vendor",
		"GO111MODULE": "off",
		"GOOS":        "plan9",
	}
	for name, value := range settings {
		t.Setenv(name, value)
	}
	if _, err := BuildEngine(t.Context(), func(string) {}); err != nil {
		t.Error(err)
	}
}

// TestCancelBuild: who cancels a build is told so, and not of a process that was killed.
func TestCancelBuild(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := BuildEngine(ctx, func(string) {}); !errors.Is(err, why) {
		t.Errorf("got the error %v, want %v", err, why)
	}
}

// TestSources: a binary of -trimpath takes no folder for its sources that only has their name.
func TestSources(t *testing.T) {
	t.Chdir("..")
	if _, err := sourcesOf("web/engine.go"); !errors.Is(err, errNoSources) {
		t.Errorf("got the error %v", err)
	}
	here, err := filepath.Abs("web")
	if err != nil {
		t.Fatal(err)
	}
	if folder, err := sourcesOf(filepath.Join(here, "engine.go")); err != nil || folder != here {
		t.Errorf("got %q, %v", folder, err)
	}
}

// message is one of the worker to the page.
type message struct {
	Failed string
	Answer struct {
		Diagnostics []struct{ Message string }
	}
}

// askWorker asks a new worker for something.
func (b *tab) askWorker(request any) message {
	b.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		b.Fatal(err)
	}
	return get[message](b, fmt.Sprintf(`new Promise(resolve => {
		const worker = new Worker('worker.js', { type: 'module' });
		worker.onmessage = ({ data }) => data.ready ? worker.postMessage({ id: 1, request: %s }) : resolve(data);
	})`, text))
}

// TestDeepRecursion: calls inside each other are not limited by the stack of JavaScript, as far as
// models that a person writes go; and a worker that ends all the same says so.
func TestDeepRecursion(t *testing.T) {
	b := openTab(t, "")
	const test = "GPU_PTX t\n{ x=0; }\n T0 ;\n ld.cg.s32 r1,[x] ;\nScopeTree (cta (warp T0))\nexists (%s0:r1=0)\n"
	run := func(test, model string) message {
		return b.askWorker(map[string]any{
			"verb": "run", "test": test, "timeout": 60_000, // the depth is to end it, not the time
			"models": []any{map[string]any{"name": "mine", "edits": map[string]string{"mine.cat": model}}},
		})
	}
	for _, model := range []string{
		"let rec f(r) = f(r | po)\nacyclic f(po) as x",                    // compiled
		"flag ~empty classes(loc) as c\nlet rec f(r) = f(r)\nempty f(po)", // evaluated
		"procedure rec p(x) = call p(x) end\ncall p(po)",
	} {
		got := run(fmt.Sprintf(test, ""), model)
		if d := got.Answer.Diagnostics; len(d) != 1 || !strings.Contains(d[0].Message, "does some recursion never end?") {
			t.Errorf("%s: %+v", model, got)
		}
	}
	if got := run(fmt.Sprintf(test, strings.Repeat("0:r1=0 /\\ ", 100_000)), "acyclic po"); got.Failed == "" {
		t.Errorf("%+v", got)
	}
}

// TestInlined: the Go command passes over a flag for a package that is not there.
func TestInlined(t *testing.T) {
	for _, p := range inlined {
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(p))); err != nil {
			t.Error(err)
		}
	}
}
