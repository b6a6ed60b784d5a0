package main

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

const (
	mostFields  = 15
	mostMethods = 40
)

// typeDeclarations looks at the types that a package declares.
var typeDeclarations = &analysis.Analyzer{
	Name: "types",
	Doc:  "finds types that are too large, and names that hide promoted ones",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok && !ast.IsGenerated(file) {
					if named, ok := pass.TypesInfo.Defs[spec.Name].Type().(*types.Named); ok {
						checkType(pass, spec, named)
					}
				}
				return true
			})
		}
		return nil, nil
	},
}

func checkType(pass *analysis.Pass, spec *ast.TypeSpec, named *types.Named) {
	report := func(category, format string, args ...any) {
		pass.Report(analysis.Diagnostic{Pos: spec.Pos(), Category: category, Message: fmt.Sprintf(format, args...)})
	}
	if n := named.NumMethods(); n > mostMethods {
		report("size", "%s has %d methods: more than %d", spec.Name.Name, n, mostMethods)
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return
	}
	if n := s.NumFields(); n > mostFields {
		report("size", "%s has %d fields: more than %d", spec.Name.Name, n, mostFields)
	}
	own := map[string]bool{}
	for f := range s.Fields() {
		own[f.Name()] = true
	}
	for m := range named.Methods() {
		own[m.Name()] = true
	}
	for f := range s.Fields() {
		if !f.Embedded() {
			continue
		}
		for name := range reached(f.Type()) {
			if own[name] {
				report("promotion", "%s.%s hides the %s of the embedded %s: give the field a name, or one of them another name",
					spec.Name.Name, name, name, f.Name())
			}
		}
	}
}

// reached returns the names of fields and methods of a type of this project that embedding it promotes.
func reached(t types.Type) map[string]bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil
	}
	names := map[string]bool{}
	for m := range named.Methods() {
		names[m.Name()] = true
	}
	if s, ok := named.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			names[f.Name()] = true
			if f.Embedded() {
				for name := range reached(f.Type()) {
					names[name] = true
				}
			}
		}
	}
	return names
}
