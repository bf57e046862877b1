package fakebot_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"github.com/google/go-cmp/cmp"
)

func TestACardShowsItsTextSourceAndButtons(t *testing.T) {
	t.Parallel()
	d := open(t)
	_, err := d.call("sendMessage", "chat_id", "-1001", "text", " <b>A</b> &lt;b&gt;\n", "parse_mode", "HTML",
		"message_thread_id", "5", "link_preview_options", `{"is_disabled":true}`, "disable_notification", "true",
		"reply_markup", `{"inline_keyboard":[[{"text":"Approve","callback_data":"a"},{"text":"Post","url":"https://example.org/p"}]]}`)
	if err != nil {
		t.Fatal(err)
	}
	m := d.Messages(group)[0]
	if m.Source != " <b>A</b> &lt;b&gt;\n" || m.Text != "A <b>" || m.ThreadID != 5 || !m.NoLinkPreview || !m.Silent {
		t.Errorf("got %+v", m)
	}
	if diff := cmp.Diff([]string{"Approve", "Post"}, m.Labels()); diff != "" {
		t.Error(diff)
	}
	if _, err := d.Press(group, m.ID, "Post", anna); err == nil {
		t.Error("a link cannot be pressed")
	}
	if _, err := d.Press(group, m.ID, "Spam", anna); err == nil {
		t.Error("a button that is not there cannot be pressed")
	}
}

func TestMessageIDsGrowInEachChat(t *testing.T) {
	t.Parallel()
	d := open(t)
	first, said, second := d.mustSend(t, "a"), d.Say(group, "b", anna, 0), d.mustSend(t, "c")
	if first >= said || said >= second {
		t.Errorf("got ids %d, %d, %d", first, said, second)
	}
	if other := d.Say(anna.ID, "/start CODE", anna, 0); other != 1 {
		t.Errorf("a new chat starts at 1, got %d", other)
	}
}

func TestTextIsMeasuredInUTF16AfterParsing(t *testing.T) {
	t.Parallel()
	emoji := strings.Repeat("😀", 2048)
	for name, c := range map[string]struct {
		text string
		fits bool
	}{
		"4096 letters":                 {strings.Repeat("x", 4096), true},
		"4097 letters":                 {strings.Repeat("x", 4097), false},
		"2048 emoji":                   {emoji, true},
		"2048 emoji and a letter":      {emoji + "x", false},
		"markup does not count":        {"<b>" + strings.Repeat("x", 4096) + "</b>", true},
		"references count as one each": {strings.Repeat("&lt;", 4096), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			_, err := d.send(c.text, "HTML")
			if c.fits && err != nil {
				t.Fatal(err)
			}
			if !c.fits {
				refused(t, err, 400, "Bad Request: message is too long")
				id := d.mustSend(t, "short")
				edit := tgbotapi.NewEditMessageText(group, int(id), c.text)
				edit.ParseMode = "HTML"
				_, err = d.bot.Send(edit)
				refused(t, err, 400, "Bad Request: MESSAGE_TOO_LONG")
			}
		})
	}
}

func TestAMessageNeedsVisibleText(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, text := range []string{"", " \n\t", "<b></b>", "\u200b\u2060", "<b> </b>"} {
		_, err := d.send(text, "HTML")
		refused(t, err, 400, "Bad Request: message text is empty")
	}
}

func TestCallbackDataHasSixtyFourBytes(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.mustSend(t, "x", "Go", strings.Repeat("я", 32))
	_, err := d.send("x", "", "Go", strings.Repeat("я", 32)+"z")
	refused(t, err, 400, "Bad Request: BUTTON_DATA_INVALID")
}

func TestAMalformedKeyboardIsRefused(t *testing.T) {
	t.Parallel()
	d := open(t)
	for markup, want := range map[string]string{
		`nonsense`:                             "object expected as reply markup",
		`{"inline_keyboard":[[{"text":"a"}]]}`: "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
		`{"inline_keyboard":[[{"text":"","callback_data":"a"}]]}`:              "can't parse inline keyboard button: Can't find field \"text\"",
		`{"inline_keyboard":[[{"text":"a","callback_data":7}]]}`:               "can't parse inline keyboard button: Field \"callback_data\" must be of type String",
		`{"inline_keyboard":[{"text":"a"}]}`:                                   "can't parse inline keyboard: Field \"inline_keyboard\" must be of type Array of Arrays",
		`{"inline_keyboard":[[{"text":"a","url":"http://localhost:8080/x"}]]}`: "inline keyboard button URL 'http://localhost:8080/x' is invalid: Wrong HTTP URL",
		`{"inline_keyboard":[[{"text":"a","url":"javascript://x.y"}]]}`:        "inline keyboard button URL 'javascript://x.y' is invalid: Wrong HTTP URL",
	} {
		_, err := d.call("sendMessage", "chat_id", "-1001", "text", "x", "reply_markup", markup)
		refused(t, err, 400, "Bad Request: "+want)
	}
}

func TestEditsFollowTelegramsRules(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.mustSend(t, "<b>x</b>", "Go", "g")
	edit := func(text, mode string, markup *tgbotapi.InlineKeyboardMarkup) error {
		e := tgbotapi.NewEditMessageText(group, int(id), text)
		e.ParseMode, e.ReplyMarkup = mode, markup
		_, err := d.bot.Send(e)
		return err
	}
	same, other := keyboard("Go", "g"), keyboard("Undo", "u")
	unchanged := "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"
	refused(t, edit("*x*", "MarkdownV2", &same), 400, unchanged)
	if err := edit("<b>x</b>", "HTML", &other); err != nil {
		t.Errorf("new buttons are a change: %v", err)
	}
	if err := edit("y", "", nil); err != nil {
		t.Fatal(err)
	}
	m := d.Messages(group)[0]
	if m.Text != "y" || m.Edits != 2 || len(m.Buttons) != 0 || m.EditedAt.IsZero() {
		t.Errorf("an edit without keyboard removes it, got %+v", m)
	}
	if _, err := d.bot.Send(tgbotapi.NewEditMessageReplyMarkup(group, int(id), same)); err != nil {
		t.Fatal(err)
	}
	_, err := d.bot.Send(tgbotapi.NewEditMessageReplyMarkup(group, int(id), same))
	refused(t, err, 400, unchanged)
	id = 999
	refused(t, edit("z", "", nil), 400, "Bad Request: message to edit not found")
	id = d.Say(group, "mine", anna, 0)
	refused(t, edit("z", "", nil), 400, "Bad Request: message can't be edited")
}

func TestAnOldMessageRefusesEdits(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.stopClock()
	d.SetEditWindow(48 * time.Hour)
	id := d.mustSend(t, "x")
	d.advance(c, 50*time.Hour)
	_, err := d.bot.Send(tgbotapi.NewEditMessageText(group, int(id), "y"))
	refused(t, err, 400, "Bad Request: message can't be edited")
}

func TestADeletedMessageIsGone(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.mustSend(t, "x")
	if _, err := d.bot.Request(tgbotapi.NewDeleteMessage(group, int(id))); err != nil {
		t.Fatal(err)
	}
	_, err := d.bot.Request(tgbotapi.NewDeleteMessage(group, int(id)))
	refused(t, err, 400, "Bad Request: message to delete not found")
	if n := len(d.Messages(group)); n != 0 {
		t.Errorf("%d messages left", n)
	}
}

func TestAReplyNeedsItsMessage(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.mustSend(t, "card")
	if _, err := d.call("sendMessage", "chat_id", "-1001", "text", "a", "reply_parameters", `{"message_id":1}`); err != nil {
		t.Fatal(err)
	}
	if got := d.Messages(group)[1].ReplyTo; got != id {
		t.Errorf("got reply to %d", got)
	}
	_, err := d.call("sendMessage", "chat_id", "-1001", "text", "a", "reply_to_message_id", "77")
	refused(t, err, 400, "Bad Request: message to be replied not found")
	_, err = d.call("sendMessage", "chat_id", "-1001", "text", "a", "reply_parameters", `{"message_id":77,"allow_sending_without_reply":true}`)
	if err != nil {
		t.Error(err)
	}
}

func TestEveryBodyEncodingIsRead(t *testing.T) {
	t.Parallel()
	d := open(t)
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	_ = parts.WriteField("chat_id", "-1001")
	_ = parts.WriteField("text", "multipart")
	_ = parts.Close()
	post := func(query, kind, body string) (int, string) {
		resp, err := d.http.Post(d.base+"/bot"+token+"/SENDmessage"+query, kind, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(raw)
	}
	for _, c := range []struct{ query, kind, body string }{
		{"", "application/json", `{"chat_id":-1001,"text":"json","reply_markup":{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}}`},
		{"", "application/x-www-form-urlencoded", "chat_id=-1001&text=form"},
		{"", parts.FormDataContentType(), form.String()},
		{"?chat_id=-1001&text=query", "", ""},
	} {
		if code, body := post(c.query, c.kind, c.body); code != http.StatusOK {
			t.Errorf("%s: %d %s", c.kind, code, body)
		}
	}
	var texts []string
	for _, m := range d.Messages(group) {
		texts = append(texts, m.Text)
	}
	if diff := cmp.Diff([]string{"json", "form", "multipart", "query"}, texts); diff != "" {
		t.Error(diff)
	}
	for kind, body := range map[string]string{
		"application/json":                  "{\"chat_id\":-1001,\"text\":\"\xff\"}",
		"application/x-www-form-urlencoded": "chat_id=-1001&text=%ff",
	} {
		if code, answer := post("", kind, body); code != 400 || !strings.Contains(answer, "Bad Request: strings must be encoded in UTF-8") {
			t.Errorf("%s: got %d %s", kind, code, answer)
		}
	}
}

func TestWrongTokenMethodAndChatAreRefused(t *testing.T) {
	t.Parallel()
	d := open(t)
	_, err := tgbotapi.NewBotAPIWithClient("123456:wrong", d.base+"/bot%s/%s", d.http)
	refused(t, err, 401, "Unauthorized")
	_, err = d.call("makeCoffee")
	refused(t, err, 404, "Not Found: method not found")
	_, err = d.call("sendMessage", "chat_id", "4711", "text", "x")
	refused(t, err, 400, "Bad Request: chat not found")
	_, err = d.call("sendMessage", "text", "x")
	refused(t, err, 400, "Bad Request: chat_id is empty")
	chat, err := d.bot.GetChat(tgbotapi.ChatInfoConfig{ChatConfig: tgbotapi.ChatConfig{ChatID: group}})
	if err != nil || chat.Type != "supergroup" {
		t.Errorf("got %+v, %v", chat, err)
	}
}

func TestCommandsAreCheckedAndKept(t *testing.T) {
	t.Parallel()
	d := open(t)
	set := func(name, description string) error {
		_, err := d.bot.Request(tgbotapi.NewSetMyCommands(tgbotapi.BotCommand{Command: name, Description: description}))
		return err
	}
	refused(t, set("Queue!", "x"), 400, "Bad Request: BOT_COMMAND_INVALID")
	refused(t, set("queue", ""), 400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID")
	if err := set("queue", "What waits"); err != nil {
		t.Fatal(err)
	}
	raw, err := d.call("getMyCommands")
	var list []tgbotapi.BotCommand
	if err != nil || json.Unmarshal(raw, &list) != nil || len(list) != 1 || list[0].Command != "queue" {
		t.Errorf("got %s, %v", raw, err)
	}
}
