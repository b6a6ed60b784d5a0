package src

import (
	"slices"
	"strings"
)

// maxName bounds the names that Nearest compares, which takes time proportional to the product of
// their lengths.
const maxName = 200

// Nearest returns the candidate that name was most likely meant to be, or "" if none is close:
// within an edit distance of a third of its length, ignoring case; of one letter for a name of two,
// of none for a name of one. Among several, the nearest by case-sensitive distance wins, then the
// first.
func Nearest(name string, candidates []string) string {
	if len(name) > maxName {
		return ""
	}
	limit := max(1, len(name)/3)
	best, bestDist := "", [2]int{limit + 1, 0}
	for _, c := range candidates {
		folded := editDistance(strings.ToLower(name), strings.ToLower(c), limit)
		if c == name || folded > limit || len(name) < 2 && folded > 0 {
			continue
		}
		dist := [2]int{folded, editDistance(name, c, len(name))}
		if slices.Compare(dist[:], bestDist[:]) < 0 {
			best, bestDist = c, dist
		}
	}
	return best
}

// DidYouMean returns a hint for an unknown name, or "".
func DidYouMean(name string, candidates []string) string {
	if c := Nearest(name, candidates); c != "" {
		return "did you mean " + c + "?"
	}
	return ""
}

// editDistance returns the Levenshtein distance of a and b, or limit+1 if it exceeds limit. A swap
// of two neighbours counts as one edit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var prev2 []int
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur := make([]int, len(b)+1)
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev = prev, cur
	}
	return prev[len(b)]
}
