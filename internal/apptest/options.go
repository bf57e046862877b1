package apptest

import (
	"strconv"
	"testing"

	"github.com/postil/postil/internal/app"
	"github.com/postil/postil/internal/apptest/ports"
	"github.com/postil/postil/internal/token"
)

// AdminKey is the admin key of every service that this package starts.
const AdminKey = "apptest-admin-key-0123456789"

// Options is what a service is started with. Without any there is one site,
// "blog", whose only origin is the service's own, and no Telegram.
type Options struct {
	Demo     bool              // the demo blog and its site "demo" beside "blog"
	Telegram bool              // a Bot API with one group and one moderator
	Bot      *Bot              // or one that is there already
	Prefix   string            // path of the public URL, such as "/comments"
	Set      func(*app.Config) // the last word on the settings of Start; RunBinary takes variables instead
}

// config returns the settings for a service on a free port, and its bot.
func (o Options) config(t testing.TB) (app.Config, *Bot) {
	t.Helper()
	address := ports.Address(t)
	cfg := app.Config{
		Listen: address, URL: "http://" + address + o.Prefix, Data: t.TempDir(),
		ClientIPHeader: "X-Forwarded-For", TelegramMode: "poll", Limits: "on", Clock: "system", LogLevel: "info", Log: "json",
		EditWindow: editWindow, AdminKey: token.NewSecret(AdminKey), Demo: o.Demo, Site: "blog",
	}
	cfg.SiteOrigins = []string{cfg.URL}
	bot := o.Bot
	if bot == nil && o.Telegram {
		bot = NewBot(t)
	}
	if bot != nil {
		cfg.TelegramToken, cfg.TelegramAPI = token.NewSecret(BotToken), bot.URL
		cfg.TelegramChats = []string{strconv.FormatInt(Group, 10)}
		cfg.TelegramMods = []string{strconv.FormatInt(Moderator.ID, 10)}
	}
	return cfg, bot
}
