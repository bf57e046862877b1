package app

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/postil/postil/internal/askhttp"
	"github.com/postil/postil/internal/askmodel"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/settings"
)

// consultOthers adds the checks that ask another service; without settings
// there are none.
func (a *App) consultOthers() error {
	for _, add := range []func() error{a.consultAkismet, a.consultService, a.consultModel} {
		if err := add(); err != nil {
			return &usageError{err}
		}
	}
	return nil
}

// within says how long a check may take, as settings have it at the moment.
func (a *App) within(e *settings.Duration) func() time.Duration {
	return func() time.Duration { return e.Get(a.settings.Now(), "") }
}

// consultService adds the check of the operator's own.
func (a *App) consultService() error {
	if a.cfg.CheckURL == "" {
		return nil
	}
	client, err := askhttp.New(a.cfg.CheckURL, a.cfg.CheckSecret, a.clock.now)
	if err != nil {
		return problem("POSTIL_CHECK_URL", err.Error(), "https://check.example/comment")
	}
	a.worker.Consult(moderation.Outside{Name: "outside", Limit: a.within(settings.CheckTimeout),
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

// consultModel adds a language model, which can hold and nothing else.
func (a *App) consultModel() error {
	if a.cfg.ModelURL == "" {
		return nil
	}
	client, err := askmodel.New(a.cfg.ModelURL, a.cfg.ModelName, a.cfg.ModelKey)
	if err != nil {
		return problem("POSTIL_MODEL_URL", err.Error(), "https://models.example/v1, beside POSTIL_MODEL_NAME")
	}
	a.worker.Consult(moderation.Outside{Name: "model", Limit: a.within(settings.ModelTimeout),
		Ask: func(ctx context.Context, c postil.Comment, text string, _ []string) (postil.Finding, error) {
			look, reason, err := client.Ask(ctx, c, text)
			if err != nil || !look {
				return postil.Finding{}, err
			}
			return postil.Finding{Weight: moderation.Objection, Reason: "a language model wants a person to look (" + cmp.Or(reason, "no reason given") + ")"}, nil
		}})
	return nil
}

// doubt says what a trusted proxy has against the sender of a request. Headers
// of anybody else say nothing.
func (a *App) doubt(site postil.SiteID, remote string, h http.Header) string {
	if a.cfg.BotScoreHeader == "" && a.cfg.CountryHeader == "" || !a.clients.Trusted(remote) {
		return ""
	}
	now := a.settings.Now()
	var against []string
	if at := a.cfg.BotScoreHeader; at != "" {
		score, err := strconv.ParseFloat(strings.TrimSpace(h.Get(at)), 64)
		if err == nil && score >= 0 && score < float64(settings.BotScore.Get(now, site)) {
			against = append(against, fmt.Sprintf("the proxy takes the sender for a program (score %.0f)", score))
		}
	}
	if at := a.cfg.CountryHeader; at != "" {
		code := strings.ToUpper(strings.TrimSpace(h.Get(at)))
		for _, c := range settings.Countries.Get(now, site) {
			if c == code {
				against = append(against, "comes from a country that waits for a person ("+c+")")
			}
		}
	}
	return strings.Join(against, ", ")
}
