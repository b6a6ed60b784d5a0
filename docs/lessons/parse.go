package lessons

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/src"
)

// Parse reads a lesson. The error is a src.Diagnostics with all that is wrong with its format.
func Parse(f *src.File) (*Lesson, error) {
	r := reader{
		Lesson: Lesson{Slug: strings.TrimSuffix(path.Base(f.Name), ".md"), Text: f.Text},
		file:   f,
		source: []byte(f.Text),
	}
	document := parseMarkdown(r.source)
	r.head(document)
	r.exercises(document)
	r.tail(document)
	r.contents(document)
	return &r.Lesson, r.diags.Err()
}

func parseMarkdown(source []byte) ast.Node { return markdown.Parser().Parse(text.NewReader(source)) }

// reader collects what is in a lesson.
type reader struct {
	Lesson
	file   *src.File
	source []byte
	diags  src.Diagnostics
}

// at is the line on which a node begins.
func (r *reader) at(n ast.Node) src.Span {
	start := max(n.Pos(), 0)
	length := strings.IndexByte(r.file.Text[start:]+"\n", '\n')
	return r.file.Span(start, start+length)
}

func (r *reader) errorf(n ast.Node, format string, args ...any) {
	r.diags.Errorf(r.at(n), format, args...)
}

// plain is the text of a node without its markup.
func (r *reader) plain(n ast.Node) string { return plainText(n, r.source) }

func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	each(n, func(n ast.Node) {
		if t, ok := n.(*ast.Text); ok {
			b.Write(t.Value(source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
	})
	return b.String()
}

// each visits a node and what is in it, in the order of the text.
func each(n ast.Node, visit func(ast.Node)) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// blockText is what stands in a block of code or HTML.
func blockText(n ast.Node, source []byte) string { return string(n.Lines().Value(source)) }

var titleForm = regexp.MustCompile(`^(\d+)\. (.+)$`)

// head reads the title and the summary.
func (r *reader) head(document ast.Node) {
	title, ok := document.FirstChild().(*ast.Heading)
	if !ok || title.Level != 1 {
		r.errorf(document, "a lesson begins with its title: # N. Title")
		return
	}
	m := titleForm.FindStringSubmatch(r.plain(title))
	if m == nil {
		r.errorf(title, "the title of a lesson is # N. Title")
		return
	}
	r.Number, _ = strconv.Atoi(m[1])
	r.Title = m[2]
	if number, _, _ := strings.Cut(r.Slug, "-"); strings.TrimLeft(number, "0") != m[1] {
		r.errorf(title, "this is number %s, by the name of its file number %s", m[1], number)
	}
	summary, ok := title.NextSibling().(*ast.Paragraph)
	if !ok {
		r.errorf(title, "behind the title stands a paragraph that says what one can do after the lesson")
		return
	}
	r.Summary = r.plain(summary)
}

// lastSections are the headings with which a lesson ends.
var lastSections = []string{"What to remember", "Sources"}

func (r *reader) tail(document ast.Node) {
	var sections []string
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 {
			sections = append(sections, r.plain(h))
		}
	}
	have := strings.Join(sections[max(len(sections)-len(lastSections), 0):], ", ")
	if want := strings.Join(lastSections, ", "); have != want {
		r.errorf(document, "the last sections of a lesson are %s", want)
	}
}

// contents collects tests, sessions, links and figures.
func (r *reader) contents(document ast.Node) {
	each(document, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if read, ok := blocks[string(n.Language(r.source))]; ok {
				read(r, n)
			}
		case *ast.Link:
			r.link(n)
		case *ast.Image:
			r.figure(n)
		case *ast.RawHTML:
			r.errorf(n, "HTML within a paragraph")
		}
	})
}

// blocks are the blocks of code that mean something, by their languages.
var blocks = map[string]func(*reader, *ast.FencedCodeBlock){
	litmusLanguage:  (*reader).test,
	consoleLanguage: (*reader).sessions,
}

const (
	litmusLanguage  = "litmus"
	consoleLanguage = "console"
)

// test reads a litmus test.
func (r *reader) test(n *ast.FencedCodeBlock) {
	if n.Lines().Len() == 0 {
		r.errorf(n, "an empty test")
		return
	}
	first := r.file.Pos(n.Lines().At(0).Start).Line
	file := src.NewFileAt(r.file.Name, blockText(n, r.source), first)
	parsed, err := frontends.Shipped().Parse(file)
	if err != nil {
		r.diags.Add(err)
		return
	}
	r.Tests = append(r.Tests, Test{Name: parsed.Name.Text, File: file})
}

const prompt = "$ "

// sessions reads commands and what they print.
func (r *reader) sessions(n *ast.FencedCodeBlock) {
	for i, part := range strings.Split("\n"+blockText(n, r.source), "\n"+prompt) {
		if i == 0 {
			if part != "" {
				r.errorf(n, "a console block begins with a command: %smuster …", prompt)
			}
			continue
		}
		command, output, _ := strings.Cut(part, "\n")
		r.Sessions = append(r.Sessions, Session{Command: command, Output: output, At: r.at(n)})
	}
}

func (r *reader) link(n *ast.Link) {
	switch t := targetOf(string(n.Destination)).(type) {
	case nil:
		r.errorf(n, "the link %s has no form that lessons know", n.Destination)
	case Claim:
		t.Said, t.At = r.plain(n), r.at(n)
		if t.Axiom != "" && t.Verdict != Never {
			r.errorf(n, "an axiom rejects what is said to happen: %s", n.Destination)
		}
		r.Claims = append(r.Claims, t)
	case Count:
		t.Said, t.At = r.plain(n), r.at(n)
		r.Counts = append(r.Counts, t)
	}
}

func (r *reader) figure(n *ast.Image) {
	m := pictureForm.FindSubmatch(n.Destination)
	if m == nil {
		r.errorf(n, "pictures are pictures/NAME.svg, not %s", n.Destination)
		return
	}
	f := Figure{Name: string(m[1]), Alt: r.plain(n), Command: string(n.Title), At: r.at(n)}
	if f.Alt == "" || !strings.HasPrefix(f.Command, "muster draw ") {
		r.errorf(n, `a picture says what it shows and how it is drawn: ![text](pictures/NAME.svg "muster draw …")`)
	}
	r.Figures = append(r.Figures, f)
}
