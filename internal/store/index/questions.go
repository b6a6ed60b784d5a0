package index

import (
	"context"
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Question is a predefined question.
type Question struct {
	Name  string
	Asks  string   // in one line
	Wants []string // the campaigns that it is about
	SQL   string   // the campaigns are ?1, ?2 …, and ?9 bounds the number of rows
}

// Questions are all questions; the first one is the default.
var Questions = []Question{
	{"campaigns", "what was run: models with their options, and chips", nil, `
		SELECT c.id AS campaign, c.kind, c.subject, c.muster, c.options, sum(t.tests) AS tests,
			sum(t.tests) FILTER (WHERE t.outcome = 'allowed') AS allowed,
			sum(t.tests) FILTER (WHERE t.outcome = 'forbidden') AS forbidden,
			sum(t.tests) FILTER (WHERE t.outcome = 'unknown') AS unknown,
			sum(t.tests) FILTER (WHERE t.outcome = 'undefined') AS undefined,
			round(sum(t.seconds), 3) AS seconds
		FROM campaign c LEFT JOIN tally t ON t.campaign = c.id GROUP BY c.id ORDER BY c.id LIMIT ?9`},
	{"families", "how many tests of each family a model allows, forbids and leaves open", nil, `
		SELECT t.family, c.id AS campaign, c.subject, sum(t.tests) AS tests,
			sum(t.tests) FILTER (WHERE t.outcome = 'allowed') AS allowed,
			sum(t.tests) FILTER (WHERE t.outcome = 'forbidden') AS forbidden,
			sum(t.tests) FILTER (WHERE t.outcome = 'unknown') AS unknown,
			sum(t.tests) FILTER (WHERE t.outcome = 'undefined') AS undefined,
			round(sum(t.seconds), 3) AS seconds
		FROM tally t JOIN campaign c ON c.id = t.campaign GROUP BY t.family, c.id ORDER BY t.family, c.id LIMIT ?9`},
	{"slowest", "the tests that took longest", nil, `
		SELECT t.name AS test, c.id AS campaign, c.subject, s.seconds, r.outcome, r.incomplete
		FROM slowest s JOIN test t ON t.id = s.test JOIN campaign c ON c.id = s.campaign
			JOIN result r ON r.campaign = s.campaign AND r.test = s.test
		ORDER BY s.seconds DESC, t.name LIMIT ?9`},
	{"differences", "the tests on which two campaigns differ: models, versions, options", []string{"A", "B"}, `
		SELECT t.name AS test, coalesce(a.outcome, 'absent') AS A, coalesce(b.outcome, 'absent') AS B,
			CASE WHEN a.outcome IS NOT b.outcome THEN 'outcome' ELSE 'states' END AS differs
		FROM (SELECT DISTINCT id FROM pattern) p
			LEFT JOIN pattern a ON a.id = p.id AND a.campaign = ?1
			LEFT JOIN pattern b ON b.id = p.id AND b.campaign = ?2
			JOIN differing d ON d.pattern = p.id JOIN test t ON t.id = d.test
		WHERE a.outcome IS NOT b.outcome OR a.states IS NOT b.states
		ORDER BY differs, d.pattern, d.test LIMIT ?9`},
	{"summary", "how often two campaigns differ, and how", []string{"A", "B"}, `
		SELECT coalesce(a.outcome, 'absent') AS A, coalesce(b.outcome, 'absent') AS B,
			CASE WHEN a.outcome IS NOT b.outcome THEN 'outcome' ELSE 'states' END AS differs,
			sum((SELECT count(*) FROM differing d WHERE d.pattern = p.id)) AS tests
		FROM (SELECT DISTINCT id FROM pattern) p
			LEFT JOIN pattern a ON a.id = p.id AND a.campaign = ?1
			LEFT JOIN pattern b ON b.id = p.id AND b.campaign = ?2
		WHERE a.outcome IS NOT b.outcome OR a.states IS NOT b.states
		GROUP BY 1, 2, 3 ORDER BY tests DESC LIMIT ?9`},
	{"unsound", "the final states that a chip showed and a model forbids", []string{"MODEL", "CHIP"}, `
		SELECT t.name AS test, h.key AS state, h.value AS seen, m.outcome, m.incomplete
		FROM result r JOIN test t ON t.id = r.test JOIN result m ON m.campaign = ?1 AND m.test = r.test
			JOIN json_each(r.states) h
		WHERE r.campaign = ?2 AND h.value > 0 AND m.states <> '{}'
			AND NOT EXISTS (SELECT 1 FROM json_each(m.states) s WHERE s.key = h.key)
		ORDER BY t.name, h.key LIMIT ?9`},
	{
		"unseen", "the final states that a model allows and a chip, which ran the test, did not show",
		[]string{"MODEL", "CHIP"},
		`
		SELECT t.name AS test, s.key AS state, (SELECT sum(value) FROM json_each(r.states)) AS runs
		FROM result r JOIN test t ON t.id = r.test JOIN result m ON m.campaign = ?1 AND m.test = r.test
			JOIN json_each(m.states) s
		WHERE r.campaign = ?2 AND NOT EXISTS (SELECT 1 FROM json_each(r.states) h WHERE h.key = s.key AND h.value > 0)
		ORDER BY t.name, s.key LIMIT ?9`,
	},
	{"names", "names that stand for several tests", nil, `
		SELECT name, tests FROM names ORDER BY tests DESC, name LIMIT ?9`},
	{"history", "verdicts by the day on which they were found", nil, `
		SELECT c.id AS campaign, c.subject, h.day, h.outcome, h.tests
		FROM history h JOIN campaign c ON c.id = h.campaign
		ORDER BY c.id, h.day, h.outcome LIMIT ?9`},
	{"times", "how long tests took: how many up to each power of two", nil, `
		SELECT c.id AS campaign, c.subject, pow(2, t.bucket) AS seconds, t.tests
		FROM times t JOIN campaign c ON c.id = t.campaign
		ORDER BY c.id, t.bucket LIMIT ?9`},
	{"sources", "the files that the index is made of", nil, `
		SELECT path, records, bad FROM source ORDER BY path LIMIT ?9`},
}

// Find returns the question with a name.
func Find(name string) (*Question, error) {
	var names []string
	for i, q := range Questions {
		if q.Name == name {
			return &Questions[i], nil
		}
		names = append(names, q.Name)
	}
	hint := src.DidYouMean(name, append(names, "import"))
	if hint == "" {
		hint = "there are " + strings.Join(names, ", ")
	}
	return nil, fmt.Errorf("unknown question %q; %s", name, hint)
}

// Ask answers a question about campaigns, with at most the given number of rows.
func (x *Index) Ask(ctx context.Context, q *Question, about []string, most int) (*Table, error) {
	if len(about) != len(q.Wants) {
		return nil, fmt.Errorf("%s is asked as: %s", q.Name, q.Usage())
	}
	args := make([]any, 9)
	for i, name := range about {
		id, err := x.Campaign(ctx, name)
		if err != nil {
			return nil, err
		}
		args[i] = id
	}
	args[8] = most
	return x.Query(ctx, q.SQL, args...)
}
