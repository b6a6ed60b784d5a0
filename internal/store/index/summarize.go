package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// said is the answer of a campaign about a test, as far as campaigns are compared.
type said struct {
	test, campaign int64
	outcome        string
	digest         uint64
}

// mostSlow bounds the slowest tests that are kept for a campaign.
const mostSlow = 100

// summary is what summarize derives from all results, in one pass.
type summary struct {
	family map[int64]string // of tests
	tally  map[[3]string]*tallied
	days   map[[3]string]int
	times  map[[2]int64]int
	slow   map[int64][]slow
	said   []said
}

type tallied struct {
	campaign int64
	tests    int
	seconds  float64
}

type slow struct {
	test    int64
	seconds float64
}

// summarize derives the tables that questions read.
func (x *Index) summarize(ctx context.Context) error {
	s := &summary{
		family: map[int64]string{},
		tally:  map[[3]string]*tallied{},
		days:   map[[3]string]int{},
		times:  map[[2]int64]int{},
		slow:   map[int64][]slow{},
	}
	if err := x.families(ctx, s); err != nil {
		return err
	}
	if err := x.pass(ctx, s); err != nil {
		return err
	}
	tx, err := x.begin(ctx)
	if err != nil {
		return err
	}
	return tx.end(s.write(tx))
}

func (x *Index) families(ctx context.Context, s *summary) error {
	rows, err := x.db.QueryContext(ctx, "SELECT id, family FROM test")
	if err != nil {
		return err
	}
	defer rows.Close()
	same := map[string]string{} // one string for each family
	for rows.Next() {
		var id int64
		var family string
		if err := rows.Scan(&id, &family); err != nil {
			return err
		}
		if same[family] == "" {
			same[family] = family
		}
		s.family[id] = same[family]
	}
	return rows.Err()
}

// pass visits all results.
func (x *Index) pass(ctx context.Context, s *summary) error {
	rows, err := x.db.QueryContext(ctx, "SELECT campaign, test, outcome, digest, seconds, time FROM result")
	if err != nil {
		return err
	}
	defer rows.Close()
	same := map[string]string{}
	for rows.Next() {
		var r said
		var seconds float64
		var digest, day string
		if err := rows.Scan(&r.campaign, &r.test, &r.outcome, &digest, &seconds, &day); err != nil {
			return err
		}
		if r.digest, err = strconv.ParseUint(digest, 16, 64); err != nil {
			return err
		}
		if same[r.outcome] == "" {
			same[r.outcome] = r.outcome
		}
		r.outcome = same[r.outcome]
		s.add(r, seconds, day)
	}
	return rows.Err()
}

func (s *summary) add(r said, seconds float64, day string) {
	s.said = append(s.said, r)
	campaign := fmt.Sprint(r.campaign)
	key := [3]string{campaign, s.family[r.test], r.outcome}
	if s.tally[key] == nil {
		s.tally[key] = &tallied{campaign: r.campaign}
	}
	s.tally[key].tests++
	s.tally[key].seconds += seconds
	if day != "" {
		s.days[[3]string{campaign, day, r.outcome}]++
	}
	if seconds > 0 {
		s.times[[2]int64{r.campaign, int64(math.Ceil(math.Log2(seconds)))}]++
		s.slow[r.campaign] = slowest(s.slow[r.campaign], slow{r.test, seconds})
	}
}

// slowest adds a test to the slowest ones, slowest first.
func slowest(all []slow, one slow) []slow {
	if len(all) == mostSlow && one.seconds <= all[mostSlow-1].seconds {
		return all
	}
	i, _ := slices.BinarySearchFunc(all, one, func(a, b slow) int { return cmp.Compare(b.seconds, a.seconds) })
	return slices.Insert(all[:min(len(all), mostSlow-1)], min(i, len(all), mostSlow-1), one)
}

// write replaces the derived tables.
func (s *summary) write(tx *transaction) error {
	for _, table := range []string{"tally", "history", "times", "slowest", "names", "pattern", "differing"} {
		if err := tx.exec("DELETE FROM " + table); err != nil {
			return err
		}
	}
	for key, n := range s.tally {
		if err := tx.exec("INSERT INTO tally VALUES (?, ?, ?, ?, ?)", n.campaign, key[1], key[2], n.tests,
			n.seconds); err != nil {
			return err
		}
	}
	for key, n := range s.days {
		if err := tx.exec("INSERT INTO history VALUES (CAST(? AS INTEGER), ?, ?, ?)", key[0], key[1],
			key[2], n); err != nil {
			return err
		}
	}
	for key, n := range s.times {
		if err := tx.exec("INSERT INTO times VALUES (?, ?, ?)", key[0], key[1], n); err != nil {
			return err
		}
	}
	for campaign, all := range s.slow {
		for _, one := range all {
			if err := tx.exec("INSERT INTO slowest VALUES (?, ?, ?)", campaign, one.test, one.seconds); err != nil {
				return err
			}
		}
	}
	if err := tx.exec(
		"INSERT INTO names SELECT name, count(*) FROM test GROUP BY name HAVING count(*) > 1"); err != nil {
		return err
	}
	return s.patterns(tx)
}

// patterns writes which tests differ, and how. Tests on which all campaigns have the same answers
// share a pattern. The number of patterns is small, however many tests there are, so that a
// comparison of two campaigns reads the patterns first.
func (s *summary) patterns(tx *transaction) error {
	slices.SortFunc(s.said, func(a, b said) int {
		return cmp.Or(cmp.Compare(a.test, b.test), cmp.Compare(a.campaign, b.campaign))
	})
	campaigns := map[int64]bool{}
	for _, r := range s.said {
		campaigns[r.campaign] = true
	}
	numbers := map[string]int{}
	for all := s.said; len(all) > 0; {
		n := 1
		for n < len(all) && all[n].test == all[0].test {
			n++
		}
		of := all[:n]
		all = all[n:]
		classes, uniform := classify(of)
		if uniform && n == len(campaigns) {
			continue
		}
		key := patternKey(of, classes)
		id, known := numbers[key]
		if !known {
			id = len(numbers) + 1
			numbers[key] = id
			for i, r := range of {
				if err := tx.exec("INSERT INTO pattern VALUES (?, ?, ?, ?)", id, r.campaign, r.outcome,
					classes[i]); err != nil {
					return err
				}
			}
		}
		if err := tx.exec("INSERT INTO differing VALUES (?, ?)", id, of[0].test); err != nil {
			return err
		}
	}
	return nil
}

// classify numbers sets of states: equal sets have equal numbers.
func classify(of []said) (classes []int, uniform bool) {
	uniform = true
	for i, r := range of {
		class := slices.IndexFunc(of[:i], func(s said) bool { return s.digest == r.digest })
		if class < 0 {
			class = i
		}
		classes = append(classes, class)
		uniform = uniform && class == 0 && r.outcome == of[0].outcome
	}
	return classes, uniform
}

func patternKey(of []said, classes []int) string {
	var key strings.Builder
	for i, r := range of {
		fmt.Fprintf(&key, "%d %s %d;", r.campaign, r.outcome, classes[i])
	}
	return key.String()
}
