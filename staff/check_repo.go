package staff

import (
	"fmt"
	"path/filepath"

	"github.com/bullpen-office/bullpen/contracts"
)

// repos finds problems in the list of repositories, without reading the repositories.
func (c *check) repos() {
	if n := len(c.staff.Repos); n > contracts.LimitRepos {
		c.wrong("repos", "%d repositories; the limit is %d", n, contracts.LimitRepos)
	}
	names, paths := map[string]bool{}, map[string]bool{}
	for i, r := range c.staff.Repos {
		at := fmt.Sprintf("repos.%d", i)
		switch {
		case !filepath.IsAbs(r.Path):
			c.wrong(at+".path", "use the absolute path of a git repository")
		case paths[r.Path]:
			c.wrong(at+".path", "%s is listed twice", r.Path)
		case r.Name != "" && contracts.RepoName(r.Name) != r.Name:
			c.wrong(at+".name", "use only letters, digits, dots, underscores and hyphens, such as %s", contracts.RepoName(r.Name))
		case r.Name != "" && names[r.Name]:
			c.wrong(at+".name", "two repositories are named %s", r.Name)
		}
		names[r.Name], paths[r.Path] = true, true
	}
}
