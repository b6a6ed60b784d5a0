package gpu

// kept is a bounded cache, whose oldest entry is dropped first.
type kept[T any] struct {
	most  int
	of    map[string]T
	order []string // the oldest first
}

// add adds an entry. If the cache is full, it removes the oldest one and returns it.
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
