package desk

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
)

// asset is a file that pages need, ready to be sent.
type asset struct {
	body, zipped []byte
	kind         string
	link         string // its place at the desk, new when the file is
}

// loadAssets prepares the style sheet and the script.
func (d *Desk) loadAssets() error {
	d.assets = map[string]asset{}
	for name, kind := range map[string]string{"admin.css": "text/css; charset=utf-8", "admin.js": "text/javascript; charset=utf-8"} {
		body, ok := d.deps.Asset(name)
		if !ok {
			return fmt.Errorf("desk: the file %s is missing", name)
		}
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		if _, err := w.Write(body); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		d.assets[name] = asset{body, zipped.Bytes(), kind, "assets/" + name + "?v=" + hex.EncodeToString(sum[:6])}
	}
	return nil
}

// asset is GET assets/{name}. Its address changes with it, so it is kept for
// good.
func (d *Desk) asset(w http.ResponseWriter, r *http.Request) {
	a, ok := d.assets[r.PathValue("name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		_, _ = w.Write(a.zipped)
		return
	}
	_, _ = w.Write(a.body)
}
