package sim_test
import ("testing";"strings";"github.com/muster-gpu/muster/sim";"context")
func benchTmp(b *testing.B, prefix, model string) {
	m := loadModel(b, model)
	var texts []string
	for _, f := range corpus(b) { if strings.HasPrefix(f.Name, prefix) { texts = append(texts, f.Text) } }
	b.ReportAllocs()
	for b.Loop() { for _, x := range texts { t := load(b, x, sim.Defaults()); r,_ := t.Run(context.Background(), m); r.Record().WriteTo(discard{}) } }
	b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "tests/s")
}
func BenchmarkTmpA(b *testing.B) { benchTmp(b, "asplos15/", "ptx-asplos15") }
func BenchmarkTmpB(b *testing.B) { benchTmp(b, "ptx/", "ptx") }
type discard struct{}
func (discard) Write(p []byte) (int, error) { return len(p), nil }
