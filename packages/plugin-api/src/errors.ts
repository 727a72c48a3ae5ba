import { BerthError } from '@berth/types'
import type { ErrorDescription } from '@berth/types'

/** A plugin could not be loaded, configured or run, or broke its contract. The message names plugin and file. */
export class PluginError extends BerthError {}

/** Every code that this package throws. */
export const pluginApiErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_PLUGIN_DIR',
    meaning: 'The directory given with --plugin-dir cannot be read.',
    action: 'Check the path and its permissions; an empty directory is fine.',
  },
  {
    code: 'BERTH_PLUGIN_LOAD',
    meaning: 'A file or package in the plugin directory is not a module that can be imported, or exports no plugin.',
    action: 'Correct the named file for the named reason; it must export `plugin` or `plugins`.',
  },
  {
    code: 'BERTH_PLUGIN_SHAPE',
    meaning: 'An exported plugin lacks a part of its contract, or has one of the wrong type.',
    action: 'Compare it with the template of its kind in examples/plugins.',
  },
  {
    code: 'BERTH_PLUGIN_VERSION',
    meaning: 'A plugin was written for another version of the plugin contracts than this program speaks.',
    action: 'Install the version of the plugin that fits, or move the plugin to the version named.',
  },
  {
    code: 'BERTH_PLUGIN_DUPLICATE',
    meaning: 'Two plugins of one kind have the same name.',
    action: 'Rename or remove one of the two places that the message names.',
  },
  {
    code: 'BERTH_PLUGIN_UNKNOWN',
    meaning: 'The configuration names a plugin that is neither built in nor in the plugin directory.',
    action: 'Correct the name, or put the plugin into --plugin-dir; the message lists what there is.',
  },
  {
    code: 'BERTH_PLUGIN_ARGS',
    meaning: 'The arguments of a plugin hold an unknown key or an illegal value.',
    action: 'Correct the keys that the message names.',
  },
  {
    code: 'BERTH_PLUGIN_CREATE',
    meaning: 'A plugin threw while it was being created.',
    action: 'Read the cause; it is a defect of the plugin, or of what its arguments point at.',
  },
  {
    code: 'BERTH_PLUGIN_HOOK_UNSUPPORTED',
    meaning: 'A plugin has a hook that this program cannot run, or a function whose name is no hook.',
    action: 'Configure the plugin in the program that runs the hook, or correct the name.',
  },
  {
    code: 'BERTH_PLUGIN_HOOK_FAILED',
    meaning: 'A hook of a plugin threw.',
    action: 'Read the cause; it is a defect of the plugin or of what it talks to.',
  },
  {
    code: 'BERTH_PLUGIN_DEADLINE',
    meaning: 'A hook of a plugin gave no answer in time and was given up.',
    action: 'Look at what the plugin waits for; a hook must honour its abort signal.',
  },
  {
    code: 'BERTH_PLUGIN_ABORTED',
    meaning: 'A hook of a plugin was given up because the program ends or the pod is gone.',
    action: 'Nothing.',
  },
  {
    code: 'BERTH_PLUGIN_CONTRACT',
    meaning: 'The conformance kit found a promise that the plugin does not keep.',
    action: 'Correct the plugin; the message names promise and example.',
  },
]
