import type { ProbeResult } from '@berth/plugin-api'
import type { ProbeThresholds } from './probe.ts'

/** Result of the runs of one probe for one device so far. */
export interface ProbeState {
  readonly isPassing: boolean
  /** Why the device is failing. */
  readonly reason: string
  /** Runs in a row that contradict `isPassing`. */
  readonly contrary: number
  /** Times at which the device began to fail, within {@link FLAP_WINDOW_MS}. */
  readonly failedAtMs: readonly number[]
  /** Since when a failing device passes; undefined while it does not. */
  readonly passingSinceMs?: number
}

/** A device that failed longer ago than this starts without damping. */
export const FLAP_WINDOW_MS = 10 * 60_000
const MAX_DAMPING_MS = 10 * 60_000

/** Returns how long a failing device must pass before it counts as passing. */
function dampingOf(failedAtMs: readonly number[], { dampingMs }: ProbeThresholds): number {
  return failedAtMs.length < 2 ? 0 : Math.min(dampingMs * 2 ** (failedAtMs.length - 2), MAX_DAMPING_MS)
}

/**
 * Returns the state after one more run. The first run decides at once, because nothing is known about the device before.
 *
 * @param state - Undefined before the first run.
 */
export function nextProbeState(
  state: ProbeState | undefined,
  { health, reason = 'the probe gives no reason' }: ProbeResult,
  { thresholds, nowMs }: { readonly thresholds: ProbeThresholds; readonly nowMs: number },
): ProbeState {
  const hasPassed = health === 'Healthy'
  if (state === undefined) {
    return { isPassing: hasPassed, reason: hasPassed ? '' : reason, contrary: 0, failedAtMs: hasPassed ? [] : [nowMs] }
  }
  const failedAtMs = state.failedAtMs.filter((failedMs) => nowMs - failedMs < FLAP_WINDOW_MS)
  const contrary = hasPassed === state.isPassing ? 0 : state.contrary + 1
  if (state.isPassing) {
    if (hasPassed || contrary < thresholds.failures) return { ...state, contrary, failedAtMs }
    return { isPassing: false, reason, contrary: 0, failedAtMs: [...failedAtMs, nowMs] }
  }
  if (!hasPassed) return { isPassing: false, reason, contrary: 0, failedAtMs }
  const passingSinceMs = state.passingSinceMs ?? nowMs
  // Counted from the unfiltered times: a long damping must not end because a failure left the window meanwhile.
  const waitMs = dampingOf(state.failedAtMs, thresholds) - (nowMs - passingSinceMs)
  if (contrary >= thresholds.successes && waitMs <= 0) return { isPassing: true, reason: '', contrary: 0, failedAtMs }
  const damped = `it failed ${state.failedAtMs.length} times in ten minutes and must pass for ${Math.ceil(waitMs / 1000)} s more`
  return {
    isPassing: false,
    reason: contrary >= thresholds.successes ? damped : state.reason,
    contrary,
    failedAtMs: state.failedAtMs,
    passingSinceMs,
  }
}
