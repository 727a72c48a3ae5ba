import {
  createRecordedState,
  parseRecordingLine,
  type RecordedCall,
  type RecordingStart,
} from '@berth/scheduler-config'
import { replayBind } from './calls/replay-bind.ts'
import { replayFilter } from './calls/replay-filter.ts'
import { replayPreempt } from './calls/replay-preempt.ts'
import { replayPrioritize } from './calls/replay-prioritize.ts'
import type { CallDifference, ReplayedOn, ReplayRules } from './calls/call-difference.ts'

/** The verdicts of one call that change. */
export interface ChangedCall extends CallDifference {
  readonly time: string
  readonly verb: RecordedCall['kind']
  /** Namespace and name of the pod. */
  readonly pod: string
}

/** The result of a replay. */
export interface Replay {
  readonly calls: number
  readonly changed: readonly ChangedCall[]
  /** Lines that are not part of a recording, such as the incomplete last line of a killed process. */
  readonly unreadableLines: number
  /** Why the recording ended before the extender did. */
  readonly endedEarly?: string
}

/** Returns the first line of a recording, or undefined if the text is not one. */
export function startOfRecording(text: string): RecordingStart | undefined {
  const first = parseRecordingLine(text.slice(0, Math.max(0, text.indexOf('\n'))))
  return first?.kind === 'start' ? first : undefined
}

/** Decides each recorded call again, on the recorded state of the cluster, and returns the verdicts that change. */
export function replayVerdicts(text: string, rules: ReplayRules): Replay {
  const cluster = createRecordedState()
  const changed: ChangedCall[] = []
  let calls = 0
  let unreadableLines = 0
  let endedEarly: string | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    const entry = parseRecordingLine(line)
    if (entry === undefined) unreadableLines += 1
    else if (entry.kind === 'changes') cluster.apply(entry)
    else if (entry.kind === 'end') endedEarly = entry.reason
    else if (entry.kind !== 'start') {
      calls += 1
      const { time, kind: verb, pod } = entry
      const { namespace = '', name = '' } = pod.metadata
      const difference = replayCall(entry, { ...rules, state: cluster.state, nowMs: Date.parse(time) })
      if (difference.nodes.length > 0) changed.push({ time, verb, pod: `${namespace}/${name}`, ...difference })
    }
  }
  return { calls, changed, unreadableLines, ...(endedEarly !== undefined && { endedEarly }) }
}

function replayCall(call: RecordedCall, on: ReplayedOn): CallDifference {
  switch (call.kind) {
    case 'filter':
      return replayFilter(call, on)
    case 'prioritize':
      return replayPrioritize(call, on)
    case 'preempt':
      return replayPreempt(call, on)
    case 'bind':
      return replayBind(call, on)
  }
}
