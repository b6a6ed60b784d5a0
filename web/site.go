// Package web is the playground: a page that runs muster in the browser, and the lessons.
//
//	Site     all files of the playground, by their paths
//	Engine   the WebAssembly program that answers the page (web/wasm, web/play)
//	Handler  serves a site
//
// The page (app) consists of plain files without a build step; app/lib holds the libraries, made by
// web/libraries. Lessons come from docs/lessons, the tests from the corpus. Any host of static
// files can serve a site: nothing is computed on request.
package web

import (
	"embed"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/muster-gpu/muster/docs/lessons"
	"github.com/muster-gpu/muster/internal/tests/corpus"
)

//go:embed app
var app embed.FS

// Site maps paths to the files of the playground.
type Site map[string][]byte

// NewSite builds the playground.
func NewSite(e *Engine) (Site, error) {
	s := Site{"engine/muster.wasm.gz": e.Program, "engine/wasm_exec.js": e.Support}
	page, err := fs.Sub(app, "app")
	if err != nil {
		return nil, err
	}
	if err := s.addAll("", page); err != nil {
		return nil, err
	}
	s.dropComments()
	if err := s.addLessons(); err != nil {
		return nil, err
	}
	tests, err := shelve(corpus.Shipped(), corpus.ShippedTables())
	if err != nil {
		return nil, err
	}
	return s, s.addJSON("corpus.json", tests)
}

// addAll adds the files of a file system.
func (s Site) addAll(prefix string, fsys fs.FS) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		s[prefix+name], err = fs.ReadFile(fsys, name)
		return err
	})
}

// comment matches a comment on lines of its own. Comments are a fifth of the page's compressed
// scripts.
var comment = regexp.MustCompile(`(?m)^[ \t]*(?://.*|/\*(?:[^*]|\*+[^*/])*\*+/[ \t]*)\n`)

// dropComments removes comments from scripts and style sheets. It changes nothing else, so that the
// code that runs is that of app, and errors in the browser's console are readable.
func (s Site) dropComments() {
	for name, content := range s {
		if ext := path.Ext(name); (ext == ".js" || ext == ".css") && path.Dir(name) == "." {
			s[name] = comment.ReplaceAll(content, nil)
		}
	}
}

func (s Site) addJSON(name string, v any) error {
	text, err := json.Marshal(v)
	s[name] = text
	return err
}

// addLessons adds each lesson as a piece of HTML, their list, and their pictures.
func (s Site) addLessons() error {
	type entry struct {
		Slug    string `json:"slug"`
		Number  int    `json:"number"`
		Title   string `json:"title"`
		Summary string `json:"summary"`
	}
	var index []entry
	for _, l := range lessons.List() {
		html, err := l.HTML()
		if err != nil {
			return err
		}
		s["lessons/"+l.Slug+".html"] = []byte(html)
		index = append(index, entry{l.Slug, l.Number, l.Title, l.Summary})
	}
	pictures, err := fs.Sub(lessons.FS, "pictures")
	if err != nil {
		return err
	}
	if err := s.addAll("lessons/pictures/", pictures); err != nil {
		return err
	}
	return s.addJSON("lessons/index.json", index)
}

// Write writes the site to a folder, for any host of static files.
func (s Site) Write(dir string) error {
	for name, content := range s {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// pageFile reports whether a path of the site is a file of app.
func pageFile(name string) bool {
	_, err := fs.Stat(app, "app/"+name)
	return err == nil && !strings.HasSuffix(name, "/")
}
