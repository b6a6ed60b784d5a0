// Tests that look at muster from outside, in a browser and on a terminal. They have a module of their own,
// so that those who use muster as a library do not need what only these tests need.
module github.com/muster-gpu/muster/internal/tests/outside

go 1.26.0

replace github.com/muster-gpu/muster => ../../..

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/creack/pty v1.1.24
	github.com/muster-gpu/muster v0.0.0
)

require (
	github.com/VividCortex/ewma v1.2.0 // indirect
	github.com/acarl005/stripansi v0.0.0-20180116102854-5a71ef0e047d // indirect
	github.com/alecthomas/participle/v2 v2.1.4 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/vbauerster/mpb/v8 v8.9.3 // indirect
	github.com/yuin/goldmark v1.8.7 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.47.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)
