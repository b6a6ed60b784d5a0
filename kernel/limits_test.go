package kernel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// inKernel returns a module with statements in a kernel.
func inKernel(statements string) string {
	return ".version 8.0\n.target sm_90\n.address_size 64\n" +
		".entry k(.param .u64 p, .param .u32 n)\n{\n" +
		".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .shared .b8 s[64];\n" + statements + "\nret;\n}\n"
}

// TestNumbersOutOfBounds: a number that PTX does not allow is an error at the number.
func TestNumbersOutOfBounds(t *testing.T) {
	for _, c := range []struct{ text, at, want string }{
		{
			inKernel("cp.async.ca.shared.global [%r1], [%rd2], 4294967296;"), "7:42",
			"expected a size from 4 to 16, a power of two, found 4294967296",
		},
		{inKernel("cp.async.ca.shared.global [%r1], [%rd2], -4;"), "7:42", "expected a size from 4 to 16"},
		{inKernel("cp.async.ca.shared.global [%r1], [%rd2], 0;"), "7:42", "expected a size"},
		{inKernel("cp.async.ca.shared.global [%r1], [%rd2], 5;"), "7:42", "expected a size"},
		{inKernel("cp.async.ca.shared.global.L2::128B [%r1], [%rd2], 12345;"), "7:51", "expected a size"},
		{inKernel("cp.async.cg.shared.global [%r1], [%rd2], 8;"), "7:42", "expected a size of 16, found 8"},
		{
			inKernel("cp.async.ca.shared.global [%r1], [%rd2], 16, 17;"), "7:46",
			"expected a size of the source from 0 to 16",
		},
		{inKernel("cp.async.wait_group -1;"), "7:21", "expected a number of groups"},
		{inKernel("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 8;"), "7:60", "a multiple of 16"},
		{inKernel("mbarrier.init.shared.b64 [%r1], 0;"), "7:33", "expected a count from 1 to 1048575"},
		{inKernel("bar.sync 4294967296;"), "7:10", "expected a number of a barrier"},
		{inKernel("barrier.cta.sync 0, 4294967328;"), "7:21", "expected a number of threads"},
		{inKernel("lop3.b32 %r1, %r2, %r3, %r4, 256;"), "7:30", "expected a table of lop3 from 0 to 255"},
		{inKernel("ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];"), "7:18", "takes 2 registers, and here are 3"},
		{inKernel("ld.global.u32 {%r1, %r2}, [%rd1];"), "7:15", "takes 1 registers, and here are 2"},
		{inKernel("st.shared.v4.u32 [%r1], {%r1, %r2};"), "7:25", "takes 4 registers, and here are 2"},
		{inKernel("ld.param.u64 %rd1, [n];"), "7:20", "accesses 8 bytes at byte 0 of n, which has 4"},
		{inKernel("ld.param.u32 %r1, [p+8];"), "7:19", "accesses 4 bytes at byte 8 of p, which has 8"},
		{inKernel("ld.param.u32 %r1, [p+-4];"), "7:19", "accesses 4 bytes at byte -4 of p"},
		{
			inKernel("ld.global.u32 %r1, [%rd1+9223372036854775807];"), "7:26",
			"expected an offset of at most 4294967295 bytes",
		},
		{inKernel("ld.global.u32 %r1, [%rd1+18446744073709551615];"), "7:26", "expected an offset of at most"},
		{inKernel("@%r1 bra L; L:"), "7:2", "a guard is a predicate, and %r1 is a register of .b32"},
		{inKernel(".reg .b32 %q<4294967296>;"), "7:14", "expected a number of registers from 0 to 16777216"},
		{inKernel(".reg %q<4>;"), "7:6", "expected a type"},
		{
			inKernel(".local .b8 q[4294967296];"), "7:12",
			"q has 4294967296 bytes: more than 524288 are not possible in .local memory",
		},
		{inKernel(".local .align 3 .b8 q[4];"), "7:15", "expected an alignment from 1 to 1073741824, a power of two"},
		{inKernel(".shared .b64 q[2147483648];"), "7:14", "more than 16777216 are not possible in .shared memory"},
		{inKernel(".shared .b64 q[65536][65536][65536];"), "7:14", "too many elements"},
		{inKernel(".loc 1 4294967296 0;"), "7:8", "expected a number of a file, a line or a column"},
		{".const .b8 c[65537];", "1:12", "more than 65536 are not possible in .const memory"},
		{".global .b8 g[99999999999999999999];", "1:15", "expected a number of elements"},
		{".global x;", "1:9", "expected a type"},
		{".address_size 48", "1:15", "expected an address size"},
		{".entry k(p) { ret; }", "1:10", "expected a type, found \"p\""},
		{
			".entry k(.param .b8 p[32765]) { ret; }", "1:8",
			"the parameters of k have 32765 bytes: kernels have at most 32764",
		},
		{".entry k() .reqntid 0 { ret; }", "1:21", "expected a number of threads or CTAs from 1"},
		{".entry k() .maxntid 65536, 65536 { ret; }", "1:28", "more than 2147483647 threads"},
		{".entry k() .reqnctapercluster 99999999999 { ret; }", "1:31", "expected a number of threads or CTAs"},
		{".entry k() .minnctapersm 4294967296 { ret; }", "1:26", "expected a number from 0"},
	} {
		_, err := kernel.Parse(src.NewFile("k.ptx", c.text))
		if err == nil || !strings.HasPrefix(err.Error(), "k.ptx:"+c.at+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s at %s", c.text[max(0, len(c.text)-80):], err, c.want, c.at)
		}
	}
}

// TestNumbersWithinBounds: valid numbers are read.
func TestNumbersWithinBounds(t *testing.T) {
	for _, statements := range []string{
		"cp.async.ca.shared.global [%r1], [%rd2], 4; cp.async.ca.shared.global [%r1], [%rd2], 8, 0; " +
			"cp.async.cg.shared.global [%r1], [%rd2], 16, %r1;",
		"cp.async.wait_group 0; bar.sync 15, 1024; barrier.sync %r1, %r2; bar.sync 16;",
		"ld.global.v2.u32 {%r1, %r2}, [%rd1+-4]; st.global.v4.u32 [%rd1+4], {%r1, %r2, %r3, %r4}; ld.global.u32 " +
			"{%r1}, [%rd1];",
		"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [p+4]; ld.param.v2.u32 {%r1, %r2}, [p]; ld.param.u16 %r1, [n+2];",
		"mov.u32 %r1, -1; shl.b32 %r1, %r1, 99; add.u32 %r1, %r1, 18446744073709551615;",
		".local .align 16 .b8 q[524288]; .reg .b32 %q<0>; .loc 1 2147483647 0;",
	} {
		if _, err := kernel.Parse(src.NewFile("k.ptx", inKernel(statements))); err != nil {
			t.Errorf("%s: %v", statements, err)
		}
	}
}

// TestLongTables: a table of many labels is read in linear time, and naming tables too often is an
// error.
func TestLongTables(t *testing.T) {
	const n = 200_000
	table := "t: .branchtargets " + strings.Repeat("L, ", n-1) + "L;\n"
	m, err := kernel.Parse(src.NewFile("k.ptx", inKernel(table+"brx.idx %r1, t;\nL:")))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Func("k")
	if all := f.Instrs[0].Targets(); len(all) != n || all[0] != 1 || all[n-1] != 1 {
		t.Errorf("%d targets", len(all))
	}
	_, err = kernel.Parse(src.NewFile("k.ptx", inKernel(table+strings.Repeat("brx.idx %r1, t;\n", 20)+"L:")))
	if want := fmt.Sprintf("more than %d labels", 1<<20); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%.200v, want %s", err, want)
	}
}
