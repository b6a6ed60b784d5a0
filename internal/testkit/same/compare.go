package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// An answer is what a binary says to a command line.
type answer struct {
	records []string // lines of standard output
	errors  string   // standard error
	exit    int
	took    time.Duration // processor time
}

// runBoth runs a command line with both binaries at a time, in the folder of the suite.
func runBoth(ctx context.Context, folder, before, after string, args []string) (old, fresh *answer, err error) {
	var errs [2]error
	var answers [2]*answer
	var wait sync.WaitGroup
	for i, binary := range []string{before, after} {
		wait.Go(func() { answers[i], errs[i] = run(ctx, folder, binary, args) })
	}
	wait.Wait()
	return answers[0], answers[1], errors.Join(errs[:]...)
}

func run(ctx context.Context, folder, binary string, args []string) (*answer, error) {
	var out, diagnostics bytes.Buffer
	c := exec.CommandContext(ctx, binary, args...)
	c.Dir, c.Stdout, c.Stderr = folder, &out, &diagnostics
	err := c.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) || ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	a := &answer{errors: diagnostics.String(), exit: c.ProcessState.ExitCode(), took: c.ProcessState.UserTime()}
	if text := strings.TrimSuffix(out.String(), "\n"); text != "" {
		a.records = strings.Split(text, "\n")
	}
	return a, nil
}

// differences lists how two answers to one command line differ.
func differences(old, fresh *answer) (all []string) {
	if old.exit != fresh.exit {
		all = append(all, fmt.Sprintf("exit status: %d before, %d after", old.exit, fresh.exit))
	}
	if was, is := timeless(old.errors), timeless(fresh.errors); was != is {
		all = append(all, "standard error: "+firstLine(was, is))
	}
	if len(old.records) != len(fresh.records) {
		all = append(all, fmt.Sprintf("%d records before, %d after", len(old.records), len(fresh.records)))
	}
	for i := range min(len(old.records), len(fresh.records)) {
		if d := compareRecords(old.records[i], fresh.records[i]); d != "" {
			all = append(all, fmt.Sprintf("record %d: %s", i+1, d))
		}
	}
	return all
}

// times are durations as messages print them.
var times = regexp.MustCompile(`\d+(\.\d+)?(s|ms|µs)\b`)

func timeless(text string) string { return times.ReplaceAllString(text, "TIME") }

// firstLine shows the first line in which two texts differ.
func firstLine(was, is string) string {
	old, fresh := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range max(len(old), len(fresh)) {
		if a, b := at(old, i), at(fresh, i); a != b {
			return fmt.Sprintf("%q before, %q after", a, b)
		}
	}
	return "equal"
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// compareRecords says where two records differ; "" if they agree. Lines that are no JSON are
// compared as they are.
func compareRecords(was, is string) string {
	if was == is {
		return ""
	}
	var old, fresh any
	if json.Unmarshal([]byte(was), &old) != nil || json.Unmarshal([]byte(is), &fresh) != nil {
		return firstLine(was, is)
	}
	path := difference(old, fresh, "")
	if path == "" {
		return ""
	}
	return subject(old) + path
}

// subject names what a record is about: a test or a kernel.
func subject(record any) string {
	object, _ := record.(map[string]any)
	for _, key := range []string{"test", "kernel"} {
		if name, ok := object[key].(string); ok {
			return name + ": "
		}
	}
	return ""
}

// work are the fields of records that measure how an answer was found.
var work = []string{"seconds", "stats", "terms", "conflicts"}

// difference returns the first field, by its path, in which two values of JSON differ, and its two
// values; "" if they agree but for work.
func difference(old, fresh any, path string) string {
	switch a := old.(type) {
	case map[string]any:
		b, ok := fresh.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Sorted(maps.Keys(a))
		for k := range b {
			if _, both := a[k]; !both {
				keys = append(keys, k)
			}
		}
		for _, k := range keys {
			if slices.Contains(work, k) {
				continue
			}
			if d := difference(a[k], b[k], path+"."+k); d != "" {
				return d
			}
		}
		return ""
	case []any:
		b, ok := fresh.([]any)
		if !ok || len(a) != len(b) {
			break
		}
		for i := range a {
			if d := difference(a[i], b[i], fmt.Sprintf("%s[%d]", path, i)); d != "" {
				return d
			}
		}
		return ""
	}
	if reflect.DeepEqual(old, fresh) {
		return ""
	}
	return fmt.Sprintf("%s: %s before, %s after", path, short(old), short(fresh))
}

// short prints a value of JSON, cut after 200 bytes.
func short(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if len(text) > 200 {
		return string(text[:200]) + "…"
	}
	return string(text)
}
