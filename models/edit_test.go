package models_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestEdit changes the text of the files of a model, on disk and shipped, and checks which files
// are opened, in which order and by which names.
func TestEdit(t *testing.T) {
	test := loadTest(t, "asplos15/coRR-intra-cta.litmus")
	inFolder(t, map[string]string{
		"my/model.cat": `include "part.cat" include "tso.cat" include "fences.cat" flag ~empty po as me`,
		"my/part.cat":  `include "fences.cat" flag ~empty po as part`,
	})
	tests := []struct {
		file string // the file whose text is changed
		want string // the flags
	}{
		{"", "me part"},
		{"my/model.cat", "changed"},
		{"my/part.cat", "changed me"},
		{"models/tso.cat", "changed me part"},
		{"models/fences.cat", "changed me part"}, // included twice
		{"models/sc.cat", "me part"},             // not included
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			var opened []string
			edit := func(name, text string) string {
				opened = append(opened, name)
				if name == tt.file {
					return "flag ~empty po as changed"
				}
				if !strings.Contains(text, "let") && !strings.HasPrefix(name, "my/") {
					t.Errorf("%s is given as %q", name, text)
				}
				return text
			}
			m, err := models.Load("my/model.cat", models.Config{Edit: edit})
			if err != nil {
				t.Fatal(err)
			}
			r, err := test.Run(context.Background(), m.Model)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(r.Flags, " "); got != tt.want {
				t.Errorf("got the flags %q, want %q", got, tt.want)
			}
			want := []string{"my/model.cat", "my/part.cat", "models/fences.cat", "models/tso.cat", "models/fences.cat"}
			if tt.file == "" && !cmp.Equal(want, opened) {
				t.Error(cmp.Diff(want, opened))
			}
		})
	}
}

// TestEditErrors checks that errors point into the changed text.
func TestEditErrors(t *testing.T) {
	edit := func(name, text string) string {
		return strings.Replace(text, "acyclic rmo-sys", "acyclic rmo-sys |", 1)
	}
	_, err := models.Load("ptx-asplos15", models.Config{Edit: edit})
	want := `models/asplos15-axioms.cat:23:19: expected an expression, found the keyword as
    acyclic rmo-sys | as sys-constraint
                      ^^`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

// TestBefore puts definitions before models. They hide base names, definitions of the model hide
// them, and definitions that muster itself puts before a model come first.
func TestBefore(t *testing.T) {
	tests := []struct {
		name, model, before string
		want                string // the flags of a test with rf and co
	}{
		{"nothing", "flag ~empty rf as rf", "", "rf"},
		{"a base name", "flag ~empty rf as rf flag ~empty rfe as rfe", "let rf = 0", "rfe"},
		{"a name of the model", "let rf = po flag ~empty rf as rf", "let rf = 0", "rf"},
		{
			"a name that the model uses before it defines it", "flag ~empty rf as a let rf = po flag ~empty rf as b",
			"let rf = 0", "b",
		},
		{
			"an order that muster chooses for the model", "flag ~empty sync_fence as s flag ~empty po as po",
			"let sync_fence = 0", "po",
		},
	}
	const program = `PTX test
{ x=0; }
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
 st.relaxed.gpu [x], 1  | ld.relaxed.gpu r0, [x]  ;
 fence.sc.gpu           | fence.sc.gpu            ;
 ld.relaxed.gpu r0, [x] | ld.relaxed.gpu r1, [x]  ;
exists (1:r0=1)
`
	test, err := sim.Load(src.NewFile("test.litmus", program), sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inFolder(t, map[string]string{"model.cat": tt.model})
			m, err := models.Load("model.cat", models.Config{Before: []*src.File{src.NewFile("before.cat", tt.before)}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Check(sim.Vocabulary()); err != nil {
				t.Fatal(err)
			}
			r, err := test.Run(context.Background(), m.Model)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(r.Flags, " "); got != tt.want {
				t.Errorf("got the flags %q, want %q", got, tt.want)
			}
		})
	}
}
