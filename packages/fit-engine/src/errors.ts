import { BerthError, type ErrorDescription } from '@berth/types'

/** The arguments of a built-in plugin, or the plugins of a profile, make no sense: starting with them is refused. */
export class ProfileError extends BerthError {}

/** A change was asked of the cluster state that contradicts what it holds. */
export class StateError extends BerthError {}

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
      'The plugins of a profile cannot work together: one is there twice, two sort the queue, or a weight is not valid.',
    action: 'Correct the plugins of the profile as the message says.',
  },
  {
    code: 'BERTH_FIT_ASSUMED_TWICE',
    meaning: 'A pod was to be assumed on a node although it already counts somewhere.',
    action: 'Report it: a scheduler asked to place the same pod twice.',
  },
  {
    code: 'BERTH_FIT_UNREADABLE',
    meaning:
      'A node or pod cannot be counted: one of its amounts is no quantity, mostly, or its affinity or taints are none. It alone is left out.',
    action: 'Correct the object that the message names.',
  },
  {
    code: 'BERTH_FIT_FOREIGN_STATE',
    meaning: 'A cluster state that this engine did not make was given to it.',
    action: 'Make the state with createClusterState of the same copy of the package.',
  },
]
