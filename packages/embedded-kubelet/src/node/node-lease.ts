import type { Clock, Lease } from '@berth/types'
import { KubeletApiError } from '../api/kubelet-api-error.ts'
import type { Rest } from '../api/rest.ts'

const COLLECTION = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

/** RFC 3339 with six fraction digits. */
export function microTime(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, -1)}000Z`
}

/** Creates or renews the node's Lease, as the node life-cycle controller expects it. */
export function createNodeLease(nodeName: string, rest: Rest, clock: Clock): { renew(): Promise<void> } {
  let held: Lease | undefined
  const path = `${COLLECTION}/${encodeURIComponent(nodeName)}`
  const spec = (): NonNullable<Lease['spec']> => ({
    holderIdentity: nodeName,
    leaseDurationSeconds: 40,
    renewTime: microTime(clock.now()),
  })

  async function create(): Promise<Lease> {
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: nodeName, namespace: 'kube-node-lease' },
      spec: spec(),
    }
    try {
      return await rest.send<Lease>('POST', COLLECTION, lease)
    } catch (error) {
      if (error instanceof KubeletApiError && error.status === 409) return update(await rest.send<Lease>('GET', path))
      throw error
    }
  }

  const update = (lease: Lease): Promise<Lease> =>
    rest.send<Lease>('PUT', path, { ...lease, spec: { ...lease.spec, ...spec() } })

  return {
    async renew() {
      const before = held
      held = undefined
      try {
        const lease = before === undefined ? await create() : await update(before)
        // Sent back, they would say nothing new.
        const { managedFields: _, ...metadata } = lease.metadata ?? {}
        held = { ...lease, metadata }
      } catch (error) {
        // Changed or deleted by somebody: the next turn starts afresh.
        if (!(error instanceof KubeletApiError) || (error.status !== 404 && error.status !== 409)) throw error
      }
    },
  }
}
