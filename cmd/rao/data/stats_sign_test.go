package data_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/gaussian"
	"rao/internal/testkit"
)

// A pair of keys that openssl genpkey -algorithm ed25519 and openssl pkey -pubout wrote.
const (
	siteKey = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIHW6Vp1HFLGR4ihEEHfhLwNzRA2PSKgaNG0J+IqjeQNN\n" +
		"-----END PRIVATE KEY-----"
	sitePublic = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAeBItR6ftWyJje6ya1MRQljanTzwRTd4h/skRc+dsRFk=\n" +
		"-----END PUBLIC KEY-----"
)

// A coordinator accepts only files that their sites signed: no unsigned files, no files signed by others, and no
// altered files with matching digests.
func TestSignedStatistics(t *testing.T) {
	key, public := written(t, "site.key", siteKey), written(t, "site.pub", sitePublic)
	strangerPublic, strangerKey := testkit.Must2(ed25519.GenerateKey(nil))(t)
	der := testkit.Must(x509.MarshalPKIXPublicKey(strangerPublic))(t)
	stranger := written(t, "stranger.pub", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})))
	der = testkit.Must(x509.MarshalPKCS8PrivateKey(strangerKey))(t)
	strangers := written(t, "stranger.key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))

	dir := t.TempDir()
	a, b, all := filepath.Join(dir, "a.npz"), filepath.Join(dir, "b.npz"), filepath.Join(dir, "all.npz")
	table := tableOf("x,y,label", "p", "q", "p", "q", "p", "q", "p", "q", "p", "q", "p", "q")
	tooltest.Succeeds(t, "stats", "--data", written(t, "a.csv", table[:7]...), "--out", a)
	tooltest.Succeeds(t, "stats", "--data", written(t, "b.csv", append(table[:1:1], table[7:]...)...), "--out", b)
	merge := []string{"stats", "merge", a, b, "--signed-by", stranger, "--signed-by", public, "--out", all}
	tooltest.Succeeds(t, "stats", "sign", a, "--key", key)
	refused(t, merge, b, "not signed", ".sig")
	tooltest.Succeeds(t, "stats", "sign", b, "--key", strangers)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	tooltest.Succeeds(t, merge...)
	refused(t, append(merge, "--subclasses", "2"), "--subclasses")
	refused(t, []string{"stats", "merge", a, a, "--signed-by", public, "--out", all}, a, "--allow-overlap")
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("copies of signed files are left: %v, %v", left, err)
	}
	tooltest.Succeeds(t, "verify", a, "--signed-by", public)
	refused(t, []string{"verify", a, "--signed-by", stranger}, "failed the check")
	refused(t, []string{"stats", "merge", a, b, "--signed-by", public, "--out", all}, b, "none of the given keys")
	refused(t, []string{"verify", a, "--signed-by", key}, "private key")
	refused(t, []string{"stats", "sign", a, "--key", public}, "public key")
	refused(t, []string{"verify", a, "--signed-by", written(t, "none.pub", "no key")}, "PUBLIC KEY")

	poisoned := testkit.Must(gaussian.ReadFile(a))(t)
	poisoned.Means[0] += 100
	if err := poisoned.WriteFile(a); err != nil { // with digests of its own
		t.Fatal(err)
	}
	tooltest.Succeeds(t, "verify", a)
	refused(t, merge, a, "changed after it was signed")
	whole := testkit.Must(os.ReadFile(b))(t)
	testkit.NoError(t, os.WriteFile(b, testkit.Reseal(whole), 0o600))
	refused(t, []string{"verify", b, "--signed-by", stranger}, "failed the check")
	for _, text := range []string{"", "rao signature 1\n", "rao signature 1\nsha256 x\nkey y\nsignature AAAA\n"} {
		testkit.NoError(t, os.WriteFile(a+".sig", []byte(text), 0o600))
		refused(t, merge, a+".sig")
	}
}
