import { ConfigError } from '@berth/process/errors'
import { parse, stringify } from 'yaml'

/** Predicates of the Policy API and the plugins that replace them. */
const pluginByPredicate: ReadonlyMap<string, string> = new Map([
  ['PodFitsResources', 'NodeResourcesFit'],
  ['PodFitsHostPorts', 'NodePorts'],
  ['PodFitsPorts', 'NodePorts'],
  ['HostName', 'NodeName'],
  ['MatchNodeSelector', 'NodeAffinity'],
  ['PodToleratesNodeTaints', 'TaintToleration'],
  ['CheckNodeUnschedulable', 'NodeUnschedulable'],
  ['GeneralPredicates', 'NodeResourcesFit'],
])

/** Priorities of the Policy API and the plugins that replace them. */
const pluginByPriority: ReadonlyMap<string, string> = new Map([
  ['LeastRequestedPriority', 'NodeResourcesFit'],
  ['MostRequestedPriority', 'NodeResourcesFit'],
  ['BalancedResourceAllocation', 'NodeResourcesBalancedAllocation'],
  ['NodeAffinityPriority', 'NodeAffinity'],
  ['TaintTolerationPriority', 'TaintToleration'],
  ['ImageLocalityPriority', 'ImageLocality'],
  ['SelectorSpreadPriority', 'PodTopologySpread'],
  ['InterPodAffinityPriority', 'InterPodAffinity'],
])

interface Policy {
  readonly predicates?: unknown
  readonly priorities?: unknown
  readonly extenders?: unknown
}

/**
 * Refuses a scheduler Policy, which was removed from kube-scheduler in 1.23, and translates it into a
 * KubeSchedulerConfiguration. Accepts any other text, which the schema of the configuration validates.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_POLICY with the translated file as its hint.
 */
export function refuseLegacyPolicy(file: string, text: string): void {
  let document: unknown
  try {
    document = parse(text)
  } catch {
    return
  }
  if (!isPolicy(document)) return
  throw new ConfigError(`read ${file}: it is a scheduler Policy, which kube-scheduler removed in 1.23`, {
    code: 'BERTH_SCHEDULER_CONFIG_POLICY',
    hint: `Use this KubeSchedulerConfiguration instead:\n\n${translate(document)}`,
  })
}

function isPolicy(document: unknown): document is Policy {
  if (typeof document !== 'object' || document === null) return false
  if ('kind' in document && document.kind === 'Policy') return true
  return 'predicates' in document || 'priorities' in document
}

function namedEntries(list: unknown): readonly { readonly name: string; readonly weight?: number }[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('name' in entry) || typeof entry.name !== 'string') return []
    const weight = 'weight' in entry && typeof entry.weight === 'number' ? entry.weight : undefined
    return [{ name: entry.name, ...(weight !== undefined && { weight }) }]
  })
}

function translate(policy: Policy): string {
  const predicates = namedEntries(policy.predicates)
  const priorities = namedEntries(policy.priorities)
  const filters = [...new Set(predicates.flatMap(({ name }) => pluginByPredicate.get(name) ?? []))]
  const scores = new Map(
    priorities.flatMap(({ name, weight }) => {
      const plugin = pluginByPriority.get(name)
      return plugin === undefined ? [] : [[plugin, weight ?? 1] as const]
    }),
  )
  const mostAllocated = priorities.some(({ name }) => name === 'MostRequestedPriority')
  const unknown = [
    ...predicates.filter(({ name }) => !pluginByPredicate.has(name)),
    ...priorities.filter(({ name }) => !pluginByPriority.has(name)),
  ].map(({ name }) => `# No equivalent plugin: ${name}\n`)
  const profile = {
    schedulerName: 'berth-scheduler',
    plugins: {
      ...(policy.predicates !== undefined && {
        filter: { disabled: [{ name: '*' }], enabled: filters.map((name) => ({ name })) },
      }),
      ...(policy.priorities !== undefined && {
        score: { disabled: [{ name: '*' }], enabled: [...scores].map(([name, weight]) => ({ name, weight })) },
      }),
    },
    ...(mostAllocated && {
      pluginConfig: [{ name: 'NodeResourcesFit', args: { scoringStrategy: { type: 'MostAllocated' } } }],
    }),
  }
  const extenders = Array.isArray(policy.extenders) ? policy.extenders.map(translateExtender) : []
  return (
    unknown.join('') +
    stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      profiles: [profile],
      ...(extenders.length > 0 && { extenders }),
    })
  )
}

function translateExtender(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null) return entry
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]: [string, unknown]) => {
      if (key === 'enableHttps') return ['enableHTTPS', value]
      // The Policy API wrote durations as nanoseconds.
      if (key === 'httpTimeout' && typeof value === 'number') return [key, `${value / 1e6}ms`]
      return [key, value]
    }),
  )
}
