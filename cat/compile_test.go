package cat_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/src"
)

// TestUncompiled checks the errors, with positions, for constructs that cannot be compiled.
func TestUncompiled(t *testing.T) {
	v := mp.vocabulary("co0")
	tests := []struct{ model, want string }{
		{"let p = classes(loc)\nempty p", "test.cat:1:17: classes is not compiled"},
		{"assert empty rf", "test.cat:1:1: an assertion is not compiled"},
		{"let s = {rf, co}\nempty s", "test.cat:1:9: sets of values other than tags are not compiled"},
		{"empty (try (rf; fail(rf)) with co)", "test.cat:1:22: fail is not compiled"},
		{
			"empty (if rf = co then rf else co)",
			"test.cat:1:11: a condition that depends on the execution is not compiled",
		},
		{
			"let x = try foo with po\nlet y = try W with po\nacyclic x | y",
			"test.cat:3:9: expected a set of events, found a relation",
		},
		{
			"procedure p() = with co from linearisations(W, co0) end",
			"test.cat:1:1: the model never makes its choice of co",
		},
	}
	for _, tt := range tests {
		_, err := newModel(t, tt.model).Compile(v)
		var uncompiled *cat.UncompiledError
		if !errors.As(err, &uncompiled) {
			t.Errorf("%s: %v, want an UncompiledError", tt.model, err)
			continue
		}
		if got, _, _ := strings.Cut(err.Error(), "\n"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.model, got, tt.want)
		}
	}
	if _, err := newModel(t, "acyclic rf").Compile(nil); err == nil {
		t.Error("a vocabulary without writes is enough for coherence")
	}
}

// TestCompiledTry: a try of an unknown name compiles to the other branch, whatever the name is used
// for.
func TestCompiledTry(t *testing.T) {
	v := mp.vocabulary("co0")
	for model, same := range map[string]string{
		"empty (try ctrlcfence(ISYNC) with co)":              "empty co",
		"empty (try (rf ; [ISYNC]) | po with try Q with co)": "empty co",
		"empty (try (rf ; [W]) with co)":                     "empty rf ; [W]",
		"let f S = po & (_ * S)\nempty (try f(Q) with rf)":   "empty rf",
		"let rec r = po | (try (r ; Q) with co)\nempty r":    "let rec r = po | co\nempty r",
	} {
		p, err := newModel(t, model+" as c").Compile(v)
		q, errSame := newModel(t, same+" as c").Compile(v)
		if err != nil || errSame != nil {
			t.Errorf("%s: %v; %s: %v", model, err, same, errSame)
		} else if !p.Equal(q) {
			t.Errorf("%s: not %s", model, same)
		}
	}
}

// TestCompiledChoices: a condition that is decided at compile time leaves only the chosen branch.
func TestCompiledChoices(t *testing.T) {
	v := mp.vocabulary("co0")
	for model, same := range map[string]string{
		"empty (match 'a with || 'a -> rf || 'b -> co end) as c":                      "empty rf as c",
		"empty (match 'b with || 'a -> rf || 'b -> co end) as c":                      "empty co as c",
		"empty (match 'b with || 'a -> rf || _ -> co end) as c":                       "empty co as c",
		"empty (match 'a with || 'a -> rf || _ -> co end) as c":                       "empty rf as c",
		"let f t = match t with || 'a -> rf || _ -> co end\nempty f('a) | f('b) as c": "empty rf | co as c",
		"match 'b with 'a -> empty rf as c || _ -> empty co as c end":                 "empty co as c",
		"empty (match {} with || {} -> rf || x ++ S -> co end) as c":                  "empty rf as c",
		"empty (match { 'a } with || {} -> rf || x ++ S -> co end) as c":              "empty co as c",
		"empty (if \"on\" then rf else co) as c":                                      "empty co as c",
		"empty (if not \"on\" then rf else co) as c":                                  "empty rf as c",

		"forall t in { 'a, 'b } do empty (match t with 'a -> rf || _ -> co end) as c end": "empty rf as c empty co as c",
	} {
		p, err := newModel(t, "enum T = 'a || 'b\n"+model).Compile(v)
		q, errSame := newModel(t, same).Compile(v)
		if err != nil || errSame != nil {
			t.Errorf("%s: %v; %s: %v", model, err, same, errSame)
		} else if !p.Equal(q) {
			t.Errorf("%s: not %s", model, same)
		}
	}
}

func newModel(t *testing.T, text string) *cat.Model {
	t.Helper()
	m, err := cat.Load(src.NewFile("test.cat", text), cat.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
