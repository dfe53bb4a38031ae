package files

import (
	"path"
	"strings"

	"ctxledger.dev/internal/confedit"
)

// settingsFile is where Fractalic names models, and says what else is sent.
const settingsFile = "settings.toml"

// maxSettings is the largest of them, in bytes.
const maxSettings = 1 << 20

// fractalic is what matters here of the settings of Fractalic. The zero value is that there are none.
type fractalic struct {
	found   bool
	models  map[string]model // by alias and by the model's name, as plainName
	visible bool
}

// model is an alias of a model.
type model struct {
	alias  string
	name   string
	window int // 0: not said
}

// fractalicOf returns the settings for the documents in a folder: from that folder's file, or else the workspace's. A file that is
// not valid TOML is ignored.
func (r *Reader) fractalicOf(dir string) fractalic {
	if f, known := r.settingsOf[dir]; known {
		return f
	}
	f := r.readFractalic(path.Join(dir, settingsFile))
	if !f.found && dir != "." {
		f = r.fractalicOf(".")
	}
	r.settingsOf[dir] = f
	return f
}

func (r *Reader) readFractalic(name string) (f fractalic) {
	text := r.tree.Read(name, maxSettings)
	if text == nil {
		return f
	}
	all, err := confedit.Tables(text, nil)
	if err != nil {
		return f
	}
	f.found, f.models = true, map[string]model{}
	f.visible, _ = all["runtime"]["enableOperationsVisibility"].(bool)
	for alias, v := range all["settings"] {
		if of, ok := v.(map[string]any); ok {
			m := model{alias: alias, name: alias}
			if named, ok := of["model"].(string); ok {
				m.name = named
			}
			if size, ok := of["contextSize"].(int64); ok && size > 0 && size < 1<<31 {
				m.window = int(size)
			}
			f.models[plainName(alias)], f.models[plainName(m.name)] = m, m
		}
	}
	return f
}

// plainName returns a model's name as it compares: Fractalic does not tell ".", "-" and "_" apart.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '_' {
			return '-'
		}
		return r
	}, name)
}
