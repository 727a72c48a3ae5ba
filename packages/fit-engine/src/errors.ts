import { BerthError, type ErrorDescription } from '@berth/types'

/** The arguments of a built-in plugin, or the plugins of a profile, are not valid. */
export class ProfileError extends BerthError {}

/** A change contradicts what the cluster state holds. */
export class StateError extends BerthError {}

/** A plugin gave no valid annotations for a Binding. */
export class BindingAnnotationsError extends BerthError {
  readonly plugin: string

  constructor(plugin: string, message: string, options: ConstructorParameters<typeof BerthError>[1]) {
    super(message, options)
    this.plugin = plugin
  }
}

/** Every error that the fit engine throws. */
export const fitEngineErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_FIT_ARGS',
    meaning: 'The arguments of a built-in scheduling plugin are not valid.',
    action: 'Correct the field that the message names in the pluginConfig of the profile.',
  },
  {
    code: 'BERTH_FIT_PROFILE',
    meaning:
      'The plugins of a profile cannot be combined: one is listed twice, two sort the queue, or a weight is not valid.',
    action: 'Correct the plugins of the profile as the message says.',
  },
  {
    code: 'BERTH_FIT_ANNOTATIONS',
    meaning:
      'A plugin could not give the annotations of a pod for its node, or two plugins gave the same one. The pod is not bound, and is tried again.',
    action: 'Fix the plugin that the message names, or remove one of the two.',
  },
  {
    code: 'BERTH_FIT_ASSUMED_TWICE',
    meaning: 'A pod was assumed on a node although it is already bound or assumed.',
    action: 'Report this defect: a scheduler placed the same pod twice.',
  },
  {
    code: 'BERTH_FIT_UNREADABLE',
    meaning:
      'A node or pod cannot be read, for example because an amount is not a quantity or its affinity or taints are malformed. Only this object is left out.',
    action: 'Correct the object that the message names.',
  },
  {
    code: 'BERTH_FIT_FOREIGN_STATE',
    meaning: 'The engine was given a cluster state that it did not create.',
    action: 'Create the state with createClusterState of the same copy of the package.',
  },
]
