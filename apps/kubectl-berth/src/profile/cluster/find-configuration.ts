import { isApiStatus, resourceRefs, type ApiClient } from '@berth/k8s-client'
import { objectKey } from '@berth/fit-engine'
import type { Clock, KubernetesObject, Pod } from '@berth/types'
import { readJson } from '../../output/read-json.ts'
import { configMapOf } from './config-map-of.ts'
import { configurationOfConfigz } from './configz.ts'
import { parseYaml } from './parse-yaml.ts'
import { schedulerNamesOf } from './scheduler-names.ts'
import { flagOf, podFlag, schedulerPods } from './scheduler-pods.ts'

/** Port of kube-scheduler's secure server, unless `--secure-port` names another. */
const SECURE_PORT = '10259'
/** A pod that does not answer within this time is not reachable. */
const CONFIGZ_TIMEOUT_MS = 3_000

/** A configuration of a scheduler that was found in the cluster. */
export interface FoundConfiguration {
  /** YAML or JSON. */
  readonly text: string
  /** Names the source: `ConfigMap kube-system/scheduler`. */
  readonly name: string
  readonly source: 'config-map' | 'configz'
}

/** Result of {@link findConfiguration}. */
export interface ConfigurationSearch {
  readonly found: FoundConfiguration | undefined
  /** Sources that could not be used, as clauses: `ConfigMap a/b could not be read`. */
  readonly failures: readonly string[]
}

/**
 * Looks for the configuration that serves a schedulerName: in the ConfigMaps that scheduler pods mount, then on their
 * `/configz` pages through the API server. kubeadm's kube-scheduler has neither: its file lies on the host, and its port is
 * bound to loopback.
 */
export async function findConfiguration(
  schedulerName: string,
  {
    client,
    pods,
    clock,
    signal,
  }: {
    readonly client: Pick<ApiClient, 'find' | 'raw'>
    readonly pods: readonly Pod[]
    readonly clock: Clock
    readonly signal: AbortSignal
  },
): Promise<ConfigurationSearch> {
  const candidates = schedulerPods(pods)
  const failures: string[] = []
  for (const pod of candidates) {
    const found = await configurationInConfigMap(pod, client, failures, signal)
    if (found !== undefined && serves(found, pod, schedulerName)) return { found, failures }
  }
  for (const pod of candidates) {
    const found = await configurationOnConfigz(pod, { client, clock, signal })
    if (found !== undefined && serves(found, pod, schedulerName)) return { found, failures }
  }
  return { found: undefined, failures }
}

function serves({ text }: FoundConfiguration, pod: Pod, schedulerName: string): boolean {
  return schedulerNamesOf(parseYaml(text), pod)?.includes(schedulerName) === true
}

/**
 * Reads the configuration that a scheduler pod mounts from a ConfigMap; undefined when its file is from elsewhere.
 *
 * @param failures - Receives a clause for each ConfigMap that could not be used.
 */
export async function configurationInConfigMap(
  pod: Pod,
  client: Pick<ApiClient, 'find'>,
  failures: string[],
  signal: AbortSignal,
): Promise<FoundConfiguration | undefined> {
  for (const container of pod.spec.containers) {
    const file = flagOf(container, 'config')
    const place = file === undefined ? undefined : configMapOf(pod, container, file)
    if (place === undefined) continue
    const name = `ConfigMap ${objectKey(place)}`
    try {
      const map = await client.find<KubernetesObject & { readonly data?: Record<string, string> }>(
        resourceRefs.configMaps,
        place,
        { signal },
      )
      const text = map?.data?.[place.key]
      if (text !== undefined) return { text, name, source: 'config-map' }
      const problem = map === undefined ? 'does not exist' : `has no key ${place.key}`
      failures.push(`${name}, which pod ${objectKey(pod.metadata)} mounts, ${problem}`)
    } catch (error) {
      signal.throwIfAborted()
      const reason = isApiStatus(error, 403) ? 'this user may not get it' : 'the request failed'
      failures.push(`${name}, which pod ${objectKey(pod.metadata)} mounts, could not be read: ${reason}`)
    }
  }
  return undefined
}

/**
 * Reads the `/configz` page of a scheduler pod through the API server; undefined when it does not answer with one.
 *
 * @param access.keys - As for {@link configurationOfConfigz}.
 */
export async function configurationOnConfigz(
  pod: Pod,
  {
    client,
    clock,
    signal,
    keys,
  }: {
    readonly client: Pick<ApiClient, 'raw'>
    readonly clock: Clock
    readonly signal: AbortSignal
    readonly keys?: readonly string[]
  },
): Promise<FoundConfiguration | undefined> {
  const { namespace = '', name = '' } = pod.metadata
  const port = podFlag(pod, 'secure-port') ?? SECURE_PORT
  if (!/^\d+$/.test(port)) return undefined
  const target = encodeURIComponent(`https:${name}:${port}`)
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${target}/proxy/configz`
  try {
    const deadline = { clock, ms: CONFIGZ_TIMEOUT_MS }
    const { status, value } = await readJson(client, path, { signal, deadline })
    const text = status === 200 ? configurationOfConfigz(value, keys) : undefined
    return text === undefined ? undefined : { text, name: `/configz of pod ${namespace}/${name}`, source: 'configz' }
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
