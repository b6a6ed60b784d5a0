package lessons_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/docs/lessons"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestOrder checks that the lessons are numbered without a gap, and that README.md lists them.
func TestOrder(t *testing.T) {
	readme, err := fs.ReadFile(lessons.FS, "README.md")
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for i, l := range lessons.List() {
		if l.Number != i+1 {
			t.Errorf("%s: lesson %d comes after lesson %d", l.Slug, l.Number, i)
		}
		entries = append(entries, fmt.Sprintf("%d. [%s](%s.md)", l.Number, l.Title, l.Slug))
	}
	if list := strings.Join(regexp.MustCompile(`(?m)^\d+\. \[.*\]\(.*?\)`).FindAllString(string(readme), -1), "\n"); list != strings.Join(entries, "\n") {
		t.Errorf("README.md lists\n%s\nand there are\n%s", list, strings.Join(entries, "\n"))
	}
}

// shipped is the corpus by the names of its tests.
func shipped(t *testing.T) map[string]*sim.Test {
	t.Helper()
	files, err := fs.Glob(litmustests.FS, "*/*.litmus")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]*sim.Test{}
	for _, name := range files {
		text, err := fs.ReadFile(litmustests.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		test := load(t, src.NewFile(name, string(text)))
		tests[test.Name.Text] = test
	}
	return tests
}

func load(t *testing.T, f *src.File) *sim.Test {
	t.Helper()
	test, err := sim.Load(f, sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// TestLitmus checks that a name stands for one program, in all lessons and in the corpus.
func TestLitmus(t *testing.T) {
	known := shipped(t)
	for _, l := range lessons.List() {
		here := map[string]bool{}
		for _, own := range l.Tests {
			test := load(t, own.File)
			if here[own.Name] {
				t.Errorf("%s has two tests %s", l.Slug, own.Name)
			}
			here[own.Name] = true
			if other, ok := known[own.Name]; ok && other.Hash() != test.Hash() {
				t.Errorf("%s: %s is another program than that of %s", l.Slug, own.Name, other.File.Name)
			}
			known[own.Name] = test
		}
	}
}

// testOf finds a test that a lesson speaks of: one of its own, or one of the corpus.
func testOf(t *testing.T, l *lessons.Lesson, corpus map[string]*sim.Test, name string) (*sim.Test, bool) {
	t.Helper()
	for _, own := range l.Tests {
		if own.Name == name {
			return load(t, own.File), true
		}
	}
	test, ok := corpus[name]
	return test, ok
}

// TestLinks checks that links to files of the repository lead somewhere, and that pictures are
// where they should be and all are shown.
func TestLinks(t *testing.T) {
	documents, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^ )]+)[ )]`)
	targets := map[string]bool{}
	for _, name := range documents {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			file, _, _ := strings.Cut(m[1], "#")
			targets[file] = true
			if strings.HasPrefix(file, "https://") {
				continue
			}
			if _, err := os.Stat(filepath.FromSlash(file)); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", name, m[1])
			}
		}
	}
	pictures, err := filepath.Glob("pictures/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pictures {
		if !targets[filepath.ToSlash(name)] {
			t.Errorf("no lesson shows %s", name)
		}
	}
}

// wellFormed is a lesson that has all that a lesson must have.
const wellFormed = `# 7. Scopes

After this you can *read* a
scope tree.

**Question.** Which?

<details>
<summary>Answer</summary>

This one.

</details>

**Question.** Why?

<details>
<summary>Answer</summary>

Because.

</details>

**Try it.** Do.

<details>
<summary>Answer</summary>

Done.

</details>

## What to remember

## Sources
`

// TestParse checks what Parse finds and what it refuses, a change at a time.
func TestParse(t *testing.T) {
	l, err := parse(wellFormed)
	if err != nil {
		t.Fatal(err)
	}
	if l.Slug != "07-scopes" || l.Number != 7 || l.Title != "Scopes" || l.Summary != "After this you can read a scope tree." {
		t.Errorf("found %q, %d, %q, %q", l.Slug, l.Number, l.Title, l.Summary)
	}
	for _, c := range []struct{ old, new, want string }{
		{"# 7. Scopes", "# Scopes", "07-scopes.md:1:1: the title of a lesson is # N. Title"},
		{"# 7. Scopes", "# 8. Scopes", "07-scopes.md:1:1: this is number 8, by the name of its file number 07"},
		{"# 7. Scopes\n", "", "a lesson begins with its title"},
		{"After this", "- After this", "behind the title stands a paragraph"},
		{"This one.", "<p>This one.</p>", "07-scopes.md:11:1: HTML here; expected the end of the answer"},
		{"This one.", "**Question.** Is it?", "07-scopes.md:11:1: a question here; expected the end of the answer"},
		{"This one.", "This <b>one</b>.", "07-scopes.md:11:6: HTML within a paragraph"},
		{"Which?", "Which?\n\nOf these?", "07-scopes.md:8:1: text here; expected the answer"},
		{"**Question.** Why?", "Why?", "the beginning of an answer here; expected text or a question"},
		{"**Try it.** Do.", "**Question.** Do?", "0 times something to try; a lesson has 1 or more"},
		{"Done.\n\n</details>", "Done.", "the end of the lesson here; expected the end of the answer"},
		{"Sources", "Source", "the last sections of a lesson are What to remember, Sources"},
		{"This one.", "[One](one.html?x)", "the link one.html?x has no form that lessons know"},
		{"This one.", "[One](../../models/sc.cat#sb=Nevr)", "has no form that lessons know"},
		{"This one.", "[One](../../models/sc.cat#sb=Sometimes:sc)", "an axiom rejects what is said to happen"},
		{"This one.", "![One](one.png)", "pictures are pictures/NAME.svg, not one.png"},
		{"This one.", "![One](pictures/one.svg)", "a picture says what it shows and how it is drawn"},
		{"This one.", "```litmus\n```", "an empty test"},
		{"This one.", "```litmus\nGPU_PTX sb\n{ x=0 }\n```", "07-scopes.md:13:"},
		{"This one.", "```console\nls\n```", "a console block begins with a command"},
	} {
		text := strings.Replace(wellFormed, c.old, c.new, 1)
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("with %q in place of %q the error is %v, which should say %q", c.new, c.old, err, c.want)
		}
	}
}

func parse(text string) (*lessons.Lesson, error) {
	return lessons.Parse(src.NewFile("docs/lessons/07-scopes.md", text))
}

// TestContents checks that Parse finds what a lesson holds, with its fields and places.
func TestContents(t *testing.T) {
	l, err := parse(strings.Replace(wellFormed, "This one.", `
[SC forbids `+"`it`"+`](../../models/sc.cat#MP+rel.gpu=Never:sc), [seen 4,347 times](../../litmus-tests/asplos15/observations.csv#mp-inter-cta@Titan:incantations-12=4347/100000).

![a cycle](pictures/mp.svg "muster draw mp-inter-cta")

`+"```console\n$ muster tests mp\nno test\n$ muster models\n```", 1))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s %s %s %s %q %d", l.Claims[0].Test, l.Claims[0].Model, l.Claims[0].Verdict, l.Claims[0].Axiom, l.Claims[0].Said, l.Claims[0].At.Pos().Line) +
		fmt.Sprintf("; %s %s %s %d/%d", l.Counts[0].Test, l.Counts[0].Device, l.Counts[0].Setting, l.Counts[0].Seen, l.Counts[0].Runs) +
		fmt.Sprintf("; %s %q %q", l.Figures[0].Name, l.Figures[0].Alt, l.Figures[0].Command) +
		fmt.Sprintf("; %q %q %q", l.Sessions[0].Command, l.Sessions[0].Output, l.Sessions[1].Command)
	const want = `MP+rel.gpu sc Never sc "SC forbids it" 12; mp-inter-cta Titan incantations-12 4347/100000; ` +
		`mp "a cycle" "muster draw mp-inter-cta"; "muster tests mp" "no test" "muster models"`
	if got != want {
		t.Errorf("found\n%s\nexpected\n%s", got, want)
	}
	if n := slices.Max([]int{len(l.Claims), len(l.Counts), len(l.Figures)}); n != 1 {
		t.Errorf("something is found %d times", n)
	}
}
