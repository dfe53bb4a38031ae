package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Secret is one find: text[Start:End], in bytes.
type Secret struct {
	Start, End int
	Kind       string // the rule's name, such as github-token
}

// Redactor masks secrets. It is safe for concurrent use.
type Redactor struct {
	key   []byte
	rules func() *ruleset // made ready at the first use: many redactors never see a text
	ask   func(secret []byte) string
}

// New returns a redactor whose masks depend on key, which should be random and kept with the data: with
// the same key the same secret always gets the same mask.
func New(key []byte) *Redactor {
	return &Redactor{key: append([]byte(nil), key...), rules: builtin}
}

// Asking returns a redactor whose masks end as ask says, which may be the Suffix of another redactor: so a program that must not
// have a key masks as its owner does. Where ask returns "", they depend on the key of r.
func (r *Redactor) Asking(ask func(secret []byte) string) *Redactor {
	return &Redactor{r.key, r.rules, ask}
}

// Suffix returns the end of a secret's mask: a keyed hash of the secret alone, so that one secret is recognised under several
// kinds and encodings.
func (r *Redactor) Suffix(secret []byte) string {
	if r.ask != nil {
		if suffix := r.ask(secret); len(suffix) == maskDigits {
			return suffix
		}
	}
	h := hmac.New(sha256.New, r.key)
	h.Write(secret)
	return hex.EncodeToString(h.Sum(nil)[:maskDigits/2])
}

// String returns s with every secret replaced by its mask, or s itself.
func (r *Redactor) String(s string) string {
	p := []byte(s)
	if found := r.rules().find(p); len(found) > 0 {
		return string(r.replace(nil, p, 0, found))
	}
	return s
}

// Bytes returns p with every secret replaced by its mask, or p itself. It does not change p.
func (r *Redactor) Bytes(p []byte) []byte {
	if found := r.rules().find(p); len(found) > 0 {
		return r.replace(nil, p, 0, found)
	}
	return p
}

// Find returns the secrets in p in their order. They do not overlap.
func (r *Redactor) Find(p []byte) []Secret {
	var secrets []Secret
	for _, s := range r.rules().find(p) {
		secrets = append(secrets, Secret{s.start, s.end, s.kind})
	}
	return secrets
}

// replace appends p[from:] to out with masks in the place of the spans.
func (r *Redactor) replace(out, p []byte, from int, spans []span) []byte {
	for _, s := range spans {
		out = append(out, p[from:s.start]...)
		out = r.appendMask(out, s, p)
		from = s.end
	}
	return append(out, p[from:]...)
}

// appendMask appends the mask of a span.
func (r *Redactor) appendMask(out []byte, s span, p []byte) []byte {
	secret := s.secret
	if secret == nil {
		secret = p[s.start:s.end]
	}
	out = append(append(append(out, maskStart...), s.kind...), ':')
	out = append(out, r.Suffix(secret)...)
	return append(out, ']')
}
