package docs_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	vendors "github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/openapi"
)

var (
	spans     = regexp.MustCompile("`([^`\n]+)`")
	pathInURL = regexp.MustCompile(`(?:127\.0\.0\.1:` + pagePort + `|office\.example(?::\d+)?)(/[^\s"'?#\\]*)`)
	plainPath = regexp.MustCompile(`^(?:(?:GET|POST) )?(/[^\s?#]+)`)
	matcher   = regexp.MustCompile(`(?m)^\s*(?:location|handle|handle_path|route|reverse_proxy) (?:[=^~*]+ )?(/\S*)`)
	bodySize  = regexp.MustCompile(`client_max_body_size (\d+)m;`)
)

// TestRoutesExist checks that the table of routes contains every path that a page names.
func TestRoutesExist(t *testing.T) {
	routes := newRouteTable()
	checked := 0
	for _, p := range append(tested(t), readPage(t, "../README.md"), readPage(t, "PROTOCOL.md")) {
		for _, path := range p.paths() {
			if !routes.owns(path) {
				continue
			}
			checked++
			if !routes.has(path) {
				t.Errorf("%s: the office has no route %s", p.path, path)
			}
		}
	}
	if checked < 100 {
		t.Errorf("checked only %d paths", checked)
	}
}

// TestProxyConfigurationsFitTheOffice checks the proxy configurations on the team page against the
// office: they forward every path to the right port and allow the largest request.
func TestProxyConfigurationsFitTheOffice(t *testing.T) {
	routes := newRouteTable()
	found := map[string]block{}
	for _, b := range readPage(t, "guide/team.md").blocks {
		found[b.lang] = b
		if b.lang != "nginx" && b.lang != "caddyfile" {
			continue
		}
		if !strings.Contains(b.text, "127.0.0.1:"+pagePort) {
			t.Errorf("line %d does not forward to the office's address", b.line)
		}
		for _, path := range matcher.FindAllStringSubmatch(b.text, -1) {
			if !routes.has(path[1]) {
				t.Errorf("line %d forwards %s, which is not a route", b.line, path[1])
			}
		}
	}
	if found["caddyfile"].text == "" || !matcher.MatchString(found["nginx"].text) {
		t.Fatal("the page has no Caddy block or no nginx block with a location")
	}
	size := bodySize.FindStringSubmatch(found["nginx"].text)
	if size == nil {
		t.Fatal("the nginx block does not set client_max_body_size; nginx allows 1 MB by default")
	}
	if mib, err := strconv.Atoi(size[1]); err != nil || mib<<20 < contracts.LimitBody {
		t.Errorf("nginx allows %s MiB, the office %d bytes", size[1], contracts.LimitBody)
	}
}

// paths returns the paths that a page names, in URLs of an office and as inline code.
func (p page) paths() (all []string) {
	text := p.prose
	for _, b := range p.blocks {
		text += b.text
	}
	for _, found := range pathInURL.FindAllStringSubmatch(text, -1) {
		all = append(all, found[1])
	}
	for _, span := range spans.FindAllStringSubmatch(p.prose, -1) {
		if found := plainPath.FindStringSubmatch(span[1]); found != nil {
			all = append(all, found[1])
		}
	}
	for i := range all {
		all[i] = strings.TrimSuffix(strings.TrimRight(all[i], ".,;:)`"), "*")
	}
	return all
}

// routeTable lists the paths that the office serves.
type routeTable struct {
	mux   *http.ServeMux
	paths []string
}

func newRouteTable() routeTable {
	r := routeTable{mux: http.NewServeMux()}
	for _, route := range openapi.Routes(vendors.Sources(vendors.WithHooks(all.Adapters))) {
		if !slices.Contains(r.paths, route.Path) {
			r.mux.Handle(route.Path, http.NotFoundHandler())
			r.paths = append(r.paths, route.Path)
		}
	}
	return r
}

// owns reports whether the first element of the path belongs to the office; other paths name files.
func (r routeTable) owns(path string) bool {
	first := strings.SplitN(path, "/", 3)[1]
	return slices.ContainsFunc(r.paths, func(route string) bool { return strings.SplitN(route, "/", 3)[1] == first })
}

// has reports whether a route serves the path or starts with it.
func (r routeTable) has(path string) bool {
	if _, pattern := r.mux.Handler(httptest.NewRequest(http.MethodGet, path, nil)); pattern != "" {
		return true
	}
	return slices.ContainsFunc(r.paths, func(route string) bool {
		return strings.HasPrefix(route, strings.TrimSuffix(path, "/")+"/")
	})
}
