/** Records the calls of real kube-schedulers to the extender, which its tests replay. */
import { commandLineOrExit } from '@berth/process/command'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildKubeScheduler } from './real-scheduler/build-kube-scheduler.ts'
import { recordCalls } from './real-scheduler/record-calls.ts'

const folder = join(import.meta.dirname, '..', 'apps', 'extender', 'test', 'recordings', 'wire')
const { words: versions } = commandLineOrExit(
  {
    name: 'node -C @berth/source e2e/record-extender-calls.ts',
    summary: 'Records the calls of real kube-schedulers to the extender on an embedded cluster.',
    arguments: [
      {
        name: 'VERSION',
        description: 'Version of k8s.io/kubernetes, for example v1.34.4.',
        isRepeatable: true,
        isRequired: true,
      },
    ],
    flags: [],
    examples: [
      {
        command: 'node -C @berth/source e2e/record-extender-calls.ts v1.29.6 v1.34.4 v1.36.3 v1.37.2',
        description: 'The versions that the tests use',
      },
    ],
    notes: ["Requires Go. Each kube-scheduler is built once, into the user's cache folder."],
  },
  process.argv.slice(2),
)
mkdirSync(folder, { recursive: true })
for (const version of versions) {
  const program = await buildKubeScheduler(version)
  const withNames = await recordCalls({ program, nodeCacheCapable: true })
  const withNodes = await recordCalls({ program, nodeCacheCapable: false })
  const recording = { program: `kube-scheduler ${version}`, withNames, withNodes }
  writeFileSync(join(folder, `${version}.json`), `${JSON.stringify(recording, undefined, 1)}\n`)
  console.log(`${version}: ${withNames.length + withNodes.length} calls`)
}
