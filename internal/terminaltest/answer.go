package terminaltest

import (
	"bytes"
	"os"
	"testing"
)

// end marks the end of what a program has shown.
const end = 4

// Answer has the person type an answer as soon as the terminal has shown prompt. It returns at once. The function that
// it returns is called when the program is done, and returns all that the terminal has shown.
func Answer(t testing.TB, person, program *os.File, prompt, answer string) (shown func() string) {
	t.Helper()
	var screen bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- converse(person, &screen, prompt, answer) }()
	return func() string {
		t.Helper()
		if _, err := program.Write([]byte{end}); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		return screen.String()
	}
}

// converse reads what the terminal shows until its end, and types the answer once.
func converse(person *os.File, screen *bytes.Buffer, prompt, answer string) error {
	answered := false
	for one := make([]byte, 1); ; {
		if _, err := person.Read(one); err != nil || one[0] == end {
			return err
		}
		screen.WriteByte(one[0])
		if !answered && bytes.HasSuffix(screen.Bytes(), []byte(prompt)) {
			answered = true
			if _, err := person.WriteString(answer); err != nil {
				return err
			}
		}
	}
}
