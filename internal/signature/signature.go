// Package signature signs files with Ed25519 keys and verifies signatures.
//
// The signature of FILE is in FILE.sig, a short text. The first two lines of FILE.sig are the signed text: the format,
// and the SHA-256 of the file. A file of any size can therefore be signed in one pass.
package signature

import (
	"bufio"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rao/internal/format/archive"
)

// Suffix is appended to the name of a file to get the name of its signature.
const Suffix = ".sig"

const (
	header      = "rao signature 1"
	largestText = 1 << 16 // largest size of a key or a signature, in bytes
)

// Key is a public key, with the name of the file from which it was read.
type Key struct {
	File   string
	public ed25519.PublicKey
}

// Name returns the start of the SHA-256 of the key, in hexadecimal.
func (k *Key) Name() string {
	sum := sha256.Sum256(k.public)
	return hex.EncodeToString(sum[:8])
}

// NotSignedError means that none of the keys signed the file.
type NotSignedError struct{ File, Why string }

// Error implements error.
func (e *NotSignedError) Error() string { return e.File + ": " + e.Why }

// Sign signs the file at path with the private key of a PEM file and writes the signature next to the file. It returns
// the name of the key.
func Sign(path, keyFile string) (name string, err error) {
	key, err := readPrivate(keyFile)
	if err != nil {
		return "", err
	}
	text, err := statement(path, io.Discard)
	if err != nil {
		return "", err
	}
	of := Key{public: key.Public().(ed25519.PublicKey)}
	return of.Name(), archive.WriteFile(path+Suffix, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%skey %s\nsignature %s\n", text, of.Name(),
			base64.StdEncoding.EncodeToString(ed25519.Sign(key, []byte(text))))
		return err
	})
}

// Verify returns the key that signed the file at path. If none of the keys did, the error is a [*NotSignedError].
func Verify(path string, keys []Key) (*Key, error) { return verify(path, keys, io.Discard) }

// Copy copies the file at path to a folder and verifies the copy. Later changes to the original do not affect the copy.
func Copy(path string, keys []Key, folder string) (copied string, err error) {
	copied = filepath.Join(folder, filepath.Base(path))
	to, err := os.OpenFile(copied, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = verify(path, keys, to)
	if closed := to.Close(); err == nil {
		err = closed
	}
	return copied, err
}

// verify is Verify with a writer, to which it copies the contents of the file.
func verify(path string, keys []Key, to io.Writer) (*Key, error) {
	signed, err := readText(path + Suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotSignedError{path, "it is not signed: there is no " + path + Suffix}
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(signed), "\n"), "\n")
	if len(lines) != 4 || lines[0] != header {
		return nil, &NotSignedError{path, path + Suffix + " is not a signature"}
	}
	text, named := strings.CutPrefix(lines[3], "signature ")
	sig, err := base64.StdEncoding.DecodeString(text)
	if !named || err != nil || len(sig) != ed25519.SignatureSize {
		return nil, &NotSignedError{path, path + Suffix + " has no signature of 64 bytes in its fourth line"}
	}
	want, err := statement(path, to)
	if err != nil {
		return nil, err
	}
	if want != lines[0]+"\n"+lines[1]+"\n" {
		return nil, &NotSignedError{path,
			"it was changed after it was signed: its SHA-256 differs from the one in " + path + Suffix}
	}
	for i := range keys {
		if ed25519.Verify(keys[i].public, []byte(want), sig) {
			return &keys[i], nil
		}
	}
	return nil, &NotSignedError{path, "none of the given keys signed it"}
}

// statement returns the text to sign for the file at path, and copies the file to the writer.
func statement(path string, to io.Writer) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil {
		return "", err
	} else if !st.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file; name a file", path)
	}
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(h, to), bufio.NewReaderSize(f, 1<<18)); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Sprintf("%s\nsha256 %x\n", header, h.Sum(nil)), nil
}

// ReadKeys reads the public keys in PEM files, as written by openssl pkey -pubout. A file may contain several keys.
func ReadKeys(files []string) ([]Key, error) {
	var keys []Key
	for _, file := range files {
		n := len(keys)
		err := eachBlock(file, func(kind string, der []byte) error {
			if kind == "PRIVATE KEY" {
				return errors.New("it contains a private key, but a public key is enough; write one with openssl " +
					"pkey -in " + file + " -pubout")
			}
			if kind != "PUBLIC KEY" {
				return nil
			}
			parsed, err := x509.ParsePKIXPublicKey(der)
			if err != nil {
				return fmt.Errorf("its public key cannot be read: %w", err)
			}
			public, ok := parsed.(ed25519.PublicKey)
			if !ok {
				return errors.New("its public key is not an Ed25519 key; give a key of this kind")
			}
			keys = append(keys, Key{file, public})
			return nil
		})
		if err == nil && len(keys) == n {
			err = fmt.Errorf("%s: it has no PEM block PUBLIC KEY; openssl pkey -in KEY -pubout writes one", file)
		}
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// readPrivate reads the private key in a PEM file, as written by openssl genpkey -algorithm ed25519.
func readPrivate(file string) (key ed25519.PrivateKey, err error) {
	err = eachBlock(file, func(kind string, der []byte) error {
		switch kind {
		case "ENCRYPTED PRIVATE KEY":
			return errors.New("its key is encrypted; openssl pkey -in " + file + " decrypts it")
		case "PUBLIC KEY":
			return errors.New("it contains a public key, but signing needs the private key; name the file of the " +
				"private key")
		case "PRIVATE KEY":
			parsed, err := x509.ParsePKCS8PrivateKey(der)
			if err != nil {
				return fmt.Errorf("its private key cannot be read: %w", err)
			}
			var ok bool
			if key, ok = parsed.(ed25519.PrivateKey); !ok {
				return errors.New("its private key is not an Ed25519 key; openssl genpkey -algorithm ed25519 " +
					"creates one")
			}
		}
		return nil
	})
	if err == nil && key == nil {
		err = fmt.Errorf("%s: it has no PEM block PRIVATE KEY; openssl genpkey -algorithm ed25519 creates one", file)
	}
	return key, err
}

// eachBlock calls fn with each PEM block of a file.
func eachBlock(file string, fn func(kind string, der []byte) error) error {
	text, err := readText(file)
	if err != nil {
		return err
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if err := fn(block.Type, block.Bytes); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func readText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, largestText+1))
	if err == nil && len(b) > largestText {
		err = errors.New("the file is too long for a key or a signature; name another file")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}
