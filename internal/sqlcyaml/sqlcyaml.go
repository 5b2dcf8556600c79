// Package sqlcyaml reads what sqlcas needs of a sqlc configuration: where the schema and the queries are, and
// the options of the sqlcas plugin.
package sqlcyaml

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Config is a configuration of version 2.
type Config struct {
	Path   string // of the file
	Dir    string // its folder, which the paths in it start from
	Blocks []Block

	// Overrides says that overrides.go at the top level has something in it.
	Overrides bool
}

// Block is one entry of `sql`, for MySQL.
type Block struct {
	Name            string
	Schema, Queries []string // paths of files and folders, and patterns, as written
	Prepared        bool     // gen.go.emit_prepared_queries

	// Plugin is the codegen entry of the sqlcas plugin; nil if the block has none.
	Plugin *Plugin
}

// Plugin is the sqlcas plugin's entry in a block's codegen.
type Plugin struct {
	Out     string
	Options json.RawMessage // what the plugin gets from sqlc
}

// names are the file names that sqlc looks for.
var names = []string{"sqlc.yaml", "sqlc.yml", "sqlc.json"}

// ErrNone says that a folder has no sqlc configuration.
var ErrNone = errors.New("there is no sqlc.yaml here")

// Find returns the path of the sqlc configuration in a folder, or an error that is ErrNone.
func Find(dir string) (string, error) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: run sqlcas in the folder that has it, or name it with -f", ErrNone)
}

// file is what is read of the file; sqlc itself says what else is wrong with it.
type file struct {
	Version   string `yaml:"version"`
	Overrides struct {
		Go yaml.Node `yaml:"go"`
	} `yaml:"overrides"`
	Plugins []struct {
		Name    string `yaml:"name"`
		Process struct {
			Cmd    string `yaml:"cmd"`
			Format string `yaml:"format"`
		} `yaml:"process"`
	} `yaml:"plugins"`
	SQL []struct {
		Name    string `yaml:"name"`
		Engine  string `yaml:"engine"`
		Schema  paths  `yaml:"schema"`
		Queries paths  `yaml:"queries"`
		Gen     struct {
			Go struct {
				Prepared bool `yaml:"emit_prepared_queries"`
			} `yaml:"go"`
		} `yaml:"gen"`
		Codegen []struct {
			Plugin  string    `yaml:"plugin"`
			Out     string    `yaml:"out"`
			Options yaml.Node `yaml:"options"`
		} `yaml:"codegen"`
	} `yaml:"sql"`
}

// paths are one path or a list of them.
type paths []string

// UnmarshalYAML reads either.
func (p *paths) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*p = paths{node.Value}
		return nil
	}
	return node.Decode((*[]string)(p))
}

// Read reads a configuration. Blocks of other engines than MySQL are left out; it is an error if that leaves
// none.
func Read(path string) (Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	c, err := parse(text)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	c.Path, c.Dir = path, filepath.Dir(path)
	return c, nil
}

func parse(text []byte) (Config, error) {
	var f file
	if err := yaml.Unmarshal(text, &f); err != nil {
		return Config{}, err
	}
	if f.Version != "2" {
		return Config{}, fmt.Errorf("version is %q, and only version \"2\" of sqlc's configuration knows plugins", f.Version)
	}
	ours, err := f.plugins()
	if err != nil {
		return Config{}, err
	}
	c := Config{Overrides: len(f.Overrides.Go.Content) > 0}
	var others []string
	for _, sql := range f.SQL {
		if sql.Engine != "mysql" {
			others = append(others, sql.Engine)
			continue
		}
		b := Block{Name: sql.Name, Schema: sql.Schema, Queries: sql.Queries, Prepared: sql.Gen.Go.Prepared}
		for _, g := range sql.Codegen {
			if !slices.Contains(ours, g.Plugin) {
				continue
			}
			if b.Plugin != nil {
				return Config{}, fmt.Errorf("a sql block has the plugin %s twice: leave one", g.Plugin)
			}
			if b.Plugin, err = newPlugin(g.Out, g.Options); err != nil {
				return Config{}, err
			}
		}
		c.Blocks = append(c.Blocks, b)
	}
	if len(c.Blocks) == 0 {
		return Config{}, fmt.Errorf("no sql block has engine: mysql (there is %q), and sqlcas knows MySQL and MariaDB only", others)
	}
	return c, nil
}

func newPlugin(out string, options yaml.Node) (*Plugin, error) {
	var value any
	if err := options.Decode(&value); err != nil {
		return nil, fmt.Errorf("the options of the sqlcas plugin: %w", err)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("the options of the sqlcas plugin: %w", err)
	}
	return &Plugin{Out: out, Options: raw}, nil
}

// plugins returns the names of the plugins that are sqlcas: those that run it, or are called so.
func (f file) plugins() ([]string, error) {
	var ours []string
	for _, p := range f.Plugins {
		command := strings.TrimSuffix(filepath.Base(p.Process.Cmd), ".exe")
		if p.Name != "sqlcas" && command != "sqlcas" {
			continue
		}
		if p.Process.Format != "json" {
			return nil, fmt.Errorf("plugin %s: its process has format %q, and sqlcas speaks JSON: write format: json",
				p.Name, p.Process.Format)
		}
		ours = append(ours, p.Name)
	}
	return ours, nil
}
