// Package index keeps results in an SQLite database, to answer questions. The files of results are
// the source; the index is derived from them and can be deleted and rebuilt at any time.
//
//	Index     a database; several programs may read it while one imports
//	Import    adds the records of files of results that the index lacks
//	Question  a predefined question, as SQL
//	Table     an answer
package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

// Index is a database of results.
type Index struct {
	db   *sql.DB
	name string
}

// version is the version of the schema. An index of another version must be rebuilt.
const version = 2

// schema has a row in campaign for each campaign: the answers of one model, with options and a
// version of muster, or the observations of a chip. The tables from tally on are derived from
// result at the end of an import, so that questions need not read all of it.
const schema = `
CREATE TABLE source (path TEXT PRIMARY KEY, offset INTEGER, records INTEGER, bad INTEGER);
CREATE TABLE campaign (id INTEGER PRIMARY KEY, kind TEXT, subject TEXT, hash TEXT, options TEXT, muster TEXT,
	UNIQUE (kind, subject, hash, options, muster));
CREATE TABLE test (id INTEGER PRIMARY KEY, hash TEXT, name TEXT, family TEXT);
CREATE TABLE result (campaign INTEGER, test INTEGER, verdict TEXT, outcome TEXT, states TEXT, digest TEXT,
	positive INTEGER, negative INTEGER, flags TEXT, incomplete TEXT, seconds REAL, time TEXT,
	PRIMARY KEY (campaign, test)) WITHOUT ROWID;

CREATE TABLE tally (campaign INTEGER, family TEXT, outcome TEXT, tests INTEGER, seconds REAL);
CREATE TABLE history (campaign INTEGER, day TEXT, outcome TEXT, tests INTEGER);
CREATE TABLE times (campaign INTEGER, bucket INTEGER, tests INTEGER);
CREATE TABLE slowest (campaign INTEGER, test INTEGER, seconds REAL);
CREATE TABLE names (name TEXT, tests INTEGER);
CREATE TABLE pattern (id INTEGER, campaign INTEGER, outcome TEXT, states INTEGER);
CREATE TABLE differing (pattern INTEGER, test INTEGER, PRIMARY KEY (pattern, test)) WITHOUT ROWID;
`

// Open opens an index, and creates it if it does not exist.
func Open(ctx context.Context, name string) (*Index, error) {
	x, err := open(name,
		"_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=cache_size(-65536)&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	had, err := x.version(ctx)
	if err == nil && had == 0 {
		_, err = x.db.ExecContext(ctx, fmt.Sprintf("BEGIN; %s PRAGMA user_version = %d; COMMIT", schema, version))
	}
	if err == nil {
		err = x.check(had)
	}
	if err != nil {
		x.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, nil
}

// Ask opens an index for reading only. If words are given, the first one must be the name of a
// question.
func Ask(ctx context.Context, name string, words ...string) (*Index, error) {
	if len(words) > 0 {
		if _, err := Find(words[0]); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil,
			fmt.Errorf("%s: there is no index yet: `muster results import FILE` makes it of files of results", name)
	}
	x, had, err := readOnly(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err = x.check(had); had == 0 {
		err = errors.New("this is an empty database: `muster results import FILE` fills it")
	}
	if err != nil {
		x.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, nil
}

// readOnly opens an index and returns its version. Readers of a database with a write-ahead log
// (WAL) create files beside it, which fails on a read-only disk; the database is then opened as
// immutable (https://sqlite.org/wal.html, "Read-Only Databases").
func readOnly(ctx context.Context, name string) (x *Index, had int, err error) {
	for _, how := range []string{"", "&mode=ro&immutable=1"} {
		if x, err = open(name, "_pragma=query_only(1)&_pragma=busy_timeout(10000)"+how); err != nil {
			return nil, 0, err
		}
		if had, err = x.version(ctx); err == nil {
			return x, had, nil
		}
		x.Close()
		if _, log := os.Stat(name + "-wal"); log == nil {
			break // there is more than the database says
		}
	}
	return nil, 0, err
}

func open(name, pragmas string) (*Index, error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: name}).EscapedPath()+"?"+pragmas)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // an import runs one transaction after the other
	return &Index{db, name}, nil
}

func (x *Index) version(ctx context.Context) (v int, err error) {
	err = x.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}

func (x *Index) check(had int) error {
	if had != 0 && had != version {
		return fmt.Errorf("an index of version %d; this muster has version %d: delete it, and import again",
			had, version)
	}
	return nil
}

// Close closes the index.
func (x *Index) Close() error { return x.db.Close() }

// Table is an answer: columns, and rows of values.
type Table struct {
	Columns []string
	Rows    [][]any // string, int64, float64 or nil
}

// quoted matches what SQL does not interpret: strings, names in quotes, and comments.
var quoted = regexp.MustCompile("(?s)'[^']*'|\"[^\"]*\"|`[^`]*`|\\[[^]]*\\]|--[^\n]*|/\\*.*?\\*/")

// Query runs a query in SQL. It must be one statement: of several, SQLite would return the result
// of the last.
func (x *Index) Query(ctx context.Context, query string, args ...any) (*Table, error) {
	bare := strings.TrimRight(quoted.ReplaceAllString(query, " "), "; \t\r\n")
	if strings.Contains(bare, ";") {
		return nil, errors.New("this is more than one statement of SQL, and one has an answer")
	}
	rows, err := x.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", x.name, err)
	}
	defer rows.Close()
	t := &Table{}
	if t.Columns, err = rows.Columns(); err != nil {
		return nil, err
	}
	for rows.Next() {
		row := make([]any, len(t.Columns))
		into := make([]any, len(row))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, row)
	}
	return t, rows.Err()
}

// Campaign returns the number of a campaign, given its number or, if that is unique, the name of
// its model or chip.
func (x *Index) Campaign(ctx context.Context, name string) (int64, error) {
	t, err := x.Query(ctx,
		"SELECT id, kind, options, muster FROM campaign WHERE CAST(id AS TEXT) = ? OR subject = ? ORDER BY id",
		name, name)
	if err != nil {
		return 0, err
	}
	switch len(t.Rows) {
	case 0:
		return 0, fmt.Errorf("no campaign %s: `muster results` lists them", name)
	case 1:
		return t.Rows[0][0].(int64), nil
	}
	var numbers []string
	for _, row := range t.Rows {
		numbers = append(numbers, fmt.Sprintf("%d (muster %s, %s)", row[0], row[3], row[2]))
	}
	return 0,
		fmt.Errorf("there are several campaigns of %s: %s; say which by its number", name, strings.Join(numbers, ", "))
}
