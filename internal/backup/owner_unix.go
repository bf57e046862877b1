//go:build unix

package backup

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// GiveToOwner makes everything in the directory data belong to whoever the
// directory belongs to, so that a restore by root leaves nothing that the
// service cannot open. Others have nothing to give.
func GiveToOwner(data string) error {
	info, err := os.Stat(data)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return filepath.WalkDir(data, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
}
