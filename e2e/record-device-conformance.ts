/** Records how a real kubelet treats device plugins, which the embedded kubelet is compared with. */
import { type CommandDefinition, commandLineOrExit, exitAs, refuseCommandLine } from '@berth/process/command'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deviceCaseIds, recordingsFolder, runDeviceCase } from '@berth/api-conformance'
import { openDeviceSite } from './cluster/device-site.ts'
import { openTestNamespace } from './cluster/test-namespace.ts'

const file = join(recordingsFolder, 'devices.json')
const kubeconfig = process.env['BERTH_E2E_KUBECONFIG']
const command: CommandDefinition = {
  name: 'BERTH_E2E_KUBECONFIG=FILE node -C @berth/source e2e/record-device-conformance.ts',
  summary: 'Records how a real kubelet treats device plugins. One case waits for five minutes.',
  arguments: [
    { name: 'NODE_CONTAINER', description: 'Container of the node.', isRequired: true },
    { name: 'ID', description: 'Case to record. Default: all.', isRepeatable: true },
  ],
  flags: [],
  examples: [
    { command: 'node -C @berth/source e2e/record-device-conformance.ts kind-worker', description: 'All cases' },
  ],
  notes: ['BERTH_ENGINE names the container engine. Default: docker.'],
}
const [container = '', ...wanted] = commandLineOrExit(command, process.argv.slice(2)).words
if (kubeconfig === undefined) exitAs(refuseCommandLine(command, 'BERTH_E2E_KUBECONFIG must name a kubeconfig'))
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
