package observe_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/muster-gpu/muster/observe"
)

// TestUpperBoundTable compares with published values. The bounds at 97.5% are the upper ends of the
// two-sided intervals at 95% in tables of the binomial distribution; the bound for nothing in ten
// at 95% is 1-0.05^(1/10).
func TestUpperBoundTable(t *testing.T) {
	tests := []struct {
		seen, runs       int64
		confidence, want float64
	}{
		{0, 10, 0.95, 0.2589},
		{0, 10, 0.975, 0.3085},
		{1, 10, 0.975, 0.4450},
		{2, 10, 0.975, 0.5561},
		{5, 10, 0.975, 0.8129},
		{9, 10, 0.975, 0.9975},
		{10, 10, 0.975, 1},
		{0, 20, 0.975, 0.1684},
		{10, 100, 0.975, 0.1762},
		{50, 100, 0.975, 0.6017},
		{0, 0, 0.95, 1},
	}
	for _, tt := range tests {
		if got := observe.UpperBound(tt.seen, tt.runs, tt.confidence); math.Abs(got-tt.want) > 0.00005 {
			t.Errorf("%d of %d at %g: got %.5f, want %g", tt.seen, tt.runs, tt.confidence, got, tt.want)
		}
	}
}

// TestUpperBoundOfNothing compares with the rule of three, and with exact numbers.
func TestUpperBoundOfNothing(t *testing.T) {
	for runs := int64(1); runs < math.MaxInt64/10; runs *= 10 {
		got := observe.UpperBound(0, runs, observe.Confidence)
		if want := 1 - math.Pow(0.05, 1/float64(runs)); runs <= 1e6 && math.Abs(got-want) > 1e-9*want {
			t.Errorf("0 of %d: got %g, want %g", runs, got, want)
		}
		if three := got * float64(runs); runs >= 1e3 && (three < 2.99 || three > 3) {
			t.Errorf("0 of %d: the bound is %g of a run", runs, three)
		}
	}
}

// TestUpperBoundInverts compares with bisection on the binomial distribution, computed term by term
// with many digits.
func TestUpperBoundInverts(t *testing.T) {
	for _, runs := range []int64{1, 2, 7, 30, 1000, 1_000_000} {
		for _, seen := range []int64{0, 1, 2, 3, 12, runs / 2, runs - 1, runs} {
			if seen < 0 || seen > runs || seen > 500 && runs > 1000 {
				continue
			}
			for _, confidence := range []float64{0.5, 0.9, 0.95, 0.999} {
				got := observe.UpperBound(seen, runs, confidence)
				want := bisect(seen, runs, 1-confidence)
				if math.Abs(got-want) > 1e-6*want {
					t.Errorf("%d of %d at %g: got %.12g, want %.12g", seen, runs, confidence, got, want)
				}
			}
		}
	}
}

// bisect finds the rate at which at most seen events occur with probability tail.
func bisect(seen, runs int64, tail float64) float64 {
	if seen == runs {
		return 1
	}
	low, high := 0.0, 1.0
	for range 60 {
		middle := (low + high) / 2
		if atMost(seen, runs, middle).Cmp(big.NewFloat(tail)) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// atMost returns the probability of at most seen events.
func atMost(seen, runs int64, rate float64) *big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	p := number(rate)
	q := number(1).Sub(number(1), p)
	term := number(1) // of nothing: (1-p)^runs, by squaring
	for square, n := q, runs; n > 0; n >>= 1 {
		if n&1 == 1 {
			term = number(0).Mul(term, square)
		}
		square = number(0).Mul(square, square)
	}
	sum := number(0).Set(term)
	odds := number(0).Quo(p, q)
	for i := int64(0); i < seen; i++ {
		term.Mul(term, odds)
		term.Mul(term, number(float64(runs-i)))
		term.Quo(term, number(float64(i+1)))
		sum.Add(sum, term)
	}
	return sum
}

// TestInterval compares with the exact intervals at 95% in tables of the binomial distribution;
// one-sided ones are at 95% on that side.
func TestInterval(t *testing.T) {
	tests := []struct {
		seen, runs int64
		low, high  float64
	}{
		{1, 10, 0.0025, 0.4450},
		{5, 10, 0.1871, 0.8129},
		{10, 100, 0.0490, 0.1762},
		{0, 10, 0, 0.2589},
		{10, 10, 0.7411, 1},
		{0, 0, 0, 1},
	}
	for _, tt := range tests {
		low, high := observe.Interval(tt.seen, tt.runs, 0.95)
		if math.Abs(low-tt.low) > 0.00005 || math.Abs(high-tt.high) > 0.00005 {
			t.Errorf("%d of %d: got %.5f–%.5f, want %g–%g", tt.seen, tt.runs, low, high, tt.low, tt.high)
		}
	}
}
