package optcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Report is the result of a check.
type Report struct {
	Verdict  Verdict
	Findings []Finding
	Roles    []RoleListing
}

// Finding is a remark about the machine code.
type Finding struct {
	Thread string // of the test; empty if it is about all
	Instr  string // of the test; empty if it is about several
	What   string
	Void   bool // the machine code is another test
}

// says reports whether two findings are the same apart from counts.
func (f Finding) says(other Finding) bool {
	what, _, _ := strings.Cut(f.What, "; ")
	same, _, _ := strings.Cut(other.What, "; ")
	return f.Thread == other.Thread && f.Instr == other.Instr && f.Void == other.Void && what == same
}

func (f Finding) String() string {
	about := ""
	for _, part := range []string{f.Thread, f.Instr} {
		if part != "" && about != "" {
			about += ", "
		}
		about += part
	}
	if about != "" {
		about += ": "
	}
	return about + f.What
}

// RoleListing is a thread of the test beside its machine code: the memory operations of its longest
// control path.
type RoleListing struct {
	Thread string
	Rows   []Row
}

// Row is an instruction of the test, its operation, and the machine code of that; missing parts are
// empty.
type Row struct{ Test, Operation, Machine string }

// add adds findings, each once: other control paths repeat them with other counts.
func (r *Report) add(all ...Finding) {
	for _, f := range all {
		if !slices.ContainsFunc(r.Findings, f.says) {
			r.Findings = append(r.Findings, f)
		}
		if f.Void {
			r.Verdict = Failed
		}
	}
}

func (r *Report) failures() (n int) {
	for _, f := range r.Findings {
		if f.Void {
			n++
		}
	}
	return n
}

// Why gives the reasons of the verdict as one line: what is wrong if it failed, else what could not
// be checked.
func (r *Report) Why() string {
	var reasons []string
	for _, f := range r.Findings {
		if f.Void == (r.Verdict == Failed) {
			reasons = append(reasons, f.String())
		}
	}
	return strings.Join(reasons, "; ")
}

// String formats the verdict, the findings, and both codes side by side.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "optcheck: %s\n", r.Verdict)
	for _, f := range r.Findings {
		mark := "note"
		if f.Void {
			mark = "void"
		}
		fmt.Fprintf(&b, "  %s  %s\n", mark, f)
	}
	for _, role := range r.Roles {
		role.write(&b)
	}
	return b.String()
}

func (l *RoleListing) write(b *strings.Builder) {
	rows := [][]string{{l.Thread, "", "machine code"}}
	for _, row := range l.Rows {
		rows = append(rows, []string{row.Test, row.Operation, row.Machine})
	}
	fmt.Fprintln(b)
	for _, line := range src.Columns(rows, " | ") {
		fmt.Fprintln(b, line)
	}
}

// list adds the listing of a role: the longest path of the test, beside the most similar one of the
// machine code.
func (c *comparison) list() {
	longest := slices.MaxFunc(c.test, func(a, b path) int { return len(a.ops) - len(b.ops) })
	var best *alignment
	for _, m := range c.machine {
		if a := align(longest, m); best == nil || a.cost < best.cost {
			best = a
		}
	}
	listing := RoleListing{Thread: c.name()}
	last := -1
	for _, p := range best.rows {
		var row Row
		if p.test != nil {
			if p.test.index != last || p.test.kind.isAccess() {
				row.Test = p.test.text
			}
			row.Operation, last = p.test.String(), p.test.index
		}
		if p.machine != nil {
			row.Machine = p.machine.text
		}
		listing.Rows = append(listing.Rows, row)
	}
	c.report.Roles = append(c.report.Roles, listing)
}
