// Package docs_test compares the documents with the program, and the imports with the architecture.
package docs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/language/frontends"
)

const module = "github.com/muster-gpu/muster/"

// TestImports compares the imports of every package with docs/imports.txt.
func TestImports(t *testing.T) {
	allowed := readImports(t)
	seen := map[string]bool{}
	for _, p := range listPackages(t) {
		name := nameOf(p.ImportPath)
		if len(p.GoFiles) == 0 {
			continue // tests only
		}
		seen[name] = true
		may, ok := allowed[name]
		if !ok {
			t.Errorf("package %s is not in docs/imports.txt", name)
			continue
		}
		for _, imp := range p.Imports {
			if dep := nameOf(imp); dep != imp && !slices.Contains(may, dep) {
				t.Errorf("package %s imports %s; it may import %v", name, dep, may)
			}
		}
		for _, dep := range may {
			if !slices.ContainsFunc(p.Imports, func(imp string) bool { return nameOf(imp) == dep }) {
				t.Errorf("docs/imports.txt lets package %s import %s, which it does not", name, dep)
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("docs/imports.txt has package %s, which does not exist", name)
		}
	}
}

// readImports reads docs/imports.txt: a package with a colon, then the packages that it may import,
// indented. It checks that a package imports only what stands above it.
func readImports(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("imports.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed, name := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "#") || line == "\n":
		case strings.HasPrefix(line, " "):
			for _, dep := range strings.Fields(line) {
				if _, above := allowed[dep]; !above || dep == name {
					t.Errorf("%s imports %s, which does not stand above it", name, dep)
				}
				allowed[name] = append(allowed[name], dep)
			}
		default:
			name = strings.TrimSuffix(line, ":\n")
			allowed[name] = []string{}
		}
	}
	if len(allowed) < 50 {
		t.Fatalf("docs/imports.txt has %d packages", len(allowed))
	}
	return allowed
}

// TestRooms: docs/architecture.md says what each folder is for, of those at the top and of those in
// internal, and names no other.
func TestRooms(t *testing.T) {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, row := range room.FindAllStringSubmatch(string(text), -1) {
		for _, folder := range quoted.FindAllStringSubmatch(row[1], -1) {
			told[folder[1]] = true
		}
	}
	rooms := map[string]bool{}
	for _, p := range listPackages(t) {
		parts := strings.Split(nameOf(p.ImportPath), "/")
		switch root := parts[0]; {
		case root == "muster":
		case root == "internal":
			rooms[strings.Join(parts[:2], "/")] = true
		default:
			rooms[root] = true
		}
	}
	for folder := range rooms {
		if !told[folder] {
			t.Errorf("docs/architecture.md does not say what %s is for", folder)
		}
	}
	for folder := range told {
		if !rooms[folder] {
			t.Errorf("docs/architecture.md has %s, which does not exist", folder)
		}
	}
}

// TestOnlyTestsUseTestkit checks that what a user links does not import internal/testkit.
func TestOnlyTestsUseTestkit(t *testing.T) {
	const testkit = "internal/testkit/"
	for _, p := range listPackages(t) {
		name := nameOf(p.ImportPath)
		for _, imp := range p.Imports {
			if dep := nameOf(imp); strings.HasPrefix(dep, testkit) && !strings.HasPrefix(name, testkit) {
				t.Errorf("package %s imports %s, which is for tests only", name, dep)
			}
		}
	}
}

// knownTo are the packages that may import a front end: its register, and tools that are about its
// language, such as what makes machine code of PTX, or shrinks it, or translates C.
var knownTo = map[string][]string{
	"ptx":   {"internal/testkit/oracle/ptxtext", "internal/language/frontends", "internal/language/shrink", "ptx/shrink", "harness", "harness/optcheck"},
	"clike": {"internal/language/frontends", "clike/toptx"},
}

// TestFrontEndsAreSiblings checks that another front end changes nothing but its folder and the
// register.
func TestFrontEndsAreSiblings(t *testing.T) {
	for name, may := range readImports(t) {
		for frontEnd, packages := range knownTo {
			if slices.Contains(may, frontEnd) && !slices.Contains(packages, name) {
				t.Errorf("package %s may import %s: let it ask internal/language/frontends", name, frontEnd)
			}
		}
	}
}

// spellTests are the folders of what writes or reads tests of one language, and so has its headers.
var spellTests = []string{"ptx", "clike", "gen", "bench", "internal/testkit"}

// TestHeadersAreWithFrontEnds checks that only front ends compare headers: all other code asks the
// litmus.Format of a test.
func TestHeadersAreWithFrontEnds(t *testing.T) {
	headers := frontends.Shipped().Headers()
	for _, p := range listPackages(t) {
		spells := func(folder string) bool { return strings.HasPrefix(nameOf(p.ImportPath)+"/", folder+"/") }
		if slices.ContainsFunc(spellTests, spells) {
			continue
		}
		for _, file := range p.GoFiles {
			tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && slices.Contains(headers, strings.Trim(lit.Value, "\"`")) {
					t.Errorf("%s/%s has the header %s", p.ImportPath, file, lit.Value)
				}
				return true
			})
		}
	}
}

// nameOf is the name that the table has for a package of this module: its folder, or muster for the root.
func nameOf(path string) string {
	if path+"/" == module {
		return "muster"
	}
	return strings.TrimPrefix(path, module)
}

// rare are modules that only other commands and tests need. Graphviz alone would cost every start of the command most of a second.
var rare = []string{"github.com/goccy/go-graphviz", "github.com/tetratelabs/wazero", "gonum.org/v1/plot", "github.com/chromedp/chromedp", "honnef.co/go/tools"}

// TestRareModulesStayOut checks that the main command does not link the modules in rare.
func TestRareModulesStayOut(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "../cmd/muster").Output()
	if err != nil {
		t.Fatal(err)
	}
	needed := strings.Fields(string(out))
	if !slices.Contains(needed, "github.com/spf13/cobra") {
		t.Fatalf("the command needs %q, and not even cobra", needed)
	}
	for _, module := range rare {
		if slices.Contains(needed, module) {
			t.Errorf("cmd/muster depends on %s", module)
		}
	}
}

var (
	room   = regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| ")
	quoted = regexp.MustCompile("`([^`]+)`")
)

type pkg struct {
	ImportPath, Dir  string
	GoFiles, Imports []string
}

func listPackages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var pkgs []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// TestThinVerbs: what verbs do is done by libraries, so that others can call it. The size is in
// tokens, without comments and what only line breaks add: about six to a line.
func TestThinVerbs(t *testing.T) {
	const most = 18_880
	files, err := filepath.Glob("../cmd/muster/*.go")
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		size += tokens(text)
	}
	if size == 0 || size > most {
		t.Errorf("cmd/muster has %d tokens without its tests, want at most %d: what is no verb goes to a library", size, most)
	}
}

// tokens counts the tokens of a file, without comments, commas and the semicolons of line breaks.
func tokens(text []byte) (n int) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		switch _, tok, literal := s.Scan(); {
		case tok == token.EOF:
			return n
		case tok != token.COMMA && literal != "\n":
			n++
		}
	}
}

// forEngines are exported for the engines and their tests alone, so they mention internal types.
var forEngines = []string{"cat.Compile", "sim.Query"}

// TestPublicNames: no exported name of a public package mentions a type of an internal one, which users
// of the package could not name.
func TestPublicNames(t *testing.T) {
	for _, p := range listPackages(t) {
		if name := nameOf(p.ImportPath); strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "cmd/") {
			continue
		}
		for _, file := range p.GoFiles {
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			inner := internalImports(tree)
			for _, decl := range tree.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && slices.Contains(forEngines, tree.Name.Name+"."+f.Name.Name) {
					continue
				}
				for at, name := range mentions(decl, inner) {
					t.Errorf("%s: an exported name mentions %s, of an internal package", set.Position(at), name)
				}
			}
		}
	}
}

// internalImports are the names by which a file knows internal packages.
func internalImports(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, imp := range file.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		if !strings.HasPrefix(path, module+"internal/") {
			continue
		}
		name := filepath.Base(path)
		if imp.Name != nil {
			name = imp.Name.Name
		}
		names[name] = true
	}
	return names
}

// mentions are the places where what a declaration exports has a type of a package with one of these names.
func mentions(decl ast.Decl, names map[string]bool) map[token.Pos]string {
	found := map[token.Pos]string{}
	look := func(n ast.Node) {
		if n == nil {
			return
		}
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && names[x.Name] {
					found[n.Pos()] = x.Name + "." + n.Sel.Name
				}
				return false
			case *ast.Field:
				exported := len(n.Names) == 0 || slices.ContainsFunc(n.Names, (*ast.Ident).IsExported)
				return exported
			}
			return true
		})
	}
	signature := func(f *ast.FuncType) {
		for _, list := range []*ast.FieldList{f.TypeParams, f.Params, f.Results} {
			if list == nil {
				continue
			}
			for _, field := range list.List {
				look(field.Type)
			}
		}
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || receiver(d).IsExported()) {
			signature(d.Type)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					look(s.Type)
				}
			case *ast.ValueSpec:
				if s.Type != nil && slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
					look(s.Type)
				}
			}
		}
	}
	return found
}

// receiver returns the name of a method's receiver type.
func receiver(f *ast.FuncDecl) *ast.Ident {
	typ := f.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t
		}
	}
}

// codePath is a Go file of this module that a document names.
var codePath = regexp.MustCompile("`((?:[a-z0-9_-]+/)+[A-Za-z0-9_.-]+\\.go)`")

// TestPathsInDocuments: the Go files that documents name exist.
func TestPathsInDocuments(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	designs, err := filepath.Glob("design/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, name := range slices.Concat(pages, designs, []string{"../README.md", "../CONTRIBUTING.md", "../SECURITY.md"}) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range codePath.FindAllStringSubmatch(string(text), -1) {
			named++
			if _, err := os.Stat(filepath.Join("..", path[1])); err != nil {
				t.Errorf("%s names %s, which does not exist", name, path[1])
			}
		}
	}
	if named < 20 {
		t.Errorf("the documents name %d files", named)
	}
}
