package interp

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/harness"
)

// Textures and surfaces access memory directly, past the queues and caches of the generic proxy. So
// a texture may not show what its own thread has written.

// image is the memory of a texture or a surface, with the bytes of a row.
type image struct {
	address  uint64
	row      int
	anywhere bool // the memory belongs to the image alone
}

// Texture creates a texture of an allocation.
func (m *Machine) Texture(of uint64) (object uint64, err error) {
	if _, live := m.live[of]; !live {
		return 0, fmt.Errorf("nothing is allocated at %#x", of)
	}
	return m.keep(image{address: of}), nil
}

// Surface creates a surface with memory of its own.
func (m *Machine) Surface(rows int) (object uint64, err error) {
	const row = 4 * harness.SurfaceWidth
	of, err := m.Alloc(0, row*rows, 1)
	if err != nil {
		return 0, err
	}
	return m.keep(image{of[0], row, true}), nil
}

// keep gives an image an object.
func (m *Machine) keep(i image) uint64 {
	m.lastImage++
	m.images[m.lastImage] = i
	return m.lastImage
}

// EndImage destroys an image.
func (m *Machine) EndImage(object uint64) error {
	i, ok := m.images[object]
	if !ok {
		return fmt.Errorf("no image is %#x", object)
	}
	delete(m.images, object)
	if i.anywhere {
		return m.Free(i.address)
	}
	return nil
}

// accessImage is tex.1d: words, [texture], x; suld.b.2d: word, [surface], x, y; or sust.b.2d:
// [surface], x, y, word. The x of a surface is in bytes.
func (t *thread) accessImage(in *instr) error {
	at := in.addressAt
	i, ok := t.images[t.value(in.operands[at])]
	if !ok {
		return fmt.Errorf("no image is %#x", t.value(in.operands[at]))
	}
	address := i.address + 4*t.value(in.operands[at+2])
	if i.anywhere {
		x, y := t.value(in.operands[at+2]), t.value(in.operands[at+3])
		if x >= uint64(i.row) {
			return fmt.Errorf("a row of a surface has %d bytes, and not %d", i.row, x)
		}
		address = i.address + y*uint64(i.row) + x
	}
	p, err := t.reach(false, address, 4)
	if err != nil {
		return err
	}
	if strings.HasPrefix(in.op.Text, "sust.") {
		store(t.grid.bytes(p), t.value(in.operands[at+4]))
		return nil
	}
	return t.set(in, load(t.grid.bytes(p)))
}
