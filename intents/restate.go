package intents

import (
	"cmp"
	"encoding/json"
	"maps"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/kv"
)

// Restate replaces the words of a call in its intent: the tool's name, the command and the arguments. Paths are kept. A
// call without an intent changes nothing.
func Restate(tx kv.Tx, session, callID, name, command string, args json.RawMessage) error {
	in, err := OfCall(tx, session, callID)
	if err != nil || in == nil || in.Args == nil && in.Command == "" {
		return err // there is none, or its words were forgotten
	}
	in.Name, in.Command, in.Args = name, chars.Cut(command, maxCommand), short(args)
	return save(tx, key(*in), *in)
}

// Retell replaces what an intent keeps of a result's text, if it comes from text, by the same of shown.
func Retell(tx kv.Tx, session, callID, text, shown string) error {
	in, err := OfCall(tx, session, callID)
	if err != nil || in == nil || in.Error == "" && in.Outcome == "" {
		return err
	}
	failed := in.Status == Failed
	if in.Error == chars.Cut(text, maxError) {
		in.Error = chars.Cut(shown, maxError)
	}
	if in.Outcome == Outcome(text, failed) {
		in.Outcome = Outcome(shown, failed)
	}
	return save(tx, key(*in), *in)
}

// MapWords replaces the words of every intent by what fn makes of them; paths are kept. Errors: corrupt.
func MapWords(tx kv.Tx, fn func(string) string) error {
	var changed []Intent
	for in, err := range All(tx) {
		if err != nil {
			return err
		}
		if in.mapWords(fn) {
			changed = append(changed, in)
		}
	}
	var err error
	for _, in := range changed {
		err = cmp.Or(err, save(tx, key(in), in))
	}
	return err
}

// mapWords reports whether anything changed.
func (in *Intent) mapWords(fn func(string) string) (changed bool) {
	for _, w := range []*string{&in.Agent, &in.Name, &in.Command, &in.Error, &in.Outcome} {
		if out := fn(*w); out != *w {
			*w, changed = out, true
		}
	}
	args := in.Args
	in.mapArgs(fn)
	return changed || !maps.Equal(args, in.Args)
}

// mapArgs replaces the names and values of the arguments by what fn makes of them.
func (in *Intent) mapArgs(fn func(string) string) {
	if len(in.Args) == 0 {
		return
	}
	args := make(map[string]string, len(in.Args))
	for name, value := range in.Args {
		args[fn(name)] = fn(value)
	}
	in.Args = args
}
