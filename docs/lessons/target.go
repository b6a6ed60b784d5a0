package lessons

import (
	"path"
	"regexp"
	"strconv"
)

// A target is what a link of a lesson leads to. Links are written as paths in the repository, so
// that they work wherever it is browsed.
type target interface {
	// href is where the link leads in the page.
	href() string
}

type (
	shippedTest string // by its name
	otherLesson string // by its slug
	fileInTree  string // by its path in the repository
	webPage     string
)

const repository = "https://github.com/muster-gpu/muster/blob/main/"

func (c Claim) href() string       { return "#test=" + c.Test + "&model=" + c.Model }
func (c Count) href() string       { return repository + "litmus-tests/" + c.Folder + "/observations.csv" }
func (s shippedTest) href() string { return "#test=" + string(s) }
func (o otherLesson) href() string { return "#lesson=" + string(o) }
func (f fileInTree) href() string  { return repository + string(f) }
func (w webPage) href() string     { return string(w) }

// targets are the forms of destinations; the first that fits says what the target is.
var targets = []struct {
	form *regexp.Regexp
	read func(m []string) target
}{
	{
		regexp.MustCompile(`^\.\./\.\./models/([\w.-]+)\.cat#([^=]+)=(Never|Sometimes|Always|Undefined)(?::([\w.-]+))?$`),
		func(m []string) target {
			return Claim{Model: m[1], Test: m[2], Verdict: Verdict(m[3]), Axiom: m[4]}
		},
	},
	{
		regexp.MustCompile(`^\.\./\.\./litmus-tests/(\w+)/observations\.csv#([^=@]+)@(\w+)(?::([\w-]+))?=(\d{1,9})/(\d{1,9})$`),
		func(m []string) target {
			seen, _ := strconv.Atoi(m[5]) // digits
			runs, _ := strconv.Atoi(m[6])
			return Count{Folder: m[1], Test: m[2], Device: m[3], Setting: m[4], Seen: seen, Runs: runs}
		},
	},
	{
		regexp.MustCompile(`^\.\./\.\./litmus-tests/\w+/([^/#]+)\.litmus$`),
		func(m []string) target { return shippedTest(m[1]) },
	},
	{
		regexp.MustCompile(`^(\d\d-[a-z0-9-]+)\.md$`),
		func(m []string) target { return otherLesson(m[1]) },
	},
	{
		regexp.MustCompile(`^[\w./-]+(#[\w-]+)?$`),
		func(m []string) target { return fileInTree(path.Join("docs/lessons", m[0])) },
	},
	{
		regexp.MustCompile(`^https://[^ ]+$`),
		func(m []string) target { return webPage(m[0]) },
	},
}

// targetOf is what a destination leads to; nil if it has none of the forms.
func targetOf(destination string) target {
	for _, t := range targets {
		if m := t.form.FindStringSubmatch(destination); m != nil {
			return t.read(m)
		}
	}
	return nil
}

// pictureForm is how images are written.
var pictureForm = regexp.MustCompile(`^pictures/([a-z0-9-]+)\.svg$`)

// inPage is the folder of the lessons' pictures in the page.
const inPage = "lessons/"
