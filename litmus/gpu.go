package litmus

// The levels of GPU, from the widest to the narrowest (ASPLOS 2015, Sec. 2.1; PTX ISA, "Thread
// Hierarchy").
const (
	Device = iota
	Kernel // a grid
	Cluster
	CTA
	Warp
)

// The regions of GPU (ASPLOS 2015, Sec. 2.2).
const (
	Global = iota
	Shared // one copy for each CTA
)

// GPU is the machine of tests for GPUs, in the words of CUDA, OpenCL and HSA.
var GPU = Machine{
	Levels: []LevelInfo{
		Device:  {Name: "device", Words: []string{"gpu", "dev", "dv"}, Header: "gpu"},
		Kernel:  {Name: "kernel", Words: []string{"ker", "grid"}, Title: "grid"},
		Cluster: {Name: "cluster", Header: "cluster", Own: true, Optional: true},
		CTA:     {Name: "cta", Words: []string{"block", "work_group", "wg"}, Header: "cta", Title: "CTA", Own: true},
		Warp: {
			Name: "warp", Own: true,
			Words: []string{"sub_group", "wavefront", "work_item", "wi"}, // a work-item is a warp of one thread
		},
	},
	System: []string{"sys", "system"},
	Regions: []RegionInfo{
		Global: {Name: "global", Words: []string{"__global", "__device__"}},
		Shared: {Name: "shared", Words: []string{"local", "__local", "__shared__"}},
	},
	Example: []Level{Device, Kernel, CTA},
}

// OnGPU returns a placement in the header of a test for GPU. Nowhere stands for a number that it
// does not give.
func OnGPU(device, cluster, cta int) *HeaderPlace {
	return &HeaderPlace{Numbers: []int{Device: device, Kernel: Nowhere, Cluster: cluster, CTA: cta, Warp: Nowhere}}
}
