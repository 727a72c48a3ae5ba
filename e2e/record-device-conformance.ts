/**
 * Records how a real kubelet treats device plugins, which the embedded kubelet is compared with; takes six minutes:
 * `BERTH_E2E_KUBECONFIG=FILE node -C @berth/source e2e/record-device-conformance.ts NODE_CONTAINER [ID…]`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deviceCaseIds, recordingsFolder, runDeviceCase } from '@berth/api-conformance'
import { openDeviceSite } from './cluster/device-site.ts'
import { openTestNamespace } from './cluster/test-namespace.ts'

const file = join(recordingsFolder, 'devices.json')
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
await using namespace = await openTestNamespace(site)
const save = (): void => {
  const ordered = deviceCaseIds.flatMap((id) => (known[id] === undefined ? [] : [[id, known[id]]]))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(ordered), undefined, 1)}\n`)
}
for (const id of deviceCaseIds.filter((each) => wanted.length === 0 || wanted.includes(each))) {
  known[id] = await runDeviceCase(site, namespace.name, id)
  save()
  console.log(id, JSON.stringify(known[id]))
}
