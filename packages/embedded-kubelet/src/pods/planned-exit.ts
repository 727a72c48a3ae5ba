import { backoffMs } from '@berth/clock'
import type { Pod } from '@berth/types'

/** Annotation with the seconds that a pod's containers run. Without it only pods of Jobs exit, after one second. */
export const RUN_SECONDS_ANNOTATION = 'simulator.berth.dev/run-seconds'

/** Annotation with the exit code of the containers. Default: 0. */
export const EXIT_CODE_ANNOTATION = 'simulator.berth.dev/exit-code'

const JOB_POD_RUN_SECONDS = 1
const FIRST_BACKOFF_MS = 10_000
const MAX_BACKOFF_MS = 300_000

/** When and how the containers of a pod exit. */
export interface PlannedExit {
  readonly afterMs: number
  readonly exitCode: number
  /** Whether the restart policy `OnFailure` restarts them. */
  readonly restarts: boolean
}

/** Returns the exit that the pod's annotations, owner and restart policy define; undefined if it runs until deletion. */
export function plannedExitOf(pod: Pod): PlannedExit | undefined {
  const { annotations = {}, ownerReferences = [] } = pod.metadata
  const policy = pod.spec.restartPolicy ?? 'Always'
  if (policy === 'Always') return undefined
  const isOfJob = ownerReferences.some(({ kind, controller }) => kind === 'Job' && controller === true)
  const runSeconds = annotations[RUN_SECONDS_ANNOTATION]
  const seconds = runSeconds === undefined ? (isOfJob ? JOB_POD_RUN_SECONDS : Number.NaN) : Number(runSeconds)
  if (!(seconds >= 0)) return undefined
  const code = Number(annotations[EXIT_CODE_ANNOTATION] ?? 0)
  const exitCode = Number.isInteger(code) && code >= 0 && code <= 255 ? code : 0
  return { afterMs: seconds * 1000, exitCode, restarts: exitCode !== 0 && policy === 'OnFailure' }
}

/** Returns the delay before the next restart of a container: none, then 10 s, 20 s, … 5 min (the kubelet's crash loop backoff). */
export function restartDelayMs(restarts: number): number {
  return backoffMs(restarts, { initialMs: FIRST_BACKOFF_MS, maxMs: MAX_BACKOFF_MS })
}
