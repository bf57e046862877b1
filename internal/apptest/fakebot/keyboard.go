package fakebot

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

const (
	maxData    = 64  // bytes of callback_data
	maxButtons = 100 // of one message
)

// readKeyboard takes reply_markup apart; other kinds of markup than inline buttons are accepted and dropped.
func readKeyboard(r *request) ([][]Button, *Fault) {
	raw := r.params["reply_markup"]
	if raw == "" {
		return nil, nil
	}
	var markup map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &markup); err != nil || markup == nil {
		return nil, badRequest("object expected as reply markup")
	}
	var rows [][]map[string]json.RawMessage
	if rawRows, ok := markup["inline_keyboard"]; ok {
		if err := json.Unmarshal(rawRows, &rows); err != nil {
			return nil, badRequest("can't parse inline keyboard: Field \"inline_keyboard\" must be of type Array of Arrays")
		}
	}
	var buttons [][]Button
	count := 0
	for _, row := range rows {
		parsed, fault := readRow(row)
		if fault != nil {
			return nil, fault
		}
		count += len(parsed)
		if len(parsed) > 0 {
			buttons = append(buttons, parsed)
		}
	}
	if count > maxButtons {
		return nil, badRequest("REPLY_MARKUP_TOO_LONG")
	}
	return buttons, nil
}

func readRow(row []map[string]json.RawMessage) ([]Button, *Fault) {
	parsed := make([]Button, 0, len(row))
	for _, fields := range row {
		var b Button
		for name, into := range map[string]*string{"text": &b.Text, "callback_data": &b.Data, "url": &b.URL} {
			if raw, ok := fields[name]; ok && json.Unmarshal(raw, into) != nil {
				return nil, badButton(fmt.Sprintf("Field %q must be of type String", name))
			}
		}
		if fault := checkButton(b); fault != nil {
			return nil, fault
		}
		parsed = append(parsed, b)
	}
	return parsed, nil
}

func checkButton(b Button) *Fault {
	switch {
	case b.Text == "":
		return badButton("Can't find field \"text\"")
	case b.Data == "" && b.URL == "":
		return badButton("Text buttons are unallowed in the inline keyboard")
	case b.URL != "" && !linkable(b.URL):
		return badRequest("inline keyboard button URL '" + b.URL + "' is invalid: Wrong HTTP URL")
	}
	return nil
}

func badButton(why string) *Fault { return badRequest("can't parse inline keyboard button: " + why) }

// checkData is separate because Telegram looks at the data only after it has found the chat.
func checkData(buttons [][]Button) *Fault {
	for _, row := range buttons {
		for _, b := range row {
			if len(b.Data) > maxData {
				return badRequest("BUTTON_DATA_INVALID")
			}
		}
	}
	return nil
}

// linkable tells whether Telegram takes the address: a host needs a dot, so http://localhost is refused.
func linkable(address string) bool {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "tg":
		return true
	case "http", "https":
		_, notIP := netip.ParseAddr(u.Hostname())
		return notIP == nil || strings.Contains(strings.Trim(u.Hostname(), "."), ".")
	}
	return false
}
