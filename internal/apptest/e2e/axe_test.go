//go:build e2e

package e2e

import (
	"fmt"
	"testing"

	"github.com/postil/postil/internal/apptest"
)

// audit fails for everything that axe finds in the widget.
func audit(t *testing.T, p *apptest.Page, axe, when string) {
	t.Helper()
	apptest.Eval[bool](t, p, "if (!window.axe) {"+axe+"\n} true")
	found := apptest.Await[[]string](t, p, `axe.run("postil-comments").then(r => r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html.slice(0, 160) + " " + n.failureSummary).join("; ")))`)
	for _, f := range found {
		t.Errorf("%s: %s", when, f)
	}
}

func TestAnAuditOfEveryStateAndThemeFindsNothing(t *testing.T) {
	axe := axeCore(t)
	w := newWorld(t)
	id := w.public(t, apptest.Draft{Post: "/audit", Name: "Ida", Text: "> A quote\n\nand `code`, a [link](https://example.com/) and more."})
	w.public(t, apptest.Draft{Post: "/audit", Name: "Ben", Text: "An answer.", Parent: id})
	const dark = `<style>html, body { background: #14161a; color: #e6e3dc }</style>`
	p := w.browser.Reader(t)
	for _, language := range []string{"en", "ar"} {
		for name, head := range map[string]string{"light": "", "dark": dark} {
			for _, theme := range []string{"auto", "light", "dark"} {
				when := fmt.Sprintf("%s, %s page, theme %s", language, name, theme)
				p.Visit(t, w.page("/audit", head+script+`<main><h1>A post</h1><postil-comments site="blog" post="/audit" language="`+language+`" theme="`+theme+`"></postil-comments></main>`, ""))
				audit(t, p, axe, when+", reading")
			}
		}
		p.Type(t, textField, "A *note*")
		p.Fill(t, nameField, "Ann")
		p.Click(t, composer+" .formatting")
		p.Until(t, long, "the toolbar is there", apptest.In(composer+" .tool"))
		audit(t, p, axe, language+", writing")
		p.Click(t, composer+" .show-preview")
		p.Until(t, long, "the preview is there", apptest.In(composer+" .preview")+`.checkVisibility()`)
		audit(t, p, axe, language+", preview")
		p.Click(t, sendIt)
		own := idOf(t, p, long, "A note")
		p.Until(t, long, "the own comment can be changed", apptest.In(apptest.OfComment(own, ".actions .edit")))
		audit(t, p, axe, language+", pending")
		p.Click(t, apptest.OfComment(id, ".actions .options"))
		p.Click(t, apptest.OfComment(id, ".place .report"))
		audit(t, p, axe, language+", reporting")
		p.Click(t, apptest.OfComment(own, ".actions .remove"))
		p.Click(t, apptest.OfComment(own, ".actions .remove"))
		p.Gone(t, long, apptest.OfComment(own, ".body"))
	}
	if small := apptest.Eval[[]string](t, p, `[...document.querySelector("postil-comments").shadowRoot.querySelectorAll("button, select, input, textarea")].filter(e => e.checkVisibility() && !e.closest(".unseen")).map(e => [e.className, e.getBoundingClientRect()]).filter(([, r]) => r.width < 24 || r.height < 24).map(([c, r]) => c + " " + r.width + "×" + r.height)`); len(small) > 0 {
		t.Errorf("targets smaller than 24 px: %q", small)
	}
}
