import { DEFAULT_SCHEDULER } from '@berth/scheduler-config'
import { hideUrlCredentials } from '@berth/text/hide-url-credentials'
import { isRecord, type Container, type Pod } from '@berth/types'
import { parseYaml } from '../profile/cluster/parse-yaml.ts'
import { schedulerNamesOf } from '../profile/cluster/scheduler-names.ts'
import { flagOf, podFlag } from '../profile/cluster/scheduler-pods.ts'

/** An extender in the settings of a scheduler pod. */
export interface ConfiguredExtender {
  /** Without user and password. */
  readonly urlPrefix: string
  readonly isIgnorable: boolean
  readonly managedResources: readonly string[]
  /** CA bundle in PEM; undefined when it is in a file or missing. */
  readonly caPem: string | undefined
}

/** The settings of one scheduler pod, as far as the cluster shows them. */
export interface SchedulerSettings {
  readonly namespace: string
  readonly pod: string
  /** `ConfigMap kube-system/scheduler`, `/configz of pod …`, or `flags of pod …`. */
  readonly source: string
  readonly schedulerNames: readonly string[]
  readonly extenders: readonly ConfiguredExtender[]
  /** `namespace/name`; undefined without leader election, and where the source does not say. */
  readonly lease: string | undefined
  /** Undefined where the source does not say. */
  readonly isElected: boolean | undefined
  /** Requests per second to the API server; undefined where the source does not say. */
  readonly qps: number | undefined
}

/** Rate limit of kube-scheduler's client without a setting (kube-scheduler v1.36, `clientConnection.qps`). */
const DEFAULT_QPS = 50
/** Namespace of a scheduler's Lease without a setting. */
const LEASE_NAMESPACE = 'kube-system'

/**
 * Reads the settings of a scheduler from its configuration in YAML or JSON. It accepts what newer schedulers may add, and
 * leaves out what it does not understand. Undefined when the text is not a KubeSchedulerConfiguration.
 *
 * @param isComplete - Whether an absent key means its default; false for a page that shows some keys only.
 */
export function parseSchedulerSettings(
  text: string,
  pod: Pod,
  { source, isComplete }: { readonly source: string; readonly isComplete: boolean },
): SchedulerSettings | undefined {
  const value = parseYaml(text)
  const schedulerNames = schedulerNamesOf(value, pod)
  if (schedulerNames === undefined) return undefined
  const root = recordOf(value)
  const { leaderElect, resourceName, resourceNamespace } = recordOf(root['leaderElection'])
  const { qps } = recordOf(root['clientConnection'])
  const namespace = textOf(resourceNamespace) ?? LEASE_NAMESPACE
  const isUpstream = pod.spec.containers.some(isKubeScheduler)
  const isElected = typeof leaderElect === 'boolean' ? leaderElect : isComplete ? true : undefined
  return {
    ...placeOf(pod),
    source,
    schedulerNames,
    extenders: listOf(root['extenders']).flatMap(extenderOf),
    lease: isElected === true ? `${namespace}/${textOf(resourceName) ?? leaseNameOf(pod)}` : undefined,
    isElected,
    qps: typeof qps === 'number' && qps > 0 ? qps : isComplete && isUpstream ? DEFAULT_QPS : undefined,
  }
}

/** Returns the settings in the flags of a kube-scheduler; undefined for a pod of another program, or with a file. */
export function settingsOfFlags(pod: Pod): SchedulerSettings | undefined {
  const container = pod.spec.containers.find(isKubeScheduler)
  if (container === undefined || flagOf(container, 'config') !== undefined) return undefined
  const isElected = flagOf(container, 'leader-elect') !== 'false'
  const namespace = flagOf(container, 'leader-elect-resource-namespace') ?? LEASE_NAMESPACE
  const qps = Number(flagOf(container, 'kube-api-qps') ?? DEFAULT_QPS)
  return {
    ...placeOf(pod),
    source: `flags of pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`,
    schedulerNames: [podFlag(pod, 'scheduler-name') ?? DEFAULT_SCHEDULER],
    extenders: [],
    lease: isElected ? `${namespace}/${leaseNameOf(pod)}` : undefined,
    isElected,
    qps: Number.isFinite(qps) ? qps : undefined,
  }
}

function leaseNameOf(pod: Pod): string {
  const own = pod.spec.containers.some(isKubeScheduler) ? 'kube-scheduler' : 'berth-scheduler'
  return podFlag(pod, 'leader-elect-resource-name') ?? own
}

function isKubeScheduler({ command = [], image = '' }: Container): boolean {
  return /(?:^|\/)kube-scheduler$/.test(command[0] ?? '') || /(?:^|\/)kube-scheduler(?:[:@]|$)/.test(image)
}

function placeOf({ metadata }: Pod): { readonly namespace: string; readonly pod: string } {
  return { namespace: metadata.namespace ?? '', pod: metadata.name ?? '' }
}

function extenderOf(value: unknown): readonly ConfiguredExtender[] {
  const { urlPrefix, ignorable, managedResources, tlsConfig } = recordOf(value)
  if (typeof urlPrefix !== 'string') return []
  const caData = textOf(recordOf(tlsConfig)['caData'])
  return [
    {
      urlPrefix: hideUrlCredentials(urlPrefix),
      isIgnorable: ignorable === true,
      managedResources: listOf(managedResources).flatMap((resource) => textOf(recordOf(resource)['name']) ?? []),
      caPem: caData === undefined ? undefined : Buffer.from(caData, 'base64').toString('utf8'),
    },
  ]
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
