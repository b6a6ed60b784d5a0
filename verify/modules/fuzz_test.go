package modules_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/modules"
)

// small bounds the bytes of a seed: mutations of large ones rarely hit parts that matter.
const small = 12 << 10

// seeds lists the small modules of some folders of testdata.
func seeds(f *testing.F, folders ...string) (all []string) {
	f.Helper()
	for _, folder := range folders {
		files, err := filepath.Glob("../testdata/" + folder + "/*.ptx")
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: no modules, %v", folder, err)
		}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && info.Size() < small {
				all = append(all, file)
			}
		}
	}
	return all
}

func read(f *testing.F, file string) string {
	f.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	return string(text)
}

// ask verifies a module in a small launch. For any module, there is an answer or an error that is
// not an internal one.
func ask(t *testing.T, module, contract string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k.verify")
	if err := os.WriteFile(file, []byte(contract), 0o600); err != nil {
		t.Fatal(err)
	}
	in := modules.Input{
		Config: verify.Config{
			Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{4, 1, 1}},
			Budget: 100,
		},
		Stdin: strings.NewReader(module), Spec: file, Timeout: 200 * time.Millisecond,
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	m := in.Verify(ctx, "-")
	var internal *modules.InternalError
	if errors.As(m.Err, &internal) {
		t.Errorf("%v\n%s", m.Err, internal.Stack)
	}
	for _, r := range m.Results {
		if r.Verdict == verify.Undecided && len(r.Open) == 0 {
			t.Error("undecided without a reason")
		}
	}
}

// FuzzModules reads any text as a module, verifies it, and replays its alarms.
func FuzzModules(f *testing.F) {
	for _, file := range seeds(f, "kernels", "async", "many", "loops", "local", "master", "scoped") {
		f.Add(read(f, file))
	}
	f.Fuzz(func(t *testing.T, module string) { ask(t, module, "") })
}

// FuzzContracts reads any text as the contract of a kernel, and verifies the kernel.
func FuzzContracts(f *testing.F) {
	all := seeds(f, "contracts")
	for i, file := range all {
		contract, err := os.ReadFile(strings.TrimSuffix(file, ".ptx") + ".verify")
		if err == nil {
			f.Add(i, string(contract))
		}
	}
	var texts []string
	for _, file := range all {
		texts = append(texts, read(f, file))
	}
	f.Fuzz(func(t *testing.T, i int, contract string) {
		if 0 <= i && i < len(texts) {
			ask(t, texts[i], contract)
		}
	})
}

// TestInternalError: a panic during one kernel is an error of that kernel, and the others have
// answers.
func TestInternalError(t *testing.T) {
	const two = ".version 7.0\n.target sm_70\n.address_size 64\n.entry a() { ret; }\n.entry b() { ret; }\n"
	panics := true
	in := modules.Input{Stdin: strings.NewReader(two), Spec: os.DevNull}
	in.Config.Launch = verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{1, 1, 1}}
	m := in.Verify(&bursting{t.Context(), &panics}, "-")
	var internal *modules.InternalError
	if !errors.As(m.Err, &internal) ||
		!strings.HasPrefix(m.Err.Error(),
			"-: a: internal error, please report it with this input: it bursts\n    at ") {
		t.Errorf("%v", m.Err)
	}
	if len(m.Results) != 1 || m.Results[0].Kernel.Name != "b" || m.Results[0].Verdict != verify.Verified {
		t.Errorf("%d results", len(m.Results))
	}
}

// bursting is a context that panics once, when it is polled within a kernel.
type bursting struct {
	context.Context
	panics *bool
}

func (b *bursting) Value(any) any { return nil }

func (b *bursting) Err() error {
	if *b.panics && within("modules.(*Input).kernel") {
		*b.panics = false
		panic("it bursts")
	}
	return nil
}

// within reports whether a function is being executed.
func within(function string) bool { return strings.Contains(string(debug.Stack()), function) }
