package core

import (
	"cmp"
	"context"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// PutArtifact implements ledger.ArtifactStore.
func (l *Ledger) PutArtifact(ctx context.Context, r ledger.PutArtifactRequest) (artifacts.Artifact, error) {
	m := l.NewMutation("artifact", r.Key, r).Check(CheckTexts("engine.artifact", Label("title", r.Title),
		Label("tool", r.Tool), Label("name", r.Name), Label("hint", r.Hint),
		Label("session", r.Ref.Session), Label("call id", r.Ref.CallID)))
	if a, done, err := PreviousResponse[artifacts.Artifact](ctx, l, m); done || err != nil {
		return a, err
	}
	if err := l.checkName(r.Name); err != nil {
		return artifacts.Artifact{}, err
	}
	l.references.RLock()
	defer l.references.RUnlock()
	a, err := l.measure(ctx, r)
	if err != nil {
		return artifacts.Artifact{}, err
	}
	if r.Name != "" && a.Bytes > limits.NamedArtifact {
		return artifacts.Artifact{}, fault.New(fault.TooLarge, "engine.artifact",
			"%s has %d bytes, more than the limit of %d", r.Name, a.Bytes, limits.NamedArtifact).
			WithHint("save it in parts, or without a name")
	}
	a.Created = m.At
	return Mutate(ctx, l, m, func(tx kv.Tx) (artifacts.Artifact, []ledger.Event, error) {
		kept, _, err := artifacts.Put(tx, a)
		if err != nil {
			return kept, nil, err
		}
		event := ledger.Event{Kind: ledger.EventArtifact, ID: kept.ID, Session: r.Ref.Session, Detail: kept.Title}
		if r.Name != "" {
			named, err := artifacts.SaveAs(tx, r.Name, kept.ID, m.At)
			if err != nil {
				return kept, nil, err
			}
			kept.Name, kept.Version = named.Name, named.Version
			event.Detail = named.String()
		}
		return kept, []ledger.Event{event}, l.ReferenceBlob(tx, kept.Hash)
	})
}

// checkName refuses a name that cannot be one, or that may be a secret: names are shown as they are. "" is none.
func (l *Ledger) checkName(name string) error {
	if name == "" {
		return nil
	}
	if err := artifacts.CheckName(name); err != nil {
		return err
	}
	if l.Masks.String(name) != name {
		return fault.New(fault.Invalid, "engine.artifact", "the name looks like a secret").
			WithHint("choose another name")
	}
	return nil
}

// measure reads the content once to count its characters and tokens.
func (l *Ledger) measure(ctx context.Context, r ledger.PutArtifactRequest) (artifacts.Artifact, error) {
	b, err := l.Store.OpenBlob(ctx, r.Blob)
	if err != nil {
		return artifacts.Artifact{}, err
	}
	defer b.Close() // opened for reading
	ref := b.Ref()
	a := artifacts.Artifact{Hash: ref.Hash, Bytes: ref.Size, Lines: ref.Lines, Tool: r.Tool, Hint: r.Hint,
		Title: r.Title, Put: true}
	if r.Ref != (artifacts.Ref{}) {
		a.Refs = []artifacts.Ref{r.Ref}
	}
	err = eachChunk(ctx, b, func(chunk []byte) {
		a.Chars += int64(utf8.RuneCount(chunk))
		a.Features = a.Features.Plus(tokens.FeaturesOf(string(chunk)))
	})
	a.Tokens = a.Features[tokens.FeatureTokens]
	return a, err
}

// eachChunk calls fn with the parts of a blob, of about a megabyte: see chunkEnd.
func eachChunk(ctx context.Context, b kv.Blob, fn func(chunk []byte)) error {
	size, chunk := b.Ref().Size, make([]byte, 1<<20)
	for at := int64(0); at < size; {
		if err := ctx.Err(); err != nil {
			return fault.Wrap(fault.Unavailable, "engine.measure", err)
		}
		n, err := b.ReadAt(chunk, at)
		if n == 0 {
			return err // of the store: there is more to read
		}
		end := chunkEnd(chunk[:n], at+int64(n) == size)
		fn(chunk[:end])
		at += int64(end)
	}
	return nil
}

// chunkEnd returns where to cut a chunk without changing its count of tokens: before the newline that ends its last
// whole line, since no token spans a letter and a line break. A chunk without such a newline is cut between
// characters, which counts slightly too many tokens.
func chunkEnd(chunk []byte, last bool) int {
	if last {
		return len(chunk)
	}
	for i := len(chunk) - 1; i > len(chunk)/2; i-- {
		if chunk[i] == '\n' && isWord(chunk[i-1]) {
			return i
		}
	}
	for i := len(chunk) - 1; i > len(chunk)-utf8.UTFMax; i-- {
		if utf8.RuneStart(chunk[i]) {
			return i
		}
	}
	return len(chunk)
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// Artifact implements ledger.ArtifactStore.
func (l *Ledger) Artifact(ctx context.Context, r ledger.ArtifactRequest) (artifacts.Artifact, error) {
	return View(ctx, l, func(tx kv.Tx) (artifacts.Artifact, error) { return artifacts.Get(tx, r.ID) })
}

// Artifacts implements ledger.ArtifactStore.
func (l *Ledger) Artifacts(ctx context.Context, r ledger.ArtifactsRequest) (ledger.ArtifactsResponse, error) {
	return View(ctx, l, func(tx kv.Tx) (ledger.ArtifactsResponse, error) {
		list, total, err := artifacts.List(tx, r.Session, max(r.Skip, 0), max(r.Limit, 0))
		fits := Fitting(OrEmpty(list), limits.Page, artifactSize)
		return ledger.ArtifactsResponse{Artifacts: fits, Total: total}, err
	})
}

// artifactSize estimates the bytes of an artifact's record in a page.
func artifactSize(a artifacts.Artifact) int {
	n := 500 + len(a.Tool) + len(a.Hint) + len(a.Title)
	for _, r := range a.Refs {
		n += 50 + len(r.Session) + len(r.CallID)
	}
	return n
}

// ReadArtifact implements ledger.ArtifactStore. What a handle names is returned as it was recorded, with the
// secrets in it: the table "Secrets at the exits" of docs/maintainers/threat-model.md says which exits may show that,
// and why.
func (l *Ledger) ReadArtifact(ctx context.Context, r ledger.ReadArtifactRequest) (artifacts.Page, error) {
	c, id, err := l.open(ctx, r.ID, r.Raw)
	if err != nil {
		return artifacts.Page{}, err
	}
	defer c.Close() // opened for reading
	page, err := artifacts.Read(patient{ctx, c}, r.Selection)
	page.ID = id
	return page, err
}

// SearchArtifacts implements ledger.ArtifactStore. It reads the artifacts that the index finds best.
func (l *Ledger) SearchArtifacts(ctx context.Context,
	r ledger.SearchArtifactsRequest) (resp ledger.SearchArtifactsResponse, err error) {
	if resp.Unread, err = l.catchUp(ctx); err != nil {
		return resp, err
	}
	list, err := View(ctx, l, func(tx kv.Tx) (list []candidate, err error) {
		list, _, err = artifactsFound(tx, r.Query, mostFound)
		return list, err
	})
	if err != nil {
		return resp, err
	}
	var failed error
	docs := func(yield func(artifacts.Artifact, artifacts.Content) bool) {
		for _, found := range list {
			c, err := l.openBlob(ctx, found.artifact.Hash)
			if fault.Is(err, fault.NotFound) {
				continue // forgotten in the meantime
			}
			if failed = err; err != nil {
				return
			}
			more := yield(found.artifact, patient{ctx, c})
			_ = c.Close() // opened for reading
			if !more {
				return
			}
		}
	}
	resp.Passages, err = artifacts.Search(docs, r.Query, max(r.Limit, 0))
	return resp, cmp.Or(failed, err)
}
