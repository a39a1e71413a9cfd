package signature_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rao/internal/signature"
	"rao/internal/testkit"
)

// A copy contains the bytes whose signature was checked, even if the file changes afterwards.
func TestCopyHoldsWhatWasSigned(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		testkit.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	private := write("site.key", "-----BEGIN PRIVATE KEY-----\n"+
		"MC4CAQAwBQYDK2VwBCIEIHW6Vp1HFLGR4ihEEHfhLwNzRA2PSKgaNG0J+IqjeQNN\n-----END PRIVATE KEY-----")
	public := write("site.pub", "-----BEGIN PUBLIC KEY-----\n"+
		"MCowBQYDK2VwAyEAeBItR6ftWyJje6ya1MRQljanTzwRTd4h/skRc+dsRFk=\n-----END PUBLIC KEY-----")
	keys := testkit.Must(signature.ReadKeys([]string{public}))(t)
	path := write("a.npz", "signed")
	testkit.Must(signature.Sign(path, private))(t)
	copied := testkit.Must(signature.Copy(path, keys, t.TempDir()))(t)
	write("a.npz", "replaced")
	testkit.EqualSlices(t, testkit.Must(os.ReadFile(copied))(t), []byte("signed"), "the copy holds")
	var changed *signature.NotSignedError
	if _, err := signature.Copy(path, keys, t.TempDir()); !errors.As(err, &changed) {
		t.Errorf("a file that was replaced before the copy: %v", err)
	}
}

// A signature of today is valid forever. The files of testdata/kept are never rewritten.
func TestKeptSignatureIsValid(t *testing.T) {
	keys := testkit.Must(signature.ReadKeys([]string{"testdata/kept/site.pub"}))(t)
	by := testkit.Must(signature.Verify("testdata/kept/a.txt", keys))(t)
	testkit.Equal(t, by.Name(), keys[0].Name(), "signed by")
}
