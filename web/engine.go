package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Engine is the program that runs in the browser.
type Engine struct {
	Program []byte // WebAssembly, gzipped
	Support []byte // the JavaScript that the Go runtime needs around it
}

// LoadEngine returns the engine that is built into this binary, or builds one from the sources of
// the binary. A build takes a minute the first time; say is called before it.
func LoadEngine(ctx context.Context, say func(string)) (*Engine, error) {
	if e := embedded(); e != nil {
		return e, nil
	}
	return BuildEngine(ctx, say)
}

// errNoSources says what to do about a binary without an engine.
var errNoSources = errors.New(
	"this binary was built without the playground's engine, and its sources are not here to build it:\n" +
		"run `make build` in a clone of https://github.com/muster-gpu/muster, and use dist/muster")

// BuildEngine builds the engine with the Go command.
func BuildEngine(ctx context.Context, say func(string)) (*Engine, error) {
	_, here, _, _ := runtime.Caller(0)
	folder, err := sourcesOf(here)
	if err != nil {
		return nil, err
	}
	goroot, err := run(ctx, folder, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(goroot), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("the Go distribution has no support file for WebAssembly: %w", err)
	}
	say("building the engine for the browser; the first time takes a minute")
	program, err := compile(ctx, folder)
	if err != nil {
		return nil, err
	}
	packed, err := pack(program)
	return &Engine{packed, support}, err
}

// sourcesOf returns the folder of a file of this package, if the sources are there. A binary built
// with -trimpath does not know it, and its path would be relative to wherever it runs.
func sourcesOf(file string) (string, error) {
	folder := filepath.Dir(file)
	if _, err := os.Stat(filepath.Join(folder, "wasm", "main.go")); err != nil || !filepath.IsAbs(folder) {
		return "", errNoSources
	}
	return folder, nil
}

// inlined are the packages in which inlining is worth its size: they do the work for every
// candidate. Elsewhere, inlining makes the program a tenth larger and not faster.
var inlined = []string{"rel", "enumerate", "internal/engine/plan", "internal/engine/fast", "internal/solver/sat"}

// compile builds web/wasm.
func compile(ctx context.Context, folder string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "muster-engine-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "muster.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-gcflags=all=-l"}
	for _, p := range inlined {
		args = append(args, "-gcflags=github.com/muster-gpu/muster/"+p+"=")
	}
	if _, err := run(ctx, folder, append(args, "-o", program, "./wasm")...); err != nil {
		return nil, err
	}
	return os.ReadFile(program)
}

// settings are those of the Go command for the browser's platform. Other settings of the user are
// for other modules; an empty GOFLAGS would let those of go env -w through.
var settings = []string{
	"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GO111MODULE=on", "GOWORK=off", "GOFLAGS=-mod=readonly",
}

// run runs the Go command. When it is cancelled, its child processes end, too.
func run(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), settings...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("building the playground's engine needs the Go command: %w", err)
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, errs.String())
	}
	return out.String(), nil
}

// pack compresses a program as much as gzip can.
func pack(program []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(w, bytes.NewReader(program)); err != nil {
		return nil, err
	}
	err = w.Close()
	return packed.Bytes(), err
}
