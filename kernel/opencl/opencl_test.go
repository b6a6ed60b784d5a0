package opencl_test

import (
	"testing"

	"github.com/muster-gpu/muster/kernel/opencl"
)

func TestOf(t *testing.T) {
	for name, want := range map[string]opencl.Function{
		"_Z7barrierj":                                              {Does: opencl.Barrier},
		"_Z18work_group_barrierj12memory_scope":                    {Does: opencl.Barrier},
		"_Z17wait_group_eventsiP9ocl_event":                        {Does: opencl.Wait},
		"_Z8prefetchPU3AS1KDv4_fm":                                 {Does: opencl.Prefetch},
		"_Z21async_work_group_copyPU3AS3fPU3AS1Kfm9ocl_event":      {Does: opencl.Copy, Element: 4, ToLocal: true},
		"_Z21async_work_group_copyPU3AS1Dv4_fPU3AS3KS_m9ocl_event": {Does: opencl.Copy, Element: 16},
		"_Z21async_work_group_copyPU3AS3Dv3_iPU3AS1KS_m9ocl_event": {Does: opencl.Copy, Element: 16, ToLocal: true},
		"_Z21async_work_group_copyPU3AS1Dv8_mPU3AS3KS_m9ocl_event": {Does: opencl.Copy, Element: 64},
		"_Z21async_work_group_copyPU3AS1DhPU3AS3KDhm9ocl_event":    {Does: opencl.Copy, Element: 2},
		"_Z29async_work_group_strided_copyPU3AS3hPU3AS1Khmm9ocl_event": {
			Does:    opencl.Copy,
			Element: 1,
			ToLocal: true,
			Strided: true,
		},
		"_Z29async_work_group_strided_copyPU3AS3hPU3AS1Khm9ocl_event": {},
		"_Z21async_work_group_copyPU3AS33FooPU3AS1KS_m9ocl_event":     {},
		"_Z14work_group_alli":                {Does: opencl.Gather, Alike: true},
		"_Z29work_group_scan_inclusive_addm": {Does: opencl.Gather},
		"_Z20work_group_broadcastim":         {Does: opencl.Gather, Alike: true},
		"_Z21work_group_reduce_addi":         {Does: opencl.Gather, Alike: true},
		"_Z21work_group_reduce_mulj":         {},
		"_Z7barrierv":                        {},
		"_Z10native_sinDv4_f":                {Does: opencl.Compute},
		"_Z15convert_int_satf":               {Does: opencl.Compute},
		"_Z6selectDv4_iS_S_":                 {Does: opencl.Compute},
		"_Z6sincosfPU3AS4f":                  {},
		"_Z6vload4mPU3AS1Kf":                 {},
		"_Z99sqrtf":                          {},
		"_Z5sqrtff":                          {},
		"sqrt":                               {},
		"barrier":                            {},
		"_Z12get_work_dimv":                  {},
		"_Z17sub_group_barrierj":             {},
		"_Z8prefetchPU3AS4KDv4_fm":           {},
	} {
		if got := opencl.Of(name); got != want {
			t.Errorf("%s is %+v, want %+v", name, got, want)
		}
	}
}
