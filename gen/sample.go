package gen

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"
)

// Sample yields the n tests with the least hashes of content and seed, in their order. The choice
// does not depend on that order. If n is 0, it yields all tests.
func Sample(tests iter.Seq2[*Test, error], n int, seed uint64) iter.Seq2[*Test, error] {
	if n == 0 {
		return tests
	}
	return func(yield func(*Test, error) bool) {
		var kept []drawn
		place := 0
		for t, err := range tests {
			if err != nil {
				yield(nil, err)
				return
			}
			kept = append(kept, drawn{t, place, lot(t, seed)})
			place++
			if len(kept) >= 2*n+sampleSlack {
				kept = luckiest(kept, n)
			}
		}
		kept = luckiest(kept, n)
		slices.SortFunc(kept, func(a, b drawn) int { return cmp.Compare(a.place, b.place) })
		for _, d := range kept {
			if !yield(d.test, nil) {
				return
			}
		}
	}
}

// sampleSlack is the number of tests beyond n that are buffered before those with the greatest
// hashes are dropped.
const sampleSlack = 1000

// drawn is a test with its seeded hash; the n least hashes are chosen.
type drawn struct {
	test  *Test
	place int
	lot   [sha256.Size]byte
}

func lot(t *Test, seed uint64) [sha256.Size]byte {
	return sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), t.Key()...))
}

func luckiest(all []drawn, n int) []drawn {
	slices.SortFunc(all, func(a, b drawn) int { return slices.Compare(a.lot[:], b.lot[:]) })
	return all[:min(n, len(all))]
}
