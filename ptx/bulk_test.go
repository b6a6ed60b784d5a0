package ptx

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
)

// TestBulk: a bulk copy is a load and a store of each element, and what tells the mbarrier; or it
// is part of a group.
func TestBulk(t *testing.T) {
	const fresh = "W[u]=phase 0 (1/1 to come)"
	for _, c := range []struct{ name, code, want string }{
		{
			"to shared memory",
			"mbarrier.init.b64 [u], 1\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [x], 16, [u]",
			fresh + " 1'R[x]' 1'W[s]=v1' 1'R.atom[u]' 1'W.atom[u]=mbarrier(v3)'" +
				" | data 1 2,3 4 | issue 0 1,0 2,0 3,0 4 | within 1 2,1 3,1 4,2 3,2 4,3 4",
		},
		{
			"an array to global memory, until it is read",
			"cp.async.bulk.global.shared::cta.bulk_group [a], [c], 16\ncp.async.bulk.commit_group\ncp.async.bulk.wait_group.read 0",
			"1'R[c[0]]' 1'W[a[0]]=v0' 1'R[c[0]+4]' 1'W[a[0]+4]=v2' 1'R[c[0]+8]' 1'W[a[0]+8]=v4' 1'R[c[0]+12]' 1'W[a[0]+12]=v6' cp.async.bulk.wait_group.read 0" +
				" | data 0 1,2 3,4 5,6 7 | within 0 1,2 3,4 5,6 7 | complete 0 8,2 8,4 8,6 8",
		},
		{
			"a reduction",
			"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [x], [s], 16\ncp.async.bulk.commit_group\ncp.async.bulk.wait_group 0",
			"1'R[s]' 1'R.atom[x]' 1'W.atom[x]=add(v1,v0)' cp.async.bulk.wait_group 0" +
				" | data 0 2,1 2 | within 0 2,1 2 | complete 0 3,1 3,2 3",
		},
		{
			"a store",
			"mbarrier.init.b64 [u], 1\nst.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [s], 7, [u]",
			fresh + " 1'W[s]=7' 1'R.atom[u]' 1'W.atom[u]=mbarrier(v2)' | data 2 3 | issue 0 1,0 2,0 3 | within 1 2,1 3,2 3",
		},
	} {
		if diff := cmp.Diff([]string{c.want}, asyncPaths(t, "", c.code)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestBulkErrors: copies go where they can, in sizes that there are.
func TestBulkErrors(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"no multiple", "cp.async.bulk.global.shared::cta.bulk_group [x], [s], 8", "cp.async.bulk copies a multiple of 16 bytes"},
		{"no mbarrier", "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [x], 16", "before an address in brackets (bar)"},
		{"a group for shared memory", "cp.async.bulk.shared::cta.global.bulk_group [s], [x], 16", "completes in another way"},
		{"a bitwise operation on floating point", "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.f32 [x], [s], 16", ".f32 and .f64 have .add"},
		{"a sum of halves that may flush", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.bf16 [x], [s], 16", "has .noftz"},
		{"a release that tells an mbarrier", "st.async.release.gpu.global.mbarrier::complete_tx::bytes.u32 [x], 1, [u]", "tells no mbarrier"},
		{"a store that tells none", "st.async.weak.shared::cluster.u32 [s], 1", "write .mbarrier::complete_tx::bytes and the mbarrier"},
		{"too few values", "st.async.mbarrier::complete_tx::bytes.v2.u32 [c], {1}, [u]", "another number of values"},
		{"several CTAs of one's own", "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [x], 16, [u], 3", "go to several CTAs"},
		{"a part of an element", "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [a], [c], 16, 3", "the mask selects a part of an element"},
		{"too few coordinates", "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [x, {0}], [u]", "1 coordinates of a tensor"},
		{"a mode of the other direction", "cp.async.bulk.tensor.3d.shared::cta.global.im2col_no_offs.mbarrier::complete_tx::bytes [s], [x, {0, 0, 0}], [u]", "does not copy in that direction"},
		{"a part of a map", "fence.proxy.tensormap::generic.acquire.gpu [x], 64", "a tensor map of 128 bytes"},
		{"multicast memory", "multimem.ld_reduce.relaxed.gpu.global.add.u32 r, [x]", "does not simulate multicast memory"},
	} {
		_, err := tryAsync(c.code + "\nld.u32 r9, [x]")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestHome: shared memory is in the CTA of those that have it for their own; others of the cluster
// reach it by instructions for that.
func TestHome(t *testing.T) {
	const text = "PTX t\n{ shared s; }\nP0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster CLUSTER,gpu 0 ;\nST | mbarrier.init.b64 [s], 1 ;\nforall (true)\n"
	with := func(store, cluster string) (*Program, error) {
		return newAsync(strings.NewReplacer("ST", store, "CLUSTER", cluster).Replace(text))
	}
	p, err := with("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [s]", "0")
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := p.Named("s"); p.Locs[s].Home != p.Threads[1].At[litmus.CTA]+1 {
		t.Errorf("s is in CTA %d, want that of P1", p.Locs[s].Home-1)
	}
	for _, c := range []struct{ store, cluster, want string }{
		{"mbarrier.arrive.b64 _, [s]", "0", "are in different CTAs"},
		{"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [s]", "1", "in the shared memory of another cluster"},
	} {
		if _, err := with(c.store, c.cluster); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in cluster %s: %v, want %s", c.store, c.cluster, err, c.want)
		}
	}
}

// TestAsyncFences: the fences of asynchronous operations order nothing by themselves, and say for
// which memory they are.
func TestAsyncFences(t *testing.T) {
	for name, want := range map[string]event.Tags{
		"fence.proxy.async":                   proxyTag(isa.ProxyAsync),
		"fence.proxy.async.global":            proxyTag(isa.ProxyAsync) | onlyGlobal,
		"fence.proxy.async.shared::cta":       proxyTag(isa.ProxyAsync) | onlyCTA,
		"fence.proxy.async.shared::cluster":   proxyTag(isa.ProxyAsync) | onlyCluster,
		"fence.mbarrier_init.release.cluster": initFence,
	} {
		p, err := tryAsync(name + "\nld.u32 r9, [x]")
		if err != nil {
			t.Error(err)
			continue
		}
		e := p.Paths[0][0].Events[0]
		if e.Kind != event.Fence || e.Order != event.OrderNone || e.Tags != want {
			t.Errorf("%s is %+v", name, e)
		}
	}
}

// TestMapa: the address that mapa gives is that of the CTA that has the location.
func TestMapa(t *testing.T) {
	const text = "PTX t\n{ shared s; }\nP0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;\nmapa.shared::cluster.u64 r1, s, RANK | mbarrier.init.b64 [s], 1 ;\n" +
		"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r1] | ;\nforall (true)\n"
	p, err := newAsync(strings.Replace(text, "RANK", "1", 1))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := p.Named("s")
	if e := p.Paths[0][0].Events[0]; e.Addr != event.Expr(event.Const(event.AddressOf(s))) {
		t.Errorf("P0 arrives at %v", e.Addr)
	}
	if _, err := newAsync(strings.Replace(text, "RANK", "0", 1)); err == nil || !strings.Contains(err.Error(), "the CTA of rank 0 has no s") {
		t.Errorf("of its own rank: %v", err)
	}
}

// TestDataBesideItsMbarrier: what only an asynchronous store reaches is in the CTA of the mbarrier
// that it tells, wherever either stands in the test.
func TestDataBesideItsMbarrier(t *testing.T) {
	for _, init := range []string{"shared s=0; shared full", "shared full; shared s=0"} {
		p := scoped(t, init,
			"cta 0,cluster 0@st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [s], 1, [full]",
			"cta 1,cluster 0@mbarrier.init.shared::cta.b64 [full], 1")
		if s, _ := p.Named("s"); p.Locs[s].Home != p.Threads[1].At[litmus.CTA]+1 {
			t.Errorf("%s: s is in CTA %d, want that of P1", init, p.Locs[s].Home-1)
		}
	}
}
