package compaction

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
)

const (
	// maxShrinks bounds how often an overflowing prompt is retried with less text.
	maxShrinks = 4
	// maxCalls bounds the requests of one summary, whatever the size of the range.
	maxCalls = 16
	// windowUnknown is assumed where the model's window is unknown.
	windowUnknown = 130_000
	// outputMost bounds a summary, in tokens.
	outputMost = 16_000
)

// Ask has a model summarise a brief, in as many requests as its window demands: each chunk's summary is passed on
// as what came before the next. A prompt that overflows is retried with less text, at most four times. An answer
// without the requested sections is requested once more; nothing else is retried. Ask returns an error only if ctx
// was cancelled; the answer records any other failure with its cost.
func Ask(ctx context.Context, b *Brief, model Summarizer) (Answer, error) {
	a := &asking{brief: b, model: model}
	a.window, a.output = model.Limits()
	if a.window <= 0 {
		a.window = windowUnknown
	}
	a.reserve = reserve(a.window, a.output)
	err := a.all(ctx)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return Answer{}, fault.Wrap(fault.Unavailable, "compaction.ask", ctx.Err())
	}
	a.answer.FirstKept, a.answer.Range = b.FirstKept, b.Range
	switch {
	case err != nil:
		a.answer.Text, a.answer.Turn = "", ""
		a.answer.Run.Status, a.answer.Run.Reason = Failed, layout.OneLine(err.Error(), 400)
	case strings.TrimSpace(a.answer.Text+a.answer.Turn) == "":
		a.answer.Run.Status, a.answer.Run.Reason = Empty, "the model's answer was empty"
	default:
		a.answer.Run.Status = Accepted
	}
	return a.answer, nil
}

// Unasked returns the answer for a model that was not called, with the reason.
func Unasked(b *Brief, format string, args ...any) Answer {
	return Answer{FirstKept: b.FirstKept, Range: b.Range,
		Run: Run{Status: Failed, Reason: fmt.Sprintf(format, args...)}}
}

// Supplied returns the answer for a summary that the caller wrote itself, without a model.
func Supplied(b *Brief, text string) Answer {
	return Answer{Text: text, FirstKept: b.FirstKept, Range: b.Range, Run: Run{Status: Accepted, Model: "supplied"}}
}

// asking is one run of Ask.
type asking struct {
	brief   *Brief
	model   Summarizer
	window  int // tokens
	output  int // what an answer may have at most; 0: unknown
	reserve int
	answer  Answer
	last    int // tokens of the newest prompt that overflowed; 0: none did
}

// all asks for the history, then for the first part of a split turn.
func (a *asking) all(ctx context.Context) error {
	for i := range a.brief.Parts {
		p := &a.brief.Parts[i]
		if p.Turn {
			text, err := a.part(ctx, p, "", a.reserve/2)
			if err != nil {
				return err
			}
			a.answer.Turn = text
			continue
		}
		text, err := a.part(ctx, p, a.brief.Previous, a.reserve*8/10)
		if err != nil {
			return err
		}
		a.answer.Text = text
	}
	return nil
}

// part asks for the summary of one part, chunk by chunk.
func (a *asking) part(ctx context.Context, p *BriefPart, previous string, output int) (string, error) {
	output = min(output, outputMost)
	if a.output > 0 {
		output = min(output, a.output)
	}
	rest, s := p.Messages, fullScale(p)
	a.last = 0
	limit := a.window - output
	for {
		n, prompt := a.chunk(p, rest, previous, s, output, limit)
		size := promptTokens(prompt)
		for size > a.window-output && s != s.smaller() {
			s = s.smaller()
			n, prompt = a.chunk(p, rest, previous, s, output, limit)
			size = promptTokens(prompt)
		}
		if a.last > 0 && size >= a.last {
			return "", fault.New(fault.TooLarge, "compaction.ask", "the model's window is too small: a prompt of "+
				"about %s tokens cannot be made smaller", chars.Commas(size))
		}
		text, err := a.call(ctx, prompt)
		switch {
		case err == nil && n < len(rest) && strings.TrimSpace(text) != "":
			rest, previous, a.last = rest[n:], text, 0
		case err == nil:
			return a.sections(ctx, p, prompt, text), nil
		case !fault.Is(err, fault.TooLarge) || a.answer.Run.Shrinks == maxShrinks:
			return "", err
		default:
			a.answer.Run.Shrinks++
			a.last, s = size, s.smaller()
			if a.answer.Run.Shrinks >= 2 {
				limit = min(limit, size/2) // the third attempt is made in chunks
			}
		}
	}
}

// chunk makes a prompt of as many messages as fit within limit, at least one.
func (a *asking) chunk(p *BriefPart, rest []BriefMessage, previous string, s scale, output, limit int) (int, Prompt) {
	n := len(rest)
	for {
		prompt := a.brief.prompt(p, rest[:n], previous, s, output)
		size := promptTokens(prompt)
		if size <= limit || n <= 1 {
			return n, prompt
		}
		n = max(1, min(n-1, n*limit/size))
	}
}

// call makes one request and adds its cost to the run.
func (a *asking) call(ctx context.Context, p Prompt) (string, error) {
	if a.answer.Run.Calls == maxCalls {
		return "", fault.New(fault.TooLarge, "compaction.ask", "the range would take more than %d requests of "+
			"this model", maxCalls).
			WithHint("use a model with a larger window")
	}
	a.answer.Run.Calls++
	r, err := a.model.Summarize(ctx, p)
	if r.Usage == (sessions.Usage{}) && err == nil {
		r.Usage = sessions.Usage{
			Input:  int64(layout.Count(p.System) + layout.Count(p.Text)),
			Output: int64(layout.Count(r.Text)),
		}
		a.answer.Run.Estimated = true
	}
	a.answer.Run.Usage = a.answer.Run.Usage.Add(r.Usage)
	if r.Model != "" {
		a.answer.Run.Model = layout.OneLine(r.Model, 100)
	}
	if r.Cut && err == nil { // its last line is incomplete
		if i := strings.LastIndexByte(r.Text, '\n'); i > 0 {
			r.Text = r.Text[:i]
		}
		r.Text += "\n[TRUNCATED — the answer reached its limit]"
	}
	return r.Text, err
}

// sections retries once when an answer lacks requested headings. It returns the first answer if the second is no
// better.
func (a *asking) sections(ctx context.Context, p *BriefPart, prompt Prompt, text string) string {
	if p.Turn || strings.TrimSpace(text) == "" {
		return text
	}
	preset, err := settings.PresetOf(a.brief.Preset)
	if err != nil {
		return text
	}
	missing := preset.Missing(text)
	if len(missing) == 0 || a.answer.Run.Calls == maxCalls {
		return text
	}
	prompt.Text += fmt.Sprintf("\n\nAn earlier answer lacked the heading(s) %s. Write all of them.",
		strings.Join(missing, ", "))
	again, err := a.call(ctx, prompt)
	if err != nil || len(preset.Missing(again)) > len(missing) || strings.TrimSpace(again) == "" {
		return text
	}
	return again
}

// promptTokens estimates the size of a prompt: by o200k_base, plus a third, which covers the tokenizers of other
// models.
func promptTokens(p Prompt) int {
	return (layout.Count(p.System) + layout.Count(p.Text)) * 4 / 3
}
