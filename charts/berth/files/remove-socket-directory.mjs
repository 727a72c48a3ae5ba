// Runs on each node after an uninstall, as root, to whom the directory above belongs: removes that of the sockets.
import { rmdirSync } from 'node:fs'

const directory = process.argv[1]
try {
  rmdirSync(directory)
  console.log(`removed ${directory}`)
} catch (error) {
  if (error.code !== 'ENOENT') {
    console.log(`${directory} stays: ${error.message}`)
    process.exitCode = 1
  }
}
