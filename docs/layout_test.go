// Package docs_test compares the documents with the program, and the imports with the architecture.
package docs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/frontends"
)

const module = "github.com/muster-gpu/muster/"

// TestImports compares the imports of every package with the table in
// docs/architecture.md.
func TestImports(t *testing.T) {
	allowed := readTable(t, "architecture.md")
	seen := map[string]bool{}
	for _, p := range listPackages(t) {
		name := nameOf(p.ImportPath)
		if len(p.GoFiles) == 0 {
			continue // tests only
		}
		seen[name] = true
		may, ok := allowed[name]
		if !ok {
			t.Errorf("package %s is not in the table of docs/architecture.md", name)
			continue
		}
		for _, imp := range p.Imports {
			if dep := nameOf(imp); dep != imp && !slices.Contains(may, dep) {
				t.Errorf("package %s imports %s; it may import %v", name, dep, may)
			}
		}
		for _, dep := range may {
			if !slices.ContainsFunc(p.Imports, func(imp string) bool { return nameOf(imp) == dep }) {
				t.Errorf("the table lets package %s import %s, which it does not", name, dep)
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("the table has package %s, which does not exist", name)
		}
	}
}

// TestOneWay: a package imports only what stands above it in the tables.
func TestOneWay(t *testing.T) {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	above := map[string]bool{}
	for _, row := range tableRow.FindAllStringSubmatch(string(text), -1) {
		for _, dep := range quoted.FindAllStringSubmatch(row[2], -1) {
			if !above[dep[1]] {
				t.Errorf("%s imports %s, which does not stand above it", row[1], dep[1])
			}
		}
		above[row[1]] = true
	}
}

// central is a row of the table up to the types that it calls central.
var central = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([A-Z][^|]*) \\|")

// TestCentralTypes: what the table calls the central types of a package is there.
func TestCentralTypes(t *testing.T) {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]string{}
	for _, p := range listPackages(t) {
		for _, name := range p.GoFiles {
			files[nameOf(p.ImportPath)] = append(files[nameOf(p.ImportPath)], filepath.Join(p.Dir, name))
		}
	}
	rows := central.FindAllStringSubmatch(string(text), -1)
	if len(rows) < 50 {
		t.Fatalf("the table has %d rows with types", len(rows))
	}
	for _, row := range rows {
		has := exported(t, files[row[1]])
		for name := range strings.SplitSeq(row[2], ", ") {
			if name, _, _ = strings.Cut(name, " "); !has[name] {
				t.Errorf("the table has %s among the types of %s, which has none of that name", name, row[1])
			}
		}
	}
}

// exported are the names that files export.
func exported(t *testing.T, files []string) map[string]bool {
	t.Helper()
	has := map[string]bool{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name := range f.Scope.Objects {
			has[name] = ast.IsExported(name)
		}
	}
	return has
}

// knownTo are the packages that may import a front end: its register, and tools that are about its
// language, such as what makes machine code of PTX, or shrinks it, or translates C.
var knownTo = map[string][]string{
	"ptx":   {"internal/frontends", "internal/shrink", "ptx/shrink", "harness", "harness/optcheck"},
	"clike": {"internal/frontends", "clike/toptx"},
}

// TestFrontEndsAreSiblings checks that another front end changes nothing but its folder and the
// register.
func TestFrontEndsAreSiblings(t *testing.T) {
	for name, may := range readTable(t, "architecture.md") {
		for frontEnd, packages := range knownTo {
			if slices.Contains(may, frontEnd) && !slices.Contains(packages, name) {
				t.Errorf("package %s may import %s: let it ask internal/frontends", name, frontEnd)
			}
		}
	}
}

// spellTests are the folders of what writes or reads tests of one language, and so has its headers.
var spellTests = []string{"ptx", "clike", "gen", "bench"}

// TestHeadersAreWithFrontEnds checks that nothing else depends on what a header says: whoever wants to
// know more of a test asks its litmus.Format.
func TestHeadersAreWithFrontEnds(t *testing.T) {
	headers := frontends.Headers()
	for _, p := range listPackages(t) {
		if root, _, _ := strings.Cut(nameOf(p.ImportPath), "/"); slices.Contains(spellTests, root) {
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

// TestRareModulesStayOut checks that the main command does not link what it rarely needs: go install of it fetches no
// module of which it uses no package.
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
	tableRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*\\| ([^|]*) \\|$")
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// readTable reads the rows "| `package` | … | may import |".
func readTable(t *testing.T, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string][]string{}
	for _, row := range tableRow.FindAllStringSubmatch(string(text), -1) {
		allowed[row[1]] = []string{}
		for _, dep := range quoted.FindAllStringSubmatch(row[2], -1) {
			allowed[row[1]] = append(allowed[row[1]], dep[1])
		}
	}
	if len(allowed) == 0 {
		t.Fatalf("%s has no table of packages", file)
	}
	return allowed
}

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

// TestThinVerbs: what verbs do is done by libraries, so that others can call it.
func TestThinVerbs(t *testing.T) {
	const most = 3000 // lines
	files, err := filepath.Glob("../cmd/muster/*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	if lines == 0 || lines > most {
		t.Errorf("cmd/muster has %d lines without its tests, want at most %d: what is no verb goes to a library", lines, most)
	}
}
