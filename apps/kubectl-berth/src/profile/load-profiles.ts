import type { CommandLine } from '@berth/process/command'
import {
  buildProfiles,
  configMapsOf,
  DEFAULT_SCHEDULER,
  readSchedulerConfiguration,
  schedulerNameOf,
  type Profile,
  type ProfileEntry,
} from '@berth/scheduler-config'
import { hideUrlCredentials } from '@berth/text/hide-url-credentials'
import { type Pod, silentLogger } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'
import { UsageError } from '../errors.ts'
import type { FoundConfiguration } from './cluster/find-configuration.ts'

/** Where profiles come from. */
export type ProfileSource = 'file' | FoundConfiguration['source'] | 'plugin-dir' | 'assumed'

/** The profiles with which a command decides. */
export interface Profiles {
  readonly source: ProfileSource
  /** Names the file, ConfigMap or page they were read from; empty when there is none. */
  readonly sourceName: string
  /** Whether they are those of the scheduler or of the command line, and not assumed. */
  readonly isChosen: boolean
  /** Sentences for standard error about what the command line leaves open. */
  readonly notes: readonly string[]
  readonly all: readonly Profile[]
  /** The Lease that the configuration names; undefined without one. */
  readonly leaseName: string | undefined
  /** The ConfigMaps that the plugins read, as `namespace/name`. */
  readonly configMaps: ReadonlySet<string>
  /** The profile for questions that are not about one pod. */
  readonly first: Profile
  /**
   * Returns the profile of the pod's schedulerName. A single profile decides every pod.
   *
   * @throws UsageError BERTH_KUBECTL_USAGE when none of several profiles has that name.
   */
  profileOf(pod: Pod): Profile
  /** Returns what the scheduler does after or beside the decision of this profile, which a command does not run. */
  notRun(profile: Profile): readonly string[]
}

/** Hooks that can keep a pod pending after the decision. */
const laterHooks = ['reserve', 'permit', 'preBind', 'bind'] as const

/**
 * Builds the profiles that --scheduler-config and --plugin-dir describe, as the scheduler does at start.
 *
 * @param found - A configuration of the cluster, which stands in for --scheduler-config.
 * @throws ConfigError, PluginError with the codes of the scheduler; UsageError BERTH_KUBECTL_USAGE for a directory without
 * a scheduling plugin.
 */
export async function loadProfiles(
  line: CommandLine,
  { terminal, loadPlugins }: Pick<CommandContext, 'terminal' | 'loadPlugins'>,
  found?: FoundConfiguration,
): Promise<Profiles> {
  const file = found?.name ?? line.text('scheduler-config')
  const dir = line.text('plugin-dir')
  const read = found === undefined ? await reader(terminal, file) : () => found.text
  const configuration = readSchedulerConfiguration(file, read)
  const registry = await loadPlugins(dir)
  const contributed = registry.list('scheduling').flatMap(({ name, origin }) => (origin === 'built in' ? [] : name))
  if (dir !== undefined && contributed.length === 0)
    throw new UsageError(`load plugins from ${dir}: it has no scheduling plugin`, 'Check --plugin-dir.')
  const entries = configuration.profiles.length > 0 ? configuration.profiles : [withPlugins(contributed)]
  const profiles = buildProfiles({ profiles: entries, extenders: configuration.extenders }, registry, () => ({
    log: silentLogger,
    clock: terminal.clock,
    random: terminal.random,
  }))
  const [first] = profiles
  if (first === undefined) throw new Error('a configuration without profiles has the default one')
  const extenders = configuration.extenders.map(
    ({ urlPrefix }) => `extender ${hideUrlCredentials(urlPrefix)}, which the scheduler also calls`,
  )
  return {
    source: found?.source ?? (file === undefined ? (dir === undefined ? 'assumed' : 'plugin-dir') : 'file'),
    sourceName: file ?? dir ?? '',
    isChosen: file !== undefined || dir !== undefined,
    all: profiles,
    leaseName: configuration.leaderElection?.resourceName,
    configMaps: configMapsOf(profiles),
    first,
    notes: notesOn(profiles, { contributed, dir, isDefault: configuration.profiles.length === 0 }),
    profileOf: (pod) => profileOf(profiles, pod, file ?? ''),
    notRun: ({ effects }) => [
      ...effects.flatMap(({ name, hooks }) => {
        const later = laterHooks.filter((hook) => hooks[hook] !== undefined)
        return later.length === 0 ? [] : `${later.join(', ')} of plugin ${name}, which the scheduler runs later`
      }),
      ...extenders,
    ],
  }
}

/** Prints the notes on the command line, and what these profiles do that the command does not run. */
export function printNotes(profiles: Profiles, used: readonly Profile[], terminal: CommandContext['terminal']): void {
  const notRun = used.flatMap((profile) => profiles.notRun(profile)).map((part) => `Not evaluated: ${part}.`)
  for (const note of new Set([...profiles.notes, ...notRun])) terminal.note(`${note}\n`)
}

/** The default profile with these plugins at every extension point for which they have a hook. */
function withPlugins(names: readonly string[]): ProfileEntry {
  const multiPoint = { enabled: names.map((name) => ({ name })), disabled: [] }
  return { schedulerName: DEFAULT_SCHEDULER, plugins: { multiPoint }, pluginConfig: [] }
}

/** Reads a file at once, because the configuration is read synchronously. A failure is reported as that of the file. */
async function reader(terminal: CommandContext['terminal'], file: string | undefined): Promise<() => string> {
  if (file === undefined) return () => ''
  try {
    const text = await terminal.readFile(file)
    return () => text
  } catch (error) {
    return () => {
      throw error
    }
  }
}

function profileOf(profiles: readonly Profile[], pod: Pod, file: string): Profile {
  const [only, ...others] = profiles
  if (only !== undefined && others.length === 0) return only
  const wanted = schedulerNameOf(pod)
  const found = profiles.find(({ schedulerName }) => schedulerName === wanted)
  if (found !== undefined) return found
  const names = profiles.map(({ schedulerName }) => schedulerName).join(', ')
  throw new UsageError(
    `choose the profile of pod ${pod.metadata.name ?? ''}: ${file} has none for its schedulerName "${wanted}"`,
    `It has profiles for ${names}.`,
  )
}

function notesOn(
  profiles: readonly Profile[],
  from: {
    readonly contributed: readonly string[]
    readonly dir: string | undefined
    readonly isDefault: boolean
  },
): readonly string[] {
  if (from.dir === undefined) return []
  if (from.isDefault)
    return [`Decided with the default profile and every plugin of ${from.dir}: ${from.contributed.join(', ')}.`]
  const running = new Set(
    profiles.flatMap(({ framework, effects }) => [
      ...framework.plugins.map(({ plugin }) => plugin.name),
      ...effects.map(({ name }) => name),
    ]),
  )
  const idle = from.contributed.filter((name) => !running.has(name))
  return idle.length === 0 ? [] : [`No profile enables ${idle.join(', ')}, so these plugins do not run.`]
}
