package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/postil/postil/internal/postil"
)

const decisionColumns = `d.decision_id, d.batch, d.comment_id, c.site_id, d.verb, d.from_status, d.to_status, d.channel, d.actor, d.actor_name, d.reason,
	d.text_before, d.text_after, d.review_was_open, d.decided_at, d.undoes, d.undone_by, d.edited_before,
	d.name_before, d.name_after, d.parent_before, d.parent_after`

const fromDecisions = " FROM decisions d JOIN comments c ON c.comment_id = d.comment_id "

func scanDecision(r scanner) (d postil.Decision, err error) {
	var before, after, name, named sql.NullString
	var at, undoes, undoneBy, edited, parent, parented sql.NullInt64
	err = r.Scan(&d.ID, &d.Batch, &d.Comment, &d.Site, &d.Verb, &d.From, &d.To, &d.By.Channel, &d.By.Actor, &d.By.Name, &d.Reason,
		&before, &after, &d.ReviewWasOpen, &at, &undoes, &undoneBy, &edited, &name, &named, &parent, &parented)
	d.TextBefore, d.TextAfter, d.At, d.EditedBefore = before.String, after.String, when(at), when(edited)
	d.Undoes, d.UndoneBy = postil.DecisionID(undoes.Int64), postil.DecisionID(undoneBy.Int64)
	d.NameBefore, d.NameAfter, d.Moved = name.String, named.String, parent.Valid
	d.ParentBefore, d.ParentAfter = postil.CommentID(parent.Int64), postil.CommentID(parented.Int64)
	return d, err
}

// Decision returns one line of the decision log.
func (s *Store) Decision(ctx context.Context, id postil.DecisionID) (postil.Decision, error) {
	d, ok, err := one(ctx, s, scanDecision, "SELECT "+decisionColumns+fromDecisions+"WHERE d.decision_id = ?", int64(id))
	if err == nil && !ok {
		err = postil.Missing()
	}
	return d, err
}

// Batch returns the decisions of one bulk request.
func (s *Store) Batch(ctx context.Context, batch string) ([]postil.Decision, error) {
	return list(ctx, s, scanDecision, "SELECT "+decisionColumns+fromDecisions+"WHERE d.batch = ? AND d.batch <> '' ORDER BY d.decision_id", batch)
}

// History returns every decision about a comment, the first one first.
func (s *Store) History(ctx context.Context, id postil.CommentID) ([]postil.Decision, error) {
	return list(ctx, s, scanDecision, "SELECT "+decisionColumns+fromDecisions+"WHERE d.comment_id = ? ORDER BY d.decision_id", int64(id))
}

func lastDecision(ctx context.Context, q queryer, id postil.CommentID) (postil.Decision, error) {
	d, _, err := one(ctx, q, scanDecision, "SELECT "+decisionColumns+fromDecisions+"WHERE d.comment_id = ? ORDER BY d.decision_id DESC LIMIT 1", int64(id))
	return d, err
}

func (tx *Tx) logDecision(d postil.Decision) (postil.Decision, error) {
	id, err := tx.insert(`INSERT INTO decisions (batch, comment_id, verb, from_status, to_status, channel, actor, actor_name, reason,
			text_before, text_after, review_was_open, decided_at, undoes, edited_before,
			name_before, name_after, parent_before, parent_after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		d.Batch, int64(d.Comment), string(d.Verb), d.From, d.To, string(d.By.Channel), d.By.Actor, d.By.Name, d.Reason,
		nullText(d.TextBefore), nullText(d.TextAfter), d.ReviewWasOpen, millis(d.At), sql.NullInt64{Int64: int64(d.Undoes), Valid: d.Undoes != 0},
		nullMillis(d.EditedBefore), nullText(d.NameBefore), nullText(d.NameAfter),
		sql.NullInt64{Int64: int64(d.ParentBefore), Valid: d.Moved}, sql.NullInt64{Int64: int64(d.ParentAfter), Valid: d.Moved})
	if err != nil {
		return d, err
	}
	d.ID = postil.DecisionID(id)
	if d.By.Channel != postil.ByCheck && d.By.Channel != postil.ByAuthor {
		tx.w.taught = d.ID
	}
	if err := tx.auditDecision(d); err != nil {
		return d, err
	}
	if d.Undoes == 0 {
		return d, nil
	}
	n, err := tx.exec("UPDATE decisions SET undone_by = ? WHERE decision_id = ? AND undone_by IS NULL", id, int64(d.Undoes))
	if err == nil && n == 0 {
		err = fmt.Errorf("decision %d was taken back before", d.Undoes)
	}
	return d, err
}

// auditDecision writes down what a moderator decided; what the checks and the
// commenters themselves do stands in the decision log alone.
func (tx *Tx) auditDecision(d postil.Decision) error {
	if !d.By.Person() || d.By.Channel == postil.ByAuthor {
		return nil
	}
	return tx.record(d.By, postil.AuditEntry{Action: "comment." + string(d.Verb), Subject: "comment:" + d.Comment.String(), Site: d.Site, Detail: d.Reason, Batch: d.Batch,
		Before: map[string]any{"status": d.From}, After: map[string]any{"status": d.To}})
}
