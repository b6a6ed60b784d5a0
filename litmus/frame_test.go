package litmus

import "testing"

// TestFrame: tests have one frame if they differ in names, metadata and what their scope trees and
// memory maps say alone.
func TestFrame(t *testing.T) {
	frame := func(text string) string {
		before, after, ok := parse(t, text).Frame()
		if !ok {
			return "none"
		}
		return before + "#" + after
	}
	const body, asks = "{ x=0; y=0; }\n T0 | T1 ;\n st.cg [x],1 | ld.cg r0,[y] ;\n", "exists (1:r0=0)\n"
	const tree = "ScopeTree (cta T0) (cta T1)\n"
	plain := frame("GPU_PTX a\n" + body + tree + asks)
	if plain != body+"#"+asks {
		t.Errorf("frame of a test without a map: %q", plain)
	}
	for _, c := range []struct {
		text string
		same bool
	}{
		{"GPU_PTX b\n\"doc\"\nKey=Value\n" + body + tree + "x: shared, y: global\n" + asks, true},
		{"GPU_PTX b\n" + body + "x: shared\n" + tree + "\n" + asks, true},
		{"GPU_PTX b\n" + body + "(device (cta (warp T0) (warp T1)))\n" + asks, true},
		{"GPU_PTX b\n" + body + tree + "exists (1:r0=1)\n", false},
		{"GPU_PTX b\n" + body + tree + asks + "x: shared\n", false}, // they stand in two places
		{"GPU_PTX b\n" + body + tree + "x: shared\nlocations [x;]\ny: global\n" + asks, false},
		{"GPU_PTX b\n" + body + tree + "z: shared\n" + asks, false}, // a location of the map alone
	} {
		if got := frame(c.text); (got == plain) != c.same {
			t.Errorf("frame of\n%s%q", c.text, got)
		}
	}
	if _, _, ok := parse(t, "GPU_PTX a\n"+body+tree+asks).Clone().Frame(); ok {
		t.Error("a test that may be changed still has the frame of its file")
	}
}
