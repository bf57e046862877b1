package telegram

import (
	"context"
	"slices"
	"time"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

// opsChats returns where operators read: the chats that the configuration names
// for them, else those of every site, else the moderators of all sites.
func (b *Bot) opsChats(ctx context.Context) ([]int64, error) {
	chats, err := b.ruled(ctx, b.cfg.Ops, "")
	if err != nil || len(chats) > 0 {
		return chats, err
	}
	return b.chatsFor(ctx, "")
}

// TellAlert tells operators of trouble. It fails when nobody could be reached.
func (b *Bot) TellAlert(ctx context.Context, i postil.Incident, phase postil.Phase) error {
	return b.tellOps(ctx, func(_ context.Context, say words.Speech) (letter, error) {
		return plain(alertText(i, phase, b.now(), say)), nil
	})
}

// alertSigns stand before what is said of trouble.
var alertSigns = map[postil.Phase]string{postil.IncidentBegins: "🔴 ", postil.IncidentUpdates: "🟠 ", postil.IncidentEnds: "🟢 "}

func alertText(i postil.Incident, phase postil.Phase, now time.Time, say words.Speech) string {
	what := say.Count("alert."+i.Alert, int(i.Value))
	switch phase {
	case postil.IncidentBegins:
		return alertSigns[phase] + what
	case postil.IncidentUpdates:
		return alertSigns[phase] + say.Say("alert.lasts", "what", what, "age", say.Ago(now.Sub(i.Began)))
	}
	return alertSigns[phase] + say.Say("alert.over", "what", say.Say("alert.name."+i.Alert), "age", say.Ago(i.Ended.Sub(i.Began)))
}

// tellOps sends a letter to each chat of the operators. One that was reached is
// enough: telling the others again would be noise.
func (b *Bot) tellOps(ctx context.Context, write func(context.Context, words.Speech) (letter, error)) error {
	chats, err := b.opsChats(ctx)
	if err != nil {
		return err
	}
	var first error
	reached := len(chats) == 0 // there is nobody, and trying again would not change that
	for _, chat := range chats {
		l, err := write(ctx, b.speech(chat))
		if err != nil {
			return err
		}
		l.chat, l.thread = chat, b.opsThread(chat)
		if _, err = b.api.send(ctx, l); err == nil {
			reached = true
		} else if first == nil {
			first = err
		}
	}
	if reached {
		return nil
	}
	return first
}

// opsThread returns the topic of a chat in which operators read.
func (b *Bot) opsThread(chat int64) int64 {
	i := slices.IndexFunc(b.cfg.Ops, func(r ChatRule) bool { return r.Chat == chat || b.sender.movedTo(r.Chat) == chat })
	if i >= 0 {
		return b.cfg.Ops[i].Thread
	}
	return b.threadOf(chat)
}
