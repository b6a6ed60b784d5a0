package asynctext

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ReadGenerated parses a generated test. It returns an error for constructs that programs lack.
func ReadGenerated(text string) (*Generated, error) {
	g := &Generated{
		Program: &Program{Initial: map[string]int{}, Cluster: strings.Contains(text, ",cluster ")},
		Renamed: map[string]string{},
	}
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
		g.Renamed[m[1]] = name
		g.Initial[name], _ = strconv.Atoi(m[2])
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

// Generated is a generated test as a program.
type Generated struct {
	*Program
	Renamed map[string]string // locations: names in shared memory begin with s, others with g
}

var errNotRead = errors.New("the programs of these tests have no such thing")

// generatedForm is the syntax of an instruction in generated tests. The letters of operands name
// their roles: [t]o, [f]rom, [b]arrier, [n]umber, [m]ask, [r]egister; - is ignored.
type generatedForm struct {
	text     string
	operands string
	Instr
}

var generatedForms = []generatedForm{
	{"mbarrier.init.b64", "bn", Instr{Kind: barrierInit}},
	{"mbarrier.arrive.expect_tx.b64", "-bn", Instr{Kind: BarrierArrive}},
	{"mbarrier.arrive.b64", "-b", Instr{Kind: BarrierArrive}},
	{"mbarrier.arrive.release.cluster.shared::cluster.b64", "-o", Instr{Kind: RemoteArrive, Order: "release.cluster"}},
	{"mbarrier.try_wait.parity.b64", "-bn", Instr{Kind: BarrierSpin}},
	{"mbarrier.try_wait.parity.acquire.cluster.b64", "-bn", Instr{Kind: BarrierSpin, Order: "acquire.cluster"}},
	{"bar.sync", "n", Instr{Kind: CTABarrier}},
	{"barrier.cluster.wait", "", Instr{Kind: clusterBarrier}},
	{"ld.weak", "rf", Instr{Kind: PlainLoad}},
	{"ld.acquire.cta", "rf", Instr{Kind: PlainLoad, Order: "acquire.cta"}},
	{"st.weak", "tn", Instr{Kind: PlainStore}},
	{"st.release.cta", "tn", Instr{Kind: PlainStore, Order: "release.cta"}},
	{"fence.proxy.async", "", Instr{Kind: ProxyFence}},
	{"fence.proxy.async.global", "", Instr{Kind: ProxyFence, Space: ".global"}},
	{"fence.proxy.async.shared::cta", "", Instr{Kind: ProxyFence, Space: ".shared::cta"}},
	{"cp.async.ca.shared.global", "tf-", Instr{Kind: SmallCopy}},
	{"cp.async.commit_group", "", Instr{Kind: SmallCommit}},
	{"cp.async.wait_group", "n", Instr{Kind: SmallWait}},
	{"cp.async.mbarrier.arrive.noinc.b64", "b", Instr{Kind: SmallArrive, Flag: true}},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", "tf-b", Instr{Kind: BulkLoad}},
	{
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster", "tf-bm",
		Instr{Kind: BulkLoad},
	},
	{"cp.async.bulk.global.shared::cta.bulk_group", "tf-", Instr{Kind: BulkStore}},
	{"cp.async.bulk.commit_group", "", Instr{Kind: BulkCommit}},
	{"cp.async.bulk.wait_group", "n", Instr{Kind: BulkWait}},
	{"cp.async.bulk.wait_group.read", "n", Instr{Kind: BulkWait, Flag: true}},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", "rtf-----", Instr{Kind: Product}},
	{"wgmma.fence.sync.aligned", "", Instr{Kind: ProductFence}},
	{"wgmma.commit_group.sync.aligned", "", Instr{Kind: ProductCommit}},
	{"wgmma.wait_group.sync.aligned", "n", Instr{Kind: ProductWait}},
}

var inCell = regexp.MustCompile(`^(?:WAIT\d+: )?([a-z][\w.:]*) ?(.*)$`)

// cell parses a cell of the table: the placement of a thread, or its next instruction.
func (g *Generated) cell(t int, cell string) error {
	var thread, cta int
	if n, _ := fmt.Sscanf(cell, "P%d@cta %d", &thread, &cta); n == 2 {
		if cta > 1 {
			return errNotRead
		}
		g.CTAs, g.Threads = append(g.CTAs, cta), append(g.Threads, nil)
		return nil
	}
	found := inCell.FindStringSubmatch(cell)
	switch {
	case cell == "", strings.HasPrefix(cell, "@!"), cell == "barrier.cluster.arrive.relaxed", cell ==
		"fence.mbarrier_init.release.cluster":
		return nil // part of an earlier instruction, or barrier.cluster.wait
	case found == nil:
		return errNotRead
	}
	i := slices.IndexFunc(generatedForms, func(f generatedForm) bool { return f.text == found[1] })
	if i < 0 {
		return errNotRead
	}
	in := generatedForms[i].Instr
	if err := g.operands(&in, generatedForms[i].operands, found[2]); err != nil {
		return err
	}
	far := in.Kind == BulkLoad && in.Mask == 0 &&
		slices.ContainsFunc(g.CTAs, func(cta int) bool { return cta != g.CTAs[t] })
	if far { // possibly to the shared memory of the other CTA, under its name there
		return errNotRead
	}
	g.Threads[t] = append(g.Threads[t], in)
	return nil
}

// operands parses the operands of an instruction.
func (g *Generated) operands(in *Instr, kinds, text string) (err error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[]{}, ", r) })
	if len(words) != len(kinds) {
		return errNotRead
	}
	for i, word := range words {
		switch kinds[i] {
		case 't':
			in.To = g.Renamed[word]
		case 'f':
			in.From = g.Renamed[word]
		case 'b':
			in.Barrier = word
		case 'o':
			in.Remote = word
		case 'r':
			in.register = word
		case 'n':
			in.N, err = strconv.Atoi(word)
		case 'm':
			in.Mask, err = strconv.Atoi(word)
		}
		if err != nil {
			return errNotRead
		}
	}
	return nil
}
