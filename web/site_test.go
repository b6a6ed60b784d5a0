package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/tests/corpus"
)

// site is the playground with an engine built from these sources.
var site = sync.OnceValues(func() (Site, error) {
	e, err := BuildEngine(context.Background(), func(string) {})
	if err != nil {
		return nil, err
	}
	return NewSite(e)
})

func theSite(t testing.TB) Site {
	t.Helper()
	if testing.Short() {
		t.Skip("building the engine takes a while")
	}
	s, err := site()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSize keeps the playground small enough for a slow connection. Lessons and their pictures are
// loaded when they are opened.
func TestSize(t *testing.T) {
	const engineLimit, lessonLimit, restLimit = 3_250_000, 10_000, 300_000
	rest := 0
	for name, content := range theSite(t) {
		if name == "engine/muster.wasm.gz" {
			if len(content) > engineLimit {
				t.Errorf("%s has %d bytes, more than %d", name, len(content), engineLimit)
			}
			t.Logf("%s has %d bytes", name, len(content))
			continue
		}
		packed, err := pack(content)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "lessons/") {
			if len(packed) > lessonLimit {
				t.Errorf("%s has %d bytes gzipped, more than %d", name, len(packed), lessonLimit)
			}
			continue
		}
		rest += len(packed)
	}
	if rest > restLimit {
		t.Errorf("all but the engine and the lessons has %d bytes gzipped, more than %d", rest, restLimit)
	}
	t.Logf("all but the engine and the lessons has %d bytes gzipped", rest)
}

var (
	htmlLink   = regexp.MustCompile(`(?:src|href)="([^"#:]+)"`)
	moduleLink = regexp.MustCompile(`(?:from|import) '(\.{1,2}/[^']+)'`)
	elsewhere  = regexp.MustCompile(`(?:src|href)="(?:https?:)?//|url\(|@import|from '[^.]`)
)

// TestComplete: every file that the pages and scripts name is part of the site, and nothing is
// loaded from elsewhere.
func TestComplete(t *testing.T) {
	s := theSite(t)
	checked := 0
	for name, content := range s {
		ext := path.Ext(name)
		if types[ext] == "" {
			t.Errorf("the server does not know the media type of %s", name)
		}
		links := map[string]*regexp.Regexp{".html": htmlLink, ".js": moduleLink}[ext]
		if strings.HasPrefix(name, "lib/") || links == nil {
			continue
		}
		for _, m := range links.FindAllSubmatch(content, -1) {
			base := path.Dir(name)
			if strings.HasPrefix(name, "lessons/") {
				base = "" // they are shown within index.html
			}
			if to := path.Join(base, string(m[1])); s[to] == nil {
				t.Errorf("%s names %s, which is not part of the site", name, to)
			}
			checked++
		}
		if bad := elsewhere.Find(content); bad != nil && !strings.HasPrefix(name, "lessons/") {
			t.Errorf("%s loads something from elsewhere: %s", name, bad)
		}
	}
	if checked < 30 {
		t.Errorf("only %d links were found", checked)
	}
}

func TestCorpusIsThere(t *testing.T) {
	var s shelf
	if err := json.Unmarshal(theSite(t)["corpus.json"], &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Tests.Name) != len(corpus.Shipped().Files) {
		t.Errorf("%d tests, want %d", len(s.Tests.Name), len(corpus.Shipped().Files))
	}
	for at, test := range s.Tests.Name {
		for i, model := range s.Models {
			e, ok := corpus.ShippedTables().Expected(test, model)
			n := s.Tests.Expected[at][i]
			if ok != (n != 0) || ok && s.Verdicts[n-1] != (expectation{e.Verdict, e.Reason}) {
				t.Errorf("%s, %s: %d, want %+v", test, model, n, e)
			}
		}
	}
}

func TestWrite(t *testing.T) {
	s := theSite(t)
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		content, err := os.ReadFile(name)
		if rel, _ := filepath.Rel(dir, name); !bytes.Equal(content, s[filepath.ToSlash(rel)]) {
			t.Errorf("%s differs", rel)
		}
		return err
	})
	if err != nil || n != len(s) {
		t.Errorf("%d files of %d, %v", n, len(s), err)
	}
}

func TestHandler(t *testing.T) {
	s := Site{"index.html": []byte("<p>"), "engine/muster.wasm.gz": []byte("x"), "a.js": []byte("1")}
	tests := []struct {
		name, method, url, host, body string
		remote                        bool
		want                          int
		kind                          string
	}{
		{name: "page", url: "/", want: 200, kind: "text/html; charset=utf-8"},
		{name: "script", url: "/a.js", want: 200, kind: "text/javascript; charset=utf-8"},
		{name: "engine", url: "/engine/muster.wasm.gz", want: 200, kind: "application/gzip"},
		{name: "head", method: "HEAD", url: "/a.js", want: 200, kind: "text/javascript; charset=utf-8"},
		{name: "missing", url: "/nothing", want: 404},
		{name: "file of the disk", url: "/../../../../etc/passwd", want: 404},
		{name: "body", method: "POST", url: "/", body: "x", want: 413},
		{name: "body of a get", url: "/", body: strings.Repeat("x", 1<<20), want: 413},
		{name: "method", method: "DELETE", url: "/", want: 405},
		{name: "other host", url: "/", host: "evil.example:6878", want: 421},
		{name: "localhost", url: "/", host: "localhost:6878", want: 200, kind: "text/html; charset=utf-8"},
		{name: "IPv6", url: "/", host: "[::1]:6878", want: 200, kind: "text/html; charset=utf-8"},
		{
			name:   "told to be open",
			url:    "/",
			host:   "evil.example",
			remote: true,
			want:   200,
			kind:   "text/html; charset=utf-8",
		},
	}
	for _, c := range tests {
		r := httptest.NewRequest(cmp.Or(c.method, http.MethodGet), "http://x/", strings.NewReader(c.body))
		r.URL.Path = c.url
		r.Host = cmp.Or(c.host, "127.0.0.1:6878")
		if c.body == "" {
			r.Body, r.ContentLength = http.NoBody, 0
		}
		w := httptest.NewRecorder()
		s.Handler(!c.remote, "").ServeHTTP(w, r)
		if w.Code != c.want || c.kind != "" && w.Header().Get("Content-Type") != c.kind {
			t.Errorf("%s: %d %s, want %d %s", c.name, w.Code, w.Header().Get("Content-Type"), c.want, c.kind)
		}
		if !strings.HasPrefix(w.Header().Get("Content-Security-Policy"),
			"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; ") {
			t.Errorf("%s: the policy is %q", c.name, w.Header().Get("Content-Security-Policy"))
		}
	}
}

// TestUnchanged: a file that the client has is not sent again.
func TestUnchanged(t *testing.T) {
	h := Site{"a.js": []byte("1")}.Handler(true, "")
	get := func(tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/a.js", nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	tag := get("").Header().Get("ETag")
	if w := get(tag); tag == "" || w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("%q: %d", tag, w.Code)
	}
}

// TestPackedOnTheWay: a client that accepts gzip is sent less, with the same content.
func TestPackedOnTheWay(t *testing.T) {
	want := bytes.Repeat([]byte("muster "), 1000)
	server := httptest.NewServer(Site{"a.js": want, "b.gz": want}.Handler(true, ""))
	defer server.Close()
	for name, encoding := range map[string]string{"a.js": "gzip", "b.gz": ""} {
		r, err := http.NewRequest(http.MethodGet, server.URL+"/"+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", "br, gzip")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var body io.Reader = response.Body
		if encoding == "gzip" {
			if body, err = gzip.NewReader(body); err != nil || response.ContentLength > 100 {
				t.Fatalf("%s: %d bytes, %v", name, response.ContentLength, err)
			}
		}
		got, err := io.ReadAll(body)
		if err != nil || !bytes.Equal(got, want) || response.Header.Get("Content-Encoding") != encoding {
			t.Errorf("%s: %q, %d bytes, %v", name, response.Header.Get("Content-Encoding"), len(got), err)
		}
	}
}

// TestPageFromDisk: with a folder, only the page's files come from the folder.
func TestPageFromDisk(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("fresh"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := Site{"index.html": []byte("old"), "corpus.json": []byte("{}")}.Handler(true, dir)
	for name, want := range map[string]string{
		"/":                "fresh",
		"/corpus.json":     "{}",
		"/../site_test.go": "there is no site_test.go here\n",
	} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		r.URL.Path = name
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Body.String() != want {
			t.Errorf("%s: %q", name, w.Body)
		}
	}
}

// TestPacked: the engine that is served is a WebAssembly module.
func TestPacked(t *testing.T) {
	r, err := gzip.NewReader(bytes.NewReader(theSite(t)["engine/muster.wasm.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	magic := make([]byte, 4)
	if _, err := r.Read(magic); err != nil || string(magic) != "\x00asm" {
		t.Errorf("it begins with %q, %v", magic, err)
	}
}

// TestLibraries rebuilds app/lib from the pinned packages: the result must be the same bytes.
func TestLibraries(t *testing.T) {
	sample.Long(t)
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("needs npm (https://nodejs.org) and the npm registry, to make web/app/lib anew")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("libraries")); err != nil {
		t.Fatal(err)
	}
	install := exec.Command(npm, "ci", "--silent", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("the packages cannot be installed (is the npm registry in reach?): %v\n%s", err, out)
	}
	made := t.TempDir()
	build := exec.Command("node", "build.js", made)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"vendor.js", "LICENSES.txt"} {
		want, err := os.ReadFile(filepath.Join(made, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join("app", "lib", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("app/lib/%s is not what libraries make (%v): run make libraries", name, err)
		}
	}
}
