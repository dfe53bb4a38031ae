package redact

import "io"

// Writer masks a stream. It holds back the end of what was written until it is known whether a secret
// goes on there: at most step + 2·maxWindow bytes.
type Writer struct {
	r    *Redactor
	w    io.Writer
	buf  []byte // the last bytes written; those before done have left
	base int    // buf[:base] is only context before a secret: its finds have been made
	done int    // buf[:done] has left, masked; at least base
}

// step is how many bytes are gathered before they are looked at.
const step = 128 << 10

// Writer returns a writer that sends the masked text to w. Close sends what was held back.
func (r *Redactor) Writer(w io.Writer) *Writer { return &Writer{r: r, w: w} }

// Write takes the next piece of the text. An error is that of the underlying writer.
func (w *Writer) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		k := min(len(p)-n, w.base+step+maxWindow-len(w.buf))
		w.buf = append(w.buf, p[n:n+k]...)
		n += k
		if len(w.buf) == w.base+step+maxWindow {
			if err := w.flush(len(w.buf) - maxWindow); err != nil {
				return n, err
			}
		}
	}
	return len(p), nil
}

// Close sends the rest. It does not close the underlying writer.
func (w *Writer) Close() error { return w.flush(len(w.buf)) }

// flush sends the text before limit, and the secrets that begin before it.
func (w *Writer) flush(limit int) error {
	spans := w.r.rules().candidates(w.buf, w.base)
	kept := spans[:0]
	for _, s := range spans {
		if s.start >= w.base && s.start < limit {
			kept = append(kept, s)
		}
	}
	kept = disjoint(kept, w.done)
	end := limit
	if n := len(kept); n > 0 {
		end = max(end, kept[n-1].end)
	}
	var err error
	if end = max(end, w.done); end > w.done {
		_, err = w.w.Write(w.r.replace(nil, w.buf[:end], w.done, kept))
	}
	cut := max(limit-lookBehind, 0)
	w.buf = append(w.buf[:0], w.buf[cut:]...)
	w.base, w.done = limit-cut, end-cut
	return err
}
