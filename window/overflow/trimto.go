package overflow

import (
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// Target is what a copy has to fit, in tokens.
type Target struct {
	Limit int // of the whole prompt, as the error named it or the user set it; 0: no limit is known
	Bytes int // of the whole body; 0: no limit is known
	Fixed int // of what is sent with the messages: system prompt, tools
	// Actual is the size of the prompt as the provider counted it; 0 if it did not say. Where that is
	// more than our own count, the copy has to be smaller in proportion.
	Actual int
	// Count counts a message of the copy.
	Count func(message []byte) int
}

// minKept is what every result may keep before tool content is dropped altogether, in characters.
const minKept = 500

// Next returns the copy to send after one that was refused, the zero Trimmed for the first: one that
// fits the limit if the error named it, else that of the next stage that is smaller than what was refused. Where none
// is left the error is too_large. Errors: as of Trim and TrimTo.
func Next(c Copy, refused Trimmed, to Target) (Trimmed, error) {
	if refused.Stage == 0 && (to.Limit > 0 || to.Bytes > 0) {
		if out, err := TrimTo(c, to); err != nil || out.Stage > 0 {
			return out, err
		}
	}
	for stage := refused.Stage + 1; stage <= Stages; stage++ {
		out, err := Trim(c, stage)
		smaller := out.CharsAfter < out.CharsBefore && (refused.Stage == 0 || out.CharsAfter < refused.CharsAfter)
		if err != nil || smaller {
			return out, err
		}
	}
	return Trimmed{}, fault.New(fault.TooLarge, opTrim, "the request is too large without any tool content")
}

// TrimTo returns the copy that cuts as little as is needed to fit a limit: one cap for all results, four
// times as much for the newest. Where no cap helps, no tool content is left. A copy that fits by our
// count as it is has Stage 0. Errors: as of Trim; too_large also when what is sent with the messages
// does not fit by itself, or the words alone do not.
func TrimTo(c Copy, to Target) (Trimmed, error) {
	t, err := newTrimmer(c)
	if err != nil {
		return Trimmed{}, err
	}
	f := newFit(t, to)
	if to.Limit > 0 && to.Fixed >= f.limit {
		return Trimmed{}, fault.New(fault.TooLarge, opTrim,
			"the system prompt and the tools alone take %s of %s tokens",
			chars.Commas(to.Fixed), chars.Commas(f.limit)).
			WithHint("offer fewer tools, shorten the instructions, or use a model with a larger window")
	}
	if f.fits(t.Messages) {
		return Trimmed{Messages: t.Messages}, nil
	}
	if out, err := t.largest(f); err != nil || out.Stage > 0 {
		return out, err
	}
	out, err := t.withoutTools()
	if err == nil && !f.fits(out.Messages) {
		err = fault.New(fault.TooLarge, opTrim, "without any tool content the request still has more than %s",
			f.most()).WithHint("compact the conversation, or use a model with a larger window")
	}
	return out, err
}

// fit checks whether messages fit a target.
type fit struct {
	Target
	limit   int           // by our own count
	counted map[*byte]int // the messages as they were sent, by their first byte
}

func newFit(t *trimmer, to Target) fit {
	f := fit{Target: to, limit: to.Limit, counted: map[*byte]int{}}
	total := to.Fixed
	for _, raw := range t.Messages {
		n := to.Count(raw)
		f.counted[&raw[0]] = n
		total += n
	}
	if to.Actual > total {
		f.limit = int(int64(to.Limit) * int64(total) / int64(to.Actual))
	}
	return f
}

// most names the limits of a request.
func (f fit) most() string {
	var all []string
	if f.Limit > 0 {
		all = append(all, chars.Plural(f.limit, "token"))
	}
	if f.Bytes > 0 {
		all = append(all, chars.Commas(f.Bytes)+" bytes")
	}
	return strings.Join(all, " or ")
}

func (f fit) fits(messages [][]byte) bool {
	if f.Bytes > 0 && SizeOf(messages, 0).Payload() > f.Bytes {
		return false
	}
	if f.Limit == 0 {
		return true
	}
	n := f.Fixed
	for _, raw := range messages {
		known, ok := f.counted[&raw[0]]
		if !ok {
			known = f.Count(raw)
		}
		n += known
	}
	return n <= f.limit
}

// largest returns the copy with the largest cap that fits; its Stage is 0 if none does.
func (t *trimmer) largest(f fit) (best Trimmed, err error) {
	low, high := minKept, minKept
	for _, m := range t.decoded {
		for _, p := range m.Parts {
			high = max(high, len(p.Text))
		}
	}
	for low <= high {
		keep := (low + high) / 2
		out, err := t.to(caps{result: keep, newest: 4 * keep, consumed: min(keep, minKept)}, stageOf(keep))
		if err != nil {
			return out, err
		}
		if f.fits(out.Messages) {
			best, low = out, keep+1
		} else {
			high = keep - 1
		}
	}
	return best, nil
}

// stageOf returns the stage that a cap comes nearest to.
func stageOf(keep int) int {
	if keep >= stages[0].result {
		return 1
	}
	return 2
}
