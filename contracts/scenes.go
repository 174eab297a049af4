package contracts

import _ "embed"

// DefaultSceneManifest is the manifest of DefaultScene, byte for byte as it is
// served. Treat it as read-only.
//
//go:embed scenes/cozy_office_v0.json
var DefaultSceneManifest []byte
