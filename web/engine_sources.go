//go:build !playground

package web

// embedded returns nil: go run and go build use an engine built from the present sources.
func embedded() *Engine { return nil }
