package apptest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/postil/postil/internal/app"
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
	port := FreePort(t)
	cfg := app.Config{
		Listen: "127.0.0.1:" + port, URL: "http://127.0.0.1:" + port + o.Prefix, Data: t.TempDir(),
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

var (
	portsMu sync.Mutex
	ports   = map[int]bool{}
)

const portsEach = 250 // of the ports from 20000 to 30000, for one process

var share net.PacketConn // kept, or it would be closed

// firstPort is where the ports of this process begin. Tests of other packages
// run beside this process; each holds the number of its share for its life.
var firstPort = sync.OnceValue(func() int {
	for n := range 10_000 / portsEach {
		var err error
		if share, err = net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", 19_000+n)); err == nil {
			return 20_000 + n*portsEach
		}
	}
	return 20_000
})

// FreePort returns a port of the loopback interface that nobody listens on and
// that this process gives out once. It lies below the range from which the
// system takes ports for outgoing connections, so that it is still free when
// the service starts, and again when it is started anew.
func FreePort(t testing.TB) string {
	t.Helper()
	portsMu.Lock()
	defer portsMu.Unlock()
	for range 2000 {
		port := firstPort() + rand.IntN(portsEach)
		if ports[port] {
			continue
		}
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		ln.Close()
		ports[port] = true
		return strconv.Itoa(port)
	}
	t.Fatal("none of this process's ports is free")
	return ""
}
