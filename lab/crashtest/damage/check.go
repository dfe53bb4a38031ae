package damage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lab/crashtest/script"
	"ctxledger.dev/ledger"
)

// The outcomes of a damage that was handled well.
const (
	Refused  = "refused to open"
	Noticed  = "answers are corrupt"
	Harmless = "no effect"
)

// corrupt is the answer to a question about something damaged.
const corrupt = "!" + string(fault.Corrupt)

// Check does a damage to a ledger in dir, opens it in this process and compares its answers with
// those of the original. The error says what is wrong.
func (o *Original) Check(ctx context.Context, dir string, want script.State, d Damage) (outcome string, err error) {
	if err := o.Save(dir, d); err != nil {
		return "", fmt.Errorf("the damaged ledger cannot be written: %w", err)
	}
	clock := &script.Clock{}
	api, err := script.Open(ctx, dir, clock)
	if err != nil {
		return Refusal(d, err)
	}
	outcome, err = Compare(ctx, api, want, d)
	if no := api.Close(); err == nil && no != nil {
		return "", fmt.Errorf("%s: closing: %w", d.What, no)
	}
	return outcome, err
}

// Refusal judges the error of a ledger that does not open.
func Refusal(d Damage, err error) (string, error) {
	if fault.Is(err, fault.Corrupt) {
		return Refused, nil
	}
	return "", fmt.Errorf("%s: it does not open, of code %s: %w", d.What, fault.CodeOf(err), err)
}

// Compare asks an open ledger everything that the original had an answer to.
func Compare(ctx context.Context, api ledger.API, want script.State, d Damage) (string, error) {
	outcome := Harmless
	var wrong []string
	for _, q := range slices.Sorted(maps.Keys(want)) {
		switch got := script.Ask(ctx, api, q); got {
		case want[q]:
		case corrupt:
			outcome = Noticed
		default:
			wrong = append(wrong, fmt.Sprintf("%s: %s, right is %s", q, got, want[q]))
		}
	}
	if len(wrong) > 0 {
		return "", fmt.Errorf("%s: wrong answers:\n%s", d.What, strings.Join(wrong, "\n"))
	}
	return outcome, nil
}
