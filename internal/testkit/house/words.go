package main

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"
)

// riddle is a turn of phrase that readers had to read twice, and what to write. A match of the first
// group of the pattern makes the phrase plain.
type riddle struct {
	pattern *regexp.Regexp
	plain   string
}

var riddles = []riddle{
	{word("nobody|somebody|anybody|everybody|someone|anyone|whoever|whomever"), "name the thread, the caller, the user"},
	{word("whom"), "make the relative clause a sentence"},
	{word("so many"), "give the number a name: n threads"},
	{word("(each |all |one |some |none )?of (?:which|whom)"), "name what the clause is about"},
	{word("is none|are none"), "“or nil”, “no …”, “is not a …”"},
	{word("what there is (?:of|to)|what is there of"), "name it"},
}

func word(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` + alternatives + `)\b`)
}

// comments looks at the words and the width of comments.
var comments = &analysis.Analyzer{
	Name: "comments",
	Doc:  "finds words that make a riddle of a comment, and comments that are too wide",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			if ast.IsGenerated(file) {
				continue
			}
			for _, group := range file.Comments {
				for _, c := range group.List {
					checkComment(pass, c)
				}
			}
		}
		return nil, nil
	},
}

const (
	widest   = 100 // columns of a comment
	tabWidth = 4
)

func checkComment(pass *analysis.Pass, c *ast.Comment) {
	if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//nolint") {
		return
	}
	eachRiddle(c.Text, func(at int, text string) {
		pass.Report(analysis.Diagnostic{Pos: c.Pos() + token.Pos(at), Category: "words", Message: text})
	})
	file := pass.Fset.File(c.Pos())
	source, err := pass.ReadFile(file.Name())
	if err != nil {
		return
	}
	line := file.Line(c.Pos())
	for range strings.Split(c.Text, "\n") {
		begin, end := file.Offset(file.LineStart(line)), len(source)
		if line < file.LineCount() {
			end = file.Offset(file.LineStart(line+1)) - 1
		}
		text := string(source[begin:end])
		alone := strings.HasPrefix(strings.TrimSpace(text), "//") || strings.HasPrefix(c.Text, "/*")
		if alone && columns(text) > widest && strings.Contains(strings.TrimSpace(text), " ") {
			pass.Report(analysis.Diagnostic{
				Pos: file.LineStart(line), Category: "width",
				Message: "the comment is wider than 100 columns",
			})
		}
		line++
	}
}

// columns is how wide a line is.
func columns(line string) int {
	return utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
}

// eachRiddle yields where in a text each riddle begins, and what is said about it.
func eachRiddle(text string, yield func(at int, message string)) {
	for _, r := range riddles {
		for _, span := range r.pattern.FindAllStringSubmatchIndex(text, -1) {
			if len(span) > 2 && span[2] >= 0 {
				continue
			}
			yield(span[0], "“"+text[span[0]:span[1]]+"”: "+r.plain)
		}
	}
}

// inDocuments looks for riddles in the Markdown files below a folder.
func inDocuments(root string) (all []finding, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for n, line := range strings.Split(string(text), "\n") {
			eachRiddle(line, func(at int, message string) {
				all = append(all, finding{
					place{filepath.ToSlash(path), "words"},
					token.Position{Filename: path, Line: n + 1, Column: at + 1},
					message,
				})
			})
		}
		return nil
	})
	return all, err
}
