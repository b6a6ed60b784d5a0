package cuda

import (
	"bytes"
	"fmt"
)

// Device describes a GPU by numbers that depend neither on its clocks nor on its use. Sizes are in
// bytes.
type Device struct {
	Index int    // its number in this process (cuDeviceGet)
	Name  string // such as "NVIDIA H100 80GB HBM3" (cuDeviceGetName)
	UUID  string // as nvidia-smi -L prints a whole GPU's: GPU-… (cuDeviceGetUuid)

	Major, Minor int    // compute capability
	Memory       uint64 // (cuDeviceTotalMem)

	// The following are CU_DEVICE_ATTRIBUTE_….
	SMs                  int  // MULTIPROCESSOR_COUNT
	WarpSize             int  // threads
	MaxThreadsPerBlock   int  // MAX_THREADS_PER_BLOCK
	MaxThreadsPerSM      int  // MAX_THREADS_PER_MULTIPROCESSOR
	MaxBlocksPerSM       int  // MAX_BLOCKS_PER_MULTIPROCESSOR
	MaxGridX             int  // blocks, MAX_GRID_DIM_X
	SharedPerBlock       int  // MAX_SHARED_MEMORY_PER_BLOCK, without opting in
	SharedPerBlockOptIn  int  // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, which Launch opts in to
	SharedPerSM          int  // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
	L2                   int  // L2_CACHE_SIZE
	ClusterLaunch        bool // CLUSTER_LAUNCH; false too if the driver does not know clusters
	KernelTimeoutEnabled bool // KERNEL_EXEC_TIMEOUT: a display's watchdog ends long kernels
}

// Target returns the name of the device's architecture for .target and ptxas, such as sm_90.
func (d Device) Target() string { return fmt.Sprintf("sm_%d%d", d.Major, d.Minor) }

// Devices lists the GPUs that the driver shows this process. A driver that shows none has failed in
// Open.
func (d *Driver) Devices() ([]Device, error) {
	var devices []Device
	err := d.run(func() error {
		var n int32
		if err := d.check("cuDeviceGetCount", d.api.cuDeviceGetCount(&n)); err != nil {
			return err
		}
		for index := range int(n) {
			_, device, err := d.describe(index)
			if err != nil {
				return err
			}
			devices = append(devices, device)
		}
		return nil
	})
	return devices, err
}

// describe returns a device and its CUdevice. It runs on the thread.
func (d *Driver) describe(index int) (int32, Device, error) {
	var id int32
	var name [256]byte
	var uuid [16]byte
	device := Device{Index: index}
	for _, step := range []struct {
		call string
		run  func() Result
	}{
		{"cuDeviceGet", func() Result { return d.api.cuDeviceGet(&id, int32(index)) }},
		{"cuDeviceGetName", func() Result { return d.api.cuDeviceGetName(&name[0], int32(len(name)), id) }},
		{"cuDeviceGetUuid", func() Result { return d.api.cuDeviceGetUuid(&uuid, id) }},
		{"cuDeviceTotalMem", func() Result { return d.api.cuDeviceTotalMem(&device.Memory, id) }},
	} {
		if err := d.check(step.call, step.run()); err != nil {
			return 0, Device{}, fmt.Errorf("device %d: %w", index, err)
		}
	}
	device.Name = upToNUL(name[:])
	device.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", uuid[:4], uuid[4:6], uuid[6:8], uuid[8:10], uuid[10:])
	if err := d.attributes(&device, id); err != nil {
		return 0, Device{}, fmt.Errorf("device %d: %w", index, err)
	}
	return id, device, nil
}

// attributes fills in the attributes of a device (cuDeviceGetAttribute). The numbers are those of
// CUdevice_attribute in cuda.h.
func (d *Driver) attributes(device *Device, id int32) error {
	var cluster, timeout int
	for _, a := range []struct {
		attribute int32
		into      *int
		newer     bool // than the oldest driver that we support
	}{
		{attribute: 1, into: &device.MaxThreadsPerBlock},
		{attribute: 5, into: &device.MaxGridX},
		{attribute: 8, into: &device.SharedPerBlock},
		{attribute: 10, into: &device.WarpSize},
		{attribute: 16, into: &device.SMs},
		{attribute: 17, into: &timeout},
		{attribute: 38, into: &device.L2},
		{attribute: 39, into: &device.MaxThreadsPerSM},
		{attribute: 75, into: &device.Major},
		{attribute: 76, into: &device.Minor},
		{attribute: 81, into: &device.SharedPerSM},
		{attribute: 97, into: &device.SharedPerBlockOptIn},
		{attribute: 106, into: &device.MaxBlocksPerSM},
		{attribute: 120, into: &cluster, newer: true},
	} {
		var value int32
		r := d.api.cuDeviceGetAttribute(&value, a.attribute, id)
		if r == InvalidValue && a.newer {
			continue
		}
		if err := d.check("cuDeviceGetAttribute", r); err != nil {
			return fmt.Errorf("attribute %d: %w", a.attribute, err)
		}
		*a.into = int(value)
	}
	device.ClusterLaunch = cluster != 0
	device.KernelTimeoutEnabled = timeout != 0
	return nil
}

// upToNUL returns the C string in a buffer.
func upToNUL(buffer []byte) string {
	before, _, _ := bytes.Cut(buffer, []byte{0})
	return string(before)
}
