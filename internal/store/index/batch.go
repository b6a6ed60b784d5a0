package index

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/muster-gpu/muster/internal/store/results"
)

// read is a line that was read, or why it could not be.
type read struct {
	line *results.Line
	err  error
}

// ahead reads lines while others are taken in: one batch for each transaction.
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

// transaction is one, with the statements that it prepares once.
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

// end ends the transaction: it is undone if there is an error.
func (t *transaction) end(err error) error {
	if err != nil {
		return errors.Join(err, t.Rollback())
	}
	return t.Commit()
}
