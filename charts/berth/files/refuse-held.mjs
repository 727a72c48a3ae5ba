// Before an uninstall: fails, and names the pods, while running pods hold devices. refuse-held RESOURCE...
import { readFileSync } from 'node:fs'

const resources = process.argv.slice(1)
if (process.env.BERTH_ADVERTISER_FORCE === 'true') process.exit(0)
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, NODE_EXTRA_CA_CERTS: caFile } = process.env
const address = host.includes(':') ? `[${host}]` : host
const authorization = `Bearer ${readFileSync(caFile.replace('ca.crt', 'token'), 'utf8')}`
const held = new Map()
let next = ''
do {
  const query = new URLSearchParams({ limit: '500', ...(next && { continue: next }) })
  const url = `https://${address}:${port}/api/v1/pods?${query}`
  const response = await fetch(url, { headers: { authorization }, signal: AbortSignal.timeout(30_000) })
  const { items, metadata, message } = await response.json()
  if (!response.ok) throw new Error(`list pods: ${message}`)
  for (const { metadata: pod, spec, status } of items) {
    if (!spec.nodeName || ['Succeeded', 'Failed'].includes(status?.phase)) continue
    const containers = [...spec.containers, ...(spec.initContainers ?? [])]
    const asked = new Set(containers.flatMap((container) => Object.keys(container.resources?.limits ?? {})))
    for (const name of resources.filter((resource) => asked.has(resource))) {
      held.set(name, [...(held.get(name) ?? []), `${pod.namespace}/${pod.name}`])
    }
  }
  next = metadata.continue ?? ''
} while (next !== '')
for (const [name, pods] of held) {
  const more = pods.length > 10 ? ` and ${pods.length - 10} more` : ''
  console.log(`running pods still hold ${name}: ${pods.slice(0, 10).join(', ')}${more}`)
}
if (held.size > 0)
  console.log('Delete these pods, or set force to "true" in the ConfigMap whose name ends in -uninstall.')
process.exitCode = held.size > 0 ? 1 : 0
