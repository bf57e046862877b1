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
	}
	page, err := a.store.ThreadPage(ctx, v.Query())
	if err != nil {
		return cache.Fresh{}, err
	}
	return cache.Fresh{Body: httpapi.EncodeThread(page), Version: page.Post.Version, Missing: page.Post.Created.IsZero()}, nil
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
