import type { ClusterView } from '@berth/cluster-view'
import { RECORDING_VERSION, type RecordingLine, type ExtenderPlugin, redactPod } from '@berth/scheduler-config'
import type { ExtenderFilterResult, Logger } from '@berth/types'
import type { Evaluator } from '../evaluator.ts'
import type { NodesRequest } from '../extender-args.ts'
import { trackChanges } from './cluster-changes.ts'

/** Options of {@link recordVerdicts}. */
export interface RecordingOptions {
  readonly view: Pick<ClusterView, 'state' | 'nodes'>
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
 * Returns an evaluator that also records each filter call with the state of the cluster that it was decided on. Recording
 * stops at the maximum size.
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
  const record = ({ pod, names }: NodesRequest, result: ExtenderFilterResult): void => {
    const changes = changesSinceLast()
    const passed = result.NodeNames ?? result.Nodes?.items.map(({ metadata }) => metadata.name ?? '') ?? []
    const reasons = { ...result.FailedNodes, ...result.FailedAndUnresolvableNodes }
    write([
      ...(changes === undefined ? [] : [changes]),
      { kind: 'filter', time: time(), pod: redactPod(pod), names, passed, reasons },
    ])
  }
  write([{ kind: 'start', version: RECORDING_VERSION, time: time(), plugins, ignoredResources }])
  return {
    ...evaluator,
    filter(request) {
      const result = evaluator.filter(request)
      if (!isStopped) {
        try {
          record(request, result)
        } catch (err) {
          isStopped = true
          log.error({ err }, 'Stopped recording: the file cannot be written')
        }
      }
      return result
    },
  }
}
