package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/proof"
	"github.com/bullpen-office/bullpen/repo/repofile"
	"github.com/bullpen-office/bullpen/repo/signer"
)

func newReceiptKeyCommand() *cobra.Command {
	s := newSettings()
	var asJSON bool
	c := &cobra.Command{
		Use: "key", Short: "Print the public key that verifies this office's receipts", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(); err != nil {
				return err
			}
			if err := s.checkData(); err != nil {
				return err
			}
			key, err := signer.Key(s.data)
			if err != nil {
				return err
			}
			text := proof.FormatKey(key.Public().(ed25519.PublicKey))
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]string{"key": text})
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		},
	}
	s.registerDirectory(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	onlyTyped(c.Flags(), "json")
	return c
}

func newReceiptVerifyCommand() *cobra.Command {
	s := newSettings()
	var asJSON bool
	var dir, keyFile string
	c := &cobra.Command{
		Use: "verify FILE", Short: "Verify a receipt without an office",
		Long: "Verify a receipt's signature and what its checks prove, and compare a working tree with the checked files. " +
			"On another machine, pass the office's public key with --key; `bullpen receipt key` on the office's machine prints it.",
		Example: "  bullpen receipt verify ../shop.receipt --repo .\n  bullpen receipt verify ../shop.receipt --repo . --key office.pub",
		Args:    exactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.load(); err != nil {
				return err
			}
			content, err := readLimited(args[0])
			if err != nil {
				return err
			}
			key, err := publicKey(s, keyFile)
			if err != nil {
				return err
			}
			receipt, err := proof.Open(content, key)
			if err != nil {
				return &exitError{code: exitProblems, err: fmt.Errorf("%s: %w", args[0], err)}
			}
			repo, err := git.Open(cmd.Context(), dir)
			if err != nil {
				return err
			}
			now, err := repo.ExactTree(cmd.Context())
			if err != nil {
				return &exitError{code: exitProblems, err: err}
			}
			if receipt.Verdict, err = judgeAgain(repo, receipt); err != nil {
				return &exitError{code: exitProblems, err: err}
			}
			if asJSON {
				report := struct {
					receiptReport
					Now   string `json:"tree_now"`
					Valid bool   `json:"valid"`
				}{reportOf(receipt), now, now == receipt.Tree && receipt.Verdict == proof.Proven}
				if err := printJSON(cmd.OutOrStdout(), report); err != nil {
					return err
				}
			} else {
				printReceipt(cmd.OutOrStdout(), receipt)
			}
			switch {
			case now != receipt.Tree:
				return &exitError{code: exitProblems, err: fmt.Errorf("the files in %s do not match the receipt: their tree is %s", repo.Top, now)}
			case receipt.Verdict != proof.Proven:
				return &exitError{code: exitProblems, err: errors.New(verdictWords[receipt.Verdict])}
			}
			return nil
		},
	}
	s.registerDirectory(c.Flags())
	c.Flags().StringVar(&dir, "repo", ".", "working tree to compare with the receipt")
	c.Flags().StringVar(&keyFile, "key", "", "file with the public key (default: the key in the data directory)")
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	onlyTyped(c.Flags(), "repo", "key", "json")
	return c
}

// judgeAgain returns a new verdict based on the checks that the repository now defines and on those
// that the git host ran on a pull request. If the repository defines no checks, judgeAgain returns
// the verdict in the receipt.
func judgeAgain(repo *git.Repo, r proof.Receipt) (proof.Verdict, error) {
	list, err := repofile.Checks(repo.Top)
	if err != nil || len(list) == 0 {
		return r.Verdict, err
	}
	var checks []proof.Check
	for _, c := range list {
		checks = append(checks, c.Check)
	}
	for _, c := range r.Checks {
		if c.Hosted {
			checks = append(checks, c)
		}
	}
	return proof.Judge(r.Tree, checks, r.Results), nil
}

// publicKey returns the key in a file or, if no file is given, the key of the data directory.
func publicKey(s *settings, file string) (ed25519.PublicKey, error) {
	if file != "" {
		content, err := readLimited(file)
		if err != nil {
			return nil, err
		}
		key, err := proof.ParseKey(content)
		if err != nil {
			return nil, usageError("--key %s: %w", file, err)
		}
		return key, nil
	}
	key, err := signer.Existing(s.data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageError("there is no key in %s: use --key with the public key of the office that signed the receipt (run `bullpen receipt key` on that office's machine to print it)", s.data)
	}
	if err != nil {
		return nil, err
	}
	return key.Public().(ed25519.PublicKey), nil
}

// readLimited reads a file of at most contracts.LimitReceipt bytes.
func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, contracts.LimitReceipt+1))
	if err == nil && len(content) > contracts.LimitReceipt {
		err = fmt.Errorf("%s is larger than %d bytes", path, contracts.LimitReceipt)
	}
	return content, err
}
