package optcheck

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/ptx"
)

// The machine code of asynchronous instructions and of instructions on mbarriers, for sm_90:
//
//	cp.async                           LDGSTS, with its width
//	cp.async.commit_group              LDGDEPBAR
//	cp.async.wait_group N, .wait_all   DEPBAR.LE SB0, N; LDGDEPBAR and DEPBAR
//	cp.async.mbarrier.arrive           ARRIVES.LDGSTSBAR.TRANSCNT, behind
//	                                   SYNCS.ARRIVE.TRANS64.RED.A0T1
//	cp.async.mbarrier.arrive.noinc     ARRIVES.LDGSTSBAR.ARVCNT
//	cp[.reduce].async.bulk             UBLKCP, UBLKRED: .S.G from global memory, .G.S to it,
//	                                   .S.S to another CTA; .MULTICAST
//	cp[.reduce].async.bulk.tensor      UTMALDG, UTMASTG, UTMAREDG: .2D; .MULTICAST
//	cp.async.bulk.commit_group         UTMACMDFLUSH
//	cp.async.bulk.wait_group N         DEPBAR.LE SB0, N, CCTL.IVALL unless .read
//	st.async, red.async                STAS, REDAS
//	mbarrier.init, .inval              SYNCS.EXCH, SYNCS.CCTL.IV
//	mbarrier.arrive                    SYNCS.ARRIVE.TRANS64.A1T0, with a count .ART0; .RED of
//	                                   another CTA; MEMBAR.ALL.GPU before .release.cluster
//	mbarrier.arrive.expect_tx          SYNCS.ARRIVE.TRANS64
//	mbarrier.arrive_drop               SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0
//	mbarrier.expect_tx, .complete_tx   SYNCS.ARRIVE.TRANS64.RED.A0TR, .A0TX
//	mbarrier.test_wait, .try_wait      SYNCS.PHASECHK.TRANS64, .TRYWAIT; where it holds,
//	                                   CCTL.IVALL behind .acquire.cluster
//	tensormap.replace                  STG
//	fence.proxy.tensormap…acquire      UTMACCTL.IV
//
// Measured with ptxas 12.9 (sm_90, -O3). Each instruction is compared by itself, in the order of
// the test, without its addresses. FENCE.VIEW concerns proxies, and DEPBAR of scoreboards by name
// concerns registers; both are not compared.

// issues are the opcodes of asynchronous operations, of operations on mbarriers, and of waits for
// either.
var issues = []string{
	"LDGSTS", "LDGDEPBAR", "ARRIVES", "UBLKCP", "UBLKRED", "UTMALDG", "UTMASTG", "UTMAREDG", "UTMACMDFLUSH",
	"STAS", "REDAS", "SYNCS",
}

// isIssue reports whether an instruction is one of them.
func (in *instruction) isIssue() bool {
	switch in.opcode {
	case "DEPBAR":
		return in.has("LE") && len(in.operands) > 1
	case "UTMACCTL":
		return in.has("IV")
	}
	return slices.Contains(issues, in.opcode)
}

// unsaid are modifiers of issues that correspond to nothing in the test: caches, and widths that
// are always the same.
var unsaid = []string{"E", "BYPASS", "64", "128", "ZFILL", "LTC64B", "LTC128B", "LTC256B"}

// issue returns the name of an asynchronous operation.
func (in *instruction) issue() string {
	words := []string{in.opcode}
	for _, m := range in.mods {
		if !slices.Contains(unsaid, m) {
			words = append(words, m)
		}
	}
	name := strings.Join(words, ".")
	switch in.opcode {
	case "LDGSTS", "STAS":
		return fmt.Sprint(name, " ", in.width())
	case "DEPBAR":
		n, _ := strconv.ParseInt(in.operands[1], 0, 64)
		return waitFor(n)
	}
	return name
}

func waitFor(groups int64) string { return fmt.Sprint("DEPBAR.LE ", groups) }

// issued returns asynchronous operations with these names.
func issued(names ...string) (all []operation) {
	for _, name := range names {
		all = append(all, operation{kind: asynchronous, function: name})
	}
	return all
}

// machineForms maps instructions, by their pages of the manual, to their machine code. Instructions
// that kernels support and that are not listed are not compared.
var machineForms = map[string]func(in *ptx.Instr) []operation{
	"cp.async": func(in *ptx.Instr) []operation {
		return issued(fmt.Sprint("LDGSTS ", 8*number(in, "size")))
	},
	"cp.async.commit_group": func(*ptx.Instr) []operation { return issued("LDGDEPBAR") },
	"cp.async.wait_group": func(in *ptx.Instr) []operation {
		return issued(waitFor(number(in, "pending")))
	},
	"cp.async.wait_all":        func(*ptx.Instr) []operation { return issued("LDGDEPBAR", waitFor(0)) },
	"cp.async.mbarrier.arrive": arrivalOfCopies,
	"cp.async.bulk": func(in *ptx.Instr) []operation {
		return issued("UBLKCP" + memories(in) + many(in))
	},
	"cp.reduce.async.bulk": func(in *ptx.Instr) []operation {
		return issued("UBLKRED" + memories(in) + update(in))
	},
	"cp.async.bulk.tensor": tensorCopy,
	"cp.reduce.async.bulk.tensor": func(in *ptx.Instr) []operation {
		return issued("UTMAREDG" + dimensions(in) + update(in))
	},
	"cp.async.bulk.commit_group": func(*ptx.Instr) []operation { return issued("UTMACMDFLUSH") },
	"cp.async.bulk.wait_group":   bulkWait,
	"st.async": func(in *ptx.Instr) []operation {
		return issued(fmt.Sprint("STAS ", in.Type(0).Bits*elements(in)))
	},
	"red.async":      func(in *ptx.Instr) []operation { return issued("REDAS" + update(in)) },
	"mbarrier.init":  func(*ptx.Instr) []operation { return issued("SYNCS.EXCH") },
	"mbarrier.inval": func(*ptx.Instr) []operation { return issued("SYNCS.CCTL.IV") },
	"mbarrier.expect_tx": func(*ptx.Instr) []operation {
		return issued("SYNCS.ARRIVE.TRANS64.RED.A0TR")
	},
	"mbarrier.complete_tx": func(*ptx.Instr) []operation {
		return issued("SYNCS.ARRIVE.TRANS64.RED.A0TX")
	},
	"mbarrier.arrive":           arrival,
	"mbarrier.arrive.expect_tx": arrival,
	"mbarrier.arrive_drop":      arrival,
	"mbarrier.test_wait":        wait,
	"mbarrier.test_wait.parity": wait,
	"mbarrier.try_wait":         wait,
	"mbarrier.try_wait.parity":  wait,
	"mbarrier.pending_count":    func(*ptx.Instr) []operation { return nil },
	"tensormap.replace.tile": func(*ptx.Instr) []operation {
		return []operation{{kind: store, bits: 64}}
	},
	"fence.proxy.tensormap::generic.acquire": func(*ptx.Instr) []operation { return issued("UTMACCTL.IV") },
}

// unknownForm says why the machine code of an asynchronous instruction cannot be compared, or
// returns "". The code of copies by cp.async is the same on all targets; that of mbarriers differs
// on sm_80 and sm_100.
func unknownForm(in *ptx.Instr, target harness.Target) string {
	onAll := strings.HasPrefix(in.Page(), "cp.async") && !strings.Contains(in.Page(), "bulk") &&
		!strings.Contains(in.Page(), "mbarrier")
	switch {
	case machineForms[in.Page()] == nil:
		return "what it becomes is not known"
	case target != harness.SM90 && !onAll:
		return fmt.Sprintf("what it becomes is known for %s alone", harness.SM90)
	}
	return ""
}

// number returns a constant operand.
func number(in *ptx.Instr, role string) int64 {
	for _, o := range in.Srcs {
		if o.Role == role {
			return o.Int
		}
	}
	return 0
}

// takes reports whether an instruction has an operand.
func takes(in *ptx.Instr, role string) bool {
	return slices.ContainsFunc(in.Srcs, func(o ptx.Operand) bool { return o.Role == role })
}

// memories returns the direction of a bulk operation between state spaces.
func memories(in *ptx.Instr) string {
	switch {
	case in.Says("bulk_group"):
		return ".G.S"
	case in.Says("global"):
		return ".S.G"
	}
	return ".S.S"
}

func many(in *ptx.Instr) string {
	if in.Says("multicast::cluster") {
		return ".MULTICAST"
	}
	return ""
}

// said returns the first of these suffixes that an instruction has, as machine code spells it.
func said(in *ptx.Instr, suffixes ...string) string {
	for _, s := range suffixes {
		if in.Says(s) {
			return "." + strings.ToUpper(s)
		}
	}
	return ""
}

func update(in *ptx.Instr) string {
	return said(in, "add", "inc", "dec", "min", "max", "and", "or", "xor")
}

func dimensions(in *ptx.Instr) string { return said(in, "1d", "2d", "3d", "4d", "5d") }

func elements(in *ptx.Instr) int {
	switch {
	case in.Says("v2"):
		return 2
	case in.Says("v4"):
		return 4
	}
	return 1
}

func tensorCopy(in *ptx.Instr) []operation {
	if in.Says("bulk_group") {
		return issued("UTMASTG" + dimensions(in))
	}
	return issued("UTMALDG" + dimensions(in) + many(in))
}

func bulkWait(in *ptx.Instr) []operation {
	all := issued(waitFor(number(in, "pending")))
	if !in.Says("read") {
		all = append(all, operation{kind: invalidation})
	}
	return all
}

func arrivalOfCopies(in *ptx.Instr) []operation {
	if in.Says("noinc") {
		return issued("ARRIVES.LDGSTSBAR.ARVCNT")
	}
	return issued("SYNCS.ARRIVE.TRANS64.RED.A0T1", "ARRIVES.LDGSTSBAR.TRANSCNT")
}

// arrival is an arrival on an mbarrier. At the scope of the CTA, it has no fence.
func arrival(in *ptx.Instr) (all []operation) {
	if in.Says("cluster") && !in.Says("relaxed") {
		all = append(all, operation{kind: fence, strength: gpu, function: "ALL"})
	}
	name := "SYNCS.ARRIVE.TRANS64"
	if in.Says("shared::cluster") {
		name += ".RED"
	}
	switch {
	case in.Page() == "mbarrier.arrive_drop":
		name += ".OPTOUT.A1T0"
	case takes(in, "count"):
		name += ".ART0"
	case in.Page() == "mbarrier.arrive":
		name += ".A1T0"
	}
	return append(all, issued(name)...)
}

// wait asks whether a phase is complete; tester.answer handles the answer.
func wait(in *ptx.Instr) []operation {
	if strings.HasPrefix(in.Page(), "mbarrier.try_wait") {
		return issued(tryWait)
	}
	return issued(testWait)
}

func isWait(in *ptx.Instr) bool {
	return strings.HasPrefix(in.Page(), "mbarrier.try_wait") || strings.HasPrefix(in.Page(), "mbarrier.test_wait")
}

const (
	testWait = "SYNCS.PHASECHK.TRANS64"
	tryWait  = testWait + ".TRYWAIT"
)

// acquiresBeyondCTA reports whether a wait invalidates the L1 cache.
func acquiresBeyondCTA(in *ptx.Instr) bool { return in.Says("cluster") && !in.Says("relaxed") }
