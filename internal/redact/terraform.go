package redact

import (
	"bytes"

	"ctxledger.dev/internal/pattern"
)

// maxVariable bounds a variable's block in Terraform, in bytes.
const maxVariable = 2 << 10

var (
	// sayingSecret matches what names of variables that hold secrets have in them.
	sayingSecret = pattern.Lazy(`(?i)passw|passphrase|_pass\b|^pass\b|pwd|secret|token|credential|api_?key|private_?key|access_?key|auth_?key`)
	sensitive    = pattern.Lazy(`\bsensitive[ \t]{0,16}=[ \t]{0,16}true\b`)
	defaultValue = pattern.Lazy(`(?:^|[^A-Za-z0-9_.-]|\\[nrt])default[ \t]{0,16}=[ \t]{0,16}(\\*")`)
)

// variableDefault finds the default value in the block of a Terraform variable whose name says that it is a secret,
// or which is sensitive: variable "db_password" { default = "X" }. The literal text[at:at+n] is the word variable.
func variableDefault(text []byte, at, n int) []stretch {
	c := cursor{text[:min(at+maxVariable, len(text))], at + n}
	c.gap()
	quote := c.quote()
	name := c.at
	if quote == "" || !c.quoted(quote) {
		return nil
	}
	secret := sayingSecret().Match(text[name:c.at])
	c.take(quote)
	if c.gap(); !c.take("{") {
		return nil
	}
	block := c.text[c.at:blockEnd(c.text, c.at)]
	m := defaultValue().FindSubmatchIndex(block)
	if m == nil || !secret && !sensitive().Match(block) {
		return nil
	}
	value := cursor{c.text, c.at + m[3]}
	from := value.at
	if !value.quoted(string(block[m[2]:m[3]])) || !isPassword(text[from:value.at]) {
		return nil
	}
	return []stretch{{from, value.at, at, c.at + len(block)}}
}

// blockEnd returns where the block ends that begins before text[at]: at its brace, or where text ends.
func blockEnd(text []byte, at int) int {
	for depth := 1; ; at++ {
		i := bytes.IndexAny(text[at:], "{}")
		if i < 0 {
			return len(text)
		}
		if at += i; text[at] == '{' {
			depth++
		} else if depth--; depth == 0 {
			return at
		}
	}
}
