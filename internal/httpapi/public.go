package httpapi

import (
	"fmt"

	"github.com/postil/postil/internal/postil"
)

// The structs below are the exact allowlist of what the public may see.
// Nothing gets out by being added to a domain type.

type authorJSON struct {
	Name    string  `json:"name"`
	Website *string `json:"website"`
	Avatar  *string `json:"avatar"`
	Badge   *string `json:"badge"`
}

type commentJSON struct {
	ID        string         `json:"id"`
	ParentID  *string        `json:"parent_id"`
	Depth     int            `json:"depth"`
	Author    authorJSON     `json:"author"`
	HTML      string         `json:"html"`
	CreatedAt string         `json:"created_at"`
	EditedAt  *string        `json:"edited_at"`
	Replies   int            `json:"replies"`
	CanReply  bool           `json:"can_reply"`
	Score     int            `json:"score"`
	Reactions map[string]int `json:"reactions"`
}

type tombstoneJSON struct {
	ID       string  `json:"id"`
	ParentID *string `json:"parent_id"`
	Depth    int     `json:"depth"`
	Deleted  bool    `json:"deleted"`
}

type postJSON struct {
	Key    string `json:"key"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Closed bool   `json:"closed"`
}

type threadJSON struct {
	Site     postil.SiteID `json:"site"`
	Post     postJSON      `json:"post"`
	Version  int64         `json:"version"`
	Count    int           `json:"count"`
	Roots    int           `json:"roots"`
	Next     *string       `json:"next_cursor"`
	Prev     *string       `json:"prev_cursor"`
	Comments []any         `json:"comments"` // commentJSON or tombstoneJSON, in display order
}

type placeJSON struct {
	Key   string `json:"key"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

type recentJSON struct {
	ID        string     `json:"id"`
	ParentID  *string    `json:"parent_id"`
	Post      placeJSON  `json:"post"`
	Author    authorJSON `json:"author"`
	HTML      string     `json:"html"`
	CreatedAt string     `json:"created_at"`
	EditedAt  *string    `json:"edited_at"`
}

// EncodeThread returns a page of a thread as public JSON.
func EncodeThread(p postil.ThreadPage) []byte {
	open := !p.Post.Closed && !p.Lockdown
	comments := make([]any, len(p.Comments))
	for i, l := range p.Comments {
		comments[i] = listedJSON(l, open)
	}
	return must(threadJSON{
		Site:    p.Post.Site,
		Post:    postJSON{Key: string(p.Post.ID), Title: p.Post.Title, URL: p.Post.URL, Closed: p.Post.Closed},
		Version: p.Post.Version, Count: p.Post.Count, Roots: p.Post.Roots,
		Next: orNull(p.Next), Prev: orNull(p.Prev), Comments: comments,
	})
}

// EncodeCounts returns the number of comments of each post as public JSON.
func EncodeCounts(counts map[postil.PostID]int) []byte {
	if counts == nil {
		counts = map[postil.PostID]int{}
	}
	return must(countsBody[postil.PostID]{Counts: counts})
}

// EncodeRecent returns the newest comments of a site as public JSON. Tombstones
// have no place in it and are left out.
func EncodeRecent(list []postil.Listed) []byte {
	comments := make([]recentJSON, 0, len(list))
	for _, l := range list {
		if l.Tombstone {
			continue
		}
		comments = append(comments, recentJSON{
			ID: l.ID.String(), ParentID: parentOrNull(l.Parent),
			Post:   placeJSON{Key: string(l.Post), Title: l.PostTitle, URL: l.PostURL},
			Author: authorOf(l.Author, l.UserGone), HTML: l.HTML,
			CreatedAt: stamp(l.Created), EditedAt: stampOrNull(l.Edited),
		})
	}
	return must(map[string]any{"comments": comments})
}

func listedJSON(l postil.Listed, open bool) any {
	if l.Tombstone {
		return tombstoneJSON{ID: l.ID.String(), ParentID: parentOrNull(l.Parent), Depth: l.Depth, Deleted: true}
	}
	return commentJSON{
		ID: l.ID.String(), ParentID: parentOrNull(l.Parent), Depth: l.Depth,
		Author: authorOf(l.Author, l.UserGone), HTML: l.HTML,
		CreatedAt: stamp(l.Created), EditedAt: stampOrNull(l.Edited),
		Replies: l.Replies, CanReply: open && l.Depth < postil.MaxDepth,
		Score: l.Score, Reactions: countsOf(l.Reactions),
	}
}

// countsOf is never null in JSON.
func countsOf(byEmoji map[string]int) map[string]int {
	if byEmoji == nil {
		return map[string]int{}
	}
	return byEmoji
}

// authorOf returns what is public of an author. Of an erased account nothing
// is, whatever may still stand beside the comment.
func authorOf(a postil.Author, gone bool) authorJSON {
	if gone {
		return authorJSON{Name: "deleted user"}
	}
	return authorJSON{Name: a.Name, Website: orNull(a.Website), Badge: orNull(a.Badge)}
}

func parentOrNull(id postil.CommentID) *string {
	if id == 0 {
		return nil
	}
	s := id.String()
	return &s
}

// must encodes a value of this file; all of them can be encoded.
func must(v any) []byte {
	b, err := encode(v)
	if err != nil {
		panic(fmt.Sprintf("encoding a public answer: %v", err))
	}
	return b
}
