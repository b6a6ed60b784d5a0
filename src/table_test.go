package src_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/src"
)

// readTable reads the columns name and count and returns the rows as name=count, and the errors.
func readTable(text string) (rows, errs []string) {
	err := src.ReadTable(src.NewFile("t.csv", text), []string{"name", "count"}, func(r src.Row) error {
		rows = append(rows, r.Get("name")+"="+r.Get("count"))
		_, err := r.Count("count")
		return err
	})
	return rows, headers(err)
}

func TestReadTable(t *testing.T) {
	const header = "name,count\n"
	tests := []struct {
		name string
		text string
		rows []string
		errs []string
	}{
		{"rows", header + "a,1\nb,22\n", []string{"a=1", "b=22"}, nil},
		{"no row", header, nil, nil},
		{"header alone, no newline", "name,count", nil, nil},
		{"last row without newline", header + "a,1", []string{"a=1"}, nil},
		{
			"CRLF", "name,count\r\na,1\r\nb,x\r\n",
			[]string{"a=1", "b=x"},
			[]string{`t.csv:3:1: column count: expected a count, found "x"`},
		},
		{"columns in another order, and more of them", "note,count,name\nx,1,a\n", []string{"a=1"}, nil},
		{"blanks", " name ,\tcount\n  a , 1 \n", []string{"a=1"}, nil},
		{"quotes", header + "\"a,b\",\"1\"\n\"say \"\"x\"\"\",2\n", []string{"a,b=1", `say "x"=2`}, nil},
		{
			"a row of several lines", header + "\"a\nb\",1\nc,x\n",
			[]string{"a\nb=1", "c=x"},
			[]string{`t.csv:4:1: column count: expected a count, found "x"`},
		},
		{
			"no count", header + "a,\nb,-1\nc,1.5\nd,1\n",
			[]string{"a=", "b=-1", "c=1.5", "d=1"},
			[]string{
				`t.csv:2:1: column count: expected a count, found ""`,
				`t.csv:3:1: column count: expected a count, found "-1"`,
				`t.csv:4:1: column count: expected a count, found "1.5"`,
			},
		},
		{
			"count too large", header + "a,99999999999999999999\n",
			[]string{"a=99999999999999999999"},
			[]string{`t.csv:2:1: column count: expected a count, found "99999999999999999999"`},
		},
		{
			"short and long rows", header + "a\nb,2\nc,3,4\nd,4\n",
			[]string{"b=2", "d=4"},
			[]string{
				"t.csv:2:1: this row has 1 columns, the header has 2",
				"t.csv:4:1: this row has 3 columns, the header has 2",
			},
		},
		{
			"bad quotes", header + "a,1\nb\"b,2\nc,3\n\"d\"d,4\ne,5\n",
			[]string{"a=1", "c=3", "e=5"},
			[]string{`t.csv:3:1: bare " in non-quoted-field`, `t.csv:5:1: extraneous or missing " in quoted-field`},
		},
		{
			"a quote that nothing closes", header + "a,1\nb,\"2\nc,3\n",
			[]string{"a=1"},
			[]string{`t.csv:3:1: extraneous or missing " in quoted-field`},
		},
		{
			"rows after blank lines", header + "\n\na,1\n\nb,x\n\n\nc\n",
			[]string{"a=1", "b=x"},
			[]string{
				`t.csv:6:1: column count: expected a count, found "x"`,
				"t.csv:9:1: this row has 1 columns, the header has 2",
			},
		},
		{"a column missing", "name,number\na,1\n", nil, []string{"t.csv:1:1: the table has no column count"}},
		{"all columns missing", "a;b\n", nil, []string{"t.csv:1:1: the table has no columns name, count"}},
		{
			"a byte order mark", "\ufeffname,count\na,1\nb,x\n",
			[]string{"a=1", "b=x"},
			[]string{`t.csv:3:1: column count: expected a count, found "x"`},
		},
		{
			"a bad quote in the header", "na\"me,count\na,1\n", nil,
			[]string{"t.csv:1:1: the table has no columns name, count"},
		},
		{"empty file", "", nil, []string{"t.csv:1:1: the table has no columns name, count"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, errs := readTable(tt.text)
			if diff := cmp.Diff(tt.rows, rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.errs, errs); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadTableSpans(t *testing.T) {
	f := src.NewFile("t.csv", "name,count\r\na,1\r\n\r\n\"b\nb\",2\nc,3")
	var got []string
	err := src.ReadTable(f, []string{"name"}, func(r src.Row) error {
		got = append(got, r.At.Text())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a,1", "\"b\nb\",2", "c,3"}, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestReadTableShowsTheRow: an error is shown with its row.
func TestReadTableShowsTheRow(t *testing.T) {
	err := src.ReadTable(src.NewFile("t.csv", "name,count\na,1\nb;2\n"), []string{"count", "name"},
		func(src.Row) error { return nil })
	want := `t.csv:3:1: this row has 1 columns, the header has 2
    b;2
    ^^^`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
	err = src.ReadTable(src.NewFile("t.csv", "name;count\n"), []string{"name"}, func(src.Row) error { return nil })
	want = `t.csv:1:1: the table has no column name
    name;count
    ^^^^^^^^^^
    it needs name`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

func TestReadTableOfNoise(t *testing.T) {
	const n = 30_000
	rows := 0
	noise := "name,count\n" + strings.Repeat("\"a\"\x00b,\n", n)
	err := src.ReadTable(src.NewFile("t.csv", noise), []string{"name"}, func(src.Row) error {
		rows++
		return nil
	})
	if errs := len(headers(err)); rows != 0 || errs != n {
		t.Errorf("got %d rows and %d errors, want %d errors", rows, errs, n)
	}
}
