package interp

// gpu is the state that the CTAs of all kernels on a GPU share: stores that other GPUs do not see
// yet. A single GPU has none.
type gpu struct {
	alone  bool
	stores queue
}

// apart gives each grid its GPU, among grids that run at the same time.
func apart(grids []*grid) {
	gpus := map[int]*gpu{}
	for _, g := range grids {
		if gpus[g.launch.GPU] == nil {
			gpus[g.launch.GPU] = &gpu{}
		}
	}
	for _, g := range grids {
		if w, ok := g.hierarchy.(*weak); ok && len(gpus) > 1 {
			w.gpu = gpus[g.launch.GPU]
		}
	}
}

// put makes a store visible to the GPU. Others see it later.
func (w *weak) put(s pending) {
	if w.gpu.alone {
		store(w.bytes(s.memoryPlace), s.value)
		return
	}
	w.gpu.stores = append(w.gpu.stores, s)
	if len(w.gpu.stores) > longest {
		w.moveToMemory(0)
	}
}

// seen returns the bytes at a place of global memory as the GPU sees them.
func (w *weak) seen(p memoryPlace) []byte {
	memory := w.bytes(p)
	if w.gpu.stores.at(p) < 0 {
		return memory
	}
	view := append([]byte(nil), memory...)
	for _, s := range w.gpu.stores {
		for i := range s.bytes {
			// wraps around before the place
			if at := s.address + uint64(i) - p.address; at < uint64(p.bytes) && s.overlaps(p) {
				view[at] = byte(s.value >> (8 * i))
			}
		}
	}
	return view
}

// updateBeyond is an atomic that is visible beyond the CTA: to the GPU, or everywhere.
func (w *weak) updateBeyond(p memoryPlace, far reach, write func(uint64) (uint64, error)) (old uint64, err error) {
	if far == everywhere || w.gpu.alone {
		w.drainGPUPlace(p)
		return update(w.bytes(p), write)
	}
	old = load(w.seen(p))
	v, err := write(old)
	if err == nil {
		w.put(pending{p, v})
	}
	return old, err
}

// moveToMemory makes a store of the GPU visible everywhere.
func (w *weak) moveToMemory(i int) {
	s := w.gpu.stores.take(i)
	store(w.bytes(s.memoryPlace), s.value)
}

func (w *weak) drainGPU() {
	for len(w.gpu.stores) > 0 {
		w.moveToMemory(0)
	}
}

// drainGPUPlace moves the stores of the GPU to a place to memory.
func (w *weak) drainGPUPlace(p memoryPlace) {
	for i := w.gpu.stores.at(p); i >= 0; i = w.gpu.stores.at(p) {
		w.moveToMemory(i)
	}
}
