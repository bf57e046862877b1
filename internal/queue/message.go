package queue

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/postil/postil/internal/postil"
)

// encode writes an event as it travels: JSON, because a person reads dead
// letters.
func encode(e postil.Event) ([]byte, error) { return json.Marshal(e) }

// decode reads what encode wrote. Members it does not know are skipped: during
// an upgrade newer nodes may send more.
func decode(data []byte) (postil.Event, error) {
	var e postil.Event
	if err := json.Unmarshal(data, &e); err != nil {
		return postil.Event{}, fmt.Errorf("unreadable: %w", err)
	}
	if e.Kind == "" {
		return postil.Event{}, errors.New("unreadable: no kind of event")
	}
	return e, nil
}
