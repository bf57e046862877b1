//go:build e2e

package e2e

import (
	"fmt"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// toTheLeft is a conversation in a language that is written from right to left.
var toTheLeft = map[string][]string{
	"ar": {"نورة", "مقال جميل عن الهوامش. كتبت جدتي ملاحظاتها في *كل* كتاب قرأته.", "> الهامش الواسع دعوة للقارئ\n\nهذا صحيح، وانظر `margin: 4rem` في الملف.\n\n- واحد\n- اثنان",
		"يوسف", "And a word in English, followed by كلمة عربية.", "شكرًا لكم جميعًا!"},
	"he": {"מרים", "מאמר יפה על שוליים. סבתא שלי כתבה *בכל* ספר.", "> שוליים רחבים הם הזמנה\n\nנכון, וראו `margin: 4rem` בקובץ.\n\n- אחת\n- שתיים",
		"יוסף", "And a word in English, followed by מילה בעברית.", "תודה לכולם!"},
}

func TestItLooksRightFromRightToLeft(t *testing.T) {
	w := newWorld(t)
	for language, words := range toTheLeft {
		parent := ""
		for i, text := range []string{words[1], words[2], words[4], words[5], words[1], words[2]} {
			id := w.public(t, apptest.Draft{Post: "/" + language, Name: words[i%2*3], Text: text, Parent: parent, Device: fmt.Sprintf("device-of-%s-number-%d", language, i)})
			if i != 3 { // the fifth answers the third, too
				parent = id
			}
		}
		for _, size := range []struct {
			name          string
			width, height int64
		}{{"desk", 1100, 900}, {"phone", 375, 812}} {
			t.Run(language+", "+size.name, func(t *testing.T) {
				p := w.browser.Reader(t)
				p.Size(t, size.width, size.height, size.name == "phone")
				toTheLeftLooks(t, w, p, language, size.name)
			})
		}
	}
}

func toTheLeftLooks(t *testing.T, w *world, p *apptest.Page, language, size string) {
	p.Visit(t, w.page("/"+language, `<div lang="`+language+`" dir="rtl" style="max-width: 44rem; margin: auto; font: 17px/1.6 serif">`+script+`<postil-comments site="blog" post="/`+language+`"></postil-comments></div>`, ""))
	first := apptest.Eval[string](t, p, apptest.In(".comment")+".dataset.id")
	p.Click(t, apptest.OfComment(first, ".actions .options"))
	p.Click(t, apptest.OfComment(first, ".place .emoji"))
	p.Until(t, long, "the reaction counts", apptest.In(apptest.OfComment(first, ".actions .chip")))
	write(t, p, "Ann", toTheLeft[language][5])
	p.Until(t, long, "it waits", apptest.In(waiting+" .own button"))
	p.Type(t, textField, toTheLeft[language][1])
	p.Click(t, composer+" .formatting")
	p.Until(t, long, "the toolbar is there", apptest.In(composer+" .tool"))
	p.Click(t, apptest.OfComment(first, ".actions .options"))
	p.Until(t, long, "the panel is there", apptest.In(apptest.OfComment(first, ".place .panel")))
	noSideways(t, p, language+", "+size)
	readable(t, p, language+", "+size)
	p.Shot(t, "rtl-"+language+"-"+size)
	quiet(t, p)

	p.Open(t, w.URL+"/thread/blog?post=/"+language)
	noSideways(t, p, language+", "+size+", without scripts")
	p.Shot(t, "rtl-"+language+"-"+size+"-page")
	p.Open(t, w.URL+"/thread/blog?post=/"+language+"&reply="+first)
	noSideways(t, p, language+", "+size+", answering without scripts")
	p.Shot(t, "rtl-"+language+"-"+size+"-reply")
}
