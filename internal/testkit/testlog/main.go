// Command testlog makes a short log of what go test -json says on standard input: a line for
// each package, what failed in full, and at the end which tests were skipped, and why. go
// test itself says nothing of skipped tests unless it is told to say everything.
//
//	go test -json ./... | go run ./testlog
//
// The exit status is 1 if a test failed or nothing was tested.
package main

import (
	"fmt"
	"os"
)

func main() {
	l := newLog(os.Stdout)
	if err := l.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testlog:", err)
		os.Exit(1)
	}
	l.skips()
	if !l.passed() {
		os.Exit(1)
	}
}
