package watch

import (
	"context"
	"fmt"
	"strings"
)

// Check says what a gateway would answer now, for `bullpen doctor`. A device that
// was never paired only looks whether a gateway is there: a doctor changes nothing.
func Check(ctx context.Context, cfg Config) (string, error) {
	cfg = cfg.withDefaults()
	name := cfg.gateway().Name
	if !known(cfg.Dir) {
		w, err := dial(ctx, cfg)
		if err != nil {
			return "", explain(name, err)
		}
		defer w.close()
		if _, err := w.awaitChallenge(); err != nil {
			return "", explain(name, err)
		}
		return name + " is a gateway; this device is paired at the first start", nil
	}
	f, err := New(cfg)
	if err != nil {
		return "", err
	}
	w, h, err := f.enter(ctx)
	if err != nil {
		return "", explain(name, err)
	}
	w.close()
	return fmt.Sprintf("%s runs OpenClaw %s and allows %s", name, h.Server.Version, strings.Join(h.Auth.Scopes, ", ")), nil
}
