package backup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// How many backups are kept: the last one of each of so many days and weeks.
const (
	keepDays  = 7
	keepWeeks = 4
)

const (
	prefix = "postil-"
	suffix = ".db"
	stamp  = "20060102T150405Z"
)

// kept is a backup in the directory.
type kept struct {
	path string
	at   time.Time
}

func nameAt(t time.Time) string { return prefix + t.UTC().Format(stamp) + suffix }

// list returns the backups of a directory, the newest first. Files that were
// put there by others, under other names, are none of ours.
func list(dir string) (all []kept) {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		text, ok := strings.CutPrefix(e.Name(), prefix)
		text, ok2 := strings.CutSuffix(text, suffix)
		at, err := time.Parse(stamp, text)
		if ok && ok2 && err == nil && e.Type().IsRegular() {
			all = append(all, kept{filepath.Join(dir, e.Name()), at})
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return b.at.Compare(a.at) })
	return all
}

// rotate removes the backups that are not kept any more.
func rotate(dir string) error {
	var errs []error
	for _, old := range surplus(list(dir)) {
		errs = append(errs, os.Remove(old.path))
	}
	return errors.Join(errs...)
}

// surplus returns what is neither among the last of a day nor of a week. Days
// without a backup do not count, so that a machine that was off forgets nothing.
func surplus(newestFirst []kept) (out []kept) {
	days, weeks := map[string]bool{}, map[string]bool{}
	for _, b := range newestFirst {
		year, week := b.at.ISOWeek()
		keep := first(days, b.at.Format(time.DateOnly), keepDays)
		if first(weeks, fmt.Sprint(year, "-", week), keepWeeks) || keep {
			continue
		}
		out = append(out, b)
	}
	return out
}

// first reports whether a period is met for the first time and there is room
// for it.
func first(met map[string]bool, period string, room int) bool {
	if met[period] || len(met) >= room {
		return false
	}
	met[period] = true
	return true
}
