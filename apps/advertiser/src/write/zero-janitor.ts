import type { Node } from '@berth/types'
import { isStaleZero } from '../plan/stale-zeros.ts'
import type { ZeroFinding } from '../plan/zero-finding.ts'

/** A kubelet forgets a device plugin, and stops writing its name, after five minutes. */
const STALE_AFTER_MS = 300_000
/** The watch delivers a write of this process within this time. Until then, the node may still show the name. */
const WATCH_LAG_MS = 5_000
/** A kubelet that still knows the name writes it again at its next sync, about every 10 s. */
const VERIFY_AFTER_MS = 60_000
const MAX_ATTEMPTS = 3

/** The result of inspecting one node. */
export interface ZeroInspection {
  /** Names to remove now. */
  readonly due: ReadonlySet<string>
  /** Delay until the node must be inspected again, milliseconds; undefined when no name is observed. */
  readonly nextMs: number | undefined
  readonly findings: readonly ZeroFinding[]
}

/** Finds the names that device plugins left at 0 for more than five minutes, and checks that they stay away. */
export interface ZeroJanitor {
  /**
   * Inspects a node. Times are monotonic.
   *
   * @param names - The names that may be removed.
   */
  inspect(node: Node, names: readonly string[], nowMs: number): ZeroInspection
  /** Records that names were removed from a node. */
  recordCleared(nodeName: string, names: readonly string[], nowMs: number): void
  forget(nodeName: string): void
}

interface Observed {
  readonly sinceMs: number
  readonly attempts: number
  readonly clearedAtMs?: number
}

/** Creates a janitor that has seen no node. It gives up on a name that came back three times. */
export function createZeroJanitor(): ZeroJanitor {
  const nodes = new Map<string, Map<string, Observed>>()

  return {
    inspect(node, names, nowMs) {
      if (names.length === 0) return { due: new Set(), nextMs: undefined, findings: [] }
      const nodeName = node.metadata.name ?? ''
      const before = nodes.get(nodeName) ?? new Map<string, Observed>()
      const steps = names.map((name) => ({ name, ...step(before.get(name), isStaleZero(node, name), nowMs) }))
      const after = steps.flatMap(({ name, observed }): [string, Observed][] =>
        observed === undefined ? [] : [[name, observed]],
      )
      if (after.length === 0) nodes.delete(nodeName)
      else nodes.set(nodeName, new Map(after))
      const delays = steps.flatMap(({ nextMs }) => nextMs ?? [])
      return {
        due: new Set(steps.filter(({ isDue }) => isDue === true).map(({ name }) => name)),
        nextMs: delays.length === 0 ? undefined : Math.min(...delays),
        findings: steps.flatMap(({ name, finding }) =>
          finding === undefined ? [] : [{ kind: finding, resourceName: name }],
        ),
      }
    },
    recordCleared(nodeName, names, nowMs) {
      const observed = nodes.get(nodeName)
      for (const name of names) {
        const attempts = (observed?.get(name)?.attempts ?? 0) + 1
        observed?.set(name, { sinceMs: nowMs, attempts, clearedAtMs: nowMs })
      }
    },
    forget: (nodeName) => void nodes.delete(nodeName),
  }
}

interface Step {
  /** undefined when the name needs no more attention. */
  readonly observed: Observed | undefined
  readonly isDue?: boolean
  readonly nextMs?: number
  readonly finding?: ZeroFinding['kind']
}

function step(last: Observed | undefined, isStale: boolean, nowMs: number): Step {
  const clearedMs = last?.clearedAtMs === undefined ? undefined : nowMs - last.clearedAtMs
  if (!isStale) {
    if (clearedMs === undefined) return { observed: undefined }
    if (clearedMs >= VERIFY_AFTER_MS) return { observed: undefined, finding: 'verified' }
    return { observed: last, nextMs: VERIFY_AFTER_MS - clearedMs }
  }
  if (clearedMs !== undefined && clearedMs < WATCH_LAG_MS) return { observed: last, nextMs: WATCH_LAG_MS - clearedMs }
  if (last !== undefined && clearedMs !== undefined) {
    const { attempts } = last
    const hasGivenUp = attempts >= MAX_ATTEMPTS
    return {
      observed: { sinceMs: nowMs, attempts },
      finding: hasGivenUp ? 'gave-up' : 'returned',
      ...(!hasGivenUp && { nextMs: STALE_AFTER_MS }),
    }
  }
  const observed = last ?? { sinceMs: nowMs, attempts: 0 }
  if (observed.attempts >= MAX_ATTEMPTS) return { observed }
  const remainingMs = observed.sinceMs + STALE_AFTER_MS - nowMs
  return remainingMs <= 0 ? { observed, isDue: true } : { observed, nextMs: remainingMs }
}
