package page

import "testing"

// BenchmarkFirstVerdict measures the time from opening the page to the first verdict.
func BenchmarkFirstVerdict(b *testing.B) {
	page := openTab(b, "")
	total := 0.0
	for b.Loop() {
		page.visit("")
		total += get[float64](page, `performance.getEntriesByName('muster:verdict')[0].startTime`)
	}
	b.ReportMetric(total/float64(b.N), "ms/verdict")
}

// BenchmarkKeystroke measures the time from a key press in a classic test to the new verdict.
func BenchmarkKeystroke(b *testing.B) {
	page := openTab(b, "#test=mp-inter-cta")
	page.with(editor("#test"), "e.focus()")
	total := 0.0
	for b.Loop() {
		get[any](page,
			`(performance.clearMarks(), `+editor("#test")+
				`.addEventListener('keydown', () => performance.mark('key'), { once: true }))`)
		page.press(" ")
		page.wait(`performance.getEntriesByName('muster:verdict').length`)
		total += get[float64](page,
			`performance.getEntriesByName('muster:verdict')[0].startTime - performance.getEntriesByName('key')[0].startTime`)
	}
	b.ReportMetric(total/float64(b.N), "ms/verdict")
}
