import type { ObjectMeta, Pod } from '@berth/types'

/** Returns the pod `web` of the namespace `default` with one container that has these requests. */
export function samplePod(requests: Readonly<Record<string, number | string>> = {}, metadata: ObjectMeta = {}): Pod {
  return {
    metadata: { name: 'web', namespace: 'default', uid: metadata.name ?? 'web', ...metadata },
    spec: { containers: [{ name: 'main', resources: { requests } }] },
  }
}
