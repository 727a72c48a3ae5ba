import { ConfigError } from '@berth/process/errors'
import { countsExtendedResource } from '@berth/fit-engine'
import { validateExtendedResourceName } from '@berth/types'
import type { Config } from '../config.ts'
import type { ExtenderProfile } from '@berth/scheduler-config'

/**
 * Checks that everything that needs the bind verb has it.
 *
 * @throws ConfigError BERTH_EXTENDER_CONFIG_BIND with the path of the key.
 */
export function checkBindConfig(
  config: Pick<Config, 'bind' | 'ignoredResources' | 'plugins'>,
  { effects, bindDependents }: Pick<ExtenderProfile, 'effects' | 'bindDependents'>,
): void {
  const { bind, ignoredResources, plugins } = config
  const [first] = ignoredResources
  if (!bind && first !== undefined) {
    throw refuse(
      `ignoredResources[0]: kube-scheduler does not count ${first}, so without bind two pods could get its last unit`,
      'Set bind to true and bindVerb in kube-scheduler, or remove ignoredByScheduler there and the resource here.',
    )
  }
  const binding = effects.find(({ hooks }) => hooks.bind !== undefined)
  if (!bind && binding !== undefined) {
    throw refuse(
      `plugins: plugin ${binding.name} has a bind hook, which never runs without bind`,
      'Set bind to true and bindVerb in kube-scheduler, or remove the plugin.',
    )
  }
  const [dependent] = bindDependents
  if (!bind && dependent !== undefined) {
    throw refuse(
      `plugins: without bind, two pods in flight could break the rule of plugin ${dependent}, and its annotations would not be written`,
      'Set bind to true and bindVerb in kube-scheduler, or remove the plugin.',
    )
  }
  for (const [i, name] of ignoredResources.entries()) {
    const problem = validateExtendedResourceName(name)
    if (problem !== undefined) {
      throw refuse(
        `ignoredResources[${i}]: ${name}: ${problem}`,
        'Write the name as in managedResources of kube-scheduler.',
      )
    }
    if (!plugins.some((plugin) => plugin.name === 'NodeResourcesFit' && countsExtendedResource(name, plugin.args))) {
      throw refuse(
        `ignoredResources[${i}]: no plugin counts ${name}`,
        'Add NodeResourcesFit to plugins, and do not list the resource in its ignoredResources or ignoredResourceGroups.',
      )
    }
  }
}

function refuse(message: string, hint: string): ConfigError {
  return new ConfigError(`configure bind: ${message}`, { code: 'BERTH_EXTENDER_CONFIG_BIND', hint })
}
