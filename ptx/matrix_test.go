package ptx

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMatrixProducts: a product reads shared memory; it comes after wgmma.fence and proxy fences,
// and before the wait for its group.
func TestMatrixProducts(t *testing.T) {
	const product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d0, d1}, s, u, 0, 1, 1, 0, 0\nwgmma.commit_group.sync.aligned\nwgmma.wait_group.sync.aligned 0\nst.u32 [x], d1"
	for _, c := range []struct{ name, code, want string }{
		{
			"fenced", "st.shared.u32 [s], 5\nwgmma.fence.sync.aligned\n" + product,
			"W[s]=5 wgmma.fence.sync.aligned 1'R[s]' 1'R[u]' wgmma.wait_group.sync.aligned 0 W.wb[x]=mul(v2,v3)" +
				" | data 2 5,3 5 | issue 0 2,1 2,0 3,1 3 | complete 2 4,3 4",
		},
		{
			"not fenced", "st.shared.u32 [s], 5\nfence.proxy.async.shared::cta\n" + product,
			"W[s]=5 fence.proxy.async.shared::cta 1'R[s]' 1'R[u]' wgmma.wait_group.sync.aligned 0 W.wb[x]=mul(v2,v3)" +
				" | data 2 5,3 5 | issue 1 2,1 3 | complete 2 4,3 4",
		},
	} {
		if diff := cmp.Diff([]string{c.want}, asyncPaths(t, "", c.code)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestMatrixErrors: descriptors are of shared memory, and what there is not is refused by name.
func TestMatrixErrors(t *testing.T) {
	const product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 d, "
	for _, c := range []struct{ code, want string }{
		{product + "s, x, 0, 1, 1, 0, 0", "x is not in shared memory"},
		{"mov.u32 r, 3\n" + product + "s, r, 0, 1, 1, 0, 0", "it is not known which matrix r describes"},
		{"wgmma.wait_group.sync.aligned r1", "takes a number of groups"},
		{"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 32", "tensor memory is a location"},
		{"tcgen05.mma.cta_group::2.kind::f16 [s], u, u, 0, 0", "unknown modifier .cta_group::2 of tcgen05.mma"},
		{"tcgen05.ld.sync.aligned.32x32b.x1.b32 {r}, [y]", "y is no tensor memory"},
		{"tcgen05.ld.sync.aligned.32x32b.x1.b32 {r}, [s]\nld.shared.u32 r1, [s]", "ld.shared.u32 accesses s, which is tensor memory of tcgen05.ld"},
		{"tcgen05.mma.cta_group::1.kind::f16 [s], x, u, 0, 0", "x is not in shared memory"},
		{"tcgen05.mma.cta_group::1.kind::f16 [s], u, u, 0, {0, 1, 0, 0}, 0", "a matrix is one number here"},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 r, [s]", "matrix operations of one warp"},
	} {
		_, err := tryAsync(c.code + "\nld.u32 r9, [x]")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.code, err, c.want)
		}
	}
}
