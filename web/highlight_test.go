package web

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	litmustests "github.com/muster-gpu/muster/litmus-tests"
)

// TestHighlightsC tokenizes the shipped tests in C as the editor does, if node is installed: each
// word has the right kind, and the parts of a test end in the right places.
func TestHighlightsC(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node: how the editor colours tests in C is not looked at")
	}
	texts := map[string]string{}
	for _, folder := range []string{"c", "opencl", "cpp"} {
		paths, err := fs.Glob(litmustests.FS, folder+"/*.litmus")
		if err != nil || len(paths) == 0 {
			t.Fatalf("no tests in %s (%v)", folder, err)
		}
		for _, path := range paths {
			text, err := fs.ReadFile(litmustests.FS, path)
			if err != nil {
				t.Fatal(err)
			}
			texts[path] = string(text)
		}
	}
	for path, list := range colours(t, node, texts) {
		seen := map[string]string{}
		for _, word := range list {
			seen[word[0]] = word[1]
			if want := kinds[word[0]]; want != "" && word[1] != want {
				t.Errorf("%s: %s is a %q, want a %s", path, word[0], word[1], want)
			}
		}
		if seen["exists"] != "keyword" && seen["forall"] != "keyword" {
			t.Errorf("%s: the condition is not found", path)
		}
	}
}

// kinds are the kinds of words that do not depend on their place in a test in C.
var kinds = map[string]string{
	"if":                         "keyword",
	"while":                      "keyword",
	"exists":                     "keyword",
	"forall":                     "keyword",
	"int":                        "type",
	"unsigned":                   "type",
	"atomic_int":                 "type",
	"cuda::atomic":               "type",
	"cuda::atomic_ref":           "type",
	"cuda::barrier":              "type",
	"volatile":                   "type",
	"global":                     "type",
	"__shared__":                 "type",
	"memory_order_relaxed":       "label",
	"cuda::memory_order_acquire": "label",
	"cuda::thread_scope_device":  "label",
	"CLK_GLOBAL_MEM_FENCE":       "label",
	"atomic_load_explicit":       "keyword",
	"__threadfence":              "keyword",
	"atomicCAS":                  "keyword",
	"P0":                         "thread",
	"CUDA":                       "keyword",
}

// colours returns the words of texts with their kinds, as web/app/languages.js tokenizes them.
func colours(t *testing.T, node string, texts map[string]string) map[string][][2]string {
	t.Helper()
	module, err := filepath.Abs("app/languages.js")
	if err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "--input-type=module", "--eval", `
const { tokens } = await import(process.argv[1]);
let text = '';
for await (const chunk of process.stdin) text += chunk;
const all = Object.entries(JSON.parse(text)).map(([path, test]) => [path, tokens(test, 'litmus').flat().filter(([, kind]) => kind)]);
console.log(JSON.stringify(Object.fromEntries(all)));`, module)
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(in)), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var found map[string][][2]string
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatal(err)
	}
	return found
}
