package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/safefs"
)

// Source names a session file.
type Source struct {
	Path string
	// Dir is the directory that a relative Path is relative to.
	Dir string
	// Agent is the one that has to have written it; "": any.
	Agent sessionfile.Agent
}

// real returns the absolute path of the file with all links resolved.
func (s Source) real() (string, error) {
	path := s.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Dir, path)
	}
	path, err := filepath.EvalSymlinks(path)
	return path, sessionfile.FileError(s.Path, err)
}

// open opens a session file for reading and returns its size. What took its place since it was listed,
// a pipe above all, is not waited for.
func open(path string) (*os.File, int64, error) {
	f, info, err := safefs.OpenListed(path)
	if err != nil {
		return nil, 0, sessionfile.FileError(path, err)
	}
	return f, info.Size(), nil
}

// importID names the import of a session: the same for the same session wherever its file is.
func (im *importer) importID(hostID string) string {
	sum := sha256.Sum256([]byte(hostID))
	return string(im.adapter.Agent) + ":" + hex.EncodeToString(sum[:16])
}

// checkLen is how many bytes before an offset know a file again. A session file grows at its
// end only and its records carry unique ids, so the newest ones are as good as all of them.
const checkLen = 4 << 10

// check returns the fingerprint of the bytes of a file before an offset, "" at its beginning.
func check(file io.ReaderAt, offset int64) (string, error) {
	if offset == 0 {
		return "", nil
	}
	tail := make([]byte, min(offset, checkLen))
	if _, err := io.ReadFull(io.NewSectionReader(file, offset-int64(len(tail)), int64(len(tail))), tail); err != nil {
		return "", err
	}
	sum := sha256.Sum256(tail)
	return hex.EncodeToString(sum[:16]), nil
}
