import { printableLine } from '@berth/text/printable'
import { stringify } from 'yaml'
import type { DraObject } from './dra-objects.ts'

/** Limits of the objects. Every output states them, because an applied claim that is allocated looks complete. */
const HEADER = [
  'Pods start only with a DRA driver on their node, which prepares the devices for the kubelet. With these objects alone,',
  'kube-scheduler allocates the claims, and the pods wait on their nodes. A driver publishes ResourceSlices itself: these',
  'show what it has to publish, and let you try the allocation. Kubernetes 1.36 or newer (feature gate DRAExtendedResource).',
  'Withdraw the resource from a node before you use the objects: as long as the node offers units of the name,',
  'kube-scheduler counts those and ignores the DeviceClass there.',
]

/** kubectl reads YAML 1.1, in which a plain `on` is a boolean. In quotes, every reader takes it for a string. */
const QUOTED = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const

/** Formats the objects as YAML for `kubectl apply`, with what they need as comments; `skipped` are the nodes without an amount. */
export function formatMigration(objects: readonly DraObject[], skipped: readonly string[]): string {
  const comments = [...HEADER, ...skipped.map((reason) => `Left out: ${reason}`)]
  const documents = objects.map((object) => `---\n${stringify(object, QUOTED)}`)
  return [...comments.map((line) => `# ${printableLine(line)}\n`), ...documents].join('')
}
