package app

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
)

// socketPath is where commands on this machine reach the server: in the data
// directory, or, where the operating system's bound of some hundred bytes for
// such names is too short for that, in the directory for temporary files under
// a name that follows from the data directory.
func socketPath(data string) string {
	abs, err := filepath.Abs(data)
	if err != nil {
		abs = data
	}
	path := filepath.Join(abs, "postil.sock")
	if len(path) < 100 {
		return path
	}
	sum := sha256.Sum256([]byte(abs))
	return filepath.Join(os.TempDir(), "postil-"+hex.EncodeToString(sum[:8])+".sock")
}

// listenLocal opens the socket, for the owner alone. The data directory is
// held by this process, so a socket that is there belongs to a dead one.
func listenLocal(data string) (net.Listener, error) {
	path := socketPath(data)
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	return ln, os.Chmod(path, 0o600)
}
