import { clientLimits } from './checks/client-limits.ts'
import { extenderCalls } from './checks/extender-calls.ts'
import { extenderCertificates } from './checks/extender-certificates.ts'
import { kubeletSockets } from './checks/kubelet-sockets.ts'
import { podSecurity } from './checks/pod-security.ts'
import { schedulerNames } from './checks/scheduler-names.ts'
import { staleResources } from './checks/stale-resources.ts'
import type { Check } from './model/check.ts'

/** Every check, from the node to the schedulers. */
export const checks: readonly Check[] = [
  kubeletSockets,
  podSecurity,
  staleResources,
  extenderCalls,
  extenderCertificates,
  schedulerNames,
  clientLimits,
]
