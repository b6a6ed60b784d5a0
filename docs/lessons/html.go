package lessons

import (
	"bytes"
	"fmt"
	"html"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads and writes lessons. It lets HTML through, because Parse accepts only the HTML of
// folds around answers; it writes XHTML, so that tests can read it.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(
		extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithRendererOptions(
		gmhtml.WithUnsafe(), gmhtml.WithXHTML(),
		renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 100))),
)

// HTML is the lesson as a fragment of the page. Links lead to places in the page where it has
// them; the page finds tests and claims by their classes and data attributes.
func (l *Lesson) HTML() (string, error) {
	source := []byte(l.Text)
	document := markdown.Parser().Parse(text.NewReader(source))
	tests := l.Tests
	each(document, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			relink(n)
		case *ast.Image:
			n.Destination = append([]byte(inPage), n.Destination...)
		case *ast.FencedCodeBlock:
			if string(n.Language(source)) == litmusLanguage {
				n.SetAttributeString(testAttribute, tests[0].Name)
				tests = tests[1:]
			}
		}
	})
	var b bytes.Buffer
	err := markdown.Renderer().Render(&b, source, document)
	return b.String(), err
}

const testAttribute = "data-test"

// relink has a link lead where it leads in the page.
func relink(n *ast.Link) {
	t := targetOf(string(n.Destination))
	n.Destination = []byte(t.href())
	set := func(name, value string) { n.SetAttributeString(name, []byte(value)) }
	switch t := t.(type) {
	case Claim:
		set("class", "claim")
		set(testAttribute, t.Test)
		set("data-model", t.Model)
		set("data-verdict", string(t.Verdict))
	case Count:
		set("class", "count")
	}
}

// codeRenderer writes blocks of code: tests as figures, sessions apart from other code.
type codeRenderer struct{}

func (c codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, c.render)
}

func (codeRenderer) render(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	n := node.(*ast.FencedCodeBlock)
	language := string(n.Language(source))
	code := html.EscapeString(blockText(n, source))
	switch language {
	case litmusLanguage:
		name, _ := n.AttributeString(testAttribute)
		fmt.Fprintf(w, "<figure class=\"test\" %s=\"%s\">", testAttribute, html.EscapeString(fmt.Sprint(name)))
		writeCode(w, language, code)
		fmt.Fprintln(w, "</figure>")
	case consoleLanguage:
		fmt.Fprintf(w, "<pre class=\"%s\">%s</pre>\n", language, code)
	default:
		writeCode(w, language, code)
		fmt.Fprintln(w)
	}
	return ast.WalkSkipChildren, nil
}

func writeCode(w util.BufWriter, language, code string) {
	class := ""
	if language != "" {
		class = fmt.Sprintf(" class=\"language-%s\"", html.EscapeString(language))
	}
	fmt.Fprintf(w, "<pre><code%s>%s</code></pre>", class, code)
}
