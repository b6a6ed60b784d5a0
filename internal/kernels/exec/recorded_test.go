package exec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kept are the fields of a trace that a discarded round of a loop does not lose: the launch,
// variables, and what is known of the text of the kernel.
var kept = []string{"Shape", "Fits", "Geometry", "Params", "Private", "Havoc", "Others", "Earlier", "Flows", "Widened"}

// TestOnlyRecorderWrites: nothing else in a trace is assigned to here, since a discarded round
// could not undo that.
func TestOnlyRecorderWrites(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	assigned := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok {
				for _, to := range a.Lhs {
					if field := traceField(to); field != "" {
						assigned[field] = true
						if !slices.Contains(kept, field) {
							t.Errorf("%v: Trace.%s is assigned to: use the recorder", fset.Position(to.Pos()), field)
						}
					}
				}
			}
			return true
		})
	}
	if !assigned["Private"] || !assigned["Widened"] {
		t.Errorf("the assignments that are looked for are not found: %v", assigned)
	}
}

// traceField returns the field F of an expression x.Trace.F or x.Trace.F[…], or "".
func traceField(e ast.Expr) string {
	if index, ok := e.(*ast.IndexExpr); ok {
		e = index.X
	}
	field, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if of, ok := field.X.(*ast.SelectorExpr); ok && of.Sel.Name == "Trace" {
		return field.Sel.Name
	}
	return ""
}
