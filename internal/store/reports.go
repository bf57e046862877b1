package store

import (
	"context"
	"database/sql"
	"math"
	"strconv"

	"github.com/postil/postil/internal/postil"
)

// AddReport stores a reader's report of a public comment together with its
// event, and applies then, all or nothing. Of a person who has reported the
// comment before nothing is stored. NotFound means that it is not public.
func (s *Store) AddReport(ctx context.Context, r postil.Report, then postil.Rule) error {
	return s.Write(ctx, func(tx *Tx) error {
		c, err := tx.publicComment(r.Site, r.Comment)
		if err != nil {
			return err
		}
		n, err := tx.exec(`INSERT INTO reports (site_id, comment_id, person, fleeting, reason, note, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO NOTHING`, r.Site, int64(c.ID), r.Person.ID, r.Person.Fleeting, r.Reason, r.Note, millis(tx.now))
		if err != nil || n == 0 {
			return err
		}
		if _, err := tx.exec("UPDATE comments SET report_count = report_count + 1 WHERE comment_id = ?", int64(c.ID)); err != nil {
			return err
		}
		if err := tx.Emit(postil.Event{Kind: postil.CommentReported, Site: c.Site, Post: c.Post, Comment: c.ID}); err != nil {
			return err
		}
		_, err = tx.change(c.ID, then)
		return err
	})
}

// settleReports closes the open reports of a comment with the decision that a
// person took, and reports whether there were any. Undoing that decision opens
// them again.
func (tx *Tx) settleReports(c postil.Comment, d postil.Decision) (moved bool, err error) {
	n := int64(0)
	switch {
	case d.Undoes != 0:
		n, err = tx.exec("UPDATE reports SET settled_at = NULL, settled_by = NULL WHERE settled_by = ?", int64(d.Undoes))
	case c.Reports > 0 && d.By.Channel != postil.ByCheck:
		n, err = tx.exec("UPDATE reports SET settled_at = ?, settled_by = ? WHERE comment_id = ? AND settled_at IS NULL",
			millis(tx.now), int64(d.ID), int64(c.ID))
	}
	if err != nil || n == 0 {
		return false, err
	}
	if d.Undoes == 0 {
		n = -n
	}
	_, err = tx.exec("UPDATE comments SET report_count = max(report_count + ?, 0) WHERE comment_id = ?", n, int64(c.ID))
	return true, err
}

func scanReport(r scanner) (v postil.Report, err error) {
	var at, settled sql.NullInt64
	err = r.Scan(&v.ID, &v.Site, &v.Post, &v.Comment, &v.Reason, &v.Note, &at, &settled)
	v.At, v.Settled = when(at), when(settled)
	return v, err
}

// Reports returns a page of reports, newest first, without who made them.
func (s *Store) Reports(ctx context.Context, f postil.ReportFilter) (page postil.ReportPage, err error) {
	before := int64(math.MaxInt64)
	if f.Cursor != "" {
		if before, err = strconv.ParseInt(f.Cursor, 10, 64); err != nil || before < 1 {
			return page, postil.InvalidField("cursor", "This marker of a page is damaged. Load the list from its start, without “cursor”.")
		}
	}
	var w where
	w.and("rp.report_id < ?", before)
	if f.Site != "" {
		w.and("rp.site_id = ?", f.Site)
	}
	if f.Comment != 0 {
		w.and("rp.comment_id = ?", int64(f.Comment))
	}
	if f.Open {
		w.and("rp.settled_at IS NULL")
	}
	page.Reports, err = list(ctx, s, scanReport,
		"SELECT rp.report_id, rp.site_id, c.post_id, rp.comment_id, rp.reason, rp.note, rp.created_at, rp.settled_at FROM reports rp JOIN comments c ON c.comment_id = rp.comment_id"+
			w.String()+" ORDER BY rp.report_id DESC LIMIT ?", append(w.args, f.Limit+1)...)
	if len(page.Reports) > f.Limit {
		page.Reports = page.Reports[:f.Limit]
		page.Next = strconv.FormatInt(page.Reports[f.Limit-1].ID, 10)
	}
	return page, err
}
