package markup

import "testing"

func FuzzSanitize(f *testing.F) {
	for _, a := range attacks {
		f.Add(a.source)
	}
	for _, s := range []string{"<p><p>", "<a href=https://a.example><p><a href=https://b.example>x", "<em><p><strong></em>x", "<pre>\n\nx", "<li><ol><p></li>x", "</p></li></br>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, fragment string) {
		mustBeSafe(t, fragment, Sanitize(fragment))
	})
}

func FuzzRender(f *testing.F) {
	for _, a := range attacks {
		f.Add(a.source)
	}
	for _, p := range pieces {
		f.Add(p + "x" + p)
	}
	f.Fuzz(func(t *testing.T, source string) {
		checkRender(t, source)
	})
}
