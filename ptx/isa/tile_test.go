package isa_test

import (
	"testing"

	"github.com/muster-gpu/muster/ptx/isa"
)

// TestTiles: what instructions move of matrices, from their names (PTX ISA, "ldmatrix", "Matrix
// Shape", "Matrix Storage").
func TestTiles(t *testing.T) {
	for text, want := range map[string]*isa.Tile{
		"ldmatrix.sync.aligned.m8n8.x4.shared.b16":              {Space: isa.Shared, Rows: 32, Bytes: 16, Bits: 16},
		"ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16":   {Space: isa.Shared, Rows: 16, Bytes: 16, Bits: 16, Trans: true},
		"stmatrix.sync.aligned.m8n8.x1.b16":                     {Store: true, Rows: 8, Bytes: 16, Bits: 16},
		"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8":       nil,
		"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8":        nil,
		"ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64": nil,
		"wmma.load.a.sync.aligned.row.m32n8k16.global.f16":      {Space: isa.Global, Lines: 32, Bytes: 32, Bits: 16},
		"wmma.load.a.sync.aligned.col.m32n8k16.shared.f16":      {Space: isa.Shared, Lines: 16, Bytes: 64, Bits: 16, Column: true},
		"wmma.load.b.sync.aligned.row.m8n32k16.s8":              {Lines: 16, Bytes: 32, Bits: 8},
		"wmma.load.b.sync.aligned.col.m8n8k32.global.s4":        {Space: isa.Global, Lines: 8, Bytes: 16, Bits: 4, Column: true},
		"wmma.load.c.sync.row.m16n16k16.f32":                    {Lines: 16, Bytes: 64, Bits: 32},
		"wmma.store.d.sync.aligned.col.m8n32k16.global.f32":     {Store: true, Space: isa.Global, Lines: 32, Bytes: 32, Bits: 32, Column: true},
		"wmma.load.a.sync.aligned.row.m8n8k4.shared.f64":        {Space: isa.Shared, Lines: 8, Bytes: 32, Bits: 64},
		"wmma.load.b.sync.aligned.col.m8n8k128.b1":              {Lines: 8, Bytes: 16, Bits: 1, Column: true},
		"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32":       nil,
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32":     nil,
		"movmatrix.sync.aligned.m8n8.trans.b16":                 nil,
		"ld.shared.u32":                                         nil,
	} {
		op, err := isa.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		got := op.Tile()
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}
