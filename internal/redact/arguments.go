package redact

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// form says how an option of one letter takes its value. Long options take it after a space or an equals sign.
type form uint8

const (
	joined form = 1 << iota // -pX
	apart                   // -p X
	either = joined | apart
)

// argument says with which options a program takes a password.
type argument struct {
	programs string // separated by commas; with a subcommand where only that one takes passwords
	options  string // separated by spaces
	form     form
	after    string // where in the value the password begins, as in user:password; "": at its start
}

// arguments returns the table of programs that take passwords on their command lines. To add one: a line here,
// and a line in arguments_test.go.
//
//size:ok a table
func arguments() []argument {
	return []argument{
		// Databases.
		{"mysql,mysqldump,mysqladmin,mysqlimport,mysqlcheck,mysqlshow,mysqlsh,mysqlpump,mariadb,mariadb-dump,mariadb-admin,mycli", "-p --password", joined, ""},
		{"redis-cli,valkey-cli,keydb-cli", "-a --pass", apart, ""},
		{"mongo,mongosh,mongodump,mongorestore,mongoexport,mongoimport", "-p --password", either, ""},
		{"sqlcmd,bcp", "-P", either, ""},
		{"cqlsh", "-p --password", apart, ""},
		{"clickhouse-client,clickhouse client", "--password", apart, ""},
		{"influx,influxd", "-p -password --password --token -t", apart, ""},

		// Transfers and requests.
		{"curl", "-u --user -U --proxy-user", either, ":"},
		{"curl", "--oauth2-bearer --pass --proxy-pass --tlspassword", apart, ""},
		{"wget,wget2,aria2c", "--password --http-password --http-passwd --ftp-password --proxy-password --proxy-passwd",
			apart, ""},
		{"http ,https ,xh ,xhs ,httpie", "-a --auth", apart, ":"},
		{"lftp", "-u --user", apart, ","},
		{"ncftpput,ncftpget,ncftp", "-p", either, ""},
		{"mosquitto_pub,mosquitto_sub", "-P --pw", apart, ""},
		{"rabbitmqadmin", "-p --password", apart, ""},
		{"mutt,sendemail,swaks", "-xp -ap --auth-password", apart, ""},

		// Logging in to machines and directories.
		{"sshpass", "-p", either, ""},
		{"plink,pscp,psftp", "-pw", apart, ""},
		{"ldapsearch,ldapadd,ldapmodify,ldapdelete,ldapcompare,ldapmodrdn,ldapwhoami,ldapexop", "-w", either, ""},
		{"ldappasswd", "-w -s -a", either, ""},
		{"smbclient,rpcclient,smbget,smbcacls,winexe", "-U --user", either, "%"},
		{"smbmap,crackmapexec,netexec,evil-winrm", "-p", apart, ""},
		{"ipmitool", "-P", either, ""},
		{"snmpget,snmpwalk,snmpset,snmpbulkwalk", "-A -X", apart, ""},
		{"rdesktop", "-p", either, ""},
		{"xfreerdp,wlfreerdp", "/p:", joined, ""},
		{"vncviewer", "-passwd", apart, ""},
		{"useradd,usermod", "-p --password", apart, ""},

		// Archives, certificates and files.
		{"7z,7za,7zz,7zr", "-p", joined, ""},
		{"zip ,unzip", "-P --password", either, ""},
		{"rar ,unrar", "-p -hp", joined, ""},
		{"openssl", "-passin -passout -pass", apart, "pass:"},
		{"openssl", "-k", apart, ""},
		{"keytool,jarsigner,apksigner", "-storepass -keypass -srcstorepass -deststorepass -new --ks-pass --key-pass",
			apart, ""},
		{"apksigner", "--ks-pass --key-pass", apart, "pass:"},
		{"signtool", "/p", apart, ""},
		{"gpg,gpg2", "--passphrase", apart, ""},
		{"pdftotext,pdfinfo,pdfimages,pdftoppm", "-upw -opw", apart, ""},
		{"pdftk", "input_pw user_pw owner_pw", apart, ""},
		{"qpdf", "--password", apart, ""},
		{"ssh-keygen", "-N -P", either, ""},

		// Clouds, clusters and packages.
		{"docker login,podman login,nerdctl login,buildah login,skopeo login,crane auth login,oras login,helm registry login", "-p --password", either, ""},
		{"helm", "--password", apart, ""},
		{"skopeo", "--creds --src-creds --dest-creds", apart, ":"},
		{"az login,az acr login", "-p --password", apart, ""},
		{"az ad ", "--password", apart, ""},
		{"oc login", "-p --password --token", apart, ""},
		{"kubectl,oc create", "--password --docker-password --token", apart, ""},
		{"kubectl,oc create", "--from-literal", apart, "="},
		{"cf login,ibmcloud login", "-p --apikey", apart, ""},
		{"aws configure set", "aws_secret_access_key aws_session_token", apart, ""},
		{"gh secret set,glab variable set", "-b --body -v --value", either, ""},
		{"twine upload", "-p --password", apart, ""},
		{"nuget push,dotnet nuget", "-k --api-key -ApiKey -Password --password", apart, ""},
		{"svn ", "--password", apart, ""},
	}
}

// option is a way in which one program takes a password.
type option struct {
	name  string
	form  form
	after string
}

// byProgram is the table by the names of programs.
var byProgram = sync.OnceValue(func() map[string][]option {
	programs := map[string][]option{}
	for _, a := range arguments() {
		for program := range strings.SplitSeq(a.programs, ",") {
			for name := range strings.FieldsSeq(a.options) {
				programs[program] = append(programs[program], option{name, a.form, a.after})
			}
		}
	}
	return programs
})

// programs returns the names of the programs of the table, sorted.
func programs() []string { return slices.Sorted(maps.Keys(byProgram())) }

// takes reports whether a word is the option, and where the value begins in it: at its end if it is in the next
// word.
func (o option) takes(word string) (value int, ok bool) {
	rest, found := strings.CutPrefix(word, o.name)
	switch {
	case !found: // -su, several in one word
		several := len(o.name) == 2 && o.form&apart != 0 && len(word) <= 6 && lettersAfterDash(word)
		return len(word), several && word[len(word)-1] == o.name[1]
	case rest == "":
		return len(word), true
	case rest[0] == '=' && len(o.name) > 2:
		return len(o.name) + 1, true
	default:
		return len(o.name), o.form&joined != 0 && !strings.HasPrefix(o.name, "--")
	}
}

// lettersAfterDash reports whether a word is a dash and letters.
func lettersAfterDash(word string) bool {
	return len(word) > 2 && word[0] == '-' && strings.IndexFunc(word[1:],
		func(r rune) bool { return r > '~' || !isAlnum(byte(r)) || isDigit(byte(r)) }) < 0
}
