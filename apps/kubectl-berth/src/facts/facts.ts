import type { CoreEvent } from '../explain/observed/core-event.ts'
import type { CustomObjects, ListedFacts } from './fact-kinds.ts'
import type { ReportedServer } from './reported-state.ts'
import type { KubectlPlugin } from './kubectl-plugins.ts'
import type { MountedCertificate } from './read-certificates.ts'
import type { SchedulerSettings } from './scheduler-settings.ts'

/** Facts about a cluster: objects, and the content of other pages. A fact that was not requested is empty. */
export interface Facts extends ListedFacts {
  /** Events `Scheduled` and `FailedScheduling`. */
  readonly schedulingEvents: readonly CoreEvent[]
  /** Events `FailedMount`. */
  readonly mountEvents: readonly CoreEvent[]
  /** Events `FailedCreate`. */
  readonly creationEvents: readonly CoreEvent[]
  readonly schedulerSettings: readonly SchedulerSettings[]
  readonly customObjects: readonly CustomObjects[]
  /** The certificates that pods of extenders mount. */
  readonly certificates: readonly MountedCertificate[]
  /** The state of the API server; empty when this user may not ask. */
  readonly server: readonly ReportedServer[]
  /** The kubectl plugins of this machine. */
  readonly kubectlPlugins: readonly KubectlPlugin[]
}

/** Facts of which none was asked for. */
export const noFacts: Facts = {
  nodes: [],
  namespaces: [],
  pods: [],
  services: [],
  leases: [],
  daemonSets: [],
  endpointSlices: [],
  persistentVolumes: [],
  storageClasses: [],
  csiDrivers: [],
  csiNodes: [],
  volumeAttachments: [],
  deviceClasses: [],
  resourceSlices: [],
  resourceClaims: [],
  mutatingWebhooks: [],
  validatingWebhooks: [],
  apiServices: [],
  customResourceDefinitions: [],
  horizontalPodAutoscalers: [],
  runtimeClasses: [],
  clusterRoles: [],
  clusterRoleBindings: [],
  schedulingEvents: [],
  mountEvents: [],
  creationEvents: [],
  schedulerSettings: [],
  customObjects: [],
  certificates: [],
  server: [],
  kubectlPlugins: [],
}

/** Name of a fact. */
export type FactName = keyof Facts

/** A fact that could not be read completely. */
export interface UnreadFact {
  readonly fact: FactName
  /** Names the missing part and the permission to grant. */
  readonly sentence: string
}

/** Returns the sentences about the unread facts among those that are needed, each once. */
export function missingOf(needs: readonly FactName[], unread: readonly UnreadFact[]): readonly string[] {
  return [...new Set(unread.filter(({ fact }) => needs.includes(fact)).map(({ sentence }) => sentence))]
}

/** Facts with the time at which they were read, and what is missing from them. */
export interface KnownFacts {
  readonly facts: Facts
  readonly nowMs: number
  readonly unread: readonly UnreadFact[]
}
