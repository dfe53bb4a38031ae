package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
	"ctxledger.dev/tokens/filecount"
)

// Counted is the result of counting a workspace.
type Counted struct {
	Files  int   `json:"files"`  // texts that were counted
	Bytes  int64 `json:"bytes"`  // of these
	Tokens int   `json:"tokens"` // sum over the files, each counted alone
	Exact  bool  `json:"exact"`
	Failed int   `json:"failed"` // that could not be read
	// Said is the sum in words, as it is shown.
	Said string `json:"said"`
	// Directories are those with texts, at any depth, largest first, at most maxDirectories. The texts right in one that has
	// others below it are one more, whose path ends in a dot ("src/.", "." in the workspace): those right below one add up.
	Directories []Directory `json:"directories"`
}

// Directory is what the texts below a directory cost.
type Directory struct {
	Path   string `json:"path"` // relative to the workspace, with slashes
	Files  int    `json:"files"`
	Tokens int    `json:"tokens"`
}

// maxDirectories is how many directories are listed: more than anybody looks at, and a small answer.
const maxDirectories = 1000

// directories returns the directories above texts, with what is below each, and apart what is right in one. A directory
// that is below one of the first is listed if it is large enough itself.
func directories(texts []*filecount.Text) []Directory {
	sums, parents := map[string]*Directory{}, map[string]bool{".": true}
	add := func(dir string, x *filecount.Text) {
		if sums[dir] == nil {
			sums[dir] = &Directory{Path: dir}
		}
		sums[dir].Files++
		sums[dir].Tokens += x.Count.N
	}
	for _, x := range texts {
		if x.Err != nil {
			continue
		}
		dir := path.Dir(filepath.ToSlash(x.Name))
		add(strings.TrimPrefix(dir+"/.", "./"), x)
		for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
			add(dir, x)
			parents[path.Dir(dir)] = true
		}
	}
	list := make([]Directory, 0, len(sums))
	for _, d := range sums {
		if here := path.Base(d.Path) == "."; !here || parents[path.Dir(d.Path)] {
			list = append(list, *d)
		}
	}
	slices.SortFunc(list, func(a, b Directory) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Path, b.Path))
	})
	return list[:min(len(list), maxDirectories)]
}

// countArgument says how the result is shown.
type countArgument struct {
	Quiet bool `json:"quiet"` // the client shows it itself
}

// countWorkspace counts all text files of the workspace that git does not ignore, with progress, and shows the sum. It
// can be cancelled by its request or its progress.
func (s *folder) countWorkspace(ctx context.Context, how countArgument, token protocol.ProgressToken) (any, error) {
	if s.workspace.Root == "" {
		return nil, fault.New(fault.Invalid, "lsp.command", "no open folder can be counted")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var found, read atomic.Int64
	p := s.progress(ctx, token, "counting "+filepath.Base(s.workspace.Root), true, cancel)
	reported := p.follow(ctx, &read, &found)
	meter := s.snapshot().meter
	counted, err := s.countFiles(ctx, meter.Counter, func(n int64) { found.Add(n) }, func(n int64) { read.Add(n) })
	reported()
	p.end()
	if err != nil {
		return nil, err
	}
	counted.Said = fmt.Sprintf("%s: %s in %s", filepath.Base(s.workspace.Root),
		meter.Say(tokens.Count{N: counted.Tokens, Exact: counted.Exact}), chars.Plural(counted.Files, "file"))
	if how.Quiet {
		return counted, nil
	}
	return counted, s.client.ShowMessage(ctx,
		&protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: counted.Said})
}

// countFiles counts the text files of the workspace.
func (s *folder) countFiles(ctx context.Context, c tokens.Counter, found, read func(int64)) (Counted, error) {
	t := filecount.New(ctx, filecount.Options{Counter: c, Found: found, Read: read})
	_, err := t.Dir(".", s.workspace.Root)
	texts, err := t.Done(err)
	counted := Counted{Exact: c.Exact(), Directories: directories(texts)}
	for _, x := range texts {
		switch {
		case x.Err == nil:
			counted.Files++
			counted.Bytes += x.Read.Bytes
			counted.Tokens += x.Count.N
		case !errors.Is(x.Err, filecount.ErrBinary):
			counted.Failed++
		}
	}
	return counted, err
}
