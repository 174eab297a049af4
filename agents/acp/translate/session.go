package translate

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Agent describes an agent, as stated in its response to initialize.
type Agent struct {
	Version int // protocol version
	Load    bool
	Resume  bool
	List    bool
	Close   bool
	Images  bool
	Logins  []string // how a person can sign in
}

// ReadAgent reads the result of initialize.
func ReadAgent(result jsontext.Value) (Agent, error) {
	var in struct {
		Version int `json:"protocolVersion"`
		Can     struct {
			Load    bool `json:"loadSession"`
			Prompts struct {
				Images bool `json:"image"`
			} `json:"promptCapabilities"`
			Sessions struct {
				Resume jsontext.Value `json:"resume"`
				List   jsontext.Value `json:"list"`
				Close  jsontext.Value `json:"close"`
			} `json:"sessionCapabilities"`
		} `json:"agentCapabilities"`
		Logins []struct {
			Name string `json:"name"`
			Text string `json:"description"`
		} `json:"authMethods"`
	}
	if _, err := hud.Decode(result, &in); err != nil {
		return Agent{}, err
	}
	a := Agent{Version: in.Version, Load: in.Can.Load, Images: in.Can.Prompts.Images}
	a.Resume, a.List, a.Close = has(in.Can.Sessions.Resume), has(in.Can.Sessions.List), has(in.Can.Sessions.Close)
	for _, l := range in.Logins[:min(len(in.Logins), contracts.LimitACPChoices)] {
		a.Logins = append(a.Logins, hud.Line(cmp.Or(l.Text, l.Name), contracts.LimitPreview))
	}
	return a, nil
}

// has reports whether a capability is declared: any object counts, even an empty one.
func has(v jsontext.Value) bool { return v.Kind() == '{' }

// Settings holds the session settings that a client can choose.
type Settings struct {
	ID    string // session id; empty in an answer to a load or resume request
	Mode  Choice
	Model Choice
}

// Choice is a session setting with its possible values.
type Choice struct {
	Method  string // the method that changes the setting; empty if the agent does not offer the setting
	Config  string // the id of a configuration option; empty unless Method is SetConfig
	Values  []string
	Current string
}

// The methods that change a session's settings. SetModel is from an earlier draft and is still in
// use.
const (
	SetMode   = "session/set_mode"
	SetModel  = "session/set_model"
	SetConfig = "session/set_config_option"
)

// Offers reports whether value is one of the choice's values.
func (c Choice) Offers(value string) bool { return slices.Contains(c.Values, value) }

// Params returns the parameters of the method that sets a value.
func (c Choice) Params(session, value string) map[string]string {
	p := map[string]string{"sessionId": session}
	switch c.Method {
	case SetMode:
		p["modeId"] = value
	case SetModel:
		p["modelId"] = value
	case SetConfig:
		p["configId"], p["value"] = c.Config, value
	}
	return p
}

// option is a configuration option. Its values may be grouped.
type option struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Type     string `json:"type"`
	Current  string `json:"currentValue"`
	Options  []struct {
		Value   string `json:"value"`
		Options []struct {
			Value string `json:"value"`
		} `json:"options"`
	} `json:"options"`
}

// ReadSettings reads the result of session/new, session/load or session/resume. For models, a
// configuration option takes precedence over the older list; for modes, the list takes precedence
// over the option.
func ReadSettings(result jsontext.Value) Settings {
	var in struct {
		ID    string `json:"sessionId"`
		Modes struct {
			Current string `json:"currentModeId"`
			List    []struct {
				ID string `json:"id"`
			} `json:"availableModes"`
		} `json:"modes"`
		Models struct {
			Current string `json:"currentModelId"`
			List    []struct {
				ID string `json:"modelId"`
			} `json:"availableModels"`
		} `json:"models"`
		Options []option `json:"configOptions"`
	}
	_, _ = hud.Decode(result, &in)
	s := Settings{ID: in.ID}
	for _, m := range in.Modes.List {
		s.Mode.Method, s.Mode.Current = SetMode, in.Modes.Current
		s.Mode.Values = append(s.Mode.Values, m.ID)
	}
	for _, m := range in.Models.List {
		s.Model.Method, s.Model.Current = SetModel, in.Models.Current
		s.Model.Values = append(s.Model.Values, m.ID)
	}
	for _, o := range in.Options {
		switch {
		case o.Type != "select":
		case o.Category == "mode" && s.Mode.Method == "":
			s.Mode = o.choice()
		case o.Category == "model":
			s.Model = o.choice()
		}
	}
	return s
}

func (o option) choice() Choice {
	c := Choice{Method: SetConfig, Config: o.ID, Current: o.Current}
	for _, v := range o.Options {
		if v.Value != "" {
			c.Values = append(c.Values, v.Value)
		}
		for _, inner := range v.Options {
			c.Values = append(c.Values, inner.Value)
		}
	}
	return c
}
