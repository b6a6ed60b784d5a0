package main

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// place is what findings are counted by.
type place struct{ where, check string } // a folder or a document; a check

func (p place) compare(q place) int {
	return cmp.Or(strings.Compare(p.where, q.where), strings.Compare(p.check, q.check))
}

func count(found []finding) map[place]int {
	counts := map[place]int{}
	for _, f := range found {
		counts[f.place]++
	}
	return counts
}

// readKnown reads lines of a place, a check and a count. A # begins a comment.
func readKnown(file string) (map[place]int, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	known := map[place]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		var p place
		var n int
		if _, err := fmt.Sscan(line, &p.where, &p.check, &n); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", file, line, err)
		}
		known[p] = n
	}
	return known, nil
}

func writeKnown(file string, counts map[place]int) error {
	var b strings.Builder
	fmt.Fprintln(&b, "# Findings that are older than the check: the folder or document, the check, how many. Counts only fall.")
	for _, p := range slices.SortedFunc(maps.Keys(counts), place.compare) {
		fmt.Fprintf(&b, "%s %s %d\n", p.where, p.check, counts[p])
	}
	return os.WriteFile(file, []byte(b.String()), 0o666)
}
