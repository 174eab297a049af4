package hud

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// These made-up credentials are assembled at run time, so that scanners do not report this
// file as a leak.
var (
	random  = strings.Repeat("aB3dE6gH9", 5) // 45 bytes
	upper16 = "IOSFODNN7" + "EXAMPLE"
	hex32   = "9f86d081884c7d65" + "9a2feaa0c55ad015"
	uuid    = "550e8400-e29b-41d4-a716-446655440000"
	madeUp  = map[string]string{
		"openai":    "sk-" + random,
		"project":   "sk-proj-" + random,
		"anthropic": "sk-ant-" + "api03-" + random,
		"stripe":    "sk_live_" + random,
		"github":    "ghp_" + random[:36],
		"server":    "ghs_" + random[:36],
		"fine":      "github_pat_" + random,
		"gitlab":    "glpat-" + random[:20],
		"slack":     "xoxb-" + "123456789012-" + random[:24],
		"aws":       "AKIA" + upper16,
		"google":    "AIza" + random[:35],
		"npm":       "npm_" + random[:36],
		"hf":        "hf_" + random[:34],
		"jwt":       "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0." + random[:20],
		"own":       "bullpen_" + random[:43],
		"gitlab-ci": "glcbt-" + random[:20],
		"runner":    "glrt-" + random[:20],
		"slack-c":   "xoxc-" + random[:24],
		"refresh":   "1//0" + random[:40],
		"groq":      "gsk_" + random[:40],
		"xai":       "xai-" + random[:40],
		"sentry":    "sntrys_" + random[:40],
		"atlassian": "ATATT3" + random[:40],
		"webhook":   "hooks.slack.com/services/" + "T00000000/B00000000/" + random,
		"telegram":  "bot123456789" + ":" + random,
	}
)

// A token in a known format is found in any context.
func TestTokensAreRedacted(t *testing.T) {
	for name, token := range madeUp {
		for _, frame := range []string{"%s", "the key is %s, keep it", "(%s)", "a\n%s\nb", `{"x":"%s"}`, `text \n%s\n in a text`, "https://%s@host/x", "url?x=%s&y=1",
			"-%s", "+%s", " -%s\n", "a\n-%s\n+x", `"a\n-%s\n"`, "--- a\n+++ b\n@@ -1 +1 @@\n-%s\n+", "\x1b[31m%s\x1b[0m", "\x1b[31m-%s\x1b[m", "[01;31m[K%s[m[K",
			`\u001b[31m%s\u001b[0m`, `\x1b[1;31m%s`, "f.env:\x1b[36m\x1b[K3:%s", `\u0022%s\u0022`, "x=%%22%s%%22"} {
			text := fmt.Sprintf(frame, token)
			got := Redact(text)
			if strings.Contains(got, token) || strings.Contains(got, random[:16]) || !strings.Contains(got, Mark) {
				t.Errorf("%s: %q became %q", name, text, got)
			}
		}
	}
}

// Credentials are redacted; the surrounding text is kept.
func TestRedact(t *testing.T) {
	pem := "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----\nafter"
	for in, want := range map[string]string{
		// Assignments.
		"DB_PASSWORD=hunter2 make test":         "DB_PASSWORD=[redacted] make test",
		"export GITHUB_TOKEN='a b c'":           "export GITHUB_TOKEN='[redacted]'",
		`API_KEY="it's"`:                        `API_KEY="[redacted]"`,
		"OPENAI_KEY=abc;rm x":                   "OPENAI_KEY=[redacted] x",
		"SECRET_KEY_BASE=abc\nPORT=80":          "SECRET_KEY_BASE=[redacted]\nPORT=80",
		"AWS_SECRET_ACCESS_KEY=ab/cd+ef":        "AWS_SECRET_ACCESS_KEY=[redacted]",
		"AWS_ACCESS_KEY_ID=none TOKEN_URL=x":    "AWS_ACCESS_KEY_ID=none TOKEN_URL=x",
		"PASSWORD='it'\"'\"'s' x":               "PASSWORD=[redacted] x",
		"docker run -e MYSQL_PASS=abc img":      "docker run -e MYSQL_PASS=[redacted] img",
		"password=abc&user=ann":                 "password=[redacted]&user=ann",
		"Server=x;Password=abc;User=y":          "Server=x;Password=[redacted];User=y",
		"//registry.example/:_authToken=abc123": "//registry.example/:_authToken=[redacted]",
		"password: hunter2":                     "password: [redacted]",
		"  client_secret: abc # note":           "  client_secret: [redacted] # note",
		"your password: hunter2!":               "your password: [redacted]",
		"password = \"hunter2\";":               "password = \"[redacted]\";",
		"spring.datasource.password=abc":        "spring.datasource.password=[redacted]",
		`os.environ["API_TOKEN"] = "abc"`:       `os.environ["API_TOKEN"] = "[redacted]"`,
		`'password' => 'abc',`:                  `'password' => '[redacted]',`,
		`{"password":"a\"b","user":"ann"}`:      `{"password":"[redacted]","user":"ann"}`,
		`{\"api_key\": \"abc\", \"n\": 1}`:      `{\"api_key\": \"[redacted]\", \"n\": 1}`,
		`{"accessToken": "abc"}`:                `{"accessToken": "[redacted]"}`,
		`line\npassword: abc1`:                  `line\npassword: [redacted]`,
		// Flags.
		"tool --password hunter2 --verbose":      "tool --password [redacted] --verbose",
		"tool --password=hunter2 --verbose":      "tool --password=[redacted] --verbose",
		"tool --api-key 'a b' x":                 "tool --api-key '[redacted]' x",
		"tool -token abc":                        "tool -token [redacted]",
		"mysql -u root -phunter2 db":             "mysql -u root -p[redacted] db",
		"sshpass -p hunter2 ssh host":            "sshpass -p [redacted] ssh host",
		"docker login -u ann -p hunter2 host":    "docker login -u ann -p [redacted] host",
		"redis-cli -a hunter2 ping":              "redis-cli -a [redacted] ping",
		"curl -u ann:hunter2 https://x.example":  "curl -u ann:[redacted] https://x.example",
		"curl --user 'ann:hunter2' x":            "curl --user 'ann:[redacted]' x",
		`bash -c "tool --token abc"`:             `bash -c "tool --token [redacted]"`,
		"openssl rsa -passin pass:abc -in k.pem": "openssl rsa -passin [redacted] -in k.pem",
		// Names without separators, default values of variables, names and values on separate lines, XML
		// elements.
		"PGPASSWORD=hunter2 psql -h db":                     "PGPASSWORD=[redacted] psql -h db",
		`{"dbpassword":"a","passWord":"b"}`:                 `{"dbpassword":"[redacted]","passWord":"[redacted]"}`,
		"DB_PASSWORD=${DB_PASSWORD:-hunter2} up":            "DB_PASSWORD=[redacted] up",
		"let apiToken = `aB3dE6gH9`;":                       "let apiToken = `[redacted]`;",
		`PASSWORD=a\ b c`:                                   `PASSWORD=[redacted] c`,
		"- name: DB_PASSWORD\n  value: hunter2\n- name: X":  "- name: DB_PASSWORD\n  value: [redacted]\n- name: X",
		"<password>hunter2</password>":                      "<password>[redacted]</password>",
		"http://x/?a=1&pass=aB3dE6gH9&sig=aB3dE6gH9%2B&b=2": "http://x/?a=1&pass=[redacted]&sig=[redacted]&b=2",
		// Words that announce a credential.
		"machine x login ann password aB3dE6gH9":           "machine x login ann password [redacted]",
		"aws configure set aws_secret_access_key aB3dE6gH": "aws configure set aws_secret_access_key [redacted]",
		"The password is aB3dE6gH9.":                       "The password is [redacted].",
		"Your API key: aB3dE6gH9":                          "Your API key: [redacted]",
		// Input for a command that reads a password.
		"echo hunter2 | docker login -u ann --password-stdin host": "echo [redacted] | docker login -u ann --password-stdin host",
		"echo 'two words' | sudo -S ls":                            "echo '[redacted]' | sudo -S ls",
		"printf \"hunter2\" | gh auth login --with-token":          "printf \"[redacted]\" | gh auth login --with-token",
		"echo -n hunter2|gh secret set X":                          "echo -n [redacted]|gh secret set X",
		"echo sk-" + random[:24] + " | cmd":                        "echo [redacted] | cmd",
		// URIs and headers.
		"postgres://ann:hunter2@db:5432/x":             "postgres://ann:[redacted]@db:5432/x",
		"redis://:hunter2@cache":                       "redis://:[redacted]@cache",
		"mongodb://u:p@ss@host/db":                     "mongodb://u:[redacted]@host/db",
		"amqp://u:pa/ss@host/v":                        "amqp://u:[redacted]@host/v",
		"GET /?access_token=abc&x=1":                   "GET /?access_token=[redacted]&x=1",
		`curl -H "Authorization: Bearer abc.def" url`:  `curl -H "Authorization: Bearer [redacted]" url`,
		"Authorization: Basic Zm9vOmJhcg==\r\nHost: x": "Authorization: Basic [redacted]\r\nHost: x",
		"Authorization: abc":                           "Authorization: [redacted]",
		`curl -H 'Cookie: a="b"; c=d' url`:             `curl -H 'Cookie: [redacted]' url`,
		"Set-Cookie: sid=abc; HttpOnly\nX: y":          "Set-Cookie: [redacted]\nX: y",
		"X-Api-Key: abc123":                            "X-Api-Key: [redacted]",
		`{"Authorization": "Bearer abc"}`:              `{"Authorization": "Bearer [redacted]"}`,
		"used Bearer abcdefghijklmnop123456 here":      "used Bearer [redacted] here",
		pem:                                   "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nafter",
		"-----BEGIN PRIVATE KEY-----\nMIIEow": "-----BEGIN PRIVATE KEY-----[redacted]",
		// Tokens of other services.
		"key-" + hex32:       "[redacted]",
		"dapi" + hex32 + ".": "[redacted].",
		"my bot: " + "123456789" + ":AA" + random[:33]:                           "my bot: [redacted]",
		"https://api.telegram.org/bot" + "123456789:AA" + random[:33] + "/getMe": "https://api.telegram.org/[redacted]/getMe",
		"client.login('MTA" + random[:21] + ".Gaq7Yx." + random[:30] + "')":      "client.login('[redacted]')",
		"MAILGUN: " + hex32 + "-1a2b3c4d-5e6f7a8b":                               "MAILGUN: [redacted]",
		`{"auths":{"https://index.docker.io/v1/":{"auth":"YW5uOmh1bnRlcjI="}}}`:  `{"auths":{"https://index.docker.io/v1/":{"auth":"[redacted]"}}}`,
		"discord_auth = " + hex32 + hex32:                                        "discord_auth = [redacted]",
		// Passwords of several words or lines.
		"password: correct horse battery staple":               "password: [redacted]",
		"PASSPHRASE = correct horse battery staple\nx":         "PASSPHRASE = [redacted]\nx",
		"The password is correct horse battery staple.":        "The password is [redacted].",
		"password: |\n  first line\n  second\nuser: ann":       "password: |\n  [redacted]\nuser: ann",
		"  db_password: >-\n    first\n\n    last\n  port: 80": "  db_password: >-\n    [redacted]\n  port: 80",
		"password:\n  hunter22\nuser: ann":                     "password:\n  [redacted]\nuser: ann",
		"PASSWORD=\"first\nsecond third\"\nPORT=80":            "PASSWORD=\"[redacted]\"\nPORT=80",
		// Diff lines and colours, with or without the escape character.
		"-PASSWORD=hunter2\n+PASSWORD=hunter3":                           "-PASSWORD=[redacted]\n+PASSWORD=[redacted]",
		"-password: hunter2":                                             "-password: [redacted]",
		`"a\n-password: hunter2"`:                                        `"a\n-password: [redacted]"`,
		"+dapi" + hex32:                                                  "+[redacted]",
		"\x1b[32m\"password\"\x1b[0m: \x1b[33m\"hunter2\"":               "\x1b[32m\"password\"\x1b[0m: \x1b[33m\"[redacted]\"",
		"[32m\"password\"[0m: [33m\"hunter2\"[0m":                        "[32m\"password\"[0m: [33m\"[redacted]\"[0m",
		`\u001b[32m\"password\"\u001b[0m: \u001b[33m\"hunter2\"`:         `\u001b[32m\"password\"\u001b[0m: \u001b[33m\"[redacted]\"`,
		"\x1b[34;1m\"api_key\"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m\"a\"": "\x1b[34;1m\"api_key\"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m\"[redacted]\"",
		"\x1b[01;31m\x1b[Ktoken\x1b[m\x1b[K=abc":                         "\x1b[01;31m\x1b[Ktoken\x1b[m\x1b[K=[redacted]",
		"[01;31m[KPASSWORD[m[K=hunter2":                                  "[01;31m[KPASSWORD[m[K=[redacted]",
		"PASSWORD=\x1b[33mhunter2\x1b[0m x":                              "PASSWORD=\x1b[33m[redacted]\x1b[0m x",
		"PASSWORD=hun[01;31m[Kter[m[K2":                                  "PASSWORD=[redacted]",
		// Nested, triple and doubled quotes, and quotes across lines.
		`bash -c "export PASSWORD=\"hunter2\"; run"`:               `bash -c "export PASSWORD=\"[redacted]\"; run"`,
		`ssh host "mysql --password=\"hunter2\""`:                  `ssh host "mysql --password=\"[redacted]\""`,
		`ssh host "tool --token \"hunter2 x\" --y"`:                `ssh host "tool --token \"[redacted]\" --y"`,
		`{"c":"bash -c \"export PASSWORD=\\\"hunter2\\\"; run\""}`: `{"c":"bash -c \"export PASSWORD=\\\"[redacted]\\\"; run\""}`,
		`bash -c "export PASSWORD=\"hunter2`:                       `bash -c "export PASSWORD=\"[redacted]`,
		`password = """hunter2"""`:                                 `password = """[redacted]"""`,
		"password = \"\"\"\nhunter2\nx y\n\"\"\"\nport = 80":       "password = \"\"\"[redacted]\"\"\"\nport = 80",
		`SECRET_KEY = '''hunter2''' # x`:                           `SECRET_KEY = '''[redacted]''' # x`,
		`x = "password = \"\"\"hunter2\"\"\""`:                     `x = "password = \"\"\"[redacted]\"\"\""`,
		`api_key: 'it''s-secret-99'`:                               `api_key: '[redacted]'`,
		`password = "a""b c" & x`:                                  `password = "[redacted]" & x`,
		"secret: \"abc\ndef\"\nport: 80":                           "secret: \"[redacted]\"\nport: 80",
		// Names next to values, and commands that set variables.
		`<add key="Password" value="hunter2"/>`:                   `<add key="Password" value="[redacted]"/>`,
		`<add key="ClearTextPassword" value="hunter2" />`:         `<add key="ClearTextPassword" value="[redacted]" />`,
		`<add value="hunter2" key="Password"/>`:                   `<add value="[redacted]" key="Password"/>`,
		`<entry key="db.password">hunter2</entry>`:                `<entry key="db.password">[redacted]</entry>`,
		"  \"name\": \"DB_PASSWORD\",\n  \"value\": \"hunter2\"":  "  \"name\": \"DB_PASSWORD\",\n  \"value\": \"[redacted]\"",
		`[{\"name\":\"DB_PASSWORD\",\"value\":\"a\"}]`:            `[{\"name\":\"DB_PASSWORD\",\"value\":\"[redacted]\"}]`,
		"name  = \"DB_PASSWORD\"\nvalue = \"hunter2\"":            "name  = \"DB_PASSWORD\"\nvalue = \"[redacted]\"",
		"+        - name: DB_PASSWORD\n+          value: hunter2": "+        - name: DB_PASSWORD\n+          value: [redacted]",
		"+password: |\n+  first\n+  second\n+user: ann":           "+password: |\n+  [redacted]\n+user: ann",
		"-  password: |\n-    first\n-  user: ann":                "-  password: |\n-    [redacted]\n-  user: ann",
		"The password for the db is Tr0ub4dor&3":                  "The password for the db is [redacted]",
		"Token for staging: aB3dE6gH9, ok":                        "Token for staging: [redacted], ok",
		"setx PASSWORD hunter2":                                   "setx PASSWORD [redacted]",
		"setx /M DB_PASSWORD \"a b\"":                             "setx /M DB_PASSWORD \"[redacted]\"",
		"setenv API_TOKEN hunter":                                 "setenv API_TOKEN [redacted]",
		"fish: set -gx API_TOKEN hunter":                          "fish: set -gx API_TOKEN [redacted]",
		"FROM x\nENV DB_PASSWORD hunter2\n":                       "FROM x\nENV DB_PASSWORD [redacted]\n",
		"passphrase=correct horse battery":                        "passphrase=[redacted]",
		"ssh.passphrase: correct horse battery\nx":                "ssh.passphrase: [redacted]\nx",
	} {
		if got := Redact(in); got != want {
			t.Errorf("Redact(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

// In text that people type, only keys in known formats are redacted.
func TestRedactKeys(t *testing.T) {
	for in, want := range map[string]string{
		"use " + madeUp["github"] + " please":                                                           "use [redacted] please",
		"dapi" + hex32 + ", and " + madeUp["anthropic"]:                                                 "[redacted], and [redacted]",
		"the password is hunter2, user=ann, token: abc":                                                 "the password is hunter2, user=ann, token: abc",
		"see commit 3f6576cbc79b4b488562e39f326036576cabc123":                                           "see commit 3f6576cbc79b4b488562e39f326036576cabc123",
		"Redeploy heroku: " + uuid + " sentry event: " + hex32 + hex32 + ", jira commit: " + hex32[:24]: "Redeploy heroku: " + uuid + " sentry event: " + hex32 + hex32 + ", jira commit: " + hex32[:24],
		"HEROKU_API_KEY=" + uuid:                                                                        "HEROKU_API_KEY=" + uuid,
		"-" + madeUp["github"]:                                                                          "-[redacted]",
	} {
		if got := RedactKeys(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// Ordinary text is not changed.
func TestRedactLeavesOrdinaryText(t *testing.T) {
	for _, text := range []string{
		"tool --port 8080 --tokens 5 --key-file k.pem --password-stdin",
		"token count: 512, max_tokens=4096, tokens: 17, token_count=3",
		`{"input_tokens":1200,"max_tokens":4096,"token_type":"Bearer","tokens":[1,2]}`,
		"the password reset page", "Enter your password:", `prompt("Password: ") + ask("x")`,
		"commit 3f6576cbc79b4b488562e39f326036576cabc123", "f47ac10b-58cc-4372-a567-0e02b2c3d479",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"mkdir -p a/b && ssh -p 22 host && cp -p a b && docker run -p 8080:80 -u 1000:1000 img",
		"docker run --user 1000:1000 img", "grep -p password file", "git push -u origin main",
		"https://example.org:8080/@scope/pkg", "https://ann@example.org/x", "git@github.com:a/b.git", "http://[::1]:4777/x",
		"Error: unexpected token: }", "SyntaxError: Unexpected token < in JSON at position 0", "invalid token: expected 5 got 6",
		"password: must be at least 8 characters", "Password: string", "password?: string;", "token: Token", "token := lexer.Next()",
		"token = tokens[i]", "const token = req.headers.authorization", `password = os.Getenv("DB_PASSWORD")`, "key: value", "primary_key=id",
		`if token == "(" {`, "secret != other", "PASSWORD=$DB_PASSWORD", "PASSWORD=${PW}", "--token $TOKEN x", "TOKEN=<your token>", "password: ****",
		"PASSWORD= ", "PUBLIC_KEY=abc", "sort_key: name", "cache-key: linux-go", "keyboard=us", "monkey=1", "secretary: ann", "tokenizer=bpe",
		"sk-learn-style-class-name-long", "sk-container-id-1", "task-3b1f", "disk-usage=5", "npm_config_cache", "AKIA", "eyJ is how they begin",
		"bearer of bad news and more words", "Authorization: needed for all of it", "Cookie: a small biscuit", "use the --password flag to log in",
		"[--token TOKEN] [--password <pw>]", "token: null", `"password": ""`, "passwords are hashed", "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
		"pass: 12, fail: 3", "compass=n", "bypass: yes", "auth: true", "session: abc", `"sessionKey":"agent:titan"`, "let x = a ? token : other;",
		"SYS_REQUEST_KEY = 249", "TCP_SIGNATURE = 0x1d", `"cookie": 32,`, "ReadToken = (%q, %v)", "PASSWORD=${PW:-$OTHER}", "PASSWORD=${PW:-}", "pass=12 fail=3",
		"password must have 8 characters", "the token Foo2 is new", "secret agent 007", "token 2026-11-15", "- name: PORT\n  value: 80", "<title>Password</title>",
		"<password></password>", "<secret>${TOKEN}</secret>", "url?key=name&sig=v1", "https://ann-example-user@host/x", "bot: 12, human: 3", "PASSWORD=`cat file`",
		"apiKey: storedApiKey,", "PrivateKey: testRSA2048PrivateKey,", "{ apiKey: _apiKey, ...rest }", "#define KU_SIGNATURE X509v3_KU_SIGNATURE",
		"PWD=/home/ann", "token.ADD: x", "{ credentials: 'same-origin' }", "Send `Authorization: Bearer TOKEN` with it", `"Authorization: Bearer "+token`,
		"serve --require-token --ephemeral", "API_TOKEN=YOUR_TOKEN", "with the cookie: %+v", "cookie := r.Cookie", "TOKEN_PREFIX=abc",
		"echo hello | docker run -i img", "echo $TOKEN | docker login --password-stdin", "echo yes | passwd", "git echo | less", "echo done || sudo -S x",
		"commit e83c5163316f89bfbde7d9ab23ca2e25604af290 glide-path-and-more-words-here", "xai-style-names-are-long-but-only-words-of-text-joined",
		"uuid 1//0 of many", "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "integrity sha512-abcDEF123/+==", "md5 d41d8cd98f00b204e9800998ecf8427e",
		"password: changed by the admin yesterday", "password: reset link sent to you", "The password is wrong or has expired.", "password:\n  type: string\n", "auth: enabled", `"auth": "required"`,
		"Password:\nWelcome back", "password: |", "MAIN.go.OTHER", "12345678:ABC", "Not.a.token",
		// Service names before hashes and ids.
		"HEROKU_APP_ID=" + uuid, "snyk_project: " + uuid, "coinbase commit: " + hex32 + hex32, "fastly_service_id=" + hex32, "datadog trace: " + hex32 + "01234567",
		"netlify deploy: " + hex32 + "01234567", "algolia index = " + hex32, "travis: " + hex32[:22], "facebook: " + hex32, "mailchimp: " + hex32,
		// Diffs, colours and quotes without a credential.
		"-token := lexer.Next()", "-password = os.Getenv(\"DB_PASSWORD\")", "+token = tokens[i]", "-  sort_key: name", "[32m\"port\"[0m: [33m80[0m", "token = [m for m in list]",
		"PASSWORD=[33m$DB_PASSWORD[0m", `echo "Password: \""`, `prompt("Password: \"")`, `bash -c "echo \"token: \" $x"`, `password = """${DB_PASSWORD}"""`, `password: ''`, `x(password="", "b")`,
		// Names next to harmless values.
		`<add key="Port" value="80"/>`, `<input name="password" value={password}/>`, `<label name="password">Password</label>`, `<a class="token">fn2</a>`, "value: 80\n- name: DB_PASSWORD",
		"name: x\nkind: token\nvalue: 80", "The password for the db is stored in vault", "The password policy for Windows2019 is AtLeast8Chars", "set -x PORT 80", "ENV PATH /bin", "setenv EDITOR vi",
		"passphrase: not set yet", "passphrase: verified ok", "the passphrase: three plain words",
		// Lock files, hashes, images, minified code, manifests, plans, .env.example.
		"github.com/a/b v1.2.3 h1:" + random[:43] + "=", "github.com/a/b v1.2.3/go.mod h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
		`"integrity": "sha512-` + random + random[:41] + `=="`, `"resolved": "https://registry.npmjs.org/token/-/token-1.2.3.tgz#` + hex32 + `01234567"`,
		`checksum = "` + hex32 + hex32 + `"`, "index 3f6576c..9f86d08 100644", "Merge: 3f6576c 9f86d08", "data:image/png;base64,iVBORw0KGgo" + random,
		"!function(e,t){var n=e.token,r=t.key;return n&&r?n(r):void 0}(this);", "var s={token:e.token,secret:t.secret,password:n.password};",
		"  secretKeyRef:\n    name: db\n    key: password", "  secretName: tls-cert", "imagePullSecrets:\n- name: regcred", "resourceVersion: \"123456\"\n  uid: " + uuid,
		"  + password = (sensitive value)", "  ~ token    = (known after apply)", "      + key_id = (known after apply)", "Plan: 3 to add, 0 to change, 1 to destroy.",
		"DB_PASSWORD=\nAPI_TOKEN=<token>\nSECRET_KEY=${SECRET_KEY}\nAPI_KEY=YOUR_API_KEY\nSTRIPE_KEY=xxxxxxxx",
		"curl -u ann https://x.example", "a::token::b", "std::string token;", "x --- y -- z - w", "2001:db8::1", "12:30:45",
	} {
		if got := Redact(text); got != text {
			t.Errorf("Redact(%q)\n got %q", text, got)
		}
	}
}

// In JSON, a value is redacted because of its member's name, a sibling member or the preceding
// argument.
func TestBoundRedacts(t *testing.T) {
	for in, want := range map[string]string{
		`{"password":"a","n":1}`:                                                           `{"password":"[redacted]","n":1}`,
		`{"env":{"DB_PASSWORD":"a","PATH":"/bin"}}`:                                        `{"env":{"DB_PASSWORD":"[redacted]","PATH":"/bin"}}`,
		`{"headers":{"Authorization":"Bearer x"}}`:                                         `{"headers":{"Authorization":"[redacted]"}}`,
		`[["Cookie","a=b"],["Accept","*"]]`:                                                `[["Cookie","[redacted]"],["Accept","*"]]`,
		`{"argv":["tool","--token","a","--port","1"]}`:                                     `{"argv":["tool","--token","[redacted]","--port","1"]}`,
		`{"env":[{"name":"API_KEY","value":"a"}]}`:                                         `{"env":[{"name":"API_KEY","value":"[redacted]"}]}`,
		`{"env":[{"value":"a","name":"API_KEY"}]}`:                                         `{"env":[{"value":"[redacted]","name":"API_KEY"}]}`,
		`[{"Value":"a","Key":"PORT"},{"Value":"b","Key":"DB_PASSWORD","X":{"value":"c"}}]`: `[{"Value":"a","Key":"PORT"},{"Value":"[redacted]","Key":"DB_PASSWORD","X":{"value":"c"}}]`,
		`{"headers":[{"value":["x"],"name":"Cookie"},{"value":5,"name":"n"}]}`:             `{"headers":[{"value":["[redacted]"],"name":"Cookie"},{"value":5,"name":"n"}]}`,
		`{"name":"token.go","value":"package main"}`:                                       `{"name":"token.go","value":"package main"}`,
		`{"secrets":{"a":"b","c":["d"]}}`:                                                  `{"secrets":{"a":"[redacted]","c":["[redacted]"]}}`,
		`{"password":{"type":"string"}}`:                                                   `{"password":{"type":"string"}}`,
		`{"token":123456,"secret":null,"api_key":""}`:                                      `{"token":"[redacted]","secret":null,"api_key":""}`,
		`{"max_tokens":4096,"tokens":["a"]}`:                                               `{"max_tokens":4096,"tokens":["a"]}`,
		`{"command":"mysql -phunter2 db"}`:                                                 `{"command":"mysql -p[redacted] db"}`,
		`{"text":"pass\u0000word=hunter2"}`:                                                `{"text":"password=[redacted]"}`,
		`password=hunter2 is not JSON`:                                                     `{"raw":"password=[redacted] is not JSON"}`,
	} {
		if got := string(Bound(jsontext.Value(in))); got != want {
			t.Errorf("Bound(%s)\n got %s\nwant %s", in, got, want)
		}
	}
}

// A secret after a name that announces it never survives, whatever text surrounds it. Redacting a
// second time changes nothing.
func TestSecretsNeverSurvive(t *testing.T) {
	frames := []string{
		"DB_PASSWORD=%s", "export API_TOKEN='%s'", "password: \"%s\"", "--password '%s' x", "--token=%s", "postgres://u:%s@h/d",
		"Authorization: Bearer %s", "\"client_secret\":\"%s\"", "mysql -p%s db", "Cookie: sid=%s", "curl -u a:%s url", "AWS_SECRET_ACCESS_KEY=%s",
	}
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9+/_-]{7,20}[0-9]`).Draw(t, "secret")
		noise := rapid.StringN(0, 40, 120).Draw(t, "noise")
		if strings.Contains(noise, secret) {
			return
		}
		text := contracts.CleanText(noise) + "\n" + fmt.Sprintf(rapid.SampledFrom(frames).Draw(t, "frame"), secret) + "\n" + contracts.CleanText(noise)
		got := Redact(text)
		if strings.Contains(got, secret) {
			t.Fatalf("%q survived in %q", secret, got)
		}
		if again := Redact(got); again != got {
			t.Fatalf("again: %q became %q", got, again)
		}
		v := Bound(Value(map[string]any{"text": text, "list": []string{text}}))
		if !v.IsValid() || strings.Contains(string(v), secret) {
			t.Fatalf("%q in %s", secret, v)
		}
	})
}

// A quoted secret never survives, even if it contains spaces or punctuation.
func TestQuotedSecretsNeverSurvive(t *testing.T) {
	frames := []string{
		"PASSWORD='%s'", "password = \"%s\"", "\"api_key\": \"%s\",", "--token '%s' x", "sshpass -p '%s' ssh", "'secret' => '%s'", "Authorization: \"Bearer %s\"",
		`{\"password\":\"%s\"}`, "my_password: '%s' # note", "curl --user \"ann:%s\" url",
	}
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-zA-Z0-9][ !#-&(-\[\]-~]{6,20}[0-9]`).Draw(t, "secret")
		frame := rapid.SampledFrom(frames).Draw(t, "frame")
		got := Redact("before\n" + fmt.Sprintf(frame, secret) + "\nafter")
		if strings.Contains(got, secret) || strings.Contains(got, secret[len(secret)-5:]) {
			t.Fatalf("%q survived in %q", secret, got)
		}
		if !strings.HasPrefix(got, "before\n") || !strings.HasSuffix(got, "\nafter") {
			t.Fatalf("the surrounding text became %q", got)
		}
	})
}

// BenchmarkRedact redacts 1 MiB of typical tool output and of texts designed to be slow to redact.
func BenchmarkRedact(b *testing.B) {
	line := "2026-11-15T20:00:00Z level=info msg=\"request done\" path=/v1/x?token=abc status=200 user_id=42 took=1.5ms\n" +
		"func (s *server) handle(w http.ResponseWriter, r *http.Request) { key := r.Header.Get(\"X\"); s.log(key) }\n"
	hostile := map[string]string{
		"ordinary": line, "colons": ":", "equals": "a=", "flags": " -p", "prefixes": "sk- ghp_ eyJ ", "names": "password:", "uris": "http://a:",
		"quotes": "password=\"", "calls": "token=f(", "tokens": "eyJ-sk-", "curls": "curl,-u,", "headers": "authorization: a b ", "variables": "password=$(", "pem": "-----BEGIN PRIVATE KEY-----", "words": "password aB3 ", "elements": "<password>", "pairs": "name: token\nvalue:", "json": `{\"password\":`,
		"services": "discord=", "near": "facebook ", "blocks": "password: |\n  a\n", "phrases": "password is correct horse ", "lines": "password:\n  a\n", "bots": "12345678:A",
		"sendgrid": "SG.", "azure": "0q~", "azure tokens": "ab8Q~cdef ", "colours": "\x1b[31m", "diff": "\n-password", "tags": "<add value=", "triples": `password="""`, "setters": "setx token ",
	}
	for name, piece := range hostile {
		text := strings.Repeat(piece, 1<<20/len(piece))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Redact(text)
			}
		})
	}
}
