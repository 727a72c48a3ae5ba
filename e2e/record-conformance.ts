/** Records the responses of a real API server to the conformance cases, which the embedded API server is compared with. */
import { commandLineOrExit } from '@berth/process/command'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { caseGroups, openGroup, recordingsFolder } from '@berth/api-conformance'
import { expireWatchHistory } from './cluster/expire-watch-history.ts'
import { connectConformanceTarget } from './cluster/conformance-target.ts'
import { startRealApiServer } from './real-api-server/real-api-server.ts'

const { words: wanted } = commandLineOrExit(
  {
    name: '[BERTH_E2E_KUBECONFIG=FILE] node -C @berth/source e2e/record-conformance.ts',
    summary: 'Records the responses of a real API server to the conformance cases.',
    arguments: [
      {
        name: 'GROUP',
        description: 'Group of cases. Default: all.',
        isRepeatable: true,
        choices: caseGroups.map(({ name }) => name),
      },
    ],
    flags: [],
    examples: [{ command: 'node -C @berth/source e2e/record-conformance.ts watch', description: 'One group' }],
    notes: ['Without a kubeconfig it starts a kube-apiserver with etcd and kube-controller-manager of its own.'],
  },
  process.argv.slice(2),
)
await using parts = new AsyncDisposableStack()
const kubeconfig = process.env['BERTH_E2E_KUBECONFIG'] ?? (await kubeconfigOfOwnServer())
await using target = connectConformanceTarget(kubeconfig)
for (const group of caseGroups.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  if (group.name === 'watch') await expireWatchHistory(target)
  await using runner = await openGroup(target, group)
  const recorded: Record<string, unknown> = {}
  for (const { id } of group.cases) recorded[id] = await runner.run(id)
  writeFileSync(join(recordingsFolder, `${group.name}.json`), `${JSON.stringify(recorded, undefined, 1)}\n`)
  console.log(`${group.name}: ${group.cases.length} cases`)
}

async function kubeconfigOfOwnServer(): Promise<string> {
  const server = parts.use(await startRealApiServer({ hasControllers: true }))
  const path = join(server.dir, 'kubeconfig')
  writeFileSync(path, server.kubeconfig(), { mode: 0o600 })
  return path
}
