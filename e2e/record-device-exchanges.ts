/**
 * Writes down how a real kubelet deals with device plugins, for the simulated one to be held against; six minutes:
 * `BERTH_E2E_KUBECONFIG=FILE node -C @berth/source e2e/record-device-exchanges.ts NODE_CONTAINER [ID…]`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deviceExchangeIds, playDeviceExchange } from '@berth/simulator/exchanges'
import { openDeviceSite } from './cluster/device-site.ts'
import { openNamespace } from './cluster/test-namespace.ts'

const file = join(import.meta.dirname, '../packages/simulator/src/exchanges/devices/recorded.json')
const kubeconfig = process.env['BERTH_E2E_KUBECONFIG']
const [container, ...wanted] = process.argv.slice(2)
if (kubeconfig === undefined || container === undefined) {
  console.error('BERTH_E2E_KUBECONFIG names the kubeconfig, the first argument the container of the node')
  process.exit(2)
}
await using site = await openDeviceSite(kubeconfig, process.env['BERTH_ENGINE'] ?? 'docker', container)
const known: Record<string, unknown> = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)
  : {}
await using namespace = await openNamespace(site)
const save = (): void => {
  const ordered = deviceExchangeIds.flatMap((id) => (known[id] === undefined ? [] : [[id, known[id]]]))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(ordered), undefined, 1)}\n`)
}
for (const id of deviceExchangeIds.filter((each) => wanted.length === 0 || wanted.includes(each))) {
  known[id] = await playDeviceExchange(site, namespace.name, id)
  save()
  console.log(id, JSON.stringify(known[id]))
}
