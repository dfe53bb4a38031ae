package claudecode

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/agents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

// Source names a session file.
type Source struct {
	Path string
	// Dir is the directory that a relative Path is relative to.
	Dir string
}

// real returns the absolute path of the file with all links resolved.
func (s Source) real() (string, error) {
	path := s.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Dir, path)
	}
	path, err := filepath.EvalSymlinks(path)
	return path, fileError(s.Path, err)
}

// open opens a session file for reading and returns its size. What took its place since it was listed,
// a pipe above all, is not waited for.
func open(path string) (*os.File, int64, error) {
	f, info, err := safefs.OpenListed(path)
	if err != nil {
		return nil, 0, fileError(path, err)
	}
	return f, info.Size(), nil
}

// importID names the import of a session: the same for the same session wherever its file lies.
func importID(hostID string) string {
	sum := sha256.Sum256([]byte(hostID))
	return string(agents.ClaudeCode) + ":" + hex.EncodeToString(sum[:16])
}

// checkLen is how many bytes before an offset know a file again. A session file grows at its
// end only and its records carry unique ids, so the newest ones tell as much as all of them.
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

// recognise returns an error unless the file is one of Claude Code.
func recognise(path string, file io.ReaderAt) error {
	head := make([]byte, agents.HeadLen)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return fileError(path, err)
	}
	if a := agents.Detect(path, head[:n]); a != agents.ClaudeCode {
		return fault.New(fault.Invalid, "claudecode.import", "%s is not a session file of Claude Code: it is %s", path, a.Label()).
			WithHint("Claude Code keeps its sessions as .jsonl files below ~/.claude/projects")
	}
	return nil
}

// fileError gives an error of the file system its code. nil stays nil.
func fileError(path string, err error) error {
	code := fault.Unavailable
	switch {
	case err == nil || fault.Is(err, fault.Invalid): // not a file
		return err
	case errors.Is(err, fs.ErrNotExist):
		code = fault.NotFound
	case errors.Is(err, fs.ErrPermission):
		code = fault.Denied
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // the message names the path
	}
	return &fault.Error{Code: code, Op: "claudecode.read", Message: "read " + path, Err: err}
}
