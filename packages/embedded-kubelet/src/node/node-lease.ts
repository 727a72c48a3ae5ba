import type { Clock, Lease } from '@berth/types'
import { KubeletApiError } from '../api/kubelet-api-error.ts'
import type { ApiClient } from '../api/api-client.ts'

const COLLECTION = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

/** Formats a time as RFC 3339 with microseconds. */
export function microTime(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, -1)}000Z`
}

/** Returns an object that creates or renews the node's Lease, which the node lifecycle controller watches. */
export function createNodeLease(nodeName: string, api: ApiClient, clock: Clock): { renew(): Promise<void> } {
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
      return await api.send<Lease>('POST', COLLECTION, lease)
    } catch (error) {
      if (error instanceof KubeletApiError && error.status === 409) return update(await api.send<Lease>('GET', path))
      throw error
    }
  }

  const update = (lease: Lease): Promise<Lease> =>
    api.send<Lease>('PUT', path, { ...lease, spec: { ...lease.spec, ...spec() } })

  return {
    async renew() {
      const before = held
      held = undefined
      try {
        const lease = before === undefined ? await create() : await update(before)
        // Updates do not need to send the managed fields back.
        const { managedFields: _, ...metadata } = lease.metadata ?? {}
        held = { ...lease, metadata }
      } catch (error) {
        // Another client changed or deleted the Lease: the next renewal reads or creates it.
        if (!(error instanceof KubeletApiError) || (error.status !== 404 && error.status !== 409)) throw error
      }
    },
  }
}
