package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx"
)

// A tensor map (PTX ISA, "Tensor-map") is opaque to kernels, except for some fields, which
// tensormap.replace changes. So the host makes one (cuTensorMapEncodeTiled) for a tensor of one
// box, the size of a copy. Before each launch every instance gets a copy of the map whose address
// is that of the instance's own tensor.

// TensorMapBytes is the size of a tensor map and the alignment of its address, which fences and
// copies in shared memory require. TensorBytes is the size of the tensor.
const (
	TensorMapBytes = 128
	TensorBytes    = bulkBytes
)

// tensorParam is the buffer with the tensor map from which all others are copied.
const tensorParam = "tensormap"

// copiesTensor reports whether an instruction is a copy that finds its memory by a tensor map.
func copiesTensor(in *ptx.Instr) bool {
	return in.Page() == "cp.async.bulk.tensor" || in.Page() == "cp.reduce.async.bulk.tensor"
}

// copiesMap reports whether an instruction copies a tensor map itself.
func copiesMap(in *ptx.Instr) bool { return strings.HasPrefix(in.Page(), "tensormap.cp_fenceproxy") }

// changesMap reports whether an instruction writes a field of a tensor map.
func changesMap(in *ptx.Instr) bool { return in.Page() == "tensormap.replace.tile" }

// aboutMap reports whether an instruction names a tensor map.
func aboutMap(in *ptx.Instr) bool { return mapOf(in) != nil }

// mapOf returns the address of the tensor map that an instruction names, or nil.
func mapOf(in *ptx.Instr) *ptx.Operand {
	i := slices.IndexFunc(in.Places, func(o ptx.Operand) bool { return o.Role == "map" })
	if i < 0 {
		return nil
	}
	return &in.Places[i]
}

// coordinates returns the coordinates of the box that an instruction copies.
func coordinates(in *ptx.Instr) (all []ptx.Operand) {
	for _, o := range in.Srcs {
		if o.Role == "at" {
			all = append(all, o)
		}
	}
	return all
}

// findMaps finds the locations that hold tensor maps at the start, and the number of dimensions of
// all tensors.
func (p *Plan) findMaps() error {
	for _, r := range p.roles {
		for _, in := range p.Program.Code(r.thread) {
			for _, o := range in.Places {
				if loc := &p.locs[o.Loc]; o.Kind == ptx.Location && (o.Role == "map" || copiesMap(in)) {
					loc.maps = loc.Init.IsAddress() && loc.Init.Int == 0
				}
			}
			n := len(coordinates(in))
			if n > 0 && p.rank > 0 && n != p.rank {
				return p.unable("a tensor has %d dimensions here and %d there", p.rank, n)
			}
			p.rank = max(p.rank, n)
		}
	}
	for _, l := range p.locs {
		if l.maps {
			p.rank = max(p.rank, 1)
		}
		if l.Init.IsAddress() && !l.maps {
			return p.unable("%s holds an address at the start, and is not a tensor map: kernels have numbers there",
				l.Name)
		}
	}
	return nil
}

// unsupportedTensor says why a kernel cannot have an instruction that names a tensor map, or
// returns "".
func (p *Plan) unsupportedTensor(in *ptx.Instr) string {
	o := mapOf(in)
	switch {
	case o == nil:
		return ""
	case o.Kind != ptx.Location:
		return "its tensor map is not known before it runs"
	case copiesMap(in):
		return "a warp copies one tensor map, and its lanes play different instances"
	case strings.HasPrefix(in.Page(), "fence."):
		return ""
	case alone[p.Target] == "":
		return fmt.Sprintf(
			"tensor maps are changed by machine code for one target alone, such as sm_90a, and none is known "+
				"for %s", p.Target)
	case !p.locs[o.Loc].maps || p.locs[o.Loc].shared:
		return o.Text + " is not a tensor map of a location: kernels have one for each such copy"
	case changesMap(in) && !in.Says("global_address"):
		return "kernels have tensors of one box, and only its address is replaced"
	case slices.ContainsFunc(notTiled, in.Says):
		return "kernels have tensors that are copied tile by tile"
	case slices.ContainsFunc(coordinates(in), func(o ptx.Operand) bool {
		return o.Kind != ptx.Immediate || o.Int != 0
	}):
		return "kernels have tensors of one box, whose coordinates are 0"
	case slices.ContainsFunc(p.locs, func(l location) bool {
		return l.maps && (p.locs[l.Init.Base].Elems > 1 || p.locs[l.Init.Base].shared)
	}):
		return "kernels have tensors of one box in global memory, and no arrays"
	}
	return ""
}

// notTiled are the modes of copying tensors other than the default.
var notTiled = []string{"im2col", "im2col::w", "im2col::w::128", "im2col_no_offs", "tile::gather4", "tile::scatter4"}

// prepareMap gives an instance its tensor map, at %d_slot.
func (p *Plan) prepareMap(a *assembler, l location) {
	const piece = 16
	for at := 0; at < TensorMapBytes; at += piece {
		a.line("ld.global.v4.u32 {%%r_map0, %%r_map1, %%r_map2, %%r_map3}, [%%d_%s+%d]", tensorParam, at)
		a.line("st.global.v4.u32 [%%d_slot+%d], {%%r_map0, %%r_map1, %%r_map2, %%r_map3}", at)
	}
	a.slotAddress("%d_tensor", p.locs[l.Init.Base].slot, "%r_instance")
	a.line("tensormap.replace.tile.global_address.global.b1024.b64 [%%d_slot], %%d_tensor")
	a.line("fence.proxy.tensormap::generic.release.gpu")
}

// acquireMaps makes the prepared tensor maps visible to a role (PTX ISA, "membar / fence": the
// fence of the tensormap proxy).
func (p *Plan) acquireMaps(a *assembler, c *coder) {
	thread := p.roles[c.role].thread
	acquired := map[event.Loc]bool{}
	for _, in := range p.Program.Code(thread) {
		if o := mapOf(in); copiesTensor(in) && !acquired[o.Loc] {
			acquired[o.Loc] = true
			a.line("fence.proxy.tensormap::generic.acquire.gpu [%s], %d", c.address(o.Loc), TensorMapBytes)
		}
	}
}
