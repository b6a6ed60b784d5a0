package cuda

import "errors"

// imageAPI is the part of the driver API that makes textures and surfaces (CUDA 5.0; the symbols
// are those of cuda.h 12.9).
type imageAPI struct {
	cuTexObjectCreate   func(texture *uint64, of *resourceDesc, how *textureDesc, view *byte) Result
	cuTexObjectDestroy  func(texture uint64) Result
	cuSurfObjectCreate  func(surface *uint64, of *resourceDesc) Result
	cuSurfObjectDestroy func(surface uint64) Result
	cuArray3DCreate     func(array *handle, desc *arrayDesc) Result
	cuArrayDestroy      func(array handle) Result
}

// resourceDesc is CUDA_RESOURCE_DESC of cuda.h, with the member of its union for linear memory. For
// a CUDA array, a handle is in the place of the address.
type resourceDesc struct {
	kind     int32
	_        int32
	address  uint64
	format   int32
	channels uint32
	bytes    uint64
	_        [13]uint64 // the union has 128 bytes
	_        [2]uint32  // flags, and padding to a multiple of 8
}

// textureDesc is CUDA_TEXTURE_DESC of cuda.h.
type textureDesc struct {
	_     [3]int32 // addressMode, which does not apply to linear memory
	_     int32    // filterMode
	flags uint32
	_     [21]uint32
}

// arrayDesc is CUDA_ARRAY3D_DESCRIPTOR of cuda.h.
type arrayDesc struct {
	width, height   uint64
	_               uint64 // depth
	format          int32
	channels, flags uint32
}

const (
	resourceArray  = 0x00 // CU_RESOURCE_TYPE_ARRAY
	resourceLinear = 0x02 // CU_RESOURCE_TYPE_LINEAR
	formatUint32   = 0x03 // CU_AD_FORMAT_UNSIGNED_INT32
	readAsInteger  = 0x01 // CU_TRSF_READ_AS_INTEGER
	surfaceAccess  = 0x02 // CUDA_ARRAY3D_SURFACE_LDST
)

// Image is an object with which kernels access memory through another proxy: a texture or a
// surface.
type Image struct {
	object   uint64
	resource *resource
}

// Object returns the handle that a kernel takes for the image (CUtexObject, CUsurfObject).
func (i *Image) Object() uint64 { return i.object }

// Close destroys the image. A second Close does nothing.
func (i *Image) Close() error { return i.resource.close("Image.Close") }

// Texture returns a texture of the memory, word by word (cuTexObjectCreate). It must be closed
// before the memory.
//
// The error is a *BusyError while a kernel may be running.
func (m *Memory) Texture() (*Image, error) {
	i, c := &Image{}, m.resource.context
	err := m.resource.doIdle("Memory.Texture", func() error {
		api, err := c.driver.api.findImages()
		if err != nil {
			return err
		}
		of := &resourceDesc{kind: resourceLinear, address: m.address, format: formatUint32, channels: 1, bytes: m.size}
		if err := c.check("cuTexObjectCreate",
			api.cuTexObjectCreate(&i.object, of, &textureDesc{flags: readAsInteger}, nil)); err != nil {
			return err
		}
		i.resource = c.own(func() error { return c.check("cuTexObjectDestroy", api.cuTexObjectDestroy(i.object)) })
		return nil
	})
	return i, err
}

// Surface returns a surface of the given width in words and height in rows. It has memory of its
// own, without an address (cuArray3DCreate, cuSurfObjectCreate), whose initial contents are
// undefined.
//
// The error is a *BusyError while a kernel may be running.
func (c *Context) Surface(width, height uint64) (*Image, error) {
	i := &Image{}
	err := c.doIdle("Context.Surface", func() error {
		api, err := c.driver.api.findImages()
		if err != nil {
			return err
		}
		var array handle
		desc := &arrayDesc{width: width, height: height, format: formatUint32, channels: 1, flags: surfaceAccess}
		err = c.check("cuArray3DCreate", api.cuArray3DCreate(&array, desc))
		if errors.Is(err, OutOfMemory) {
			return c.outOfMemory(4*width*height, err)
		}
		if err != nil {
			return err
		}
		destroy := func() error { return c.check("cuArrayDestroy", api.cuArrayDestroy(array)) }
		err = c.check("cuSurfObjectCreate",
			api.cuSurfObjectCreate(&i.object, &resourceDesc{kind: resourceArray, address: uint64(array)}))
		if err != nil {
			return errors.Join(err, destroy())
		}
		i.resource = c.own(func() error {
			return errors.Join(c.check("cuSurfObjectDestroy", api.cuSurfObjectDestroy(i.object)), destroy())
		})
		return nil
	})
	return i, err
}

// findImages looks up those functions, once. It runs on the thread.
func (a *api) findImages() (*imageAPI, error) {
	if a.images != nil {
		return a.images, nil
	}
	i := &imageAPI{}
	err := a.find.all([]function{
		{"cuTexObjectCreate", &i.cuTexObjectCreate},
		{"cuTexObjectDestroy", &i.cuTexObjectDestroy},
		{"cuSurfObjectCreate", &i.cuSurfObjectCreate},
		{"cuSurfObjectDestroy", &i.cuSurfObjectDestroy},
		{"cuArray3DCreate_v2", &i.cuArray3DCreate},
		{"cuArrayDestroy", &i.cuArrayDestroy},
	})
	if err != nil {
		return nil, err
	}
	a.images = i
	return i, nil
}
