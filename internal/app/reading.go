package app

import (
	"context"
	"strings"

	"github.com/postil/postil/internal/cache"
	"github.com/postil/postil/internal/httpapi"
	"github.com/postil/postil/internal/postil"
)

// load makes a public answer from the store, for the cache.
func (a *App) load(ctx context.Context, v postil.View) (cache.Fresh, error) {
	switch v.Kind {
	case postil.CountsView:
		counts, err := a.store.Counts(ctx, v.Site, postIDs(v.Posts))
		return cache.Fresh{Body: httpapi.EncodeCounts(counts)}, err
	case postil.RecentView:
		recent, err := a.store.Recent(ctx, v.Site, v.Limit)
		if err != nil {
			return cache.Fresh{}, err
		}
		return cache.Fresh{Body: httpapi.EncodeRecent(recent)}, nil
	case postil.FeedView:
		return a.loadFeed(ctx, v)
	}
	page, err := a.store.ThreadPage(ctx, v.Query())
	if err != nil {
		return cache.Fresh{}, err
	}
	fresh := cache.Fresh{Version: page.Post.Version, Missing: page.Post.Created.IsZero()}
	if v.Kind == postil.ThreadView {
		fresh.Body = httpapi.EncodeThread(page)
		return fresh, nil
	}
	fresh.Body, err = a.writePage(ctx, v, page)
	return fresh, err
}

// loadFeed makes a feed of a post or, without one, of a site.
func (a *App) loadFeed(ctx context.Context, v postil.View) (cache.Fresh, error) {
	site, err := a.store.Site(ctx, v.Site)
	if err != nil {
		return cache.Fresh{}, err
	}
	var list []postil.Listed
	if v.Post == "" {
		list, err = a.store.Recent(ctx, v.Site, httpapi.FeedSize)
	} else {
		list, err = a.store.RecentOn(ctx, v.Site, v.Post, httpapi.FeedSize)
	}
	if err != nil {
		return cache.Fresh{}, err
	}
	return cache.Fresh{Body: a.pages.Feed(site, v.Post, list), Missing: len(list) == 0}, nil
}

// writePage writes a thread for readers without scripts.
func (a *App) writePage(ctx context.Context, v postil.View, page postil.ThreadPage) ([]byte, error) {
	site, err := a.store.Site(ctx, v.Site)
	if err != nil {
		return nil, err
	}
	switch v.Kind {
	case postil.FragmentView:
		return a.pages.Fragment(site, v.Query(), page), nil
	case postil.ContextView:
		return a.pages.Context(site, v.Query(), page)
	}
	return a.pages.Page(site, v.Query(), page, v.Kind, a.keys.TrapName("")), nil
}

func postIDs(joined string) (ids []postil.PostID) {
	for id := range strings.SplitSeq(joined, "\n") {
		if id != "" {
			ids = append(ids, postil.PostID(id))
		}
	}
	return ids
}

// read is the cache as the HTTP API sees it.
func (a *App) read(ctx context.Context, v postil.View, atLeast int64) (httpapi.Page, error) {
	e, err := a.cache.Get(ctx, v, atLeast)
	if err != nil {
		return nil, err
	}
	return e, nil
}
