import { BerthError } from '@berth/types'
import type { ErrorDescription } from '@berth/types'

/** A plugin could not be loaded, configured or run, or broke its contract. The message names plugin and file. */
export class PluginError extends BerthError {}

/**
 * Adds the place in the configuration to the error of a plugin. Several entries may use one plugin, so its error alone does
 * not say which of them is wrong. Returns any other error unchanged.
 *
 * @param place - For example `resources[2] (example.com/seat)`.
 */
export function pluginErrorIn(error: unknown, place: string): unknown {
  if (!(error instanceof PluginError)) return error
  const { code, hint } = error
  return new PluginError(`read ${place}: ${error.message}`, { code, cause: error, ...(hint !== undefined && { hint }) })
}

/** Error codes that this package throws. */
export const pluginApiErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_PLUGIN_DIR',
    meaning: 'The directory given with --plugin-dir cannot be read.',
    action: 'Check the path and its permissions; an empty directory is fine.',
  },
  {
    code: 'BERTH_PLUGIN_LOAD',
    meaning: 'A file, package or archive in the plugin directory cannot be unpacked or imported, or exports no plugin.',
    action: 'Fix the file that the message names. It must export `plugin` or `plugins`.',
  },
  {
    code: 'BERTH_PLUGIN_SHAPE',
    meaning: 'An exported plugin lacks a part of its contract, or has one of the wrong type.',
    action: 'Compare it with the template of its kind in examples/plugins.',
  },
  {
    code: 'BERTH_PLUGIN_VERSION',
    meaning: 'A plugin states an apiVersion of the contracts that this program does not support.',
    action: 'Install a version of the plugin for an apiVersion in the message, or port the plugin to it.',
  },
  {
    code: 'BERTH_PLUGIN_DUPLICATE',
    meaning: 'Two plugins of one kind have the same name.',
    action: 'Rename or remove one of the two places that the message names.',
  },
  {
    code: 'BERTH_PLUGIN_UNKNOWN',
    meaning: 'The configuration names a plugin that is neither built in nor in the plugin directory.',
    action: 'Fix the name, or put the plugin into --plugin-dir. The message lists the available plugins.',
  },
  {
    code: 'BERTH_PLUGIN_ARGS',
    meaning: 'The arguments of a plugin have an unknown key or an invalid value.',
    action: 'Fix the keys that the message names.',
  },
  {
    code: 'BERTH_PLUGIN_CREATE',
    meaning: 'The `create` function of a plugin threw an error, or did not return an object at once.',
    action: 'See the cause, and fix the plugin or its arguments.',
  },
  {
    code: 'BERTH_PLUGIN_HOOK_UNSUPPORTED',
    meaning:
      'A plugin has a hook that this program cannot run, a function whose name is not a hook, or no hook at all.',
    action: 'Configure the plugin in the program that runs the hook, or fix the name.',
  },
  {
    code: 'BERTH_PLUGIN_HOOK_FAILED',
    meaning: 'A hook of a plugin threw an error.',
    action: 'See the cause, and fix the plugin or the service that it calls.',
  },
  {
    code: 'BERTH_PLUGIN_RESULT',
    meaning: 'A hook of a plugin returned a value that its contract does not allow.',
    action: 'Fix the plugin. The message names the hook, the value received and the value expected.',
  },
  {
    code: 'BERTH_PLUGIN_DEADLINE',
    meaning: 'A hook of a plugin did not finish before its deadline.',
    action: 'Find out what the plugin waits for. A hook must stop when its signal is aborted.',
  },
  {
    code: 'BERTH_PLUGIN_ABORTED',
    meaning: 'A hook of a plugin was aborted because the program is ending or the pod was deleted.',
    action: 'No action is needed.',
  },
  {
    code: 'BERTH_PLUGIN_CONTRACT',
    meaning: 'The test kit found a rule of the contract that the plugin breaks.',
    action: 'Fix the plugin. The message names the rule and an example.',
  },
]
