package verify_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// edit replaces the first occurrence of a text, which must be there, in a contract or a module.
func edit(t *testing.T, text, from, to string) string {
	t.Helper()
	if !strings.Contains(text, from) {
		t.Fatalf("%q is not in\n%s", from, text)
	}
	return strings.Replace(text, from, to, 1)
}

// permitted verifies a kernel of testdata/contracts with its contract, either of them changed.
func permitted(t *testing.T, name, grid, block string, contract, module [2]string) *verify.Result {
	t.Helper()
	texts := map[string]string{}
	for ext, change := range map[string][2]string{".verify": contract, ".ptx": module} {
		text, err := os.ReadFile("testdata/contracts/" + name + ext)
		if err != nil {
			t.Fatal(err)
		}
		texts[ext] = edit(t, string(text), change[0], change[1])
	}
	m, err := kernel.Parse(src.NewFile(name+".ptx", texts[".ptx"]))
	if err != nil {
		t.Fatal(err)
	}
	text, err := spec.Read(src.NewFile(name+".verify", texts[".verify"]))
	if err != nil {
		t.Fatal(err)
	}
	c, err := spec.Bind(m, m.Funcs[0], text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Verify(context.Background(), m, m.Funcs[0], verify.Config{
		Launch: verify.Launch{Grid: dim(t, grid), Block: dim(t, block)}, Contract: c,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var same = [2]string{"", ""}

// TestPermissions verifies the two kernels of the deliverable's chapter on permissions.
func TestPermissions(t *testing.T) {
	for name, block := range map[string]string{"pass-on": "64", "binomial": "*"} {
		if r := permitted(t, name, "1", block, same, same); r.Verdict != verify.Verified {
			t.Errorf("%s: %s", name, said(r))
		}
	}
}

// TestBlocks has two blocks be given the same elements.
func TestBlocks(t *testing.T) {
	r := permitted(t, "pass-on", "2", "4", same, same)
	if !slices.ContainsFunc(r.Alarms, func(a *verify.Alarm) bool { return strings.HasPrefix(a.What, "held by threads of two blocks") }) {
		t.Errorf("%s, and no permission that two blocks hold", said(r))
	}
}

// TestSpoiled breaks the contracts and the kernels: each time, the first alarm names the error and
// its place.
func TestSpoiled(t *testing.T) {
	for name, c := range map[string]struct {
		kernel           string
		contract, module [2]string
		what, at         string
	}{
		"a write permission is missing": {
			"pass-on",
			[2]string{" ** perm(b[tid], w);\n  barrier", ";\n  barrier"},
			same,
			"not the block's to give: perm(b[tid], w) (pass-on.verify:5)", "pass-on.cu:7:3",
		},
		"one that only reads": {
			"pass-on",
			[2]string{"perm(a[tid], w)", "perm(a[tid], r)"},
			same,
			"no permission to write pass_on_param_0", "pass-on.cu:6:10",
		},
		"one of another element": {
			"pass-on",
			[2]string{"perm(a[(tid + 1) mod ntid], r)", "perm(a[tid], r)"},
			same,
			"a[(tid + 1) mod ntid] is not the thread's to read: ensures", "pass-on.cu:7:3",
		},
		"one that two threads hold": {
			"pass-on",
			[2]string{"ensures perm(a[(tid + 1) mod ntid], r)", "ensures perm(a[tid], w) ** perm(a[(tid + 1) mod ntid], r)"},
			same,
			"held by two threads of a block: perm(a[(tid + 1) mod ntid], r) (pass-on.verify:5)", "pass-on.cu:7:3",
		},
		"one of an element that nobody had": {
			"pass-on",
			[2]string{"perm(a[(tid + 1) mod ntid], r)", "perm(a[tid + 1], r)"},
			same,
			"not the block's to give: perm(a[tid + 1], r) (pass-on.verify:5)", "pass-on.cu:7:3",
		},
		"a barrier ensures what does not follow": {
			"pass-on",
			[2]string{"== (tid + 1) mod ntid;\n  }", "== tid;\n  }"},
			same,
			"ensures a[(tid + 1) mod ntid] == tid (pass-on.verify:6)", "pass-on.cu:7:3",
		},
		"a barrier requires what does not hold": {
			"pass-on",
			[2]string{"requires a[tid] == tid", "requires a[tid] == tid + 1"},
			same,
			"requires a[tid] == tid + 1 (pass-on.verify:4)", "pass-on.cu:7:3",
		},
		"the kernel ensures what does not hold": {
			"pass-on",
			[2]string{"b[tid] == (tid + 1) mod ntid;\n}", "b[tid] == tid;\n}"},
			same,
			"ensures perm(b[tid], w) ** b[tid] == tid (pass-on.verify:8)", "pass-on.cu:9:1",
		},
		"a condition that is not framed": {
			"pass-on",
			[2]string{"** b[tid] == (tid + 1) mod ntid;\n}", "** a[tid] == tid;\n}"},
			same,
			"a[tid] is not the thread's to read: ensures perm(b[tid], w) ** a[tid] == tid (pass-on.verify:8)", "pass-on.cu:9:1",
		},
		"a wrong index": {
			"pass-on", same,
			[2]string{"add.s32 \t%r2, %r1, 1;", "add.s32 \t%r2, %r1, 2;"},
			"no permission to read pass_on_param_0", "pass-on.cu:8:12",
		},
		"a wrong value": {
			"pass-on", same,
			[2]string{"st.global.u32 \t[%rd6], %r1;", "st.global.u32 \t[%rd6], %r2;"},
			"requires a[tid] == tid (pass-on.verify:4)", "pass-on.cu:7:3",
		},
		"a permission that is not given back": {
			"binomial",
			[2]string{"barrier 2 ensures perm(bin[tid], w) ** perm(tmp[tid], w)", "barrier 2 ensures perm(bin[tid], w)"},
			same,
			"no permission to write binomial::tmp", "binomial.cu:9:14",
		},
		"a wrong bound of a condition": {
			"binomial", same,
			[2]string{"setp.ge.u32 \t%p3, %r1, %r2;", "setp.gt.u32 \t%p3, %r1, %r2;"},
			"invariant perm(bin[tid], w)", "binomial.cu:8:14",
		},
		"an invariant that does not hold at first": {
			"binomial",
			[2]string{"1 <= u32(%r2)", "2 <= u32(%r2)"},
			same,
			"invariant 2 <= u32(%r2) < ntid (binomial.verify:9)", "binomial.cu:8:14",
		},
		"a lemma is missing": {
			"binomial",
			[2]string{"lemma (u32 n) choose(n, n) == 1;\n", "\n"},
			same,
			"invariant perm(bin[tid], w)", "binomial.cu:8:14",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := permitted(t, c.kernel, "1", "4", c.contract, c.module)
			var text strings.Builder
			if err := r.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			if len(r.Alarms) == 0 || !strings.HasPrefix(r.Alarms[0].What, c.what) || r.Place(r.Alarms[0].Points[0].Instr)[0] != c.at {
				t.Errorf("want %s at %s, got\n%s", c.what, c.at, text.String())
			}
		})
	}
}

// TestSizesOfPermissions: a thread needs permission for every element that an access touches,
// wholly or in part: accesses of all sizes, at all places around the elements that a thread holds,
// to arrays of all types.
func TestSizesOfPermissions(t *testing.T) {
	for _, element := range []int{1, 2, 4, 8} {
		for _, access := range []int{1, 2, 4, 8} {
			for at := 0; at < 4*element+8; at += access {
				for _, does := range []string{"r", "w"} {
					// A thread holds two elements of four, and writes or reads beside them.
					covers := at >= element && at+access <= 3*element && at%element == 0 && access%element == 0
					contract := fmt.Sprintf("kernel k(u%d a[]) { requires perm(a[4 * tid + 1], %s) ** perm(a[4 * tid + 2], %[2]s); }", 8*element, does)
					text := fmt.Sprintf("%s.entry k(.param .u64 a) { .reg .b32 %%r<4>; .reg .b64 %%rd<9>; ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, %d; add.s64 %%rd1, %%rd1, %%rd2; ", head, 4*element)
					if does == "w" {
						text += fmt.Sprintf("st.global.u%d [%%rd1+%d], %%rd2; ret; }", 8*access, at)
					} else {
						text += fmt.Sprintf("ld.global.u%d %%rd3, [%%rd1+%d]; ret; }", 8*access, at)
					}
					want := verify.Alarmed
					if covers {
						want = verify.Verified
					}
					expectUnder(t, contract, text, want)
				}
			}
		}
	}
}

// TestKindsOfPermissions: one that reads does not suffice to write, and an atomic writes.
func TestKindsOfPermissions(t *testing.T) {
	const address = head + ".entry k(.param .u64 a) { .reg .b32 %r<4>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; "
	for code, writes := range map[string]bool{
		"ld.global.u32 %r2, [%rd1];": false, "st.global.u32 [%rd1], %r1;": true, "red.global.add.u32 [%rd1], 1;": true, "atom.global.exch.b32 %r2, [%rd1], 1;": true,
	} {
		for held, may := range map[string]bool{"perm(a[tid], r)": !writes, "perm(a[tid], w)": true, "perm(a[tid + 1], w)": false, "perm(a[tid], r) ** perm(a[tid + 9], w)": !writes} {
			want := verify.Alarmed
			if may {
				want = verify.Verified
			}
			expectUnder(t, "kernel k(u32 a[]) { requires "+held+"; }", address+code+" ret; }", want)
		}
	}
}

// expectUnder expects a verdict of a kernel with a contract, in one block of four threads.
func expectUnder(t *testing.T, contract, text string, want verify.Verdict) {
	t.Helper()
	m := parsed(t, text)
	read, err := spec.Read(src.NewFile("k.verify", contract))
	if err != nil {
		t.Fatal(err)
	}
	c, err := spec.Bind(m, m.Funcs[0], read)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, contract+"\n"+text, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{4, 1, 1}}, Contract: c}, want)
}
