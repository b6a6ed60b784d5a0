// Package lessons is a course on the memory models of GPUs. A lesson is a Markdown file that
// reads well as it is; what it says of models and hardware are links, so that tests can check it.
//
//	Lesson   one file, parsed
//	Test     a litmus test that stands in it
//	Claim    a link that says what a model makes of a test
//	Count    a link that says how often a chip showed the outcome of a test
//	Figure   a picture, with the command that draws it
//	Session  a command line and what it prints
//
// List has the lessons that come with muster, Lesson.HTML is what the page shows of one. README.md
// describes the format.
package lessons

import (
	"embed"
	"io/fs"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/src"
)

// FS holds the lessons and their pictures.
//
//go:embed *.md pictures
var FS embed.FS

// Lesson is a parsed lesson.
type Lesson struct {
	Slug     string // its file's name without .md
	Number   int
	Title    string // without the number
	Summary  string // the first paragraph, without markup
	Text     string // Markdown
	Tests    []Test
	Claims   []Claim
	Counts   []Count
	Figures  []Figure
	Sessions []Session
}

// Test is a litmus test of a lesson.
type Test struct {
	Name string
	File *src.File // its text, which knows where in the lesson it stands
}

// Claim says what a model makes of a test.
type Claim struct {
	Test, Model string
	Verdict     Verdict
	Axiom       string // of the model, which rejects the outcome; "" if the claim names none
	Said        string // the text of the link
	At          src.Span
}

// Verdict is what a claim says of the outcome that the test asks about, in the words of logs.
type Verdict string

// The verdicts. Under a model that leaves the behaviour of the program undefined, only Undefined is right, whichever executions it allows.
const (
	Never     Verdict = "Never"
	Sometimes Verdict = "Sometimes"
	Always    Verdict = "Always"
	Undefined Verdict = "Undefined"
)

// Count is the number of runs of a test on a chip, and of those that showed its outcome.
type Count struct {
	Folder, Test, Device string // the test's folder in litmus-tests
	Setting              string // of the run, with - for blanks; "" if the record has none
	Seen, Runs           int
	Said                 string // the text of the link
	At                   src.Span
}

// Figure is a picture that muster draws.
type Figure struct {
	Name    string // of the file in pictures, without .svg
	Alt     string // what it shows
	Command string // that prints it, but for the name of the output
	At      src.Span
}

// Session is a command line and what it prints.
type Session struct {
	Command string // without the prompt
	Output  string
	At      src.Span
}

// List is the lessons in order.
func List() []Lesson { return slices.Clone(list()) }

// list parses the embedded lessons. It panics on an error; a test parses them all.
var list = sync.OnceValue(func() []Lesson {
	names, _ := fs.Glob(FS, "[0-9][0-9]-*.md") // the pattern is well-formed
	var all []Lesson
	for _, name := range names {
		text, err := fs.ReadFile(FS, name)
		if err != nil {
			panic(err)
		}
		lesson, err := Parse(src.NewFile("docs/lessons/"+name, string(text)))
		if err != nil {
			panic(err)
		}
		all = append(all, *lesson)
	}
	return all
})
