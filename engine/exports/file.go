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

// openDir opens a directory of ours, and makes it, private to this user, if there is none. Whatever replaces it or
// appears in it, nothing outside of it is written or removed.
func openDir(dir string) (*os.Root, error) {
	const op = "exports.dir"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err // the message names the path
		}
		return nil, fault.New(fault.Denied, op, "cannot write to the directory %s: %s", dir, err)
	}
	root, err := safefs.OpenRoot(dir)
	return root, fault.Wrap(fault.Denied, op, err)
}

// writeFile replaces a file of a directory atomically: a failure leaves the old file. The output of fill is masked. keep
// decides at the end whether the new file replaces the old one; the size is 0 if it does not.
func writeFile(
	ctx context.Context, api ledger.API, e env.Env, dir *os.Root, name string,
	fill func(io.Writer) error, keep func() (bool, error),
) (size int64, err error) {
	const op = "exports.write"
	temp := name + "." + e.ID(4) + tempSuffix
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, fault.Wrap(fault.Denied, op, err)
	}
	defer func() { _ = dir.Remove(temp) }() // renamed if all went well
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
		return 0, nil // forgetting removed it, and the file that it would have replaced
	}
	return out.size, disk(err)
}

// disk gives an error of the file system its code.
func disk(err error) error { return fault.Wrap(fault.Unavailable, "exports.write", err) }

// exit is where a document leaves the ledger, and the only place where its secrets are masked. Each Write is a whole
// entry, as writer makes them.
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

// mask masks the secrets of a text. A text too long for one request is masked in pieces of whole lines: JSON has no line
// break inside a string, so no secret is cut.
func (x *exit) mask(text string) (string, error) {
	var out strings.Builder
	for len(text) > 0 {
		end := len(text)
		if end > limits.MaskText {
			end = strings.LastIndexByte(text[:limits.MaskText], '\n') + 1
		}
		if end == 0 {
			return "", fault.New(fault.TooLarge, "exports.mask",
				"a line of %d bytes is too long to be searched for secrets", len(text))
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

// removeTemps removes temporary files that a crash left in a state directory.
func removeTemps(state *os.Root) error {
	names, err := fs.Glob(safefs.Files(state), Dir+"/*.json.*"+tempSuffix)
	for _, name := range names {
		err = errors.Join(err, state.Remove(name))
	}
	return disk(err)
}
