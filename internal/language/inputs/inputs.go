// Package inputs recognises the kinds of files that users give to muster, and names the verbs that
// take them. Readers ask it about inputs that they cannot read, so that the answer to a test given
// to verify, or a kernel given to run, is the same everywhere.
package inputs

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Kind is a kind of input.
type Kind int

// The kinds. Unknown is no kind.
const (
	Unknown          Kind = iota
	Log                   // output of herd, litmus7 and muster run
	Records               // JSON lines: output of run -o, run --json and hw record
	Table                 // CSV of hardware observations
	MachineCode           // ELF: cubin, fatbin, object files
	IntermediateCode      // LLVM's
	Test                  // a litmus test, of muster or of another tool
	Module                // PTX from compilers
	CUDA                  // a program in CUDA C++
	OpenCL                // a program in OpenCL C
	Model                 // a model in the .cat language
	Contract              // contracts of kernels
)

// row describes a kind.
type row struct {
	kind       Kind
	is, are    string // singular and plural
	extensions string
	shows      string // pattern that its texts match, and that texts of later kinds do not match
	taken      string // the verb that takes it, as the end of a sentence: "muster verify reads it"
}

// kinds are tried in this order.
var kinds = []row{
	{
		Log, "a log", "logs", ".log",
		`(?m)^Test \S+(?: \(?(?:Allowed|Allow|Required|Require|Forbidden|Forbid)\)?)?\s*\n(?:States|Histogram)\b`,
		"muster compare sets two side by side, and muster check --observations takes one with a histogram",
	},
	{
		Records, "a file of records (JSON)", "records (JSON)", ".jsonl .json .ndjson", `\A\s*\{\s*"`,
		"muster check --observations takes what hw record writes; muster compare, merge and results take what " +
			"run -o writes",
	},
	{
		Table, "a table of observations", "tables of observations", ".csv", `\A[\w, ]*\bdevice\b[\w, ]*\n`,
		"muster check --observations takes it",
	},
	{
		MachineCode, "machine code", "machine code", ".cubin .fatbin .o .obj", `\A(?:\x7fELF|\x50\xed\x55\xba)`,
		"muster verify reads PTX, which cuobjdump -ptx takes out of it",
	},
	{
		IntermediateCode, "LLVM's intermediate code", "LLVM's intermediate code", ".ll .bc",
		`(?m)^target (?:triple|datalayout) = |\ABC\xc0\xde`,
		"muster verify reads PTX, which llc makes of it",
	},
	{
		Module, "a module of PTX, as compilers write it", "modules of PTX", ".ptx", `(?m)^\s*\.version\s+\d`,
		"muster verify reads it; a litmus test has the header PTX",
	},
	{
		Test, "a litmus test", "litmus tests", ".litmus",
		`(?m)^\s*(?:(?:~|not|!)?\s*exists\b\s*[(~\[\w]|forall\b\s*(?:[(~\[]|\w+\s*[:=]))`,
		"muster run, explain, draw and check take it",
	},
	{
		Contract, "a contract of kernels", "contracts of kernels", ".verify .promise",
		`(?m)^\s*kernel\s+[\w$%]+\s*(?:\([^{;]*\))?\s*\{`,
		"muster verify takes it with --spec, or beside the module that it is about",
	},
	{
		CUDA, "a program in CUDA C++", "programs in CUDA C++", ".cu .cuh",
		`\b__(?:global|device|shared)__\b|#include\s*<cuda|\bthreadIdx\b`,
		"muster verify --from compiles and verifies it; a litmus test has the header CUDA",
	},
	{
		OpenCL, "a program in OpenCL C", "programs in OpenCL C", ".cl",
		`\b(?:__)?kernel\s+(?:__attribute__\s*\(\(.*\)\)\s*)?void\b|\bget_(?:global|local)_id\b`,
		"muster verify --from compiles and verifies it; a litmus test has the header OPENCL",
	},
	{
		Model, "a model (.cat)", "models (.cat)", ".cat .bell .def",
		`(?m)^\s*(?:flag\s+)?~?\s*(?:acyclic|irreflexive|empty)\s|^\s*let\s+(?:rec\s+)?[\w.-]+(?:\s*\([^)]*\)|\s+\w+)?\s*=|^\s*include\s+"[^"\n]*\.cat"`,
		"muster cat checks it; muster run, explain, check and compare take it with -m",
	},
}

func (k Kind) row() *row {
	i := slices.IndexFunc(kinds, func(r row) bool { return r.kind == k })
	if i < 0 {
		return &row{}
	}
	return &kinds[i]
}

// String returns the singular of the kind: "a litmus test".
func (k Kind) String() string { return k.row().is }

// patterns are the patterns of all kinds, compiled when an input first cannot be read.
var patterns = sync.OnceValue(func() map[Kind]*regexp.Regexp {
	all := map[Kind]*regexp.Regexp{}
	for _, r := range kinds {
		all[r.kind] = regexp.MustCompile(r.shows)
	}
	return all
})

// shownBy reports whether a text matches the kind's pattern.
func (k Kind) shownBy(text string) bool {
	pattern := patterns()[k]
	return pattern != nil && pattern.MatchString(text)
}

// headSize bounds the bytes of an input that are examined.
const headSize = 1 << 16

// ByText returns the kind that a text, or its beginning, matches.
func ByText(text string) Kind {
	text = strings.TrimPrefix(text[:min(len(text), headSize)], "\ufeff")
	for _, r := range kinds {
		if r.kind.shownBy(text) {
			return r.kind
		}
	}
	return Unknown
}

// ByName returns the kind of a file name's extension.
func ByName(name string) Kind {
	extension := strings.ToLower(filepath.Ext(name))
	for _, r := range kinds {
		if extension != "" && slices.Contains(strings.Fields(r.extensions), extension) {
			return r.kind
		}
	}
	return Unknown
}

// Of returns the kind of an input by its text, or else by its name.
func Of(name, text string) Kind {
	if k := ByText(text); k != Unknown {
		return k
	}
	return ByName(name)
}

// Instead describes an input that a reader of the wanted kinds could not read: what it is, and
// which verb takes it. It returns "" if it is of a wanted kind, or of no known kind.
func Instead(name, text string, wanted ...Kind) string {
	for _, k := range wanted {
		if k.shownBy(text[:min(len(text), headSize)]) {
			return ""
		}
	}
	k := Of(name, text)
	if k == Unknown || slices.Contains(wanted, k) {
		return ""
	}
	return "this is " + k.row().is + ": " + k.row().taken
}

// maxFiles bounds the files of a folder that are examined.
const maxFiles = 64

// Inside describes the contents of a folder in which a reader found nothing, as the end of a
// sentence: "; it has models (.cat): muster cat checks …". It returns "" if the files are of no
// known kind.
func Inside(folder string, wanted ...Kind) string {
	count := map[Kind]int{}
	looked := 0
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if looked++; looked > maxFiles {
			return filepath.SkipAll
		}
		count[Of(path, head(path))]++
		return nil
	})
	most := Unknown
	for _, r := range kinds {
		if !slices.Contains(wanted, r.kind) && count[r.kind] > 0 && (most == Unknown || count[r.kind] > count[most]) {
			most = r.kind
		}
	}
	if most == Unknown {
		return ""
	}
	it := regexp.MustCompile(`\bit\b`)
	return "; it has " + most.row().are + ": " + it.ReplaceAllString(most.row().taken, "them")
}

// head returns the beginning of a file, or "" if it cannot be read.
func head(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, headSize))
	if err != nil {
		return ""
	}
	return string(text)
}
