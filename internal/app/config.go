package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/postil/postil/internal/backup"
	"github.com/postil/postil/internal/netid"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
	"github.com/postil/postil/internal/words"
)

// Config is everything that is decided at the start. The tags are what the
// help, the environment and the README's table are made from.
type Config struct {
	Listen          string        `setting:"POSTIL_LISTEN" default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where to listen, as host:port."`
	URL             string        `setting:"POSTIL_URL" name:"url" placeholder:"URL" help:"Where browsers reach the service, with path prefix if any; else http://localhost and the port."`
	AdminListen     string        `setting:"POSTIL_ADMIN_LISTEN" placeholder:"ADDRESS" help:"Another address, for operators: metrics, profiles, and the admin page. Metrics leave the public one. Never open it to the internet."`
	Data            string        `setting:"POSTIL_DATA" default:"./postil-data" placeholder:"DIR" help:"Data directory: database, queue, secret."`
	NATSURL         string        `setting:"POSTIL_NATS_URL" name:"nats-url" placeholder:"URL" help:"An outside NATS server; without it one runs inside."`
	Secret          token.Secret  `setting:"POSTIL_SECRET" placeholder:"TEXT" help:"Secret for keyed hashes and tokens; without it one is made once and kept in the data directory."`
	TrustedProxies  []string      `setting:"POSTIL_TRUSTED_PROXIES" placeholder:"CIDR,…" help:"Proxies whose word about the client's address counts."`
	ClientIPHeader  string        `setting:"POSTIL_CLIENT_IP_HEADER" name:"client-ip-header" default:"X-Forwarded-For" placeholder:"NAME" help:"The header that they set."`
	TelegramToken   token.Secret  `setting:"POSTIL_TELEGRAM_TOKEN" placeholder:"TOKEN" help:"Token of the Telegram bot; without it a console reviewer asks if there is a terminal."`
	TelegramAPI     string        `setting:"POSTIL_TELEGRAM_API" name:"telegram-api" placeholder:"URL" help:"Base of the Bot API; any server that speaks it."`
	TelegramChats   []string      `setting:"POSTIL_TELEGRAM_CHATS" placeholder:"ID,…" help:"Chats that get cards; site=ID for the cards of one site, ID/TOPIC for a topic of a forum."`
	TelegramMods    []string      `setting:"POSTIL_TELEGRAM_MODERATORS" name:"telegram-moderators" placeholder:"ID,…" help:"Telegram user ids that may decide without linking first."`
	TelegramMode    string        `setting:"POSTIL_TELEGRAM_MODE" default:"poll" placeholder:"MODE" help:"How updates arrive: poll or webhook."`
	TelegramNext    []string      `setting:"POSTIL_TELEGRAM_FALLBACK" name:"telegram-fallback" placeholder:"ID,…" help:"Chats that are asked when a chat cannot be reached or nobody decides; else the moderators in private."`
	TelegramOps     []string      `setting:"POSTIL_TELEGRAM_OPS" name:"telegram-ops" placeholder:"ID,…" help:"Chats that get alerts and reports; else the chats that get the cards of every site."`
	TelegramLang    string        `setting:"POSTIL_TELEGRAM_LANGUAGE" name:"telegram-language" placeholder:"LANGUAGE" help:"Language of the bot: en, de, es, fr, ru or zh-Hans; else each moderator's own, and English in groups."`
	TelegramWave    int           `setting:"POSTIL_TELEGRAM_WAVE" name:"telegram-wave" default:"20" placeholder:"N" help:"More new comments than that in a minute are announced in one digest; 0 never does."`
	Remind          time.Duration `setting:"POSTIL_REMIND" default:"8h" placeholder:"DURATION" help:"How long a comment may wait before moderators are reminded, and then each day; 0 never does."`
	Escalate        time.Duration `setting:"POSTIL_ESCALATE" default:"24h" placeholder:"DURATION" help:"How long a comment may wait before the next chat is asked; 0 never does."`
	Expire          time.Duration `setting:"POSTIL_EXPIRE" default:"0s" placeholder:"DURATION" help:"How long a comment may wait before it is rejected as expired; 0 never does."`
	WebhookNets     []string      `setting:"POSTIL_WEBHOOK_NETWORKS" name:"webhook-networks" placeholder:"CIDR,…" help:"Networks that webhooks may call though they are not on the public internet."`
	CheckURL        string        `setting:"POSTIL_CHECK_URL" name:"check-url" placeholder:"URL" help:"A service of your own that is asked about each comment; see internal/askhttp for the format."`
	CheckSecret     token.Secret  `setting:"POSTIL_CHECK_SECRET" placeholder:"TEXT" help:"The secret with which those requests are signed."`
	AkismetKey      token.Secret  `setting:"POSTIL_AKISMET_KEY" placeholder:"KEY" help:"Ask Akismet about each comment, and tell it what moderators decide."`
	AkismetURL      string        `setting:"POSTIL_AKISMET_URL" name:"akismet-url" default:"https://rest.akismet.com/1.1/" placeholder:"URL" help:"Where Akismet answers; any server that speaks the same."`
	ModelURL        string        `setting:"POSTIL_MODEL_URL" name:"model-url" placeholder:"URL" help:"An OpenAI-compatible endpoint that is asked about each comment and can only hold it, such as https://models.example/v1."`
	ModelName       string        `setting:"POSTIL_MODEL_NAME" placeholder:"NAME" help:"The model that it is to use."`
	ModelKey        token.Secret  `setting:"POSTIL_MODEL_KEY" placeholder:"KEY" help:"The key that it wants, if any."`
	BotScoreHeader  string        `setting:"POSTIL_BOT_SCORE_HEADER" placeholder:"NAME" help:"A header of the trusted proxies with a number: the lower, the likelier is a program. It can only hold comments."`
	CountryHeader   string        `setting:"POSTIL_COUNTRY_HEADER" placeholder:"NAME" help:"A header of the trusted proxies with the sender's country, for outside.countries. It can only hold comments."`
	AdminKey        token.Secret  `setting:"POSTIL_ADMIN_KEY" placeholder:"KEY" help:"A first admin key, for automation; at least 20 characters."`
	Site            string        `setting:"POSTIL_SITE" name:"first-site" placeholder:"KEY" help:"A first site, made at the start if missing."`
	SiteOrigins     []string      `setting:"POSTIL_SITE_ORIGINS" name:"first-site-origins" placeholder:"URL,…" help:"The origins of that site."`
	Limits          string        `setting:"POSTIL_LIMITS" default:"on" placeholder:"on|off" help:"Rate limits; off is for measuring only."`
	LimitStore      string        `setting:"POSTIL_LIMIT_STORE" name:"limit-store" default:"memory" placeholder:"memory|broker" help:"Where rate limits are counted: in each process for itself, or at the broker for all nodes that share it and the secret."`
	Clock           string        `setting:"POSTIL_CLOCK" default:"system" placeholder:"system|header" help:"The clock; header is for measuring only."`
	Log             string        `setting:"POSTIL_LOG" placeholder:"text|json" help:"How to log: text on a terminal, else json."`
	LogLevel        string        `setting:"POSTIL_LOG_LEVEL" default:"info" placeholder:"LEVEL" help:"What to log: debug, info, warn or error."`
	EditWindow      time.Duration `setting:"POSTIL_EDIT_WINDOW" default:"15m" placeholder:"DURATION" help:"How long commenters may change what they wrote."`
	BackupDir       string        `setting:"POSTIL_BACKUP_DIR" placeholder:"DIR" help:"Where a backup is put each night; off makes none. Without it: backups in the data directory."`
	SecurityContact string        `setting:"POSTIL_SECURITY_CONTACT" placeholder:"URL" help:"Who is told of weaknesses, such as mailto:me@blog.example; makes /.well-known/security.txt."`
	Demo            bool          `kong:"-"` // serve --demo
}

// withDefaults fills in what follows from other settings.
func (c Config) withDefaults() Config {
	if c.URL == "" {
		_, port, _ := net.SplitHostPort(c.Listen)
		c.URL = "http://localhost:" + port
	}
	return c
}

// ChatRule says which chat gets the cards of a site, or of all when Site is "".
type ChatRule struct {
	Chat  int64
	Topic int64 // of a forum, 0: none
	Site  postil.SiteID
}

// problem is what is wrong with one setting.
func problem(setting, wrong, example string) error {
	return fmt.Errorf("%s: %s. Example: %s=%s", setting, wrong, setting, example)
}

// botToken is how tokens of the Bot API look.
var botToken = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`)

// Check reports everything that is wrong with the settings at once, each with
// its name, what is wrong and an example.
func (c *Config) Check() error {
	var errs []error
	add := func(ok bool, setting, wrong, example string) {
		if !ok {
			errs = append(errs, problem(setting, wrong, example))
		}
	}
	add(hostPort(c.Listen), "POSTIL_LISTEN", fmt.Sprintf("“%s” is no host:port", c.Listen), "127.0.0.1:8080")
	add(c.AdminListen == "" || hostPort(c.AdminListen), "POSTIL_ADMIN_LISTEN", fmt.Sprintf("“%s” is no host:port", c.AdminListen), "127.0.0.1:8081")
	add(c.AdminListen == "" || c.AdminListen != c.Listen, "POSTIL_ADMIN_LISTEN", "that is the public address", "127.0.0.1:8081")
	u, err := url.Parse(c.URL)
	add(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "",
		"POSTIL_URL", fmt.Sprintf("“%s” is no http or https address without name, query and #", c.URL), "https://blog.example/comments/")
	add(c.Data != "", "POSTIL_DATA", "the data directory has no name", "/var/lib/postil")
	add(c.TelegramToken.IsZero() || botToken.MatchString(c.TelegramToken.Reveal()), "POSTIL_TELEGRAM_TOKEN", "that is no token of a bot; @BotFather shows it for /token", "123456:ABC…")
	add(c.TelegramMode == "poll" || c.TelegramMode == "webhook", "POSTIL_TELEGRAM_MODE", fmt.Sprintf("“%s” is neither poll nor webhook", c.TelegramMode), "poll")
	add(c.Limits == "on" || c.Limits == "off", "POSTIL_LIMITS", fmt.Sprintf("“%s” is neither on nor off", c.Limits), "on")
	add(c.LimitStore == "" || c.LimitStore == "memory" || c.LimitStore == "broker", "POSTIL_LIMIT_STORE", fmt.Sprintf("“%s” is neither memory nor broker", c.LimitStore), "broker")
	add(c.Clock == "system" || c.Clock == "header", "POSTIL_CLOCK", fmt.Sprintf("“%s” is neither system nor header", c.Clock), "system")
	add(c.Log == "" || c.Log == "text" || c.Log == "json", "POSTIL_LOG", fmt.Sprintf("“%s” is neither text nor json", c.Log), "json")
	_, levelErr := level(c.LogLevel)
	add(levelErr == nil, "POSTIL_LOG_LEVEL", fmt.Sprintf("“%s” is no level", c.LogLevel), "info")
	add(c.TelegramWave >= 0, "POSTIL_TELEGRAM_WAVE", "a number of comments cannot be negative", "20")
	for setting, d := range map[string]time.Duration{"POSTIL_REMIND": c.Remind, "POSTIL_ESCALATE": c.Escalate, "POSTIL_EXPIRE": c.Expire} {
		add(d == 0 || d >= time.Minute, setting, "that is less than a minute", "24h")
	}
	add(c.TelegramLang == "" || slices.Contains(words.Languages(), c.TelegramLang), "POSTIL_TELEGRAM_LANGUAGE",
		fmt.Sprintf("“%s” is none of %s", c.TelegramLang, strings.Join(words.Languages(), ", ")), "en")
	for setting, header := range map[string]string{"POSTIL_BOT_SCORE_HEADER": c.BotScoreHeader, "POSTIL_COUNTRY_HEADER": c.CountryHeader} {
		add(header == "" || len(c.TrustedProxies) > 0, setting, "nobody is trusted to set the header", "CF-Bot-Score, beside POSTIL_TRUSTED_PROXIES=10.0.0.0/8")
	}
	add(c.EditWindow >= 0, "POSTIL_EDIT_WINDOW", "a time cannot be negative", "15m")
	add(c.AdminKey.IsZero() || len(c.AdminKey.Reveal()) >= 20, "POSTIL_ADMIN_KEY", "the key is shorter than 20 characters", "a-long-random-text-of-your-own")
	contact, err := url.Parse(c.SecurityContact)
	add(c.SecurityContact == "" || err == nil && (contact.Scheme == "mailto" || contact.Scheme == "https" || contact.Scheme == "tel") && !strings.ContainsAny(c.SecurityContact, "\r\n"),
		"POSTIL_SECURITY_CONTACT", fmt.Sprintf("“%s” is no mailto:, https: or tel: address", c.SecurityContact), "mailto:me@blog.example")
	errs = append(errs, c.checkMeasuring(u)...)
	errs = append(errs, c.checkPeople()...)
	return errors.Join(errs...)
}

// hostPort reports whether s is an address to listen on.
func hostPort(s string) bool {
	_, port, err := net.SplitHostPort(s)
	_, err2 := strconv.ParseUint(port, 10, 16)
	return err == nil && err2 == nil
}

// checkMeasuring keeps switches that are for measuring away from the world.
func (c *Config) checkMeasuring(u *url.URL) (errs []error) {
	host, _, _ := net.SplitHostPort(c.Listen)
	local := loopback(host) && u != nil && loopback(u.Hostname())
	for setting, on := range map[string]bool{"POSTIL_LIMITS": c.Limits == "off", "POSTIL_CLOCK": c.Clock == "header"} {
		if on && !local {
			errs = append(errs, problem(setting, "this switch is for measuring only and needs a loopback address both to listen on and in POSTIL_URL",
				map[string]string{"POSTIL_LIMITS": "on", "POSTIL_CLOCK": "system"}[setting]))
		}
	}
	return errs
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// checkPeople checks the settings that are lists.
func (c *Config) checkPeople() (errs []error) {
	if _, err := c.Chats(); err != nil {
		errs = append(errs, err)
	}
	if _, err := c.HookNetworks(); err != nil {
		errs = append(errs, err)
	}
	if _, err := c.Fallback(); err != nil {
		errs = append(errs, err)
	}
	if _, err := c.Moderators(); err != nil {
		errs = append(errs, err)
	}
	if _, _, err := netid.NewResolver(c.TrustedProxies, c.ClientIPHeader); err != nil {
		errs = append(errs, err)
	}
	if c.Site == "" && len(c.SiteOrigins) > 0 {
		errs = append(errs, problem("POSTIL_SITE", "POSTIL_SITE_ORIGINS names origins, but of no site", "blog"))
	}
	if c.Site != "" {
		if _, err := postil.ParseSiteID(c.Site); err != nil {
			errs = append(errs, problem("POSTIL_SITE", err.Error(), "blog"))
		}
	}
	for _, o := range c.SiteOrigins {
		if _, _, err := postil.ParseOrigin(o); err != nil {
			errs = append(errs, problem("POSTIL_SITE_ORIGINS", err.Error(), "https://blog.example"))
		}
	}
	return errs
}

// Chats returns the chats that get cards.
func (c *Config) Chats() ([]ChatRule, error) {
	return chatRules("POSTIL_TELEGRAM_CHATS", c.TelegramChats)
}

// Fallback returns the chats that are asked next.
func (c *Config) Fallback() ([]ChatRule, error) {
	return chatRules("POSTIL_TELEGRAM_FALLBACK", c.TelegramNext)
}

// Ops returns the chats of operators.
func (c *Config) Ops() ([]ChatRule, error) {
	return chatRules("POSTIL_TELEGRAM_OPS", c.TelegramOps)
}

// chatRules reads rules such as 42, blog=42 and blog=-1001234567890/7, where 7
// is a topic.
func chatRules(setting string, list []string) (rules []ChatRule, err error) {
	for _, s := range list {
		site, id, bound := strings.Cut(s, "=")
		if !bound {
			site, id = "", s
		}
		chat, topic, forum := strings.Cut(strings.TrimSpace(id), "/")
		r := ChatRule{Site: postil.SiteID(strings.TrimSpace(site))}
		r.Chat, err = strconv.ParseInt(chat, 10, 64)
		if err == nil && forum {
			r.Topic, err = strconv.ParseInt(topic, 10, 64)
		}
		if err != nil || r.Chat == 0 || r.Topic < 0 {
			return nil, problem(setting, fmt.Sprintf("“%s” is no chat id", s), "-1001234567890,blog=42,shop=-1001234567890/7")
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// HookNetworks returns what webhooks may call beside the public internet.
func (c *Config) HookNetworks() (nets []netip.Prefix, err error) {
	for _, s := range c.WebhookNets {
		p, err := netip.ParsePrefix(strings.TrimSpace(s))
		if err != nil {
			return nil, problem("POSTIL_WEBHOOK_NETWORKS", fmt.Sprintf("“%s” is no network", s), "10.0.0.0/8,127.0.0.1/32")
		}
		nets = append(nets, p.Masked())
	}
	return nets, nil
}

// Moderators returns the Telegram users who need no link.
func (c *Config) Moderators() (ids []int64, err error) {
	for _, s := range c.TelegramMods {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err != nil || n <= 0 {
			return nil, problem("POSTIL_TELEGRAM_MODERATORS", fmt.Sprintf("“%s” is no user id", s), "42,43")
		}
		ids = append(ids, n)
	}
	return ids, nil
}

// secret returns the configured secret or the one kept in the data directory.
func (c *Config) secret() (token.Secret, error) {
	if !c.Secret.IsZero() {
		return token.ParseSecret(c.Secret.Reveal())
	}
	return token.LoadSecret(filepath.Join(c.Data, "secret"))
}

// lostSecret reports whether there is a database and the secret it was used
// with is not there.
func (c *Config) lostSecret() bool {
	if !c.Secret.IsZero() {
		return false
	}
	_, noSecret := os.Stat(filepath.Join(c.Data, backup.Secret))
	_, noDatabase := os.Stat(filepath.Join(c.Data, backup.Database))
	return errors.Is(noSecret, fs.ErrNotExist) && noDatabase == nil
}

// backups returns where backups are kept, and whether one is made each night.
func (c *Config) backups() (dir string, nightly bool) {
	switch c.BackupDir {
	case "", "off":
		return filepath.Join(c.Data, "backups"), c.BackupDir == ""
	}
	return c.BackupDir, true
}

// base returns the public URL without a slash at the end.
func (c *Config) base() string { return strings.TrimRight(c.URL, "/") }

// makeData makes the data directory, for its owner alone.
func (c *Config) makeData() error {
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return problem("POSTIL_DATA", fmt.Sprintf("the data directory cannot be made (%v)", err), "/var/lib/postil")
	}
	return nil
}
