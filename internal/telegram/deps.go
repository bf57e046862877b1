package telegram

import (
	"context"
	"net/http"
	"time"

	"github.com/postil/postil/internal/postil"
)

// Desk is the one door for decisions.
type Desk interface {
	Decide(ctx context.Context, r postil.DecisionRequest) (postil.Outcome, error)
	Undo(ctx context.Context, id postil.DecisionID, by postil.By, batch string) (postil.Outcome, error)
}

// Replier posts an approved reply as the blog's author, and approves the parent
// first when it is pending.
type Replier interface {
	Reply(ctx context.Context, parent postil.CommentID, text string, by postil.By) (postil.Receipt, error)
}

// Taps limits what one moderator may do in a short time. It is generous: a
// moderator who works through a queue must never meet it.
type Taps interface {
	Take(ctx context.Context, key string) (allowed bool, retryAfter time.Duration, err error)
}

// Authors bans and trusts the authors of comments.
type Authors interface {
	// Ban stops whatever the author of the comment sends from now on.
	Ban(ctx context.Context, c postil.Comment, by postil.By) error
	// Trust publishes whatever the author of the comment sends from now on.
	Trust(ctx context.Context, c postil.Comment, by postil.By) error
}

// Switches are what a moderator turns in an emergency.
type Switches interface {
	Lockdown(ctx context.Context, site postil.SiteID, on bool, by postil.By) error
	CanSlow() bool // there is a slow mode
	Slow(ctx context.Context, site postil.SiteID, on bool, by postil.By) error
}

// Cards remembers which message stands for which comment, and what is due.
type Cards interface {
	WantCard(ctx context.Context, comment postil.CommentID, chats []int64) error
	RefreshCards(ctx context.Context, comment postil.CommentID) (int64, error)
	DueCards(ctx context.Context, limit int) ([]postil.Card, error)
	NextCardDue(ctx context.Context) (time.Time, error)
	CardsOf(ctx context.Context, comment postil.CommentID) ([]postil.Card, error)
	CardByMessage(ctx context.Context, chat, message int64) (postil.Card, error)
	CardDone(ctx context.Context, c postil.Card, began time.Time) error
	CardFailed(ctx context.Context, c postil.Card, problem string, retry time.Time) error
	CardSending(ctx context.Context, card, after int64, shows string) error
	LastMessage(ctx context.Context, chat int64) (int64, error)
	UndeliveredCards(ctx context.Context) (int, error)
	Announced(ctx context.Context, comment postil.CommentID) error
}

// Boards remembers which messages stand for many comments.
type Boards interface {
	Collect(ctx context.Context, chat int64, cards []int64) error
	DueBoards(ctx context.Context) ([]postil.Board, error)
	Board(ctx context.Context, id int64) (postil.Board, error)
	LastBoard(ctx context.Context, chat int64) (postil.Board, error)
	BoardItems(ctx context.Context, board int64) ([]postil.BoardItem, error)
	BoardDone(ctx context.Context, b postil.Board, upTo int64, began time.Time) error
	BoardFailed(ctx context.Context, id int64, problem string, retry time.Time) error
	SetBoard(ctx context.Context, b postil.Board) error
	ShowApart(ctx context.Context, board, card int64) error
	RecallBoards(ctx context.Context, chat int64, since time.Time) error
	Batch(ctx context.Context, batch string) ([]postil.Decision, error)
}

// Chats remembers chats that moved or are in trouble.
type Chats interface {
	MoveCards(ctx context.Context, from, to int64) error
	Chats(ctx context.Context) ([]postil.Chat, error)
	ChatState(ctx context.Context, c postil.Chat) error
	SetChatLanguage(ctx context.Context, chat int64, language string) error
	MuteChat(ctx context.Context, chat int64, until time.Time) error
}

// Comments is what cards are made from.
type Comments interface {
	Detail(ctx context.Context, id postil.CommentID) (postil.Detail, error)
	Site(ctx context.Context, id postil.SiteID) (postil.Site, error)
	ListComments(ctx context.Context, f postil.CommentFilter) (postil.CommentPage, error)
	Sites(ctx context.Context) ([]postil.Site, error)
	WaitingSince(ctx context.Context, site postil.SiteID) (n int, oldest time.Time, err error)
	TotalsOf(ctx context.Context, sites []postil.SiteID) (map[postil.Status]int, error)
	CountSignals(ctx context.Context, from, to time.Time, part time.Duration, sites []postil.SiteID) ([]postil.SignalCount, error)
	BusiestPosts(ctx context.Context, site postil.SiteID, from, to time.Time, limit int) ([]postil.BusyPost, error)
}

// People knows the moderators.
type People interface {
	LinkModerator(ctx context.Context, codeHash string, telegramUser int64) (postil.Moderator, error)
	ModeratorByTelegram(ctx context.Context, user int64) (postil.Moderator, error)
	// Moderators returns all of them, linked or not, revoked ones too.
	Moderators(ctx context.Context) ([]postil.Moderator, error)
}

// Memory keeps a small value over restarts.
type Memory interface {
	Meta(ctx context.Context, key string) (string, error)
	SetMeta(ctx context.Context, key, value string) error
	TakeQuota(ctx context.Context, quota, actor string, most int) (ok bool, err error)
}

// Store is everything that the desk keeps and reads.
type Store interface {
	Cards
	Boards
	Chats
	Comments
	People
	Memory
}

// Deps is what a Bot works with. Now, After and HTTP may be left out.
type Deps struct {
	Store    Store
	Desk     Desk
	Replier  Replier
	Taps     Taps
	Orders   Taps                     // limits commands by the moderator, exactly
	Authors  Authors                  // nil: nobody is banned or trusted from here
	Switches Switches                 // nil: nothing is switched from here
	HashCode func(code string) string // how one-time codes are stored

	// SignIn makes an address that signs a moderator in to the admin page, once
	// and until a time. Nil: there is no such page.
	SignIn func(ctx context.Context, moderator int64, by postil.By) (address string, until time.Time, err error)

	Now   func() time.Time                       // default: the system's clock; the same as the store's
	After func(d time.Duration) <-chan time.Time // default: time.After
	HTTP  *http.Client                           // default: one of its own
}
