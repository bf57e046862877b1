package telegram

import (
	"math"
	"testing"

	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/words"
)

func TestTG_01_CallbackDataFitsForEveryActionAndTheLargestIds(t *testing.T) {
	t.Parallel()
	statuses := postil.Statuses()
	for _, does := range []action{approve, reject, spam, restore, undoIt, show, showMore, showLess, ban, trust} {
		for _, status := range statuses {
			want := press{does, math.MaxInt64, math.MaxInt, status, math.MaxInt64}
			data := want.data()
			if len(data) > 64 {
				t.Errorf("%q has %d bytes", data, len(data))
			}
			if got, err := parsePress(data); err != nil || got != want {
				t.Errorf("%q reads as %+v, %v", data, got, err)
			}
		}
	}
}

func TestTG_01_EveryButtonOfEveryStateFits(t *testing.T) {
	t.Parallel()
	for _, status := range postil.Statuses() {
		for _, draft := range []*postil.Draft{nil, {Text: "x"}} {
			d := postil.Detail{Comment: postil.Comment{ID: math.MaxInt64, UserID: "u", Post: "/очень/длинный/ключ/страницы/который/длиннее/шестидесяти/четырёх/байт", Revision: math.MaxInt, Status: status, Draft: draft},
				History: []postil.Decision{{ID: math.MaxInt64, Verb: postil.Approve}}}
			for _, row := range append(keyboard(d, words.In("en"), true), authorKeys(d, words.In("en"))...) {
				for _, b := range row {
					if len(b.Data) > 64 || len(b.Data) == 0 {
						t.Errorf("%s, %s: %q", status, b.Text, b.Data)
					}
				}
			}
		}
	}
}

// FuzzCallbackData: what is accepted is exactly what this release writes.
func FuzzCallbackData(f *testing.F) {
	f.Add("1:a:1:0:p:0")
	f.Add("1:u:zz:1:a:z")
	f.Add("1:a:01:0:p:0")
	f.Add("")
	f.Add("1:a:1y2p0ij32e8e7:1y2p0ij32e8e7:p:1y2p0ij32e8e7")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := parsePress(s)
		if err != nil {
			return
		}
		if p.data() != s || len(s) > 64 || p.comment < 1 || p.revision < 0 || p.decision < 0 || !p.status.Valid() {
			t.Errorf("%q reads as %+v", s, p)
		}
	})
}
