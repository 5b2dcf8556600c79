package casgen

import (
	"encoding/json"
	"fmt"
	"strings"
)

// request is what sqlc tells a plugin, as far as it is used here: sqlc's GenerateRequest as JSON with the names
// of its proto. It has neither keys nor line numbers, which is why the schema and the queries are read again.
type request struct {
	Settings      settings   `json:"settings"`
	Catalog       catalog    `json:"catalog"`
	Queries       []compiled `json:"queries"`
	PluginOptions []byte     `json:"plugin_options"`
}

// settings are those of the sql block that sqlc runs the plugin for.
type settings struct {
	Engine  string   `json:"engine"`
	Schema  []string `json:"schema"`
	Queries []string `json:"queries"`
	Codegen struct {
		Out string `json:"out"`
	} `json:"codegen"`
}

// catalog is the schema as sqlc has understood it.
type catalog struct {
	DefaultSchema string          `json:"default_schema"`
	Schemas       []catalogSchema `json:"schemas"`
}

type catalogSchema struct {
	Name   string         `json:"name"`
	Tables []catalogTable `json:"tables"`
	Enums  []struct {
		Name string   `json:"name"`
		Vals []string `json:"vals"`
	} `json:"enums"`
}

type catalogTable struct {
	Rel     identifier `json:"rel"`
	Columns []column   `json:"columns"`
}

type identifier struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
}

// compiled is one query, with the parameters that sqlc has found in it.
type compiled struct {
	Name     string      `json:"name"`
	Cmd      string      `json:"cmd"` // with its colon
	Columns  []column    `json:"columns"`
	Params   []parameter `json:"params"`
	Filename string      `json:"filename"`
}

type parameter struct {
	Column column `json:"column"`
}

// column is a table's column, or what sqlc takes a parameter or a result for.
type column struct {
	Name         string      `json:"name"`
	OriginalName string      `json:"original_name"`
	NotNull      bool        `json:"not_null"`
	Unsigned     bool        `json:"unsigned"`
	Length       int         `json:"length"`
	Comment      string      `json:"comment"`
	Table        *identifier `json:"table"`
	Type         identifier  `json:"type"`
	IsNamedParam bool        `json:"is_named_param"`
	IsSlice      bool        `json:"is_sqlc_slice"`
	EmbedTable   *identifier `json:"embed_table"`
}

// readRequest reads the request of sqlc, and refuses what no version of it would send for MySQL.
func readRequest(raw []byte) (request, error) {
	var r request
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("the request is no GenerateRequest of sqlc in JSON (%w): "+
			"write `format: json` beside the plugin's `cmd`, and let sqlc call it", err)
	}
	if r.Settings.Engine != "mysql" {
		return r, fmt.Errorf("the engine of the sql block is %q: sqlcas is for `engine: mysql` alone", r.Settings.Engine)
	}
	return r, nil
}

// query returns the query of that name, nil if sqlc has none.
func (r *request) query(name string) *compiled {
	for i := range r.Queries {
		if r.Queries[i].Name == name {
			return &r.Queries[i]
		}
	}
	return nil
}

// table returns the table of that name, nil if sqlc has none. sqlc has names in lower case.
func (r *request) table(name string) *catalogTable {
	for i := range r.Catalog.Schemas {
		s := &r.Catalog.Schemas[i]
		if s.Name != r.Catalog.DefaultSchema {
			continue
		}
		for j := range s.Tables {
			if strings.EqualFold(s.Tables[j].Rel.Name, name) {
				return &s.Tables[j]
			}
		}
	}
	return nil
}
