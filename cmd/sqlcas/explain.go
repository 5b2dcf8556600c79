package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/sqlcas/sqlcas/internal/vet"
)

func explainCommand() *cobra.Command {
	var markdown bool
	c := &cobra.Command{
		Use:   "explain [rule]",
		Short: "Say what a rule of vet is about, or list them all",
		Long: `Says what goes wrong, with an example, and what to write instead. Without a rule it lists all of them.

Exit codes: 0 done, 2 there is no such rule.`,
		Example: `  sqlcas explain
  sqlcas explain CAS001
  sqlcas explain --markdown > docs/rules.md`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			switch {
			case markdown && len(args) > 0:
				return errors.New("--markdown writes all rules: leave the rule away")
			case markdown:
				return vet.Markdown(out)
			case len(args) == 0:
				return vet.List(out)
			}
			return vet.Explain(out, args[0])
		},
	}
	c.Flags().BoolVar(&markdown, "markdown", false, "write all rules as Markdown: docs/rules.md")
	return c
}
