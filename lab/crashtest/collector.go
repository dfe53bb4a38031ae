package crashtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// collector stores blobs, makes artifacts of them, and forgets some.
type collector struct {
	name   string
	count  int
	things []*thing
}

// thing is a content of a collector.
type thing struct {
	hash   string
	stored bool                // the blob is acknowledged
	record *artifacts.Artifact // as the ledger answered; nil: it is a blob only
}

// forgotten reports whether the content is gone for good.
func (t *thing) forgotten() bool { return t.record != nil && t.record.Forgotten != nil }

func (c *collector) next(r *rand.Rand) *operation {
	c.count++
	key := ledger.Mutation{Key: fmt.Sprintf("%s-%d", c.name, c.count)}
	if i := slices.IndexFunc(c.things, func(t *thing) bool { return t.stored && t.record == nil }); i >= 0 {
		return c.put(c.things[i], key)
	}
	// each rewrites the records
	if kept := slices.DeleteFunc(slices.Clone(c.things), (*thing).forgotten); len(kept) > 2 && r.IntN(6) == 0 {
		return c.forget(kept[r.IntN(len(kept))], key)
	}
	return c.store(r)
}

// store puts a blob.
func (c *collector) store(r *rand.Rand) *operation {
	line := fmt.Sprintf("%s %d: content of a thing, line after line\n", c.name, c.count)
	lines := 1 + r.IntN(200)
	if r.IntN(8) == 0 {
		lines *= 10 // more than one frame
	}
	content := []byte(strings.Repeat(line, lines))
	t := &thing{hash: sessions.Digest(content)}
	c.things = append(c.things, t)
	op := mutation("put blob", func(ctx context.Context, api ledger.API) (ledger.BlobRef, error) {
		return api.PutBlob(ctx, bytes.NewReader(content))
	}, func(ledger.BlobRef) { t.stored = true })
	op.keyed = false
	return op
}

// put makes an artifact of a blob.
func (c *collector) put(t *thing, key ledger.Mutation) *operation {
	r := ledger.PutArtifactRequest{Mutation: key, Blob: t.hash, Title: c.name + " " + t.hash[:8], Tool: "Bash"}
	return mutation("put artifact", func(ctx context.Context, api ledger.API) (artifacts.Artifact, error) {
		return api.PutArtifact(ctx, r)
	}, func(a artifacts.Artifact) { t.record = &a })
}

// forget removes a content.
func (c *collector) forget(t *thing, key ledger.Mutation) *operation {
	r := ledger.ForgetRequest{Mutation: key, Handle: t.record.ID}
	return mutation("forget artifact", func(ctx context.Context, api ledger.API) (artifacts.Artifact, error) {
		if _, err := api.Forget(ctx, r); err != nil {
			return artifacts.Artifact{}, err
		}
		return api.Artifact(ctx, ledger.ArtifactRequest{ID: r.Handle})
	}, func(a artifacts.Artifact) { t.record = &a })
}

func (c *collector) expect() facts {
	f := facts{}
	for _, t := range c.things {
		if t.stored && !t.forgotten() {
			f["blob "+t.hash] = t.hash[:16]
		}
		if t.record != nil {
			f["artifact "+t.hash] = text(t.record)
		}
	}
	return f
}

func (c *collector) observe(ctx context.Context, api ledger.API, all *inventory) (facts, error) {
	f := facts{}
	for _, t := range c.things {
		content, err := readBlob(ctx, api, ledger.ReadBlobRequest{Hash: t.hash})
		if err == nil {
			f["blob "+t.hash] = digest(content)
		} else if !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		i := slices.IndexFunc(all.artifacts, func(a artifacts.Artifact) bool { return a.Hash == t.hash })
		if i >= 0 {
			all.claim("artifact", all.artifacts[i].ID)
			f["artifact "+t.hash] = text(all.artifacts[i])
		}
	}
	return f, nil
}

// readBlob returns a whole content.
func readBlob(ctx context.Context, api ledger.API, r ledger.ReadBlobRequest) ([]byte, error) {
	content, err := api.ReadBlob(ctx, r)
	if err != nil {
		return nil, err
	}
	defer content.Close() // opened for reading
	return io.ReadAll(content)
}
