package notify

import (
	"encoding/json"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/postil/postil/internal/postil"
)

// formats say what the body of a call is, by the receiver. Each is made by the
// JSON encoder, never by hand.
var formats = map[postil.WebhookFormat]func(Note) any{
	postil.PlainJSON:   plainJSON,
	postil.SlackText:   slack,
	postil.DiscordText: discord,
	postil.MatrixText:  matrix,
}

// body returns what is sent of a note.
func body(format postil.WebhookFormat, n Note) ([]byte, error) {
	render, ok := formats[format]
	if !ok {
		render = formats[postil.PlainJSON]
	}
	return json.Marshal(render(n))
}

// plainJSON is the note itself; that of an alert has no comment.
func plainJSON(n Note) any {
	if n.alert == nil {
		return n
	}
	return map[string]any{"id": n.ID, "type": n.Type, "created_at": n.Created, "alert": n.alert}
}

// happened says in words what a type of event means.
var happened = map[string]string{
	"comment.waiting": "A comment waits for a decision", "comment.approved": "A comment was approved", "comment.rejected": "A comment was rejected",
	"comment.spam": "A comment was marked as spam", "comment.deleted": "A comment was deleted", "comment.pending": "A comment waits again",
	"comment.updated": "A comment was changed", "test": "A test",
	"alert.begun": "Something is wrong with Postil", "alert.updated": "Something is still wrong with Postil", "alert.ended": "Postil is well again",
}

// excerptRunes is how much of a text a chat is shown.
const excerptRunes = 700

// story is what a chat is told: a title, who wrote where, and what.
func story(n Note) (title, where, text string) {
	title = happened[n.Type]
	if n.alert != nil {
		return title, n.alert.Name, tame(n.alert.Detail)
	}
	if d := n.Decision; d != nil && d.By != "" {
		title += " by " + tame(d.By)
	}
	where = tame(string(n.Site))
	if n.Post.Title != nil {
		where += " · " + tame(*n.Post.Title)
	} else {
		where += " · " + tame(string(n.Post.Key))
	}
	if a := n.Comment.Author; a != nil {
		where += " · " + tame(a.Name)
	}
	if n.Comment.Text != nil {
		text = tame(cut(*n.Comment.Text))
	}
	return title, where, text
}

func cut(s string) string {
	if utf8.RuneCountInString(s) <= excerptRunes {
		return s
	}
	return string([]rune(s)[:excerptRunes-1]) + "…"
}

// tame takes from a text what would call people, turn the line around or is no
// text. A chat reads @everyone however it was escaped on the way, so the sign is
// parted from the name.
func tame(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.NewReplacer("@", "@\u200b", "＠", "＠\u200b").Replace(s)
}

// slack writes plain text, in which nothing is a mention, and for old clients
// the same with Slack's own escapes.
func slack(n Note) any {
	title, where, text := story(n)
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	plain := func(s string) map[string]any {
		return map[string]any{"type": "section", "text": map[string]any{"type": "plain_text", "text": s, "emoji": false}}
	}
	blocks := []any{plain(title + "\n" + where)}
	if text != "" {
		blocks = append(blocks, plain(text))
	}
	if n.Comment.URL != nil {
		blocks = append(blocks, plain(*n.Comment.URL))
	}
	return map[string]any{"text": escape(title + "\n" + where + "\n" + text), "mrkdwn": false, "unfurl_links": false, "unfurl_media": false, "link_names": false, "blocks": blocks}
}

// discord forbids every mention and shows the text literally.
func discord(n Note) any {
	title, where, text := story(n)
	embed := map[string]any{"title": title, "description": literal(where + "\n\n" + text)}
	if n.Comment.URL != nil {
		embed["url"] = *n.Comment.URL
	}
	return map[string]any{"embeds": []any{embed}, "allowed_mentions": map[string]any{"parse": []string{}}}
}

// literal escapes what Discord would take for markup.
func literal(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\*_~`|>#-[]()<:", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// matrix is what the generic webhooks of matrix-hookshot take.
func matrix(n Note) any {
	title, where, text := story(n)
	plain := title + "\n" + where + "\n\n" + text
	marked := "<b>" + html.EscapeString(title) + "</b><br>" + html.EscapeString(where) + "<blockquote>" +
		strings.ReplaceAll(html.EscapeString(text), "\n", "<br>") + "</blockquote>"
	if n.Comment.URL != nil {
		plain += "\n" + *n.Comment.URL
		marked += `<a href="` + html.EscapeString(*n.Comment.URL) + `">` + html.EscapeString(*n.Comment.URL) + "</a>"
	}
	return map[string]any{"text": plain, "html": marked, "username": "Postil"}
}
