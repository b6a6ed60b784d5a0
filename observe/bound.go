package observe

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Confidence is the confidence level of the bounds that muster prints.
const Confidence = 0.95

// UpperBound returns the exact one-sided upper bound of the rate of an event that was seen in some
// of a number of independent runs (Clopper and Pearson, Biometrika 26, 1934): the rate at which no
// more would be seen with probability 1-confidence. Rates above it are refuted at that level.
// Without runs it is 1.
func UpperBound(seen, runs int64, confidence float64) float64 {
	switch {
	case seen >= runs:
		return 1
	case seen == 0:
		// (1-p)^runs = 1-confidence. For very many runs, this keeps digits that the
		// quantile below loses.
		return -math.Expm1(math.Log1p(-confidence) / float64(runs))
	}
	// The binomial's lower tail is the upper tail of a beta distribution, so the bound is
	// the quantile of Beta(seen+1, runs-seen).
	return mathext.InvRegIncBeta(float64(seen)+1, float64(runs-seen), confidence)
}

// Interval returns the exact two-sided confidence interval of the rate of an event that was seen in
// some of a number of independent runs (Clopper and Pearson): each tail has half of 1-confidence.
// If the event was never seen, or seen in every run, the only tail has all of it.
func Interval(seen, runs int64, confidence float64) (low, high float64) {
	switch {
	case runs == 0:
		return 0, 1
	case seen == 0:
		return 0, UpperBound(0, runs, confidence)
	case seen >= runs:
		return 1 - UpperBound(0, runs, confidence), 1
	}
	each := (1 + confidence) / 2
	return 1 - UpperBound(runs-seen, runs, each), UpperBound(seen, runs, each)
}
