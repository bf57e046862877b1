package apptest

import (
	"testing"
	"time"

	"github.com/postil/postil/internal/app"
)

func TestAFullDiskIsToldInTheChatOfTheOperatorsAndStandsInTheRecord(t *testing.T) {
	t.Parallel()
	bot := NewBot(t)
	a := Start(t, Options{Bot: bot, Set: func(c *app.Config) { c.TelegramOps = []string{"-1001000000001"} }})
	a.Admin(t, "PUT", "config/alerts.disk", map[string]any{"value": 1_000_000})
	bot.Card(t, 2*time.Minute, "🔴", "The disk is nearly full")
	var out struct {
		Incidents []struct{ Alert string }
		Signals   []struct{ Kind string }
	}
	a.Admin(t, "GET", "signals?kind=alert.begun", nil).JSON(t, &out)
	if len(out.Incidents) != 1 || out.Incidents[0].Alert != "disk" || len(out.Signals) != 1 {
		t.Errorf("%+v", out)
	}
}
