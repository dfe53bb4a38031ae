package exports

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/ledger"
)

// The names of the files.
const (
	ChangesFile = "changes.json"
	IntentsFile = "intents.json"
)

// tempSuffix ends the names of files that are being written.
const tempSuffix = ".partial"

// openDir opens a directory of ours, and makes it, for this user alone, if there is none. Whatever comes to
// lie at its path or in it, nothing outside of it is written or removed.
func openDir(dir string) (*os.Root, error) {
	const op = "exports.dir"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fault.Wrap(fault.Denied, op, err)
	}
	root, err := safefs.OpenRoot(dir)
	return root, fault.Wrap(fault.Denied, op, err)
}

// writeFile writes a file of a directory in one step: what happens in between leaves the file of before. fill's
// output is masked on its way. keep decides at last whether the new file takes the old one's place; the
// size is 0 when it does not.
func writeFile(ctx context.Context, api ledger.API, e env.Env, dir *os.Root, name string, fill func(io.Writer) error, keep func() (bool, error)) (size int64, err error) {
	const op = "exports.write"
	temp := name + "." + e.ID(4) + tempSuffix
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, fault.Wrap(fault.Denied, op, err)
	}
	defer func() { _ = dir.Remove(temp) }() // gone already when it took its place
	b := bufio.NewWriter(f)
	out := &exit{ctx: ctx, api: api, w: b}
	err = fill(out)
	if err == nil {
		err = disk(errors.Join(b.Flush(), f.Sync()))
	}
	if err = errors.Join(err, disk(f.Close())); err != nil {
		return 0, err
	}
	ok, err := keep()
	if err != nil || !ok {
		return 0, err
	}
	if err = dir.Rename(temp, name); errors.Is(err, fs.ErrNotExist) {
		return 0, nil // forgetting removed it: what it would have replaced is gone as well
	}
	return out.size, disk(err)
}

// disk gives an error of the file system its code.
func disk(err error) error { return fault.Wrap(fault.Unavailable, "exports.write", err) }

// exit is where a document leaves the ledger: the one place at which its secrets are masked. Each
// Write is a whole entry, as writer makes them.
type exit struct {
	ctx  context.Context
	api  ledger.API
	w    io.Writer
	size int64
}

// Write implements io.Writer.
func (x *exit) Write(p []byte) (int, error) {
	masked, err := x.mask(string(p))
	if err != nil {
		return 0, err
	}
	n, err := io.WriteString(x.w, masked)
	x.size += int64(n)
	return len(p), disk(err)
}

// mask masks the secrets of a text. One that is too long for a single request is masked in pieces that
// end with lines: JSON has no line break inside a string, so no secret is cut.
func (x *exit) mask(text string) (string, error) {
	var out strings.Builder
	for len(text) > 0 {
		end := len(text)
		if end > limits.MaskText {
			end = strings.LastIndexByte(text[:limits.MaskText], '\n') + 1
		}
		if end == 0 {
			return "", fault.New(fault.TooLarge, "exports.mask", "a line of %d bytes is too long to be looked through for secrets", len(text))
		}
		r, err := x.api.Mask(x.ctx, ledger.MaskRequest{Text: text[:end]})
		if err != nil {
			return "", err
		}
		out.WriteString(r.Text)
		text = text[end:]
	}
	return out.String(), nil
}

// removeTemps removes what a crash left behind in a state directory.
func removeTemps(state *os.Root) error {
	names, err := fs.Glob(safefs.Files(state), Dir+"/*.json.*"+tempSuffix)
	for _, name := range names {
		err = errors.Join(err, state.Remove(name))
	}
	return disk(err)
}
