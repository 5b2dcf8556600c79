package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/sqlcas/sqlcas/internal/casgen"
	"github.com/sqlcas/sqlcas/internal/sqlcheck"
	"github.com/sqlcas/sqlcas/internal/sqlcyaml"
)

// generateMethod is the one argument that sqlc gives to a plugin.
const generateMethod = "/plugin.CodegenService/Generate"

// response is what sqlc wants to read: nothing else may be printed.
type response struct {
	Files []responseFile `json:"files"`
}

type responseFile struct {
	Name     string `json:"name"`
	Contents []byte `json:"contents"`
}

// plugin answers sqlc and returns the exit code. sqlc shows what goes to complaints only if that is not 0.
func plugin(in io.Reader, out, complaints io.Writer) int {
	request, err := io.ReadAll(in)
	if err == nil {
		err = generate(request, out)
	}
	if err != nil {
		fmt.Fprintln(complaints, err)
		return exitFound
	}
	return 0
}

func generate(request []byte, out io.Writer) error {
	files, err := casgen.Generate(request, func(patterns []string) ([]sqlcheck.Source, error) {
		return sqlcyaml.Sources(".", patterns)
	}, version())
	if err != nil {
		return err
	}
	r := response{Files: []responseFile{}}
	for _, f := range files {
		r.Files = append(r.Files, responseFile{Name: f.Name, Contents: []byte(f.Text)})
	}
	return json.NewEncoder(out).Encode(r)
}
