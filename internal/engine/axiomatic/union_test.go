package axiomatic

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/language/frontends"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// structures is the structures of a shipped test that can be united: those that terminate, those
// that are truncated, or those that never end.
func structures(t *testing.T, file string, truncated, stuck bool) (all []*event.Structure) {
	t.Helper()
	text, err := fs.ReadFile(litmustests.FS, file)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(structuresOf(t, src.NewFile(file, string(text))), func(s *event.Structure) bool {
		return s.Truncated != truncated || s.Stuck != stuck
	})
}

// program returns the program of a test.
func program(t *testing.T, file *src.File) frontend.Program {
	t.Helper()
	test, err := frontends.Shipped().Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := frontends.Shipped().Read(test, frontend.Options{Unroll: frontend.DefaultUnroll})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// structuresOf returns the structures of a test.
func structuresOf(t *testing.T, file *src.File) (all []*event.Structure) {
	t.Helper()
	for s, err := range program(t, file).Structures(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// TestUnion checks that a union, restricted to the events of one of its structures, has the sets,
// relations, events and paths of that structure.
func TestUnion(t *testing.T) {
	unions := 0
	err := fs.WalkDir(litmustests.FS, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".litmus") {
			return err
		}
		for _, kind := range []struct{ truncated, stuck bool }{{}, {truncated: true}, {stuck: true}} {
			all := structures(t, file, kind.truncated, kind.stuck)
			if len(all) < 2 {
				continue
			}
			if u, ok := unite(all); ok {
				unions++
				compareUnion(t, file, u)
			}
		}
		return nil
	})
	if err != nil || unions < 150 {
		t.Errorf("%d unions, %v", unions, err)
	}
}

func compareUnion(t *testing.T, file string, u *union) {
	t.Helper()
	of := &event.Execution{Structure: u.Structure}
	for _, m := range u.members {
		for e := range m.Events {
			if u.Events[m.at[e]] != m.Events[e] {
				t.Fatalf("%s: event %d is another in the union", file, e)
			}
		}
		for thread, which := range m.takes {
			if p := pathOf(m.Structure, thread, m.at); !u.paths[thread][which].equal(&p) {
				t.Fatalf("%s: thread %d has another path in the union", file, thread)
			}
		}
		own := &event.Execution{Structure: m.Structure}
		for _, n := range frontends.Shipped().Vocabulary().Names() {
			if n.Depends != vocab.Program || n.Chosen {
				continue
			}
			compareName(t, file, n, own, of, m.at)
		}
	}
}

func compareName(t *testing.T, file string, n vocab.Name, own, of *event.Execution, at []event.ID) {
	t.Helper()
	if n.Set {
		x, ok := own.Set(n.Name)
		y, ok2 := of.Set(n.Name)
		for e := range own.N() {
			if ok != ok2 || ok && x.Has(e) != y.Has(at[e]) {
				t.Fatalf("%s: %s of event %d differs", file, n.Name, e)
			}
		}
		return
	}
	x, ok := own.Rel(n.Name)
	y, ok2 := of.Rel(n.Name)
	for e := range own.N() {
		for f := range own.N() {
			if ok != ok2 || ok && x.Has(e, f) != y.Has(at[e], at[f]) {
				t.Fatalf("%s: %s from event %d to %d differs", file, n.Name, e, f)
			}
		}
	}
}

// TestWhoMeetsWhom checks that structures are not united if their threads take the same paths but
// meet in different ways. It differs per structure which of two threads lets a third one pass.
func TestWhoMeetsWhom(t *testing.T) {
	const text = `PTX early
{ x=0; y=0; }
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;
 st.weak x,1    | st.weak y,1    | bar.sync 1,64  ;
 bar.arrive 1,64| bar.arrive 1,64| ld.weak r0,x   ;
                |                | ld.weak r1,y   ;
exists (P2:r0=0 /\ P2:r1=0)`
	all := slices.DeleteFunc(structuresOf(t, src.NewFile("early.litmus", text)), func(s *event.Structure) bool { return s.Stuck })
	if len(all) != 2 {
		t.Fatalf("%d structures", len(all))
	}
	if _, ok := unite(all); ok {
		t.Error("they are united")
	}
	if _, ok := unite(all[:1]); !ok {
		t.Error("one is not")
	}
}

// TestWaitingApart checks that a family can be united if threads pass a barrier in one structure
// and wait there for ever in another. The event at which a thread waits for ever is not the one
// that it passes.
func TestWaitingApart(t *testing.T) {
	const text = `PTX late
{ x=0; P2:r0=0; }
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0       | P3@cta 1,gpu 0        ;
 bar.sync 0     | bar.sync 0     | ld.relaxed.gpu r0,x  | st.relaxed.gpu x,1   ;
                |                | setp.eq p,r0,0       |                       ;
                |                | @p bra E             |                       ;
                |                | bar.sync 0           |                       ;
                |                | E:                   |                       ;
exists (P2:r0=0)`
	f := program(t, src.NewFile("late.litmus", text)).Family(t.Context())
	if f == nil || len(f.Teams) != 2 || len(f.Teams[0].Takes) != 2 {
		t.Fatalf("%+v", f)
	}
	if u, ok := uniteFamily(f, Endless); !ok || u == nil || len(u.members) != 2 {
		t.Errorf("%v, %v", u, ok)
	}
}

// TestPairings checks that any two paths that two threads may take together occur together in one
// sample, and that there are at most p² samples for a prime p.
func TestPairings(t *testing.T) {
	for _, c := range []struct {
		paths []int // by thread: the number of paths
		most  int
	}{{[]int{1, 1}, 1}, {[]int{1, 6, 1}, 6}, {[]int{2, 2}, 4}, {[]int{2, 2, 2, 2, 2}, 25}, {[]int{4, 1, 3, 2}, 25}, {[]int{8, 8, 5, 8, 1, 7}, 121}} {
		take := make(event.Take, len(c.paths))
		type pair [2]*event.Path
		want, got := map[pair]bool{}, map[pair]bool{}
		for i, n := range c.paths {
			for range n {
				p := &event.Path{}
				take[i] = append(take[i], p)
				for _, others := range take[:i] {
					for _, q := range others {
						want[pair{q, p}] = true
					}
				}
			}
		}
		ways := pairings(take)
		for _, way := range ways {
			for i, p := range way {
				for _, q := range way[:i] {
					got[pair{q, p}] = true
				}
			}
		}
		if !maps.Equal(want, got) || len(ways) > c.most {
			t.Errorf("%v: %d of %d pairs, in %d members", c.paths, len(got), len(want), len(ways))
		}
	}
}
