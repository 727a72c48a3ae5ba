import type { FlagDefinition } from '@berth/process/command'

/** The flags that choose the profile: the same plugins and arguments as those of the scheduler. */
export const profileFlags: readonly FlagDefinition[] = [
  {
    name: 'scheduler-config',
    placeholder: 'FILE',
    description:
      "Decide with the profiles of this KubeSchedulerConfiguration. Default: kube-scheduler's default profile.",
  },
  {
    name: 'plugin-dir',
    placeholder: 'DIR',
    description:
      'Directory with scheduling plugins, as for the scheduler. Without --scheduler-config, all of them run. Plugins run with your rights.',
  },
]
