package gpu

// kept is what was made last, by what it was made of.
type kept[T any] struct {
	most  int
	of    map[string]T
	order []string // the oldest first
}

// add keeps something; if it is one too many, the oldest is given up.
func (k *kept[T]) add(key string, made T) (oldest T, full bool) {
	if k.of == nil {
		k.of = map[string]T{}
	}
	k.of[key] = made
	k.order = append(k.order, key)
	if full = len(k.order) > k.most; full {
		oldest = k.of[k.order[0]]
		delete(k.of, k.order[0])
		k.order = k.order[1:]
	}
	return oldest, full
}
