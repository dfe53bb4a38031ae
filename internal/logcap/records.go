package logcap

import (
	"bytes"
	"io"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

// maxRecord bounds a record, in bytes of input: records quote what others send. The stack of a panic fits.
const maxRecord = 16 << 10

// Records returns a writer that treats each write as one record. It writes the record to w as one line that is safe
// to show and of bounded length. Mask secrets first: a truncated secret is not recognised.
func Records(w io.Writer) io.Writer { return records{w} }

type records struct{ w io.Writer }

// Write writes a record. Errors: those of the underlying writer, unchanged.
func (r records) Write(p []byte) (int, error) {
	text := bytes.TrimSuffix(p, []byte("\n"))
	cut := ""
	if len(text) > maxRecord {
		end := maxRecord
		for end > maxRecord-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		text, cut = text[:end], "…"
	}
	line := chars.Plain(string(bytes.ReplaceAll(text, []byte("\n"), []byte(`\n`)))) + cut + "\n"
	if _, err := io.WriteString(r.w, line); err != nil {
		return 0, err
	}
	return len(p), nil
}
