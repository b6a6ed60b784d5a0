package lessons

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Each question and exercise, perhaps with a test of its own, is followed by its answer in a
// <details> element, so that readers think first. Lessons have no other HTML.

// part is a block of a lesson, as far as exercises are concerned.
type part string

const (
	question part = "a question"
	trial    part = "something to try"
	opening  part = "the beginning of an answer"
	closing  part = "the end of an answer"
	foreign  part = "HTML"
	code     part = "code"
	ordinary part = "text"
	theEnd   part = "the end of the lesson"
)

// leads are the words with which exercises begin.
var leads = map[string]part{"Question.": question, "Try it.": trial}

// folds are the HTML that lessons use.
var folds = map[string]part{
	"<details>\n<summary>Answer</summary>": opening,
	"</details>":                           closing,
}

// place is where in the sequence of exercises a block stands.
type place uint8

const (
	between place = iota
	asked
	answering
)

// course is the place behind a block, by the place before it; what is not here must not be.
var course = map[place]map[part]place{
	between:   {ordinary: between, code: between, question: asked, trial: asked, theEnd: between},
	asked:     {code: asked, opening: answering},
	answering: {ordinary: answering, code: answering, closing: between},
}

// wanted says what should come instead.
var wanted = map[place]string{
	between:   "text or a question",
	asked:     "the answer: <details>, <summary>Answer</summary> and an empty line",
	answering: "the end of the answer: </details>",
}

// fewest is how many exercises a lesson has at least.
var fewest = map[part]int{question: 2, trial: 1}

// exercises checks questions and answers.
func (r *reader) exercises(document ast.Node) {
	at := between
	count := map[part]int{}
	step := func(n ast.Node, p part) {
		count[p]++
		next, ok := course[at][p]
		if !ok {
			r.errorf(n, "%s here; expected %s", p, wanted[at])
		}
		at = next
	}
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		step(n, r.partOf(n))
	}
	step(document.LastChild(), theEnd)
	for p, least := range fewest {
		if count[p] < least {
			r.errorf(document, "%d times %s; a lesson has %d or more", count[p], p, least)
		}
	}
}

func (r *reader) partOf(n ast.Node) part {
	switch n := n.(type) {
	case *ast.HTMLBlock:
		if p, ok := folds[strings.TrimSpace(blockText(n, r.source))]; ok {
			return p
		}
		return foreign
	case *ast.FencedCodeBlock:
		return code
	case *ast.Paragraph:
		if p, ok := leads[r.lead(n)]; ok {
			return p
		}
	}
	return ordinary
}

// lead is the strong text with which a paragraph begins, or "".
func (r *reader) lead(n *ast.Paragraph) string {
	if e, ok := n.FirstChild().(*ast.Emphasis); ok && e.Level == 2 {
		return r.plain(e)
	}
	return ""
}
