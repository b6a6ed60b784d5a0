package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// asyncPaths writes the paths of the first thread of a PTX test, whose instructions stand on a line
// each: events, those of the i-th asynchronous operation in i'…', and the relations that place
// them.
func asyncPaths(t *testing.T, init, code string) (all []string) {
	t.Helper()
	code = strings.ReplaceAll(strings.TrimSpace(code), "\n", " ;\n")
	text := fmt.Sprintf("PTX test\n{ x=1; y=2; shared s; shared u; a[4]={1,2,3,4}; shared c[4]; %s }\nP0@cta 0,gpu 0 ;\n%s ;\nforall (true)\n", init, code)
	test, err := litmus.Parse(src.NewFile("test.litmus", text), Formats())
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(test, frontend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range p.Paths[0] {
		all = append(all, asyncPath(printer{p.Locs}, path.Path))
	}
	return all
}

func asyncPath(p printer, path *event.Path) string {
	var events []string
	for i := range path.Events {
		e := path.Events[i]
		text := p.event(&e)
		if e.Agent > 0 {
			text = fmt.Sprintf("%d'%s'", e.Agent, text)
		}
		events = append(events, text)
	}
	fields := []string{strings.Join(events, " ")}
	for _, r := range []struct {
		name  string
		pairs []event.Pair
	}{{"data", path.Data}, {"issue", path.Issue}, {"within", path.Within}, {"complete", path.Complete}} {
		if len(r.pairs) > 0 {
			fields = append(fields, r.name+" "+strings.Trim(strings.ReplaceAll(fmt.Sprint(r.pairs), "] [", ","), "[]"))
		}
	}
	return strings.Join(fields, " | ")
}

// TestCopyAsync: a cp.async is a load and a store of its own, after what is before it, and before
// the wait for its group.
func TestCopyAsync(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{
			"all waited for",
			"st.u32 [x], 5\ncp.async.ca.shared.global [s], [x], 4\ncp.async.wait_all\nld.shared.u32 r1, [s]",
			"W.wb[x]=5 1'R[x]' 1'W[s]=v1' cp.async.wait_all R[s] | data 1 2 | issue 0 1,0 2 | within 1 2 | complete 1 3,2 3",
		},
		{
			"one group may be pending",
			"cp.async.ca.shared.global [s], [x], 4\ncp.async.commit_group\ncp.async.ca.shared.global [u], [y], 4\ncp.async.commit_group\ncp.async.wait_group 1",
			"1'R[x]' 1'W[s]=v0' 2'R[y]' 2'W[u]=v2' cp.async.wait_group 1 | data 0 1,2 3 | within 0 1,2 3 | complete 0 4,1 4",
		},
		{
			"no group yet",
			"cp.async.ca.shared.global [s], [x], 4\ncp.async.wait_group 0",
			"1'R[x]' 1'W[s]=v0' cp.async.wait_group 0 | data 0 1 | within 0 1",
		},
		{
			"elements in no order; what is not filled is zero",
			"cp.async.cg.shared::cta.global.L2::128B [c], [a], 16, 8",
			"1'R[a[0]]' 1'W[c[0]]=v0' 1'R[a[0]+4]' 1'W[c[0]+4]=v2' 1'W[c[0]+8]=0' 1'W[c[0]+12]=0' | data 0 1,2 3 | within 0 1,2 3",
		},
		{
			"a location stands for a whole copy",
			"cp.async.cg.shared.global.L2::cache_hint [s], [x], 16, 16, r9",
			"1'R[x]' 1'W[s]=v0' | data 0 1 | within 0 1",
		},
		{
			"the source is ignored",
			"cp.async.ca.shared.global [s], [x], 4, p",
			"1'W[s]=0'",
		},
	} {
		if diff := cmp.Diff([]string{c.want}, asyncPaths(t, "P0:r9=0; 0:.reg .pred p = 1;", c.code)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestCopyIgnored: where reads decide whether a source is ignored, both may be.
func TestCopyIgnored(t *testing.T) {
	got := asyncPaths(t, "", "ld.u32 r1, [y]\nsetp.eq.s32 p, r1, 0\ncp.async.ca.shared.global [s], [x], 4, p")
	want := []string{
		"R.ca[y] 1'W[s]=0' | issue 0 1",
		"R.ca[y] 1'R[x]' 1'W[s]=v1' | data 1 2 | issue 0 1,0 2 | within 1 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
