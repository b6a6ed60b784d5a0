package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
)

// TestConsole runs the commands of the console blocks of documents and compares what they
// print. A line "…" stands for any lines.
func TestConsole(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"mine.cat":         "\"mine\"\nlet com = rf | co | fr\nacyclic po-loc | rff as coherence\n",
		"tests/one.litmus": "GPU_PTX one\n{x=0;}\n T0 ;\n st.cg [x],1 ;\nexists (x=1)\n",
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kernels, err := filepath.Glob("../verify/testdata/kernels/*.ptx")
	if err != nil || len(kernels) == 0 {
		t.Fatal("no kernels are there: ", err)
	}
	contracts, err := filepath.Glob("../verify/testdata/contracts/*.*")
	if err != nil || len(contracts) == 0 {
		t.Fatal("no contracts are there: ", err)
	}
	banks, err := filepath.Glob("../verify/testdata/banks/*.ptx")
	if err != nil || len(banks) == 0 {
		t.Fatal("no kernels with conflicts of banks are there: ", err)
	}
	openCL, err := filepath.Glob("../verify/testdata/opencl/*.ptx")
	if err != nil || len(openCL) == 0 {
		t.Fatal("no kernels in OpenCL are there: ", err)
	}
	tensors, err := filepath.Glob("../verify/testdata/async/tensor-*.ptx")
	if err != nil || len(tensors) == 0 {
		t.Fatal("no kernels for tensor cores are there: ", err)
	}
	for _, name := range slices.Concat(kernels, contracts, openCL, banks, tensors, []string{"../verify/testdata/many/named.ptx", "../verify/testdata/many/pipelines.ptx"}) { // docs/verify.md and docs/verify-reference.md are about them
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var tried []string
	for _, file := range []string{"../README.md", "generate.md", "cuda.md", "verify.md", "verify-reference.md"} {
		for _, s := range consoleSessions(t, file) {
			tried = append(tried, s.args)
			t.Run(filepath.Base(file)+" "+s.args, func(t *testing.T) { s.try(t, dir) })
		}
	}
	for _, args := range farReaching {
		if !slices.Contains(tried, args) {
			t.Errorf("no document has muster %s", args)
		}
	}
}

// farReaching are commands that ask about all shipped tests or search far: seconds, where the others take
// a tenth of one.
var farReaching = []string{"check -m sc", "cover -m ptx-asplos15"}

// try runs the command in a folder.
func (s session) try(t *testing.T, dir string) {
	t.Helper()
	if slices.Contains(farReaching, s.args) {
		sample.Long(t)
	}
	cmd := exec.Command(command(t), shellWords(s.args)...)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput() // the exit status is not what the documents show
	if !s.pattern.Match(out) {
		t.Errorf("muster %s prints something else:\n%s", s.args, out)
	}
}

// build is where the command muster is, which the go command keeps with what it has built before.
var build = sync.OnceValues(func() (string, error) {
	cmd := exec.Command("go", "tool", "-n", "muster")
	cmd.Stderr = os.Stderr
	program, err := cmd.Output()
	return strings.TrimSpace(string(program)), err
})

func command(t *testing.T) string {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// shellWords splits a command line at blanks that are not between single quotes.
func shellWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// session is a command in a document and what it should print.
type session struct {
	args    string
	pattern *regexp.Regexp
}

var (
	console = regexp.MustCompile("(?s)```console\n(.*?)```")
	timing  = regexp.MustCompile(`(?m)^Time (\S+) 0\\\.00$`)
)

func consoleSessions(t *testing.T, file string) []session {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var sessions []session
	for _, block := range console.FindAllStringSubmatch(string(text), -1) {
		for _, part := range strings.Split("\n"+block[1], "\n$ muster ")[1:] {
			args, output, _ := strings.Cut(part, "\n")
			pattern := timing.ReplaceAllString(regexp.QuoteMeta(strings.TrimSpace(output)), `Time $1 [0-9.]+`)
			pattern = strings.ReplaceAll(pattern, "…", "(?s:.*)")
			sessions = append(sessions, session{args, regexp.MustCompile(`^\s*` + pattern + `\s*$`)})
		}
	}
	if len(sessions) == 0 {
		t.Fatalf("%s has no console blocks", file)
	}
	return sessions
}
