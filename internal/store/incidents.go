package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/postil/postil/internal/postil"
)

const incidentColumns = "i.incident_id, i.alert, i.began_at, i.told_at, i.ended_at, i.value, i.worst, i.detail"

func scanIncident(r scanner) (i postil.Incident, err error) {
	var began, told, ended sql.NullInt64
	err = r.Scan(&i.ID, &i.Alert, &began, &told, &ended, &i.Value, &i.Worst, &i.Detail)
	i.Began, i.Told, i.Ended = when(began), when(told), when(ended)
	return i, err
}

// OpenIncidents returns the trouble that lasts.
func (s *Store) OpenIncidents(ctx context.Context) ([]postil.Incident, error) {
	return list(ctx, s, scanIncident, "SELECT "+incidentColumns+" FROM incidents i WHERE i.ended_at IS NULL ORDER BY i.incident_id")
}

// Incident returns one, NotFound when there is none.
func (s *Store) Incident(ctx context.Context, id int64) (postil.Incident, error) {
	i, ok, err := one(ctx, s, scanIncident, "SELECT "+incidentColumns+" FROM incidents i WHERE i.incident_id = ?", id)
	if err == nil && !ok {
		err = postil.Missing()
	}
	return i, err
}

// Incidents returns the trouble that there was in a span of time.
func (s *Store) Incidents(ctx context.Context, from, to time.Time) ([]postil.Incident, error) {
	return list(ctx, s, scanIncident, "SELECT "+incidentColumns+" FROM incidents i WHERE i.began_at < ? AND (i.ended_at IS NULL OR i.ended_at >= ?) ORDER BY i.began_at",
		millis(to), millis(from))
}

// tellings are the signals of the phases of an incident.
var tellings = map[postil.Phase]postil.SignalKind{
	postil.IncidentBegins: postil.SignalAlertBegan, postil.IncidentUpdates: postil.SignalAlertUpdated, postil.IncidentEnds: postil.SignalAlertEnded,
}

// TellIncident stores what is said of an incident, in one transaction with its
// signal, its event, and a delivery for each webhook that wants it: whether the
// broker runs may be what the incident is about. An incident without an id is a
// new one; when one of its alert is open already, that one is meant.
func (s *Store) TellIncident(ctx context.Context, i postil.Incident, phase postil.Phase) (postil.Incident, error) {
	err := s.Write(ctx, func(tx *Tx) (err error) {
		if i, err = tx.incident(i); err != nil {
			return err
		}
		if err := tx.signal(postil.Signal{Kind: tellings[phase], Detail: i.Alert + ": " + i.Detail, Outcome: string(phase), After: i.Told.Sub(i.Began)}); err != nil {
			return err
		}
		ev := postil.Event{Kind: postil.AlertRaised, Incident: i.ID, Phase: phase, At: tx.now}
		id, err := tx.emit(ev)
		if err != nil {
			return err
		}
		ev.ID = postil.EventID(id)
		raw, err := json.Marshal(ev)
		if err != nil {
			return err
		}
		_, err = tx.deliver(ev, string(raw))
		return err
	})
	return i, err
}

func (tx *Tx) incident(i postil.Incident) (postil.Incident, error) {
	if i.ID == 0 {
		open, ok, err := one(context.Background(), tx, scanIncident, "SELECT "+incidentColumns+" FROM incidents i WHERE i.alert = ? AND i.ended_at IS NULL", i.Alert)
		if err != nil {
			return i, err
		}
		if ok {
			i.ID, i.Began = open.ID, open.Began
		}
	}
	if i.ID == 0 {
		id, err := tx.insert("INSERT INTO incidents (alert, began_at, told_at, ended_at, value, worst, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
			i.Alert, millis(i.Began), millis(i.Told), nullMillis(i.Ended), i.Value, i.Worst, i.Detail)
		i.ID = id
		return i, err
	}
	_, err := tx.exec("UPDATE incidents SET told_at = ?, ended_at = ?, value = ?, worst = ?, detail = ? WHERE incident_id = ?",
		millis(i.Told), nullMillis(i.Ended), i.Value, i.Worst, i.Detail, i.ID)
	return i, err
}
