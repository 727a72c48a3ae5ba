/**
 * `npm run soak:system -- --hours 6`: runs the built apps as processes under random faults and judges that their memory and
 * their open file handles do not grow (I6).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildApps } from '@berth/tools/story/build-apps'
import { commandLineOrExit } from '@berth/process/command'
import { runSoak } from './run-soak.ts'
import type { PlantedLeak } from './soak-apps.ts'
import { defaultClusterKind, type ClusterKind } from './soak-cluster.ts'

const DEFAULT_HOURS = 6
const MINUTE_MS = 60_000
const root = join(import.meta.dirname, '../..')

const line = commandLineOrExit(
  {
    name: 'npm run soak:system --',
    summary:
      'Runs two schedulers, the extender, the advertiser and the device plugin as processes, kills and stops them at random, ' +
      'and fails if the memory or the open file handles of one grow.',
    flags: [
      {
        name: 'hours',
        placeholder: 'N',
        range: { min: 1, max: 1_000 },
        description: `Duration. Default: ${DEFAULT_HOURS}.`,
      },
      {
        name: 'minutes',
        placeholder: 'N',
        range: { min: 3, max: 60_000 },
        description: 'Duration instead of --hours.',
      },
      {
        name: 'seed',
        placeholder: 'SEED',
        range: { min: 1, max: 2 ** 31 },
        description: 'Chooses the faults and the pods. Default: 1.',
      },
      {
        name: 'pace',
        placeholder: 'N',
        range: { min: 1, max: 20 },
        description: 'Divides the pauses between pods and between faults. Default: 1.',
      },
      {
        name: 'cluster',
        placeholder: 'KIND',
        choices: ['real', 'embedded'],
        description:
          'API server. Default: a real one if its programs were built (e2e/node-image/build-node-image), or else the embedded one.',
      },
      {
        name: 'leak',
        placeholder: 'WHAT',
        choices: ['handles', 'memory'],
        description: 'Plant a leak into the extender, which the run must find.',
      },
    ],
    examples: [
      { command: 'npm run soak:system -- --hours 6', description: 'Six hours' },
      {
        command: 'npm run soak:system -- --hours 2 --pace 3',
        description: 'About as many pods as in six hours',
      },
      { command: 'npm run soak:system -- --minutes 5 --leak handles', description: 'Check that a leak is found' },
    ],
  },
  process.argv.slice(2),
)

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const write = (text: string): void => void process.stdout.write(text)
const minutes = line.number('minutes') ?? (line.number('hours') ?? DEFAULT_HOURS) * 60
const kind = (line.text('cluster') as ClusterKind | undefined) ?? defaultClusterKind()
const seed = line.number('seed') ?? 1
const pace = line.number('pace') ?? 1
await buildApps({ root, signal: stop.signal, write: undefined })
// Short, because the paths of Unix sockets below it are limited to 107 bytes.
const dir = mkdtempSync('/tmp/soak-')
write(`${minutes} min on the ${kind} API server, seed ${seed}, pace ${pace}, logs in ${dir}\n`)
const problems = await runSoak({
  kind,
  dir,
  durationMs: minutes * MINUTE_MS,
  seed,
  pace,
  leak: line.text('leak') as PlantedLeak | undefined,
  signal: stop.signal,
  write,
})
for (const problem of problems) write(`FAILED ${problem}\n`)
if (problems.length > 0) process.exitCode = 1
else {
  rmSync(dir, { recursive: true })
  write('Memory and handles are flat.\n')
}
