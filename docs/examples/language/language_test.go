package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// test runs a file of this folder.
func test(name string) {
	text, err := os.ReadFile(name)
	if err == nil {
		err = run(name, string(text))
	}
	if err != nil {
		fmt.Println(err)
	}
}

func Example() {
	test("mp-chip.litmus")
	test("mp-board.litmus")
	// Output:
	// mp-chip: exists (1:r0=1 /\ 1:r1=0) holds
	// on-chip: a:W[x]=1→b:W[y]=1 c:R[y]=1→d:R[x]=0
	// on-board: b:W[y]=1→c:R[y]=1 d:R[x]=0→a:W[x]=1
	// mp-board: exists (1:r0=1 /\ 1:r1=0) does not hold
}

// A loop that waits for a flag has few paths: all iterations that read 0 count as one.
func Example_loop() {
	test("wait.litmus")
	// Output:
	// wait: forall (1:r2=8) holds
	// on-chip: a:W[x]=7→b:W[flag]=1 a:W[x]=7→d:R[x]=7 b:W[flag]=1→c:R[flag]=1 c:R[flag]=1→d:R[x]=7
	// on-board: a:W[x]=7→d:R[x]=7 b:W[flag]=1→c:R[flag]=1
}

// TestErrors: a test that is wrong is shown where, with what would fit.
func TestErrors(t *testing.T) {
	for instruction, want := range map[string]string{
		"gett r0, x": "did you mean get?",
		"put x":      "put takes 2 operands, found 1",
		"get r0, z":  "the initial state has no location z",
		"zero 0, up": "this thread has no label up",
		"put x, r1":  "P0 sets no register r0",
	} {
		err := run("wrong.litmus", "MESH wrong\n{ x=0; }\n P0 ;\n "+instruction+" ;\nexists (0:r0=1)\n")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "wrong.litmus:") {
			t.Errorf("%s: %v, want %s", instruction, err, want)
		}
	}
	err := run("cta.litmus", "MESH wrong\n{ x=0; }\n P0 | P1 ;\n(cta P0 P1)\nexists (x=1)\n")
	if err == nil || !strings.Contains(err.Error(), "unknown level cta") {
		t.Errorf("a level of another machine: %v", err)
	}
}

var block = regexp.MustCompile("(?ms)^```(go|cat|litmus)\n(.*?)^```$")

// TestPage: the code in docs/frontends.md is in the files of this folder.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../frontends.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := block.FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 8 {
		t.Errorf("the page has %d blocks of code", len(blocks))
	}
	for _, b := range blocks {
		files, err := filepath.Glob("*." + b[1])
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, name := range files {
			text, err := os.ReadFile(name)
			found = found || err == nil && strings.Contains(string(text), b[2])
		}
		if !found {
			t.Errorf("no .%s file of this folder has\n%s", b[1], b[2])
		}
	}
}
