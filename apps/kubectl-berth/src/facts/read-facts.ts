import { isApiStatus, type ApiClient, type ListOptions, type ResourceRef } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { readServerState } from './reported-state.ts'
import { coreEvents, type CoreEvent } from '../explain/observed/core-event.ts'
import type { ReadOptions } from '../output/read-json.ts'
import { configurationInConfigMap, configurationOnConfigz } from '../profile/cluster/find-configuration.ts'
import { schedulerPods } from '../profile/cluster/scheduler-pods.ts'
import { type CustomResourceDefinition, factRefs, type ListedFacts } from './fact-kinds.ts'
import { type FactName, type KnownFacts, noFacts, type UnreadFact } from './facts.ts'
import type { KubectlPlugin } from './kubectl-plugins.ts'
import { readCertificates } from './read-certificates.ts'
import { readCustomObjects } from './read-custom-objects.ts'
import { parseSchedulerSettings, type SchedulerSettings, settingsOfFlags } from './scheduler-settings.ts'

/** Access to the cluster whose facts are read. */
export interface FactSource extends ReadOptions {
  readonly client: ApiClient
  /** The namespace of namespaced objects for a user with rights in one namespace only. */
  readonly namespace: string
  readonly findKubectlPlugins: () => Promise<readonly KubectlPlugin[]>
}

/**
 * Reads some facts about a cluster, each once and all at the same time. A kind that the server does not serve is empty.
 * A fact that this user may not read is empty or incomplete, and named in `unread`.
 *
 * @throws the errors of the client, except 403 and 404.
 */
export async function readFacts(names: Iterable<FactName>, source: FactSource): Promise<KnownFacts> {
  const wanted = [...new Set(names)]
  const reader = factReader(source)
  const parts = await Promise.all(wanted.map(async (name) => [name, await reader.read(name)] as const))
  return {
    facts: { ...noFacts, ...Object.fromEntries(parts) },
    nowMs: source.deadline.clock.now(),
    unread: reader.unread.filter(({ fact }) => wanted.includes(fact)),
  }
}

interface FactReader {
  read(name: FactName): Promise<readonly unknown[]>
  readonly unread: readonly UnreadFact[]
}

function factReader(source: FactSource): FactReader {
  const { client, signal, deadline, namespace } = source
  const unread: UnreadFact[] = []
  const started = new Map<FactName, Promise<readonly unknown[]>>()
  const miss = (fact: FactName, sentence: string): void => void unread.push({ fact, sentence })

  const list = async <T>(fact: FactName, resource: ResourceRef, only: ListOptions = {}): Promise<readonly T[]> => {
    const everywhere = await listPermitted<T>(resource, only)
    if (everywhere !== undefined) return everywhere
    const own = resource.namespaced ? await listPermitted<T>(resource, { ...only, namespace }) : undefined
    miss(
      fact,
      own === undefined
        ? missingSentence(resource)
        : `Only ${resource.plural} of namespace ${namespace} are known: this user may not list those of others.`,
    )
    return own ?? []
  }
  /** Undefined when this user may not list. */
  const listPermitted = async <T>(resource: ResourceRef, only: ListOptions): Promise<readonly T[] | undefined> => {
    try {
      return (await client.list<T>(resource, { signal, deadlineMs: deadline.ms, ...only })).items
    } catch (error) {
      if (isApiStatus(error, 404)) return []
      if (isApiStatus(error, 403)) return undefined
      throw error
    }
  }
  const events = (fact: FactName, reason: string): Promise<readonly CoreEvent[]> =>
    list<CoreEvent>(fact, coreEvents, { fieldSelector: `reason=${reason}` })

  const special: Readonly<Record<Exclude<FactName, keyof ListedFacts>, () => Promise<readonly unknown[]>>> = {
    schedulingEvents: async () => {
      const reasons = ['Scheduled', 'FailedScheduling']
      return (await Promise.all(reasons.map((reason) => events('schedulingEvents', reason)))).flat()
    },
    mountEvents: () => events('mountEvents', 'FailedMount'),
    creationEvents: () => events('creationEvents', 'FailedCreate'),
    schedulerSettings: async () =>
      readSchedulerSettings((await read('pods')) as readonly Pod[], source, (sentence) =>
        miss('schedulerSettings', sentence),
      ),
    customObjects: async () =>
      readCustomObjects(
        (await read('customResourceDefinitions')) as readonly CustomResourceDefinition[],
        source,
        (kind) => miss('customObjects', missingSentence(kind)),
      ),
    certificates: async () =>
      readCertificates((await read('pods')) as readonly Pod[], source, (sentence) => miss('certificates', sentence)),
    server: async () => {
      const state = await readServerState(client, { signal, deadline })
      if (state === undefined) miss('server', 'The state of the API server is unknown: this user may not read /readyz.')
      return state === undefined ? [] : [state]
    },
    kubectlPlugins: source.findKubectlPlugins,
  }

  const read = (name: FactName): Promise<readonly unknown[]> => {
    let promise = started.get(name)
    if (promise === undefined) {
      promise = isListed(name) ? list(name, factRefs[name]) : special[name]()
      started.set(name, promise)
    }
    return promise
  }
  return { read, unread }
}

function isListed(name: FactName): name is keyof ListedFacts {
  return Object.hasOwn(factRefs, name)
}

function missingSentence({ plural, group }: ResourceRef): string {
  return `${plural} are unknown: grant the verb "list" on "${plural}" (API group "${group}") to this user.`
}

/** Keys of a configuration that {@link parseSchedulerSettings} reads. */
const SETTING_KEYS = ['profiles', 'extenders', 'leaderElection', 'clientConnection']
/** Maximum number of pods whose settings are read. */
const MAX_SCHEDULER_PODS = 64

/** Reads the settings of each scheduler pod: from its ConfigMap, its `/configz` page, or its flags. */
async function readSchedulerSettings(
  pods: readonly Pod[],
  { client, signal, deadline }: FactSource,
  onMissing: (sentence: string) => void,
): Promise<readonly SchedulerSettings[]> {
  const candidates = schedulerPods(pods, MAX_SCHEDULER_PODS + 1)
  if (candidates.length > MAX_SCHEDULER_PODS)
    onMissing(`Only the settings of ${MAX_SCHEDULER_PODS} pods that may run a scheduler were read.`)
  const found = await Promise.all(
    candidates.slice(0, MAX_SCHEDULER_PODS).map(async (pod): Promise<readonly SchedulerSettings[]> => {
      const failures: string[] = []
      const map = await configurationInConfigMap(pod, client, failures, signal)
      for (const failure of failures) onMissing(`${failure}.`)
      const file =
        map ?? (await configurationOnConfigz(pod, { client, clock: deadline.clock, signal, keys: SETTING_KEYS }))
      const settings =
        file === undefined
          ? settingsOfFlags(pod)
          : parseSchedulerSettings(file.text, pod, { source: file.name, isComplete: file.source === 'config-map' })
      return settings === undefined ? [] : [settings]
    }),
  )
  return found.flat()
}
