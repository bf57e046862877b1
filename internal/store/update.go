package store

import "strings"

// update gathers the columns that an UPDATE changes.
type update struct {
	columns []string
	args    []any
}

// set takes a column along when it changes.
func (u *update) set(changes bool, column string, value any) {
	if changes {
		u.columns, u.args = append(u.columns, column+" = ?"), append(u.args, value)
	}
}

// run changes the rows of a table for which where holds; nothing to set is
// nothing to do.
func (u *update) run(tx *Tx, table, where string, args ...any) error {
	if len(u.columns) == 0 {
		return nil
	}
	_, err := tx.exec("UPDATE "+table+" SET "+strings.Join(u.columns, ", ")+" WHERE "+where, append(u.args, args...)...)
	return err
}
