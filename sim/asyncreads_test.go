package sim_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/sim"
)

// TestGeneratedAsyncIsTheText compares what the model ptx says of generated tests with asynchronous operations with what
// asynctext_test.go says of the same programs.
func TestGeneratedAsyncIsTheText(t *testing.T) {
	m := loadModel(t, "ptx")
	config := sim.Defaults()
	config.Want = sim.States
	seen := map[string]int{}
	n := sample.Of(4000, 400)
	for test, err := range gen.Sample(gen.Distinct(gen.FindPreset("async").Cycles(t.Context()), &gen.Counts{}), n, 7) {
		if err != nil {
			t.Fatal(err)
		}
		text := test.String()
		p, err := readAsyncProgram(text)
		if err != nil {
			seen["not read"]++
			continue
		}
		want, err := p.answer(fewReadings)
		if err != nil {
			seen[err.Error()]++
			continue
		}
		got := run(t, load(t, text, config), m)
		allowed := want.some(conjunction(text, p.renamed))
		if allowed != (got.Outcome() == sim.Allowed) {
			t.Errorf("the text allows the condition: %v, the model says %v\n%s", allowed, got.Outcome(), text)
		}
		for flag, raised := range want.flags {
			if slices.Contains(got.Flags, flag) != raised {
				t.Errorf("the flag %s must be raised: %v\n%s", flag, raised, text)
			}
		}
		seen[fmt.Sprintf("allowed %v", allowed)]++
		seen["multicast"] += strings.Count(text, ".multicast::cluster")
	}
	if seen["allowed true"] < n/3 || seen["allowed false"] < n/20 || seen["multicast"] < n/200 || seen["not read"] > n/4 {
		t.Errorf("what was seen of %d tests: %v", n, seen)
	}
}

// some reports that a state has all the values.
func (a *asyncAnswer) some(values []string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(a.states)), func(state string) bool {
		return !slices.ContainsFunc(values, func(v string) bool { return !strings.Contains("; "+state, "; "+v+"; ") })
	})
}

// conjunction are the values for which a generated test asks, with the names of locations in the program that was read.
func conjunction(text string, renamed map[string]string) (values []string) {
	_, condition, _ := strings.Cut(text, "exists (")
	for _, v := range strings.Split(strings.TrimSuffix(strings.TrimSpace(condition), ")"), ` /\ `) {
		v = strings.NewReplacer("[", "", "]", "").Replace(v)
		if name, value, _ := strings.Cut(v, "="); renamed[name] != "" {
			v = "[" + renamed[name] + "]=" + value
		}
		values = append(values, v)
	}
	return values
}

// readAsyncProgram reads a generated test. It is an error if it has something that the programs do not have.
func readAsyncProgram(text string) (*generatedAsync, error) {
	g := &generatedAsync{asyncProgram: &asyncProgram{initial: map[string]int{}, cluster: strings.Contains(text, ",cluster ")}, renamed: map[string]string{}}
	head, rest, _ := strings.Cut(text, "\n}\n")
	table, condition, _ := strings.Cut(rest, "exists")
	for _, m := range regexp.MustCompile(`\b([a-z]\d*)=(\d+);`).FindAllStringSubmatch(head, -1) {
		if m[1][0] == 'm' {
			continue
		}
		name := "g" + m[1]
		if strings.Contains(table, m[1]+": shared") {
			name = "s" + m[1]
		}
		g.renamed[m[1]] = name
		g.initial[name], _ = strconv.Atoi(m[2])
	}
	for row := range strings.Lines(table) {
		if !strings.HasSuffix(row, ";\n") {
			continue
		}
		for t, cell := range strings.Split(strings.TrimSuffix(strings.TrimSpace(row), ";"), "|") {
			if err := g.cell(t, strings.TrimSpace(cell)); err != nil {
				return nil, fmt.Errorf("%w: %s", err, condition)
			}
		}
	}
	g.replicate()
	return g, nil
}

// generatedAsync is a generated test as a program.
type generatedAsync struct {
	*asyncProgram
	renamed map[string]string // locations: those of shared memory begin with s, others with g
}

var errNotRead = errors.New("the programs of these tests have no such thing")

// A generatedForm is how generated tests write an instruction. The operands are the places that its letters name: [t]o, [f]rom, [b]arrier,
// [n]umber, [m]ask, [r]egister; - is nothing.
type generatedForm struct {
	text     string
	operands string
	asyncInstr
}

var generatedForms = []generatedForm{
	{"mbarrier.init.b64", "bn", asyncInstr{kind: barrierInit}},
	{"mbarrier.arrive.expect_tx.b64", "-bn", asyncInstr{kind: barrierArrive}},
	{"mbarrier.arrive.b64", "-b", asyncInstr{kind: barrierArrive}},
	{"mbarrier.arrive.release.cluster.shared::cluster.b64", "-o", asyncInstr{kind: remoteArrive, order: "release.cluster"}},
	{"mbarrier.try_wait.parity.b64", "-bn", asyncInstr{kind: barrierSpin}},
	{"mbarrier.try_wait.parity.acquire.cluster.b64", "-bn", asyncInstr{kind: barrierSpin, order: "acquire.cluster"}},
	{"bar.sync", "n", asyncInstr{kind: ctaBarrier}},
	{"barrier.cluster.wait", "", asyncInstr{kind: clusterBarrier}},
	{"ld.weak", "rf", asyncInstr{kind: plainLoad}},
	{"ld.acquire.cta", "rf", asyncInstr{kind: plainLoad, order: "acquire.cta"}},
	{"st.weak", "tn", asyncInstr{kind: plainStore}},
	{"st.release.cta", "tn", asyncInstr{kind: plainStore, order: "release.cta"}},
	{"fence.proxy.async", "", asyncInstr{kind: proxyFence}},
	{"fence.proxy.async.global", "", asyncInstr{kind: proxyFence, space: ".global"}},
	{"fence.proxy.async.shared::cta", "", asyncInstr{kind: proxyFence, space: ".shared::cta"}},
	{"cp.async.ca.shared.global", "tf-", asyncInstr{kind: smallCopy}},
	{"cp.async.commit_group", "", asyncInstr{kind: smallCommit}},
	{"cp.async.wait_group", "n", asyncInstr{kind: smallWait}},
	{"cp.async.mbarrier.arrive.noinc.b64", "b", asyncInstr{kind: smallArrive, flag: true}},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", "tf-b", asyncInstr{kind: bulkLoad}},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster", "tf-bm", asyncInstr{kind: bulkLoad}},
	{"cp.async.bulk.global.shared::cta.bulk_group", "tf-", asyncInstr{kind: bulkStore}},
	{"cp.async.bulk.commit_group", "", asyncInstr{kind: bulkCommit}},
	{"cp.async.bulk.wait_group", "n", asyncInstr{kind: bulkWait}},
	{"cp.async.bulk.wait_group.read", "n", asyncInstr{kind: bulkWait, flag: true}},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", "rtf-----", asyncInstr{kind: product}},
	{"wgmma.fence.sync.aligned", "", asyncInstr{kind: productFence}},
	{"wgmma.commit_group.sync.aligned", "", asyncInstr{kind: productCommit}},
	{"wgmma.wait_group.sync.aligned", "n", asyncInstr{kind: productWait}},
}

var inCell = regexp.MustCompile(`^(?:WAIT\d+: )?([a-z][\w.:]*) ?(.*)$`)

// cell reads a cell of the table: the place of a thread, or its next instruction.
func (g *generatedAsync) cell(t int, cell string) error {
	var thread, cta int
	if n, _ := fmt.Sscanf(cell, "P%d@cta %d", &thread, &cta); n == 2 {
		if cta > 1 {
			return errNotRead
		}
		g.ctas, g.threads = append(g.ctas, cta), append(g.threads, nil)
		return nil
	}
	found := inCell.FindStringSubmatch(cell)
	switch {
	case cell == "", strings.HasPrefix(cell, "@!"), cell == "barrier.cluster.arrive.relaxed", cell == "fence.mbarrier_init.release.cluster":
		return nil // a part of what is read already, and of barrier.cluster.wait
	case found == nil:
		return errNotRead
	}
	i := slices.IndexFunc(generatedForms, func(f generatedForm) bool { return f.text == found[1] })
	if i < 0 {
		return errNotRead
	}
	in := generatedForms[i].asyncInstr
	if err := g.operands(&in, generatedForms[i].operands, found[2]); err != nil {
		return err
	}
	far := in.kind == bulkLoad && in.mask == 0 && slices.ContainsFunc(g.ctas, func(cta int) bool { return cta != g.ctas[t] })
	if far { // it may be to the shared memory of the other CTA, by the name that it has there
		return errNotRead
	}
	g.threads[t] = append(g.threads[t], in)
	return nil
}

// operands reads the operands of an instruction.
func (g *generatedAsync) operands(in *asyncInstr, kinds, text string) (err error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[]{}, ", r) })
	if len(words) != len(kinds) {
		return errNotRead
	}
	for i, word := range words {
		switch kinds[i] {
		case 't':
			in.to = g.renamed[word]
		case 'f':
			in.from = g.renamed[word]
		case 'b':
			in.barrier = word
		case 'o':
			in.remote = word
		case 'r':
			in.register = word
		case 'n':
			in.n, err = strconv.Atoi(word)
		case 'm':
			in.mask, err = strconv.Atoi(word)
		}
		if err != nil {
			return errNotRead
		}
	}
	return nil
}
