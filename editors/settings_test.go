// Package editors_test holds the editors' extensions against the engine's tables.
package editors_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/producer"
	"isadiff/engine/project"
)

// TestVSCodeSettings: the extension has a setting for each key of the
// configuration and no other, each with a description and the default that the
// engine has.
func TestVSCodeSettings(t *testing.T) {
	text, err := os.ReadFile("vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Contributes struct {
			Configuration []struct {
				Properties map[string]struct {
					Type        any      `json:"type"`
					Enum        []string `json:"enum"`
					Default     any      `json:"default"`
					Description string   `json:"markdownDescription"`
				} `json:"properties"`
			} `json:"configuration"`
		} `json:"contributes"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	left := map[string]project.Key{}
	for _, key := range project.Keys {
		left[key.Name] = key
	}
	for _, group := range manifest.Contributes.Configuration {
		for name, setting := range group.Properties {
			key, ok := left[strings.TrimPrefix(name, "isadiff.")]
			if !ok {
				t.Errorf("%s is no key of the configuration", name)
				continue
			}
			delete(left, key.Name)
			if setting.Description == "" {
				t.Errorf("%s has no description", name)
			}
			switch key.Type {
			case project.Bool:
				if setting.Type != "boolean" || setting.Default != (key.Default == "true") {
					t.Errorf("%s: type %v, default %v; the engine's default is %s", name, setting.Type, setting.Default, key.Default)
				}
			case project.Level:
				if setting.Default != key.Default || !slices.Equal(setting.Enum, []string{"error", "warning", "information", "hint", "off"}) {
					t.Errorf("%s: default %v of %v; the engine's default is %s", name, setting.Default, setting.Enum, key.Default)
				}
			}
		}
	}
	for name := range left {
		t.Errorf("package.json has no setting isadiff.%s", name)
	}
}

// TestProducersStartTheServer: each editor's extension starts the server for the
// sources of every producer.
func TestProducersStartTheServer(t *testing.T) {
	for _, file := range []string{"vscode/src/usefulness.ts", "nvim/lua/isadiff/client.lua"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range producer.Builtin().Rows() {
			for _, word := range append(slices.Clone(row.Markers), row.Import) {
				if !strings.Contains(string(text), word) {
					t.Errorf("%s knows nothing of %q, by which sources of %s are told", file, word, row.Title)
				}
			}
		}
	}
}
