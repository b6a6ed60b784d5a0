//go:build !js

package litmus

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash identifies what the test says: see Content.Hash.
func (t *Test) Hash() string {
	p := newPrinter(t)
	defer p.release()
	p.content()
	return hash(p.text)
}

// Hash identifies the content: the first 16 bytes, in hexadecimal, of the SHA-256 of its text.
func (c Content) Hash() string { return hash(c.text) }

// HashElsewhere returns the hash of the content of another test that differs only in the places of
// threads and locations (Frame).
func (c Content) HashElsewhere(to *Test) string {
	p := newPrinter(to)
	defer p.release()
	p.text = append(p.text, c.text[:c.from]...)
	p.places()
	p.text = append(p.text, c.text[c.to:]...)
	return hash(p.text)
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
