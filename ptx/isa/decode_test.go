package isa_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

func decode(t *testing.T, text string) *isa.Opcode {
	t.Helper()
	o, err := isa.Decode(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

func TestDecode(t *testing.T) {
	ld := decode(t, "ld.relaxed.gpu.global.L1::no_allocate.v2.f32")
	if ld.Code != isa.Ld || ld.Order != isa.Relaxed || ld.Scope != isa.ScopeGPU || ld.Space != isa.Global || ld.Vector != 2 ||
		ld.Type(0).Kind != isa.Floating || ld.Type(0).Bits != 32 {
		t.Errorf("%+v", ld)
	}
	st := decode(t, "st.volatile.shared::cta.b8")
	if !st.Volatile || st.Space != isa.Shared || st.Type(0).Int() != (arith.Type{Bits: 8}) {
		t.Errorf("%+v", st)
	}
	if o := decode(t, "ld.shared::cluster.u32"); o.Space != isa.SharedCluster {
		t.Errorf("%+v", o)
	}
	if o := decode(t, "ld.global.nc.u32"); !o.Constant || o.Cache != "" {
		t.Errorf("%+v", o)
	}
	if o := decode(t, "st.global.cg.s32"); o.Cache != "cg" {
		t.Errorf("%+v", o)
	}
	if o := decode(t, "atom.acq_rel.sys.global.cas.b32"); o.Update != isa.UpdateCas || o.Order != isa.AcqRel || o.Scope != isa.ScopeSys {
		t.Errorf("%+v", o)
	}
	if o := decode(t, "bar.red.popc.u32"); o.Meeting != isa.Reduce || o.Update != isa.UpdatePopc {
		t.Errorf("%+v", o)
	}
	if o := decode(t, "bar.warp.sync"); !o.Warp || o.Meeting != isa.Sync {
		t.Errorf("%+v", o)
	}
	if o := decode(t, "setp.lo.u32"); o.Cmp != isa.Lt || o.Half != isa.NoHalf {
		t.Errorf("%+v", o)
	}
	if o := decode(t, "setp.geu.and.ftz.f32"); o.Cmp != isa.Geu || o.Combine != isa.UpdateAnd || o.Update != isa.NoUpdate {
		t.Errorf("%+v", o)
	}
	if o := decode(t, "cvt.rzi.s32.f32"); o.Rounding != "rzi" || o.Type(0).String() != "s32" || o.Type(1).String() != "f32" {
		t.Errorf("%+v", o)
	}
	if o := decode(t, "cvta.to.shared.u64"); !o.To || o.Space != isa.Shared {
		t.Errorf("%+v", o)
	}
}

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		class isa.Class
		texts string
	}{
		{isa.ClassAccess, "ld.param.u64 st.local.v4.f32 ldu.global.u32"},
		{isa.ClassAtomic, "atom.global.add.u32 red.relaxed.gpu.global.add.f32"},
		{isa.ClassFence, "membar.gl fence.sc.cta fence.proxy.alias fence.acq_rel.gpu"},
		{isa.ClassBarrier, "bar.sync bar.arrive barrier.cluster.arrive.release.aligned bar.red.or.pred barrier.sync.aligned"},
		{isa.ClassWarp, "shfl.sync.down.b32 vote.sync.any.pred match.all.sync.b64 activemask.b32 redux.sync.add.s32 elect.sync vote.ballot.b32"},
		{isa.ClassBranch, "bra bra.uni brx.idx"},
		{isa.ClassCall, "call call.uni"},
		{isa.ClassReturn, "ret ret.uni"},
		{isa.ClassExit, "exit"},
		{isa.ClassTrap, "trap brkpt"},
		{isa.ClassArithmetic, "add.s32 setp.lt.and.u16 selp.f32 lop3.b32 addc.cc.u32 mad.wide.u32 fns.b32 set.eq.u32.s32"},
		{isa.ClassConvert, "cvt.u64.u32 cvt.sat.u8.s32"},
		{isa.ClassMove, "mov.f32 mov.pred mov.b64"},
		{isa.ClassAddress, "cvta.to.global.u64 isspacep.shared"},
		{isa.ClassFloat, "add.rn.f32 fma.rn.f64 cvt.rn.f32.u32 setp.neu.f32 div.full.f32 sqrt.approx.ftz.f32 testp.normal.f32 slct.b32.f32 " +
			"min.NaN.f16x2 cvt.rn.f16x2.f32 cvt.rna.satfinite.tf32.f32 cvt.rpi.f32.f32 set.lt.u32.f32"},
		{isa.ClassHint, "prefetch.global.L2 nanosleep.u32 pmevent prefetchu.L1"},
		{isa.ClassOther, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 cp.async.ca.shared.global tex.2d.v4.f32.s32"},
	} {
		for text := range strings.FieldsSeq(c.texts) {
			if got := decode(t, text).Class(); got != c.class {
				t.Errorf("%s is of class %v, want %v", text, got, c.class)
			}
		}
	}
}

// TestDecodeErrors: an error is about the part of the opcode that is wrong.
func TestDecodeErrors(t *testing.T) {
	for text, part := range map[string]string{
		"adx.u32": "adx", "add.u33": "u33", "add.lo.u32": "lo", "add": "add", "add.u32.u32": "add.u32.u32", "ld.global": "ld.global",
		"ld.global.shared.u32": "shared", "setp.u32": "setp.u32", "cvt.u32": "cvt.u32", "atom.u32": "atom.u32", "mul.lo.hi.u32": "hi",
		"membar.warp": "warp", "bra.": "", "shl.u32": "u32", "cvt.u32.pred": "pred",
	} {
		_, err := isa.Decode(text)
		var e *isa.Error
		switch {
		case !errors.As(err, &e):
			t.Errorf("%s: %v", text, err)
		case text[e.Start:e.End] != part:
			t.Errorf("%s: %v, about %q", text, err, text[e.Start:e.End])
		}
	}
}

// TestMeaningless: what has no meaning says so, and nothing panics, whatever is put together.
func TestMeaningless(t *testing.T) {
	for _, text := range strings.Fields("mul.wide.u64 mad.wide.s64 mul24.wide.u32 setp.ltu.u32 mov.b128 set.eq.f16.u32 bra ld.u32 bar.sync atom.popc.b32") {
		if f, err := decode(t, text).Formula(); err == nil {
			t.Errorf("%s: %v", text, f)
		}
	}
	types := strings.Fields("pred b8 u8 s8 b16 u16 s16 b32 u32 s32 b64 u64 s64 b128 f16 f32 f64")
	modifiers := strings.Fields("- lo hi wide cc sat add cas eq ltu and l.clamp r.wrap clamp wrap shiftamt f4e rn to eq.and finite")
	made := 0
	for _, name := range isa.Names() {
		for _, m := range modifiers {
			for _, to := range types {
				for _, from := range strings.Fields("- s32 u64 b16 f32") {
					text := strings.ReplaceAll(name+"."+m+"."+to+"."+from, ".-", "")
					o, err := isa.Decode(text)
					if err != nil {
						continue
					}
					f, err := o.Formula()
					if err != nil {
						continue
					}
					if made++; len(f.Results) == 0 || len(f.Sources) == 0 {
						t.Errorf("%s: %v", text, f)
					}
				}
			}
		}
	}
	if made < 700 {
		t.Errorf("only %d formulas", made)
	}
}

// TestFloats: what looks at floating-point numbers is a function of its operands that the domain
// gives.
func TestFloats(t *testing.T) {
	for _, text := range strings.Fields("add.rn.f32 fma.rn.f64 setp.lt.and.f32 cvt.rzi.s32.f32 slct.b32.f32 atom.add.f32 neg.f32 set.eq.or.u32.f64 testp.finite.f32") {
		f, err := decode(t, text).Formula()
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		opaque := 0
		for _, s := range f.Steps {
			if s.Kind == isa.Opaque {
				opaque++
			}
		}
		if opaque != 1 {
			t.Errorf("%s has %d opaque steps", text, opaque)
		}
		if _, err := isa.Apply(isa.Integers{}, f, make([]int64, len(f.Sources))...); err == nil {
			t.Errorf("integers have a value for %s", text)
		}
	}
}

// TestCompiled decodes all opcodes of kernels as clang wrote them.
func TestCompiled(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/peer-tests/*/*/kernel.ptx")
	if len(files) == 0 {
		t.Skip("no kernels beside the checkout")
	}
	counts := map[string]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := kernel.Parse(src.NewFile(name, string(text))) // what is wrong is left out
		for _, f := range m.Funcs {
			for _, in := range f.Instrs {
				counts[in.Opcode]++
			}
		}
	}
	for text, n := range counts {
		o, err := isa.Decode(text)
		if err != nil {
			t.Errorf("%s (%d times): %v", text, n, err)
			continue
		}
		switch o.Class() {
		case isa.ClassArithmetic, isa.ClassConvert, isa.ClassMove, isa.ClassFloat, isa.ClassAtomic:
			if _, err := o.Formula(); err != nil {
				t.Errorf("%s (%d times): %v", text, n, err)
			}
		case isa.ClassOther:
			t.Errorf("%s (%d times) has no meaning", text, n)
		}
	}
	if len(counts) < 100 {
		t.Errorf("only %d opcodes", len(counts))
	}
}
