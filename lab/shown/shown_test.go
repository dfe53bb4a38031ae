package shown

import (
	"bytes"
	"image"
	"image/png"
	"testing"
)

func TestANoteOfAPictureIsReadBack(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	if note, err := Note(b.Bytes()); note != "" || err != nil {
		t.Errorf("before: %q, %v", note, err)
	}
	const want = "spent $3.56 each token was sent ≈73×"
	noted, err := Noted(b.Bytes(), want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Note(noted); got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if m, err := png.Decode(bytes.NewReader(noted)); err != nil || m.Bounds().Dx() != 3 {
		t.Errorf("the picture is %v, %v", m, err)
	}
	for _, bad := range [][]byte{nil, []byte("GIF89a"), noted[:len(noted)-1]} {
		if _, err := Noted(bad, want); err == nil {
			t.Errorf("%.20q gets a note", bad)
		}
	}
	if _, err := Note([]byte("GIF89a")); err == nil {
		t.Error("a GIF has a note")
	}
}

func TestWordsOfAPage(t *testing.T) {
	const page = "<head><title>no</title></head><h1>What it\n cost</h1><svg><text>no</text></svg><b>$3.56</b><h2>Models</h2> x"
	for end, want := range map[string]string{"Models": "What it cost $3.56", "Tools": ""} {
		if got, err := Words([]byte(page), end); got != want || (err != nil) != (want == "") {
			t.Errorf("up to %s: %q, %v", end, got, err)
		}
	}
}
