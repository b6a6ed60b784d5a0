package barrier

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
)

// visitsOf reads what a thread does: "s0/2" arrives and waits at barrier 0 of the CTA, which counts
// two; "a0/2" arrives there, "w0" waits, "s0" waits for all threads with barrier 0 in their code.
// "r0" is "s0" by a register, so that the barrier is not in the code. Capitals are barriers by
// turns. "|0+" and "#0-" reduce votes, for and against: whether one votes for, and how many do. The
// second event of a visit follows the first.
func visitsOf(text string) (visits []Visit) {
	for i, word := range strings.Fields(text) {
		v := Visit{At: Barrier{Key: word[1:2], Level: Everyone}, Arrive: 2 * i, Wait: 2*i + 1, Releases: true}
		switch op := strings.ToLower(word[:1]); op {
		case "a":
			v.Wait = None
		case "w":
			v.Arrive = None
		case "|", "#":
			v.At.Reduce = map[string]Reduction{"|": AnyVotes, "#": CountVotes}[op]
			v.Vote = word[2] == '+'
		}
		v.At.ByTurn = strings.Contains("SAW", word[:1])
		if _, count, counts := strings.Cut(word, "/"); counts {
			v.Count, _ = strconv.Atoi(count)
		}
		visits = append(visits, v)
	}
	return visits
}

// tracksOf returns the tracks of a thread that goes on after each wait, with each result that a
// barrier for the given number of threads may return, or that waits there for ever.
func tracksOf(visits []Visit, threads int) (tracks []Track) {
	var expand func(before []Visit, left []Visit)
	expand = func(before, left []Visit) {
		if len(left) == 0 {
			tracks = append(tracks, Track{Visits: before})
			return
		}
		v := left[0]
		if v.waits() {
			tracks = append(tracks, Track{append(slices.Clip(before), v), true})
		}
		for v.Result = range int64(threads + 1) {
			if v.Result == 0 || v.At.Reduce == CountVotes || v.At.Reduce == AnyVotes && v.Result == 1 {
				expand(append(slices.Clip(before), v), left[1:])
			}
		}
	}
	expand(nil, visits)
	return tracks
}

// program returns the program of threads of one CTA. Each thread takes one of its ways.
func program(rules Rules, threads ...[]string) *Program {
	code, tracks := make([][]Barrier, len(threads)), make([][]Track, len(threads))
	for t, ways := range threads {
		for _, way := range ways {
			visits := visitsOf(way)
			for i := range visits {
				byRegister := strings.HasPrefix(strings.Fields(way)[i], "r")
				if v := &visits[i]; !byRegister && (v.arrives() || !rules.LateArrivals) {
					code[t] = with(code[t], v.At)
				}
			}
			tracks[t] = append(tracks[t], tracksOf(visits, len(threads))...)
		}
	}
	return NewProgram(rules, make([]event.Thread, len(threads)), code, tracks)
}

// onlyWay returns the program of threads with one way each.
func onlyWay(rules Rules, threads ...string) *Program {
	ways := make([][]string, len(threads))
	for t, way := range threads {
		ways[t] = []string{way}
	}
	return program(rules, ways...)
}

// ptx and c are the rules of the languages.
var (
	ptx = Rules{SelfPairs: true}
	c   = Rules{LateArrivals: true}
)

// each calls visit with each combination of the paths of a program.
func (p *Program) each(visit func(which []int)) {
	sizes := make([]int, len(p.tracks))
	for t := range sizes {
		sizes[t] = len(p.tracks[t])
	}
	combine(sizes, func([]int) bool { return true }, func(which []int) bool {
		visit(which)
		return true
	})
}

// combinations returns how many there are.
func (p *Program) combinations() int {
	n := 1
	for _, of := range p.tracks {
		n *= len(of)
	}
	return n
}

// texts lists pairs in some order that does not depend on how they were found.
func (m *Meeting) texts() (all []string) {
	first := make([]event.ID, len(m.tracks))
	for t := range first {
		first[t] = 100 * t
	}
	m.Pairs(first, func(pairs Pairs) bool {
		for _, some := range [][]event.Pair{pairs.Awaited, pairs.Syncbar} {
			slices.SortFunc(some, func(a, b event.Pair) int { return slices.Compare(a[:], b[:]) })
		}
		all = append(all, fmt.Sprint(pairs))
		return true
	})
	return all
}

// ways lists the pairs of each way in which threads meet that take some paths.
func (p *Program) ways(t *testing.T, which []int) (all []string) {
	p.Meet(which, NewBudget(t.Context()), func(m *Meeting) bool {
		all = append(all, m.texts()...)
		return true
	})
	slices.Sort(all)
	return all
}

// drawThreads draws two to four threads, whose ways have some of the words. Longer ones are fewer.
func drawThreads(t *rapid.T, words []string) (threads [][]string) {
	n := rapid.IntRange(2, 4).Draw(t, "threads")
	for range n {
		var ways []string
		for range rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "ways") {
			ways = append(ways, strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 6-n).Draw(t, "way"), " "))
		}
		threads = append(threads, ways)
	}
	return threads
}

// ofManual are visits to barriers that can be reused as soon as they complete. byTurns are visits
// to barriers by turns. byRegister are visits to barriers that include some whose name is in a
// register, not in the code.
var (
	ofManual   = []string{"s0", "s0/2", "s1/2", "s1/3", "a0/2", "a1/2", "s2/2", "|0+", "|0-", "#2+"}
	byTurns    = []string{"S0", "S0", "A0", "W0", "S1/2", "A1/2", "W1/2", "S2/3", "S3/1"}
	byRegister = []string{"r0", "r0", "s0", "r1", "s1/2", "a1/2"}
)

// drawRendezvous draws threads by rounds in which some of them meet, at barriers that count. Some
// arrivals do not wait; now and then one is missing, or the thread may stop before.
func drawRendezvous(t *rapid.T) [][]string {
	threads := make([][]string, rapid.IntRange(2, 3).Draw(t, "threads"))
	for i := range threads {
		threads[i] = []string{""}
	}
	for range rapid.IntRange(1, 5).Draw(t, "rounds") {
		barrier := rapid.IntRange(0, 1).Draw(t, "barrier")
		who := rapid.Permutation([]int{0, 1, 2}[:len(threads)]).Draw(t, "who")
		who = who[:rapid.IntRange(2, len(threads)).Draw(t, "comers")]
		for i, w := range who {
			how := "s"
			if i > 0 {
				how = rapid.SampledFrom([]string{"s", "a"}).Draw(t, "how")
			}
			odd := rapid.IntRange(0, 15).Draw(t, "odd")
			if odd == 0 {
				continue
			}
			if odd == 1 {
				threads[w] = append([]string{threads[w][0]}, threads[w]...)
			}
			threads[w][0] += fmt.Sprintf(" %s%d/%d", how, barrier, len(who))
		}
	}
	return threads
}
