package interp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness/interp"
)

// TestRefusedModules: what the machine cannot run is an error of Load, with its place in the
// module.
func TestRefusedModules(t *testing.T) {
	for instruction, want := range map[string]string{
		"mov.u32 %r0, %r1;":            "module.ptx:5:14: register %r1 is not declared",
		"mov.u32 %r0, %laneid;":        "module.ptx:5:14: this machine has no operand %laneid",
		"add.cg.u32 %r0, %r0, 1;":      "module.ptx:5:5: unknown modifier .cg of add",
		"setp.eq.u32 %p0|%p0, %r0, 1;": "module.ptx:5:13: this machine has no operand %p0|%p0",
		"selp.u32 %r0, 1, 2, !%p0;":    "this machine has no operand %p0",
		"bra NOWHERE;":                 "module.ptx:5:5: NOWHERE is not declared",
		"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d0, {1}], [%r0];": "whose coordinates are 0",
	} {
		text := fmt.Sprintf(
			".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { .reg .b32 %%r0; .reg .b64 %%d0; "+
				".reg .pred %%p0;\n%s\nret; }\n", instruction)
		err := interp.New(1).Load(t.Context(), text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", instruction, err, want)
		}
	}
}
