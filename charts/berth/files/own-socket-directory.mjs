// Runs once, as root with CAP_CHOWN alone: gives the directory of the sockets to the user that the device plugin runs as.
import { chmodSync, chownSync } from 'node:fs'

const directory = process.argv[1]
// On a restart the directory is no longer root's, and only its owner may change its mode.
chownSync(directory, 0, 0)
chmodSync(directory, 0o700)
chownSync(directory, 65532, 65532)
