import type { ErrorDescription } from '@berth/types'

/** Every error code of this package. The error itself is the ConfigError of `@berth/process`. */
export const schedulerConfigErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_SCHEDULER_CONFIG_INVALID',
    meaning: 'The KubeSchedulerConfiguration cannot be read, or has an unknown key or an invalid value.',
    action: 'Correct the key that the message names.',
  },
  {
    code: 'BERTH_SCHEDULER_CONFIG_POLICY',
    meaning: 'The configuration file is a scheduler Policy, which kube-scheduler removed in 1.23.',
    action: 'Use the KubeSchedulerConfiguration in the hint.',
  },
  {
    code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
    meaning:
      'A profile names an unknown plugin, gives a plugin invalid arguments, or sorts the queue differently from other profiles.',
    action: 'Correct the key that the message names. The log lists the plugins at start.',
  },
]
