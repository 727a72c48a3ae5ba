import type { Pod } from '@berth/types'
import { holdsDevices, reportsHealth } from './pod-devices.ts'

/** First minor version of Kubernetes 1 that reports the health of devices by default (KEP-4680). */
const DEFAULT_SINCE_MINOR = 36
/** The kubelet writes the status of a pod shortly after its containers have started. */
const GRACE_MS = 60_000
const GATE = 'the feature gate ResourceHealthStatus of the API server and of the kubelets'

/** Follows whether the status of pods reports the health of their devices at all. */
export interface HealthReports {
  update(pod: Pod, nowMs: number): void
  remove(uid: string): void
  /** Returns the number of pods that hold devices and whose status has not reported their health for a minute. */
  silent(nowMs: number): number
  /** Returns why no unhealthy device can be seen, and what to do; undefined once a pod has reported the health of a device. */
  problem(nowMs: number): string | undefined
}

/**
 * Creates a record without pods.
 *
 * @param options.gitVersion - Version of the API server, such as `v1.36.3`. Kubelets are never newer.
 */
export function createHealthReports(options: {
  readonly resources: ReadonlySet<string>
  readonly gitVersion: string
}): HealthReports {
  const { resources, gitVersion } = options
  const silentSince = new Map<string, { readonly pod: Pod; readonly sinceMs: number }>()
  let hasReported = false
  const silentPods = (nowMs: number): readonly Pod[] =>
    [...silentSince.values()].filter(({ sinceMs }) => nowMs - sinceMs >= GRACE_MS).map(({ pod }) => pod)

  return {
    update(pod, nowMs) {
      const uid = pod.metadata.uid ?? ''
      const isReporting = reportsHealth(pod, resources)
      hasReported ||= isReporting
      if (isReporting || !holdsDevices(pod, resources)) silentSince.delete(uid)
      else if (!silentSince.has(uid)) silentSince.set(uid, { pod, sinceMs: nowMs })
    },
    remove: (uid) => void silentSince.delete(uid),
    silent: (nowMs) => silentPods(nowMs).length,
    problem(nowMs) {
      if (hasReported) return undefined
      if (isOff(gitVersion)) {
        return `Kubernetes ${gitVersion} does not report the health of devices by default: enable ${GATE}, or upgrade to 1.${DEFAULT_SINCE_MINOR}`
      }
      const [pod] = silentPods(nowMs)
      if (pod === undefined) return undefined
      const { namespace = '', name = '' } = pod.metadata
      return (
        `the status of no pod reports the health of its devices, such as ${namespace}/${name} on node ${pod.spec.nodeName ?? ''}: ` +
        `enable ${GATE}, which is on by default from Kubernetes 1.${DEFAULT_SINCE_MINOR}, and name only resources of device plugins`
      )
    },
  }
}

function isOff(gitVersion: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(gitVersion) ?? []
  return major === '1' && Number(minor) < DEFAULT_SINCE_MINOR
}
