package main

import _ "rao/cmd/rao/paper"
