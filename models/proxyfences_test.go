package models_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// proxied is a way to access the location x: a name, its proxy and its virtual address.
type proxied struct{ name, proxy, address string }

// ways returns the names that proxyTests declare: one for each proxy, at the address of x and at
// that of its alias g.
func ways() (all []proxied) {
	for _, address := range []string{"x", "g"} {
		all = append(all, proxied{address, "generic", address})
		for _, proxy := range []string{"surface", "texture", "constant"} {
			all = append(all, proxied{proxy[:1] + address, proxy, address})
		}
	}
	return all
}

// proxyNames declares the ways.
func proxyNames() string {
	var b strings.Builder
	b.WriteString("{ x=0; f=0; h=0; g @ generic aliases x;")
	for _, w := range ways() {
		if w.proxy != "generic" {
			fmt.Fprintf(&b, " %s @ %s aliases %s;", w.name, w.proxy, w.address)
		}
	}
	return b.String() + " }"
}

// sequences returns every sequence of at most n proxy fences of the given kinds, as cells of a
// program.
func sequences(kinds []string, n int) (all [][]string) {
	all = [][]string{nil}
	for rest := all; n > 0; n-- {
		var longer [][]string
		for _, s := range rest {
			for _, kind := range kinds {
				longer = append(longer, append(slices.Clone(s), "fence.proxy."+kind))
			}
		}
		all, rest = append(all, longer...), longer
	}
	return all
}

// proxyTests returns programs in which a thread stores to x one way, and the same or another thread
// loads it another way. Between them are proxy fences for either way in every order: in a thread
// with both accesses, in the thread of each, or in a third thread in between, in each choice of
// CTAs.
func proxyTests() (texts []string) {
	for _, store := range ways() {
		for _, load := range ways() {
			if store.proxy == "generic" || store.proxy == "surface" {
				texts = append(texts, proxyTestsOf(store, load)...)
			}
		}
	}
	return texts
}

func proxyTestsOf(store, load proxied) (texts []string) {
	write := draw.ProxyOpcodes[store.proxy].Store + ".weak " + store.name + ", 1"
	read := draw.ProxyOpcodes[load.proxy].Load + ".weak r1, " + load.name
	var kinds []string
	for _, proxy := range []string{"surface", "texture", "constant"} {
		if proxy == store.proxy || proxy == load.proxy {
			kinds = append(kinds, proxy)
		}
	}
	if store.address != load.address || len(kinds) == 0 {
		kinds = append(kinds, "alias")
	}
	add := func(ctas []int, threads ...[]string) { texts = append(texts, proxyTest(ctas, threads)) }
	for _, fences := range sequences(kinds, 3) {
		add([]int{0}, slices.Concat([]string{write}, fences, []string{read}))
	}
	for _, fences := range sequences(kinds, 2) {
		first := slices.Concat([]string{write}, fences, []string{"st.release.gpu f, 1"})
		for _, more := range sequences(kinds, 2) {
			second := slices.Concat([]string{"ld.acquire.gpu r0, f"}, more, []string{read})
			add([]int{0, 0}, first, second)
			add([]int{0, 1}, first, second)
		}
		third := slices.Concat([]string{"ld.acquire.gpu r0, f"}, fences, []string{"st.release.gpu h, 1"})
		for cta := range 3 {
			add([]int{0, cta, 1}, []string{write, "st.release.gpu f, 1"}, third, []string{"ld.acquire.gpu r0, h", read})
		}
	}
	return texts
}

// proxyTest returns a program of threads in the given CTAs of a GPU, by rows.
func proxyTest(ctas []int, threads [][]string) string {
	var heads []string
	height := 0
	for t, cells := range threads {
		heads = append(heads, fmt.Sprintf("P%d@cta %d,gpu 0", t, ctas[t]))
		height = max(height, len(cells))
	}
	rows := []string{strings.Join(heads, " | ") + " ;"}
	for i := range height {
		var row []string
		for _, cells := range threads {
			row = append(row, strings.Join(cells[min(i, len(cells)):min(i+1, len(cells))], ""))
		}
		rows = append(rows, strings.Join(row, " | ")+" ;")
	}
	last := len(threads) - 1
	return fmt.Sprintf("PTX proxies\n%s\n %s\nexists (%d:r1=0)\n", proxyNames(), strings.Join(rows, "\n "), last)
}

// TestProxyFencesAreTheText compares the results of the model ptx for all programs of proxyTests
// with those of package ptxtext, for a sample of them in make test.
func TestProxyFencesAreTheText(t *testing.T) {
	m := simtest.LoadModel(t, "ptx")
	for i, text := range proxyTests() {
		if i%sample.Of(1, 13) == 0 {
			t.Run(strconv.Itoa(i), func(t *testing.T) { compareWithText(t, m, text) })
		}
	}
}

// TestEnginesOnProxyFences compares the engines on a sample of the programs of proxyTests, under
// the models that define proxies.
func TestEnginesOnProxyFences(t *testing.T) {
	all := simtest.EveryModel(t, "PTX")
	names := []string{"ptx", "ptx-7.5", "ptx-7.5 dartagnan"}
	for i, text := range proxyTests() {
		if every := sample.Of(5, 101); i%every == 0 {
			name := names[i/every%len(names)]
			simtest.CompareEngines(t, text, sim.Defaults(), "proxies "+name, all[name])
		}
	}
}
