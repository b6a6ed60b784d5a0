package harness

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"text/template"

	"github.com/muster-gpu/muster/litmus"
)

//go:embed emit.cu.tmpl
var emitText string

var emitTemplate = template.Must(template.New("emit.cu").Funcs(template.FuncMap{"quote": cString}).Parse(emitText))

// emitted is the data of the template.
type emitted struct {
	*Plan
	Settings Settings
	Shape    Shape    // of the largest launch
	Shapes   []Shape  // the shapes from which each launch draws
	PTX      []string // lines
	// C expressions for the names of observed values; 0 for the high half of the one before
	Columns []string
	Buffers []Buffer
	Memory  [][]Buffer
	Rows    int
	Kernels []int             // of the test, by number
	fixed   map[string]uint32 // parameters that are the same in each launch
	same    map[string]string // parameters that equal others
	Source  []string          // the test
}

// Emit returns a program in CUDA C++ that runs the test without muster: the kernels as PTX, and
// host code that launches them through the driver and prints a histogram as litmus7 does. nvcc, or
// any C++ compiler with the headers of the CUDA toolkit, compiles it: nvcc FILE.cu -lcuda.
func (p *Plan) Emit(s Settings) (string, error) {
	if n := p.GPUs(); n > 1 {
		return "", p.unable("its threads are on %d GPUs, and a program has one", n)
	}
	if p.rank > 0 {
		return "", p.unable("it has tensor maps, which programs of their own do not make")
	}
	if p.hasImages() {
		return "", p.unable("it has textures or surfaces, which programs of their own do not make")
	}
	p, s = p.As(s), p.fitted(s)
	shape, err := p.Shape(s)
	if err != nil {
		return "", err
	}
	random := rand.New(rand.NewPCG(0, 0))
	e := emitted{
		Plan:     p,
		Settings: s,
		Shape:    shape,
		Shapes:   p.emittedShapes(s, shape, random),
		PTX:      strings.Split(strings.TrimSuffix(p.Kernels(), "\n"), "\n"),
		Buffers:  p.Buffers(s, shape), Memory: p.Memory(s, shape), same: map[string]string{},
		Rows: tableRows, Source: strings.Split(strings.TrimSuffix(p.Test.String(), "\n"), "\n"),
	}
	e.fixed = p.Numbers(s, shape, random)
	for kernel := range p.kernels {
		e.Kernels = append(e.Kernels, kernel)
	}
	for slot := range p.Slots() {
		if same := p.Same(slot); same != slot {
			e.same[SlotParam(slot)+"_mul"], e.same[SlotParam(slot)+"_add"] = SlotParam(same)+"_mul",
				SlotParam(same)+"_add"
		}
	}
	for _, o := range p.seen {
		name := cString(o.ref.String())
		if o.half == high {
			name = "0"
		}
		e.Columns = append(e.Columns, name)
	}
	var b strings.Builder
	if err := emitTemplate.Execute(&b, e); err != nil {
		return "", err
	}
	return b.String(), nil
}

// mostShapes bounds the shapes of launches from which a program draws.
const mostShapes = 64

// emittedShapes returns shapes of launches as a run would draw them. There is only one unless
// launches vary.
func (p *Plan) emittedShapes(s Settings, largest Shape, random *rand.Rand) (all []Shape) {
	for range mostShapes {
		if one := p.drawShape(s, largest, random); !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// grid returns the number of CTAs of a launch of the test with these parameters: those that play,
// and those that stress.
func grid(numbers map[string]uint32) int { return int(numbers["places"] * numbers["ctas"]) }

// Drawn is a value that the host code computes for each launch, as Settings.drawn and Plan.Numbers
// do.
type Drawn struct{ Name, Value string }

// Drawn lists these values in an order in which each depends only on earlier ones.
func (e emitted) Drawn() []Drawn {
	s := e.Settings
	bound := func(varies string, most int) string {
		if s.Vary {
			return fmt.Sprintf(varies, most)
		}
		return fmt.Sprint(most)
	}
	percent := func(p int, drawn, otherwise string) string {
		if p == 0 {
			return otherwise
		}
		return fmt.Sprintf("draw(100) < %d ? %s : %s", p, drawn, otherwise)
	}
	together := "!drawn_turns"
	if e.meets() {
		together = "1" // a thread that waits at a barrier waits for roles of other rounds
	}
	return []Drawn{
		{"turns", percent(s.InTurns, "1", "0")},
		{"stride", fmt.Sprintf("apart(%s, %d)", bound("power_up_to(%d)", s.Stride), e.apart(0, false))},
		{"shared_stride", fmt.Sprintf("apart(%s, %d)", bound("power_up_to(%d)", s.SharedStride), e.apart(0, true))},
		{"places", fmt.Sprintf("shape.clusters + %s / %d", bound("draw(%d + 1)", s.StressCTAs), e.Shape.CTAs)},
		{"lines", bound("1 + draw(%d)", s.Lines)},
		{"patience", "drawn_turns ? 0 : " + percent(s.WithoutMeeting, "0", fmt.Sprint(s.Patience))},
		{"pre_rounds", percent(s.WithoutPre, "0", fmt.Sprint(s.PreRounds))},
		{"stress_rounds", percent(s.WithoutStress, "0", fmt.Sprint(s.StressRounds))},
		{"together", together},
	}
}

// Arg is a parameter with the expression with which the host code computes it.
type Arg struct {
	Param
	Value string
}

// Args returns the parameters, with C++ expressions for their values.
func (e emitted) Args() []Arg {
	var args []Arg
	for _, p := range e.Params() {
		a := Arg{Param: p}
		switch {
		case slices.Contains(e.Zeros(), p.Name):
			a.Value = "0"
		case p.Wide:
			a.Value = "buffer_" + p.Name
		case e.same[p.Name] != "":
			a.Value = "p_" + e.same[p.Name]
		case p.Name == "launch":
			a.Value = "(unsigned)launches + 1"
		case slices.Contains([]string{"clusters", "warps", "instances", "playing"}, p.Name):
			a.Value = "shape." + p.Name
		case slices.ContainsFunc(e.Drawn(), func(d Drawn) bool { return d.Name == p.Name }):
			a.Value = "drawn_" + p.Name
		case p.Name == "conflicts_at":
			a.Value = fmt.Sprintf("%d * shape.warps * drawn_shared_stride", e.origins()*e.sharedSlots*WarpSize)
		case strings.HasSuffix(p.Name, "_mul") && e.Settings.Permute:
			a.Value = fmt.Sprintf("coprime(%s)", bound(p.Name))
		case strings.HasSuffix(p.Name, "_add") && e.Settings.Permute:
			a.Value = fmt.Sprintf("draw(%s)", bound(p.Name))
		case p.Name == "first" && e.Settings.OneInstance && e.Settings.Permute:
			a.Value = "draw(shape.instances)"
		default:
			a.Value = fmt.Sprint(e.fixed[p.Name])
		}
		args = append(args, a)
	}
	return args
}

// bound returns the modulus of a permutation.
func bound(name string) string {
	switch {
	case strings.HasPrefix(name, "cluster"):
		return "drawn_places"
	case strings.HasPrefix(name, "warp"):
		return "shape.warps"
	}
	return "shape.instances"
}

// SharedOf returns the bytes of shared memory of a CTA in a launch of a shape.
func (e emitted) SharedOf(s Shape) int { return e.SharedBytes(e.Settings, s) }

// PlayingOf returns the number of instances that a launch of a shape plays.
func (e emitted) PlayingOf(s Shape) int { return e.Settings.Playing(s) }

// Satisfied returns a C++ expression for the proposition of the condition over the values of a row.
func (e emitted) Satisfied() string { return e.propText(e.Program.Normalize(e.Test.Cond.Prop)) }

// Aliases reports whether some memory has several names.
func (e emitted) Aliases() bool { return len(e.Memory) < len(e.Buffers) }

// UsesClusters reports whether the test is launched in clusters.
func (e emitted) UsesClusters() bool { return e.clusterSize(e.Shape) > 0 }

// Counted returns the number of counters, and Unfinished the index of the one for loops that timed
// out.
func (e emitted) Counted() int    { return countedRows }
func (e emitted) Unfinished() int { return tableRows + FaultUnfinished }

// Align returns the alignment of the memory of instances.
func (e emitted) Align() int { return e.align }

// Tally returns the bytes of shared memory of a CTA that counts.
func (e emitted) Tally() int { return tallyBytes }

// Kind returns the kind of the condition, as logs name it.
func (e emitted) Kind() string { return e.Test.Cond.Quant.Kind().String() }

// Holds returns a C++ expression: the condition holds for what was seen.
func (e emitted) Holds() string {
	switch e.Test.Cond.Quant {
	case litmus.NotExists:
		return "(positive == 0)"
	case litmus.Forall:
		return "(negative == 0)"
	}
	return "(positive > 0)"
}

// propText returns a proposition as a C++ expression over v, the observed values.
func (p *Plan) propText(prop litmus.Prop) string {
	switch x := prop.(type) {
	case litmus.Truth:
		return map[bool]string{true: "1", false: "0"}[bool(x)]
	case litmus.Not:
		return "!" + p.propText(x.X)
	case litmus.Binary:
		left := p.propText(x.X)
		if x.Op == litmus.Implies {
			left = "!" + left
		}
		return "(" + left +
			map[litmus.Connective]string{litmus.And: " && ", litmus.Or: " || ", litmus.Implies: " || "}[x.Op] +
			p.propText(x.Y) + ")"
	case litmus.Atom:
		op := x.Op.String()
		if x.Op == litmus.Equal {
			op = "=="
		}
		wide := p.wide(x.X) || p.wide(x.Y)
		return fmt.Sprintf("(%s %s %s)", p.operandText(x.X, wide), op, p.operandText(x.Y, wide))
	}
	panic(fmt.Sprintf("no such proposition: %T", prop))
}

// column returns the first column of an operand, or -1 for a number.
func (p *Plan) column(o litmus.Operand) int {
	return slices.IndexFunc(p.seen, func(s observable) bool { return o.Ref != nil && s.ref.String() == o.Ref.String() })
}

// wide reports whether an operand has 64 bits.
func (p *Plan) wide(o litmus.Operand) bool {
	i := p.column(o)
	return i >= 0 && p.seen[i].half == low
}

// operandText returns an operand of a comparison, with 64 bits if wide.
func (p *Plan) operandText(o litmus.Operand, wide bool) string {
	switch i := p.column(o); {
	case i < 0 && wide:
		return fmt.Sprintf("(long long)%dU", uint64(o.Const.Int)) // C++ has no literal for the least number
	case i < 0:
		return fmt.Sprint(int32(o.Const.Int))
	case p.wide(o):
		return fmt.Sprintf("both(v + %d)", i)
	default:
		return fmt.Sprintf("v[%d]", i)
	}
}

// cString returns a text as a C++ string literal.
func cString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
