package redact

// lits makes a list of literals.
func lits(s ...string) []string { return s }

// rules returns the table of kinds. To add one: a line here, and a line with two shapes of it in
// kinds_test.go. The first that finds some bytes names them, so special kinds come before general ones.
//
//size:ok a table
func rules() []row {
	return []row{
		// Version control and packages.
		{kind: "github-token", literals: lits("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), pattern: `gh[pousr]_[A-Za-z0-9]{36,}`},
		{kind: "github-fine-grained-token", literals: lits("github_pat_"), pattern: `github_pat_[A-Za-z0-9_]{36,}`},
		{kind: "gitlab-token", literals: lits("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-", "glimt-", "glffct-"), pattern: `gl[a-z]{2,5}-[A-Za-z0-9_.-]{19,}[A-Za-z0-9_-]`},
		{kind: "bitbucket-token", literals: lits("ATBB"), pattern: `ATBB[A-Za-z0-9]{28,}`},
		{kind: "atlassian-token", literals: lits("ATATT3"), pattern: `ATATT3[A-Za-z0-9_=-]{100,}`},
		{kind: "npm-token", literals: lits("npm_"), pattern: `npm_[A-Za-z0-9]{36}`},
		{kind: "pypi-token", literals: lits("pypi-Ag"), pattern: `pypi-Ag[A-Za-z0-9_-]{50,}`},
		{kind: "rubygems-key", literals: lits("rubygems_"), pattern: `rubygems_[a-f0-9]{48}`},
		{kind: "crates-token", literals: lits("cio"), word: true, pattern: `cio[A-Za-z0-9]{32}`, entropy: 3.5},
		{kind: "nuget-key", literals: lits("oy2"), word: true, pattern: `oy2[a-z0-9]{43}`, entropy: 3.5},
		{kind: "gitlab-runner-token", literals: lits("GR1348941"), pattern: `GR1348941[A-Za-z0-9_-]{20}`},
		{kind: "sourcegraph-token", literals: lits("sgp_"), word: true, pattern: `sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}`},
		{kind: "sonar-token", literals: lits("squ_", "sqp_", "sqa_"), word: true, pattern: `sq[upa]_[A-Za-z0-9]{40}`},
		{kind: "artifactory-token", literals: lits("AKCp", "cmVmdGtu"), word: true, pattern: `AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56}`},
		{kind: "clojars-token", literals: lits("CLOJARS_"), pattern: `CLOJARS_[a-z0-9]{60}`},
		{kind: "docker-token", literals: lits("dckr_pat_", "dckr_oat_"), pattern: `dckr_[po]at_[A-Za-z0-9_-]{27,}`},

		// Models.
		{kind: "anthropic-key", literals: lits("sk-ant-"), pattern: `sk-ant-[A-Za-z0-9_-]{20,}`},
		{kind: "openai-key", literals: lits("sk-proj-", "sk-svcacct-", "sk-admin-"), pattern: `sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}`},
		{kind: "openrouter-key", literals: lits("sk-or-v1-"), pattern: `sk-or-v1-[a-f0-9]{64}`},
		{kind: "sk-key", literals: lits("sk-"), word: true, pattern: `sk-[A-Za-z0-9]{32,}`, entropy: 3.5},
		{kind: "huggingface-token", literals: lits("hf_", "api_org_"), word: true, pattern: `(?:hf|api_org)_[A-Za-z0-9]{30,}`, entropy: 3.5},
		{kind: "replicate-token", literals: lits("r8_"), word: true, pattern: `r8_[A-Za-z0-9]{37}`, entropy: 3.5},
		{kind: "groq-key", literals: lits("gsk_"), pattern: `gsk_[A-Za-z0-9]{40,}`},
		{kind: "perplexity-key", literals: lits("pplx-"), pattern: `pplx-[A-Za-z0-9]{40,}`},
		{kind: "xai-key", literals: lits("xai-"), pattern: `xai-[A-Za-z0-9]{60,}`},

		// Clouds.
		{kind: "aws-access-key-id", literals: lits("AKIA", "ASIA", "ABIA", "ACCA"), word: true, pattern: `A[KSBC]IA[A-Z2-7]{16}|ACCA[A-Z2-7]{16}`},
		{kind: "aws-secret-key", literals: lits("secret_access_key", "secretaccesskey", "secret-access-key", "aws_secret_key"), fold: true, value: `[A-Za-z0-9/+]{40}`, entropy: 3.5},
		{kind: "aws-session-token", literals: lits("session_token", "sessiontoken"), fold: true, value: `[A-Za-z0-9/+%]{100,}={0,2}`, entropy: 3.5},
		{kind: "aws-bedrock-key", literals: lits("ABSK", "bedrock-api-key-"), pattern: `ABSK[A-Za-z0-9+/]{100,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=_-]{20,}`},
		{kind: "google-api-key", literals: lits("AIza"), pattern: `AIza[A-Za-z0-9_-]{35}`},
		{kind: "google-oauth-secret", literals: lits("GOCSPX-"), pattern: `GOCSPX-[A-Za-z0-9_-]{28}`},
		{kind: "google-oauth-token", literals: lits("ya29."), pattern: `ya29\.[A-Za-z0-9_-]{20,}`},
		{kind: "azure-storage-key", literals: lits("AccountKey", "account_key"), fold: true, value: `[A-Za-z0-9+/]{86}==`},
		{kind: "azure-sas", literals: lits("sig="), word: true, pattern: `sig=([A-Za-z0-9%+/=_-]{40,})`},
		{kind: "azure-client-secret", literals: lits("Q~"), before: 4, pattern: `[A-Za-z0-9_~.-]{3}[0-9]Q~(?:[A-Za-z0-9_~.-]{34}|[A-Za-z0-9_~-]{31,33})`},
		{kind: "digitalocean-token", literals: lits("dop_v1_", "doo_v1_", "dor_v1_"), pattern: `do[opr]_v1_[a-f0-9]{64}`},
		{kind: "alibaba-key-id", literals: lits("LTAI"), word: true, pattern: `LTAI[A-Za-z0-9]{12,24}`, entropy: 3},
		{kind: "heroku-key", literals: lits("HRKU-"), pattern: `HRKU-[A-Za-z0-9_-]{36,}`},
		{kind: "databricks-token", literals: lits("dapi"), word: true, pattern: `dapi[a-f0-9]{32}(?:-[0-9])?`},
		{kind: "doppler-token", literals: lits("dp.pt.", "dp.st.", "dp.ct.", "dp.sa."), pattern: `dp\.[a-z]{2}\.[A-Za-z0-9._-]{40,}`},
		{kind: "planetscale-token", literals: lits("pscale_"), pattern: `pscale_(?:pw|tkn|oauth)_[A-Za-z0-9_.=-]{32,}`},
		{kind: "vault-token", literals: lits("hvs.", "hvb.", "hvr."), word: true, pattern: `hv[sbr]\.[A-Za-z0-9_-]{24,}`},
		{kind: "terraform-token", literals: lits(".atlasv1."), before: 14, pattern: `[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}`},
		{kind: "pulumi-token", literals: lits("pul-"), word: true, pattern: `pul-[a-f0-9]{40}`},
		{kind: "cloudflare-origin-key", literals: lits("v1.0-"), pattern: `v1\.0-[a-f0-9]{24}-[a-f0-9]{146}`},
		{kind: "openshift-token", literals: lits("sha256~"), pattern: `sha256~[A-Za-z0-9_-]{43}`},
		{kind: "harness-token", literals: lits("pat.", "sat."), word: true, pattern: `[ps]at\.[A-Za-z0-9_-]{22}\.[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{20}`},
		{kind: "clickhouse-key", literals: lits("4b1d"), word: true, pattern: `4b1d[A-Za-z0-9]{38}`, accept: mixed},
		{kind: "scalingo-token", literals: lits("tk-us-"), pattern: `tk-us-[A-Za-z0-9_-]{48}`},
		{kind: "prefect-key", literals: lits("pnu_"), word: true, pattern: `pnu_[A-Za-z0-9]{36}`},
		{kind: "fly-token", literals: lits("fm1r_", "fm1a_", "fm2_", "fo1_"), pattern: `f(?:m1r|m1a|m2|o1)_[A-Za-z0-9+/=_-]{40,}`},

		// Services.
		{kind: "slack-token", literals: lits("xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"), pattern: `(?:xoxe\.)?(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}`},
		{kind: "slack-webhook", literals: lits("hooks.slack.com"), pattern: `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{20,})`},
		{kind: "discord-webhook", literals: lits("/api/webhooks/"), pattern: `/api/webhooks/([0-9]{16,20}/[A-Za-z0-9_-]{60,})`},
		{kind: "teams-webhook", literals: lits("webhook.office.com"), pattern: `webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,})`},
		{kind: "telegram-token", literals: lits(":AA"), run: true, pattern: `(?:[A-Za-z0-9_-]*?[^0-9])?([0-9]{8,10}:AA[A-Za-z0-9_-]{33})`},
		{kind: "stripe-key", literals: lits("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"), pattern: `[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}`},
		{kind: "stripe-webhook-secret", literals: lits("whsec_"), pattern: `whsec_[A-Za-z0-9+/=]{32,}`},
		{kind: "twilio-key", literals: lits("SK"), word: true, pattern: `SK[a-fA-F0-9]{32}`},
		{kind: "sendgrid-key", literals: lits("SG."), word: true, pattern: `SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`},
		{kind: "mailgun-key", literals: lits("key-"), word: true, pattern: `key-[a-f0-9]{32}`},
		{kind: "mailchimp-key", literals: lits("-us"), before: 32, word: true, pattern: `[a-f0-9]{32}-us[0-9]{1,2}`},
		{kind: "shopify-token", literals: lits("shpat_", "shpca_", "shppa_", "shpss_"), pattern: `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`},
		{kind: "square-token", literals: lits("sq0atp-", "sq0csp-", "sq0idp-", "EAAA"), word: true, pattern: `sq0[a-z]{3}-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{22,60}`},
		{kind: "linear-key", literals: lits("lin_api_"), pattern: `lin_api_[A-Za-z0-9]{32,}`},
		{kind: "notion-token", literals: lits("ntn_", "secret_"), word: true, pattern: `(?:ntn|secret)_[A-Za-z0-9]{43,46}`, entropy: 3.5},
		{kind: "figma-token", literals: lits("figd_"), pattern: `figd_[A-Za-z0-9_-]{36,}`},
		{kind: "postman-key", literals: lits("PMAK-"), pattern: `PMAK-[a-f0-9]{24}-[a-f0-9]{34}`},
		{kind: "grafana-token", literals: lits("glsa_", "glc_", "eyJrIjoi"), pattern: `eyJrIjoi[A-Za-z0-9]{70,}|glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,2}`},
		{kind: "newrelic-key", literals: lits("NRAK-", "NRII-", "NRJS-"), pattern: `NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9-]{32}|NRJS-[a-f0-9]{19}`},
		{kind: "sentry-token", literals: lits("sntrys_", "sntryu_"), pattern: `sntry[su]_[A-Za-z0-9+/=_-]{60,}`},
		{kind: "onepassword-token", literals: lits("ops_eyJ", "A3-"), word: true, pattern: `ops_eyJ[A-Za-z0-9+/=]{50,}|A3-[A-Z0-9]{6}-[A-Z0-9]{6}(?:-[A-Z0-9]{5}){4}|A3-[A-Z0-9]{6}-[A-Z0-9]{11}(?:-[A-Z0-9]{5}){3}`},
		{kind: "facebook-token", literals: lits("EAAM", "EAAC"), word: true, pattern: `EAA[MC][A-Za-z0-9]{100,}`},
		{kind: "mapbox-token", literals: lits("sk.eyJ"), pattern: `sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{22}`},
		{kind: "duffel-token", literals: lits("duffel_test_", "duffel_live_"), pattern: `duffel_(?:test|live)_[A-Za-z0-9_=-]{43}`},
		{kind: "easypost-key", literals: lits("EZAK", "EZTK"), word: true, pattern: `EZ[AT]K[A-Za-z0-9]{54}`},
		{kind: "flutterwave-key", literals: lits("FLWSECK_TEST-", "FLWSECK-"), pattern: `FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?`},
		{kind: "frameio-token", literals: lits("fio-u-"), pattern: `fio-u-[A-Za-z0-9_=-]{64}`},
		{kind: "intra42-secret", literals: lits("s-s4t2ud-", "s-s4t2af-"), pattern: `s-s4t2[a-z]{2}-[a-f0-9]{64}`},
		{kind: "settlemint-token", literals: lits("sm_aat_", "sm_pat_", "sm_sat_"), pattern: `sm_[aps]at_[A-Za-z0-9]{16}`},
		{kind: "infracost-key", literals: lits("ico-"), word: true, pattern: `ico-[A-Za-z0-9]{32}`},
		{kind: "maxmind-key", literals: lits("_mmk"), before: 36, pattern: `[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk`},
		{kind: "octopus-key", literals: lits("API-"), word: true, pattern: `API-[A-Z0-9]{26}`, accept: mixed},
		{kind: "plaid-token", literals: lits("access-sandbox-", "access-development-", "access-production-"), pattern: `access-[a-z]{7,11}-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}`},
		{kind: "readme-key", literals: lits("rdme_"), pattern: `rdme_[a-z0-9]{70}`},
		{kind: "brevo-key", literals: lits("xkeysib-"), pattern: `xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}`},
		{kind: "shippo-token", literals: lits("shippo_live_", "shippo_test_"), pattern: `shippo_(?:live|test)_[a-fA-F0-9]{40}`},
		{kind: "typeform-token", literals: lits("tfp_"), word: true, pattern: `tfp_[A-Za-z0-9_.=-]{59}`},
		{kind: "dynatrace-token", literals: lits("dt0c01."), pattern: `dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}`},

		// Keys and tokens of no one service.
		{kind: privateKey, literals: lits("-----BEGIN"), parse: keyAfterBegin},
		{kind: privateKey, literals: lits("-----END"), parse: keyBeforeEnd},
		{kind: privateKey, literals: keyStarts, parse: keyWithoutBegin},
		{kind: "age-key", literals: lits("AGE-SECRET-KEY-1"), pattern: `AGE-SECRET-KEY-1[0-9A-Z]{58}`},
		{kind: "jwt", literals: lits(".eyJ"), run: true, window: 2 * maxBefore, pattern: `[A-Za-z0-9_-]*?(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,})`},
		{kind: "bearer-token", literals: lits("bearer"), fold: true, word: true, pattern: `bearer {1,4}([A-Za-z0-9._~+/-]{16,}={0,2})`, entropy: 3, accept: mixed},
		{kind: "basic-credentials", literals: lits("basic"), fold: true, word: true, pattern: `basic {1,4}([A-Za-z0-9+/_-]{8,}={0,2})`, accept: userAndPassword},

		// In files of programs.
		{kind: "url-password", literals: lits("://"), pattern: `://[^\s/?#"'\\<>@:%]*:([^\s/?#"'\\<>]+)@[A-Za-z0-9\[]`, accept: urlPassword},
		{kind: "cookie", literals: lits("cookie:"), fold: true, window: 4 << 10, pattern: `cookie: {0,4}([^\s"'\\=;:]+=[^\r\n"'\\]{12,})`},
		{kind: "session-cookie", literals: lits("_gitlab_session", "PHPSESSID", "JSESSIONID", "connect.sid", "ASP.NET_SessionId"), value: `[A-Za-z0-9%._+/-]{16,}`},
		{kind: "netrc-password", literals: lits("machine ", "default"), pattern: `(?:machine [^\s"'\\]+|default)` + gap + `(?:(?:login|account) [^\s"'\\+]+` + gap + `){0,2}password ([^\s"'\\]{4,})`, accept: isPassword},
		{kind: "connection-string", literals: lits("password=", "pwd=", "password =", "pwd ="), fold: true, pattern: `(?:password|pwd) ?= ?([^;\s"'\\<>{}()$]{4,256}); ?[a-z][a-z _]{1,30}=`, accept: isPassword},
		{kind: "connection-string", literals: lits(";password=", ";pwd=", "; password=", "; pwd="), fold: true, pattern: `; ?(?:password|pwd)=([^;\s"'\\<>{}()$]{4,256})`, accept: isPassword},
		{kind: "authorization", literals: lits("authorization"), fold: true, pattern: `authorization(?:\\*["'])? {0,2}[:=,] {0,2}(?:\\*["'])?(?:token|api-?key|key|bot|sso-key|geniekey|splunk|snowflake|negotiate) {1,2}(?:token=)?(?:\\*["'])?([A-Za-z0-9._~+/:=-]{12,})`,
			entropy: 3, accept: mixed},
		{kind: "pgpass-password", literals: lits(":5432:"), pattern: `:5432:[^\s:"'\\]+:[^\s:"'\\]+:([^\s"'\\]{4,})`},
		{kind: "docker-auth", literals: lits("auth"), value: `[A-Za-z0-9+/]{12,}={0,2}`, accept: userAndPassword},
		{kind: "npmrc-token", literals: lits("_authToken", "_auth"), value: `[A-Za-z0-9+/_-]{20,}={0,2}`, accept: mixed},
		{kind: "kubeconfig-key", literals: lits("client-key-data"), value: `[A-Za-z0-9+/]{100,}={0,2}`},
		{kind: "password-argument", literals: programs(), word: true, parse: commandPasswords},
		{kind: "oracle-password", literals: lits("sqlplus ", "sqlldr ", "expdp ", "impdp "), word: true, pattern: `[a-z]+(?: +-[A-Za-z]+)* +(?:userid=)?[A-Za-z_][A-Za-z0-9_$#]{0,30}/([^\s@/"'\\]{4,64})(?:@|\s|"|'|\\|$)`, accept: isPassword},
		{kind: "piped-password", literals: lits("--password-stdin", "--with-token", "sudo -S", "--stdin", "chpasswd", "--passphrase-fd", "-passin stdin", "-pass stdin", "kinit", "cryptsetup"),
			word: true, parse: pipedPassword},
		{kind: "terraform-default", literals: lits("variable "), word: true, parse: variableDefault},
		{kind: "password-variable", literals: lits("PGPASSWORD", "MYSQL_PWD", "SSHPASS", "REDISCLI_AUTH", "RESTIC_PASSWORD", "BORG_PASSPHRASE", "LDAP_BIND_PW", "VNC_PASSWORD",
			"SMB_PASSWORD", "CIFS_PASSWORD", "ANSIBLE_BECOME_PASS", "SUDO_PASSWORD"), word: true, value: `[^\s"'\\]{4,}`, accept: isPassword},
		{kind: "api-key", literals: lits("apikey", "api_key", "api-key", "access_key", "accesskey", "access-key", "auth_key", "authkey",
			"encryption_key", "encryptionkey", "signing_key", "signingkey", "private_key", "master_key", "secret_key", "secretkey", "secret-key"), fold: true},
		{kind: "key-variable", literals: lits("_KEY"), entropy: 3.3}, // ALGOLIA_ADMIN_KEY=…
		{kind: "password", literals: lits("password", "passwd", "passphrase", "_pass", "pgpass", "_pwd", "pwd"), fold: true},
		{kind: "secret", literals: lits("secret", "credential"), fold: true},
		{kind: "token", literals: lits("token"), fold: true, entropy: 3},
	}
}

// gap is space between words: in a line or over lines, escaped for JSON, with the marks that diffs and
// numbered lines begin with.
const gap = `(?:\s|\\+[nrt]|[>+-]|[0-9]{1,6}(?:→|[:|\t]|\\+t))+`
