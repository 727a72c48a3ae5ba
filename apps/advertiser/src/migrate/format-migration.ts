import { stringify } from 'yaml'
import type { DraObject } from './dra-objects.ts'

/** What the objects do not do. Said with every output, because an applied claim that is allocated looks complete. */
const HEADER = [
  'Pods start only with a DRA driver on their node, which prepares the devices for the kubelet. With these objects alone,',
  'kube-scheduler allocates the claims, and the pods wait on their nodes. A driver publishes ResourceSlices itself: these',
  'show what it has to publish, and let you try the allocation. Kubernetes 1.36 or newer (feature gate DRAExtendedResource).',
  'Withdraw the resource from a node before you use the objects: as long as the node offers units of the name,',
  'kube-scheduler counts those and ignores the DeviceClass there.',
]

/** Formats the objects as YAML for `kubectl apply`, with what they need as comments; `skipped` are the nodes without an amount. */
export function formatMigration(objects: readonly DraObject[], skipped: readonly string[]): string {
  const comments = [...HEADER, ...skipped.map((reason) => `Left out: ${reason}`)]
  const documents = objects.map((object) => `---\n${stringify(object)}`)
  return [...comments.map((line) => `# ${line}\n`), ...documents].join('')
}
