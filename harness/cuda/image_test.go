//go:build linux && (amd64 || arm64) && !nocuda

package cuda_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness/cuda"
)

// TestImages makes a texture of memory and a surface, with the descriptors of cuda.h, and closes
// them.
func TestImages(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := f.context(t)
	m := must(c.Alloc(64))(t)
	f.log()
	texture, surface := must(m.Texture())(t), must(c.Surface(16, 3))(t)
	if texture.Object() == 0 || surface.Object() == 0 || texture.Object() == surface.Object() {
		t.Errorf("the objects are %#x and %#x", texture.Object(), surface.Object())
	}
	for range 2 {
		check(t, texture.Close())
		check(t, surface.Close())
	}
	want := `cuTexObjectCreate kind 2, format 3, channels 1, bytes 64, flags 1 0
cuArray3DCreate_v2 16 x 3 x 0, format 3, channels 1, flags 2
cuSurfObjectCreate kind 0, flags 0
cuTexObjectDestroy
cuSurfObjectDestroy
cuArrayDestroy
`
	if diff := cmp.Diff(want, f.log()); diff != "" {
		t.Error(diff)
	}
	check(t, m.Close())
	_, err := m.Texture()
	is(t, err, cuda.ErrClosed)
	as[*cuda.OutOfMemoryError](t, second(c.Surface(1<<17, 1<<10)))
	check(t, c.Close())
}

func second[T any](_ T, err error) error { return err }

// TestImagesFail: whichever call fails, nothing is left, and a context frees images that were not
// closed.
func TestImagesFail(t *testing.T) {
	t.Parallel()
	for _, failing := range []string{
		"cuTexObjectCreate", "cuArray3DCreate_v2", "cuSurfObjectCreate", "cuSurfObjectDestroy",
	} {
		f := newFake(t, "fail "+failing+" 1 801\n")
		c := f.context(t)
		m := must(c.Alloc(64))(t)
		_, one := m.Texture()
		surface, two := c.Surface(4, 4)
		var three error
		if two == nil {
			three = surface.Close()
		}
		if (one != nil) == (two != nil || three != nil) {
			t.Errorf("%s: %v, %v, %v", failing, one, two, three)
		}
		check(t, c.Close())
		if n := f.live("arrays"); n > 0 {
			t.Errorf("%s: %d arrays are left", failing, n)
		}
	}
	c := newFake(t, "", "-DcuSurfObjectCreate=unknown").context(t)
	_, err := c.Surface(1, 1)
	if old := as[*cuda.OldDriverError](t, err); old.Symbol != "cuSurfObjectCreate" {
		t.Errorf("it lacks %s", old.Symbol)
	}
	check(t, c.Close())
}
