package verify_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestGPUVerifyReplay launches the alarms about GPUVerify's suite: nearly all can be shown.
// Functions on their own are not launched.
func TestGPUVerifyReplay(t *testing.T) {
	alarms, shown := 0, 0
	for i, test := range readSuite(t) {
		if test.ptx == "" || i%sample.Of(1, 4) > 0 {
			continue
		}
		verdict, results, err := test.verify(t)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if verdict != verify.Alarmed {
			continue
		}
		for _, r := range results {
			for _, a := range r.Alarms {
				if !r.Kernel.Entry {
					continue
				}
				alarms++
				again, err := replay.Run(t.Context(), r, a)
				if err != nil {
					t.Errorf("%s: %v", test.name, err)
					continue
				}
				if again.Shown() {
					shown++
				} else {
					t.Logf("%s, %s, %v, %v %s: %s", test.name, r.Kernel.Name, a.Launch, a.Kind, a.What, again.Why)
				}
			}
		}
	}
	t.Logf("%d alarms, %d replayed", alarms, shown)
	if 100*shown < 95*alarms {
		t.Errorf("%d of %d alarms are replayed", shown, alarms)
	}
}
