import type { ClusterView } from '@berth/cluster-view'
import {
  RECORDING_VERSION,
  type ExtenderPlugin,
  type RecordedReasons,
  type RecordedVictims,
  type RecordingLine,
  redactPod,
} from '@berth/scheduler-config'
import type { FailedNodesMap, Logger, MetaVictims } from '@berth/types'
import type { Evaluator } from '../evaluator.ts'
import { trackChanges } from './cluster-changes.ts'

/** Options of {@link recordVerdicts}. */
export interface RecordingOptions {
  readonly view: Pick<ClusterView, 'state'>
  /** Appends text to the file. */
  readonly append: (text: string) => void
  /** Maximum size of the file, bytes. */
  readonly maxBytes: number
  readonly plugins: readonly ExtenderPlugin[]
  readonly ignoredResources: readonly string[]
  readonly now: () => number
  readonly log: Logger
}

/**
 * Returns an evaluator that also records each verdict with the state of the cluster that it was decided on: filter,
 * prioritize and preempt calls, and the checks of bind calls. Recording stops at the maximum size.
 */
export function recordVerdicts(evaluator: Evaluator, options: RecordingOptions): Evaluator {
  const { view, append, maxBytes, plugins, ignoredResources, now, log } = options
  const changesSinceLast = trackChanges(view)
  const time = (): string => new Date(now()).toISOString()
  let bytes = 0
  let isStopped = false

  const write = (lines: readonly RecordingLine[]): void => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    bytes += Buffer.byteLength(text)
    if (bytes > maxBytes) {
      isStopped = true
      append(`${JSON.stringify({ kind: 'end', reason: `the recording reached ${maxBytes} bytes` } as const)}\n`)
      log.warn({ maxBytes }, 'Stopped recording: the file reached its maximum size')
      return
    }
    append(text)
  }
  /** Records a verdict. Call it before the state changes. */
  const record = (verdict: () => RecordingLine): void => {
    if (isStopped) return
    try {
      const changes = changesSinceLast()
      write([...(changes === undefined ? [] : [changes]), verdict()])
    } catch (err) {
      isStopped = true
      log.error({ err }, 'Stopped recording: the file cannot be written')
    }
  }
  write([{ kind: 'start', version: RECORDING_VERSION, time: time(), plugins, ignoredResources }])
  return {
    ...evaluator,
    filter(request) {
      const result = evaluator.filter(request)
      record(() => ({
        kind: 'filter',
        time: time(),
        pod: redactPod(request.pod),
        names: request.names,
        failed: byReason(result.FailedNodes),
        unresolvable: byReason(result.FailedAndUnresolvableNodes),
      }))
      return result
    },
    prioritize(request) {
      const result = evaluator.prioritize(request)
      record(() => ({
        kind: 'prioritize',
        time: time(),
        pod: redactPod(request.pod),
        names: request.names,
        scores: Array.from(result.scores),
      }))
      return result
    },
    misfit(pod, node) {
      const reason = evaluator.misfit(pod, node)
      record(() => ({ kind: 'bind', time: time(), pod: redactPod(pod), node, reason: reason ?? '' }))
      return reason
    },
    noteReview(pod, proposed, reviewed) {
      record(() => ({
        kind: 'preempt',
        time: time(),
        pod: redactPod(pod),
        proposed: victimsOf(proposed),
        reviewed: victimsOf(reviewed),
      }))
    },
  }
}

function byReason(reasons: FailedNodesMap): RecordedReasons {
  const groups = Map.groupBy(Object.entries(reasons), ([, reason]) => reason)
  return [...groups].map(([reason, nodes]) => [reason, nodes.map(([name]) => name)])
}

function victimsOf(victims: ReadonlyMap<string, MetaVictims>): RecordedVictims {
  return [...victims].map(([node, { Pods }]) => [node, Pods.map(({ UID }) => UID)])
}
