package signature_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rao/internal/signature"
)

// A copy holds the bytes whose signature was checked, whatever happens to the file afterwards.
func TestCopyHoldsWhatWasSigned(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	private := write("site.key", "-----BEGIN PRIVATE KEY-----\n"+
		"MC4CAQAwBQYDK2VwBCIEIHW6Vp1HFLGR4ihEEHfhLwNzRA2PSKgaNG0J+IqjeQNN\n-----END PRIVATE KEY-----")
	public := write("site.pub", "-----BEGIN PUBLIC KEY-----\n"+
		"MCowBQYDK2VwAyEAeBItR6ftWyJje6ya1MRQljanTzwRTd4h/skRc+dsRFk=\n-----END PUBLIC KEY-----")
	keys, err := signature.ReadKeys([]string{public})
	if err != nil {
		t.Fatal(err)
	}
	path := write("a.npz", "signed")
	if _, err := signature.Sign(path, private); err != nil {
		t.Fatal(err)
	}
	copied, err := signature.Copy(path, keys, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write("a.npz", "replaced")
	if b, err := os.ReadFile(copied); err != nil || !bytes.Equal(b, []byte("signed")) {
		t.Errorf("the copy holds %q, %v", b, err)
	}
	var changed *signature.NotSignedError
	if _, err := signature.Copy(path, keys, t.TempDir()); !errors.As(err, &changed) {
		t.Errorf("a file that was replaced before the copy: %v", err)
	}
}
