package litmus

import "testing"

// TestUnmapped: tests have one frame if they differ in names, metadata and the regions that their maps give alone.
func TestUnmapped(t *testing.T) {
	frame := func(text string) string {
		before, after, ok := parse(t, text).Unmapped()
		if !ok {
			return "none"
		}
		return before + "#" + after
	}
	const body = "{ x=0; y=0; }\n T0 | T1 ;\n st.cg [x],1 | ld.cg r0,[y] ;\nScopeTree (cta T0) (cta T1)\n"
	const asks = "exists (1:r0=0)\n"
	plain := frame("GPU_PTX a\n" + body + asks)
	if plain != body+"#"+asks {
		t.Errorf("frame of a test without a map: %q", plain)
	}
	for _, c := range []struct {
		text string
		same bool
	}{
		{"GPU_PTX b\n\"doc\"\nKey=Value\n" + body + "x: shared, y: global\n" + asks, true},
		{"GPU_PTX b\n" + body + "x: shared\n\n" + asks, true},
		{"GPU_PTX b\n" + body + "exists (1:r0=1)\n", false},
		{"GPU_PTX b\n" + body + "x: shared\nlocations [x;]\ny: global\n" + asks, false}, // two maps
		{"GPU_PTX b\n" + body + "z: shared\n" + asks, false},                            // a location of the map alone
	} {
		if got := frame(c.text); (got == plain) != c.same {
			t.Errorf("frame of\n%s%q", c.text, got)
		}
	}
	if _, _, ok := parse(t, "GPU_PTX a\n"+body+asks).Clone().Unmapped(); ok {
		t.Error("a test that may be changed still has the frame of its file")
	}
}
