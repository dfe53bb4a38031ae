package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// kinds has at least two shapes of every kind in rules.go: lines of text with {set:n} for n random bytes of
// a set and «…» around the secret where it is not the whole line. So no committed file holds what looks like
// a live secret. A kind is fixed when its prefix alone identifies it: then none may be missed.
//
//size:ok a table
var kinds = []struct {
	kind   string
	fixed  bool
	shapes []string
}{
	{"github-token", true, []string{"ghp_{an:36}", "ghs_{an:36}"}},
	{"github-fine-grained-token", true, []string{"github_pat_{an:22}_{an:59}", "github_pat_{an:82}"}},
	{"gitlab-token", true, []string{"glpat-{url:20}", "glrt-{an:20}", "glpat-{url:27}.01.{low:7}x"}},
	{"bitbucket-token", true, []string{"ATBB{an:32}", "ATBB{an:28}"}},
	{"atlassian-token", true, []string{"ATATT3{url:186}", "ATATT3xFfGF0{url:180}"}},
	{"npm-token", true, []string{"npm_{an:36}", "npm_{an:36}"}},
	{"pypi-token", true, []string{"pypi-AgEIcHlwaS5vcmc{url:70}", "pypi-AgENdGVzdC5weXBp{url:80}"}},
	{"rubygems-key", true, []string{"rubygems_{hex:48}", "rubygems_{hex:48}"}},
	{"crates-token", true, []string{"cio{an:32}", "cio{an:32}"}},
	{"nuget-key", true, []string{"oy2{low:43}", "oy2{low:43}"}},
	{"gitlab-runner-token", true, []string{"GR1348941{url:20}", "GR1348941{an:20}"}},
	{"sourcegraph-token", true, []string{"sgp_{hex:40}", "sgp_{hex:16}_{hex:40}"}},
	{"sonar-token", true, []string{"squ_{an:40}", "sqp_{hex:40}"}},
	{"artifactory-token", true, []string{"AKCp{an:69}", "cmVmdGtu{an:56}"}},
	{"clojars-token", true, []string{"CLOJARS_{low:60}", "CLOJARS_{low:60}"}},
	{"docker-token", true, []string{"dckr_pat_{url:27}", "dckr_oat_{url:32}"}},
	{"anthropic-key", true, []string{"sk-ant-api03-{url:93}AA", "sk-ant-oat01-{url:86}"}},
	{"openai-key", true, []string{"sk-proj-{url:120}", "sk-svcacct-{an:48}"}},
	{"openrouter-key", true, []string{"sk-or-v1-{hex:64}", "sk-or-v1-{hex:64}"}},
	{"sk-key", true, []string{"sk-{an:20}T3BlbkFJ{an:20}", "sk-{an:48}"}},
	{"huggingface-token", true, []string{"hf_{an:34}", "hf_{an:37}"}},
	{"replicate-token", true, []string{"r8_{an:37}", "r8_{an:37}"}},
	{"groq-key", true, []string{"gsk_{an:52}", "gsk_{an:48}"}},
	{"perplexity-key", true, []string{"pplx-{an:48}", "pplx-{an:56}"}},
	{"xai-key", true, []string{"xai-{an:80}", "xai-{an:64}"}},
	{"aws-access-key-id", true, []string{"AKIA{up:16}", "ASIA{up:16}"}},
	{"aws-secret-key", false, []string{"aws_secret_access_key = «{b64:40}»", "export AWS_SECRET_ACCESS_KEY=«{b64:40}»",
		`"secretAccessKey": "«{b64:40}»"`}},
	{"aws-session-token", false,
		[]string{"aws_session_token=«IQoJb3JpZ2lu{b64:300}»", `"SessionToken": "«FwoGZXIv{b64:200}»"`}},
	{"aws-bedrock-key", true, []string{"ABSK{an:128}", "bedrock-api-key-{an:100}"}},
	{"google-api-key", true, []string{"AIza{url:34}x", "https://maps.test/api?key=«AIza{url:34}x»"}},
	{"google-oauth-secret", true, []string{"GOCSPX-{url:27}x", `"client_secret":"«GOCSPX-{an:28}»"`}},
	{"google-oauth-token", true, []string{"ya29.{url:120}", "ya29.a0{an:60}"}},
	{"azure-storage-key", false,
		[]string{"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=«{b64:86}==»;EndpointSuffix=core.test",
			`account_key: "«{b64:86}==»"`}},
	{"azure-sas", false, []string{"https://shop.blob.test/c?sv=2022-11-02&sr=b&sig=«{an:43}%3D»",
		"https://shop.blob.test/c?sig=«{an:43}%3D»&sv=2022-11-02"}},
	{"azure-client-secret", true, []string{"{an:3}7Q~{an:34}", "{an:3}8Q~{url:33}x"}},
	{"digitalocean-token", true, []string{"dop_v1_{hex:64}", "doo_v1_{hex:64}"}},
	{"alibaba-key-id", true, []string{"LTAI{an:20}", "LTAI5t{an:18}"}},
	{"heroku-key", true, []string{"HRKU-AA{url:58}", "HRKU-{hex:36}"}},
	{"databricks-token", true, []string{"dapi{hex:32}", "dapi{hex:32}-2"}},
	{"doppler-token", true, []string{"dp.pt.{an:43}", "dp.st.prd.{an:40}"}},
	{"planetscale-token", true, []string{"pscale_tkn_{an:43}", "pscale_pw_{an:43}"}},
	{"vault-token", true, []string{"hvs.{url:90}", "hvb.{an:100}"}},
	{"terraform-token", true, []string{"{an:14}.atlasv1.{an:67}", `token = "«{an:14}.atlasv1.{url:67}»"`}},
	{"pulumi-token", true, []string{"pul-{hex:40}", "PULUMI_ACCESS_TOKEN=«pul-{hex:40}»"}},
	{"cloudflare-origin-key", true, []string{"v1.0-{hex:24}-{hex:146}", "v1.0-{hex:24}-{hex:146}"}},
	{"openshift-token", true, []string{"sha256~{url:42}x", "sha256~{an:43}"}},
	{"harness-token", true, []string{"pat.{an:22}.{hex:24}.{an:20}", "sat.{an:22}.{an:24}.{an:20}"}},
	{"clickhouse-key", true, []string{"4b1d{an:38}", "4b1d{an:38}"}},
	{"scalingo-token", true, []string{"tk-us-{url:48}", "tk-us-{an:48}"}},
	{"prefect-key", true, []string{"pnu_{an:36}", "pnu_{low:36}"}},
	{"fly-token", true, []string{"FlyV1 «fm2_{b64:120}»", "fo1_{url:43}"}},
	{"slack-token", true,
		[]string{"xoxb-{dig:12}-{dig:12}-{an:24}", "xapp-1-A{up:10}-{dig:12}-{hex:64}", "xoxe.xoxp-1-{an:120}"}},
	{"slack-webhook", true, []string{"https://hooks.slack.com/services/«T{up:8}/B{up:8}/{an:24}»",
		"https://hooks.slack.com/workflows/«T{up:8}/A{up:8}/{dig:18}/{an:24}»"}},
	{"discord-webhook", true, []string{"https://discord.com/api/webhooks/«{dig:18}/{url:68}»",
		"https://discordapp.com/api/webhooks/«{dig:19}/{url:68}»"}},
	{"teams-webhook", true,
		[]string{
			"https://shop.webhook.office.com/webhookb2/«{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}@{hex:36}/IncomingWebhook/{hex:32}»",
			"https://webhook.office.com/webhookb2/«{hex:36}@{hex:36}/IncomingWebhook/{hex:32}/{hex:36}»"}},
	{"telegram-token", true,
		[]string{"https://api.telegram.org/bot«{dig:9}:AA{url:33}»/getMe", "«{dig:10}:AA{url:33}»"}},
	{"stripe-key", true, []string{"sk_live_{an:24}", "rk_test_{an:99}"}},
	{"stripe-webhook-secret", true, []string{"whsec_{an:32}", "whsec_{b64:40}"}},
	{"twilio-key", true, []string{"SK{hex:32}", "SK{hex:32}"}},
	{"sendgrid-key", true, []string{"SG.{url:22}.{url:42}x", "SG.{an:22}.{an:43}"}},
	{"mailgun-key", true, []string{"key-{hex:32}", "key-{hex:32}"}},
	{"mailchimp-key", true, []string{"{hex:32}-us6", "{hex:32}-us21"}},
	{"shopify-token", true, []string{"shpat_{hex:32}", "shpss_{hex:32}"}},
	{"square-token", true, []string{"sq0atp-{url:22}", "sq0csp-{url:43}"}},
	{"linear-key", true, []string{"lin_api_{an:40}", "lin_api_{an:32}"}},
	{"notion-token", true, []string{"ntn_{an:46}", "secret_{an:43}"}},
	{"figma-token", true, []string{"figd_{url:40}", "figd_{an:40}"}},
	{"postman-key", true, []string{"PMAK-{hex:24}-{hex:34}", "PMAK-{hex:24}-{hex:34}"}},
	{"grafana-token", true, []string{"glsa_{an:32}_{hex:8}", "glc_eyJ{b64:120}"}},
	{"newrelic-key", true, []string{"NRAK-{up:27}", "NRAK-{up:27}"}},
	{"sentry-token", true, []string{"sntrys_{url:100}", "sntryu_{hex:64}"}},
	{"onepassword-token", true, []string{"ops_eyJ{an:250}", "A3-{up:6}-{up:6}-{up:5}-{up:5}-{up:5}-{up:5}"}},
	{"facebook-token", true, []string{"EAAC{an:160}", "EAAM{an:120}"}},
	{"mapbox-token", true, []string{"sk.eyJ{an:60}.{url:21}x", "sk.eyJ{an:80}.{an:22}"}},
	{"duffel-token", true, []string{"duffel_test_{url:42}x", "duffel_live_{an:43}"}},
	{"easypost-key", true, []string{"EZAK{an:54}", "EZTK{an:54}"}},
	{"flutterwave-key", true, []string{"FLWSECK_TEST-{hex:32}-X", "FLWSECK-{hex:32}-X"}},
	{"frameio-token", true, []string{"fio-u-{url:64}", "fio-u-{an:64}"}},
	{"intra42-secret", true, []string{"s-s4t2ud-{hex:64}", "s-s4t2af-{hex:64}"}},
	{"settlemint-token", true, []string{"sm_aat_{an:16}", "sm_pat_{an:16}"}},
	{"infracost-key", true, []string{"ico-{an:32}", "ico-{an:32}"}},
	{"maxmind-key", true, []string{"{an:6}_{an:29}_mmk", "{an:6}_{an:29}_mmk"}},
	{"octopus-key", true, []string{"API-{up:25}7", "API-{up:25}7"}},
	{"plaid-token", true, []string{"access-sandbox-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
		"access-production-{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}"}},
	{"readme-key", true, []string{"rdme_{low:70}", "rdme_{low:70}"}},
	{"brevo-key", true, []string{"xkeysib-{hex:64}-{an:16}", "xkeysib-{hex:64}-{an:16}"}},
	{"shippo-token", true, []string{"shippo_live_{hex:40}", "shippo_test_{hex:40}"}},
	{"typeform-token", true, []string{"tfp_{an:44}_{an:14}", "tfp_{url:58}x"}},
	{"dynatrace-token", true, []string{"dt0c01.{up:24}.{up:64}", "dt0c01.{up:24}.{up:64}"}},
	{"private-key", true, []string{pemShape("RSA PRIVATE KEY", 25), pemShape("OPENSSH PRIVATE KEY", 6),
		pemShape("PRIVATE KEY", 3), pemShape("PGP PRIVATE KEY BLOCK", 30)}},
	{"age-key", true, []string{"AGE-SECRET-KEY-1{up:58}", "# created: 2026\n«AGE-SECRET-KEY-1{up:58}»"}},
	{"jwt", true, []string{"eyJ{an:33}.eyJ{url:160}.{url:42}x", "eyJ{an:20}.eyJ{an:60}.{url:341}x"}},
	{"bearer-token", false,
		[]string{"Authorization: Bearer «{url:40}»", "curl -H 'authorization: bearer «{hex:32}»' https://shop.test"}},
	{"basic-credentials", false,
		[]string{"Authorization: Basic «{login:14}»", `headers["Authorization"] = "Basic «{login:20}»"`}},
	{"url-password", false,
		[]string{"postgres://shop:«{pw:14}»@db.test:5432/shop", "DATABASE_URL=mysql://root:«{pw:10}»@10.0.0.7/shop",
			"redis://:«{an:32}»@cache.test:6379", "https://bot:«{an:20}»@git.test/shop.git",
			"amqp://user:«{pw:12}»@mq.test//"}},
	{"cookie", false, []string{"Cookie: «sid={an:32}; theme=dark»", "set-cookie: «auth={url:60}; Path=/; HttpOnly»"}},
	{"session-cookie", false, []string{"PHPSESSID=«{low:26}»", "JSESSIONID=«{up:32}»"}},
	{"netrc-password", false, []string{"machine git.test login bot password «{pw:12}»",
		"machine git.test\n  login bot\n  password «{an:20}»"}},
	{"pgpass-password", false, []string{"db.test:5432:shop:admin:«{pw:12}»", "*:5432:*:postgres:«{an:20}»"}},
	{"docker-auth", false, []string{`{"auths":{"reg.test":{"auth":"«{login:14}»"}}}`, `"auth": "«{login:20}»"`}},
	{"npmrc-token", false, []string{"//registry.test/:_authToken=«{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}»",
		"//npm.test/:_authToken=«{an:40}»"}},
	{"kubeconfig-key", false,
		[]string{"    client-key-data: «LS0tLS1CRUdJTiB{b64:3100}==»", `"client-key-data": "«{b64:300}»"`}},
	{"password-argument", false,
		[]string{"mysql -u root -p«{pw:12}» shop", "curl -su bot:«{pw:12}» https://shop.test",
			"sshpass -p «{an:10}» ssh shop.test", "docker login -u bot -p «{pw:16}» reg.test",
			"redis-cli -h cache.test -a «{an:20}» ping", "wget --user bot --password=«{pw:12}» https://shop.test",
			"openssl rsa -in k.pem -passin pass:«{pw:12}»", "7z x -p«{an:12}» a.7z"}},
	{"oracle-password", false, []string{"sqlplus -S scott/«{an:10}»@shop", "sqlplus scott/«{an:12}»"}},
	{"piped-password", false,
		[]string{"echo «{pw:12}» | docker login -u bot --password-stdin reg.test",
			"docker login --password-stdin reg.test <<< «{an:20}»", "echo bot:«{pw:12}» | sudo chpasswd",
			"printf %s «{an:16}» | sudo -S true"}},
	{"terraform-default", false,
		[]string{"variable \"db_password\" {\n  type    = string\n  default = \"«{pw:12}»\"\n}",
			"variable \"deploy\" {\n  sensitive = true\n  default = \"«{an:20}»\"\n}"}},
	{"password-variable", false, []string{"PGPASSWORD=«{pw:12}» psql -h db.test", "export SSHPASS='«{pw:12}»'"}},
	{"connection-string", false,
		[]string{"Server=db.test;User Id=shop;Password=«{an:14}»;Encrypt=true", "Uid=shop;Pwd=«{an:12}»;"}},
	{"authorization", false,
		[]string{"Authorization: token «{hex:40}»", "curl -H 'Authorization: GenieKey «{an:36}»' https://api.test"}},
	{"api-key", false, []string{"API_KEY=«{an:32}»", `"apiKey": "«{hex:40}»"`, "x-api-key: «{an:40}»",
		`accessKey: '«{up:20}»'`, "https://api.test/v1?api_key=«{hex:32}»&page=2", "--api-key «{an:32}»"}},
	{"key-variable", false,
		[]string{"ALGOLIA_ADMIN_KEY=«{hex:32}»", `HEROKU_KEY: "«{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}»"`}},
	{"password", false,
		[]string{"password=«{pw:10}»", "DB_PASSWORD: «{pw:16}»", `password = "«{pw:12}»"`, `'passwd' => '«{pw:9}»',`,
			"<password>«{pw:12}»</password>", "pg_restore --password=«{pw:12}» shop",
			"spring.datasource.password=«{an:16}»", "ADMIN_PASSWORD=«{pw:12}» run", `dbPassword: "«{pw:14}»",`}},
	{"secret", false, []string{"client_secret=«{an:32}»", `"clientSecret": "«{url:40}»"`, "JWT_SECRET=«{b64:44}»",
		"app.secret: «{hex:64}»", `const secret = "«{an:24}»"`}},
	{"token", false, []string{"ACCESS_TOKEN=«{an:40}»", `"refresh_token":"«{url:60}»"`, "token: «{hex:40}»",
		"https://ci.test/hook?token=«{hex:32}»", `auth_token = '«{an:32}»'`, "--token «{an:40}»"}},
	{"ctxledger-token", true, []string{"ctxl_{hex:40}", "Bearer «ctxl_{hex:40}»"}},
}

// pemShape returns a block of a key with full lines of base64 and a shorter one.
func pemShape(label string, lines int) string {
	return "-----BEGIN " + label + "-----\n" + strings.Repeat("{b64:64}\n", lines) + "{b64:21}=\n-----END " +
		label + "-----"
}

// The sets of bytes that shapes name.
var sets = map[string]string{
	"an":    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	"url":   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
	"b64":   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	"up":    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"low":   "abcdefghijklmnopqrstuvwxyz0123456789",
	"hex":   "0123456789abcdef",
	"dig":   "0123456789",
	"login": "abcdefghijklmnopqrstuvwxyz0123456789!*^.-_~", // of a password, in base64 with a user's name
	"pw":    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*^.-_~",
}

// planted is a text with one secret, text[start:end].
type planted struct {
	kind, text string
	start, end int
}

// plant fills a shape with random bytes.
func plant(t testing.TB, r *rand.Rand, kind, shape string) planted {
	t.Helper()
	var b strings.Builder
	p := planted{kind: kind, start: 0, end: -1}
	for rest := shape; rest != ""; {
		i := strings.IndexAny(rest, "{«»")
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		rest = rest[i:]
		switch after, open := strings.CutPrefix(rest, "«"); {
		case open:
			p.start, rest = b.Len(), after
		case strings.HasPrefix(rest, "»"):
			p.end, rest = b.Len(), strings.TrimPrefix(rest, "»")
		default:
			rest = fill(t, r, &b, rest)
		}
	}
	if p.text = b.String(); p.end < 0 {
		p.end = len(p.text)
	}
	return p
}

// fill writes the random bytes that {set:n} at the start of shape asks for, or the brace itself.
func fill(t testing.TB, r *rand.Rand, b *strings.Builder, shape string) (rest string) {
	t.Helper()
	name, after, _ := strings.Cut(shape[1:], ":")
	number, after, ok := strings.Cut(after, "}")
	n, err := strconv.Atoi(number)
	set := sets[name]
	if !ok || err != nil || set == "" {
		b.WriteByte('{')
		return shape[1:]
	}
	p := make([]byte, n)
	for i := range p {
		p[i] = set[r.IntN(len(set))]
	}
	if name == "pw" { // people are made to use a letter and a digit
		p[0], p[n-1] = sets["an"][r.IntN(52)], sets["dig"][r.IntN(10)]
	}
	if name == "login" {
		p = base64.StdEncoding.AppendEncode(nil, append([]byte("shop:"), p...))
	}
	b.Write(p)
	return after
}

func TestEveryKindHasAUniqueNameAndShapes(t *testing.T) {
	if len(kinds) < 45 {
		t.Errorf("only %d kinds", len(kinds))
	}
	shapes := map[string]int{}
	for _, k := range kinds {
		shapes[k.kind] += len(k.shapes)
	}
	named := map[string]bool{}
	for _, w := range rules() {
		if named[w.kind] {
			continue // found in several ways
		}
		named[w.kind] = true
		if n := shapes[w.kind]; n < 2 {
			t.Errorf("%s has %d shapes in kinds_test.go, want two at least", w.kind, n)
		}
		delete(shapes, w.kind)
		if len(w.kind) > maxKind || maskLength([]byte(fmt.Sprintf("[masked:%s:00000000]", w.kind))) == 0 {
			t.Errorf("%s is no name for a mask", w.kind)
		}
	}
	for kind := range shapes {
		t.Errorf("%s is no rule", kind)
	}
	if n := len(builtin().filter.buckets); n > 255 {
		t.Errorf("the prefilter has %d buckets, more than a byte counts", n)
	}
}

func TestEveryShapeIsFoundUnderItsKind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, k := range kinds {
		for _, shape := range k.shapes {
			p := plant(t, r, k.kind, shape)
			found := New(nil).Find([]byte(p.text))
			if len(found) == 0 || found[0] != (Secret{p.start, p.end, p.kind}) {
				t.Errorf("%s: %q: found %v, want %d to %d", k.kind, p.text, found, p.start, p.end)
			}
		}
	}
}
