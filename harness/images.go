package harness

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A location that a test accesses through the texture or the surface proxy is an image, an object
// that kernels receive as a handle (PTX ISA, "Texture Instructions", "Surface Instructions"). A
// texture maps the memory of its location, word by word, and threads write to that memory as usual.
// A surface has memory of its own (CUDA Driver API, "Surface Object Management") without an
// address, so no thread of such a test may use one.
const (
	texture = "texture"
	surface = "surface"
)

// SurfaceWidth is the number of words in a row of a surface. Instances follow each other, row by
// row.
const SurfaceWidth = 1024

// noImage says why a kernel cannot have a location through a proxy, or returns "".
func (p *Plan) noImage(l event.Location) string {
	of := p.Program.Locs[l.Alias.Of]
	a := l.Alias
	switch {
	case of.Alias != nil:
		return "it is another name of another name"
	case of.Region == litmus.Shared:
		return "kernels have images of global memory only"
	case a.Through == texture:
		return ""
	case a.Through != surface:
		return "PTX has no store to constant memory, which is the host's to write"
	case of.Elems > 0:
		return "kernels have surfaces of single words"
	}
	for i, other := range p.Program.Locs {
		if other.Alias != nil && other.Alias.Of == a.Of && other.Name != l.Name {
			return fmt.Sprintf("so is %s: a surface is of a CUDA array, which has no other name",
				p.Program.Locs[i].Name)
		}
	}
	for r := range p.roles {
		if p.reaches(r)[a.Of] {
			return fmt.Sprintf("%s accesses %s by its address: a surface is of a CUDA array, to which no address leads",
				p.name(p.roles[r]), of.Name)
		}
	}
	return ""
}

// image returns the kind of image that a slot is, or "" for memory.
func (p *Plan) image(slot int) string {
	for _, l := range p.locs {
		if l.slot == slot && l.Alias != nil {
			return l.Alias.Through
		}
	}
	return ""
}

// hasImages reports whether some location is an image.
func (p *Plan) hasImages() bool {
	return slices.ContainsFunc(p.locs, func(l location) bool { return l.Alias != nil && l.Alias.Through != "" })
}

// isImage reports whether an instruction accesses an image.
func isImage(in *ptx.Instr) bool {
	return in.Addr != nil && (in.Proxy() == isa.ProxyTexture || in.Proxy() == isa.ProxySurface)
}

// Image returns the first access of the test to an image, with its thread, or nil.
func (p *Plan) Image() (thread int, in *ptx.Instr) { return p.first(isImage) }

// unsupportedImage says why a kernel cannot have an access to an image, or returns "".
func (p *Plan) unsupportedImage(in *ptx.Instr) string {
	l, known := p.imageOf(in)
	switch {
	case in.Op.Code != isa.Ld && in.Op.Code != isa.St:
		return "PTX has no atomic that gives what a surface held"
	case in.Order() > event.Weak || in.Op.Volatile || in.Op.MMIO:
		return "PTX has only weak accesses to textures and surfaces"
	case in.Type(0).Bits != 32 || in.Op.Vector > 0 || in.Cache() != ptx.CacheNone:
		return "kernels have textures and surfaces of 32 bits"
	case !known:
		return "its image is not known before it runs"
	case p.image(p.locs[l].slot) != in.Proxy().String():
		return fmt.Sprintf("%s is no %s", p.locs[l].Name, in.Proxy())
	case p.GPUs() > 1:
		return "its threads are on several GPUs, and an image is on one"
	}
	return ""
}

// imageOf returns the location of an access to an image. It returns false if that is unknown before
// the test runs.
func (p *Plan) imageOf(in *ptx.Instr) (event.Loc, bool) {
	l := in.Addr.Loc + int(in.Addr.Offset)/event.ElemSize
	known := in.Addr.Kind == ptx.Location && in.Addr.Offset%event.ElemSize == 0 && 0 <= l && l < len(p.locs)
	return l, known && p.locs[l].slot == p.locs[in.Addr.Loc].slot
}

// unobservable says why a condition cannot ask for the final value of a location, or returns "".
// The reasons are that it is an image, or that an image hides it, so that no kernel writes to it.
func (p *Plan) unobservable(l event.Loc) string {
	for _, other := range p.locs {
		if a := other.Alias; a != nil &&
			(a.Through == surface && a.Of == l || a.Through != "" && other.Name == p.locs[l].Name) {
			return "which is " + map[bool]string{true: "in", false: "behind"}[a.Through == surface] + " a " + a.Through
		}
	}
	return ""
}

// texel returns the register with a coordinate of an image: x or y.
func (c *coder) texel(l event.Loc, axis string) string {
	return fmt.Sprintf("%%r_%d_%s_of_%d", c.roles[c.role].thread, axis, l)
}

// findTexels computes where the words of an image are for an instance.
func (p *Plan) findTexels(a *assembler, c *coder, slot int) {
	for l, loc := range p.locs {
		if loc.slot != slot {
			continue
		}
		if p.image(slot) == surface {
			p.surfaceTexel(a, slot, "%r_instance", c.texel(l, "x"), c.texel(l, "y"))
			continue
		}
		a.slotWhere(slot, "%r_instance")
		a.line("mul.lo.u64 %%d_where, %%d_where, %%d_term")
		a.line("shr.u64 %%d_where, %%d_where, 2")
		a.line("cvt.u32.u64 %s, %%d_where", c.texel(l, "x"))
		a.line("add.u32 %[1]s, %[1]s, %d", c.texel(l, "x"), loc.elem)
	}
}

// surfaceTexel computes the position of an instance in a surface: x in bytes, and the row.
func (p *Plan) surfaceTexel(a *assembler, slot int, instance, x, y string) {
	a.slotWhere(slot, instance)
	a.line("cvt.u32.u64 %s, %%d_where", x)
	a.line("div.u32 %s, %s, %d", y, x, SurfaceWidth)
	a.line("rem.u32 %[1]s, %[1]s, %d", x, SurfaceWidth)
	a.line("shl.b32 %[1]s, %[1]s, 2", x)
}

// accessImage writes an access to an image.
func (c *coder) accessImage(in *ptx.Instr, guard string) {
	l, _ := c.imageOf(in)
	object := "%d_" + SlotParam(c.locs[l].slot)
	x, y := c.texel(l, "x"), c.texel(l, "y")
	switch {
	case in.Proxy() == isa.ProxyTexture:
		c.line("%stex.1d.v4.u32.s32 {%s, %s, %s, %s}, [%s, {%s}]", guard, c.register(in.Dst.Text), c.temp(32),
			c.temp(32), c.temp(32), object, x)
		c.see(in, guard)
	case in.Op.Code == isa.Ld:
		c.line("%ssuld.b.2d.b32.trap {%s}, [%s, {%s, %s}]", guard, c.register(in.Dst.Text), object, x, y)
		c.see(in, guard)
	default:
		value := c.operand(in.Srcs[0])
		if in.Srcs[0].Kind == ptx.Immediate {
			value = c.temp(32)
			c.line("mov.b32 %s, %d", value, in.Srcs[0].Int)
		}
		c.line("%ssust.b.2d.b32.trap [%s, {%s, %s}], {%s}", guard, object, x, y, value)
	}
}

// prepareSurface gives the word of an instance in a surface its initial value.
func (p *Plan) prepareSurface(a *assembler, slot int) {
	of := slices.IndexFunc(p.locs, func(l location) bool { return l.slot == slot })
	a.line("mov.u32 %%r_value, %d", int32(p.locs[p.locs[of].Alias.Of].Init.Int))
	p.surfaceTexel(a, slot, "%r_instance", "%r_x", "%r_y")
	a.line("sust.b.2d.b32.trap [%%d_%s, {%%r_x, %%r_y}], {%%r_value}", SlotParam(slot))
}
