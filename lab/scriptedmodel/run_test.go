package scriptedmodel

import (
	"net/http"
	"slices"
	"testing"
)

// TestServeAnswersUntilItIsStopped, and not afterwards.
func TestServeAnswersUntilItIsStopped(t *testing.T) {
	url, stop, err := New(nil, nil).Serve()
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(url + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Body.Close(); answer.StatusCode != http.StatusOK {
		t.Errorf("status %d", answer.StatusCode)
	}
	stop()
	if answer, err := client.Get(url + "/v1/models"); err == nil {
		answer.Body.Close()
		t.Error("it is answered after the end")
	}
}

// TestServersOfTheConfigurationStartOnRequest: of a person's configuration, or of a plugin.
func TestServersOfTheConfigurationStartOnRequest(t *testing.T) {
	for _, c := range []struct {
		options Options
		strict  bool
	}{
		{Options{}, true},
		{Options{Servers: true}, false},
		{Options{Plugin: "folder"}, false},
	} {
		args := c.options.command(t.Context(), "claude", t.TempDir()).Args
		if slices.Contains(args, "--strict-mcp-config") != c.strict || slices.Contains(args, "--plugin-dir") != (c.options.Plugin != "") {
			t.Errorf("%+v: %q", c.options, args)
		}
	}
}
