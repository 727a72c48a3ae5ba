import type { ResourceRef } from '@berth/k8s-client'
import {
  isExtendedResourceName,
  parseQuantity,
  podLimits,
  podRequestList,
  quantityMap,
  type Quantity,
} from '@berth/resources'
import { shellCommand } from '@berth/text/shell-command'
import { isDnsSubdomain, type ObjectMeta, type Pod, type ResourceList } from '@berth/types'
import type { Obstacle } from './find-obstacles.ts'

/** `v1.ResourceQuota`, cut. */
export interface ResourceQuota {
  readonly metadata: ObjectMeta
  readonly spec?: { readonly hard?: ResourceList; readonly scopes?: readonly string[]; readonly scopeSelector?: object }
  readonly status?: { readonly used?: ResourceList }
}

export const resourceQuotas: ResourceRef = {
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
}

const ONE = parseQuantity('1')

/**
 * Returns which quotas a pod that does not exist yet would exceed. Quotas with scopes are not checked, because they may
 * not count the pod.
 */
export function quotaObstacles(pod: Pod, quotas: readonly ResourceQuota[]): readonly Obstacle[] {
  const usage = quotaUsageOf(pod)
  const { namespace = 'default' } = pod.metadata
  return quotas.flatMap(({ metadata, spec, status }): Obstacle[] => {
    if ((spec?.scopes ?? []).length > 0 || spec?.scopeSelector !== undefined) return []
    const used = quantityMap(status?.used)
    const exceeded = [...quantityMap(spec?.hard)].flatMap(([name, limit]) => {
      const asked = usage.get(name)
      const present = used.get(name)
      if (asked === undefined || asked.isZero()) return []
      const total = present === undefined ? asked : present.add(asked)
      return total.cmp(limit) > 0
        ? [
            `${name}: ${asked.toString()} more than the ${present?.toString() ?? '0'} in use exceeds ${limit.toString()}`,
          ]
        : []
    })
    if (exceeded.length === 0) return []
    const { name = '' } = metadata
    const isValid = isDnsSubdomain(name) && isDnsSubdomain(namespace)
    return [
      {
        kind: 'quota',
        sentence: `The API server would refuse the pod, because it exceeds the ResourceQuota ${name} (${exceeded.join('; ')}).`,
        commands: isValid ? [shellCommand('kubectl', 'describe', 'quota', name, '-n', namespace)] : [],
      },
    ]
  })
}

/** Returns what a pod counts towards quotas, by the names of quotas. */
function quotaUsageOf(pod: Pod): ReadonlyMap<string, Quantity> {
  const usage = new Map<string, Quantity>([
    ['pods', ONE],
    ['count/pods', ONE],
  ])
  for (const [name, amount] of podRequestList(pod)) {
    usage.set(`requests.${name}`, amount)
    if (!isExtendedResourceName(name)) usage.set(name, amount)
  }
  for (const [name, amount] of podLimits(pod)) usage.set(`limits.${name}`, amount)
  return usage
}
