import { createHash } from 'node:crypto'
import type { KubernetesObject } from '@berth/types'

/** One number for what a mirror holds: name and resource version of every object. */
export function digestOf(objects: Iterable<KubernetesObject>): string {
  const held = [...objects].map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`).toSorted()
  return createHash('sha256').update(held.join('\n')).digest('hex')
}
