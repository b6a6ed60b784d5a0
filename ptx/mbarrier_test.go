package ptx

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// TestPack: contents come back as they were packed.
func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		c := contents{r.IntN(phases), r.Int64N(mostCount + 1), r.Int64N(mostCount + 1), r.Int64N(2*mostCount+1) - mostCount}
		if v := c.value(); !v.IsOpaque() || unpack(v.Int) != c {
			t.Fatalf("%v becomes %v", c, unpack(v.Int))
		}
	}
}

// TestTransition: an mbarrier after each of some operations, in the words of showState; what must
// not be done is an error.
func TestTransition(t *testing.T) {
	arrive, expect, come := transition{arrivals: 1}, transition{bytes: 16}, transition{bytes: -16}
	for _, c := range []struct {
		name  string
		count int64
		does  []transition
		want  string
	}{
		{"one of two arrives", 2, []transition{arrive}, "phase 0 (1/2 to come)"},
		{"both arrive", 2, []transition{arrive, arrive}, "phase 1 (2/2 to come)"},
		{"two at once", 2, []transition{{arrivals: 2}}, "phase 1 (2/2 to come)"},
		{"bytes are missing", 1, []transition{expect, arrive}, "phase 0 (0/1 and 16 bytes to come)"},
		{"the bytes come last", 1, []transition{expect, arrive, come}, "phase 1 (1/1 to come)"},
		{"the bytes come first", 1, []transition{come, {arrivals: 1, bytes: 16}}, "phase 1 (1/1 to come)"},
		{"too many bytes", 1, []transition{come, arrive}, "phase 0 (0/1 and -16 bytes to come)"},
		{"one drops out", 2, []transition{arrive, {arrivals: 1, drops: true}}, "phase 1 (1/1 to come)"},
		{"one more is tracked", 1, []transition{{tracks: true}, arrive}, "phase 0 (1/1 to come)"},
		{"phases go round", 1, []transition{arrive, arrive, arrive, arrive, arrive}, "phase 1 (1/1 to come)"},
		{"more than are pending", 1, []transition{{arrivals: 2}}, "2 arrivals at an mbarrier that waits for 1"},
		{"a phase must not complete", 1, []transition{{arrivals: 1, noComplete: true}}, "an arrival with .noComplete completes the phase of the mbarrier"},
		{"too many bytes to count", 1, []transition{{bytes: mostCount}, expect}, "a phase of an mbarrier counts up to 1048575"},
	} {
		v, err := contents{expected: c.count, pending: c.count}.value(), error(nil)
		for _, does := range c.does {
			if _, err = (used{does}).Apply([2]event.Value{v}); err != nil {
				break
			}
			v, _ = does.Apply([2]event.Value{v})
		}
		got := showState(v.Int)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	none := [2]event.Value{event.Int(0)}
	if _, err := (used{arrive}).Apply(none); err != errNoBarrier {
		t.Errorf("an arrival where no mbarrier is: %v", err)
	}
	after, err := arrive.Apply(none)
	if err != nil || after != undefined {
		t.Errorf("it leaves %v, %v", after, err)
	}
	if _, err := (used{arrive}).Apply([2]event.Value{after}); err != nil {
		t.Errorf("after it, an arrival is wrong: %v", err)
	}
}

// TestPassed: waits are for the phase of a state, which is the current one or the one before, or
// for that of a parity.
func TestPassed(t *testing.T) {
	at := func(phase int) event.Value { return contents{phase: phase, expected: 1, pending: 1}.value() }
	for _, c := range []struct {
		name string
		of   passed
		args [2]event.Value
		want string
	}{
		{"this phase", passed{}, [2]event.Value{at(2), at(2)}, "0"},
		{"the one before", passed{}, [2]event.Value{at(2), at(1)}, "1"},
		{"the one before, around", passed{}, [2]event.Value{at(0), at(3)}, "1"},
		{"two before", passed{}, [2]event.Value{at(2), at(0)}, "a wait is for the current phase of an mbarrier or the one before"},
		{"no state", passed{}, [2]event.Value{at(2), event.Int(0)}, "this is no state of an mbarrier: an arrival returns one"},
		{"the parity of this phase", passed{parity: true}, [2]event.Value{at(3), event.Int(1)}, "0"},
		{"the other parity", passed{parity: true}, [2]event.Value{at(3), event.Int(0)}, "1"},
		{"no parity", passed{parity: true}, [2]event.Value{at(3), event.Int(2)}, "the parity of a phase is 0 or 1"},
		{"no mbarrier", passed{parity: true}, [2]event.Value{event.Int(3), event.Int(0)}, errNoBarrier.Error()},
	} {
		v, err := c.of.Apply(c.args)
		got := fmt.Sprint(v.Int)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMbarrierPaths: arrivals are atomics, waits are reads whose answer is a path each.
func TestMbarrierPaths(t *testing.T) {
	const fresh = "phase 0 (1/1 to come)"
	for _, c := range []struct {
		name, code string
		want       []string
	}{
		{
			"arrive, and wait for the state",
			"mbarrier.init.shared::cta.b64 [s], 1\nmbarrier.arrive.shared::cta.b64 st, [s]\nmbarrier.test_wait.shared::cta.b64 p, [s], st\nst.u32 [x], p",
			[]string{
				"W[s]=" + fresh + " R.atom[s] W.atom[s]=mbarrier(v1) R[s] W.wb[x]=1 | data 1 2,1 4,3 4",
				"W[s]=" + fresh + " R.atom[s] W.atom[s]=mbarrier(v1) R[s] W.wb[x]=0 | data 1 2,1 4,3 4",
			},
		},
		{
			"an arrival when copies are complete; it is one more",
			"mbarrier.init.b64 [s], 1\ncp.async.ca.shared.global [u], [x], 4\ncp.async.mbarrier.arrive.b64 [s]",
			[]string{
				"W[s]=" + fresh + " 1'R[x]' 1'W[u]=v1' R.atom[s] W.atom[s]=mbarrier(v3) 2'R.atom[s]' 2'W.atom[s]=mbarrier(v5)'" +
					" | data 1 2,3 4,5 6 | issue 0 1,0 2,0 5,3 5,4 5,0 6,3 6,4 6 | within 1 2,1 5,1 6,2 5,2 6,5 6",
			},
		},
	} {
		if diff := cmp.Diff(c.want, asyncPaths(t, "", c.code)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestMbarrierSpin: a thread that waits for an mbarrier leaves its loop, or never does; rounds in
// between leave no trace, and race with nothing.
func TestMbarrierSpin(t *testing.T) {
	got := asyncPaths(t, "", "mbarrier.init.b64 [s], 1\nL: mbarrier.try_wait.parity.b64 p, [s], 0\n@!p bra L\nld.u32 r1, [x]")
	const fresh = "W[s]=phase 0 (1/1 to come)"
	if diff := cmp.Diff([]string{fresh + " R[s] R.ca[x]", fresh + " R[s]"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestMbarrierErrors: wrong use is an error of the instruction.
func TestMbarrierErrors(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"in global memory", "mbarrier.init.b64 [y], 1", "y is an mbarrier, which must be in shared memory"},
		{"twice", "mbarrier.init.b64 [s], 1\nmbarrier.init.b64 [s], 1", "s is an mbarrier already"},
		{"no count", "mbarrier.init.b64 [s], 0", "the count of mbarrier.init.b64 must be known, and from 1 to 1048575"},
		{"data", "mbarrier.init.b64 [s], 1\nld.u32 r1, [s]", "ld.u32 accesses s, which is the mbarrier of mbarrier.init.b64"},
		{"copied", "mbarrier.init.b64 [s], 1\ncp.async.ca.shared.global [s], [x], 4", "which is the mbarrier of mbarrier.init.b64"},
		{"which one", "ld.u64 r1, [p]\nmbarrier.arrive.b64 _, [r1]", "it is not known which mbarrier this is"},
		{"a state from another CTA", "mbarrier.arrive.shared::cluster.b64 st, [s]", "returns no state"},
		{"no type", "mbarrier.arrive.shared st, [s]", "mbarrier.arrive needs one of .b64"},
		{"no such operation", "mbarrier.wait.b64 [s]", `unknown instruction "mbarrier"`},
	} {
		_, err := tryAsync(c.code + "\nld.u32 r9, [x]")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := tryAsync("mbarrier.init.b64 [s], 1\nmbarrier.inval.b64 [s]\nst.shared.u32 [s], 1\nmbarrier.init.b64 [s], 1"); err != nil {
		t.Errorf("after mbarrier.inval: %v", err)
	}
}

// TestInitialisedTwice: two threads must not initialise one mbarrier.
func TestInitialisedTwice(t *testing.T) {
	const text = "PTX t\n{ shared s; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\nmbarrier.init.b64 [s], 1 | mbarrier.init.b64 [s], 1 ;\nforall (true)\n"
	_, err := newAsync(text)
	if err == nil || !strings.Contains(err.Error(), "P1 initialises s, and so does P0") {
		t.Error(err)
	}
}

func tryAsync(code string) (*Program, error) {
	code = strings.ReplaceAll(strings.TrimSpace(code), "\n", " ;\n")
	return newAsync("PTX test\n{ x=1; y=2; p=&x; shared s; shared u; }\nP0@cta 0,gpu 0 ;\n" + code + " ;\nforall (true)\n")
}

func newAsync(text string) (*Program, error) {
	test, err := litmus.Parse(src.NewFile("test.litmus", text), Formats())
	if err != nil {
		return nil, err
	}
	return New(test, frontend.Options{})
}
