package shrink

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/litmus"
)

// Likeness returns a text that tests share if they differ in names only: of threads, registers,
// locations, labels, and of the values that are written to a location, which a test names by
// numbers. Tests that differ in more have different ones.
func Likeness(t *litmus.Test) string {
	looks := make([]string, len(t.Threads))
	order := make([]int, len(t.Threads))
	for i := range t.Threads {
		order[i] = i
		looks[i] = newRenaming(t).describe([]int{i})
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(looks[a], looks[b]) })
	least := ""
	var arrange func(i int)
	arrange = func(i int) {
		if i == len(order) {
			if text := newRenaming(t).all(order); least == "" || text < least {
				least = text
			}
			return
		}
		for j := i; j < len(order) && looks[order[j]] == looks[order[i]]; j++ {
			order[i], order[j] = order[j], order[i]
			arrange(i + 1)
			order[i], order[j] = order[j], order[i]
		}
	}
	arrange(0)
	return least
}

// renaming gives new names in the order in which the old ones are met.
type renaming struct {
	test  *litmus.Test
	locs  map[string]bool
	names map[string]string // by kind, thread and old name
	next  map[string]int    // by kind
	about map[string]string // which location a register was read from
}

func newRenaming(t *litmus.Test) *renaming {
	r := &renaming{t, map[string]bool{}, map[string]string{}, map[string]int{}, map[string]string{}}
	for _, l := range t.Locations {
		r.locs[l.Name.Text] = true
	}
	return r
}

func (r *renaming) name(kind, old string) string {
	key := kind + " " + old
	if r.names[key] == "" {
		r.names[key] = kind + strconv.Itoa(r.next[kind])
		r.next[kind]++
	}
	return r.names[key]
}

// value names a value of a location. The initial value keeps its name.
func (r *renaming) value(loc, number string) string {
	if n, err := strconv.ParseInt(number, 0, 64); err == nil && n == 0 {
		return "0"
	}
	return r.name("v"+r.name("loc", loc)+".", number)
}

var (
	tokenText = regexp.MustCompile(`[A-Za-z_%][\w%.:]*|-?\d\w*|\S`)
	typeText  = regexp.MustCompile(`\.[subf](8|16|32|64)\b`)
	atomText  = regexp.MustCompile(`(?:(\d+):([\w%.]+)|\[(\w+)\])\s*=\s*(-?\w+)`)
)

// describe returns the code of threads.
func (r *renaming) describe(threads []int) string {
	var b strings.Builder
	for at, i := range threads {
		t := r.test.Threads[i]
		for _, c := range t.Cells {
			if c.Text() != "" {
				b.WriteString(r.cell(at, t.ID, typeText.ReplaceAllString(c.Text(), "")) + ";")
			}
		}
		b.WriteString("|")
	}
	return b.String()
}

// cell is one instruction. The numbers of an access to a location are values of that location.
func (r *renaming) cell(at, thread int, text string) string {
	tokens := tokenText.FindAllString(text, -1)
	loc := ""
	for _, tok := range tokens {
		if r.locs[tok] {
			loc = tok
		}
	}
	var out []string
	for i, tok := range tokens {
		switch first := tok[0]; {
		case r.locs[tok]:
			tok = r.name("loc", tok)
		case first == '-' && len(tok) > 1 || '0' <= first && first <= '9':
			if loc != "" && !arithmetic(tokens[0]) {
				tok = r.value(loc, tok)
			}
		case i > 0 && (first == '%' || 'A' <= first && first <= 'z') && tokens[0] != tok:
			register := fmt.Sprintf("%d:%s", thread, tok)
			if loc != "" && r.about[register] == "" {
				r.about[register] = loc
			}
			tok = r.name(fmt.Sprintf("r%d.", at), register)
		}
		out = append(out, tok)
	}
	return strings.Join(out, " ")
}

// arithmetic reports whether an atomic computes with its operand, so that the value of the operand
// matters.
func arithmetic(opcode string) bool {
	return (strings.HasPrefix(opcode, "atom") || strings.HasPrefix(opcode, "red")) &&
		!strings.HasSuffix(opcode, ".exch") && !strings.HasSuffix(opcode, ".cas")
}

// all returns the whole test: code, condition, where threads and locations are, initial values.
func (r *renaming) all(threads []int) string {
	var b strings.Builder
	b.WriteString(r.test.Arch + " " + r.describe(threads))
	position := map[int]int{}
	for at, i := range threads {
		position[r.test.Threads[i].ID] = at
	}
	cond := atomText.ReplaceAllStringFunc(r.test.Cond.Prop.String(), func(atom string) string {
		m := atomText.FindStringSubmatch(atom)
		if m[3] != "" {
			return r.name("loc", m[3]) + "=" + r.value(m[3], m[4])
		}
		thread, _ := strconv.Atoi(m[1])
		register := m[1] + ":" + m[2]
		value := m[4]
		if loc := r.about[register]; loc != "" {
			value = r.value(loc, value)
		}
		return r.name(fmt.Sprintf("r%d.", position[thread]), register) + "=" + value
	})
	atoms := strings.Split(cond, ` /\ `)
	slices.Sort(atoms)
	fmt.Fprintf(&b, "%v %s", r.test.Cond.Quant, strings.Join(atoms, ` /\ `))
	places := r.test.Places()
	for at, i := range threads {
		for _, j := range threads[:at] {
			b.WriteString(" ")
			for level, number := range places[i] {
				fmt.Fprint(&b, number == places[j][level])
			}
		}
	}
	var locs []string
	for _, l := range r.test.Locations {
		locs = append(locs, fmt.Sprintf("%s %v %v %v", r.name("loc", l.Name.Text), l.Region, l.Init, l.Elems))
	}
	slices.Sort(locs)
	return b.String() + strings.Join(locs, ",")
}
