/** `npm run image`: the image of all apps, for a registry or for a look. */
import { errorText } from '@berth/text/error-text'
import { parseArgs } from 'node:util'
import { must } from '../cluster/run-command.ts'
import { REPOSITORY, buildAppImage } from './app-image.ts'

const usage = `Usage: npm run image -- [--tag TAG] [--node IMAGE] [--base IMAGE] [--offline] [--engine docker|podman]

  --tag TAG      name of the image (default: ${REPOSITORY}:HASH-OF-ITS-CONTENTS)
  --node IMAGE   image with Node 26 in /usr/local/bin and a shell (default: see Dockerfile)
  --base IMAGE   image with glibc that the apps are put on (default: see Dockerfile)
  --offline      make both here from Debian's packages and npm's Node; e2e/node-image/build-node-image first
  --engine NAME  docker (default) or podman

Example: npm run image -- --tag registry.example.com/berth:0.1.0
`

const options = {
  tag: { type: 'string' },
  node: { type: 'string' },
  base: { type: 'string' },
  offline: { type: 'boolean', default: false },
  engine: { type: 'string', default: 'docker' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

try {
  const { offline, help, ...given } = parseArgs({ options }).values
  if (help) {
    console.log(usage)
  } else {
    await must('turbo', ['run', 'build', '--output-logs=errors-only'], { timeoutMs: 10 * 60_000 })
    await buildAppImage({ ...given, isOffline: offline, log: console.log })
  }
} catch (error) {
  const isUsage = error instanceof TypeError
  console.error(errorText(error))
  if (isUsage) console.error(`\n${usage}`)
  process.exitCode = isUsage ? 2 : 1
}
