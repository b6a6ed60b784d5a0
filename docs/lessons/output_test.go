package lessons_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/muster-gpu/muster/docs/lessons"
	"github.com/muster-gpu/muster/internal/testkit/sample"
)

var update = flag.Bool("update", false, "draw the pictures anew")

// muster is a command line of muster in a folder that holds the tests of a lesson.
func muster(t *testing.T, l *lessons.Lesson, command string) *exec.Cmd {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, test := range l.Tests {
		if err := os.WriteFile(filepath.Join(dir, test.Name+".litmus"), []byte(test.File.Text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	words := strings.Fields(command)
	for _, name := range words {
		if filepath.Ext(name) != ".ptx" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("../../verify/testdata/kernels", name))
		if err != nil {
			t.Fatalf("%s: %v", l.Slug, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if words[0] != "muster" {
		t.Fatalf("%s: %q is no command of muster", l.Slug, command)
	}
	cmd := exec.Command(program, words[1:]...)
	cmd.Dir = dir
	return cmd
}

// build is where the command muster is, which the go command keeps with what it has built before.
var build = sync.OnceValues(func() (string, error) {
	cmd := exec.Command("go", "tool", "-n", "muster")
	cmd.Stderr = os.Stderr
	program, err := cmd.Output()
	return strings.TrimSpace(string(program)), err
})

var timing = regexp.MustCompile(`(?m)^Time (\S+) 0\\\.00$`)

// TestConsole runs the commands of lessons and compares what they print. A line "…" stands for
// any lines.
func TestConsole(t *testing.T) {
	for _, l := range lessons.List() {
		for _, s := range l.Sessions {
			t.Run(l.Slug+" "+s.Command, func(t *testing.T) {
				if strings.HasPrefix(s.Command, "muster check ") {
					sample.Long(t) // all shipped tests, also those that the model is not made for
				}
				out, _ := muster(t, &l, s.Command).CombinedOutput() // the exit status is not what lessons show
				pattern := timing.ReplaceAllString(regexp.QuoteMeta(strings.TrimSpace(s.Output)), `Time $1 [0-9.]+`)
				pattern = strings.ReplaceAll(pattern, "…", "(?s:.*)")
				if !regexp.MustCompile(`^\s*` + pattern + `\s*$`).Match(out) {
					t.Errorf("%s: %s prints something else:\n%s", at(s.At), s.Command, out)
				}
			})
		}
	}
}

// TestPictures draws the pictures and compares them with those that lie there.
func TestPictures(t *testing.T) {
	for _, l := range lessons.List() {
		for _, f := range l.Figures {
			picture, err := filepath.Abs(filepath.Join("pictures", f.Name+".svg"))
			if err != nil {
				t.Fatal(err)
			}
			drawn, err := muster(t, &l, f.Command+" -T svg").Output()
			if err != nil {
				t.Errorf("%s: %s: %v", at(f.At), f.Command, err)
				continue
			}
			if *update {
				if err := os.WriteFile(picture, drawn, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if lies, err := os.ReadFile(picture); err != nil || !bytes.Equal(lies, drawn) {
				t.Errorf("%s: %s.svg is not what %s draws (go test ./docs/lessons -run TestPictures -update)", at(f.At), f.Name, f.Command)
			}
		}
	}
}

// TestHTML checks that the page's fragment is well-formed, has a hook for each test, claim and
// figure, and nothing that a page must not have.
func TestHTML(t *testing.T) {
	for _, l := range lessons.List() {
		fragment, err := l.HTML()
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]int{}
		ids := map[string]bool{}
		d := xml.NewDecoder(strings.NewReader("<main>" + fragment + "</main>"))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", l.Slug, err)
			}
			if e, ok := token.(xml.StartElement); ok {
				checkElement(t, &l, e, found, ids)
			}
		}
		want := map[string]int{
			"figure test": len(l.Tests), "a claim": len(l.Claims), "a count": len(l.Counts), "img": len(l.Figures),
		}
		for kind, n := range want {
			if found[kind] != n {
				t.Errorf("%s has %d %s in the page, not %d", l.Slug, found[kind], kind, n)
			}
		}
	}
}

// checkElement checks an element of the fragment and counts it by its name and class.
func checkElement(t *testing.T, l *lessons.Lesson, e xml.StartElement, found map[string]int, ids map[string]bool) {
	t.Helper()
	kind, attributes := e.Name.Local, map[string]string{}
	for _, a := range e.Attr {
		attributes[a.Name.Local] = a.Value
	}
	if class := attributes["class"]; class != "" {
		kind += " " + class
	}
	found[kind]++
	if _, ok := attributes["style"]; ok || e.Name.Local == "script" {
		t.Errorf("%s: %v in the page", l.Slug, e)
	}
	if id, ok := attributes["id"]; ok && (ids[id] || !strings.HasPrefix(id, "lesson-")) {
		t.Errorf("%s: the id %s is not one of its own", l.Slug, id)
	} else if ok {
		ids[id] = true
	}
	switch kind {
	case "a claim":
		if want := "#test=" + attributes["data-test"] + "&model=" + attributes["data-model"]; attributes["href"] != want {
			t.Errorf("%s: a claim leads to %s, not to %s", l.Slug, attributes["href"], want)
		}
	case "a":
		if href := attributes["href"]; !pageLink.MatchString(href) {
			t.Errorf("%s: the page has no %s", l.Slug, href)
		}
	case "img":
		if !strings.HasPrefix(attributes["src"], "lessons/pictures/") {
			t.Errorf("%s: the page has no %s", l.Slug, attributes["src"])
		}
	}
}

var pageLink = regexp.MustCompile(`^(#test=|#lesson=\d\d-|https://)`)
