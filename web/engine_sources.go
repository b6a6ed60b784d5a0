//go:build !playground

package web

// embedded is no engine: go run and go build have the one of the sources, as they are now.
func embedded() *Engine { return nil }
