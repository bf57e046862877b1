//go:build unix

package doctor

import "golang.org/x/sys/unix"

// FreeBytes returns how much an ordinary user may still write.
func FreeBytes(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}
