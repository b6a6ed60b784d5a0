// Command testlog reads the output of go test -json from standard input and prints a short log: a
// line for each package, failures in full, and at the end the skipped tests with reasons, which go
// test itself reports only with -v.
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
