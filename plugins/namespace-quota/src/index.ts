/** A quota of extended resources for each namespace, enforced when a pod gets its node. */
import { StatusCode, defineSchedulingPlugin } from '@berth/plugin-api'
import type { ClusterEvent, DecideContext, Pod, SchedulingPlugin } from '@berth/plugin-api'
import { type NamespaceQuotaArgs, type QuotaRule, argsSchema } from './args.ts'
import { readQuota } from './read-quota.ts'

/**
 * Rejects a pod that would exceed the quota of its namespace. Pods in flight count, because the host counts a pod on its
 * node before it decides about the next one. Eviction does not help such a pod, so that it preempts no other.
 */
export const plugin: SchedulingPlugin<NamespaceQuotaArgs> = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'namespace-quota',
  description: 'Limits how many units of an extended resource the pods of a namespace hold. Pods above the quota wait.',
  argsSchema,
  needsBind: true,
  configMaps: ({ resources }) => [...new Set(resources.flatMap(({ configMap }) => configMap ?? []))],
  create: ({ resources }) => ({
    preFilter(pod, _candidates, { cluster }) {
      const reasons = resources.flatMap((rule) => excessOf(pod, rule, cluster) ?? [])
      return reasons.length === 0
        ? undefined
        : { kind: 'reject', code: StatusCode.UnschedulableAndUnresolvable, reasons }
    },
    queueingHint: (pod, event) => mayRaiseRoom(namespaceOf(pod), event),
  }),
})

/** Returns why the pod may not get its units of one resource; undefined if it may. */
function excessOf(pod: Pod, rule: QuotaRule, cluster: DecideContext['cluster']): string | undefined {
  const { name } = rule
  const units = cluster.requestOf(pod, name)
  if (units <= 0n) return undefined
  const namespace = namespaceOf(pod)
  const found = readQuota(namespace, rule, cluster.objects)
  if (found.kind === 'unknown') return found.reason
  if (found.quota === undefined) return undefined
  const used = cluster.requestedInNamespace(namespace, name)
  if (used + units <= found.quota) return undefined
  return `namespace ${namespace} may hold ${found.quota} ${name}: it holds ${used}, and the pod requests ${units}`
}

/**
 * Returns whether an event may leave more room under the quota of the namespace. Hosts retry pods after a change of the
 * ConfigMap without a hint.
 */
function mayRaiseRoom(namespace: string, event: ClusterEvent): boolean {
  if (event.kind === 'pod-left') return namespaceOf(event.pod) === namespace
  return event.kind === 'object' && event.resource === 'namespaces' && event.metadata.name === namespace
}

function namespaceOf({ metadata }: Pod): string {
  return metadata.namespace ?? 'default'
}
