import { createHash } from 'node:crypto'
import type { KubernetesObject } from '@berth/types'

/** Returns a digest of the name and resource version of every object. */
export function digestOf(objects: Iterable<KubernetesObject>): string {
  const held = [...objects].map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`).toSorted()
  return createHash('sha256').update(held.join('\n')).digest('hex')
}
