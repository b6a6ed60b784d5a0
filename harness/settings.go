package harness

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

// Settings are how a test is run: the number of instances at a time, and what provokes weak
// behaviour. Among all of them, only Opaque changes the code of the kernels.
type Settings struct {
	// a launch plays one instance, as in the paper; else all that fit
	OneInstance  bool `json:"oneInstance"`
	CTAs         int  `json:"ctas"`         // bounds the CTAs that play the test
	Threads      int  `json:"threads"`      // bounds the threads of a CTA; a multiple of 32
	Stride       int  `json:"stride"`       // least distance in bytes between the memories of two instances
	SharedStride int  `json:"sharedStride"` // the same in shared memory
	// permute instances over memory, clusters over the chip, warps within their CTA; drawn for each
	// launch
	Permute     bool `json:"permute"`
	VaryThreads bool `json:"varyThreads"` // ctas and threads are bounds: each launch draws some
	// stride, sharedStride, stressCTAs and lines are bounds: each launch draws some
	Vary bool `json:"vary"`
	// how often a thread polls for the others of its instances; 0 to begin at once
	Patience     int `json:"patience"`
	LoopBound    int `json:"loopBound"`  // iterations after which a loop times out
	PreRounds    int `json:"preRounds"`  // rounds of stress by the threads of the test before they begin
	PrePattern   int `json:"prePattern"` // an index into Patterns
	StressCTAs   int `json:"stressCTAs"` // that only stress the memory
	StressRounds int `json:"stressRounds"`
	Pattern      int `json:"stressPattern"`
	// rounds in which the idle threads of a warp access one bank of shared memory; with oneInstance
	Conflicts  int `json:"conflicts"`
	Lines      int `json:"lines"`      // that are stressed
	LineStride int `json:"lineStride"` // bytes from one to the next
	// Percentages of launches that begin without meeting, without hammering before they play, or
	// without stress.
	WithoutMeeting int `json:"withoutMeeting"`
	WithoutPre     int `json:"withoutPre"`
	WithoutStress  int `json:"withoutStress"`
	// percentage of launches in which each thread plays role after role, of different instances,
	// without meeting
	InTurns int `json:"inTurns"`
	// Opaque hides from compilers which accesses have the same address, and which numbers are 0.
	Opaque bool `json:"opaque"`
}

// Incantations are the heuristics of the paper for provoking weak behaviour (ASPLOS 2015, Sec.
// 4.3); each is on or off.
type Incantations struct {
	Stress    bool // other CTAs hammer the memory
	Conflicts bool // the other threads of the warps that play have bank conflicts
	Sync      bool // the threads of an instance wait for each other before they begin
	// each launch draws the number of threads, which of them play, and where their memory is
	Randomize bool
}

// incantations are the words for incantations, with the fields that they set.
var incantations = []struct {
	word string
	of   func(*Incantations) *bool
}{
	{"stress", func(i *Incantations) *bool { return &i.Stress }},
	{"conflicts", func(i *Incantations) *bool { return &i.Conflicts }},
	{"sync", func(i *Incantations) *bool { return &i.Sync }},
	{"randomize", func(i *Incantations) *bool { return &i.Randomize }},
	{"none", func(*Incantations) *bool { return new(bool) }},
}

// IncantationWords lists the words for incantations.
func IncantationWords() []string {
	var words []string
	for _, i := range incantations {
		words = append(words, i.word)
	}
	return words
}

// ParseIncantations parses words for incantations.
func ParseIncantations(words []string) (some Incantations, err error) {
	for _, word := range words {
		i := slices.Index(IncantationWords(), word)
		if i < 0 {
			return some, fmt.Errorf("no incantation %q; there are %s", word, strings.Join(IncantationWords(), ", "))
		}
		*incantations[i].of(&some) = true
	}
	return some, nil
}

// Settings returns settings in the paper's style: one instance per launch, and the incantations.
func (i Incantations) Settings() Settings {
	s := Settings{
		OneInstance:  true,
		CTAs:         16,
		Threads:      256,
		Stride:       4,
		SharedStride: 4,
		LoopBound:    1000,
		Lines:        64,
		LineStride:   256,
		Permute:      i.Randomize, VaryThreads: i.Randomize,
	}
	if i.Stress {
		s.StressCTAs, s.StressRounds = 64, 64
	}
	if i.Conflicts {
		s.Conflicts = 64
	}
	if i.Sync {
		s.Patience = 100
	}
	return s
}

// Usual returns settings that were not searched for. Launches vary, because what shows the weak
// behaviour of one test hides that of another: in some, instances share a line of memory, because a
// stale cache shows only if something else was loaded with its line; and some launches omit each
// kind of provocation (Levine et al., ASPLOS 2023, tune percentages of all of these).
func Usual() Settings {
	return Settings{
		CTAs: 256, Threads: 256, Stride: 16, SharedStride: 4, Permute: true, Vary: true, Patience: 100, LoopBound: 1000,
		PreRounds: 4, PrePattern: 1, StressCTAs: 64, StressRounds: 64, Pattern: 0, Lines: 64, LineStride: 256,
		WithoutMeeting: 5, WithoutPre: 25, WithoutStress: 25, InTurns: 5,
	}
}

// Few returns settings for an interpreter: there is no weak behaviour to provoke, and each instance
// takes time.
func Few() Settings {
	s := Usual()
	s.CTAs, s.Threads, s.StressCTAs, s.StressRounds, s.PreRounds, s.Patience, s.LoopBound = 4, 128, 1, 2, 1, 40, 50
	return s
}

// Shape is the size of a launch: the number of clusters, of CTAs in each, of warps in each and of
// lanes in each that play.
type Shape struct{ Clusters, CTAs, Warps, Lanes int }

// Instances returns the number of instances of the test in a launch.
func (s Shape) Instances() int { return s.Clusters * s.CTAs * s.Warps * s.Lanes }

// check reports settings with which no test can be run. The error is an *Unfit.
func (s Settings) check() error {
	const mostRounds = 1 << 20 // some seconds of hammering, longer than any kernel with a time limit
	for _, field := range []struct {
		name               string
		value, least, most int
		multiple           int // the value must be a multiple of this; 0 for any number
	}{
		{"ctas", s.CTAs, 1, mostCTAs, 0},
		{"threads", s.Threads, WarpSize, mostThreads, WarpSize},
		{"stride", s.Stride, 0, 1 << 20, 4},
		{"sharedStride", s.SharedStride, 0, 1 << 20, 4},
		{"patience", s.Patience, 0, mostRounds, 0},
		{"loopBound", s.LoopBound, 1, mostRounds, 0},
		{"preRounds", s.PreRounds, 0, mostRounds, 0},
		{"prePattern", s.PrePattern, 0, len(Patterns) - 1, 0},
		{"stressCTAs", s.StressCTAs, 0, mostCTAs, 0},
		{"stressRounds", s.StressRounds, 0, mostRounds, 0},
		{"stressPattern", s.Pattern, 0, len(Patterns) - 1, 0},
		{"conflicts", s.Conflicts, 0, mostRounds, 0},
		{"lines", s.Lines, 1, 1 << 20, 0},
		{"lineStride", s.LineStride, 4, 1 << 20, 4},
		{"withoutMeeting", s.WithoutMeeting, 0, 100, 0},
		{"withoutPre", s.WithoutPre, 0, 100, 0},
		{"withoutStress", s.WithoutStress, 0, 100, 0},
		{"inTurns", s.InTurns, 0, 100, 0},
	} {
		if field.value < field.least || field.value > field.most {
			return unfit("%s is %d, and must be from %d to %d", field.name, field.value, field.least, field.most)
		}
		if field.multiple > 0 && field.value%field.multiple != 0 {
			return unfit("%s is %d, and must be a multiple of %d", field.name, field.value, field.multiple)
		}
	}
	if s.CTAs+s.StressCTAs > mostCTAs {
		return unfit("ctas and stressCTAs are %d, and must be at most %d", s.CTAs+s.StressCTAs, mostCTAs)
	}
	if stressed := s.Lines * s.LineStride; stressed > mostStressed {
		return unfit("lines of lineStride bytes are %d bytes, and must be at most %d", stressed, mostStressed)
	}
	return nil
}

// Shape fits the settings to the test: where roles have different coordinates, the number is a
// multiple of the number of roles and at least that number, so that settings found with small tests
// serve large ones. The error is an *Unfit.
func (p *Plan) Shape(s Settings) (Shape, error) {
	if err := s.check(); err != nil {
		return Shape{}, err
	}
	n := len(p.roles)
	fit := func(most int, different bool) int {
		if different {
			return max(n, most/n*n)
		}
		return max(1, most)
	}
	differ := func(coordinate func(offset) int) bool {
		for _, r := range p.roles {
			if coordinate(r.offset) != 0 {
				return true
			}
		}
		return false
	}
	shape := Shape{CTAs: 1, Lanes: fit(WarpSize, p.lanes)}
	if p.clusters {
		shape.CTAs = n
	}
	shape.Warps = fit(s.Threads/WarpSize, differ(func(o offset) int { return o.warp }))
	shape.Clusters = fit(s.CTAs/shape.CTAs, differ(func(o offset) int { return o.cluster }))
	if s.OneInstance && p.meets() {
		return Shape{},
			unfit("the barriers of %s need whole warps: it cannot be run one instance at a time", p.Test.Name.Text)
	}
	if n := p.barriers(); n > 0 {
		shape.Warps = fit(min(shape.Warps, maxBarriers/n), differ(func(o offset) int { return o.warp }))
		if n*shape.Warps > maxBarriers {
			return Shape{},
				unfit("%s needs %d barriers, and a CTA has %d", p.Test.Name.Text, n*shape.Warps, maxBarriers)
		}
	}
	// Kernels compute the addresses of results with 32 bits (assembler.index).
	if rows := max(len(p.seen), 2*len(p.locs), 1); shape.Instances() > math.MaxUint32/rows {
		return Shape{},
			unfit("%d instances of %s have more than 2^32 results: take fewer ctas or threads",
				shape.Instances(), p.Test.Name.Text)
	}
	return shape, nil
}

// fitted returns the settings with the stride in shared memory, and then the number of threads,
// reduced as far as the shared memory of a CTA requires: settings found with tests of global memory
// serve tests with much shared memory, too.
func (p *Plan) fitted(s Settings) Settings {
	for {
		shape, err := p.Shape(s)
		switch {
		case err != nil || p.SharedBytes(s, shape) <= p.Target.shared():
			return s
		case s.SharedStride > 4:
			s.SharedStride = max(4, s.SharedStride/8*4)
		case s.Threads > WarpSize:
			s.Threads = max(WarpSize, s.Threads/2/WarpSize*WarpSize)
		default:
			return s
		}
	}
}

// drawShape draws the shape of one launch, which fits into the memory of the largest.
func (p *Plan) drawShape(s Settings, largest Shape, random *rand.Rand) Shape {
	if !s.VaryThreads {
		return largest
	}
	for range 10 {
		s.CTAs, s.Threads = 1+random.IntN(s.CTAs), WarpSize*(1+random.IntN(s.Threads/WarpSize))
		if shape, err := p.Shape(s); err == nil {
			return shape
		}
	}
	return largest
}

// mostStressed bounds the bytes of memory that are stressed: more than the caches of any GPU.
const mostStressed = 1 << 30

// mostCTAs bounds the CTAs that can be permuted without an overflow of 32 bits, and mostThreads the
// threads of a CTA (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
const (
	mostCTAs    = 1 << 16
	mostThreads = 1024
)

// maxBarriers is the number of barriers of a CTA besides the one of the harness (PTX ISA, "bar").
const maxBarriers = 15

// apart returns a stride that is at least the largest slot of shared or of global memory, and that
// keeps all slots aligned.
func (p *Plan) apart(stride int, shared bool) int {
	for _, l := range p.locs {
		if l.shared == shared {
			stride = max(stride, 4*(l.elem+1), l.room)
		}
	}
	return (stride + p.align - 1) / p.align * p.align
}

// tableRows bounds the different outcomes that are counted, a power of two.
const tableRows = 1 << 12

// Buffer is memory that a run needs on the device, by the name of its parameter.
type Buffer struct {
	Name  string
	Bytes int
	Same  string // the buffer that it is another name of; or itself
	Image string // "texture" of Same, or "surface" with memory of its own; "" for memory
	GPU   int    // on which it is
	// EachLaunch says when it is set to 0: before each launch, or once.
	EachLaunch bool
}

// Buffers lists the memory of a run. The locations of a test on several GPUs are distributed over
// them in turn.
func (p *Plan) Buffers(s Settings, shape Shape) []Buffer {
	n := shape.Instances()
	var all []Buffer
	for slot := range p.Slots() {
		bytes := n * p.apart(s.Stride, false)
		if p.slotShared(slot) {
			bytes = 4
		}
		all = append(all,
			Buffer{
				Name:  SlotParam(slot),
				Bytes: bytes,
				Image: p.image(slot),
				Same:  SlotParam(p.Same(slot)),
				GPU:   p.Same(slot) % p.GPUs(),
			})
	}
	seen := max(1, len(p.seen))
	for _, b := range []Buffer{
		{Name: "results", Bytes: 4 * n * seen},
		{Name: "finals", Bytes: 4 * n * 2 * len(p.locs)},
		{Name: "unfinished", Bytes: 4 * n},
		{Name: "meeting", Bytes: 4 * n, EachLaunch: true},
		{Name: "scratch", Bytes: s.Lines * s.LineStride},
		{Name: "tags", Bytes: 8 * tableRows},
		{Name: "counts", Bytes: 8 * countedRows},
		{Name: "values", Bytes: 4 * tableRows * seen},
		{Name: "launches", Bytes: 4 * countedRows},
		{Name: "latest", Bytes: 4 * countedRows},
	} {
		b.Same = b.Name
		all = append(all, b)
	}
	if p.rank > 0 {
		all = append(all, Buffer{Name: tensorParam, Bytes: TensorMapBytes, Same: tensorParam})
	}
	return all
}

// Memory lists the memory of a run as it is allocated: each with all its names, its own name
// first. Images are not memory.
func (p *Plan) Memory(s Settings, shape Shape) (all [][]Buffer) {
	at := map[string]int{}
	buffers := p.Buffers(s, shape)
	for _, own := range []bool{true, false} {
		for _, b := range buffers {
			switch {
			case b.Image != "":
			case own && b.Same == b.Name:
				at[b.Name] = len(all)
				all = append(all, []Buffer{b})
			case !own && b.Same != b.Name:
				all[at[b.Same]] = append(all[at[b.Same]], b)
			}
		}
	}
	return all
}

// drawn returns the settings of one launch, and whether all roles of an instance are played
// together in it.
func (s Settings) drawn(random *rand.Rand) (drawn Settings, together bool) {
	if s.Vary {
		s.Stride, s.SharedStride = powerUpTo(s.Stride, random), powerUpTo(s.SharedStride, random)
		s.StressCTAs, s.Lines = random.IntN(s.StressCTAs+1), 1+random.IntN(s.Lines)
	}
	without := func(percent int, what *int) {
		if random.IntN(100) < percent {
			*what = 0
		}
	}
	without(s.WithoutMeeting, &s.Patience)
	without(s.WithoutPre, &s.PreRounds)
	without(s.WithoutStress, &s.StressRounds)
	if s.InTurns > 0 && random.IntN(100) < s.InTurns {
		s.Patience = 0
		return s, false
	}
	return s, true
}

// Numbers returns the values of the other parameters for one launch, by name.
func (p *Plan) Numbers(s Settings, shape Shape, random *rand.Rand) map[string]uint32 {
	s, together := s.drawn(random)
	n := shape.Instances()
	meeting, first, sideBySide := shape.Lanes*len(p.roles), 0, 1
	if !together && !p.meets() { // a thread that waits at a barrier waits for roles of other rounds
		sideBySide = 0
	}
	if s.OneInstance {
		meeting = len(p.roles)
		if s.Permute {
			first = random.IntN(n)
		}
	}
	values := map[string]int{
		"first": first, "playing": s.Playing(shape), "meeting_threads": meeting,
		"instances": n, "clusters": shape.Clusters, "ctas": shape.CTAs, "warps": shape.Warps, "lanes": shape.Lanes,
		"places":         shape.Clusters + s.StressCTAs/shape.CTAs,
		"stride":         p.apart(s.Stride, false),
		"shared_stride":  p.apart(s.SharedStride, true),
		"cluster_mul":    1,
		"cluster_add":    0,
		"warp_mul":       1,
		"warp_add":       0,
		"together":       sideBySide,
		"patience":       s.Patience,
		"loop_bound":     s.LoopBound,
		"pre_rounds":     s.PreRounds,
		"pre_pattern":    s.PrePattern,
		"stress_rounds":  s.StressRounds,
		"stress_pattern": s.Pattern, "lines": s.Lines, "line_stride": s.LineStride,
		"conflicts": s.Conflicts, "conflicts_at": p.testShared(s, shape), "table_mask": tableRows - 1, "launch": 1,
	}
	if s.Permute {
		values["cluster_mul"], values["cluster_add"] = coprime(values["places"], random), random.IntN(values["places"])
		values["warp_mul"], values["warp_add"] = coprime(shape.Warps, random), random.IntN(shape.Warps)
	}
	for slot := range p.Slots() {
		mul, add := 1, 0
		if s.Permute {
			mul, add = coprime(n, random), random.IntN(n)
		}
		values[SlotParam(slot)+"_mul"], values[SlotParam(slot)+"_add"] = mul, add
	}
	for slot := range p.Slots() { // a slot with several names has one position
		for _, drawn := range []string{"_mul", "_add"} {
			values[SlotParam(slot)+drawn] = values[SlotParam(p.Same(slot))+drawn]
		}
	}
	all := make(map[string]uint32, len(values))
	for name, v := range values {
		all[name] = uint32(v)
	}
	return all
}

// powerUpTo draws a power of two from 4 up to n, or n itself.
func powerUpTo(n int, random *rand.Rand) int {
	return min(n, 4<<random.IntN(bits.Len(uint(max(4, n)-1))-1))
}

// coprime draws a number from 1 to n that is coprime to n.
func coprime(n int, random *rand.Rand) int {
	for {
		if k := 1 + random.IntN(n); gcd(k, n) == 1 {
			return k
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Playing returns the number of instances that a launch plays.
func (s Settings) Playing(shape Shape) int {
	if s.OneInstance {
		return 1
	}
	return shape.Instances()
}

// SharedBytes returns the bytes of shared memory of a CTA: for the test, and for conflicts.
func (p *Plan) SharedBytes(s Settings, shape Shape) int {
	bytes := p.testShared(s, shape)
	if s.Conflicts > 0 {
		bytes += WarpSize * bankStride
	}
	return bytes
}

// testShared returns the bytes of shared memory for the locations of the test.
func (p *Plan) testShared(s Settings, shape Shape) int {
	return p.origins() * p.sharedSlots * shape.Warps * WarpSize * p.apart(s.SharedStride, true)
}
