package transcript_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// picture returns an image of a size in base64.
func picture(t testing.TB, kind string, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	case "webp": // the head of a lossy one
		b.WriteString("RIFF\x00\x10\x00\x00WEBPVP8 \x00\x10\x00\x00\x00\x00\x00\x9d\x01\x2a")
		b.Write([]byte{byte(w), byte(w >> 8), byte(h), byte(h >> 8)})
	}
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// TestAnImageCountsByItsSize: in every format, of every kind, in a message and in a result, as its provider documents it; one
// whose size nobody can read counts as one of the usual size.
func TestAnImageCountsByItsSize(t *testing.T) {
	const a, chat, responses, google = transcript.Anthropic, transcript.OpenAIChat, transcript.OpenAIResponses,
		transcript.Gemini
	block := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}`
	screen := `{"type":"input_image","image_url":"data:image/png;base64,%s"}`
	said := `{"role":"user","content":[` + block + `]}`
	small := tokens.Claude.Image(100, 100)
	for name, c := range map[string]struct {
		format transcript.Format
		raw    string
		data   string
		want   int
	}{
		"png":  {a, said, picture(t, "png", 1000, 1000), tokens.Claude.Image(1000, 1000)},
		"jpeg": {a, said, picture(t, "jpeg", 100, 100), small},
		"gif":  {a, said, picture(t, "gif", 100, 100), small},
		"webp": {a, said, picture(t, "webp", 300, 600), tokens.Claude.Image(300, 600)},
		"in a result": {a, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[` + block + `,` +
			block + `]}]}`, picture(t, "png", 100, 100), 2 * small},
		"in chat": {chat, `{"role":"user","content":[{"type":"image_url",` +
			`"image_url":{"url":"data:image/png;base64,%s"}}]}`,
			picture(t, "png", 1024, 1024), 765},
		"in responses": {responses, `{"type":"message","role":"user","content":[` + screen + `]}`,
			picture(t, "png", 2048, 4096), 1105},
		"a screen": {responses, `{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot",` +
			`"image_url":"data:image/png;base64,%s"}}`, picture(t, "png", 512, 512), 255},
		"in Gemini": {google, `{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"%s"}}]}`,
			picture(t, "png", 384, 384), tokens.Gemini.Image(384, 384)},
		"no image":   {a, said, "JVBERi0xLjcK", tokens.Image},
		"broken off": {a, said, picture(t, "png", 100, 100)[:16], tokens.Image},
		"far too wide": {a, said, base64.StdEncoding.EncodeToString([]byte("RIFF\x00\x10\x00\x00WEBPVP8X" +
			"\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\x00\x00\x00")), tokens.Image},
		"an address": {a, `{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://x/%s"}}]}`, "y",
			tokens.Image},
	} {
		data := strings.ReplaceAll(c.data, "/", `\/`) // as some write it
		m, err := transcript.Decode(c.format, []byte(strings.ReplaceAll(c.raw, "%s", data)))
		if err != nil || len(m.Parts) != 1 {
			t.Errorf("%s: %+v, %v", name, m, err)
			continue
		}
		if got := m.Parts[0].MediaTokens(c.format); got != c.want {
			t.Errorf("%s counts as %d, not %d: %+v", name, got, c.want, m.Parts[0].Pixels)
		}
	}
}

// FuzzPixels: whatever the data of an image is, its size is within bounds and it counts as something.
func FuzzPixels(f *testing.F) {
	for _, kind := range []string{"png", "jpeg", "gif", "webp"} {
		data, _ := base64.StdEncoding.DecodeString(picture(f, kind, 300, 200))
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		raw := `{"role":"user","content":[{"type":"image","source":{"data":"` +
			base64.StdEncoding.EncodeToString(data) + `"}}]}`
		m, err := transcript.Decode(transcript.Anthropic, []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range m.Parts[0].Pixels {
			if x.Width < 1 || x.Height < 1 || x.Width >= 1<<16 || x.Height >= 1<<16 {
				t.Errorf("%+v", x)
			}
		}
		if n := m.Parts[0].MediaTokens(transcript.Anthropic); n < 1 || n > 4784 {
			t.Errorf("%d tokens", n)
		}
	})
}
