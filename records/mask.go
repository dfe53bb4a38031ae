package records

import (
	"context"
	"path"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// batch is the number of bytes of short texts that are masked with one request: their JSON fits a frame.
const batch = limits.Frame / 8

// separator is a line between texts that are masked together. No text contains it.
const separator = '\x1e'

const between = "\n" + string(separator) + "\n"

// safe masks the secrets in nodes, escapes their texts and cuts them. The order matters: a secret that is cut or escaped
// is not recognised.
func (r Reader) safe(ctx context.Context, nodes []Node) error {
	texts := make([]*string, 0, 5*len(nodes))
	for i := range nodes {
		n := &nodes[i]
		texts = append(texts, &n.Label, &n.Description, &n.Tooltip, &n.File, &n.title)
	}
	if err := r.maskAll(ctx, texts); err != nil {
		return err
	}
	for i := range nodes {
		n := &nodes[i]
		n.title = shown(n.title)
		if n.File != "" { // in parts, now that no secret spans them
			folder, name := path.Split(n.File)
			n.Label, n.Description = name, fields(" · ", strings.TrimSuffix(folder, "/"), n.Description)
			n.File = chars.Head(shown(n.File), maxTooltip)
		}
		n.Label = chars.Short(shown(n.Label), maxLabel)
		n.Description = chars.Short(shown(n.Description), maxLabel)
		n.Tooltip = chars.Short(shown(n.Tooltip), maxTooltip)
		n.URI = n.address()
		if n.Kind == KindSession {
			n.Label = cutWords(n.Label, maxShort)
		}
	}
	return nil
}

// maskAll masks the secrets in texts, in batches.
func (r Reader) maskAll(ctx context.Context, texts []*string) error {
	for len(texts) > 0 {
		n, size := 0, 0
		for n < len(texts) && (n == 0 || size+len(*texts[n]) < batch) {
			*texts[n] = (*texts[n])[:min(len(*texts[n]), batch)]
			size += len(*texts[n]) + len(between)
			n++
		}
		if err := r.maskSome(ctx, texts[:n]); err != nil {
			return err
		}
		texts = texts[n:]
	}
	return nil
}

// maskSome masks the secrets in texts with one request. If a match spans two texts, each is masked alone.
func (r Reader) maskSome(ctx context.Context, texts []*string) error {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = *t
	}
	all, err := r.mask(ctx, strings.Join(parts, between))
	if err != nil {
		return err
	}
	if parts = strings.Split(all, between); len(parts) == len(texts) {
		for i, t := range texts {
			*t = parts[i]
		}
		return nil
	}
	for _, t := range texts {
		if *t, err = r.mask(ctx, *t); err != nil {
			return err
		}
	}
	return nil
}

// mask masks the secrets in a text of at most limits.MaskText bytes.
func (r Reader) mask(ctx context.Context, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	resp, err := r.API.Mask(ctx, ledger.MaskRequest{Text: text})
	return resp.Text, err
}
