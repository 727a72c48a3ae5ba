import type { PluginSet, ProfileEntry } from './kube-scheduler-configuration.ts'
import { hasUnusedArgs } from './plugin-args.ts'

/** A key of the configuration that is accepted without effect. */
export interface IdleSetting {
  /** Path of the key: `profiles[0].percentageOfNodesToScore`. */
  readonly key: string
  /** Why it has no effect. */
  readonly reason: string
}

/** The parts of a KubeSchedulerConfiguration in which {@link idleSettings} finds keys. */
export interface CheckedConfiguration {
  readonly profiles: readonly ProfileEntry[]
  readonly clientConnection?: { readonly acceptContentTypes?: string | undefined } | undefined
}

const NO_SAMPLING = 'every node is evaluated, so no feasible node is missed'
const BY_CONTENT_TYPE = 'clientConnection.contentType also decides which responses are accepted'

/** Keys at the top of the configuration that change only how kube-scheduler works internally. */
const reasonByKey: Readonly<Record<string, string>> = {
  parallelism: 'filters and scores run in one pass over all nodes',
  percentageOfNodesToScore: NO_SAMPLING,
  delayCacheUntilActive: 'the cache is always filled at start, so that failover does not wait for it',
  enableProfiling: 'there is no Go profiler; inspect the process with the inspector of Node.js',
  enableContentionProfiling: 'there is no Go profiler, and the scheduler runs on one thread',
}

/**
 * Lists the keys in the file that are accepted without effect, because ignoring them does not change where a pod is
 * placed. Every other key is either honoured or refused.
 */
export function idleSettings(file: CheckedConfiguration): readonly IdleSetting[] {
  const top = Object.entries(reasonByKey).flatMap(([key, reason]) =>
    Object.entries(file).some(([given, value]) => given === key && value !== undefined) ? { key, reason } : [],
  )
  const { acceptContentTypes = '' } = file.clientConnection ?? {}
  const client =
    acceptContentTypes === '' ? [] : [{ key: 'clientConnection.acceptContentTypes', reason: BY_CONTENT_TYPE }]
  return [...top, ...client, ...file.profiles.flatMap((profile, i) => idleInProfile(profile, `profiles[${i}]`))]
}

function idleInProfile(
  { percentageOfNodesToScore, plugins = {}, pluginConfig }: ProfileEntry,
  path: string,
): readonly IdleSetting[] {
  return [
    ...(percentageOfNodesToScore === undefined
      ? []
      : [{ key: `${path}.percentageOfNodesToScore`, reason: NO_SAMPLING }]),
    ...Object.entries(plugins).flatMap(([point, set]) => idleInSet(set, `${path}.plugins.${point}`)),
    ...pluginConfig.flatMap(({ name }, i) =>
      hasUnusedArgs(name)
        ? {
            key: `${path}.pluginConfig[${i}].args`,
            reason: `pods that need ${name} are refused`,
          }
        : [],
    ),
  ]
}

function idleInSet(set: PluginSet | undefined, path: string): readonly IdleSetting[] {
  return [
    ...(set?.enabled ?? []).flatMap(({ name }, i) =>
      name === 'DynamicResources'
        ? { key: `${path}.enabled[${i}]`, reason: 'pods with resource claims are refused by name' }
        : [],
    ),
    ...(set?.disabled ?? []).flatMap(({ name }, i) =>
      name === 'SchedulingGates'
        ? { key: `${path}.disabled[${i}]`, reason: 'the API server binds no pod with scheduling gates, so it waits' }
        : [],
    ),
  ]
}
