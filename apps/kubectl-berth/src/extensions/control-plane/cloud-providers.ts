import type { Node, Service } from '@berth/types'
import { isHeld, renewedText } from '../../leases/lease-state.ts'
import type { ExtensionHealth } from '../model/extension.ts'
import { placeOf } from '../model/program.ts'
import { survey } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** Taint of a node that waits for its cloud provider. */
const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized'
const LEASE = 'cloud-controller-manager'

/** The cloud providers: from the provider ids of the nodes, and the Lease of the cloud controller manager. */
export const cloudProviders = survey({
  kind: 'cloud-providers',
  title: 'Cloud providers',
  needs: ['nodes', 'services', 'leases'],
  find({ nodes, services, leases }, context) {
    const byProvider = Map.groupBy(nodes, providerOf)
    const lease = leases.find(({ metadata }) => metadata.name === LEASE)
    const balancers = services.filter(({ spec }) => spec?.['type'] === 'LoadBalancer')
    const waiting = nodes.filter(isUninitialized)
    const names = [...byProvider.keys()].filter((name) => name !== '')
    if (names.length === 0 && lease === undefined && waiting.length === 0) return []
    const isRunning = lease !== undefined && isHeld(lease, context.nowMs)
    const health: ExtensionHealth = waiting.length > 0 ? 'unhealthy' : isRunning ? 'healthy' : 'unknown'
    return (names.length > 0 ? names : ['unnamed']).map((name) => {
      const own = byProvider.get(name) ?? []
      return {
        name,
        health,
        ...usersOf(
          [
            ...own.map((node) => `node ${node.metadata.name ?? ''}`),
            ...balancers.map((service) => `Service ${placeOf(service)}`),
          ],
          context,
          'nodes',
          'services',
        ),
        evidence: [
          ...(own.length > 0 ? [`${own.length} nodes have a provider id of ${name}.`] : []),
          lease === undefined
            ? context.unread.has('leases')
              ? `Whether there is a Lease ${LEASE} is unknown.`
              : `No Lease ${LEASE} was found.`
            : `Lease ${placeOf(lease)}: ${renewedText(lease, context.nowMs)}${isRunning ? '' : ', expired'}.`,
          ...waiting.map((node) => `Node ${node.metadata.name ?? ''} has waited for it: taint ${UNINITIALIZED}.`),
          ...balancers
            .filter((service) => !hasAddress(service))
            .map((service) => `Service ${placeOf(service)} has no address of a load balancer.`),
        ],
      }
    })
  },
})

/** Returns the provider of `aws:///eu-west-1a/i-0123`; empty without a provider id. */
function providerOf({ spec }: Node): string {
  const id = spec?.providerID ?? ''
  return id.includes('://') ? id.slice(0, id.indexOf('://')) : ''
}

function isUninitialized({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => key === UNINITIALIZED) ?? false
}

function hasAddress(service: Service): boolean {
  const { status } = service as {
    readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly unknown[] } }
  }
  return (status?.loadBalancer?.ingress ?? []).length > 0
}
