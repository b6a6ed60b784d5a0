//go:build !js

package litmus

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash identifies what the test says, whatever it is called: the first 16 bytes, in
// hexadecimal, of the SHA-256 of its canonical text without name, doc string and
// metadata, and with the blanks inside instructions reduced to those between two
// words. Tests with the same hash have the same outcomes.
func (t *Test) Hash() string {
	p := newPrinter(t)
	defer p.release()
	p.squeezed = true
	p.line(t.Arch)
	p.body()
	sum := sha256.Sum256(p.text)
	return hex.EncodeToString(sum[:16])
}
