package cat_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/expect"
	"github.com/muster-gpu/muster/src"
)

// files are what models include, by name. The model itself is the file "main".
type files map[string]string

func (fs files) find(_ *src.File, path string) (*src.File, error) {
	text, ok := fs[path]
	if !ok {
		return nil, errors.New("no such file")
	}
	return src.NewFile(path, text), nil
}

func (fs files) load() (*cat.Model, error) {
	return cat.Load(src.NewFile("main", fs["main"]), cat.Config{Find: fs.find})
}

func TestInclude(t *testing.T) {
	tests := []struct {
		name  string
		files files
		want  string // the flags, in the order of evaluation
	}{
		{
			"in the place of the include",
			files{"main": `let a = r include "b" flag ~empty b as after`, "b": "flag ~empty a as inside let b = a"},
			"inside after",
		},
		{
			"nested",
			files{
				"main": `include "b" flag ~empty d as main`,
				"b":    `include "c" let d = c flag ~empty d as b`,
				"c":    "let c = r flag ~empty c as c",
			},
			"c b main",
		},
		{
			"a later definition hides one that is included",
			files{"main": `include "b" let a = 0 flag ~empty a as main`, "b": "let a = r flag ~empty a as b"},
			"b",
		},
		{
			"twice",
			files{
				"main": `include "b" let r = r;r include "b"`,
				"b":    "flag ~empty r as some flag ~empty r & p02 as two",
			},
			"some two",
		},
		{
			"twice by others",
			files{
				"main": `include "b" include "c"`,
				"b":    `include "d" flag ~empty d as b`, "c": `include "d" flag ~empty d as c`, "d": "let d = r",
			},
			"b c",
		},
		{
			"headers of files that are included do not matter",
			files{"main": `"main" include "b" flag ~empty a as main`, "b": `PTX "b" let a = r`},
			"main",
		},
		{"an empty file", files{"main": `include "b" flag ~empty r as main`, "b": ""}, "main"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := tt.files.load()
			if err != nil {
				t.Fatal(err)
			}
			v, err := verdict(m, mp)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(v.Flags, " "); got != tt.want {
				t.Errorf("got the flags %q, want %q", got, tt.want)
			}
			if strings.HasPrefix(tt.files["main"], `"main"`) != (m.Header == "main") || m.File.Name != "main" {
				t.Errorf("the model has the title %q and the file %s", m.Header, m.File.Name)
			}
		})
	}
}

func TestIncludeErrors(t *testing.T) {
	tests := []struct {
		name  string
		files files
		want  []string // message (hint)
	}{
		{
			"missing",
			files{"main": "let a = r\ninclude \"b\" acyclic a\n  include \"c.cat\""},
			[]string{
				`main:2:9: cannot include "b": no such file`,
				`main:3:11: cannot include "c.cat": no such file`,
			},
		},
		{
			"missing in a file that is included",
			files{"main": `include "b"`, "b": "\n include \"c\""},
			[]string{`b:2:10: cannot include "c": no such file`},
		},
		{
			"itself",
			files{"main": "let a = r\ninclude \"main\""},
			[]string{"main:2:1: main includes itself; the includes are main → main"},
		},
		{
			"itself by others",
			files{"main": `include "b"`, "b": "let a = r include \"c\"", "c": "\ninclude \"b\""},
			[]string{"c:2:1: b includes itself; the includes are main → b → c → b"},
		},
		{
			"errors of all files",
			files{"main": `include "b" include "c" acyclic r`, "b": "let a =", "c": "acyclic )\nempty ("},
			[]string{
				"b:1:8: expected an expression, found the end of the file",
				"c:1:9: expected an expression, found )",
				"c:2:8: expected an expression, found the end of the file",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.files.load()
			var got []string
			ds, _ := err.(src.Diagnostics)
			for _, d := range ds {
				place, _, _ := strings.Cut(d.Header(), ": ")
				got = append(got, place+": "+expect.Text(d))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestIncludedCheckTwice: two checks with one name cause a warning, whatever files they are in. A
// file that is included twice has each check once.
func TestIncludedCheckTwice(t *testing.T) {
	tests := []struct {
		name  string
		files files
		want  string
	}{
		{"a file with a check, twice", files{"main": `include "b" include "b"`, "b": "\nacyclic r as c"}, ""},
		{
			"in another file",
			files{"main": `include "b" acyclic r as c`, "b": "\nempty r as c"},
			"main:1:26: warning: a second check is called c: both count as one axiom",
		},
		{"without a name", files{"main": `include "b" include "b"`, "b": "\nacyclic r"}, ""},
		{"an unknown name", files{"main": `include "b"`, "b": "\nlet a = happens"}, "b:2:9: unknown name happens"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := tt.files.load()
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			summary, err := m.Check(mp.vocabulary())
			ds := summary.Warnings
			ds.Add(err)
			if len(ds) > 0 {
				got = ds[0].Header()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestFinderGetsTheIncluder checks that the finder is given the file that includes.
func TestFinderGetsTheIncluder(t *testing.T) {
	fs := files{"main": `include "b" include "c"`, "b": `include "d"`, "c": "", "d": ""}
	var got []string
	find := func(from *src.File, path string) (*src.File, error) {
		got = append(got, from.Name+" includes "+path)
		return fs.find(from, path)
	}
	if _, err := cat.Load(src.NewFile("main", fs["main"]), cat.Config{Find: find}); err != nil {
		t.Fatal(err)
	}
	want := []string{"main includes b", "b includes d", "main includes c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
