/**
 * Writes down what a real API server answers to the exchanges, for the simulator to be held against:
 * `BERTH_E2E_KUBECONFIG=FILE node -C @berth/source e2e/record-exchanges.ts [GROUP…]`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exchangeGroups, openStage } from '@berth/simulator/exchanges'
import { connectExchangeTarget, recordingsFolder } from './cluster/exchange-target.ts'

const kubeconfig = process.env['BERTH_E2E_KUBECONFIG']
if (kubeconfig === undefined) {
  console.error('BERTH_E2E_KUBECONFIG is not set: name the kubeconfig of the cluster to record')
  process.exit(2)
}
const wanted = process.argv.slice(2)
await using target = connectExchangeTarget(kubeconfig)
for (const group of exchangeGroups.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  await using stage = await openStage(target, group)
  const recorded: Record<string, unknown> = {}
  for (const { id } of group.exchanges) recorded[id] = await stage.play(id)
  writeFileSync(join(recordingsFolder, `${group.name}.json`), `${JSON.stringify(recorded, undefined, 1)}\n`)
  console.log(`${group.name}: ${group.exchanges.length} exchanges`)
}
