package packaging_test

import (
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// exposureLimit is the highest accepted rating of `systemd-analyze security`, in tenths, from 0 (fully
// confined) to 100 (fully exposed).
const exposureLimit = "15"

func TestSystemdUnitsAreValid(t *testing.T) {
	analyze := need(t, "systemd-analyze")
	for kind, program := range map[string]string{"system": "/usr/local/bin/bullpen", "user": "%h/.local/bin/bullpen"} {
		unit := read(t, "packaging/systemd/"+kind+"/bullpen.service")
		if !strings.Contains(unit, "ExecStart="+program+" serve\n") {
			t.Errorf("the %s unit does not start %s", kind, program)
		}
		path := filepath.Join(t.TempDir(), "bullpen.service")
		must(t, os.WriteFile(path, []byte(strings.ReplaceAll(unit, program, build(t))), 0o644))
		if out := succeed(t, exec.Command(analyze, "verify", path)); strings.Contains(out, "bullpen") {
			t.Errorf("the %s unit: %s", kind, out)
		}
	}
	succeed(t, exec.Command(analyze, "security", "--offline=true", "--threshold="+exposureLimit, "systemd/system/bullpen.service"))
}

func TestSystemUnitIsHardened(t *testing.T) {
	unit := read(t, "packaging/systemd/system/bullpen.service")
	for _, line := range []string{
		"NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes", "StateDirectory=bullpen", "StateDirectoryMode=0700",
		"CapabilityBoundingSet=", "User=bullpen", "UMask=0077", "RestartPreventExitStatus=2",
	} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the system unit has no %s", line)
		}
	}
	if user := read(t, "packaging/systemd/system/bullpen.sysusers"); !strings.HasPrefix(user, "u bullpen - ") {
		t.Errorf("nothing creates the user of the unit: %s", user)
	}
}

// plist returns the keys of a property list's dictionary, each with the text of its value.
func plist(t *testing.T, content string) map[string]string {
	t.Helper()
	values, key := map[string]string{}, ""
	d, depth := xml.NewDecoder(strings.NewReader(content)), 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return values
		}
		must(t, err)
		switch v := token.(type) {
		case xml.StartElement:
			depth++
			if v.Name.Local == "key" && depth == 3 {
				must(t, d.DecodeElement(&key, &v))
				depth--
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if text := strings.TrimSpace(string(v)); text != "" && key != "" {
				values[key] = strings.TrimSpace(values[key] + " " + text)
			}
		}
	}
}

func TestLaunchdAgent(t *testing.T) {
	values := plist(t, read(t, "packaging/launchd/office.bullpen.plist"))
	if values["Label"]+".plist" != "office.bullpen.plist" {
		t.Errorf("the label %q is not the name of the file", values["Label"])
	}
	if values["ProgramArguments"] != "/usr/local/bin/bullpen serve" || values["Umask"] != "63" {
		t.Errorf("the agent runs %q with umask %q", values["ProgramArguments"], values["Umask"])
	}
	if !strings.HasPrefix(values["StandardErrorPath"], "@HOME@/Library/Logs/") {
		t.Errorf("the log goes to %q", values["StandardErrorPath"])
	}
}
