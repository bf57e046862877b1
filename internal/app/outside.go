package app

import (
	"cmp"
	"context"
	"time"

	"github.com/postil/postil/internal/askhttp"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
)

// consultOthers adds the checks that ask another service; without a setting
// there are none.
func (a *App) consultOthers() error {
	if a.cfg.CheckURL == "" {
		return nil
	}
	client, err := askhttp.New(a.cfg.CheckURL, a.cfg.CheckSecret, a.clock.now)
	if err != nil {
		return &usageError{problem("POSTIL_CHECK_URL", err.Error(), "https://check.example/comment")}
	}
	a.worker.Consult(moderation.Outside{Name: "outside", Limit: func() time.Duration { return settings.CheckTimeout.Get(a.settings.Now(), "") },
		Ask: func(ctx context.Context, c postil.Comment, text string, links []string) (postil.Finding, error) {
			answer, err := client.Ask(ctx, c, text, links)
			f := postil.Finding{Reason: cmp.Or(answer.Reason, "the check of another service objects")}
			switch answer.Verdict {
			case postil.VerdictSpam:
				f.Weight = moderation.Clear
			case postil.VerdictHold:
				f.Weight = moderation.Objection
			default:
				f = postil.Finding{}
			}
			return f, err
		}})
	return nil
}
