package ptx

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

func TestParseScoped(t *testing.T) {
	readings{
		// Accesses, as litmus tests and as the manual write them.
		{"ld.weak r1, y", "ld d:r1 a:y+0"},
		{"ld.relaxed.gpu.u32 %r1, [x+4]", "ld .relaxed .gpu .u32 d:%r1 a:x+4"},
		{"ld.acquire.cluster.global.u32 r1, [x]", "ld .global .acquire .cluster .u32 d:r1 a:x+0"},
		{"ld.weak.shared::cta.u32 r1, [x]", "ld .shared .u32 d:r1 a:x+0"},
		{"ld.volatile.u32 r1, x", "ld .volatile .u32 d:r1 a:x+0"},
		{"ld.mmio.relaxed.sys.u32 r1, [x]", "ld .mmio .u32 d:r1 a:x+0"},
		{"ld.weak.global.cg.u32 r1, [x]", "ld .global .cg .u32 d:r1 a:x+0"},
		{"ld r1, 5", "ld d:r1 #5"},
		{"ld.weak r1, a[2]", "ld d:r1 a:a+8"},
		{"ld.weak r1, a-4", "ld d:r1 a:a-4"},
		{"ld.weak.v2.u32 {r1,r2}, [a]", "ld .v2 .u32 a:a+0 v:r1 v:r2"},
		{"st.weak.v4.u32 [a], {r1,2,r3,r4}", "st .v4 .u32 a:a+0 v:r1 v:2 v:r3 v:r4"},
		{"st.release.sys y, 1", "st .release .sys a:y+0 #1"},
		{"st.mmio x, r1", "st .mmio a:x+0 s:r1"},
		{"suld.weak r1, s", "suld d:r1 a:s+0"},
		{"tld.relaxed.cta r1, t", "tld .relaxed .cta d:r1 a:t+0"},
		{"cold.weak r1, c", "cold d:r1 a:c+0"},
		{"sust.weak s, 1", "sust a:s+0 #1"},

		// Atomics.
		{"atom.add.u32 r1, [x], 1", "atom .add .u32 d:r1 a:x+0 #1"},
		{"atom.acq_rel.sys.sub r0, x, 1", "atom .sub .acq_rel .sys d:r0 a:x+0 #1"},
		{"atom.acquire.cta.cas r1, m, 0, r2", "atom .cas .acquire .cta d:r1 a:m+0 #0 s:r2"},
		{"red.release.sys.add x, 1", "red .add .release .sys a:x+0 #1"},
		{"suatom.add r1, s, 1", "suatom .add d:r1 a:s+0 #1"},

		// Fences.
		{"fence.sc.gpu", "fence .sc .gpu"},
		{"fence.cta", "fence .cta"},
		{"fence.acquire.cluster", "fence .acquire .cluster"},
		{"fence.proxy.alias", "fence .proxy .alias"},
		{"membar.gl", "membar .gpu"},
		{"membar.proxy.alias", "membar .proxy .alias"},

		// Barriers.
		{"bar.cta.sync 1, r2, 3", "bar .sync .cta #1 s:r2 #3"},
		{"bar.sync 0", "bar .sync #0"},
		{"bar.arrive 1, 64", "bar .arrive #1 #64"},
		{"barrier.cta.sync.aligned 0", "barrier .sync .cta #0"},
		{"barrier.cluster.arrive.relaxed", "barrier .relaxed .arrive .cluster"},
		{"barrier.cluster.wait.acquire", "barrier .acquire .wait .cluster"},

		// Branches and arithmetic.
		{"bne r1, 0, LC00", "bne s:r1 #0 l:LC00"},
		{"LC00: goto LC01", "LC00: goto l:LC01"},
		{"@p exit", "@p exit"},
		{"mul.lo.s32 r1, r2, 3", "mul .s32 d:r1 s:r2 #3"},
		{"cvta.to.global.u64 %rd2, %rd1", "cvta .global .u64 d:%rd2 s:%rd1"},
	}.check(t, "PTX")
}

// scoped builds a PTX program of columns, each one thread of one CTA unless it begins with
// a placement.
func scoped(t *testing.T, init string, columns ...string) *Program {
	t.Helper()
	var header []string
	rows := 0
	var cells [][]string
	for i, c := range columns {
		place := "cta 0,gpu 0"
		if at, rest, ok := strings.Cut(c, "@"); ok {
			place, c = at, rest
		}
		header = append(header, "P"+string(rune('0'+i))+"@"+place)
		cells = append(cells, strings.Split(c, "\n"))
		rows = max(rows, len(cells[i]))
	}
	text := "PTX test\n{" + init + "}\n" + strings.Join(header, " | ") + ";\n"
	for r := range rows {
		var row []string
		for _, c := range cells {
			cell := ""
			if r < len(c) {
				cell = c[r]
			}
			row = append(row, cell)
		}
		text += strings.Join(row, " | ") + ";\n"
	}
	test, err := litmus.Parse(src.NewFile("test.litmus", text+"forall (true)"), Formats())
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(test, frontend.Options{Unroll: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// syncs describes the structures of a program by the names of events: how each thread ends, and
// which arrivals let which waits go on.
func syncs(p *Program) []string {
	var all []string
	for s := range p.Structures(context.Background()) {
		names := s.Names()
		var words []string
		for a, b := range s.Rels["syncbar"].Pairs() {
			if a != b {
				words = append(words, names[a]+">"+names[b])
			}
		}
		if s.Stuck {
			words = append(words, "stuck")
		}
		all = append(all, strings.Join(words, " "))
	}
	slices.Sort(all)
	return all
}

// TestRelaxedArrival: who waits for a relaxed arrival waits for it like for any other, but
// it orders no memory (PTX ISA, "barrier.cluster").
func TestRelaxedArrival(t *testing.T) {
	p := load(t, `PTX relaxed
{ x=0; }
 P0@cta 0,cluster 0             | P1@cta 1,cluster 0     ;
 barrier.cluster.arrive.relaxed | barrier.cluster.arrive ;
 barrier.cluster.wait           | barrier.cluster.wait   ;
forall (true)`)
	pairs := func(s *event.Structure, name string) (all []string) {
		names := s.Names()
		for a, b := range s.Rels[name].Pairs() {
			all = append(all, names[a]+">"+names[b])
		}
		return all
	}
	for s := range p.Structures(t.Context()) {
		if s.Stuck {
			continue
		}
		awaited, syncbar := pairs(s, "awaited"), pairs(s, "syncbar")
		if len(awaited) != 4 || len(syncbar) != 2 {
			t.Errorf("awaited %v, syncbar %v; each thread waits for both, and one of them is relaxed", awaited, syncbar)
		}
	}
}

// Barriers (PTX ISA, "bar, barrier"): which threads wait for which.
func TestBarriers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		init    string
		columns []string
		want    []string
	}{
		{"both wait", "", []string{"bar.cta.sync 1", "bar.cta.sync 1"}, []string{"b1>b2 b2>b1"}},
		{"other CTAs", "", []string{"bar.cta.sync 1", "cta 1,gpu 0@bar.cta.sync 1"}, []string{""}},
		{"other instances", "", []string{"bar.cta.sync 1", "bar.cta.sync 2"}, []string{""}},
		{"other names", "", []string{"bar.cta.sync 1, 0", "bar.cta.sync 1, 3"}, []string{""}},
		{"a named and an unnamed one", "", []string{"bar.cta.sync 1, 1", "bar.cta.sync 1"}, []string{""}},
		{"names in registers", "P0:r1=3; P1:r1=3;", []string{"bar.cta.sync 1, r1", "bar.cta.sync 1, r1"}, []string{"b1>b2 b2>b1"}},
		{"an arrival is a source only", "", []string{"bar.cta.arrive 0", "bar.cta.sync 0"}, []string{"b1>b2"}},
		{"red is like sync", "", []string{"bar.cta.red 0", "bar.cta.sync 0"}, []string{"b1>b2 b2>b1"}},
		{"a thread that does not take part", "", []string{"bar.sync 0", "bar.sync 0", "fence.cta"}, []string{"b1>b2 b2>b1"}},
		{"twice", "", []string{"bar.sync 0\nbar.sync 0", "bar.sync 0\nbar.sync 0"}, []string{"b1>b3 b2>b4 b3>b1 b4>b2"}},
		{"deadlock", "", []string{"bar.sync 0\nbar.sync 1", "bar.sync 1\nbar.sync 0"}, []string{"stuck"}},
		{"once and twice", "", []string{"bar.sync 0\nbar.sync 0", "bar.sync 0"}, []string{"b1>b3 b3>b1 stuck"}},
		{"too few for the count", "", []string{"bar.cta.sync 0, 0, 3", "bar.cta.sync 0, 0, 3"}, []string{"stuck"}},
		{
			"any two of three", "",
			[]string{"bar.cta.sync 0, 0, 2", "bar.cta.arrive 0, 0, 2", "bar.cta.arrive 0, 0, 2"},
			[]string{"b2>b1", "b2>b1 b3>b1", "b3>b1"},
		},
		{"the first two, then the next two", "", []string{"bar.sync 0,64", "bar.sync 0,64", "bar.sync 0,64", "bar.sync 0,64"}, []string{
			"b1>b2 b2>b1 b3>b4 b4>b3", "b1>b3 b2>b4 b3>b1 b4>b2", "b1>b4 b2>b3 b3>b2 b4>b1",
		}},
		{"with .cta, as the manual has it", "", []string{"bar.cta.sync 0,64", "barrier.cta.sync 0,64", "bar.cta.arrive 1,32"}, []string{"b1>b2 b2>b1"}},
		{"one more than the count", "", []string{"bar.sync 0,64", "bar.sync 0,64", "bar.sync 0,64"}, []string{
			"b1>b2 b2>b1 stuck", "b1>b3 b3>b1 stuck", "b2>b3 b3>b2 stuck",
		}},
		{"first with one thread, then with another", "", []string{"bar.sync 0,64\nbar.sync 0,64", "bar.sync 0,64", "bar.sync 0,64"}, []string{
			"b1>b3 b2>b4 b3>b1 b4>b2", "b1>b4 b2>b3 b3>b2 b4>b1", "b2>b3 b3>b2 stuck",
		}},
		{
			"all, two of them, all", "",
			[]string{"bar.sync 0\nbar.sync 0,64\nbar.sync 0", "bar.sync 0\nbar.sync 0,64\nbar.sync 0", "bar.sync 0\nbar.sync 0"},
			[]string{"b1>b4 b1>b7 b2>b5 b3>b6 b3>b8 b4>b1 b4>b7 b5>b2 b6>b3 b6>b8 b7>b1 b7>b4 b8>b3 b8>b6"},
		},
		{"threads that count differently", "", []string{"bar.cta.sync 0, 1, 2", "bar.cta.sync 0, 1, 3"}, []string{"stuck"}},
		{
			// The second arrival may come before the thread that waits, or after.
			"twice without waiting", "",
			[]string{"bar.arrive 0,64\nbar.arrive 0,64", "bar.sync 0,64"},
			[]string{"b1>b3", "stuck"},
		},
		{"the manual counts the threads of a warp", "", []string{"bar.sync 1, 64", "bar.arrive 1, 64"}, []string{"b2>b1"}},
		{
			"clusters", "",
			[]string{
				"cta 0,cluster 0,gpu 0@barrier.cluster.arrive\nbarrier.cluster.wait",
				"cta 1,cluster 0,gpu 0@barrier.cluster.arrive.relaxed\nbarrier.cluster.wait",
				"cta 2,cluster 1,gpu 0@barrier.cluster.arrive\nbarrier.cluster.wait",
			},
			[]string{"b1>b2 b1>b4 b5>b6"},
		},
		{
			"a name that was read", "x=0",
			[]string{"ld.weak r1, x\nbar.cta.sync 1, r1", "bar.cta.sync 1, 5"},
			append(slices.Repeat([]string{""}, 15), "b1>b2 b2>b1"),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, syncs(scoped(t, tt.init, tt.columns...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A thread that skips a barrier lets the others wait for ever.
func TestSkippedBarrier(t *testing.T) {
	p := scoped(t, "x=0", "bar.sync 0\nst.weak x, 1", "ld.weak r1, x\nbeq r1, 0, END\nbar.sync 0\nEND:")
	var got []string
	for s := range p.Structures(t.Context()) {
		got = append(got, strings.Join(s.Names(), " ")+map[bool]string{true: " stuck"}[s.Stuck])
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"init b1 a b b2", "init b1 a stuck"}, got); diff != "" {
		t.Error(diff)
	}
}

// A guarded branch that compares has three ways: over it, past it, and to its target. What comes
// after it depends on what decided, as a control dependency and no other.
func TestGuardedComparison(t *testing.T) {
	p := scoped(t, "x=0; y=0", "cta 0,gpu 0@ld.weak r0, x\nld.weak r1, y\n@r0 beq r1, 1, END\nmov.s32 r2, 3\nst.weak x, r2\nEND: st.weak y, 1")
	var got []string
	for _, path := range p.Paths[0] {
		got = append(got, fmt.Sprint(len(path.Events), path.Data, path.Ctrl))
	}
	slices.Sort(got)
	want := []string{"3 [] [[0 2] [1 2]]", "4 [] [[0 2] [0 3]]", "4 [] [[0 2] [1 2] [0 3] [1 3]]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The events of each kind of access have the orders and scopes of the text (PTX ISA,
// "Memory Consistency Model").
func TestOrders(t *testing.T) {
	for text, want := range map[string]string{
		"ld.weak r1, x":                 "R weak - generic",
		"ld.volatile r1, x":             "R relaxed sys generic",
		"ld.mmio.relaxed.sys r1, x":     "R relaxed sys generic",
		"st.release.cluster x, 1":       "W release cluster generic",
		"atom.add r1, x, 1":             "R relaxed gpu generic, W relaxed gpu generic",
		"atom.acquire.cta.add r1, x, 1": "R acquire cta generic, W relaxed cta generic",
		"atom.release.sys.add r1, x, 1": "R relaxed sys generic, W release sys generic",
		"atom.acq_rel.gpu.exch r1,x,1":  "R acquire gpu generic, W release gpu generic",
		"red.acq_rel.gpu.add x, 1":      "R acquire gpu generic, W release gpu generic",
		"sust.weak x, 1":                "W weak - surface",
		"tld.weak r1, x":                "R weak - texture",
		"cold.weak r1, x":               "R weak - constant",
		"fence.sys":                     "F acq_rel sys generic",
		"membar.gl":                     "F sc gpu generic",
		"fence.proxy.surface":           "F - - surface",
		"bar.sync 0":                    "B - cta generic",
		"barrier.cluster.arrive":        "B - cluster generic",
	} {
		p := scoped(t, "x=0", text)
		var got []string
		for _, e := range p.Paths[0][0].Events {
			words := []string{e.Kind.String(), e.Order.String(), e.Scope.String(), ProxyOf(&e).String()}
			for i, w := range words {
				if w == "" {
					words[i] = "-"
				}
			}
			got = append(got, strings.Join(words, " "))
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s is %s, want %s", text, s, want)
		}
	}
}

// A vector access is the accesses to its elements. The element that overwrites the address comes
// last.
func TestVectors(t *testing.T) {
	p := scoped(t, "a[2]={1,2}; P0:r1=a", "ld.weak.v2.u32 {r1,r2}, [r1]\nst.weak.v2.u32 [a], {r2,7}")
	want := "R.weak[a[1]] R.weak[a] W.weak[a]=v0 W.weak[a[1]]=7"
	var got []string
	numbers := map[int]int{}
	for _, e := range p.Paths[0][0].Events {
		v := event.Value(e.Addr.(event.Const))
		l, err := event.Resolve(p.Locs, v)
		if err != nil {
			t.Fatal(err)
		}
		word := e.Kind.String() + "." + e.Order.String() + "[" + p.Locs[l].Name + "]"
		if e.Kind == event.Write {
			word += "=" + printer{p.Locs}.expr(e.Data)
		}
		numbers[e.Vector]++
		got = append(got, word)
	}
	if s := strings.ReplaceAll(strings.Join(got, " "), "a[0]", "a"); s != want {
		t.Errorf("the events are %s, want %s", s, want)
	}
	if diff := cmp.Diff(map[int]int{1: 2, 2: 2}, numbers); diff != "" {
		t.Error(diff)
	}
}

// A bare register is a value that a load moves.
func TestMove(t *testing.T) {
	p := scoped(t, "x=0; P0:r2=4", "ld r1, r2\nst.weak x, r1")
	if got := (printer{p.Locs}).path(p.Paths[0][0].Path); !strings.Contains(got, "W.wb[x]=4") {
		t.Errorf("the path is %s, want a write of 4", got)
	}
}
