package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// policy is what a page of the site may do: run its own scripts and WebAssembly, load from nowhere
// else, and not be framed (Content Security Policy, Level 3).
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; " +
	"style-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// headers are sent with every answer.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control":                "no-cache", // ask each time whether it has changed
	"Vary":                         "Accept-Encoding",
}

// Handler serves a site. It reads only the site, and accepts no input: requests with a body are
// refused. If local is set, so are requests for other hosts than this machine, which pages
// elsewhere can cause by making their name point here (DNS rebinding). If page is not "", the files
// of app are read from that folder each time, for development.
func (s Site) Handler(local bool, page string) http.Handler {
	packed := &packing{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		switch {
		case local && !isLocal(r.Host):
			http.Error(w, "this server answers for this machine only", http.StatusMisdirectedRequest)
		case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
			w.Header().Set("Connection", "close") // rather than read it all
			http.Error(w, "this server takes nothing in", http.StatusRequestEntityTooLarge)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "this server only answers GET and HEAD", http.StatusMethodNotAllowed)
		default:
			s.serve(w, r, page, packed)
		}
	})
}

// isLocal reports whether the host of a request is this machine.
func isLocal(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

func (s Site) serve(w http.ResponseWriter, r *http.Request, page string, packed *packing) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	content, ok := s[name]
	if page != "" && (!ok || pageFile(name)) && filepath.IsLocal(name) {
		fresh, err := os.ReadFile(filepath.Join(page, filepath.FromSlash(name)))
		content, ok = fresh, err == nil
	}
	if !ok {
		http.Error(w, "there is no "+name+" here", http.StatusNotFound)
		return
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && shrinks[path.Ext(name)] {
		w.Header().Set("Content-Encoding", "gzip")
		content = packed.of(content)
	}
	sum := sha256.Sum256(content)
	w.Header().Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:12])+`"`)
	w.Header().Set("Content-Type", types[path.Ext(name)])
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// shrinks are the extensions of files that compression makes smaller.
var shrinks = map[string]bool{".html": true, ".js": true, ".css": true, ".json": true, ".svg": true, ".txt": true}

// packing caches compressed files, by their content: a class that opens the page together loads it
// over one network.
type packing struct{ files sync.Map }

func (p *packing) of(content []byte) []byte {
	sum := sha256.Sum256(content)
	if packed, ok := p.files.Load(sum); ok {
		return packed.([]byte)
	}
	packed, err := pack(content)
	if err != nil {
		panic(err) // memory is written to, which cannot fail
	}
	p.files.Store(sum, packed)
	return packed
}

// types are the media types of the site's files, because those of the system may differ.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
	".gz":   "application/gzip",
	".txt":  "text/plain; charset=utf-8",
}
