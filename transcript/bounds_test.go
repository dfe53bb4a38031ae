package transcript

import (
	"runtime"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

// What a message makes the package hold is in proportion to its size, whatever its parts are.
func TestMemoryIsInProportionToTheMessage(t *testing.T) {
	const perByte = 150 // bytes held and passed through for each byte of the smallest possible parts
	many := func(s string) string { return strings.TrimSuffix(strings.Repeat(s+",", 40_000), ",") }
	for name, raw := range map[string]string{
		"blocks":         `{"role":"user","content":[` + many(`{"type":"text","text":""}`) + `]}`,
		"unknown blocks": `{"role":"user","content":[` + many(`{"type":""}`) + `]}`,
		"calls":          `{"role":"assistant","tool_calls":[` + many(`{"id":"","function":{"name":""}}`) + `]}`,
		"parts":          `{"parts":[` + many(`{}`) + `]}`,
		"responses":      `{"parts":[` + many(`{"functionResponse":{"name":""}}`) + `]}`,
		"reasoning":      `{"type":"reasoning","summary":[` + many(`{"text":""}`) + `]}`,
		"output":         `{"type":"shell_call_output","call_id":"","output":[` + many(`{"stdout":""}`) + `]}`,
		"members":        `{"role":"user","content":"",` + strings.ReplaceAll(many(`"":0`), `""`, `"a"`) + `}`,
		"arguments": `{"type":"function_call","call_id":"","name":"","arguments":"` +
			strings.Repeat("[", 100_000) + `"}`,
	} {
		for _, f := range Formats() {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, err := Decode(f, []byte(raw))
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > uint64(perByte*len(raw)) {
				t.Errorf("%s as %s: %d bytes for %d, %d parts, %v", name, f, used, len(raw), len(m.Parts), err)
			}
		}
	}
}

func TestAMessageOfTooManyPartsIsRefused(t *testing.T) {
	parts := strings.Repeat(`{"type":"x"},`, maxElements) + `{"type":"x"}`
	for f, raw := range map[Format]string{
		Gemini: `{"parts":[` + parts + `]}`, Anthropic: `{"role":"user","content":[` + parts + `]}`,
		OpenAIChat: `{"role":"user","content":[` + parts + `]}`, OpenAIResponses: `{"type":"reasoning","summary":[` +
			parts + `]}`,
	} {
		if _, err := Decode(f, []byte(raw)); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: %v", f, err)
		}
	}
}
