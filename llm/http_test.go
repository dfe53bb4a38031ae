package llm

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
)

func TestAnAnswerIsReadInEachDialect(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.kind, func(t *testing.T) {
			p := serve(t, d, func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 200, d.okay("Grüße, 世界", 100, 20, 7))
			})
			r, err := p.client(t, nil).Summarize(t.Context(),
				compaction.Prompt{System: "be brief", Text: "the talk", Output: 321})
			if err != nil || r.Text != "Grüße, 世界" || r.Cut || !strings.HasSuffix(r.Model, "-x-1") {
				t.Fatalf("%+v, %v", r, err)
			}
			if r.Usage != (sessions.Usage{Input: 100, Output: 20, CacheRead: 7}) {
				t.Errorf("usage %+v", r.Usage)
			}
			got := p.requests()[0]
			if got.path != d.path || got.body["model"] != "the-model" || got.body["max_tokens"] != 321.0 ||
				!strings.Contains(got.text(), "be brief") || !strings.Contains(got.text(), "the talk") {
				t.Errorf("%s: %s", got.path, got.text())
			}
			if strings.Contains(got.text(), theKey) {
				t.Error("the key stands in the body")
			}
			key := got.header.Get("X-Api-Key") + got.header.Get("Authorization")
			if !strings.HasSuffix(key, theKey) || got.header.Get("User-Agent") != "ctxledger" {
				t.Errorf("headers %v", got.header)
			}
			if v := got.header.Get("Anthropic-Version"); (v == "2023-06-01") != (d.kind == config.KindAnthropic) {
				t.Errorf("version %q", v)
			}
		})
	}
}

// What a server does, and what becomes of it. Nothing is sent twice, but what overflows.
func TestWhatServersDo(t *testing.T) {
	for _, d := range dialects {
		tooLong := "prompt is too long: 250000 tokens > 200000 maximum"
		if d.kind == config.KindOpenAI {
			tooLong = "This model's maximum context length is 8192 tokens. However, your messages resulted in 90001 tokens."
		}
		for _, c := range []struct {
			name   string
			answer func(n int, w http.ResponseWriter, r *http.Request)
			code   fault.Code
			says   string
			calls  int
		}{
			{"refuses the key", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 401, d.wrong("authentication_error", "invalid x-api-key "+theKey))
			}, fault.Denied, "refuses the key (status 401): invalid x-api-key", 1},
			{"forbids", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 403, d.wrong("permission_error", "no"))
			}, fault.Denied, "(status 403): no", 1},
			{"knows no such model", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 404, d.wrong("not_found_error", "model: the-model"))
			}, fault.NotFound, "model: the-model", 1},
			{"wants to be left alone", func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "1")
				reply(w, 429, d.wrong("rate_limit_error", "slow down"))
			}, fault.Limited, "slow down", 1},
			{"is overloaded", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 529, d.wrong("overloaded_error", "Overloaded"))
			}, fault.Limited, "Overloaded", 1},
			{"breaks", func(_ int, w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "<html>Bad Gateway</html>", http.StatusBadGateway)
			}, fault.Unavailable, "status 502", 1},
			{"refuses the request", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 400, d.wrong("invalid_request_error", "temperature: must be 1"))
			}, fault.Invalid, "temperature", 1},
			{"says the prompt is too long, always", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 400, d.wrong("context_length_exceeded", tooLong))
			}, fault.TooLarge, tooLong[:20], 5},
			{"finds the body too long", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 413, d.wrong("request_too_large", "Request exceeds the maximum size"))
			}, fault.TooLarge, "maximum size", 5},
			{"fails under a status that says that all is well", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 200, d.wrong("server_error", "the backend died"))
			}, fault.Invalid, "the backend died", 1},
			{"says the prompt is too long under such a status", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 200, d.wrong("context_length_exceeded", tooLong))
			}, fault.TooLarge, tooLong[:20], 5},
			{"refuses to write", func(_ int, w http.ResponseWriter, _ *http.Request) {
				body := strings.Replace(d.okay("I am sorry, but", 10, 1, 0), `"end_turn"`, `"refusal"`, 1)
				reply(w, 200, strings.Replace(body, `"stop"`, `"content_filter"`, 1))
			}, fault.Denied, "refuses to write", 1},
			{"streams although nobody asked for it", func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"hm\"}}]}\n\n"))
			}, fault.Invalid, "not with JSON", 1},
			{"breaks, and shows what it was sent", func(_ int, w http.ResponseWriter, r *http.Request) {
				http.Error(w, "dump of "+r.Header.Get("X-Api-Key")+r.Header.Get("Authorization"),
					http.StatusInternalServerError)
			}, fault.Unavailable, "dump of", 1},
			{"breaks, and hides what it was sent in escapes", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 500, `{"trace":"\u0073`+theKey[1:]+`"}`)
			}, fault.Unavailable, "failed (status 500)", 1},
			{"says what is wrong as frameworks do", func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 422, `{"detail":"model is not loaded"}`)
			}, fault.Invalid, "model is not loaded", 1},
			{"sends it elsewhere", func(_ int, w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
			}, fault.Denied, "redirects the request (status 307)", 1},
			{"answers with a page", func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, _ = w.Write([]byte("<html>Welcome</html>"))
			}, fault.Invalid, "not with JSON", 1},
			{"answers with other JSON", func(_ int, w http.ResponseWriter, _ *http.Request) { reply(w, 200, `["no"]`) },
				fault.Invalid, "not a model's answer", 1},
			{"breaks off", func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "5000")
				reply(w, 200, d.okay("half of it", 1, 1, 0)[:40])
				panic(http.ErrAbortHandler)
			}, fault.Unavailable, "hung up", 1},
			{"never ends", func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				for block := []byte(strings.Repeat(" ", 64<<10)); ; {
					if _, err := w.Write(block); err != nil {
						return
					}
				}
			}, fault.Limited, "more than 4 MiB", 1},
			{"unfolds without an end", func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Encoding", "gzip")
				var member bytes.Buffer // a stream of them is one text
				z := gzip.NewWriter(&member)
				_, _ = z.Write(make([]byte, 1<<20))
				_ = z.Close()
				for {
					if _, err := w.Write(member.Bytes()); err != nil {
						return
					}
				}
			}, fault.Limited, "more than 4 MiB", 1},
		} {
			t.Run(d.kind+" "+c.name, func(t *testing.T) {
				p := serve(t, d, c.answer)
				cl := p.client(t, nil)
				_, err := cl.Summarize(t.Context(), compaction.Prompt{Text: "x", Output: 9})
				if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: %v", fault.CodeOf(err), err)
				}
				if text := err.Error() + fault.HintOf(err); strings.Contains(text, theKey) || len(text) > 1_000 {
					t.Errorf("the error shows the key, or too much: %s", text)
				}
				before := len(p.requests())
				a, err := compaction.Ask(t.Context(), brief(30), cl)
				if err != nil || a.Run.Status != compaction.Failed || a.Text != "" || a.Run.Reason == "" ||
					strings.Contains(a.Run.Reason, theKey) {
					t.Errorf("%+v, %v", a, err)
				}
				if n := len(p.requests()) - before; n != c.calls || a.Run.Calls != c.calls {
					t.Errorf("%d requests, the run says %d, want %d", n, a.Run.Calls, c.calls)
				}
			})
		}
	}
}

func TestEachRequestAfterAnOverflowIsSmaller(t *testing.T) {
	d := dialects[0]
	p := serve(t, d, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n < 4 {
			reply(w, 400, d.wrong("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"))
			return
		}
		reply(w, 200, d.okay(sectioned, 50, 5, 0))
	})
	a, err := p.client(t, nil).Author()(t.Context(), brief(30))
	if err != nil || a.Run.Status != compaction.Accepted || a.Run.Shrinks != 3 || a.Run.Model != "claude-x-1" {
		t.Fatalf("%+v, %v", a.Run, err)
	}
	got := p.requests()
	for i := 1; i < 4; i++ {
		if len(got[i].text()) >= len(got[i-1].text()) {
			t.Errorf("request %d is not smaller", i+1)
		}
	}
}

func TestAServerThatIsSlowIsGivenUp(t *testing.T) {
	for _, d := range dialects {
		free := make(chan struct{})
		p := serve(t, d, func(_ int, _ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-free:
			}
		})
		hasty := p.client(t, func(c *config.Summarizer) { c.Timeout = 50 * time.Millisecond })
		a, err := hasty.Author()(t.Context(), brief(3))
		close(free)
		if err != nil || a.Run.Status != compaction.Failed ||
			!strings.Contains(a.Run.Reason, "did not answer within 50ms") || a.Run.Calls != 1 {
			t.Errorf("%+v, %v", a.Run, err)
		}
	}
}

func TestWhoGivesUpGetsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := serve(t, dialects[0], func(_ int, _ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if a, err := p.client(t, nil).Author()(ctx, brief(3)); !fault.Is(err, fault.Unavailable) || a.Run.Status != "" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAProxysPasswordIsNotTold(t *testing.T) {
	cl := serve(t, dialects[0], nil).client(t, nil)
	err := cl.unreachable(t.Context(),
		errors.New(`proxyconnect tcp: parse "http://annabel:pa55word@:bad": invalid port, http://b:pa55word@proxy.example/`))
	text := err.Error()
	if strings.Contains(text, "pa55word") || strings.Contains(text, "annabel") ||
		!strings.Contains(text, "invalid port") {
		t.Error(text)
	}
}

func TestNobodyThere(t *testing.T) {
	p := serve(t, dialects[0], nil)
	cl := p.client(t, nil)
	p.Close()
	_, err := cl.Summarize(t.Context(), compaction.Prompt{Text: "x"})
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "cannot be reached") {
		t.Error(err)
	}
}

func TestAnAnswerAtItsLimitSaysSo(t *testing.T) {
	for _, d := range dialects {
		p := serve(t, d, func(_ int, w http.ResponseWriter, _ *http.Request) {
			body := strings.Replace(d.okay("half", 1, 1, 0), `"end_turn"`, `"max_tokens"`, 1)
			reply(w, 200, strings.Replace(body, `"stop"`, `"length"`, 1))
		})
		r, err := p.client(t, nil).Summarize(t.Context(), compaction.Prompt{Text: "x"})
		if err != nil || !r.Cut || r.Text != "half" {
			t.Errorf("%s: %+v, %v", d.kind, r, err)
		}
	}
}

// A server that drops the front of a prompt says so in its usage alone.
func TestASilentOverflowIsAnOverflow(t *testing.T) {
	d := dialects[0]
	p := serve(t, d, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			reply(w, 200, d.okay("about half of it", 250_000, 1, 0))
			return
		}
		reply(w, 200, d.okay(sectioned, 100, 9, 0))
	})
	a, err := p.client(t, func(c *config.Summarizer) { c.Model = "claude-haiku-4-5" }).Author()(t.Context(), brief(30))
	if err != nil || a.Run.Status != compaction.Accepted || a.Run.Shrinks != 1 || a.Run.Usage.Input != 250_100 ||
		a.Text != sectioned {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAPromptOfOnesOwnReachesTheModel(t *testing.T) {
	for _, d := range dialects {
		p := serve(t, d, func(_ int, w http.ResponseWriter, _ *http.Request) {
			reply(w, 200, d.okay("short", 10, 1, 0))
		})
		b := brief(3)
		b.Preset = "none"
		poet := p.client(t, func(c *config.Summarizer) { c.Template = "In verse, please: {{$history}}" })
		a, err := poet.Author()(t.Context(), b)
		if err != nil || a.Text != "short" || a.Run.Calls != 1 {
			t.Errorf("%+v, %v", a, err)
		}
		got := p.requests()[0].text()
		if !strings.Contains(got, `In verse, please: \u003cconversation`) || !strings.Contains(got, "message-2") {
			t.Errorf("the model read %s", got)
		}
	}
}

// Only the configured server gets the request, whatever it says.
func TestARedirectIsFollowedNowhere(t *testing.T) {
	for _, d := range dialects {
		other := serve(t, d, func(_ int, w http.ResponseWriter, _ *http.Request) {
			reply(w, 200, d.okay("caught", 1, 1, 0))
		})
		for _, status := range []int{301, 302, 303, 307, 308} {
			p := serve(t, d, func(_ int, w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.URL+d.path, status)
			})
			_, err := p.client(t, nil).Summarize(t.Context(), compaction.Prompt{Text: "x"})
			if !fault.Is(err, fault.Denied) {
				t.Errorf("%d: %v", status, err)
			}
		}
		if n := len(other.requests()); n != 0 {
			t.Errorf("%s: the other server got %d requests", d.kind, n)
		}
	}
}

// What a server puts into its answer besides a summary: the key that it was sent, figures that cannot be, and
// of some servers the text in parts.
func TestOddAnswersAreTakenWithCare(t *testing.T) {
	for _, d := range dialects {
		p := serve(t, d, func(_ int, w http.ResponseWriter, _ *http.Request) {
			reply(w, 200,
				strings.Replace(d.okay("your key is "+theKey+".", 1, 9_000_000_000_000_000, 0), "-x-1", "-"+theKey, 1))
		})
		r, err := p.client(t, nil).Summarize(t.Context(), compaction.Prompt{Text: "x"})
		if err != nil || r.Text != "your key is [key]." || strings.Contains(r.Model, theKey) ||
			r.Usage.Output != maxUsage {
			t.Errorf("%s: %+v, %v", d.kind, r, err)
		}
		if got := p.requests()[0].body["stream"]; got != false {
			t.Errorf("%s: stream is %v", d.kind, got)
		}
	}
	for content, want := range map[string]string{
		`[{"type":"thinking","thinking":[]},{"type":"text","text":"a"},{"type":"text","text":"b"}]`: "ab",
		`null`: "", `"c"`: "c",
	} {
		p := serve(t, dialects[1], func(_ int, w http.ResponseWriter, _ *http.Request) {
			reply(w, 200, `{"choices":[{"message":{"content":`+content+`},"finish_reason":"stop"}]}`)
		})
		r, err := p.client(t, nil).Summarize(t.Context(), compaction.Prompt{Text: "x"})
		if err != nil || r.Text != want {
			t.Errorf("%s is %q, %v", content, r.Text, err)
		}
	}
}

// A local server often needs no key, has only a text as its error, and reports no usage.
func TestALocalServer(t *testing.T) {
	d := dialects[1]
	p := serve(t, d, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			reply(w, 400, `{"error":"the request exceeds the available context size, try increasing it"}`)
			return
		}
		reply(w, 200,
			`{"choices":[{"message":{"role":"assistant","content":`+quoted(sectioned)+
				`},"finish_reason":"stop"}],"usage":{"prompt_tokens":-4}}`)
	})
	for _, address := range []string{p.URL, p.URL + "/", p.URL + "/v1", p.URL + "/v1/chat/completions"} {
		local := p.client(t, func(c *config.Summarizer) { c.KeyEnv, c.URL = "", address })
		a, err := local.Author()(t.Context(), brief(9))
		if err != nil || a.Run.Status != compaction.Accepted || !a.Run.Estimated || a.Run.Usage.Input <= 0 ||
			a.Run.Model != "the-model" {
			t.Errorf("%s: %+v, %v", address, a.Run, err)
		}
	}
	for _, got := range p.requests() {
		if got.path != "/v1/chat/completions" || got.header.Get("Authorization") != "" {
			t.Errorf("%s, %v", got.path, got.header)
		}
	}
}
