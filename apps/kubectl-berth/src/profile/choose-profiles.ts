import { addConfigMaps, type ClusterSnapshot } from '@berth/cluster-view'
import type { CommandLine } from '@berth/process/command'
import type { ApiClient } from '@berth/k8s-client'
import { schedulerNameOf } from '@berth/scheduler-config'
import { errorText } from '@berth/text/error-text'
import { BerthError, type Pod } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'
import { findConfiguration } from './cluster/find-configuration.ts'
import { loadProfiles, type Profiles } from './load-profiles.ts'

/** The profiles for one pod, and how they were chosen. */
export interface ProfileChoice {
  readonly profiles: Profiles
  /** Says with which profile the pod is decided, and what that cannot know. */
  readonly sentence: string
}

/** Chooses the profiles for a pod. */
export type ChooseProfiles = (pod: Pod) => Promise<ProfileChoice>

/**
 * Returns a function that chooses the profiles for a pod: those of the command line, else those of its scheduler's
 * ConfigMap or `/configz` page, else the assumed default profile. The cluster is searched once for each schedulerName.
 *
 * @param given - The profiles of the command line.
 * @param options.snapshot - The cluster, among whose pods the scheduler is sought.
 */
export function profileChooser(
  line: CommandLine,
  given: Profiles,
  options: {
    readonly context: Pick<CommandContext, 'terminal' | 'loadPlugins' | 'stop'>
    readonly client: Pick<ApiClient, 'find' | 'list' | 'raw'>
    /** Receives the ConfigMaps that the plugins of a profile read. */
    readonly snapshot: Pick<ClusterSnapshot, 'pods' | 'state'>
  },
): ChooseProfiles {
  const chosen = new Map<string, Promise<ProfileChoice>>()
  return (pod) => {
    const schedulerName = schedulerNameOf(pod)
    let choice = chosen.get(schedulerName)
    if (choice === undefined) {
      choice = given.source === 'file' ? Promise.resolve(choiceOf(given, pod)) : search(schedulerName, pod)
      chosen.set(schedulerName, choice)
    }
    return choice
  }

  async function search(schedulerName: string, pod: Pod): Promise<ProfileChoice> {
    const { context, client, snapshot } = options
    const { terminal, stop } = context
    const { found, failures } = await findConfiguration(schedulerName, {
      client,
      pods: snapshot.pods,
      clock: terminal.clock,
      signal: stop,
    })
    if (found === undefined) return choiceOf(given, pod, failures)
    try {
      const profiles = await loadProfiles(line, context, found)
      const refused = await addConfigMaps(client, snapshot.state, profiles.configMaps, stop)
      if (refused.length > 0)
        terminal.note(`Evaluated without ConfigMap ${refused.join(', ')}: this user may not list it.\n`)
      return choiceOf(profiles, pod)
    } catch (error) {
      if (!(error instanceof BerthError)) throw error
      return choiceOf(given, pod, [...failures, `${found.name} cannot be used here: ${errorText(error)}`])
    }
  }
}

function choiceOf(profiles: Profiles, pod: Pod, failures: readonly string[] = []): ProfileChoice {
  const { source, sourceName } = profiles
  const schedulerName = schedulerNameOf(pod)
  switch (source) {
    case 'file':
    case 'config-map':
    case 'configz':
      return {
        profiles,
        sentence: `Decided with the profile ${profiles.profileOf(pod).schedulerName} of ${sourceName}.`,
      }
    case 'plugin-dir':
      return {
        profiles,
        sentence: `Decided with the default profile and the plugins of ${sourceName}; no configuration of scheduler ${schedulerName} was found${reasons(failures)}.`,
      }
    case 'assumed':
      return {
        profiles,
        sentence: `Decided with kube-scheduler's default profile, which is assumed: no configuration of scheduler ${schedulerName} was found${reasons(failures)}. Its extenders, contributed plugins and arguments are not known here; give them with --scheduler-config and --plugin-dir.`,
      }
  }
}

function reasons(failures: readonly string[]): string {
  return failures.length === 0 ? '' : ` (${failures.join('; ')})`
}
