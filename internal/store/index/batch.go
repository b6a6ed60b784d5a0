package index

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/muster-gpu/muster/internal/store/results"
)

// read is a line of a file of results, or the error of reading it.
type read struct {
	line *results.Line
	err  error
}

// ahead reads lines while earlier ones are imported, in batches of one transaction each.
func ahead(lines iter.Seq2[*results.Line, error], stop <-chan struct{}) <-chan []read {
	batches := make(chan []read, 1)
	go func() {
		defer close(batches)
		var batch []read
		send := func() bool {
			select {
			case batches <- batch:
				batch = nil
				return true
			case <-stop:
				return false
			}
		}
		for line, err := range lines {
			batch = append(batch, read{line, err})
			if len(batch) == perTransaction && !send() {
				return
			}
		}
		if len(batch) > 0 {
			send()
		}
	}()
	return batches
}

// transaction is a transaction that prepares each of its statements once.
type transaction struct {
	*sql.Tx
	ctx      context.Context
	prepared map[string]*sql.Stmt
}

func (x *Index) begin(ctx context.Context) (*transaction, error) {
	tx, err := x.db.BeginTx(ctx, nil)
	return &transaction{tx, ctx, map[string]*sql.Stmt{}}, err
}

func (t *transaction) exec(query string, args ...any) (err error) {
	s := t.prepared[query]
	if s == nil {
		if s, err = t.PrepareContext(t.ctx, query); err != nil {
			return err
		}
		t.prepared[query] = s
	}
	_, err = s.ExecContext(t.ctx, args...)
	return err
}

// end commits the transaction, or rolls it back if there is an error.
func (t *transaction) end(err error) error {
	if err != nil {
		return errors.Join(err, t.Rollback())
	}
	return t.Commit()
}
