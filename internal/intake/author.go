package intake

import (
	"context"
	"slices"

	"github.com/postil/postil/internal/markup"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/token"
)

// MaxOwnKeys is how many edit keys Own looks at.
const MaxOwnKeys = 50

// Edit changes the text of a comment for the holder of its edit key.
func (in *Intake) Edit(ctx context.Context, site postil.SiteID, id postil.CommentID, key, text string) (postil.Own, int64, error) {
	clean, err := postil.CleanTextWithin(text, in.bounds.Text(site))
	if err != nil {
		return postil.Own{}, 0, err
	}
	html := markup.Render(clean)
	change := postil.TextChange{Text: clean, HTML: html, Hash: markup.FingerprintHTML(html)}
	if _, err := in.door.Edit(ctx, site, id, change, in.proves(key)); err != nil {
		return postil.Own{}, 0, err
	}
	return in.afterwards(ctx, id)
}

// Remove deletes a comment for the holder of its edit key.
func (in *Intake) Remove(ctx context.Context, site postil.SiteID, id postil.CommentID, key string) (postil.Own, int64, error) {
	if _, err := in.door.Remove(ctx, site, id, in.proves(key)); err != nil {
		return postil.Own{}, 0, err
	}
	return in.afterwards(ctx, id)
}

// Holder returns the comment that an edit key belongs to, Forbidden for a key
// that does not fit.
func (in *Intake) Holder(ctx context.Context, key string) (postil.CommentID, error) {
	if id, _, ok := token.ParseEditKey(key); ok {
		c, err := in.shelf.Comment(ctx, id)
		if err == nil && in.proves(key)(c) {
			return id, nil
		}
		if err != nil && postil.KindOf(err) != postil.NotFound {
			return 0, err
		}
	}
	return 0, postil.Refuse("forbidden", "This edit key fits no comment here.")
}

func (in *Intake) proves(key string) func(postil.Comment) bool {
	return func(c postil.Comment) bool { return in.keys.CheckEditKey(key, c.ID, c.Nonce) }
}

func (in *Intake) afterwards(ctx context.Context, id postil.CommentID) (postil.Own, int64, error) {
	c, err := in.shelf.Comment(ctx, id)
	if err != nil {
		return postil.Own{}, 0, err
	}
	p, err := in.shelf.Post(ctx, c.Site, c.Post)
	return in.asOwn(c), p.Version, err
}

// Own returns the comments of a site that edit keys belong to, in the order of
// the keys; a key that fits nothing is passed over in silence.
func (in *Intake) Own(ctx context.Context, site postil.SiteID, keys []string) ([]postil.Own, error) {
	if len(keys) > MaxOwnKeys {
		return nil, postil.InvalidField("keys", "At most %d edit keys can be asked about at once; that is %d.", MaxOwnKeys, len(keys))
	}
	if _, err := in.sites.Site(ctx, site); err != nil {
		return nil, err
	}
	var ids []postil.CommentID
	for _, key := range keys {
		if id, _, ok := token.ParseEditKey(key); ok {
			ids = append(ids, id)
		}
	}
	comments, err := in.shelf.Comments(ctx, ids)
	if err != nil {
		return nil, err
	}
	var own []postil.Own
	told := map[postil.CommentID]bool{}
	for _, key := range keys {
		i := slices.IndexFunc(comments, in.proves(key))
		if i >= 0 && comments[i].Site == site && !told[comments[i].ID] {
			told[comments[i].ID] = true
			own = append(own, in.asOwn(comments[i]))
		}
	}
	return own, nil
}

// asOwn is a comment as its author sees it: with the text that they wrote
// last, and what was stopped as spam looks as if it still waited.
func (in *Intake) asOwn(c postil.Comment) postil.Own {
	o := postil.Own{Comment: c, Shown: c.Status, EditableUntil: c.EditableUntil(in.bounds.EditWindow(c.Site))}
	if c.Draft != nil {
		o.Comment.Text, o.Comment.HTML = c.Draft.Text, c.Draft.HTML
	}
	if c.Status == postil.Spam {
		o.Shown = postil.Pending
	}
	return o
}

// Form returns what the embedded form needs.
func (in *Intake) Form(ctx context.Context, r postil.FormRequest) (postil.Form, error) {
	site, err := in.sites.Site(ctx, r.Site)
	if err != nil {
		return postil.Form{}, err
	}
	key, err := in.sites.Resolve(ctx, r.Site, r.Post)
	if err != nil {
		return postil.Form{}, err
	}
	post, err := in.shelf.Post(ctx, r.Site, key)
	if err != nil {
		return postil.Form{}, err
	}
	bits := 0
	if in.wary != nil {
		if bits, err = in.wary.Work(ctx, r.Actor, r.Network); err != nil {
			return postil.Form{}, err
		}
	}
	limits := postil.DefaultLimits()
	limits.Text = in.bounds.Text(r.Site)
	form := postil.Form{Closed: post.Closed, Lockdown: site.Lockdown, Limits: limits, Reactions: site.Reactions}
	form.Token, form.Trap = in.keys.FormToken(string(r.Site), string(key), bits, in.now(ctx))
	if bits := token.Work(form.Token); bits > 0 {
		form.Work = &postil.Work{Challenge: in.keys.Challenge(form.Token, r.Bucket), Bits: bits}
	}
	return form, nil
}

// Preview renders a text exactly as storing it would, with hints for its
// author.
func (in *Intake) Preview(ctx context.Context, site postil.SiteID, text string) (html string, hints []string, err error) {
	if _, err := in.sites.Site(ctx, site); err != nil {
		return "", nil, err
	}
	clean, err := postil.CleanTextWithin(text, in.bounds.Text(site))
	if err != nil {
		return "", nil, err
	}
	return markup.Render(clean), markup.Hints(clean), nil
}
