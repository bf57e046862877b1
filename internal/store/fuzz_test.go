package store

import (
	"testing"

	"github.com/postil/postil/internal/postil"
)

// Cursors come back from strangers.
func FuzzCursor(f *testing.F) {
	for _, sort := range []postil.Sort{postil.Oldest, postil.Newest, postil.Top} {
		f.Add(position{}.encode(sort), string(sort))
	}
	f.Add("", "oldest")
	f.Add("AAAA", "top")
	f.Fuzz(func(t *testing.T, text, sort string) {
		p, err := decodeCursor(text, postil.Sort(sort))
		if err != nil {
			if postil.KindOf(err) != postil.Invalid {
				t.Errorf("%q is refused as %v", text, err)
			}
			return
		}
		again, err := decodeCursor(p.encode(postil.Sort(sort)), postil.Sort(sort))
		if err != nil || again.encode(postil.Sort(sort)) != p.encode(postil.Sort(sort)) {
			t.Errorf("%q leads to %+v, and that to %+v, %v", text, p, again, err)
		}
	})
}
