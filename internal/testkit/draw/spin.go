package draw

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// CountRound counts an iteration of a loop in a register that the states show,
// so that every iteration is observable.
const CountRound = "add r9, r9, 1"

// Spin draws a test with a writer and threads that wait in loops of reads and fences: "while
// (!flag) fence", and the reader of a seqlock.
func Spin(t *rapid.T) string {
	threads := []string{writer(t), waiter(t), other(t)}
	cells, rows := make([][]string, len(threads)), 0
	for i, code := range threads {
		cells[i] = strings.Split(strings.TrimSuffix(code, ";"), ";")
		rows = max(rows, len(cells[i]))
	}
	place := rapid.SampledFrom([]string{"P0@cta 0 | P1@cta 1 | P2@cta 2", "P0@cta 0 | P1@cta 0 | P2@cta 1"}).Draw(t,
		"place")
	text := "PTX spin\n{ x=0; y=0; P1:r1=0; P1:r2=0; P2:r1=0; P2:r2=0; P1:r9=0; P2:r9=0; }\n" + place + " ;\n"
	for r := range rows {
		row := make([]string, len(threads))
		for i := range threads {
			if r < len(cells[i]) {
				row[i] = cells[i][r]
			}
		}
		text += strings.Join(row, " | ") + " ;\n"
	}
	return text + "locations [x; y; P1:r1; P1:r2; P2:r1; P2:r2; P1:r9; P2:r9]\nforall (true)\n"
}

func fence(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"fence.sc.gpu", "fence.sc.cta", "fence.acq_rel.gpu", "fence.acquire.gpu", "fence.release.gpu", "membar.gl",
		"fence.proxy.alias",
	}).Draw(t, "fence") + " ;"
}

func loadOf(t *rapid.T, register, location string) string {
	order := rapid.SampledFrom([]string{"weak", "relaxed.gpu", "acquire.gpu"}).Draw(t, "order")
	return fmt.Sprintf("ld.%s %s, %s ;", order, register, location)
}

func storeOf(t *rapid.T, location string, value int) string {
	order := rapid.SampledFrom([]string{"weak", "relaxed.gpu", "release.gpu"}).Draw(t, "order")
	return fmt.Sprintf("st.%s %s, %d ;", order, location, value)
}

// writer writes the data and the flag, or the flag around the data.
func writer(t *rapid.T) string {
	if rapid.Bool().Draw(t, "seqlock") {
		return storeOf(t, "x", 1) + fence(t) + storeOf(t, "y", 1) + fence(t) + storeOf(t, "x", 2)
	}
	return storeOf(t, "y", 1) + fence(t) + storeOf(t, "x", 1)
}

// waiter spins with a fence in the loop, before or after the load of the flag.
func waiter(t *rapid.T) string {
	switch rapid.IntRange(0, 2).Draw(t, "loop") {
	case 0: // while (!x) fence;
		return "A: ;" + loadOf(t, "r1", "x") + "bne r1, 0, B ;" + fence(t) + CountRound + " ; goto A ; B: ;" +
			loadOf(t, "r2", "y")
	case 1: // do fence while (!x)
		return "A: ;" + fence(t) + loadOf(t, "r1", "x") + CountRound + " ; beq r1, 0, A ;" + loadOf(t, "r2", "y")
	} // do { r1 = x; fence; r2 = y; fence } while (x != r1)
	return "A: ;" + loadOf(t, "r1", "x") + fence(t) + loadOf(t, "r2", "y") + fence(t) + loadOf(t, "r3", "x") +
		CountRound + " ; bne r1, r3, A ;"
}

// other returns a thread that reads, with a fence or in a loop of its own, or writes.
func other(t *rapid.T) string {
	switch rapid.IntRange(0, 2).Draw(t, "other") {
	case 0:
		return loadOf(t, "r1", "y") + fence(t) + loadOf(t, "r2", "x")
	case 1:
		return storeOf(t, "y", 3) + fence(t) + loadOf(t, "r2", "x")
	}
	return "A: ;" + loadOf(t, "r1", "y") + "bne r1, 0, B ;" + fence(t) + CountRound + " ; goto A ; B: ;" +
		storeOf(t, "x", 3)
}
