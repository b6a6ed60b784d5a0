package isa_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNobodyComparesOpcodes: the text of an opcode is for messages. Who wants to know what an
// instruction is asks for its Code or its Class, so no package but those that read text looks into
// it.
func TestNobodyComparesOpcodes(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "shared" || d.Name() == ".git" || path == filepath.Join("..", "..", "ptx", "isa")):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if at := looksIntoOpcode(n); at.IsValid() {
				t.Errorf("%s compares the text of an opcode", set.Position(at))
			}
			f, ok := n.(*ast.FuncDecl)
			return !ok || f.Name.Name != "decode" // which may remember what Decode said
		})
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestLooksIntoOpcode: the test above finds what it looks for.
func TestLooksIntoOpcode(t *testing.T) {
	for text, want := range map[string]bool{
		`in.Opcode == "ret"`: true, `"bar" != l.in.Opcode`: true, `strings.HasPrefix(in.Opcode, "ld.")`: true, `table[in.Opcode]`: true,
		`slices.Contains(names, in.Opcode)`: true, `in.Op.Code.String() == "ld"`: true,
		`in.Opcode == nil`: false, `in.Op.Code == isa.Ret`: false, `fmt.Sprint(in.Opcode)`: false, `strings.TrimPrefix(in.Opcode, name)`: false, `x[in.Op.Code]`: false,
	} {
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			found = found || looksIntoOpcode(n).IsValid()
			return true
		})
		if found != want {
			t.Errorf("%s: %t", text, found)
		}
	}
}

// looksIntoOpcode returns where a node compares the text of an opcode, or looks it up; nowhere if
// it does not.
func looksIntoOpcode(n ast.Node) token.Pos {
	var looked []ast.Expr
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if y, ok := n.Y.(*ast.Ident); ok && y.Name == "nil" {
			break
		}
		if n.Op == token.EQL || n.Op == token.NEQ {
			looked = []ast.Expr{n.X, n.Y}
		}
	case *ast.SwitchStmt:
		looked = []ast.Expr{n.Tag}
	case *ast.IndexExpr:
		looked = []ast.Expr{n.Index}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"HasPrefix", "Contains", "Index", "EqualFold"}, f.Sel.Name) {
			looked = n.Args
		}
	}
	for _, x := range looked {
		if isOpcodeText(x) {
			return x.Pos()
		}
	}
	return token.NoPos
}

// isOpcodeText reports x.Opcode, and x.Code.String().
func isOpcodeText(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "Opcode"
	case *ast.CallExpr:
		f, ok := x.Fun.(*ast.SelectorExpr)
		if !ok || f.Sel.Name != "String" {
			return false
		}
		code, ok := f.X.(*ast.SelectorExpr)
		return ok && code.Sel.Name == "Code"
	}
	return false
}
