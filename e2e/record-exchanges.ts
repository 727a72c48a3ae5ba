/**
 * Writes down what a real API server answers to the exchanges, for the simulator to be held against:
 * `[BERTH_E2E_KUBECONFIG=FILE] node -C @berth/source e2e/record-exchanges.ts [GROUP…]`. Without a kubeconfig it starts
 * a kube-apiserver with etcd and kube-controller-manager of its own.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exchangeGroups, openStage } from '@berth/simulator/exchanges'
import { forgetChanges } from './cluster/forget-changes.ts'
import { connectExchangeTarget, recordingsFolder } from './cluster/exchange-target.ts'
import { startRealApiServer } from './real-api-server/real-api-server.ts'

await using parts = new AsyncDisposableStack()
const kubeconfig = process.env['BERTH_E2E_KUBECONFIG'] ?? (await kubeconfigOfOwnServer())
const wanted = process.argv.slice(2)
await using target = connectExchangeTarget(kubeconfig)
for (const group of exchangeGroups.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  if (group.name === 'watch') await forgetChanges(target)
  await using stage = await openStage(target, group)
  const recorded: Record<string, unknown> = {}
  for (const { id } of group.exchanges) recorded[id] = await stage.play(id)
  writeFileSync(join(recordingsFolder, `${group.name}.json`), `${JSON.stringify(recorded, undefined, 1)}\n`)
  console.log(`${group.name}: ${group.exchanges.length} exchanges`)
}

async function kubeconfigOfOwnServer(): Promise<string> {
  const server = parts.use(await startRealApiServer({ hasControllers: true }))
  const path = join(server.dir, 'kubeconfig')
  writeFileSync(path, server.kubeconfig(), { mode: 0o600 })
  return path
}
