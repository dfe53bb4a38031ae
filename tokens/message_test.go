package tokens_test

import (
	"testing"

	"ctxledger.dev/tokens"
)

// TestImagesCountAsProvidersDocument: the examples of their pages, by the counter of a model as every face has it.
func TestImagesCountAsProvidersDocument(t *testing.T) {
	for _, c := range []struct {
		model         string
		family        tokens.Family
		width, height int
		want          int
	}{
		{"claude-opus-4-8", tokens.Claude, 200, 200, 64},
		{"claude-opus-4-8", tokens.Claude, 1000, 1000, 1296},
		{"claude-opus-4-8", tokens.Claude, 1920, 1080, 2691},
		{"claude-opus-4-8", tokens.Claude, 8000, 8000, 4761},
		{"claude-sonnet-4-6", tokens.Claude3, 1000, 1000, 1296},
		{"claude-sonnet-4-6", tokens.Claude3, 1092, 1092, 1521},
		{"claude-sonnet-4-6", tokens.Claude3, 8000, 8000, 1521},
		{"gemini-2.5-pro", tokens.Gemini, 384, 384, 258},
		{"gemini-2.5-pro", tokens.Gemini, 1536, 768, 516},
	} {
		o200k := c.family.Image(c.width, c.height)
		if got := tokens.Builtin().For(c.model).Of(o200k).N; got < c.want-1 || got > c.want+1 {
			t.Errorf("%s: %d×%d pixels count as %d, not %d", c.model, c.width, c.height, got, c.want)
		}
	}
	for _, c := range [][3]int{{1024, 1024, 765}, {2048, 4096, 1105}, {200, 200, 255}, {1, 60_000, 765}} {
		if got := tokens.OpenAIImage(c[0], c[1]); got != c[2] {
			t.Errorf("OpenAI: %d×%d pixels count as %d, not %d", c[0], c[1], got, c[2])
		}
	}
}
