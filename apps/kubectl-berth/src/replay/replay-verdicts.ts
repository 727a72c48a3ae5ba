import { decide } from '@berth/fit-engine'
import {
  type ExtenderProfile,
  judgeNodes,
  parseRecordingLine,
  reasonsByNode,
  type RecordedCall,
  type RecordingStart,
} from '@berth/scheduler-config'
import type { Random } from '@berth/types'
import { createRecordedState } from './recorded-state.ts'

/** One verdict that changes. A reason is empty for a node that passes. */
export interface ChangedVerdict {
  readonly node: string
  readonly before: string
  readonly after: string
}

/** The verdicts of one call that change. */
export interface ChangedCall {
  readonly time: string
  /** Namespace and name of the pod. */
  readonly pod: string
  readonly passedBefore: number
  readonly passedAfter: number
  readonly nodes: readonly ChangedVerdict[]
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

/** The rules by which a replay decides. */
export interface ReplayRules {
  readonly profile: ExtenderProfile
  readonly ignoredResources: ReadonlySet<string>
  readonly random: Random
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
    else if (entry.kind === 'filter') {
      calls += 1
      const difference = compareCall(entry, cluster.state, rules)
      if (difference !== undefined) changed.push(difference)
    }
  }
  return { calls, changed, unreadableLines, ...(endedEarly !== undefined && { endedEarly }) }
}

function compareCall(
  { time, pod, names, passed, reasons }: RecordedCall,
  state: ReturnType<typeof createRecordedState>['state'],
  { profile, ignoredResources, random }: ReplayRules,
): ChangedCall | undefined {
  const { framework } = profile
  const decision = decide(framework, state, pod, { nodeNames: names, nowMs: Date.parse(time), random, score: false })
  const verdicts = judgeNodes(decision, { names, framework, ignoredResources })
  const passesAfter = new Set(verdicts.passed)
  const reasonsAfter = reasonsByNode([...verdicts.failed, ...verdicts.unresolvable])
  const passedBefore = new Set(passed)
  const nodes = names.flatMap((node): readonly ChangedVerdict[] => {
    if (passesAfter.has(node) === passedBefore.has(node)) return []
    const after = reasonsAfter[node] ?? ''
    return [{ node, before: passedBefore.has(node) ? '' : (reasons[node] ?? ''), after }]
  })
  if (nodes.length === 0) return undefined
  const { namespace = '', name = '' } = pod.metadata
  return { time, pod: `${namespace}/${name}`, passedBefore: passedBefore.size, passedAfter: passesAfter.size, nodes }
}
