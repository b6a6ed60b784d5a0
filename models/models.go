// Package models holds the memory models that muster ships, and finds others.
//
//	Info    the description in the opening comment of a model
//	Config  variants, whether a given co is partial, and changes of the text
//	Load    a shipped model by name, or a .cat file by path
//	LoadAll models as command lines write them, with variants
//	List    all shipped models
//
// A model is one .cat file. Its first comment describes it in lines "Key: text"; Info has the keys.
// Files of users may do the same.
package models

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/language/inputs"
	"github.com/muster-gpu/muster/src"
)

//go:embed *.cat
var shipped embed.FS

// Info describes a model.
type Info struct {
	Name   string // argument of -m
	Title  string // one line
	Source string // publication or document that the model is from
	Covers string // programs that it covers
	Chips  string // the vendor whose chips it models; "" for any
	Tests  string // headers of the tests that it is for; "" for those of PTX
	Target string // what tests in C are translated to before the model judges them: "ptx", or "" for no translation
}

// For reports whether the model is for tests with the given header.
func (i Info) For(header string) bool {
	return slices.Contains(strings.Fields(cmp.Or(i.Tests, "GPU_PTX PTX")), header)
}

// Model is a loaded model and its description.
type Model struct {
	*cat.Model
	Info
	// Files are the texts of the model and of its includes, each as often as it is included.
	Files []*src.File
	// Library are those of Files that are shipped for other models to include.
	Library []*src.File
	// On are the variants that are switched on.
	On []string
}

// library are the shipped files that define names and are not part of a shipped model.
var library = []string{"cos.cat", "cross.cat", "fences.cat", "filters.cat"}

// List describes the shipped models, sorted by name.
func List() []Info {
	var infos []Info
	for _, name := range names() {
		text, err := shipped.ReadFile(name + ".cat")
		if err == nil {
			infos = append(infos, describe(name, string(text)))
		}
	}
	return infos
}

// names lists the shipped models. Files that only other models include have no title.
func names() []string {
	files, _ := shipped.ReadDir(".")
	var names []string
	for _, f := range files {
		text, _ := shipped.ReadFile(f.Name())
		if name := strings.TrimSuffix(f.Name(), ".cat"); describe(name, string(text)).Title != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Config selects variants of models and where their files are found.
type Config struct {
	Variants []string // variants that are switched on; see CheckVariants
	// Include lists additional folders for models and their includes.
	Include []string
	// PartialCo gives a model that does not choose co every partial order of the writes of each
	// location, instead of the total orders.
	PartialCo bool
	// Edit, if not nil, changes the text of each file of the model, includes too. It is given the
	// file's name in messages.
	Edit func(name, text string) string
	// Files are texts by file name, such as tso.cat, in addition to shipped files or instead of
	// them. A model among them includes nothing from the disk.
	Files map[string]string
	// Stdin is read for the name -; nil if - is not a name.
	Stdin io.Reader
	// Before are files whose statements precede the model, as if it included them.
	Before []*src.File
}

// givens are shipped files with definitions that some models need: of relations that the model
// takes as given although they are choices, or that have another meaning here.
var givens = []struct {
	file  string
	needs func(*cat.Model, Config) bool
}{
	{"partial-co.cat", func(m *cat.Model, c Config) bool { return c.PartialCo && !m.Chooses("co") }},
	{"sync-fence.cat", func(m *cat.Model, _ Config) bool { return m.Mentions("sync_fence") }},
	{"one-event.cat", func(m *cat.Model, _ Config) bool { return oneEvent(m) }},
	{"one-event-fr.cat", func(m *cat.Model, _ Config) bool { return oneEvent(m) && !m.Chooses("co") }},
}

// oneEvent reports whether a model treats a read-modify-write as one event, as herd's models of C
// do: it mentions memory orders, and no relation between a read and a write.
func oneEvent(m *cat.Model) bool {
	return m.Mentions("ACQ") && m.Mentions("REL") && !m.Mentions("rmw")
}

// Load loads a model by its shipped name or by the path of a .cat file. The error is about the name
// or the text.
func Load(name string, c Config) (*Model, error) {
	o := c.opener()
	f, err := o.open(name)
	if err != nil {
		return nil, err
	}
	how := cat.Config{Find: o.find, Variants: c.Variants}
	m, err := cat.Load(f, how)
	if err != nil {
		return nil, Otherwise(f, err)
	}
	for _, g := range givens {
		if g.needs(m, c) {
			before, err := readShipped(g.file)
			if err != nil {
				return nil, err
			}
			how.Before = append(how.Before, before)
		}
	}
	if how.Before = append(how.Before, c.Before...); how.Before != nil {
		o.files = append(slices.Clone(how.Before), f)
		if m, err = cat.Load(f, how); err != nil {
			return nil, err
		}
	}
	base := strings.TrimSuffix(filepath.Base(name), ".cat")
	return &Model{m, describe(base, f.Text).like(o.files), o.files, o.library(), c.Variants}, nil
}

// like returns the description with empty fields filled from the files that the model includes, the
// first of them first: a model that includes another is for the same tests and chips.
func (i Info) like(files []*src.File) Info {
	for _, f := range files {
		other := describe("", f.Text)
		i.Chips, i.Tests, i.Target = cmp.Or(i.Chips, other.Chips), cmp.Or(i.Tests, other.Tests), cmp.Or(i.Target,
			other.Target)
	}
	return i
}

// Open reads the text of a model: a shipped name, or the path of a .cat file.
func Open(name string) (*src.File, error) { return Config{}.Open(name) }

// Open reads the text of a model from where Load finds it.
func (c Config) Open(name string) (*src.File, error) { return c.opener().open(name) }

// Named returns the description of a shipped model.
func Named(name string) (Info, error) {
	for _, info := range List() {
		if info.Name == strings.TrimSuffix(name, ".cat") {
			return info, nil
		}
	}
	return Info{}, unknown(name)
}

// Shipped reads the text of a shipped file: a model, or a file that models include.
func Shipped(name string) (*src.File, error) {
	f, err := Config{}.opener().openShipped(strings.TrimSuffix(name, ".cat") + ".cat")
	if err != nil {
		return nil, unknown(name)
	}
	return f, nil
}

// opener opens the files of a model.
type opener struct {
	// shipped are the files from the binary. Files on disk may have the same names.
	shipped map[*src.File]bool
	edit    func(name, text string) string
	texts   map[string]string // Config.Files
	folders []string          // Config.Include
	stdin   io.Reader         // read for the name -, or nil
	files   []*src.File       // opened so far
}

func (c Config) opener() *opener {
	return &opener{shipped: map[*src.File]bool{}, edit: c.Edit, texts: c.Files, folders: c.Include, stdin: c.Stdin}
}

// file returns a file of the model.
func (o *opener) file(name, text string) *src.File {
	if o.edit != nil {
		text = o.edit(name, text)
	}
	f := src.NewFile(name, text)
	o.files = append(o.files, f)
	return f
}

// library returns the opened files of the shipped library. Users' files may have the same names.
func (o *opener) library() []*src.File {
	return slices.DeleteFunc(slices.Clone(o.files), func(f *src.File) bool {
		return !o.shipped[f] || !slices.Contains(library, path.Base(f.Name))
	})
}

func (o *opener) open(name string) (*src.File, error) {
	if _, ok := o.texts[name+".cat"]; ok {
		return o.openShipped(name + ".cat")
	}
	if name == "-" && o.stdin != nil {
		text, err := src.Read(o.stdin, maxModel)
		if err != nil {
			return nil, fmt.Errorf("cannot read the model: %w", err)
		}
		return o.file(name, text), nil
	}
	if strings.HasSuffix(name, ".cat") || strings.ContainsRune(name, os.PathSeparator) {
		f, err := o.read(".", name)
		if err != nil {
			return nil, fmt.Errorf("cannot read the model: %w", err)
		}
		return f, nil
	}
	if f, err := o.openShipped(name + ".cat"); err == nil {
		return f, nil
	}
	switch info, err := os.Stat(name); {
	case err != nil:
		return nil, unknown(name)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder, and a model is a file: name that%s", name,
			inputs.Inside(name, inputs.Model))
	}
	f, err := o.read(".", name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the model: %w", err)
	}
	return f, nil
}

// Otherwise returns a better error for a file that is recognisably something other than a model, or
// else the error itself.
func Otherwise(f *src.File, err error) error {
	what := inputs.Instead(f.Name, f.Text, inputs.Model)
	if what == "" {
		return err
	}
	line, _, _ := strings.Cut(f.Text, "\n")
	return src.Diagnostics{src.Errorf(f.Span(0, len(line)), "not a model").WithHint("%s", what)}
}

// maxModel bounds the bytes of a user's file, because a device may have no end.
const maxModel = 16 << 20

// read reads a file from the disk: beside the including file, or else in one of the folders.
func (o *opener) read(beside, name string) (*src.File, error) {
	var first error
	for i, folder := range append([]string{beside}, o.folders...) {
		path := filepath.Join(folder, name)
		if filepath.IsAbs(name) || i == 0 && beside == "." {
			path = name // as given
		}
		text, err := readDisk(path)
		if err == nil {
			return o.file(path, text), nil
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return nil, first
}

// unknown returns the error that no shipped model has a name.
func unknown(name string) error {
	hint := "muster has " + strings.Join(names(), ", ") + "; or give the path of a .cat file"
	if near := src.DidYouMean(name, names()); near != "" {
		hint = near
	}
	return fmt.Errorf("unknown model %q: %s", name, hint)
}

func (o *opener) openShipped(name string) (*src.File, error) {
	f, err := readShipped(name)
	if text, ok := o.texts[name]; ok {
		f, err = src.NewFile(path.Join(shippedFolder, name), text), nil
	}
	if err != nil {
		return nil, err
	}
	f = o.file(f.Name, f.Text)
	o.shipped[f] = true
	return f, nil
}

// shippedFolder is the folder of the shipped files in the repository.
const shippedFolder = "models"

// readShipped reads a shipped file. Messages name it by its path in the repository.
func readShipped(name string) (*src.File, error) {
	text, err := shipped.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return src.NewFile(path.Join(shippedFolder, name), string(text)), nil
}

// find finds an included file: beside the including file, then in the folders, then among the
// shipped files.
func (o *opener) find(from *src.File, name string) (*src.File, error) {
	if !o.shipped[from] {
		if f, err := o.read(filepath.Dir(from.Name), name); err == nil {
			return f, nil
		}
	}
	f, err := o.openShipped(name)
	if err != nil {
		places := ""
		if len(o.folders) > 0 {
			places = ", in " + strings.Join(o.folders, ", ")
		}
		return nil, fmt.Errorf("no such file beside %s%s, nor among the models of muster", from.Name, places)
	}
	return f, nil
}

// describe parses the opening comment of a model. A line that starts with a known key and a colon
// begins a field, and lines that are indented further continue it.
func describe(name, text string) Info {
	info := Info{Name: name}
	fields := map[string]*string{
		"Title": &info.Title, "Source": &info.Source, "Covers": &info.Covers,
		"Chips": &info.Chips, "Tests": &info.Tests, "Target": &info.Target,
	}
	text, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), "(*")
	if !ok {
		return info
	}
	text, _, _ = strings.Cut(text, "*)")
	var field *string
	margin := 0 // indentation of the current field
	for line := range strings.Lines("  " + text) {
		words := strings.TrimSpace(line)
		indent := strings.Index(line, words)
		if key, rest, ok := strings.Cut(words, ":"); ok && fields[key] != nil {
			field, margin, words = fields[key], indent, rest
		} else if indent <= margin {
			field = nil
		}
		if field != nil {
			*field = strings.TrimSpace(*field + " " + strings.TrimSpace(words))
		}
	}
	return info
}
