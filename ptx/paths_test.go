package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// program reads the test of one thread whose instructions stand on a line each. It
// has the locations x, y and, in shared memory, s.
func program(t testing.TB, init, code string, opts frontend.Options) *Program {
	t.Helper()
	p, err := tryProgram(init, code, opts)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

func tryProgram(init, code string, opts frontend.Options) (*Program, error) {
	code = strings.ReplaceAll(strings.TrimSpace(code), "\n", " ;\n")
	text := fmt.Sprintf("GPU_PTX test\n{ x; y; shared s; %s }\nT0 ;\n%s ;\nforall (true)\n", init, code)
	test, err := litmus.Parse(src.NewFile("test.litmus", text), Formats())
	if err != nil {
		return nil, err
	}
	return New(test, opts)
}

// printer writes paths with the names of locations.
type printer struct{ locs []event.Location }

// path writes a path: "R[x] W[y]=v0 | data 0>1 | if v0 | r0=v0 | cut".
func (p printer) path(path *event.Path) string {
	var events, finals []string
	for i := range path.Events {
		events = append(events, p.event(&path.Events[i]))
	}
	fields := []string{strings.Join(events, " ")}
	add := func(field string, words []string) {
		if len(words) > 0 {
			fields = append(fields, strings.TrimSpace(field+" "+strings.Join(words, " ")))
		}
	}
	for _, dep := range []struct {
		name  string
		pairs []event.Pair
	}{{"addr", path.Addr}, {"data", path.Data}, {"ctrl", path.Ctrl}, {"rmw", path.Rmw}} {
		var pairs []string
		for _, pair := range dep.pairs {
			pairs = append(pairs, fmt.Sprintf("%d>%d", pair[0], pair[1]))
		}
		add(dep.name, pairs)
	}
	var conds []string
	for _, c := range path.Conds {
		conds = append(conds, map[bool]string{false: "!"}[c.Want]+p.expr(c.X))
	}
	add("if", conds)
	for _, name := range slices.Sorted(maps.Keys(path.Finals)) {
		finals = append(finals, name+"="+p.expr(path.Finals[name]))
	}
	add("", finals)
	if path.Ending != event.Complete {
		endings := map[event.Ending]string{event.Truncated: "cut", event.EndlessSpin: "spins", event.EndlessWait: "waits"}
		add(endings[path.Ending], []string{""})
	}
	return strings.Join(fields, " | ")
}

// event writes an event with what sets it apart from a plain access: R.cg.atom[x].
func (p printer) event(e *event.Event) string {
	if e.Kind == event.Fence {
		return e.Mnemonic
	}
	text := e.Kind.String()
	if e.Volatile {
		text += ".vol"
	}
	if c := cacheOf(e); c != CacheNone {
		text += "." + c.String()
	}
	if e.Atomic {
		text += ".atom"
	}
	text += "[" + p.expr(e.Addr) + "]"
	if e.Kind == event.Write {
		text += "=" + p.expr(e.Data)
	}
	return text
}

// expr writes an expression; that a value is wrapped to its type goes without saying.
func (p printer) expr(x event.Expr) string {
	switch x := x.(type) {
	case event.Const:
		return (&event.Structure{Locs: p.locs, State: showState}).FormatValue(event.Value(x))
	case event.Op:
		var args []string
		for _, a := range x.Args[:x.Code.Arity()] {
			args = append(args, p.expr(a))
		}
		if x.Code == arith.Wrap {
			return args[0]
		}
		return x.Code.String() + "(" + strings.Join(args, ",") + ")"
	}
	return x.String()
}

// showPaths writes the paths of the first thread, in the order of the walk.
func showPaths(p *Program) []string {
	var paths []string
	for _, path := range p.Paths[0] {
		paths = append(paths, printer{p.Locs}.path(path.Path))
	}
	return paths
}

// pathTest is a thread and its paths.
type pathTest struct {
	name       string
	init, code string
	opts       frontend.Options
	want       []string
}

func checkPaths(t *testing.T, tests []pathTest) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := showPaths(program(t, tt.init, tt.code, tt.opts))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAccesses(t *testing.T) {
	checkPaths(t, []pathTest{
		{
			name: "nothing", init: "0:.reg .s32 r0=3",
			want: []string{" | r0=3"},
		},
		{
			name: "the default operator of a load is .ca, of a store .wb",
			code: "ld r0,[x]\nst [x],1\nld.cg r0,[x]\nst.cg [x],1\nld.cv r0,[x]\nst.wt [x],1",
			want: []string{"R.ca[x] W.wb[x]=1 R.cg[x] W.cg[x]=1 R.cv[x] W.wt[x]=1 | r0=v4"},
		},
		{
			name: "volatile and shared accesses have no default operator",
			code: "ld.volatile r0,[x]\nst.volatile [x],1\nld r0,[s]\nst [s],1\nld.shared r0,[s]\nst.cg [s],1",
			want: []string{"R.vol[x] W.vol[x]=1 R[s] W[s]=1 R[s] W.cg[s]=1 | r0=v4"},
		},
		{
			name: "a state space says where a pointer points", init: "0:r1=x; 0:r2=s",
			code: "ld.global r0,[r1]\nst.shared [r2],1",
			want: []string{"R.ca[x] W[s]=1 | r0=v0 r1=x r2=s"},
		},
		{
			name: "an address that is loaded", init: "p=x",
			code: "ld.b64 r1,[p]\nld.shared r2,[r1]\nst [r1+4],r2",
			want: []string{"R.ca[p] R[v0] W.wb[add(v0,4)]=v1 | addr 0>1 0>2 | data 1>2 | r1=v0 r2=v1"},
		},
		{
			name: "elements of an array", init: "a[3]={5,6,7}; 0:r1=a",
			code: "ld r0,[a+4]\nst [a],1\nadd.u64 r1,r1,8\nst [r1],2\nst [r1-8],3\nst [undeclared],x",
			want: []string{"R.ca[a[0]+4] W.wb[a[0]]=1 W.wb[a[0]+8]=2 W.wb[a[0]]=3 W.wb[undeclared]=x | r0=v0 r1=a[0]+8"},
		},
		{
			name: "a register hides the location of its name", init: "0:.reg .s32 y=3",
			code: "mov r0,y\nst [x],y",
			want: []string{"W.wb[x]=3 | r0=3 y=3"},
		},
		{
			name: "fences",
			code: "membar.cta\nmembar.gl\nmembar.sys",
			want: []string{"membar.cta membar.gl membar.sys"},
		},
		{
			name: "32-bit values wrap", init: "0:.reg .b64 d",
			code: "mov.s32 r0,0xffffffff\nst.s32 [x],0x180000000\nmov.u64 r1,0xffffffff\nst.u64 [x],r1\nmov.u32 d,-1\nmov.s32 r2,d",
			want: []string{"W.wb[x]=-2147483648 W.wb[x]=4294967295 | d=4294967295 r0=-1 r1=4294967295 r2=-1"},
		},
		{
			name: "a 64-bit register takes a 32-bit value as its type says", init: "0:.reg .b64 d, e, f; 0:.reg .b32 w",
			code: "mov.s32 d,-1\nadd.u32 e,-1,0\nld.u32 f,[x]\nmov.u32 w,-1",
			want: []string{"R.ca[x] | d=-1 e=4294967295 f=extend(v0) w=-1"},
		},
	})
}

// TestDependencies: a value depends on the reads that its registers come from,
// whether or not they make a difference (ASPLOS 2015, Sec. 4.5).
func TestDependencies(t *testing.T) {
	checkPaths(t, []pathTest{
		{
			name: "data",
			code: "ld r0,[x]\nadd r1,r0,1\nmov r2,r1\nst [y],r2",
			want: []string{"R.ca[x] W.wb[y]=add(v0,1) | data 0>1 | r0=v0 r1=add(v0,1) r2=add(v0,1)"},
		},
		{
			name: "data from two reads, and none once a register is overwritten",
			code: "ld r0,[x]\nld r1,[y]\nadd r2,r1,r0\nst [x],r2\nmov r2,0\nst [y],r2",
			want: []string{"R.ca[x] R.ca[y] W.wb[x]=add(v1,v0) W.wb[y]=0 | data 0>2 1>2 | r0=v0 r1=v1 r2=0"},
		},
		{
			name: "xor of a register with itself", init: "0:r9=y",
			code: "ld r0,[x]\nxor.b32 r1,r0,r0\ncvt.u64.u32 r2,r1\nadd.u64 r9,r9,r2\nld r3,[r9]",
			want: []string{"R.ca[x] R.ca[add(y,extend(xor(v0,v0)))] | addr 0>1 | " +
				"r0=v0 r1=xor(v0,v0) r2=extend(xor(v0,v0)) r3=v1 r9=add(y,extend(xor(v0,v0)))"},
		},
		{
			name: "and with the sign bit", init: "0:r9=y",
			code: "ld r0,[x]\nand.b32 r1,r0,0x80000000\nadd.u64 r1,r9,r1\nst [r1],1",
			want: []string{"R.ca[x] W.wb[add(y,and(v0,2147483648))]=1 | addr 0>1 | " +
				"r0=v0 r1=add(y,and(v0,2147483648)) r9=y"},
		},
		{
			name: "selp depends on all its operands", init: "0:.reg .s32 r8",
			code: "ld r0,[x]\nld r1,[x]\nld r2,[x]\nselp r3,r0,r1,r2\nst [y],r3\nsetp.eq p,r0,r8\nst [y],p",
			want: []string{"R.ca[x] R.ca[x] R.ca[x] W.wb[y]=select(v0,v1,v2) W.wb[y]=eq(v0,0) | data 0>3 1>3 2>3 0>4 | " +
				"p=eq(v0,0) r0=v0 r1=v1 r2=v2 r3=select(v0,v1,v2) r8=0"},
		},
		{
			name: "a pointer that is read and offset", init: "p=x",
			code: "ld.b64 r1,[p]\nst [r1-4],r1",
			want: []string{"R.ca[p] W.wb[add(v0,-4)]=v0 | addr 0>1 | data 0>1 | r1=v0"},
		},
		{
			name: "a read and a write that depend on nothing",
			code: "ld r0,[x]\nmov r1,y\nst [r1],1\nld r0,[r1]\nmembar.cta",
			want: []string{"R.ca[x] W.wb[y]=1 R.ca[y] membar.cta | r0=v2 r1=y"},
		},
	})
}

func TestGuards(t *testing.T) {
	checkPaths(t, []pathTest{
		{
			name: "a guard is a control dependency of its own instruction only",
			code: "ld r0,[x]\nsetp.ne p,r0,1\n@p st [y],2\nst [y],3",
			want: []string{
				"R.ca[x] W.wb[y]=2 W.wb[y]=3 | ctrl 0>1 | if ne(v0,1) | p=ne(v0,1) r0=v0",
				"R.ca[x] W.wb[y]=3 | if !ne(v0,1) | p=ne(v0,1) r0=v0",
			},
		},
		{
			name: "a negated guard, and any register as a predicate",
			code: "ld r0,[x]\n@!r0 membar.gl\nld r1,[y]",
			want: []string{
				"R.ca[x] membar.gl R.ca[y] | ctrl 0>1 | if !v0 | r0=v0 r1=v2",
				"R.ca[x] R.ca[y] | if v0 | r0=v0 r1=v1",
			},
		},
		{
			name: "what is moved under a guard depends on it, moved or not",
			code: "ld r0,[x]\nmov r1,5\n@r0 mov r1,6\nst [y],r1",
			want: []string{
				"R.ca[x] W.wb[y]=6 | data 0>1 | if v0 | r0=v0 r1=6",
				"R.ca[x] W.wb[y]=5 | data 0>1 | if !v0 | r0=v0 r1=5",
			},
		},
		{
			name: "the second instruction under a guard depends on it like the first",
			code: "ld r0,[x]\nmov r1,5\n@r0 membar.gl\n@r0 mov r1,6\nst [y],r1",
			want: []string{
				"R.ca[x] membar.gl W.wb[y]=6 | data 0>2 | ctrl 0>1 | if v0 | r0=v0 r1=6",
				"R.ca[x] W.wb[y]=5 | data 0>1 | if !v0 | r0=v0 r1=5",
			},
		},
		{
			name: "a load under a guard", init: "0:.reg .s32 r1=7",
			code: "ld r0,[x]\n@!r0 ld r1,[y]\nst [x],r1",
			want: []string{
				"R.ca[x] R.ca[y] W.wb[x]=v1 | data 0>2 1>2 | ctrl 0>1 | if !v0 | r0=v0 r1=v1",
				"R.ca[x] W.wb[x]=7 | data 0>1 | if v0 | r0=v0 r1=7",
			},
		},
		{
			name: "a register that is only set under a guard is 0 otherwise",
			code: "ld r0,[x]\n@r0 mov r1,6\nst [y],r1",
			want: []string{
				"R.ca[x] W.wb[y]=6 | data 0>1 | if v0 | r0=v0 r1=6",
				"R.ca[x] W.wb[y]=0 | data 0>1 | if !v0 | r0=v0 r1=0",
			},
		},
		{
			name: "address and control dependency", init: "0:r9=y",
			code: "ld r0,[x]\nld r1,[x]\nand r2,r1,0\nadd.u64 r9,r9,r2\n@r0 ld r3,[r9]",
			want: []string{
				"R.ca[x] R.ca[x] R.ca[add(y,and(v1,0))] | addr 1>2 | ctrl 0>2 | if v0 | " +
					"r0=v0 r1=v1 r2=and(v1,0) r3=v2 r9=add(y,and(v1,0))",
				"R.ca[x] R.ca[x] | if !v0 | r0=v0 r1=v1 r2=and(v1,0) r3=0 r9=add(y,and(v1,0))",
			},
		},
		{
			name: "guards of one predicate agree", init: "0:.reg .pred p",
			code: "ld r0,[x]\nsetp.eq p,r0,0\n@p st [y],1\n@!p st [y],2\n@p st [y],3",
			want: []string{
				"R.ca[x] W.wb[y]=1 W.wb[y]=3 | ctrl 0>1 0>2 | if eq(v0,0) | p=eq(v0,0) r0=v0",
				"R.ca[x] W.wb[y]=2 | ctrl 0>1 | if !eq(v0,0) | p=eq(v0,0) r0=v0",
			},
		},
		{
			name: "a predicate that is set again is another one",
			code: "ld r0,[x]\n@r0 st [y],1\nld r0,[x]\n@r0 st [y],2",
			want: []string{
				"R.ca[x] W.wb[y]=1 R.ca[x] W.wb[y]=2 | ctrl 0>1 2>3 | if v0 v2 | r0=v2",
				"R.ca[x] W.wb[y]=1 R.ca[x] | ctrl 0>1 | if v0 !v2 | r0=v2",
				"R.ca[x] R.ca[x] W.wb[y]=2 | ctrl 1>2 | if !v0 v1 | r0=v1",
				"R.ca[x] R.ca[x] | if !v0 !v1 | r0=v1",
			},
		},
		{
			name: "a constant guard decides", init: "0:.reg .pred p=1",
			code: "@p st [x],1\n@!p st [x],2\nsetp.gt q,0,1\n@q bra END\nst [x],3\nEND:",
			want: []string{"W.wb[x]=1 W.wb[x]=3 | p=1 q=0"},
		},
		{
			name: "a guarded predicate hands its guard on",
			code: "ld r0,[x]\nld r1,[x]\n@r0 setp.eq p,r1,1\n@p st [y],1",
			want: []string{
				"R.ca[x] R.ca[x] W.wb[y]=1 | ctrl 0>2 1>2 | if v0 eq(v1,1) | p=eq(v1,1) r0=v0 r1=v1",
				"R.ca[x] R.ca[x] | if v0 !eq(v1,1) | p=eq(v1,1) r0=v0 r1=v1",
				"R.ca[x] R.ca[x] | if !v0 | p=0 r0=v0 r1=v1",
			},
		},
	})
}

func TestBranches(t *testing.T) {
	checkPaths(t, []pathTest{
		{
			name: "every later event depends on a branch, taken or not, fences too",
			code: "ld r0,[x]\n@r0 bra L\nst [y],1\nL: membar.cta\nld r1,[y]\nst [x],2",
			want: []string{
				"R.ca[x] membar.cta R.ca[y] W.wb[x]=2 | ctrl 0>1 0>2 0>3 | if v0 | r0=v0 r1=v2",
				"R.ca[x] W.wb[y]=1 membar.cta R.ca[y] W.wb[x]=2 | ctrl 0>1 0>2 0>3 0>4 | if !v0 | r0=v0 r1=v3",
			},
		},
		{
			name: "control dependencies add up",
			code: "ld r0,[x]\n@r0 bra L\nL: ld r1,[y]\n@!r1 bra END\n@r0 st [y],1\nEND:",
			want: []string{
				"R.ca[x] R.ca[y] | ctrl 0>1 | if v0 !v1 | r0=v0 r1=v1",
				"R.ca[x] R.ca[y] W.wb[y]=1 | ctrl 0>1 0>2 1>2 | if v0 v1 | r0=v0 r1=v1",
				"R.ca[x] R.ca[y] | ctrl 0>1 | if !v0 !v1 | r0=v0 r1=v1",
				"R.ca[x] R.ca[y] | ctrl 0>1 | if !v0 v1 | r0=v0 r1=v1",
			},
		},
		{
			name: "a jump over code, and labels at the end",
			code: "bra.uni END\nst [x],1\nEND: FIN:",
			want: []string{""},
		},
		{
			name: "an unconditional branch adds no dependency",
			code: "ld r0,[x]\nbra L\nL: st [y],1",
			want: []string{"R.ca[x] W.wb[y]=1 | r0=v0"},
		},
	})
}

func TestLoops(t *testing.T) {
	const count = "mov r0,0\nL: st [x],r0\nadd r0,r0,1\nsetp.lt p,r0,3\n@p bra L\nst [y],9"
	var stores strings.Builder
	for i := range 34 { // the bound, and 32 rounds of a loop that counts
		fmt.Fprintf(&stores, "W.wb[x]=%d ", i)
	}
	const spin = "L: ld.cg r0,[x]\nsetp.eq p,r0,0\n@p bra L\nst [y],1"
	checkPaths(t, []pathTest{
		{
			name: "a counter within the bound", code: count, opts: frontend.Options{Unroll: 1},
			want: []string{"W.wb[x]=0 W.wb[x]=1 W.wb[x]=2 W.wb[y]=9 | p=0 r0=3"},
		},
		{
			name: "a counter beyond the bound", code: strings.Replace(count, "r0,3", "r0,99", 1), opts: frontend.Options{Unroll: 1},
			want: []string{stores.String() + "| p=1 r0=34 | cut"},
		},
		{
			name: "nothing unrolled", code: count,
			want: []string{"W.wb[x]=0 | p=1 r0=1 | cut"},
		},
		{
			name: "a spin loop is left in the first round, in the second, or never", code: spin, opts: frontend.Options{Unroll: 2},
			want: []string{
				"R.cg[x] R.cg[x] W.wb[y]=1 | ctrl 0>1 0>2 1>2 | if eq(v0,0) !eq(v1,0) | p=eq(v1,0) r0=v1",
				"R.cg[x] | if eq(v0,0) | p=eq(v0,0) r0=v0 | spins",
				"R.cg[x] W.wb[y]=1 | ctrl 0>1 | if !eq(v0,0) | p=eq(v0,0) r0=v0",
			},
		},
		{
			name: "a loop whose predicate never changes", code: "ld r0,[x]\nL: @r0 bra L\nst [y],1", opts: frontend.Options{Unroll: 3},
			want: []string{
				"R.ca[x] | if v0 | r0=v0 | spins",
				"R.ca[x] W.wb[y]=1 | ctrl 0>1 | if !v0 | r0=v0",
			},
		},
		{
			name: "each path counts its own iterations", code: "L: ld r0,[x]\n@r0 st [y],1\nbra L", opts: frontend.Options{Unroll: 1},
			want: []string{
				"R.ca[x] W.wb[y]=1 R.ca[x] W.wb[y]=1 | ctrl 0>1 2>3 | if v0 v2 | r0=v2 | cut",
				"R.ca[x] W.wb[y]=1 R.ca[x] R.ca[x] W.wb[y]=1 | ctrl 0>1 3>4 | if v0 !v2 v3 | r0=v3 | cut",
				"R.ca[x] W.wb[y]=1 R.ca[x] | ctrl 0>1 | if v0 !v2 | r0=v2 | spins",
				"R.ca[x] R.ca[x] W.wb[y]=1 R.ca[x] W.wb[y]=1 | ctrl 1>2 3>4 | if !v0 v1 v3 | r0=v3 | cut",
				"R.ca[x] | if !v0 | r0=v0 | spins",
			},
		},
		{
			name: "rounds of reads and fences leave no trace", opts: frontend.Options{Unroll: 0},
			code: "L: ld r0,[x]\n@r0 bra E\nmembar.gl\nbra L\nE: st [y],1",
			want: []string{
				"R.ca[x] W.wb[y]=1 | ctrl 0>1 | if v0 | r0=v0",
				"R.ca[x] membar.gl R.ca[x] W.wb[y]=1 | ctrl 0>1 0>2 0>3 2>3 | if !v0 v2 | r0=v2",
				"R.ca[x] membar.gl | ctrl 0>1 | if !v0 | r0=v0 | spins",
			},
		},
		{
			name: "a round of nothing but fences", code: "L: membar.cta\nbra L", opts: frontend.Options{Unroll: 0},
			want: []string{"membar.cta | spins"},
		},
		{
			name: "a register that a round sets under a guard keeps what it held before", opts: frontend.Options{Unroll: 0},
			code: "mov r1,0\nL: ld r0,[x]\nsetp.ge q,r0,1\n@q mov r1,7\nsetp.ne p,r0,2\n@p bra L\nst [y],r1",
			want: []string{
				"R.ca[x] | if ge(v0,1) ne(v0,2) | p=ne(v0,2) q=ge(v0,1) r0=v0 r1=7 | cut",
				"R.ca[x] W.wb[y]=7 | data 0>1 | ctrl 0>1 | if ge(v0,1) !ne(v0,2) | p=ne(v0,2) q=ge(v0,1) r0=v0 r1=7",
				"R.ca[x] R.ca[x] | ctrl 0>1 | if !ge(v0,1) ne(v0,2) ge(v1,1) ne(v1,2) | p=ne(v1,2) q=ge(v1,1) r0=v1 r1=7 | cut",
				"R.ca[x] R.ca[x] W.wb[y]=7 | data 1>2 | ctrl 0>1 0>2 1>2 | if !ge(v0,1) ne(v0,2) ge(v1,1) !ne(v1,2) | p=ne(v1,2) q=ge(v1,1) r0=v1 r1=7",
				"R.ca[x] R.ca[x] W.wb[y]=0 | data 0>2 1>2 | ctrl 0>1 0>2 1>2 | if !ge(v0,1) ne(v0,2) !ge(v1,1) !ne(v1,2) | p=ne(v1,2) q=ge(v1,1) r0=v1 r1=0",
				"R.ca[x] | if !ge(v0,1) ne(v0,2) | p=ne(v0,2) q=ge(v0,1) r0=v0 r1=0 | spins",
				"R.ca[x] W.wb[y]=0 | data 0>1 | ctrl 0>1 | if !ge(v0,1) !ne(v0,2) | p=ne(v0,2) q=ge(v0,1) r0=v0 r1=0",
			},
		},
		{
			name: "an instruction that branches to itself", code: "st [x],1\nL: bra L\nst [y],1", opts: frontend.Options{Unroll: 2},
			want: []string{"W.wb[x]=1 | spins"},
		},
		{
			name: "an instruction that branches to itself, or does not", code: "ld r0,[x]\nL: @r0 bra L\nst [y],1", opts: frontend.Options{Unroll: 0},
			want: []string{
				"R.ca[x] | if v0 | r0=v0 | spins",
				"R.ca[x] W.wb[y]=1 | ctrl 0>1 | if !v0 | r0=v0",
			},
		},
		{
			name: "each backward branch has a bound of its own", opts: frontend.Options{Unroll: 1},
			code: "bra B\nA: st [x],1\nbra C\nB: bra A\nC: st [x],2\nbra A",
			want: []string{"W.wb[x]=1 W.wb[x]=2 W.wb[x]=1 W.wb[x]=2 | cut"},
		},
	})
}

// A round that leaves a register as something looks at it has a trace.
func TestRoundsWithATrace(t *testing.T) {
	checkPaths(t, []pathTest{
		{
			name: "the loop counts", init: "0:.reg .s32 n", opts: frontend.Options{Unroll: 1},
			code: "L: ld r0,[x]\nadd n,n,1\n@!r0 bra L\nst [y],n",
			want: []string{
				"R.ca[x] R.ca[x] | ctrl 0>1 | if !v0 !v1 | n=2 r0=v1 | cut",
				"R.ca[x] R.ca[x] W.wb[y]=2 | ctrl 0>1 0>2 1>2 | if !v0 v1 | n=2 r0=v1",
				"R.ca[x] W.wb[y]=1 | ctrl 0>1 | if v0 | n=1 r0=v0",
			},
		},
		{
			name: "nothing looks at what the loop counts", init: "0:.reg .s32 n", opts: frontend.Options{Unroll: 1},
			code: "L: ld r0,[x]\nmov n,1\n@!r0 bra L\nst [y],1",
			want: []string{
				"R.ca[x] R.ca[x] W.wb[y]=1 | ctrl 0>1 0>2 1>2 | if !v0 v1 | n=1 r0=v1",
				"R.ca[x] | if !v0 | n=1 r0=v0 | spins",
				"R.ca[x] W.wb[y]=1 | ctrl 0>1 | if v0 | n=1 r0=v0",
			},
		},
		{
			name: "a failed cas writes nothing, a successful one does", opts: frontend.Options{Unroll: 0},
			code: "L: atom.cas.b32 r0,[m],0,1\n@r0 bra L\nst [y],1",
			want: []string{
				"R.atom[m] W.atom[m]=1 | ctrl 0>1 | rmw 0>1 | if eq(v0,0) v0 | r0=v0 | cut",
				"R.atom[m] W.atom[m]=1 W.wb[y]=1 | ctrl 0>1 0>2 | rmw 0>1 | if eq(v0,0) !v0 | r0=v0",
				"R.atom[m] R.atom[m] W.atom[m]=1 | ctrl 0>1 0>2 1>2 | rmw 1>2 | if !eq(v0,0) v0 eq(v1,0) v1 | r0=v1 | cut",
				"R.atom[m] R.atom[m] W.atom[m]=1 W.wb[y]=1 | ctrl 0>1 0>2 1>2 0>3 1>3 | rmw 1>2 | if !eq(v0,0) v0 eq(v1,0) !v1 | r0=v1",
				"R.atom[m] R.atom[m] W.wb[y]=1 | ctrl 0>1 0>2 1>2 | if !eq(v0,0) v0 !eq(v1,0) !v1 | r0=v1",
				"R.atom[m] | if !eq(v0,0) v0 | r0=v0 | spins",
				"R.atom[m] W.wb[y]=1 | ctrl 0>1 | if !eq(v0,0) !v0 | r0=v0",
			},
		},
	})
}

func TestAtomics(t *testing.T) {
	fails := frontend.Options{CASFailWrites: true}
	checkPaths(t, []pathTest{
		{
			name: "the write of an add depends on its read and its operand",
			code: "ld r0,[y]\natom.add r1,[x],r0\nst [y],r1",
			want: []string{"R.ca[y] R.atom[x] W.atom[x]=add(v1,v0) W.wb[y]=v1 | data 0>2 1>2 1>3 | rmw 1>2 | r0=v0 r1=v1"},
		},
		{
			name: "the write of an exch depends on its operand only",
			code: "ld r0,[y]\natom.exch.b32 r1,[x],r0\nst [y],r1",
			want: []string{"R.ca[y] R.atom[x] W.atom[x]=v0 W.wb[y]=v1 | data 0>2 1>3 | rmw 1>2 | r0=v0 r1=v1"},
		},
		{
			name: "inc and dec without a bound",
			code: "atom.inc r0,[x]\nred.dec [x]",
			want: []string{"R.atom[x] W.atom[x]=inc(v0,-1) R.atom[x] W.atom[x]=dec(v2,-1) | data 0>1 2>3 | rmw 0>1 2>3 | r0=v0"},
		},
		{
			name: "red sets no register", init: "0:.reg .s32 r0=4",
			code: "red.max.u32 [x],r0",
			want: []string{"R.atom[x] W.atom[x]=max(v0,4) | data 0>1 | rmw 0>1 | r0=4"},
		},
		{
			name: "both events of an atomic depend on its address", init: "p=x",
			code: "ld.b64 r0,[p]\natom.shared.exch r1,[r0+4],1",
			want: []string{"R.ca[p] R.atom[add(v0,4)] W.atom[add(v0,4)]=1 | addr 0>1 0>2 | rmw 1>2 | r0=v0 r1=v1"},
		},
		{
			name: "a cas writes, or does not; whether depends on what it reads and expects",
			code: "ld r0,[y]\nld r1,[y]\natom.cas r2,[x],r0,r1\nst [y],r2",
			want: []string{
				"R.ca[y] R.ca[y] R.atom[x] W.atom[x]=v1 W.wb[y]=v2 | data 1>3 2>4 | ctrl 0>3 2>3 | rmw 2>3 | if eq(v2,v0) | r0=v0 r1=v1 r2=v2",
				"R.ca[y] R.ca[y] R.atom[x] W.wb[y]=v2 | data 2>3 | if !eq(v2,v0) | r0=v0 r1=v1 r2=v2",
			},
		},
		{
			name: "a cas that always writes stores a choice: it depends on all that it chooses from and by", opts: fails,
			code: "ld r0,[y]\nld r1,[y]\natom.cas r2,[x],r0,r1",
			want: []string{
				"R.ca[y] R.ca[y] R.atom[x] W.atom[x]=v1 | data 0>3 1>3 2>3 | rmw 2>3 | if eq(v2,v0) | r0=v0 r1=v1 r2=v2",
				"R.ca[y] R.ca[y] R.atom[x] W.atom[x]=v2 | data 0>3 1>3 2>3 | rmw 2>3 | if !eq(v2,v0) | r0=v0 r1=v1 r2=v2",
			},
		},
		{
			name: "a cas under a guard", init: "0:.reg .s32 r1=8",
			code: "ld r0,[y]\n@r0 atom.cas r1,[x],0,1\nst [y],r1\nld r2,[y]",
			want: []string{
				"R.ca[y] R.atom[x] W.atom[x]=1 W.wb[y]=v1 R.ca[y] | data 0>3 1>3 | ctrl 0>1 0>2 1>2 | rmw 1>2 | if v0 eq(v1,0) | r0=v0 r1=v1 r2=v4",
				"R.ca[y] R.atom[x] W.wb[y]=v1 R.ca[y] | data 0>2 1>2 | ctrl 0>1 | if v0 !eq(v1,0) | r0=v0 r1=v1 r2=v3",
				"R.ca[y] W.wb[y]=8 R.ca[y] | data 0>1 | if !v0 | r0=v0 r1=8 r2=v2",
			},
		},
		{
			name: "atomics after a branch",
			code: "ld r0,[y]\n@r0 bra L\nL: atom.exch r1,[x],1",
			want: []string{
				"R.ca[y] R.atom[x] W.atom[x]=1 | ctrl 0>1 0>2 | rmw 1>2 | if v0 | r0=v0 r1=v1",
				"R.ca[y] R.atom[x] W.atom[x]=1 | ctrl 0>1 0>2 | rmw 1>2 | if !v0 | r0=v0 r1=v1",
			},
		},
	})
}

// Comparisons of the same values ask for the same equality, whichever way round: no path
// assumes that values are equal and that they differ.
func TestComparedTwice(t *testing.T) {
	checkPaths(t, []pathTest{{
		name: "eq and ne",
		code: "ld r0,[x]\nsetp.eq p,r0,0\nsetp.ne q,r0,0\n@p st [y],1\n@q st [y],2",
		want: []string{
			"R.ca[x] W.wb[y]=1 | ctrl 0>1 | if eq(v0,0) | p=eq(v0,0) q=ne(v0,0) r0=v0",
			"R.ca[x] W.wb[y]=2 | ctrl 0>1 | if !eq(v0,0) | p=eq(v0,0) q=ne(v0,0) r0=v0",
		},
	}, {
		name: "the operands the other way round",
		code: "ld r0,[x]\nsetp.eq p,r0,0\nsetp.ne q,0,r0\n@p st [y],1\n@q st [y],2",
		want: []string{
			"R.ca[x] W.wb[y]=1 | ctrl 0>1 | if eq(v0,0) | p=eq(v0,0) q=ne(0,v0) r0=v0",
			"R.ca[x] W.wb[y]=2 | ctrl 0>1 | if !eq(v0,0) | p=eq(v0,0) q=ne(0,v0) r0=v0",
		},
	}, {
		name: "two constants: what equals one is not the other, and smaller if that is",
		code: "ld r0,[x]\nsetp.eq p,r0,1\n@p st [y],1\nsetp.eq q,r0,2\n@q st [y],2\nsetp.lt t,r0,2\n@t st [y],3",
		want: []string{
			"R.ca[x] W.wb[y]=1 W.wb[y]=3 | ctrl 0>1 0>2 | if eq(v0,1) | p=eq(v0,1) q=eq(v0,2) r0=v0 t=lt(v0,2)",
			"R.ca[x] W.wb[y]=2 | ctrl 0>1 | if !eq(v0,1) eq(v0,2) | p=eq(v0,1) q=eq(v0,2) r0=v0 t=lt(v0,2)",
			"R.ca[x] W.wb[y]=3 | ctrl 0>1 | if !eq(v0,1) !eq(v0,2) lt(v0,2) | p=eq(v0,1) q=eq(v0,2) r0=v0 t=lt(v0,2)",
			"R.ca[x] | if !eq(v0,1) !eq(v0,2) !lt(v0,2) | p=eq(v0,1) q=eq(v0,2) r0=v0 t=lt(v0,2)",
		},
	}})
}
