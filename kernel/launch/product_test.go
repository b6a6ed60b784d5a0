package launch_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
)

// halves are the numbers 0 to 7, as binary16.
var halves = [...]uint16{0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700}

// TestProduct: mma computes the product of matrices that cp.async and ldmatrix loaded.
func TestProduct(t *testing.T) {
	const m, n, k = 32, 16, 64
	a, b, c := &launch.Buffer{Name: "a"}, &launch.Buffer{Name: "b"}, &launch.Buffer{Name: "c", Size: 4 * m * n}
	left := func(i, j int) int { return (i*3 + j*j) % 8 }
	right := func(i, j int) int { return (i*i + 5*j) % 8 }
	for i := range m {
		for j := range k {
			a.Bytes = binary.LittleEndian.AppendUint16(a.Bytes, halves[left(i, j)])
		}
	}
	for i := range k {
		for j := range n {
			b.Bytes = binary.LittleEndian.AppendUint16(b.Bytes, halves[right(i, j)])
		}
	}
	module, err := examples.Module(testdata + "async/tensor-matmul.ptx")
	if err != nil {
		t.Fatal(err)
	}
	r, err := launch.New(module).Run(t.Context(),
		launch.Launch{Block: launch.Dim{X: 64}, Args: []launch.Arg{{Buffer: c}, {Buffer: a}, {Buffer: b}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m {
		for j := range n {
			want := 0
			for x := range k {
				want += left(i, x) * right(x, j)
			}
			if got := math.Float32frombits(uint32(r.Read(c, int64(4*(i*n+j)), 4))); got != float32(want) {
				t.Fatalf("row %d, column %d: %v, want %d", i, j, got, want)
			}
		}
	}
}

// TestFragments: a matrix stored by columns is the transpose of the one loaded by rows, and a
// product of fragments is the product of the matrices.
func TestFragments(t *testing.T) {
	const text = `.version 7.8
.target sm_90
.address_size 64
.entry k(.param .u64 A) { .reg .b32 %r<40>; .reg .b64 %rd<3>;
	ld.param.u64 %rd1, [A]; add.s64 %rd2, %rd1, 512;
	wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%rd1];
	wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}, [%rd1], 16;
	wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r16, %r17, %r18, %r19}, [%rd1];
	wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%r20, %r21, %r22, %r23}, {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}, {%r16, %r17, %r18, %r19};
	wmma.store.d.sync.aligned.col.m16n16k16.global.f16 [%rd2], {%r20, %r21, %r22, %r23}, 20;
	ret; }
`
	m, err := kernel.Parse(src.NewFile("k.ptx", text))
	if err != nil {
		t.Fatal(err)
	}
	number := func(i, j int) int { return (i*7 + j*j*3) % 4 }
	a := &launch.Buffer{Name: "A", Size: 2048}
	for i := range 16 {
		for j := range 16 {
			a.Bytes = binary.LittleEndian.AppendUint16(a.Bytes, halves[number(i, j)])
		}
	}
	r, err := launch.New(m).Run(t.Context(), launch.Launch{Block: launch.Dim{X: 32}, Args: []launch.Arg{{Buffer: a}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		for j := range 16 {
			sum := number(i, j)
			for x := range 16 {
				sum += number(i, x) * number(j, x) // the second factor by columns is the transpose
			}
			exponent := math.Ilogb(float64(max(sum, 1)))
			want := uint64(0)
			if sum > 0 {
				want = uint64(exponent+15)<<10 | uint64(sum<<(10-exponent))&1023
			}
			if got := r.Read(a, int64(512+2*(20*j+i)), 2); got != want {
				t.Fatalf("row %d, column %d: %#x, want %d, %#x", i, j, got, sum, want)
			}
		}
	}
}

// TestWarpsThatDoNotMeet: moving a matrix needs all lanes of a warp and a row address from each.
func TestWarpsThatDoNotMeet(t *testing.T) {
	for body, want := range map[string]string{
		"setp.ne.u32 %p1, %r1, 3; @!%p1 ret; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [s];": "",
		"setp.ne.u32 %p1, %r1, 3; @%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [s]; @!%p1 shfl.sync.idx.b32 " +
			"%r2, %r1, 0, 31, -1;": "other lanes of the warp are elsewhere",
		"mov.u32 %r3, s; add.u32 %r3, %r3, 4; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r3];": "a multiple of 16",
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%r2, %r2}, {%r2}, {%r2}, {%r2, %r2};":       "is not modelled",
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx",
			".version 7.8\n.target sm_90\n.address_size 64\n"+
				".entry k() { .reg .pred %p<2>; .reg .b32 %r<4>; .shared .align 16 .b8 s[64];\nmov.u32 %r1, %tid.x; "+
				body+" ret; }"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := launch.New(m).Run(t.Context(), launch.Launch{Block: launch.Dim{X: 32}})
		switch {
		case want == "" && (err != nil || len(r.Divergences) == 0):
			t.Errorf("%s: %v, no divergence", body, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}
