import { DEFAULT_SCHEDULER } from '@berth/scheduler-config'
import { isRecord, type Container, type Pod } from '@berth/types'
import { parseYaml } from '../profile/cluster/parse-yaml.ts'
import { flagOf } from '../profile/cluster/scheduler-pods.ts'

/** An extender in the settings of a scheduler pod. */
export interface ConfiguredExtender {
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

/**
 * Reads the settings of a scheduler from its configuration in YAML or JSON. It accepts what newer schedulers may add, and
 * leaves out what it does not understand.
 *
 * @param isComplete - Whether an absent key means its default; false for a page that shows some keys only.
 */
export function parseSchedulerSettings(
  text: string,
  pod: Pod,
  { source, isComplete }: { readonly source: string; readonly isComplete: boolean },
): SchedulerSettings {
  const root = recordOf(parseYaml(text))
  const { leaderElect, resourceName, resourceNamespace } = recordOf(root['leaderElection'])
  const { qps } = recordOf(root['clientConnection'])
  const profiles = listOf(root['profiles']).map((profile) => textOf(recordOf(profile)['schedulerName']))
  const fromFlags = flagSettings(pod)
  const name = textOf(resourceName) ?? fromFlags.leaseName
  const namespace = textOf(resourceNamespace) ?? 'kube-system'
  const isUpstream = pod.spec.containers.some(isKubeScheduler)
  const isElected = typeof leaderElect === 'boolean' ? leaderElect : isComplete ? true : undefined
  return {
    ...placeOf(pod),
    source,
    schedulerNames:
      profiles.length > 0 ? profiles.map((profile) => profile ?? DEFAULT_SCHEDULER) : [fromFlags.schedulerName],
    extenders: listOf(root['extenders']).flatMap(extenderOf),
    lease: isElected === true ? `${namespace}/${name}` : undefined,
    isElected,
    qps: typeof qps === 'number' && qps > 0 ? qps : isComplete && isUpstream ? DEFAULT_QPS : undefined,
  }
}

/** Returns the settings in the flags of a kube-scheduler; undefined for a pod of another program, or with a file. */
export function settingsOfFlags(pod: Pod): SchedulerSettings | undefined {
  const container = pod.spec.containers.find(isKubeScheduler)
  if (container === undefined || flagOf(container, 'config') !== undefined) return undefined
  const { schedulerName, leaseName } = flagSettings(pod)
  const isElected = flagOf(container, 'leader-elect') !== 'false'
  const namespace = flagOf(container, 'leader-elect-resource-namespace') ?? 'kube-system'
  const qps = Number(flagOf(container, 'kube-api-qps') ?? DEFAULT_QPS)
  return {
    ...placeOf(pod),
    source: `flags of pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`,
    schedulerNames: [schedulerName],
    extenders: [],
    lease: isElected ? `${namespace}/${leaseName}` : undefined,
    isElected,
    qps: Number.isFinite(qps) ? qps : undefined,
  }
}

function flagSettings({ spec }: Pod): { readonly schedulerName: string; readonly leaseName: string } {
  const flag = (name: string): string | undefined =>
    spec.containers.map((container) => flagOf(container, name)).find((value) => value !== undefined)
  return {
    schedulerName: flag('scheduler-name') ?? DEFAULT_SCHEDULER,
    leaseName:
      flag('leader-elect-resource-name') ??
      (spec.containers.some(isKubeScheduler) ? 'kube-scheduler' : 'berth-scheduler'),
  }
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
      urlPrefix,
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
